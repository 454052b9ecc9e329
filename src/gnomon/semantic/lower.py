"""The one lowering: a tree of the algebra becomes one relational expression, whatever read the question.

Joins are followed from many to one only, so no row is counted twice; whatever multiplies, mixes types or reaches nothing
is refused here, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput, OutOfScope
from gnomon.semantic.computing import (
    UNITS,
    aggregated_as,
    comparable,
    compared,
    computed,
    identified_by,
    name_of,
    numeric,
)
from gnomon.semantic.model import ColumnRef, Dimension, DimensionType, SemanticModel
from gnomon.semantic.query import MAX_ROWS
from gnomon.semantic.relations import Tables, rows_of
from gnomon.semantic.row_functions import divided

# What equal rows would make a matter of chance: names decide between them.
_ONE_AFTER_ANOTHER = frozenset({al.Glance.PLACE, al.Glance.PORTION, al.Glance.BEFORE, al.Glance.AFTER})


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


@dataclass(frozen=True)
class _Base:
    """The rows of a scope: a relation, the column of it that holds each reference, and what tells equal rows apart."""

    relation: Any
    held: dict[tuple[str, str, str | None], str]
    notes: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()

    def column(self, node: al.Column) -> Any:
        return self.relation[self.held[node.table, node.column, node.via]]

    def on(self, relation: Any) -> _Base:
        return replace(self, relation=relation)


class Lowering:
    """Lowers trees over one model.

    Args:
        model: What leads where.
        tables: The tables as expressions.
    """

    def __init__(self, model: SemanticModel, tables: Tables) -> None:
        self._model = model
        self._tables = tables

    def ask(self, ask: al.Query | al.Along | al.Against) -> Lowered:
        """The expression of a whole question, cut at the most rows that a result may have.

        Raises:
            InvalidInput: Values do not fit together.
            OutOfScope: The data does not connect what is asked for.
        """
        if isinstance(ask, al.Along):
            return self._along(ask)
        if isinstance(ask, al.Against):
            return self._against(ask)
        return self.query(ask)

    def query(self, query: al.Query, *, inner: bool = False) -> Lowered:
        """One query; ``inner`` ones are neither ordered nor cut unless they say so."""
        base = self._base(query)
        if query.rows.where is not None:
            base = self._filtered(base, query.rows.where)
        lowered = self._grouped(query, base) if query.measures or query.keys else self._listed(query, base)
        return lowered if inner else replace(lowered, expression=lowered.expression.limit(MAX_ROWS + 1))

    # Rows ---------------------------------------------------------------------------------------------------------

    def _base(self, query: al.Query) -> _Base:
        rows = query.rows
        every = list(dict.fromkeys((c.table, c.column, c.via) for c in own_columns(query)))
        beside = [w for w in every if not w[0] and w[2] is not None]
        base = self._own(rows, [w for w in every if w not in beside])
        for other in rows.beside:
            base = self._joined(base, other)
        if missing := [w[1] for w in beside if w not in base.held]:
            raise OutOfScope(f"Nothing beside the rows shows {missing[0]}.")
        return base

    def _joined(self, base: _Base, beside: al.Beside) -> _Base:
        """The rows with the one row of another result that belongs to each."""
        lowered = self.query(beside.query, inner=True)
        known = identified_by(beside.query)
        if known is None or not known <= {m.theirs for m in beside.on}:
            raise InvalidInput(
                f"{beside.name} may have several rows for one, so figures would count some twice."
            )
        names = {n: f"{beside.name}.{n}" for n in lowered.expression.columns}
        right = lowered.expression.select(**{to: lowered.expression[n] for n, to in names.items()})
        tests = [self._value(base, m.mine) == right[names[m.theirs]] for m in beside.on]
        joined = (
            base.relation.cross_join(right) if not tests
            else base.relation.left_join(right, tests) if beside.outer
            else base.relation.inner_join(right, tests)
        )  # fmt: skip
        held = {**base.held, **{("", n, beside.name): to for n, to in names.items()}}
        return _Base(joined, held, (*base.notes, *lowered.notes), base.ties)

    def _stacked_rows(self, rows: al.Rows) -> Lowered:
        """The rows of one result, and of others below it, column by column."""
        assert rows.query is not None
        first = self.query(rows.query, inner=True)
        if not rows.also:
            return first
        import ibis

        parts = [first.expression]
        for query in rows.also:
            other = self.query(query, inner=True).expression
            if len(other.columns) != len(first.expression.columns):
                raise InvalidInput("Results below each other need as many columns.")
            pairs = zip(first.expression.columns, other.columns, strict=True)
            parts.append(other.select(**{a: other[b] for a, b in pairs}))
        kinds = {n: ibis.dtype(_common([p[n].type() for p in parts])) for n in first.expression.columns}
        alike = [p.select(**{n: p[n].cast(kinds[n]) for n in kinds}) for p in parts]
        return replace(first, expression=ibis.union(alike[0], *alike[1:], distinct=False))

    def _own(self, rows: al.Rows, wanted: list[tuple[str, str, str | None]]) -> _Base:
        if rows.query is not None:
            lowered = self._stacked_rows(rows)
            missing = [c for t, c, _ in wanted if t or c not in lowered.expression.columns]
            if missing:
                raise OutOfScope(f"The inner query shows no {missing[0]}.")
            known = identified_by(rows.query) if not rows.also else None
            return _Base(
                lowered.expression, {w: w[1] for w in wanted}, lowered.notes, tuple(sorted(known or ()))
            )
        table = self._tables.table(rows.table)
        own = {w: w[1] for w in wanted if w[0] == rows.table and w[2] is None}
        for _, column, _ in own:
            if column not in table.columns:
                raise OutOfScope(f"{rows.table} has no column {column}.")
        away = [w for w in wanted if w not in own]
        found = rows_of(
            self._tables, self._model, rows.table, [self._stand_in(w) for w in away], own.values()
        )
        held = {**own, **{w: found.columns[_spelled(w)] for w in away}}
        return _Base(found.expression, held, found.notes)

    def _stand_in(self, wanted: tuple[str, str, str | None]) -> Dimension:
        """A dimension that leads to exactly one column, by the join that is asked for."""
        table, column, via = wanted
        joins = [j for j in self._model.joins if j.to_table == table and (via is None or j.column == via)]
        if via is not None and not joins:
            raise OutOfScope(f"No column {via} leads to {table}.")
        led = ColumnRef(table=joins[0].table, column=via) if via is not None else None
        ref = ColumnRef(table=table, column=column)
        return Dimension(
            name=_spelled(wanted), label=column, type=DimensionType.CATEGORY, locations=(ref,), via=led
        )

    def _filtered(self, base: _Base, where: al.Predicate) -> _Base:
        base, test = self._test(base, where)
        return base.on(base.relation.filter(test))

    # Values of one row ----------------------------------------------------------------------------------------------

    def _value(self, base: _Base, node: al.Node) -> Any:
        import ibis

        if isinstance(node, al.Column):
            return base.column(node)
        if isinstance(node, al.Literally):
            return ibis.literal(node.value) if node.value is not None else ibis.null()
        if isinstance(node, al.Call):
            return computed(node.function, [self._value(base, a) for a in node.arguments], node)
        if isinstance(node, al.Case):
            pairs = [
                (self._test(base, t)[1], self._value(base, v))
                for t, v in zip(node.tests, node.values, strict=True)
            ]
            otherwise = self._value(base, node.otherwise) if node.otherwise is not None else ibis.null()
            return ibis.cases(*pairs, else_=otherwise)
        if isinstance(node, al.Windowed):
            return self._windowed(base, node)
        if isinstance(node, al.Whole) and not node.within:
            return self._scalar(node.query)
        raise InvalidInput("A number of many rows stands where a value of one row is needed.")

    def _windowed(self, base: _Base, node: al.Windowed) -> Any:
        import ibis

        within = [self._value(base, w) for w in node.within] or None
        order = [
            (ibis.desc if o.descending else ibis.asc)(self._value(base, o.by), nulls_first=False)
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
        value: Any = self._value(base, node.of) if node.of is not None else ibis.literal(1)
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

    def _operand(self, base: _Base, node: al.Node) -> tuple[_Base, Any]:
        """A side of a test on rows; a number of other rows is brought beside each row where it differs by group."""
        if isinstance(node, al.Whole) and node.within:
            return self._beside(base, node)
        if isinstance(node, al.Whole):
            return base, self._scalar(node.query)
        if isinstance(node, al.Call) and any(isinstance(n, al.Whole) for n in node.walk()):
            raise InvalidInput(
                "A number of other rows can be compared with, not computed with, in a condition."
            )
        return base, self._value(base, node)

    def _scalar(self, query: al.Query) -> Any:
        lowered = self.query(query, inner=True)
        figures = [p.name for p in lowered.parts if not p.is_key] or [p.name for p in lowered.parts]
        if (
            len(figures) != 1
            or (query.keys and query.limit != 1)
            or (not query.measures and query.limit != 1)
        ):
            raise InvalidInput("What is compared with has to be one number.")
        return lowered.expression.select(figures[0]).as_scalar()

    def _beside(self, base: _Base, node: al.Whole) -> tuple[_Base, Any]:
        """A number of each group of other rows, joined to the rows of that group."""
        keys = tuple(al.Key(of=c, name=f"_w{i}") for i, c in enumerate(node.within))
        lowered = self.query(node.query.model_copy(update={"keys": keys}), inner=True)
        figure = next(p.name for p in lowered.parts if not p.is_key)
        name = f"_b{len(base.relation.columns)}"
        right = lowered.expression.select(
            **{f"{name}_{i}": lowered.expression[k.name or ""] for i, k in enumerate(keys)},
            **{name: lowered.expression[figure]},
        )
        tests = [base.column(c) == right[f"{name}_{i}"] for i, c in enumerate(node.within)]
        joined = base.on(base.relation.left_join(right, tests))
        return joined, joined.relation[name]

    # Truths of one row ----------------------------------------------------------------------------------------------

    def _test(self, base: _Base, node: al.Node) -> tuple[_Base, Any]:
        if isinstance(node, (al.Every, al.Either)):
            return self._combined(base, node)
        if isinstance(node, al.Not):
            base, test = self._test(base, node.of)
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
            left = self._value(base, node.left)  # a join made the relation anew
        return base, compared(left, node.operator, right)

    def _combined(self, base: _Base, node: al.Every | al.Either) -> tuple[_Base, Any]:
        for (
            part
        ) in node.of:  # whatever is brought beside the rows comes first, so that all tests see one relation
            base, _ = self._test(base, part) if _needs_join(part) else (base, None)
        if any(map(_needs_join, node.of)) and len([p for p in node.of if _needs_join(p)]) > 1:
            raise InvalidInput("Two conditions against groups of other rows cannot be combined.")
        tests: list[Any] = []
        for part in sorted(node.of, key=_needs_join, reverse=True):
            if _needs_join(part):
                base, test = self._test(base, part)
            else:
                _, test = self._test(base, part)
            tests.append(test)
        whole = tests[0]
        for test in tests[1:]:
            whole = whole & test if isinstance(node, al.Every) else whole | test
        return base, whole

    def _among(self, base: _Base, node: al.Among) -> Any:
        value = self._value(base, node.left)
        if node.query is None:
            values = [v.value for v in node.values]
            comparable(value, values)
            test = value.isin(values)
        else:
            lowered = self.query(node.query, inner=True)
            if len(lowered.parts) != 1:
                raise InvalidInput("What a value is to be one of has to be one column.")
            other = lowered.expression[lowered.parts[0].name]
            test = value.isin(lowered.expression.filter(other.notnull())[lowered.parts[0].name])
        return test if node.hold else ~test

    def _has(self, base: _Base, node: al.Has) -> Any:
        counted = al.Query(
            rows=node.rows,
            keys=(al.Key(of=node.key, name="_key"),),
            measures=(al.Shown(measure=al.Aggregate(how=al.How.COUNT), name="_n"),),
        )
        lowered = self.query(counted, inner=True).expression
        there = lowered.filter(lowered["_n"] >= node.at_least, lowered["_key"].notnull())
        test = base.column(node.of).isin(there["_key"])
        return test if node.hold else ~test

    # Numbers of many rows -------------------------------------------------------------------------------------------

    def _grouped(self, query: al.Query, base: _Base) -> Lowered:
        names = _Names()
        keys = {names.of(k.name or name_of(k), "key"): k for k in query.keys}
        measures = {names.of(m.name or name_of(m.measure), "figure"): m.measure for m in query.measures}
        hidden: dict[str, al.Node] = {}
        wanted: list[al.Node] = [*self._measures_in(query.having), *(o.by for o in query.order)]
        for node in wanted:
            if _is_measure(node) and not any(
                al.same(node, m) for m in [*measures.values(), *hidden.values()]
            ):
                hidden[f"_h{len(hidden)}"] = node
        relation = self._figures(query, base, keys, {**measures, **hidden})
        columns = {**keys, **measures, **hidden}
        if query.having is not None:
            relation = relation.filter(self._over_results(relation, query.having, columns))
        relation = self._ordered(query, relation, columns, list(keys))
        shown = [*keys, *measures]
        parts = [Part(n, k, True) for n, k in keys.items()] + [Part(n, m, False) for n, m in measures.items()]
        return Lowered(relation.select(shown), tuple(parts), base.notes)

    def _figures(
        self, query: al.Query, base: _Base, keys: dict[str, al.Key], figures: dict[str, al.Node]
    ) -> Any:
        """One row for each group with every figure; those over groups are computed apart and brought together."""
        by = {n: self._key(base, k) for n, k in keys.items()}
        relation = base.on(base.relation.mutate(**by)) if by else base
        made = {n: self._figure(relation, m) for n, m in figures.items() if not _has_over(m)}
        apart = {n: m for n, m in figures.items() if _has_over(m)}
        if not apart:
            made = made or {"_n": relation.relation.count()}
            return _aggregated(relation.relation, list(by), made)
        inner = {f"{n}#{i}": o for n, m in apart.items() for i, o in enumerate(_overs(m))}
        stacks = [_aggregated(relation.relation, list(by), {**made, "_n": relation.relation.count()})]
        stacks += [self._over(query, keys, name, over) for name, over in inner.items()]
        whole = _stacked(stacks, list(by))
        late = {
            n: self._late(m, iter([whole[f"{n}#{i}"] for i, _ in enumerate(_overs(m))]), whole)
            for n, m in apart.items()
        }
        return whole.mutate(**late)

    def _over(self, query: al.Query, keys: dict[str, al.Key], name: str, over: al.Over) -> Any:
        inner = al.Query(
            rows=query.rows,
            keys=(*(k.model_copy(update={"name": n}) for n, k in keys.items()),
                  *(k.model_copy(update={"name": f"_p{i}"}) for i, k in enumerate(over.per))),
            measures=(al.Shown(measure=over.measure, name="_v"),),
            having=over.having,
        )  # fmt: skip
        groups = self.query(inner, inner=True).expression
        groups = groups.filter([groups[f"_p{i}"].notnull() for i in range(len(over.per))])
        made = aggregated_as(over.how, groups["_v"], None, groups, over.quantile)
        return _aggregated(groups, list(keys), {name: made})

    def _late(self, node: al.Node, overs: Iterator[Any], relation: Any) -> Any:
        import ibis

        if isinstance(node, al.Over):
            return next(overs)
        if isinstance(node, al.Arithmetic):
            return computed(node.function, [self._late(m, overs, relation) for m in node.of], node)
        if isinstance(node, al.Literally):
            return ibis.literal(node.value)
        if isinstance(node, al.Whole):
            return self._scalar(node.query)
        raise InvalidInput("Averages over groups can only be combined with each other.")

    def _figure(self, base: _Base, node: al.Node) -> Any:
        import ibis

        if isinstance(node, al.Literally):
            return ibis.literal(node.value)
        if isinstance(node, al.Arithmetic):
            return computed(node.function, [self._figure(base, m) for m in node.of], node)
        if isinstance(node, al.Whole):
            return self._scalar(node.query)
        if not isinstance(node, al.Aggregate):
            raise InvalidInput(f"A {type(node).__name__.lower()} is no number of many rows.")
        where = self._test(base, node.where)[1] if node.where is not None else None
        if node.of is None:
            return base.relation.count(where=where)
        value = self._value(base, node.of)
        if node.how is al.How.CORRELATION and node.beside is not None:
            other = self._value(base, node.beside)
            for side in (value, other):
                numeric(side, node.how)
            return value.cast("float64").corr(other.cast("float64"), where=where, how="pop")
        if node.how in (al.How.AT_MOST, al.How.AT_LEAST) and node.beside is not None:
            other = self._value(base, node.beside)
            return (value.argmax if node.how is al.How.AT_MOST else value.argmin)(other, where=where)
        return aggregated_as(node.how, value, where, base.relation, node.quantile)

    def _key(self, base: _Base, key: al.Key) -> Any:
        value = self._value(base, key.of)
        if key.grain is None:
            return value
        if not value.type().is_temporal():
            raise InvalidInput(f"{name_of(key)} holds no dates, so it has no {key.grain}.")
        unit = UNITS[key.grain.value]
        value = value.truncate(unit)
        return value if unit == "h" else value.cast("date")

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
            return self._scalar(node.query)
        if isinstance(node, al.Arithmetic):
            return computed(node.function, [self._result(relation, m, columns) for m in node.of], node)
        raise InvalidInput("A condition on groups names something that the groups do not have.")

    def _ordered(self, query: al.Query, relation: Any, columns: dict[str, al.Node], keys: list[str]) -> Any:
        """In the order that is asked for; names decide between equals, so that the same question has one answer."""
        import ibis

        order = [(self._result(relation, o.by, columns), o.descending) for o in query.order]
        named = {by.get_name() for by, _ in order}
        order += [(relation[k], False) for k in keys if k not in named]
        directed = [(ibis.desc if down else ibis.asc)(by, nulls_first=False) for by, down in order]
        if query.per and query.limit is not None:
            groups = [self._result(relation, k.of, columns) for k in query.per]
            window = ibis.window(group_by=groups, order_by=directed)
            numbered = relation.mutate(_place=ibis.row_number().over(window))
            kept = numbered.filter(
                numbered["_place"] >= query.offset, numbered["_place"] < query.offset + query.limit
            )
            return kept.order_by([*(self._result(kept, k.of, columns) for k in query.per), kept["_place"]])
        if directed:
            relation = relation.order_by(directed)
        return relation.limit(query.limit, offset=query.offset) if query.limit or query.offset else relation

    # The rows themselves --------------------------------------------------------------------------------------------

    def _listed(self, query: al.Query, base: _Base) -> Lowered:
        if not query.show:
            raise InvalidInput("Nothing was asked for.", suggestions=["Name a figure, or columns to show."])
        import ibis

        names = _Names()
        shown = {names.of(k.name or name_of(k), "column"): k for k in query.show}
        made = {n: self._key(base, k) for n, k in shown.items()}
        by: list[tuple[Any, bool]] = []
        extra: dict[str, Any] = {}
        for i, order in enumerate(query.order):
            extra[f"_o{i}"] = self._value(base, order.by)
        relation = base.relation.select(**made, **extra)
        by += [(relation[f"_o{i}"], o.descending) for i, o in enumerate(query.order)]
        by += [(relation[n], False) for n in shown]
        if query.distinct:
            if extra and any(not any(al.same(o.by, k.of) for k in query.show) for o in query.order):
                raise InvalidInput("Different values cannot be ordered by something that is not shown.")
            relation = relation.distinct()
            by = [(relation[c.get_name()], down) for c, down in by]
        by = [
            pair for i, pair in enumerate(by) if pair[0].get_name() not in {c.get_name() for c, _ in by[:i]}
        ]
        relation = relation.order_by([(ibis.desc if d else ibis.asc)(c, nulls_first=False) for c, d in by])
        if query.limit or query.offset:
            relation = relation.limit(query.limit, offset=query.offset)
        figures = {
            *_figures_of(query.rows.query),
            *(f for b in query.rows.beside for f in _figures_of(b.query)),
        }
        parts = tuple(Part(n, k, not _is_figure(k.of, figures)) for n, k in shown.items())
        return Lowered(relation.select(list(shown)), parts, base.notes)

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
            al.Walk.GROWTH: lambda: divided(value - before, before.abs()),
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
        return Lowered(relation, parts, lowered.notes)

    def _against(self, ask: al.Against) -> Lowered:
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
        whole = _stacked([one, other], keys)
        parts = [p for p in left.parts if p.is_key]
        made: dict[str, Any] = {}
        for i, (a, b) in enumerate(figures):
            x, y = whole[f"left_{i}"], whole[f"right_{i}"]
            made[f"difference_{i}"] = x - y
            made[f"change_{i}"] = divided(x - y, y.abs())
            names = (f"left_{i}", f"right_{i}", f"difference_{i}", f"change_{i}")
            parts += [Part(n, node, False) for n, node in zip(names, (a.node, b.node, ask, ask), strict=True)]
        relation = whole.mutate(**made).select([p.name for p in parts])
        if keys:
            relation = relation.order_by(keys)
        return Lowered(relation.limit(MAX_ROWS + 1), tuple(parts), (*left.notes, *right.notes))


class _Names:
    """Names for the columns of one result, each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, wanted: str, fallback: str) -> str:
        name = wanted or fallback
        number, free = 1, name
        while free in self._taken:
            number += 1
            free = f"{name}_{number}"
        self._taken.add(free)
        return free


