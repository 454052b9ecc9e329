"""What has been understood of a question so far: immutable, put together clause by clause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

from gnomon.core.algebra import How
from gnomon.core.parts import Filter
from gnomon.core.query import TimeRange
from gnomon.semantic.model import Dimension


@dataclass(frozen=True)
class Figure:
    """A number of many rows: of a column, or with none of the rows themselves."""

    how: How
    of: Dimension | None = None


@dataclass(frozen=True)
class Ordering:
    """What comes first: by a column or a figure; by what is shown where neither is named."""

    by: Dimension | Figure | None = None
    descending: bool = False


@dataclass(frozen=True)
class Sketch:
    """The parts of one query, in no order.

    Args:
        shown: Columns that are asked for, in the order they were said.
        figures: Figures that are asked for.
        keys: Columns whose groups are told apart.
        tables: Tables whose rows were spoken of.
        tests: Conditions on rows; one in a tuple of several has to hold of each tuple.
        bounds: Conditions on figures of groups.
        days: The days that rows are of.
        orderings: What comes first.
        limit: How many are asked for.
        whole: Whether all columns are asked for.
        distinct: Whether equal rows are one.
        asks: Whether the question has said what it wants.
        opened: Whether it did so with words that ask: “what is”, “list”.
        either: Whether the next condition is an alternative to the last one.
        cost: What was left aside on the way.
    """

    shown: tuple[Dimension, ...] = ()
    figures: tuple[Figure, ...] = ()
    keys: tuple[Dimension, ...] = ()
    tables: tuple[str, ...] = ()
    tests: tuple[tuple[Filter, ...], ...] = ()
    bounds: tuple[tuple[Figure, Filter], ...] = ()
    days: TimeRange | None = None
    orderings: tuple[Ordering, ...] = ()
    limit: int | None = None
    whole: bool = False
    distinct: bool = False
    asks: bool = False
    opened: bool = False
    either: bool = False
    cost: float = 0.0

    def dearer(self, cost: float) -> Self:
        """The same at a higher cost."""
        return replace(self, cost=self.cost + cost)

    def tested(self, test: Filter) -> Self | None:
        """With one more condition, or one more alternative to the last one."""
        if not self.either:
            return replace(self, tests=(*self.tests, (test,)))
        if not self.tests:
            return None
        return replace(self, tests=(*self.tests[:-1], (*self.tests[-1], test)), either=False)

    def about(self, table: str) -> Self:
        """With a table whose rows were spoken of."""
        return self if table in self.tables else replace(self, tables=(*self.tables, table))

    @property
    def means(self) -> tuple[object, ...]:
        """What tells two sketches apart, whatever they cost."""
        names = tuple(d.name for d in self.shown)
        figures = tuple((f.how, f.of.name if f.of else None) for f in self.figures)
        keys = tuple(d.name for d in self.keys)
        orders = tuple((repr(o.by), o.descending) for o in self.orderings)
        return (names, figures, keys, frozenset(self.tables), frozenset(self.tests), self.bounds, self.days, orders,
                self.limit, self.whole, self.asks, self.opened, self.either)  # fmt: skip


Steps = Iterator[tuple[int, Sketch]]
"""Where a clause ends, and what is understood then."""
