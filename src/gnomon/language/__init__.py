"""Words, without data: what is a data question and who answers it, numbers and units in text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports
from gnomon.language.quantities import Quantity, Unit, find_quantities

if TYPE_CHECKING:
    from gnomon.language.exposure import Negative, load_negatives
    from gnomon.language.ood import OODDetector, OODResult
    from gnomon.language.ood_gate import Gate, fit_gate
    from gnomon.language.router import AgentRouter, RoutingDecision
    from gnomon.language.router_questions import LabelledQuestion, load_questions

__all__ = [
    "AgentRouter",
    "Gate",
    "LabelledQuestion",
    "Negative",
    "OODDetector",
    "OODResult",
    "Quantity",
    "RoutingDecision",
    "Unit",
    "find_quantities",
    "fit_gate",
    "load_negatives",
    "load_questions",
]

__getattr__ = exports(
    __name__,
    {
        "AgentRouter": "gnomon.language.router",
        "Gate": "gnomon.language.ood_gate",
        "LabelledQuestion": "gnomon.language.router_questions",
        "Negative": "gnomon.language.exposure",
        "OODDetector": "gnomon.language.ood",
        "OODResult": "gnomon.language.ood",
        "RoutingDecision": "gnomon.language.router",
        "fit_gate": "gnomon.language.ood_gate",
        "load_negatives": "gnomon.language.exposure",
        "load_questions": "gnomon.language.router_questions",
    },
)
