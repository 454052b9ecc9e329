"""Ways along many-to-one joins, and the joins by which one table plays several parts for another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
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


def way_to(
    dimension: Dimension, table: str, joins: Iterable[Join], parts: tuple[Join, ...]
) -> tuple[Join, ...] | None:
    """The joins that lead from ``table`` to a column that holds ``dimension``; None where nothing does.

    Only many-to-one joins are followed, the shortest way first, so that no row is counted twice.

    Args:
        dimension: Where to.
        table: Where from.
        joins: All joins.
        parts: Those that are taken only by a dimension that asks for them.
    """
    plain = [j for j in joins if j not in parts]
    via = dimension.via
    if via is None:
        return _shortest(table, plain, lambda here: dimension.at(here) is not None)
    last = next((j for j in joins if (j.table, j.column) == (via.table, via.column)), None)
    way = _shortest(table, plain, lambda here: here == via.table)
    if way is None or last is None or dimension.at(last.to_table) is None:
        return None
    return (*way, last)


def _shortest(table: str, joins: list[Join], there: Callable[[str], bool]) -> tuple[Join, ...] | None:
    seen, ways = {table}, [((), table)]
    while ways:
        following: list[tuple[tuple[Join, ...], str]] = []
        for way, here in ways:
            if there(here):
                return way
            for join in joins:
                if join.table == here and join.to_table not in seen:
                    seen.add(join.to_table)
                    following.append(((*way, join), join.to_table))
        ways = following
    return None
