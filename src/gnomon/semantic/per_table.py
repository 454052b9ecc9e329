"""What is asked of a whole table for each of its columns, worked out once: a thousand columns ask a thousand times."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from gnomon.data import TableProfile

T = TypeVar("T")


def once_per_table(work: Callable[[TableProfile], T]) -> Callable[[TableProfile], T]:
    """``work``, remembered for the table that it was last done for; the result is shared and must not be changed."""
    last: list[tuple[TableProfile, T]] = []

    def told(table: TableProfile) -> T:
        held = last[:1]
        if held and held[0][0] is table:
            return held[0][1]
        found = work(table)
        last[:] = [(table, found)]
        return found

    told.__doc__ = work.__doc__
    return told
