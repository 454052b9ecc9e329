"""The SQL that DuckDB is given: written once for all days that one question may be asked about, and quick to run."""

from __future__ import annotations

import datetime as dt
import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import sqlglot as sg
import sqlglot.expressions as sge
from ibis.backends.sql.compilers.duckdb import DuckDBCompiler
from ibis.expr import operations as ops

from gnomon.core.patterns import regex

KEPT = 256

_DAY_IN = {"M": "day", "W": "isodow", "Y": "dayofyear"}
"""The function that numbers the days of a period from 1, by the unit of the period."""


class Compiler(DuckDBCompiler):
    """Ibis' compiler, which takes the first day of a period by counting days back: truncating a moment takes twice as long."""

    __slots__ = ()

    def visit_Cast(self, op: Any, *, arg: Any, to: Any) -> Any:
        """A cast; that of a truncated moment to its day is counted."""
        cut = op.arg
        if not (to.is_date() and isinstance(cut, ops.TimestampTruncate) and cut.unit.short in _DAY_IN):
            return super().visit_Cast(op, arg=arg, to=to)
        moment: Any = arg.this
        is_day = isinstance(cut.arg, ops.Cast) and cut.arg.arg.dtype.is_date()
        day: Any = moment.this if is_day else sg.cast(moment, sge.DataType.Type.DATE)
        number: Any = self.f[_DAY_IN[cut.unit.short]](day)
        return sge.paren(sge.Sub(this=day, expression=sg.cast(number - 1, sge.DataType.Type.INT)), copy=False)


class Templates:
    """Compiled queries, kept without the days in them: compiling takes longer than most queries.

    The same question about another month differs in its days alone. Each day is compiled as another one, which no text
    of a query can foresee, and written back into the result.

    Args:
        compile: Gives the SQL of an expression.
    """

    def __init__(self, compile: Callable[[Any], str]) -> None:
        self._compile = compile
        self._kept: OrderedDict[Any, str] = OrderedDict()
        self._first = dt.date(1, 1, 1) + dt.timedelta(days=secrets.randbelow(300_000))

    def sql(self, expression: Any) -> str:
        """The query that an expression becomes."""
        asked = expression.op()
        days: dict[dt.date, int] = {}
        for literal in asked.find(ops.Literal, ordered=True):
            if (day := _day(literal.value)) is not None:
                days.setdefault(day, len(days))
        if not days:
            return self._compile(expression)
        shape = asked.replace(lambda node, changed: self._apart(node, changed, days))
        if shape in self._kept:
            self._kept.move_to_end(shape)
        else:
            self._kept[shape] = self._compile(shape.to_expr())
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        meant = {_parts(self._stand_in(number)): _parts(day) for day, number in days.items()}
        return _MADE.sub(lambda m: m[1] + meant.get(m[2], m[2]), self._kept[shape])

    def _apart(self, node: Any, changed: dict[str, Any] | None, days: dict[dt.date, int]) -> Any:
        if not isinstance(node, ops.Literal):
            return node.__recreate__(changed) if changed else node
        day = _day(node.value)
        if day is None:
            return node
        stand_in = self._stand_in(days[day])
        with_time = isinstance(node.value, dt.datetime)
        return ops.Literal(dt.datetime.combine(stand_in, dt.time()) if with_time else stand_in, node.dtype)

    def _stand_in(self, number: int) -> dt.date:
        return self._first + dt.timedelta(days=number)


_MADE = regex(r"(\bMAKE_(?:DATE|TIMESTAMP)\()(\d+, \d+, \d+)")


def _day(value: Any) -> dt.date | None:
    """The day that a literal means, where it means no time of that day."""
    if isinstance(value, dt.datetime):
        return value.date() if value.tzinfo is None and value.time() == dt.time() else None
    return value if isinstance(value, dt.date) else None


def _parts(day: dt.date) -> str:
    return f"{day.year}, {day.month}, {day.day}"
