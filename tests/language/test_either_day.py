"""Any of several days of the week is all of them, however they are listed; a list that is none is left alone."""

from __future__ import annotations

from calendar import day_name
from datetime import date
from itertools import combinations, product

import pytest

from gnomon.language.time_grammar import find_times

TODAY = date(2025, 3, 19)


def ways(first: str, second: str) -> list[str]:
    """Two days as people list them."""
    return [
        f"a {first} or {second}",
        f"a {first} or a {second}",
        f"{first} or {second}",
        f"{first}s or {second}s",
        f"{first}s or on {second}s",
        f"either {first} or {second}",
        f"any {first} or {second}",
    ]


@pytest.mark.parametrize(("first", "second"), list(combinations(range(1, 8), 2)))
def test_one_or_the_other_is_both(first: int, second: int) -> None:
    for said in ways(day_name[first - 1], day_name[second - 1]) + ways(
        day_name[second - 1], day_name[first - 1]
    ):
        [found] = find_times(f"how many orders were placed on {said}", TODAY)
        assert found.recurring is not None, said
        assert (found.recurring.unit, found.recurring.values) == ("weekday", (first, second)), said


@pytest.mark.parametrize("asked_of", ["Do", "did", "Are"])
def test_which_of_two_days_is_asked_of_each_of_them(asked_of: str) -> None:
    for first, second in combinations(range(1, 8), 2):
        found = find_times(
            f"{asked_of} {day_name[first - 1]}s or {day_name[second - 1]}s bring more orders", TODAY
        )
        assert [f.recurring.values for f in found if f.recurring] == [(first,), (second,)]


def test_three_days_are_three() -> None:
    for one, two, three in combinations(range(1, 8), 3):
        names = [day_name[i - 1] for i in (one, two, three)]
        [found] = find_times(f"orders on {names[0]}, {names[1]} or {names[2]} by region", TODAY)
        assert found.recurring is not None and found.recurring.values == (one, two, three)


@pytest.mark.parametrize("joint", ["and", "to", "through"])
def test_days_that_are_not_either_are_read_as_before(joint: str) -> None:
    for first, second in product(("Monday", "Friday"), repeat=2):
        for found in find_times(f"orders between {first} {joint} {second}", TODAY):
            assert found.recurring is None or found.recurring.values != (1, 5) or joint != "and"
    [found] = find_times("orders on a Sunday or in stores", TODAY)
    assert found.recurring is not None and found.recurring.values == (7,)
