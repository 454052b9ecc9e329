"""Names said by their first letters, and values that two columns hold alike."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus
from gnomon.semantic.wording import plural

TODAY = date(2024, 6, 1)
TEAMS = ("Pumps", "Valves", "Pipes")


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Jobs with a measure whose name has three words."""
    rows = ["job_id,kind,gross_floor_area", *(f"J{i:04},{TEAMS[i % 3]},{40 + i % 90}" for i in range(300))]
    return reader_over(tmp_path_factory.mktemp("works"), {"jobs": rows})


def test_initials_of_a_name_are_that_name(works: GrammarReader) -> None:
    reading = works.read("average gfa by kind", today=TODAY)
    assert reading.status is ReadingStatus.CLEAR
    assert [works.model.metric(m).label for m in reading.parts[0].metrics] == ["average gross floor area"]
    assert any("gross floor area" in note for note in reading.notes)


def test_letters_that_stand_for_nothing_stay_unknown(works: GrammarReader) -> None:
    reading = works.read("average gfx by kind", today=TODAY)
    assert reading.status is not ReadingStatus.CLEAR
    assert "gfx" in reading.missing


def test_columns_that_always_agree_are_no_ambiguity(tmp_path: Path) -> None:
    rows = ["job_id,kind,crew", *(f"J{i:04},{TEAMS[i % 3]},{TEAMS[i % 3]}" for i in range(120))]
    reader = reader_over(tmp_path, {"jobs": rows})
    reading = reader.read("How many jobs were there for Pumps?", today=TODAY)
    assert reading.status is ReadingStatus.CLEAR
    assert [f.field for f in reading.parts[0].filters] == ["kind"]


def test_columns_that_differ_in_one_row_are_asked_about(tmp_path: Path) -> None:
    rows = ["job_id,kind,crew", *(f"J{i:04},{TEAMS[i % 3]},{TEAMS[(i + (i == 7)) % 3]}" for i in range(120))]
    reader = reader_over(tmp_path, {"jobs": rows})
    reading = reader.read("Were there more jobs for Pumps than for Pipes?", today=TODAY)
    assert reading.status is ReadingStatus.AMBIGUOUS
    assert len(set(reading.options)) == 2
    assert all(option != "Were there more jobs for Pumps than for Pipes?" for option in reading.options)


def test_labels_that_end_loosely_have_values_and_no_plural() -> None:
    assert plural("assigned to") == "values of assigned to"
    assert plural("city") == "cities"
