"""“compared to other agents”, “than the rest”: what is named against all other groups, and which stands out of them."""

from __future__ import annotations

from gnomon.core.operations import Tell
from gnomon.core.parts import Comparison, Filter, FilterOperator, QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import unit_of_time
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.unasked_groups import MANY
from gnomon.planning.reader.verdicts import asks_gap, claimed
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import DimensionType

_K = QuestionKind
_PLAIN = (_K.VALUE, _K.BREAKDOWN, _K.COMPARISON, _K.LIST, _K.RANKING)
_OTHER = frozenset({"other", "remaining", "others"})
_SURE = 0.9
_LESS = frozenset({"less", "lower", "fewer", "smaller", "worse"})
_MORE = frozenset({"more", "higher", "greater", "larger", "bigger", "better"})


def read_rest(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Set what is named against all other groups, or rank the groups where none is named."""
    if draft.kind is _K.SHARE:
        _shares_of_all(draft, sentence, names)
    if draft.kind not in _PLAIN or len(draft.metrics) != 1:
        return
    rest = _rest(sentence, names)
    if rest is None:
        _rank_graded(draft, sentence, names)
        return
    named = _named(draft, rest)
    if named is None and rest and (names.model.dimension(rest).distinct or 0) > MANY:
        named = _named(draft, "")  # "insured and other patients": those of them who are not insured
        draft.dimensions = [d for d in draft.dimensions if d != rest]
        for item in (x for _, x in sentence if x.links and x.links[0].name == rest):
            item.used = False
    if named is not None:
        _against(draft, sentence, named, names)
    elif draft.kind is not _K.RANKING and _asks_one(draft, sentence):
        _rank(draft, descending=_descending(sentence, draft, names))
    if (draft.comparison is not None and draft.comparison.rest) or draft.kind is _K.RANKING:
        for item in (x for _, x in sentence if x.op(Op.REST, Op.COMPARE_NUMBER, Op.VERSUS) and not x.links):
            item.used = True


def _rest(sentence: Sentence, names: Names) -> str | None:
    """The dimension of which all other groups are spoken of; empty where it is not said of which."""
    compared = sentence.has(Op.VERSUS) or any(w.lower in {"than", "from"} for w in sentence.words)
    if not compared:
        return None
    for _, item in sentence:
        if item.op(Op.REST) and not item.links:
            return ""
        before = sentence.words[item.start - 1].lower if item.start else ""
        words = [w.lower for w in sentence.words[max(0, item.start - 4) : item.start]]
        other = before in _OTHER or ("rest" in words and "of" in words[words.index("rest") :])
        if before in _OTHER and (rows := item.named(LinkKind.TABLE)) is not None and rows.quality >= _SURE:
            item.used = True
            return ""  # "than for other visits": than for the rest of them
        dimension = names.dimension(item) if item.links and other else None
        if dimension is not None:
            item.used = True
            return dimension.name
    return None


def _named(draft: Draft, rest: str) -> Filter | None:
    """The condition that names what is set against the rest."""
    held = [
        f
        for f in draft.filters
        if f.operator in (FilterOperator.EQUALS, FilterOperator.IN)
        and not f.having
        and not f.field.startswith("@")
    ]
    if rest:
        return next((f for f in held if f.field == rest), None)
    fields = {f.field for f in held}
    listed = draft.comparison.groups if draft.comparison is not None else ()
    chosen = [f for f in held if set(map(str, f.values)) & set(listed)] or (held if len(fields) == 1 else [])
    return chosen[0] if len(chosen) == 1 else None


def _against(draft: Draft, sentence: Sentence, named: Filter, names: Names) -> None:
    draft.kind = _K.COMPARISON
    draft.comparison = Comparison(kind="group", groups=tuple(map(str, named.values)), rest=True)
    draft.dimensions = [named.field, *(d for d in draft.dimensions if d != named.field)]
    draft.listed, draft.limit = None, None
    if names.model.dimension(named.field).type is DimensionType.BOOLEAN and asks_gap(sentence):
        draft.comparison = Comparison(kind="group", groups=_both_sides(named))
        draft.filters = [f for f in draft.filters if f is not named]
        draft.tell(Tell.DIFFERENCE)
        return
    draft.claims(claimed(sentence, names.model.metric(draft.metrics[0])))


def _both_sides(named: Filter) -> tuple[str, str]:
    """The two sides of a flag, the one that was named first."""
    return ("True", "False") if named.values == (True,) else ("False", "True")


def _shares_of_all(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“what share of claims in IT is late compared to other departments”: the share in each department."""
    field = _rest(sentence, names)
    named = [f for f in (*draft.filters, *draft.part) if f.field == field]
    if not field or len(named) != 1 or draft.dimensions:
        return
    draft.filters = [f for f in draft.filters if f is not named[0]]
    draft.part = [f for f in draft.part if f is not named[0]]
    if draft.part:
        draft.dimensions = [field]
        draft.comparison = Comparison(kind="group", groups=tuple(map(str, named[0].values)), rest=True)
        draft.notes.append(f"the share was taken in each {names.model.dimension(field).label}")


def _asks_one(draft: Draft, sentence: Sentence) -> bool:
    """“is there an agent who …”, “which agent …”: one of the groups is asked for."""
    asked = sentence.has(Op.WHICH) or [w.lower for w in sentence.words[:2]] in (
        ["is", "there"],
        ["are", "there"],
    )
    return asked and len(draft.dimensions) == 1 and draft.grain is None


def _rank(draft: Draft, *, descending: bool) -> None:
    draft.kind, draft.descending, draft.limit = _K.RANKING, descending, 1


def _rank_graded(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“which depot has longer waiting times”: an adjective that compares, with nothing to compare with, ranks."""
    graded = [x for _, x in sentence if _is_graded(x)]
    bounded = any(x.number is not None or x.op(Op.VERSUS, Op.COMPARE_NUMBER) for _, x in sentence)
    if graded and not bounded and draft.kind is _K.BREAKDOWN and _asks_one(draft, sentence):
        _rank(draft, descending=_descending(sentence, draft, names))


def _is_graded(item: Item) -> bool:
    return (
        item.association is not None and item.association.comparative and not item.links and not item.values
    )


def _descending(sentence: Sentence, draft: Draft, names: Names) -> bool:
    """Whether the larger end is meant; what is faster takes less time."""
    words = {w.lower for w in sentence.words}
    graded = next((x.association for _, x in sentence if _is_graded(x)), None)
    if graded is None or graded.descending is None:
        return not (words & _LESS) or bool(words & _MORE)
    lasts = unit_of_time(names.model.metric(draft.metrics[0]).unit) is not None
    return graded.descending != (graded.nouns[0] == "speed" and lasts)
