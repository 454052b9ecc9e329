"""Whole numbers of more digits than calculations keep stay apart, whatever kind of file they stand in."""

import json
import sqlite3
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gnomon.data import open_sources

DIGITS = (16, 17, 19, 20, 22, 30, 40)
COUNT = 12


def _records(numbers: Sequence[int]) -> list[dict[str, Any]]:
    return [{"account_id": n, "n": i} for i, n in enumerate(numbers)]


def _sheet(path: Path, numbers: Sequence[int]) -> None:
    """A workbook as libraries write it that put down every digit."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in [("account_id", "n"), *((0.5, i) for i in range(len(numbers)))]:
        sheet.append(row)
    book.save(path.with_suffix(".empty"))
    with zipfile.ZipFile(path.with_suffix(".empty")) as source, zipfile.ZipFile(path, "w") as target:
        for part in source.namelist():
            text = source.read(part)
            if part.endswith("sheet1.xml"):
                for number in numbers:
                    text = text.replace(b"<v>0.5</v>", f"<v>{number}</v>".encode(), 1)
            target.writestr(part, text)


def _sqlite(path: Path, numbers: Sequence[int]) -> None:
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE rows (account_id, n INTEGER)")
        cells = [(1.5, -1), *((n if n < 2**63 else str(n), i) for i, n in enumerate(numbers))]
        made.executemany("INSERT INTO rows VALUES (?, ?)", cells)
    made.close()


WRITERS: dict[str, Callable[[Path, Sequence[int]], Any]] = {
    "json": lambda p, ns: p.write_text(json.dumps(_records(ns))),
    "jsonl": lambda p, ns: p.write_text("\n".join(map(json.dumps, _records(ns)))),
    "negative.json": lambda p, ns: p.write_text(json.dumps(_records([-n for n in ns]))),
    "mixed.json": lambda p, ns: p.write_text(json.dumps([{"account_id": 1.5, "n": -1}, *_records(ns)])),
    "inside.json": lambda p, ns: p.write_text(json.dumps({"page": {"rows": _records(ns)}})),
    "objects.json": lambda p, ns: p.write_text(json.dumps([{"o": {"account_id": n}, "n": 1} for n in ns])),
    "lists.json": lambda p, ns: p.write_text(json.dumps([{"account_id": [n], "n": 1} for n in ns])),
    "arrays.json": lambda p, ns: p.write_text(json.dumps([["account_id", "n"], *([n, 1] for n in ns)])),
    "csv": lambda p, ns: pd.DataFrame(_records(ns)).to_csv(p, index=False),
    "parquet": lambda p, ns: pq.write_table(pa.table({"account_id": [str(n) for n in ns]}), p),
    "xlsx": _sheet,
    "sqlite": _sqlite,
}


def _apart(source: Any) -> set[str]:
    with open_sources(source) as dataset:
        (table,) = dataset
        cells = dataset.connection.execute(f"SELECT * FROM {table.relation}").fetchall()
    return {str(row[0]).strip('-[]"') for row in cells}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("digits", DIGITS)
def test_long_numbers_are_told_apart_to_their_last_digit(kind: str, digits: int, tmp_path: Path) -> None:
    numbers = [10**digits - 1 - i for i in range(COUNT)]
    WRITERS[kind](path := tmp_path / f"rows.{kind}", numbers)
    assert {str(n) for n in numbers} <= _apart(path)


@pytest.mark.parametrize("digits", DIGITS)
def test_long_numbers_of_a_frame_are_told_apart(digits: int) -> None:
    numbers = [10**digits - 1 - i for i in range(COUNT)]
    assert {str(n) for n in numbers} == _apart({"rows": pd.DataFrame({"account_id": numbers})})


def test_decimals_beside_long_numbers_stay_numbers(tmp_path: Path) -> None:
    rows = [{"account_id": 10**21 + i, "price": i / 4, "ratio": 1e20 / (i + 1)} for i in range(COUNT)]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    with open_sources(tmp_path / "rows.json") as dataset:
        (table,) = dataset
        assert [c.type for c in table.columns][1:] == ["DOUBLE", "DOUBLE"]


def test_a_workbook_whose_numbers_are_rounded_says_so(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [("account_id", "n"), *((90000000000000001 + i, i) for i in range(COUNT))]:
        book.worksheets[0].append(row)
    book.save(tmp_path / "rows.xlsx")
    with open_sources(tmp_path / "rows.xlsx") as dataset:
        (table,) = dataset
        assert any("rounded in the workbook" in s.said for s in table.set_aside if s.column == "account_id")
