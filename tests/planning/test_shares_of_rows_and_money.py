"""Fines are rows and a fine is money; numbers of rows are no shares; a part of a value that names the rows is no value."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

SORTS = ("Double parking", "Loading zone", "Expired meter")
FINES = pd.DataFrame(
    {
        "ticket_no": [f"T{i:04d}" for i in range(400)],
        "issued": pd.date_range("2024-01-01", periods=400, freq="D"),
        "officer_id": [f"OF-{1 + (i * i) % 7}" for i in range(400)],
        "violation": [SORTS[i % 3] for i in range(400)],
        "vehicle_type": [("car", "truck")[i % 2] for i in range(400)],
        "fine_eur": [20 + 10 * (i % 5) for i in range(400)],
        "paid": ["yes" if i % 3 else "no" for i in range(400)],
    }
)


@pytest.fixture(scope="module")
def fines(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    path: Path = tmp_path_factory.mktemp("fines") / "parking_fines.csv"
    FINES.to_csv(path, index=False)
    return gnomon.open(path)


def _values(analyst: Analyst, question: str) -> list[float]:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return [float(f.value) for f in answer.facts if isinstance(f.value, (int, float))]


def test_a_word_of_the_rows_is_no_part_of_a_value(fines: Analyst) -> None:
    assert (
        _values(fines, "How many parking fines were issued in 2024?")[0]
        == (FINES["issued"].dt.year == 2024).sum()
    )


def test_in_the_plural_rows_are_meant_and_not_their_money(fines: Analyst) -> None:
    share = 100 * (FINES["paid"] == "yes").mean()
    assert _values(fines, "What percent of all fines have been paid?")[0] == pytest.approx(share)
    money = _values(fines, "What is the total fine?")[0]
    assert money == FINES["fine_eur"].sum()


def test_the_type_of_what_a_column_tells_is_that_column(fines: Analyst) -> None:
    answer = fines.ask("average fine by type of violation")
    truth = FINES.groupby("violation")["fine_eur"].mean()
    told = {row[0]: row[1] for row in answer.tables[0].rows}
    assert told == pytest.approx(truth.to_dict())


@pytest.mark.parametrize(
    "question",
    [
        "Compare the percentage of paid fines between car and truck.",
        "Which officer comes second in number of tickets?",
    ],
)
def test_a_share_or_a_number_that_is_not_borne_is_refused(fines: Analyst, question: str) -> None:
    """Numbers of rows are no shares of them, and money is no number of things."""
    assert fines.ask(question).status is AnswerStatus.OUT_OF_SCOPE


def test_the_share_of_what_a_flag_marks_is_told_within_each_group(fines: Analyst) -> None:
    answer = fines.ask("share of paid fines by violation")
    truth = FINES.assign(ok=FINES["paid"] == "yes").groupby("violation")["ok"].mean()
    told = {row[0]: row[1] for row in answer.tables[0].rows}
    assert told == pytest.approx(truth.to_dict())
