"""Terms of a SELECT as nodes of the algebra: values, conditions and figures; whatever has no place is an objection."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sqlglot import exp
from sqlglot.expressions.core import Expression

from gnomon.core import algebra as al
from gnomon.core.query import TimeGranularity
from gnomon.semantic.model import SemanticModel


class Objection(Exception):
    """One reason; what it is about is left out and reading goes on."""


@dataclass(frozen=True)
class Compared:
    """A value that the query names, and the column that it is held against, where there is one."""

    value: al.Value
    column: al.Column | None


_COMPARED: dict[type[Expression], al.Comparison] = {
    exp.EQ: al.Comparison.EQUAL,
    exp.NEQ: al.Comparison.UNEQUAL,
    exp.LT: al.Comparison.LESS,
    exp.LTE: al.Comparison.AT_MOST,
    exp.GT: al.Comparison.MORE,
    exp.GTE: al.Comparison.AT_LEAST,
}
_ARITHMETIC: dict[type[Expression], al.Function] = {
    exp.Add: al.Function.ADD,
    exp.Sub: al.Function.SUBTRACT,
    exp.Mul: al.Function.MULTIPLY,
    exp.Div: al.Function.DIVIDE,
    exp.Mod: al.Function.MODULO,
}
_OF_ROWS: dict[type[Expression], al.Function] = {
    exp.Abs: al.Function.ABSOLUTE,
    exp.Floor: al.Function.FLOOR,
    exp.Ceil: al.Function.CEILING,
    exp.Ln: al.Function.LOGARITHM,
    exp.Sqrt: al.Function.ROOT,
    exp.Lower: al.Function.LOWER,
    exp.Upper: al.Function.UPPER,
    exp.Trim: al.Function.TRIM,
    exp.Length: al.Function.LENGTH,
    exp.Year: al.Function.YEAR,
    exp.Quarter: al.Function.QUARTER,
    exp.Month: al.Function.MONTH,
    exp.Week: al.Function.WEEK,
    exp.WeekOfYear: al.Function.WEEK,
    exp.Day: al.Function.DAY,
    exp.DayOfMonth: al.Function.DAY,
    exp.DayOfYear: al.Function.DAY_OF_YEAR,
    exp.Hour: al.Function.HOUR,
    exp.Date: al.Function.DATE,
    exp.TsOrDsToDate: al.Function.DATE,
}
_EXTRACTED = {
    "YEAR": al.Function.YEAR, "QUARTER": al.Function.QUARTER, "MONTH": al.Function.MONTH, "WEEK": al.Function.WEEK,
    "DAY": al.Function.DAY, "HOUR": al.Function.HOUR, "DOY": al.Function.DAY_OF_YEAR,
}  # fmt: skip
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
_PERIODS = {
    "%Y": TimeGranularity.YEAR, "%Y-%m": TimeGranularity.MONTH, "%Y-%m-%d": TimeGranularity.DAY,
}  # fmt: skip


@dataclass
class Source:
    """Where the columns of one SELECT come from: a table with what joins lead to, or a query."""

    base: str
    tables: dict[str, tuple[str, str | None]] = field(default_factory=dict[str, tuple[str, str | None]])
    query: al.Query | None = None
    alias: str = ""
    conditions: list[Any] = field(default_factory=list[Any])


class Terms(ABC):
    """Reads the terms of one SELECT.

    Args:
        model: The joins that may be followed.
        columns: The columns of each table that may be named, with their types.
        marks: What ``:VALUE1`` and its like stand for.
        today: What CURRENT_DATE stands for.
    """

    def __init__(
        self,
        model: SemanticModel,
        columns: Mapping[str, Mapping[str, str]],
        marks: Mapping[str, al.Value],
        today: date,
    ) -> None:
        self._model = model
        self._tables = {t.lower(): t for t in columns}
        self._columns = {t: {c.lower(): c for c in held} for t, held in columns.items()}
        self._kinds = columns
        self._marks = {k.upper(): v for k, v in marks.items()}
        self._today = today
        self._ctes: dict[str, Expression] = {}
        self.objections: list[str] = []
        self.values: list[Compared] = []

    @contextmanager
    def noted(self) -> Generator[None]:
        """Keep an objection and go on after the block."""
        try:
            yield
        except Objection as e:
            self.objections.append(str(e))

    @abstractmethod
    def query(self, tree: Expression, outer: Mapping[str, Source]) -> al.Query:
        """One SELECT inside another."""

    @abstractmethod
    def source(self, tree: exp.Select) -> Source:
        """Where the columns of a SELECT come from."""

    def _column(self, node: exp.Column, source: Source, outer: Mapping[str, Source]) -> al.Column:
        if source.query is not None:
            if node.table and node.table != source.alias:
                raise Objection(f"{node.sql()} is not a column of the inner query.")
            name = f"column{node.name.removeprefix('_col')}" if node.name.startswith("_col_") else node.name
            return al.Column(table="", column=name)
        if node.table not in source.tables:
            raise Objection(f"{node.sql()} is used where only its own query can use it.")
        table, via = source.tables[node.table]
        return al.Column(table=table, column=self._columns[table][node.name.lower()], via=via)

    # Values of one row ----------------------------------------------------------------------------------------------

    def _expression(self, node: Expression, source: Source, outer: Mapping[str, Source]) -> Any:
        def of(inner: Expression) -> Any:
            return self._expression(inner, source, outer)

        if isinstance(node, (exp.Paren, exp.Alias)):
            return of(node.this)
        if isinstance(node, exp.Column):
            return self._column(node, source, outer)
        if (value := self._literal(node)) is not None:
            self.values.append(Compared(value.value, None))
            return value
        if type(node) in _ARITHMETIC:
            return self._computed(_ARITHMETIC[type(node)], node, of)
        if isinstance(node, exp.Neg):
            return al.Call(function=al.Function.NEGATE, arguments=(of(node.this),))
        if type(node) in _OF_ROWS:
            return al.Call(function=_OF_ROWS[type(node)], arguments=(of(node.this),))
        if isinstance(node, exp.Extract):
            return self._extracted(node.this.name.upper(), of(node.expression))
        if isinstance(node, (exp.DayOfWeek, exp.DayOfWeekIso)):
            return self._extracted("DOW" if isinstance(node, exp.DayOfWeek) else "ISODOW", of(node.this))
        if isinstance(node, exp.DateDiff):
            return self._between(node, of)
        if isinstance(node, exp.Round):
            given = [of(node.this)] + ([of(node.args["decimals"])] if node.args.get("decimals") else [])
            return al.Call(function=al.Function.ROUND, arguments=tuple(given))
        if isinstance(node, exp.Pow):
            return al.Call(function=al.Function.POWER, arguments=(of(node.this), of(node.expression)))
        if isinstance(node, (exp.Coalesce, exp.Least, exp.Greatest)):
            least = al.Function.LEAST if isinstance(node, exp.Least) else al.Function.GREATEST
            function = al.Function.FILL if isinstance(node, exp.Coalesce) else least
            return al.Call(function=function, arguments=tuple(of(a) for a in [node.this, *node.expressions]))
        if isinstance(node, (exp.Concat, exp.DPipe)):
            sides = node.expressions if isinstance(node, exp.Concat) else [node.this, node.expression]
            return al.Call(function=al.Function.JOINED, arguments=tuple(map(of, sides)))
        if isinstance(node, exp.Substring):
            given = [
                of(a) for a in (node.this, node.args.get("start"), node.args.get("length")) if a is not None
            ]
            return al.Call(function=al.Function.PART, arguments=tuple(given))
        if isinstance(node, (exp.Cast, exp.TryCast)):
            return self._cast(node, source, outer)
        if isinstance(node, (exp.Case, exp.If)):
            return self._case(node, source, outer)
        if isinstance(node, exp.Nullif):
            test = al.Test(left=of(node.this), operator=al.Comparison.UNEQUAL, right=of(node.expression))
            return al.Case(tests=(test,), values=(of(node.this),))
        raise Objection(f"{_called(node)} is not available for values of a row.")

    def _computed(self, function: al.Function, node: Expression, of: Callable[[Expression], Any]) -> Any:
        left, right = node.this, node.expression
        if function is al.Function.DIVIDE and isinstance(right, exp.Nullif) and right.expression.sql() == "0":
            right = right.this  # a division by nothing gives nothing here anyway
        if function is al.Function.SUBTRACT and self._is_day(left) and self._is_day(right):
            return al.Call(function=al.Function.DAYS_BETWEEN, arguments=(of(right), of(left)))
        return al.Call(function=function, arguments=(of(left), of(right)))

    def _is_day(self, node: Expression) -> bool:
        """Whether a column holds days or moments, as its type says."""
        if isinstance(node, (exp.Cast, exp.TryCast)):
            return "DATE" in node.to.sql("duckdb").upper() or "TIMESTAMP" in node.to.sql("duckdb").upper()
        if not isinstance(node, exp.Column):
            return isinstance(node, exp.CurrentDate)
        kinds = {
            k for held in self._kinds.values() for c, k in held.items() if c.lower() == node.name.lower()
        }
        return bool(kinds) and all("DATE" in k.upper() or "TIMESTAMP" in k.upper() for k in kinds)

    def _extracted(self, what: str, value: Any) -> Any:
        if what in ("DOW", "DAYOFWEEK", "ISODOW"):
            monday = al.Call(function=al.Function.WEEKDAY, arguments=(value,))
            if what == "ISODOW":
                return al.Call(function=al.Function.ADD, arguments=(monday, al.Literally(value=1)))
            added = al.Call(function=al.Function.ADD, arguments=(monday, al.Literally(value=1)))
            return al.Call(function=al.Function.MODULO, arguments=(added, al.Literally(value=7)))
        if what not in _EXTRACTED:
            raise Objection(f"EXTRACT({what}) is not available.")
        return al.Call(function=_EXTRACTED[what], arguments=(value,))

    def _between(self, node: exp.DateDiff, of: Callable[[Expression], Any]) -> Any:
        unit = (node.args.get("unit") or exp.var("DAY")).name.upper()
        later, earlier = of(node.this), of(node.expression)
        if unit in ("DAY", "DAYS"):
            return al.Call(function=al.Function.DAYS_BETWEEN, arguments=(earlier, later))
        seconds = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600}.get(unit.removesuffix("S"))
        if seconds is None:
            raise Objection("DATE_DIFF is available in days, hours, minutes and seconds.")
        between = al.Call(function=al.Function.SECONDS_BETWEEN, arguments=(earlier, later))
        return al.Call(function=al.Function.DIVIDE, arguments=(between, al.Literally(value=seconds)))

    def _cast(self, node: exp.Cast, source: Source, outer: Mapping[str, Source]) -> Any:
        kind = node.to.sql("duckdb").upper()
        if isinstance(node.this, exp.Literal) and node.this.is_string and ("DATE" in kind or "TIME" in kind):
            return self._expression(node.this, source, outer)
        if _is_truth(node.this):
            yes = (al.Literally(value=1),)
            return al.Case(
                tests=(self._predicate(node.this, source, outer),),
                values=yes,
                otherwise=al.Literally(value=0),
            )
        value = self._expression(node.this, source, outer)
        if "DATE" in kind:
            return al.Call(function=al.Function.DATE, arguments=(value,))
        if "CHAR" in kind or "TEXT" in kind:
            return al.Call(function=al.Function.TEXT, arguments=(value,))
        if any(k in kind for k in ("INT", "DOUBLE", "FLOAT", "REAL", "DECIMAL", "NUMERIC")):
            column = (
                self._kinds.get(value.table, {}).get(value.column, "")
                if isinstance(value, al.Column)
                else "DOUBLE"
            )
            if "CHAR" in column.upper():
                raise Objection(f"{value.column} holds texts; they cannot be taken for numbers.")
            return value
        raise Objection(f"CAST to {kind} is not available.")

    def _case(self, node: exp.Case | exp.If, source: Source, outer: Mapping[str, Source]) -> Any:
        if isinstance(node, exp.If):
            pairs, default = [(node.this, node.args["true"])], node.args.get("false")
        else:
            pairs, default = [(i.this, i.args["true"]) for i in node.args["ifs"]], node.args.get("default")
            if node.this is not None:
                pairs = [(exp.EQ(this=node.this.copy(), expression=test), value) for test, value in pairs]
        otherwise = None
        if default is not None and not isinstance(default, exp.Null):
            otherwise = self._expression(default, source, outer)
        return al.Case(
            tests=tuple(self._predicate(t, source, outer) for t, _ in pairs),
            values=tuple(self._expression(v, source, outer) for _, v in pairs),
            otherwise=otherwise,
        )

    def _literal(self, node: Expression | None) -> al.Literally | None:
        if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
            inner = self._literal(node.this)
            assert inner is not None
            assert isinstance(inner.value, (int, float))
            return al.Literally(value=-inner.value)
        if isinstance(node, (exp.Placeholder, exp.Parameter)):
            name = str(node.name or node.this).upper()
            if name not in self._marks:
                raise Objection(
                    f":{name} stands for nothing; the marks are {', '.join(self._marks) or 'none'}."
                )
            return al.Literally(value=self._marks[name])
        if isinstance(node, exp.Boolean):
            return al.Literally(value=bool(node.this))
        if isinstance(node, exp.CurrentDate):
            return al.Literally(value=self._today)
        if not isinstance(node, exp.Literal):
            return None
        text = str(node.this)
        if node.is_string:
            return al.Literally(value=self._marks.get(text.upper().lstrip(":"), text))
        number = float(text)
        return al.Literally(value=int(number) if number.is_integer() and "." not in text else number)

    # Truths of one row ----------------------------------------------------------------------------------------------

    def _predicate(
        self,
        node: Expression,
        source: Source,
        outer: Mapping[str, Source],
        rows: al.Rows | None = None,
    ) -> Any:
        """A condition on rows, or with ``rows`` on groups of them."""

        def truth(inner: Expression) -> Any:
            return self._predicate(inner, source, outer, rows)

        if isinstance(node, exp.Paren):
            return truth(node.this)
        if isinstance(node, exp.And):
            return al.Every(of=tuple(map(truth, conjuncts(node))))
        if isinstance(node, exp.Or):
            return al.Either(of=(truth(node.this), truth(node.expression)))
        if isinstance(node, exp.Not):
            return self._not(node.this, truth)
        if isinstance(node, exp.Exists):
            return self._exists(node.this, source, outer)
        if isinstance(node, exp.Is):
            return al.Missing(of=self._side(node.this, source, outer, rows))
        if isinstance(node, exp.In):
            return self._among(node, source, outer, rows)
        if isinstance(node, exp.Between):
            low, high = node.args["low"], node.args["high"]
            first = exp.GTE(this=node.this.copy(), expression=low.copy())
            return al.Every(of=(truth(first), truth(exp.LTE(this=node.this.copy(), expression=high.copy()))))
        if isinstance(node, (exp.Like, exp.ILike)):
            return self._like(node, source, outer)
        if type(node) in _COMPARED:
            return self._compared(node, source, outer, rows)
        if isinstance(node, exp.Column):
            column = self._column(node, source, outer)
            return al.Test(left=column, operator=al.Comparison.EQUAL, right=al.Literally(value=True))
        raise Objection(f"{_called(node)} is not available as a condition.")

    def _not(self, inner: Expression, truth: Callable[[Expression], Any]) -> Any:
        made = truth(inner)
        if isinstance(made, (al.Among, al.Missing, al.Has)):
            return made.model_copy(update={"hold": not made.hold})
        return al.Not(of=made)

    def _side(
        self, node: Expression, source: Source, outer: Mapping[str, Source], rows: al.Rows | None
    ) -> Any:
        if isinstance(node, exp.Paren):
            return self._side(node.this, source, outer, rows)
        if isinstance(node, exp.Subquery):
            return self._whole(node.this, source)
        if rows is not None and aggregates_in(node):
            return self._measure(node, source, outer, rows)
        return self._expression(node, source, outer)

    def _compared(
        self, node: Expression, source: Source, outer: Mapping[str, Source], rows: al.Rows | None
    ) -> Any:
        before = len(self.values)
        left, right = (self._side(s, source, outer, rows) for s in (node.this, node.expression))
        column = next((s for s in (left, right) if isinstance(s, al.Column)), None)
        self.values[before:] = [Compared(v.value, column) for v in self.values[before:]]
        return self._fitting(left, _COMPARED[type(node)], right)

    def _fitting(self, left: Any, operator: al.Comparison, right: Any) -> Any:
        """A test whose texts are days where the other side holds days."""
        sides = [left, right]
        for i in (0, 1):
            mine, other = sides[i], sides[1 - i]
            if isinstance(mine, al.Literally) and isinstance(mine.value, str) and self._holds_days(other):
                try:
                    moment = datetime.fromisoformat(mine.value)
                except ValueError:
                    raise Objection(f"{mine.value!r} is no day; write it as YYYY-MM-DD.") from None
                plain = len(mine.value) <= len("2024-01-31")
                sides[i] = al.Literally(value=moment.date() if plain else moment)
        return al.Test(left=sides[0], operator=operator, right=sides[1])

    def _holds_days(self, node: Any) -> bool:
        if isinstance(node, al.Call):
            return node.function is al.Function.DATE
        if not isinstance(node, al.Column) or not node.table:
            return False
        kind = self._kinds[node.table][node.column].upper()
        return "DATE" in kind or "TIMESTAMP" in kind

    def _among(self, node: exp.In, source: Source, outer: Mapping[str, Source], rows: al.Rows | None) -> Any:
        left = self._side(node.this, source, outer, rows)
        inner = node.args.get("query")
        if inner is not None:
            return al.Among(left=left, query=self.query(inner.unnest(), {}))
        values = [self._literal(e) for e in node.expressions]
        if not values or any(v is None for v in values):
            raise Objection("IN takes values or a SELECT.")
        column = left if isinstance(left, al.Column) else None
        found = [v for v in values if v is not None]
        self.values += [Compared(v.value, column) for v in found]
        fitted = [self._fitting(left, al.Comparison.EQUAL, v).right for v in found]
        return al.Among(left=left, values=tuple(fitted))

    def _like(self, node: exp.Like | exp.ILike, source: Source, outer: Mapping[str, Source]) -> Any:
        left = self._expression(node.this, source, outer)
        pattern = self._literal(node.expression)
        if pattern is None or not isinstance(pattern.value, str):
            raise Objection("LIKE takes a text.")
        text = pattern.value
        inside = text.strip("%")
        self.values.append(Compared(inside, left if isinstance(left, al.Column) else None))
        if "%" in inside or "_" in inside:
            return al.Test(left=left, operator=al.Comparison.LIKE, right=pattern)
        ends = (text.startswith("%"), text.endswith("%"))
        operator = {
            (True, True): al.Comparison.CONTAINS,
            (False, True): al.Comparison.STARTS,
            (True, False): al.Comparison.ENDS,
        }.get(ends, al.Comparison.LIKE)
        return al.Test(left=left, operator=operator, right=al.Literally(value=inside))

    def _exists(self, tree: Expression, source: Source, outer: Mapping[str, Source]) -> Any:
        """Rows elsewhere that share one key with each row."""
        if not isinstance(tree, exp.Select):
            raise Objection("EXISTS takes a SELECT.")
        inner = tree.copy()
        inside = self.source(inner)
        links, rest = self._links(inner, inside, source)
        if len(links) != 1:
            raise Objection("EXISTS has to share exactly one equality with the rows around it.")
        where = [*inside.conditions, *(self._predicate(p, inside, outer) for p in rest)]
        key, of = links[0]
        return al.Has(rows=al.Rows(table=inside.base, query=inside.query, where=every(where)), key=key, of=of)

    def _links(
        self, tree: exp.Select, inside: Source, around: Source
    ) -> tuple[list[tuple[al.Column, al.Column]], list[Expression]]:
        """The equalities that tie an inner query to the rows around it, and its other conditions."""
        links: list[tuple[al.Column, al.Column]] = []
        rest: list[Expression] = []
        given = tree.args.get("where")
        for part in conjuncts(given.this) if given is not None else []:
            sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
            if sides and all(isinstance(s, exp.Column) for s in sides):
                owners = [_owner(s, inside, around) for s in sides]
                if set(owners) == {"inside", "around"}:
                    mine, theirs = sides if owners[0] == "inside" else sides[::-1]
                    links.append((self._column(mine, inside, {}), self._column(theirs, around, {})))
                    continue
            rest.append(part)
        return links, rest

    # Numbers of many rows -------------------------------------------------------------------------------------------

    def _key(self, node: Expression, source: Source, outer: Mapping[str, Source], name: str | None) -> al.Key:
        inner, grain = node, None
        while isinstance(inner, (exp.Paren, exp.Alias)):
            inner = inner.this
        if isinstance(inner, (exp.Cast, exp.TryCast)) and "DATE" in inner.to.sql().upper():
            deeper = inner.this
            inner = deeper if isinstance(deeper, (exp.TimestampTrunc, exp.DateTrunc)) else inner
        if isinstance(inner, (exp.TimestampTrunc, exp.DateTrunc)):
            unit = (inner.args.get("unit") or exp.var("")).name.lower()
            if unit not in set(TimeGranularity):
                raise Objection(f"DATE_TRUNC to {unit} is not available.")
            return al.Key(
                of=self._expression(inner.this, source, outer), grain=TimeGranularity(unit), name=name
            )
        if isinstance(inner, exp.TimeToStr) and inner.args["format"].name in _PERIODS:
            grain = _PERIODS[inner.args["format"].name]
            return al.Key(of=self._expression(inner.this, source, outer), grain=grain, name=name)
        if _is_truth(inner):
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
            return self._whole(node.this, source)
        if isinstance(node, exp.Window):
            return self._windowed(node, source, outer, rows)
        if (value := self._literal(node)) is not None:
            return value
        if type(node) in _ARITHMETIC:
            function = _ARITHMETIC[type(node)]
            left, right = node.this, node.expression
            if function is al.Function.DIVIDE and isinstance(right, exp.Nullif):
                right = right.this
            return al.Arithmetic(function=function, of=(of(left), of(right)))
        if isinstance(node, (exp.Round, exp.Cast, exp.TryCast)):
            return of(node.this)  # how many digits are shown is no matter of the question
        if isinstance(node, exp.Coalesce):
            return al.Arithmetic(
                function=al.Function.FILL, of=tuple(of(a) for a in [node.this, *node.expressions])
            )
        if isinstance(node, exp.Abs):
            return al.Arithmetic(function=al.Function.ABSOLUTE, of=(of(node.this),))
        if isinstance(node, exp.Nullif):
            return of(node.this)
        return self._aggregate(node, source, outer)

    def _aggregate(
        self, node: Expression, source: Source, outer: Mapping[str, Source], where: Any = None
    ) -> al.Aggregate:
        def value(inner: Expression) -> Any:
            if _is_truth(inner):
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
        if isinstance(node, (exp.PercentileCont, exp.Quantile, exp.PercentileDisc, exp.ApproxQuantile)):
            share = self._literal(node.args.get("expression") or node.args.get("quantile"))
            if share is None or not isinstance(share.value, (int, float)) or not 0 <= share.value <= 1:
                raise Objection("A quantile needs its share as a number between 0 and 1.")
            return al.Aggregate(
                how=al.How.QUANTILE, of=value(node.this), where=where, quantile=float(share.value)
            )
        if isinstance(node, exp.Corr):
            return al.Aggregate(
                how=al.How.CORRELATION, of=value(node.this), beside=value(node.expression), where=where
            )
        if type(node) in _AGGREGATES:
            inner, how = node.this, _AGGREGATES[type(node)]
            if isinstance(inner, exp.Distinct):
                raise Objection(f"{_called(node)}(DISTINCT …) is not available; group in a sub-query first.")
            made = value(inner)
            self._once(made, how, source)
            return al.Aggregate(how=how, of=made, where=where)
        raise Objection(
            f"{_called(node)} is not available; COUNT, SUM, AVG, MEDIAN, MIN, MAX, STDDEV, QUANTILE_CONT and CORR are."
        )

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

    def _whole(self, tree: Expression, source: Source) -> al.Whole:
        """A number of other rows; equalities with the rows around it say of which group."""
        inner = tree.unnest().copy() if isinstance(tree, exp.Subquery) else tree.copy()
        if not isinstance(inner, exp.Select):
            raise Objection("A sub-query has to be a SELECT.")
        inside = self.source(inner)
        links, rest = self._links(inner, inside, source)
        if links:
            if any(a.column != b.column or a.table != b.table for a, b in links):
                raise Objection(
                    "A sub-query can be tied to its own group by the same column of the same table only."
                )
            given = inner.args["where"]
            if rest:
                given.set("this", exp.and_(*rest))
            else:
                inner.set("where", None)
        return al.Whole(query=self.query(inner, {}), within=tuple(b for _, b in links))

    def _windowed(
        self, node: exp.Window, source: Source, outer: Mapping[str, Source], rows: al.Rows
    ) -> al.Whole:
        """The total over all groups, which shares are taken of."""
        if node.args.get("partition_by") or node.args.get("order") or not _is_aggregate(node.this):
            raise Objection(
                "Of window functions only totals over everything (SUM(…) OVER ()) and LAG over periods are available."
            )
        inner = node.this.this
        measure = self._measure(inner if aggregates_in(inner) else node.this, source, outer, rows)
        if isinstance(measure, al.Aggregate) and measure.how not in (al.How.SUM, al.How.COUNT):
            raise Objection("Only sums and counts can be totalled over all groups.")
        return al.Whole(query=al.Query(rows=rows, measures=(al.Shown(measure=measure),)))


def _owner(column: Expression, inside: Source, around: Source) -> str:
    table = column.table if isinstance(column, exp.Column) else ""
    if table in inside.tables or (inside.query is not None and table == inside.alias):
        return "inside"
    return "around" if table in around.tables else "nowhere"


def conjuncts(node: Expression | None) -> list[Expression]:
    if node is None:
        return []
    if isinstance(node, exp.Paren):
        return conjuncts(node.this)
    return [*conjuncts(node.this), *conjuncts(node.expression)] if isinstance(node, exp.And) else [node]


def every(tests: Sequence[Any]) -> Any | None:
    found = [t for t in tests if t is not None]
    flat = [p for t in found for p in (t.of if isinstance(t, al.Every) else (t,))]
    return None if not flat else flat[0] if len(flat) == 1 else al.Every(of=tuple(flat))


def _is_aggregate(node: Expression) -> bool:
    return isinstance(node, exp.AggFunc) or (
        isinstance(node, exp.Filter) and isinstance(node.this, exp.AggFunc)
    )


def aggregates_in(node: Expression) -> bool:
    """Whether a value is one of many rows; those of sub-queries are theirs."""
    if isinstance(node, (exp.Subquery, exp.Select)):
        return isinstance(node, exp.Subquery)
    return _is_aggregate(node) or any(aggregates_in(c) for c in node.iter_expressions())


def _is_truth(node: Expression) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    return isinstance(node, (exp.Predicate, exp.And, exp.Or, exp.Not)) and not isinstance(node, exp.Column)


def _called(node: Expression) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.this).upper()
    return node.sql_name() if isinstance(node, exp.Func) else node.key.upper()


def is_measured(node: al.Node) -> bool:
    return isinstance(node, (al.Aggregate, al.Arithmetic, al.Over, al.Whole))


def nice(name: str) -> str | None:
    """A name that somebody gave; none for those that were made up."""
    return None if not name or name.startswith("_col_") else name
