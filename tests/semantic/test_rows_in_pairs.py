"""Tables whose rows belong together in pairs are looked up from either side."""

from __future__ import annotations

from pathlib import Path

import pytest

import gnomon
from gnomon.agents.analyst import Analyst

STYLES = ("Modern", "Craft", "Heritage")


@pytest.fixture(scope="module")
def shows(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    folder: Path = tmp_path_factory.mktemp("shows")
    shows = [f"{i},{STYLES[i % 3]},{2019 + i % 4},{1 + i % 5}" for i in range(1, 61)]
    halls = ["1,North Hall", "2,Old Mill", "3,Kiln", "4,Loft", "5,Annex"]
    record = [f"{i},{100 + 7 * i}" for i in range(1, 61)]
    tables = {
        "show": ["Show_ID,Style,Year,Hall_ID", *shows],
        "hall": ["Hall_ID,Name", *halls],
        "show_record": ["Show_ID,Attendance", *record],
    }
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(rows))
    return gnomon.open(folder)


def _attendance(**kept: int) -> int:
    rows = [{"style": i % 3, "year": 2019 + i % 4, "hall": 1 + i % 5, "n": 100 + 7 * i} for i in range(1, 61)]
    return sum(r["n"] for r in rows if all(r[k] == v for k, v in kept.items()))


def test_a_measure_of_one_half_is_told_by_the_other(shows: Analyst) -> None:
    answer = shows.ask("total attendance by style")
    assert {row[0]: row[1] for row in answer.tables[0].rows} == {
        name: _attendance(style=i) for i, name in enumerate(STYLES)
    }


def test_and_by_what_the_other_half_leads_to(shows: Analyst) -> None:
    answer = shows.ask("What was the total attendance at Kiln?")
    assert answer.facts[0].value == _attendance(hall=3)


def test_it_happened_when_the_other_half_did(shows: Analyst) -> None:
    answer = shows.ask("What was the total attendance in 2021?")
    assert answer.facts[0].value == _attendance(year=2021)


def test_and_rows_are_counted_once(shows: Analyst) -> None:
    assert shows.ask("How many shows were there?").facts[0].value == 60
