"""A study that a model asks for: why a figure moves, where it heads or what stands out in it, from the query of that figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta

from gnomon.core import algebra as al
from gnomon.core.operations import Comparison
from gnomon.core.parts import Filter, FilterOperator, Parts
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.shapes import KINDS
from gnomon.planning.model_reader.select import Objections
from gnomon.semantic.model import Aggregation, Dimension, DimensionType, Metric, SemanticModel, quoted
from gnomon.semantic.nodes import how_of

_A, _C = Aggregation, Comparison
_PLAIN = {how_of(a): a for a in (_A.COUNT, _A.COUNT_DISTINCT, _A.SUM, _A.MEAN, _A.MEDIAN, _A.MIN, _A.MAX)}
_TESTS = frozenset({_C.EQUAL, _C.UNEQUAL, _C.LESS, _C.AT_MOST, _C.MORE, _C.AT_LEAST})


def studied(study: al.Study, model: SemanticModel, question: str, periods: Sequence[TimeRange] = ()) -> Parts:
    """What a study asks, part by part.

    Args:
        study: What is looked at, and how.
        model: What the tables mean.
        question: As it was asked.
        periods: The times that the question names, so that days are known as the month or year that they are.

    Raises:
        Objections: Its query is more than one figure of rows that meet plain conditions.
    """
    query = study.query
    if query.show or len(query.measures) != 1 or query.rows.query is not None or query.rows.beside:
        raise Objections(["A study takes a query of one figure, such as SELECT SUM(…) FROM … WHERE …."])
    kept = [k for k in query.keys if k.grain is not None]
    if len(kept) != len(query.keys) or len(kept) > 1:
        raise Objections(["A study takes its figure without groups; leave GROUP BY out."])
    metric = _metric(query.measures[0].measure, query.rows.table, model)
    days, filters = _Days(), list[Filter]()
    for condition in _parts(query.rows.where):
        if not (_is_met_by_joins(condition, model) or days.takes(condition, model)):
            filters.append(_filter(condition, model))
    return Parts(
        question=question,
        kind=KINDS[study.verb],
        metrics=(metric,),
        filters=tuple(filters),
        time_range=days.range(periods),
        grain=kept[0].grain if kept else None,
    )


def _metric(measure: al.Measure, table: str, model: SemanticModel) -> str:
    """The metric of the model that a figure is, or one that is spelled out."""
    if isinstance(measure, al.Arithmetic) and measure.function == "/" and len(measure.of) == 2:
        one, other = (_metric(m, table, model) for m in measure.of)
        return f"{one} / {other}"
    how = _PLAIN.get(measure.how) if isinstance(measure, al.Aggregate) else None
    column = measure.of if isinstance(measure, al.Aggregate) else None
    if how is None or not isinstance(measure, al.Aggregate) or measure.where is not None:
        raise Objections(["A study takes a plain count, sum or average, or one divided by another."])
    if column is not None and not isinstance(column, al.Column):
        raise Objections(["A study takes a figure of one column, computed from nothing else."])
    held = column.table if column is not None else table
    fits = (m for m in model.metrics if m.table == held and m.aggregation is how and not m.where)
    known = next((m for m in fits if _is_of(m, column)), None)
    if known is not None:
        return known.name
    if column is None:
        raise Objections([f"The rows of {table} are counted nowhere; study a figure of a column."])
    return f"{how}({held}.{column.column})"


def _is_of(metric: Metric, column: al.Column | None) -> bool:
    if column is None:
        return metric.expression is None
    return metric.expression in (column.column, quoted(column.column))


def _parts(where: al.Predicate | None) -> Iterator[al.Predicate]:
    if isinstance(where, al.Every):
        for part in where.of:
            yield from _parts(part)
    elif where is not None:
        yield where


def _is_met_by_joins(condition: al.Predicate, model: SemanticModel) -> bool:
    """Whether a condition only says that a row has its partner in a joined table."""
    return (
        isinstance(condition, al.Missing)
        and not condition.hold
        and isinstance(condition.of, al.Column)
        and any((j.to_table, j.to_column) == (condition.of.table, condition.of.column) for j in model.joins)
    )


def _dimension(column: object, model: SemanticModel) -> Dimension:
    found = None
    if isinstance(column, al.Column):
        fits = [d for d in model.dimensions if d.at(column.table) == column.column]
        found = next((d for d in fits if d.via == column.via), next(iter(fits), None))
    if found is None:
        raise Objections(["The conditions of a study hold a column against a value."])
    return found


def _filter(condition: al.Predicate, model: SemanticModel) -> Filter:
    """A plain condition on a column, as the rest of the program knows it."""
    if isinstance(condition, al.Missing):
        how = FilterOperator.IS_NULL if condition.hold else FilterOperator.NOT_NULL
        return Filter(field=_dimension(condition.of, model).name, operator=how)
    if isinstance(condition, al.Among) and condition.query is None:
        how = FilterOperator.IN if condition.hold else FilterOperator.NOT_IN
        values = tuple(v.value for v in condition.values if not isinstance(v.value, time))
        return Filter(field=_dimension(condition.left, model).name, operator=how, values=values)
    if isinstance(condition, al.Test) and isinstance(condition.right, al.Literally):
        value = condition.right.value
        if condition.operator in _TESTS and not isinstance(value, time):
            how = FilterOperator(condition.operator.value)
            return Filter(field=_dimension(condition.left, model).name, operator=how, values=(value,))
    raise Objections(["The conditions of a study hold a column against a value, joined by AND."])


class _Days:
    """The days between which a study lies, as its conditions on a time give them."""

    def __init__(self) -> None:
        self._start, self._end = date.min, date.max

    def takes(self, condition: al.Predicate, model: SemanticModel) -> bool:
        """Whether a condition is about days; what it says is kept."""
        if not (isinstance(condition, al.Test) and isinstance(condition.right, al.Literally)):
            return False
        value = condition.right.value
        if not isinstance(value, date) or _dimension(condition.left, model).type is not DimensionType.TIME:
            return False
        is_midnight = isinstance(value, datetime) and value.time() == datetime.min.time()
        day = value.date() if isinstance(value, datetime) else value
        one = timedelta(days=1)
        match condition.operator:
            case Comparison.AT_LEAST:
                self._start = max(self._start, day)
            case Comparison.MORE:
                self._start = max(self._start, day + one)
            case Comparison.AT_MOST:
                self._end = min(self._end, day)
            case Comparison.LESS:
                exact = is_midnight or not isinstance(value, datetime)
                self._end = min(self._end, day - one if exact else day)
            case Comparison.EQUAL:
                self._start, self._end = max(self._start, day), min(self._end, day)
            case _:
                return False
        return True

    def range(self, periods: Sequence[TimeRange]) -> TimeRange | None:
        """The days; None where no condition was about any."""
        if (self._start, self._end) == (date.min, date.max):
            return None
        if self._end < self._start:
            raise Objections(["The days of the study end before they begin."])
        said = (p for p in periods if (p.start, p.end) == (self._start, self._end))
        return next(said, TimeRange(start=self._start, end=self._end, granularity=TimeGranularity.DAY))
