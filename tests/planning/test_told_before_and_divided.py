"""Sentences that only tell something, strokes that divide, formulas in brackets, two conditions on what is counted."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus


@pytest.fixture(scope="module")
def bikes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analyst, pd.DataFrame]:
    """Hire bikes: one row a day and station."""
    frame = pd.DataFrame(
        [
            {
                "date": f"2024-{1 + n % 12:02d}-{1 + n % 28:02d}",
                "station": ("Docks", "Market", "Park", "Tower")[n % 4],
                "hires": 20 + (n * 7) % 31,
                "repairs": (n * 5) % 9,
                "load_rate": round(0.3 + (n % 7) / 20, 2),
                "takings": round(40 + (n * 13) % 57 + 0.5 * (n % 3), 2),
            }
            for n in range(480)
        ]
    )
    path: Path = tmp_path_factory.mktemp("bikes") / "bikes.csv"
    frame.to_csv(path, index=False)
    return gnomon.open(path), frame


@pytest.mark.parametrize(
    "question",
    [
        "We are rewriting the yearly brochure about hires. What were the total takings in 2024?",
        "The council man swears they fix everything twice. What were the total takings in 2024?",
    ],
)
def test_what_is_only_told_is_left_aside(question: str, bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert [f.value for f in answer.facts if f.name.startswith("takings")] == [
        pytest.approx(frame.takings.sum())
    ]
    assert "taken as an aside" in answer.prose


def test_a_value_that_is_told_before_is_not_lost(bikes: tuple[Analyst, pd.DataFrame]) -> None:
    answer = bikes[0].ask("We run the Docks station. What were the total takings in 2024?")
    whole = pytest.approx(bikes[1].takings.sum())
    assert not any(f.value == whole for f in answer.facts)


@pytest.mark.parametrize(
    "question",
    ["takings / hires by station", "takings/hires by station", "takings over hires by station"],
)
def test_a_stroke_between_two_measures_divides(question: str, bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    sums = frame.groupby("station")[["takings", "hires"]].sum()
    answer = analyst.ask(question)
    assert dict(answer.tables[0].rows) == pytest.approx((sums.takings / sums.hires).to_dict())


def test_a_bound_is_no_division(bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    sums = frame.groupby("station").hires.sum()
    answer = analyst.ask("stations with hires over 4200")
    assert {row[0] for row in answer.tables[0].rows} == set(sums[sums > 4200].index)


def test_a_formula_in_brackets_says_how_a_name_is_computed(bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    sums = frame.groupby("station")[["repairs", "hires"]].sum()
    answer = analyst.ask("load rate (repairs divided by hires) by station")
    assert dict(answer.tables[0].rows) == pytest.approx((sums.repairs / sums.hires).to_dict())


def test_two_conditions_on_what_is_counted_both_hold(bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    sums = frame.groupby("station")[["takings", "hires"]].sum()
    hires, takings = int(sums.hires.sort_values().iloc[1]), float(sums.takings.sort_values().iloc[2])
    true = int(((sums.hires >= hires) & (sums.takings <= takings)).sum())
    answer = analyst.ask(f"How many stations have at least {hires} hires and takings of at most {takings}?")
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == true
