"""First rows of years, days, percents and running numbers name columns; rows of data that look so stay rows."""

import csv
import random
from pathlib import Path

import pytest

import gnomon
from gnomon.data import open_sources

_HEADS = [
    ["region", "2024"],
    ["region", "2022", "2023", "2024"],
    ["site", "0", "1", "2", "3"],
    ["region", "2023-01-01", "2023-02-01"],
    ["region", "2023-01-01"],
    ["region", "50%", "90%"],
    ["region", "code", "1990"],
    ["region", "10", "20", "30"],
]


def _written(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as f:
        csv.writer(f).writerows(rows)
    return path


def _body(seed: int, head: list[str], whole: bool) -> list[list[str]]:
    chance = random.Random(seed)
    return [
        [
            chance.choice("nsew") if i == 0 else f"k{chance.randrange(3)}" if name == "code"
            else str(chance.randrange(1000)) if whole else f"{chance.uniform(10, 900):.2f}"
            for i, name in enumerate(head)
        ]
        for _ in range(60)
    ]  # fmt: skip


@pytest.mark.parametrize("head", _HEADS)
@pytest.mark.parametrize("whole", [True, False])
def test_numbers_over_columns_of_numbers_name_them(tmp_path: Path, head: list[str], whole: bool) -> None:
    for seed in range(3):
        path = _written(tmp_path / f"t{seed}.csv", [head, *_body(seed, head, whole)])
        with open_sources(path) as dataset:
            (table,) = dataset.tables.values()
            assert [c.name for c in table.columns] == head
            assert dataset.connection.execute(f"SELECT count(*) FROM {table.relation}").fetchone() == (60,)


@pytest.mark.parametrize("head", _HEADS)
@pytest.mark.parametrize("whole", [True, False])
def test_a_table_without_a_header_keeps_its_first_row(tmp_path: Path, head: list[str], whole: bool) -> None:
    for seed in range(3):
        path = _written(tmp_path / f"t{seed}.csv", _body(seed, head, whole))
        with open_sources(path) as dataset:
            (table,) = dataset.tables.values()
            assert dataset.connection.execute(f"SELECT count(*) FROM {table.relation}").fetchone() == (60,)
            assert not table.set_aside


@pytest.mark.parametrize("first", [["x", "17"], ["country", "1990"]])
def test_answers_say_where_it_stays_open_whether_a_row_is_the_header(
    tmp_path: Path, first: list[str]
) -> None:
    body = _body(1, first, whole=True)
    if first[0] == "country":
        body = [[f"Land{i}", row[1]] for i, row in enumerate(body)]
    with gnomon.open(_written(tmp_path / "t.csv", [first, *body])) as analyst:
        told = analyst.ask("how many rows").prose
    assert "61 rows" in told
    assert "The first row may name the columns" in told
