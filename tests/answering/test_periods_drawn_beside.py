"""Two periods that are compared part by part: headings that name them, both drawn, parts that are not over apart."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import altair
import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

MONTHS = pd.date_range("2024-01-01", periods=12, freq="MS").strftime("%B").tolist()


def _sailings(last: str) -> pd.DataFrame:
    rng = np.random.default_rng(len(last) + int(last[-2:]))
    days = pd.date_range("2024-01-01", last, freq="D")
    rows = [(d, pier, 10 + rng.poisson(20)) for d, pier in itertools.product(days, ("East", "West"))]
    return pd.DataFrame(rows, columns=["sailed_on", "pier", "guests"])


@pytest.fixture(scope="module", params=["2025-09-17", "2025-06-30", "2025-02-03"])
def pier(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Analyst, pd.DataFrame]:
    path: Path = tmp_path_factory.mktemp("pier") / "sailings.csv"
    frame = _sailings(request.param)
    frame.to_csv(path, index=False)
    return gnomon.open(path), frame


def _cells(chart: dict[str, Any]) -> dict[tuple[str, str], float]:
    return {(r["period"], r["group"]): r["value"] for r in chart["data"]["values"]}


def test_months_of_two_years_are_two_lines_and_the_one_that_is_not_over_is_apart(
    pier: tuple[Analyst, pd.DataFrame],
) -> None:
    analyst, frame = pier
    answer = analyst.ask("guests by month in 2025 compared with 2024")
    assert answer.tables[0].columns[1:3] == ("2025", "2024")
    chart = answer.charts[0]
    altair.LayerChart.from_dict(chart)
    at = frame.sailed_on.dt
    sums = frame.groupby([at.year.astype(str), at.strftime("%B")]).guests.sum().to_dict()
    assert {k: v for k, v in _cells(chart).items() if v} == sums
    last = frame.sailed_on.max()
    cut = set() if last.is_month_end else {("2025", last.strftime("%B"))}
    assert {(r["period"], r["group"]) for r in chart["data"]["values"] if not r["whole"]} == cut
    assert ("not whole" in answer.prose) is bool(cut)
    told = answer.prose.partition(".")[0]
    assert not any(f"for {month}" in told for _, month in cut)


def test_groups_of_two_periods_are_bars_beside_each_other(pier: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = pier
    answer = analyst.ask("guests by pier in January 2025 compared with January 2024")
    assert answer.tables[0].columns[1:3] == ("January 2025", "January 2024")
    altair.Chart.from_dict(answer.charts[0])
    chosen = frame[(frame.sailed_on.dt.month == 1)]
    names = "January " + chosen.sailed_on.dt.year.astype(str)
    assert _cells(answer.charts[0]) == chosen.groupby([names, "pier"]).guests.sum().to_dict()


def test_the_two_charts_of_a_why_have_titles_of_their_own(tmp_path: Path) -> None:
    frame = _sailings("2025-09-30")
    fell = (frame.pier == "East") & (frame.sailed_on >= "2025-09-01")
    frame.loc[fell, "guests"] = frame.guests[fell] // 3
    frame.to_csv(tmp_path / "sailings.csv", index=False)
    answer = gnomon.open(tmp_path / "sailings.csv").ask("why did guests fall in September 2025?")
    titles = [" ".join(c["title"]["text"]).replace("\u00a0", " ") for c in answer.charts]
    assert len(titles) == 2 and titles[0].startswith("Pier East moved guests most: -")
    days = frame.set_index("sailed_on").guests.groupby(level=0).sum()
    now, then = (round(days[f"2025-{month}"].mean()) for month in ("09", "08"))
    assert titles[1] == f"Guests came to {now} a day in September 2025, after {then} in August 2025"
    steps = [r["step"] for r in answer.charts[0]["data"]["values"]]
    assert len(steps) == len(set(steps)) and not any(s.endswith("(2)") for s in steps)
