"""One question of several: of each period or value that was listed, and of all of them together."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from gnomon.core.parts import Comparison, FilterOperator, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.planning.reader.audit import audit
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import operators
from gnomon.planning.reader.unheard import unheard_denials
from gnomon.semantic import Additivity, Aggregation


def siblings(draft: Draft, names: Names) -> list[Draft]:
    """The same question for the other periods or values that were named, or for the other end of a ranking."""
    if draft.both_ends and draft.kind is QuestionKind.RANKING:
        return [replace(draft, descending=not draft.descending, both_ends=False)]
    if draft.kind in _OF_ONE and len(draft.metrics) > 1:
        return _one_by_one(draft, names)
    if (steps := _in_a_row(draft, names)) is not None:
        return steps
    if (series := _total_first(draft)) is not None:
        return series
    if draft.listed is not None and not draft.other_periods:
        return _each_listed(draft, names)
    apart = [replace(draft, recurring=days, other_recurring=[]) for days in draft.other_recurring]
    return apart or [replace(draft, time_range=period, other_periods=[]) for period in draft.other_periods]


_FEW = 12
_OF_ONE = (QuestionKind.DISTRIBUTION, QuestionKind.ANOMALY)


def _each_listed(draft: Draft, names: Names) -> list[Draft]:
    """“in the north and the south” may mean each of them or both together, so both are told.

    What adds up leads with the sum; an average over a list joined by “and” leads with that of each.
    """
    field, joined = draft.listed or ("", "")
    if field.startswith("@"):
        pooled = draft.kind is QuestionKind.VALUE and not draft.dimensions and draft.grain is None
        return [replace(draft, dimensions=[field], kind=QuestionKind.BREAKDOWN)] if pooled else []
    held = next((f for f in draft.filters if f.field == field and f.operator is FilterOperator.IN), None)
    free = not draft.dimensions and draft.grain is None and draft.comparison is None and not draft.part
    if held is None or draft.kind is not QuestionKind.VALUE or not free or not 1 < len(held.values) <= _FEW:
        return []
    metrics = [names.model.metric(m) for m in draft.metrics]
    if not all(names.model.reaches(m, names.model.dimension(field)) for m in metrics):
        return []
    each = replace(draft, dimensions=[field], kind=QuestionKind.BREAKDOWN)
    if len(metrics) == 1 and all(isinstance(v, str) for v in held.values):
        each.kind = QuestionKind.COMPARISON
        each.comparison = Comparison(kind="group", groups=tuple(str(v) for v in held.values))
    if _adds_up(draft, names) or joined == "or":
        return [each]
    together = replace(draft)
    draft.kind, draft.dimensions, draft.comparison = each.kind, each.dimensions, each.comparison
    return [together]


def _total_first(draft: Draft) -> list[Draft] | None:
    """“total charges in 2024, by appointment date”: the date may only say which one counts, so the total leads."""
    asked = draft.kind is QuestionKind.TREND and draft.time_range is not None and not draft.dimensions
    sentence = draft.heard
    if not asked or sentence is None or draft.time_dimension is None or not draft.is_plain:
        return None
    sums = {word for (word, *more), op in operators().items() if op.payload is Aggregation.SUM and not more}
    whole = any(w.lower in sums for w in sentence.words)
    stepped = any(x.time is not None and x.time.kind == "grain" for _, x in sentence)
    if not whole or stepped or draft.grain is not TimeGranularity.DAY:
        return None
    series = replace(draft)
    draft.kind, draft.grain = QuestionKind.VALUE, None
    return [series]


def _one_by_one(draft: Draft, names: Names) -> list[Draft]:
    """“the distribution of age and fare” is that of each; what was said is judged by both before they part."""
    if draft.heard is not None:
        draft.unexplained += audit(draft, draft.heard, names) + unheard_denials(draft.heard)
        draft.heard = None
    first, *others = draft.metrics
    draft.metrics = [first]
    return [replace(draft, metrics=[m]) for m in others]


def _adds_up(draft: Draft, names: Names) -> bool:
    metrics = [names.model.metric(m) for m in draft.metrics]
    return all(m.additivity is not Additivity.NON_ADDITIVE or is_count(m) for m in metrics)


def _in_a_row(draft: Draft, names: Names) -> list[Draft] | None:
    """“in January, February and March”: periods that follow each other are steps of one series, and one period.

    What is counted leads with the whole; other things with the steps.
    """
    series = draft.kind is QuestionKind.TREND and draft.grain is not None  # "by week in May and June"
    if (
        draft.time_range is None
        or not draft.other_periods
        or not (series or draft.kind is QuestionKind.VALUE)
    ):
        return None
    periods = sorted([draft.time_range, *draft.other_periods], key=lambda p: p.start)
    gaps = {(b.start - a.end).days for a, b in pairwise(periods)}
    if len({p.granularity for p in periods}) != 1 or gaps != {1}:
        return None
    step = periods[0].granularity
    whole = TimeRange(start=periods[0].start, end=periods[-1].end, granularity=step)
    if series:
        draft.time_range, draft.other_periods = whole, []
        return []
    together = replace(draft, time_range=whole, other_periods=[])
    apart = [replace(draft, time_range=p, other_periods=[]) for p in periods]
    if len(periods) > 2:
        apart = [replace(together, grain=step, kind=QuestionKind.TREND)]
    counted = all(is_count(names.model.metric(m)) for m in draft.metrics)
    first, *others = [together, *apart] if counted else [*apart, together]
    draft.time_range, draft.other_periods = first.time_range, []
    draft.grain, draft.kind = first.grain, first.kind
    return others
