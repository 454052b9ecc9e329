"""The row at an end is told by its name, also where names come twice; one bill is the largest, not all of a day."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 90
BOATS = pd.DataFrame(
    {
        "Name": [f"{('Merlin', 'Swift', 'Kite', 'Heron', 'Tern', 'Gannet')[i % 6]} {20 + i % 10}" for i in range(N)],
        "Length_m": [4 + (i * 37) % 91 / 10 for i in range(N)],
        "Weight_kg": [300 + (i * 53) % 1009 for i in range(N)],
        "Harbour": [("Bergen", "Faro", "Lübeck")[(i * 5 + i // 4) % 3] for i in range(N)],
        "Fee": [20 + (i * 17) % 83 for i in range(N)],
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def boats() -> Analyst:
    return gnomon.open({"boats": BOATS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


@pytest.mark.parametrize(
    ("question", "column", "highest"),
    [
        ("Which boat has the highest weight?", "Weight_kg", True),
        ("What's the lightest boat?", "Weight_kg", False),
        ("Which boat is the longest?", "Length_m", True),
    ],
)
def test_the_row_at_an_end_is_told_by_its_name(
    boats: Analyst, question: str, column: str, highest: bool
) -> None:
    assert BOATS.Name.duplicated().any()
    row = BOATS.loc[BOATS[column].idxmax() if highest else BOATS[column].idxmin()]
    told = _answered(boats, question).tables[0].rows[0]
    assert tuple(told[:2]) == (row.Name, pytest.approx(row[column]))


def test_rows_are_still_counted_as_rows(boats: Analyst) -> None:
    answer = _answered(boats, "How many boats have a weight above 1000?")
    assert answer.facts[0].value == int((BOATS.Weight_kg > 1000).sum())


def test_one_fee_is_the_largest_and_not_all_of_a_harbour(boats: Analyst) -> None:
    answer = _answered(boats, "Largest fee and which harbour was it?")
    row = BOATS.loc[BOATS.Fee.idxmax()]
    assert tuple(answer.tables[0].rows[0][:2]) == (row.Harbour, row.Fee)
