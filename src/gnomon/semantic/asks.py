"""A typed query over the names of a model as one tree of the algebra: the one adapter between the two."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput, NotFound, OutOfScope
from gnomon.core.parts import Filter
from gnomon.semantic.absence import asks_for_none, counts_elsewhere
from gnomon.semantic.derived import derived_at
from gnomon.semantic.group_figures import Counted, GroupFigures
from gnomon.semantic.lower import started
from gnomon.semantic.model import Dimension, Metric, plural
from gnomon.semantic.nodes import carried, columns_of, every, literal, of_result
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.scope import Key, Scope


@dataclass(frozen=True)
class Asked:
    """A tree, and where its result tells what it rests on.

    Args:
        query: The tree; its columns are the keys, the measures, and counts of rows where they were asked for.
        shown: The columns that were asked for, in order.
        counts: The columns that count the rows behind each result row, one for each table that took part.
        totals: For each of them and those of ``counted``, the column that holds it over all groups, where that is another.
        counted: For each metric over a column, where its rows are counted.
        notes: What a reader should know.
    """

    query: al.Query
    shown: tuple[str, ...]
    counts: tuple[str, ...] = ()
    totals: dict[str, str] = field(default_factory=dict[str, str])
    counted: dict[str, Counted] = field(default_factory=dict[str, Counted])
    notes: tuple[str, ...] = ()


class Asks:
    """Makes the tree of one query.

    Args:
        figures: Makes the trees of figures.
    """

    def __init__(self, figures: GroupFigures) -> None:
        self._figures = figures
        self._model = figures.model

    def asked(self, query: RetrievalQuery) -> Asked:
        """The tree that asks what a query asks.

        Raises:
            NotFound: A name is not in the model.
            InvalidInput: The parts of the query do not fit together.
            OutOfScope: The data does not connect what is asked for.
        """
        figures = self._figures
        metrics = [self._model.metric(m) for m in query.metrics]
        having = [f for f in query.filters if f.having and f.by is None]
        keys = self._keys(query)
        if not metrics and not keys:
            raise InvalidInput(
                "Nothing was asked for.", suggestions=["Name at least one metric or dimension."]
            )
        shown = (*(k.column for k in keys), *(f"v{i}" for i in range(len(metrics))))
        order = self._order(query, dict(zip(names_of(query), shown, strict=True)))
        whole = self._listed_without(query, metrics, keys)
        tests: list[tuple[al.Predicate, tuple[al.Key, ...]]] = []
        if whole is None:
            scope = self.scope(query)
            hidden = [self._model.metric(f.field) for f in having]
            base = self._base(keys, scope) if not metrics and not hidden else None
            whole = figures.relation([*metrics, *hidden], keys, scope, base)
            for i, given in enumerate(having):
                tests.append(figures.test(given, f"v{len(metrics) + i}", hidden[i], scope))
        totals: dict[str, str] = {}
        counts = [c for c in figures.counts if c in columns_of(whole)]
        if tests or (keys and query.limit is not None and figures.counting):
            totals = {c: f"{c}_all" for c in counts} if keys else {}
            whole = _narrowed(whole, tests, totals, (*shown, *counts))
        whole = _cut(whole, order, query, keys)
        return Asked(whole, shown, tuple(counts), totals, figures.counted, tuple(figures.notes))

    def _keys(self, query: RetrievalQuery) -> list[Key]:
        keys = [Key("k_period", grain=query.grain, present=True)] if query.grain else []
        for i, name in enumerate(dict.fromkeys(query.dimensions)):
            made = derived_at(name)
            present = name.startswith("@") or (made is not None and made[1].is_ranges)
            keys.append(Key(f"k{i}", dimension=self._model.dimension(name), present=present))
        return keys

    def _base(self, keys: list[Key], scope: Scope) -> str:
        """A table from which all that is listed can be reached."""
        model = self._model
        wanted = [k.dimension for k in keys if k.dimension] + list(scope.dimensions(model))
        wanted += [model.dimension(scope.time_dimension)] if scope.time_dimension else []
        homes = [ref.table for d in wanted for ref in d.locations]
        for table in dict.fromkeys([*homes, *(t.name for t in model.tables)]):
            if all(model.path(table, d) is not None for d in wanted):
                return table
        raise OutOfScope(
            f"No table connects {', '.join(d.label for d in wanted)}.",
            suggestions=["Ask for fewer of them, or name something to count."],
        )

    @staticmethod
    def _order(query: RetrievalQuery, columns: dict[str, str]) -> tuple[str, bool] | None:
        """The column to order by, and whether the largest come first; keys decide between equals."""
        if (
            query.limit
            and query.limit_per
            and (query.limit_per not in columns or query.limit_per in query.metrics)
        ):
            raise InvalidInput(
                f"A limit for each {query.limit_per} needs {query.limit_per} among the dimensions.",
                suggestions=[f"The query has {', '.join(columns)}."],
            )
        first = query.order_by or (query.metrics[0] if query.limit and query.metrics else None)
        if first is not None and first not in columns:
            raise NotFound.among("column to order by", first, columns)
        return (columns[first], query.descending) if first is not None else None

    def scope(self, query: RetrievalQuery) -> Scope:
        """The conditions on rows; those on groups are queries of their own, under the other conditions."""
        model = self._model
        plain = Scope(
            filters=tuple(f for f in query.filters if not f.having),
            time_range=query.time_range,
            recurring=query.recurring,
            time_dimension=query.time_dimension,
        )
        tables = {t for m in query.metrics for t in model.base_tables(model.metric(m))}
        groups = [self._groups(f, plain, tables) for f in query.filters if f.having and f.by is not None]
        absent = [f for f in query.filters if not f.is_apart and self._is_absence(f)]
        if plain.time_dimension is None and absent:
            homes = {model.dimension(f.by or "").home.table for f in absent}
            own = plain.filters
            if not tables - homes:
                own = tuple(
                    f for f in own if all(self._figures.leads(h, model.dimension(f.field)) for h in homes)
                )
            return Scope(own, tuple(groups))  # the period and the rest say which rows were not there
        return replace(plain, groups=tuple(groups))

    def _is_absence(self, given: Filter) -> bool:
        """Whether things are to have no rows in another table."""
        if not given.having or given.by is None or not asks_for_none(given):
            return False
        model = self._model
        return counts_elsewhere(model.metric(given.field), model.dimension(given.by), model)

    def _groups(self, given: Filter, scope: Scope, tables: set[str]) -> tuple[Dimension, al.Query]:
        model = self._model
        by, metric = model.dimension(given.by or ""), model.metric(given.field)
        key = Key("g", dimension=by)
        if given.is_apart:
            asked = model.dimension(scope.time_dimension) if scope.time_dimension else None
            own = asked.name if asked is not None and metric.table and asked.at(metric.table) else None
            scope = Scope(filters=given.among, time_range=given.within, time_dimension=own)
        if asks_for_none(given) and counts_elsewhere(metric, by, model):
            if metric.table in tables and not given.is_apart:
                raise OutOfScope(
                    f"Of {plural(by.label)} without rows there is no {metric.label}.",
                    suggestions=[f"Ask how many {plural(by.label)} there are of that kind."],
                )
            inner = GroupFigures(self._figures.meanings)
            absent = inner.without(metric, replace(key, present=True), [], scope, apart=given.is_apart)
            self._figures.notes.update(inner.notes)
            return by, absent
        inner = GroupFigures(self._figures.meanings)
        found = inner.relation([metric], [key], scope)
        self._figures.notes.update(inner.notes)
        test, ends = self._figures.test(given, "v0", metric, scope)
        if ends:
            found = al.Query(rows=al.Rows(query=found), show=(*map(carried, columns_of(found)), *ends))
        return by, al.Query(rows=al.Rows(query=found, where=test), show=(carried("g"),))

    def _listed_without(
        self, query: RetrievalQuery, metrics: list[Metric], keys: list[Key]
    ) -> al.Query | None:
        """Things listed with how many rows of another table they have, where that is to be none."""
        if len(metrics) != 1 or len(keys) != 1 or keys[0].dimension is None:
            return None
        by, model = keys[0].dimension, self._model
        none = [
            f for f in query.filters if f.having and f.by in (None, by.name) and f.field == metrics[0].name
        ]
        if not any(map(asks_for_none, none)) or not counts_elsewhere(metrics[0], by, model):
            return None
        rest = tuple(f for f in query.filters if f not in none)
        scope = self.scope(query.model_copy(update={"filters": rest}))
        found = self._figures.without(metrics[0], replace(keys[0], present=True), [], scope)
        first, *others = found.show
        return found.model_copy(update={"show": (first, al.Key(of=literal(0), name="v0"), *others)})


def names_of(query: RetrievalQuery) -> tuple[str, ...]:
    """The columns of the result of a query, by name."""
    return (*(("period",) if query.grain else ()), *dict.fromkeys(query.dimensions), *query.metrics)


def _narrowed(
    whole: al.Query,
    tests: list[tuple[al.Predicate, tuple[al.Key, ...]]],
    totals: dict[str, str],
    shown: tuple[str, ...],
) -> al.Query:
    """The groups that pass, with counts over all of them, which are added up before any is left out."""
    sums = [al.Key(of=al.Windowed(glance=al.Glance.SUM, of=of_result(c)), name=n) for c, n in totals.items()]
    beside = [*sums, *(end for _, ends in tests for end in ends)]
    if not tests:
        return al.Query(rows=al.Rows(query=whole), show=(*map(carried, shown), *beside))
    if beside:
        whole = al.Query(rows=al.Rows(query=whole), show=(*map(carried, columns_of(whole)), *beside))
    rows = al.Rows(query=whole, where=every([t for t, _ in tests]))
    return al.Query(rows=rows, show=tuple(map(carried, [*shown, *totals.values()])))


def _cut(query: al.Query, order: tuple[str, bool] | None, asked: RetrievalQuery, keys: list[Key]) -> al.Query:
    """The rows of a result in an order, cut where a limit asks for it."""
    changes: dict[str, object] = {"limit": asked.limit if keys else None}
    if order is not None and keys:
        held = {k.name: started(k) for k in (*query.keys, *query.show)}
        held |= {m.name: m.measure for m in query.measures}
        changes["order"] = (al.Order(by=held[order[0]], descending=order[1]),)
    if asked.limit and asked.limit_per:
        column = dict(zip(names_of(asked), [k.column for k in keys], strict=False))[asked.limit_per]
        changes["per"] = tuple(k for k in (*query.keys, *query.show) if k.name == column)
    return query.model_copy(update=changes)
