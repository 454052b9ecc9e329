"""Rows that the tests of tools share: a daily series with a weekly pattern, a rise, and one planted spike."""

from __future__ import annotations

from typing import Any

import numpy as np

DAYS = 140
SPIKE_DAY = 60


def daily_sales(seed: int = 3, days: int = DAYS, spike: float = 700.0) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    start = np.datetime64("2024-01-01")
    rows = [
        {
            "date": str(start + i),
            "sales": round(float(100 + 0.3 * i + 25 * np.sin(2 * np.pi * i / 7) + rng.normal() * 2), 3),
            "units": int(rng.integers(1, 9)),
            "region": ["north", "south"][i % 2],
            "lat": round(float(48 + rng.normal() / 10), 5),
            "lon": round(float(2 + rng.normal() / 10), 5),
        }
        for i in range(days)
    ]
    if spike and days > SPIKE_DAY:
        rows[SPIKE_DAY]["sales"] = spike
    return rows


PARAMS: dict[str, dict[str, Any]] = {
    "profile_table": {},
    "aggregate": {"value": "sales", "group_by": ["region"]},
    "anomaly_zscore": {"value": "sales"},
    "anomaly_investigate": {},
    "timeseries_forecaster": {"value": "sales", "horizon": 7},
    "trend": {"value": "sales"},
    "seasonality": {"value": "sales"},
    "change_points": {"value": "sales"},
    "correlation": {"columns": ["sales", "units", "region"]},
    "cluster_segmentation": {"columns": ["sales", "units"], "clusters": 2},
    "distribution": {"value": "sales"},
    "geo_summary": {},
    "hypothesis_test": {"value": "sales", "group_by": ["region"]},
    "regression": {"target": "sales", "features": ["units"]},
    "period_change": {"value": "sales"},
    "drivers": {"value": "sales", "days": 14, "group_by": ["region"]},
    "causes": {"value": "sales", "days": 14, "group_by": ["region"], "candidates": ["units"]},
    "benchmark": {"value": "sales", "group_by": "region", "middle": 100, "low": 80, "high": 120},
    "derive_column": {"expression": "sales / units", "new_column": "per_unit"},
    "filter_rows": {"condition": "units > 3"},
    "bin_column": {"column": "sales", "bins": 4},
    "clean_outliers": {"value": "sales"},
    "join_tables": {"other": [{"region": "north", "manager": "N"}, {"region": "south", "manager": "S"}]},
    "compare_tables": {"other": daily_sales(days=DAYS - 5)},
    "render_chart": {"x": "date", "y": "sales"},
}
"""For every built-in tool, parameters with which it works on :func:`daily_sales`."""
