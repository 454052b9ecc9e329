"""How long before or after: days ahead, after the incident, within so many days, on the same day."""

from __future__ import annotations

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

N = 240
_OUT = pd.Timestamp("2023-01-02") + pd.to_timedelta([(i * 7) % 330 for i in range(N)], "D")
_KEPT = pd.Series([(i * 5) % 33 for i in range(N)])
LOANS = pd.DataFrame(
    {
        "loan_no": range(1, N + 1),
        "reader_name": [f"R{i % 37}" for i in range(N)],
        "genre": [("Fiction", "History", "Travel")[i % 3] for i in range(N)],
        "reserved_on": _OUT - pd.to_timedelta([(i * 3) % 11 for i in range(N)], "D"),
        "loaned_on": _OUT,
        "due_date": _OUT + pd.Timedelta(days=21),
        "returned_on": (_OUT + pd.to_timedelta(_KEPT, "D")).where(_KEPT != 4),
    }
)
LATE = (LOANS.returned_on - LOANS.due_date).dt.days
KEPT = (LOANS.returned_on - LOANS.loaned_on).dt.days
AHEAD = (LOANS.loaned_on - LOANS.reserved_on).dt.days


@pytest.fixture(scope="module")
def library() -> Analyst:
    return gnomon.open({"loans": LOANS})


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many days before the loan do readers reserve on average?", AHEAD.mean()),
        ("how long after the loan are books returned on average", KEPT.mean()),
        ("How many loans were returned more than 7 days after the due date?", (LATE > 7).sum()),
        ("how many loans were returned at least a day before the due date", (LATE <= -1).sum()),
        ("how many loans were returned within 14 days of the loan", (KEPT <= 14).sum()),
        (
            "how many travel loans were returned within two weeks of the loan",
            (KEPT <= 14)[LOANS.genre == "Travel"].sum(),
        ),
        ("How many loans were returned on the due date?", (LATE == 0).sum()),
        ("how many loans were returned on the same day as the loan", (KEPT == 0).sum()),
        ("average delay between reservation and loan", AHEAD.mean()),
    ],
)
def test_the_time_between_what_happened(library: Analyst, question: str, value: float) -> None:
    answer = library.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == pytest.approx(value)


@pytest.mark.parametrize(
    "question",
    [
        "How many loans were renewed on the same day?",
        "how many loans were paid more than 7 days after the due date",
        "how many days in advance are fines paid",
        "how many loans were returned within 14 days",  # of the loan, or of the reservation
    ],
)
def test_nothing_is_told_without_the_condition(library: Analyst, question: str) -> None:
    assert library.ask(question).status is not AnswerStatus.ANSWERED
