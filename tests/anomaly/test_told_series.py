"""Times that stand out are told once each, in the units of the readings."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from gnomon.anomaly import ADEngine
from gnomon.anomaly.modalities import prepare
from gnomon.anomaly.told_series import Course, episodes
from gnomon.cli.investigate import investigate


def shop(seed: int, start: int, length: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A daily table of a shop in which shipments were late for a while."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2024-11-01", periods=300, freq="D")
    late = np.clip(0.018 + 0.004 * rng.standard_normal(300), 0.001, None)
    late[start : start + length] = 0.07 + 0.004 * rng.standard_normal(length)
    orders = 200 + 40 * np.sin(2 * np.pi * np.arange(300) / 7) + 8 * rng.standard_normal(300)
    return pd.DataFrame({"date": days, "late_shipment_rate": late, "orders": orders.round()}), late


@pytest.mark.parametrize(("seed", "start", "length"), [(0, 143, 12), (1, 60, 10), (2, 250, 12)])
def test_an_outage_is_one_episode_told_in_the_units_of_the_data(seed: int, start: int, length: int) -> None:
    frame, late = shop(seed, start, length)
    state = ADEngine().investigate(frame, data_type="time_series")
    assert state.analysis is not None
    first = state.analysis["consensus_analysis"].get("episodes", [])[0]
    assert first["column"] == "late_shipment_rate"
    inside = set(range(start - 3, start + length + 3))
    assert set(first["rows"]) <= inside and len(first["rows"]) >= length // 2
    share = f"{100 * late.max():.1f}".removesuffix(".0")
    edge = f"{100 * np.quantile(late, 0.95):.1f}".removesuffix(".0")
    assert f"late shipment rate up to {share} %, usually below {edge} %" in first["why"]
    assert first["text"].count("late shipment rate") == 1
    assert "00:00" not in first["text"] and str(frame["date"][start].year) in first["when"]
    others = [
        e for e in state.analysis["consensus_analysis"].get("episodes", [])[1:] if set(e["rows"]) & inside
    ]
    assert others == []


def test_the_text_report_tells_the_episodes_after_a_verdict_in_words() -> None:
    engine = ADEngine()
    state = engine.investigate(shop(0, 143, 12)[0], data_type="time_series")
    assert state.quality is not None and state.analysis is not None
    text = str(engine.report(state))
    episode = state.analysis["consensus_analysis"].get("episodes", [])[0]
    places = [text.index(state.quality["explanation"]), text.index("## Session Summary")]
    assert places == sorted(places) and text.rindex(episode["text"]) > places[1]
    assert re.match(r"[A-Z][^0-9(]*[a-z]", state.quality["explanation"])
    assert text.count(episode["text"]) >= 1 and "00:00:00" not in text


@pytest.mark.parametrize("gap", range(6))
def test_flagged_times_belong_together_unless_several_ordinary_ones_lie_between(gap: int) -> None:
    frame, flagged = shop(3, 100, 1)[0], [100, 101, 102 + gap]
    number = frame.select_dtypes("number").columns[0]
    frame.loc[flagged, number] = 10 * frame[number].max()
    prepared = prepare(frame, "time_series")
    labels = np.zeros(300, dtype=int)
    labels[flagged] = 1
    found = episodes(prepared, labels.astype(float), labels, [None] * 300)
    assert sorted(len(e["rows"]) for e in found) == ([3] if gap <= 2 else [1, 2])
    assert sorted(r for e in found for r in e["rows"]) == flagged


@pytest.mark.parametrize("seed", range(4))
def test_ordinary_readings_beside_a_stretch_are_not_part_of_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    level = rng.normal(20, 1, 200)
    level[90:100] += 15
    frame = pd.DataFrame({"day": pd.date_range("2025-01-01", periods=200), "level": level})
    labels = np.zeros(200, dtype=int)
    labels[88:103] = 1
    (found,) = episodes(prepare(frame, "time_series"), labels.astype(float), labels, [None] * 200)
    assert found["rows"] == list(range(90, 100))


@pytest.mark.parametrize(
    ("freq", "rows", "said"),
    [
        ("D", [10], "11 January 2025"),
        ("D", [10, 11], "11 – 12 January 2025"),
        ("D", [30, 31], "31 January – 1 February 2025"),
        ("h", [3, 4, 5], "1 January 2025 03:00 – 05:00"),
        ("h", [23, 25], "1 January 2025 23:00 – 2 January 2025 01:00"),
    ],
)
def test_a_stretch_of_time_is_named_as_people_do(freq: str, rows: list[int], said: str) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"at": pd.date_range("2025-01-01", periods=80, freq=freq), "load": rng.normal(size=80)}
    )
    labels = np.zeros(80, dtype=int)
    labels[rows] = 1
    found = episodes(prepare(frame, "time_series"), labels.astype(float), labels, [None] * 80)
    assert [e["when"] for e in found] == [said]


def test_only_proportions_are_told_in_per_cent() -> None:
    values = np.r_[np.full(99, 0.02), 0.5]
    told = {n: Course.of(n, values, np.full(100, 0.02)).shown(0.5) for n in ("refund_rate", "speed", "Share", "generated")}  # fmt: skip
    assert told == {"refund_rate": "50 %", "speed": "0.5", "Share": "50 %", "generated": "0.5"}
    beyond = Course.of("refund_rate", 60 * values, np.full(100, 1.2))
    assert beyond.shown(30.0) == "30"


def test_charts_are_written(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(investigate)
    path = tmp_path / "shop.csv"
    shop(0, 143, 12)[0].to_csv(path, index=False)
    done = CliRunner().invoke(app, [str(path), "--chart", str(tmp_path / "charts")])
    assert done.exit_code == 0, done.output
    made = sorted((tmp_path / "charts").glob("*.png"))
    assert [p.name for p in made] == ["shop-1.png", "shop-2.png"]
    assert all(p.read_bytes().startswith(b"\x89PNG") and p.stat().st_size > 5_000 for p in made)
    assert "late shipment rate up to" in " ".join(done.output.split())
