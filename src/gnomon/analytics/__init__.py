"""The statistics of change, time, relation and surprise: pure functions over columns and tables.

Every function checks its input, answers with a frozen result whose ``to_dict()`` is plain JSON, and is
deterministic. Nothing here reads files, keeps state or draws from a global random generator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

if TYPE_CHECKING:
    from gnomon.analytics.anomalies import ZScoreAnomalies, zscore_anomalies
    from gnomon.analytics.benchmarks import (
        BenchmarkPosition,
        against_field,
        against_quartiles,
        benchmark_peers,
    )
    from gnomon.analytics.binning import BinnedColumn, bin_column
    from gnomon.analytics.changepoints import ChangePoints, change_points
    from gnomon.analytics.clustering import Clusters, clusters
    from gnomon.analytics.comparison import TableComparison, compare_tables
    from gnomon.analytics.correlations import Correlation, correlation
    from gnomon.analytics.distributions import Distribution, distribution
    from gnomon.analytics.drivers import (
        SegmentCut,
        TreeDecomposition,
        chain,
        decompose_segments,
        decompose_tree,
    )
    from gnomon.analytics.evidence import TestOutcome
    from gnomon.analytics.explanation import Explanation, smallest_explanation
    from gnomon.analytics.expression import DerivedColumn, ExpressionError, derive
    from gnomon.analytics.forecasting import Forecast, forecast
    from gnomon.analytics.geo import GeoSummary, geo_summary, haversine_km
    from gnomon.analytics.hypotheses import TESTS, hypothesis_test
    from gnomon.analytics.joins import JoinedFrames, join_frames
    from gnomon.analytics.outliers import CleanedOutliers, clean_outliers
    from gnomon.analytics.regressions import Regression, regression
    from gnomon.analytics.results import Result
    from gnomon.analytics.seasonal import Seasonality, seasonality
    from gnomon.analytics.significance import ChangeTest, SeasonCheck, change_test, seasonality_check
    from gnomon.analytics.timegrid import RegularSeries, regular_series
    from gnomon.analytics.trends import Trend, trend

__all__ = [
    "TESTS",
    "BenchmarkPosition",
    "BinnedColumn",
    "ChangePoints",
    "ChangeTest",
    "CleanedOutliers",
    "Clusters",
    "Correlation",
    "DerivedColumn",
    "Distribution",
    "Explanation",
    "ExpressionError",
    "Forecast",
    "GeoSummary",
    "JoinedFrames",
    "Regression",
    "RegularSeries",
    "Result",
    "SeasonCheck",
    "Seasonality",
    "SegmentCut",
    "TableComparison",
    "TestOutcome",
    "TreeDecomposition",
    "Trend",
    "ZScoreAnomalies",
    "against_field",
    "against_quartiles",
    "benchmark_peers",
    "bin_column",
    "chain",
    "change_points",
    "change_test",
    "clean_outliers",
    "clusters",
    "compare_tables",
    "correlation",
    "decompose_segments",
    "decompose_tree",
    "derive",
    "distribution",
    "forecast",
    "geo_summary",
    "haversine_km",
    "hypothesis_test",
    "join_frames",
    "regression",
    "regular_series",
    "seasonality",
    "seasonality_check",
    "smallest_explanation",
    "trend",
    "zscore_anomalies",
]

_HOMES = {
    "anomalies": "ZScoreAnomalies zscore_anomalies",
    "benchmarks": "BenchmarkPosition against_field against_quartiles benchmark_peers",
    "binning": "BinnedColumn bin_column",
    "changepoints": "ChangePoints change_points",
    "clustering": "Clusters clusters",
    "comparison": "TableComparison compare_tables",
    "correlations": "Correlation correlation",
    "distributions": "Distribution distribution",
    "drivers": "SegmentCut TreeDecomposition chain decompose_segments decompose_tree",
    "evidence": "TestOutcome",
    "explanation": "Explanation smallest_explanation",
    "expression": "DerivedColumn ExpressionError derive",
    "forecasting": "Forecast forecast",
    "geo": "GeoSummary geo_summary haversine_km",
    "hypotheses": "TESTS hypothesis_test",
    "joins": "JoinedFrames join_frames",
    "outliers": "CleanedOutliers clean_outliers",
    "regressions": "Regression regression",
    "results": "Result",
    "seasonal": "Seasonality seasonality",
    "significance": "ChangeTest SeasonCheck change_test seasonality_check",
    "timegrid": "RegularSeries regular_series",
    "trends": "Trend trend",
}
__getattr__ = exports(
    __name__, {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names.split()}
)
