"""Words that are repeated on and on, and tables of thousands of columns, do not hold the reader up."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path

import pytest

import gnomon
from gnomon.reading.local import LocalReader

SECONDS = 6.0


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> LocalReader:
    rows = [f"A{i},name {i},city {i % 4},{i}" for i in range(40)]
    path: Path = tmp_path_factory.mktemp("bounds") / "stops.csv"
    path.write_text("\n".join(["stop_code,stop_name,city_name,visits", *rows]))
    analyst = gnomon.open(path)
    assert isinstance(analyst.manager.reader, LocalReader)
    return analyst.manager.reader


@pytest.mark.parametrize(
    "question",
    [
        "show " + " and ".join(["name"] * 23),
        "show " + ", ".join(["code", "name", "city", "number"] * 6),
        "list names sorted " + "in descending order " * 14,
        "show the " + "average and maximum and minimum " * 7 + "visits",
        "list names " + "from city 1 or city 2 or " * 7,
        "show " + "most highest top largest " * 11,
        "list " + "the first and last " * 11 + "name",
        "sort " + "by name by code by city by visits " * 5,
    ],
)
def test_repeated_words_end_soon(reader: LocalReader, question: str) -> None:
    started = time.process_time()
    reader.read(question, today=date(2026, 1, 1))
    assert time.process_time() - started < SECONDS, question
