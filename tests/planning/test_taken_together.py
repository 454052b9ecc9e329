"""What is taken together, who does something, where, how often, and what is sold at a price: none of it is lost."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 420
PATIENTS = pd.DataFrame(
    {
        "patient_id": [f"P{i:04d}" for i in range(N)],
        "clinic": [("Ghent", "Porto", "Malmo")[(i * 5 + i // 7) % 3] for i in range(N)],
        "sex": [("F", "M")[(i * 3 + i // 5) % 2] for i in range(N)],
        "age": [25 + (i * 17) % 55 for i in range(N)],
        "smoker": [("Y", "N", "N")[(i + i // 4) % 3] for i in range(N)],
        "severity": [("Mild", "Severe", "Moderate")[(i * 7 + i // 6) % 3] for i in range(N)],
        "admitted": pd.date_range("2023-01-02", periods=N, freq="2D"),
        "withdrawn_on": [
            pd.Timestamp("2025-05-01") + pd.Timedelta(days=i % 40) if i % 9 == 0 else pd.NaT for i in range(N)
        ],
    }
)
SHOWS = pd.DataFrame(
    {
        "show_id": range(1, N + 1),
        "played_on": pd.date_range("2024-01-01", periods=N, freq="D"),
        "theatre": [("Apollo", "Lyric")[(i + i // 3) % 2] for i in range(N)],
        "sold": [20 + (i * 37) % 160 for i in range(N)],
        "ticket_eur": [(12.0, 18.0, 25.0)[(i * 5 + i // 2) % 3] for i in range(N)],
    }
)
LOANS = pd.DataFrame(
    {
        "loan_no": [f"L{i:04d}" for i in range(N)],
        "lent_on": pd.date_range("2024-01-01", periods=N, freq="D"),
        "borrower": [
            ("Bowes", "Correr", "Twenthe", "Angers", "Bowes")[(i * 7 + i // 9) % 5] for i in range(N)
        ],
        "country": [("Italy", "France", "Spain")[(i * 3 + i // 4) % 3] for i in range(N)],
        "insured_value_gbp": [1000 + (i * 531) % 90000 for i in range(N)],
        "energy_mwh": [5 + (i * 13) % 40 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def patients() -> Analyst:
    return gnomon.open({"patients": PATIENTS})


@pytest.fixture(scope="module")
def shows() -> Analyst:
    return gnomon.open({"shows": SHOWS})


@pytest.fixture(scope="module")
def loans() -> Analyst:
    return gnomon.open({"loans": LOANS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


def test_who_smokes_is_told_by_the_flag_smoker(patients: Analyst) -> None:
    women = PATIENTS[(PATIENTS.sex == "F") & (PATIENTS.smoker == "Y")]
    assert _answered(patients, "Number of women who smoke?").facts[0].value == len(women)
    older = women[women.age > 60]
    assert _answered(patients, "How many women over 60 who smoke are there?").facts[0].value == len(older)
    assert _answered(patients, "Average age of women who smoke").facts[0].value == pytest.approx(
        women.age.mean()
    )


def test_a_value_goes_before_the_column_that_resembles_it(patients: Analyst) -> None:
    answer = _answered(patients, "How many severe patients are there in each clinic?")
    truth = PATIENTS[PATIENTS.severity == "Severe"].groupby("clinic").size()
    assert {row[0]: row[-1] for row in answer.tables[0].rows} == truth.to_dict()


def test_who_withdrew_is_never_everybody(patients: Analyst) -> None:
    gone = PATIENTS[PATIENTS.withdrawn_on.notna()]
    answer = _answered(patients, "Did more patients withdraw in Ghent than in Porto?")
    truth = gone.groupby("clinic").size()
    assert {row[0]: row[-1] for row in answer.tables[0].rows} == {k: truth[k] for k in ("Ghent", "Porto")}
    smokers = _answered(patients, "How many smokers withdrew?")
    assert smokers.facts[0].value == (gone.smoker == "Y").sum()


def test_tickets_are_counted_by_what_was_sold_and_never_by_their_price(shows: Analyst) -> None:
    assert _answered(shows, "How many tickets did we sell?").facts[0].value == SHOWS.sold.sum()
    best = _answered(shows, "Which theatre sold the most tickets?")
    assert best.tables[0].rows[0][0] == SHOWS.groupby("theatre").sold.sum().idxmax()
    price = _answered(shows, "What is the average ticket price?")
    assert price.facts[0].value == pytest.approx(SHOWS.ticket_eur.mean())
    taken = _answered(shows, "total revenue")
    assert taken.facts[0].value == pytest.approx((SHOWS.sold * SHOWS.ticket_eur).sum())


def test_what_is_taken_together_is_one_figure(loans: Analyst) -> None:
    total = LOANS.insured_value_gbp.sum()
    for question in ("insured value, all time, all countries", "insured value of all borrowers together"):
        answer = _answered(loans, question)
        assert answer.facts[0].value == pytest.approx(total)
        assert answer.request is not None and not answer.request.parts.dimensions
    weekly = LOANS.groupby(LOANS.lent_on.dt.to_period("W")).energy_mwh.sum()
    answer = _answered(loans, "In how many weeks did all borrowers together use under 150 MWh?")
    assert answer.facts[0].value == (weekly < 150).sum()


@pytest.mark.parametrize(
    "question",
    ["Which borrowers had 80 loans or more?", "Which borrowers had loans eighty times or more?"],
)
def test_so_many_or_more_bounds_what_is_counted(loans: Analyst, question: str) -> None:
    sizes = LOANS.groupby("borrower").size()
    answer = _answered(loans, question)
    assert {row[0] for row in answer.tables[0].rows} == {*sizes[sizes >= 80].index}


def test_where_asks_for_a_place(loans: Analyst) -> None:
    answer = _answered(loans, "Where is the total insured value highest?")
    assert answer.tables[0].rows[0][0] == LOANS.groupby("country").insured_value_gbp.sum().idxmax()


def test_how_many_loans_is_never_told_in_money(loans: Analyst) -> None:
    answer = loans.ask("How many loans insured for between £20,000 and £50,000 went outside Italy?")
    held = LOANS[LOANS.insured_value_gbp.between(20000, 50000) & (LOANS.country != "Italy")]
    assert answer.status is not AnswerStatus.ANSWERED or answer.facts[0].value == len(held)
