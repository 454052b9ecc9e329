"""What is paid a month or slept a night, of columns that say so in their names."""

from __future__ import annotations

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

FRAME = pd.DataFrame(
    {
        "gender": ["female" if i % 3 else "male" for i in range(60)],
        "sleepnight": [5 + (i * 7) % 5 for i in range(60)],
        "hours_per_week": [10 + (i * 11) % 17 for i in range(60)],
        "monthly_rent": [400 + (i * 37) % 300 for i in range(60)],
        "total_rent": [4000 + (i * 371) % 3000 for i in range(60)],
    }
)


@pytest.fixture(scope="module")
def tenants() -> Analyst:
    return gnomon.open({"survey": FRAME})


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many sleep less than 7 hours a night?", (FRAME.sleepnight < 7).sum()),
        ("how much do the women sleep a night on average", FRAME[FRAME.gender == "female"].sleepnight.mean()),
        ("average rent per month for men", FRAME[FRAME.gender == "male"].monthly_rent.mean()),
        ("How many pay more than 600 rent a month?", (FRAME.monthly_rent > 600).sum()),
    ],
)
def test_the_period_is_part_of_the_name(tenants: Analyst, question: str, truth: float) -> None:
    answer = tenants.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == pytest.approx(float(truth))


def test_a_period_that_no_column_tells_is_not_made_up(tenants: Analyst) -> None:
    assert tenants.ask("how much rent do women pay per day").status is not AnswerStatus.ANSWERED
    assert tenants.ask("how much do they drink per week").status is not AnswerStatus.ANSWERED
