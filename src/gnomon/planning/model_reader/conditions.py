"""Conditions of a SELECT as nodes of the algebra, on rows and on groups of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlglot import exp
from sqlglot.expressions.core import Expression

from gnomon.core import algebra as al
from gnomon.planning.model_reader.held import Kind, kind_of
from gnomon.planning.model_reader.moments import Compared, Objection
from gnomon.planning.model_reader.steps import aggregates_in
from gnomon.planning.model_reader.values import Source, Values, called
from gnomon.semantic.computing import name_of
from gnomon.semantic.conditions import FALSE, TRUE

_COMPARED: dict[type[Expression], al.Comparison] = {
    exp.EQ: al.Comparison.EQUAL,
    exp.NEQ: al.Comparison.UNEQUAL,
    exp.LT: al.Comparison.LESS,
    exp.LTE: al.Comparison.AT_MOST,
    exp.GT: al.Comparison.MORE,
    exp.GTE: al.Comparison.AT_LEAST,
}


_OF_EXISTS = frozenset({"expressions", "from_", "joins", "where", "distinct", "limit", "order"})


class Conditions(Values):
    """Reads the conditions of one SELECT."""

    def _predicate(
        self,
        node: Expression,
        source: Source,
        outer: Mapping[str, Source],
        rows: al.Rows | None = None,
    ) -> Any:
        """A condition on rows, or with ``rows`` on groups of them."""

        def truth(inner: Expression) -> Any:
            return self._predicate(inner, source, outer, rows)

        if isinstance(node, exp.Paren):
            return truth(node.this)
        if isinstance(node, exp.And):
            return al.Every(of=tuple(map(truth, conjuncts(node))))
        if isinstance(node, exp.Or):
            return al.Either(of=(truth(node.this), truth(node.expression)))
        if isinstance(node, exp.Not):
            return self._not(node.this, truth)
        if isinstance(node, exp.Exists):
            return self._exists(node.this, source, outer)
        if isinstance(node, exp.Is):
            return self._is(node, source, outer, rows)
        if isinstance(node, exp.Boolean):
            return al.Test(
                left=al.Literally(value=1),
                operator=al.Comparison.EQUAL,
                right=al.Literally(value=int(bool(node.this))),
            )
        if isinstance(node, (exp.StartsWith, exp.Contains)):
            return self._contained(node, source, outer)
        if isinstance(node, exp.In):
            return self._among(node, source, outer, rows)
        if isinstance(node, exp.Between):
            low, high = node.args["low"], node.args["high"]
            first = exp.GTE(this=node.this.copy(), expression=low.copy())
            return al.Every(of=(truth(first), truth(exp.LTE(this=node.this.copy(), expression=high.copy()))))
        if isinstance(node, (exp.Like, exp.ILike)):
            made = self._like(node, source, outer)
            return al.Not(of=made) if node.args.get("negate") else made
        if isinstance(node, (exp.NullSafeNEQ, exp.NullSafeEQ)):
            alike = self._alike(node, source, outer, rows)
            return al.Not(of=alike) if isinstance(node, exp.NullSafeNEQ) else alike
        if type(node) in _COMPARED:
            return self._compared(node, source, outer, rows)
        if isinstance(node, exp.Column):
            column = self._column(node, source, outer)
            return al.Test(left=column, operator=al.Comparison.EQUAL, right=al.Literally(value=True))
        if isinstance(node, (exp.Coalesce, exp.Case, exp.If)) and rows is None:
            value = self._expression(node, source, outer)
            return al.Test(left=value, operator=al.Comparison.EQUAL, right=al.Literally(value=True))
        raise Objection(f"{called(node)} is not available as a condition.")

    def _alike(
        self,
        node: exp.NullSafeEQ | exp.NullSafeNEQ,
        source: Source,
        outer: Mapping[str, Source],
        rows: al.Rows | None,
    ) -> Any:
        """Whether two values are the same, two that are missing included."""
        equal = exp.EQ(this=node.this.copy(), expression=node.expression.copy())
        test = self._compared(equal, source, outer, rows)
        sides = [s for s in (test.left, test.right) if not isinstance(s, al.Literally)]
        both = al.Every(of=(*(al.Missing(of=s, hold=False) for s in sides), test))
        if len(sides) < 2:
            return both
        return al.Either(of=(both, al.Every(of=tuple(al.Missing(of=s) for s in sides))))

    def _is(self, node: exp.Is, source: Source, outer: Mapping[str, Source], rows: al.Rows | None) -> Any:
        side = self._side(node.this, source, outer, rows)
        if isinstance(node.expression, exp.Null):
            return al.Missing(of=side)
        if not isinstance(node.expression, exp.Boolean):
            raise Objection("IS takes NULL, TRUE or FALSE.")
        truth = al.Literally(value=bool(node.expression.this))
        known = al.Missing(of=side, hold=False)  # so that NOT has the rows without a value too
        return al.Every(of=(known, al.Test(left=side, operator=al.Comparison.EQUAL, right=truth)))

    def _contained(
        self, node: exp.StartsWith | exp.Contains, source: Source, outer: Mapping[str, Source]
    ) -> Any:
        text = self._literal(node.expression)
        if text is None or not isinstance(text.value, str):
            raise Objection(f"{called(node)} takes a text.")
        left = self._expression(node.this, source, outer)
        self.values.append(Compared(text.value, _folded(left), tested=True, whole=False))
        operator = al.Comparison.STARTS if isinstance(node, exp.StartsWith) else al.Comparison.CONTAINS
        return al.Test(left=left, operator=operator, right=text)

    def _not(self, inner: Expression, truth: Callable[[Expression], Any]) -> Any:
        made = truth(inner)
        if isinstance(made, (al.Among, al.Missing, al.Has)):
            return made.model_copy(update={"hold": not made.hold})
        return al.Not(of=made)

    def _side(
        self, node: Expression, source: Source, outer: Mapping[str, Source], rows: al.Rows | None
    ) -> Any:
        if isinstance(node, exp.Paren):
            return self._side(node.this, source, outer, rows)
        if isinstance(node, exp.Subquery):
            return self._whole(node.this, source)
        if isinstance(node, exp.Window):
            raise Objection("A window cannot be a condition; use QUALIFY, or a SELECT around it.")
        if rows is not None and aggregates_in(node):
            return self._measure(node, source, outer, rows)
        return self._expression(node, source, outer)

    def _compared(
        self, node: Expression, source: Source, outer: Mapping[str, Source], rows: al.Rows | None
    ) -> Any:
        before = len(self.values)
        left, right = (self._side(s, source, outer, rows) for s in (node.this, node.expression))
        column = next((c for s in (left, right) if (c := _folded(s)) is not None), None)
        self.values[before:] = [
            Compared(v.value, column or v.column, not isinstance(s, al.Case))
            for v in self.values[before:]
            for s in [next((s for s in (left, right) if isinstance(s, al.Case)), left)]
        ]
        if isinstance(node, (exp.EQ, exp.NEQ)):
            for side in (left, right):
                self._whole_spans(side, source)
        return self._fitting(left, _COMPARED[type(node)], right, source)

    def _whole_spans(self, value: Any, source: Source) -> None:
        """Refuse hours and minutes as things of which several are alike: they are exact, where a data base counts turns."""
        if kind_of(value, source.rows(None), self._kinds) is Kind.SPAN:
            raise Objection("DATE_DIFF in hours or minutes is exact here; write FLOOR(DATE_DIFF(…)).")

    def _fitting(self, left: Any, operator: al.Comparison, right: Any, source: Source) -> Any:
        """A test whose texts are days where the other side holds days."""
        sides = [left, right]
        for i in (0, 1):
            mine, other = sides[i], sides[1 - i]
            if not isinstance(mine, al.Literally):
                continue
            kind = kind_of(other, source.rows(None), self._kinds)
            if kind is Kind.TRUTH:
                said = str(mine.value).lower()
                truth = True if said in TRUE else False if said in FALSE else mine.value
                sides[i] = al.Literally(value=truth)
            if isinstance(mine.value, str) and kind.is_time:
                try:
                    moment = datetime.fromisoformat(mine.value)
                except ValueError:
                    raise Objection(f"{mine.value!r} is no day; write it as YYYY-MM-DD.") from None
                plain = len(mine.value) <= len("2024-01-31")
                sides[i] = al.Literally(value=moment.date() if plain else moment)
        return al.Test(left=sides[0], operator=operator, right=sides[1])

    def _among(self, node: exp.In, source: Source, outer: Mapping[str, Source], rows: al.Rows | None) -> Any:
        left = self._side(node.this, source, outer, rows)
        inner = node.args.get("query")
        self._whole_spans(left, source)
        if inner is not None:
            return al.Among(left=left, query=self.query(inner.unnest(), {}))
        values = [self._literal(e) for e in node.expressions]
        if not values or any(v is None for v in values):
            raise Objection("IN takes values or a SELECT.")
        found = [v for v in values if v is not None]
        self.values += [Compared(v.value, _folded(left), tested=True) for v in found]
        fitted = [self._fitting(left, al.Comparison.EQUAL, v, source).right for v in found]
        return al.Among(left=left, values=tuple(fitted))

    def _like(self, node: exp.Like | exp.ILike, source: Source, outer: Mapping[str, Source]) -> Any:
        left = self._expression(node.this, source, outer)
        pattern = self._literal(node.expression)
        if pattern is None or not isinstance(pattern.value, str):
            raise Objection("LIKE takes a text.")
        text = pattern.value
        inside = text.strip("%")
        self.values.append(Compared(inside, _folded(left), tested=True, whole=False))
        if "%" in inside or "_" in inside:
            return al.Test(left=left, operator=al.Comparison.LIKE, right=pattern)
        ends = (text.startswith("%"), text.endswith("%"))
        operator = {
            (True, True): al.Comparison.CONTAINS,
            (False, True): al.Comparison.STARTS,
            (True, False): al.Comparison.ENDS,
        }.get(ends, al.Comparison.LIKE)
        return al.Test(left=left, operator=operator, right=al.Literally(value=inside))

    def _exists(self, tree: Expression, source: Source, outer: Mapping[str, Source]) -> Any:
        """Rows elsewhere that share one key with each row."""
        if not isinstance(tree, exp.Select):
            raise Objection("EXISTS takes a SELECT.")
        if any(v for k, v in tree.args.items() if k not in _OF_EXISTS):
            raise Objection("EXISTS takes rows that meet conditions; for groups use IN (SELECT … HAVING …).")
        inner = tree.copy()
        inside = self.source(inner)
        links, rest = self._links(inner, inside, source)
        if len(links) != 1:
            raise Objection("EXISTS has to share exactly one equality with the rows around it.")
        where = [*inside.conditions, *(self._predicate(p, inside, outer) for p in rest)]
        key, of = links[0]
        return al.Has(rows=inside.rows(every(where)), key=key, of=of)

    def _links(
        self, tree: exp.Select, inside: Source, around: Source
    ) -> tuple[list[tuple[al.Column, al.Column]], list[Expression]]:
        """The equalities that tie an inner query to the rows around it, and its other conditions."""
        links: list[tuple[al.Column, al.Column]] = []
        rest: list[Expression] = []
        given = tree.args.get("where")
        for part in conjuncts(given.this) if given is not None else []:
            sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
            if sides and all(isinstance(s, exp.Column) for s in sides):
                owners = [_owner(s, inside, around) for s in sides]
                if set(owners) == {"inside", "around"}:
                    mine, theirs = sides if owners[0] == "inside" else sides[::-1]
                    links.append((self._column(mine, inside, {}), self._column(theirs, around, {})))
                    continue
            rest.append(part)
        return links, rest

    def _whole(self, tree: Expression, source: Source) -> Any:
        """A number of other rows to compare with; equalities with the rows around it say of which group."""
        return self._other(tree, source, compared=True)

    def _other(self, tree: Expression, source: Source, *, compared: bool = False) -> Any:
        inner = tree.unnest().copy() if isinstance(tree, exp.Subquery) else tree.copy()
        if not isinstance(inner, exp.Select):
            raise Objection("A sub-query has to be a SELECT.")
        if inner.args.get("from_") is None:
            return al.Whole(query=self.query(inner, {}))
        inside = self.source(inner)
        links, rest = self._links(inner, inside, source)
        if links and rest:
            inner.args["where"].set("this", exp.and_(*rest))
        elif links:
            inner.set("where", None)
        query = self.query(inner, {})
        if not links:
            return al.Whole(query=query)
        if compared and all(a.column == b.column and a.table == b.table for a, b in links):
            return al.Whole(query=query, within=tuple(b for _, b in links))
        return self._of_each(query, links, source)

    def _of_each(self, query: al.Query, links: Sequence[tuple[al.Column, al.Column]], source: Source) -> Any:
        """A number of other rows for each row, brought beside it by what both have in common."""
        if query.keys or len(query.measures) != 1 or query.limit is not None:
            raise Objection("A sub-query that refers to the rows around it has to give one figure.")
        measure, name = query.measures[0].measure, f"_other{len(source.beside) + 1}"
        figure = query.measures[0].name or name_of(measure) or "figure"
        keys = tuple(al.Key(of=mine, name=f"_key{i}") for i, (mine, _) in enumerate(links))
        shown = (al.Shown(measure=measure, name=figure),)
        on = tuple(al.Match(mine=theirs, theirs=f"_key{i}") for i, (_, theirs) in enumerate(links))
        beside = al.Beside(
            query=query.model_copy(update={"keys": keys, "measures": shown}), name=name, on=on, outer=True
        )
        source.beside.append(beside)
        column = al.Column(table="", column=figure, via=name)
        if isinstance(measure, al.Aggregate) and measure.how in (al.How.COUNT, al.How.DISTINCT):
            return al.Call(function=al.Function.FILL, arguments=(column, al.Literally(value=0)))
        return column


def _folded(node: Any) -> al.Column | None:
    """The column that a text is held against, in whatever case."""
    if isinstance(node, al.Call) and node.function in (
        al.Function.LOWER,
        al.Function.UPPER,
        al.Function.TRIM,
    ):
        return _folded(node.arguments[0])
    return node if isinstance(node, al.Column) else None


def _owner(column: Expression, inside: Source, around: Source) -> str:
    table = column.table if isinstance(column, exp.Column) else ""
    if (
        table in inside.tables
        or table in inside.besides
        or (inside.query is not None and table == inside.alias)
    ):
        return "inside"
    mine = (
        table in around.tables
        or table in around.besides
        or (around.query is not None and table == around.alias)
    )
    return "around" if mine else "nowhere"


def conjuncts(node: Expression | None) -> list[Expression]:
    """The conditions that all have to hold."""
    if node is None:
        return []
    if isinstance(node, exp.Paren):
        return conjuncts(node.this)
    return [*conjuncts(node.this), *conjuncts(node.expression)] if isinstance(node, exp.And) else [node]


def every(tests: Sequence[Any]) -> Any | None:
    """All of several conditions as one."""
    found = [t for t in tests if t is not None]
    flat = [p for t in found for p in (t.of if isinstance(t, al.Every) else (t,))]
    return None if not flat else flat[0] if len(flat) == 1 else al.Every(of=tuple(flat))
