"""Rows are called by what tells them apart, whatever their file is called; a measure may be called as a unit of time is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.planning.readers import analyst_of

from gnomon.core.answer import Answer

NOUNS = ["visit", "payment", "loan", "refund", "call", "purchase", "ride", "order", "session", "test", "claim", "fine"]  # fmt: skip
ROWS = 240


def frame(noun: str) -> pd.DataFrame:
    """Rows of which the region with the fewest has by far the largest amounts."""
    rng = np.random.default_rng(len(noun))
    region = rng.choice(["North", "South", "West"], ROWS, p=[0.5, 0.3, 0.2])
    return pd.DataFrame({
        f"{noun}_id": 1000 + np.arange(ROWS), "date": pd.date_range("2023-01-01", periods=ROWS).strftime("%Y-%m-%d"),
        "region": region, "amount": np.where(region == "West", 900, 10) + rng.integers(0, 9, ROWS),
    })  # fmt: skip


def lead(answer: Answer) -> str:
    """The sentence that answers."""
    assert answer.status == "answered", answer.prose
    return answer.prose.split("\n")[0]


@pytest.mark.parametrize("file", ["data", "export_2024", "journeys"])
@pytest.mark.parametrize("noun", NOUNS)
def test_most_and_fewest_rows_are_counted_and_not_what_they_come_to(
    tmp_path_factory: pytest.TempPathFactory, noun: str, file: str
) -> None:
    path: Path = tmp_path_factory.mktemp(noun) / f"{file}.csv"
    made = frame(noun)
    made.to_csv(path, index=False)
    counts = made.region.value_counts()
    for said, region in (("the most", counts.index[0]), ("the fewest", counts.index[-1])):
        told = lead(analyst_of(path).ask(f"which region had {said} {noun}s?"))
        assert told.startswith(region), (said, told)
        assert str(counts[region]) in told


UNITS = ["hours", "minutes", "days", "weeks", "months"]


@pytest.mark.parametrize("unit", UNITS)
def test_a_measure_called_as_a_unit_of_time_is_ranked_and_averaged(
    tmp_path_factory: pytest.TempPathFactory, unit: str
) -> None:
    path: Path = tmp_path_factory.mktemp(unit) / "repairs.csv"
    rng = np.random.default_rng(5)
    made = pd.DataFrame({
        "repair_id": np.arange(ROWS), "finished": pd.date_range("2023-01-01", periods=ROWS).strftime("%Y-%m-%d"),
        "make": rng.choice(["Fiat", "Skoda"], ROWS), unit: rng.gamma(2, 3, ROWS).round(2),
    })  # fmt: skip
    made.to_csv(path, index=False)
    ask = analyst_of(path).ask
    assert f"{made[unit].max():g}" in lead(ask(f"what were the highest {unit}?"))
    means = made.groupby("make")[unit].mean()
    assert lead(ask(f"which make has the highest average {unit}?")).startswith(str(means.idxmax()))
    assert lead(ask(f"which make has the lowest average {unit}?")).startswith(str(means.idxmin()))


@pytest.mark.parametrize("state", ["warranty", "contract", "guarantee"])
def test_a_comparing_word_before_a_flag_belongs_to_it(
    tmp_path_factory: pytest.TempPathFactory, state: str
) -> None:
    path: Path = tmp_path_factory.mktemp(state) / "repairs.csv"
    made = pd.DataFrame(
        {"repair_id": range(ROWS), "price": range(ROWS), state: [i % 5 == 0 for i in range(ROWS)]}
    )
    made.to_csv(path, index=False)
    held = int(made[state].sum())
    ask = analyst_of(path).ask
    assert str(held) in lead(ask(f"how many repairs were under {state}?"))
    assert str(ROWS - held) in lead(ask(f"how many repairs were not under {state}?"))
    assert "20 %" in lead(ask(f"what share of repairs were under {state}?"))
    assert str((made.price < 30).sum()) in lead(ask("how many repairs have a price under 30?"))


@pytest.mark.parametrize(("row", "done"), [("loan", "loaned"), ("repair", "repaired"), ("order", "ordered"), ("rental", "rented"), ("visit", "visited"), ("inspection", "inspected")])  # fmt: skip
def test_what_was_done_the_most_is_counted_by_the_rows_of_it(
    tmp_path_factory: pytest.TempPathFactory, row: str, done: str
) -> None:
    path: Path = tmp_path_factory.mktemp(row) / f"{row}s.csv"
    made = frame(row).rename(columns={"region": "model"})
    made.to_csv(path, index=False)
    counts = made.model.value_counts()
    for said, model in (
        (f"was {done} the most", counts.index[0]),
        (f"was {done} the least", counts.index[-1]),
    ):
        told = lead(analyst_of(path).ask(f"which model {said}?"))
        assert told.startswith(model), (said, told)
        assert str(counts[model]) in told
