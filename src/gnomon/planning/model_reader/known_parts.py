"""Which parts of a SELECT are read at all: whatever the parser keeps beside them would be dropped unseen, and is an objection."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions.core import Expression

# What stands in every node, or says how something is written, and not what it means.
_EVERYWHERE = frozenset({"this", "expression", "expressions"})
_WRITTEN = frozenset({"big_int", "safe", "coalesce", "dialect", "requires_string", "typed"})
_READ: dict[type[Expression], frozenset[str]] = {
    exp.Alias: frozenset({"alias"}),
    exp.Between: frozenset({"low", "high"}),
    exp.CTE: frozenset({"alias"}),
    exp.Case: frozenset({"ifs", "default"}),
    exp.Cast: frozenset({"to"}),
    exp.Column: frozenset({"table"}),
    exp.DateDiff: frozenset({"unit"}),
    exp.DateTrunc: frozenset({"unit"}),
    exp.Except: frozenset({"distinct", "order", "limit", "offset", "with_", "by_name", "on"}),
    exp.Greatest: frozenset({"ignore_nulls"}),
    exp.Least: frozenset({"ignore_nulls"}),
    exp.Fetch: frozenset({"direction", "count"}),
    exp.Group: frozenset({"all", "rollup", "cube", "grouping_sets", "totals"}),
    exp.Identifier: frozenset({"quoted"}),
    exp.If: frozenset({"true", "false"}),
    exp.ILike: frozenset({"negate"}),
    exp.In: frozenset({"query"}),
    exp.Intersect: frozenset({"distinct", "order", "limit", "offset", "with_", "by_name", "on"}),
    exp.Interval: frozenset({"unit"}),
    exp.Join: frozenset({"kind", "on", "side"}),
    exp.Lag: frozenset({"offset", "default"}),
    exp.Lead: frozenset({"offset", "default"}),
    exp.Like: frozenset({"negate"}),
    exp.Literal: frozenset({"is_string"}),
    exp.Ordered: frozenset({"desc", "nulls_first"}),
    exp.Replace: frozenset({"replacement"}),
    exp.Round: frozenset({"decimals"}),
    exp.Subquery: frozenset({"alias"}),
    exp.Substring: frozenset({"start", "length"}),
    exp.Table: frozenset({"alias"}),
    exp.TableAlias: frozenset({"columns"}),
    exp.TimeToStr: frozenset({"format"}),
    exp.TimestampTrunc: frozenset({"unit"}),
    exp.TryCast: frozenset({"to"}),
    exp.Union: frozenset({"distinct", "order", "limit", "offset", "with_", "by_name", "on"}),
    exp.Window: frozenset({"order", "over", "partition_by", "spec"}),
    exp.WindowSpec: frozenset({"start", "start_side", "end", "end_side", "kind"}),
    exp.With: frozenset({"recursive"}),
}
# Of these every part is looked at where they are read.
_LOOKED_AT = (exp.Select, exp.DataType, exp.DType)


def unread(tree: Expression) -> Iterator[str]:
    """Objections to parts of a query that nothing here reads.

    Args:
        tree: The query as the parser gives it.
    """
    for node in tree.walk():
        if isinstance(node, _LOOKED_AT) or not node.args:
            continue
        read = next((held for kind, held in _READ.items() if type(node) is kind), frozenset[str]())
        odd = [k for k, v in node.args.items() if v and k not in _EVERYWHERE | _WRITTEN | read]
        if odd:
            name = node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
            yield f"{odd[0].strip('_').replace('_', ' ').upper()} of {name} is not available; write it another way."
