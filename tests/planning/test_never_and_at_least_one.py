"""Who never did something, and who did it at least once, across tables."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

PATIENTS = pd.DataFrame(
    {"patient_id": range(1, 31), "patient_name": [f"N{i}" for i in range(30)], "sex": ["F", "M", "F"] * 10}
)
ADMISSIONS = pd.DataFrame(
    {
        "admission_id": range(1, 61),
        "patient_id": [1 + i * 7 % 23 for i in range(60)],
        "admitted_on": pd.date_range("2024-01-01", periods=60, freq="5D"),
        "discharged_on": [
            pd.Timestamp("2024-01-03") + pd.Timedelta(days=5 * i) if i % 11 else pd.NaT for i in range(60)
        ],
        "admission_type": ["emergency", "planned", "planned", "referral"] * 15,
    }
)
CUSTOMERS = pd.DataFrame({"customer_id": range(1, 21), "customer_name": [f"C{i}" for i in range(20)]})
PRODUCTS = pd.DataFrame(
    {"product_id": range(1, 7), "product_name": ["Lamp", "Desk", "Chair", "Vase", "Rug", "Mug"]}
)
ORDERS = pd.DataFrame(
    {
        "order_id": range(1, 51),
        "customer_id": [1 + i * 5 % 17 for i in range(50)],
        "order_date": pd.date_range("2024-01-01", periods=50, freq="6D"),
        "channel": ["web", "phone", "web", "desk"] * 12 + ["web", "web"],
    }
)
LINES = pd.DataFrame(
    {
        "line_id": range(1, 91),
        "order_id": [1 + i % 50 for i in range(90)],
        "product_id": [1 + i * 7 % 5 for i in range(90)],
        "quantity": [1 + i % 4 for i in range(90)],
    }
)


def _never(things: pd.Series, rows: pd.DataFrame) -> int:
    return int((~things.isin(rows[things.name])).sum())


EMERGENCY = ADMISSIONS[ADMISSIONS.admission_type == "emergency"]
MARCH = ADMISSIONS[ADMISSIONS.admitted_on.dt.month == 3]
WOMEN = PATIENTS[PATIENTS.sex == "F"]
BOUGHT = LINES.merge(ORDERS, on="order_id").merge(PRODUCTS, on="product_id")
DESKS = BOUGHT[BOUGHT.product_name == "Desk"]


@pytest.fixture(scope="module")
def clinic() -> Analyst:
    return gnomon.open({"patients": PATIENTS, "admissions": ADMISSIONS})


@pytest.fixture(scope="module")
def store() -> Analyst:
    tables = {"customers": CUSTOMERS, "products": PRODUCTS, "orders": ORDERS, "order_lines": LINES}
    return gnomon.open(tables)


def _count(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer.facts[0].value


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How many patients were never admitted?", _never(PATIENTS.patient_id, ADMISSIONS)),
        ("How many of the female patients were never admitted?", _never(WOMEN.patient_id, ADMISSIONS)),
        ("How many patients were not admitted in March 2024?", _never(PATIENTS.patient_id, MARCH)),
        ("How many patients did not have an emergency admission?", _never(PATIENTS.patient_id, EMERGENCY)),
        ("How many patients have at least one emergency admission?", EMERGENCY.patient_id.nunique()),
        ("How many admissions have not been discharged?", ADMISSIONS.discharged_on.isna().sum()),
    ],
)
def test_what_patients_never_had(clinic: Analyst, question: str, count: int) -> None:
    assert _count(clinic, question) == count


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How many customers did not order in January 2024?", _never(CUSTOMERS.customer_id, ORDERS[ORDERS.order_date < "2024-02-01"])),
        ("How many customers have not placed a phone order?", _never(CUSTOMERS.customer_id, ORDERS[ORDERS.channel == "phone"])),
        ("How many customers never bought a lamp?", _never(CUSTOMERS.customer_id, BOUGHT[BOUGHT.product_name == "Lamp"])),
        ("How many customers bought a lamp?", BOUGHT[BOUGHT.product_name == "Lamp"].customer_id.nunique()),
        ("How many products were never sold?", _never(PRODUCTS.product_id, LINES)),
    ],
)  # fmt: skip
def test_what_customers_never_did(store: Analyst, question: str, count: int) -> None:
    assert _count(store, question) == count


def test_who_never_did_it_is_listed(store: Analyst) -> None:
    web = ORDERS[ORDERS.channel == "web"]
    never = CUSTOMERS[~CUSTOMERS.customer_id.isin(web.customer_id)].customer_id
    answer = store.ask("Which customers never placed a web order?")
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert {r[0] for r in answer.tables[0].rows} == set(never)


@pytest.mark.parametrize(
    ("things", "rows", "flag", "marked"),
    [("events", "tickets", "refunded", "refunds"), ("pupils", "loans", "renewed", "renewals"), ("vans", "trips", "delayed", "delays")],
)  # fmt: skip
def test_things_with_no_marked_row_are_not_those_with_an_unmarked_one(
    things: str, rows: str, flag: str, marked: str
) -> None:
    thing, row = things[:-1], rows[:-1]
    keys = [1 + i * 7 % 37 for i in range(160)]
    done = pd.DataFrame(
        {
            f"{row}_id": range(1, 161),
            f"{thing}_id": keys,
            "channel": ["web", "phone", "desk", "web"] * 40,
            flag: [i % 9 == 0 for i in range(160)],
        }
    )
    named = pd.DataFrame({f"{thing}_id": range(1, 41), f"{thing}_name": [f"{thing} {i}" for i in range(40)]})
    never = _never(named[f"{thing}_id"], done[done[flag]])
    no_desk = _never(named[f"{thing}_id"], done[done.channel == "desk"])
    assert 0 < never < 40 and 0 < no_desk < 40
    analyst = gnomon.open({things: named, rows: done})
    for question, truth in (
        (f"{things} with no {marked}", never),
        (f"how many {things} had no {marked}", never),
        (f"which {things} had no desk {rows}", no_desk),
    ):
        answer = analyst.ask(question)
        if answer.status is AnswerStatus.ANSWERED:
            assert answer.facts[0].value == truth, (question, answer.prose)
        assert answer.status is AnswerStatus.ANSWERED or "desk" not in question, answer.prose
