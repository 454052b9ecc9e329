"""Figures of a SELECT as nodes of the algebra: what is computed of many rows, and what they are grouped by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp
from sqlglot.expressions.core import Expression

from gnomon.core import algebra as al
from gnomon.core.query import TimeGranularity
from gnomon.planning.model_reader.conditions import Conditions, every
from gnomon.planning.model_reader.held import Kind, kind_of
from gnomon.planning.model_reader.moments import Objection, grain_of
from gnomon.planning.model_reader.steps import is_aggregate, is_total
from gnomon.planning.model_reader.values import ARITHMETIC, Source, called, is_truth

_AGGREGATES: dict[type[Expression], al.How] = {
    exp.Sum: al.How.SUM,
    exp.Avg: al.How.MEAN,
    exp.Median: al.How.MEDIAN,
    exp.Min: al.How.LEAST,
    exp.Max: al.How.MOST,
    exp.Stddev: al.How.DEVIATION,
    exp.StddevSamp: al.How.DEVIATION,
    exp.Variance: al.How.VARIANCE,
    exp.Mode: al.How.MODE,
}


class Figures(Conditions):
    """Reads the figures of one SELECT."""

    def _key(self, node: Expression, source: Source, outer: Mapping[str, Source], name: str | None) -> al.Key:
        inner = node
        while isinstance(inner, (exp.Paren, exp.Alias)):
            inner = inner.this
        if isinstance(inner, (exp.Cast, exp.TryCast)) and "DATE" in inner.to.sql().upper():
            deeper = inner.this
            inner = deeper if isinstance(deeper, (exp.TimestampTrunc, exp.DateTrunc)) else inner
        if isinstance(inner, (exp.TimestampTrunc, exp.DateTrunc)):
            of, unit = self._expression(inner.this, source, outer), grain_of(inner)
            if unit not in set(TimeGranularity):
                raise Objection(f"Groups by {unit} are not available.")
            return al.Key(of=of, grain=TimeGranularity(unit), name=name)
        if is_truth(inner):
            test = self._predicate(inner, source, outer)
            yes, no = al.Literally(value=True), al.Literally(value=False)
            return al.Key(of=al.Case(tests=(test,), values=(yes,), otherwise=no), name=name)
        return al.Key(of=self._expression(inner, source, outer), name=name)

    def _measure(self, node: Expression, source: Source, outer: Mapping[str, Source], rows: al.Rows) -> Any:
        def of(inner: Expression) -> Any:
            return self._measure(inner, source, outer, rows)

        if isinstance(node, (exp.Paren, exp.Alias)):
            return of(node.this)
        if isinstance(node, exp.Subquery):
            whole = self._other(node.this, source)
            if not isinstance(whole, al.Whole):
                raise Objection("A sub-query beside groups cannot refer to their rows.")
            return whole
        if isinstance(node, exp.Window):
            return self._total(node, source, outer, rows)
        if (value := self._literal(node)) is not None:
            return value
        if type(node) in ARITHMETIC:
            function = ARITHMETIC[type(node)]
            left, right = node.this, node.expression
            if function is al.Function.DIVIDE and isinstance(right, exp.Nullif):
                right = right.this
            one, other = of(left), of(right)
            self._days_apart(function, one, other, rows)
            return al.Arithmetic(function=function, of=(one, other))
        if isinstance(node, exp.Round):
            digits = self._literal(node.args.get("decimals")) or al.Literally(value=0)
            return al.Arithmetic(function=al.Function.ROUND, of=(of(node.this), digits))
        if isinstance(node, (exp.Cast, exp.TryCast)):
            return of(node.this)
        if isinstance(node, exp.Coalesce):
            return al.Arithmetic(
                function=al.Function.FILL, of=tuple(of(a) for a in [node.this, *node.expressions])
            )
        if isinstance(node, exp.Abs):
            return al.Arithmetic(function=al.Function.ABSOLUTE, of=(of(node.this),))
        return self._aggregate(node, source, outer)

    def _days_apart(self, function: al.Function, one: Any, other: Any, rows: al.Rows) -> None:
        """Refuse arithmetic of days over groups, but for the days between two of them."""
        first, second = (kind_of(n, rows, self._kinds) for n in (one, other))
        if first.is_time and not (first is second is Kind.DAY and function is al.Function.SUBTRACT):
            raise Objection(
                "Days of groups are set apart by DATE_DIFF('day', MIN(…), MAX(…)) and moved by INTERVAL."
            )

    def _aggregate(
        self, node: Expression, source: Source, outer: Mapping[str, Source], where: Any = None
    ) -> al.Aggregate:
        def value(inner: Expression) -> Any:
            if is_truth(inner):
                yes, no = al.Literally(value=1), al.Literally(value=0)
                return al.Case(tests=(self._predicate(inner, source, outer),), values=(yes,), otherwise=no)
            return self._expression(inner, source, outer)

        if isinstance(node, exp.Filter):
            return self._aggregate(
                node.this, source, outer, self._predicate(node.expression.this, source, outer)
            )
        if isinstance(node, exp.CountIf):
            return al.Aggregate(
                how=al.How.COUNT, where=every([self._predicate(node.this, source, outer), where])
            )
        if isinstance(node, exp.Count):
            inner = node.this
            if isinstance(inner, exp.Distinct):
                if len(inner.expressions) != 1:
                    raise Objection("COUNT(DISTINCT …) takes one column.")
                return al.Aggregate(how=al.How.DISTINCT, of=value(inner.expressions[0]), where=where)
            of = None if isinstance(inner, (exp.Star, exp.Literal)) else value(inner)
            return al.Aggregate(how=al.How.COUNT, of=of, where=where)
        if isinstance(node, exp.WithinGroup):
            ordered = node.expression.expressions[0]
            if (
                not isinstance(node.this, exp.PercentileCont)
                or ordered.args.get("desc")
                or len(node.expression.expressions) != 1
            ):
                raise Objection("WITHIN GROUP is available for PERCENTILE_CONT, upwards.")
            return self._quantile(self._literal(node.this.this), value(ordered.this), where)
        if isinstance(node, exp.PercentileCont):
            return self._quantile(self._literal(node.expression), value(node.this), where)
        if isinstance(node, (exp.ArgMax, exp.ArgMin)):
            if node.args.get("count"):
                raise Objection("ARG_MAX and ARG_MIN give one value.")
            how = al.How.AT_MOST if isinstance(node, exp.ArgMax) else al.How.AT_LEAST
            return al.Aggregate(how=how, of=value(node.this), beside=value(node.expression), where=where)
        if isinstance(node, exp.Corr):
            return al.Aggregate(
                how=al.How.CORRELATION, of=value(node.this), beside=value(node.expression), where=where
            )
        if type(node) in _AGGREGATES:
            inner, how = node.this, _AGGREGATES[type(node)]
            if isinstance(inner, exp.Distinct):
                raise Objection(f"{called(node)}(DISTINCT …) is not available; group in a sub-query first.")
            if any(v for k, v in node.args.items() if k not in ("this", "big_int")):
                raise Objection(f"{called(node)} is available in its plain form only.")
            made = value(inner)
            self._once(made, how, source)
            return al.Aggregate(how=how, of=made, where=where)
        raise Objection(
            f"{called(node)} is not available; COUNT, SUM, AVG, MEDIAN, MIN, MAX, STDDEV, QUANTILE_CONT and CORR are."
        )

    def _quantile(self, share: al.Literally | None, value: Any, where: Any) -> al.Aggregate:
        if share is None or not isinstance(share.value, (int, float)) or not 0 <= share.value <= 1:
            raise Objection("A quantile needs its share as a number between 0 and 1.")
        return al.Aggregate(how=al.How.QUANTILE, of=value, where=where, quantile=float(share.value))

    def _once(self, value: Any, how: al.How, source: Source) -> None:
        """Refuse sums over a table whose rows a join repeats."""
        if how not in (al.How.SUM, al.How.MEAN, al.How.MEDIAN, al.How.DEVIATION, al.How.VARIANCE):
            return
        tables = {n.table for n in value.walk() if isinstance(n, al.Column) and n.table}
        if tables and source.base not in tables:
            away = sorted(tables)[0]
            raise Objection(
                f"Each row of {away} comes once for every row of {source.base}, so its {how.value} would count some "
                f"more than once; aggregate over {away} alone, with conditions on {source.base} in WHERE … IN (SELECT …)."
            )

    def _total(
        self, node: exp.Window, source: Source, outer: Mapping[str, Source], rows: al.Rows
    ) -> al.Whole:
        """The total over all groups, which shares are taken of."""
        if not is_total(node):
            raise Objection("Of windows over groups only SUM(…) OVER () can be computed with here.")
        inner = node.this.this
        measure = self._measure(inner, source, outer, rows)
        if isinstance(measure, al.Aggregate) and measure.how not in (al.How.SUM, al.How.COUNT):
            raise Objection("Only sums and counts can be totalled over all groups.")
        return al.Whole(query=al.Query(rows=rows, measures=(al.Shown(measure=measure),)))


_COMPUTED = (
    exp.Paren,
    exp.Alias,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.Mod,
    exp.Round,
    exp.Coalesce,
    exp.Abs,
)


def is_plain(node: Expression) -> bool:
    """Whether a term over groups is a figure, or arithmetic of figures, and needs no second step."""
    if is_aggregate(node) or isinstance(
        node, (exp.Literal, exp.Placeholder, exp.Parameter, exp.Subquery, exp.Boolean)
    ):
        return True
    if isinstance(node, exp.Window):
        return is_total(node)
    if isinstance(node, exp.Nullif):
        divides = isinstance(node.parent, exp.Div) and node.arg_key == "expression"
        return divides and node.expression.sql() == "0" and is_plain(node.this)
    if isinstance(node, (exp.Cast, exp.TryCast)):
        whole = "INT" in node.to.sql("duckdb").upper() and not isinstance(node.this, exp.Count)
        return not whole and is_plain(node.this)
    return isinstance(node, _COMPUTED) and all(is_plain(c) for c in node.iter_expressions())


def is_measured(node: al.Node) -> bool:
    """Whether a node is a number of many rows."""
    return isinstance(node, (al.Aggregate, al.Arithmetic, al.Over, al.Whole))


def nice(name: str) -> str | None:
    """A name that somebody gave; none for those that were made up."""
    return None if not name or name.startswith("_col_") else name
