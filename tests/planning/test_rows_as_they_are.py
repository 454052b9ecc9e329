"""“show me 5 visits” lists rows: as many as are asked for, by their key, or by their date from the end that is named."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

NOUNS = ["visits", "invoices", "deliveries", "repairs"]


def _frame(noun: str) -> pd.DataFrame:
    rng = np.random.default_rng(len(noun))
    key = f"{noun.removesuffix('ies') + 'y' if noun.endswith('ies') else noun[:-1]}_id"
    return pd.DataFrame(
        {
            key: rng.permutation(np.arange(1001, 1151)),
            "day": pd.date_range("2023-01-01", periods=150).date,
            "town": rng.choice(["Cotley", "Ashford", "Brill"], 150),
            "email": [f"somebody{i}@example.org" for i in range(150)],
            "fee": rng.gamma(2, 30, 150).round(2),
        }
    )


World = tuple[Analyst, pd.DataFrame, str]


@pytest.fixture(scope="module", params=NOUNS)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    file = tmp_path_factory.mktemp("rows") / f"{request.param}.csv"
    frame = _frame(request.param)
    frame.to_csv(file, index=False)
    with gnomon.open(file) as opened:
        yield opened, frame, request.param


def _keys(answer: Answer) -> list[int]:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return [row[0] for row in answer.tables[0].rows]


@pytest.mark.parametrize(
    "asked",
    ["show me {n} {rows}", "show {n} {rows}", "list {n} {rows}", "give me {n} {rows}", "show {n} rows"],
)
@pytest.mark.parametrize("n", [1, 5, 12])
def test_so_many_rows_come_by_their_key(world: World, asked: str, n: int) -> None:
    analyst, frame, rows = world
    told = analyst.ask(asked.format(n=n, rows=rows))
    assert _keys(told) == sorted(frame.iloc[:, 0])[:n]
    assert "in the order of" in told.prose and "150" in told.prose


@pytest.mark.parametrize(
    ("asked", "latest"),
    [
        ("show the latest {n} {rows}", True), ("show the last {n} {rows}", True), ("list the newest {n} {rows}", True),
        ("show the first {n} {rows}", False), ("show the earliest {n} {rows}", False), ("the latest {n} {rows}", True),
    ],
)  # fmt: skip
def test_the_first_and_the_latest_go_by_their_date_which_is_said(
    world: World, asked: str, latest: bool
) -> None:
    analyst, frame, rows = world
    told = analyst.ask(asked.format(n=4, rows=rows))
    ordered = frame.sort_values("day", ascending=not latest)
    assert _keys(told) == list(ordered.iloc[:4, 0])
    assert ("the latest by day" if latest else "the earliest by day") in told.prose


@pytest.mark.parametrize("town", ["Cotley", "Ashford", "Brill"])
def test_conditions_hold_for_rows_as_for_figures(world: World, town: str) -> None:
    analyst, frame, rows = world
    own = frame[frame["town"] == town]
    told = analyst.ask(f"show me 5 {rows} in {town}")
    assert _keys(told) == sorted(own.iloc[:, 0])[:5]
    assert told.facts[0].value == len(own)


def test_without_a_number_some_are_shown_and_all_are_counted(world: World) -> None:
    analyst, frame, rows = world
    told = analyst.ask(f"show me the {rows}")
    assert _keys(told) == sorted(frame.iloc[:, 0])[:20] and told.facts[0].value == 150


def test_what_tells_persons_is_left_out(world: World) -> None:
    analyst, _, rows = world
    told = analyst.ask(f"show me 5 {rows}")
    assert "email" not in told.tables[0].columns
    assert "@" not in str(told.tables[0].rows)


@pytest.mark.parametrize(
    "asked",
    [
        "how many {rows} are there?",
        "show the number of {rows}",
        "show {rows} by town",
        "top 5 towns by {rows}",
    ],
)
def test_what_is_computed_of_rows_lists_none(world: World, asked: str) -> None:
    analyst, _, rows = world
    request = analyst.ask(asked.format(rows=rows)).request
    assert request is not None and request.parts.listing is None


def test_the_latest_rows_of_a_table_without_dates_are_refused(tmp_path: object) -> None:
    frame = _frame("visits").drop(columns="day")
    file = f"{tmp_path}/visits.csv"
    frame.to_csv(file, index=False)
    with gnomon.open(file) as opened:
        assert opened.ask("show the latest 5 visits").status is AnswerStatus.OUT_OF_SCOPE
        assert len(opened.ask("show the first 5 visits").tables[0].rows) == 5
