"""Which days, weeks or months stand out: the periods that are asked about are those that are looked at."""

from datetime import date, timedelta
from itertools import product
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.core.parts import QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

WORDINGS = (
    "were there any {odd} {unit}s in rainfall?",
    "{odd} {unit}s of rainfall",
    "is there a {unit} with {odd} rainfall?",
    "did rainfall have {odd} {unit}s in 2024?",
    "which {unit}s had {odd} rainfall?",
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("gauges")
    days = [date(2023, 1, 1) + timedelta(days=n) for n in range(900)]
    rows = [f"{d},{d:%Y-%m},{'north' if d.day % 2 else 'south'},{d.day * 3 % 17}" for d in days]
    return reader_over(folder, {"readings": ["day,month,gauge,rainfall", *rows]})


@pytest.mark.parametrize(
    ("wording", "odd", "unit"),
    product(WORDINGS, ("unusual", "strange"), ("day", "week", "month", "quarter")),
)
def test_the_periods_that_are_named_are_looked_at(
    reader: GrammarReader, wording: str, odd: str, unit: str
) -> None:
    found = reader.read(wording.format(odd=odd, unit=unit), today=date(2025, 6, 30))
    assert found.status is ReadingStatus.CLEAR, found.missing
    (request,) = found.parts
    assert request.kind is QuestionKind.ANOMALY
    assert request.grain is TimeGranularity(unit)
