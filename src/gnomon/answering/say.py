"""Nodes of the algebra in words: what a measure, a condition or a group is called."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.errors import NotFound
from gnomon.semantic.model import Dimension, SemanticModel, plural, singular

_HOW = {
    al.How.SUM: "total",
    al.How.MEAN: "average",
    al.How.MEDIAN: "median",
    al.How.LEAST: "smallest",
    al.How.MOST: "largest",
    al.How.DEVIATION: "standard deviation of",
    al.How.VARIANCE: "variance of",
    al.How.MODE: "most frequent",
    al.How.SKEWNESS: "skewness of",
    al.How.KURTOSIS: "kurtosis of",
    al.How.RANGE: "range of",
    al.How.MIDDLE_RANGE: "interquartile range of",
    al.How.VARIATION: "coefficient of variation of",
    al.How.STANDARD_ERROR: "standard error of average",
    al.How.GEOMETRIC_MEAN: "geometric mean of",
    al.How.COUNT: "number of rows with",
    al.How.DISTINCT: "number of different",
}
_ENDS_OF_TIME = {al.How.LEAST: "earliest", al.How.MOST: "latest"}
_OPERATORS = {
    al.Comparison.EQUAL: "is",
    al.Comparison.UNEQUAL: "is not",
    al.Comparison.LESS: "is below",
    al.Comparison.AT_MOST: "is at most",
    al.Comparison.MORE: "is above",
    al.Comparison.AT_LEAST: "is at least",
    al.Comparison.CONTAINS: "contains",
    al.Comparison.LISTS: "includes",
    al.Comparison.STARTS: "starts with",
    al.Comparison.ENDS: "ends with",
    al.Comparison.LIKE: "is like",
}
_SIGNS = {
    al.Function.ADD: "plus",
    al.Function.SUBTRACT: "minus",
    al.Function.MULTIPLY: "times",
    al.Function.DIVIDE: "per",
    al.Function.MODULO: "modulo",
}
_PARTS = {
    al.Function.YEAR: "year",
    al.Function.QUARTER: "quarter",
    al.Function.MONTH: "month of the year",
    al.Function.WEEK: "week of the year",
    al.Function.DAY: "day of the month",
    al.Function.WEEKDAY: "day of the week",
    al.Function.HOUR: "hour of the day",
    al.Function.DAY_OF_YEAR: "day of the year",
}


_PLACES = {
    al.Glance.PLACE: "place",
    al.Glance.RANK: "rank",
    al.Glance.DENSE_RANK: "rank",
    al.Glance.PORTION: "portion",
}
_GLANCES = {
    al.Glance.SUM: "total",
    al.Glance.MEAN: "average",
    al.Glance.MEDIAN: "median",
    al.Glance.LEAST: "smallest",
    al.Glance.MOST: "largest",
    al.Glance.COUNT: "number of rows",
}


class Words:
    """Says nodes over one model.

    Args:
        model: What columns and rows are called.
    """

    def __init__(self, model: SemanticModel) -> None:
        self._model = model

    def rows(self, rows: al.Rows) -> str:
        """What the rows are, in the plural."""
        if rows.also:
            return "results"
        if rows.query is not None:
            keys = [self.key(k) for k in rows.query.keys]
            return plural(keys[-1]) if keys else "results"
        try:
            return plural(self._model.table(rows.table).label)
        except NotFound:
            return rows.table

    def dimension(self, column: al.Column) -> Dimension | None:
        """What the model knows of a column."""
        if not column.table:
            return None
        try:
            return self._model.dimension(f"{column.table}.{column.column}")
        except NotFound:
            return None

    def expression(self, node: al.Node) -> str:
        """A value of one row."""
        if isinstance(node, al.Column):
            known = self.dimension(node)
            return known.label if known is not None else node.column.replace("_", " ")
        if isinstance(node, al.Literally):
            return literal(node.value)
        if isinstance(node, al.Case):
            return "group" if not all(isinstance(v, al.Literally) for v in node.values) else self._case(node)
        if isinstance(node, al.Call):
            return self._call(node)
        if isinstance(node, al.Windowed):
            return self._windowed(node)
        return self.measure(node)

    def _windowed(self, node: al.Windowed) -> str:
        said = self.expression(node.of) if node.of is not None else ""
        by = " and ".join(
            f"{self.expression(o.by)}{' from the top' if o.descending else ''}" for o in node.order
        )
        within = f" within {' and '.join(map(self.expression, node.within))}" if node.within else ""
        if node.glance in _PLACES:
            return f"{_PLACES[node.glance]} by {by}{within}"
        if node.glance in (al.Glance.BEFORE, al.Glance.AFTER):
            away = "" if node.span == 1 else f"{node.span} "
            return f"{said} {away}{'before' if node.glance is al.Glance.BEFORE else 'after'}{within}"
        what = f"{_GLANCES[node.glance]} {said}".strip()
        if not node.order:
            return f"{what}{within or ' of all'}"
        return (
            f"{what} of the last {node.back + 1}{within}"
            if node.back is not None
            else f"{what} so far{within}"
        )

    def _case(self, node: al.Case) -> str:
        if len(node.tests) == 1:
            return self.predicate(node.tests[0])
        tested = {self.expression(t.left) for t in node.tests if isinstance(t, al.Test)}
        return f"{tested.pop()} band" if len(tested) == 1 else "group"

    def _call(self, node: al.Call) -> str:
        given = [self.expression(a) for a in node.arguments]
        if node.function in _SIGNS:
            return f" {_SIGNS[node.function]} ".join(given)
        if node.function in _PARTS:
            return f"{_PARTS[node.function]} of {given[0]}"
        if node.function is al.Function.DAYS_BETWEEN:
            return f"days from {given[0]} to {given[1]}"
        if node.function is al.Function.SECONDS_BETWEEN:
            return f"seconds from {given[0]} to {given[1]}"
        if node.function is al.Function.START_OF:
            return f"{given[1]} of {given[0]}"
        if node.function in (al.Function.ADD_DAYS, al.Function.ADD_MONTHS):
            unit = "days" if node.function is al.Function.ADD_DAYS else "months"
            return f"{given[0]} plus {given[1]} {unit}"
        if node.function is al.Function.DAY_NAME:
            return f"weekday of {given[0]}"
        if node.function is al.Function.MONTH_NAME:
            return f"month of the year of {given[0]}"
        if node.function is al.Function.BUCKET:
            return f"{given[0]} in steps of {given[1]}"
        if node.function in (
            al.Function.NUMBER,
            al.Function.TEXT,
            al.Function.DATE,
            al.Function.ROUND,
            al.Function.FILL,
            al.Function.MOMENT,
        ):
            return given[0]
        return (
            f"{node.function.value} of {given[0]}"
            if len(given) == 1
            else f"{node.function.value} of {' and '.join(given)}"
        )

    def measure(self, node: al.Node, rows: al.Rows | None = None) -> str:
        """A number of many rows."""
        if isinstance(node, al.Aggregate):
            return self._aggregate(node, rows)
        if isinstance(node, al.Over):
            inner, per = self.measure(node.measure, rows), " and ".join(self.key(k) for k in node.per)
            return f"{_HOW[node.how]} {inner} per {per}"
        if isinstance(node, al.Whole):
            if not node.query.measures:
                return self.expression(node.query.show[0].of) if node.query.show else "figure"
            return f"{self.measure(node.query.measures[0].measure, node.query.rows)} overall"
        if isinstance(node, al.Arithmetic):
            return self._arithmetic(node, rows)
        return literal(node.value) if isinstance(node, al.Literally) else "figure"

    def _arithmetic(self, node: al.Arithmetic, rows: al.Rows | None) -> str:
        if self.is_share(node):
            part = self._unscaled(node)
            assert isinstance(part, al.Arithmetic)
            return f"share of {self._share(part, rows)}"
        said = [self.measure(m, rows) for m in node.of]
        if node.function in (al.Function.ABSOLUTE, al.Function.FILL, al.Function.ROUND):
            return said[0]
        return f" {_SIGNS.get(node.function, node.function.value)} ".join(said)

    def _share(self, node: al.Arithmetic, rows: al.Rows | None) -> str:
        over = self._unscaled(node.of[0])
        if isinstance(over, al.Aggregate) and over.where is not None:
            return f"{self.rows(rows) if rows else 'rows'} where {self.predicate(over.where)}"
        if isinstance(over, al.Aggregate) and isinstance(over.of, al.Case):
            return f"{self.rows(rows) if rows else 'rows'} where {self.predicate(over.of.tests[0])}"
        return self.measure(over, rows)

    def _unscaled(self, node: al.Node) -> al.Node:
        """A measure without factors that only turn parts of one into percent."""
        if isinstance(node, al.Arithmetic) and node.function is al.Function.MULTIPLY:
            rest = [
                m for m in node.of if not (isinstance(m, al.Literally) and m.value in (1, 1.0, 100, 100.0))
            ]
            if len(rest) == 1:
                return self._unscaled(rest[0])
        return node

    def is_share(self, node: al.Node) -> bool:
        """Whether a figure is a part of a whole: of all rows, or of the same figure over all groups."""
        node = self._unscaled(node)
        if (
            not isinstance(node, al.Arithmetic)
            or node.function is not al.Function.DIVIDE
            or len(node.of) != 2
        ):
            return False
        over, under = (self._unscaled(m) for m in node.of)
        if isinstance(under, al.Whole):
            return len(under.query.measures) == 1 and al.same(under.query.measures[0].measure, over)
        if not (isinstance(over, al.Aggregate) and isinstance(under, al.Aggregate)):
            return False
        counts = over.how in (al.How.COUNT, al.How.SUM) and under.how is al.How.COUNT and under.of is None
        flagged = isinstance(over.of, al.Case) or over.where is not None
        same = over.how is under.how and al.same(over.model_copy(update={"where": None}), under)
        return (counts and flagged) or (same and over.where is not None and under.where is None)

    def in_percent(self, node: al.Node) -> bool:
        """Whether a share was multiplied to percent already."""
        return any(isinstance(n, al.Literally) and n.value in (100, 100.0) for n in node.walk())

    def _aggregate(self, node: al.Aggregate, rows: al.Rows | None) -> str:
        which = f" where {self.predicate(node.where)}" if node.where is not None else ""
        if node.of is None:
            return f"number of {self.rows(rows) if rows is not None else 'rows'}{which}"
        value = self.expression(node.of)
        if node.how is al.How.CORRELATION and node.beside is not None:
            return f"correlation of {value} and {self.expression(node.beside)}{which}"
        if node.how in (al.How.AT_MOST, al.How.AT_LEAST) and node.beside is not None:
            end = "largest" if node.how is al.How.AT_MOST else "smallest"
            return f"{value} with the {end} {self.expression(node.beside)}{which}"
        if node.how is al.How.QUANTILE:
            return f"{100 * (node.quantile or 0.5):g}th percentile of {value}{which}"
        if node.how is al.How.MEAN and isinstance(node.of, al.Case):
            return f"share of {self.rows(rows) if rows else 'rows'} where {value}{which}"
        known = self.dimension(node.of) if isinstance(node.of, al.Column) else None
        said = _HOW[node.how]
        if known is not None and known.coverage is not None:
            said = _ENDS_OF_TIME.get(node.how, said)
        return f"{said} {plural(value) if node.how is al.How.DISTINCT else value}{which}"

    def unit(self, node: al.Node) -> str | None:
        """The unit of a figure, where the columns behind it have one."""
        if self.is_share(node):
            return "%" if self.in_percent(node) else "fraction"
        if isinstance(node, al.Over):
            return self.unit(node.measure) if node.how not in (al.How.COUNT, al.How.DISTINCT) else None
        if isinstance(node, al.Aggregate):
            if (
                node.how in (al.How.COUNT, al.How.DISTINCT, al.How.CORRELATION, al.How.VARIANCE)
                or node.of is None
            ):
                return None
            if node.how is al.How.MEAN and isinstance(node.of, al.Case):
                return "fraction"
            return self._unit_of(node.of)
        if isinstance(node, al.Arithmetic) and node.function in (al.Function.ADD, al.Function.SUBTRACT):
            units = {self.unit(m) for m in node.of}
            return units.pop() if len(units) == 1 else None
        return None

    def _unit_of(self, node: al.Node) -> str | None:
        if isinstance(node, al.Column):
            known = self.dimension(node)
            return known.unit if known is not None else None
        if isinstance(node, al.Call) and node.function is al.Function.DAYS_BETWEEN:
            return "days"
        if isinstance(node, al.Call) and node.function in (
            al.Function.ADD, al.Function.SUBTRACT, al.Function.ABSOLUTE, al.Function.ROUND, al.Function.FILL,
        ):  # fmt: skip
            units = {self._unit_of(a) for a in node.arguments if not isinstance(a, al.Literally)}
            return units.pop() if len(units) == 1 else None
        return None

    def key(self, key: al.Key) -> str:
        """What rows are grouped by."""
        return str(key.grain) if key.grain is not None else self.expression(key.of)

    def predicate(self, node: al.Node) -> str:
        """A condition, without the word that introduces it."""
        if isinstance(node, al.Every):
            return " and ".join(self._inner(p) for p in self._joined(node))
        if isinstance(node, al.Either):
            return " or ".join(self._inner(p) for p in node.of)
        if isinstance(node, al.Not):
            return f"not ({self.predicate(node.of)})"
        if isinstance(node, al.Missing):
            return f"{self.expression(node.of)} is {'missing' if node.hold else 'known'}"
        if isinstance(node, al.Among):
            return self._among(node)
        if isinstance(node, al.Has):
            return self._has(node)
        assert isinstance(node, al.Test)
        if isinstance(node.right, al.Literally) and isinstance(node.right.value, bool):
            said = self.expression(node.left)
            truth = node.right.value is (node.operator is al.Comparison.EQUAL)
            return said if truth else f"not {said}"
        left, said = self.expression(node.left), _OPERATORS[node.operator]
        if said.startswith("is") and singular(left) != left and isinstance(node.left, al.Column):
            said = f"are{said[2:]}"
        return f"{left} {said} {self.expression(node.right)}"

    def _joined(self, node: al.Every) -> list[al.Node]:
        """The conditions that say something: that a join finds its row goes without saying."""
        said = [p for p in node.of if not (isinstance(p, al.Missing) and not p.hold)]
        return list(said or node.of)

    def _inner(self, node: al.Node) -> str:
        said = self.predicate(node)
        return f"({said})" if isinstance(node, (al.Either, al.Every)) else said

    def _among(self, node: al.Among) -> str:
        left = self.expression(node.left)
        if node.query is not None:
            which = self.rows(node.query.rows)
            where = f" where {self.predicate(node.query.rows.where)}" if node.query.rows.where else ""
            having = f" with {self.predicate(node.query.having)}" if node.query.having else ""
            return f"{left} is {'' if node.hold else 'not '}among those of {which}{where}{having}"
        values = " or ".join(literal(v.value) for v in node.values)
        return f"{left} is {'' if node.hold else 'not '}{values}"

    def _has(self, node: al.Has) -> str:
        where = f" where {self.predicate(node.rows.where)}" if node.rows.where is not None else ""
        many = f"at least {node.at_least} " if node.at_least > 1 else ""
        return f"with {'' if node.hold else 'no '}{many}{self.rows(node.rows)}{where}"

    def query(self, query: al.Query) -> str:
        """A whole query as a reading: what, by what, of which rows, in which order."""
        what = [
            m.name.replace("_", " ") if m.name else self.measure(m.measure, query.rows)
            for m in query.measures
        ]
        what = [self.measure(m.measure, query.rows) for m in query.measures] or what
        what = (
            what
            or [
                k.name.replace("_", " ")
                if k.name and not isinstance(k.of, al.Column)
                else self.expression(k.of)
                for k in query.show
            ]
            or [self.key(k) for k in query.keys]
        )
        parts = [", ".join(what)]
        if query.keys and query.measures:
            parts.append(f"by {' and '.join(self.key(k) for k in query.keys)}")
        if query.rows.query is not None:
            parts.append(f"over {self.query(query.rows.query)}")
        parts += [f"and {self.query(q)}" for q in query.rows.also]
        parts += [f"with {self.query(b.query)} beside" for b in query.rows.beside]
        if query.rows.where is not None and not _goes_without_saying(query):
            parts.append(f"where {self.predicate(query.rows.where)}")
        if query.having is not None:
            parts.append(f"keeping groups with {self.predicate(query.having)}")
        said = " ".join(parts)
        if query.order:
            ends = [
                f"{self._order(o.by, query)} in {'descending' if o.descending else 'ascending'} order"
                for o in query.order
            ]
            said += f", by {', then '.join(ends)}"
        if query.limit is not None:
            many = f" {query.limit}" if query.limit > 1 else ""
            said += f", the first{many}" + (f" after {query.offset}" if query.offset else "")
        return said

    def _order(self, node: al.Node, query: al.Query) -> str:
        plain = isinstance(node, (al.Column, al.Call, al.Case))
        return self.expression(node) if plain else self.measure(node, query.rows)

    def ask(self, ask: al.Query | al.Along | al.Against) -> str:
        """A whole question as a reading."""
        if isinstance(ask, al.Along):
            return f"{_WALKS[ask.step]} {self.query(ask.query)}"
        if isinstance(ask, al.Against):
            return f"{self.query(ask.left)} against {self.query(ask.right)}"
        return self.query(ask)


def _goes_without_saying(query: al.Query) -> bool:
    """Whether the only condition is that what rows are ordered by is known."""
    where = query.rows.where
    return (
        isinstance(where, al.Missing) and not where.hold and any(al.same(o.by, where.of) for o in query.order)
    )


_WALKS = {
    al.Walk.CHANGE: "change from one to the next of",
    al.Walk.GROWTH: "growth from one to the next of",
    al.Walk.RUNNING: "running total of",
    al.Walk.MOVING: "moving average of",
    al.Walk.SHARE: "share of",
    al.Walk.RANK: "rank by",
}


def literal(value: Any) -> str:
    """A value as a sentence names it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, date):
        return value.isoformat()
    return f"{value:,}" if isinstance(value, (int, float)) and abs(value) >= 10_000 else str(value)
