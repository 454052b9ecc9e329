"""Running totals, moving averages and the moment of a best value, told with the figure that was asked for."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon

TODAY = date(2024, 7, 1)
_RNG = np.random.default_rng(12)
DAYS = pd.date_range("2024-03-01", "2024-06-20")
SOLD = pd.Series(_RNG.integers(20, 90, len(DAYS)), index=DAYS)


@pytest.fixture(scope="module")
def kiosk() -> gnomon.Analyst:
    return gnomon.open({"kiosk": pd.DataFrame({"day": DAYS, "units_sold": SOLD.to_numpy()})})


def facts(answer: gnomon.Answer) -> dict[str, object]:
    return {f.name: f.value for f in answer.facts}


def test_a_running_total_says_what_it_came_to(kiosk: gnomon.Analyst) -> None:
    answer = kiosk.ask("cumulative units sold in May 2024", today=TODAY)
    assert facts(answer)["units_sold.cumulative"] == SOLD["2024-05"].sum(), answer.prose
    assert "running total of" in answer.prose.split(".")[0]


def test_a_moving_average_begins_with_the_days_before(kiosk: gnomon.Analyst) -> None:
    answer = kiosk.ask("7 day moving average of units sold in May 2024", today=TODAY)
    (table,) = answer.tables
    expected = SOLD.rolling(7).mean()["2024-05"]
    assert [row[-1] for row in table.rows] == pytest.approx(expected.tolist())
    assert facts(answer)["units_sold.moving_average"] == pytest.approx(expected.iloc[-1])


def test_when_asks_for_the_moment_where_rows_are_moments() -> None:
    moments = pd.date_range("2024-05-01", "2024-05-06 23:50", freq="10min")
    level = pd.Series(np.round(np.abs(_RNG.normal(5, 2, len(moments))), 2), index=moments)
    tank = gnomon.open({"tank": pd.DataFrame({"recorded_at": moments, "temperature": level.to_numpy()})})
    answer = tank.ask("When was the temperature highest?", today=date(2024, 5, 7))
    assert answer.tables[0].rows[0] == (level.idxmax(), level.max()), answer.prose
