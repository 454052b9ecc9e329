"""Plain questions on textbook tables: glued and cut headings, rows without a name, shares of some of the rows, quarters beside years."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

TODAY = date(2025, 6, 1)
N = 240
FIRMS = pd.DataFrame(
    {
        "rank": range(1, N + 1),
        "name": [
            f"{('Mc', 'Exxon', 'Old')[i % 3]}{('Gray', 'Oil', 'Bank')[i // 3 % 3]} {i}" for i in range(N)
        ],
        "country": [("Germany", "Japan", "France")[i * i % 3] for i in range(N)],
        "category": [("Banking", "Trading companies", "Drugs", "Retailing")[i % 4] for i in range(N)],
        "sales": [round(5 + i * 37 % 211 / 3, 2) for i in range(N)],
        "profits": [round((i * 53 % 101 - 20) / 10, 2) for i in range(N)],
        "assets": [round(10 + i * 71 % 997, 1) for i in range(N)],
        "marketvalue": [round(3 + i * 29 % 499 / 2, 2) for i in range(N)],
    }
)
COUNTIES = pd.DataFrame(
    {
        "county": [("ADAMS", "OHIO", "COOK", "LAKE", "CLAY", "VIGO")[i % 6] for i in range(N // 4)],
        "state": [("IL", "IN", "OH", "WI", "MI")[i // 6 % 5] for i in range(N // 4)],
        "poptotal": [1000 + i * i * 37 % 9001 for i in range(N // 4)],
        "percbelowpoverty": [round(5 + i * 13 % 29 + i / 100, 2) for i in range(N // 4)],
        "windspeed": [i * 7 % 19 for i in range(N // 4)],
        "homeruns": [(0, 0, 1, 2, 0, 3)[i % 6] for i in range(N // 4)],
    }
).drop_duplicates(["county", "state"])
VOTERS = pd.DataFrame(
    {
        "race": [("white", "others", "white", "white")[i % 4] for i in range(N)],
        "age": [18 + i * 7 % 60 for i in range(N)],
        "income": [round(1 + i * 11 % 97 / 9, 3) for i in range(N)],
        "vote": [int(i % 5 != 0 and i % 7 != 3) for i in range(N)],
        "group": [("Treated", "Placebo")[i % 3 == 0] for i in range(N)],
        "outcome": [("Marked", "Some", "Poor")[i * i % 5 % 3] for i in range(N)],
    }
)
QUARTERS = pd.DataFrame(
    {
        "year": [1990 + i // 4 for i in range(80)],
        "quarter": [1 + i % 4 for i in range(80)],
        "realgdp": [round(2000 + i * 17.3 + i * 31 % 41, 2) for i in range(80)],
        "pop": [round(170 + i * 0.7, 2) for i in range(80)],
        "unemp": [round(4 + i * 13 % 23 / 5 + i / 100, 2) for i in range(80)],
        "infl": [round(i * 19 % 37 / 4 - 1, 2) for i in range(80)],
    }
)


def ask(table: pd.DataFrame, name: str, tmp: pytest.TempPathFactory) -> Analyst:
    path = tmp.mktemp("textbook") / f"{name}.csv"
    table.to_csv(path, index=False)
    return gnomon.open(path)


@pytest.fixture(scope="module")
def firms(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    return ask(FIRMS, "fb", tmp_path_factory)


@pytest.fixture(scope="module")
def counties(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    return ask(COUNTIES, "mw", tmp_path_factory)


@pytest.fixture(scope="module")
def voters(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    return ask(VOTERS, "turnout", tmp_path_factory)


@pytest.fixture(scope="module")
def quarters(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    return ask(QUARTERS, "mq", tmp_path_factory)


def numbers(analyst: Analyst, question: str) -> list[float]:
    answer = analyst.ask(question, today=TODAY)
    assert answer.status.value == "answered", answer.prose
    return [float(f.value) for f in answer.facts if isinstance(f.value, (int, float))]


def has(analyst: Analyst, question: str, expected: float) -> bool:
    return any(n == pytest.approx(expected, rel=1e-4) for n in numbers(analyst, question))


def test_a_noun_that_ends_a_value_may_be_what_the_rows_are(firms: Analyst) -> None:
    banks = FIRMS[FIRMS.category == "Banking"]
    assert has(firms, "What is the total sales of banking companies?", banks.sales.sum())
    assert has(firms, "What share of the companies are in Japan?", 100 * (FIRMS.country == "Japan").mean())
    trading = int((FIRMS.category == "Trading companies").sum())
    assert has(firms, "How many trading companies are there?", trading)


def test_a_company_that_is_asked_for_is_told(firms: Analyst) -> None:
    best = FIRMS.sort_values("marketvalue").iloc[-1]
    answer = firms.ask("Which company has the highest market value?", today=TODAY)
    assert best["name"] in answer.prose
    assert "top," not in answer.prose  # a name with a capital inside is told in a sentence


def test_headings_glued_of_several_words_are_heard(counties: Analyst) -> None:
    in_ohio = COUNTIES[COUNTIES.state == "OH"]
    assert has(
        counties,
        "What is the total population of Wisconsin?",
        COUNTIES[COUNTIES.state == "WI"].poptotal.sum(),
    )
    assert has(counties, "Average percent below poverty in Ohio", in_ohio.percbelowpoverty.mean())
    assert has(counties, "home runs in Michigan", COUNTIES[COUNTIES.state == "MI"].homeruns.sum())
    assert has(counties, "wind speed in Michigan", COUNTIES[COUNTIES.state == "MI"].windspeed.mean())


def test_a_state_is_meant_where_a_county_has_its_name(counties: Analyst) -> None:
    assert has(
        counties, "How many counties are there in Ohio?", COUNTIES[COUNTIES.state == "OH"].county.nunique()
    )
    of_name = COUNTIES[COUNTIES.county == "OHIO"].poptotal
    told = numbers(counties, "population of Ohio county")
    assert any(n == pytest.approx(v) for n in told for v in (of_name.sum(), *of_name))


def test_a_figure_that_is_missing_is_no_name_for_the_rows(counties: Analyst, voters: Analyst) -> None:
    assert counties.ask("What is the area of Cook county?", today=TODAY).status.value != "answered"
    assert voters.ask("What is the turnout by race?", today=TODAY).status.value != "answered"


@pytest.mark.parametrize(
    ("question", "whole", "part"),
    [
        ("What percentage of people under 30 voted?", VOTERS.age < 30, VOTERS.vote == 1),
        ("What percentage of people with income above 5 voted?", VOTERS.income > 5, VOTERS.vote == 1),
        ("What share of voters are white?", VOTERS.vote == 1, VOTERS.race == "white"),
        ("What share of treated people showed a marked outcome?", VOTERS.group == "Treated", VOTERS.outcome == "Marked"),
        ("share of placebo people with a marked outcome", VOTERS.group == "Placebo", VOTERS.outcome == "Marked"),
    ],
)  # fmt: skip
def test_what_a_share_is_of_stands_before_the_verb(
    voters: Analyst, question: str, whole: pd.Series, part: pd.Series
) -> None:
    assert has(voters, question, 100 * (whole & part).sum() / whole.sum())


def test_those_who_do_what_a_flag_tells_are_some_of_the_rows(voters: Analyst) -> None:
    assert has(voters, "Average age of voters", VOTERS[VOTERS.vote == 1].age.mean())
    assert has(voters, "How many voters are there?", VOTERS.vote.sum())
    assert has(voters, "Average income of non-voters", VOTERS[VOTERS.vote == 0].income.mean())


def test_a_quarter_beside_a_year_is_a_time(quarters: Analyst) -> None:
    first = QUARTERS[(QUARTERS.year == 2000) & (QUARTERS.quarter == 1)].iloc[0]
    assert has(quarters, "What was real gdp in the first quarter of 2000?", first.realgdp)
    assert has(quarters, "How many quarters had negative inflation?", (QUARTERS.infl < 0).sum())
    worst = QUARTERS.sort_values("unemp").iloc[-1]
    answer = quarters.ask("When was unemployment highest?", today=TODAY)
    assert f"Q{int(worst.quarter)} {int(worst.year)}" in answer.prose


def test_per_head_divides_by_the_people_of_the_data(quarters: Analyst) -> None:
    last = QUARTERS[(QUARTERS.year == 2008) & (QUARTERS.quarter == 4)].iloc[0]
    assert has(quarters, "Real gdp per capita in Q4 2008", last.realgdp / last["pop"])
    assert has(quarters, "real gdp per person in Q4 2008", last.realgdp / last["pop"])


def test_a_file_of_a_figure_does_not_call_the_rows_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    births = pd.DataFrame({"smoke": [i % 2 for i in range(60)], "age": [18 + i % 23 for i in range(60)]})
    analyst = ask(births, "birthwt", tmp_path_factory)
    for question in ("Median birth weight", "Average birth weight of smokers and non-smokers"):
        assert analyst.ask(question, today=TODAY).status.value != "answered"
