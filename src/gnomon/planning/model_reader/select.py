"""A SELECT that a model wrote, read as a tree of the algebra: parsed, checked against names and joins, never run.

Whatever has no place in the algebra is an objection in words that a model can act on; all of them are told at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

from sqlglot import ErrorLevel, exp, parse
from sqlglot.errors import SqlglotError
from sqlglot.expressions.core import Expression

from gnomon.core import algebra as al
from gnomon.planning.model_reader.terms import (
    Compared,
    Objection,
    Source,
    Terms,
    aggregates_in,
    conjuncts,
    every,
    is_measured,
    nice,
)
from gnomon.semantic.model import Join, SemanticModel

MAX_SQL = 8_000
MAX_OBJECTIONS = 8
T = TypeVar("T")


class Objections(Exception):
    """Why a query cannot be taken, each in one sentence."""

    def __init__(self, found: Sequence[str]) -> None:
        self.found = tuple(dict.fromkeys(found))[:MAX_OBJECTIONS]
        super().__init__(" ".join(self.found))


@dataclass(frozen=True)
class Selected:
    """A SELECT as a tree, and the values that it names."""

    ask: al.Query | al.Along
    values: tuple[Compared, ...]


def read_select(
    sql: str,
    model: SemanticModel,
    columns: Mapping[str, Mapping[str, str]],
    *,
    marks: Mapping[str, al.Value] | None = None,
    today: date | None = None,
    names: Mapping[str, str] | None = None,
) -> Selected:
    """The tree that a SELECT stands for.

    Args:
        sql: One SELECT, in DuckDB's words.
        model: The joins that may be followed.
        columns: The columns of each table that may be named, with their types.
        marks: What ``:VALUE1`` and its like stand for.
        today: What CURRENT_DATE stands for.
        names: What tables and columns are really called that were shown under another name.

    Raises:
        Objections: It is not one SELECT over what is listed.
    """
    if len(sql) > MAX_SQL:
        raise Objections([f"The query has {len(sql):,} characters; {MAX_SQL:,} are the most."])
    try:
        trees = [t for t in parse(sql, read="duckdb", error_level=ErrorLevel.RAISE) if t is not None]
    except SqlglotError as e:
        raise Objections([f"The query is no SQL: {str(e).splitlines()[0][:200]}"]) from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        raise Objections(["Write one SELECT and nothing else."])
    tree = _renamed(trees[0], names) if names else trees[0]
    qualified = _qualified(tree, columns)
    reader = _Reader(model, columns, marks or {}, today or date.today())
    with reader.noted():
        ask = reader.whole(qualified)
        if reader.objections:
            raise Objections(reader.objections)
        return Selected(ask, tuple(reader.values))
    raise Objections(reader.objections)


def _renamed(tree: exp.Select, names: Mapping[str, str]) -> exp.Select:
    """The query with the real names in place of those that were shown for them."""
    for identifier in list(tree.find_all(exp.Identifier)):
        if identifier.name in names:
            identifier.set("this", names[identifier.name])
            identifier.set("quoted", True)
    return tree


def _qualified(tree: exp.Select, columns: Mapping[str, Mapping[str, str]]) -> exp.Select:
    from sqlglot.optimizer.qualify import qualify

    schema: dict[str, object] = {
        t.lower(): {c.lower(): kind for c, kind in held.items()} for t, held in columns.items()
    }
    if any(not t.name for t in tree.find_all(exp.Table)):
        raise Objections(["Only the listed tables can be read, no functions in their place."])
    named = {t.name.lower() for t in tree.find_all(exp.Table)} - {
        c.alias.lower() for c in tree.find_all(exp.CTE)
    }
    unknown = sorted(named - set(schema))
    if unknown:
        raise Objections(
            [f"There is no table {t}; the tables are {', '.join(sorted(columns))}." for t in unknown]
        )
    try:
        made = qualify(tree, schema=schema, dialect="duckdb", quote_identifiers=False, identify=False)
    except SqlglotError as e:
        raise Objections([f"A name is not listed: {str(e).splitlines()[0][:200]}"]) from None
    return made


class _Reader(Terms):
    # The whole ------------------------------------------------------------------------------------------------------

    def whole(self, tree: exp.Select) -> al.Query | al.Along:
        along = self._followed(tree)
        return along if along is not None else self.query(tree, {})

    def query(self, tree: Expression, outer: Mapping[str, Source]) -> al.Query:
        """One SELECT; ``outer`` holds the sources around it, for conditions that refer to them."""
        if not isinstance(tree, exp.Select):
            raise Objection("UNION and the like are not available; ask for one result.")
        for cte in (tree.args.get("with_") or exp.With(expressions=[])).expressions:
            self._ctes[cte.alias.lower()] = cte.this
        source = self.source(tree)
        where: list[Any] = list(source.conditions)
        if (given := tree.args.get("where")) is not None:
            for part in conjuncts(given.this):
                with self.noted():
                    where.append(self._predicate(part, source, outer))
        rows = al.Rows(table=source.base, query=source.query, where=every(where))
        return self._shown(tree, source, outer, rows)

    def _shown(
        self, tree: exp.Select, source: Source, outer: Mapping[str, Source], rows: al.Rows
    ) -> al.Query:
        items = [(e.alias_or_name, e.unalias()) for e in tree.expressions]
        group = tree.args.get("group")
        grouping = [] if group is None else list(group.expressions)
        if group is not None and group.args.get("all"):
            grouping = [e for _, e in items if not aggregates_in(e)]
        grouped = (
            bool(grouping) or any(aggregates_in(e) for _, e in items) or tree.args.get("having") is not None
        )
        names = {sql.sql(): nice(name) for name, sql in items}
        keys: list[al.Key] = []
        for key in grouping:
            with self.noted():
                keys.append(self._key(key, source, outer, names.get(key.sql())))
        measures: list[al.Shown] = []
        show: list[al.Key] = []
        for name, item in items:
            with self.noted():
                if not grouped:
                    show.append(self._key(item, source, outer, nice(name)))
                elif not any(item.sql() == g.sql() for g in grouping):
                    measure = self._measure(item, source, outer, rows)
                    measures.append(al.Shown(measure=measure, name=nice(name)))
        having = None
        if (given := tree.args.get("having")) is not None:
            with self.noted():
                having = self._predicate(given.this, source, outer, rows)
        order = self._order(tree, source, outer, rows, dict(items), grouped)
        distinct = tree.args.get("distinct") is not None
        if distinct and grouped:
            distinct = False  # groups differ anyway
        if grouped and not measures and not having and not any(is_measured(o.by) for o in order):
            show, keys, distinct = keys, [], True
        return al.Query(
            rows=rows, keys=tuple(keys), measures=tuple(measures), show=tuple(show), distinct=distinct,
            having=having, order=tuple(order), limit=self._count(tree, "limit"), offset=self._count(tree, "offset") or 0,
        )  # fmt: skip

    def _order(
        self,
        tree: exp.Select,
        source: Source,
        outer: Mapping[str, Source],
        rows: al.Rows,
        items: Mapping[str, Expression],
        grouped: bool,
    ) -> list[al.Order]:
        found: list[al.Order] = []
        for ordered in (tree.args.get("order") or exp.Order(expressions=[])).expressions:
            with self.noted():
                by = ordered.this
                if isinstance(by, exp.Column) and not by.table and by.name in items:
                    by = items[by.name]
                if grouped and aggregates_in(by):
                    node: Any = self._measure(by, source, outer, rows)
                elif grouped and isinstance(by, (exp.Literal, exp.Null)):
                    continue
                else:
                    key = self._key(by, source, outer, None)
                    node = key.of if key.grain is None else key
                if isinstance(node, al.Key):
                    continue  # periods come in their order anyway
                found.append(al.Order(by=node, descending=bool(ordered.args.get("desc"))))
        return found

    def _count(self, tree: exp.Select, name: str) -> int | None:
        given = tree.args.get(name)
        if given is None:
            return None
        if not isinstance(given.expression, exp.Literal) or given.expression.is_string:
            raise Objection(f"{name.upper()} has to be a number.")
        return int(float(given.expression.this)) or None

    # Sources --------------------------------------------------------------------------------------------------------

    def source(self, tree: exp.Select) -> Source:
        """The table whose rows are counted with what joins lead to, or a query."""
        first = tree.args.get("from_")
        if first is None:
            raise Objection("The query names no table.")
        inner = self._inner(first.this)
        joins = list(tree.args.get("joins") or ())
        if inner is not None:
            if joins:
                raise Objection("A sub-query cannot be joined; put its condition into WHERE … IN (SELECT …).")
            for made in inner.expressions:  # the query around it refers to all columns by name
                if made.alias.startswith("_col_"):
                    made.set("alias", exp.to_identifier(f"column{made.alias.removeprefix('_col')}"))
            return Source("", query=self.query(inner, {}), alias=first.this.alias_or_name)
        aliases = {first.this.alias_or_name: self._tables[first.this.name.lower()]}
        edges: list[tuple[str, str, Join, str]] = []
        for join in joins:
            self._joined(join, aliases, edges)
        return self._rooted(aliases, edges)

    def _inner(self, given: Expression) -> Expression | None:
        if isinstance(given, exp.Subquery):
            return given.this
        if isinstance(given, exp.Table) and given.name.lower() in self._ctes:
            return self._ctes[given.name.lower()].copy()
        return None

    def _joined(
        self, join: exp.Join, aliases: dict[str, str], edges: list[tuple[str, str, Join, str]]
    ) -> None:
        if self._inner(join.this) is not None:
            raise Objection("A sub-query cannot be joined; put its condition into WHERE … IN (SELECT …).")
        alias = join.this.alias_or_name
        aliases[alias] = self._tables[join.this.name.lower()]
        side = (join.side or "").upper()
        if side in ("RIGHT", "FULL") or (join.kind or "").upper() == "CROSS":
            raise Objection("Only JOIN and LEFT JOIN are available.")
        pairs = conjuncts(join.args.get("on"))
        if len(pairs) != 1 or not isinstance(pairs[0], exp.EQ):
            raise Objection(f"{alias} has to be joined by one equality of declared keys.")
        sides = [pairs[0].this, pairs[0].expression]
        if not all(isinstance(s, exp.Column) for s in sides):
            raise Objection(f"{alias} has to be joined by one equality of declared keys.")
        for one, other in (sides, sides[::-1]):
            a, b = one.table, other.table
            if a not in aliases or b not in aliases:
                continue
            here, there = aliases[a], aliases[b]
            held, key = self._columns[here].get(one.name), self._columns[there].get(other.name)
            for known in self._model.joins:
                if (known.table, known.column, known.to_table, known.to_column) == (here, held, there, key):
                    edges.append((a, b, known, side))
                    return
        declared = ", ".join(f"{j.table}.{j.column} = {j.to_table}.{j.to_column}" for j in self._model.joins)
        raise Objection(f"The join of {alias} is not declared; declared are: {declared or 'none'}.")

    def _rooted(self, aliases: dict[str, str], edges: list[tuple[str, str, Join, str]]) -> Source:
        """The table whose rows are counted: the one from which joins lead to all others, from many to one."""
        led = {b for _, b, _, _ in edges}
        roots = [a for a in aliases if a not in led]
        if len(roots) != 1 or len(led) != len(edges):
            raise Objection(
                "These joins repeat rows of more than one table; compute one side in WHERE … IN (SELECT …)."
            )
        root, first = roots[0], next(iter(aliases))
        if root != first and any(side == "LEFT" for *_, side in edges):
            raise Objection(
                f"LEFT JOIN from {first} to {root} keeps rows of {first} without any; use JOIN, or NOT EXISTS for those."
            )
        source = Source(aliases[root])
        source.tables[root] = (aliases[root], None)
        for a, b, join, side in edges:
            several = [j for j in self._model.joins if (j.table, j.to_table) == (join.table, join.to_table)]
            via = join.column if len(several) > 1 else None
            if via is not None and a != root:
                raise Objection(
                    f"{join.to_table} can only be reached by one of its joins from {aliases[root]}."
                )
            source.tables[b] = (join.to_table, via)
            if side != "LEFT":
                key = al.Column(table=join.to_table, column=join.to_column, via=via)
                source.conditions.append(al.Missing(of=key, hold=False))
        return source

    def _followed(self, tree: exp.Select) -> al.Along | None:
        """A change from period to period, written with LAG: ``SUM(x) - LAG(SUM(x)) OVER (ORDER BY period)``."""
        lags = [w for w in tree.find_all(exp.Window) if isinstance(w.this, exp.Lag)]
        if not lags:
            return None
        items = list(tree.expressions)
        last = items[-1].unalias()
        value = lags[0].this.this
        plain = last.copy()
        while isinstance(plain, (exp.Paren, exp.Round)):
            plain = plain.this
        grows = isinstance(plain, (exp.Div, exp.Mul)) and plain.find(exp.Div) is not None
        if any(w.this.this.sql() != value.sql() for w in lags) or any(
            w.args.get("partition_by") for w in lags
        ):
            raise Objection("LAG is available for one figure over all periods, as the last column.")
        offset = lags[0].this.args.get("offset")
        kept = tree.copy()
        shown = [e for e in kept.expressions[:-1] if not e.find(exp.Window)]
        if not any(e.unalias().sql() == value.sql() for e in shown):
            shown.append(exp.alias_(value.copy(), "value"))
        kept.set("expressions", shown)
        ordered = (kept.args.get("order") or exp.Order(expressions=[])).expressions
        by_change = [o for o in ordered if o.this.name == items[-1].alias_or_name or o.find(exp.Window)]
        limit = self._count(kept, "limit")
        kept.set("order", None)
        kept.set("limit", None)
        query = self.query(kept, {})
        return al.Along(
            query=query,
            step=al.Walk.GROWTH if grows else al.Walk.CHANGE,
            measure=0,
            span=int(offset.this) if isinstance(offset, exp.Literal) else 1,
            descending=bool(by_change[0].args.get("desc")) if by_change else None,
            limit=limit if by_change else None,
        )
