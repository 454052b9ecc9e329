"""Superlatives of adjectives are bound to what they measure: the quickest time, the dearest visit, who came first."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 180
RUNS = pd.DataFrame(
    {
        "raceName": [("Coast Mile", "Hill Ten")[i % 2] for i in range(N)],
        "raceDate": [f"{2022 + i // 60}-0{5 + i % 2}-1{i % 2}" for i in range(N)],
        "runnerName": [f"{('Ann', 'Ben', 'Cleo', 'Dirk', 'Eva')[i * 3 % 5]} {('Abel', 'Cole', 'Frey')[i // 5 % 3]}" for i in range(N)],
        "sex": [("F", "M")[i // 2 % 2] for i in range(N)],
        "ageOnDay": [18 + (i * 7) % 50 for i in range(N)],
        "finishMin": [None if i % 13 == 0 else round(40 + (i * 37) % 181 + i / 1000, 3) for i in range(N)],
    }
)  # fmt: skip
VISITS = pd.DataFrame(
    {
        "visit_id": range(500, 500 + N),
        "visit_date": pd.date_range("2022-01-03", periods=N, freq="5D"),
        "vet": [("Dr Amin", "Dr Bell", "Dr Cho")[i * 2 % 3] for i in range(N)],
        "reason": [("Check-up", "Surgery", "Dental", "Skin")[i * 7 % 4] for i in range(N)],
        "minutes": [10 + (i * 29) % 67 for i in range(N)],
        "fee_gbp": [30.0 + (i * 47) % 311 + (400 if i == 77 else 0) + i / 100 for i in range(N)],
    }
)
LINES = pd.DataFrame(
    {
        "rx_id": range(1, N + 1),
        "visit_id": [500 + i * 11 % N for i in range(N)],
        "medicine": [("Amox", "Melox")[i % 2] for i in range(N)],
        "unit_price_gbp": [2.0 + (i * 13) % 29 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def races() -> Analyst:
    return gnomon.open({"results": RUNS.assign(raceDate=pd.to_datetime(RUNS.raceDate))})


@pytest.fixture(scope="module")
def clinic() -> Analyst:
    return gnomon.open({"visits": VISITS, "prescriptions": LINES})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


def test_the_quickest_time_of_each_group_is_the_least_that_any_took(races: Analyst) -> None:
    best = RUNS[RUNS.sex == "F"].groupby("raceName").finishMin.min()
    answer = _answered(races, "What's the quickest time a woman has ever run in each of our races?")
    assert {row[0]: row[1] for row in answer.tables[0].rows} == pytest.approx(dict(best))


def test_two_ends_are_set_apart(races: Analyst) -> None:
    rows = RUNS[(RUNS.raceName == "Hill Ten") & RUNS.raceDate.str.startswith("2023")]
    best = rows.groupby("sex").finishMin.min()
    answer = _answered(
        races, "At the 2023 Hill Ten, how many minutes lay between the fastest man and the fastest woman?"
    )
    values = [float(f.value) for f in answer.facts if isinstance(f.value, (int, float))]
    assert any(abs(abs(v) - abs(best.M - best.F)) < 1e-6 for v in values)


@pytest.mark.parametrize(
    "question",
    [
        "Who came first overall in the 2023 Coast Mile, and in how many minutes?",
        "Which runner was fastest at the 2023 Coast Mile, and what was the time?",
    ],
)
def test_who_came_first_took_least(races: Analyst, question: str) -> None:
    rows = RUNS[(RUNS.raceName == "Coast Mile") & RUNS.raceDate.str.startswith("2023")]
    one = rows.loc[rows.groupby("runnerName").finishMin.mean().pipe(lambda s: rows.finishMin.idxmin())]
    answer = _answered(races, question)
    assert str(one.runnerName) in answer.prose


@pytest.mark.parametrize(
    "question",
    [
        "Who dealt with the most expensive visit we ever billed, and what was the fee?",
        "Which vet had the most expensive single visit?",
        "Which vet had the dearest visit, and what was the fee?",
    ],
)
def test_the_dearest_visit_is_one_row_and_its_fee_is_told_of_it(clinic: Analyst, question: str) -> None:
    dearest = VISITS.loc[VISITS.fee_gbp.idxmax()]
    answer = _answered(clinic, question)
    assert str(dearest.vet) in answer.prose
    assert answer.facts[0].value == pytest.approx(dearest.fee_gbp)
    assert VISITS.fee_gbp.sum() not in [f.value for f in answer.facts]


@pytest.mark.parametrize(
    "question", ["Which reason has the most expensive visits?", "Which reason is the most expensive?"]
)
def test_dear_groups_are_told_by_the_mean_of_their_own_rows(clinic: Analyst, question: str) -> None:
    means = VISITS.groupby("reason").fee_gbp.mean()
    answer = _answered(clinic, question)
    assert answer.facts[0].value == pytest.approx(means.max()) and str(means.idxmax()) in answer.prose


def test_hours_are_told_of_minutes(clinic: Analyst) -> None:
    hours = VISITS[VISITS.visit_date.dt.year == 2023].groupby("vet").minutes.sum() / 60
    answer = _answered(clinic, "How many hours did each vet work in 2023?")
    assert {row[0]: row[1] for row in answer.tables[0].rows} == pytest.approx(dict(hours))


@pytest.mark.parametrize(("word", "says"), [("faster", "less"), ("slower", "more")])
def test_who_is_faster_takes_less_time(races: Analyst, word: str, says: str) -> None:
    rows = RUNS[RUNS.raceName == "Hill Ten"].groupby("sex").finishMin.mean()
    holds = rows.F < rows.M if says == "less" else rows.F > rows.M
    answer = _answered(races, f"Are women {word} than men on average at the Hill Ten?")
    assert answer.prose.startswith("Yes" if holds else "No")


def test_dearer_visits_are_so_by_what_a_visit_costs(clinic: Analyst) -> None:
    means = VISITS.groupby("reason").fee_gbp.mean()
    answer = _answered(clinic, "Are Surgery visits dearer than Dental visits?")
    assert answer.prose.startswith("Yes" if means.Surgery > means.Dental else "No")
    values = [float(f.value) for f in answer.facts if isinstance(f.value, (int, float))]
    assert values[:2] == pytest.approx([means.Surgery, means.Dental])


def test_a_bigger_part_is_a_bigger_share(races: Analyst) -> None:
    shares = RUNS.assign(woman=RUNS.sex == "F").groupby("raceName").woman.mean()
    answer = _answered(
        races, "Do women make up a bigger part of the entries at the Hill Ten than at the Coast Mile?"
    )
    values = [float(f.value) for f in answer.facts if isinstance(f.value, (int, float))]
    assert values[:2] == pytest.approx([shares["Hill Ten"], shares["Coast Mile"]])
