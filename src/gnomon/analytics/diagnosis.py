"""Diagnosis: one question of why, from the change itself down to what caused it and what did not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from gnomon.analytics.causes import Cause
from gnomon.analytics.drivers import SegmentCut, TreeDecomposition
from gnomon.analytics.explanation import Explanation
from gnomon.analytics.results import Result
from gnomon.analytics.significance import ChangeTest, SeasonCheck
from gnomon.core.query import TimeRange


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
        waterfall: Bars from the earlier to the later value.
        series: The metric by day around the two periods.
        annotations: What to write beside the series.
        rows_scanned: Rows of the tables that were looked at.
        queries: The queries that were run.
        notes: What limits it.
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
