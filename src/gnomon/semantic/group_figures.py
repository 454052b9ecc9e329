"""Figures of groups as trees of the algebra: those of one table, of several, of figures, of levels.

Measures of several tables are taken apart, stacked and grouped again by what they share; measures of measures, levels
and conditions on groups are queries over the result of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput, OutOfScope
from gnomon.core.parts import Filter
from gnomon.core.query import TimeGranularity
from gnomon.semantic.absence import asks_for_none, counts_elsewhere
from gnomon.semantic.calendar_means import calendar_periods
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.model import Additivity, Aggregation, Dimension, Metric, SemanticModel, formula_names
from gnomon.semantic.nodes import (
    carried,
    columns_of,
    every,
    how_of,
    known,
    literal,
    looked_around_first,
    of_result,
)
from gnomon.semantic.predicates import BOUNDS, against, condition, kind_of, tested, times, within
from gnomon.semantic.presence import is_timeless, thing_of
from gnomon.semantic.row_terms import part_of
from gnomon.semantic.scope import Key, Scope, need_time

_Leaves = dict[str, tuple[str, Metric]]


@dataclass(frozen=True)
class Counted:
    """The columns that count the rows a metric looks at, and those of them that have a value."""

    rows: str
    present: str


@dataclass
class GroupFigures:
    """Makes the trees of figures.

    Args:
        meanings: What names mean.
        counting: Whether rows are counted beside the figures, so that an answer can tell what it rests on.
        counts: The columns that count rows, in the order in which tables took part; filled while building.
        counted: For each metric over a column, where its rows are counted; filled while building.
        notes: What a reader should know; filled while building.
    """

    meanings: Meanings
    counting: bool = False
    counts: list[str] = field(default_factory=list[str])
    counted: dict[str, Counted] = field(default_factory=dict[str, Counted])
    notes: dict[str, None] = field(default_factory=dict[str, None])

    @property
    def model(self) -> SemanticModel:
        """The names."""
        return self.meanings.model

    def relation(
        self, metrics: list[Metric], keys: list[Key], scope: Scope, base: str | None = None
    ) -> al.Query:
        """One row for each group: the keys, ``v0`` … for the metrics, and counts of rows where they are wanted."""
        leaves: _Leaves = {}
        for metric in metrics:
            self._collect(metric, leaves)
        parts = self._parts(leaves, keys, scope, base)
        merged = parts[0] if len(parts) == 1 else self._merged(parts, keys, leaves)
        if list(leaves) == [m.name for m in metrics]:
            return merged  # every metric is an aggregate under its final name already
        held = {m.name: m.measure for m in merged.measures}
        figures = {name: held[column] for name, (column, _) in leaves.items()}
        made = [al.Shown(measure=self._value(m, figures), name=f"v{i}") for i, m in enumerate(metrics)]
        columns = {column for column, _ in leaves.values()}
        counts = [m for m in merged.measures if m.name not in columns]
        return merged.model_copy(update={"measures": (*made, *counts)})

    def _collect(self, metric: Metric, leaves: _Leaves) -> None:
        """The metrics that are aggregated themselves: over rows, or over groups."""
        model = self.model
        if metric.formula is not None:
            for name in formula_names(metric.formula, model):
                self._collect(model.metric(name), leaves)
        elif metric.name not in leaves:
            leaves[metric.name] = (f"v{len(leaves)}", metric)

    def _value(self, metric: Metric, figures: dict[str, al.Measure]) -> al.Measure:
        if metric.formula is None:
            return figures[metric.name]
        model = self.model
        return self.meanings.formula(metric.formula, lambda name: self._value(model.metric(name), figures))

    def _parts(self, leaves: _Leaves, keys: list[Key], scope: Scope, base: str | None) -> list[al.Query]:
        """One query for each table, and each way to aggregate it, that takes part."""
        if base is not None:
            return [self._plain(base, None, {}, keys, scope)]
        model = self.model
        groups: dict[tuple[str, str | None, bool], dict[str, Metric]] = {}
        nested: list[tuple[str, Metric]] = []
        beside: list[al.Query] = []
        for column, leaf in leaves.values():
            if leaf.inner is not None:
                nested.append((column, leaf))
                continue
            table = leaf.table
            if table is None:
                raise InvalidInput(f"The metric {leaf.name} names neither a table nor a formula.")
            apart = self._beside(leaf, [m for _, m in leaves.values()], scope)
            if apart is not None and not any(k.is_timed for k in keys):
                beside.append(self._plain(table, None, {column: leaf}, keys, apart))
                continue
            time = scope.time_of(leaf, table, model)
            level = leaf.additivity is Additivity.SEMI_ADDITIVE and time is not None
            timed = scope.is_timed or level or any(k.is_timed for k in keys)
            if timed and time is None:
                raise need_time(leaf, table, model)
            groups.setdefault((table, time.name if time and timed else None, level), {})[column] = leaf
        parts: list[al.Query] = []
        for (table, name, level), metrics in groups.items():
            build = self._level if level else self._plain
            parts.append(build(table, model.dimension(name) if name else None, metrics, keys, scope))
        return parts + beside + [self._nested(column, leaf, keys, scope) for column, leaf in nested]

    def _plain(
        self, table: str, time: Dimension | None, metrics: dict[str, Metric], keys: list[Key], scope: Scope
    ) -> al.Query:
        """Rows of one table, grouped and aggregated."""
        if time is None and (scope.is_timed or any(k.is_timed for k in keys)):
            time = scope.time_of(None, table, self.model)
            if time is None:
                raise need_time(None, table, self.model)
        by = [self._key(k, table, time) for k in keys]
        present = [b for b, k in zip(by, keys, strict=True) if k.present]
        measures = self._measures(table, metrics)
        rows = self.rows(table, time, scope, present)
        return looked_around_first(al.Query(rows=rows, keys=tuple(by), measures=measures))

    def _key(self, key: Key, table: str, time: Dimension | None) -> al.Key:
        meanings, dimension = self.meanings, key.dimension
        if dimension is not None and dimension.name.startswith("@"):
            moment, _ = meanings.moment(table, time or dimension)
            return al.Key(of=part_of(moment, dimension.name[1:]), name=key.column)
        if dimension is not None:
            return al.Key(of=meanings.column(table, dimension), name=key.column)
        assert time is not None, "periods were checked to have a time dimension"
        return al.Key(of=meanings.moment(table, time)[0], grain=key.grain, name=key.column)

    def _measures(self, table: str, metrics: dict[str, Metric]) -> tuple[al.Shown, ...]:
        """The metrics of one table, and how many rows they look at and find a value in."""
        figures = {c: self.aggregate(m) for c, m in metrics.items()}
        made = [al.Shown(measure=figure, name=c) for c, figure in figures.items()]
        if not self.counting:
            return tuple(made)
        made.append(_counting(rows := self._count()))
        for column, metric in metrics.items():
            figure = figures[column]
            if figure.of is None:
                continue
            looked_at = rows
            if figure.where is not None:
                made.append(_counting(looked_at := self._count(), figure.where))
            made.append(_counting(present := self._count(), figure.where, figure.of))
            self.counted.setdefault(metric.name, Counted(looked_at, present))
        return tuple(made)

    def aggregate(self, metric: Metric) -> al.Aggregate:
        """A metric over rows as an aggregate of them."""
        assert metric.table is not None, "a metric over rows has a table"
        value, how = self.meanings.value(metric), metric.aggregation
        if value is None and how is not Aggregation.COUNT:
            raise InvalidInput(f"{metric.name} takes the {how} of nothing; only rows can be counted.")
        if how is None:
            raise InvalidInput(f"The metric {metric.name} does not say how values become one.")
        where = every([condition(self.meanings, metric.table, f) for f in metric.where])
        return al.Aggregate(how=how_of(how), of=value, where=where, quantile=metric.quantile)

    def _count(self) -> str:
        self.counts.append(f"_n{len(self.counts)}")
        return self.counts[-1]

    def _level(
        self, table: str, time: Dimension | None, metrics: dict[str, Metric], keys: list[Key], scope: Scope
    ) -> al.Query:
        """Stock levels: totals of each day first, then their mean over the days of the group."""
        daily = self._plain(table, time, metrics, [*keys, Key("_day", grain=TimeGranularity.DAY)], scope)
        return _over(daily, keys, dict.fromkeys(metrics, al.How.MEAN))

    def _nested(self, column: str, metric: Metric, keys: list[Key], scope: Scope) -> al.Query:
        """A metric over the groups of something, aggregated once more."""
        model = self.model
        assert metric.inner is not None and metric.per is not None and metric.aggregation is not None
        per = f"_per{len(keys)}"
        grained = metric.per in set(TimeGranularity)
        inner_key = Key(
            per,
            dimension=None if grained else model.dimension(metric.per),
            grain=TimeGranularity(metric.per) if grained else None,
            present=True,
        )
        counted, by = model.metric(metric.inner), inner_key.dimension
        none = by is not None and any(map(asks_for_none, metric.where))
        if none and by is not None and counts_elsewhere(counted, by, model):
            inner = self.without(counted, inner_key, keys, scope)
            inner = inner.model_copy(update={"show": (*inner.show, al.Key(of=literal(0), name="v0"))})
            tests: list[al.Predicate] = []
        else:
            inner = self.relation([counted], [*keys, inner_key], scope)
            kept = [self.test(bound, "v0", counted, scope) for bound in metric.where]
            if ends := [e for _, extra in kept for e in extra]:
                inner = al.Query(rows=al.Rows(query=inner), show=(*map(carried, columns_of(inner)), *ends))
            tests = [t for t, _ in kept]
        periods, note = calendar_periods(metric, counted, keys, scope, model)
        self.notes.update({note: None} if note else {})
        figure = al.Aggregate(how=how_of(metric.aggregation), of=of_result("v0"), quantile=metric.quantile)
        if periods is not None:
            total = al.Aggregate(how=al.How.SUM, of=of_result("v0"))
            figure = al.Arithmetic(function=al.Function.DIVIDE, of=(total, literal(float(periods))))
        rest = [c for c in columns_of(inner) if c in self.counts]
        sums = [al.Shown(measure=al.Aggregate(how=al.How.SUM, of=of_result(c)), name=c) for c in rest]
        return al.Query(
            rows=al.Rows(query=inner, where=every(tests)),
            keys=tuple(carried(k.column) for k in keys),
            measures=(al.Shown(measure=figure, name=column), *sums),
        )

    def without(
        self, metric: Metric, by: Key, keys: list[Key], scope: Scope, *, apart: bool = False
    ) -> al.Query:
        """The things of the home of ``by`` for which ``metric`` counts nothing, in the column of ``by``.

        Conditions that are known of the things themselves choose among them; all of them, and the period, choose
        the rows that must not be there; those of a clause ``apart`` speak of the rows alone. Things that have no
        table of their own are those that any row tells of.
        """
        assert by.dimension is not None, "rows are missing of something"
        model, home = self.model, by.dimension.home.table
        own = tuple(f for f in scope.filters if self.leads(home, model.dimension(f.field)))
        own = () if apart or metric.table == home else own
        things = replace(scope, filters=own, time_range=None, recurring=None)
        inner = GroupFigures(self.meanings)
        present = inner.relation([metric], [replace(by, column="_there")], scope)
        self.notes.update(inner.notes)
        listed = al.Query(rows=al.Rows(query=present), show=(carried("_there"),))
        found = self._plain(home, None, {}, [*keys, by], things)
        there = al.Among(left=of_result(by.column), query=listed, hold=False)
        return al.Query(rows=al.Rows(query=found, where=there), show=tuple(map(carried, columns_of(found))))

    def _beside(self, leaf: Metric, leaves: Iterable[Metric], scope: Scope) -> Scope | None:
        """The conditions on the things of ``leaf`` where another leaf measures rows that belong to them in a period.

        A thing has no moment of its own: the floor area of sites beside the readings of a year is that of the sites
        that were read. None where ``leaf`` has days of its own, or no other leaf belongs to its things.
        """
        model, home = self.model, leaf.table
        if home is None or not scope.is_timed or scope.time_dimension or not is_timeless(leaf, home, model):
            return None
        for other in leaves:
            thing = thing_of(model, other.table, home) if other.table not in (None, home) else None
            time = scope.time_of(other, other.table or "", model) if thing is not None else None
            if thing is None or time is None or is_timeless(other, other.table or "", model):
                continue
            there = [Key("_there", dimension=thing, present=True)]
            present = GroupFigures(self.meanings)._plain(other.table or "", time, {}, there, scope)
            own = tuple(f for f in scope.filters if self.leads(home, model.dimension(f.field)))
            groups = tuple(g for g in scope.groups if self.leads(home, g[0]))
            return Scope(own, (*groups, (thing, present)))
        return None

    def _merged(self, parts: list[al.Query], keys: list[Key], leaves: _Leaves) -> al.Query:
        """All parts as one: stacked, and grouped by what they share, so that nothing is lost and nulls match too."""
        by = [k.column for k in keys]
        values = dict(leaves.values())
        names = [c for c in dict.fromkeys(c for p in parts for c in columns_of(p)) if c not in by]
        stacked: list[al.Query] = []
        for part in parts:
            held = {m.name: m for m in part.measures}
            absent = al.Literally(value=None)
            measures = tuple(held.get(n) or al.Shown(measure=absent, name=n) for n in names)
            stacked.append(part.model_copy(update={"measures": measures}))
        made: list[al.Shown] = []
        for name in names:
            how = al.How.MOST if name in values else al.How.SUM
            figure: al.Measure = al.Aggregate(how=how, of=of_result(name))
            if name in values and _is_count(values[name]):  # no rows in one table where another has some
                figure = al.Arithmetic(function=al.Function.FILL, of=(figure, literal(0)))
            made.append(al.Shown(measure=figure, name=name))
        rows = al.Rows(query=stacked[0], also=tuple(stacked[1:]))
        return al.Query(rows=rows, keys=tuple(map(carried, by)), measures=tuple(made))

    def test(
        self, given: Filter, column: str, metric: Metric, scope: Scope
    ) -> tuple[al.Predicate, tuple[al.Key, ...]]:
        """The condition on groups, and what has to stand beside each of them for it."""
        if given.relative is None:
            return tested(of_result(column), kind_of(given), given), ()
        if given.relative.per is not None:
            raise OutOfScope("Groups are compared with all the others, not with those of another group.")
        if given.relative.how == "mean" and metric.additivity is not Additivity.ADDITIVE:
            whole = GroupFigures(self.meanings).relation([metric], [], scope)
            scaled = [al.Shown(measure=times(given, m.measure), name=m.name) for m in whole.measures]
            bound = al.Whole(query=whole.model_copy(update={"measures": tuple(scaled)}))
            return against(of_result(column), given, bound), ()
        name = f"{column}_bound"
        glance = al.Glance(BOUNDS[given.relative.how].value)
        beside = al.Windowed(glance=glance, of=of_result(column))
        factor = given.values[0] if given.values else 1
        scaled = al.Call(function=al.Function.MULTIPLY, arguments=(beside, literal(factor)))
        end = al.Key(of=scaled if factor != 1 else beside, name=name)
        return against(of_result(column), given, of_result(name)), (end,)

    def rows(self, table: str, time: Dimension | None, scope: Scope, keys: Iterable[al.Key] = ()) -> al.Rows:
        """The rows of a table that meet the conditions; ``keys`` are to be known."""
        meanings, tests = self.meanings, list[al.Predicate]()
        for given in sorted(scope.filters, key=lambda f: f.relative is None):
            tests.append(condition(meanings, table, given, time))
        for dimension, listed in scope.groups:
            tests.append(al.Among(left=meanings.column(table, dimension), query=listed))
        if time is not None and (scope.time_range is not None or scope.recurring is not None):
            moment, exact = meanings.moment(table, time)
            if scope.time_range is not None:
                tests.append(within(moment, exact, scope.time_range))
            if scope.recurring is not None:
                name, values = scope.recurring
                values = tuple(map(literal, values))
                tests.append(al.Among(left=part_of(moment, name), values=values))
        tests += [known(k.of) for k in keys]
        return al.Rows(table=table, where=every(tests))

    def leads(self, table: str, dimension: Dimension) -> bool:
        return self.model.path(table, dimension) is not None


def _is_count(leaf: Metric) -> bool:
    return leaf.aggregation in (Aggregation.COUNT, Aggregation.COUNT_DISTINCT) and leaf.inner is None


def _counting(name: str, where: al.Predicate | None = None, of: al.Expression | None = None) -> al.Shown:
    return al.Shown(measure=al.Aggregate(how=al.How.COUNT, of=of, where=where), name=name)


def _over(inner: al.Query, keys: list[Key], hows: dict[str, al.How]) -> al.Query:
    """The figures of groups aggregated for larger ones; counts are added up."""
    made = [
        al.Shown(
            measure=al.Aggregate(how=hows.get(m.name or "", al.How.SUM), of=of_result(m.name or "")),
            name=m.name,
        )
        for m in inner.measures
    ]
    return al.Query(
        rows=al.Rows(query=inner), keys=tuple(carried(k.column) for k in keys), measures=tuple(made)
    )
