"""How often rows of a thing meet a bound, numbers of rows, and bounds and states that only everyday words tell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

N = 180
READERS = pd.DataFrame({"reader_id": range(1, 41), "branch": [("North", "South")[i % 2] for i in range(40)]})
_OUT = pd.Timestamp("2023-01-02") + pd.to_timedelta([(i * 7) % 330 for i in range(N)], "D")
LOANS = pd.DataFrame(
    {
        "loan_no": range(1, N + 1),
        "reader_id": [1 + (i * i) % 37 for i in range(N)],
        "loaned_on": _OUT,
        "returned_on": (_OUT + pd.Timedelta(days=9)).where([i % 6 != 0 for i in range(N)]),
        "fine_eur": [round((i * 13) % 90 / 10, 1) if i % 3 == 0 else None for i in range(N)],
        "pages_read": [(i * 29) % 400 for i in range(N)],
        "vehicle_make": [("Ford", "Fiat")[i % 2] for i in range(N)],
        "at_fault": [("Yes", "No", "No")[i % 3] for i in range(N)],
    }
)
FINED = LOANS[LOANS.fine_eur > 0].groupby("reader_id").size()
MANY = LOANS.groupby("reader_id").size()


def _often(rows: pd.Series) -> pd.Series:
    return LOANS[rows].groupby("reader_id").size()


@pytest.fixture(scope="module")
def library() -> Analyst:
    return gnomon.open({"readers": READERS, "loans": LOANS})


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("how many readers had a fine above 5 at least twice", (_often(LOANS.fine_eur > 5) >= 2).sum()),
        ("how many readers have a fine above 5", len(_often(LOANS.fine_eur > 5))),
        ("how many readers paid a fine", len(FINED)),
        ("how many readers have at least two fines", (FINED >= 2).sum()),
        ("how many readers have exactly four loans", (MANY == 4).sum()),
        ("how many loans are still out", LOANS.returned_on.isna().sum()),
        ("how many loans paid over 5", (LOANS.fine_eur > 5).sum()),
        ("how many loans were the reader's fault", (LOANS.at_fault == "Yes").sum()),
    ],
)
def test_counted_rows_and_told_bounds(library: Analyst, question: str, value: float) -> None:
    answer = library.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == pytest.approx(value)


def test_a_number_of_rows_is_no_money(library: Analyst) -> None:
    answer = library.ask("share of readers with more than 5 loans")
    assert f"{(MANY > 5).sum()} of {len(READERS)}" in answer.prose


def test_nearly_the_same_word_in_a_name(library: Analyst) -> None:
    answer = library.ask("number of loans by car make")
    assert dict(answer.tables[0].rows) == LOANS.vehicle_make.value_counts().to_dict()
    assert library.ask("number of loans by car colour").status is not AnswerStatus.ANSWERED


def test_somebody_elses_fault_is_not_told(library: Analyst) -> None:
    assert library.ask("how many loans were the other reader's fault").status is not AnswerStatus.ANSWERED


@pytest.mark.parametrize(
    ("owner", "thing", "had"),
    [
        ("teams", "players", "have"),
        ("farms", "tractors", "own"),
        ("pupils", "prizes", "got"),
        ("ships", "cabins", "with"),
    ],
)
def test_a_bare_number_of_things_is_how_many_of_them_belong_to_each(owner: str, thing: str, had: str) -> None:
    rng = np.random.default_rng(len(thing))
    key = f"{owner[:-1]}_id"
    owners = pd.DataFrame({key: range(1, 41), "town": rng.choice(["Kell", "Moss"], 40)})
    things = pd.DataFrame(
        {f"{thing[:-1]}_id": range(1, 81), key: rng.integers(1, 41, 80), "age": rng.integers(1, 9, 80)}
    )
    each = things[key].value_counts()
    with gnomon.open({owner: owners, thing: things}) as analyst:
        for said, number in (("one", 1), ("only one", 1), ("two", 2), ("3", 3), ("just two", 2)):
            noun = thing[:-1] if number == 1 else thing
            answer = analyst.ask(f"How many {owner} {had} {said} {noun}?")
            assert [f.value for f in answer.facts][:1] == [int((each == number).sum())], answer.prose
