"""What may leave: personal data, toxicity, policy, numbers bound to facts, instructions hidden in data."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.guardrails.claims import Claim
    from gnomon.guardrails.guard import Guardrails
    from gnomon.guardrails.injection import find_instructions, instruction_score, neutral_name
    from gnomon.guardrails.numbers import NumberBinding
    from gnomon.guardrails.pii import PiiDetector, PiiSpan
    from gnomon.guardrails.policy import Policies, PolicyRule
    from gnomon.guardrails.results import Action, GuardResult, Violation
    from gnomon.guardrails.toxicity import ToxicityDetector

_HOMES = {
    "Action": "results",
    "Claim": "claims",
    "GuardResult": "results",
    "Guardrails": "guard",
    "NumberBinding": "numbers",
    "PiiDetector": "pii",
    "PiiSpan": "pii",
    "Policies": "policy",
    "PolicyRule": "policy",
    "ToxicityDetector": "toxicity",
    "Violation": "results",
    "find_instructions": "injection",
    "instruction_score": "injection",
    "neutral_name": "injection",
}

__all__ = [
    "Action",
    "Claim",
    "GuardResult",
    "Guardrails",
    "NumberBinding",
    "PiiDetector",
    "PiiSpan",
    "Policies",
    "PolicyRule",
    "ToxicityDetector",
    "Violation",
    "find_instructions",
    "instruction_score",
    "neutral_name",
]


def __getattr__(name: str) -> Any:
    from gnomon.core.lazy import exports

    return exports(__name__, {n: f"{__name__}.{home}" for n, home in _HOMES.items()})(name)
