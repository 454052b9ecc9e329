"""What the two judges of a question say: whether it is about data, and who answers it."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.core.query import AgentType


@dataclass(frozen=True)
class OODResult:
    """Whether a question is out of domain, and how clearly.

    ``reconstruction_error`` and ``threshold`` are those of the autoencoder; ``confidence`` lies between 0
    (on the border) and 1.
    """

    is_out_of_domain: bool
    reconstruction_error: float
    threshold: float
    confidence: float
    reason: str | None = None


@dataclass(frozen=True)
class RoutingDecision:
    """Who answers, how sure that is, and the probabilities of (data presenter, insight generator)."""

    agent_type: AgentType
    confidence: float
    probabilities: tuple[float, float]
