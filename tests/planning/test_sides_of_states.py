"""States told by their other side, shares asked as how often, and what something ended in."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus
from gnomon.planning.reader.sides import denies, leaves, says

TODAY = date(2025, 7, 1)
RNG = np.random.default_rng(17)
N = 240
DAYS = pd.date_range("2024-01-01", periods=N, freq="2D")
PARCELS = pd.DataFrame(
    {
        "parcel_id": range(N),
        "sent_on": DAYS,
        "depot": RNG.choice(["Ghent", "Turin", "Malmo"], N),
        "late": RNG.choice(["yes", "no"], N, p=[0.3, 0.7]),
        "status": RNG.choice(["delivered", "returned", "lost"], N, p=[0.8, 0.15, 0.05]),
        "penalty": RNG.choice([0, 0, 15, 40], N),
    }
)
TESTS = pd.DataFrame(
    {
        "test_id": range(N),
        "tested_on": DAYS,
        "garage": RNG.choice(["Abe", "Bolt", "Crank"], N),
        "passed": RNG.choice([True, False], N, p=[0.75, 0.25]),
    }
)
GUESTS = pd.DataFrame(
    {
        "booking_id": range(N),
        "booked_on": DAYS,
        "talk": RNG.choice(["Owls", "Moss"], N),
        "attended": RNG.choice([1, 0], N, p=[0.6, 0.4]),
    }
)
LEFT = pd.Series(DAYS + pd.to_timedelta(90, unit="D")).where(pd.Series(RNG.random(N) < 0.4))
MEMBERS = pd.DataFrame(
    {
        "member_id": [f"M{i}" for i in range(N)],
        "joined_on": DAYS,
        "cancelled_on": LEFT,
        "sex": RNG.choice(["F", "M"], N),
        "club": RNG.choice(["North", "Quay"], N),
    }
)


@pytest.fixture(scope="module")
def desks() -> dict[str, Analyst]:
    tables = {"parcels": PARCELS, "tests": TESTS, "bookings": GUESTS, "members": MEMBERS}
    return {name: gnomon.open({name: table}) for name, table in tables.items()}


LATE = PARCELS.late == "yes"
GHENT = PARCELS.depot == "Ghent"
RETURNED = PARCELS.status == "returned"


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    [
        ("parcels", "What is the on-time rate?", (~LATE).mean()),
        ("parcels", "How many parcels arrived on time?", (~LATE).sum()),
        ("parcels", "How many parcels were not on time?", LATE.sum()),
        ("tests", "What is the failure rate?", (~TESTS.passed).mean()),
        ("tests", "What is the failure rate of Abe?", (~TESTS.passed[TESTS.garage == "Abe"]).mean()),
        ("tests", "How often do tests fail?", (~TESTS.passed).mean()),
        ("tests", "How often does Bolt fail?", (~TESTS.passed[TESTS.garage == "Bolt"]).mean()),
        ("tests", "How often was Bolt tested?", (TESTS.garage == "Bolt").sum()),
        ("bookings", "What is the no-show rate?", (GUESTS.attended == 0).mean()),
        ("bookings", "How many bookings missed the Owls talk?", ((GUESTS.attended == 0) & (GUESTS.talk == "Owls")).sum()),
        ("bookings", "How many bookings turned up?", (GUESTS.attended == 1).sum()),
        ("members", "What is the retention rate?", LEFT.isna().mean()),
        ("members", "churn rate in the North", LEFT.notna()[MEMBERS.club == "North"].mean()),
        ("members", "How many members left in 2024?", (LEFT.dt.year == 2024).sum()),
        ("members", "What share of women cancelled?", LEFT.notna()[MEMBERS.sex == "F"].mean()),
        ("parcels", "What share of late parcels was returned?", RETURNED[LATE].mean()),
        ("parcels", "How often are late parcels returned?", RETURNED[LATE].mean()),
        ("parcels", "How often do parcels from Ghent end in a return?", RETURNED[GHENT].mean()),
        ("parcels", "What share of returned parcels led to a penalty?", (PARCELS.penalty > 0)[RETURNED].mean()),
    ],
)  # fmt: skip
def test_the_other_side_of_a_state_is_told(
    desks: dict[str, Analyst], table: str, question: str, expected: float
) -> None:
    answer = desks[table].ask(question, today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    told = answer.facts[0].value
    percents = [expected, 100 * expected] if 0 < expected < 1 else [expected]
    assert any(told == pytest.approx(float(e)) for e in percents), answer.prose


def test_a_rate_of_the_other_rows_says_what_it_is(desks: dict[str, Analyst]) -> None:
    assert "share of rows with passed no" in desks["tests"].ask("failure rate by garage", today=TODAY).prose


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("parcels", "What is the refund rate?"),
        ("parcels", "What is the retention rate?"),
        ("tests", "What is the absence rate?"),
        ("tests", "How often does a test end in a crash?"),
        ("members", "What is the no-show rate?"),
        ("members", "How many members were left without a locker?"),
    ],
)
def test_a_state_that_no_column_tells_is_refused(
    desks: dict[str, Analyst], table: str, question: str
) -> None:
    answer = desks[table].ask(question, today=TODAY)
    assert answer.status is not AnswerStatus.ANSWERED, answer.prose


def test_sides_are_told_apart() -> None:
    assert denies("failure", "passed") and denies("on time", "late") and denies("attendance", "no show")
    assert says("attrition", "left company") and says("completion", "finished")
    assert not denies("buy", "sold") and not denies("loss", "won") and not says("late", "late fee")
    assert leaves("cancelled", "member") and not leaves("cancelled", "order")
