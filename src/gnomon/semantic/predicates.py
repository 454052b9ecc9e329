"""Conditions of a query as predicates of the algebra: values as their columns hold them, days as moments."""

from __future__ import annotations

import datetime as dt
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput
from gnomon.core.parts import Filter, FilterOperator, Relative
from gnomon.core.query import TimeRange
from gnomon.semantic.conditions import MOST_VALUES, is_day, value_as
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.model import Dimension
from gnomon.semantic.nodes import call, compared, either, literal, yes_or_no
from gnomon.semantic.row_terms import part_of

_C = al.Comparison
SIGNS = {
    FilterOperator.EQUALS: _C.EQUAL,
    FilterOperator.NOT_EQUALS: _C.UNEQUAL,
    FilterOperator.LESS: _C.LESS,
    FilterOperator.AT_MOST: _C.AT_MOST,
    FilterOperator.GREATER: _C.MORE,
    FilterOperator.AT_LEAST: _C.AT_LEAST,
}
BOUNDS = {"mean": al.How.MEAN, "median": al.How.MEDIAN, "min": al.How.LEAST, "max": al.How.MOST}
_IN_TEXTS = {FilterOperator.CONTAINS: _C.CONTAINS, FilterOperator.LISTS: _C.LISTS}


def condition(meanings: Meanings, table: str, given: Filter, time: Dimension | None = None) -> al.Predicate:
    """A condition on a dimension, for the rows of ``table``.

    Args:
        meanings: What names mean.
        table: Whose rows are looked at.
        given: The condition.
        time: The time that parts of it, such as weekdays, are parts of; that of the table by default.
    """
    dimension = meanings.model.dimension(given.field)
    if given.relative is not None:
        return _bounded(meanings, table, given, dimension, given.relative)
    if dimension.name.startswith("@"):
        moment, _ = meanings.moment(table, time or dimension)
        return tested(part_of(moment, dimension.name[1:]), _kind("int32"), given)
    if dimension.written is not None and any(not isinstance(v, int | float) for v in given.values):
        moment, exact = meanings.moment(table, dimension)
        return tested(moment, _kind("timestamp" if exact else "date"), given)
    return tested(meanings.column(table, dimension), meanings.kind(table, dimension), given)


def tested(left: al.Expression, kind: Any, given: Filter) -> al.Predicate:
    """A condition on a value; what is not known meets none but that it is not there.

    Args:
        left: The value.
        kind: Its type.
        given: The condition.

    Raises:
        InvalidInput: The number or the type of the values does not fit.
    """
    how = given.operator
    if how in (FilterOperator.IS_NULL, FilterOperator.NOT_NULL):
        return al.Missing(of=left, hold=how is FilterOperator.IS_NULL)
    if how in _IN_TEXTS:
        texts = [v for v in given.values if isinstance(v, str) and v]
        if not texts or len(texts) < len(given.values):
            raise InvalidInput(f"'{given.field} {how}' takes pieces of text.")
        return either([compared(left, _IN_TEXTS[how], t.lower()) for t in texts])
    left, values = _typed(left, kind, given)
    if how in (FilterOperator.IN, FilterOperator.NOT_IN):
        if not 1 <= len(values) <= MOST_VALUES:
            raise InvalidInput(f"'{given.field} {how}' takes 1 to {MOST_VALUES:,} values, not {len(values)}.")
        held = tuple(map(literal, values))
        return al.Among(left=left, values=held, hold=how is FilterOperator.IN)
    if how in (FilterOperator.BETWEEN, FilterOperator.OUTSIDE):
        if len(values) != 2:
            raise InvalidInput(f"'{given.field} {how}' takes two values, not {len(values)}.")
        if how is FilterOperator.OUTSIDE:
            return either([compared(left, _C.LESS, values[0]), compared(left, _C.MORE, values[1])])
        return al.Every(of=(compared(left, _C.AT_LEAST, values[0]), compared(left, _C.AT_MOST, values[1])))
    if len(values) != 1:
        raise InvalidInput(
            f"'{given.field} {how}' takes one value, not {len(values)}.",
            suggestions=["Use 'in' for several."],
        )
    if how is FilterOperator.NOT_BY:
        return either([al.Missing(of=left), compared(left, _C.MORE, values[0])])
    return compared(left, SIGNS[how], values[0])


def against(left: al.Operand, given: Filter, bound: al.Operand) -> al.Test:
    """A condition against a bound that is computed itself.

    Raises:
        InvalidInput: It does not compare with one bound.
    """
    if given.operator not in SIGNS:
        raise InvalidInput(f"'{given.operator}' does not compare with one bound.")
    return compared(left, SIGNS[given.operator], bound)


def times(given: Filter, bound: al.Measure) -> al.Measure:
    """The bound as many times as it is meant."""
    factor = given.values[0] if given.values else 1
    if not isinstance(factor, int | float) or isinstance(factor, bool):
        raise InvalidInput(f"{factor!r} is no number of times.")
    return bound if factor == 1 else al.Arithmetic(function=al.Function.MULTIPLY, of=(bound, literal(factor)))


def within(moment: al.Expression, exact: bool, days: TimeRange) -> al.Predicate:
    """That a moment lies on one of the days, both ends included."""
    start = dt.datetime.combine(days.start, dt.time()) if exact else days.start
    first = compared(moment, _C.AT_LEAST, start)
    if days.end == dt.date.max:
        return first
    if not exact:
        return al.Every(of=(first, compared(moment, _C.AT_MOST, days.end)))
    after = dt.datetime.combine(days.end, dt.time()) + dt.timedelta(days=1)
    return al.Every(of=(first, compared(moment, _C.LESS, after)))


def _bounded(
    meanings: Meanings, table: str, given: Filter, dimension: Dimension, relative: Relative
) -> al.Predicate:
    """Against the average, the median or an extreme of all rows of the table that holds the column, or of a group's."""
    home = dimension.home.table
    value, kind = meanings.column(home, dimension), meanings.kind(home, dimension)
    if not kind.is_numeric() and relative.how in ("mean", "median"):
        raise InvalidInput(f"There is no {relative.how} of values of type {kind}.")
    figure = times(given, al.Aggregate(how=BOUNDS[relative.how], of=value))
    query = al.Query(rows=al.Rows(table=home), measures=(al.Shown(measure=figure),))
    per = meanings.column(home, meanings.model.dimension(relative.per)) if relative.per is not None else None
    bound = al.Whole(query=query, within=(per,) if per is not None else ())
    return against(meanings.column(table, dimension), given, bound)


def _typed(left: al.Expression, kind: Any, given: Filter) -> tuple[al.Expression, list[Any]]:
    """The value and what it is compared with, as one type."""
    if any(v is None for v in given.values):
        raise InvalidInput(
            f"'{given.field} {given.operator}' cannot compare with nothing.", suggestions=["Use 'is null'."]
        )
    if kind.is_timestamp() and all(map(is_day, given.values)):
        return call(al.Function.DATE, left), [value_as(v, _kind("date"), given.field) for v in given.values]
    if kind.is_string() and all(isinstance(v, bool) for v in given.values):
        return yes_or_no(left), [int(bool(v)) for v in given.values]
    return left, [value_as(v, kind, given.field) for v in given.values]


def kind_of(given: Filter) -> Any:
    """The type of the figures that a condition on groups speaks of, as its own values tell it."""
    if all(isinstance(v, int | float) for v in given.values):
        return _kind("float64")
    dated = all(is_day(v) or isinstance(v, dt.datetime) for v in given.values)
    return _kind("timestamp" if dated else "string")


def _kind(name: str) -> Any:
    import ibis

    return ibis.dtype(name)
