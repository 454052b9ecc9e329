"""The narrow waist: a typed reading of a question, the same whoever read it."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.query import TimeGranularity, TimeRange

Scalar = str | int | float | bool | None


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class QuestionKind(StrEnum):
    """What sort of answer a question asks for."""

    VALUE = "value"
    BREAKDOWN = "breakdown"
    RANKING = "ranking"
    SHARE = "share"
    COMPARISON = "comparison"
    TREND = "trend"
    LIST = "list"
    DISTRIBUTION = "distribution"
    CORRELATION = "correlation"
    DIFFERENCE = "difference"
    REGRESSION = "regression"
    ANOMALY = "anomaly"
    FORECAST = "forecast"
    CAUSE = "cause"
    PROFILE = "profile"


class FilterOperator(StrEnum):
    """How a filter compares."""

    EQUALS = "="
    NOT_EQUALS = "!="
    IN = "in"
    NOT_IN = "not in"
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    BETWEEN = "between"
    OUTSIDE = "outside"
    IS_NULL = "is null"
    NOT_NULL = "is not null"
    CONTAINS = "contains"
    LISTS = "lists"


class Relative(_Frozen):
    """A bound that the data gives: the average fare, the median of each department.

    Args:
        how: ``mean``, ``median``, ``min`` or ``max``, of the column over all rows of its table; for a ``having``
            condition of the metric over the groups that are compared.
        per: The dimension within whose groups it is taken.
    """

    how: Annotated[str, Field(pattern="^(mean|median|min|max)$")]
    per: str | None = None


class Filter(_Frozen):
    """One condition on a dimension, or with ``having`` on a metric.

    A ``having`` condition with ``by`` keeps the rows of those groups of ``by`` that meet it (customers
    who spent more than …); without, it keeps result rows. With ``relative`` the bound is computed, and
    ``values`` holds at most how many times it. With ``among`` or ``within`` the groups are looked at by other rows than
    those of the answer: the members with no visit in 2024, of those of 2023.
    """

    field: str
    operator: FilterOperator
    values: tuple[Scalar | date | datetime, ...] = ()
    having: bool = False
    by: str | None = None
    relative: Relative | None = None
    among: tuple[Filter, ...] = ()
    within: TimeRange | None = None

    @property
    def is_apart(self) -> bool:
        """Whether it looks at other rows than those of the answer."""
        return bool(self.among) or self.within is not None


class Comparison(_Frozen):
    """What the result is set against: another period, another group, or a benchmark."""

    kind: Annotated[str, Field(pattern="^(period|group|benchmark)$")]
    period: TimeRange | None = None
    groups: tuple[str, ...] = ()
    label: str = ""


class Request(_Frozen):
    """A reading of one question.

    Everything after the reader works from this alone. ``unexplained`` keeps the content words that
    bind to nothing in the data; ``confidence`` falls with them.

    Args:
        question: The words.
        kind: What sort of answer is asked for.
        metrics: References to metrics of the semantic model, ad hoc ones included.
        columns: Dimensions whose values are related row by row; of a regression the first is predicted.
        dimensions: Names of the dimensions to break down by.
        filters: Conditions that hold for everything in the answer.
        part: For a share, the further conditions that make the part; the whole meets ``filters`` alone.
        time_range: The days it is about.
        time_dimension: The time column that was named, where one was.
        recurring: A part of time that repeats: ``("month", (12,))``, ``("weekday", (5, 6))`` (Monday is 0).
        comparison: What the result is set against.
        grain: The length of the periods of a trend.
        descending: Whether a ranking starts with the largest.
        limit: How many ranks are asked for.
        limit_per: The dimension for each of whose values ``limit`` counts (the top 3 per region).
        parameters: Anything else with a name, such as the horizon of a forecast.
        unexplained: Content words that bind to nothing in the data.
        confidence: How sure the reader is.
    """

    question: str
    kind: QuestionKind
    metrics: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    part: tuple[Filter, ...] = ()
    time_range: TimeRange | None = None
    time_dimension: str | None = None
    recurring: tuple[str, tuple[int, ...]] | None = None
    comparison: Comparison | None = None
    grain: TimeGranularity | None = None
    descending: bool = True
    limit: int | None = Field(default=None, ge=1)
    limit_per: str | None = None
    parameters: dict[str, Scalar] = Field(default_factory=dict)
    unexplained: tuple[str, ...] = ()
    confidence: float = Field(default=1.0, ge=0, le=1)
