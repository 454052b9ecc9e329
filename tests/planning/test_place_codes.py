"""Places are understood by name and by code, whichever of the two the data holds."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 240
CODES = pd.DataFrame(
    {
        "state": [("TX", "CA", "NY", "WA", "OR")[(i * 7 + i // 4) % 5] for i in range(N)],
        "country": [("US", "CA", "MX")[(i * 5 + i // 6) % 3] for i in range(N)],
        "parcels": [1 + (i * 13) % 9 for i in range(N)],
    }
)
NAMES = pd.DataFrame(
    {
        "nation": [("United Kingdom", "Germany", "Japan")[(i * 5 + i // 6) % 3] for i in range(N)],
        "parcels": [1 + (i * 13) % 9 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def codes() -> Analyst:
    return gnomon.open({"shipments": CODES})


@pytest.fixture(scope="module")
def names() -> Analyst:
    return gnomon.open({"shipments": NAMES})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


@pytest.mark.parametrize(
    ("question", "column", "code"),
    [
        ("total parcels in Texas", "state", "TX"),
        ("total parcels in California", "state", "CA"),
        ("How many parcels went to New York?", "state", "NY"),
        ("total parcels in Canada", "country", "CA"),
        ("total parcels in the United States", "country", "US"),
    ],
)
def test_a_name_is_its_code(codes: Analyst, question: str, column: str, code: str) -> None:
    answer = _answered(codes, question)
    assert answer.facts[0].value == CODES[CODES[column] == code].parcels.sum()
    assert f"{column} {code}" in answer.prose


@pytest.mark.parametrize(
    ("question", "name"),
    [("total parcels in the UK", "United Kingdom"), ("parcels for DE in total", "Germany")],
)
def test_a_code_is_its_name(names: Analyst, question: str, name: str) -> None:
    assert _answered(names, question).facts[0].value == NAMES[NAMES.nation == name].parcels.sum()


def test_a_place_that_the_data_does_not_have_is_refused(codes: Analyst, names: Analyst) -> None:
    assert codes.ask("total parcels in Florida").status is AnswerStatus.OUT_OF_SCOPE
    assert names.ask("total parcels in France").status is AnswerStatus.OUT_OF_SCOPE


def test_a_code_that_two_columns_hold_is_asked_back(codes: Analyst) -> None:
    assert codes.ask("total parcels in CA").status is AnswerStatus.CLARIFY


def test_small_words_are_no_codes(codes: Analyst) -> None:
    answer = _answered(codes, "total parcels in TX or WA")
    held = CODES[CODES.state.isin(["TX", "WA"])].parcels.sum()
    assert held in [f.value for f in answer.facts]
