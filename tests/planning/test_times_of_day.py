"""Questions about parts of a day and of a week, of rows that have a time of day."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

N = 600
TODAY = date(2024, 7, 1)
_RNG = np.random.default_rng(11)
STARTED = pd.Series(
    pd.Timestamp(2024, 3, 1, 7, 5) + pd.to_timedelta(np.sort(_RNG.integers(0, 90 * 1440, N)), unit="m")
)
CALLS = pd.DataFrame(
    {
        "call_id": range(N),
        "started_at": STARTED,
        "desk": [("north", "south", "west")[i % 3] for i in range(N)],
        "wait_minutes": _RNG.integers(1, 40, N),
    }
)
CLOCK = STARTED.dt.hour * 60 + STARTED.dt.minute
WEEKDAY = STARTED.dt.day_of_week


@pytest.fixture(scope="module")
def calls() -> Analyst:
    return gnomon.open({"calls": CALLS})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many calls started at 7 pm or later?", int((CLOCK >= 1140).sum())),
        ("How many calls started after 5:30 pm?", int((CLOCK >= 1050).sum())),
        ("How many calls started before noon?", int((CLOCK < 720).sum())),
        ("How many calls were there in the evening?", int(((CLOCK >= 1080) & (CLOCK < 1320)).sum())),
        ("How many calls came between 10 pm and 6 am?", int(((CLOCK >= 1320) | (CLOCK < 360)).sum())),
        ("How many calls did the north desk get on weekdays after 7 pm?",
         int(((CLOCK >= 1140) & (WEEKDAY < 5) & (CALLS.desk == "north")).sum())),
        ("How many calls were there on Saturdays before 9 am?", int(((CLOCK < 540) & (WEEKDAY == 5)).sum())),
    ],
)  # fmt: skip
def test_a_part_of_the_day_is_told_to_the_minute(calls: Analyst, question: str, expected: int) -> None:
    answer = calls.ask(question, today=TODAY)
    assert [f.value for f in answer.facts][:1] == [expected], answer.prose


def test_rows_at_any_hour_can_be_counted_by_the_hour(calls: Analyst) -> None:
    answer = calls.ask("number of calls by hour of the day", today=TODAY)
    rows = {int(row[0]): row[1] for row in answer.tables[0].rows}
    assert rows == STARTED.dt.hour.value_counts().to_dict()


def test_days_have_no_time_of_day() -> None:
    days = gnomon.open({"calls": CALLS.assign(started_at=STARTED.dt.floor("D"))})
    for question in ("How many calls started after 7 pm?", "calls by hour of the day"):
        answer = days.ask(question, today=TODAY)
        assert "recorded by day" in answer.prose, answer.prose
        assert not answer.facts
