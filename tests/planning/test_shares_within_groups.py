"""The rate of a value and the share of some rows are told of all rows, of each group and of each period; both is not either."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 240
CLAIMS = pd.DataFrame(
    {
        "claim_id": range(1, N + 1),
        "filed_on": pd.date_range("2024-01-01", periods=N, freq="D"),
        "office": ["North", "South", "East"] * (N // 3),
        "decision": [
            ("Approved", "Declined", "Withdrawn", "Approved")[(i * 7 + i // 5) % 4] for i in range(N)
        ],
        "arrival": [("on time", "no-show", "late")[(i * 5 + i // 7) % 3] for i in range(N)],
        "gender": [("F", "M")[(i * 3 + i // 11) % 2] for i in range(N)],
        "insured": [("Yes", "No")[(i + i // 4) % 2] for i in range(N)],
        "amount_usd": [100 + (i * 53) % 900 for i in range(N)],
    }
)
DECLINED = CLAIMS.decision == "Declined"


@pytest.fixture(scope="module")
def claims() -> Analyst:
    return gnomon.open({"claims": CLAIMS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


def _by_group(answer: Answer) -> dict[object, float]:
    return {row[0]: row[-1] for row in answer.tables[0].rows}


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("What is the decline rate?", DECLINED.mean()),
        ("withdrawal rate", (CLAIMS.decision == "Withdrawn").mean()),
        ("What is the no-show rate?", (CLAIMS.arrival == "no-show").mean()),
        (
            "What is the approval rate among women?",
            (CLAIMS[CLAIMS.gender == "F"].decision == "Approved").mean(),
        ),
    ],
)
def test_a_rate_of_a_value_is_the_share_of_rows_that_have_it(
    claims: Analyst, question: str, share: float
) -> None:
    assert _answered(claims, question).facts[0].value == pytest.approx(share)


@pytest.mark.parametrize(
    "question",
    [
        "decline rate by office",
        "share of declined claims by office",
        "percentage of declined claims per office",
    ],
)
def test_it_is_told_of_each_group(claims: Analyst, question: str) -> None:
    assert _by_group(_answered(claims, question)) == pytest.approx(
        DECLINED.groupby(CLAIMS.office).mean().to_dict()
    )


def test_the_share_of_some_persons_is_told_within_each_group(claims: Analyst) -> None:
    told = _by_group(_answered(claims, "share of women by office"))
    assert told == pytest.approx((CLAIMS.gender == "F").groupby(CLAIMS.office).mean().to_dict())


@pytest.mark.parametrize(
    "question", ["decline rate by month", "what percentage of claims were declined each month"]
)
def test_it_is_told_over_time(claims: Analyst, question: str) -> None:
    told = [row[-1] for row in _answered(claims, question).tables[0].rows]
    assert told == pytest.approx(DECLINED.groupby(CLAIMS.filed_on.dt.month).mean().tolist())


def test_groups_are_ranked_by_it(claims: Analyst) -> None:
    best = DECLINED.groupby(CLAIMS.office).mean().idxmax()
    assert (
        best
        in _answered(claims, "which office has the highest share of declined claims?").prose.split(" had ")[0]
    )


def test_what_is_done_by_some_is_a_share_of_them(claims: Analyst) -> None:
    women = CLAIMS[CLAIMS.gender == "F"]
    told = _by_group(_answered(claims, "what percentage of women are insured in each office?"))
    each = (women.insured == "Yes").groupby(women.office).mean()
    assert [v / 100 if v > 1 else v for v in told.values()] == pytest.approx([each[k] for k in told])


@pytest.mark.parametrize("question", ["escalation rate by office", "fraud rate", "conversion rate by month"])
def test_the_rate_of_what_the_data_does_not_have_is_refused(claims: Analyst, question: str) -> None:
    assert claims.ask(question).status is not AnswerStatus.ANSWERED


def test_groups_that_have_both_of_two_values_are_told_apart_from_those_with_either() -> None:
    stays = pd.DataFrame(
        {
            "city": list("AAABBCCDDD"),
            "patient": ["p1", "p1", "p2", "p2", "p3", "p4", "p5", "p6", "p6", "p6"],
            "disease": ["flu", "cold", "flu", "flu", "cold", "flu", "flu", "cold", "flu", "cough"],
            "cost": range(10, 20),
        }
    )
    analyst = gnomon.open({"stays": stays})
    both = stays[stays.disease.isin(["flu", "cold"])].groupby("patient").disease.nunique() == 2
    told = _answered(analyst, "which patients had both flu and cold?").tables[0].rows
    assert {row[0] for row in told} == set(both[both].index)
    assert _answered(analyst, "how many patients have both flu and cold?").facts[0].value == both.sum()
    assert analyst.ask("how many stays have both flu and cold?").status is not AnswerStatus.ANSWERED


def test_men_and_women_are_told_by_a_flag_for_one_of_them() -> None:
    wages = pd.DataFrame(
        {"wage": [5.1, 6.2, 7.3, 8.4, 9.5, 4.1, 3.9, 10.2], "female": [1, 0, 1, 0, 0, 1, 1, 0]}
    )
    analyst = gnomon.open({"wages": wages})
    answer = _answered(analyst, "average wage of men")
    assert answer.facts[0].value == pytest.approx(wages[wages.female == 0].wage.mean())
