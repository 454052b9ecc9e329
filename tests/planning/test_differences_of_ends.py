"""What lies between two ends of a column, two groups or two columns is computed; a half of it is no answer."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

STAFF = pd.DataFrame(
    {
        "emp_id": range(1, 41),
        "name": [f"N{i}" for i in range(40)],
        "department": ["IT", "Sales", "Law", "Care"] * 10,
        "salary": [30000 + i * 7919 % 40000 for i in range(40)],
        "age": [21 + i * 17 % 43 for i in range(40)],
    }
)
PRODUCTS = pd.DataFrame(
    {
        "product_id": range(1, 9),
        "product_name": ["Lamp", "Desk", "Chair", "Vase", "Rug", "Mug", "Pan", "Shelf"],
        "list_price": [49.0, 240.0, 120.0, 25.0, 180.0, 9.0, 39.0, 99.0],
        "unit_cost": [20.0, 150.0, 95.0, 11.0, 60.0, 4.0, 30.0, 41.0],
    }
)


def _spread(of: pd.Series) -> float:
    return of.max() - of.min()


SALES = STAFF[STAFF.department == "Sales"]


@pytest.fixture(scope="module")
def staff() -> Analyst:
    return gnomon.open({"employees": STAFF})


@pytest.fixture(scope="module")
def products() -> Analyst:
    return gnomon.open({"products": PRODUCTS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the gap between the oldest and the youngest employee?", _spread(STAFF["age"])),
        ("How many years older is the oldest employee than the youngest?", _spread(STAFF["age"])),
        (
            "What is the age difference between the oldest and youngest employee in Sales?",
            _spread(SALES["age"]),
        ),
        ("What is the salary gap between the highest and lowest paid employee?", _spread(STAFF["salary"])),
        ("Difference between the highest and lowest salary in Sales", _spread(SALES["salary"])),
    ],
)
def test_the_ends_are_taken_from_each_other(staff: Analyst, question: str, value: float) -> None:
    assert _answered(staff, question).facts[0].value == value


def test_the_gap_of_each_group_ranks_them(staff: Analyst) -> None:
    gaps = STAFF.groupby("department")["age"].agg(_spread)
    answer = _answered(
        staff, "Which department has the largest gap between the oldest and the youngest employee?"
    )
    assert answer.facts[0].value == gaps.max()


@pytest.mark.parametrize(
    "question",
    [
        "Difference between the average salary in IT and the average salary overall",
        "How far is the IT average salary from the company average?",
    ],
)
def test_one_of_two_figures_is_no_difference(staff: Analyst, question: str) -> None:
    assert staff.ask(question).status is not AnswerStatus.ANSWERED


def test_the_price_difference_of_the_dearest_and_the_cheapest(products: Analyst) -> None:
    answer = _answered(
        products, "What is the price difference between the most expensive and the cheapest product?"
    )
    assert answer.facts[0].value == _spread(PRODUCTS["list_price"])


def test_a_word_that_is_explained_is_computed(products: Analyst) -> None:
    answer = _answered(products, "What is the average markup, list price minus unit cost?")
    assert answer.facts[0].value == pytest.approx((PRODUCTS["list_price"] - PRODUCTS["unit_cost"]).mean())
