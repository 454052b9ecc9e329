"""Which conditions of a share say what it is of, and which make the part."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator, QuestionKind
from gnomon.embedding.lexicon import get_lexicon
from gnomon.language.demonyms import places_of
from gnomon.planning.reader.conditions import Conditions
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.relatedness import is_plural
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import DimensionType


def places(draft: Draft, conditions: Conditions) -> list[tuple[int, Filter]]:
    """Each condition with the item that says it."""
    found = [(at, f) for at, f in conditions.filters]
    found += [
        (n.at, f) for n, f in zip(conditions.numbers, draft.filters[len(conditions.filters) :], strict=False)
    ]
    values = draft.filters[len(conditions.filters) + len(conditions.numbers) :]
    return [*found, *((v.at, f) for v, f in zip(conditions.values, values, strict=False))]


_BOUNDS = (
    FilterOperator.LESS, FilterOperator.AT_MOST, FilterOperator.GREATER, FilterOperator.AT_LEAST,
    FilterOperator.BETWEEN, FilterOperator.OUTSIDE,
)  # fmt: skip


def known_whole(draft: Draft, names: Names) -> None:
    """“the share of trips below 5 km”: of the trips whose length is known; the others are on neither side of the bound."""
    if draft.kind is not QuestionKind.SHARE:
        return
    for given in draft.part:
        if given.having or given.operator not in _BOUNDS:
            continue
        column = names.model.dimension(given.field)
        known = Filter(field=given.field, operator=FilterOperator.NOT_NULL)
        if column.type is DimensionType.NUMBER and column.nullable and known not in draft.filters:
            draft.filters.append(known)


def split_part(draft: Draft, sentence: Sentence, conditions: Conditions) -> None:
    """Which conditions make the part: those after the verb; where all stand on one side, all of them."""
    _are_others(draft, sentence, conditions)
    found = places(draft, conditions)
    share = sentence.find(Op.SHARE)[0]
    before = [f for at, f in found if at < share]
    if sentence[0].op(Op.OF, Op.IN) and before and len(before) < len(found):
        # "of those that were over the limit, what proportion had …": what stands before is the whole
        draft.filters, draft.part = before, [f for at, f in found if at > share]
        return
    if (among := split_among(sentence, found)) is not None:
        draft.filters, draft.part = among
        return
    flags = [f for at, f in conditions.filters if not (is_attribute(sentence, at) or is_object(sentence, at))]
    if flags and len(found) > len(flags) and verb_at(sentence) == 0:
        # "what percentage of the women survived": the yes-or-no column is what they did
        draft.part, draft.filters = flags, [f for _, f in found if f not in flags]
        return
    if len(found) > 1:
        verb = verb_at(sentence)
        # a name that holds the verb says what they did: "goals have been met", of a flag called goal met
        whole = [f for at, f in found if sentence[at].end <= verb]
        part = [f for at, f in found if sentence[at].end > verb]
        if part and whole:
            draft.filters, draft.part = whole, part
            return
        narrowed = [f for at, f in found if narrows(sentence, at)]
        # "what percentage of Swedes say that too little is done": the verb that was found says no more of them
        said_of = not verb or not part
        objects = [
            f for at, f in found if said_of and (is_attribute(sentence, at) or is_object(sentence, at))
        ]
        whole = [f for _, f in found if f in narrowed or f in objects]
        if len(whole) == len(found):
            whole = narrowed  # "the share of women in engineering": of all who work there
        if whole and len(whole) < len(found):
            draft.filters, draft.part = whole, [f for _, f in found if f not in whole]
            return
    whole, part = _told_behind(sentence, found)
    if whole and part:
        draft.filters, draft.part = whole, part
        return
    draft.part, draft.filters = list(draft.filters), []


def _are_others(draft: Draft, sentence: Sentence, conditions: Conditions) -> None:
    """“what share of the deaths were homicides”, where both are values of one column: no row is the one and the other."""
    verb = verb_at(sentence)
    for given in draft.filters:
        held = [v for v in conditions.values if any(m.dimension == given.field for c in v.choices for m in c)]
        ends = [(sentence[v.at].end <= verb, v) for v in held if not v.joined]
        if given.operator is FilterOperator.IN and verb and {before for before, _ in ends} == {True, False}:
            draft.unexplained += [sentence[v.at].text for before, v in ends if before]
            rest = {m.value for before, v in ends if not before for c in v.choices for m in c}
            kept = tuple(v for v in given.values if v in rest)
            draft.filters = [
                f.model_copy(update={"values": kept}) if f is given else f for f in draft.filters
            ]


def split_among(
    sentence: Sentence, found: list[tuple[int, Filter]]
) -> tuple[list[Filter], list[Filter]] | None:
    """“the percentage of women among the unemployed”: what stands behind is the whole, what stands before the part."""
    share = sentence.find(Op.SHARE)[0]
    at = next(
        (i for i, x in sentence if i > share and x.op(Op.IN) and x.text.lower().startswith("among")), None
    )
    if at is None:
        return None
    whole = [f for k, f in found if k > at or k < share]
    part = [f for k, f in found if share < k < at]
    return (whole, part) if whole and part else None


def _told_behind(sentence: Sentence, found: list[tuple[int, Filter]]) -> tuple[list[Filter], list[Filter]]:
    """“the share of placebo patients with marked improvement”: what rows have is the part of those that are named so."""
    share = sentence.find(Op.SHARE)[0]
    noun = next((x.end for i, x in sentence if i > share and (is_rows(x) or _are_some(i, sentence))), None)
    having = [x.start for _, x in sentence if x.op(Op.WITH) and noun is not None and x.start >= noun]
    if noun is None or not having or verb_at(sentence):
        return [], []
    whole = [f for at, f in found if sentence[at].end <= having[0]]
    return whole, [f for _, f in found if f not in whole]


def _are_some(at: int, sentence: Sentence) -> bool:
    """“Norwegians with good health”: a value in the plural names those whom the share is of."""
    said = sentence.words[sentence[at].end - 1].text.lower()
    several = is_plural(said) or (said.endswith("s") and bool(places_of(said)))
    return several and bool(sentence[at].values) and is_object(sentence, at)


def is_rows(item: Item) -> bool:
    return item.op(Op.ROWS) or item.named(LinkKind.TABLE) is not None


def is_object(sentence: Sentence, at: int) -> bool:
    """“what percentage of women …”, “of Swedish women …”: what the share is of."""
    first = sentence.after(sentence.find(Op.SHARE)[0])
    if first is None or at < first:
        return False
    beside = all(sentence[j].end == sentence[j + 1].start for j in range(first, at))
    said = sentence[at].text.lower()
    if at > first and (not sentence[at].values or get_lexicon().is_participle(said)):
        return False  # "what share of women cancelled": that is what they did
    return beside and all(sentence[j].used and sentence[j].values for j in range(first, at))


def is_attribute(sentence: Sentence, at: int) -> bool:
    """“ICU patients”: a condition right before a noun says which of them the share is taken of."""
    following = sentence[at + 1] if at + 1 < len(sentence) else None
    return following is not None and following.start == sentence[at].end and bool(following.links)


def narrows(sentence: Sentence, at: int) -> bool:
    """“… in the north”, “marketplace only”: a condition that narrows what the share is taken of."""
    before = sentence.before(at, (Op.FILLER,))
    near = [sentence[j] for j in (at - 1, at + 1) if 0 <= j < len(sentence)]
    placed = before is not None and sentence[before].op(Op.IN) and bool(sentence[at].values)
    return placed or any(x.op(Op.ONLY) for x in near)


def verb_at(sentence: Sentence) -> int:
    """The first word that says what the part does: is, are, was, were, comes from.

    A verb in a clause that begins with “that” says which of them are meant, where another verb follows.
    """
    origins = [(i, item.start) for i, item in sentence if item.op(Op.COMES_FROM) and i]
    verbs = {"is", "are", "was", "were", "has", "have", "had", "come", "comes", "got", "gets", "get", "been",
             "show", "shows"}  # fmt: skip
    others = [p for p, word in enumerate(sentence.words) if p > 2 and word.lower in verbs]
    share = sentence.find(Op.SHARE)
    asked = sentence[share[0]].end if share else 0  # "how many were filed, and what share of them was …"
    others = [p for p in others if p >= asked] or others
    for i, start in origins:
        later = [p for p in others if p >= sentence[i].end]
        return later[0] if sentence[i - 1].op(Op.THAT) and later else start
    return others[0] if others else 0
