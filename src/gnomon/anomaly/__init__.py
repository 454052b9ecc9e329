"""Anomaly investigations: find what stands out, say why, and say how far to trust it.

``ADEngine`` leads through an investigation; ``InvestigationState`` holds where it stands, and its
``next_action`` says what to do next, so that a caller needs to know nothing about detectors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.anomaly.engine import ADEngine
    from gnomon.anomaly.state import (
        ACTION_TYPES,
        PHASES,
        ConsensusAnalysis,
        ConsensusResult,
        DetectionPlan,
        DetectorResult,
        HistoryEntry,
        InvestigationAnalysis,
        InvestigationState,
        NextAction,
        QualityAssessment,
        StructuredFeedback,
    )
    from gnomon.anomaly.watch import BatchReport, Watch

__all__ = [
    "ACTION_TYPES",
    "PHASES",
    "ADEngine",
    "BatchReport",
    "ConsensusAnalysis",
    "ConsensusResult",
    "DetectionPlan",
    "DetectorResult",
    "HistoryEntry",
    "InvestigationAnalysis",
    "InvestigationState",
    "NextAction",
    "QualityAssessment",
    "StructuredFeedback",
    "Watch",
]

_HOMES = {"ADEngine": "engine", "Watch": "watch", "BatchReport": "watch"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'state')}"), name)
