"""Nodes of the algebra in words: what a measure, a condition or a group is called."""

from __future__ import annotations

from calendar import month_name
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.errors import NotFound
from gnomon.core.shapes import spans_of
from gnomon.language.time_names import in_range
from gnomon.semantic.lower import Part
from gnomon.semantic.model import Dimension, SemanticModel, plural, singular

_UNITLESS = (al.How.COUNT, al.How.DISTINCT, al.How.CORRELATION, al.How.VARIANCE)
_HOW = {
    al.How.SUM: "total", al.How.MEAN: "average", al.How.MEDIAN: "median", al.How.LEAST: "lowest",
    al.How.MOST: "highest", al.How.DEVIATION: "standard deviation of", al.How.VARIANCE: "variance of",
    al.How.MODE: "most frequent", al.How.SKEWNESS: "skewness of", al.How.KURTOSIS: "kurtosis of",
    al.How.RANGE: "range of", al.How.MIDDLE_RANGE: "interquartile range of",
    al.How.VARIATION: "coefficient of variation of", al.How.STANDARD_ERROR: "standard error of average",
    al.How.GEOMETRIC_MEAN: "geometric mean of", al.How.COUNT: "number of rows with", al.How.DISTINCT: "number of different",
}  # fmt: skip
_ENDS_OF_TIME = {al.How.LEAST: "earliest", al.How.MOST: "latest"}
_OPERATORS = {
    al.Comparison.EQUAL: "is", al.Comparison.UNEQUAL: "is not", al.Comparison.LESS: "is below",
    al.Comparison.AT_MOST: "is at most", al.Comparison.MORE: "is above", al.Comparison.AT_LEAST: "is at least",
    al.Comparison.CONTAINS: "contains", al.Comparison.LISTS: "includes", al.Comparison.STARTS: "starts with",
    al.Comparison.ENDS: "ends with", al.Comparison.LIKE: "is like",
}  # fmt: skip
_F = al.Function
_SIGNS = {_F.ADD: "plus", _F.SUBTRACT: "minus", _F.MULTIPLY: "times", _F.DIVIDE: "per", _F.MODULO: "modulo"}
_PARTS = {
    _F.YEAR: "year", _F.QUARTER: "quarter", _F.MONTH: "month of the year", _F.WEEK: "week of the year",
    _F.DAY: "day of the month", _F.WEEKDAY: "day of the week", _F.HOUR: "hour of the day",
    _F.DAY_OF_YEAR: "day of the year", _F.DAY_NAME: "weekday", _F.MONTH_NAME: "month of the year",
}  # fmt: skip
_OF_TWO = {
    _F.DAYS_BETWEEN: "days from {0} to {1}", _F.SECONDS_BETWEEN: "seconds from {0} to {1}", _F.START_OF: "{1} of {0}",
    _F.ADD_DAYS: "{0} plus {1} days", _F.ADD_MONTHS: "{0} plus {1} months", _F.ADD_SECONDS: "{0} plus {1} seconds",
    _F.MONTHS_BETWEEN: "months from {0} to {1}", _F.YEARS_BETWEEN: "years from {0} to {1}", _F.BUCKET: "{0} in steps of {1}",
}  # fmt: skip
_LASTING = {_F.DAYS_BETWEEN: "days", _F.MONTHS_BETWEEN: "months", _F.YEARS_BETWEEN: "years"}
_UNSAID = (_F.NUMBER, _F.TEXT, _F.DATE, _F.ROUND, _F.FILL, _F.MOMENT)
_SAME_UNIT = (_F.ADD, _F.SUBTRACT, _F.ABSOLUTE, _F.ROUND, _F.FILL)
_PLACES = {
    al.Glance.PLACE: "place", al.Glance.RANK: "rank", al.Glance.DENSE_RANK: "rank", al.Glance.PORTION: "portion",
}  # fmt: skip
_GLANCES = {
    al.Glance.SUM: "total", al.Glance.MEAN: "average", al.Glance.MEDIAN: "median", al.Glance.LEAST: "lowest",
    al.Glance.MOST: "highest", al.Glance.COUNT: "number of rows",
}  # fmt: skip
_WALKS = {
    al.Walk.CHANGE: "change from one to the next of", al.Walk.GROWTH: "growth from one to the next of",
    al.Walk.RUNNING: "running total of", al.Walk.MOVING: "moving average of", al.Walk.SHARE: "share of",
    al.Walk.RANK: "rank by",
}  # fmt: skip


