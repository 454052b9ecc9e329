"""Where the rows of a SELECT come from: a table with what declared joins lead to, a query, and results beside them.

Joins are followed from many to one only, so that no row comes twice.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping

from sqlglot import exp
from sqlglot.expressions.core import Expression

from gnomon.core import algebra as al
from gnomon.planning.model_reader.conditions import conjuncts
from gnomon.planning.model_reader.figures import Figures
from gnomon.planning.model_reader.moments import Objection
from gnomon.planning.model_reader.values import Source, column_name
from gnomon.semantic.computing import identified_by
from gnomon.semantic.lower import started
from gnomon.semantic.model import Join


class Sources(Figures, ABC):
    """Reads where the rows of a SELECT come from."""

    def source(self, tree: exp.Select) -> Source:
        """The table whose rows are counted with what joins lead to, or a query; results may stand beside them."""
        first = tree.args.get("from_")
        if first is None:
            raise Objection("The query names no table.")
        if not isinstance(first.this, (exp.Table, exp.Subquery)):
            raise Objection(f"{first.this.key.upper()} is not available in place of a table.")
        inner = self._inner(first.this)
        joins = list(tree.args.get("joins") or ())
        tables = [j for j in joins if self._inner(j.this) is None]
        beside = [j for j in joins if self._inner(j.this) is not None]
        for given in [first.this, *(j.this for j in joins)]:
            odd = [k for k, v in given.args.items() if v and k not in ("this", "alias")]
            if odd:
                raise Objection(f"{odd[0].upper()} is not available for tables.")
        if inner is not None:
            if tables:
                if len(tables) != 1 or beside or (tables[0].side or "").upper() in ("LEFT", "RIGHT", "FULL"):
                    raise Objection("Name the table first, and JOIN the sub-query to it.")
                # a sub-query and a table: the table's rows with the sub-query's row beside each
                swapped = exp.Join(
                    this=first.this.copy(),
                    on=tables[0].args["on"].copy() if tables[0].args.get("on") else None,
                )
                other: dict[str, str] = {
                    tables[0].this.alias_or_name: self._tables[tables[0].this.name.lower()]
                }
                source = self._rooted(other, [])
                beside = [swapped]
            else:
                source = Source("", query=self.query(_named(inner), {}), alias=first.this.alias_or_name)
        else:
            aliases = {first.this.alias_or_name: self._tables[first.this.name.lower()]}
            edges: list[tuple[str, str, Join, str]] = []
            extra: list[Expression] = []
            for join in tables:
                self._joined(join, aliases, edges, extra)
            source = self._rooted(aliases, edges)
            for part in extra:
                source.conditions.append(self._predicate(part, source, {}))
        for join in beside:
            self._beside(join, source)
        return source

    def _beside(self, join: exp.Join, source: Source) -> None:
        """A sub-query of which each row finds one row at most."""
        inner, alias = self._inner(join.this), join.this.alias_or_name
        assert inner is not None
        side = (join.side or "").upper()
        if side in ("RIGHT", "FULL"):
            raise Objection("Only JOIN and LEFT JOIN are available.")
        query = self.query(_named(inner), {})
        on: list[al.Match] = []
        rest: list[Expression] = []
        for part in conjuncts(join.args.get("on")):
            sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
            theirs = next((s for s in sides if isinstance(s, exp.Column) and s.table == alias), None)
            mine = next((s for s in sides if s is not theirs), None)
            if theirs is None or mine is None or any(c.table == alias for c in mine.find_all(exp.Column)):
                rest.append(part)
                continue
            on.append(
                al.Match(mine=started(self._key(mine, source, {}, None)), theirs=column_name(theirs.name))
            )
        known = identified_by(query)
        if known is None or not known <= {m.theirs for m in on}:
            raise Objection(
                f"{alias} may have several rows for one, so that figures would count some twice; join it by everything that it is grouped by."
            )
        if rest and side == "LEFT":
            raise Objection(f"{alias} can be joined by equalities; put other conditions into it.")
        source.beside.append(al.Beside(query=query, name=alias, on=tuple(on), outer=side == "LEFT"))
        source.besides.add(alias)
        for part in rest:
            source.conditions.append(self._predicate(part, source, {}))

    def _inner(self, given: Expression) -> Expression | None:
        if isinstance(given, exp.Subquery):
            return given.this
        if isinstance(given, exp.Table) and given.name.lower() in self._ctes:
            return self._ctes[given.name.lower()].copy()
        return None

    def _joined(
        self,
        join: exp.Join,
        aliases: dict[str, str],
        edges: list[tuple[str, str, Join, str]],
        extra: list[Expression],
    ) -> None:
        if not isinstance(join.this, exp.Table):
            raise Objection(f"{join.this.key.upper()} is not available in place of a table.")
        alias = join.this.alias_or_name
        aliases[alias] = self._tables[join.this.name.lower()]
        side = (join.side or "").upper()
        if side in ("RIGHT", "FULL") or (join.kind or "").upper() == "CROSS":
            raise Objection("Only JOIN and LEFT JOIN are available.")
        pairs = conjuncts(join.args.get("on"))
        if not pairs:
            raise Objection(f"{alias} has to be joined by one equality of declared keys.")
        for pair in pairs:
            sides = [pair.this, pair.expression] if isinstance(pair, exp.EQ) else []
            if not sides or not all(isinstance(s, exp.Column) for s in sides):
                continue
            for one, other in (sides, sides[::-1]):
                if (known := self._declared(one, other, aliases)) is None:
                    continue
                edges.append((one.table, other.table, known, side))
                rest = [p for p in pairs if p is not pair]
                if rest and side == "LEFT":
                    raise Objection(f"{alias} can be joined by its keys; put other conditions into WHERE.")
                extra += rest
                return
        declared = ", ".join(f"{j.table}.{j.column} = {j.to_table}.{j.to_column}" for j in self._model.joins)
        raise Objection(f"The join of {alias} is not declared; declared are: {declared or 'none'}.")

    def _leads(self, tree: exp.Select, one: exp.Column, other: exp.Column) -> bool:
        """Whether a declared join leads from a column of one table of a SELECT to one of another."""
        given = [tree.args["from_"].this, *(j.this for j in tree.args.get("joins") or ())]
        aliases = {
            t.alias_or_name: self._tables[t.name.lower()]
            for t in given
            if isinstance(t, exp.Table) and t.name.lower() in self._tables
        }
        return self._declared(one, other, aliases) is not None

    def _declared(self, one: exp.Column, other: exp.Column, aliases: Mapping[str, str]) -> Join | None:
        if one.table not in aliases or other.table not in aliases:
            return None
        here, there = aliases[one.table], aliases[other.table]
        ends = (
            here,
            self._columns[here].get(one.name.lower()),
            there,
            self._columns[there].get(other.name.lower()),
        )
        joins = ((j, (j.table, j.column, j.to_table, j.to_column)) for j in self._model.joins)
        return next((j for j, known in joins if known == ends), None)

    def _rooted(self, aliases: Mapping[str, str], edges: list[tuple[str, str, Join, str]]) -> Source:
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
                f"LEFT JOIN from {first} to {root} keeps rows of {first} without any; use JOIN, NOT EXISTS for those, or "
                f"(SELECT COUNT(*) FROM {root} WHERE …) beside each."
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


def _named(inner: Expression) -> Expression:
    """An inner query whose columns all have names, since the query around it refers to them by name."""
    for made in inner.expressions:
        if made.alias.startswith("_col_"):
            made.set("alias", exp.to_identifier(column_name(made.alias)))
    return inner
