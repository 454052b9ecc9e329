"""Groups of persons set against each other: men and women differ in number, so amounts are compared per person."""

from __future__ import annotations

from gnomon.core.request import QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.people import PERSONAL
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, DimensionType, Metric


def compare_persons(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“do boys miss more days than girls”: on average, where each row is one person and nothing says how."""
    if draft.kind is not QuestionKind.COMPARISON or draft.comparison is None:
        return
    sexes = names.vocabulary.sexes
    if draft.comparison.kind != "group" or draft.dimensions[:1] not in [[s] for s in sexes]:
        return
    if sentence.has(Op.AGGREGATE, Op.SHARE, Op.COUNT) or len(draft.metrics) != 1:
        return
    metric = names.model.metric(draft.metrics[0])
    if metric.aggregation is not Aggregation.SUM or is_count(metric) or not _is_of_persons(metric, names):
        return
    draft.metrics = [names.aggregated(metric, Aggregation.MEAN)]
    draft.notes.append(f"{metric.label} was compared on average, as the groups differ in number")


def _is_of_persons(metric: Metric, names: Names) -> bool:
    """Whether the rows describe persons, each once, at no particular time."""
    table = names.model.table(metric.table) if metric.table else None
    if table is None or table.time_dimension is not None:
        return False
    held = [d for d in names.model.dimensions if d.home.table == table.name]
    told = [d for d in held if PERSONAL & set(name_words(d.label))]
    other = [d for d in held if d.type is DimensionType.ID and (d.home.column,) != table.key]
    return len(told) > 1 and not other
