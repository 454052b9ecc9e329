"""What trees of columns tell of persons: by the columns and tables that their results are made of, not by their words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.core import algebra as al
from gnomon.guardrails.guard import MASK
from gnomon.guardrails.policy_checks import names_persons
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.provenance import COUNTED, outputs, queries_of

_BY_NAME = (
    al.Comparison.EQUAL,
    al.Comparison.CONTAINS,
    al.Comparison.STARTS,
    al.Comparison.ENDS,
    al.Comparison.LIKE,
)


def tables_of_persons(model: SemanticModel) -> frozenset[str]:
    """The tables whose rows are persons: their names say so, or they hold names and the like."""
    personal = {d.home.table for d in model.dimensions if d.personal}
    return frozenset(personal | {t.name for t in model.tables if names_persons(t.name)})


@dataclass(frozen=True)
class ToldByTree:
    """What a tree over rows of persons tells of them.

    Args:
        about: The columns, tables and texts that it is about.
        listed: Whether it shows values that persons are known by.
        named: Whether a person is asked about by name.
        groups: Whether it shows groups beside each other.
        statistic: Whether it shows more of many rows than their number.
    """

    about: tuple[str, ...]
    listed: bool
    named: bool
    groups: bool
    statistic: bool


def told_by_tree(model: SemanticModel, ask: al.Ask) -> ToldByTree | None:
    """What a tree tells of persons; None where no row that it reaches is that of a person."""
    columns = [n for n in ask.walk() if isinstance(n, al.Column) and n.table]
    tables = [n.table for n in ask.walk() if isinstance(n, al.Rows) and n.table]
    if not {*tables, *(c.table for c in columns)} & tables_of_persons(model):
        return None
    held = {(ref.table, ref.column): d for d in model.dimensions for ref in d.locations}
    personal = {at for at, d in held.items() if d.personal}
    called = {t.name: t.label for t in model.tables}
    about = [n for t in tables for n in (called.get(t, t), t)]
    for c in columns:
        known = held.get((c.table, c.column))
        about += [known.label, known.name, c.column] if known is not None else [c.column]
    about += [n.value for n in ask.walk() if isinstance(n, al.Literally) and isinstance(n.value, str)]
    shown = [o for q in queries_of(ask) for o in outputs(q).values()]
    return ToldByTree(
        about=tuple(dict.fromkeys(about)),
        listed=any(o.sources & personal for o in shown),
        named=any(_names_somebody(n, personal) for n in ask.walk()),
        groups=any(o.is_key for o in shown),
        statistic=any(
            (isinstance(n, al.Aggregate) and n.how not in COUNTED) or isinstance(n, (al.Over, al.Windowed))
            for n in ask.walk()
        ),
    )


def _names_somebody(node: al.Node, personal: set[tuple[str, str]]) -> bool:
    if isinstance(node, al.Test):
        sides = (node.left, node.right) if node.operator in _BY_NAME else ()
    else:
        sides = (node.left,) if isinstance(node, al.Among) and node.hold and node.query is None else ()
    return any(isinstance(s, al.Column) and (s.table, s.column) in personal for s in sides)


def shows_a_row(query: al.Query) -> bool:
    """Whether a value is shown that the row has at which another is largest or smallest."""
    ends = (al.How.AT_MOST, al.How.AT_LEAST)
    figures = any(isinstance(n, al.Aggregate) and n.how in ends for m in query.measures for n in m.walk())
    inner = query.rows.query
    if inner is not None and (inner.keys or inner.measures):
        return shows_a_row(inner)
    return figures


def is_name(value: Any) -> bool:
    """Whether a value is words alone, as names of people are; numbers and addresses are more than that."""
    return value is None or (isinstance(value, str) and not any(c.isdigit() or c == "@" for c in value))


def veiled(
    model: SemanticModel, allowed: Collection[str], ask: al.Ask, rows: Sequence[tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    """The result of a tree, without texts that are made of what identifies a person and may not be shown.

    Columns that are shown as they are get hidden where whole answers are checked; these have names of their own.
    """
    personal = {
        (r.table, r.column): {d.name.casefold(), d.label.casefold()}
        for d in model.dimensions
        if d.personal
        for r in d.locations
    }
    free = {a.casefold() for a in allowed}
    shown = (
        [] if isinstance(ask, (al.Against, al.Study, al.Told)) else list(outputs(queries_of(ask)[0]).values())
    )
    hidden = {
        i for i, out in enumerate(shown)
        if not (isinstance(out.node, al.Column) and out.node.table)
        and any(at in personal and not personal[at] & free for at in out.sources)
        and not all(is_name(r[i]) for r in rows if isinstance(r[i], str))
    }  # fmt: skip
    if not hidden:
        return list(rows)
    return [tuple(MASK if i in hidden and isinstance(v, str) else v for i, v in enumerate(r)) for r in rows]
