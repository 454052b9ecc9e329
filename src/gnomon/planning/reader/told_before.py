"""“… and what share of those”: what the part before spoke of, as conditions on rows."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator, Parts
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.stated_columns import flag_value
from gnomon.semantic import Aggregation, DimensionType
from gnomon.semantic.values import ValueIndex


def refers_to_them(sentence: Sentence) -> bool:
    """“and how many of them …”: what meets the conditions of the part before."""
    return any(
        item.op(Op.THOSE)
        and i > 0
        and (sentence[i - 1].op(Op.OF, Op.IN) or sentence[i - 1].text.lower().endswith(" of"))
        and not item.text.lower().startswith("the same")
        for i, item in sentence
    )


def they(earlier: Draft | Parts, names: Names, index: ValueIndex) -> list[Filter]:
    """The conditions that make them: those that were said, the part of a share, the flag that was counted."""
    told = [*earlier.filters, *earlier.part]
    for reference in earlier.metrics:
        metric = names.model.metric(reference)
        column = names.column_of(metric) if metric.aggregation is Aggregation.SUM else None
        if column is not None and column.type is DimensionType.BOOLEAN:
            yes = flag_value(index, column, True)
            told.append(Filter(field=column.name, operator=FilterOperator.EQUALS, values=(yes,)))
    return told
