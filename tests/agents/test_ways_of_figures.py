"""From where to where a figure went: every figure that was asked for, rates in points, temperatures in degrees."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer


@pytest.fixture(scope="module")
def weather() -> pd.DataFrame:
    draw = np.random.default_rng(8)
    days = pd.date_range("2024-01-01", "2024-12-31")
    return pd.DataFrame(
        {
            "day": days,
            "outside_temp_c": (
                9 + 9 * np.sin((days.dayofyear - 110) / 58) + draw.normal(0, 2, len(days))
            ).round(1),
            "rain_mm": draw.gamma(1, 3, len(days)).round(1),
            "stormy": draw.random(len(days)) < np.linspace(0.1, 0.4, len(days)),
        }
    )


@pytest.fixture(scope="module")
def asked(weather: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory):
    path: Path = tmp_path_factory.mktemp("weather") / "weather.csv"
    weather.to_csv(path, index=False)
    with gnomon.open(path) as analyst:
        yield analyst.ask


def monthly(weather: pd.DataFrame, column: str) -> pd.Series:
    return weather.groupby(weather.day.dt.to_period("M"))[column].mean()


def facts(answer: Answer) -> dict[str, float]:
    return {f"{f.name.rsplit('.', 1)[-1]} {f.unit}": f.value for f in answer.facts}  # type: ignore[misc]


@pytest.mark.parametrize("question", ["average outside temp by month", "average outside temp in December 2024 compared with November 2024"])  # fmt: skip
def test_temperatures_differ_by_degrees(asked, weather: pd.DataFrame, question: str) -> None:
    answer, means = asked(question), monthly(weather, "outside_temp_c")
    before = means["2024-11"] if "compared" in question else means.iloc[0]
    assert facts(answer)["change °C"] == pytest.approx(means.iloc[-1] - before)
    lead = answer.prose.split("\n")[0].split(". ")[0]
    assert "%" not in lead
    assert lead.count("°C") == 3


def test_rates_differ_by_points(asked, weather: pd.DataFrame) -> None:
    answer, rates = asked("stormy rate by month"), monthly(weather, "stormy")
    assert facts(answer)["change percentage points"] == pytest.approx(100 * (rates.iloc[-1] - rates.iloc[0]))
    assert "percentage points from" in answer.prose


def test_every_figure_that_was_asked_for_is_told_and_drawn(asked, weather: pd.DataFrame) -> None:
    answer = asked("average outside temp and average rain by month")
    assert len(answer.charts) == 2
    for column, chart in zip(("outside_temp_c", "rain_mm"), answer.charts, strict=True):
        means = monthly(weather, column)
        drawn = [r["y"] for r in chart["data"]["values"]]
        assert drawn == pytest.approx(list(means))
        told = {f.about.metric for f in answer.facts if f.value == pytest.approx(means.iloc[-1])}
        assert len(told) == 1
        assert " ".join(chart["title"]["text"]).replace("\u00a0", " ") in answer.prose
