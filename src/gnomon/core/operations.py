"""The closed sets that trees of the algebra are written in: functions, comparisons, ways to aggregate and to look around."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


class Function(StrEnum):
    """What can be computed from the values of one row."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    MODULO = "%"
    NEGATE = "negate"
    ABSOLUTE = "abs"
    ROUND = "round"
    FLOOR = "floor"
    CEILING = "ceil"
    LOGARITHM = "ln"
    ROOT = "sqrt"
    POWER = "power"
    LEAST = "least"
    GREATEST = "greatest"
    FILL = "coalesce"
    LOWER = "lower"
    UPPER = "upper"
    TRIM = "trim"
    LENGTH = "length"
    JOINED = "concat"
    PART = "substring"
    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    WEEKDAY = "weekday"
    HOUR = "hour"
    DAY_OF_YEAR = "day_of_year"
    DATE = "date"
    DAYS_BETWEEN = "days_between"
    SECONDS_BETWEEN = "seconds_between"
    BUCKET = "bucket"
    NUMBER = "number"
    TEXT = "text"
    MINUTE = "minute"
    START_OF = "start_of"
    ADD_DAYS = "add_days"
    ADD_MONTHS = "add_months"
    ADD_SECONDS = "add_seconds"
    MONTHS_BETWEEN = "months_between"
    YEARS_BETWEEN = "years_between"
    DAY_NAME = "day_name"
    MONTH_NAME = "month_name"
    DECIMAL_LOGARITHM = "log10"
    EXPONENT = "exp"
    SIGN = "sign"
    REPLACED = "replace"
    MOMENT = "moment"
    VISIBLE_LENGTH = "visible_length"
    WORDS = "words"


class Glance(StrEnum):
    """What a row is told by the rows around it."""

    PLACE = "row_number"
    RANK = "rank"
    DENSE_RANK = "dense_rank"
    PORTION = "ntile"
    BEFORE = "lag"
    AFTER = "lead"
    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    LEAST = "min"
    MOST = "max"
    COUNT = "count"


class Comparison(StrEnum):
    """How two values are held against each other."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    CONTAINS = "contains"
    LISTS = "lists"
    STARTS = "starts"
    ENDS = "ends"
    LIKE = "like"


class How(StrEnum):
    """How many values become one."""

    COUNT = "count"
    DISTINCT = "distinct"
    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    LEAST = "min"
    MOST = "max"
    DEVIATION = "std"
    VARIANCE = "var"
    QUANTILE = "quantile"
    MODE = "mode"
    CORRELATION = "corr"
    SKEWNESS = "skewness"
    KURTOSIS = "kurtosis"
    RANGE = "range"
    MIDDLE_RANGE = "iqr"
    VARIATION = "variation"
    STANDARD_ERROR = "standard_error"
    GEOMETRIC_MEAN = "geometric_mean"
    AT_MOST = "at the largest"
    AT_LEAST = "at the smallest"


class Walk(StrEnum):
    """What is computed along the rows of a result."""

    CHANGE = "change"
    GROWTH = "growth"
    RUNNING = "running"
    MOVING = "moving"
    SHARE = "share"
    RANK = "rank"


class Verb(StrEnum):
    """What goes beyond aggregation and is left to a tool."""

    RELATE = "relate"
    REGRESS = "regress"
    TEST = "test"
    SHAPE = "shape"
    OUTLIERS = "outliers"
    FORECAST = "forecast"
    DRIVERS = "drivers"
    PROFILE = "profile"


class Tell(StrEnum):
    """What of two figures is asked for, beside the figures."""

    DIFFERENCE = "difference"
    RATIO = "ratio"
    PERCENT = "percent"
    BENCHMARK = "benchmark"


class Way(StrEnum):
    """Where something moves from one period to the next."""

    UP = "up"
    DOWN = "down"
    EITHER = "either"


Side = Literal[">", "<"]
