"""What can be computed for each row: the functions of expressions, and derived columns put beside the others."""

from __future__ import annotations

import calendar
import operator
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.semantic.arithmetic import evaluate, parse
from gnomon.semantic.conditions import truth
from gnomon.semantic.derived import PARTS, derived
from gnomon.semantic.time_columns import Written, moment, part

_SECONDS = {"days": 86_400.0, "hours": 3_600.0, "minutes": 60.0}
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "==": operator.eq,
}  # fmt: skip


def with_derived(relation: Any, columns: Iterable[str]) -> Any:
    """The relation with those of ``columns`` that are spelled out computed for every row of it.

    Raises:
        NotFound: An expression names a column that the relation does not have.
    """
    made = {
        found.alias: _value(found.arithmetic, relation) for c in columns if (found := derived(c)) is not None
    }
    return relation.mutate(**made) if made else relation


def held_as(column: str) -> str:
    """The name under which a relation holds a column."""
    found = derived(column)
    return found.alias if found is not None else column


def _value(expression: str, relation: Any) -> Any:
    def column(name: str) -> Any:
        if name not in relation.columns:
            raise NotFound.among("column", name, relation.columns)
        return plain_number(relation[name])

    return evaluate(parse(expression), column, divided, row_functions())


def plain_number(column: Any) -> Any:
    """A column as numbers that arithmetic cannot overflow: whole numbers at their widest, decimals as floats."""
    kind = column.type()
    if kind.is_boolean() or kind.is_integer():
        return column.cast("int64")
    return column.cast("float64") if kind.is_decimal() or kind.is_floating() else column


def row_functions() -> dict[str, Callable[..., Any]]:
    """The functions that expressions over rows may call."""

    def between(unit: str) -> Callable[[Any, Any], Any]:
        return lambda end, start: (_seconds(end) - _seconds(start)) / _SECONDS[unit]

    def of_time(name: str) -> Callable[[Any], Any]:
        return lambda value: part(moment(value, None), name).cast("int64")

    return (
        {unit: between(unit) for unit in _SECONDS}
        | {name: of_time(name) for name in PARTS}
        | {f"{how}_of": _of_all(how) for how in ("mean", "median", "min", "max", "std", "mode", "sum")}
        | {f"{how}_in": _of_group(how) for how in ("mean", "median")}
        | {
            "truth": truth,
            "known": lambda value: value.fill_null(0),
            "weekday": lambda value: _named(part(moment(value, None), "weekday"), list(calendar.day_name), 0),
            "moment": lambda value, written, *beside: moment(value, Written(written), beside),
            "spread_of": lambda value: value.std(how="pop").as_scalar(),
            "quantile_of": lambda value, share: value.quantile(share).as_scalar(),
            "length": lambda value: value.cast("string").length().cast("int64"),
            "visible": lambda value: value.cast("string").re_replace(r"\s", "").length().cast("int64"),
            "words": _words,
            "unless": _unless,
            "equals": lambda value, *others: value.cast("string").isin(others).fill_null(False),
            "holds": lambda met: met,  # of a value that is not known neither holds
            "outlying": lambda value, low, high: ((value < low) | (value > high)).fill_null(False),
            "beyond": lambda value, low, high: ((value < low) | (value > high)).ifelse(value, None),
            "repeated": _repeated,
            "again": lambda *values: _repeated(*values).ifelse(1, None),
            "coded": _coded,
            "absolute": lambda value: value.abs(),
            "log": lambda value: (value > 0).ifelse(value.cast("float64"), None).ln(),
            "log10": lambda value: (value > 0).ifelse(value.cast("float64"), None).log10(),
            "root": lambda value: (value >= 0).ifelse(value.cast("float64"), None).sqrt(),
            "power": lambda value, times: value.cast("float64") ** times,
            "percent": lambda value: value * 100,
            "fill": lambda value, other: value.fill_null(other),
            "missing": lambda value: value.isnull(),
            "previous": _previous,
            "ranges": _ranges,
            "least": lambda *values: _both(values, "least"),
            "greatest": lambda *values: _both(values, "greatest"),
            "mean_across": lambda *values: reduce(operator.add, values).cast("float64") / float(len(values)),
        }
    )


def divided(left: Any, right: Any) -> Any:
    """A quotient as a fraction; nothing where the divisor is zero."""
    if isinstance(right, int | float):
        if right == 0:
            raise InvalidInput("A metric divides by zero.")
        return left / float(right)
    left = left.cast("float64") if hasattr(left, "cast") else float(left)
    return left / right.cast("float64").nullif(0.0)


def _seconds(value: Any) -> Any:
    return value.cast("timestamp").epoch_seconds().cast("float64")


def _of_all(how: str) -> Callable[[Any], Any]:
    """A figure of the whole column, the same for every row, whichever rows are looked at."""

    def of(value: Any) -> Any:
        found = value.std(how="sample") if how == "std" else getattr(value, how)()
        return found.as_scalar()

    return of


def _of_group(how: str) -> Callable[..., Any]:
    """A figure of a column over the rows that share a value of another."""

    def of(value: Any, group: Any) -> Any:
        import ibis

        return getattr(value, how)().over(ibis.window(group_by=[group]))

    return of


def _unless(value: Any, *reasons: Any) -> Any:
    """A value where none of the reasons holds to leave its row out."""
    return reduce(operator.or_, reasons).ifelse(None, value)


def _words(value: Any) -> Any:
    """How many words a text has, whatever space stands between them."""
    text = value.cast("string").re_replace(r"\s+", " ").strip()
    spaces = text.length() - text.replace(" ", "").length()
    return (text.length() > 0).ifelse(spaces + 1, 0).cast("int64")


def _repeated(*values: Any) -> Any:
    """Whether a row says the same as another one that is kept."""
    import ibis

    window = ibis.window(group_by=list(values), order_by=[values[0]])
    place: Any = ibis.row_number().over(window)
    return place > 0


def _coded(value: Any, *codes: Any) -> Any:
    """The number that stands for a value: value, number, value, number, …."""
    import ibis

    text = value.cast("string")
    pairs = zip(codes[::2], codes[1::2], strict=True)
    return ibis.cases(*((text == said, number) for said, number in pairs), else_=ibis.null("int64"))


def _named(number: Any, names: list[str], first: int) -> Any:
    import ibis

    return ibis.cases(
        *((number == i, name) for i, name in enumerate(names, first)), else_=ibis.null("string")
    )


def _previous(value: Any, when: Any, *groups: Any) -> Any:
    """The value of the row before, in the order of ``when``, of the same group."""
    import ibis

    order = [ibis.asc(when, nulls_first=False)]
    window = ibis.window(order_by=order, group_by=list(groups)) if groups else ibis.window(order_by=order)
    return value.lag(1).over(window)


def _ranges(value: Any, *said: Any) -> Any:
    """The label of the range that a value lies in: label, sign and bound from below, sign and bound from above, …."""
    import ibis

    cases: list[tuple[Any, str]] = []
    for i in range(0, len(said), 5):
        label, *bounds = said[i : i + 5]
        pairs = ((bounds[0], bounds[1]), (bounds[2], bounds[3]))
        tests = [_SIGNS[sign](value, bound) for sign, bound in pairs if sign in _SIGNS]
        cases.append((reduce(operator.and_, tests), label))
    return ibis.cases(*cases, else_=ibis.null("string"))


def _both(values: tuple[Any, ...], how: str) -> Any:
    """The least or the greatest of a row's values; nothing where one of them is missing."""
    import ibis

    known = reduce(operator.and_, (v.notnull() for v in values))
    return known.ifelse(getattr(ibis, how)(*values), None)
