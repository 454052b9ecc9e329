"""Units before a column, people beside flags, years that are counted, and verdicts that nothing gives."""

from __future__ import annotations

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

FRAME = pd.DataFrame(
    {
        "year": [2001 + i % 5 for i in range(80)],
        "gender": ["female" if i % 3 else "male" for i in range(80)],
        "age": [20 + (i * 13) % 50 for i in range(80)],
        "educ": [8 + (i * 7) % 11 for i in range(80)],
        "score": [10 + 2 * ((i * 7) % 11) + i % 3 for i in range(80)],
        "senior_citizen": [int(i % 4 == 0) for i in range(80)],
    }
)


@pytest.fixture(scope="module")
def survey() -> Analyst:
    return gnomon.open({"survey": FRAME})


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many have more than 12 years of education", (FRAME.educ > 12).sum()),
        ("average years of education of women", FRAME[FRAME.gender == "female"].educ.mean()),
        ("how many years of data are there", FRAME.year.nunique()),
        ("how many people are female", (FRAME.gender == "female").sum()),
        ("average age of people with a score above 20", FRAME[FRAME.score > 20].age.mean()),
        ("do people with more education get a higher score", FRAME.educ.corr(FRAME.score)),
    ],
)
def test_what_is_said_of_a_column_is_found(survey: Analyst, question: str, truth: float) -> None:
    answer = survey.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == pytest.approx(float(truth))


def test_people_are_not_some_of_them(survey: Analyst) -> None:
    answer = survey.ask("how many people are there")
    assert answer.status is not AnswerStatus.ANSWERED or answer.facts[0].value == len(FRAME)


def test_two_figures_are_no_yes(survey: Analyst) -> None:
    assert survey.ask("do more age and score matter more").status is not AnswerStatus.ANSWERED
