"""What the judges said, weighed against the reading: whether a question is about the data, and who answers it."""

from __future__ import annotations

import math
from concurrent.futures import Future, wait

from gnomon.agents.insight.worker import DIAGNOSTIC
from gnomon.core.parts import Parts, QuestionKind
from gnomon.core.query import AgentType
from gnomon.language import OODResult, RoutingDecision
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic.model import Aggregation

UNLIKELY_SECONDS = 0.05
READER_WEIGHT = 3.0
SETTLED_WEIGHT = 15.0  # more than the router can say against it
THIN_WEIGHT = 1.0
# What the gate says of a question that it need not look at.
PASSED = OODResult(False, 0.0, 0.0, 1.0)
_SHOWN = frozenset(
    {
        QuestionKind.RANKING, QuestionKind.BREAKDOWN, QuestionKind.SHARE, QuestionKind.LIST, QuestionKind.DISTRIBUTION,
        QuestionKind.CORRELATION, QuestionKind.REGRESSION,
    }
)  # fmt: skip


def is_bound(reading: Reading) -> bool:
    """Whether the words of a question were found in the data, in one way or in two."""
    return reading.ask is not None or reading.status in (ReadingStatus.CLEAR, ReadingStatus.AMBIGUOUS)


def is_chosen(
    agent: AgentType, routing: Future[RoutingDecision], reading: Reading, heard: float = 0.0
) -> bool:
    """Whether a worker may be the one that answers: it is, as long as the router has not decided against it.

    The one that the reading speaks against gives the router a moment before it starts, since it would most likely
    only take time from the other.
    """
    if settled_route(None, reading, heard).agent_type is not agent:
        wait((routing,), UNLIKELY_SECONDS)
    if not routing.done() or routing.cancelled():
        return True
    found = routing.result() if routing.exception() is None else None
    return settled_route(found, reading, heard).agent_type is agent


def settled_domain(found: OODResult | None, reading: Reading) -> OODResult | None:
    """The gate's judgement in the light of the reading: a question whose every word is explained is about the data."""
    if found is None or not found.is_out_of_domain:
        return found
    measured = any(r.metrics or r.columns or r.filters or r.time_range for r in reading.parts)
    bound = reading.ask is not None or (is_bound(reading) and measured)
    mostly = reading.status is ReadingStatus.PARTIAL and reading.explained >= 0.5
    if not (bound or mostly):
        return found
    return OODResult(False, found.reconstruction_error, found.threshold, found.confidence, None)


def settled_route(found: RoutingDecision | None, reading: Reading, heard: float = 0.0) -> RoutingDecision:
    """The router's choice with the reader's reading weighed in, in log-odds.

    Args:
        found: What the router says; None where it gave nothing in time.
        reading: How the question was read.
        heard: How much the domain router, and words by which insights are asked for, speak for an insight.
    """
    tested = reading.status is ReadingStatus.CLEAR and any(
        r.kind is QuestionKind.DIFFERENCE for r in reading.parts
    )
    if reading.ask is not None or tested:  # a query has to be shown, and so has a test between groups
        return RoutingDecision(AgentType.DATA_PRESENTER, 1.0, (1.0, 0.0))
    p = found.probabilities[1] if found is not None else 0.5
    p = min(max(p, 1e-6), 1 - 1e-6)
    odds = math.log(p / (1 - p)) + _read_evidence(reading, heard)
    q = 1 / (1 + math.exp(-min(max(odds, -50.0), 50.0)))
    agent = AgentType.INSIGHT_GENERATOR if q > 0.5 else AgentType.DATA_PRESENTER
    return RoutingDecision(agent, max(q, 1 - q), (1 - q, q))


def certainly(worker: AgentType) -> RoutingDecision:
    """A choice that was made before any judge: so near to certain that no words outweigh it."""
    p = 1 - 1e-6
    insight = worker is AgentType.INSIGHT_GENERATOR
    return RoutingDecision(worker, p, (1 - p, p) if insight else (p, 1 - p))


def _read_evidence(reading: Reading, heard: float) -> float:
    """What the kind of a reading says: causes, anomalies and forecasts are explained, what is clearly measured is shown."""
    if any(r.kind in DIAGNOSTIC for r in reading.parts):
        return SETTLED_WEIGHT
    if reading.status is not ReadingStatus.CLEAR:
        return heard
    # What a ranking or a breakdown says has to be shown, whatever the words sound like; so do fragments ("drop the year").
    if all(is_thin(r) for r in reading.parts) and not reading.continues:
        return -THIN_WEIGHT
    # What was in doubt was settled by what can be shown of it.
    settled = reading.continues or bool(reading.asked)
    shown = settled or all(r.kind in _SHOWN for r in reading.parts)
    return -READER_WEIGHT * (1 + shown) + (0.0 if settled else heard)


def is_thin(request: Parts) -> bool:
    """Whether a request only counts or lists what a question mentions, under no condition: that is hardly what it asks."""
    counts = all(m.startswith(f"{Aggregation.COUNT_DISTINCT}(") for m in request.metrics)
    plain = request.kind in (QuestionKind.VALUE, QuestionKind.LIST)
    mentions = bool(request.metrics or request.dimensions)
    return (
        plain
        and mentions
        and counts
        and not request.filters
        and request.grain is None
        and request.limit is None
    )
