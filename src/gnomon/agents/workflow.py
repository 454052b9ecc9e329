"""What a descriptive question becomes before and after it runs: tasks, calls of retrieval APIs, results."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from gnomon.core.plan import Plan, Strategy
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.request import Request
from gnomon.semantic.model import Dimension
from gnomon.semantic.query import Retrieved

if TYPE_CHECKING:
    from gnomon.core.errors import OutOfScope, TimedOut
    from gnomon.semantic.registry import APIDescriptor


@dataclass(frozen=True)
class DataTask:
    """One step of the decomposition, in words and in names.

    Args:
        id: The step of the plan that does it.
        description: What it is for.
        metrics: What is retrieved or computed.
        time_range: The days it is about.
        dependencies: Tasks whose results it takes.
        dimensions: What it is broken down by.
    """

    id: str
    description: str
    metrics: tuple[str, ...] = ()
    time_range: TimeRange | None = None
    dependencies: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()


@dataclass(frozen=True)
class APICall:
    """A retrieval API with its parameters filled in; ``step`` is where the plan makes the call."""

    api: APIDescriptor
    payload: dict[str, Any]
    step: str = ""


@dataclass(frozen=True)
class PartPlan:
    """How one request of the question will be answered.

    Args:
        request: The request.
        retrievals: Steps that retrieve, by the part they play (``main``, ``previous``, ``whole``, …).
        calculations: Steps that compute, by the part they play.
        grain: The length of the periods, chosen where the request named none.
        coverage: First and last day that the data has for it.
        time: The time that it is told along.
        caveats: What the answer has to say besides.
        bounds: Days of the data that the caveats name.
        reason: Why it cannot be answered; nothing runs for it then.
    """

    request: Request
    retrievals: dict[str, str] = field(default_factory=dict[str, str])
    calculations: dict[str, str] = field(default_factory=dict[str, str])
    grain: TimeGranularity | None = None
    coverage: tuple[date, date] | None = None
    time: Dimension | None = None
    caveats: tuple[str, ...] = ()
    bounds: tuple[date, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class DataWorkflowPlan:
    """A question as tasks, API calls and a plan that can run.

    ``out_of_scope`` is the explicit way out: nothing in the data answers it, and ``reason`` says why.
    """

    tasks: tuple[DataTask, ...]
    api_calls: tuple[APICall, ...]
    out_of_scope: bool
    reason: str | None = None
    plan: Plan = field(default_factory=lambda: Plan(strategy=Strategy.SINGLE))
    parts: tuple[PartPlan, ...] = ()


@dataclass(frozen=True)
class PartResult:
    """What came of one request.

    Args:
        plan: How it was planned.
        retrieved: Rows by the part they play.
        calculated: Results of calculations by the part they play.
        labels: For each column of the results, how people call it.
        units: For each column of the results, its unit.
        errors: What failed, in words.
        doubts: Results that were not reasonable and were computed in a simpler way, in words.
    """

    plan: PartPlan
    retrieved: dict[str, Retrieved] = field(default_factory=dict[str, Retrieved])
    calculated: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    labels: dict[str, str] = field(default_factory=dict[str, str])
    units: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    errors: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExecutionMetadata:
    """How a workflow ran."""

    api_calls_count: int = 0
    execution_time: float = 0.0
    steps: dict[str, float] = field(default_factory=dict[str, float])
    cancelled: bool = False
    timed_out: TimedOut | None = None
    untold: OutOfScope | None = None


@dataclass(frozen=True)
class ExecutionResult:
    """What came of a workflow; ``success`` also when only some of its parts succeeded."""

    success: bool
    data: tuple[PartResult, ...] = ()
    error: str | None = None
    metadata: ExecutionMetadata = ExecutionMetadata()
