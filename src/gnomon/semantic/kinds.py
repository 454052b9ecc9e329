"""The closed sets that a model is written in: kinds of aggregation, additivity, direction and dimension."""

from __future__ import annotations

from enum import StrEnum


class BusinessDimension(StrEnum):
    """The usual sides of a business; a model may name its own beside them."""

    SALES = "sales"
    PRICING = "pricing"
    INVENTORY = "inventory"
    REVIEWS = "reviews"
    TRAFFIC = "traffic"
    ACCOUNT = "account"


class Aggregation(StrEnum):
    """How many values become one."""

    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    MIN = "min"
    MAX = "max"
    COUNT = "count"
    COUNT_DISTINCT = "count_distinct"
    STDDEV = "stddev"
    QUANTILE = "quantile"
    VARIANCE = "variance"
    SKEWNESS = "skewness"
    KURTOSIS = "kurtosis"
    RANGE = "range"
    IQR = "iqr"
    MODE = "mode"
    VARIATION = "variation"
    STANDARD_ERROR = "standard_error"
    GEOMETRIC_MEAN = "geometric_mean"


SAID = {
    Aggregation.SUM: "total",
    Aggregation.MEAN: "average",
    Aggregation.MEDIAN: "median",
    Aggregation.MIN: "lowest",
    Aggregation.MAX: "highest",
    Aggregation.COUNT: "number of",
    Aggregation.COUNT_DISTINCT: "number of different",
    Aggregation.STDDEV: "standard deviation of",
    Aggregation.QUANTILE: "quantile of",
    Aggregation.VARIANCE: "variance of",
    Aggregation.SKEWNESS: "skewness of",
    Aggregation.KURTOSIS: "kurtosis of",
    Aggregation.RANGE: "range of",
    Aggregation.IQR: "interquartile range of",
    Aggregation.MODE: "most frequent",
    Aggregation.VARIATION: "coefficient of variation of",
    Aggregation.STANDARD_ERROR: "standard error of average",
    Aggregation.GEOMETRIC_MEAN: "geometric mean of",
}
# What they give has no unit, or not the unit of the values.
UNITLESS = frozenset(
    {Aggregation.COUNT, Aggregation.COUNT_DISTINCT, Aggregation.VARIANCE, Aggregation.SKEWNESS, Aggregation.KURTOSIS,
     Aggregation.VARIATION}
)  # fmt: skip


class Additivity(StrEnum):
    """Along what a metric may be summed: everything, everything but time (stock levels), or nothing (rates)."""

    ADDITIVE = "additive"
    SEMI_ADDITIVE = "semi_additive"
    NON_ADDITIVE = "non_additive"


class Direction(StrEnum):
    """Which way is good."""

    HIGHER_IS_BETTER = "higher"
    LOWER_IS_BETTER = "lower"
    NEUTRAL = "neutral"


class DimensionType(StrEnum):
    """What the values of a dimension are."""

    CATEGORY = "category"
    TIME = "time"
    BOOLEAN = "boolean"
    NUMBER = "number"
    TEXT = "text"
    ID = "id"
