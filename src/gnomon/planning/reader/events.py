"""What happened on the days of a date column: hires, where rows have a hire date."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator
from gnomon.planning.reader.date_names import deeds_of
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import unit_of_time
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.times import Times
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Dimension, DimensionType

_DATES = frozenset({"date", "day", "time", "dt", "ts", "timestamp", "datetime", "on", "at"})


def count_events(draft: Draft, sentence: Sentence, names: Names, times: Times) -> None:
    """“hires per year since 2018” counts rows by that date, where nothing else is measured; “cancellations” those that have one."""
    if draft.metrics:
        _keep_those(draft, sentence, names)
        return
    timed = times.period is not None or times.grain is not None or times.group_by_part is not None
    for _, item in sentence:
        column = None if item.used else _dated(item, names)
        if column is not None and (timed or sentence.has(Op.COUNT, Op.BY, Op.EACH, Op.PER, Op.RANK)):
            draft.add_metric(names.count_of_table(column.home.table).name)
            if timed or sentence.has(Op.UNIT):
                draft.time_dimension = column.name
            if column.nullable and not timed:
                draft.filters.append(Filter(field=column.name, operator=FilterOperator.NOT_NULL))
            draft.notes.append(f"“{item.text}” were counted by {column.label}")
            item.used = True
            return


def _keep_those(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“the average salary of leavers”: of those that have the date of leaving."""
    for _, item in sentence:
        dated = _dated(item, names) if not item.used else None
        if dated is not None and draft.metrics == [names.count_of_table(dated.home.table).name]:
            draft.time_dimension, item.used = dated.name, True  # "the busiest weekday for check-ins"
            return
        column = dated if item.text.lower().endswith("ers") else None
        before = sentence.words[item.start - 1].lower if item.start else ""
        if column is None or before not in {"of", "for", "among", "the"}:
            continue
        if column.nullable:
            draft.filters.append(Filter(field=column.name, operator=FilterOperator.NOT_NULL))
        else:
            draft.unexplained.append(item.text)  # all of them joined once
        item.used = True


def _is_deed_of(item: Item, column: Dimension, names: Names) -> bool:
    """Whether a noun is that of who did, or what was done, on those days and on no others."""
    noun = "".join(w for w in name_words(item.text) if w != "new")
    return deeds_of(noun, names.model) == [column]


def _dated(item: Item, names: Names) -> Dimension | None:
    """The date column that a plural noun is the telling part of."""
    link = item.named(LinkKind.DIMENSION)
    column = names.model.dimension(link.name) if link is not None else None
    said = name_words(item.text)[-1:]
    if column is None or column.type is not DimensionType.TIME or not said or not said[0].endswith("s"):
        return None
    if item.named(LinkKind.TABLE) is None and _is_deed_of(item, column, names):
        return column
    telling = [stem(w) for w in name_words(column.label) if w not in _DATES and unit_of_time(w) is None]
    told = {stem(said[0]), stem("".join(name_words(item.text)))}
    return column if len(telling) == 1 and telling[0] in told else None
