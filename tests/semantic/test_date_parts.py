"""Dates that no single column holds: years with months beside them, days with times, quarters and weeks in text."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.query import TimeGranularity

TODAY = date(2025, 1, 15)
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_RNG = np.random.default_rng(4)
ROWS = [
    (p, y, m, int(_RNG.integers(50, 900))) for y in (2022, 2023, 2024) for m in range(1, 13) for p in "AB"
]
STAYS = pd.DataFrame(ROWS, columns=["pier", "year", "month", "visits"])
STAYS = STAYS[(STAYS.year < 2024) | (STAYS.month < 10)]


def value(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question, today=TODAY)
    return answer.facts[0].value if answer.facts else answer.prose


@pytest.mark.parametrize("names", ["numbers", "full", "short"])
def test_a_month_beside_a_year_makes_a_date(names: str) -> None:
    told = {"numbers": lambda m: m, "full": lambda m: MONTHS[m - 1], "short": lambda m: MONTHS[m - 1][:3]}
    piers = gnomon.open({"stays": STAYS.assign(month=STAYS.month.map(told[names]))})
    year, month = STAYS.year, STAYS.month
    assert value(piers, "visits in March 2023") == STAYS.visits[(year == 2023) & (month == 3)].sum()
    assert value(piers, "visits in Q2 2023") == STAYS.visits[(year == 2023) & month.between(4, 6)].sum()
    assert value(piers, "visits in 2022") == STAYS.visits[year == 2022].sum()
    assert "nothing in November 2024" in str(value(piers, "visits in November 2024"))
    rows = piers.ask("visits by month in 2023", today=TODAY).tables[0].rows
    expected = STAYS[year == 2023].groupby("month").visits.sum()
    assert {row[0].month: row[1] for row in rows} == expected.to_dict()


def test_a_day_beside_year_and_month_is_a_day() -> None:
    days = pd.date_range("2024-01-01", "2024-04-30")
    table = pd.DataFrame(
        {
            "year": days.year,
            "month": days.month,
            "day": days.day,
            "riders": [100 + i % 37 for i in range(len(days))],
        }
    )
    buses = gnomon.open({"buses": table})
    assert value(buses, "riders on 5 March 2024") == int(table.riders[days == "2024-03-05"].iloc[0])
    mondays = table.riders[days.day_of_week == 0].sum()
    assert value(buses, "total riders on Mondays") == mondays


def test_a_time_of_day_beside_a_date_tells_the_hour() -> None:
    n = 300
    minutes = _RNG.integers(8 * 60, 18 * 60, n)
    table = pd.DataFrame(
        {
            "visit_id": range(n),
            "visit_date": pd.Timestamp(2024, 1, 1) + pd.to_timedelta(_RNG.integers(0, 90, n), unit="D"),
            "visit_time": [f"{m // 60:02d}:{m % 60:02d}" for m in minutes],
        }
    )
    clinic = gnomon.open({"visits": table})
    assert value(clinic, "How many visits were after 3:30 pm?") == int((minutes >= 930).sum())
    february = (table.visit_date.dt.month == 2).sum()
    assert value(clinic, "How many visits were there in February 2024?") == february
    gaps = gnomon.open({"visits": table.assign(visit_time=table.visit_time.where(table.visit_id % 4 > 0))})
    assert value(gaps, "How many visits were there in February 2024?") == february


@pytest.mark.parametrize(
    "form", ["{y}Q{q}", "{y}-Q{q}", "Q{q} {y}", "Q{q}/{y}", "{q}Q{y}", "Quarter {q} {y}"]
)
def test_quarters_in_text_are_times(form: str) -> None:
    quarters = pd.period_range("2019Q1", "2024Q2", freq="Q")
    told = [form.format(y=p.year, q=p.quarter) for p in quarters]
    books = gnomon.open({"accounts": pd.DataFrame({"quarter": told, "income": range(100, 100 + len(told))})})
    (time,) = [d for d in books.model.dimensions if d.coverage]
    assert (time.grain, time.coverage) == (TimeGranularity.QUARTER, (date(2019, 1, 1), date(2024, 6, 30)))
    assert value(books, "income in Q1 2024") == 100 + list(quarters).index(pd.Period("2024Q1"))
    assert value(books, "income in 2023") == sum(100 + i for i, p in enumerate(quarters) if p.year == 2023)
    assert "recorded by quarter" in str(value(books, "income in March 2023"))


def test_weeks_in_text_are_times() -> None:
    weeks = pd.date_range("2023-01-02", periods=70, freq="W-MON")
    told = [f"{d.isocalendar().year}-W{d.isocalendar().week:02d}" for d in weeks]
    farm = gnomon.open({"farm": pd.DataFrame({"week": told, "eggs_laid": [i % 50 + 0.5 for i in range(70)]})})
    assert value(farm, "eggs laid in week 12 of 2023") == 11.5
    assert value(farm, "eggs laid in the week of 8 January 2024") == 3.5


def test_parts_happen_when_the_event_did_not_when_a_thing_was_made() -> None:
    n = 120
    days = pd.Timestamp(2024, 1, 1) + pd.to_timedelta(np.arange(12) * 20, unit="D")
    sales = pd.DataFrame({"sale_id": range(12), "sale_date": days, "venue": ["Hall", "Barn"] * 6})
    lots = pd.DataFrame(
        {"lot_id": range(n), "sale_id": np.arange(n) % 12, "hammer": _RNG.integers(10, 99, n)}
    )
    house = gnomon.open({"sales": sales, "lots": lots})
    spring = lots.hammer[lots.sale_id.map(sales.sale_date).dt.month.isin([3, 4])].sum()
    assert value(house, "total hammer from March to April 2024") == spring
    boats = pd.DataFrame({"boat_id": range(12), "launch_date": days, "hull": ["oak", "steel"] * 6})
    trips = pd.DataFrame(
        {"trip_id": range(n), "boat_id": np.arange(n) % 12, "miles": _RNG.integers(10, 99, n)}
    )
    fleet = gnomon.open({"boats": boats, "trips": trips})
    assert "no dates" in str(value(fleet, "total miles in March 2024"))
