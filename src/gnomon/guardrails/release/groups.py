"""Which groups may be told, so that none of the others follows from them and from what is known of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from gnomon.guardrails.release.cells import MIN_ROWS

_MOST_KEYS = 4


def told_groups(
    rows: Sequence[int], keys: Sequence[Sequence[Any]] | None = None, *, moved: bool = False
) -> list[bool]:
    """Which groups may be told, by the source rows of each.

    Where those withheld have fewer rows together than may be spoken of, the whole less the others would tell them,
    so the smallest of the others is withheld as well. Of groups by several columns this holds within each value of
    each of them too, whose figure a coarser table tells; and what a coarser table withholds is not to be added up
    from its parts.

    Args:
        rows: The source rows behind each group: of all of them, before a limit leaves some out.
        keys: What each group is, one part for each column. Of groups of one size the same one is withheld then, in
            whatever order they come.
        moved: Whether a condition that can be moved from row to row left these rows. A group of which it left none is
            then judged as one of which it left a few.
    """
    told = [n >= MIN_ROWS for n in rows]
    if all(told) or not any(told):
        return told
    named = [tuple(map(str, k)) for k in keys] if keys is not None else [()] * len(rows)
    smallest_first = sorted(range(len(rows)), key=lambda i: (rows[i], named[i]))
    margins = list(_margins(rows, named, smallest_first, moved=moved))
    changed = True
    while changed:
        changed = False
        for members, hidden in margins:
            out = [rows[i] for i in members if not told[i]]
            few = 0 < sum(out) < MIN_ROWS or (moved and bool(out) and not sum(out))
            if few or (hidden and not sum(out)):
                least = next((i for i in members if told[i]), None)
                if least is not None:
                    told[least], changed = False, True
    return told


def values_told(rows: Sequence[int], *, closed: bool) -> int:
    """How many different values are told that some rows hold, by the source rows of each.

    Counted are those that enough rows hold. Of a closed column that hardly repeats, as identifiers do, all: its values
    are counted like rows.
    """
    if closed and len(rows) >= MIN_ROWS and sum(rows) < MIN_ROWS * len(rows):
        return len(rows)
    return sum(n >= MIN_ROWS for n in rows)


def _margins(
    rows: Sequence[int], keys: Sequence[tuple[str, ...]], order: Sequence[int], *, moved: bool
) -> Iterator[tuple[list[int], bool]]:
    """The groups that share some parts of their keys, down to all of them, and whether a table of those parts withholds them."""
    width = len(keys[0])
    sizes = range(max(width, 1)) if width <= _MOST_KEYS else range(2)
    for parts in (p for n in sizes for p in combinations(range(width), n)):
        held: dict[tuple[str, ...], list[int]] = {}
        for i in order:
            held.setdefault(tuple(keys[i][p] for p in parts), []).append(i)
        whole = [sum(rows[i] for i in members) for members in held.values()]
        shown = told_groups(whole, list(held), moved=moved) if parts else [True]
        yield from ((members, not keep) for members, keep in zip(held.values(), shown, strict=True))
