"""Sentences made here stand as they are: days of rows, “the first year”, “at least half” are no figures without a fact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.planning.readers import analyst_of

ROWS = 400


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(1)
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    days = pd.Timestamp("2014-03-05") + pd.to_timedelta(rng.integers(0, 1500, ROWS), unit="D")
    pd.DataFrame({
        "visit_id": range(ROWS), "visit_date": days.strftime("%Y-%m-%d"), "state": rng.choice(["Ohio", "Texas"], ROWS),
        "amount": np.where(rng.random(ROWS) < 0.85, 14.87, rng.normal(15, 3, ROWS)).round(2),
    }).to_csv(path, index=False)  # fmt: skip
    return path


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how many outliers are there in the amount column?", "at least half of the values are the same"),
        ("list the visit dates for Ohio", "among them"),
        ("which year had the fewest visits?", "the first year in full"),
    ],
)
def test_sentences_are_told_and_not_lines_of_facts(visits: Path, question: str, said: str) -> None:
    answer = analyst_of(visits).ask(question)
    assert answer.status == "answered"
    first, *rest = answer.prose.split("\n")
    assert first.endswith("."), "a line of facts ends with a figure"
    assert said in answer.prose.lower()
    assert not rest or rest[0] == ""
