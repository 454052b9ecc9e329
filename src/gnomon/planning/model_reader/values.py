"""Values of a SELECT as nodes of the algebra: columns, constants and what is computed of one row; the rest is an objection."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sqlglot import exp
from sqlglot.expressions.core import Expression

from gnomon.core import algebra as al
from gnomon.planning.model_reader.held import Kind, kind_of
from gnomon.planning.model_reader.moments import Compared, Days, Objection, frame_of, grain_of
from gnomon.semantic.computing import identified_by
from gnomon.semantic.model import SemanticModel

ARITHMETIC: dict[type[Expression], al.Function] = {
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
    exp.Week: al.Function.WEEK,
    exp.WeekOfYear: al.Function.WEEK,
    exp.DayOfYear: al.Function.DAY_OF_YEAR,
    exp.Hour: al.Function.HOUR,
    exp.Date: al.Function.DATE,
    exp.TsOrDsToDate: al.Function.DATE,
    exp.Minute: al.Function.MINUTE,
    exp.Exp: al.Function.EXPONENT,
    exp.Sign: al.Function.SIGN,
    exp.Dayname: al.Function.DAY_NAME,
    exp.Monthname: al.Function.MONTH_NAME,
}
_PART_NAMES: dict[type[Expression], str] = {
    exp.Year: "YEAR",
    exp.Quarter: "QUARTER",
    exp.Month: "MONTH",
    exp.Day: "DAY",
    exp.DayOfMonth: "DAY",
}
_WHOLE = frozenset(
    {al.Function.YEAR, al.Function.QUARTER, al.Function.MONTH, al.Function.DAY, al.Function.DAYS_BETWEEN}
)
_KEPT_WHOLE = frozenset({al.Function.ADD, al.Function.SUBTRACT, al.Function.MULTIPLY, al.Function.NEGATE})
_GLANCES: dict[type[Expression], al.Glance] = {
    exp.RowNumber: al.Glance.PLACE,
    exp.Rank: al.Glance.RANK,
    exp.DenseRank: al.Glance.DENSE_RANK,
    exp.Ntile: al.Glance.PORTION,
    exp.Lag: al.Glance.BEFORE,
    exp.Lead: al.Glance.AFTER,
    exp.Sum: al.Glance.SUM,
    exp.Avg: al.Glance.MEAN,
    exp.Min: al.Glance.LEAST,
    exp.Max: al.Glance.MOST,
    exp.Count: al.Glance.COUNT,
}
_PLACED = frozenset({al.Glance.PLACE, al.Glance.RANK, al.Glance.DENSE_RANK, al.Glance.PORTION})


@dataclass
class Source:
    """Where the columns of one SELECT come from: a table with what joins lead to, or a query."""

    base: str
    tables: dict[str, tuple[str, str | None]] = field(default_factory=dict[str, tuple[str, str | None]])
    query: al.Query | None = None
    alias: str = ""
    conditions: list[Any] = field(default_factory=list[Any])
    beside: list[al.Beside] = field(default_factory=list[al.Beside])
    besides: set[str] = field(default_factory=set[str])

    def rows(self, where: Any) -> al.Rows:
        """The rows that meet a condition."""
        return al.Rows(table=self.base, query=self.query, where=where, beside=tuple(self.beside))


class Values(Days):
    """Reads the values of one SELECT.

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
    def _predicate(
        self, node: Expression, source: Source, outer: Mapping[str, Source], rows: al.Rows | None = None
    ) -> Any:
        """A condition."""

    @abstractmethod
    def _measure(self, node: Expression, source: Source, outer: Mapping[str, Source], rows: al.Rows) -> Any:
        """A number of many rows."""

    @abstractmethod
    def _other(self, tree: Expression, source: Source) -> Any:
        """A number of other rows."""

    @abstractmethod
    def source(self, tree: exp.Select) -> Source:
        """Where the columns of a SELECT come from."""

    def _column(self, node: exp.Column, source: Source, outer: Mapping[str, Source]) -> al.Column:
        if node.table in source.besides:
            return al.Column(table="", column=node.name, via=node.table)
        if source.query is not None:
            if node.table and node.table != source.alias:
                raise Objection(f"{node.sql()} is not a column of the inner query.")
            return al.Column(table="", column=column_name(node.name))
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
        if (day := self._moment(node)) is not None:
            return al.Literally(value=day)
        if isinstance(node, exp.Window):
            return self._windowed(node, source, outer)
        if isinstance(node, exp.Subquery):
            return self._other(node.this, source)
        if (moved := self._moved(node, of)) is not None:
            return moved
        if isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)):
            return al.Call(
                function=al.Function.START_OF, arguments=(of(node.this), al.Literally(value=grain_of(node)))
            )
        if isinstance(node, exp.TimeToStr):
            return self._written(node, of)
        if type(node) in ARITHMETIC:
            return self._computed(ARITHMETIC[type(node)], node, source, of)
        if isinstance(node, exp.IntDiv):
            return self._whole_part(node, source, of)
        if isinstance(node, exp.Neg):
            return al.Call(function=al.Function.NEGATE, arguments=(of(node.this),))
        if isinstance(node, exp.Anonymous) and str(node.this).lower() in ("date_part", "datepart"):
            return self._extracted(node.expressions[0].name.upper(), of(node.expressions[1]))
        if isinstance(node, exp.Log):
            return self._logarithm(node, of)
        if isinstance(node, exp.Replace):
            given = (node.this, node.expression, node.args["replacement"])
            return al.Call(function=al.Function.REPLACED, arguments=tuple(of(g) for g in given))
        if isinstance(node, exp.Left):
            first = al.Literally(value=1)
            return al.Call(function=al.Function.PART, arguments=(of(node.this), first, of(node.expression)))
        if isinstance(node, (exp.Year, exp.Quarter, exp.Month, exp.Day, exp.DayOfMonth)):
            only_this(node)
            return self._extracted(_PART_NAMES[type(node)], of(node.this))
        if type(node) in _OF_ROWS:
            only_this(node)
            return al.Call(function=_OF_ROWS[type(node)], arguments=(of(node.this),))
        if isinstance(node, exp.Extract) and node.this.name.upper() == "EPOCH":
            return self._seconds_of(node.expression, of)
        if isinstance(node, exp.Extract):
            return self._extracted(node.this.name.upper(), of(node.expression))
        if isinstance(node, (exp.DayOfWeek, exp.DayOfWeekIso)):
            return self._extracted("DOW" if isinstance(node, exp.DayOfWeek) else "ISODOW", of(node.this))
        if isinstance(node, exp.DateDiff):
            return self._between(node, of)
        if isinstance(node, exp.Anonymous) and str(node.this).lower() in ("date_sub", "datesub"):
            return self._whole_between(node, source, of)
        if isinstance(node, exp.TimeToUnix):
            return self._seconds_of(node.this, of)
        if isinstance(node, exp.Round):
            only_this(node, "decimals")
            given = [of(node.this)] + ([of(node.args["decimals"])] if node.args.get("decimals") else [])
            return al.Call(function=al.Function.ROUND, arguments=tuple(given))
        if isinstance(node, exp.Pow):
            return al.Call(function=al.Function.POWER, arguments=(of(node.this), of(node.expression)))
        if isinstance(node, (exp.Coalesce, exp.Least, exp.Greatest)):
            least = al.Function.LEAST if isinstance(node, exp.Least) else al.Function.GREATEST
            function = al.Function.FILL if isinstance(node, exp.Coalesce) else least
            return al.Call(function=function, arguments=tuple(of(a) for a in [node.this, *node.expressions]))
        if type(node) in (exp.Concat, exp.DPipe):
            if isinstance(node, exp.DPipe):
                sides = [of(node.this), of(node.expression)]
            else:
                sides = [_or_empty(of(e)) for e in node.expressions]
            return al.Call(function=al.Function.JOINED, arguments=tuple(sides))
        if isinstance(node, exp.Substring):
            start = self._literal(node.args.get("start"))
            if start is None or not isinstance(start.value, int) or start.value < 1:
                raise Objection("SUBSTRING has to start at a number from 1 on.")
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
        raise Objection(f"{called(node)} is not available for values of a row.")

    def _computed(
        self, function: al.Function, node: Expression, source: Source, of: Callable[[Expression], Any]
    ) -> Any:
        left, right = node.this, node.expression
        if function is al.Function.DIVIDE and isinstance(right, exp.Nullif) and right.expression.sql() == "0":
            right = right.this  # a division by nothing gives nothing here anyway
        one, other = of(left), of(right)
        return self._apart(function, one, other, source) or al.Call(function=function, arguments=(one, other))

    def _whole_part(self, node: exp.IntDiv, source: Source, of: Callable[[Expression], Any]) -> Any:
        """How often a whole number goes into another."""
        one, other = of(node.this), of(node.expression)
        whole = isinstance(other, al.Literally) and isinstance(other.value, int) and other.value > 0
        if not whole or not self._is_whole(one):
            raise Objection("// is available for whole numbers by a whole number; use FLOOR(a / b).")
        rest = al.Call(function=al.Function.MODULO, arguments=(one, other))
        even = al.Call(function=al.Function.SUBTRACT, arguments=(one, rest))
        return al.Call(function=al.Function.DIVIDE, arguments=(even, other))

    def _is_whole(self, value: Any) -> bool:
        if isinstance(value, al.Column):
            return "INT" in self._kinds.get(value.table, {}).get(value.column, "").upper()
        if isinstance(value, al.Call) and value.function in _KEPT_WHOLE:
            return all(map(self._is_whole, value.arguments))
        if isinstance(value, al.Literally):
            return isinstance(value.value, int)
        return isinstance(value, al.Call) and value.function in _WHOLE

    def _logarithm(self, node: exp.Log, of: Callable[[Expression], Any]) -> Any:
        if node.expression is None:
            return al.Call(function=al.Function.DECIMAL_LOGARITHM, arguments=(of(node.this),))
        if not isinstance(node.this, exp.Literal):
            raise Objection("LOG needs a number as its base.")
        inner, base = of(node.expression), float(str(node.this.this))
        if base == 10:
            return al.Call(function=al.Function.DECIMAL_LOGARITHM, arguments=(inner,))
        logs = [
            al.Call(function=al.Function.LOGARITHM, arguments=(v,)) for v in (inner, al.Literally(value=base))
        ]
        return al.Call(function=al.Function.DIVIDE, arguments=tuple(logs))

    def _windowed(self, node: exp.Window, source: Source, outer: Mapping[str, Source]) -> Any:
        """What the rows around a row tell of it."""
        inner = node.this
        if type(inner) not in _GLANCES or node.args.get("alias"):
            raise Objection(
                "Of window functions ROW_NUMBER, RANK, DENSE_RANK, NTILE, LAG, LEAD, SUM, AVG, MIN, MAX and COUNT are "
                "available, each with its own OVER (…)."
            )
        if inner.args.get("default") is not None:
            raise Objection("LAG and LEAD take no default; use COALESCE.")
        within = tuple(self._expression(e, source, outer) for e in node.args.get("partition_by") or [])
        order = tuple(
            al.Order(by=self._expression(o.this, source, outer), descending=bool(o.args.get("desc")))
            for o in (node.args.get("order") or exp.Order(expressions=[])).expressions
        )
        glance, span, of = _GLANCES[type(inner)], 1, None
        given = (
            inner.args.get("offset")
            if isinstance(inner, (exp.Lag, exp.Lead))
            else inner.this
            if isinstance(inner, exp.Ntile)
            else None
        )
        if given is not None:
            number = self._literal(given)
            if number is None or not isinstance(number.value, int) or number.value < 1:
                raise Objection(f"{called(inner)} takes a whole number from 1 on.")
            span = number.value
        if glance not in _PLACED and not isinstance(inner.this, exp.Star):
            if isinstance(inner.this, exp.Distinct):
                raise Objection("DISTINCT is not available in windows.")
            of = self._expression(inner.this, source, outer)
        if glance in (al.Glance.BEFORE, al.Glance.AFTER) and source.query is not None:
            known = identified_by(source.query) or frozenset()
            named = [*within, *(o.by for o in order)]
            tied = known - {n.column for e in named for n in e.walk() if isinstance(n, al.Column)}
            if tied:
                raise Objection(
                    f"{called(inner)} has no one row before: put {', '.join(sorted(tied))} into PARTITION BY."
                )
        whole, back = frame_of(node.args.get("spec"))
        return al.Windowed(
            glance=glance,
            of=of,
            within=within,
            order=() if whole and glance not in _PLACED else order,
            span=span,
            back=back,
        )

    def _cast(self, node: exp.Cast, source: Source, outer: Mapping[str, Source]) -> Any:
        kind = node.to.sql("duckdb").upper()
        if isinstance(node.this, exp.Literal) and node.this.is_string and ("DATE" in kind or "TIME" in kind):
            return self._expression(node.this, source, outer)
        if is_truth(node.this):
            yes = (al.Literally(value=1),)
            return al.Case(
                tests=(self._predicate(node.this, source, outer),),
                values=yes,
                otherwise=al.Literally(value=0),
            )
        value = self._expression(node.this, source, outer)
        if kind == "TIMESTAMP" and kind_of(value, source.rows(None), self._kinds) is Kind.MOMENT:
            return value
        if "DATE" in kind or (
            kind == "TIMESTAMP" and isinstance(value, al.Call) and value.function is al.Function.START_OF
        ):
            return al.Call(function=al.Function.DATE, arguments=(value,))
        if "CHAR" in kind or "TEXT" in kind:
            return al.Call(function=al.Function.TEXT, arguments=(value,))
        if any(k in kind for k in ("INT", "DOUBLE", "FLOAT", "REAL", "DECIMAL", "NUMERIC")):
            column = (
                self._kinds.get(value.table, {}).get(value.column, "")
                if isinstance(value, al.Column)
                else "DOUBLE"
            )
            if "CHAR" in column.upper() or "STRING" in column.upper():
                raise Objection(f"{called(node.this)} holds texts; they cannot be taken for numbers.")
            if "INT" in kind and "INT" not in column.upper() and "BOOL" not in column.upper():
                raise Objection("CAST to whole numbers is not available; use ROUND or FLOOR.")
            if "BOOL" in column.upper():
                return al.Case(
                    tests=(
                        al.Test(left=value, operator=al.Comparison.EQUAL, right=al.Literally(value=True)),
                        al.Missing(of=value, hold=False),
                    ),
                    values=(al.Literally(value=1), al.Literally(value=0)),
                )
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
        if isinstance(node, exp.Cast) and node.to.sql("duckdb").upper() in ("VARCHAR", "TEXT"):
            inner = self._literal(node.this)
            plain = (
                inner is not None
                and isinstance(inner.value, (int, str))
                and not isinstance(inner.value, bool)
            )
            return al.Literally(value=str(inner.value)) if inner is not None and plain else None
        if isinstance(node, exp.DPipe):
            sides = [self._literal(s) for s in (node.this, node.expression)]
            texts = [str(s.value) for s in sides if s is not None and isinstance(s.value, (str, int))]
            return al.Literally(value="".join(texts)) if len(texts) == len(sides) else None
        if not isinstance(node, exp.Literal):
            return None
        text = str(node.this)
        if node.is_string:
            return al.Literally(value=self._marks.get(text.upper().lstrip(":"), text))
        number = float(text)
        return al.Literally(value=int(number) if number.is_integer() and "." not in text else number)


def _or_empty(value: Any) -> Any:
    """A value as CONCAT takes it: nothing where it is missing."""
    if isinstance(value, al.Literally):
        return value
    text = al.Call(function=al.Function.TEXT, arguments=(value,))
    return al.Call(function=al.Function.FILL, arguments=(text, al.Literally(value="")))


def called(node: Expression) -> str:
    """What a term is called in an objection."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).upper()
    return node.sql_name() if isinstance(node, exp.Func) else node.key.upper()


def only_this(node: Expression, *more: str) -> None:
    """Object to whatever else a function is given than what is understood of it."""
    if any(v for k, v in node.args.items() if k not in ("this", *more)):
        raise Objection(f"{called(node)} is available in its plain form only.")


def is_truth(node: Expression) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    return isinstance(node, (exp.Predicate, exp.And, exp.Or, exp.Not)) and not isinstance(
        node, (exp.Column, exp.Subquery)
    )


def column_name(name: str) -> str:
    """What a column of an inner query is called that nobody named."""
    return f"column{name.removeprefix('_col')}" if name.startswith("_col_") else name
