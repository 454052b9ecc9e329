"""Running figures: a balance that every row of a ledger tells anew is neither added up nor averaged unless that is said."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.core.query import TimeRange
from gnomon.planning.reader.draft import Doubt, Draft, PickSort, picks
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Additivity, Aggregation, Dimension, Metric
from gnomon.semantic.labels import entity_of
from gnomon.semantic.vocabulary import vocabulary

_TOLD = (QuestionKind.VALUE, QuestionKind.BREAKDOWN, QuestionKind.RANKING, QuestionKind.SHARE, None)
_ENTRIES = frozenset(
    {"entry", "movement", "posting", "line", "record", "row", "statement", "reading", "snapshot", "log", "event", "day",
     "txn", "trx", "trans", "tx", "journal"}
)  # fmt: skip
THIRD = " was read as about a third of it"


def doubt_running(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“the balance of A-101”, of a ledger: which of its figures is meant is asked back."""
    said = {x.operator.payload for _, x in sentence if x.op(Op.AGGREGATE) and x.operator is not None}
    named = {w.lower for w in sentence.words} & {"average", "mean", "median", "typical", "averaged"}
    if draft.kind not in _TOLD or named or said - {Aggregation.SUM}:
        return
    for reference in draft.metrics:
        metric = names.model.metric(reference)
        column = _running(metric, names)
        if column is not None and metric.aggregation in (Aggregation.MEAN, Aggregation.SUM):
            options = tuple(f"{how} {column.label}" for how in ("average", "highest", "lowest"))
            ways = (Aggregation.MEAN, Aggregation.MAX, Aggregation.MIN)
            meant = picks(PickSort.METRIC, reference, (f"{how}({column.home})" for how in ways))
            draft.doubts.append(Doubt(column.label, options, picks=meant))
            return


def _running(metric: Metric, names: Names) -> Dimension | None:
    """The column of a metric that holds a level of each row, where rows are dated and no snapshots."""
    from gnomon.semantic.measures import names_stock

    column = names.column_of(metric) if metric.table is not None else None
    if column is None or not names_stock(column.home.column):
        return None
    table = names.model.table(metric.table or "")
    once = any(
        m.additivity is not Additivity.NON_ADDITIVE and names.column_of(m) == column
        for m in names.model.metrics
    )
    # accounts have one balance each, whatever happened on their date; entries of a ledger each tell it anew
    named = len(table.key) == 1 and entity_of(table.key[0]) == table.label
    things = named and table.label.split()[-1] not in vocabulary().dealings | _ENTRIES
    listed = things or any(j.to_table == table.name for j in names.model.joins)
    return column if table.time_dimension is not None and not once and not listed else None


def place_level(draft: Draft, names: Names) -> None:
    """“stock at the end of May”: that of the last day, not the average of the last days."""
    span = draft.time_range
    levels = [names.model.metric(m).additivity is Additivity.SEMI_ADDITIVE for m in draft.metrics]
    told = next((n for n in draft.notes if n.endswith(THIRD)), None)
    if span is None or told is None or not levels or not all(levels) or draft.grain is not None:
        return
    word = told.removesuffix(THIRD).lower()
    if word not in {"end", "start", "beginning"}:
        return
    day = span.end if word == "end" else span.start
    draft.time_range = TimeRange(start=day, end=day)
    draft.notes = [n for n in draft.notes if n is not told]
