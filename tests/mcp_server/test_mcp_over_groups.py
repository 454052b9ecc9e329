"""A figure over the figures of groups tells none of the groups that are withheld."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import calling
from mcp_harness import server_over

N = 360
LONE = 912.37


def rides(few: int, small_months: int = 1) -> pd.DataFrame:
    """Rides of a year and more; the last months have a few each."""
    rng = np.random.default_rng(few)
    months = pd.period_range("2022-01", periods=12, freq="M")
    frame = pd.DataFrame(
        {
            "day": [m.start_time + pd.Timedelta(days=int(d)) for m, d in zip(rng.choice(months, N), rng.integers(0, 28, N), strict=True)],
            "station": rng.choice(["Harbour", "Market"], N),
            "revenue": rng.normal(20, 3, N).round(2),
        }
    )  # fmt: skip
    last = pd.period_range("2023-01", periods=small_months, freq="M")
    more = pd.DataFrame(
        {
            "day": [m.start_time + pd.Timedelta(days=3) for m in last for _ in range(few)],
            "station": "Harbour",
            "revenue": [LONE] * few * small_months,
        }
    )
    return pd.concat([frame, more], ignore_index=True)


@pytest.fixture
def told(tmp_path: Path) -> Callable[[pd.DataFrame, str], Any]:
    def ask(frame: pd.DataFrame, question: str) -> Any:
        frame.to_csv(tmp_path / "rides.csv", index=False)
        with server_over(tmp_path / "rides.csv") as server, calling(server) as call:
            return call("ask", {"question": question}).structured_content

    return ask


QUESTIONS = [
    "median monthly revenue",
    "standard deviation of monthly revenue",
    "average monthly revenue in 2023",
    "average monthly revenue with revenue over 2",
    "median number of rides per month",
    "median monthly revenue by station",
]


@pytest.mark.parametrize("few", [1, 4])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_few_groups_of_few_rows_are_not_in_a_figure_over_groups(told: Any, question: str, few: int) -> None:
    found = told(rides(few), question)
    assert not found["facts"] and not found["tables"], found


@pytest.mark.parametrize("question", QUESTIONS[:2])
def test_many_groups_of_few_rows_are(told: Any, question: str) -> None:
    assert told(rides(2, small_months=7), question)["facts"]


def test_the_mean_of_totals_is_told_since_total_and_number_are(told: Any) -> None:
    frame = rides(3)
    found = told(frame, "average number of rides per month")
    assert [f["value"] for f in found["facts"]] == [pytest.approx(len(frame) / 13)]
