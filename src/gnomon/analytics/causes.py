"""Causes: which other series can account for what happened to a segment, and which cannot.

A candidate has to have left its usual course, not after the effect, and the metric has to have changed where it did
and kept its course where it did not. What only moved at the same time is called that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import numpy as np

from gnomon.analytics.cause_evidence import (
    Candidate,
    Effect,
    Exposure,
    Onset,
    direction_of,
    echo_of,
    exposure_of,
    movement_of,
    timing_of,
)
from gnomon.analytics.cause_evidence import Evidence as Evidence
from gnomon.analytics.cause_evidence import Timing as Timing
from gnomon.analytics.drivers import Segment
from gnomon.analytics.inputs import Floats
from gnomon.analytics.results import Result

_SAME = Evidence(
    "echo", False, None, None, "correlation by day while nothing happened",
    "It goes with the metric day by day and tells the same under another name.",
)  # fmt: skip


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
        before: The candidate in the earlier period, in that segment.
        after: The candidate in the later period.
        effect: What of the metric's change it can account for, in units of the metric.
        share: The same over the whole change.
        confidence: 0 to 1.
        onset: The day on which the candidate moved.
        effect_onset: The day on which the metric moved.
        timing: Which came first.
        evidence: Reasons for and against.
        usual: The candidate in its usual course: the middle of the earlier periods.
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
    usual: float | None = None


def judge(
    candidate: Candidate,
    effect: Effect,
    *,
    segment: Segment = (),
    began: Onset | None = None,
    moved: Onset | None = None,
    echoes: Sequence[tuple[str, Floats]] = (),
    same: bool = False,
    tests: int = 1,
) -> Cause:
    """What the data says about one candidate for one effect.

    Args:
        candidate: The other series.
        effect: What happened to the metric.
        segment: Where it was looked at, in words of dimensions: the effect's own place, or what of it can be told.
        began: When the effect began.
        moved: When the candidate moved there.
        echoes: Series of the metric itself, by window, that the candidate may merely follow: it tells nothing of
            its own where its quotient to one of them stays as usual.
        same: Whether it goes with the metric row by row, and so tells the same under another name.
        tests: How many candidates are judged together: the more, the farther one has to have moved.
    """
    located = effect.inside is not None
    x = candidate.windows(effect.wider)
    movement, score = movement_of(candidate, x, effect.wider, tests)
    plain = candidate.plain(effect.wider)
    evidence = [movement]
    timing, when = timing_of(began, moved)
    evidence.append(when)
    if movement.holds and (echo := _SAME if same else echo_of(x, candidate, echoes)) is not None:
        evidence.append(echo)
    exposure = exposure_of(candidate, effect, score) if located and movement.holds else None
    if exposure is not None:
        evidence += exposure.evidence
    elif not located and not effect.everything:
        evidence.append(
            Evidence(
                "specificity",
                False,
                None,
                None,
                "not recorded for the part that is concerned",
                "It is recorded only for a wider whole, the rest of which had no such effect.",
            )
        )
    if movement.holds and (direction := direction_of(candidate, score, effect)) is not None:
        evidence.append(direction)
    coverage = exposure.coverage if exposure is not None else 0.0
    verdict, only = _verdict(evidence, coverage, effect, exposure)
    confidence = _confidence(verdict, evidence, score, coverage, timing)
    part = effect.size * (coverage if verdict in (Verdict.LIKELY, Verdict.CONTRIBUTING) else 0.0)
    return Cause(
        kind=CauseKind.SERIES,
        measure=candidate.measure,
        label=candidate.label,
        segment=segment,
        verdict=verdict,
        correlated_only=only,
        before=_known(plain[1]),
        after=_known(plain[0]),
        effect=part,
        share=part / effect.change if effect.change else None,
        confidence=confidence,
        onset=moved.day if moved is not None and movement.holds else None,
        effect_onset=began.day if began is not None else None,
        timing=timing,
        evidence=tuple(evidence),
        usual=_known(float(np.median(past)) if len(past := plain[1:][~np.isnan(plain[1:])]) else math.nan),
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _verdict(
    evidence: Sequence[Evidence], coverage: float, effect: Effect, exposure: Exposure | None
) -> tuple[Verdict, bool]:
    held = {e.name: e.holds for e in evidence}
    against = {e.name for e in evidence if e.holds is False}
    if not held.get("movement") or against & {"timing", "direction"}:
        return Verdict.RULED_OUT, False
    if "echo" in against:
        return Verdict.COINCIDENT, True
    if exposure is None:
        return Verdict.COINCIDENT, True
    if against & {"specificity", "dose", "elsewhere"}:
        return Verdict.COINCIDENT, True
    if not exposure.controlled:
        return Verdict.COINCIDENT, True
    if coverage >= 0.6:
        return Verdict.LIKELY, False
    return (Verdict.CONTRIBUTING, False) if coverage >= 0.15 else (Verdict.COINCIDENT, True)


_BASE = {Verdict.LIKELY: 0.72, Verdict.CONTRIBUTING: 0.5, Verdict.COINCIDENT: 0.25, Verdict.RULED_OUT: 0.05}


def _confidence(
    verdict: Verdict, evidence: Sequence[Evidence], score: float, coverage: float, timing: Timing
) -> float:
    """How much speaks for it: the verdict, then how far it moved, how close in time, how much it covers."""
    lead = next((e.effect for e in evidence if e.name == "timing"), None)
    close = 0.08 if lead is not None and -2 <= lead <= 10 else 0.03 if timing is Timing.BEFORE else 0.0
    known = 0.04 * sum(1 for e in evidence if e.name in ("dose", "direction") and e.holds)
    more = close + known + 0.06 * min(1.0, math.log1p(abs(score)) / math.log(61)) + 0.06 * coverage
    less = 0.06 * sum(
        1 for e in evidence if e.name in ("elsewhere", "echo", "specificity", "dose") and e.holds is False
    )
    return float(np.clip(_BASE[verdict] + more - less, 0.01, 0.97))


def ranked(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    """The most convincing first."""
    order = {Verdict.LIKELY: 0, Verdict.CONTRIBUTING: 1, Verdict.COINCIDENT: 2, Verdict.RULED_OUT: 3}
    return tuple(sorted(causes, key=lambda c: (order[c.verdict], -c.confidence, str(c.measure))))
