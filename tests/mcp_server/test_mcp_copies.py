"""What a model or a line along time repeats of single values is not told: the season before, a smoothing that forgets at once, a middle slope."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import Call, calling
from mcp_harness import server_over

STEPS = 36
_NUMBER = re.compile(r"-?\d+\.\d+")


def readings() -> pd.DataFrame:
    """Readings of three meters, one a month each: one that repeats a year, one that strides and stays, one that wanders."""
    rng = np.random.default_rng(8)
    months = pd.date_range("2021-01-15", periods=STEPS, freq="MS") + pd.Timedelta(days=11)
    year = 4000 + 900 * rng.random(12)
    courses = {
        "yearly": np.tile(year, 3) * (1 + 0.03 * rng.standard_normal(STEPS)),
        "striding": 2000 + 700 * np.repeat(rng.random(6), 6) + 0.001 * rng.standard_normal(STEPS),
        "wandering": 6000 + 150 * rng.standard_normal(STEPS).cumsum(),
    }
    parts = [
        pd.DataFrame({"month": months, "meter": n, "reading": v.round(3), n: v.round(3)})
        for n, v in courses.items()
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    file: Path = tmp_path_factory.mktemp("copies") / "readings.csv"
    readings().to_csv(file, index=False)
    with server_over(file) as server, calling(server) as call:
        yield call


def untold() -> np.ndarray[Any, Any]:
    """Every reading, and what lies between two readings of a meter, as a whole and for each month between them."""
    found: list[float] = []
    for _, values in readings().groupby("meter")["reading"]:
        each = values.to_numpy()
        found += list(each)
        found += [
            (each[j] - each[i]) / step
            for i in range(STEPS)
            for j in range(i + 1, STEPS)
            for step in {1, j - i}
        ]
    return np.sort(np.abs(found))


def told_again(groups: Any) -> list[float]:
    """Those of the numbers in what was told of the groups that a reading, or two of them, would tell."""
    numbers = [abs(float(n)) for n in _NUMBER.findall(json.dumps(groups)) if len(n.strip("-0.")) > 5]
    known = untold()
    near = [(n, known[max(0, (at := int(np.searchsorted(known, n))) - 1) : at + 1]) for n in numbers]
    return [n for n, beside in near if any(math.isclose(n, k, rel_tol=1e-6) for k in beside)]


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("trend", {}),
    ("timeseries_forecaster", {"season": 12, "horizon": 3}),
    ("timeseries_forecaster", {"horizon": 2, "merge": "last"}),
    ("timeseries_forecaster", {"season": 2, "horizon": 30}),
    ("trend", {"merge": "last", "season": 12}),
]


@pytest.mark.long
@pytest.mark.parametrize(("tool", "more"), CALLS)
def test_no_reading_is_told_by_what_repeats_it(agent: Call, tool: str, more: dict[str, Any]) -> None:
    asked = {
        "data": {"table": "readings"},
        "value": "reading",
        "time": "month",
        "group_by": ["meter"],
        **more,
    }
    told = agent(tool, asked)
    assert not told.is_error
    groups = told.structured_content["groups"]
    assert {g["group"]["meter"] for g in groups} == set(readings()["meter"])
    assert told_again(groups) == []


@pytest.mark.long
def test_the_season_before_and_the_errors_of_a_few_forecasts_are_not_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    months = pd.date_range("2023-01-03", periods=20, freq="MS")
    paid = (np.tile([811.37, 1402.9, 977.1, 2655.2], 5) + rng.normal(0, 9, 20)).round(3)
    frame = pd.DataFrame({"month": months, "paid": paid})
    frame.to_csv(tmp_path / "quarters.csv", index=False)
    frame.head(5).to_csv(tmp_path / "short.csv", index=False)
    asked = {"value": "paid", "time": "month", "horizon": 4}
    with server_over(tmp_path / "quarters.csv", tmp_path / "short.csv") as server, calling(server) as call:
        again = call("timeseries_forecaster", {"data": {"table": "quarters"}, "season": 4, **asked})
        short = call("timeseries_forecaster", {"data": {"table": "short"}, **asked}).structured_content
    assert again.structured_content["model"] == "seasonal naive (4)"
    assert {p["value"] for p in again.structured_content["points"]} == {None}
    assert (short["accuracy"]["mae"], short["errors"], short["skill"]) == (None, {}, None)


def test_a_trend_is_said_as_roundly_as_its_figures(agent: Call) -> None:
    asked = {"data": {"table": "readings"}, "value": "reading", "time": "month", "group_by": ["meter"]}
    told = agent("trend", asked).structured_content
    said = [told["summary"], *(g["summary"] for g in told["groups"])]
    assert any(" goes " in text for text in said)
    figures = [n.replace(",", "").lstrip("0.") for text in said for n in re.findall(r"\d[\d,.]*\d", text)]
    assert [f for f in figures if len(f.replace(".", "").rstrip("0")) > 3] == []


def test_a_forecast_is_still_told_in_round_numbers(agent: Call) -> None:
    asked = {"data": {"table": "readings"}, "value": "reading", "time": "month", "horizon": 3}
    told = agent("timeseries_forecaster", asked).structured_content
    assert [p["value"] for p in told["points"]] == [
        None if p["value"] is None else pytest.approx(p["value"], rel=0.01) for p in told["points"]
    ]
    assert told["accuracy"]["mae"] > 0
