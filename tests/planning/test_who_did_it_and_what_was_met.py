"""Words whose neighbours decide what they say: a verb that a date shares, a noun that a flag tells of, “they”."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.planning.readers import reader_of

from gnomon.core.parts import QuestionKind
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2025, 1, 15)


@pytest.fixture(scope="module")
def repairs(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Repairs with the day on which they were opened and closed, and who closed them."""
    rng = random.Random(3)
    rows = ["repair_id,opened_at,closed_at,closed_by,workshop,amount,parts_used"]
    for i in range(400):
        opened = date(2023, 1, 1) + timedelta(days=i * 2 % 700)
        closed = opened + timedelta(days=3 + rng.randrange(60))
        who = ("Ann Smith", "Bob Miller", "Cy Young")[rng.randrange(3)]
        place = ("Harbour", "Hill")[rng.randrange(2)]
        rows.append(
            f"R{i:04d},{opened},{closed},{who},{place},{40 + rng.randrange(900)},{1 + rng.randrange(30)}"
        )
    file: Path = tmp_path_factory.mktemp("repairs") / "repairs.csv"
    file.write_text("\n".join(rows))
    return reader_of(file)


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Rows with a flag that is called target reached, in a file whose name says nothing."""
    rng = random.Random(5)
    rows = ["sys_id,start_date,area,urgency,percent_done,target_reached"]
    for i in range(300):
        start = date(2023, 1, 1) + timedelta(days=i)
        area = ("Saving", "Growth", "Safety")[rng.randrange(3)]
        urgency = ("Critical", "Medium", "Low")[rng.randrange(3)]
        rows.append(f"T{i:04d},{start},{area},{urgency},{rng.randrange(1000) / 10},{rng.random() < 0.4}")
    file: Path = tmp_path_factory.mktemp("targets") / "flag-7.csv"
    file.write_text("\n".join(rows))
    return reader_of(file)


def test_who_did_it_and_when_share_a_verb(repairs: GrammarReader) -> None:
    reading = repairs.read("How many repairs were closed by Ann Smith in March 2023?", today=TODAY)
    assert reading.status is ReadingStatus.CLEAR
    request = reading.parts[0]
    assert request.time_dimension == "closed_at"
    assert [f.field for f in request.filters] == ["closed_by"]


def test_a_verb_of_another_date_stays_with_it(repairs: GrammarReader) -> None:
    reading = repairs.read("How many repairs closed by Ann Smith were opened in March 2023?", today=TODAY)
    assert all(r.time_dimension in (None, "opened_at") for r in reading.parts)


@pytest.mark.parametrize("verb", ["go up with", "rise with", "increase with"])
def test_what_goes_up_with_another_measure_is_a_correlation(repairs: GrammarReader, verb: str) -> None:
    reading = repairs.read(f"Does the amount {verb} the number of parts used?", today=TODAY)
    assert reading.status is ReadingStatus.CLEAR
    assert reading.parts[0].kind is QuestionKind.CORRELATION
    columns = reading.parts[0].columns
    assert {repairs.model.dimension(c).home.column for c in columns} == {"amount", "parts_used"}


@pytest.mark.parametrize("tail", ["what do they add up to", "what do they come to in total"])
def test_what_was_counted_is_added_up_as_well(repairs: GrammarReader, tail: str) -> None:
    reading = repairs.read(f"How many repairs are there in Harbour and {tail}?", today=TODAY)
    assert reading.status is ReadingStatus.CLEAR
    told = [m for request in reading.parts for m in request.metrics]
    assert len(told) == 2
    assert "amount" in told[1]
    assert all([f.field for f in request.filters] == ["workshop"] for request in reading.parts)


def test_things_that_nothing_adds_up_get_no_half_answer(targets: GrammarReader) -> None:
    reading = targets.read("how many rows are there and what do they add up to?", today=TODAY)
    assert reading.status is not ReadingStatus.CLEAR


def test_a_name_that_holds_the_verb_makes_the_part(targets: GrammarReader) -> None:
    request = targets.read("What share of the Saving targets has been reached?", today=TODAY).parts[0]
    assert request.kind is QuestionKind.SHARE
    assert [f.field for f in request.filters] == ["area"]
    assert [f.field for f in request.part] == ["target_reached"]


def test_what_a_flag_tells_of_is_not_that_it_holds(targets: GrammarReader) -> None:
    reading = targets.read("average percent done for critical versus low urgency targets", today=TODAY)
    assert all(f.field != "target_reached" for r in reading.parts for f in r.filters)
