"""Numbers that stand for no value are read as missing; numbers that only look like them stay."""

import csv
import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gnomon.data import Role, open_sources, profile_table
from gnomon.data.reserved_values import odd_in


def _mean(path: Path) -> tuple[float, tuple[str, ...]]:
    with open_sources(path) as dataset:
        (table,) = dataset
        found = dataset.connection.execute(f"SELECT avg(reading) FROM {table.relation}").fetchone()
        assert found is not None
        return float(found[0]), profile_table(dataset, table.name).warnings


def _written(path: Path, values: list[float], kind: str) -> Path:
    target = path / f"t.{kind}"
    if kind == "parquet":
        pq.write_table(pa.table({"site": ["a", "b"] * (len(values) // 2), "reading": values}), target)
    elif kind == "xlsx":
        from openpyxl import Workbook

        book = Workbook()
        for row in [["site", "reading"], *[["ab"[i % 2], v] for i, v in enumerate(values)]]:
            book.active.append(row)
        book.save(target)
    else:
        with target.open("w", newline="") as f:
            csv.writer(f).writerows([["site", "reading"], *[["ab"[i % 2], v] for i, v in enumerate(values)]])
    return target


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet"])
@pytest.mark.parametrize(
    ("marks", "low", "high", "decimals"),
    [
        ((-999,), 0, 40, 0),
        ((9999,), 1, 300, 0),
        ((-999, 9999), -30, 45, 1),
        ((99999,), 10, 5000, 2),
        ((99,), 1, 5, 0),
        ((-888, -999), 0, 12, 2),
        ((-9999,), 0, 4000, 0),
    ],
)
def test_marks_for_no_value_are_left_out_and_said(
    tmp_path: Path, kind: str, marks: tuple[int, ...], low: int, high: int, decimals: int
) -> None:
    rng = random.Random(f"{marks}{low}")
    real = [round(rng.uniform(low, high), decimals) for _ in range(90)]
    real = [int(v) for v in real] if decimals == 0 else real
    values = [*real, *[float(m) if decimals else m for m in marks for _ in range(10 // len(marks))]]
    rng.shuffle(values)
    mean, warnings = _mean(_written(tmp_path, values, kind))
    assert mean == pytest.approx(sum(real) / len(real))
    for mark in marks:
        assert any(f" {mark}, which stands for no value" in w for w in warnings)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    "extra",
    [
        ("a wide range", -5000, 5000, [-999, -999, 999]),
        ("next to its neighbours", 700, 1000, [999, 999]),
        ("a refund of what was paid", 5, 600, [999, -999]),
        ("one below zero", 0, 30, [-1, -1]),
        ("not far enough away", 20, 60, [99, 99]),
    ],
    ids=lambda e: e[0],
)
def test_numbers_that_only_look_like_marks_stay(
    tmp_path: Path, kind: str, extra: tuple[str, int, int, list[int]]
) -> None:
    name, low, high, more = extra
    rng = random.Random(name)
    values = [*[rng.randint(low, high) for _ in range(100)], *more]
    values += values[:1] * (len(values) % 2)
    mean, warnings = _mean(_written(tmp_path, values, kind))
    assert mean == pytest.approx(sum(values) / len(values))
    assert not any("stands for no value" in w for w in warnings)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["sales", "demand", "rainfall", "clicks", "stock"])
def test_a_measure_that_counts_up_is_no_identifier(tmp_path: Path, name: str, first: int) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"day,{name}\n" + "".join(f"d{i % 7},{first + i}\n" for i in range(100)))
    with open_sources(path) as dataset:
        assert profile_table(dataset, "t").column(name).role is not Role.ID


@pytest.mark.parametrize("name", ["id", "order_id", "Unnamed: 0", "customer", "case", "ticket_no"])
def test_what_numbers_the_rows_is_an_identifier(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{name},sales\n" + "".join(f"{i},{(i * 37) % 91}\n" for i in range(1, 101)))
    with open_sources(path) as dataset:
        column = dataset.table("t").columns[0].name
        assert profile_table(dataset, "t").column(column).role is Role.ID


@pytest.mark.parametrize("sign", [888, 7777, 1_000_000_000, -9, -88, -7, -5000])
def test_numbers_far_from_all_others_that_come_back_are_told_of_and_kept(tmp_path: Path, sign: int) -> None:
    numbers = [sign if i % 10 == 3 else 10 + i * 7 % 26 for i in range(60)]
    (path := tmp_path / "rows.csv").write_text(
        "site,value\n" + "".join(f"s{i % 4},{n}\n" for i, n in enumerate(numbers))
    )
    with open_sources(path) as dataset:
        (table,) = dataset.tables.values()
        assert any(str(sign) in s.said and "far from all others" in s.said for s in table.set_aside)
        assert dataset.connection.execute(f"SELECT sum(value) FROM {table.relation}").fetchall() == [
            (sum(numbers),)
        ]


@pytest.mark.parametrize("more", [[-9], [500, 520], [-1, -9, -40]])
def test_numbers_among_others_are_nothing_to_tell(more: list[int]) -> None:
    counted = Counter([*(i * 7 % 60 for i in range(90)), *more])
    edges = sorted((float(v), n) for v, n in counted.items())
    assert odd_in([*edges[:6], *edges[-6:]], len(edges)) is None
