"""Rows that sum up other rows are left out, wherever they stand and whatever they are called; real rows stay."""

import csv
import random
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gnomon.data import open_sources, profile_table

Rows = list[list[Any]]
HEAD = ["region", "product", "sales", "units"]


def _written(path: Path, kind: str, head: Sequence[str], rows: Rows) -> Path:
    target = path / f"sheet.{kind}"
    if kind == "csv":
        with target.open("w", newline="", encoding="utf-8") as f:
            csv.writer(f).writerows([head, *[["" if c is None else c for c in r] for r in rows]])
    elif kind == "xlsx":
        from openpyxl import Workbook

        book = Workbook()
        for row in [list(head), *rows]:
            book.active.append(row)
        book.save(target)
    else:
        columns = zip(*rows, strict=True)
        pq.write_table(pa.table({h: list(c) for h, c in zip(head, columns, strict=True)}), target)
    return target


def _details(rng: random.Random, region: str, count: int) -> Rows:
    return [[region, f"item {i}", round(rng.uniform(3, 900), 2), rng.randint(1, 60)] for i in range(count)]


def _summed(rows: Rows, *labels: str | None) -> list[Any]:
    return [*labels, round(sum(r[2] for r in rows), 2), sum(r[3] for r in rows)]


def _read(path: Path) -> tuple[int, float, tuple[str, ...]]:
    with open_sources(path) as dataset:
        (table,) = dataset
        found = dataset.connection.execute(f"SELECT count(*), sum(sales) FROM {table.relation}").fetchone()
        assert found is not None
        return int(found[0]), float(found[1] or 0), profile_table(dataset, table.name).warnings


def _last(rng: random.Random, name: str | None) -> tuple[Rows, int]:
    details = [*_details(rng, "North", 7), *_details(rng, "South", 9)]
    return [*details, _summed(details, name, None)], 16


def _first(rng: random.Random, name: str | None) -> tuple[Rows, int]:
    details = [*_details(rng, "North", 7), *_details(rng, "South", 9)]
    return [_summed(details, name, None), *details], 16


def _between(rng: random.Random, name: str | None) -> tuple[Rows, int]:
    rows: Rows = []
    every: Rows = []
    for region, count in (("North", 5), ("South", 1), ("West", 8)):
        block = _details(rng, region, count)
        every += block
        rows += [*block, _summed(block, f"{name} {region}" if name else None, None)]
    return [*rows, _summed(every, name, None)], 14


@pytest.mark.long
# What sums up is found in rows that were read already: other kinds of files differ in a missing name only.
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *product(["csv"], ["Total", "Gesamt", "合計", "World", None]),
        *product(["xlsx", "parquet"], ["Total", None]),
    ],
)
@pytest.mark.parametrize("build", [_last, _first, _between])
def test_rows_that_sum_up_others_are_left_out_and_said(
    tmp_path: Path, kind: str, build: Callable[..., tuple[Rows, int]], name: str | None
) -> None:
    rows, details = build(random.Random(f"{kind}{name}"), name)
    expected = sum(r[2] for r in rows if r[1] is not None)
    found, total, warnings = _read(_written(tmp_path, kind, HEAD, rows))
    assert found == details
    assert total == pytest.approx(expected)
    assert any("left out of every figure" in w for w in warnings)


@pytest.mark.parametrize("seed", range(3))
def test_a_short_table_of_one_label_and_one_number(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    rows: Rows = [[f"2024-{m:02d}-01", rng.randint(200, 9000)] for m in range(1, 13)]
    whole = sum(r[1] for r in rows)
    path = _written(tmp_path, "csv", ["month", "sales"], [*rows, ["Total", whole]])
    found, total, _ = _read(path)
    assert (found, total) == (12, whole)
    with open_sources(path) as dataset:  # without the word the months are dates again
        assert next(iter(dataset)).column("month").type == "DATE"


def test_a_total_that_no_longer_adds_up_is_one_still(tmp_path: Path) -> None:
    details = [*_details(random.Random(3), "North", 7), *_details(random.Random(4), "South", 9)]
    rows = [*details, ["Grand total", None, 12_345.67, 999]]
    assert _read(_written(tmp_path, "csv", HEAD, rows))[0] == 16


GENUINE: dict[str, tuple[list[str], Rows]] = {
    "a shop called Total Wine": (
        ["shop", "sales"],
        [["Total Wine", 310.0], ["Bottle Barn", 120.5], ["Cork", 77.0], ["Total Wine", 512.25]],
    ),
    "a company called Total that stands last": (
        ["company", "sales"],
        [["BP", 240], ["Eni", 90], ["Shell", 260], ["Total", 200]],
    ),
    "small numbers that happen to add up": (["grade", "sales"], [["A", 1], ["B", 2], ["C", 3]]),
    "round numbers that happen to add up": (
        ["quarter", "sales"],
        [["Q1", 100], ["Q2", 200], ["Q3", 100], ["Q4", 400]],
    ),
    "an empty label beside numbers that do not add up": (
        ["region", "sales"],
        [["North", 310.5], ["South", 120.25], [None, 99.75], ["West", 33.0], ["East", 64.5], ["Mid", 1.5]],
    ),
    "running totals": (["day", "sales"], [[f"d{i}", i * (i + 1) // 2] for i in range(1, 40)]),
    "doubling numbers": (["step", "sales"], [[f"s{i}", 2**i] for i in range(12)]),
    "zeros": (["region", "sales"], [["N", 0], ["S", 0], ["W", 0], [None, 0]]),
    "one region in each row, the last as large as the others together by a digit": (
        ["region", "sales"],
        [["N", 812.5], ["S", 411.25], ["W", 733.0], ["E", 1956.74]],
    ),
}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("case", GENUINE)
def test_rows_that_are_no_totals_stay(tmp_path: Path, kind: str, case: str) -> None:
    head, rows = GENUINE[case]
    found, total, warnings = _read(_written(tmp_path, kind, head, rows))
    assert found == len(rows)
    assert total == pytest.approx(sum(r[1] for r in rows))
    assert not any("left out of every figure" in w for w in warnings)


@pytest.mark.long
def test_random_tables_have_no_totals(tmp_path: Path) -> None:
    for seed in range(25):
        rng = random.Random(seed)
        rows: Rows = [
            [rng.choice(["a", "b", None]), rng.randint(0, 20), rng.randint(0, 5)]
            for _ in range(rng.randint(4, 60))
        ]
        path = _written(tmp_path, "csv", ["label", "sales", "units"], rows)
        found, total, _ = _read(path)
        assert (found, total) == (len(rows), sum(r[1] for r in rows)), seed
