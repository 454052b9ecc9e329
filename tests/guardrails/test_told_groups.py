"""No group of few rows follows from the others: by the whole, by a coarser table, or by the order they come in."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.guardrails.release.cells import MIN_ROWS
from gnomon.guardrails.release.groups import told_groups, values_told

PARTS = st.integers(1, 3)


@st.composite
def tables(draw: st.DrawFn) -> dict[tuple[int, ...], int]:
    """Groups by one to three columns, each with the rows behind it."""
    width = draw(PARTS)
    key = st.tuples(*[st.integers(0, 3)] * width)
    return draw(st.dictionaries(key, st.integers(1, 40), min_size=1, max_size=24))


def margin(table: dict[tuple[int, ...], int], parts: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    found: dict[tuple[int, ...], int] = {}
    for key, rows in table.items():
        name = tuple(key[p] for p in parts)
        found[name] = found.get(name, 0) + rows
    return found


def shown(table: dict[tuple[int, ...], int]) -> set[tuple[int, ...]]:
    kept = told_groups(list(table.values()), list(table))
    return {k for k, keep in zip(table, kept, strict=True) if keep}


@given(tables())
def test_what_is_left_of_any_coarser_group_is_nothing_or_enough(table: dict[tuple[int, ...], int]) -> None:
    told = shown(table)
    assert all(table[k] >= MIN_ROWS for k in told)
    width = len(next(iter(table)))
    for parts in (p for n in range(width) for p in combinations(range(width), n)):
        whole = margin(table, parts)
        left = margin({k: n for k, n in table.items() if k not in told}, parts)
        others = margin({k: n for k, n in table.items() if k in told}, parts)
        assert all(n >= MIN_ROWS or name not in others for name, n in left.items())
        hidden = set(whole) - shown(whole) if parts else set[tuple[int, ...]]()
        assert all(left.get(name, 0) > 0 for name in hidden)


@given(tables(), st.randoms())
def test_the_same_groups_are_withheld_in_whatever_order_they_come(
    table: dict[tuple[int, ...], int], order: Random
) -> None:
    keys = list(table)
    order.shuffle(keys)
    assert shown({k: table[k] for k in keys}) == shown(table)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=20))
def test_groups_without_a_name_leave_nothing_or_enough_as_well(rows: list[int]) -> None:
    told = told_groups(rows)
    left = sum(n for n, keep in zip(rows, told, strict=True) if not keep)
    assert not any(told) or left == 0 or left >= MIN_ROWS


@given(st.lists(st.integers(5, 40), min_size=2, max_size=6))
def test_a_group_of_which_a_bound_leaves_none_is_judged_as_one_of_few(rows: list[int]) -> None:
    keys = [(f"{i}",) for i in range(len(rows) + 1)]
    told = [told_groups([*rows, few], keys, moved=True) for few in range(MIN_ROWS)]
    assert all(t == told[0] for t in told)
    assert not all(told[0][:-1])


@given(tables())
def test_where_every_group_is_large_all_are_told(table: dict[tuple[int, ...], int]) -> None:
    assert all(told_groups([n + MIN_ROWS for n in table.values()], list(table)))


@pytest.mark.parametrize(
    ("rows", "closed", "told"),
    [
        ([60, 60, 1], False, 2),
        ([60, 60], False, 2),
        ([1] * 40, True, 40),
        ([1] * 4, True, 0),
        ([60, 1], True, 1),
    ],
)
def test_values_are_counted_where_enough_rows_hold_them(rows: list[int], closed: bool, told: int) -> None:
    assert values_told(rows, closed=closed) == told
