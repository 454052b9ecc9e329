"""Files that are parts of one table: columns by name, what one lacks is missing and said; others say whose rows are counted."""

import csv
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gnomon
from gnomon.data import open_sources

COLUMNS = ["town", "sales", "units", "note"]


def _write(path: Path, columns: list[str], rows: list[dict[str, Any]]) -> None:
    if path.suffix == ".parquet":
        pq.write_table(pa.table({c: [r[c] for r in rows] for c in columns}), path)
        return
    with path.open("w", newline="", encoding="utf-8") as f:
        csv.writer(f).writerows([columns, *[[r[c] for c in columns] for r in rows]])


def _rows(rng: random.Random, count: int) -> list[dict[str, Any]]:
    return [
        {
            "town": rng.choice("abc"),
            "sales": rng.randint(1, 99),
            "units": rng.randint(1, 9),
            "note": "x",
            "fee": 3,
        }
        for _ in range(count)
    ]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "names", [["p1", "p2", "p3"], ["sales_2024-01-31", "sales_2024-02-29", "sales_2024-03-31"]]
)
def test_numbered_files_with_most_columns_in_common_are_one_table(
    tmp_path: Path, kind: str, seed: int, names: list[str]
) -> None:
    rng = random.Random(seed)
    heads = [COLUMNS, rng.sample(COLUMNS, 4), [*COLUMNS, "fee"]]
    every: list[dict[str, Any]] = []
    fees = 0
    for name, head in zip(names, heads, strict=True):
        rows = _rows(rng, rng.randint(2, 9))
        every += rows
        fees += sum(r["fee"] for r in rows if "fee" in head)
        _write(tmp_path / f"{name}.{kind}", head, rows)
    with open_sources(str(tmp_path / f"*.{kind}")) as dataset:
        (table,) = dataset
        found = dataset.connection.execute(
            f"SELECT count(*), sum(sales), sum(units), sum(fee) FROM {table.relation}"
        ).fetchone()
        assert found == (len(every), sum(r["sales"] for r in every), sum(r["units"] for r in every), fees)
        assert [s.said for s in table.set_aside if s.column == "fee"] == [
            "fee: 2 of 3 files have no such column; their rows have no value in it."
        ]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_order_of_columns_makes_no_other_table(tmp_path: Path, kind: str) -> None:
    rng = random.Random(4)
    one, two = _rows(rng, 5), _rows(rng, 7)
    _write(tmp_path / f"north.{kind}", COLUMNS, one)
    _write(tmp_path / f"south.{kind}", COLUMNS[::-1], two)
    with open_sources(str(tmp_path / f"*.{kind}")) as dataset:
        (table,) = dataset
        found = dataset.connection.execute(f"SELECT count(*), sum(sales) FROM {table.relation}").fetchone()
        assert found == (12, sum(r["sales"] for r in [*one, *two]))
        assert table.set_aside == ()


@pytest.mark.parametrize(
    ("first", "second"), [("p1", "p2"), ("north", "south")], ids=["other columns", "other names"]
)
def test_files_that_are_no_parts_are_tables_of_their_own_and_said(
    tmp_path: Path, first: str, second: str
) -> None:
    rng = random.Random(5)
    _write(tmp_path / f"{first}.csv", COLUMNS, _rows(rng, 5))
    _write(tmp_path / f"{second}.csv", ["town", "fee"] if first == "p1" else [*COLUMNS, "fee"], _rows(rng, 7))
    with open_sources(str(tmp_path / "*.csv")) as dataset:
        assert sorted(dataset.tables) == [first, second]
        assert any("different columns" in w for w in dataset.warnings)


def test_a_count_of_rows_says_whose_rows_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path / "home"))
    rng = random.Random(6)
    (tmp_path / "data").mkdir()
    for name, head in (("p1", COLUMNS), ("p2", ["town", "fee"]), ("p3", ["units", "fee"])):
        _write(tmp_path / "data" / f"{name}.csv", head, _rows(rng, 5))
    with gnomon.open(str(tmp_path / "data")) as analyst:
        assert "The rows are those of p1; p2 and p3 have rows too." in analyst.ask("how many rows").prose
        assert "have rows too" not in analyst.ask("how many rows in p2").prose
