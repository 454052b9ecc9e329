"""What an agent is told of an answer: no cell of a group of few, no extreme, no day that is one row's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.homes import warmed

from gnomon.agents.analyst import Analyst
from gnomon.agents.releasing import AnswerRelease
from gnomon.agents.support import with_counts
from gnomon.core import Settings
from gnomon.data import open_sources, profile_table
from gnomon.guardrails.release.cells import CellGuard, TableCells
from gnomon.guardrails.release.origin import Origin
from gnomon.opening import analyst_over
from gnomon.semantic.retrieve import Retriever

DAYS = pd.date_range("2024-01-02", "2024-08-29", freq="D")


def shop() -> pd.DataFrame:
    """Two rows a day, a shop of three rows, and a last day that nobody else has."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"day": np.repeat(DAYS, 2), "shop": ["north", "south"] * len(DAYS)})
    frame["amount"] = (100 * rng.lognormal(0, 0.1, len(frame))).round(3)
    late = (frame["day"] >= "2024-08-01") & (frame["shop"] == "north")
    frame.loc[late, "amount"] *= 0.4
    frame.loc[[10, 30, 50], "shop"] = "kiosk"
    return frame


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Asks, and gives what may be told of the answer by the rule alone, without the net under it."""
    folder: Path = tmp_path_factory.mktemp("releasing")
    shop().to_csv(folder / "sales.csv", index=False)
    settings = Settings.load(home=warmed(folder), log_dir=folder)
    with open_sources(folder / "sales.csv", settings=settings) as dataset:
        analyst: Analyst = analyst_over(dataset, settings)
        origins = {t.name: Origin.of_table(t.name, profile_table(dataset, t.name)) for t in dataset}
        guard = CellGuard(TableCells(dataset, t, origins[t.name]) for t in dataset)

        def ask(question: str) -> dict[str, Any]:
            outcome = analyst.process(question)
            answer = with_counts(outcome.answer, Retriever.over(dataset, analyst.model), outcome.reading)
            release = AnswerRelease(analyst.model, origins, outcome.reading)
            release.check()
            with pytest.MonkeyPatch.context() as off:
                off.setattr(CellGuard, "masked", lambda self, message, known=(), **_: message)
                return release.told(answer, guard, question)

        yield ask


def test_a_small_group_cannot_be_had_by_taking_the_others_from_the_whole(asked: Any) -> None:
    told = asked("total amount by shop")
    shops = {row[0] for table in told["tables"] for row in table["rows"]}
    assert len(shops) == 1
    assert "kiosk" not in str(told)


@pytest.mark.parametrize(
    "question", ["maximum amount by shop", "lowest amount", "latest day by shop", "amount by day"]
)
def test_extremes_and_single_rows_are_not_told(asked: Any, question: str) -> None:
    told = asked(question)
    cells = {round(v, 3) for v in shop()["amount"]}
    numbers = {round(float(n), 3) for n in re.findall(r"\d+\.\d+", str(told))}
    assert numbers & cells == set()
    assert "2024-08-29" not in str(told)


def test_medians_are_round(asked: Any) -> None:
    told = asked("median amount by shop")
    values = [row[-1] for table in told["tables"] for row in table["rows"]]
    assert values
    assert all(v == float(f"{v:.3g}") for v in values)


def test_an_explanation_tells_figures_of_enough_rows_and_no_last_day(asked: Any) -> None:
    told = asked("why did amount drop in August 2024?")
    found = {f["name"]: f for f in told["facts"]}
    assert found["amount.current"]["rows"] >= 50
    assert any(name.startswith("driver") for name in found)
    assert "29" not in re.findall(r"\b(\d{1,2}) August", told["prose"])
    assert "2024-08-29" not in str(told)


@pytest.mark.parametrize(
    "question", ["show me 5 sales", "show 5 rows", "show the latest 4 sales", "list 3 sales"]
)
def test_rows_that_are_listed_stay_here(asked: Any, question: str) -> None:
    told = asked(question)
    assert not told["tables"] and told["status"] == "partial", told
    cells = {str(v) for v in shop()["amount"]}
    assert not any(cell in str(told) for cell in cells)
