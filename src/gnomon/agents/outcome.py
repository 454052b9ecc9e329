"""What became of a question: everything that was decided on its way, and the published envelope of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.errors import ErrorCode, ErrorResponse
from gnomon.core.query import AccuracyMetrics, AgentType, ResponseMetadata, SystemResponse
from gnomon.language import OODResult, RoutingDecision
from gnomon.planning.augment import AugmentedQuery
from gnomon.planning.reading import Reading

if TYPE_CHECKING:
    from gnomon.guardrails import Claim


@dataclass
class Outcome:
    """One question on its way: what was decided, what came out, and how long each part took.

    ``error`` says why there is no answer where its status alone does not. ``privacy`` is the level at which a
    language model was used; None means that none was, and that nothing left this machine. ``claims`` are what the
    guardrails found the answer to claim.
    """

    answer: Answer
    error: ErrorCode | None = None
    agent: AgentType | None = None
    domain: OODResult | None = None
    routing: RoutingDecision | None = None
    reading: Reading | None = None
    augmented: AugmentedQuery | None = None
    latency: dict[str, float] = field(default_factory=dict[str, float])
    accuracy: AccuracyMetrics | None = None
    privacy: str | None = None
    claims: tuple[Claim, ...] | None = None


_CODES: Mapping[AnswerStatus, ErrorCode] = {
    AnswerStatus.OUT_OF_DOMAIN: ErrorCode.OUT_OF_DOMAIN,
    AnswerStatus.OUT_OF_SCOPE: ErrorCode.OUT_OF_SCOPE,
    AnswerStatus.CLARIFY: ErrorCode.AMBIGUOUS,
    AnswerStatus.ERROR: ErrorCode.API_FAILURE,
}


def with_privacy(answer: Answer, level: str | None) -> Answer:
    """The answer with the level at which a language model was used, where one was."""
    if level is None:
        return answer
    told = f"Privacy: a language model was asked, at level “{level}”."
    return answer.model_copy(update={"prose": f"{answer.prose}\n\n{told}" if answer.prose else told})


_PASSING = frozenset({ErrorCode.API_FAILURE, ErrorCode.TIMEOUT})


def respond(outcome: Outcome) -> SystemResponse:
    """An outcome in the published envelope."""
    answer = outcome.answer
    code = outcome.error or _CODES.get(answer.status)
    error = (
        ErrorResponse(
            error_code=code,
            message=answer.prose,
            suggestions=list(answer.suggestions) or None,
            retryable=code in _PASSING,
        )
        if code
        else None
    )
    calls = len(answer.plan.steps) if answer.plan else 0
    return SystemResponse(
        success=code is None,
        content=answer.prose,
        error=answer.prose if code else None,
        error_response=error,
        metadata=ResponseMetadata(
            agent_type=outcome.agent,
            execution_time_ms=1000 * outcome.latency.get("total", 0.0),
            api_calls_count=calls,
            latency_breakdown={k: 1000 * v for k, v in outcome.latency.items()},
            accuracy_metrics=outcome.accuracy,
        ),
    )
