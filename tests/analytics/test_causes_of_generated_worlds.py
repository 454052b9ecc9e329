"""Diagnosis over generated tables with a planted truth: what is said agrees with pandas, and nothing stops it."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from gnomon.analytics.diagnosis import Diagnosis, DiagnosisStatus, diagnose
from gnomon.core.query import TimeRange
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic.infer import infer_model

FIRST = date(2024, 1, 1)


def month(year: int, number: int) -> TimeRange:
    start = date(year, number, 1)
    end = (start + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    return TimeRange(start=start, end=end)


def why(
    frame: pd.DataFrame, metric: str, current: TimeRange, previous: TimeRange, table: str = "logs"
) -> Diagnosis:
    with open_sources({table: frame}) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
        return diagnose(dataset, metric, current, previous, model=model)


@pytest.mark.parametrize("seed", range(3))
def test_a_table_without_any_dimension_can_be_asked_why(seed: int) -> None:
    rng = np.random.default_rng(seed)
    days = pd.date_range(FIRST, periods=300)
    calls = rng.poisson(rng.integers(50, 400), len(days))
    fall = (days >= "2024-09-01") & (days < "2024-10-01")
    calls[fall] = calls[fall] // 3
    frame = pd.DataFrame({"logged_on": days, "calls": calls, "wait_minutes": rng.gamma(9, 2, len(days))})
    found = why(frame, "calls", month(2024, 9), month(2024, 8))
    assert found.status is DiagnosisStatus.UNUSUAL
    assert found.change.after == frame[fall]["calls"].sum()


@pytest.mark.parametrize("seed", range(3))
def test_no_percentage_of_a_negative_figure_is_told(seed: int) -> None:
    rng = np.random.default_rng(seed)
    days = pd.date_range("2023-06-01", "2024-12-31")
    rows = [(d, line, rng.normal(-5, 20)) for d in days for line in ("Mill", "Forge", "Yard")]
    frame = pd.DataFrame(rows, columns=["posted_on", "line", "profit"])
    frame.loc[(frame["line"] == "Forge") & (frame["posted_on"] >= "2024-10-01"), "profit"] -= 90
    found = why(frame, "profit", month(2024, 10), month(2024, 9))
    assert found.change.before < 0 or found.change.after < 0
    assert found.change.change_percent is None
    season = found.season
    assert season.years == 0 or not season.relative


@pytest.mark.parametrize("seed", range(4))
def test_a_shift_between_groups_is_told_as_such_and_adds_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rates = {"post": 0.2, "phone": 0.03, "web": 0.09}
    rows = [
        (day, way, rng.random() < rate)
        for day in pd.date_range("2023-09-01", "2024-07-31")
        for way, rate in rates.items()
        for _ in range(rng.poisson(20 if way != "phone" or day < pd.Timestamp("2024-07-01") else 90))
    ]
    frame = pd.DataFrame(rows, columns=["asked_on", "way", "signed"])
    found = why(frame, "signed_rate", month(2024, 7), month(2024, 6), "requests")
    mix = found.mix
    assert mix is not None and (mix.dimension, mix.value) == ("way", "phone")
    assert mix.effect + mix.within == pytest.approx(found.change.change)
    july, june = (
        frame[frame["asked_on"].dt.month.eq(m) & frame["asked_on"].dt.year.eq(2024)] for m in (7, 6)
    )
    assert mix.after == pytest.approx((july["way"] == "phone").mean())
    assert mix.before == pytest.approx((june["way"] == "phone").mean())


@pytest.mark.parametrize("seed", range(6))
def test_shares_that_shift_by_chance_are_no_mix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    days = pd.date_range("2023-09-01", "2024-07-31")
    frame = pd.DataFrame(
        {"asked_on": rng.choice(days, 9000), "way": rng.choice(["post", "phone", "web"], 9000)}
    )
    odds = frame["way"].map({"post": 0.2, "phone": 0.03, "web": 0.09})
    frame["signed"] = rng.random(9000) < np.where(frame["asked_on"] >= "2024-07-01", odds / 2, odds)
    assert why(frame, "signed_rate", month(2024, 7), month(2024, 6), "requests").mix is None


@pytest.mark.parametrize("seed", range(3))
def test_days_without_rows_and_odd_days_are_named(seed: int) -> None:
    rng = np.random.default_rng(seed)
    days = pd.date_range("2024-01-01", "2024-09-30")
    frame = pd.DataFrame(
        [(d, s, rng.poisson(60)) for d in days for s in "ABC"], columns=["sold_on", "kiosk", "tickets"]
    )
    lost = frame["sold_on"].between("2024-08-12", "2024-08-18")
    odd = why(frame[~lost], "tickets", month(2024, 8), month(2024, 7), "kiosks").odd_days
    assert odd is not None and odd.empty and (odd.first, odd.last) == (date(2024, 8, 12), date(2024, 8, 18))
    down = frame["sold_on"].eq("2024-08-14")
    frame.loc[down, "tickets"] = 1
    found = why(frame, "tickets", month(2024, 8), month(2024, 7), "kiosks")
    if found.status is DiagnosisStatus.UNUSUAL:
        odd = found.odd_days
        assert odd is not None and not odd.empty and odd.first == odd.last == date(2024, 8, 14)
        assert odd.value == 3


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_came_twice_are_counted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    days = pd.date_range("2024-01-01", "2024-06-30")
    frame = pd.DataFrame({"line_id": np.arange(3000), "ordered_on": np.sort(rng.choice(days, 3000))})
    frame["area"], frame["amount"] = rng.choice(["north", "south"], 3000), rng.gamma(4, 9, 3000).round(2)
    again = frame[frame["ordered_on"].between("2024-05-06", "2024-05-19")]
    found = why(pd.concat([frame, again]), "amount", month(2024, 5), month(2024, 4), "lines")
    assert found.copies is not None and (found.copies.after, found.copies.before) == (len(again), 0)
    assert why(frame, "amount", month(2024, 5), month(2024, 4), "lines").copies is None


@pytest.mark.parametrize("seed", range(3))
def test_the_part_of_a_sum_that_moved_is_named(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = []
    for day in pd.date_range("2024-01-01", "2024-10-31"):
        for shop in ("Aston", "Bray", "Cove"):
            turnover, more = rng.normal(1000, 30), 150 if shop == "Bray" and day.month == 10 else 0
            expenses = rng.normal(950, 20) + more
            rows.append(
                (day, shop, round(turnover, 2), round(expenses, 2), round(turnover, 2) - round(expenses, 2))
            )
    frame = pd.DataFrame(rows, columns=["posted_on", "shop", "turnover", "expenses", "profit"])
    found = why(frame, "profit", month(2024, 10), month(2024, 9), "ledger")
    assert [(c.measure, c.segment) for c in found.causes][:1] == [("expenses", (("shop", "Bray"),))]
    own = frame[(frame["shop"] == "Bray")].groupby(frame["posted_on"].dt.month)["expenses"].sum()
    assert (found.causes[0].before, found.causes[0].after) == pytest.approx((own[9], own[10]))


@pytest.mark.parametrize("seed", range(3))
def test_the_same_thing_in_another_unit_is_no_cause(seed: int) -> None:
    rng = np.random.default_rng(seed)
    days = pd.date_range("2024-01-01", "2024-11-30")
    held = pd.MultiIndex.from_product(
        [days, ["Ayr", "Bonn", "Caen"], ["wet", "dry"]], names=["sent_on", "depot", "load"]
    )
    frame = held.to_frame(index=False)
    fell = (frame["depot"] == "Bonn") & (frame["load"] == "wet") & (frame["sent_on"] >= "2024-11-01")
    frame["pallets"] = rng.poisson(np.where(fell, 3, 12))
    frame["tonnes"] = (frame["pallets"] * rng.gamma(30, 0.8, len(frame))).round(2)
    found = why(frame, "pallets", month(2024, 11), month(2024, 10), "shipments")
    assert [dict(p.segment) for p in found.explanation.parts] == [{"depot": "Bonn", "load": "wet"}]
    assert all(c.correlated_only for c in found.causes if c.measure == "average_tonnes")
