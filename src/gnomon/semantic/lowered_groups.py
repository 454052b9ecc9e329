"""Numbers of many rows as expressions: aggregates, figures over groups, and what they are grouped by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput
from gnomon.semantic.computing import aggregated_as, computed, name_of, numeric
from gnomon.semantic.lowered_rows import Base, RowLowering
from gnomon.semantic.shape_aggregates import PREPARED, prepare, prepared_aggregate
from gnomon.semantic.time_columns import period

if TYPE_CHECKING:
    from gnomon.semantic.lower import Lowered


class GroupLowering:
    """Lowers what is asked of many rows.

    Args:
        rows: Lowers what is asked of each.
        lower: Lowers a query inside another.
    """

    def __init__(self, rows: RowLowering, lower: Callable[[al.Query], Lowered]) -> None:
        self._rows = rows
        self._lower = lower

    def figures(
        self, query: al.Query, base: Base, keys: dict[str, al.Key], figures: dict[str, al.Node]
    ) -> Any:
        """One row for each group with every figure; those over groups are computed apart and brought together."""
        by = {n: self.key(base, k) for n, k in keys.items()}
        apart = {n: m for n, m in figures.items() if _has_over(m)}
        if not apart and not any(a.how in PREPARED for m in figures.values() for a in _aggregates(m)):
            made = {n: self._figure(base, m) for n, m in figures.items()} or {"_n": base.relation.count()}
            return base.relation.group_by(**by).aggregate(**made) if by else base.relation.aggregate(**made)
        relation = self._prepared(base.on(base.relation.mutate(**by)) if by else base, list(by), figures)
        made = {n: self._figure(relation, m) for n, m in figures.items() if n not in apart}
        if not apart:
            return aggregated(relation.relation, list(by), made)
        inner = {f"{n}#{i}": o for n, m in apart.items() for i, o in enumerate(_overs(m))}
        stacks = [aggregated(relation.relation, list(by), {**made, "_n": relation.relation.count()})]
        stacks += [self._over(query, keys, name, over) for name, over in inner.items()]
        whole = stacked(stacks, list(by))
        late = {
            n: self._late(m, iter([whole[f"{n}#{i}"] for i, _ in enumerate(_overs(m))]), whole)
            for n, m in apart.items()
        }
        return whole.mutate(**late)

    def _prepared(self, base: Base, by: list[str], figures: dict[str, al.Node]) -> Base:
        """The rows with what some aggregates need beside the values, within each group."""
        for node in [
            n for m in figures.values() for n in _aggregates(m) if n.how in PREPARED and n.of is not None
        ]:
            name = f"_q{len(base.prepared)}"
            value = self._rows.value(base, node.of)  # pyright: ignore[reportArgumentType]
            if node.how is not al.How.MODE:
                numeric(value, node.how)
            where = self._rows.test(base, node.where)[1] if node.where is not None else None
            relation = prepare(base.relation, node.how, value, where, by, name)
            base = replace(base.on(relation), prepared=(*base.prepared, (node, name)))
        return base

    def _over(self, query: al.Query, keys: dict[str, al.Key], name: str, over: al.Over) -> Any:
        inner = al.Query(
            rows=query.rows,
            keys=(*(k.model_copy(update={"name": n}) for n, k in keys.items()),
                  *(k.model_copy(update={"name": f"_p{i}"}) for i, k in enumerate(over.per))),
            measures=(al.Shown(measure=over.measure, name="_v"),),
            having=over.having,
        )  # fmt: skip
        groups = self._lower(inner).expression
        groups = groups.filter([groups[f"_p{i}"].notnull() for i in range(len(over.per))])
        if over.how in PREPARED:
            groups = prepare(groups, over.how, groups["_v"], None, list(keys), "_q")
            made = prepared_aggregate(groups, over.how, "_q")
        else:
            made = aggregated_as(over.how, groups["_v"], None, groups, over.quantile)
        return aggregated(groups, list(keys), {name: made})

    def _late(self, node: al.Node, overs: Iterator[Any], relation: Any) -> Any:
        import ibis

        if isinstance(node, al.Over):
            return next(overs)
        if isinstance(node, al.Arithmetic):
            return computed(node.function, [self._late(m, overs, relation) for m in node.of], node)
        if isinstance(node, al.Literally):
            return ibis.literal(node.value)
        if isinstance(node, al.Whole):
            return self._rows.scalar(node.query)
        raise InvalidInput("Averages over groups can only be combined with each other.")

    def _figure(self, base: Base, node: al.Node) -> Any:
        import ibis

        if isinstance(node, al.Literally):
            return ibis.literal(node.value)
        if isinstance(node, al.Arithmetic):
            return computed(node.function, [self._figure(base, m) for m in node.of], node)
        if isinstance(node, al.Whole):
            return self._rows.scalar(node.query)
        if not isinstance(node, al.Aggregate):
            raise InvalidInput(f"A {type(node).__name__.lower()} is no number of many rows.")
        if (name := next((n for held, n in base.prepared if held is node), None)) is not None:
            return prepared_aggregate(base.relation, node.how, name)
        where = self._rows.test(base, node.where)[1] if node.where is not None else None
        if node.of is None:
            return base.relation.count(where=where)
        value = self._rows.value(base, node.of)
        if node.how is al.How.CORRELATION and node.beside is not None:
            other = self._rows.value(base, node.beside)
            for side in (value, other):
                numeric(side, node.how)
            return value.cast("float64").corr(other.cast("float64"), where=where, how="pop")
        if node.how in (al.How.AT_MOST, al.How.AT_LEAST) and node.beside is not None:
            other = self._rows.value(base, node.beside)
            return (value.argmax if node.how is al.How.AT_MOST else value.argmin)(other, where=where)
        return aggregated_as(node.how, value, where, base.relation, node.quantile)

    def key(self, base: Base, key: al.Key) -> Any:
        value = self._rows.value(base, key.of)
        if key.grain is None:
            return value
        if not value.type().is_temporal():
            raise InvalidInput(f"{name_of(key)} holds no dates, so it has no {key.grain}.")
        return period(value, key.grain)


def _aggregates(node: al.Node) -> Iterator[al.Aggregate]:
    """The aggregates of the rows themselves that a figure is made of."""
    if isinstance(node, al.Aggregate):
        yield node
    elif isinstance(node, al.Arithmetic):
        for part in node.of:
            yield from _aggregates(part)


def _overs(node: al.Node) -> list[al.Over]:
    if isinstance(node, al.Over):
        return [node]
    if isinstance(node, al.Arithmetic):
        return [o for m in node.of for o in _overs(m)]
    return []


def _has_over(node: al.Node) -> bool:
    return bool(_overs(node))


def aggregated(relation: Any, by: list[str], made: dict[str, Any]) -> Any:
    return relation.group_by(by).aggregate(**made) if by else relation.aggregate(**made)


def stacked(parts: Sequence[Any], by: list[str]) -> Any:
    """Several relations over the same groups as one: stacked and grouped, so that missing names match too."""
    import ibis

    kinds = {c: kind for p in parts for c, kind in p.schema().items()}
    alike = [
        p.select(**{c: p[c].cast(kinds[c]) if c in p.columns else ibis.null(kinds[c]) for c in kinds})
        for p in parts
    ]
    whole = ibis.union(alike[0], *alike[1:], distinct=False)
    made = {c: whole[c].max() for c in kinds if c not in by}
    return aggregated(whole, by, made)
