"""What “what volume” asks for: how much there is of a column of numbers, not each of its numbers."""

from __future__ import annotations

from gnomon.core.request import QuestionKind
from gnomon.planning.reader.draft import Doubt, Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_intensive
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.ratios import adds_up
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Aggregation, Dimension, DimensionType

_IN_ALL = frozenset({"overall", "altogether", "in total", "in all", "all in all", "all told"})
_MOST = frozenset({"most", "least", "fewest"})


def rank_in_all(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“which year had the most traffic overall”: ranked by all of it, not by what one row has."""
    ranked = any(
        x.text.lower().split()[-1:] and x.text.lower().split()[-1] in _MOST
        for _, x in sentence
        if x.op(Op.RANK)
    )
    said = any(x.text.lower() in _IN_ALL for _, x in sentence)
    if not ranked or not said or draft.kind is not QuestionKind.RANKING or len(draft.metrics) != 1:
        return
    metric = names.model.metric(draft.metrics[0])
    column = names.column_of(metric) if metric.aggregation is Aggregation.MEAN else None
    if column is not None and column.type is DimensionType.NUMBER and not is_intensive(column):
        draft.metrics = [f"{Aggregation.SUM}({column.home})"]


def is_amount_of(item: Item, column: Dimension) -> bool:
    """Whether a noun names numbers that are too many to be told one by one."""
    many = column.type is DimensionType.NUMBER and (column.distinct or 99) > 30
    return many and bool(item.links) and item.links[0].name == column.name


def measure_amount(draft: Draft, item: Item, column: Dimension, names: Names) -> None:
    """Measure all of a column where its numbers surely add up; where they only may, ask whether their mean is meant."""
    metric = names.in_all(names.metric_of(column))
    draft.add_metric(metric.name)
    draft.kind = QuestionKind.VALUE
    item.used = True
    if not adds_up(metric) and not is_intensive(column):
        total = names.model.metric(f"{Aggregation.SUM}({column.home})")
        draft.doubts.append(Doubt(item.text, (total.label, metric.label)))
