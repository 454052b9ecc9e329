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
