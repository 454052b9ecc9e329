"""What a user can want, as the closed vocabulary that planning and tools share."""

from __future__ import annotations

from enum import StrEnum


class Goal(StrEnum):
    """One thing that a tool can be asked to do."""

    PROFILE = "profile_data"
    AGGREGATE = "aggregate"
    DETECT_ANOMALIES = "detect_anomalies"
    INVESTIGATE_ANOMALIES = "investigate_anomalies"
    FORECAST = "forecast"
    TREND = "trend_analysis"
    SEASONALITY = "seasonality_analysis"
    CHANGE_POINTS = "change_detection"
    CORRELATION = "correlation_analysis"
    SEGMENTS = "segment_analysis"
    DISTRIBUTION = "distribution_analysis"
    GEO = "geo_analysis"
    TEST = "hypothesis_testing"
    REGRESSION = "regression_analysis"
    DERIVE = "derive_column"
    BIN = "bin_column"
    CLEAN = "clean_outliers"
    FILTER = "filter_rows"
    JOIN = "join_tables"
    COMPARE = "compare_tables"
    CHART = "visualize"
