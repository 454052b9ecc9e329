"""Who had a row that lasted so long: “patients who stayed longer than 14 days” means one of their stays."""

from __future__ import annotations

import re

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Aggregation, Dimension, Metric
from gnomon.semantic.derived import Derived, column_in, derived

_COUNTED = regex(r"count\((.+) per (\w+) (>=|<=|>|<) ([\d.]+)\)")
_GRAINS = frozenset(TimeGranularity)
_TICKS = ("days", "hours", "minutes")


def bound_rows(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Put a bound on the length of each row for one on the average length of a thing's rows, unless that is said."""
    said = [x.operator.payload for x in sentence.items if x.op(Op.AGGREGATE) and x.operator is not None]
    if Aggregation.MEAN in said or Aggregation.MEDIAN in said:
        return
    for at, reference in enumerate(draft.metrics):
        match = _COUNTED.fullmatch(reference)
        thing = names.model.dimension(match[2]) if match is not None and match[2] not in _GRAINS else None
        metric = names.model.metric(match[1]) if match is not None else None
        held = _length(metric, thing, names) if metric is not None and thing is not None else None
        if match is None or metric is None or thing is None or held is None:
            continue
        draft.metrics[at] = names.count_at(metric.table or "", thing.at(metric.table or "") or "").name
        draft.filters.append(Filter(field=held, operator=FilterOperator(match[3]), values=(float(match[4]),)))
    for at, given in enumerate(draft.filters):
        owned = given.having and given.by and "." not in given.by and given.by not in _GRAINS
        thing = names.model.dimension(given.by) if owned and given.by else None
        held = _length(names.model.metric(given.field), thing, names) if thing is not None else None
        if held is not None and given.relative is None:
            draft.filters[at] = Filter(field=held, operator=given.operator, values=given.values)


def _length(metric: Metric, thing: Dimension | None, names: Names) -> str | None:
    """The length of each row as a column, where a metric is the mean of it and things may have several rows."""
    expression = metric.expression or ""
    made = derived(expression.strip("`"))
    text = made.expression if made is not None else expression
    lasting = metric.unit in _TICKS and text.startswith(f"{metric.unit}(")
    table = metric.table or ""
    if thing is None or not lasting or metric.aggregation is not Aggregation.MEAN or thing.at(table) is None:
        return None
    if names.model.table(table).key == (thing.at(table),):
        return None
    if made is not None:
        return f"{table}.{made.spelling}"
    text = re.sub(r"`([^`]+)`", lambda m: column_in(m[1]), text)
    return f"{table}.{Derived(metric.label.removeprefix('average '), text).spelling}"
