"""Rows that sum up others by a word in any column, by no word at all, or by an average: left out, counted and said."""

import csv
import random
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnomon.data import open_sources
from gnomon.data.total_rows import Sheet, totals_in

Rows = list[list[Any]]
Draw = Callable[[random.Random], float]
ALIKE: Draw = lambda rng: 10  # noqa: E731
ROUND: Draw = lambda rng: rng.choice([100, 200, 300])  # noqa: E731
SMALL: Draw = lambda rng: rng.randint(1, 9)  # noqa: E731
CENTS: Draw = lambda rng: round(rng.uniform(1, 900), 2)  # noqa: E731
DRAWS = {"alike": ALIKE, "round": ROUND, "small": SMALL, "cents": CENTS}


def _read(path: Path, head: list[str], rows: Rows) -> tuple[int, float, str]:
    with path.open("w", newline="", encoding="utf-8") as f:
        csv.writer(f).writerows([head, *[["" if c is None else c for c in r] for r in rows]])
    with open_sources(path) as dataset:
        (table,) = dataset
        found = dataset.connection.execute(f"SELECT count(*), sum(sales) FROM {table.relation}").fetchone()
        assert found is not None
        return int(found[0]), float(found[1]), " ".join(s.said for s in table.set_aside)


def _blocks(rng: random.Random, draw: Draw, label: Callable[[str], list[Any]], last: list[Any]) -> Rows:
    rows: Rows = []
    every: list[float] = []
    for region in ("north", "south", "east"):
        block = [draw(rng) for _ in range(rng.randint(4, 6))]
        every += block
        rows += [[region, f"town {region} {i}", v] for i, v in enumerate(block)]
        rows.append([*label(region), round(sum(block), 2)])
    return [*rows, [*last, round(sum(every), 2)]]


SHAPES: dict[str, tuple[Callable[[str], list[Any]], list[Any]]] = {
    "a word in the second column": (lambda region: [region, "Subtotal"], ["All", None]),
    "a word of another language": (lambda region: [region, "Zwischensumme"], ["Gesamt", None]),
    "no label at all": (lambda _: [None, None], [None, None]),
    "no label in between, a word at the end": (lambda _: [None, None], ["Total", None]),
}


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_subtotals_are_left_out_whatever_they_are_called(tmp_path: Path, shape: str, draw: str) -> None:
    label, last = SHAPES[shape]
    rows = _blocks(random.Random(f"{shape}{draw}"), DRAWS[draw], label, last)
    details = [r for r in rows if r[1] is not None and r[1].startswith("town")]
    found, total, said = _read(tmp_path / "sheet.csv", ["region", "town", "sales"], rows)
    assert (found, total) == (len(details), pytest.approx(sum(r[2] for r in details)))
    assert said.startswith("4 rows are totals of other rows")


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("first", [False, True])
def test_a_total_without_a_label_is_left_out(tmp_path: Path, draw: str, first: bool) -> None:
    rng = random.Random(draw)
    details: Rows = [[f"town {i}", DRAWS[draw](rng)] for i in range(12)]
    total = [None, round(sum(r[1] for r in details), 2)]
    rows = [total, *details] if first else [*details, total]
    found, summed, said = _read(tmp_path / "sheet.csv", ["town", "sales"], rows)
    assert (found, summed) == (12, pytest.approx(total[1]))
    assert said.startswith("1 row is a total")


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize(
    "names", [("Average", "Max"), ("Mittelwert", "Minimum"), ("Total", "Average", "Median"), ("Max", "Total")]
)
def test_averages_and_extremes_below_a_table_are_left_out(
    tmp_path: Path, draw: str, names: tuple[str, ...]
) -> None:
    rng = random.Random(draw)
    values = [DRAWS[draw](rng) for _ in range(14)]
    figures = {
        "Average": statistics.fmean(values),
        "Mittelwert": statistics.fmean(values),
        "Median": statistics.median(values),
        "Max": max(values),
        "Minimum": min(values),
        "Total": sum(values),
    }
    rows: Rows = [[f"town {i}", "x", v] for i, v in enumerate(values)]
    rows += [[n, None, round(figures[n], 2)] for n in names]
    found, total, said = _read(tmp_path / "sheet.csv", ["town", "kind", "sales"], rows)
    assert (found, total) == (14, pytest.approx(sum(values)))
    assert said.endswith("left out of every figure.")


@pytest.mark.parametrize(
    "rows",
    [
        [["Ann", 3], ["Max", 9], ["Tom", 9], ["Eve", 5]],  # a name that is a word for the largest
        [["Ann", 3], ["Tom", 7], ["Eve", 5], ["Max", 7]],
        [["low", 3], ["Average", 14], ["high", 5]],
        [["All Saints", 3], ["St Mary", 7], ["St John", 5]],
        [["a", 1], ["b", 2], [None, 3]],
        [["a", 1], ["b", 1], ["c", 1], [None, 1]],
        [["red", 2], [None, 4], ["blue", 2], ["green", 9]],
    ],
)
def test_rows_that_may_be_rows_stay(tmp_path: Path, rows: Rows) -> None:
    assert _read(tmp_path / "sheet.csv", ["who", "sales"], rows) == (len(rows), sum(r[1] for r in rows), "")


def _random_sheet(seed: int) -> Sheet:
    rng = random.Random(seed)
    draw = rng.choice([*DRAWS.values(), lambda r: r.randint(0, 1), lambda r: int(r.paretovariate(0.7))])
    rows, width, labels = rng.randint(3, 40), rng.randint(1, 2), rng.randint(1, 3)
    empty = rng.choice([0.02, 0.1, 0.3, 0.5])
    return Sheet(
        np.array([[draw(rng) for _ in range(width)] for _ in range(rows)], dtype=float),
        [
            tuple(None if rng.random() < empty else rng.choice("abcdefgh") for _ in range(labels))
            for _ in range(rows)
        ],
    )


@pytest.mark.long
def test_random_tables_with_empty_labels_have_no_totals() -> None:
    assert [seed for seed in range(800) if totals_in(_random_sheet(seed))] == []


@pytest.mark.long
def test_many_random_tables_with_empty_labels_have_no_totals() -> None:
    assert [seed for seed in range(800, 8_000) if totals_in(_random_sheet(seed))] == []
