"""Columns that were related are drawn as their values allow: points, averages, counts, a grid of coefficients."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import altair
import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer
from gnomon.tools import row_relations
from gnomon.tools.pair_picture import MOST_POINTS

N = 2_400


def _rows(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    depth = rng.uniform(2, 90, N).round(3)
    catch = 40 - 0.3 * depth + rng.normal(0, 4, N)
    catch[::40] = np.nan
    return pd.DataFrame(
        {
            "haul": [f"H{i}" for i in range(N)],
            "boat": rng.choice(["Aurora", "Brisk", "Cormorant"], N),
            "gear": rng.choice(["net", "line"], N),
            "hauled_on": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, N), unit="D"),
            "depth_m": depth,
            "catch_kg": catch.round(3),
            "crew": rng.integers(2, 9, N),
        }
    )


@pytest.fixture(scope="module")
def hauls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analyst, pd.DataFrame, Path]:
    frame = _rows(random.Random(17).randrange(1000))
    path = tmp_path_factory.mktemp("hauls") / "hauls.csv"
    frame.to_csv(path, index=False)
    return gnomon.open(path), frame, path


def _marks(chart: dict[str, Any]) -> list[str]:
    layers = chart.get("layer") or [chart]
    return [layer["mark"]["type"] for layer in layers]


def _drawn(analyst: Analyst, question: str) -> tuple[Answer, dict[str, Any]]:
    answer = analyst.ask(question)
    assert len(answer.charts) == 1, answer.prose
    chart = answer.charts[0]
    altair.Chart.from_dict(chart) if "layer" not in chart else altair.LayerChart.from_dict(chart)
    return answer, chart


@pytest.mark.long
def test_two_columns_of_numbers_are_points_with_the_line_of_all_rows(hauls: Any) -> None:
    analyst, frame, _ = hauls
    _, chart = _drawn(analyst, "is depth related to catch?")
    assert _marks(chart) == ["point", "line"]
    points = {(r["x"], r["y"]) for r in chart["data"]["values"] if "y" in r}
    known = frame.dropna(subset=["catch_kg"])
    assert points <= set(zip(known.depth_m, known.catch_kg, strict=True)) and len(points) <= MOST_POINTS
    assert f"{MOST_POINTS:,} of {len(known):,} rows" in " ".join(chart["title"]["subtitle"])
    slope, intercept = np.polyfit(known.depth_m, known.catch_kg, 1)
    ends = [r for r in chart["data"]["values"] if "fit" in r]
    assert [r["fit"] for r in ends] == pytest.approx([intercept + slope * r["x"] for r in ends])
    titles = {chart["layer"][0]["encoding"][side]["title"] for side in "xy"}
    assert titles == {"Depth (metres)", "Catch (kg)"}
    assert "Yes" not in " ".join(chart["title"]["text"])


@pytest.mark.long
def test_the_same_points_are_drawn_each_time_also_where_the_rows_are_too_many_to_be_fetched(
    hauls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyst, frame, path = hauls
    first = _drawn(analyst, "correlation between depth and catch")[1]
    assert _drawn(gnomon.open(path), "correlation between depth and catch")[1] == first
    monkeypatch.setattr(row_relations, "MOST_FETCHED", 100)
    summed = [_drawn(gnomon.open(path), "correlation between depth and catch")[1] for _ in range(2)]
    assert summed[0] == summed[1]
    known = frame.dropna(subset=["catch_kg"])
    drawn = [(r["x"], r["y"]) for r in summed[0]["data"]["values"] if "y" in r]
    assert len(drawn) == MOST_POINTS and set(drawn) <= set(zip(known.depth_m, known.catch_kg, strict=True))
    # Spread over all of the rows: as many of the first as of the second half.
    early = set(zip(known.depth_m[: len(known) // 2], known.catch_kg[: len(known) // 2], strict=True))
    assert 0.4 < sum(p in early for p in drawn) / len(drawn) < 0.6


def test_a_group_and_a_number_are_bars_of_averages(hauls: Any) -> None:
    analyst, frame, _ = hauls
    _, chart = _drawn(analyst, "is boat related to catch?")
    assert _marks(chart)[0] == "bar"
    means = frame.groupby("boat").catch_kg.mean()
    assert {r["name"]: r["value"] for r in chart["data"]["values"]} == pytest.approx(means.to_dict())


def test_two_groups_are_a_grid_of_how_often_they_meet(hauls: Any) -> None:
    analyst, frame, _ = hauls
    answer = analyst.ask("correlation between boat and gear")
    if not answer.charts:
        pytest.skip("read as a test of independence")
    cells = {(r["x"], r["y"]): r["value"] for r in answer.charts[0]["data"]["values"]}
    counts = frame.groupby(["boat", "gear"]).size().to_dict()
    assert cells in (counts, {(b, a): n for (a, b), n in counts.items()})


def test_many_columns_are_a_grid_of_coefficients(hauls: Any) -> None:
    analyst, frame, _ = hauls
    _, chart = _drawn(analyst, "which columns are correlated?")
    assert _marks(chart)[0] == "rect"
    held = {(r["x"], r["y"]): r["value"] for r in chart["data"]["values"]}
    r = frame[["depth_m", "catch_kg"]].corr().iloc[0, 1]
    assert held["depth", "catch"] == held["catch", "depth"] == pytest.approx(r, abs=1e-3)
    assert chart["layer"][0]["encoding"]["color"]["scale"]["domain"] == [-1.0, 1.0]
