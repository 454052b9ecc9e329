"""Figures that were told with confidence and were those of something else: names that two share, those, both, flags."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer

DRAW = np.random.default_rng(11)


def _counties() -> pd.DataFrame:
    pairs = [("Adams", "Ohio"), ("Adams", "Iowa"), ("Lake", "Ohio"), ("Lake", "Utah"), ("Kern", "Iowa"), ("Polk", "Utah"), ("Nye", "Ohio")]  # fmt: skip
    rows = [(c, s, y, int(DRAW.integers(100, 900))) for c, s in pairs for y in range(2018, 2023)]
    return pd.DataFrame(rows, columns=["county", "state", "year", "births"])


def _cases() -> pd.DataFrame:
    size = 300
    days = [date(2023, 1, 9) + timedelta(days=int(d)) for d in np.sort(DRAW.integers(0, 680, size))]
    return pd.DataFrame(
        {
            "case_no": range(1000, 1000 + size),
            "filed_on": days,
            "kind": DRAW.choice(["appeal", "complaint", "inquiry"], size),
            "outcome": DRAW.choice(["granted", "denied", "withdrawn"], size),
            "paid": DRAW.choice(["yes", "no"], size, p=[0.7, 0.3]),
            "late": DRAW.integers(0, 2, size),
            "female": DRAW.integers(0, 2, size),
            "clerk": DRAW.choice(["Ann Lee", "Lee Moss", "Tom Fox"], size),
            "fine_usd": np.round(DRAW.gamma(2, 60, size), 2),
        }
    )


def _lines() -> pd.DataFrame:
    size = 400
    orders = np.sort(DRAW.integers(1, 130, size))
    return pd.DataFrame(
        {
            "order_id": orders,
            "customer": [f"C{o % 31:02d}" for o in orders],
            "order_date": [date(2022, 1, 3) + timedelta(days=int(o * 5.5)) for o in orders],
            "product": DRAW.choice(["Red Mug", "Blue Mug", "Tea Pot", "Red Plate"], size),
            "quantity": DRAW.integers(1, 6, size),
            "unit_price": np.round(DRAW.uniform(3, 40, size), 2),
            "pack_minutes": DRAW.integers(2, 40, size),
        }
    )


COUNTIES, CASES, LINES = _counties(), _cases(), _lines()


@pytest.fixture(scope="module")
def counties() -> gnomon.Analyst:
    return gnomon.open({"births": COUNTIES})


@pytest.fixture(scope="module")
def cases() -> gnomon.Analyst:
    return gnomon.open({"cases": CASES})


@pytest.fixture(scope="module")
def lines() -> gnomon.Analyst:
    return gnomon.open({"order_lines": LINES})


def answered(analyst: gnomon.Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status.value == "answered", (question, answer.prose)
    return answer


def told(answer: Answer) -> list[float]:
    return [float(f.value) for f in answer.facts if isinstance(f.value, int | float)]


def test_places_of_one_name_are_told_apart(counties: gnomon.Analyst) -> None:
    adams = COUNTIES[COUNTIES.county == "Adams"].groupby("state").births.sum()
    answer = answered(counties, "How many births were there in Adams?")
    assert {r[0]: r[1] for r in answer.tables[0].rows} == adams.to_dict()
    top = COUNTIES.groupby(["county", "state"]).births.sum().nlargest(1)
    answer = answered(counties, "Which county had the most births?")
    assert tuple(answer.tables[0].rows[0]) == (*top.index[0], top.iloc[0])


def test_a_place_that_is_placed_or_alone_is_told_at_once(counties: gnomon.Analyst) -> None:
    here = COUNTIES[(COUNTIES.county == "Adams") & (COUNTIES.state == "Iowa")].births.sum()
    assert told(answered(counties, "births in Adams, Iowa"))[0] == here
    kern = COUNTIES[COUNTIES.county == "Kern"].births.sum()
    assert told(answered(counties, "total births in Kern"))[0] == kern


def test_a_name_that_two_share_is_asked_back(cases: gnomon.Analyst) -> None:
    answer = cases.ask("How many cases did Lee handle?")
    assert answer.status.value == "clarify"
    assert "Ann Lee" in answer.prose
    assert "Lee Moss" in answer.prose


def test_a_word_of_several_values_means_all_of_them(lines: gnomon.Analyst) -> None:
    answer = answered(lines, "total quantity of red products")
    assert told(answer)[0] == LINES[LINES["product"].str.startswith("Red")].quantity.sum()
    assert "Red Mug or Red Plate" in answer.prose


@pytest.mark.parametrize(
    ("question", "whole", "part"),
    [
        ("How many appeals were filed in 2023, and what percentage of those appeals were granted?",
         (CASES.kind == "appeal") & (pd.to_datetime(CASES.filed_on).dt.year == 2023), CASES.outcome == "granted"),
        ("How many cases were denied? What percentage of those were paid?", CASES.outcome == "denied", CASES.paid == "yes"),
        ("How many cases were late and what percentage of those were paid?", CASES.late == 1, CASES.paid == "yes"),
        ("What percentage of late cases were paid?", CASES.late == 1, CASES.paid == "yes"),
    ],
)  # fmt: skip
def test_those_are_the_whole_of_a_share(
    cases: gnomon.Analyst, question: str, whole: pd.Series, part: pd.Series
) -> None:
    share = 100 * (whole & part).sum() / whole.sum()
    assert any(abs(v - share) < 0.01 or abs(100 * v - share) < 0.01 for v in told(answered(cases, question)))


def test_men_and_women_of_one_flag_are_compared(cases: gnomon.Analyst) -> None:
    means = CASES.groupby("female").fine_usd.mean()
    answer = answered(cases, "How much higher is the average fine of men than of women?")
    assert any(abs(abs(v) - abs(means[0] - means[1])) < 0.01 for v in told(answer)), answer.prose


def test_days_on_which_nothing_happened_count(cases: gnomon.Analyst) -> None:
    days = (CASES.filed_on.max() - CASES.filed_on.min()).days + 1
    answer = answered(cases, "How many cases were filed per day on average?")
    assert told(answer)[0] == pytest.approx(len(CASES) / days)
    assert "without rows count as none" in answer.prose


@pytest.mark.parametrize(
    ("question", "at"),
    [
        ("How many cases were filed in the most recent month in the data?", CASES.filed_on.max()),
        ("How many cases were filed in the first month of the data?", CASES.filed_on.min()),
    ],
)
def test_the_months_in_which_the_data_begin_and_end(cases: gnomon.Analyst, question: str, at: date) -> None:
    month = pd.to_datetime(CASES.filed_on).dt.to_period("M") == pd.Period(at, "M")
    assert told(answered(cases, question))[0] == month.sum()


def test_both_years_are_not_either(lines: gnomon.Analyst) -> None:
    years = pd.to_datetime(LINES.order_date).dt.year
    both = (years.groupby(LINES.customer).nunique() == 2).sum()
    assert 0 < both <= LINES.customer.nunique()
    assert told(answered(lines, "How many customers ordered in both years?"))[0] == both
    assert lines.ask("How many customers ordered for the first time in 2023?").status.value != "answered"


def test_a_formula_in_brackets_says_what_is_meant(lines: gnomon.Analyst) -> None:
    value = (LINES.quantity * LINES.unit_price).sum()
    assert told(answered(lines, "Ordered value (quantity times unit price)"))[0] == pytest.approx(value)
    assert lines.ask("quantity times unit price by product").status.value != "answered"


def test_products_per_order_are_those_of_each_order(lines: gnomon.Analyst) -> None:
    each = LINES.groupby("order_id")["product"].nunique().mean()
    assert told(answered(lines, "average number of products per order"))[0] == pytest.approx(each)


def test_hours_are_told_of_minutes(lines: gnomon.Analyst) -> None:
    hours = LINES.pack_minutes.sum() / 60
    assert told(answered(lines, "total pack hours"))[0] == pytest.approx(hours)


def test_a_sign_inside_of_a_name_divides_nothing() -> None:
    visits = pd.DataFrame(
        {"Source / Medium": DRAW.choice(["web / ads", "mail", "shop"], 60), "Visits": range(60)}
    )
    traffic = gnomon.open({"web_traffic": visits})
    assert told(answered(traffic, "How many different sources / mediums are there?"))[0] == 3
