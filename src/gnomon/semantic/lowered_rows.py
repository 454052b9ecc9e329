"""Rows, their values and their truths as expressions, along joins from many to one, so that no row is counted twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput, OutOfScope
from gnomon.core.shapes import is_single
from gnomon.semantic.computing import aggregated_as, comparable, compared, computed, identified_by
from gnomon.semantic.model import ColumnRef, Dimension, DimensionType, SemanticModel
from gnomon.semantic.relations import Tables, rows_of

if TYPE_CHECKING:
    from gnomon.semantic.lower import Lowered

# What equal rows would make a matter of chance: names decide between them.
_ONE_AFTER_ANOTHER = frozenset({al.Glance.PLACE, al.Glance.PORTION, al.Glance.BEFORE, al.Glance.AFTER})


@dataclass(frozen=True)
class Base:
    """The rows of a scope: a relation, the column of it that holds each reference, and what tells equal rows apart."""

    relation: Any
    held: dict[tuple[str, str, str | None], str]
    ties: tuple[str, ...] = ()
    prepared: tuple[tuple[al.Aggregate, str], ...] = ()
    made: dict[int, tuple[al.Node, Any]] = field(default_factory=dict[int, tuple[al.Node, Any]])

    def column(self, node: al.Column) -> Any:
        return self.relation[self.held[node.table, node.column, node.via]]

    def on(self, relation: Any) -> Base:
        return replace(self, relation=relation, made={})


class RowLowering:
    """Lowers what rows are asked about, and what is asked of each.

    Args:
        model: What leads where.
        tables: The tables as expressions.
        lower: Lowers a query inside another.
    """

    def __init__(self, model: SemanticModel, tables: Tables, lower: Callable[[al.Query], Lowered]) -> None:
        self._model = model
        self._tables = tables
        self._lower = lower
        self.notes: dict[str, None] = {}

    def base(self, query: al.Query) -> Base:
        """The rows that a query asks about, with all columns that it needs of them."""
        rows = query.rows
        every = list(dict.fromkeys((c.table, c.column, c.via) for c in own_columns(query)))
        beside = [w for w in every if not w[0] and w[2] is not None]
        base = self._own(rows, [w for w in every if w not in beside])
        for other in rows.beside:
            base = self._joined(base, other)
        if missing := [w[1] for w in beside if w not in base.held]:
            raise OutOfScope(f"Nothing beside the rows shows {missing[0]}.")
        if rows.where is None:
            return base
        base, test = self.test(base, rows.where)
        return base.on(base.relation.filter(test))

    def _joined(self, base: Base, beside: al.Beside) -> Base:
        """The rows with the one row of another result that belongs to each."""
        lowered = self._lower(beside.query)
        known = identified_by(beside.query)
        if known is None or not known <= {m.theirs for m in beside.on}:
            raise InvalidInput(
                f"{beside.name} may have several rows for one, so figures would count some twice."
            )
        names = {n: f"{beside.name}.{n}" for n in lowered.expression.columns}
        right = lowered.expression.select(**{to: lowered.expression[n] for n, to in names.items()})
        base, mine = self._in_columns(base, [m.mine for m in beside.on])
        tests = [one == right[names[m.theirs]] for one, m in zip(mine, beside.on, strict=True)]
        joined = (
            base.relation.cross_join(right) if not tests
            else base.relation.left_join(right, tests) if beside.outer
            else base.relation.inner_join(right, tests)
        )  # fmt: skip
        held = {**base.held, **{("", n, beside.name): to for n, to in names.items()}}
        return Base(joined, held, base.ties)

    def _in_columns(self, base: Base, nodes: Sequence[al.Node]) -> tuple[Base, list[Any]]:
        """The rows with values in columns of their own.

        Where rows and the result beside them come from one table, Ibis takes a value that both compute alike for the
        column of the result, and would match each row with all of it.
        """
        first = len(base.relation.columns)
        made = {
            f"_m{first + i}": self.value(base, n) for i, n in enumerate(nodes) if not isinstance(n, al.Column)
        }
        base = base.on(base.relation.mutate(**made)) if made else base
        held = [f"_m{first + i}" for i in range(len(nodes))]
        return base, [
            base.relation[h] if h in made else base.column(n)  # pyright: ignore[reportArgumentType]
            for h, n in zip(held, nodes, strict=True)
        ]

    def _stacked_rows(self, rows: al.Rows) -> Lowered:
        """The rows of one result, and of others below it, column by column."""
        assert rows.query is not None
        first = self._lower(rows.query)
        if not rows.also:
            return first
        import ibis

        parts = [first.expression]
        for query in rows.also:
            other = self._lower(query).expression
            if len(other.columns) != len(first.expression.columns):
                raise InvalidInput("Results below each other need as many columns.")
            pairs = zip(first.expression.columns, other.columns, strict=True)
            parts.append(other.select(**{a: other[b] for a, b in pairs}))
        kinds = {n: ibis.dtype(_common([p[n].type() for p in parts])) for n in first.expression.columns}
        alike = [p.select(**{n: p[n].cast(kinds[n]) for n in kinds}) for p in parts]
        return replace(first, expression=ibis.union(alike[0], *alike[1:], distinct=False))

    def _own(self, rows: al.Rows, wanted: list[tuple[str, str, str | None]]) -> Base:
        if rows.query is not None:
            lowered = self._stacked_rows(rows)
            missing = [c for t, c, _ in wanted if t or c not in lowered.expression.columns]
            if missing:
                raise OutOfScope(f"The inner query shows no {missing[0]}.")
            known = identified_by(rows.query) if not rows.also else None
            return Base(lowered.expression, {w: w[1] for w in wanted}, tuple(sorted(known or ())))
        table = self._tables.table(rows.table)
        own = {w: w[1] for w in wanted if w[0] == rows.table and w[2] is None}
        for _, column, _ in own:
            if column not in table.columns:
                raise OutOfScope(f"{rows.table} has no column {column}.")
        away = [w for w in wanted if w not in own]
        beyond = [self._stand_in(rows.table, w) for w in away]
        found = rows_of(self._tables, self._model, rows.table, beyond, own.values())
        held = {**own, **{w: found.columns[_spelled(w)] for w in away}}
        self.notes.update(dict.fromkeys(found.notes))
        return Base(found.expression, held)

    def _stand_in(self, base: str, wanted: tuple[str, str, str | None]) -> Dimension:
        """A dimension that leads to exactly one column, by the join that is asked for; the nearest of that name."""
        table, column, via = wanted
        ref = ColumnRef(table=table, column=column)
        plain = Dimension(name=_spelled(wanted), label=column, type=DimensionType.CATEGORY, locations=(ref,))
        if via is None:
            return plain
        joins = [j for j in self._model.joins if j.to_table == table and j.column == via]
        led = [plain.model_copy(update={"via": ColumnRef(table=j.table, column=via)}) for j in joins]
        ways = [(len(way), i) for i, d in enumerate(led) if (way := self._model.path(base, d)) is not None]
        if not ways:
            raise OutOfScope(f"No column {via} leads to {table}.")
        return led[min(ways)[1]]

    def value(self, base: Base, node: al.Node) -> Any:
        import ibis

        if isinstance(node, al.Column):
            return base.column(node)
        if isinstance(node, al.Literally):
            return ibis.literal(node.value) if node.value is not None else ibis.null()
        if isinstance(node, al.Call):
            if (
                id(node) not in base.made
            ):  # a figure and how many rows have it share what is computed of a row
                given = [self.value(base, a) for a in node.arguments]
                base.made[id(node)] = node, computed(node.function, given, node)
            return base.made[id(node)][1]
        if isinstance(node, al.Case):
            pairs = [
                (self.test(base, t)[1], self.value(base, v))
                for t, v in zip(node.tests, node.values, strict=True)
            ]
            otherwise = self.value(base, node.otherwise) if node.otherwise is not None else ibis.null()
            return ibis.cases(*pairs, else_=otherwise)
        if isinstance(node, al.Windowed):
            return self._windowed(base, node)
        if isinstance(node, al.Whole) and not node.within:
            return self.scalar(node.query)
        raise InvalidInput("A number of many rows stands where a value of one row is needed.")

    def _windowed(self, base: Base, node: al.Windowed) -> Any:
        import ibis

        within = [self.value(base, w) for w in node.within] or None
        order = [
            (ibis.desc if o.descending else ibis.asc)(self.value(base, o.by), nulls_first=False)
            for o in node.order
        ]
        if order and node.glance in _ONE_AFTER_ANOTHER:
            order += [ibis.asc(base.relation[n]) for n in base.ties]
        plain = ibis.window(group_by=within, order_by=order or None)
        places: dict[al.Glance, Callable[[], Any]] = {
            al.Glance.PLACE: lambda: ibis.row_number().over(plain) + 1,
            al.Glance.RANK: lambda: ibis.rank().over(plain) + 1,
            al.Glance.DENSE_RANK: lambda: ibis.dense_rank().over(plain) + 1,
            al.Glance.PORTION: lambda: ibis.ntile(node.span).over(plain) + 1,
        }
        if node.glance in places:
            if not order:
                raise InvalidInput("A rank needs an order.")
            return places[node.glance]()
        value: Any = self.value(base, node.of) if node.of is not None else ibis.literal(1)
        if node.glance in (al.Glance.BEFORE, al.Glance.AFTER):
            if not order:
                raise InvalidInput("What comes before needs an order.")
            step = value.lag if node.glance is al.Glance.BEFORE else value.lead
            return step(node.span).over(plain)
        made = value.count() if node.glance is al.Glance.COUNT else aggregated_as(
            al.How(node.glance.value), value, None, base.relation, None
        )  # fmt: skip
        if not order:
            return made.over(plain)
        if node.back is not None:
            return made.over(ibis.trailing_window(node.back, group_by=within, order_by=order))
        return made.over(ibis.range_window(preceding=None, following=0, group_by=within, order_by=order))

    def _operand(self, base: Base, node: al.Node) -> tuple[Base, Any]:
        """A side of a test on rows; a number of other rows is brought beside each row where it differs by group."""
        if isinstance(node, al.Whole) and node.within:
            return self._beside(base, node)
        if isinstance(node, al.Whole):
            return base, self.scalar(node.query)
        if isinstance(node, al.Call) and any(isinstance(n, al.Whole) and n.within for n in node.walk()):
            raise InvalidInput(
                "A number of other rows of the same group can be compared with, not computed with, in a condition."
            )
        return base, self.value(base, node)

    def scalar(self, query: al.Query) -> Any:
        lowered = self._lower(query)
        figures = [p.name for p in lowered.parts if not p.is_key] or [p.name for p in lowered.parts]
        if len(figures) != 1 or not is_single(query):
            raise InvalidInput("What is compared with has to be one number.")
        return lowered.expression.select(figures[0]).as_scalar()

    def _beside(self, base: Base, node: al.Whole) -> tuple[Base, Any]:
        """A number of each group of other rows, joined to the rows of that group."""
        keys = tuple(al.Key(of=c, name=f"_w{i}") for i, c in enumerate(node.within))
        lowered = self._lower(node.query.model_copy(update={"keys": keys}))
        figure = next(p.name for p in lowered.parts if not p.is_key)
        name = f"_b{len(base.relation.columns)}"
        right = lowered.expression.select(
            **{f"{name}_{i}": lowered.expression[k.name or ""] for i, k in enumerate(keys)},
            **{name: lowered.expression[figure]},
        )
        base, mine = self._in_columns(base, node.within)
        tests = [one == right[f"{name}_{i}"] for i, one in enumerate(mine)]
        joined = base.on(base.relation.left_join(right, tests))
        return joined, joined.relation[name]

    def test(self, base: Base, node: al.Node) -> tuple[Base, Any]:
        if isinstance(node, (al.Every, al.Either)):
            return self._combined(base, node)
        if isinstance(node, al.Not):
            base, test = self.test(base, node.of)
            return base, ~test
        if isinstance(node, al.Missing):
            base, value = self._operand(base, node.of)
            return base, value.isnull() if node.hold else value.notnull()
        if isinstance(node, al.Among):
            return base, self._among(base, node)
        if isinstance(node, al.Has):
            return base, self._has(base, node)
        assert isinstance(node, al.Test)
        base, left = self._operand(base, node.left)
        base, right = self._operand(base, node.right)
        if isinstance(node.left, (al.Column, al.Call, al.Case)) and not isinstance(node.left, al.Whole):
            left = self.value(base, node.left)  # a join made the relation anew
        return base, compared(left, node.operator, right)

    def _combined(self, base: Base, node: al.Every | al.Either) -> tuple[Base, Any]:
        if len([p for p in node.of if _needs_join(p)]) > 1:
            raise InvalidInput("Two conditions against groups of other rows cannot be combined.")
        tests: list[Any] = []
        # Whatever is brought beside the rows comes first, so that all tests see one relation.
        for part in sorted(node.of, key=_needs_join, reverse=True):
            base, test = self.test(base, part)
            tests.append(test)
        whole = tests[0]
        for test in tests[1:]:
            whole = whole & test if isinstance(node, al.Every) else whole | test
        return base, whole

    def _among(self, base: Base, node: al.Among) -> Any:
        value = self.value(base, node.left)
        if node.query is None:
            values = [v.value for v in node.values]
            comparable(value, values)
            test = value.isin(values)
        else:
            lowered = self._lower(node.query)
            if len(lowered.parts) != 1:
                raise InvalidInput("What a value is to be one of has to be one column.")
            other = lowered.expression[lowered.parts[0].name]
            test = value.isin(lowered.expression.filter(other.notnull())[lowered.parts[0].name])
        return test if node.hold else ~test

    def _has(self, base: Base, node: al.Has) -> Any:
        counted = al.Query(
            rows=node.rows,
            keys=(al.Key(of=node.key, name="_key"),),
            measures=(al.Shown(measure=al.Aggregate(how=al.How.COUNT), name="_n"),),
        )
        lowered = self._lower(counted).expression
        there = lowered.filter(lowered["_n"] >= node.at_least, lowered["_key"].notnull())
        test = base.column(node.of).isin(there["_key"])
        return test if node.hold else ~test


def _common(kinds: Sequence[Any]) -> Any:
    """The type that holds the values of several columns."""
    import ibis.expr.datatypes as dt

    first = kinds[0]
    for kind in kinds[1:]:
        if first.is_null() or (kind.is_floating() and first.is_integer()):
            first = kind
        elif first.is_numeric() and kind.is_numeric() and first != kind:
            first = (
                dt.float64
                if first.is_floating() or kind.is_floating() or first.is_decimal() or kind.is_decimal()
                else dt.int64
            )
        elif not kind.is_null() and (
            first.is_string() != kind.is_string() or first.is_temporal() != kind.is_temporal()
        ):
            raise InvalidInput("Results below each other need columns of the same kinds.")
    return first


def own_columns(query: al.Query) -> Iterator[al.Column]:
    """The columns that a query needs of its own rows: those of queries inside it are theirs."""
    for part in query.parts():
        if part is query.rows:
            for beside in query.rows.beside:
                for match in beside.on:
                    yield from _columns(match.mine)
            if query.rows.where is not None:
                yield from _columns(query.rows.where)
        else:
            yield from _columns(part)


def _columns(node: al.Node) -> Iterator[al.Column]:
    if isinstance(node, al.Column):
        yield node
    elif isinstance(node, al.Query):
        return
    elif isinstance(node, al.Whole):
        for value in node.within:
            yield from _columns(value)
    elif isinstance(node, al.Has):
        yield node.of
    elif isinstance(node, al.Over):
        return  # computed by a query of its own
    else:
        for part in node.parts():
            yield from _columns(part)


def _spelled(wanted: tuple[str, str, str | None]) -> str:
    table, column, via = wanted
    return f"{table}.{column}" if via is None else f"{table}.{column} via {via}"


def _needs_join(node: al.Node) -> bool:
    """Whether a condition holds rows against a number of their own group of other rows."""
    if isinstance(node, al.Whole):
        return bool(node.within)
    return not isinstance(node, al.Query) and any(map(_needs_join, node.parts()))
