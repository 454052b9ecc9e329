"""Causes: which other series can account for what happened to a segment, and which cannot."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from gnomon.analytics.drivers import Segment
from gnomon.analytics.results import Result


class Verdict(StrEnum):
    """What the data says about a candidate."""

    LIKELY = "likely_cause"
    CONTRIBUTING = "contributing"
    COINCIDENT = "coincident"
    RULED_OUT = "ruled_out"


class CauseKind(StrEnum):
    """What sort of thing is named as a cause."""

    SERIES = "series"  # another recorded series moved
    DRIVER = "driver"  # a factor of the metric itself moved, for a reason that is not recorded
    SEASON = "season"  # the same happened in the same season before
    UNRECORDED = "unrecorded"  # confined to a segment, and nothing recorded moved there


class Timing(StrEnum):
    """When the candidate moved, against when the effect began."""

    BEFORE = "before"
    SAME = "at the same time"
    AFTER = "after"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence(Result):
    """One reason for or against a candidate.

    Attributes:
        name: ``movement``, ``timing``, ``dose``, ``specificity``, ``elsewhere``, ``echo``, ``direction`` or ``season``.
        holds: Whether it speaks for the candidate; None where it could not be looked at.
        effect: Its size.
        p_value: The chance of it without any relation, where it was tested.
        test: How it was looked at.
        says: One plain sentence, without names of columns.
    """

    name: str
    holds: bool | None
    effect: float | None
    p_value: float | None
    test: str
    says: str


@dataclass(frozen=True, slots=True)
class Cause(Result):
    """A candidate cause of what happened to a segment.

    Attributes:
        kind: What sort of thing it is.
        measure: The metric of the model that moved; None for a season or where nothing is recorded.
        label: What people call it.
        segment: Where it acts, as conditions on dimensions.
        verdict: What the data says.
        correlated_only: Whether the data shows no more than that both moved at the same time.
        before: The candidate in its usual course, in that segment.
        after: The candidate in the later period.
        effect: What of the metric's change it can account for, in units of the metric.
        share: The same over the whole change.
        confidence: 0 to 1.
        onset: The day on which the candidate moved.
        effect_onset: The day on which the metric moved.
        timing: Which came first.
        evidence: Reasons for and against.
    """

    kind: CauseKind
    measure: str | None
    label: str
    segment: Segment
    verdict: Verdict
    correlated_only: bool
    before: float | None
    after: float | None
    effect: float
    share: float | None
    confidence: float
    onset: date | None
    effect_onset: date | None
    timing: Timing
    evidence: tuple[Evidence, ...]
