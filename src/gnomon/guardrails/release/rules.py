"""The rule of each tool: what may be told of its output."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gnomon.guardrails.release import aggregates, changes, columns, series, tables
from gnomon.guardrails.release.view import View

OPEN_ROWS: Mapping[str, frozenset[str]] = {
    "aggregate": frozenset({"rows"}),
    "benchmark": frozenset({"rows"}),
    "causes": frozenset({"rows"}),
    "correlation": frozenset({"rows"}),
    "drivers": frozenset({"rows"}),
    "geo_summary": frozenset({"rows"}),
    "period_change": frozenset({"rows"}),
    "regression": frozenset({"used"}),
    "seasonality": frozenset({"rows"}),
}
"""Fields whose rows are results and were judged one by one: groups, pairs of columns, coefficients,
phases, places, segments, candidates."""

RULES: Mapping[str, Callable[[View], None]] = {
    "profile_table": tables.profile_rule,
    "aggregate": aggregates.aggregate_rule,
    "anomaly_zscore": series.zscore_rule,
    "timeseries_forecaster": series.forecast_rule,
    "trend": series.trend_rule,
    "seasonality": series.seasonality_rule,
    "change_points": series.change_points_rule,
    "anomaly_investigate": series.investigate_rule,
    "correlation": columns.correlation_rule,
    "cluster_segmentation": columns.clusters_rule,
    "distribution": columns.distribution_rule,
    "geo_summary": columns.geo_rule,
    "hypothesis_test": columns.test_rule,
    "regression": columns.regression_rule,
    "derive_column": tables.derive_rule,
    "filter_rows": tables.filter_rule,
    "bin_column": tables.bin_rule,
    "clean_outliers": tables.clean_rule,
    "join_tables": tables.join_rule,
    "compare_tables": tables.compare_rule,
    "render_chart": tables.chart_rule,
    "period_change": changes.change_rule,
    "drivers": changes.drivers_rule,
    "causes": changes.causes_rule,
    "benchmark": changes.benchmark_rule,
}
