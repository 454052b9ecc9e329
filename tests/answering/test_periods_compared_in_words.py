"""Comparisons of periods in everyday wordings: the periods asked about are the ones compared, with a truth of its own."""

from __future__ import annotations

import itertools
from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

GRAINS = {"week": "W", "month": "M", "quarter": "Q", "year": "Y"}
LAST = date(2025, 8, 19)
LAST_PERIOD = [
    "Is {m} {f} up on last {g}?",
    "Is {m} {f} down on last {g}?",
    "Is {m} {f} higher than last {g}?",
    "Is {m} {f} lower than last {g}?",
    "Is {m} {f} better than last {g}?",
    "Is {m} {f} worse than last {g}?",
    "{m} {f} compared with last {g}",
    "{m} {f} vs last {g}",
    "How does {m} {f} compare to last {g}?",
    "{m} {f} this {g} versus last {g}",
]
FOLLOWING = [
    "{m} {f} {g} over {g}",
    "How does {m} {f} compare {g} over {g}?",
    "Is {m} {f} higher than a {g} ago?",
    "Is {m} {f} worse than a {g} ago?",
    "{m} {f} compared with a {g} ago",
]


@pytest.fixture(scope="module")
def ferry() -> tuple[Analyst, pd.DataFrame]:
    draw = np.random.default_rng(12)
    days = pd.date_range("2022-03-07", LAST)
    rows = [
        (d.date(), route, int(draw.integers(1, 40)), round(float(draw.gamma(4, 30)), 2))
        for d in days
        for route in ("Skerry", "Holm")
    ]
    frame = pd.DataFrame(rows, columns=["sailed_on", "route", "cars", "fares"])
    return gnomon.open({"sailings": frame}), frame


def total(frame: pd.DataFrame, measure: str, period: pd.Period) -> float:
    at = pd.to_datetime(frame.sailed_on)
    return float(frame.loc[(at >= period.start_time) & (at <= period.end_time), measure].sum())


def values(answer: gnomon.Answer) -> list[float]:
    return [float(f.value) for f in answer.facts if isinstance(f.value, (int, float))]


def among(wanted: float, told: list[float]) -> bool:
    return any(v == pytest.approx(wanted, rel=1e-6) for v in told)


@pytest.mark.parametrize(
    ("wording", "grain", "measure", "route"),
    list(itertools.product(LAST_PERIOD, GRAINS, ["fares", "cars"], ["", "Skerry"]))[::3],
)
def test_last_period_stands_against_this_one(
    ferry: tuple[Analyst, pd.DataFrame], wording: str, grain: str, measure: str, route: str
) -> None:
    analyst, frame = ferry
    asked = wording.format(m=measure, g=grain, f=f"on {route}" if route else "").replace("  ", " ")
    told = values(analyst.ask(asked.replace(" ?", "?").strip()))
    rows = frame[frame.route == route] if route else frame
    now = pd.Period(LAST, freq=GRAINS[grain])
    assert among(total(rows, measure, now), told), asked
    assert among(total(rows, measure, now - 1), told), asked


@pytest.mark.parametrize(
    ("wording", "grain", "route"), list(itertools.product(FOLLOWING, GRAINS, ["", "Holm"]))
)
def test_periods_that_follow_each_other_are_the_last_whole_ones(
    ferry: tuple[Analyst, pd.DataFrame], wording: str, grain: str, route: str
) -> None:
    analyst, frame = ferry
    asked = wording.format(m="fares", g=grain, f=f"on {route}" if route else "").replace("  ", " ")
    told = values(analyst.ask(asked.replace(" ?", "?").strip()))
    rows = frame[frame.route == route] if route else frame
    last = pd.Period(LAST, freq=GRAINS[grain])
    last = last if last.end_time.date() <= LAST else last - 1
    assert among(total(rows, "fares", last), told) and among(total(rows, "fares", last - 1), told), asked


OPEN = {
    "since 2024": ("2024-01-01", "2030-01-01"),
    "before 2024": ("2000-01-01", "2023-12-31"),
    "until May 2023": ("2000-01-01", "2023-05-31"),
    "after March 2025": ("2025-04-01", "2030-01-01"),
}


@pytest.mark.parametrize(
    ("wording", "sides", "measure"),
    itertools.product(
        ["{m} {a} vs {b}", "Were {m} {a} higher than {b}?", "How much higher were {m} {a} than {b}?"],
        [("since 2024", "before 2024"), ("until May 2023", "after March 2025"), ("after March 2025", "before 2024")],
        ["fares", "cars"],
    ),
)  # fmt: skip
def test_periods_without_an_end_of_their_own_are_compared(
    ferry: tuple[Analyst, pd.DataFrame], wording: str, sides: tuple[str, str], measure: str
) -> None:
    analyst, frame = ferry
    answer = analyst.ask(wording.format(m=measure, a=sides[0], b=sides[1]))
    at = pd.to_datetime(frame.sailed_on)
    sums = [frame.loc[at.between(*OPEN[s]), measure].sum() for s in sides]
    told = values(answer)
    if "How much" in wording:
        assert among(abs(sums[0] - sums[1]), [abs(v) for v in told]), answer.prose
    else:
        assert all(among(float(s), told) for s in sums), answer.prose
    assert "only a part of" not in answer.prose


@pytest.mark.parametrize(
    ("wording", "grain", "measure"),
    itertools.product(
        ["{m} by {g} in 2024 compared with 2023", "Compare {m} in 2023 and 2024 by {g}"], ["month", "quarter"], ["fares", "cars"]
    ),
)  # fmt: skip
def test_parts_of_two_years_stand_beside_each_other(
    ferry: tuple[Analyst, pd.DataFrame], wording: str, grain: str, measure: str
) -> None:
    analyst, frame = ferry
    answer = analyst.ask(wording.format(m=measure, g=grain))
    at = pd.to_datetime(frame.sailed_on)
    part = at.dt.month if grain == "month" else at.dt.quarter
    sums = frame.groupby([at.dt.year, part])[measure].sum()
    cells = [float(v) for t in answer.tables for r in t.rows for v in r if isinstance(v, (int, float))]
    for year, n in itertools.product((2023, 2024), range(1, 13 if grain == "month" else 5)):
        assert among(float(sums.loc[year, n]), cells), answer.prose
