"""What the store gives back."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.events import EventKind


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredEvent(_Record):
    """One thing that happened in a run; never with values from cells."""

    at: datetime
    kind: EventKind
    step: str | None = None
    tool: str | None = None
    fraction: float | None = None
    data: dict[str, Any] = Field(default_factory=dict)


class Run(_Record):
    """One run of a plan.

    Args:
        id: The request id.
        status: ``running``, how it ended, or ``interrupted`` where its process was gone before the end.
        strategy: Single, parallel or sequential.
        tools: The tools of the plan, in order.
        started_at: When it began.
        finished_at: When it ended.
        duration_seconds: How long it took.
        plan: The plan, with rows only counted.
        results: A bounded preview of each step's result.
        events: What happened, in order; only :meth:`Store.run` fills it.
    """

    id: str
    status: str
    strategy: str = ""
    tools: tuple[str, ...] = ()
    started_at: datetime
    finished_at: datetime | None = None
    duration_seconds: float | None = None
    plan: dict[str, Any] = Field(default_factory=dict)
    results: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    events: tuple[StoredEvent, ...] = ()


class SavedTool(_Record):
    """One version of a tool that a user declared."""

    name: str
    version: int
    spec: dict[str, Any]
    created_at: datetime
