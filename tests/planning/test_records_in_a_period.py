"""The most in a day, a record week: totals of periods are ranked, not rows."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

TODAY = date(2024, 9, 1)
_RNG = np.random.default_rng(14)
DAYS = pd.date_range("2024-01-01", "2024-08-25")
GATES = [(d, g) for d in DAYS for g in ("North Gate", "River Gate", "Old Gate")]
ENTRIES = pd.DataFrame(GATES, columns=["day", "gate"]).assign(visitors=_RNG.integers(30, 400, len(GATES)))
DAILY = ENTRIES.groupby("day").visitors.sum()
MONTHLY = DAILY.groupby(DAILY.index.month).sum()


@pytest.fixture(scope="module")
def park() -> Analyst:
    return gnomon.open({"park": ENTRIES})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("highest number of visitors in a day", DAILY.max()),
        ("record number of visitors in a single day", DAILY.max()),
        ("the fewest visitors on any given day", DAILY.min()),
        ("What was the highest number of visitors in a month?", MONTHLY.max()),
        ("maximum visitors in a month", MONTHLY.max()),
        ("record visitors", ENTRIES.visitors.max()),
        ("busiest month", MONTHLY.max()),
        ("the quietest month", MONTHLY.iloc[:-1].min()),  # August is not over
    ],
)
def test_what_is_ranked_is_as_long_as_is_said(park: Analyst, question: str, expected: int) -> None:
    answer = park.ask(question, today=TODAY)
    assert expected in [f.value for f in answer.facts], answer.prose


def test_each_month_is_still_a_series(park: Analyst) -> None:
    answer = park.ask("visitors for each month", today=TODAY)
    assert [row[1] for row in answer.tables[0].rows] == MONTHLY.tolist()
