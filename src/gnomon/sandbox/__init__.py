"""Running code nobody reviewed: a Python worker behind walls, and what comes back from it as typed results.

Nothing is loaded here, so that the worker, which has its own part of this room, starts at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.sandbox.executor import CodeExecutor
    from gnomon.sandbox.limits import Limits
    from gnomon.sandbox.results import (
        Artefact,
        CellError,
        CellResult,
        DataVariable,
        Figure,
        Strength,
        Table,
        Text,
    )
    from gnomon.sandbox.strength import check_strength

__all__ = [
    "Artefact",
    "CellError",
    "CellResult",
    "CodeExecutor",
    "DataVariable",
    "Figure",
    "Limits",
    "Strength",
    "Table",
    "Text",
    "check_strength",
]

_HOMES = {"CodeExecutor": "executor", "Limits": "limits", "check_strength": "strength"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"gnomon.sandbox.{_HOMES.get(name, 'results')}"), name)
