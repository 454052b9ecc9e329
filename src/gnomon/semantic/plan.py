"""A whole query as one expression: the relation, conditions on results, order and limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gnomon.core.errors import InvalidInput, NotFound, OutOfScope
from gnomon.core.request import Filter
from gnomon.semantic.absence import asks_for_none, counts_elsewhere, without_rows
from gnomon.semantic.compile import Compiler, base_table
from gnomon.semantic.derived import derived_at
from gnomon.semantic.model import Dimension, Metric, SemanticModel, plural
from gnomon.semantic.query import MAX_ROWS, RetrievalQuery
from gnomon.semantic.relations import Tables
from gnomon.semantic.relative import keep
from gnomon.semantic.scope import Key, Scope


@dataclass(frozen=True)
class Planned:
    """An expression and how to read its rows.

    Args:
        expression: Keys, metrics, and counts of rows.
        columns: Names of the result columns.
        shown: Where each of them is in the rows of the expression.
        rows: Where the rows of the first table are counted.
        counted: For each metric over a column, where the rows it looks at, and those with a value, are counted.
        cut: Whether the counts are totals over all groups (else they are those of each result row).
        behind: Where the rows behind each result row are counted; of several counts, the least counts.
        notes: What a reader should know.
    """

    expression: Any
    columns: tuple[str, ...]
    shown: tuple[int, ...]
    rows: int
    counted: dict[str, tuple[int, int]]
    cut: bool
    behind: tuple[int, ...]
    notes: tuple[str, ...]


def planned(query: RetrievalQuery, model: SemanticModel, tables: Tables) -> Planned:
    """The expression that answers a query.

    Raises:
        NotFound: A name is not in the model.
        InvalidInput: The parts of the query do not fit together.
        OutOfScope: The data does not connect what is asked for.
    """
    compiler = Compiler(model, tables)
    metrics = [model.metric(m) for m in query.metrics]
    having = [f for f in query.filters if f.having and f.by is None]
    keys = _keys(query, model)
    if not metrics and not keys:
        raise InvalidInput("Nothing was asked for.", suggestions=["Name at least one metric or dimension."])
    hidden = [model.metric(f.field) for f in having]
    relation = _listed_without(query, compiler, metrics, keys)
    if relation is None:
        relation = _relation(compiler, metrics, hidden, keys, scope_of(query, compiler))
    else:
        having = []
    cut = bool(keys) and (bool(having) or query.limit is not None)
    if cut:
        import ibis

        behind = ibis.least(*(relation[c].nullif(0) for c in compiler.counts if c in relation.columns))
        relation = relation.mutate(behind=behind, **{c: relation[c].sum().over() for c in compiler.counts})
    for offset, given in enumerate(having):
        whole = compiler.whole(given, hidden[offset], scope_of(query, compiler))
        relation = keep(relation, f"v{len(metrics) + offset}", given, whole)
    relation = _ordered(query, relation, keys)
    place = {c: i for i, c in enumerate(relation.columns)}
    shown = [k.column for k in keys] + [f"v{i}" for i in range(len(metrics))]
    return Planned(
        relation,
        _names(query),
        tuple(place[c] for c in shown),
        place[compiler.counts[0]],
        {m: (place[c.rows], place[c.present]) for m, c in compiler.counted.items()},
        cut,
        (place["behind"],) if cut else tuple(place[c] for c in compiler.counts if c in place),
        tuple(compiler.notes),
    )


def _listed_without(
    query: RetrievalQuery, compiler: Compiler, metrics: list[Metric], keys: list[Key]
) -> Any | None:
    """Things listed with how many rows of another table they have, where that is to be none."""
    if len(metrics) != 1 or len(keys) != 1 or keys[0].dimension is None:
        return None
    by = keys[0].dimension
    none = [f for f in query.filters if f.having and f.by in (None, by.name) and f.field == metrics[0].name]
    if not any(map(asks_for_none, none)) or not counts_elsewhere(metrics[0], by, compiler.model):
        return None
    rest = tuple(f for f in query.filters if f not in none)
    scope = scope_of(query.model_copy(update={"filters": rest}), compiler)
    found = without_rows(compiler, metrics[0], replace(keys[0], present=True), [], scope)
    return found.mutate(v0=0)


def _relation(
    compiler: Compiler, metrics: list[Metric], hidden: list[Metric], keys: list[Key], scope: Scope
) -> Any:
    if metrics or hidden:
        return compiler.relation([*metrics, *hidden], keys, scope)
    wanted = [k.dimension for k in keys if k.dimension] + list(scope.dimensions(compiler.model))
    if scope.time_dimension:
        wanted.append(compiler.model.dimension(scope.time_dimension))
    return compiler.relation([], keys, scope, base_table(compiler.model, wanted))


def _names(query: RetrievalQuery) -> tuple[str, ...]:
    return (*(("period",) if query.grain else ()), *dict.fromkeys(query.dimensions), *query.metrics)


def _keys(query: RetrievalQuery, model: SemanticModel) -> list[Key]:
    keys = [Key("k_period", grain=query.grain, present=True)] if query.grain else []
    for i, name in enumerate(dict.fromkeys(query.dimensions)):
        made = derived_at(name)
        present = name.startswith("@") or (made is not None and made[1].is_ranges)
        keys.append(Key(f"k{i}", dimension=model.dimension(name), present=present))
    return keys


def scope_of(query: RetrievalQuery, compiler: Compiler) -> Scope:
    """The conditions on rows; those on groups are relations of their own, under the other conditions."""
    plain = Scope(
        filters=tuple(f for f in query.filters if not f.having),
        time_range=query.time_range,
        recurring=query.recurring,
        time_dimension=query.time_dimension,
    )
    tables = {t for m in query.metrics for t in compiler.model.base_tables(compiler.model.metric(m))}
    groups = [_groups(f, compiler, plain, tables) for f in query.filters if f.having and f.by is not None]
    absent = [f for f in query.filters if not f.is_apart and _is_absence(f, compiler.model)]
    if plain.time_dimension is None and absent:
        homes = {compiler.model.dimension(f.by or "").home.table for f in absent}
        own = plain.filters if tables - homes else _known_of(plain.filters, homes, compiler.model)
        return Scope(own, tuple(groups))  # the period and the rest say which rows were not there
    return Scope(plain.filters, tuple(groups), plain.time_range, plain.recurring, plain.time_dimension)


def _known_of(filters: tuple[Filter, ...], homes: set[str], model: SemanticModel) -> tuple[Filter, ...]:
    """The conditions on things themselves, as opposed to those on the rows that they do not have."""
    return tuple(
        f for f in filters if all(model.path(h, model.dimension(f.field)) is not None for h in homes)
    )


def _is_absence(given: Filter, model: SemanticModel) -> bool:
    """Whether things are to have no rows in another table."""
    if not given.having or given.by is None or not asks_for_none(given):
        return False
    return counts_elsewhere(model.metric(given.field), model.dimension(given.by), model)


def _groups(given: Filter, compiler: Compiler, scope: Scope, tables: set[str]) -> tuple[Any, Any]:
    assert given.by is not None
    by = compiler.model.dimension(given.by)
    inner = Compiler(compiler.model, compiler.tables)
    metric, key = compiler.model.metric(given.field), Key("g", dimension=by)
    if given.is_apart:
        asked = compiler.model.dimension(scope.time_dimension) if scope.time_dimension else None
        own = asked.name if asked is not None and metric.table and asked.at(metric.table) else None
        scope = Scope(filters=given.among, time_range=given.within, time_dimension=own)
    if asks_for_none(given) and counts_elsewhere(metric, by, compiler.model):
        if metric.table in tables and not given.is_apart:
            raise _nothing_to_count(metric, by)
        absent = without_rows(inner, metric, replace(key, present=True), [], scope, apart=given.is_apart)
        compiler.notes.update(inner.notes)
        return by, absent.select("g")
    found = inner.relation([metric], [key], scope)
    compiler.notes.update(inner.notes)
    return by, keep(found, "v0", given, compiler.whole(given, metric, scope)).select("g")


def _nothing_to_count(metric: Metric, by: Dimension) -> OutOfScope:
    """An error for rows asked of what has none."""
    return OutOfScope(
        f"Of {plural(by.label)} without rows there is no {metric.label}.",
        suggestions=[f"Ask how many {plural(by.label)} there are of that kind."],
    )


def _ordered(query: RetrievalQuery, relation: Any, keys: list[Key]) -> Any:
    """The rows in a fixed order, cut where a limit asks for it."""
    import ibis

    held = [*(k.column for k in keys), *(f"v{i}" for i in range(len(query.metrics)))]
    columns = dict(zip(_names(query), held, strict=True))
    order = _order(query, columns, keys)
    if query.limit and query.limit_per:
        if query.limit_per not in columns or query.limit_per in query.metrics:
            raise InvalidInput(
                f"A limit for each {query.limit_per} needs {query.limit_per} among the dimensions.",
                suggestions=[f"The query has {', '.join(columns)}."],
            )
        group = columns[query.limit_per]
        place = ibis.row_number().over(ibis.window(group_by=group, order_by=_directed(order)))
        numbered = relation.mutate(_place=place)
        relation = numbered.filter(numbered._place < query.limit)
        order = {group: False, **{c: d for c, d in order.items() if c != group}}
    if order and keys:
        relation = relation.order_by(_directed(order))
    if query.limit and not query.limit_per:
        return relation.limit(query.limit)
    return relation.limit(MAX_ROWS + 1) if keys else relation


def _order(query: RetrievalQuery, columns: dict[str, str], keys: list[Key]) -> dict[str, bool]:
    """The columns to order by, and whether the largest come first; keys decide between equals."""
    first = query.order_by or (query.metrics[0] if query.limit and query.metrics else None)
    if first is not None and first not in columns:
        raise NotFound.among("column to order by", first, columns)
    order = {columns[first]: query.descending} if first is not None else {}
    return order | {k.column: False for k in keys if k.column not in order}


def _directed(order: dict[str, bool]) -> list[Any]:
    import ibis

    return [(ibis.desc if down else ibis.asc)(column, nulls_first=False) for column, down in order.items()]
