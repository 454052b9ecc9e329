"""A table of very many columns is read as its columns are read a few at a time."""

import csv
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gnomon.core.settings import Settings
from gnomon.data import open_sources

ROWS = 30
KINDS: tuple[Callable[[random.Random], str], ...] = (
    lambda r: str(r.randint(-500, 500)),
    lambda r: f"{r.uniform(-9, 9):.2f}",
    lambda r: f"${r.uniform(1, 9000):,.2f}",
    lambda r: r.choice(["yes", "no"]),
    lambda r: f"{r.randint(1, 12):02d}/{r.randint(13, 28)}/20{r.randint(10, 24)}",
    lambda r: r.choice(["N/A", "", *map(str, range(40))]),
    lambda r: r.choice(["-9999", *map(str, range(20, 40))]),
    lambda r: f"0{r.randint(10, 99)}",
    lambda r: r.choice(["North", "South", "-"]),
)


def _columns(seed: int) -> dict[str, list[str]]:
    rng = random.Random(seed)
    kinds = [KINDS[i % len(KINDS)] for i in range(60 * len(KINDS))]
    return {f"field {i}": [kind(rng) for _ in range(ROWS)] for i, kind in enumerate(kinds)}


def _read(path: Path, columns: dict[str, list[str]], home: Path) -> dict[str, tuple[str, list[Any]]]:
    with path.open("w", newline="") as f:
        csv.writer(f).writerows([list(columns), *zip(*columns.values(), strict=True)])
    with open_sources(path, settings=Settings.load(home=home)) as data:
        (table,) = data
        rows = data.connection.execute(f"FROM {table.relation}").fetchall()
        cells = list(zip(*rows, strict=True))
        return {c.original_name: (c.type, list(cells[i])) for i, c in enumerate(table.columns)}


@pytest.mark.long
def test_every_column_of_a_wide_table_is_read_as_in_a_narrow_one(tmp_path: Path) -> None:
    columns = _columns(11)
    wide = _read(tmp_path / "wide.csv", columns, tmp_path / "home")
    names = list(columns)
    narrow: dict[str, tuple[str, list[Any]]] = {}
    for start in range(0, len(names), 36):
        part = {n: columns[n] for n in names[start : start + 36]}
        narrow |= _read(tmp_path / f"part_{start}.csv", part, tmp_path / "home")
    assert wide == narrow
    assert {kind for kind, _ in wide.values()} >= {"BIGINT", "DOUBLE", "BOOLEAN", "DATE", "VARCHAR"}
