"""A question as it arrives, and the envelope in which its answer leaves."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gnomon.core import clock
from gnomon.core.errors import ErrorResponse

# A part of time that repeats: ``("month", (12,))``, ``("weekday", (5, 6))``; Monday is 0.
Recurring = tuple[str, tuple[int, ...]]


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class AgentType(StrEnum):
    """Who answers: the worker that presents data, or the one that explains it."""

    DATA_PRESENTER = "data_presenter"
    INSIGHT_GENERATOR = "insight_generator"


class TimeGranularity(StrEnum):
    """The length of one step in time."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"


class TimeRange(_Frozen):
    """Days from ``start`` to ``end``, both included, seen at a granularity."""

    start: date
    end: date
    granularity: TimeGranularity = TimeGranularity.DAY

    @model_validator(mode="after")
    def _ordered(self) -> TimeRange:
        if self.end < self.start:
            raise ValueError(f"a time range ends ({self.end}) before it starts ({self.start})")
        return self

    @property
    def days(self) -> int:
        """How many days the range covers."""
        return (self.end - self.start).days + 1


class UserQuery(_Frozen):
    """A question in the user's words."""

    text: str = Field(min_length=1, max_length=10_000)
    session_id: str = "default"
    timestamp: datetime = Field(default_factory=clock.now)


class AccuracyMetrics(_Frozen):
    """How good an answer is, each between 0 and 1.

    ``relevance`` is the share of the question's key words that were addressed, ``correctness`` the
    share of claims that are right, ``completeness`` the share of what was asked that was answered.
    """

    relevance: float = Field(ge=0, le=1)
    correctness: float = Field(ge=0, le=1)
    completeness: float = Field(ge=0, le=1)

    def is_accurate(self, threshold: float = 0.8) -> bool:
        """Question-level accuracy: all three lie above the threshold."""
        return min(self.relevance, self.correctness, self.completeness) > threshold


class ResponseMetadata(_Frozen):
    """How an answer came about."""

    agent_type: AgentType | None
    execution_time_ms: float = Field(ge=0)
    api_calls_count: int = Field(ge=0)
    latency_breakdown: dict[str, float] = Field(default_factory=dict)
    accuracy_metrics: AccuracyMetrics | None = None


class SystemResponse(_Frozen):
    """What a caller of the manager gets back, whatever happened."""

    success: bool
    content: str
    metadata: ResponseMetadata
    error: str | None = None
    error_response: ErrorResponse | None = None
