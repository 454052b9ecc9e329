"""“By” behind a participle says who did it; it groups where the noun is plainly a grouping."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2025, 6, 2)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Tenants, and the rent that they pay."""
    folder: Path = tmp_path_factory.mktemp("flats")
    rows = [
        f"T{i:04d},{('North', 'South', 'Quay')[i % 3]},{('studio', 'family')[i % 2]},{600 + i * 37 % 911}"
        for i in range(140)
    ]
    return reader_over(folder, {"tenants": ["tenant_id,district,flat_type,rent_eur", *rows]})


@pytest.mark.parametrize(
    ("question", "groups"),
    [
        ("Calculate the mean rent paid by the tenants.", ()),
        ("What is the median rent paid by tenants?", ()),
        ("What is the average rent paid by tenants by district?", ("district",)),
        ("What is the average rent paid by district?", ("district",)),
        ("What is the average rent paid by each flat type?", ("flat_type",)),
    ],
)
def test_those_who_did_it_are_no_group(reader: GrammarReader, question: str, groups: tuple[str, ...]) -> None:
    reading = reader.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    assert reading.parts[0].dimensions == groups


def test_a_second_sentence_may_begin_with_and(reader: GrammarReader) -> None:
    reading = reader.read("What is the average rent? And the average rent by district?", today=TODAY)
    assert reading.parts[-1].dimensions == ("district",)
