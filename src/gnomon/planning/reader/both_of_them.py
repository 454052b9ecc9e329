"""Things that have both: “customers who placed both web and phone orders” are those with rows of either sort."""

from __future__ import annotations

from gnomon.core.request import Filter, FilterOperator, QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Aggregation, Dimension, DimensionType


def take_both(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Ask for as many different values as were named, where “both” stands before two of them."""
    words = [w.lower for w in sentence.words]
    at = words.index("both") if "both" in words else None
    first = next((x for x in sentence.items if at is not None and x.start > at and not x.op()), None)
    if at is None or first is None or not first.values or first.start != at + 1:
        return
    listed = [
        f for f in draft.filters if f.operator is FilterOperator.IN and len(f.values) == 2 and not f.having
    ]
    thing = _thing(draft, names)
    if len(listed) != 1 or thing is None:
        return
    column = names.model.dimension(listed[0].field)
    tables = [
        ref.table
        for ref in column.locations
        if thing.at(ref.table) is not None and ref.table != thing.home.table
    ]
    if len(tables) != 1 or names.model.path(thing.home.table, column) is not None:
        return
    different = f"{Aggregation.COUNT_DISTINCT}({tables[0]}.{column.at(tables[0])})"
    if not draft.dimensions:
        draft.metrics, draft.dimensions = [f"count({different} per {thing.name} = 2)"], []
        draft.kind = QuestionKind.VALUE
    else:
        bound = Filter(
            field=different, operator=FilterOperator.EQUALS, values=(2,), having=True, by=thing.name
        )
        draft.metrics, draft.kind = [], QuestionKind.LIST
        draft.filters.append(bound)
    draft.comparison, draft.listed = None, None


def _thing(draft: Draft, names: Names) -> Dimension | None:
    """The things that are counted or listed."""
    things = [names.model.dimension(d) for d in draft.dimensions if not d.startswith("@")]
    if things:
        counted = all(is_count(names.model.metric(m)) for m in draft.metrics)
        return things[0] if len(things) == 1 and things[0].type is DimensionType.ID and counted else None
    counted = names.model.metric(draft.metrics[0]) if len(draft.metrics) == 1 else None
    if counted is None or counted.aggregation is not Aggregation.COUNT_DISTINCT or not counted.table:
        return None
    return names.at(counted.table, (counted.expression or "").strip("`"))
