"""What a ratio is told per one of: “… per hive? Count every hive that was inspected”, and things of a period."""

from __future__ import annotations

from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Aggregation, Metric
from gnomon.semantic.derived import outside
from gnomon.semantic.wording import an

_EVERY = frozenset({"every", "each", "all", "any"})


def says_what_counts(draft: Draft, drafts: list[Draft], sentence: Sentence, names: Names) -> bool:
    """Whether a part only says that all things with rows are counted below the line, which they are.

    What else is told per one of something counts those that have rows in its time.
    """
    if drafts and _only_says_so(draft, drafts[-1], sentence, names):
        return True
    _count_those_of_period(draft, names)
    return False


def _only_says_so(draft: Draft, earlier: Draft, sentence: Sentence, names: Names) -> bool:
    first = sentence[0].start if len(sentence) else 0
    begins = [w.lower for w in sentence.words[first : first + 2]]
    below = _below(earlier, names)
    if below is None or begins[:1] != ["count"] or not {*begins[1:]} & _EVERY or draft.filters or draft.part:
        return False
    column = names.column_of(below)
    counted = names.count_of_table(below.table).name if below.table is not None else ""
    told = {names.model.dimension(d).name for d in draft.dimensions}
    rows = all(m in (below.name, counted) for m in draft.metrics)
    return rows and (below.name in draft.metrics or (column is not None and told == {column.name}))


def _count_those_of_period(draft: Draft, names: Names) -> None:
    """“paid per shop in 2023”: the shops that have rows then, not those whose own date lies in the year."""
    if draft.time_range is None and draft.grain is None:
        return
    for n, reference in enumerate(draft.metrics):
        below = _of(reference, names)
        sides = outside(reference, " / ")
        if (
            below is None
            or sides is None
            or below.aggregation is not Aggregation.COUNT
            or below.table is None
        ):
            continue
        over = names.model.metric(sides[0].strip())
        key = names.model.table(below.table).key
        thing = names.at(below.table, key[0]) if len(key) == 1 else None
        held = thing.at(over.table) if thing is not None and over.table is not None else None
        if thing is None or held is None or over.table in (None, below.table):
            continue
        draft.metrics[n] = f"{sides[0].strip()} / {names.count_at(over.table or '', held).name}"
        what = names.model.table(over.table or "").label
        draft.notes.append(f"each {thing.label} counts that has {an(what)} in that time")


def _below(draft: Draft, names: Names) -> Metric | None:
    return _of(draft.metrics[0], names) if len(draft.metrics) == 1 else None


def _of(reference: str, names: Names) -> Metric | None:
    """What is counted below the line of a ratio."""
    sides = outside(reference, " / ")
    below = names.model.metric(sides[1].strip()) if sides is not None else None
    return below if below is not None and is_count(below) else None
