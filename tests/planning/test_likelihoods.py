"""What is likelier, or happens more often, to some than to others is a share of each; what lies between periods is told."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 300
TRIPS = pd.DataFrame(
    {
        "trip_id": range(1, N + 1),
        "started_on": pd.date_range("2024-01-01", periods=N, freq="2D"),
        "city": [("Porto", "Lyon", "Lyon", "Ghent", "Lyon")[(i * 7 + i // 3) % 5] for i in range(N)],
        "vehicle": [("bike", "scooter")[(i * 5 + i // 4) % 2] for i in range(N)],
        "cancelled": [("yes", "no", "no", "no")[(i * 3 + i // 7) % 4] for i in range(N)],
        "ending": [("parked", "abandoned", "parked")[(i + i // 5) % 3] for i in range(N)],
        "fare_eur": [2 + (i * 37) % 19 for i in range(N)],
    }
)
SHARES = {
    "cancelled": TRIPS.cancelled == "yes",
    "abandoned": TRIPS.ending == "abandoned",
    "over 15": TRIPS.fare_eur > 15,
}


@pytest.fixture(scope="module")
def trips() -> Analyst:
    return gnomon.open({"trips": TRIPS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


@pytest.mark.parametrize(
    ("question", "part", "column", "first", "second"),
    [
        ("Are Lyon trips cancelled more often than Porto trips?", "cancelled", "city", "Lyon", "Porto"),
        ("Are bike trips more likely to be abandoned than scooter trips?", "abandoned", "vehicle", "bike", "scooter"),
        ("Are trips in Lyon less frequently cancelled than trips in Ghent?", "cancelled", "city", "Lyon", "Ghent"),
        ("Do Porto trips have a fare over 15 more often than Lyon trips?", "over 15", "city", "Porto", "Lyon"),
        ("How often are bike trips cancelled compared to scooter trips?", "cancelled", "vehicle", "bike", "scooter"),
        ("Compare the share of abandoned trips between Lyon and Ghent", "abandoned", "city", "Lyon", "Ghent"),
    ],
)  # fmt: skip
def test_more_often_compares_shares_of_each_groups_rows(
    trips: Analyst, question: str, part: str, column: str, first: str, second: str
) -> None:
    answer = _answered(trips, question)
    told = {row[0]: row[-1] for row in answer.tables[0].rows}
    truth = SHARES[part].groupby(TRIPS[column]).mean()
    assert told == pytest.approx({first: truth[first], second: truth[second]})
    if question.startswith(("Are", "Do")):
        more = truth[first] > truth[second]
        assert answer.prose.startswith("Yes" if more == ("less" not in question) else "No")


def test_most_likely_ranks_by_share_not_by_number(trips: Analyst) -> None:
    answer = _answered(trips, "Which city is most likely to have a trip cancelled?")
    shares = SHARES["cancelled"].groupby(TRIPS.city).mean()
    assert answer.tables[0].rows[0][0] == shares.idxmax()
    assert answer.facts[0].value == pytest.approx(shares.max())


@pytest.mark.parametrize(
    ("question", "sign"),
    [
        ("How much more did we earn in fares in March 2024 than in February 2024?", 1),
        ("By how much did the fares grow from February to March 2024?", 1),
    ],
)
def test_what_lies_between_two_periods_is_told_first(trips: Analyst, question: str, sign: int) -> None:
    answer = _answered(trips, question)
    month = TRIPS.groupby(TRIPS.started_on.dt.to_period("M")).fare_eur.sum()
    gap = sign * (month["2024-03"] - month["2024-02"])
    assert answer.facts[0].value == pytest.approx(gap)
    assert f"{abs(gap):,.0f} {'more' if gap > 0 else 'less'} than" in answer.prose


def test_a_rate_is_no_part_of_a_total(trips: Analyst) -> None:
    answer = trips.ask("cancelled rate as a percentage of fares by city")
    assert answer.status is not AnswerStatus.ANSWERED
