"""From a typed query to one relational expression: aggregates per table, brought together by what they share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from gnomon.core.errors import InvalidInput, OutOfScope
from gnomon.core.query import TimeGranularity
from gnomon.core.request import Filter
from gnomon.semantic.absence import asks_for_none, counts_elsewhere, without_rows
from gnomon.semantic.aggregates import aggregate_of, formula_value, row_value, where_of
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.calendar_means import calendar_periods
from gnomon.semantic.model import Additivity, Aggregation, Dimension, Metric, SemanticModel, formula_names
from gnomon.semantic.presence import beside_rows
from gnomon.semantic.relations import Rows, Tables, rows_of
from gnomon.semantic.relative import keep
from gnomon.semantic.scope import Key, Scope, key_column, need_time
from gnomon.semantic.shape_aggregates import PREPARED, prepare


@dataclass(frozen=True)
class Counted:
    """The columns that count the rows a metric looks at, and those of them that have a value."""

    rows: str
    present: str


@dataclass
class Compiler:
    """Builds the relations of one query.

    Args:
        model: The names and what they mean.
        tables: The tables as expressions.
        counts: The columns that count rows, in the order in which tables took part; filled while building.
        counted: For each metric over a column, where its rows are counted; filled while building.
        notes: What a reader of the result should know; filled while building.
    """

    model: SemanticModel
    tables: Tables
    counts: list[str] = field(default_factory=list[str])
    counted: dict[str, Counted] = field(default_factory=dict[str, Counted])
    notes: dict[str, None] = field(default_factory=dict[str, None])

    def relation(self, metrics: list[Metric], keys: list[Key], scope: Scope, base: str | None = None) -> Any:
        """One row per group: the keys, ``v0`` … for the metrics, and counts of rows, in any order of columns.

        Args:
            metrics: What to compute.
            keys: What to group by.
            scope: Which rows.
            base: The table whose combinations are listed where there are no metrics.
        """
        leaves: dict[str, tuple[str, Metric]] = {}
        for metric in metrics:
            self._collect(metric, leaves)
        parts = self._parts(leaves, keys, scope, base)
        merged = self._merged(parts, keys, leaves)
        if len(parts) == 1 and list(leaves) == [m.name for m in metrics]:
            return merged  # every metric is an aggregate under its final name already
        values = {name: self._filled(merged[column], leaf) for name, (column, leaf) in leaves.items()}
        made = {f"v{i}": self._value(m, values) for i, m in enumerate(metrics)}
        kept = {k.column: merged[k.column] for k in keys}
        kept |= {c: merged[c] for c in merged.columns if c in self.counts}
        return merged.select(**kept, **made)

    def _collect(self, metric: Metric, leaves: dict[str, tuple[str, Metric]]) -> None:
        """The metrics that are aggregated themselves: over rows, or over groups."""
        if metric.formula is not None:
            for name in formula_names(metric.formula, self.model):
                self._collect(self.model.metric(name), leaves)
        elif metric.name not in leaves:
            leaves[metric.name] = (f"v{len(leaves)}", metric)

    def _value(self, metric: Metric, values: dict[str, Any]) -> Any:
        if metric.formula is None:
            return values[metric.name]
        return formula_value(
            metric.formula, self.model, lambda name: self._value(self.model.metric(name), values)
        )

    @staticmethod
    def _filled(column: Any, leaf: Metric) -> Any:
        """No rows in one table where another has some: a count of them is 0, anything else is unknown."""
        counted = leaf.aggregation in (Aggregation.COUNT, Aggregation.COUNT_DISTINCT) and leaf.inner is None
        return column.fill_null(0) if counted else column

    def _parts(
        self, leaves: dict[str, tuple[str, Metric]], keys: list[Key], scope: Scope, base: str | None
    ) -> list[Any]:
        """One relation for each table, and each way to aggregate it, that takes part."""
        if base is not None:
            return [self._plain(base, None, {}, keys, scope)]
        groups: dict[tuple[str, str | None, bool], dict[str, Metric]] = {}
        nested: list[tuple[str, Metric]] = []
        beside: list[Any] = []
        for column, leaf in leaves.values():
            if leaf.inner is not None:
                nested.append((column, leaf))
                continue
            table = leaf.table
            if table is None:
                raise InvalidInput(f"The metric {leaf.name} names neither a table nor a formula.")
            within = beside_rows(self, leaf, [m for _, m in leaves.values()], scope)
            if within is not None and not any(k.is_timed for k in keys):
                beside.append(self._plain(table, None, {column: leaf}, keys, within))
                continue
            time = scope.time_of(leaf, table, self.model)
            level = leaf.additivity is Additivity.SEMI_ADDITIVE and time is not None
            timed = scope.is_timed or level or any(k.is_timed for k in keys)
            if timed and time is None:
                raise need_time(leaf, table, self.model)
            groups.setdefault((table, time.name if time and timed else None, level), {})[column] = leaf
        parts: list[Any] = []
        for (table, time, level), metrics in groups.items():
            dimension = self.model.dimension(time) if time else None
            build = self._level if level else self._plain
            parts.append(build(table, dimension, metrics, keys, scope))
        return parts + beside + [self._nested(column, leaf, keys, scope) for column, leaf in nested]

    def _plain(
        self, table: str, time: Dimension | None, metrics: dict[str, Metric], keys: list[Key], scope: Scope
    ) -> Any:
        """Rows of one table, grouped and aggregated."""
        if time is None and (scope.is_timed or any(k.is_timed for k in keys)):
            time = scope.time_of(None, table, self.model)
            if time is None:
                raise need_time(None, table, self.model)
        rows = self._rows(table, time, metrics.values(), keys, scope)
        restricted = replace(rows, expression=scope.restrict(rows, time, self.model))
        by = {k.column: key_column(k, restricted, time) for k in keys}
        if any(m.aggregation in PREPARED for m in metrics.values()):
            restricted = self._prepared(metrics, restricted, by)
            by = {name: restricted.expression[name] for name in by}
        relation = restricted.expression
        made = self._aggregates(metrics, restricted)
        grouped = relation.group_by(**by).aggregate(**made) if by else relation.aggregate(**made)
        present = [grouped[k.column].notnull() for k in keys if k.present]
        return grouped.filter(present) if present else grouped

    def _prepared(self, metrics: dict[str, Metric], rows: Rows, by: dict[str, Any]) -> Rows:
        """The rows with what some aggregates need beside the values, within each group."""
        relation = rows.expression.mutate(**by) if by else rows.expression
        for column, metric in metrics.items():
            if metric.aggregation in PREPARED:
                value = row_value(metric, relation)
                where = where_of(metric, replace(rows, expression=relation), self.model)
                relation = prepare(relation, metric.aggregation, value, where, list(by), f"_{column}")
        return replace(rows, expression=relation)

    def dated(self, table: str, time: Dimension, keys: list[Key], scope: Scope) -> Any:
        """As :meth:`plain`, of rows in the periods of one of their dates."""
        return self._plain(table, time, {}, keys, scope)

    def plain(self, table: str, keys: list[Key], scope: Scope) -> Any:
        """The combinations of keys that the rows of one table have, and how many rows have each."""
        return self._plain(table, None, {}, keys, scope)

    def _rows(
        self, table: str, time: Dimension | None, metrics: Iterable[Metric], keys: list[Key], scope: Scope
    ) -> Rows:
        wanted = [k.dimension for k in keys if k.dimension is not None]
        wanted += scope.dimensions(self.model)
        wanted += [self.model.dimension(f.field) for m in metrics for f in m.where]
        wanted += [time] if time is not None else []
        own = [n for m in metrics if m.expression is not None for n in names_in(m.expression)]
        rows = rows_of(self.tables, self.model, table, {d.name: d for d in wanted}.values(), own)
        self.notes.update(dict.fromkeys(rows.notes))
        return rows

    def _aggregates(self, metrics: dict[str, Metric], rows: Rows) -> dict[str, Any]:
        """The metrics of one table, and how many rows they look at and find a value in."""
        relation = rows.expression
        every = self._count()
        made: dict[str, Any] = {every: relation.count()}
        for column, metric in metrics.items():
            value = row_value(metric, relation)
            where = where_of(metric, rows, self.model)
            made[column] = aggregate_of(metric, value, where, relation, f"_{column}")
            if value is not None:
                looked_at = every
                if where is not None:
                    looked_at = self._count()
                    made[looked_at] = relation.count(where=where)
                present = self._count()
                made[present] = value.count(where=where)
                self.counted.setdefault(metric.name, Counted(looked_at, present))
        return made

    def _count(self) -> str:
        self.counts.append(f"_n{len(self.counts)}")
        return self.counts[-1]

    def _level(
        self, table: str, time: Dimension | None, metrics: dict[str, Metric], keys: list[Key], scope: Scope
    ) -> Any:
        """Stock levels: totals of each day first, then their mean over the days of the group."""
        daily = self._plain(table, time, metrics, [*keys, Key("_day", grain=TimeGranularity.DAY)], scope)
        made = {
            c: daily[c].mean() if c in metrics else daily[c].sum() for c in self._figures(daily, keys, "_day")
        }
        by = [k.column for k in keys]
        return daily.group_by(by).aggregate(**made) if by else daily.aggregate(**made)

    def _nested(self, column: str, metric: Metric, keys: list[Key], scope: Scope) -> Any:
        """A metric over the groups of something, aggregated once more."""
        assert metric.inner is not None and metric.per is not None and metric.aggregation is not None
        per = f"_per{len(keys)}"
        if metric.per in set(TimeGranularity):
            inner_key = Key(per, grain=TimeGranularity(metric.per), present=True)
        else:
            inner_key = Key(per, dimension=self.model.dimension(metric.per), present=True)
        counted = self.model.metric(metric.inner)
        none = inner_key.dimension is not None and any(map(asks_for_none, metric.where))
        if none and inner_key.dimension and counts_elsewhere(counted, inner_key.dimension, self.model):
            absent = without_rows(self, counted, inner_key, keys, scope)
            inner = absent.mutate(v0=0)
        else:
            inner = self.relation([counted], [*keys, inner_key], scope)
            for bound in metric.where:
                inner = keep(inner, "v0", bound, self.whole(bound, counted, scope))
        figures = self._figures(inner, keys, per, "v0")
        made = {c: inner[c].sum() for c in figures}
        by = [k.column for k in keys]
        if metric.aggregation in PREPARED:
            inner = prepare(inner, metric.aggregation, inner.v0, None, by, f"_{column}")
        periods, note = calendar_periods(metric, counted, keys, scope, self.model)
        self.notes.update({note: None} if note else {})
        made[column] = (
            aggregate_of(metric, inner.v0, None, inner, f"_{column}")
            if periods is None
            else inner.v0.sum() / float(periods)
        )
        return inner.group_by(by).aggregate(**made) if by else inner.aggregate(**made)

    def whole(self, given: Filter, metric: Metric, scope: Scope) -> Any | None:
        """What all rows come to, where groups are held against their average and what they have does not add up."""
        if given.relative is None or given.relative.how != "mean" or metric.additivity is Additivity.ADDITIVE:
            return None
        together = Compiler(self.model, self.tables).relation([metric], [], scope)
        return together.select("v0").as_scalar()

    @staticmethod
    def _figures(relation: Any, keys: list[Key], *others: str) -> list[str]:
        left = {k.column for k in keys} | set(others)
        return [c for c in relation.columns if c not in left]

    def _merged(self, parts: list[Any], keys: list[Key], leaves: dict[str, tuple[str, Metric]]) -> Any:
        """All parts as one relation: stacked, and grouped by what they share (no join, so nulls match too)."""
        if len(parts) == 1:
            return parts[0]
        import ibis

        by = [k.column for k in keys]
        kinds = {c: kind for p in parts for c, kind in p.schema().items()}
        stacked = [
            p.select(**{c: p[c].cast(kinds[c]) if c in p.columns else ibis.null(kinds[c]) for c in kinds})
            for p in parts
        ]
        whole = ibis.union(stacked[0], *stacked[1:], distinct=False)
        values = {column for column, _ in leaves.values()}
        made = {c: whole[c].max() if c in values else whole[c].sum() for c in kinds if c not in by}
        return whole.group_by(by).aggregate(**made) if by else whole.aggregate(**made)


def base_table(model: SemanticModel, dimensions: list[Dimension]) -> str:
    """A table from which all dimensions can be reached, to list their combinations.

    Raises:
        OutOfScope: There is none.
    """
    homes = [ref.table for d in dimensions for ref in d.locations]
    for table in dict.fromkeys([*homes, *(t.name for t in model.tables)]):
        if all(model.path(table, d) is not None for d in dimensions):
            return table
    labels = ", ".join(d.label for d in dimensions)
    raise OutOfScope(
        f"No table connects {labels}.", suggestions=["Ask for fewer of them, or name something to count."]
    )
