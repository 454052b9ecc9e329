"""Cells that are no number or hold many, headers that come again, and files that say how they are written."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gnomon
from gnomon.core.errors import UnreadableSource
from gnomon.data import open_sources

ROWS = 200
AMOUNTS = [round(10.5 + 37.25 * i % 991, 2) for i in range(ROWS)]
REGIONS = [("north", "south", "east", "west")[i % 4] for i in range(ROWS)]
INFINITE = (3, 77)


def _text(odd: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        lines = [f"{r},{odd if i in INFINITE else a}" for i, (r, a) in enumerate(zip(REGIONS, AMOUNTS, strict=True))]  # fmt: skip
        path.write_text("region,amount\n" + "\n".join(lines) + "\n")

    return write


def _numbers(odd: float) -> list[float]:
    return [odd if i in INFINITE else a for i, a in enumerate(AMOUNTS)]


def _parquet(odd: float, kind: pa.DataType) -> Callable[[Path], None]:
    return lambda path: pq.write_table(
        pa.table({"region": REGIONS, "amount": pa.array(_numbers(odd), kind)}), path
    )


def _sqlite(odd: float) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with sqlite3.connect(path) as made:
            made.execute("CREATE TABLE sales (region TEXT, amount REAL)")
            made.executemany("INSERT INTO sales VALUES (?, ?)", zip(REGIONS, _numbers(odd), strict=True))
        made.close()

    return write


@pytest.mark.parametrize(("name", "write"), [
    ("inf.csv", _text("inf")), ("minus.csv", _text("-Infinity")), ("large.csv", _text("1e400")), ("nan.csv", _text("NaN")),
    ("nan.parquet", _parquet(math.nan, pa.float64())), ("inf.parquet", _parquet(math.inf, pa.float64())),
    ("single.parquet", _parquet(-math.inf, pa.float32())), ("inf.sqlite", _sqlite(math.inf)),
])  # fmt: skip
def test_a_cell_that_is_no_number_costs_no_other(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    write(tmp_path / name)
    with gnomon.open(tmp_path / name) as analyst:
        answer = analyst.ask("total amount")
    expected = math.fsum(a for i, a in enumerate(AMOUNTS) if i not in INFINITE)
    close = 1e-4 if name.startswith("single") else 1e-9
    assert any(
        isinstance(f.value, float) and math.isclose(f.value, expected, rel_tol=close) for f in answer.facts
    )
    assert "2 rows have no value" in answer.prose or "2 cells are not finite" in answer.prose


NESTED: dict[str, pa.Array] = {
    "record": pa.array([{"v": a, "c": "x"} for a in AMOUNTS]),
    "list": pa.array([[a, 1.0] for a in AMOUNTS]),
    "records": pa.array([[{"k": i % 3}] for i in range(ROWS)]),
    "map": pa.array([[("k", a)] for a in AMOUNTS], pa.map_(pa.string(), pa.float64())),
    "missing": pa.array([None if i % 2 else [i % 5] for i in range(ROWS)]),
}


@pytest.mark.parametrize("kind", NESTED)
def test_columns_of_records_and_lists_are_told_as_text_and_cost_no_answer(tmp_path: Path, kind: str) -> None:
    pq.write_table(
        pa.table({"region": REGIONS, "tags": NESTED[kind], "amount": AMOUNTS}), tmp_path / "s.parquet"
    )
    with gnomon.open(tmp_path / "s.parquet") as analyst:
        answer = analyst.ask("total amount")
        assert any(isinstance(f.value, float) and math.isclose(f.value, sum(AMOUNTS)) for f in answer.facts)
        assert analyst.ask("tags by region").status != "error"
        with analyst.dataset.cursor() as cursor:
            told: list[Any] = [r[0] for r in cursor.execute("SELECT tags FROM s").fetchall()]
    held = [json.loads(t) if t is not None else None for t in told]
    expected = [dict(v) if kind == "map" and v is not None else v for v in NESTED[kind].to_pylist()]
    assert held == expected


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("times", [1, 3])
def test_rows_that_repeat_the_header_are_no_rows(tmp_path: Path, times: int, mark: str) -> None:
    lines = [f"{r},{a}" for r, a in zip(REGIONS, AMOUNTS, strict=True)]
    step = ROWS // (times + 1)
    parts = [lines[i : i + step] for i in range(0, ROWS, step)]
    text = "\n".join("\n".join([("" if i == 0 else mark) + "region,amount", *p]) for i, p in enumerate(parts[: times + 1]))  # fmt: skip
    (file := tmp_path / "pages.csv").write_text(text + "\n")
    kept = sum(map(len, parts[: times + 1]))
    with gnomon.open(file) as analyst:
        counted = analyst.ask("how many rows are there?")
        assert kept in {f.value for f in counted.facts}
        total = analyst.ask("total amount")
        assert any(
            isinstance(f.value, float) and math.isclose(f.value, sum(AMOUNTS[:kept])) for f in total.facts
        )
        said = "1 row repeats" if times == 1 else f"{times} rows repeat"
        assert any(w.startswith(said) for t in analyst.dataset for w in t.warnings)


def test_a_row_that_is_like_the_header_in_part_is_a_row(tmp_path: Path) -> None:
    lines = [
        f"{'region' if i == 5 else r},{a}" for i, (r, a) in enumerate(zip(REGIONS, AMOUNTS, strict=True))
    ]
    (file := tmp_path / "part.csv").write_text("region,amount\n" + "\n".join(lines) + "\n")
    with open_sources(file) as dataset, dataset.cursor() as cursor:
        assert cursor.execute("SELECT count(*), sum(amount) FROM part").fetchone() == (ROWS, pytest.approx(sum(AMOUNTS)))  # fmt: skip


@pytest.mark.parametrize("separator", [";", "|", "\t", ","])
@pytest.mark.parametrize("said", ["sep={0}\n", 'SEP={0}\r\n', '"sep={0}"\n'])  # fmt: skip
def test_a_first_line_that_names_the_separator_is_no_header(
    tmp_path: Path, said: str, separator: str
) -> None:
    lines = [f"{r}{separator}{a}" for r, a in zip(REGIONS, AMOUNTS, strict=True)]
    text = said.format(separator) + f"region{separator}amount\n" + "\n".join(lines) + "\n"
    (file := tmp_path / "sep.csv").write_text(text)
    with open_sources(file) as dataset, dataset.cursor() as cursor:
        assert [c.name for c in dataset.table("sep").columns] == ["region", "amount"]
        assert cursor.execute("SELECT count(*), sum(amount) FROM sep").fetchone() == (ROWS, pytest.approx(sum(AMOUNTS)))  # fmt: skip


def test_a_record_with_one_key_twice_is_said_to_be_unreadable(tmp_path: Path) -> None:
    records = ", ".join(f'{{"region": "{r}", "amount": 1, "amount": {a}}}' for r, a in zip(REGIONS, AMOUNTS, strict=True))  # fmt: skip
    (file := tmp_path / "twice.json").write_text(f"[{records}]")
    with pytest.raises(UnreadableSource, match=r"cannot be read.*duplicate key"):
        open_sources(file)
