"""What the columns of a tree's result are made of: the columns of tables behind each, through every query below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gnomon.core import algebra as al
from gnomon.semantic.computing import Names, name_of

COUNTED = (al.How.COUNT, al.How.DISTINCT)
# They tell how long or how old a value is, not which it is.
_MEASURED = frozenset(
    {
        al.Function.LENGTH, al.Function.VISIBLE_LENGTH, al.Function.WORDS, al.Function.YEAR, al.Function.QUARTER,
        al.Function.MONTH, al.Function.WEEK, al.Function.DAY, al.Function.WEEKDAY, al.Function.HOUR,
        al.Function.MINUTE, al.Function.DAY_OF_YEAR, al.Function.DAYS_BETWEEN, al.Function.SECONDS_BETWEEN,
        al.Function.MONTHS_BETWEEN, al.Function.YEARS_BETWEEN, al.Function.DAY_NAME, al.Function.MONTH_NAME,
    }
)  # fmt: skip
_PLACES = frozenset(
    {al.Glance.PLACE, al.Glance.RANK, al.Glance.DENSE_RANK, al.Glance.PORTION, al.Glance.COUNT}
)

Source = tuple[str, str]
Held = Mapping[tuple[str, str | None], "Output"]


@dataclass(frozen=True)
class Output:
    """One column of a result.

    Args:
        node: What it holds.
        query: The query whose result it is.
        below: The columns of the results that its query is about.
        is_key: Whether it names a group or row.
    """

    node: al.Node
    query: al.Query
    below: Held = field(default_factory=dict[tuple[str, str | None], "Output"], repr=False)
    is_key: bool = False

    @property
    def sources(self) -> frozenset[Source]:
        """The columns of tables whose values it tells, whole or changed; counts of them tell none."""
        return sources(self.node, self.below)


def outputs(query: al.Query) -> dict[str, Output]:
    """The columns of the result of a query, by name and in order."""
    below, names = results_below(query.rows), Names()
    held = [(k, k.of, True, "key") for k in query.keys]
    held += [(m, m.measure, False, "figure") for m in query.measures]
    held = held or [(k, k.of, True, "column") for k in query.show]
    return {
        names.of(shown.name or name_of(shown if key else node), other): Output(node, query, below, key)
        for shown, node, key, other in held
    }


def results_below(rows: al.Rows) -> dict[tuple[str, str | None], Output]:
    """The columns of the results that rows are made of, by name and by the result beside the rows that has them."""
    found: dict[tuple[str, str | None], Output] = {}
    if rows.query is not None:
        found |= {(n, None): o for n, o in outputs(rows.query).items()}
    for other in rows.beside:
        found |= {(n, other.name): o for n, o in outputs(other.query).items()}
    return found


def sources(node: al.Node, below: Held) -> frozenset[Source]:
    """The columns of tables whose values a node tells."""
    if isinstance(node, al.Column):
        if node.table:
            return frozenset({(node.table, node.column)})
        inner = below.get((node.column, node.via))
        return inner.sources if inner is not None else frozenset()
    return frozenset(s for part in told_parts(node) for s in _of_part(part, below))


def _of_part(part: al.Node, below: Held) -> frozenset[Source]:
    if isinstance(part, al.Query):
        return frozenset(s for o in outputs(part).values() for s in o.sources)
    return sources(part, below)


def told_parts(node: al.Node) -> Iterator[al.Node]:
    """The nodes right below whose values are told by it: neither conditions, nor what is only counted or ordered by."""
    if isinstance(node, al.Aggregate):
        if node.of is not None and node.how not in COUNTED:
            yield node.of
    elif isinstance(node, al.Case):
        yield from node.values
        if node.otherwise is not None:
            yield node.otherwise
    elif isinstance(node, al.Windowed):
        if node.of is not None and node.glance not in _PLACES:
            yield node.of
    elif isinstance(node, al.Over):
        if node.how not in COUNTED:
            yield node.measure
    elif isinstance(node, al.Whole):
        yield node.query
    elif not (isinstance(node, al.Call) and node.function in _MEASURED):
        yield from node.parts()


def queries_of(ask: al.Ask) -> list[al.Query]:
    """The queries whose results a question shows: of two sides both."""
    if isinstance(ask, al.Against):
        right = [ask.right] if isinstance(ask.right, al.Query) else []
        return [*queries_of(ask.left), *right]
    if isinstance(ask, al.Told):
        return queries_of(ask.of)
    return [ask.query] if isinstance(ask, (al.Along, al.Study)) else [ask]
