"""The figures of a column are the same in a table of many columns as alone."""

from __future__ import annotations

import random

import duckdb
import pytest

from gnomon.data.measure_sample import figures_of
from gnomon.data.table import Column

TYPES = {
    "DOUBLE": ["1.5", "-2", "1e300", "'nan'", "'inf'", "'-inf'", "0"],
    "BIGINT": ["1", "2", "3", "-9223372036854775807"],
    "VARCHAR": ["'a'", "' padded '", "''", "'two words'", "'a'", "'Å'"],
    "DATE": ["'2024-01-01'", "'2024-02-29'", "'1999-12-31'"],
    "TIMESTAMP": ["'2024-01-01 10:00:00'", "'2024-02-29 00:00:01'"],
    "BOOLEAN": ["true", "false"],
    "DECIMAL(18,3)": ["1.125", "99999.5", "-3"],
}
EMPTY = (0.0, 0.2, 1.0)
"""Shares of the cells of a column that are empty."""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rows", [0, 1, 37])
def test_a_column_has_the_same_figures_beside_many_as_alone(seed: int, rows: int) -> None:
    rng = random.Random(seed)
    columns = [Column(f"x{i}", rng.choice(list(TYPES)), f"x{i}") for i in range(430)]
    share = [rng.choice(EMPTY) for _ in columns]
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t ({', '.join(f'c{i} {c.type}' for i, c in enumerate(columns))})")
    for _ in range(rows):
        cells = [
            "NULL" if rng.random() < empty else rng.choice(TYPES[c.type])
            for c, empty in zip(columns, share, strict=True)
        ]
        connection.execute(f"INSERT INTO t VALUES ({', '.join(cells)})")
    counted, found = figures_of(connection, "t", columns)
    assert counted == rows and [f.column for f in found] == columns
    kinds = {(c.type, empty): i for i, (c, empty) in enumerate(zip(columns, share, strict=True))}
    assert len(kinds) == len(TYPES) * len(EMPTY)
    for i in [0, *kinds.values(), *rng.sample(range(len(columns)), 5)]:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE one AS SELECT c{i} AS c0 FROM t")
        _, (alone,) = figures_of(connection, "one", columns[i : i + 1])
        assert repr(found[i]) == repr(alone)
