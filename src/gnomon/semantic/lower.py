"""The one lowering: a tree of the algebra becomes one relational expression, whatever read the question.

Joins are followed from many to one only, so no row is counted twice; whatever multiplies, mixes types or reaches nothing
is refused here, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput
from gnomon.core.shapes import is_single
from gnomon.semantic.computing import Names, compared, computed, name_of
from gnomon.semantic.lowered_groups import GroupLowering, stacked
from gnomon.semantic.lowered_rows import Base, RowLowering
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.query import MAX_ROWS
from gnomon.semantic.relations import Tables
from gnomon.semantic.row_functions import divided


@dataclass(frozen=True)
class Part:
    """One column of a result.

    Args:
        name: Its name.
        node: The key, measure or value that it holds.
        is_key: Whether it names a group or row rather than measures it.
    """

    name: str
    node: al.Node
    is_key: bool


@dataclass(frozen=True)
class Lowered:
    """An expression, what its columns are, and what a reader of the result should know."""

    expression: Any
    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()


class Lowering:
    """Lowers trees over one model.

    Args:
        model: What leads where.
        tables: The tables as expressions.
    """

    def __init__(self, model: SemanticModel, tables: Tables) -> None:
        self._rows = RowLowering(model, tables, self._inner)
        self._groups = GroupLowering(self._rows, self._inner)

    def ask(self, ask: al.Query | al.Along | al.Against) -> Lowered:
        """The expression of a whole question, cut at the most rows that a result may have.

        Raises:
            InvalidInput: Values do not fit together.
            OutOfScope: The data does not connect what is asked for.
        """
        lowered = (
            self._along(ask) if isinstance(ask, al.Along)
            else self._against(ask) if isinstance(ask, al.Against)
            else self.query(ask)
        )  # fmt: skip
        return replace(lowered, notes=tuple(self._rows.notes))

    def query(self, query: al.Query, *, inner: bool = False) -> Lowered:
        """One query; ``inner`` ones are neither ordered nor cut unless they say so."""
        build = self._grouped if query.measures or query.keys else self._listed
        ordered = not inner or bool(query.order or query.limit or query.offset)
        lowered = build(query, self._rows.base(query), ordered)
        few = query.limit is not None and query.limit <= MAX_ROWS and not query.per
        if inner or few or is_single(query):
            return lowered
        return replace(lowered, expression=lowered.expression.limit(MAX_ROWS + 1))

    def _inner(self, query: al.Query) -> Lowered:
        return self.query(query, inner=True)

    def values(self, query: al.Query) -> Any:
        """What a query shows of each of its rows, in the order in which they are held."""
        base = self._rows.base(query)
        return base.relation.select(**{k.name or name_of(k): self._groups.key(base, k) for k in query.show})

    def _grouped(self, query: al.Query, base: Base, ordered: bool) -> Lowered:
        names = Names()
        keys = {names.of(k.name or name_of(k), "key"): k for k in query.keys}
        measures = {names.of(m.name or name_of(m.measure), "figure"): m.measure for m in query.measures}
        hidden: dict[str, al.Node] = {}
        wanted: list[al.Node] = [*self._measures_in(query.having), *(o.by for o in query.order)]
        for node in wanted:
            if _is_measure(node) and not any(
                al.same(node, m) for m in [*measures.values(), *hidden.values()]
            ):
                hidden[f"_h{len(hidden)}"] = node
        relation = self._groups.figures(query, base, keys, {**measures, **hidden})
        columns = {**keys, **measures, **hidden}
        if query.having is not None:
            relation = relation.filter(self._over_results(relation, query.having, columns))
        relation = self._ordered(query, relation, columns, list(keys)) if ordered else relation
        shown = [*keys, *measures]
        parts = [Part(n, k, True) for n, k in keys.items()] + [Part(n, m, False) for n, m in measures.items()]
        return Lowered(_only(relation, shown), tuple(parts))

    def _measures_in(self, having: al.Node | None) -> list[al.Node]:
        if having is None:
            return []
        return [n for n in _above(having) if _is_measure(n)]

    def _over_results(self, relation: Any, node: al.Node, columns: dict[str, al.Node]) -> Any:
        """A condition on groups, over the columns of the result."""
        if isinstance(node, (al.Every, al.Either)):
            tests = [self._over_results(relation, p, columns) for p in node.of]
            whole = tests[0]
            for test in tests[1:]:
                whole = whole & test if isinstance(node, al.Every) else whole | test
            return whole
        if isinstance(node, al.Not):
            return ~self._over_results(relation, node.of, columns)
        if isinstance(node, al.Missing):
            value = self._result(relation, node.of, columns)
            return value.isnull() if node.hold else value.notnull()
        if isinstance(node, al.Among) and node.query is None:
            test = self._result(relation, node.left, columns).isin([v.value for v in node.values])
            return test if node.hold else ~test
        if isinstance(node, al.Test):
            left, right = (self._result(relation, side, columns) for side in (node.left, node.right))
            return compared(left, node.operator, right)
        raise InvalidInput("Groups can be kept by their figures and names only.")

    def _result(self, relation: Any, node: al.Node, columns: dict[str, al.Node]) -> Any:
        import ibis

        for name, held in columns.items():
            inside = started(held) if isinstance(held, al.Key) else held
            if al.same(inside, node):
                return relation[name]
        if isinstance(node, al.Literally):
            return ibis.literal(node.value)
        if isinstance(node, al.Whole):
            return self._rows.scalar(node.query)
        if isinstance(node, al.Arithmetic):
            return computed(node.function, [self._result(relation, m, columns) for m in node.of], node)
        if isinstance(node, al.Call):
            return computed(node.function, [self._result(relation, a, columns) for a in node.arguments], node)
        raise InvalidInput("A condition on groups names something that the groups do not have.")

    def _ordered(self, query: al.Query, relation: Any, columns: dict[str, al.Node], keys: list[str]) -> Any:
        """In the order that is asked for; names decide between equals, so that the same question has one answer."""
        import ibis

        order = [(self._result(relation, o.by, columns), o.descending) for o in query.order]
        named = {by.get_name() for by, _ in order}
        order += [(relation[k], False) for k in keys if k not in named]
        directed = [(ibis.desc if down else ibis.asc)(by, nulls_first=False) for by, down in order]
        if query.per and query.limit is not None:
            groups = [self._result(relation, started(k), columns).get_name() for k in query.per]
            return _first_of_each(relation, groups, directed, query)
        if directed:
            relation = relation.order_by(directed)
        return relation.limit(query.limit, offset=query.offset) if query.limit or query.offset else relation

    # The rows themselves --------------------------------------------------------------------------------------------

    def _listed(self, query: al.Query, base: Base, ordered: bool) -> Lowered:
        if not query.show:
            raise InvalidInput("Nothing was asked for.", suggestions=["Name a figure, or columns to show."])
        import ibis

        names = Names()
        shown = {names.of(k.name or name_of(k), "column"): k for k in query.show}
        made = {n: self._groups.key(base, k) for n, k in shown.items()}
        by: dict[str, bool] = {}
        extra: dict[str, Any] = {}
        for i, order in enumerate(query.order):
            held = next((n for n, k in shown.items() if al.same(started(k), order.by)), f"_o{i}")
            if held not in shown:
                extra[held] = self._rows.value(base, order.by)
            by.setdefault(held, order.descending)
        relation = base.relation.select(**made, **extra)
        if query.distinct:
            if extra:
                raise InvalidInput("Different values cannot be ordered by something that is not shown.")
            relation = relation.distinct()
        by = by | {n: False for n in shown if n not in by}
        directed = [(ibis.desc if d else ibis.asc)(relation[c], nulls_first=False) for c, d in by.items()]
        if query.per and query.limit is not None:
            groups = [next(n for n, k in shown.items() if al.same(k.of, p.of)) for p in query.per]
            relation = _first_of_each(relation, groups, directed, query)
        elif ordered:
            relation = relation.order_by(directed)
            if query.limit or query.offset:
                relation = relation.limit(query.limit, offset=query.offset)
        figures = {
            *_figures_of(query.rows.query),
            *(f for b in query.rows.beside for f in _figures_of(b.query)),
        }
        parts = tuple(Part(n, k, not _is_figure(k.of, figures)) for n, k in shown.items())
        return Lowered(_only(relation, list(shown)), parts)

    # Along and against ----------------------------------------------------------------------------------------------

    def _along(self, ask: al.Along) -> Lowered:
        import ibis

        lowered = self.query(ask.query, inner=True)
        relation = lowered.expression
        figures = [p for p in lowered.parts if not p.is_key]
        if ask.measure >= len(figures):
            raise InvalidInput("There is no such figure to follow.")
        value = relation[figures[ask.measure].name]
        within = [next(p.name for p in lowered.parts if al.same(p.node, k)) for k in ask.within]
        ordered = [p.name for p in lowered.parts if p.is_key and p.name not in within]
        window = ibis.window(group_by=within or None, order_by=[relation[n] for n in ordered])
        before = value.lag(ask.span).over(window)
        made = {
            al.Walk.CHANGE: lambda: value - before,
            al.Walk.GROWTH: lambda: _grown(value, before),
            al.Walk.RUNNING: lambda: value.sum().over(
                ibis.cumulative_window(group_by=within or None, order_by=[relation[n] for n in ordered])
            ),
            al.Walk.MOVING: lambda: value.mean().over(
                ibis.trailing_window(ask.span - 1, group_by=within or None, order_by=[relation[n] for n in ordered])
            ),
            al.Walk.SHARE: lambda: divided(value, value.sum().over(ibis.window(group_by=within or None))),
            al.Walk.RANK: lambda: ibis.rank().over(
                ibis.window(group_by=within or None, order_by=ibis.desc(value))
            ) + 1,
        }[ask.step]()  # fmt: skip
        relation = relation.mutate(**{ask.step.value: made})
        if ask.descending is not None:
            by = relation[ask.step.value]
            kept = relation.filter(by.notnull())
            by = kept[ask.step.value]
            relation = kept.order_by(
                [(ibis.desc if ask.descending else ibis.asc)(by), *(kept[n] for n in ordered)]
            )
        else:
            relation = relation.order_by([*within, *ordered])
        relation = relation.limit(ask.limit or MAX_ROWS + 1)
        parts = (*lowered.parts, Part(ask.step.value, ask, False))
        return Lowered(relation, parts)

    def _against(self, ask: al.Against) -> Lowered:
        if not (isinstance(ask.left, al.Query) and isinstance(ask.right, al.Query)):
            raise InvalidInput("Only queries are set against each other here.")
        left, right = (self.query(q, inner=True) for q in (ask.left, ask.right))
        keys = [p.name for p in left.parts if p.is_key]
        if keys != [p.name for p in right.parts if p.is_key]:
            raise InvalidInput("Both sides of a comparison have to be grouped alike.")
        figures = [
            (a, b) for a, b in zip(
                [p for p in left.parts if not p.is_key], [p for p in right.parts if not p.is_key], strict=True
            )
        ]  # fmt: skip
        one = left.expression.rename({f"left_{i}": a.name for i, (a, _) in enumerate(figures)})
        other = right.expression.rename({f"right_{i}": b.name for i, (_, b) in enumerate(figures)})
        whole = stacked([one, other], keys)
        parts = [p for p in left.parts if p.is_key]
        made: dict[str, Any] = {}
        for i, (a, b) in enumerate(figures):
            x, y = whole[f"left_{i}"], whole[f"right_{i}"]
            made[f"difference_{i}"] = x - y
            made[f"change_{i}"] = _grown(x, y)
            names = (f"left_{i}", f"right_{i}", f"difference_{i}", f"change_{i}")
            parts += [Part(n, node, False) for n, node in zip(names, (a.node, b.node, ask, ask), strict=True)]
        relation = whole.mutate(**made).select([p.name for p in parts])
        if keys:
            relation = relation.order_by(keys)
        return Lowered(relation.limit(MAX_ROWS + 1), tuple(parts))


def started(key: al.Key) -> al.Expression:
    """What a key holds as a value of one row."""
    if key.grain is None:
        return key.of
    return al.Call(function=al.Function.START_OF, arguments=(key.of, al.Literally(value=key.grain.value)))


def _figures_of(query: al.Query | None) -> set[str]:
    """The columns of a result that hold figures."""
    if query is None:
        return set()
    if not query.measures:
        inner = {
            *_figures_of(query.rows.query),
            *(f for b in query.rows.beside for f in _figures_of(b.query)),
        }
        return {k.name or name_of(k) for k in query.show if _is_figure(k.of, inner)}
    return {m.name or name_of(m.measure) for m in query.measures if not isinstance(m.measure, al.Literally)}


def _is_figure(node: al.Node, figures: set[str]) -> bool:
    """Whether a value of a row is a figure that was computed of many, rather than something that names it."""
    if isinstance(node, al.Column):
        return not node.table and node.column in figures
    if isinstance(node, al.Windowed):
        return True
    if isinstance(node, (al.Call, al.Case)):
        return any(_is_figure(p, figures) for p in node.walk() if p is not node)
    return isinstance(node, al.Whole)


def _is_measure(node: al.Node) -> bool:
    return isinstance(node, (al.Aggregate, al.Over)) or (
        isinstance(node, al.Arithmetic) and any(map(_is_measure, node.of))
    )


def _above(node: al.Node) -> Iterator[al.Node]:
    """The measures in a condition, each whole."""
    if _is_measure(node):
        yield node
    elif not isinstance(node, (al.Query, al.Whole)):
        for part in node.parts():
            yield from _above(part)


def _first_of_each(relation: Any, groups: list[str], order: list[Any], query: al.Query) -> Any:
    """The first rows of each group, in the order of the groups."""
    import ibis

    window = ibis.window(group_by=groups, order_by=order)
    numbered = relation.mutate(_place=ibis.row_number().over(window))
    after = query.offset + (query.limit or 0)
    kept = numbered.filter(numbered["_place"] >= query.offset, numbered["_place"] < after)
    return kept.order_by([*groups, "_place"])


def _grown(now: Any, before: Any) -> Any:
    """The change as a part of what it was; unknown below zero, where percent mislead."""
    return ((before > 0) & (now >= 0)).ifelse(divided(now - before, before), None)


def _only(relation: Any, names: list[str]) -> Any:
    return relation if list(relation.columns) == names else relation.select(names)
