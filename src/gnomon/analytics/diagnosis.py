"""Diagnosis: one question of why, from the change itself down to what caused it and what did not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from gnomon.analytics.casefile import CaseFile
from gnomon.analytics.causes import Cause, CauseKind, Evidence, Timing, Verdict
from gnomon.analytics.composition import copies_of, mix_of, odd_days
from gnomon.analytics.drivers import Factor, TreeDecomposition, decompose_tree
from gnomon.analytics.explanation import Search
from gnomon.analytics.findings import Diagnosis as Diagnosis
from gnomon.analytics.findings import DiagnosisStatus as DiagnosisStatus
from gnomon.analytics.findings import annotations_of, cuts_of, named, series_of, waterfall_of
from gnomon.analytics.inputs import Ints
from gnomon.analytics.inquiry import Inquiry
from gnomon.analytics.metric_trees import countable, factors, measure_chain, volumes
from gnomon.analytics.parts import focused, parts_of
from gnomon.analytics.rebound import is_rebound
from gnomon.analytics.segment_field import Field
from gnomon.analytics.significance import ChangeTest, ChangeVerdict, change_test
from gnomon.core.parts import Filter
from gnomon.core.query import TimeRange
from gnomon.semantic.model import Aggregation, SemanticModel

if TYPE_CHECKING:
    from gnomon.data import Dataset
    from gnomon.semantic.backends import Stoppable
    from gnomon.semantic.retrieve import Retriever

_ALPHA = 0.02
_COUNTED = 0.9  # how sure what was counted is
_MOST = 0.75  # of a change that segments must account for before nothing else is looked for


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
    look_back: bool = True,
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
        look_back: Whether it is looked at if the earlier period was the one out of the ordinary.

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
    chain = _chain(case)
    inquiry = Inquiry(case, field, change.change, chain, pulls)
    search = Search(inner)
    level, found = search.parts(
        expected=expected, spread=spread, alpha=_ALPHA, moved=moved, suspects=inquiry.suspects()
    )
    explanation = search.told(level, found)
    whole = _everything(change, inner, level, expected, spread, bool(found))
    if moved and (explanation.explained is None or explanation.explained < _MOST):
        whole = True
    tree = _tree(case, chain)
    causes: tuple[Cause, ...] = ()
    ruled_out: tuple[Cause, ...] = ()
    if found or whole:
        parts = parts_of(field, focus, inner, level, found, whole=whole, expected=expected)
        causes, ruled_out = inquiry.causes(focused(parts, case.focus))
    if change.verdict is ChangeVerdict.SEASONAL:
        causes = (_seasonal(change), *causes)
    status = _status(change, bool(found), whole)
    beyond = status is not DiagnosisStatus.NORMAL or not change.is_usual
    mix = mix_of(inner) if beyond and not case.form.per_day else None
    usual = change.before if change.expected is None else change.expected
    sums = beyond and case.form.below is None and not case.form.per_day
    odd = odd_days(days, above, current, change.change, change.after - usual) if sums else None
    copies = copies_of(case) if sums and change.change > 0 else None
    if mix is not None or copies is not None or (odd is not None and odd.empty):
        causes = tuple(c for c in causes if c.kind is not CauseKind.UNRECORDED or c.segment)
    earlier: Diagnosis | None = None
    named_one = any(
        c.kind is not CauseKind.UNRECORDED and c.verdict is not Verdict.COINCIDENT for c in causes
    )
    if (
        look_back
        and not found
        and not named_one
        and mix is None
        and odd is None
        and copies is None
        and change.verdict is not ChangeVerdict.SEASONAL
    ):
        mean = case.form.per_day
        part = None if focus.all() else (field, focus)
        if is_rebound(inner, change, case.windows, days, above, below, mean=mean, apart=part):
            earlier = diagnose(
                retriever, metric, previous, case.windows[2], filters, pulls=pulls, cancel=cancel,
                timeout_seconds=timeout_seconds, look_back=False,
            )  # fmt: skip
            told = earlier.explanation.parts or earlier.causes
            if earlier.status in (DiagnosisStatus.NORMAL, DiagnosisStatus.UNTESTED) or not told:
                earlier = None
            else:
                causes = ()
    segment_steps = [(named(p.segment, case.model), p.excess) for p in explanation.parts]
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
        cuts=cuts_of(inner, explanation),
        explanation=explanation,
        causes=causes,
        ruled_out=ruled_out,
        confidence=_confidence(status, change, causes) if mix is None and copies is None else _COUNTED,
        surer=_surer(case, change, causes),
        waterfall=waterfall_of(
            change, [(e.name, e.contribution) for e in tree.effects] if tree else segment_steps
        ),
        series=series_of(current, previous, days, above, below),
        annotations=annotations_of(causes),
        rows_scanned=case.rows,
        queries=tuple(case.queries),
        notes=(*change.notes, *explanation.notes, *case.notes),
        segment_waterfall=waterfall_of(change, segment_steps),
        earlier=earlier,
        mix=mix,
        odd_days=odd,
        copies=copies,
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
    if form.below is None or len(form.above) != 1 or len(form.below) != 1:
        return None
    (top, by), (bottom, per) = next(iter(form.above)), next(iter(form.below))
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
    return decompose_tree(held[0], held[1], tree, whole=name)


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
    size = (change.before if season.relative else 1.0) * (season.usual or 0.0)
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
    if status is DiagnosisStatus.NORMAL and not change.is_usual:
        return 0.5  # beyond the usual range, and not far enough beyond it
    return float(np.clip(0.5 + change.comparisons / 60, 0.5, 0.95))


def _surer(case: CaseFile, change: ChangeTest, causes: Sequence[Cause]) -> tuple[str, ...]:
    told: list[str] = []
    if change.verdict is ChangeVerdict.UNTESTED:
        told.append("A longer history: with more earlier periods a change can be told from chance.")
    if change.season.years == 0:
        told.append("Data of an earlier year, to see whether the season does this.")
    for cause in causes[:2]:
        where = named(cause.segment, case.model)
        if cause.kind is CauseKind.UNRECORDED:
            told.append(
                f"A record of what happened to {where}: nothing in the data moved there."
                if where
                else "A record of what happened then: nothing in the data moved with it."
            )
        elif cause.kind is CauseKind.DRIVER:
            told.append(f"A record of what drives {cause.label}{' in ' if where else ''}{where}.")
        elif cause.correlated_only:
            told.append(
                f"Something that {cause.label} did not touch, to compare with: so far both only moved together."
            )
    return tuple(dict.fromkeys(told))