class Words:
    """Says nodes over one model.

    Args:
        model: What columns and rows are called.
        rows: The rows that are spoken of.
    """

    def __init__(self, model: SemanticModel, rows: al.Rows | None = None) -> None:
        self.model = model
        self._rows = rows
        self._inner = rows.query if rows is not None else None

    def about(self, query: al.Query) -> Words:
        """The words of a query: what its rows are, and what columns of a result hold that it takes them from."""
        return Words(self.model, query.rows)

    def rows(self, rows: al.Rows) -> str:
        """What the rows are, in the plural."""
        if rows.also:
            return "results"
        if rows.query is not None:
            keys = [self.key(k) for k in rows.query.keys]
            return plural(keys[-1]) if keys else "results"
        try:
            return plural(self.model.table(rows.table).label)
        except NotFound:
            return rows.table

    def dimension(self, column: al.Column) -> Dimension | None:
        """What the model knows of a column."""
        if not column.table:
            return None
        try:
            return self.model.dimension(f"{column.table}.{column.column}")
        except NotFound:
            return None

    def expression(self, node: al.Node) -> str:
        """A value of one row."""
        if isinstance(node, al.Column):
            known = self.dimension(node)
            return known.label if known is not None else self._of_inner(node) or node.column.replace("_", " ")
        if isinstance(node, al.Literally):
            return literal(node.value)
        if isinstance(node, al.Case):
            return "group" if not all(isinstance(v, al.Literally) for v in node.values) else self._case(node)
        if isinstance(node, al.Call):
            return self._call(node)
        if isinstance(node, al.Windowed):
            return self._windowed(node)
        return self.measure(node)

    def _of_inner(self, node: al.Column) -> str | None:
        """A column of the query whose result the rows are, by what it holds."""
        if node.table or self._inner is None:
            return None
        inner = self.about(self._inner)
        if (measure := self._inner_measure(node)) is not None:
            per = " and ".join(inner.key(k) for k in self._inner.keys)
            return " per ".join(filter(None, [inner.measure(measure), per]))
        return inner.called(held) if (held := self.inner_key(node)) is not None else None

    def _inner_measure(self, node: al.Column) -> al.Node | None:
        given = self._inner.measures if self._inner is not None and not node.table else ()
        return next((shown.measure for shown in given if shown.name == node.column), None)

    def inner_key(self, node: al.Node) -> al.Key | None:
        """The group of the query whose result the rows are that a column of them holds."""
        if self._inner is None or not isinstance(node, al.Column) or node.table:
            return None
        return next((k for k in (*self._inner.keys, *self._inner.show) if k.name == node.column), None)

    def _windowed(self, node: al.Windowed) -> str:
        said = self.expression(node.of) if node.of is not None else ""
        tops = [" from the top" if o.descending else "" for o in node.order]
        by = " and ".join(f"{self.expression(o.by)}{t}" for o, t in zip(node.order, tops, strict=True))
        within = f" within {' and '.join(map(self.expression, node.within))}" if node.within else ""
        if node.glance in _PLACES:
            return f"{_PLACES[node.glance]} by {by}{within}"
        if node.glance in (al.Glance.BEFORE, al.Glance.AFTER):
            away = "" if node.span == 1 else f"{node.span} "
            return f"{said} {away}{'before' if node.glance is al.Glance.BEFORE else 'after'}{within}"
        glance = _GLANCES[node.glance]
        what = said if said.startswith(glance) else f"{glance} {said}".strip()
        reach = f" of the last {node.back + 1}" if node.back is not None else " so far"
        return f"{what}{reach}{within}" if node.order else f"{what}{within or ' of all'}"

    def _case(self, node: al.Case) -> str:
        if len(node.tests) == 1:
            return self.predicate(node.tests[0])
        tested = {self.expression(t.left) for t in node.tests if isinstance(t, al.Test)}
        return f"{tested.pop()} band" if len(tested) == 1 else "group"

    def part_of_time(self, node: al.Node) -> str | None:
        """The part of a time that a value is, however its numbers are counted: the year, the day of the week."""
        while isinstance(node, al.Call) and node.function in (_F.ADD, _F.SUBTRACT, _F.MODULO):
            node = node.arguments[0]
        return _PARTS.get(node.function) if isinstance(node, al.Call) else None

    def _call(self, node: al.Call) -> str:
        if node.function not in _PARTS and (part := self.part_of_time(node)) is not None:
            return part
        given = [self.expression(a) for a in node.arguments]
        if node.function in _SIGNS:
            return f" {_SIGNS[node.function]} ".join(given)
        if node.function in _PARTS:
            return f"{_PARTS[node.function]} of {given[0]}"
        if node.function in _OF_TWO:
            return _OF_TWO[node.function].format(*given)
        if node.function in _UNSAID:
            return given[0]
        return f"{node.function.value} of {' and '.join(given)}"

    def measure(self, node: al.Node, rows: al.Rows | None = None) -> str:
        """A number of many rows."""
        rows = rows or self._rows
        if isinstance(node, al.Aggregate):
            return self._aggregate(node, rows)
        if isinstance(node, al.Over):
            inner, per = self.measure(node.measure, rows), " and ".join(self.key(k) for k in node.per)
            return f"{_HOW[node.how]} {inner} per {per}"
        if isinstance(node, al.Whole):
            if not node.query.measures:
                return self.expression(node.query.show[0].of) if node.query.show else "figure"
            return self._overall(node.query)
        if isinstance(node, al.Arithmetic):
            return self._arithmetic(node, rows)
        return literal(node.value) if isinstance(node, al.Literally) else "figure"

    def _overall(self, query: al.Query) -> str:
        """A figure of other rows, and of which."""
        words, which = self.about(query), query.rows.where
        said = words.measure(query.measures[0].measure, query.rows)
        return f"{said} overall" if which is None else f"{said} where {words.predicate(which)}"

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
        part = over.where if isinstance(over, al.Aggregate) else None
        if part is None and isinstance(over, al.Aggregate) and isinstance(over.of, al.Case):
            part = over.of.tests[0]
        which = self.rows(rows) if rows else "rows"
        return self.measure(over, rows) if part is None else f"{which} where {self.predicate(part)}"

    def _unscaled(self, node: al.Node) -> al.Node:
        """A measure without factors that only turn parts of one into percent."""
        if isinstance(node, al.Arithmetic) and node.function is al.Function.MULTIPLY:
            rest = [m for m in node.of if not (isinstance(m, al.Literally) and m.value in (1, 100))]
            if len(rest) == 1:
                return self._unscaled(rest[0])
        return node

    def is_share(self, node: al.Node) -> bool:
        """Whether a figure is a part of a whole: of all rows, or of the same figure over all groups."""
        node = self._unscaled(node)
        if not isinstance(node, al.Arithmetic) or node.function is not _F.DIVIDE or len(node.of) != 2:
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

    def _aggregate(self, node: al.Aggregate, rows: al.Rows | None) -> str:
        which = f" where {self.predicate(node.where)}" if node.where is not None else ""
        if node.of is None:
            return f"number of {self.rows(rows) if rows else 'rows'}{which}"
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
        timed = known is not None and known.coverage is not None
        said = (timed and _ENDS_OF_TIME.get(node.how)) or _HOW[node.how]
        return f"{said} {plural(value) if node.how is al.How.DISTINCT else value}{which}"

    def unit(self, node: al.Node) -> str | None:
        """The unit of a figure, where the columns behind it have one."""
        if self.is_share(node):
            percent = any(isinstance(n, al.Literally) and n.value == 100 for n in node.walk())
            return "%" if percent else "fraction"
        if isinstance(node, al.Over):
            return self.unit(node.measure) if node.how not in _UNITLESS else None
        if isinstance(node, al.Aggregate):
            if node.how in _UNITLESS or node.of is None:
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
            known, measure = self.dimension(node), self._inner_measure(node)
            inner = self.about(self._inner) if self._inner is not None and measure is not None else None
            return known.unit if known is not None else inner.unit(measure) if inner and measure else None
        if isinstance(node, al.Windowed):
            return self._unit_of(node.of) if node.of is not None and node.glance not in _PLACES else None
        if isinstance(node, al.Call) and node.function in _LASTING:
            return _LASTING[node.function]
        if isinstance(node, al.Case):
            return self._shared_unit([*node.values, node.otherwise])
        if isinstance(node, al.Call) and node.function in _SAME_UNIT:
            return self._shared_unit(node.arguments)
        return None

    def _shared_unit(self, nodes: Sequence[al.Node | None]) -> str | None:
        units = {self._unit_of(n) for n in nodes if n is not None and not isinstance(n, al.Literally)}
        return units.pop() if len(units) == 1 else None

    def figure(self, part: Part, query: al.Query) -> tuple[str, str | None]:
        """A figure of a result, and its unit."""
        node = part.node
        if isinstance(node, al.Along):
            inner = node.query.measures[node.measure].measure
            fraction = node.step in (al.Walk.GROWTH, al.Walk.SHARE)
            said = f"{node.step.value} of {self.measure(inner, node.query.rows)}"
            return said, "fraction" if fraction else self.unit(inner)
        if isinstance(node, al.Against):
            unit = self.unit(query.measures[0].measure) if not part.name.startswith("change") else "fraction"
            return part.name.rpartition("_")[0] or part.name, unit
        if isinstance(node, al.Key):
            return self.called(node), self._unit_of(node.of)
        return self.measure(node, query.rows), self.unit(node)

    def called(self, key: al.Key) -> str:
        """A column of a result: parts of time by themselves, what was computed by the name that it was given."""
        if (part := self.part_of_time(key.of)) is not None:
            return part
        computed = not isinstance(key.of, al.Column) and key.grain is None
        given = (key.name or "").replace("_", " ")
        return given if computed and len(given) > 2 else self.key(key)

    def key(self, key: al.Key) -> str:
        """What rows are grouped by."""
        return str(key.grain) if key.grain is not None else self.expression(key.of)

    def predicate(self, node: al.Node) -> str:
        """A condition, without the word that introduces it."""
        if isinstance(node, al.Every):
            spans, rest = spans_of(self.joined(node))
            said = [f"{self.expression(e)} {in_range(days)}" for e, days in spans]
            return " and ".join([*said, *map(self.inner, rest)])
        if isinstance(node, al.Either):
            return " or ".join(self.inner(p) for p in node.of)
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
        return f"{left} {said} {self._month(node) or self.expression(node.right)}"

    def _month(self, node: al.Test) -> str | None:
        """The name of a month that is said by its number."""
        held = node.right.value if isinstance(node.right, al.Literally) else None
        named = isinstance(node.left, al.Call) and node.left.function is _F.MONTH
        return month_name[held] if named and isinstance(held, int) and 1 <= held <= 12 else None

    def joined(self, node: al.Every) -> list[al.Node]:
        """The conditions that say something: that a join finds its row goes without saying."""
        said = [p for p in node.of if not self.goes_without_saying(p)]
        return list(said or node.of)

    def goes_without_saying(self, given: al.Node, order: Sequence[al.Order] = ()) -> bool:
        """Whether a condition only says that what rows are ordered by, or joined on, is known."""
        if not isinstance(given, al.Missing) or given.hold:
            return False
        ends = {(t, c) for k in self.model.joins for t, c in ((k.table, k.column), (k.to_table, k.to_column))}
        joined = isinstance(given.of, al.Column) and (given.of.table, given.of.column) in ends
        return joined or any(al.same(o.by, given.of) for o in order)

    def inner(self, node: al.Node) -> str:
        """A condition as a part of another one."""
        said = self.predicate(node)
        return f"({said})" if isinstance(node, (al.Either, al.Every)) else said

    def _among(self, node: al.Among) -> str:
        left = self.expression(node.left)
        if node.query is not None:
            return f"{left} is {'' if node.hold else 'not '}among {self.about(node.query)._those(node.query)}"
        values = " or ".join(literal(v.value) for v in node.values)
        return f"{left} is {'' if node.hold else 'not '}{values}"

    def _those(self, query: al.Query) -> str:
        """The rows of a query whose values are looked at, with all that limits them."""
        held = query.show[0].of if len(query.show) == 1 else None
        table = next((t for t in self.model.tables if t.name == query.rows.table), None)
        is_key = isinstance(held, al.Column) and table is not None and table.key == (held.column,)
        said = f"{'' if is_key else 'those of '}{self.rows(query.rows)}"
        if query.rows.where is not None:
            said += f" where {self.predicate(query.rows.where)}"
        if query.having is not None:
            said += f" whose {self.predicate(query.having)}"
        return said + self._ends(query)

    def _has(self, node: al.Has) -> str:
        where = f" where {self.predicate(node.rows.where)}" if node.rows.where is not None else ""
        many = f"at least {node.at_least} " if node.at_least > 1 else ""
        return f"with {'' if node.hold else 'no '}{many}{self.rows(node.rows)}{where}"

    def query(self, query: al.Query) -> str:
        """A whole query as a reading: what, by what, of which rows, in which order."""
        return self.about(query)._query(query)

    def _query(self, query: al.Query) -> str:
        what = [self.measure(m.measure, query.rows) for m in query.measures]
        what = what or [self.called(k) for k in (query.show or query.keys)]
        parts = [", ".join(what)]
        if query.keys and query.measures:
            parts.append(f"by {' and '.join(self.called(k) for k in query.keys)}")
        if query.rows.query is not None:
            parts.append(f"over {self.query(query.rows.query)}")
        parts += [f"and {self.query(q)}" for q in query.rows.also]
        parts += [f"with {self.query(b.query)} beside" for b in query.rows.beside]
        if query.rows.where is not None and not self.goes_without_saying(query.rows.where, query.order):
            parts.append(f"where {self.predicate(query.rows.where)}")
        if query.having is not None:
            parts.append(f"keeping groups with {self.predicate(query.having)}")
        return " ".join(parts) + self._ends(query)

    def _ends(self, query: al.Query) -> str:
        """In which order the rows of a query are, and how many of them are taken."""
        said = ""
        if query.order:
            ways = [f"{'de' if o.descending else 'a'}scending order" for o in query.order]
            ends = (f"{self._order(o.by, query)} in {w}" for o, w in zip(query.order, ways, strict=True))
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
        if isinstance(ask, al.Against):
            return " against ".join(self.query(q) for q in (ask.left, ask.right) if isinstance(q, al.Query))
        return f"{_WALKS[ask.step]} {self.query(ask.query)}" if isinstance(ask, al.Along) else self.query(ask)


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
