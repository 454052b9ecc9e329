"""Two columns that lead to the same table: each has its own names, and without one nothing is guessed."""

from __future__ import annotations

import pandas as pd
import pytest

from gnomon.core.errors import OutOfScope
from gnomon.core.parts import Filter, FilterOperator
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import RetrievalQuery, Retriever, dump_model, infer_model, load_model

N = 260
FROM = [i * 5 % 9 for i in range(N)]
TO = [(i * 7 + 2) % 9 for i in range(N)]
CODES = ["QAA", "QBB", "QCC", "QDD", "QEE", "QFF", "QGG", "QHH", "QII"]
SEA = ["Baltic", "Adriatic", "Aegean"]


@pytest.fixture(scope="module")
def ferries() -> Retriever:
    ports = pd.DataFrame({"port": CODES, "sea": [SEA[i % 3] for i in range(9)], "berths": range(3, 12)})
    sailings = pd.DataFrame(
        {
            "sailing_id": range(N),
            "sailed_on": pd.date_range("2024-01-01", periods=N),
            "embarked_at": [CODES[i] for i in FROM],
            "landed_at": [CODES[i] for i in TO],
        }
    )
    dataset = open_sources({"ports": ports, "sailings": sailings})
    return Retriever.over(dataset, infer_model(profile_dataset(dataset), dataset))


def test_each_part_is_looked_up_by_its_own_column(ferries: Retriever) -> None:
    expected = {
        "embarked": {s: sum(1 for i in FROM if i % 3 == k) for k, s in enumerate(SEA)},
        "landed": {s: sum(1 for i in TO if i % 3 == k) for k, s in enumerate(SEA)},
    }
    for part, counts in expected.items():
        dimension = next(d for d in ferries.model.dimensions if d.label.startswith(part) and "sea" in d.label)
        found = ferries.run(RetrievalQuery(metrics=("sailings",), dimensions=(dimension.name,)))
        assert dict(found.rows) == counts
        assert "sea" in dimension.synonyms


def test_both_parts_can_be_asked_for_at_once(ferries: Retriever) -> None:
    first, second = (d.name for d in ferries.model.dimensions if d.via is not None and "sea" in d.label)
    same = [Filter(field=n, operator=FilterOperator.EQUALS, values=("Baltic",)) for n in (first, second)]
    found = ferries.run(RetrievalQuery(metrics=("sailings",), filters=tuple(same)))
    assert found.rows == ((sum(1 for a, b in zip(FROM, TO, strict=True) if a % 3 == 0 and b % 3 == 0),),)


def test_without_a_part_nothing_is_guessed(ferries: Retriever) -> None:
    with pytest.raises(OutOfScope, match="sea"):
        ferries.run(RetrievalQuery(metrics=("sailings",), dimensions=("sea",)))
    assert ferries.run(RetrievalQuery(metrics=("ports",), dimensions=("sea",))).rows == (
        ("Adriatic", 3), ("Aegean", 3), ("Baltic", 3),
    )  # fmt: skip


def test_parts_are_written_down_and_read_back(ferries: Retriever) -> None:
    assert load_model(dump_model(ferries.model)) == ferries.model


def test_a_column_with_the_name_of_the_key_is_meant_without_further_words() -> None:
    staff = pd.DataFrame({"staff_id": range(1, 41), "desk": ["front", "back"] * 20})
    calls = pd.DataFrame(
        {
            "call_id": range(200),
            "staff_id": [1 + i % 40 for i in range(200)],
            "supervisor_staff_id": [1 + (i * 3 + 1) % 40 for i in range(200)],
        }
    )
    dataset = open_sources({"staff": staff, "calls": calls})
    retriever = Retriever.over(dataset, infer_model(profile_dataset(dataset), dataset))
    assert dict(retriever.run(RetrievalQuery(metrics=("calls",), dimensions=("desk",))).rows) == {
        "front": 100,
        "back": 100,
    }
    other = next(d for d in retriever.model.dimensions if d.via is not None and "desk" in d.label)
    assert other.via is not None and other.via.column == "supervisor_staff_id"
