"""Diagnosis: one question of why, from the change itself down to what caused it and what did not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from gnomon.analytics.casefile import CaseFile
from gnomon.analytics.causes import Cause, CauseKind, Evidence, Timing, Verdict
from gnomon.analytics.drivers import (
    Factor,
    SegmentCut,
    SegmentEffect,
    TreeDecomposition,
    decompose_tree,
    segment_effects,
)
from gnomon.analytics.explanation import Explanation, Field
from gnomon.analytics.inputs import Floats, Ints
from gnomon.analytics.inquiry import Inquiry, focused, parts_of
from gnomon.analytics.metric_trees import countable, factors, measure_chain, volumes
from gnomon.analytics.results import Result
from gnomon.analytics.significance import ChangeTest, ChangeVerdict, SeasonCheck, change_test
from gnomon.core.query import TimeRange
from gnomon.core.request import Filter
from gnomon.semantic.model import Aggregation, SemanticModel

if TYPE_CHECKING:
    from gnomon.data import Dataset
    from gnomon.semantic.backends import Stoppable
    from gnomon.semantic.retrieve import Retriever

OTHERS = "all others"
_MOST_EFFECTS = 20
_AROUND = 56


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


def diagnose(
    source: Retriever | Dataset,
    metric: str,
    current: TimeRange,
    previous: TimeRange,
    filters: Sequence[Filter] = (),
    *,
    model: SemanticModel | None = None,
    pulls: Mapping[str, int] | None = None,
    cancel: Stoppable | None = None,
    timeout_seconds: float | None = None,
) -> Diagnosis:
    """Explain why a metric changed from one period to another.

    Args:
        source: A retriever, or open tables together with ``model``.
        metric: A reference to a metric, as :meth:`SemanticModel.metric` understands it.
        current: The later period.
        previous: The earlier period; it ends before the later one starts.
        filters: Conditions that the question came with.
        model: What open tables mean.
        pulls: What is known of other metrics: +1 where more of one raises this metric, -1 where it lowers it. A
            candidate that moved the other way is then ruled out.
        cancel: Asks running queries to stop.
        timeout_seconds: For each query.

    Raises:
        NotFound: The model has no such metric or dimension.
        OutOfScope: The metric cannot be taken apart (a median), or has no date.
        InvalidInput: The periods overlap.
        CalculationError: There is nothing to compare.
    """
    retriever = _retriever(source, model)
    asked = retriever.model.metric(metric)
    case = CaseFile(
        retriever, asked, current, previous, filters, cancel=cancel, timeout_seconds=timeout_seconds
    )
    days, above, below = case.daily()
    change = change_test(_dates(days), above, current, previous, weights=below, mean=case.form.per_day)
    field, focus, _ = case.field()
    inner = field if focus.all() else field.within(focus)
    expected, spread = _ordinary(change, case)
    apart = None if focus.all() else field.departure(focus)
    moved = apart is not None and apart.p_value < 0.01
    level, found = inner.parts(expected=expected, spread=spread, alpha=0.02, moved=moved)
    explanation = inner.told(level, found)
    whole = _everything(change, inner, level, expected, spread, bool(found)) or (moved and not found)
    chain = _chain(case)
    tree = _tree(case, chain)
    causes: tuple[Cause, ...] = ()
    ruled_out: tuple[Cause, ...] = ()
    if found or whole:
        parts = parts_of(field, focus, inner, level, found, whole=whole, expected=expected)
        inquiry = Inquiry(case, field, change.change, chain, pulls)
        causes, ruled_out = inquiry.causes(focused(parts, case.focus))
    if change.verdict is ChangeVerdict.SEASONAL:
        causes = (_seasonal(change), *causes)
    status = _status(change, bool(found), whole)
    segment_steps = [(_named(p.segment, case.model), p.excess) for p in explanation.parts]
    return Diagnosis(
        metric=metric,
        label=case.metric.label,
        unit=case.metric.unit,
        current=current,
        previous=previous,
        status=status,
        change=change,
        season=change.season,
        tree=tree,
        cuts=_cuts(inner, explanation),
        explanation=explanation,
        causes=causes,
        ruled_out=ruled_out,
        confidence=_confidence(status, change, causes),
        surer=_surer(case, change, causes),
        waterfall=_waterfall(
            change, [(e.name, e.contribution) for e in tree.effects] if tree else segment_steps
        ),
        series=_series(case, days, above, below),
        annotations=_annotations(causes),
        rows_scanned=case.rows,
        queries=tuple(case.queries),
        notes=(*change.notes, *explanation.notes, *case.notes),
        segment_waterfall=_waterfall(change, segment_steps),
    )


def _retriever(source: Retriever | Dataset, model: SemanticModel | None) -> Retriever:
    from gnomon.core.errors import InvalidInput
    from gnomon.semantic.retrieve import Retriever

    if isinstance(source, Retriever):
        return source
    if model is None:
        raise InvalidInput("Open tables need a model that says what they mean.", suggestions=["Pass model=…"])
    return Retriever.over(source, model)


def _dates(days: Ints) -> list[date]:
    return [date.fromordinal(int(d)) for d in days]


def _ordinary(change: ChangeTest, case: CaseFile) -> tuple[float | None, float | None]:
    """What the whole was expected to come to, in the sums of the field, and how far it strays as a fraction."""
    if change.expected is None or change.low is None or change.high is None:
        return None, None
    spread = math.log(change.high / change.low) / 4 if change.low > 0 else None
    scale = case.current.days if case.form.per_day else 1.0
    return change.expected * scale, spread


def _everything(
    change: ChangeTest, inner: Field, level: float, expected: float | None, spread: float | None, found: bool
) -> bool:
    """Whether everything moved beyond its ordinary course, apart from the segments that were found."""
    if change.verdict is not ChangeVerdict.UNUSUAL:
        return False
    if not found or expected is None or spread is None or inner.weights is not None:
        return not found
    rest = level * math.fsum(inner.values[1])
    return rest > 0 and expected > 0 and abs(math.log(rest / expected)) > 2.5 * spread


def _chain(case: CaseFile) -> tuple[str, ...]:
    """The measures that multiply to the metric, where there are any."""
    metric = case.metric
    if len(case.tables) != 1 or case.form.below is not None or metric.formula is not None:
        return ()
    rows = [m.name for m in case.model.metrics if m.table == metric.table and m.aggregation is Aggregation.COUNT
            and m.expression is None and not m.where]  # fmt: skip
    more = [*countable(case.model, metric), *volumes(case.model, metric)]
    totals = case.totals(dict.fromkeys([metric.name, *rows[:1], *(m.name for m in more)]))
    chain = measure_chain(case.model, metric, totals[1])
    return chain if len(chain) > 1 else ()


def _tree(case: CaseFile, chain: tuple[str, ...]) -> TreeDecomposition | None:
    if case.form.below is not None:
        return _ratio_tree(case)
    if not chain:
        return None
    after, before = case.totals(chain)
    kept = tuple(n for n in chain if n in after)
    return decompose_tree(before, after, factors(case.model, kept)) if len(kept) > 1 else None


def _ratio_tree(case: CaseFile) -> TreeDecomposition | None:
    """A ratio as what is above and what is below, where each is one measure."""
    form = case.form
    if form.below is None or len(form.above) > 1 or len(form.below) > 1:
        return None
    (top, by), (bottom, per) = form.above[0], form.below[0]
    if top.metric == bottom.metric:
        return None  # an average: its rows are no measure of their own
    after, before = case.totals([top.metric, bottom.metric])
    if len(after) < 2 or not before[bottom.metric] or not after[bottom.metric]:
        return None
    name = case.metric.name
    tree = (
        Factor(case.model.metric(top.metric).label, top.metric),
        Factor(case.model.metric(bottom.metric).label, "one", bottom.metric),
    )
    held = [
        {**m, "one": by / per, name: m[top.metric] * by / (m[bottom.metric] * per)} for m in (before, after)
    ]
    return decompose_tree(*held, tree, whole=name)


def _cuts(inner: Field, explanation: Explanation) -> tuple[SegmentCut, ...]:
    """Every cut with its largest effects; what is left is summed up, so that they still add up."""
    named = [tuple(d for d, _ in p.segment) for p in explanation.parts]
    made: list[SegmentCut] = []
    for cut in inner.cuts:
        sums = [np.bincount(cut.groups, inner.values[w], cut.size) for w in (1, 0)]
        weights = None
        if inner.weights is not None:
            weights = [np.bincount(cut.groups, inner.weights[w], cut.size) for w in (1, 0)]
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


def _status(change: ChangeTest, found: bool, whole: bool) -> DiagnosisStatus:
    if change.verdict is ChangeVerdict.UNUSUAL or whole:
        return DiagnosisStatus.UNUSUAL
    if change.verdict is ChangeVerdict.SEASONAL:
        return DiagnosisStatus.SEASONAL
    if found:
        return DiagnosisStatus.LOCAL
    return DiagnosisStatus.NORMAL if change.verdict is ChangeVerdict.NORMAL else DiagnosisStatus.UNTESTED


def _seasonal(change: ChangeTest) -> Cause:
    season = change.season
    size = change.before * (season.usual or 0.0)
    evidence = Evidence(
        "season",
        True,
        season.usual,
        season.p_value,
        season.test,
        "The same weeks of earlier years changed alike.",
    )
    return Cause(
        kind=CauseKind.SEASON,
        measure=None,
        label="the season",
        segment=(),
        verdict=Verdict.LIKELY,
        correlated_only=False,
        before=None,
        after=None,
        effect=size,
        share=season.explained,
        confidence=0.7 if season.years == 1 else 0.85,
        onset=None,
        effect_onset=None,
        timing=Timing.UNKNOWN,
        evidence=(evidence,),
    )


def _confidence(status: DiagnosisStatus, change: ChangeTest, causes: Sequence[Cause]) -> float:
    if causes:
        return causes[0].confidence
    if status is DiagnosisStatus.UNTESTED:
        return 0.2
    return float(np.clip(0.5 + change.comparisons / 60, 0.5, 0.95))


def _surer(case: CaseFile, change: ChangeTest, causes: Sequence[Cause]) -> tuple[str, ...]:
    told: list[str] = []
    if change.verdict is ChangeVerdict.UNTESTED:
        told.append("A longer history: with more earlier periods a change can be told from chance.")
    if change.season.years == 0:
        told.append("Data of an earlier year, to see whether the season does this.")
    for cause in causes[:2]:
        where = _named(cause.segment, case.model)
        if cause.kind is CauseKind.UNRECORDED:
            told.append(
                f"A record of what happened to {where or 'all of it'}: nothing in the data moved there."
            )
        elif cause.kind is CauseKind.DRIVER:
            told.append(f"A record of what drives {cause.label} in {where or 'all of it'}.")
        elif cause.correlated_only:
            told.append(
                f"Something that {cause.label} did not touch, to compare with: so far both only moved together."
            )
    return tuple(dict.fromkeys(told))


def _named(segment: tuple[tuple[str, object], ...], model: SemanticModel) -> str:
    return " · ".join(f"{model.dimension(d).label} {'(none)' if v is None else v}" for d, v in segment)


def _waterfall(change: ChangeTest, steps: Sequence[tuple[str, float]]) -> tuple[WaterfallStep, ...]:
    total = change.before
    made = [WaterfallStep("before", change.before, change.before, "start")]
    for label, amount in steps:
        total += amount
        made.append(WaterfallStep(label or "everything alike", amount, total, "step"))
    rest = change.after - total
    if abs(rest) > 1e-9 * max(abs(change.after), abs(change.before), 1e-300):
        made.append(WaterfallStep("everything else", rest, change.after, "step"))
    made.append(WaterfallStep("after", change.after, change.after, "end"))
    return tuple(made)


def _series(case: CaseFile, days: Ints, above: Floats, below: Floats | None) -> tuple[SeriesPoint, ...]:
    """The days around the periods, each with the average of the same weekday of the four weeks before the earlier."""
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
        past = [case.previous.start - timedelta(days=k) for k in range(1, 29)]
        seen = [
            v
            for d in past
            if d.weekday() == weekday and (v := value(d)) is not None and d.toordinal() >= days[0]
        ]
        if seen:
            usual[weekday] = math.fsum(seen) / len(seen)
    first = max(case.previous.start - timedelta(days=_AROUND), date.fromordinal(int(days[0])))
    span = (case.current.end - first).days + 1
    points: list[SeriesPoint] = []
    for day in (first + timedelta(days=i) for i in range(span)):
        period = next(
            (
                n
                for n, p in (("current", case.current), ("previous", case.previous))
                if p.start <= day <= p.end
            ),
            None,
        )
        points.append(SeriesPoint(day, value(day), usual.get(day.weekday()), period))
    return tuple(points)


def _annotations(causes: Sequence[Cause]) -> tuple[Annotation, ...]:
    strong = (Verdict.LIKELY, Verdict.CONTRIBUTING)
    return tuple(
        Annotation(c.onset, c.label, i)
        for i, c in enumerate(causes)
        if c.onset is not None and c.verdict in strong
    )
