"""Values said otherwise than the cells write them: codes of a closed column, and columns whose two texts deny each other."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

N = 180


def _cycle(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(N)]


MEMBERS = pd.DataFrame(
    {
        "member_id": range(1, N + 1),
        "sex": _cycle("G", "B", "G", "B", "B"),
        "party": _cycle("D", "R", "I", "R"),
        "domhand": _cycle("R", "R", "L", "R", "R", "R", "L"),
        "league": _cycle("AL", "NL", "NL"),
        "union": _cycle("Union", "Not", "Not", "Union", "Not", "Not", "Not"),
        "south": _cycle("NS", "S", "NS"),
        "seatbelt": _cycle("belted", "belted", "none", "belted"),
        "survived": _cycle("dead", "alive", "alive"),
        "marital": _cycle("married", "single", "married", "single", "single"),
        "health": _cycle("1_Good", "2_Fair", "3_Poor"),
        "wage": [10.0 + (7 * i) % 41 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def members() -> Analyst:
    return gnomon.open({"members": MEMBERS})


def _only(analyst: Analyst, question: str) -> float:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return float(answer.facts[0].value)  # type: ignore[arg-type]


def test_letters_of_a_closed_column_are_said_by_the_words_they_stand_for(members: Analyst) -> None:
    m = MEMBERS
    assert _only(members, "how many girls are there") == (m.sex == "G").sum()
    assert _only(members, "average wage of Democrats") == pytest.approx(m[m.party == "D"].wage.mean())
    both = (m.sex == "B") & (m.party == "R")
    assert _only(members, "how many boys are republicans") == both.sum()
    assert _only(members, "how many members are left handed") == (m.domhand == "L").sum()
    assert _only(members, "how many left-handers are there") == (m.domhand == "L").sum()


def test_initials_are_said_in_full_before_the_name_of_their_column(members: Analyst) -> None:
    american = MEMBERS[MEMBERS.league == "AL"]
    assert _only(members, "average wage in the American League") == pytest.approx(american.wage.mean())


def test_the_name_of_two_texts_that_deny_each_other_says_the_one_that_holds(members: Analyst) -> None:
    m = MEMBERS
    girls = m[m.sex == "G"]
    share = _only(members, "what percentage of girls belong to a union")
    assert share in (
        pytest.approx((girls.union == "Union").mean()),
        pytest.approx(100 * (girls.union == "Union").mean()),
    )
    assert _only(members, "how many members live in the south") == (m.south == "S").sum()
    assert _only(members, "how many members wore no seatbelt") == (m.seatbelt == "none").sum()
    assert _only(members, "average wage of non-union members") == pytest.approx(
        m[m.union == "Not"].wage.mean()
    )


def test_a_name_that_groups_stays_a_column(members: Analyst) -> None:
    answer = members.ask("average wage by union")
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert {str(row[0]) for row in answer.tables[0].rows} == {"Union", "Not"}


def test_states_are_said_as_deeds_and_by_their_denial(members: Analyst) -> None:
    m = MEMBERS
    assert _only(members, "how many members died") == (m.survived == "dead").sum()
    assert _only(members, "how many deaths were there") == (m.survived == "dead").sum()
    assert _only(members, "how many members survived") == (m.survived == "alive").sum()
    lone = (m.marital == "single") & (m.sex == "G")
    assert _only(members, "how many single girls are there") == lone.sum()
    assert _only(members, "how many unmarried members") == (m.marital == "single").sum()


def test_what_is_denied_of_one_column_is_not_denied_of_the_next(members: Analyst) -> None:
    m = MEMBERS
    expected = ((m.union == "Not") & (m.sex == "G")).sum()
    assert _only(members, "how many non-union girls are there") == expected


@pytest.mark.parametrize(
    "question",
    [
        "how many socialists are there",
        "how many seats are left",
        "average wage of the retired",
        "wage in the Japanese League",
    ],
)
def test_words_that_no_scheme_of_the_data_has_are_refused(members: Analyst, question: str) -> None:
    answer = members.ask(question)
    assert answer.status is not AnswerStatus.ANSWERED, answer.prose


def test_values_with_a_number_in_front_are_said_without_it(members: Analyst) -> None:
    assert (
        _only(members, "how many girls have poor health")
        == ((MEMBERS.health == "3_Poor") & (MEMBERS.sex == "G")).sum()
    )


def test_yes_and_no_with_numbers_in_front_are_a_flag(tmp_path: Path) -> None:
    frame = MEMBERS.assign(insured=_cycle("1. Yes", "2. No", "1. Yes"))
    frame.to_csv(tmp_path / "members.csv", index=False)
    analyst = gnomon.open(tmp_path / "members.csv")
    assert _only(analyst, "how many members are insured") == (frame.insured == "1. Yes").sum()
    assert _only(analyst, "how many members are not insured") == (frame.insured == "2. No").sum()


TRIPS = pd.DataFrame(
    {
        "trip": range(1, N + 1),
        "travelclass": _cycle("1st", "2nd", "3rd", "3rd"),
        "states": _cycle("FL", "FL, GA", "TX", "GA, FL, SC", "TX, LA", "LA", "SC"),
        "change": [((5 * i) % 17) - 8 for i in range(N)],
        "housing": _cycle("rent", "own", "parents"),
        "permit": _cycle("yes", "no", "yes", "yes", "no"),
        "owner": _cycle("no", "yes"),
        "driver": [f"{n} {k}" for k in range(N // 4) for n in ("Ann", "Bo", "Drag Queen", "Cy")],
        "age": [20 + (3 * i) % 50 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def trips() -> Analyst:
    return gnomon.open({"trips": TRIPS})


def test_ordinals_before_a_part_of_the_name_are_values(trips: Analyst) -> None:
    first = TRIPS[TRIPS.travelclass == "1st"]
    assert _only(trips, "how many trips were in first class") == len(first)


def test_what_cells_list_is_found_in_all_of_them(trips: Analyst) -> None:
    states = TRIPS.states
    assert _only(trips, "how many trips went through Florida") == states.str.contains("FL").sum()
    assert _only(trips, "how many trips have state TX or SC") == states.str.contains("TX|SC").sum()


def test_rises_and_falls_are_counted_by_a_column_of_changes(trips: Analyst) -> None:
    assert _only(trips, "how many times was the change positive") == (TRIPS.change > 0).sum()
    assert _only(trips, "in how many trips was the change negative") == (TRIPS.change < 0).sum()
    assert _only(trips, "how many times did it go down") == (TRIPS.change < 0).sum()


def test_flags_are_told_by_who_got_them_and_by_what_is_owned(trips: Analyst) -> None:
    t = TRIPS
    denied = t[t.permit == "no"]
    assert _only(trips, "average age of those who were turned down for the permit") == pytest.approx(
        denied.age.mean()
    )
    assert _only(trips, "how many trips had the permit in force") == (t.permit == "yes").sum()
    assert _only(trips, "how many renters are there") == (t.housing == "rent").sum()


def test_a_plain_noun_is_no_part_of_somebodys_name(trips: Analyst) -> None:
    answer = trips.ask("who is the oldest queen")
    assert "Drag Queen" not in answer.prose or answer.status is not AnswerStatus.ANSWERED, answer.prose
