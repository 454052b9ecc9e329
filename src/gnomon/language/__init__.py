"""Words, without data: what is a data question and who answers it; times, numbers and languages in text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports
from gnomon.language.quantities import Quantity, Unit, find_quantities

if TYPE_CHECKING:
    from gnomon.language.data_gate import DataGate, gate_of
    from gnomon.language.exposure import Negative, load_negatives
    from gnomon.language.foreign import Language, recognise
    from gnomon.language.judgements import OODResult, RoutingDecision
    from gnomon.language.ood import OODDetector
    from gnomon.language.ood_fit import fit_gate
    from gnomon.language.ood_gate import Gate
    from gnomon.language.router import AgentRouter
    from gnomon.language.router_questions import LabelledQuestion, load_questions
    from gnomon.language.time_grammar import (
        QueryContext,
        Recurring,
        Shift,
        TimeMention,
        describe_period,
        find_times,
        previous_period,
    )

__all__ = [
    "AgentRouter",
    "DataGate",
    "Gate",
    "LabelledQuestion",
    "Language",
    "Negative",
    "OODDetector",
    "OODResult",
    "Quantity",
    "QueryContext",
    "Recurring",
    "RoutingDecision",
    "Shift",
    "TimeMention",
    "Unit",
    "describe_period",
    "find_quantities",
    "find_times",
    "fit_gate",
    "gate_of",
    "load_negatives",
    "load_questions",
    "previous_period",
    "recognise",
]

__getattr__ = exports(
    __name__,
    {
        "AgentRouter": "gnomon.language.router",
        "DataGate": "gnomon.language.data_gate",
        "Gate": "gnomon.language.ood_gate",
        "LabelledQuestion": "gnomon.language.router_questions",
        "Language": "gnomon.language.foreign",
        "Negative": "gnomon.language.exposure",
        "OODDetector": "gnomon.language.ood",
        "OODResult": "gnomon.language.judgements",
        "QueryContext": "gnomon.language.time_grammar",
        "Recurring": "gnomon.language.time_grammar",
        "RoutingDecision": "gnomon.language.judgements",
        "Shift": "gnomon.language.time_grammar",
        "TimeMention": "gnomon.language.time_grammar",
        "describe_period": "gnomon.language.time_grammar",
        "find_times": "gnomon.language.time_grammar",
        "fit_gate": "gnomon.language.ood_fit",
        "gate_of": "gnomon.language.data_gate",
        "load_negatives": "gnomon.language.exposure",
        "load_questions": "gnomon.language.router_questions",
        "previous_period": "gnomon.language.time_grammar",
        "recognise": "gnomon.language.foreign",
    },
)
