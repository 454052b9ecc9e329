"""A SELECT in steps: figures of groups first, then what is told of each row by the rows around it, then conditions on that.

SQL lets one SELECT do all three; the algebra does one after the other. Here a tree of SQL is rewritten into SELECTs
over SELECTs that mean the same, so that windows and conditions on them are only ever read over plain rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp
from sqlglot.expressions.core import Expression

from gnomon.planning.model_reader.moments import Objection

_RANKED = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.Lag, exp.Lead)


def is_aggregate(node: Expression) -> bool:
    """Whether a term makes one number of many rows."""
    inner = node.this if isinstance(node, (exp.Filter, exp.WithinGroup)) else node
    return isinstance(inner, exp.AggFunc) and not isinstance(inner, _RANKED)


def aggregates_in(node: Expression) -> bool:
    """Whether a value is one of many rows; those of sub-queries are theirs, and windows look at rows, not groups."""
    if isinstance(node, (exp.Subquery, exp.Select)):
        return False
    if isinstance(node, exp.Window):
        given = [*_arguments(node), *(node.args.get("partition_by") or []), node.args.get("order")]
        return any(aggregates_in(c) for c in given if c is not None)
    return is_aggregate(node) or any(aggregates_in(c) for c in node.iter_expressions())


def is_grouped(tree: exp.Select) -> bool:
    """Whether a SELECT shows groups rather than rows."""
    held = [*tree.expressions, tree.args.get("qualify"), tree.args.get("order")]
    return (
        tree.args.get("group") is not None
        or tree.args.get("having") is not None
        or any(aggregates_in(e) for e in held if e is not None)
    )


def _arguments(window: exp.Window) -> list[Expression]:
    """What the function of a window is given."""
    inner = window.this
    while isinstance(inner, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        inner = inner.this
    return [c for c in inner.iter_expressions() if not isinstance(c, exp.Star)]


def is_total(window: exp.Window) -> bool:
    """Whether a window is the total of a figure over all groups: ``SUM(COUNT(*)) OVER ()``."""
    plain = (
        not window.args.get("partition_by") and not window.args.get("order") and not window.args.get("spec")
    )
    if not plain or not isinstance(window.this, exp.Sum):
        return False
    inner = window.this.this.this if isinstance(window.this.this, exp.Filter) else window.this.this
    return isinstance(inner, (exp.Sum, exp.Count))


class _Names:
    """What the inner SELECT shows for the outer one, each under a name of its own."""

    def __init__(self, tree: exp.Select, alias: str) -> None:
        self.alias = alias
        self._given = {e.unalias().sql(): e.alias_or_name for e in tree.expressions}
        self.shown: dict[str, tuple[str, Expression]] = {}

    def column(self, node: Expression) -> exp.Column:
        """The column of the outer SELECT that stands for a term of the inner one."""
        text = node.sql()
        if text not in self.shown:
            given = self._given.get(text, "")
            name = given if given and not given.startswith("_col_") else _called(node)
            taken = {n for n, _ in self.shown.values()}
            free, number = name, 1
            while free in taken:
                number += 1
                free = f"{name} {number}"
            self.shown[text] = (free, node.copy())
        return exp.column(
            exp.to_identifier(self.shown[text][0], quoted=True),
            table=exp.to_identifier(self.alias, quoted=True),
        )

    def select(self, tree: exp.Select) -> exp.Select:
        """The inner SELECT, showing what was asked for."""
        tree.set("expressions", [exp.alias_(e, n, quoted=True) for n, e in self.shown.values()])
        return tree


def _called(node: Expression) -> str:
    """A readable name for a term that has none."""
    columns = [c.name for c in node.find_all(exp.Column)]
    if isinstance(node, exp.Column):
        return node.name
    inner = node.this if isinstance(node, (exp.Filter, exp.WithinGroup)) else node
    if isinstance(inner, exp.Window):
        inner = inner.this
    word = inner.sql_name().lower().replace("_", " ") if isinstance(inner, exp.Func) else inner.key
    return f"{word} of {columns[0]}" if columns else word


def _replaced(node: Expression, is_leaf: Callable[[Expression], bool], names: _Names) -> Expression:
    """A term with columns of the inner SELECT in place of what is computed there."""

    def walk(part: Expression, at_function: bool = False) -> Expression:
        if not at_function and is_leaf(part):
            return names.column(part)
        if isinstance(part, exp.Subquery):
            return part.copy()
        made = part.copy()
        for key, held in part.args.items():
            function = isinstance(part, exp.Window) and key == "this"
            if isinstance(held, list):
                made.set(key, [walk(h) if isinstance(h, Expression) else h for h in held])
            elif isinstance(held, Expression):
                made.set(
                    key,
                    walk(
                        held,
                        function
                        or (
                            at_function
                            and isinstance(part, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter))
                            and key == "this"
                        ),
                    ),
                )
        return made

    return walk(node)


def _outer(
    tree: exp.Select, inner: exp.Select, names: _Names, is_leaf: Callable[[Expression], bool]
) -> exp.Select:
    """The SELECT around ``inner`` that shows what ``tree`` shows."""
    items = {e.alias_or_name: e.unalias() for e in tree.expressions}
    shown = [
        exp.alias_(_replaced(e.unalias(), is_leaf, names), e.alias_or_name, quoted=True)
        for e in tree.expressions
    ]
    made = exp.Select(expressions=shown)
    if tree.args.get("distinct") is not None:
        made.set("distinct", tree.args["distinct"].copy())
    if (order := tree.args.get("order")) is not None:
        made.set("order", _replaced(_spelled(order, items), is_leaf, names))
    for name in ("limit", "offset"):
        if tree.args.get(name) is not None:
            made.set(name, tree.args[name].copy())
    if (qualify := tree.args.get("qualify")) is not None:
        made.set("qualify", _replaced(_spelled(qualify, items), is_leaf, names))
    names.select(inner)
    made.set(
        "from_",
        exp.From(this=exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(names.alias)))),
    )
    return made


def _spelled(node: Expression, items: Mapping[str, Expression]) -> Expression:
    """A term with what is shown in place of the names under which it is shown."""

    def put(part: Expression) -> Expression:
        if isinstance(part, exp.Column) and not part.table and part.name in items:
            return items[part.name].copy()
        return part

    return node.copy().transform(put)


spelled = _spelled


def _bare(tree: exp.Select, *names: str) -> exp.Select:
    inner = tree.copy()
    for name in ("order", "limit", "offset", "distinct", "qualify", "with_", *names):
        inner.set(name, None)
    return inner


def after_groups(tree: exp.Select) -> exp.Select:
    """What is computed of groups in one SELECT as a SELECT over the groups and their figures."""
    keys = {e.sql() for e in _grouping(tree)}
    names = _Names(tree, "_groups")
    inner = _bare(tree)

    def is_leaf(node: Expression) -> bool:
        return is_aggregate(node) or node.sql() in keys

    for key in _grouping(tree):
        names.column(key)
    return _outer(tree, inner, names, is_leaf)


def _grouping(tree: exp.Select) -> list[Expression]:
    group = tree.args.get("group")
    if group is None:
        return []
    if group.args.get("all"):
        return [e.unalias() for e in tree.expressions if not aggregates_in(e) and not e.find(exp.Window)]
    return list(group.expressions)


def _after_windows(tree: exp.Select) -> exp.Select:
    """A condition on windows as a condition of a SELECT over them."""
    names = _Names(tree, "_rows")
    inner = _bare(tree)

    def is_leaf(node: Expression) -> bool:
        return isinstance(node, (exp.Window, exp.Column))

    kept = tree.copy()
    made = _outer(kept, inner, names, is_leaf)
    condition = made.args.pop("qualify")
    made.set("where", exp.Where(this=condition.this))
    return made


def _over_nothing(tree: exp.Select) -> exp.Select:
    """Sub-queries that are computed with, beside each other, as rows to compute with."""
    found: dict[str, str] = {}
    joins: list[Expression] = []

    def put(part: Expression) -> Expression:
        if not isinstance(part, exp.Subquery) or not isinstance(part.this, exp.Select):
            return part
        text = part.sql()
        if text not in found:
            name = f"_value{len(found) + 1}"
            found[text] = name
            inner = part.this.copy()
            first = inner.expressions[0].unalias()
            inner.set("expressions", [exp.alias_(first.copy(), "value", quoted=True), *inner.expressions[1:]])
            joins.append(exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(name))))
        return exp.column("value", table=found[text])

    made = tree.copy()
    made.set(
        "expressions",
        [exp.alias_(e.unalias().transform(put), e.alias_or_name, quoted=True) for e in tree.expressions],
    )
    if not joins:
        return tree
    made.set("from_", exp.From(this=joins[0]))
    made.set("joins", [exp.Join(this=j, kind="CROSS") for j in joins[1:]])
    return made


def in_steps(tree: exp.Select) -> exp.Select:
    """The same SELECT, one step at a time where it takes several."""
    if tree.args.get("from_") is None:
        return _over_nothing(tree)
    group = tree.args.get("group")
    if group is not None and group.find(exp.Window) is not None:
        raise Objection("A window cannot be grouped by in the same SELECT; put it into a sub-query.")
    windows = [w for e in [*tree.expressions, tree.args.get("qualify"), tree.args.get("order")] if e is not None
               for w in e.find_all(exp.Window)]  # fmt: skip
    if (
        windows
        and is_grouped(tree)
        and (tree.args.get("qualify") is not None or not all(map(is_total, windows)))
    ):
        tree = after_groups(tree)
    return _after_windows(tree) if tree.args.get("qualify") is not None else tree


def merged(tree: exp.Select, ctes: Mapping[str, Expression]) -> exp.Select:
    """A SELECT that only adds windows to the groups of another, as one SELECT over the rows of that one."""
    first = tree.args.get("from_")
    if first is None or not any(e.find(exp.Window) for e in tree.expressions):
        return tree
    plain = all(not tree.args.get(k) for k in ("joins", "where", "group", "having", "distinct", "qualify"))
    given = first.this
    inner = given.this if isinstance(given, exp.Subquery) else ctes.get(given.name.lower())
    if not plain or not isinstance(inner, exp.Select) or not is_grouped(inner):
        return tree
    if any(
        inner.args.get(k) for k in ("order", "limit", "offset", "distinct", "qualify", "with_")
    ) or inner.find(exp.Window):
        return tree
    items = {e.alias_or_name: e.unalias() for e in inner.expressions}
    alias = given.alias_or_name

    def put(part: Expression) -> Expression:
        if isinstance(part, exp.Column) and part.table == alias and part.name in items:
            return items[part.name].copy()
        return part

    made = inner.copy()
    shown = [
        exp.alias_(e.unalias().copy().transform(put), e.alias_or_name, quoted=True) for e in tree.expressions
    ]
    made.set("expressions", shown)
    for name in ("order", "limit", "offset"):
        if tree.args.get(name) is not None:
            made.set(name, tree.args[name].copy().transform(put))
    return made
