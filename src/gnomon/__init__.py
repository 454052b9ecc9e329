"""Gnomon: a data analyst that runs on your own machine.

Nothing heavy is loaded here; each name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst
    from gnomon.anomaly import ADEngine
    from gnomon.core import Answer, Fact, GnomonError, Request, Settings
    from gnomon.data import Dataset, open_sources
    from gnomon.opening import open

__version__ = "0.1.0"

_HOMES = {
    "ADEngine": "gnomon.anomaly",
    "Analyst": "gnomon.agents.analyst",
    "Answer": "gnomon.core",
    "Dataset": "gnomon.data",
    "Fact": "gnomon.core",
    "GnomonError": "gnomon.core",
    "Request": "gnomon.core",
    "Settings": "gnomon.core",
    "open": "gnomon.opening",
    "open_sources": "gnomon.data",
}

__all__ = [
    "ADEngine",
    "Analyst",
    "Answer",
    "Dataset",
    "Fact",
    "GnomonError",
    "Request",
    "Settings",
    "__version__",
    "open",
    "open_sources",
]


def __getattr__(name: str) -> object:
    from gnomon.core.lazy import exports

    return exports("gnomon", _HOMES)(name)


def __dir__() -> list[str]:
    return sorted(__all__)
