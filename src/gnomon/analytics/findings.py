"""What a diagnosis comes to: its result, and the bars, days and marks to show it by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from statistics import median

from gnomon.analytics.causes import Cause, Verdict
from gnomon.analytics.composition import Copies, Mix, OddDays
from gnomon.analytics.drivers import SegmentCut, SegmentEffect, TreeDecomposition, segment_effects
from gnomon.analytics.explanation import Explanation
from gnomon.analytics.inputs import Floats, Ints, added_up
from gnomon.analytics.results import Result
from gnomon.analytics.segment_field import Field
from gnomon.analytics.significance import ChangeTest, SeasonCheck
from gnomon.core.query import TimeRange
from gnomon.semantic.model import SemanticModel

OTHERS = "all others"
REST = "everything else"
_MOST_EFFECTS = 20
_AROUND = 56
_USUAL_DAYS = 28


class DiagnosisStatus(StrEnum):
    """What came out of it."""

    NORMAL = "normal"  # nothing beyond normal variation
    SEASONAL = "seasonal"  # as in the same season before
    LOCAL = "local"  # the whole is within normal variation, but some segment is not
    UNUSUAL = "unusual"  # the whole changed beyond normal variation
    UNTESTED = "untested"  # too little history to tell


@dataclass(frozen=True, slots=True)
class WaterfallStep(Result):
    """One bar of a waterfall from the earlier to the later value."""

    label: str
    amount: float
    total: float
    kind: str  # "start", "step" or "end"


@dataclass(frozen=True, slots=True)
class SeriesPoint(Result):
    """One day of the metric, with what was usual and which period it belongs to."""

    day: date
    value: float | None
    usual: float | None
    period: str | None  # "previous", "current" or None


@dataclass(frozen=True, slots=True)
class Annotation(Result):
    """Something that happened on a day, to write beside a series."""

    day: date
    label: str
    cause: int | None  # its place in Diagnosis.causes


@dataclass(frozen=True, slots=True)
class Diagnosis(Result):
    """Why a metric changed from one period to another.

    Attributes:
        metric: The reference of the metric.
        label: What people call it.
        unit: Its unit.
        current: The later period.
        previous: The earlier period.
        status: What came out of it.
        change: The change, sized and tested.
        season: The same season before.
        tree: The change over the factors of the metric, where it has any.
        cuts: The change over segments of every dimension and pair of dimensions, the most telling cut first.
        explanation: The fewest segments that the change comes down to.
        causes: Likely and contributing causes, then coincident ones, the best first.
        ruled_out: Candidates that the data speaks against.
        confidence: 0 to 1, of the first cause (or of there being nothing).
        surer: What would make it surer, in plain sentences.
        waterfall: Bars from the earlier to the later value, over the factors of the metric where it has any.
        segment_waterfall: The same over the segments that the change comes down to.
        series: The metric by day around the two periods.
        annotations: What to write beside the series.
        rows_scanned: Rows of the tables that were looked at.
        queries: The queries that were run.
        notes: What limits it.
        earlier: Where the change is only that something ended: what happened in the earlier period.
        mix: For a ratio, the shifting shares that make most of its change.
        odd_days: For a sum, the few days that make most of its change.
        copies: Rows that came twice in the later period.
    """

    metric: str
    label: str
    unit: str | None
    current: TimeRange
    previous: TimeRange
    status: DiagnosisStatus
    change: ChangeTest
    season: SeasonCheck
    tree: TreeDecomposition | None
    cuts: tuple[SegmentCut, ...]
    explanation: Explanation
    causes: tuple[Cause, ...]
    ruled_out: tuple[Cause, ...]
    confidence: float
    surer: tuple[str, ...]
    waterfall: tuple[WaterfallStep, ...]
    series: tuple[SeriesPoint, ...]
    annotations: tuple[Annotation, ...]
    rows_scanned: int
    queries: tuple[str, ...]
    notes: tuple[str, ...] = ()
    segment_waterfall: tuple[WaterfallStep, ...] = ()
    earlier: Diagnosis | None = None
    mix: Mix | None = None
    odd_days: OddDays | None = None
    copies: Copies | None = None


def cuts_of(inner: Field, explanation: Explanation) -> tuple[SegmentCut, ...]:
    """Every cut with its largest effects; what is left is summed up, so that they still add up."""
    named = [tuple(d for d, _ in p.segment) for p in explanation.parts]
    made: list[SegmentCut] = []
    for cut in inner.cuts:
        sums = [added_up(cut.groups, inner.values[w], cut.size) for w in (1, 0)]
        weights = None
        if inner.weights is not None:
            weights = [added_up(cut.groups, inner.weights[w], cut.size) for w in (1, 0)]
            if 0.0 in (weights[0].sum(), weights[1].sum()):
                continue
        first, last, effects = segment_effects(cut.names, *sums, *(weights or ()))
        made.append(
            SegmentCut(cut.dimensions, first, last, last - first, _shortened(effects, cut.dimensions))
        )
    made.sort(
        key=lambda c: (named.index(c.dimensions) if c.dimensions in named else len(named), len(c.dimensions))
    )
    return tuple(made)


def _shortened(effects: Sequence[SegmentEffect], dimensions: tuple[str, ...]) -> tuple[SegmentEffect, ...]:
    if len(effects) <= _MOST_EFFECTS:
        return tuple(effects)
    kept, rest = effects[: _MOST_EFFECTS - 1], effects[_MOST_EFFECTS - 1 :]
    shares = [e.share for e in rest if e.share is not None]
    summed = SegmentEffect(
        tuple((d, OTHERS) for d in dimensions), None, None, math.fsum(e.contribution for e in rest),
        math.fsum(e.rate or 0.0 for e in rest) if rest[0].rate is not None else None,
        math.fsum(e.mix or 0.0 for e in rest) if rest[0].mix is not None else None,
        math.fsum(shares) if shares else None,
    )  # fmt: skip
    return (*kept, summed)


def named(segment: tuple[tuple[str, object], ...], model: SemanticModel) -> str:
    return " · ".join(f"{model.dimension(d).label} {'(none)' if v is None else v}" for d, v in segment)


def waterfall_of(change: ChangeTest, steps: Sequence[tuple[str, float]]) -> tuple[WaterfallStep, ...]:
    total = change.before
    made = [WaterfallStep("before", change.before, change.before, "start")]
    for label, amount in steps:
        total += amount
        made.append(WaterfallStep(label or "everything alike", amount, total, "step"))
    rest = change.after - total
    if abs(rest) > 1e-9 * max(abs(change.after), abs(change.before), 1e-300):
        made.append(WaterfallStep(REST, rest, change.after, "step"))
    made.append(WaterfallStep("after", change.after, change.after, "end"))
    return tuple(made)


def series_of(
    current: TimeRange, previous: TimeRange, days: Ints, above: Floats, below: Floats | None
) -> tuple[SeriesPoint, ...]:
    """The days around the periods, each with the middle of the same weekday in the earlier one, or in four weeks up to its end."""
    held = {int(d): i for i, d in enumerate(days)}

    def value(day: date) -> float | None:
        i = held.get(day.toordinal())
        if i is None:
            return None if below is not None else 0.0
        if below is None:
            return float(above[i])
        return float(above[i] / below[i]) if below[i] else None

    usual: dict[int, float] = {}
    for weekday in range(7):
        past = [previous.end - timedelta(days=k) for k in range(max(previous.days, _USUAL_DAYS))]
        seen = [
            v
            for d in past
            if d.weekday() == weekday and (v := value(d)) is not None and d.toordinal() >= days[0]
        ]
        if seen:
            usual[weekday] = median(seen)
    first = max(previous.start - timedelta(days=_AROUND), date.fromordinal(int(days[0])))
    span = (current.end - first).days + 1
    points: list[SeriesPoint] = []
    for day in (first + timedelta(days=i) for i in range(span)):
        period = next(
            (n for n, p in (("current", current), ("previous", previous)) if p.start <= day <= p.end),
            None,
        )
        points.append(SeriesPoint(day, value(day), usual.get(day.weekday()), period))
    return tuple(points)


def annotations_of(causes: Sequence[Cause]) -> tuple[Annotation, ...]:
    strong = (Verdict.LIKELY, Verdict.CONTRIBUTING)
    return tuple(
        Annotation(c.onset, c.label, i)
        for i, c in enumerate(causes)
        if c.onset is not None and c.verdict in strong
    )
