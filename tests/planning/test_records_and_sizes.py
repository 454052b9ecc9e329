"""Records (“ever recorded”), sizes that rows are held against, and names that only their unit completes."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

TODAY = date(2025, 1, 2)


@pytest.fixture(scope="module")
def depots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analyst, pd.DataFrame, pd.DataFrame]:
    """Depots with a floor area and the year they were built, and what their meters read on each day."""
    places = pd.DataFrame(
        {
            "depot_id": ["D1", "D2", "D3"],
            "depot_name": ["Mill", "Quay", "Ridge"],
            "kind": ["Cold", "Dry", "Dry"],
            "floor_area_m2": [1200, 3400, 2100],
            "built_year": [1988, 2004, 2011],
        }
    )
    rows = [
        {
            "depot_id": depot,
            "read_on": date(2023, 1, 1) + timedelta(days=n),
            "kwh": size + n % 13,
            "peak_kw": size / 10 + (n * 7) % 11 + (400 if (depot, n) == ("D1", 77) else 0),
            "solar_kwh": (n * 3) % 17,
            "grade": "ABC"[(n + size) % 3],
        }
        for n in range(600)
        for depot, size in (("D1", 90), ("D2", 240), ("D3", 150))
    ]
    readings = pd.DataFrame(rows)
    folder: Path = tmp_path_factory.mktemp("depots")
    places.to_csv(folder / "depots.csv", index=False)
    readings.to_csv(folder / "readings.csv", index=False)
    readings["read_on"] = pd.to_datetime(readings["read_on"])
    return gnomon.open(folder), places, readings


def _table(answer: Answer) -> dict[str, float]:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return {str(row[-2]): float(row[-1]) for row in answer.tables[0].rows}


def test_an_amount_of_a_year_per_size_takes_each_thing_once(
    depots: tuple[Analyst, pd.DataFrame, pd.DataFrame],
) -> None:
    analyst, places, readings = depots
    used = readings[readings.read_on.dt.year == 2024].groupby("depot_id")["kwh"].sum()
    own = places.set_index("depot_id")
    answer = analyst.ask("kwh per square metre of floor area by depot in 2024", today=TODAY)
    expected = {own.depot_name[d]: used[d] / own.floor_area_m2[d] for d in own.index}
    assert _table(answer) == pytest.approx(expected)
    kinds = analyst.ask("kwh divided by floor area by kind in 2024", today=TODAY)
    areas = own.groupby("kind").floor_area_m2.sum()
    sums = used.groupby(own.kind).sum()
    assert _table(kinds) == pytest.approx({k: sums[k] / areas[k] for k in areas.index})


def test_a_size_that_each_thing_has_for_itself_is_no_group(
    depots: tuple[Analyst, pd.DataFrame, pd.DataFrame],
) -> None:
    analyst, places, readings = depots
    answer = analyst.ask("kwh per floor area", today=TODAY)
    assert answer.facts[0].value == pytest.approx(readings.kwh.sum() / places.floor_area_m2.sum())


@pytest.mark.parametrize(
    "question",
    [
        "Which depot had the highest peak ever recorded?",
        "What is the highest peak, and at which depot?",
        "What was the highest peak load ever recorded, and at which depot?",
    ],
)
def test_a_record_is_one_row(question: str, depots: tuple[Analyst, pd.DataFrame, pd.DataFrame]) -> None:
    analyst, _, readings = depots
    answer = analyst.ask(question, today=TODAY)
    assert answer.prose.startswith("Mill")
    assert answer.facts[0].value == pytest.approx(readings.peak_kw.max())


def test_the_group_with_most_on_average_is_still_asked_for(
    depots: tuple[Analyst, pd.DataFrame, pd.DataFrame],
) -> None:
    analyst, _, readings = depots
    answer = analyst.ask("Which depot has the highest average peak?", today=TODAY)
    assert answer.prose.startswith("Quay")
    assert answer.facts[0].value == pytest.approx(readings[readings.depot_id == "D2"].peak_kw.mean())


def test_names_that_end_in_a_unit_are_said_in_full(
    depots: tuple[Analyst, pd.DataFrame, pd.DataFrame],
) -> None:
    analyst, _, readings = depots
    solar = analyst.ask("total solar generation in 2024", today=TODAY)
    assert solar.facts[0].value == readings[readings.read_on.dt.year == 2024].solar_kwh.sum()
    assert analyst.ask("highest peak demand", today=TODAY).facts[0].value == pytest.approx(
        readings.peak_kw.max()
    )
    assert analyst.ask("total solar revenue in 2024", today=TODAY).status is AnswerStatus.OUT_OF_SCOPE


def test_a_noun_between_a_column_and_its_value_says_no_more(
    depots: tuple[Analyst, pd.DataFrame, pd.DataFrame],
) -> None:
    analyst, _, readings = depots
    answer = analyst.ask("how many readings have grade letter B?", today=TODAY)
    assert answer.facts[0].value == int((readings.grade == "B").sum())