def started(key: al.Key) -> al.Expression:
    """What a key holds as a value of one row."""
    if key.grain is None:
        return key.of
    return al.Call(function=al.Function.START_OF, arguments=(key.of, al.Literally(value=key.grain.value)))


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
        yield from node.within
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


def _is_measure(node: al.Node) -> bool:
    return isinstance(node, (al.Aggregate, al.Over, al.Named)) or (
        isinstance(node, al.Arithmetic) and any(map(_is_measure, node.of))
    )


def _above(node: al.Node) -> Iterator[al.Node]:
    """The measures in a condition, each whole."""
    if _is_measure(node):
        yield node
    elif not isinstance(node, (al.Query, al.Whole)):
        for part in node.parts():
            yield from _above(part)


def _overs(node: al.Node) -> list[al.Over]:
    if isinstance(node, al.Over):
        return [node]
    if isinstance(node, al.Arithmetic):
        return [o for m in node.of for o in _overs(m)]
    return []


def _has_over(node: al.Node) -> bool:
    return bool(_overs(node))


def _needs_join(node: al.Node) -> bool:
    """Whether a condition holds rows against a number of their own group of other rows."""
    if isinstance(node, al.Whole):
        return bool(node.within)
    return not isinstance(node, al.Query) and any(map(_needs_join, node.parts()))


def _aggregated(relation: Any, by: list[str], made: dict[str, Any]) -> Any:
    return relation.group_by(by).aggregate(**made) if by else relation.aggregate(**made)


def _stacked(parts: Sequence[Any], by: list[str]) -> Any:
    """Several relations over the same groups as one: stacked and grouped, so that missing names match too."""
    import ibis

    kinds = {c: kind for p in parts for c, kind in p.schema().items()}
    alike = [
        p.select(**{c: p[c].cast(kinds[c]) if c in p.columns else ibis.null(kinds[c]) for c in kinds})
        for p in parts
    ]
    whole = ibis.union(alike[0], *alike[1:], distinct=False)
    made = {c: whole[c].max() for c in kinds if c not in by}
    return _aggregated(whole, by, made)
