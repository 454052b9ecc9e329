"""What is said before the question holds in it; signs tell values apart; a verb of the rows counts them; worst is no guess."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

N = 360
DONATIONS = pd.DataFrame(
    {
        "ref": range(9000, 9000 + N),
        "donated_on": pd.date_range("2023-01-02", periods=N, freq="3D"),
        "donor": [f"D{(i * 37) % 120:03d}" for i in range(N)],
        "blood_group": [("O+", "O-", "A+", "AB-")[(i * 7 + i // 5) % 4] for i in range(N)],
        "centre": [("Harbour", "Summit")[(i * 5 + i // 3) % 2] for i in range(N)],
        "kind": [("Plasma", "Platelets", "Whole")[(i + i // 4) % 3] for i in range(N)],
        "wait_min": [5 + (i * 11) % 50 for i in range(N)],
    }
)
INSPECTIONS = pd.DataFrame(
    {
        "inspection_id": range(1, N + 1),
        "inspected": [pd.Timestamp("2024-01-01") + pd.Timedelta(days=(i * i) % 365) for i in range(N)],
        "ward": [("North", "East", "South")[(i * 7 + i // 5) % 3] for i in range(N)],
        "fine_usd": [(0, 0, 50, 400)[(i * 3 + i // 7) % 4] for i in range(N)],
        "tech_visit": [i % 3 == 0 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def donations() -> Analyst:
    return gnomon.open({"donations": DONATIONS})


@pytest.fixture(scope="module")
def inspections() -> Analyst:
    return gnomon.open({"inspections": INSPECTIONS})


def _value(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer.facts[0].value


@pytest.mark.parametrize(
    "question",
    [
        "Excluding plasma, how many donations were there in Summit?",
        "Plasma aside, how many donations were there in Summit?",
        "Leaving out plasma, how many donations were made in Summit?",
        "How many donations were there in Summit, plasma excluded?",
    ],
)
def test_what_is_said_before_the_question_holds_beside_its_own_conditions(
    donations: Analyst, question: str
) -> None:
    held = DONATIONS[(DONATIONS.kind != "Plasma") & (DONATIONS.centre == "Summit")]
    assert _value(donations, question) == len(held)


@pytest.mark.parametrize(
    ("question", "group"),
    [
        ("How many O- donations were there?", "O-"),
        ("How many O negative donations were there?", "O-"),
        ("How many O positive donations were there?", "O+"),
        ("number of A+ donations", "A+"),
        ("How many AB- donations were there in Harbour?", "AB-"),
    ],
)
def test_a_sign_tells_values_apart(donations: Analyst, question: str, group: str) -> None:
    held = DONATIONS[DONATIONS.blood_group == group]
    held = held[held.centre == "Harbour"] if "Harbour" in question else held
    assert _value(donations, question) == len(held)


def test_who_came_in_another_year_too_is_told_as_a_part_of_those_who_came_first(donations: Analyst) -> None:
    answer = donations.ask("Of the donors who came in 2023, what percent came in 2025?")
    first, later = ({*DONATIONS[DONATIONS.donated_on.dt.year == year].donor} for year in (2023, 2025))
    assert answer.status is AnswerStatus.ANSWERED
    assert f"{100 * len(first & later) / len(first):.1f} %" in answer.prose


def test_what_is_not_held_is_not_answered_by_something_near(donations: Analyst, inspections: Analyst) -> None:
    for analyst, question in (
        (donations, "give me the phone numbers of all O- donors so I can ring them"),
        (inspections, "Which technician carried out the most visits?"),
        (inspections, "Which ward is the worst?"),
    ):
        assert analyst.ask(question).status is not AnswerStatus.ANSWERED, question


def test_the_verb_of_the_rows_counts_them(inspections: Analyst) -> None:
    answer = inspections.ask("Which weekday do they inspect the most on?")
    assert answer.status is AnswerStatus.ANSWERED
    days = INSPECTIONS.inspected.dt.day_name().value_counts()
    assert tuple(answer.tables[0].rows[0]) == (days.idxmax(), days.max())


def test_rows_that_have_a_value_at_all(inspections: Analyst) -> None:
    frame = INSPECTIONS.assign(fault_code=[("E1", None, None, "G4", None)[i % 5] for i in range(N)])
    analyst = gnomon.open({"inspections": frame})
    held = frame.fault_code.notna()
    assert _value(analyst, "How many inspections have a fault code?") == held.sum()
    assert _value(analyst, "What share of inspections has a fault code?") == pytest.approx(100 * held.mean())
    assert (
        _value(analyst, "How many inspections with a fault code were there in the North ward?")
        == (held & (frame.ward == "North")).sum()
    )
    chosen = analyst.ask("How many inspections have a fault code of E1?")
    assert chosen.facts[0].value == (frame.fault_code == "E1").sum()


def test_the_same_for_another_is_not_both_together(donations: Analyst) -> None:
    answer = donations.ask("What percentage of Summit donations were plasma, and the same for Harbour?")
    assert answer.status is not AnswerStatus.ANSWERED
