"""Plain things said the other way round: those left out behind, cells that nobody filled in, days named by what happened."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus
from gnomon.planning.reader.turned_phrases import turned
from gnomon.planning.reader.words import split_words

N = 240
CASES = pd.DataFrame(
    {
        "case_no": [f"C{i:04d}" for i in range(N)],
        "opened": pd.date_range("2024-01-01", periods=N, freq="D"),
        "resolved_on": [
            pd.Timestamp("2024-03-01") + pd.Timedelta(days=i) if i % 5 else pd.NaT for i in range(N)
        ],
        "team": [("Harbour", "Northgate", "Millbank", "Harbour")[(i * 7 + i // 3) % 4] for i in range(N)],
        "cost_eur": [None if i % 11 == 0 else 20 + (i * 31) % 400 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def cases() -> Analyst:
    return gnomon.open({"cases": CASES})


def _value(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer.facts[0].value


@pytest.mark.parametrize(
    "question",
    [
        "Number of cases, Harbour and Millbank not counted",
        "Number of cases, Harbour and Millbank left out",
        "How many cases are there, Harbour and Millbank excluded?",
        "How many cases are there with Harbour and Millbank left aside?",
    ],
)
def test_what_is_left_out_may_be_named_first(cases: Analyst, question: str) -> None:
    assert _value(cases, question) == (~CASES.team.isin(["Harbour", "Millbank"])).sum()


@pytest.mark.parametrize(
    "question",
    [
        "How many cases have no resolution date yet?",
        "How many cases have no date of resolution filled in?",
        "For how many cases don't we know the resolution date?",
    ],
)
def test_a_day_is_named_by_what_happened_on_it(cases: Analyst, question: str) -> None:
    assert _value(cases, question) == CASES.resolved_on.isna().sum()


@pytest.mark.parametrize(
    "question",
    ["For how many cases don't we know the cost?", "How many cases have no cost written down?"],
)
def test_what_nobody_knows_is_missing(cases: Analyst, question: str) -> None:
    assert _value(cases, question) == CASES.cost_eur.isna().sum()


@pytest.mark.parametrize(
    "question",
    [
        "apart from Harbour, how many cases",
        "we don't know why costs rose",
        "How many cases were set aside for review?",
        "Which cases have been recorded?",
        "How many cases were there in 2024, leaving March aside?",
    ],
)
def test_other_phrases_stay_as_they_are(question: str) -> None:
    words = split_words(question)
    assert turned(words) == words
