"""No measure is guessed: verbs and nouns lead to one, kinds are told by their column, people are the rows."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 360


def _cycle(*values: object, n: int = N) -> list[object]:
    return [values[(i * i + i // 7) % len(values)] for i in range(n)]


MINES = pd.DataFrame(
    {
        "Mine": [f"M{i % 40:02}" for i in range(N)],
        "Province": _cycle("Alta", "Baja", "Costa"),
        "Mineral": _cycle("Copper", "Zinc", "Tin", "Gold", "Iron"),
        "Output (t)": [round(10 + (i * 37) % 900 / 7, 1) for i in range(N)],
        "Rainfall (mm)": [300 + (i * 53) % 700 for i in range(N)],
        "Open Pit": ["yes" if i % 40 % 3 == 0 else "no" for i in range(N)],
    }
)
CUSTOMERS = pd.DataFrame(
    {
        "customer_id": range(1, 61),
        "town": _cycle("Perth", "Cork", "Lund", n=60),
        "member": ["Y" if i % 3 else "N" for i in range(60)],
    }
)
VEHICLES = pd.DataFrame(
    {
        "vehicle_id": [f"V{i:03}" for i in range(90)],
        "customer_id": [1 + (i * 7) % 60 for i in range(90)],
        "vehicle_class": _cycle("car", "van", "truck", n=90),
        "make": _cycle("Fiat", "Ford", "Opel", "Saab", n=90),
    }
)
REPAIRS = pd.DataFrame(
    {
        "repair_id": range(5000, 5000 + N),
        "vehicle_id": [f"V{(i * 11) % 90:03}" for i in range(N)],
        "repair_date": [date.fromordinal(date(2024, 1, 1).toordinal() + i).isoformat() for i in range(N)],
        "charge_eur": [round(30 + (i * 29) % 371 / 3, 2) for i in range(N)],
        "warranty": _cycle("yes", "no", "no"),
    }
)
WORKERS = pd.DataFrame(
    {
        "Worker ID": [f"W{i:03}" for i in range(N)],
        "Team": _cycle("People", "Exhibits", "Security", "Staff"),
        "Site": _cycle("North", "South", "South"),
        "Sex": ["Female" if i % 5 < 2 else "Male" for i in range(N)],
        "Salary": [20000 + (i * 977) % 50000 for i in range(N)],
    }
)
ALL = REPAIRS.merge(VEHICLES, on="vehicle_id").merge(CUSTOMERS, on="customer_id")


def _open(folder: Path, **tables: pd.DataFrame) -> Analyst:
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return gnomon.open(folder)


@pytest.fixture(scope="module")
def mines(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    return _open(tmp_path_factory.mktemp("mines"), output=MINES)


@pytest.fixture(scope="module")
def garage(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    return _open(tmp_path_factory.mktemp("garage"), customers=CUSTOMERS, vehicles=VEHICLES, repairs=REPAIRS)


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    return _open(tmp_path_factory.mktemp("museum"), workers=WORKERS)


def _values(answer: Answer) -> list[float]:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return [float(f.value) for f in answer.facts if isinstance(f.value, (int, float))]


def _first(answer: Answer) -> tuple[object, ...]:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return tuple(answer.tables[0].rows[0])


@pytest.mark.parametrize("verb", ["produced", "extracted"])
def test_what_is_produced_is_added_up(mines: Analyst, verb: str) -> None:
    told = _first(mines.ask(f"Which province {verb} the most copper?"))
    truth = MINES[MINES["Mineral"] == "Copper"].groupby("Province")["Output (t)"].sum()
    assert told == (truth.idxmax(), pytest.approx(truth.max()))


@pytest.mark.parametrize("question", ["Which province had the most zinc overall?", "top 3 mines"])
def test_a_ranking_by_nothing_is_asked_back_with_the_measures(mines: Analyst, question: str) -> None:
    answer = mines.ask(question)
    assert answer.status is AnswerStatus.CLARIFY
    assert "rainfall" in answer.prose and "output" in answer.prose


@pytest.mark.parametrize(
    "question",
    ["Which kind of vehicle brings in the most money?", "What sort of vehicle earns us the most?"],
)
def test_kinds_of_a_thing_are_told_by_their_column(garage: Analyst, question: str) -> None:
    truth = ALL.groupby("vehicle_class")["charge_eur"].sum()
    assert _first(garage.ask(question)) == (truth.idxmax(), pytest.approx(truth.max()))


def test_kinds_that_no_column_tells_are_refused(garage: Analyst) -> None:
    assert garage.ask("Which kind of customer pays the most?").status is not AnswerStatus.ANSWERED


def test_a_group_that_leads_belongs_to_the_question_behind_it(garage: Analyst) -> None:
    answer = garage.ask("By the customer's town, what percentage of repairs have warranty?")
    truth = (ALL["warranty"] == "yes").groupby(ALL["town"]).mean()
    assert dict(answer.tables[0].rows) == pytest.approx(truth.to_dict())


@pytest.mark.parametrize(
    ("question", "members_first"),
    [
        ("Do members pay more per repair than non-members?", True),
        ("Do non-members pay more per repair than members?", False),
    ],
)
def test_a_comparison_of_the_two_sides_of_a_flag_says_yes_or_no(
    garage: Analyst, question: str, members_first: bool
) -> None:
    answer = garage.ask(question)
    truth = ALL.groupby("member")["charge_eur"].mean()
    more = bool(truth["Y"] > truth["N"]) is members_first
    assert answer.prose.startswith("Yes" if more else "No")
    assert "for members" in answer.prose and "for non-members" in answer.prose
    for figure in truth:
        assert any(v == pytest.approx(figure) for v in _values(answer))


def test_a_share_is_not_grouped_by_a_noun_behind_its_condition(mines: Analyst) -> None:
    answer = mines.ask("What percentage of records come from open pit mines?")
    truth = 100 * (MINES["Open Pit"] == "yes").mean()
    assert any(v == pytest.approx(truth) or v == pytest.approx(truth / 100) for v in _values(answer))
    assert "M0" not in answer.prose


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many people work here?", [True] * N),
        ("How many people are women?", WORKERS["Sex"] == "Female"),
        ("How many staff are in Security?", WORKERS["Team"] == "Security"),
        ("How many people are in People?", WORKERS["Team"] == "People"),
        ("How many workers are in the staff team?", WORKERS["Team"] == "Staff"),
    ],
)
def test_people_are_the_rows_unless_a_value_stands_there(
    museum: Analyst, question: str, rows: list[bool]
) -> None:
    assert int(sum(rows)) in _values(museum.ask(question))
