"""Words that say no more than what kind of figure a column holds, and parts of names that are counted."""

from __future__ import annotations

from datetime import date

import pytest
from tests.planning.readers import reader_over

from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2024, 6, 1)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["Job No,Bike Club,Parts £,finish,hours"]
    clubs = ("Redhill Riders", "Vale Wheelers", "Lone Oak")
    rows += [f"J{i:04},{clubs[i % 3]},{20 + i % 50}.50,{1 + i % 5},{1 + i % 7}" for i in range(300)]
    return reader_over(tmp_path_factory.mktemp("workshop"), {"jobs": rows})


def test_a_currency_at_the_end_of_a_heading_is_its_unit(workshop: GrammarReader) -> None:
    parts = next(m for m in workshop.model.metrics if m.expression == "`Parts £`")
    assert (parts.unit, parts.label) == ("GBP", "parts")


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("What is the median parts cost?", ReadingStatus.CLEAR),
        ("average hours by finish rating", ReadingStatus.CLEAR),
        ("What is the median hours cost?", ReadingStatus.PARTIAL),
        ("What is the median parts warranty?", ReadingStatus.PARTIAL),
    ],
)
def test_the_kind_of_a_figure_may_be_said(
    workshop: GrammarReader, question: str, status: ReadingStatus
) -> None:
    assert workshop.read(question, today=TODAY).status is status


def test_what_is_counted_is_no_part_of_a_name(workshop: GrammarReader) -> None:
    reading = workshop.read("How many riders are there?", today=TODAY)
    assert not any(f.values == ("Redhill Riders",) for r in reading.requests for f in r.filters)
    named = workshop.read("How many jobs are there for Redhill Riders?", today=TODAY)
    assert [f.values for f in named.requests[0].filters] == [("Redhill Riders",)]


def test_an_average_has_no_shares(workshop: GrammarReader) -> None:
    reading = workshop.read("What percentage of average hours is Lone Oak?", today=TODAY)
    assert reading.status is not ReadingStatus.CLEAR
