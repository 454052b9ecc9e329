"""Tables by the hundred, each joined to others: what they mean is found in time that grows with them, not with their pairs."""

import sqlite3
import time
from pathlib import Path

import pytest

import gnomon
from gnomon.semantic.model import ColumnRef, Dimension, DimensionType, Join, SemanticModel, TableMeaning


def _model(tables: int) -> SemanticModel:
    """Each table joins to every one before it, and holds a dimension of its own."""
    names = [f"t{i}" for i in range(tables)]
    joins = tuple(
        Join(table=b, column=f"{a}_id", to_table=a, to_column="id")
        for i, b in enumerate(names)
        for a in names[:i]
    )
    dimensions = tuple(
        Dimension(
            name=f"{n}_city",
            label=f"{n} city",
            type=DimensionType.CATEGORY,
            locations=(ColumnRef(table=n, column="city"),),
        )
        for n in names
    )
    meanings = tuple(TableMeaning(name=n, label=n) for n in names)
    return SemanticModel(tables=meanings, joins=joins, dimensions=dimensions, metrics=())


def test_ways_between_tables_are_found_once_for_each_table() -> None:
    model = _model(80)
    begun = time.process_time()
    ways = {(t.name, d.name): model.path(t.name, d) for t in model.tables for d in model.dimensions}
    assert time.process_time() - begun < 2
    assert ways["t5", "t5_city"] == () and ways["t5", "t6_city"] is None
    way = ways["t79", "t3_city"]
    assert way is not None and [(j.table, j.to_table) for j in way] == [("t79", "t3")]


@pytest.mark.long
def test_a_database_of_forty_joined_tables_is_opened_in_seconds(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "many.sqlite") as made:
        for i in range(40):
            made.execute(
                f"CREATE TABLE t{i} (id INTEGER PRIMARY KEY, t{max(0, i - 1)}_id INTEGER, customer_id INTEGER, amount REAL)"
            )
            made.executemany(
                f"INSERT INTO t{i} VALUES (?, ?, ?, ?)", [(j, j, j % 7, j / 3) for j in range(30)]
            )
    made.close()
    begun = time.process_time()
    with gnomon.open(tmp_path / "many.sqlite") as analyst:
        assert analyst.ask("how many rows are there in t5").status == "answered"
    assert time.process_time() - begun < 30
