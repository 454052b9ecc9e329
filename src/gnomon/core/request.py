"""The narrow waist: a typed reading of a question, the same whoever read it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.query import TimeGranularity, TimeRange

Scalar = str | int | float | bool | None


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


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


class Filter(_Frozen):
    """One condition on a dimension (``on`` rows) or on an aggregated metric (``having``)."""

    field: str
    operator: FilterOperator
    values: tuple[Scalar, ...] = ()
    having: bool = False


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
    """

    question: str
    kind: QuestionKind
    metrics: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    time_range: TimeRange | None = None
    comparison: Comparison | None = None
    grain: TimeGranularity | None = None
    descending: bool = True
    limit: int | None = Field(default=None, ge=1)
    parameters: dict[str, Scalar] = Field(default_factory=dict)
    unexplained: tuple[str, ...] = ()
    confidence: float = Field(default=1.0, ge=0, le=1)
