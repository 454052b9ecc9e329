"""Each kind of chart is drawn for the questions that want it, is valid, and becomes a picture in the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair
import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.reporting import document_of_answer, html_of


def _deliveries() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    days = pd.date_range("2024-01-01", "2025-06-30", freq="D")
    depots = [f"Depot {c}" for c in "ABCDEFG"]
    rows: list[tuple[Any, ...]] = []
    for day in days:
        for place, depot in enumerate(depots):
            fell = 0.3 if depot == "Depot A" and day >= pd.Timestamp("2025-06-01") else 1.0
            parcels = int(rng.poisson((60 + 12 * place) * fell))
            distance = float(rng.gamma(4, 20))
            rows.append(
                (
                    day,
                    depot,
                    rng.choice(["van", "bike"]),
                    parcels,
                    distance,
                    5 + 0.2 * distance + rng.normal(0, 3),
                )
            )
    return pd.DataFrame(rows, columns=["day", "depot", "vehicle", "parcels", "distance_km", "fuel_litres"])


@pytest.fixture(scope="module")
def analyst(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    path: Path = tmp_path_factory.mktemp("post") / "deliveries.csv"
    _deliveries().to_csv(path, index=False, float_format="%.3f")
    return gnomon.open(path)


def _kind(chart: dict[str, Any]) -> str:
    """What a chart is, told by its marks alone."""
    if "facet" in chart:
        return "small multiples"
    layers = chart.get("layer") or [chart]
    marks = [layer["mark"]["type"] for layer in layers]
    first = layers[0]["encoding"]
    if "x2" in first and marks[0] == "bar":
        return "histogram" if "bin" in first["x"] else "waterfall"
    if marks[0] == "rect":
        return "heat map"
    return {"point": "scatter"}.get(marks[0], marks[0])


WANTED = {
    "parcels by month": ["line"],
    "parcels by depot": ["bar"],
    "why did parcels fall in June 2025?": ["waterfall", "line"],
    "is distance related to fuel?": ["scatter"],
    "predict fuel from distance": ["scatter"],
    "distribution of distance": ["histogram"],
    "outliers in distance": ["histogram"],
    "which columns are correlated?": ["heat map"],
    "parcels by depot and vehicle": ["heat map"],
    "parcels by month by depot": ["small multiples"],
    "parcels by month by vehicle": ["line"],
    "parcels by depot in 2025 compared with 2024": ["bar"],
}


@pytest.mark.parametrize("question", WANTED)
def test_the_data_chooses_the_chart(analyst: Analyst, question: str) -> None:
    answer = analyst.ask(question)
    assert [_kind(c) for c in answer.charts] == WANTED[question], answer.prose
    for chart in answer.charts:
        made = {"facet": altair.FacetChart, "layer": altair.LayerChart}
        next((made[k] for k in made if k in chart), altair.Chart).from_dict(chart)
        assert chart["description"] and chart["title"]["text"]
    titles = [" ".join(c["title"]["text"]) for c in answer.charts]
    assert len(set(titles)) == len(titles)
    page = html_of(document_of_answer(answer, question))
    assert page.count("<svg") == len(answer.charts)
