"""What happened, as it happens: the one source for logs, progress bars and the web page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core import clock


class EventKind(StrEnum):
    """A stage in the life of a request or of one of its steps."""

    QUEUED = "queued"
    STARTED = "started"
    PROGRESS = "progress"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Event(BaseModel):
    """One thing that happened to a request (``step`` is None) or to one of its steps."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    request_id: str
    kind: EventKind
    step: str | None = None
    tool: str | None = None
    message: str = ""
    fraction: float | None = Field(default=None, ge=0, le=1)
    data: dict[str, Any] = Field(default_factory=dict)
    at: datetime = Field(default_factory=clock.now)


EventListener = Callable[[Event], None]
