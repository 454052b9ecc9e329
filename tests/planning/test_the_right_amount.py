"""Totals where something is brought in, averages where persons are compared, and figures of the one row at an end."""

from __future__ import annotations

import pandas as pd
import pytest

import gnomon
from gnomon import Analyst

POLICIES = pd.DataFrame(
    {
        "policy_no": [f"P{i}" for i in range(12)],
        "broker": [
            "Ash",
            "Ash",
            "Ash",
            "Ash",
            "Ash",
            "Ash",
            "Birch",
            "Birch",
            "Birch",
            "Cole",
            "Cole",
            "Cole",
        ],
        "start_date": pd.date_range("2024-01-03", periods=12, freq="17D"),
        "annual_premium_gbp": [410, 380, 395, 402, 377, 415, 900, 640, 655, 300, 310, 290],
        "commission": [41.5, 38.5, 39.5, 40.5, 37.5, 41.5, 80.5, 61.5, 60.5, 30.5, 31.5, 29.5],
    }
)
VISITS = pd.DataFrame(
    {
        "visit_ref": [f"V{i}" for i in range(10)],
        "visit_date": pd.date_range("2024-03-01", periods=10),
        "slot": ["18:00", "19:00", "19:00", "19:00", "20:00", "18:00", "19:00", "20:00", "19:00", "18:00"],
        "guest_type": [
            "New",
            "New",
            "New",
            "New",
            "New",
            "New",
            "Returning",
            "Returning",
            "Returning",
            "Returning",
        ],
        "bill_total": [40.5, 61.0, 33.2, 54.1, 48.7, 39.9, 80.3, 71.4, 66.6, 90.2],
        "tip": [4.0, 6.5, 3.0, 5.0, 4.5, 4.0, 5.0, 4.0, 4.5, 6.0],
        "guest_rating": [5, 3, 3, 4, 4, 5, 3, 4, 3, 5],
    }
)
CARS = pd.DataFrame(
    {
        "Car": ["Porsche", "Porsche", "Porsche", "Jaguar", "Jaguar", "Jaguar"],
        "Price": [69.4, 83.0, 56.9, 40.1, 30.5, 22.7],
        "Age": [3, 1, 4, 2, 5, 8],
        "Mileage": [21.5, 1.3, 43.0, 18.9, 55.2, 80.4],
        "Colour": ["red", "blue", "red", "red", "blue", "red"],
    }
)
STAFF = pd.DataFrame(
    {
        "Emp No": range(1, 11),
        "Office": ["Oslo"] * 5 + ["Cork"] * 5,
        "Grade": ["A", "A", "B", "B", "B", "A", "A", "A", "B", "B"],
        "Hire Date": pd.to_datetime(["2021-02-01", "2022-03-01", "2023-04-01", "2023-05-01", "2020-06-01"] * 2),
        "Leaving Date": pd.to_datetime([None, "2024-01-01", None, None, None, "2024-02-01", None, None, None, None]),
        "Annual Salary": [50, 52, 40, 41, 42, 60, 61, 62, 45, 46],
        "Sick Days 2023": [1, 4, 2, 9, None, 3, 5, 20, 1, 2],
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def policies() -> Analyst:
    return gnomon.open({"policies": POLICIES})


@pytest.fixture(scope="module")
def visits() -> Analyst:
    return gnomon.open({"visits": VISITS})


@pytest.fixture(scope="module")
def cars() -> Analyst:
    return gnomon.open({"cars": CARS})


@pytest.fixture(scope="module")
def staff() -> Analyst:
    return gnomon.open({"employees": STAFF})


def said(analyst: Analyst, question: str) -> str:
    answer = analyst.ask(question)
    assert answer.status.value == "answered", answer.prose
    return answer.prose


def test_what_is_brought_in_is_added_up(policies: Analyst) -> None:
    premium = POLICIES.groupby("broker")["annual_premium_gbp"].sum()
    prose = said(policies, "Which broker brought in the most premium?")
    assert prose.startswith(str(premium.idxmax())) and f"{premium.max():,}" in prose
    assert f"{premium['Cole']:,}" in said(policies, "how much premium did Cole bring in?")
    earned = POLICIES.groupby("broker")["commission"].sum()
    assert said(policies, "which broker earned the most commission").startswith(str(earned.idxmax()))


def test_the_highest_premium_is_no_total(policies: Analyst) -> None:
    means = POLICIES.groupby("broker")["annual_premium_gbp"].mean()
    assert said(policies, "which broker has the highest average premium").startswith(str(means.idxmax()))


def test_what_persons_spend_is_the_bill_on_average(visits: Analyst) -> None:
    means = VISITS.groupby("guest_type")["bill_total"].mean().round(2)
    prose = said(visits, "do returning guests spend more than new ones?")
    assert prose.startswith("Yes")
    assert str(means["Returning"]) in prose and str(means["New"]) in prose


def test_popular_is_what_most_rows_have(visits: Analyst) -> None:
    counts = VISITS["slot"].value_counts()
    prose = said(visits, "most popular slot")
    assert prose.startswith(counts.index[0]) and str(counts.iloc[0]) in prose


def test_a_figure_of_the_dearest_row_is_that_of_the_row(cars: Analyst) -> None:
    dearest = CARS[CARS["Car"] == "Jaguar"].sort_values("Price").iloc[-1]
    assert str(dearest["Mileage"]) in said(cars, "What's the mileage on the most expensive Jaguar?")
    cheapest = CARS[CARS["Car"] == "Porsche"].sort_values("Price").iloc[0]
    assert f"Age {cheapest['Age']}" in said(cars, "how old was the cheapest Porsche")
    assert "83" in said(cars, "price of the most expensive Porsche")


def test_the_year_in_a_name_is_no_day_of_hiring(staff: Analyst) -> None:
    means = STAFF.groupby("Office")["Sick Days 2023"].mean()
    prose = said(staff, "Which office has the most sick days per employee in 2023?")
    assert prose.startswith(str(means.idxmax())) and f"{means.max():g}" in prose
    hired = STAFF[STAFF["Hire Date"].dt.year == 2023]["Sick Days 2023"].mean()
    assert f"{hired:g}" in said(staff, "average sick days of employees hired in 2023")


def test_sick_days_of_another_year_are_not_told(staff: Analyst) -> None:
    assert staff.ask("sick days per employee in 2022").status.value != "answered"


def test_those_who_left_are_counted_with_the_rest(staff: Analyst) -> None:
    counts = STAFF["Grade"].value_counts()
    answer = staff.ask("how many people in each grade, including the ones who left")
    assert {(row[0], row[1]) for row in answer.tables[0].rows} == {(g, int(n)) for g, n in counts.items()}
    assert "including the ones who left" in answer.prose


def test_an_average_holds_for_the_list(staff: Analyst) -> None:
    means = STAFF.groupby("Office")[["Annual Salary", "Sick Days 2023"]].mean()
    rows = {
        row[0]: row[1:] for row in staff.ask("average annual salary and sick days by office").tables[0].rows
    }
    assert rows["Cork"][:2] == pytest.approx(means.loc["Cork"].tolist())
    assert "Oslo" in said(staff, "which office spends the least on salaries")


def test_a_figure_of_the_cheapest_row_of_each_group(cars: Analyst) -> None:
    jaguars = CARS[CARS["Car"] == "Jaguar"].sort_values("Price").groupby("Colour").head(1)
    prose = said(cars, "mileage of the cheapest Jaguar by colour")
    assert all(str(m) in prose for m in jaguars["Mileage"])


TOWNS = pd.DataFrame(
    {
        "town": ["Ada", "Bex", "Cox", "Dun", "Ely", "Fen"],
        "district": ["Nord", "Nord", "Sud", "Sud", "Sud", "Nord"],
        "pop2021": [1200, 2300, 4100, 560, 720, 880],
        "MDs": [3, 5, 9, 1, 2, 2],
        "Hospitals": [1, 2, 3, 1, 1, 1],
        "Beds": [40, 95, 160, 22, 31, 38],
        "Births_per_1000": [9.1, 10.4, 11.2, 8.7, 9.9, 10.1],
        "no_schools": [1, 2, 2, 1, 1, 1],
    }
)


@pytest.fixture(scope="module")
def towns() -> Analyst:
    return gnomon.open({"towns": TOWNS})


def test_columns_of_counts_are_added_up(towns: Analyst) -> None:
    people = TOWNS.groupby("district")["pop2021"].sum()
    prose = said(towns, "which district has the most people")
    assert prose.startswith(str(people.idxmax())) and f"{people.max():,}" in prose
    assert f"{people['Nord']:,}" in said(towns, "how many people live in Nord")
    doctors = TOWNS.groupby("district")["MDs"].sum()
    assert said(towns, "which district has the most doctors").startswith(str(doctors.idxmax()))
    assert str(TOWNS["Beds"].sum()) in said(towns, "total hospital beds across all towns")


def test_names_that_say_per_and_number(towns: Analyst) -> None:
    births = TOWNS.groupby("district")["Births_per_1000"].mean()
    assert f"{births['Sud']:.2f}" in said(towns, "average births per 1000 people by district")
    beds = TOWNS.groupby("no_schools")["Beds"].mean()
    assert f"{beds[2]:g}" in said(towns, "average beds by number of schools")
