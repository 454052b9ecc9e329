"""A SELECT that a model wrote, read as a tree of the algebra: parsed, checked against names and joins, never run.

Whatever has no place in the algebra is an objection in words that a model can act on; all of them are told at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, TypeVar

from sqlglot import ErrorLevel, exp, parse
from sqlglot.errors import SqlglotError
from sqlglot.expressions.core import Expression

from gnomon.core import algebra as al
from gnomon.planning.model_reader.conditions import conjuncts, every
from gnomon.planning.model_reader.figures import is_measured, is_plain, nice
from gnomon.planning.model_reader.joins import as_read
from gnomon.planning.model_reader.known_parts import unread
from gnomon.planning.model_reader.moments import Compared, Objection
from gnomon.planning.model_reader.sources import Sources
from gnomon.planning.model_reader.steps import (
    after_groups,
    aggregates_in,
    in_steps,
    is_grouped,
    merged,
    spelled,
)
from gnomon.planning.model_reader.values import Source
from gnomon.semantic.computing import name_of
from gnomon.semantic.lower import started
from gnomon.semantic.model import SemanticModel

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
    if len(trees) != 1 or not isinstance(trees[0], (exp.Select, exp.SetOperation)):
        raise Objections(["Write one SELECT and nothing else."])
    tree = _renamed(trees[0], names) if names else trees[0]
    qualified = _qualified(tree, columns)
    if odd := list(unread(qualified)):
        raise Objections(odd)
    reader = _Reader(model, columns, marks or {}, today or date.today())
    with reader.noted():
        ask = reader.whole(qualified)
        if reader.objections:
            raise Objections(reader.objections)
        return Selected(ask, tuple(reader.values))
    raise Objections(reader.objections)


def _renamed(tree: Expression, names: Mapping[str, str]) -> Expression:
    """The query with the real names in place of those that were shown for them."""
    for identifier in list(tree.find_all(exp.Identifier)):
        if identifier.name in names:
            identifier.set("this", names[identifier.name])
            identifier.set("quoted", True)
    return tree


def _qualified(tree: Expression, columns: Mapping[str, Mapping[str, str]]) -> Expression:
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


_TAKEN = frozenset(
    {
        "with_",
        "expressions",
        "from_",
        "joins",
        "where",
        "group",
        "having",
        "qualify",
        "order",
        "limit",
        "offset",
        "distinct",
    }
)


class _Reader(Sources):
    # The whole ------------------------------------------------------------------------------------------------------

    def whole(self, tree: Expression) -> al.Query | al.Along:
        self._keep_named(tree)
        if isinstance(tree, exp.SetOperation) and not _tells_rows_apart(tree.this):
            raise Objection("Give each result of a UNION a name of its own: SELECT 'first' AS part, …")
        if isinstance(tree, exp.Select):
            tree = merged(tree, self._ctes)
            if (along := self._followed(tree)) is not None:
                return along
        return self.query(tree, {})

    def _keep_named(self, tree: Expression) -> None:
        given = tree.args.get("with_")
        if given is not None and given.args.get("recursive"):
            raise Objection("WITH RECURSIVE is not available.")
        for cte in (given or exp.With(expressions=[])).expressions:
            if (
                cte.this.args.get("with_") is None
                and cte.args.get("alias") is not None
                and cte.args["alias"].args.get("columns")
            ):
                for item, name in zip(cte.this.expressions, cte.args["alias"].columns, strict=False):
                    item.replace(exp.alias_(item.unalias().copy(), name.name, quoted=True))
            known = self._ctes.get(cte.alias.lower())
            if cte.alias.lower() in self._tables or (known is not None and known.sql() != cte.this.sql()):
                raise Objection(f"{cte.alias} is the name of another table; call it otherwise in WITH.")
            self._ctes[cte.alias.lower()] = cte.this

    def query(self, tree: Expression, outer: Mapping[str, Source]) -> al.Query:
        """One SELECT; ``outer`` holds the sources around it, for conditions that refer to them."""
        while isinstance(tree, (exp.Subquery, exp.Paren)):
            tree = tree.this
        self._keep_named(tree)
        if isinstance(tree, exp.SetOperation):
            return self._stacked(tree)
        if not isinstance(tree, exp.Select):
            raise Objection("Only SELECTs are available.")
        odd = [k for k, v in tree.args.items() if v and k not in _TAKEN]
        group, distinct = tree.args.get("group"), tree.args.get("distinct")
        if group is not None:
            odd += [k for k, v in group.args.items() if v and k not in ("expressions", "all")]
        if odd or (distinct is not None and distinct.args.get("on")):
            raise Objection(f"{'DISTINCT ON' if not odd else odd[0].upper().strip('_')} is not available.")
        tree = in_steps(as_read(tree, partial(self._leads, tree), lambda t: self._inner(t) is None))
        if is_grouped(tree) and not all(self._is_plain(e.unalias(), tree) for e in tree.expressions):
            tree = in_steps(after_groups(tree))
        source = self.source(tree)
        where: list[Any] = list(source.conditions)
        if (given := tree.args.get("where")) is not None:
            for part in conjuncts(given.this):
                with self.noted():
                    where.append(self._predicate(part, source, outer))
        shown = self._shown(tree, source, outer, source.rows(every(where)))
        return shown.model_copy(
            update={"rows": shown.rows.model_copy(update={"beside": tuple(source.beside)})}
        )

    def _is_plain(self, item: Expression, tree: exp.Select) -> bool:
        grouping = tree.args.get("group")
        keys = [] if grouping is None else [g.sql() for g in grouping.expressions]
        return item.sql() in keys or not aggregates_in(item) or is_plain(item)

    def _stacked(self, tree: exp.SetOperation) -> al.Query:
        """Results below each other, or what two have or do not have in common."""
        if tree.args.get("by_name") or tree.args.get("on"):
            raise Objection("UNION BY NAME is not available.")
        left, right = _each_named(self.query(tree.this, {})), self.query(tree.expression, {})
        names = [c.name or "" for c in self._columns_of(left)]
        show = tuple(al.Key(of=al.Column(table="", column=n), name=n) for n in names)
        distinct = bool(tree.args.get("distinct"))
        if isinstance(tree, exp.Union):
            rows = al.Rows(query=left, also=(right,))
        elif len(names) == 1 and distinct:
            other = al.Among(left=show[0].of, query=right, hold=isinstance(tree, exp.Intersect))
            known = al.Missing(of=show[0].of, hold=False)
            rows = al.Rows(query=left, where=al.Every(of=(known, other)))
        else:
            raise Objection("INTERSECT and EXCEPT are available for one column.")
        order = tuple(
            al.Order(
                by=al.Column(table="", column=self._listed(o, names)), descending=bool(o.args.get("desc"))
            )
            for o in (tree.args.get("order") or exp.Order(expressions=[])).expressions
        )
        return al.Query(
            rows=rows, show=show, distinct=distinct, order=order, limit=self._count(tree, "limit"),
            offset=self._count(tree, "offset") or 0,
        )  # fmt: skip

    def _listed(self, ordered: Expression, names: Sequence[str]) -> str:
        by = ordered.this
        if isinstance(by, exp.Literal) and not by.is_string and 0 < int(by.this) <= len(names):
            return names[int(by.this) - 1]
        if isinstance(by, exp.Column) and by.name in names:
            return by.name
        raise Objection("A UNION can be ordered by the columns that it shows.")

    def _columns_of(self, query: al.Query) -> list[al.Key | al.Shown]:
        return [*query.keys, *query.measures, *query.show]

    def _shown(
        self, tree: exp.Select, source: Source, outer: Mapping[str, Source], rows: al.Rows
    ) -> al.Query:
        items = [(e.alias_or_name, e.unalias()) for e in tree.expressions]
        group = tree.args.get("group")
        grouping = [] if group is None else list(group.expressions)
        if group is not None and group.args.get("all"):
            grouping = [e for _, e in items if not aggregates_in(e)]
        grouped = is_grouped(tree)
        names = {sql.sql(): nice(name) for name, sql in items}
        keys: list[al.Key] = []
        for key in grouping:
            with self.noted():
                keys.append(self._key(key, source, outer, names.get(key.sql())))
                self._whole_spans(keys[-1].of, source)
        measures: list[al.Shown] = []
        show: list[al.Key] = []
        for name, item in items:
            with self.noted():
                if not grouped:
                    show.append(self._key(item, source, outer, nice(name)))
                elif not any(item.sql() == g.sql() for g in grouping):
                    # how many digits are shown is no matter of the question
                    measure = self._measure(_unrounded(item), source, outer, rows)
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
                if ordered.args.get("nulls_first"):
                    raise Objection("Missing values come last in every order.")
                by = spelled(ordered.this, items)
                if grouped and aggregates_in(by):
                    node: Any = self._measure(_unrounded(by), source, outer, rows)
                elif isinstance(by, (exp.Literal, exp.Null)):
                    continue
                else:
                    node = started(self._key(by, source, outer, None))
                found.append(al.Order(by=node, descending=bool(ordered.args.get("desc"))))
        return found

    def _count(self, tree: Expression, name: str) -> int | None:
        given = tree.args.get(name)
        if given is None:
            return None
        if any(v for k, v in given.args.items() if k not in ("this", "expression")) or isinstance(
            given, exp.Fetch
        ):
            raise Objection(f"{name.upper()} is available in its plain form only.")
        number = given.expression
        value = (
            self._literal(number)
            if isinstance(number, (exp.Literal, exp.Placeholder, exp.Parameter))
            else None
        )
        if value is None or isinstance(value.value, bool) or not isinstance(value.value, int):
            raise Objection(f"{name.upper()} has to be a whole number.")
        if name == "limit" and value.value < 1:
            raise Objection("LIMIT has to be at least 1.")
        return value.value or None

    def _followed(self, tree: exp.Select) -> al.Along | None:
        """A change from period to period, written with LAG: ``SUM(x) - LAG(SUM(x)) OVER (ORDER BY period)``."""
        group = tree.args.get("group")
        lags = [w for w in tree.find_all(exp.Window) if isinstance(w.this, exp.Lag)]
        if not lags or group is None or len(group.expressions) != 1 or len({w.sql() for w in lags}) != 1:
            return None
        key, lag = group.expressions[0], lags[0]
        order = (lag.args.get("order") or exp.Order(expressions=[])).expressions
        plain = (
            lag.this.args.get("default") is None
            and not lag.args.get("partition_by")
            and not lag.args.get("spec")
        )
        value, items = lag.this.this, list(tree.expressions)
        step = _step(items[-1].unalias(), value, lag)
        if (
            not plain
            or step is None
            or len(order) != 1
            or order[0].this.sql() != key.sql()
            or order[0].args.get("desc")
        ):
            return None
        others = {e.unalias().sql() for e in items[:-1]} - {key.sql(), value.sql(), lag.sql()}
        if others or tree.args.get("qualify") or tree.args.get("distinct") or tree.args.get("offset"):
            return None
        ordered = (tree.args.get("order") or exp.Order(expressions=[])).expressions
        by_change = [o for o in ordered if o.this.name == items[-1].alias_or_name or o.find(exp.Window)]
        if (ordered and not by_change and (ordered[0].args.get("desc") or tree.args.get("limit"))) or (
            by_change
            and (
                by_change[0] is not ordered[0] or not isinstance(by_change[0].this, (exp.Column, exp.Window))
            )
        ):
            return None
        kept, offset = tree.copy(), lag.this.args.get("offset")
        named = next((e.alias_or_name for e in items[:-1] if e.unalias().sql() == value.sql()), "")
        start = next((e.alias_or_name for e in items[:-1] if e.unalias().sql() == key.sql()), "")
        kept.set(
            "expressions",
            [exp.alias_(key.copy(), start or "period"), exp.alias_(value.copy(), named or "value")],
        )
        for name in ("order", "limit"):
            kept.set(name, None)
        query = self.query(kept, {})
        if not query.keys or query.keys[0].grain is None:
            return None
        return al.Along(
            query=query, step=step, measure=0, span=int(str(offset.this)) if isinstance(offset, exp.Literal) else 1,
            descending=bool(by_change[0].args.get("desc")) if by_change else None,
            limit=self._count(tree, "limit") if by_change else None,
        )  # fmt: skip


def _tells_rows_apart(tree: Expression) -> bool:
    """Whether a result shows more than figures, so that those below each other can be told apart."""
    if not isinstance(tree, exp.Select):
        return True
    return not all(aggregates_in(e) for e in tree.expressions)


def _each_named(query: al.Query) -> al.Query:
    """A query whose columns all have names of their own, since the result below another is known by them."""
    taken: set[str] = set()

    def named(column: Any) -> Any:
        wanted = column.name or name_of(column.measure if isinstance(column, al.Shown) else column) or "value"
        number, free = 1, wanted
        while free in taken:
            number += 1
            free = f"{wanted} {number}"
        taken.add(free)
        return column.model_copy(update={"name": free})

    given = {part: tuple(map(named, getattr(query, part))) for part in ("keys", "measures", "show")}
    return query.model_copy(update=given)


def _unrounded(item: Expression) -> Expression:
    while isinstance(item, (exp.Round, exp.Paren)):
        item = item.this
    return item


def _step(item: Expression, value: Expression, lag: Expression) -> al.Walk | None:
    """Whether a term is the change of a value since the one before it, or its growth."""
    said = _plain(item).replace(_plain(lag), "B").replace(_plain(value), "V")
    said = "".join(said.replace("NULLIF(B, 0)", "B").replace("ABS(B)", "B").split())
    growth = {"(V-B)/B", "V/B-1", "(V/B)-1", "(V/B-1)", "((V-B)/B)"}
    for factor in ("100*", "100.0*", "1.0*", "*100", "*100.0", "*1.0"):
        said = said.replace(factor, "")
    while said.startswith("(") and said.endswith(")") and said[1:-1] in {*growth, "V-B"}:
        said = said[1:-1]
    return al.Walk.CHANGE if said == "V-B" else al.Walk.GROWTH if said in growth else None


def _plain(node: Expression) -> str:
    return _unrounded_all(node.copy()).sql()


def _unrounded_all(node: Expression) -> Expression:
    return node.transform(lambda n: n.this if isinstance(n, exp.Round) else n)
