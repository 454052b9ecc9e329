"""What a draft must not say of things that are told of in several rows each."""

from __future__ import annotations

import math

from gnomon.core.parts import Filter, FilterOperator
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Aggregation, Dimension, DimensionType
from gnomon.semantic.absence import asks_for_none, counts_own_rows

_DID = frozenset({"do", "does", "did", "have", "has", "had"})
_ABOUT_ONE = 0.9  # of values to rows: each has about one
_DENIED = (FilterOperator.NOT_EQUALS, FilterOperator.NOT_IN)


def misses_of_things(draft: Draft, sentence: Sentence, names: Names) -> list[str]:
    """Denials that the draft turned into something else.

    “Events with no refunds” are not those with a ticket that was not refunded. “Fields with no harvest in 2024” are those
    that have rows, and none in that period; with further conditions it is open whether they choose the fields or the
    harvests. “Ponds that never had carp” are not those that had something else. “People tested more than five times” are
    not the tests that have more than five rows each.
    """
    if only := _only_said(draft, sentence, names):
        return only
    none = _asked_for_none(draft, names)
    plain = draft.time_range is not None and not any(not f.having for f in (*draft.filters, *draft.part))
    plain = plain and (draft.time_dimension is None or bool(draft.metrics))
    if none:
        return [] if plain else ["no"]
    if _asked_for_many(draft, names):
        return [x.text for _, x in sentence if x.number is not None][-1:] or ["times"]
    if (flag := _unmarked(draft, names)) is not None:
        return [flag]
    denied = [f for f in (*draft.filters, *draft.part) if f.operator in _DENIED or f.values == (False,)]
    if not denied or not (_are_things(draft, names) or _told_elsewhere(draft, denied, names)):
        return []
    others = any(f.operator in _DENIED for f in denied)  # “unpaid” is a state, which “no refunds” is not
    said = [
        x for _, x in sentence if x.op(Op.WITHOUT) or (others and x.op(Op.NOT) and _denies_deed(x, sentence))
    ]
    return [x.text for x in said]


def _told_elsewhere(draft: Draft, denied: list[Filter], names: Names) -> bool:
    """Whether things are listed by what rows of another table are not: clients, by jobs that are no roof repair."""
    listed = [d for name in draft.dimensions if (d := _thing(name, names)) is not None]
    homes = {d.home.table for f in denied if (d := _thing(f.field, names)) is not None}
    return any(d.home.table != home and d.at(home) is not None for d in listed for home in homes)


def _unmarked(draft: Draft, names: Names) -> str | None:
    """The flag whose marked rows are counted among those that it does not mark."""
    sums = [m for m in map(names.model.metric, draft.metrics) if m.aggregation is Aggregation.SUM]
    marked = {
        c.name: c.label
        for m in sums
        if (c := names.column_of(m)) is not None and c.type is DimensionType.BOOLEAN
    }
    unmarked = [f.field for f in draft.filters if f.field in marked and f.values in ((False,), (0,))]
    return marked[unmarked[0]] if unmarked else None


def _denies_deed(item: Item, sentence: Sentence) -> bool:
    """“never had”, “did not use”, “haven't visited”: they did nothing of the kind; what “are not” is another one."""
    said = [w.lower for w in sentence.words[max(0, item.start - 1) : item.end]]
    return "never" in said or any(w.removesuffix("n't") in _DID for w in said)


def _only_said(draft: Draft, sentence: Sentence, names: Names) -> list[str]:
    """“guests who only booked suites” booked nothing else; those who booked one at all do not answer it."""
    equal = (FilterOperator.EQUALS, FilterOperator.IN)
    held = [f for f in draft.filters if f.operator in equal and not f.having and not f.field.startswith("@")]
    if not held or not _are_things(draft, names):
        return []
    found: list[str] = []
    for i in sentence.find(Op.ONLY):
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        done = following is not None and following.start == sentence[i].end and not following.values
        if i and done and following is not None and _is_verb(following.text.lower()):
            found.append(sentence[i].text)
    return found


def _is_verb(word: str) -> bool:
    lexicon = get_lexicon()
    return lexicon.is_participle(word) or 2 * lexicon.met(word, "v") > lexicon.met(word)


def _asked_for_none(draft: Draft, names: Names) -> bool:
    """Whether things are asked for of which their own table counts no rows."""
    return any(any(map(asks_for_none, where)) for where in _own_rows(draft, names).values())


def _asked_for_many(draft: Draft, names: Names) -> bool:
    """Whether things are asked for of which there have to be more rows than they have: about one each."""
    for thing, where in _own_rows(draft, names).items():
        rows, values = names.model.table(thing.home.table).rows or 0, thing.distinct or 0
        most = 1 if values >= _ABOUT_ONE * rows else rows - values + 1
        if any(_least(f) > most for f in where):
            return True
    return False


def _least(given: Filter) -> float:
    """How many there have to be at least to meet a condition on a count."""
    first = given.values[0] if given.values else None
    if not isinstance(first, int | float):
        return 0
    if given.operator is FilterOperator.GREATER:
        return math.floor(first) + 1
    return first if given.operator in (FilterOperator.AT_LEAST, FilterOperator.EQUALS) else 0


def _own_rows(draft: Draft, names: Names) -> dict[Dimension, tuple[Filter, ...]]:
    """Things whose rows in their own table are counted, with the conditions on that count."""
    model = names.model
    pairs = [(f.field, f.by, (f,)) for f in draft.filters if f.having and f.by is not None]
    made = [model.metric(m) for m in draft.metrics]
    pairs += [(m.inner, m.per, m.where) for m in made if m.inner is not None and m.per is not None]
    listed = [f for f in draft.filters if f.having and f.by is None]
    pairs += [(f.field, d, (f,)) for f in listed for d in draft.dimensions[:1]]
    things = [
        (inner, thing, where) for inner, per, where in pairs if (thing := _thing(per, names)) is not None
    ]
    return {t: tuple(w) for inner, t, w in things if counts_own_rows(model.metric(inner), t, model)}


def _thing(name: str | None, names: Names) -> Dimension | None:
    return next((d for d in names.model.dimensions if d.name == name), None)


def _are_things(draft: Draft, names: Names) -> bool:
    """Whether what is counted or listed has several rows each."""
    made = [names.model.metric(m) for m in draft.metrics]
    if made:
        return all(m.aggregation is Aggregation.COUNT_DISTINCT for m in made)
    listed = [d for name in draft.dimensions if (d := _thing(name, names)) is not None]
    return any(
        d.type is not DimensionType.NUMBER and (d.distinct or 0) < (names.model.table(d.home.table).rows or 0)
        for d in listed
    )
