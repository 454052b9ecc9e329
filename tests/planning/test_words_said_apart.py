"""Names said apart, words that texts mention, values misspelt beside their column, yardsticks asked for themselves."""

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 120
TODAY = date(2024, 12, 31)
VISITS = pd.DataFrame(
    {
        "visit_no": range(N),
        "day": pd.date_range("2024-01-01", periods=N, freq="2D"),
        "district": [("harbour", "market", "castle")[i % 3] for i in range(N)],
        "fee": [10 + i % 7 for i in range(N)],
        "guide_fee": [30 + i % 11 for i in range(N)],
        "remark": [
            ("The queue was long and we left early", "A lovely view over the bay", "Lost my ticket at the gate")[i % 3]
            + f", visit {i}"
            for i in range(N)
        ],
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def visits() -> Analyst:
    return gnomon.open({"visits": VISITS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question, today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


def test_a_name_said_apart_is_the_longer_name(visits: Analyst) -> None:
    assert _answered(visits, "What is the highest fee a guide charged?").facts[0].value == 40
    assert _answered(visits, "What is the highest fee?").facts[0].value == 16


def test_a_word_that_completes_no_name_is_not_left_out(visits: Analyst) -> None:
    assert (
        visits.ask("What is the highest fee a porter charged?", today=TODAY).status
        is not AnswerStatus.ANSWERED
    )


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many visits mention a queue?", 40),
        ("How many visits mention a ticket?", 40),
        ('How many visits mention "lovely view"?', 40),
    ],
)
def test_texts_that_mention_a_word_are_counted(visits: Analyst, question: str, truth: int) -> None:
    assert _answered(visits, question).facts[0].value == truth


def test_a_value_misspelt_beside_its_column_is_that_value(visits: Analyst) -> None:
    answer = _answered(visits, "total fee for the castel district")
    assert answer.facts[0].value == VISITS.loc[VISITS["district"] == "castle", "fee"].sum()
    assert "castle" in answer.prose


@pytest.mark.parametrize("question", ["By which district was the highest total fee paid?", "In which district was the highest total fee paid?"])  # fmt: skip
def test_by_which_asks_for_the_group(visits: Analyst, question: str) -> None:
    totals = VISITS.groupby("district")["fee"].sum()
    answer = _answered(visits, question)
    assert answer.facts[0].value == totals.max()


def test_what_two_measures_add_up_to_is_divided_where_both_are_totals(visits: Analyst) -> None:
    answer = _answered(visits, "What is the total fee divided by the total guide fee?")
    assert answer.facts[0].value == pytest.approx(VISITS["fee"].sum() / VISITS["guide_fee"].sum())
