"""Ranges as people spell them out: their ends, their labels, and what lies between them."""

from __future__ import annotations

import pytest

from gnomon.planning.reader.said_ranges import ranges_in


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (
            "'Calf' (0-12 months), 'Heifer' (13-30) and 'Cow' (31 and above)",
            ["'Calf', '>=', 0, '<', 13", "'Heifer', '>=', 13, '<', 31", "'Cow', '>=', 31, '', 0"],
        ),
        (
            "moisture into dry (below 10), damp (10 to 50) and wet (above 50)",
            ["'dry', '', 0, '<', 10", "'damp', '>=', 10, '<=', 50", "'wet', '>', 50, '', 0"],
        ),
        (
            "'Low' (yield<=2), 'Mid' (2<yield<=4), 'High' (yield>4)",
            ["'Low', '', 0, '<=', 2", "'Mid', '>', 2, '<=', 4", "'High', '>', 4, '', 0"],
        ),
        ("by depth group (0-9, 10-19, 20+)", ["'0-9', '>=', 0, '<', 10", "'10-19', '>=', 10, '<', 20", "'20+', '>=', 20, '', 0"]),
        ("0-1.5 as 'short', 1.5-3 as 'tall'", ["'short', '>=', 0, '<', 1.5", "'tall', '>=', 1.5, '<=', 3"]),
    ],
)  # fmt: skip
def test_ends_and_labels_are_taken_as_said(text: str, written: list[str]) -> None:
    assert [r.written() for r in ranges_in(text)] == written


@pytest.mark.parametrize(
    "text",
    [
        "from 2015 to 2019",  # one range is a period or a condition
        "0-10, 5-20",  # they overlap
        "more than 3 or at least 2",
    ],
)
def test_what_is_no_list_of_ranges_makes_none(text: str) -> None:
    assert ranges_in(text) == []


def test_a_range_says_where_it_stands_and_reads_in_words() -> None:
    text = "Group boats by length: small (under 8), large (8 and above). How many are there?"
    small, large = ranges_in(text)
    assert text[small.start : small.end] == "small (under 8)"
    assert text[large.end :].startswith(". How many")
    assert (small.told(), large.told()) == ("“small” below 8", "“large” from 8")
