"""Frames in memory become tables without losing rows, nulls or types."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gnomon.core.errors import InvalidInput
from gnomon.data import open_sources


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda d: pl.DataFrame(d).lazy()])
def test_a_frame_of_any_library_gives_the_same_rows(make: object) -> None:
    frame = make({"n": [1, 2, None], "s": ["a", None, "ü"]})  # type: ignore[operator]
    with open_sources({"mine": frame}) as data:
        table = data.table("mine")
        assert data.connection.execute(f"FROM {table.relation}").fetchall() == [
            (1, "a"),
            (2, None),
            (None, "ü"),
        ]
        assert table.source == "memory:mine"


def test_another_thread_sees_a_frame_through_its_cursor() -> None:
    with open_sources({"mine": pa.table({"x": [1, 2, 3]})}) as data:
        assert data.cursor().execute("SELECT sum(x) FROM mine").fetchone() == (6,)


def test_a_column_that_mixes_kinds_is_read_as_text_and_said_so() -> None:
    with open_sources({"m": pd.DataFrame({"x": [1, "two", None, 3.5]})}) as data:
        assert data.connection.execute("FROM m").fetchall() == [("1",), ("two",), (None,), ("3.5",)]
        assert any("mix" in w for w in data.table("m").warnings)


def test_what_holds_no_rows_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not a source"):
        open_sources(42)
    with pytest.raises(InvalidInput, match="no columns"):
        open_sources({"empty": pd.DataFrame()})


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([{}, None], pa.struct([])), ["{}", None]),
        (pa.array([[{}], []], pa.list_(pa.struct([]))), ["[{}]", "[]"]),
        (pa.array([{"a": {}}, {"a": None}]), ['{"a": {}}', '{"a": null}']),
        (pa.array(np.array([1.5, 2.0], dtype=np.float16)), [1.5, 2.0]),
        (pa.array([Decimal("1.5"), None], pa.decimal256(50, 2)), [1.5, None]),
    ],
)
def test_columns_of_kinds_that_the_database_does_not_know_are_numbers_or_text(
    column: pa.Array, expected: list[object]
) -> None:
    with open_sources({"m": pa.table({"x": column, "y": [1, 2]})}) as data:
        rows = data.connection.execute("SELECT x, y FROM m ORDER BY y").fetchall()
    assert rows == [(expected[0], 1), (expected[1], 2)]
