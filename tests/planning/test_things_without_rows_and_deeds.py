"""Members without visits in everyday words, what happened on a date called by its noun, rows for so many people, known shares."""

from __future__ import annotations

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

M, V = 60, 210
_JOINED = pd.Timestamp("2022-01-05") + pd.to_timedelta([(i * 17) % 700 for i in range(M)], "D")
MEMBERS = pd.DataFrame(
    {
        "member_id": range(1, M + 1),
        "gender": [("F", "M")[i % 2] for i in range(M)],
        "plan": [("Basic", "Plus", "Premium")[i % 3] for i in range(M)],
        "join_date": _JOINED,
        "cancelled_on": (_JOINED + pd.Timedelta(days=200)).where([i % 4 == 0 for i in range(M)]),
        "home_club_id": [f"C{i % 3}" for i in range(M)],
    }
)
CLUBS = pd.DataFrame({"club_id": ["C0", "C1", "C2"], "club_name": ["Riverside", "Station", "Old Mill"]})
VISITS = pd.DataFrame(
    {
        "visit_id": range(1, V + 1),
        "member_id": [1 + (i * i) % 47 for i in range(V)],
        "club_id": [f"C{(i // 3) % 3}" for i in range(V)],
        "checkin_date": pd.Timestamp("2023-01-01") + pd.to_timedelta([(i * 11) % 365 for i in range(V)], "D"),
        "party_size": [1 + i % 9 for i in range(V)],
        "distance_km": [float((i * 7) % 40) if i % 5 else None for i in range(V)],
    }
)
SEEN = MEMBERS.member_id.isin(VISITS.member_id)
RIVERSIDE = MEMBERS.member_id.isin(VISITS[VISITS.club_id == "C0"].member_id)
KNOWN = VISITS.distance_km.dropna()


@pytest.fixture(scope="module")
def gym() -> Analyst:
    return gnomon.open({"members": MEMBERS, "clubs": CLUBS, "visits": VISITS})


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many members have never come in for a visit?", (~SEEN).sum()),
        ("number of members with no visits at all", (~SEEN).sum()),
        ("how many members have not made a single visit", (~SEEN).sum()),
        ("number of members with zero visits", (~SEEN).sum()),
        ("how many women have never visited", (~SEEN & (MEMBERS.gender == "F")).sum()),
        ("how many members have never visited Riverside", (~RIVERSIDE).sum()),
        ("how many leavers were there in 2023", (MEMBERS.cancelled_on.dt.year == 2023).sum()),
        ("how many cancellations", MEMBERS.cancelled_on.notna().sum()),
        ("check-ins in March 2023", (VISITS.checkin_date.dt.month == 3).sum()),
        ("how many visits were for 8 or more people", (VISITS.party_size >= 8).sum()),
        ("visits for two guests", (VISITS.party_size == 2).sum()),
    ],
)
def test_rows_that_are_not_there_and_what_was_done(gym: Analyst, question: str, value: float) -> None:
    answer = gym.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == pytest.approx(value)


def test_a_share_below_a_bound_is_of_what_is_known(gym: Analyst) -> None:
    answer = gym.ask("share of visits with a distance below 5 km")
    assert f"{(KNOWN < 5).sum()} of {len(KNOWN)}" in answer.prose


def test_the_busiest_of_a_deed(gym: Analyst) -> None:
    days = VISITS.checkin_date.dt.day_name().value_counts()
    answer = gym.ask("busiest weekday for check-ins")
    assert answer.tables[0].rows[0][0] in set(days[days == days.max()].index)


@pytest.mark.parametrize("question", ["how many women have never paid", "average distance of new joiners"])
def test_what_is_not_told_stays_refused(gym: Analyst, question: str) -> None:
    assert gym.ask(question).status is not AnswerStatus.ANSWERED
