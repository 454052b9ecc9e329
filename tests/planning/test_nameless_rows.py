"""Rows that only the question names: patients, runners, kicks; and the nouns that are no rows."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

N = 240


def _cycle(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(N)]


KICKED = pd.DataFrame(
    {
        "season": [2001 + i % 6 for i in range(N)],
        "club": _cycle("Reds", "Blues", "Greens", "Reds"),
        "yards": [20 + (i * 7) % 38 for i in range(N)],
        "made": _cycle("yes", "no", "yes"),
    }
)
LENT = pd.DataFrame(
    {
        "region": _cycle("North", "South", "South"),
        "annual_income": [20_000 + (i * 977) % 61_000 for i in range(N)],
        "home": _cycle("rent", "own", "rent", "mortgage"),
    }
)
WORKING = pd.DataFrame(
    {
        "age": [20 + (i * 3) % 41 for i in range(N)],
        "sex": _cycle("male", "female"),
        "job": _cycle("clerk", "nurse", "teacher", "plumber"),
        "wage": [9 + (i * 11) % 23 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def kicked() -> Analyst:
    return gnomon.open({"data_9": KICKED})


@pytest.fixture(scope="module")
def lent() -> Analyst:
    return gnomon.open({"data_9": LENT})


@pytest.fixture(scope="module")
def working() -> Analyst:
    return gnomon.open({"data_9": WORKING})


def first(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question)
    return answer.facts[0].value if answer.facts else None


def test_a_noun_that_bears_a_condition_is_what_rows_are(kicked: Analyst) -> None:
    assert first(kicked, "how many kicks were from 40 yards or more") == int((KICKED.yards >= 40).sum())
    assert first(kicked, "Which club has the most kicks?") == int((KICKED.club == "Reds").sum())
    assert "Each row was taken as one kick" in kicked.ask("kicks by club").prose


def test_persons_are_rows_where_something_of_persons_is_told(lent: Analyst) -> None:
    rented = LENT[LENT.home == "rent"]
    assert (
        first(lent, "median annual income of borrowers in the South")
        == LENT[LENT.region == "South"].annual_income.median()
    )
    assert first(lent, "how many borrowers rent?") == len(rented)


@pytest.mark.parametrize(
    "question",
    [
        "average wage of pilots",  # the jobs are told, and there is no pilot
        "how many of the rows are Democrats?",
        "how many kids do the clerks have?",
        "how many customers are female?",
    ],
)
def test_what_is_told_apart_or_counted_beside_is_no_row(working: Analyst, question: str) -> None:
    assert working.ask(question).status is not AnswerStatus.ANSWERED


def test_what_repeats_is_no_row(kicked: Analyst) -> None:
    assert (
        kicked.ask("How many different kickers are there in season 2003?").status is not AnswerStatus.ANSWERED
    )


def test_a_file_in_camel_case_names_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "OldTownHouses.csv"
    pd.DataFrame(
        {"price": [100_000 + 37 * i for i in range(N)], "fuel": _cycle("gas", "oil", "wood")}
    ).to_csv(path, index=False)
    analyst = gnomon.open(path)
    assert first(analyst, "how many houses use gas as fuel?") == N // 3
    share = analyst.ask("percentage of houses that use gas or oil as fuel")
    assert "66.7 %" in share.prose and "fuels" not in share.prose.split("Read as")[0]


def test_numbers_given_to_places_are_counted_not_added() -> None:
    coded = pd.DataFrame(
        {
            "state": [1 + i % 40 for i in range(N)],
            "year": [2000 + i // 40 for i in range(N)],
            "tax": [0.5 + (i % 13) / 10 for i in range(N)],
            "school": [9 + (i % 3) + (i % 5 == 0) * 3 for i in range(N)],
        }
    )
    analyst = gnomon.open({"taxes": coded})
    assert first(analyst, "how many states are there") == 40
    best = coded.groupby("state").tax.mean()
    answer = analyst.ask("which state has the highest average tax")
    assert answer.facts[0].value == pytest.approx(best.max())
    assert first(analyst, "average school") == pytest.approx(coded.school.mean())


def test_plain_values_of_a_table_of_imports_add_up() -> None:
    brought = pd.DataFrame(
        {
            "country": _cycle("Peru", "Chile", "Cuba"),
            "year": [1990 + i // 3 for i in range(N)],
            "value": [10.5 + i for i in range(N)],
        }
    )
    analyst = gnomon.open({"tea_imports": brought})
    kept = brought[(brought.country == "Peru") & brought.year.between(1995, 1999)].value.sum()
    assert first(analyst, "total imports of Peru from 1995 to 1999") == pytest.approx(kept)
    assert first(analyst, "average import value for Chile") == pytest.approx(
        brought[brought.country == "Chile"].value.mean()
    )


def test_a_name_that_no_column_holds_is_refused(kicked: Analyst) -> None:
    answer = kicked.ask("What is the name of the kick with the most yards?")
    assert answer.status is not AnswerStatus.ANSWERED


def test_a_year_missing_between_others_is_told() -> None:
    sold = pd.DataFrame(
        {
            "state": _cycle("TX", "NY", "CA"),
            "year": [(1985, 1995)[i % 2] for i in range(N)],
            "packs": [40 + i % 17 for i in range(N)],
        }
    )
    answer = gnomon.open({"smoked": sold}).ask("How many packs were there in 1990?")
    assert answer.status is AnswerStatus.OUT_OF_SCOPE
    assert "1985 and 1995" in answer.prose and "there is nothing in 1990" in answer.prose


def test_quarters_written_without_a_gap() -> None:
    given = pd.DataFrame(
        {
            "place": _cycle("A", "B", "C", "D"),
            "quarter": [f"Q{1 + i % 4}{2010 + i // 80}" for i in range(N)],
            "rate": [0.2 + (i % 9) / 100 for i in range(N)],
        }
    )
    table = gnomon.open({"given": given}).ask("average rate for each quarter").tables[0]
    assert [row[0].year for row in table.rows] == sorted([2010, 2011, 2012] * 4)
    firsts = given[given.quarter == "Q12010"].rate.mean()
    assert table.rows[0][1] == pytest.approx(firsts)


def test_numbers_of_players_are_no_counts_and_cases_are() -> None:
    players = pd.DataFrame(
        {
            "name": [f"P{i} Q{i}" for i in range(N)],
            "club": _cycle("Reds", "Blues"),
            "number": [i % 99 for i in range(N)],
        }
    )
    assert first(gnomon.open({"club_players": players}), "how many players are on the Reds?") == N // 2
    ill = pd.DataFrame(
        {
            "disease": _cycle("Mumps", "Polio"),
            "region": _cycle("North", "East", "South"),
            "year": [1950 + i // 6 for i in range(N)],
            "count": [3 + i % 50 for i in range(N)],
        }
    )
    kept = ill[(ill.disease == "Polio") & (ill.year == 1952)]["count"].sum()
    assert first(gnomon.open({"diseases": ill}), "How many polio cases were there in 1952?") == kept


def test_ahead_is_more_and_with_and_without_are_both() -> None:
    polls = pd.DataFrame(
        {
            "leave": [30 + (i * 7) % 31 for i in range(N)],
            "remain": [31 + (i * 5) % 29 for i in range(N)],
            "plan": _cycle("yes", "no", "no"),
            "churn": _cycle("yes", "no", "no", "no", "yes", "no"),
        }
    )
    analyst = gnomon.open({"polls": polls})
    assert first(analyst, "In how many polls was leave ahead of remain?") == int(
        (polls.leave > polls.remain).sum()
    )
    answer = analyst.ask("churn rate with and without a plan")
    told = sorted(row[-1] for row in answer.tables[0].rows)
    rates = (polls.churn == "yes").groupby(polls.plan).mean()
    assert told == pytest.approx(sorted(rates)) and rates["yes"] != rates["no"]


def test_districts_with_a_number_each_are_counted() -> None:
    schools = pd.DataFrame(
        {"district": [61_382 + 31 * i for i in range(N)], "students": [(37 * i) % 900 for i in range(N)]}
    )
    asked = "How many districts have more than 500 students?"
    assert first(gnomon.open({"schools": schools}), asked) == int((schools.students > 500).sum())


def test_the_number_of_a_flight_is_neither_added_up_nor_counted_apart() -> None:
    flown = pd.DataFrame(
        {
            "carrier": _cycle("UA", "B6", "UA"),
            "flight": [1 + (i * 7) % 90 for i in range(N)],
            "distance": range(N),
        }
    )
    answer = gnomon.open({"flights": flown}).ask("which carrier has the most flights")
    assert answer.facts[0].value == int((flown.carrier == "UA").sum())
