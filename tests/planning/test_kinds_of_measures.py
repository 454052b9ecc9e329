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
    assert not any(f.values == ("Redhill Riders",) for r in reading.parts for f in r.filters)
    named = workshop.read("How many jobs are there for Redhill Riders?", today=TODAY)
    assert [f.values for f in named.parts[0].filters] == [("Redhill Riders",)]


def test_an_average_has_no_shares(workshop: GrammarReader) -> None:
    reading = workshop.read("What percentage of average hours is Lone Oak?", today=TODAY)
    assert reading.status is not ReadingStatus.CLEAR


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["run_id,wave,category,age on day,chip_minutes,alone"]
    rows += [
        f"R{i:04},{('Red', 'Blue')[i % 2]},{('Open', 'Club', 'Vet')[i % 3]},{18 + i % 60},{80 + i % 70},{i % 4 == 0}"
        for i in range(400)
    ]
    return reader_over(tmp_path_factory.mktemp("race"), {"runs": rows})


def test_the_fastest_of_each_group_is_its_least_time(race: GrammarReader) -> None:
    request = race.read("fastest chip per wave", today=TODAY).parts[0]
    assert (request.metrics, request.dimensions) == (("min(runs.chip_minutes)",), ("wave",))


def test_rows_before_a_column_of_theirs_are_no_group(race: GrammarReader) -> None:
    request = race.read("Which run category has the highest average chip?", today=TODAY).parts[0]
    assert request.dimensions == ("category",)


def test_minutes_never_bound_an_age(race: GrammarReader) -> None:
    reading = race.read("How many runs with age on day of 60 or more took under 120 minutes?", today=TODAY)
    assert not any(f.field == "age on day" and f.values[0] != 60 for r in reading.parts for f in r.filters)


def test_a_proportion_in_each_group_is_of_that_group(race: GrammarReader) -> None:
    request = race.read("What proportion of runs were alone in each wave?", today=TODAY).parts[0]
    assert not request.filters or request.part  # never the groups among those who were
