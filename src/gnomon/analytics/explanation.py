"""The smallest explanation: the fewest segments that a change comes down to."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.analytics.drivers import Segment
from gnomon.analytics.results import Result


@dataclass(frozen=True, slots=True)
class ExplainedSegment(Result):
    """A segment that moved apart from the rest.

    Attributes:
        segment: The values that name it; empty where everything moved alike.
        before: Its own value in the earlier period.
        after: Its own value in the later period.
        expected: What it would have come to had it moved as the rest did.
        excess: What it had more (or less) than that: its effect.
        excess_percent: Relative to what was expected.
        share: The excess over the whole change; None where nothing changed.
        score: The excess in standard deviations of the segment's own past.
        p_value: The chance of a departure as large, corrected for all segments looked at.
        test: How it was tested.
    """

    segment: Segment
    before: float | None
    after: float | None
    expected: float
    excess: float
    excess_percent: float | None
    share: float | None
    score: float
    p_value: float
    test: str


@dataclass(frozen=True, slots=True)
class Explanation(Result):
    """The segments that a change comes down to, the most telling first.

    Attributes:
        parts: The segments.
        level: How everything else moved relative to the period before (0.1 is 10 % up).
        explained: The share of the change that the parts account for together; None where nothing changed.
        looked_at: How many segments were compared.
        notes: What limits it.
    """

    parts: tuple[ExplainedSegment, ...]
    level: float
    explained: float | None
    looked_at: int
    notes: tuple[str, ...] = ()
