"""Columns related and described where their rows lie, against NumPy on the same rows."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from gnomon.core.errors import CalculationError
from gnomon.data import open_sources
from gnomon.semantic.model import ColumnRef, Dimension, DimensionType, SemanticModel, TableMeaning
from gnomon.semantic.retrieve import Retriever
from gnomon.tools import ToolContext
from gnomon.tools.row_calculations import FEW_VALUES, row_tools

N = 60_000


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    x = rng.lognormal(3, 1, N)
    y = 0.3 * x + rng.normal(0, 20, N)
    y[::50] = np.nan
    few = rng.integers(1, 6, N)
    side = np.where(rng.random(N) < 0.4, "left", "right")
    many = few * 3 + rng.integers(0, 1000, N)
    return pd.DataFrame({"x": x, "y": y, "few": few, "many": many, "flat": 0.1, "side": side})


@pytest.fixture(scope="module")
def tools(frame: pd.DataFrame) -> dict[str, Any]:
    kinds = dict.fromkeys(("x", "y", "few", "many", "flat"), "number") | {"side": "category"}
    model = SemanticModel(
        tables=(TableMeaning(name="points", label="point", rows=N),),
        dimensions=tuple(
            Dimension(
                name=n, label=n, type=DimensionType(k), locations=(ColumnRef(table="points", column=n),)
            )
            for n, k in kinds.items()
        ),
    )
    data = open_sources({"points": pa.Table.from_pandas(frame, preserve_index=False)})
    return {t.spec.name: t for t in row_tools(model, Retriever.over(data, model))}


LEFT = [{"field": "side", "operator": "=", "values": ["left"]}]


@pytest.mark.parametrize("filters", [[], LEFT])
def test_a_correlation_counts_the_rows_where_both_are_known(
    frame: pd.DataFrame, tools: dict[str, Any], filters: list[Any]
) -> None:
    found = tools["correlate_columns"](
        {"table": "points", "x": "x", "y": "y", "filters": filters}, ToolContext()
    )
    rows = frame[frame["side"] == "left"] if filters else frame
    both = rows.dropna(subset=["y"])
    assert found["r"] == pytest.approx(np.corrcoef(both["x"], both["y"])[0, 1], abs=1e-9)
    assert found["n"] == len(both)
    assert found["low"] < found["r"] < found["high"] and found["p_value"] < 1e-6


def test_an_expression_and_another_column_are_told_apart(frame: pd.DataFrame, tools: dict[str, Any]) -> None:
    run = tools["correlate_columns"]
    first = run({"table": "points", "x": "x * few", "y": "x"}, ToolContext())["r"]
    second = run({"table": "points", "x": "few", "y": "x"}, ToolContext())["r"]
    assert first == pytest.approx(np.corrcoef(frame["x"] * frame["few"], frame["x"])[0, 1])
    assert second == pytest.approx(np.corrcoef(frame["few"], frame["x"])[0, 1])


def test_whole_numbers_with_an_average_of_many_decimals(frame: pd.DataFrame, tools: dict[str, Any]) -> None:
    found = tools["correlate_columns"]({"table": "points", "x": "few", "y": "many"}, ToolContext())
    assert found["r"] == pytest.approx(np.corrcoef(frame["few"], frame["many"])[0, 1])


def test_a_column_that_does_not_vary_has_no_correlation(tools: dict[str, Any]) -> None:
    with pytest.raises(CalculationError, match="same value"):
        tools["correlate_columns"]({"table": "points", "x": "flat", "y": "x"}, ToolContext())


@pytest.mark.parametrize("column", ["x", "y", "few"])
def test_quartiles_are_exact_for_few_and_for_very_many_values(
    frame: pd.DataFrame, tools: dict[str, Any], column: str
) -> None:
    found = tools["describe_column"]({"table": "points", "column": column}, ToolContext())
    values = frame[column].dropna()
    assert (values.nunique() > FEW_VALUES) is (column != "few")
    for name, q in (("minimum", 0), ("p25", 0.25), ("median", 0.5), ("p75", 0.75), ("maximum", 1)):
        assert found[name] == pytest.approx(values.quantile(q), rel=1e-12), name
    assert found["mean"] == pytest.approx(values.mean())
    assert (found["count"], found["missing"]) == (len(values), int(frame[column].isna().sum()))
    bins = found["rows"].to_rows()
    assert sum(b["count"] for b in bins) == len(values)
    some = bins[len(bins) // 2]
    inside = values[(values >= some["from"]) & (values < some["to"])]
    assert some["count"] == len(inside)
