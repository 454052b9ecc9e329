"""Periods that are not over are drawn apart and told, whatever ticks the rows come in; checked against pandas."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer
from gnomon.data import open_sources
from gnomon.semantic.open_ends import open_ends

# How rows tick, what is asked for, and how pandas calls those periods.
TICKS = [
    ("h", "day", "D"), ("h", "week", "W-SUN"), ("h", "month", "M"), ("15min", "hour", "h"), ("15min", "day", "D"),
    ("D", "week", "W-SUN"), ("D", "month", "M"), ("D", "quarter", "Q"), ("W-SUN", "month", "M"), ("W-WED", "month", "M"),
    ("W-MON", "quarter", "Q"), ("MS", "quarter", "Q"), ("ME", "quarter", "Q"), ("ME", "year", "Y"), ("QS", "year", "Y"),
]  # fmt: skip
SPAN = {"hour": 3, "day": 24, "week": 60, "month": 150, "quarter": 900, "year": 2200}
SLACK = {"quarter": 2, "year": 7}


def _moments(tick: str, grain: str, seed: int) -> pd.DatetimeIndex:
    chance = random.Random(f"{tick} {grain} {seed}")
    start = pd.Timestamp("2021-01-01") + pd.Timedelta(minutes=15 * chance.randrange(96 * 300))
    start = start if tick in ("h", "15min") else start.normalize()
    return pd.date_range(start, start + pd.Timedelta(days=SPAN[grain] + chance.randrange(8)), freq=tick)


def _truth(at: pd.DatetimeIndex, tick: str, grain: str, rule: str) -> set[pd.Timestamp]:
    """The first and last period, where the tick before or after still falls into it."""
    step = pd.tseries.frequencies.to_offset(tick)
    ends = ((at[0], at[0] - step), (at[-1], at[-1] + step))
    found: set[pd.Timestamp] = set()
    for inside, beyond in ends:
        period = inside.to_period(rule)
        missing = (period.end_time - at[-1]).days if beyond > inside else (at[0] - period.start_time).days
        if beyond.to_period(rule) == period and (tick != "D" or missing > SLACK.get(grain, 0)):
            found.add(period.start_time)
    return found


def _asked(folder: Path, at: pd.DatetimeIndex, question: str) -> Answer:
    rows = pd.DataFrame({"measured_at": at, "litres": [10 + n % 7 for n in range(len(at))]})
    rows.to_csv(folder / "flow.csv", index=False)
    return gnomon.open(folder / "flow.csv").ask(question)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("tick", "grain", "rule"), TICKS)
def test_only_a_period_that_the_rows_cut_short_is_drawn_apart(
    tick: str, grain: str, rule: str, seed: int, tmp_path: Path
) -> None:
    at = _moments(tick, grain, seed)
    answer = _asked(tmp_path, at, f"total litres by {grain}")
    drawn = [r for r in answer.charts[0]["data"]["values"] if "join" not in r and "whole" in r]
    apart = {pd.Timestamp(r["x"].removesuffix("Z")) for r in drawn if not r["whole"]}
    assert apart == _truth(at, tick, grain, rule)
    assert answer.prose.count("is not whole") == len(apart)


def test_the_last_day_that_is_not_over_is_neither_the_end_nor_the_lowest(tmp_path: Path) -> None:
    at = pd.date_range("2025-01-06 00:00", "2025-03-19 13:00", freq="h")
    answer = _asked(tmp_path, at, "total litres by day")
    days = pd.Series([10 + n % 7 for n in range(len(at))], index=at).resample("D").sum()
    facts = {f.name.rpartition(".")[2]: f.value for f in answer.facts}
    assert facts["end"] == days["2025-03-18"]
    assert facts["lowest"] == days[:-1].min() > days.iloc[-1]
    lowest = gnomon.open(tmp_path / "flow.csv").ask("which day had the lowest total litres?")
    assert next(f.value for f in lowest.facts if isinstance(f.value, int)) == days[:-1].min()


def test_of_one_whole_month_between_two_that_are_cut_no_fall_is_told(tmp_path: Path) -> None:
    answer = _asked(tmp_path, pd.date_range("2025-01-06", "2025-03-19", freq="D"), "total litres by month")
    assert "the only month that is whole" in answer.prose and "down" not in answer.prose


def test_days_of_rare_rows_that_end_at_any_hour_are_taken_as_whole(tmp_path: Path) -> None:
    """Three visits a day at any time: the last one at noon does not say that the day is not over."""
    chance = random.Random(8)
    at = [
        pd.Timestamp("2025-01-01") + pd.Timedelta(days=d, minutes=chance.randrange(1440))
        for d in range(40)
        for _ in range(3)
    ]
    at += [pd.Timestamp("2025-02-10 08:00"), pd.Timestamp("2025-02-10 19:30")]
    pd.DataFrame({"at": sorted(at), "guest": "A"}).to_csv(tmp_path / "visits.csv", index=False)
    with open_sources(tmp_path / "visits.csv") as dataset:
        assert open_ends(dataset.cursor(), "visits", '"at"', "day") == []


def test_days_and_times_in_two_columns_end_as_moments_do(tmp_path: Path) -> None:
    at = pd.date_range("2025-01-06 00:00", "2025-02-19 09:00", freq="h")
    rows = pd.DataFrame({"day": at.strftime("%Y-%m-%d"), "time": at.strftime("%H:%M"), "litres": 5})
    rows.to_csv(tmp_path / "flow.csv", index=False)
    model = gnomon.open(tmp_path / "flow.csv").model
    found = [str(d) for dimension in model.dimensions for d in dimension.open_days]
    assert found == ["2025-02-19"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("total litres on 19 March 2025", True),
        ("total litres on 19 March 2025 compared with 18 March 2025", True),
        ("total litres on 18 March 2025", False),
        ("total litres on 18 March 2025 compared with 17 March 2025", False),
    ],
)
def test_a_figure_of_a_day_that_is_not_over_says_so(question: str, told: bool, tmp_path: Path) -> None:
    at = pd.date_range("2025-01-06 00:00", "2025-03-19 13:00", freq="h")
    assert ("that day is not whole" in _asked(tmp_path, at, question).prose) is told
