"""Joins as people write them, as those that are read: conditions in WHERE, things without rows, figures of many beside one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp
from sqlglot.expressions.core import Expression

from gnomon.planning.model_reader.conditions import conjuncts
from gnomon.planning.model_reader.steps import aggregates_in, is_aggregate, is_grouped

Leads = Callable[[exp.Column, exp.Column], bool]
"""Whether a declared join leads from one column, of many rows, to another, of one."""
_TOGETHER: dict[type[Expression], Callable[..., Any]] = {
    exp.Count: exp.Sum,
    exp.Sum: exp.Sum,
    exp.Min: exp.Min,
    exp.Max: exp.Max,
}
_EACH = "_of_each"
# Terms that are missing where a column of theirs is: only of these a row that is not there adds nothing.
_STRICT = (exp.Column, exp.Identifier, exp.Literal, exp.Paren, exp.Add, exp.Sub, exp.Mul, exp.Div)


def as_read(tree: exp.Select, leads: Leads, is_table: Callable[[Expression], bool]) -> exp.Select:
    """The same SELECT with joins that are read, where it can be put so.

    Args:
        tree: With a table before every column.
        leads: Tells declared joins.
        is_table: Tells tables from results.
    """
    if not tree.args.get("joins"):
        return tree
    made = _tables_first(_beside_their_conditions(tree), is_table)
    return _of_each(made, leads) if is_table(made.args["from_"].this) else made


def _tables_first(tree: exp.Select, is_table: Callable[[Expression], bool]) -> exp.Select:
    """``result JOIN one ON … JOIN other ON …`` as ``one JOIN other ON … JOIN result ON …``."""
    first, joins = tree.args["from_"].this, tree.args["joins"]
    tables = [j for j in joins if is_table(j.this)]
    if is_table(first) or len(tables) < 2 or tables[0] is not joins[0]:
        return tree
    if any(j.side or (j.kind or "").upper() == "CROSS" or not j.args.get("on") for j in joins):
        return tree
    made = tree.copy()
    of_first, *others = made.args["joins"]
    made.set("from_", exp.From(this=of_first.this))
    result = exp.Join(this=tree.args["from_"].this.copy(), on=of_first.args["on"])
    made.set("joins", [*others, result])
    return made


def _beside_their_conditions(tree: exp.Select) -> exp.Select:
    """``FROM a, b WHERE a.k = b.k`` as ``FROM a JOIN b ON a.k = b.k``."""
    where = tree.args.get("where")
    bare = [j for j in tree.args["joins"] if j.args.get("on") is None and not j.args.get("side")]
    if where is None or not bare:
        return tree
    made, rest = tree.copy(), conjuncts(where.this)
    known = {tree.args["from_"].this.alias_or_name}
    for join in made.args["joins"]:
        alias = join.this.alias_or_name
        if join.args.get("on") is None and not join.args.get("side"):
            mine = [c for c in rest if _ties(c, alias, known)]
            rest = [c for c in rest if c not in mine]
            if mine:
                join.set("on", exp.and_(*[c.copy() for c in mine]))
                join.set("kind", None)
        known.add(alias)
    made.set("where", exp.Where(this=exp.and_(*[c.copy() for c in rest])) if rest else None)
    return made


def _ties(condition: Expression, alias: str, known: set[str]) -> bool:
    """Whether a condition holds a column of one table against one of those before it."""
    sides = [condition.this, condition.expression] if isinstance(condition, exp.EQ) else []
    tables = [s.table for s in sides if isinstance(s, exp.Column)]
    return len(tables) == 2 and alias in tables and bool({*tables} & known) and tables[0] != tables[1]


def _of_each(tree: exp.Select, leads: Leads) -> exp.Select:
    """``one LEFT JOIN many``, where rows of the one stay that have none of the other.

    What is asked of many rows is computed for each of the one first, and stands beside it; where only those are kept that
    have none, that is a condition.
    """
    first, joins = tree.args["from_"].this, tree.args["joins"]
    last = joins[-1]
    tables = isinstance(first, exp.Table) and isinstance(last.this, exp.Table)
    if len(joins) != 1 or not tables or (last.side or "").upper() != "LEFT" or tree.args.get("distinct"):
        return tree
    many = last.this.alias_or_name
    link, rest = _link(conjuncts(last.args.get("on")), many, leads)
    if link is None or any({*_tables(c)} != {many} for c in rest):
        return tree
    where = tree.args.get("where")
    kept = conjuncts(where.this) if where is not None else []
    inner = exp.select().from_(last.this.copy())
    without = [c for c in kept if _is_missing(c, many)]
    others = [c for c in kept if c not in without]
    if any(many in _tables(c) for c in others) or len(without) > 1:
        return tree
    made = tree.copy()
    if without:
        shown = [
            e for e in (*tree.expressions, *(tree.args.get(k) for k in ("group", "having", "order"))) if e
        ]
        if any(many in _tables(e) for e in shown) or without[0].this.name.lower() != link[0].name.lower():
            return tree
        listed = inner.select(link[0].copy()).where(*[c.copy() for c in rest])
        absent = exp.Not(this=exp.In(this=link[1].copy(), query=exp.Subquery(this=listed)))
        made.set("joins", None)
        made.set("where", exp.Where(this=exp.and_(*[c.copy() for c in others], absent)))
        return made
    return _summed(made, inner, last.this, link, rest) or tree


def _summed(
    made: exp.Select,
    inner: exp.Select,
    table: exp.Table,
    link: tuple[exp.Column, exp.Column],
    rest: Sequence[Expression],
) -> exp.Select | None:
    """The figures of many rows for each of the one, and what they come to together; None where they come to nothing."""
    if not is_grouped(made) or made.args.get("qualify") is not None or made.find(exp.Window) is not None:
        return None
    figures: dict[str, tuple[str, Expression]] = {}
    many = table.alias_or_name

    def walk(part: Expression) -> Expression | None:
        if is_aggregate(part):
            return put(part)
        if isinstance(part, exp.Subquery):
            return part
        for key, held in list(part.args.items()):
            for place in held if isinstance(held, list) else [held]:
                if isinstance(place, Expression) and aggregates_in(place):
                    if (new := walk(place)) is None:
                        return None
                    if new is not place:
                        place.replace(new) if isinstance(held, list) else part.set(key, new)
        return part

    def put(part: Expression) -> Expression | None:
        plain = part.this if isinstance(part, exp.Filter) else part
        strict = all(isinstance(n, _STRICT) for n in plain.this.walk()) if type(plain) in _TOGETHER else False
        if not strict or {*_tables(part)} != {many}:
            return None
        said = f"number of {table.name}" if isinstance(plain, exp.Count) else plain.this.name or plain.key
        taken = {n for n, _ in figures.values()}
        name = said if said not in taken else f"{said} {len(figures) + 1}"
        name, _ = figures.setdefault(part.sql(), (name, part.copy()))
        held: Expression = exp.column(exp.to_identifier(name, quoted=True), table=_EACH)
        if isinstance(plain, exp.Count):
            held = exp.Coalesce(this=held, expressions=[exp.Literal.number(0)])
        return _TOGETHER[type(plain)](this=held)

    held = [*made.expressions, *(made.args[k] for k in ("having", "order") if made.args.get(k))]
    for part in held:
        if aggregates_in(part) and walk(part) is None:
            return None
    beside = [*made.expressions, *(made.args[k] for k in ("group", "having", "order") if made.args.get(k))]
    if not figures or any(many in _tables(e) for e in beside):
        return None
    listed = inner.select(
        exp.alias_(link[0].copy(), "key", quoted=True),
        *[exp.alias_(e, n, quoted=True) for n, e in figures.values()],
    ).group_by(link[0].copy())
    if rest:
        listed = listed.where(*[c.copy() for c in rest])
    on = exp.EQ(this=exp.column("key", table=_EACH), expression=link[1].copy())
    named = exp.TableAlias(this=exp.to_identifier(_EACH))
    made.set("joins", [exp.Join(this=exp.Subquery(this=listed, alias=named), side="LEFT", on=on)])
    return made


def _link(
    conditions: Sequence[Expression], many: str, leads: Leads
) -> tuple[tuple[exp.Column, exp.Column] | None, list[Expression]]:
    """The declared equality by which many rows belong to one, and the other conditions."""
    for condition in conditions:
        sides = [condition.this, condition.expression] if isinstance(condition, exp.EQ) else []
        for mine, theirs in (sides, sides[::-1]) if len(sides) == 2 else ():
            columns = isinstance(mine, exp.Column) and isinstance(theirs, exp.Column)
            if columns and mine.table == many and leads(mine, theirs):
                return (mine, theirs), [c for c in conditions if c is not condition]
    return None, list(conditions)


def _is_missing(condition: Expression, many: str) -> bool:
    """Whether a condition says that a row of the many is not there."""
    return (
        isinstance(condition, exp.Is)
        and isinstance(condition.expression, exp.Null)
        and isinstance(condition.this, exp.Column)
        and condition.this.table == many
    )


def _tables(node: Expression) -> list[str]:
    return [c.table for c in node.find_all(exp.Column)]
