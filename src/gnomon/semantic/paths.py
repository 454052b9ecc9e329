"""Ways along many-to-one joins, and the joins by which one table plays several parts for another."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.semantic.model import Dimension, Join


def parts_played(joins: Iterable[Join]) -> tuple[Join, ...]:
    """The joins that are one of several from a table to another: start and end station, home and away team.

    A column that has the very name of the key it leads to is what is meant without further words.
    """
    together: dict[tuple[str, str], list[Join]] = defaultdict(list)
    for join in joins:
        together[join.table, join.to_table].append(join)
    found: list[Join] = []
    for several in together.values():
        plain = [j for j in several if j.column.casefold() == j.to_column.casefold()]
        if len(several) > 1:
            found += [j for j in several if len(plain) != 1 or j is not plain[0]]
    return tuple(found)


class Ways:
    """The shortest ways from every table along many-to-one joins, so that no row is counted twice.

    Those from a table are found once, not for each of its dimensions: tables by the hundred have joins by the thousand.

    Args:
        joins: All joins.
    """

    def __init__(self, joins: Iterable[Join]) -> None:
        joins = tuple(joins)
        parts = {id(j) for j in parts_played(joins)}
        self._plain: dict[str, list[Join]] = defaultdict(list)
        for join in joins:
            if id(join) not in parts:
                self._plain[join.table].append(join)
        self._by_column: dict[tuple[str, str], Join] = {}
        for join in joins:
            self._by_column.setdefault((join.table, join.column), join)
        self._known: dict[str, dict[str, tuple[Join, ...]]] = {}

    def to(self, dimension: Dimension, table: str) -> tuple[Join, ...] | None:
        """The joins that lead from ``table`` to a column that holds ``dimension``; None where nothing does.

        A join that is one of several to its table is taken only by a dimension that asks for it.
        """
        ways = self._of(table)
        via = dimension.via
        if via is None:
            held = {ref.table for ref in dimension.locations}
            if table in held:
                return ()
            return (
                next((ways[there] for there in ways if there in held), None) if held & ways.keys() else None
            )
        way, last = ways.get(via.table), self._by_column.get((via.table, via.column))
        if way is None or last is None or dimension.at(last.to_table) is None:
            return None
        return (*way, last)

    def _of(self, table: str) -> dict[str, tuple[Join, ...]]:
        """The tables that are reached from ``table`` and the ways to them, the shortest first."""
        if table not in self._known:
            ways: dict[str, tuple[Join, ...]] = {table: ()}
            waiting = deque([table])
            while waiting:
                here = waiting.popleft()
                for join in self._plain.get(here, ()):
                    if join.to_table not in ways:
                        ways[join.to_table] = (*ways[here], join)
                        waiting.append(join.to_table)
            self._known[table] = ways
        return self._known[table]
