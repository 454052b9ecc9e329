"""Persons under headers that say nothing stay closed to agents by what their cells are; ordinary columns under them stay open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import Call, calling
from mcp_harness import server_over

GIVEN = [
    "Anna",
    "Bela",
    "Carl",
    "Dora",
    "Emil",
    "Fritz",
    "Gerd",
    "Hilda",
    "Ines",
    "Jens",
    "Karla",
    "Lars",
    "Mona",
    "Nils",
    "Olga",
]
FAMILY = [
    "Okonkwo",
    "Petrov",
    "Quist",
    "Rasmussen",
    "Svensson",
    "Tanaka",
    "Ulrich",
    "Vega",
    "Wagner",
    "Xu",
    "Young",
    "Zander",
]
PERSONS, EACH = 60, 5
CLOSED: dict[str, list[Any]] = {
    "names": [f"{GIVEN[i % 15]} {FAMILY[i % 12]}" for i in range(PERSONS)],
    "family name first": [f"{FAMILY[i % 12]}, {GIVEN[i % 15]}" for i in range(PERSONS)],
    "family names": [FAMILY[i % 12] for i in range(PERSONS)],
    "days of birth": [f"{1950 + i % 50}-{1 + i % 12:02d}-{1 + i % 27:02d}" for i in range(PERSONS)],
    "telephones": [f"+47 {400 + i:03d} {10 + i:02d} {i * 37 % 900:03d}" for i in range(PERSONS)],
    "seven digits": [4_000_000 + i * 7919 for i in range(PERSONS)],
    "addresses of mail": [f"{GIVEN[i % 15]}.{FAMILY[i % 12]}@mail.example".lower() for i in range(PERSONS)],
    "streets": [f"{1 + i} {('Elm', 'Oak', 'Hill')[i % 3]} Street" for i in range(PERSONS)],
    "short codes": [f"{'ABCDEFGH'[i % 8]}{i:03d}" for i in range(PERSONS)],
    "social security": [f"{100 + i}-{10 + i}-{1000 + i * 13}" for i in range(PERSONS)],
}
OPEN: dict[str, list[str]] = {
    "products": ["Dental floss", "Brush", "Mouth wash", "Aspirin"],
    "cities": ["Bergen", "Lucerne", "Utrecht", "Springfield"],
    "grades": ["A", "B", "C"],
    "brands": ["Audi", "Ford", "Opel"],
    "stations": ["King Street", "Park Lane", "Mill Road"],
    "articles": ["AB-100", "AB-200", "ZX-300"],
    "titles": ["The Blue Room", "Night Train", "Winter Song"],
}


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    rng, rows = np.random.default_rng(1), PERSONS * EACH
    columns = [np.repeat(np.array(v, dtype=object), EACH) for v in CLOSED.values()]
    columns += [rng.choice(np.array(v, dtype=object), rows) for v in OPEN.values()]
    frame = pd.DataFrame({f"c{i}": v for i, v in enumerate(columns)}).assign(
        amount=rng.integers(10, 900, rows)
    )
    path: Path = tmp_path_factory.mktemp("headers") / "data.csv"
    frame.to_csv(path, index=False)
    with server_over(path) as server, calling(server) as call:
        yield call


def told(agent: Call, column: str) -> str:
    """All that an agent gets by the column: groups of a tool, an answer by it, and its list."""
    summed = {"data": {"table": "data"}, "value": "amount", "aggregate": "sum", "group_by": [column]}
    said = [agent("aggregate", summed)]
    said += [agent("ask", {"question": q}) for q in (f"total amount by {column}", f"list all {column}")]
    return "\n".join(map(str, said))


@pytest.mark.parametrize("kind", CLOSED)
def test_what_tells_of_persons_is_closed_by_its_cells(agent: Call, kind: str) -> None:
    got = told(agent, f"c{list(CLOSED).index(kind)}")
    assert not [v for v in {str(v) for v in CLOSED[kind]} if v in got]


@pytest.mark.parametrize("kind", OPEN)
def test_what_tells_of_nobody_stays_open(agent: Call, kind: str) -> None:
    got = told(agent, f"c{len(CLOSED) + list(OPEN).index(kind)}")
    assert not [v for v in OPEN[kind] if v not in got]
