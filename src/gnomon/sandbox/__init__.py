"""Running code nobody reviewed: a Python worker behind walls, and what comes back from it as typed results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

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

_HOMES = {
    "gnomon.sandbox.executor": "CodeExecutor",
    "gnomon.sandbox.limits": "Limits",
    "gnomon.sandbox.results": "Artefact CellError CellResult DataVariable Figure Strength Table Text",
    "gnomon.sandbox.strength": "check_strength",
}

__getattr__ = exports(__name__, {name: home for home, names in _HOMES.items() for name in names.split()})
