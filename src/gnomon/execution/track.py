"""What one run of a plan works with: the shared machinery, and where each step stands."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from gnomon.core.errors import GnomonError, NotFound, ToolUnavailable
from gnomon.core.plan import Step
from gnomon.core.settings import Settings
from gnomon.execution.places import Places
from gnomon.execution.retry import RetryPolicy, Sleeper
from gnomon.execution.threads import DaemonThreads
from gnomon.tools.contract import CancelToken, Tool, ToolSpec
from gnomon.tools.registry import ToolRegistry


@dataclass(frozen=True)
class Machinery:
    """What outlives one plan: the tools, where and how they are called, and which were called before."""

    registry: ToolRegistry
    settings: Settings
    places: Places
    threads: DaemonThreads
    waiters: DaemonThreads
    policy: RetryPolicy
    sleeper: Sleeper
    called: set[str] = field(default_factory=set[str])


@dataclass
class Track:
    """Where one step stands."""

    step: Step
    waiting_for: set[str]
    tool_name: str
    spec: ToolSpec | None = None
    first_error: GnomonError | None = None
    serial: int = 0
    failures: int = 0
    attempts: int = 0
    began: float | None = None
    deadline: float | None = None
    stopping: GnomonError | None = None
    token: CancelToken = field(default_factory=CancelToken)
    future: Future[Any] | None = None
    pool: DaemonThreads | None = None


@dataclass(frozen=True)
class Message:
    """What a thread tells the loop; one about an attempt that was given up is ignored."""

    kind: str
    step: str = ""
    serial: int = 0
    value: Any = None


def is_absent(error: GnomonError) -> bool:
    """Whether an error means that the tool is not there."""
    return isinstance(error, ToolUnavailable)


def usable(registry: ToolRegistry, name: str) -> Tool:
    try:
        return registry.usable(name)
    except NotFound as e:  # for a plan, a tool that does not exist is one that is not available
        raise ToolUnavailable(e.message, suggestions=e.suggestions) from None
