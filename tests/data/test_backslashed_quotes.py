"""A backslash before a quote: part of the cell in files that are written so, the end of a path in others."""

import csv
import random
from pathlib import Path
from typing import Literal

import pandas as pd
import pytest

from gnomon.data import open_sources

_NOTES = ["plain", 'he said "hi, you"', '5" pipe, long', '"q", x', 'a "b" c, "d"', "one, two", '"all, of it"']


def _rows(seed: int, notes: list[str]) -> list[tuple[str, str, int]]:
    chance = random.Random(seed)
    return [(chance.choice("nsew"), chance.choice(notes), chance.randrange(1000)) for _ in range(80)]


def _cells(path: Path) -> list[tuple[object, ...]]:
    with open_sources({"t": path}) as dataset:
        assert [c.name for c in dataset.table("t").columns] == ["region", "note", "amount"]
        return dataset.connection.execute("FROM t").fetchall()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("notes", [_NOTES, _NOTES[1:2], _NOTES[2:3], _NOTES[3:4]])
@pytest.mark.parametrize("quoting", [csv.QUOTE_NONNUMERIC, csv.QUOTE_MINIMAL])
def test_quotes_behind_a_backslash_belong_to_the_cell(
    tmp_path: Path, delimiter: str, notes: list[str], quoting: Literal[0, 1, 2]
) -> None:
    path = tmp_path / "rows.csv"
    notes = [n.replace(",", delimiter) for n in notes]
    with path.open("w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f, delimiter=delimiter, quoting=quoting, doublequote=False, escapechar="\\")
        writer.writerow(["region", "note", "amount"])
        writer.writerows(rows := _rows(7, notes))
    known = pd.read_csv(path, sep=delimiter, escapechar="\\", doublequote=False)
    assert known["amount"].tolist() == [r[2] for r in rows]
    assert _cells(path) == [tuple(r) for r in known.itertuples(index=False)]


@pytest.mark.parametrize("quoting", [csv.QUOTE_NONNUMERIC, csv.QUOTE_ALL])
def test_a_path_that_ends_in_a_backslash_ends_its_cell(tmp_path: Path, quoting: Literal[0, 1, 2]) -> None:
    path = tmp_path / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f, quoting=quoting)
        writer.writerow(["region", "note", "amount"])
        writer.writerows(rows := _rows(3, ["C:\\data\\", 'D:\\a, "b"\\', "plain"]))
    assert _cells(path) == rows
