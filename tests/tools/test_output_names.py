"""No tool overwrites a column of its input, whatever that is called, nor is led astray by such a name."""

import random
from functools import cache
from typing import Any

import pandas as pd
import pytest

from gnomon.tools import Frame, ToolContext
from gnomon.tools.builtin import builtin_registry

REGISTRY = builtin_registry()
CONTEXT = ToolContext()
_RNG = random.Random(5)
BASE = pd.DataFrame(
    {
        "when": pd.date_range("2025-01-01", periods=60).strftime("%Y-%m-%d"),
        "what": [round(50 + 9 * (i % 7) + _RNG.random(), 3) for i in range(60)],
        "more": [round(_RNG.gauss(30, 5), 3) for _ in range(60)],
        "lat": [round(48 + i % 11 / 100, 4) for i in range(60)],
        "lon": [round(11 + i % 13 / 100, 4) for i in range(60)],
        "whose": ["abcde"[i % 5] for i in range(60)],
    }
)
PARAMS: dict[str, dict[str, Any]] = {
    "aggregate": {"value": "what", "aggregate": "sum", "group_by": ["whose"], "time": "when", "grain": "month"},
    "anomaly_zscore": {"value": "what"},
    "anomaly_investigate": {"columns": ["what", "more"]},
    "timeseries_forecaster": {"value": "what", "time": "when", "horizon": 3},
    "trend": {"value": "what", "time": "when"},
    "seasonality": {"value": "what", "time": "when", "season": 7},
    "change_points": {"value": "what", "time": "when"},
    "correlation": {"columns": ["what", "more", "whose"]},
    "cluster_segmentation": {"columns": ["what", "more"], "clusters": 2},
    "distribution": {"value": "what", "bins": 5},
    "geo_summary": {"latitude": "lat", "longitude": "lon", "value": "what"},
    "regression": {"target": "what", "features": ["more"]},
    "period_change": {"value": "what", "time": "when"},
    "drivers": {"value": "what", "time": "when", "group_by": ["whose"]},
    "causes": {"value": "what", "time": "when", "group_by": ["whose"], "candidates": ["more"]},
    "benchmark": {"value": "what", "group_by": "whose"},
    "bin_column": {"column": "what", "bins": 4},
    "clean_outliers": {"value": "what"},
    "filter_rows": {"condition": "`what` > 60"},
    "derive_column": {"expression": "`what` * 2", "new_column": "made"},
}  # fmt: skip


def run(tool: str, frame: pd.DataFrame, params: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """Every table that a tool gives."""
    found = REGISTRY.get(tool)({"data": Frame.of(frame), **params}, CONTEXT)
    return {k: v.to_pandas() for k, v in found.items() if isinstance(v, Frame)}


def renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, list):
        return [renamed(v, old, new) for v in value]
    return (
        value.replace(f"`{old}`", f"`{new}`")
        if isinstance(value, str) and "`" in value
        else new
        if value == old
        else value
    )


@cache
def plain(tool: str) -> dict[str, pd.DataFrame]:
    return run(tool, BASE, PARAMS[tool])


@cache
def names() -> tuple[str, ...]:
    """Every column name that a tool makes and the data does not have."""
    return tuple(
        sorted({str(c) for t in PARAMS for f in plain(t).values() for c in f.columns} - {*BASE.columns})
    )


@pytest.mark.long
def test_every_tool_that_makes_rows_is_looked_at() -> None:
    assert {t.spec.name for t in REGISTRY if t.spec.produces_rows} - {"join_tables"} <= {*PARAMS}
    assert len(names()) > 20


@pytest.mark.long
@pytest.mark.parametrize("tool", sorted(PARAMS))
def test_columns_of_the_input_are_left_as_they_are(tool: str) -> None:
    more = {n: [f"{n}{i % 9}" for i in range(len(BASE))] for n in names()}
    crowded = BASE.assign(**more)
    params = PARAMS[tool] | ({"new_column": "made_here"} if tool == "derive_column" else {})
    for field, found in run(tool, crowded, params).items():
        assert found.columns.is_unique
        before = plain(tool)[field]
        if set(BASE.columns) <= set(before.columns):  # the rows of the input, some of them, with more beside
            kept = crowded[crowded["when"].isin(found["when"].astype(str).str[:10])].reset_index(drop=True)
            for name in more:
                assert found[name].tolist() == kept[name].tolist(), (field, name)
        assert len(found) == len(before)


@pytest.mark.long
@pytest.mark.parametrize("tool", sorted(PARAMS))
def test_a_name_that_the_tool_gives_itself_changes_no_figure(tool: str) -> None:
    given = {str(c) for f in plain(tool).values() for c in f.columns} & {*BASE.columns}
    told = [c for c in BASE.columns if c in str(PARAMS[tool]) and c in given]  # others cannot collide
    mine = {str(c) for f in plain(tool).values() for c in f.columns} - {*BASE.columns}
    for old in told:
        for new in sorted(mine):
            params = {k: renamed(v, old, new) for k, v in PARAMS[tool].items()}
            if tool == "derive_column":
                params["new_column"] = "made_here"
            for field, found in run(tool, BASE.rename(columns={old: new}), params).items():
                assert found.columns.is_unique
                before = plain(tool)[field]
                assert found.shape == before.shape, (old, new)
                numbers = before.select_dtypes("number")
                for at in [before.columns.get_loc(c) for c in numbers.columns]:
                    a, b = found.iloc[:, at].to_numpy(float), before.iloc[:, at].to_numpy(float)
                    assert pd.Series(sorted(a)).equals(pd.Series(sorted(b))) or abs(a - b).max() < 1e-9, (
                        field,
                        old,
                        new,
                    )
