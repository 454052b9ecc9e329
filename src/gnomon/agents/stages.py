"""How far a question has got, for whoever watches while it is answered: read, computed, checked."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from enum import StrEnum

from gnomon.planning.reading import Reading


class Stage(StrEnum):
    """What is being done next, once the question is read."""

    COMPUTE = "compute"
    EXPLAIN = "explain"
    CHECK = "check"


Watcher = Callable[[Stage, Reading], None]
watcher: ContextVar[Watcher | None] = ContextVar("gnomon_stage_watcher", default=None)


def reached(stage: Stage, reading: Reading) -> None:
    """Tell whoever watches, if anyone does; called in the thread that asked."""
    tell = watcher.get()
    if tell is not None:
        tell(stage, reading)
