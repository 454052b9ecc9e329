"""Shape and outliers of a column over its rows, against SciPy and pandas on the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats import diagnostic

from gnomon.core.errors import GnomonError
from gnomon.core.parts import Filter, FilterOperator
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import Retriever, infer_model
from gnomon.tools import ToolContext
from gnomon.tools.row_shape import shape_row_tools

VALUE = "mean(parcels.weight_kg)"


def parcels() -> pd.DataFrame:
    draw = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "parcel_id": range(1, 501),
            "depot": draw.choice(["Leith", "Perth"], 500),
            "weight_kg": np.round(draw.lognormal(1.0, 0.7, 500), 2),
            "girth_cm": np.round(draw.normal(80, 9, 500), 1),
            "bay": 7,
        }
    )
    frame.loc[draw.choice(500, 20, replace=False), "weight_kg"] = np.nan
    return frame


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return parcels()


@pytest.fixture(scope="module")
def tools(frame: pd.DataFrame) -> dict[str, Any]:
    dataset = open_sources({"parcels": frame})
    retriever = Retriever.over(dataset, infer_model(profile_dataset(dataset), dataset))
    return {tool.spec.name: tool for tool in shape_row_tools(retriever)}


def run(tool: Any, **given: Any) -> tuple[Any, list[dict[str, Any]]]:
    output = tool({"table": "parcels", "value": VALUE, **given}, ToolContext())
    return output, output["rows"].arrow.to_pylist()


def test_moments_are_those_of_pandas_and_rows_without_a_value_are_counted(
    tools: dict[str, Any], frame: pd.DataFrame
) -> None:
    output, (row,) = run(tools["test_normality"])
    held = frame.weight_kg.dropna()
    assert output["missing"] == 20
    for name, value in {
        "count": 480,
        "skewness": held.skew(),
        "kurtosis": held.kurt(),
        "stddev": held.std(),
    }.items():
        assert row[name] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("test", [None, "shapiro", "dagostino", "jarque_bera", "ks", "anderson"])
def test_each_test_of_normality_is_the_one_of_the_library(
    tools: dict[str, Any], frame: pd.DataFrame, test: str | None
) -> None:
    held = frame.girth_cm.to_numpy()
    known: dict[str | None, Any] = {
        None: stats.shapiro,
        "shapiro": stats.shapiro,
        "dagostino": stats.normaltest,
        "jarque_bera": stats.jarque_bera,
        "ks": diagnostic.lilliefors,
        "anderson": diagnostic.normal_ad,
    }
    _, (row,) = run(tools["test_normality"], value="mean(parcels.girth_cm)", test=test)
    statistic, p_value = known[test](held)[:2]
    assert (row["statistic"], row["p_value"]) == pytest.approx((statistic, p_value), rel=1e-6)
    assert row["normal"] is bool(p_value >= 0.05)
    _, (skewed,) = run(tools["test_normality"], test=test)
    assert skewed["normal"] is False


def test_groups_are_tested_one_by_one(tools: dict[str, Any], frame: pd.DataFrame) -> None:
    _, rows = run(tools["test_normality"], by=("depot",), alpha=0.01)
    held = frame.dropna().groupby("depot").weight_kg
    assert {r["depot"]: r["p_value"] for r in rows} == pytest.approx(
        {name: stats.shapiro(values).pvalue for name, values in held}, rel=1e-6
    )


def test_many_values_are_tested_by_their_moments() -> None:
    wide = pd.DataFrame({"reading": np.random.default_rng(5).normal(10, 2, 6000)})
    dataset = open_sources({"sensors": wide})
    retriever = Retriever.over(dataset, infer_model(profile_dataset(dataset), dataset))
    tool = {t.spec.name: t for t in shape_row_tools(retriever)}["test_normality"]
    output: Any = tool({"table": "sensors", "value": "mean(sensors.reading)"}, ToolContext())
    assert output["rows"].arrow.to_pylist()[0]["test"] == "dagostino"


def test_z_scores_are_those_of_scipy(tools: dict[str, Any], frame: pd.DataFrame) -> None:
    output, (row,) = run(tools["find_outliers"], method="zscore", threshold=2.5, key="parcel_id")
    held = frame.dropna().weight_kg
    far = np.abs(stats.zscore(held)) > 2.5
    assert row["outliers"] == int(far.sum()) > 0
    assert row["kept_mean"] == pytest.approx(held[~far].mean())
    assert row["kept_stddev"] == pytest.approx(held[~far].std())
    most = output["extremes"].arrow.to_pylist()[0]
    place = int(frame.weight_kg.argmax()) + 1
    assert (most["value"], most["parcel_id"], most["row"]) == (held.max(), place, place)


def test_whiskers_are_those_of_the_quartiles(tools: dict[str, Any], frame: pd.DataFrame) -> None:
    filters = (Filter(field="depot", operator=FilterOperator.EQUALS, values=("Leith",)),)
    _, (row,) = run(tools["find_outliers"], filters=filters)
    held = frame[frame.depot == "Leith"].weight_kg.dropna()
    low, high = held.quantile(0.25), held.quantile(0.75)
    reach = 1.5 * (high - low)
    assert (row["low"], row["high"]) == pytest.approx((low - reach, high + reach))
    assert row["outliers"] == int(((held < low - reach) | (held > high + reach)).sum())
    assert row["other_outliers"] == int((np.abs(stats.zscore(held)) > 3).sum())


def test_each_group_has_bounds_of_its_own(tools: dict[str, Any], frame: pd.DataFrame) -> None:
    _, rows = run(tools["find_outliers"], method="zscore", by=("depot",))
    for row in rows:
        held = frame[frame.depot == row["depot"]].weight_kg.dropna()
        assert row["outliers"] == int((np.abs(stats.zscore(held)) > 3).sum())


def test_equal_values_have_no_outliers_and_no_distribution(tools: dict[str, Any]) -> None:
    for method in ("iqr", "zscore"):
        _, (row,) = run(tools["find_outliers"], value="mean(parcels.bay)", method=method)
        assert row["outliers"] == 0
    with pytest.raises(GnomonError, match="equal"):
        run(tools["test_normality"], value="mean(parcels.bay)")
