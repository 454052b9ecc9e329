"""What a change is made of beside segments: shifting shares, the parts of a sum, a few days, rows that came twice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from itertools import combinations, product
from typing import Any

import numpy as np

from gnomon.analytics.casefile import CaseFile
from gnomon.analytics.drivers import SegmentEffect, segment_effects
from gnomon.analytics.inputs import Floats, Ints, added_up
from gnomon.analytics.results import Result
from gnomon.analytics.segment_field import Cut, Field
from gnomon.core.parts import Filter
from gnomon.core.query import TimeRange
from gnomon.semantic.model import Aggregation, Metric
from gnomon.semantic.panel import PanelQuery, sum_form

_HALF = 0.5
_BEYOND = 4.0  # how many times as far as usual shares must have shifted
_MOST_SUMS, _MOST_PARTS, _EXACT = 8, 3, 1e-5
_FEWEST_DAYS, _WEEKS, _FAR, _MOST_OF_DAYS = 7, 8, 6.0, 0.4
_COPIED, _HARDLY = 0.03, 0.002


@dataclass(frozen=True, slots=True)
class Mix(Result):
    """What shifting shares did to a ratio, while each group may have kept its own.

    Attributes:
        dimension: What the groups are of.
        value: The group whose share moved most, and with it the ratio.
        before: Its share before, of what the ratio is over.
        after: Its share after.
        own: Its own ratio in the earlier period, or in the later where it is new.
        effect: What the shares of all groups did to the ratio.
        within: What changed within groups; both add up to the change.
        share: ``effect`` over the change.
    """

    dimension: str
    value: Any
    before: float
    after: float
    own: float | None
    effect: float
    within: float
    share: float


def mix_of(field: Field) -> Mix | None:
    """The dimension whose shifting shares make most of a ratio's change; None where they shift no more than ever."""
    if field.weights is None:
        return None
    singles = [c for c in field.cuts if len(c.dimensions) == 1]
    found = [mix for cut in singles if (mix := _mix(field, field.weights, cut)) is not None]
    return max(found, key=lambda m: (min(m.share, 1.0), -len(m.dimension)), default=None)


def _mix(field: Field, weights: Floats, cut: Cut) -> Mix | None:
    values = np.array([added_up(cut.groups, v, cut.size) for v in field.values])
    below = np.array([added_up(cut.groups, w, cut.size) for w in weights])
    kept = [w for w in range(len(below)) if below[w].sum() > 0]
    if kept[:2] != [0, 1]:
        return None

    def made(now: int, then: int) -> tuple[float, float, list[SegmentEffect]]:
        return segment_effects(cut.names, values[then], values[now], below[then], below[now])

    first, last, effects = made(0, 1)
    mix, change = math.fsum(e.mix or 0.0 for e in effects), last - first
    if not change or mix / change < _HALF:
        return None
    past = [
        abs(math.fsum(e.mix or 0.0 for e in made(w, w + 1)[2]))
        for w in kept[1:]
        if w + 1 in kept
    ]  # fmt: skip
    # Rows that fall into groups by chance shift shares too.
    spread = math.fsum(
        float(s) / below[1].sum() * ((e.before if e.before is not None else first) - first) ** 2
        for s, e in zip(below[1], sorted(effects, key=lambda e: cut.names.index(e.segment)), strict=True)
    )
    chance = math.sqrt(spread * (1 / below[0].sum() + 1 / below[1].sum()))
    usual = max(1.4826 * float(np.median(past)) if len(past) >= 3 else 0.0, chance)
    if abs(mix) <= _BEYOND * usual:
        return None
    shares = {
        s: (float(below[1][i] / below[1].sum()), float(below[0][i] / below[0].sum()))
        for i, s in enumerate(cut.names)
    }
    # The share that moved most, among those that moved the ratio this way.
    fitting = [e for e in effects if (e.mix or 0.0) * mix > 0]
    top = max(fitting, key=lambda e: abs(shares[e.segment][1] - shares[e.segment][0]))
    share_before, share_after = shares[top.segment]
    own = top.before if top.before is not None else top.after
    (dimension, value), *_ = top.segment
    return Mix(dimension, value, share_before, share_after, own, mix, change - mix, mix / change)


@dataclass(frozen=True, slots=True)
class SumPart(Result):
    """One part of a sum: turnover (+) and expenses (-) of a profit."""

    metric: str
    label: str
    sign: int
    before: float
    after: float

    @property
    def contribution(self) -> float:
        """What it adds to the change of the whole."""
        return self.sign * (self.after - self.before)


def sum_parts(case: CaseFile, filters: tuple[Filter, ...] = ()) -> tuple[SumPart, ...]:
    """Other sums of the same rows that add up to the metric in every period; empty where none do."""
    metric = case.metric
    if metric.aggregation is not Aggregation.SUM or metric.table is None or metric.formula or metric.where:
        return ()
    others = [m for m in case.model.metrics if _may_be_part(m, metric)][:_MOST_SUMS]
    forms = [sum_form(case.model, m) for m in (metric, *others)]
    known = [
        (m, f) for m, f in zip((metric, *others), forms, strict=True) if f is not None and f.below is None
    ]
    if len(known) < 3 or known[0][0] is not metric:
        return ()
    components = tuple(dict.fromkeys(c for _, f in known for c in f.components))
    panel = case.scan(
        PanelQuery(metric.table, components, (), case.windows, False, (*case.focus, *case.filters, *filters))
    )
    if panel.window is None:
        return ()
    sums = [added_up(panel.window, panel.total(f.above), len(case.windows)) for _, f in known]
    whole = sums[0]
    for count in range(2, min(_MOST_PARTS, len(sums) - 1) + 1):
        for chosen in combinations(range(1, len(sums)), count):
            size = np.sum([np.abs(sums[i]) for i in chosen], axis=0)
            for signs in product((1, -1), repeat=count):
                made = np.sum([s * sums[i] for s, i in zip(signs, chosen, strict=True)], axis=0)
                if (np.abs(made - whole) <= _EXACT * size).all() and (size > 0).sum() >= 2:
                    return tuple(
                        SumPart(known[i][0].name, known[i][0].label, s, float(sums[i][1]), float(sums[i][0]))
                        for s, i in zip(signs, chosen, strict=True)
                    )
    return ()


def _may_be_part(other: Metric, metric: Metric) -> bool:
    return (
        other.table == metric.table
        and other.name != metric.name
        and other.aggregation is Aggregation.SUM
        and other.formula is None
        and not other.where
        and other.unit == metric.unit
    )


@dataclass(frozen=True, slots=True)
class OddDays(Result):
    """A few days of the later period that make most of the change.

    Attributes:
        first: The first of them.
        last: The last of them.
        count: How many there are.
        value: What they came to.
        usual: What the same weekdays before came to.
        share: What they are of the change, where that went the same way.
        empty: Whether they have no rows at all.
    """

    first: date
    last: date
    count: int
    value: float
    usual: float
    share: float | None
    empty: bool

    @property
    def span(self) -> TimeRange | None:
        """The days as a period, where they follow each other without a gap."""
        together = (self.last - self.first).days + 1 == self.count
        return TimeRange(start=self.first, end=self.last) if together else None


def odd_days(
    days: Ints, above: Floats, current: TimeRange, change: float, departure: float
) -> OddDays | None:
    """The days that the departure of a sum from its course comes down to; None where it is spread over the period.

    Args:
        days: The days that have rows, as ordinals, in order.
        above: The sum of each.
        current: The later period.
        change: How far it lies from the earlier one.
        departure: How far it lies from what was to be expected.
    """
    start, length = current.start.toordinal(), current.days
    before = start - int(days[0])
    if length < _FEWEST_DAYS or before < 4 * 7 or start > int(days[-1]) or not departure:
        return None
    held = added_up(days - days[0], above, int(days[-1] - days[0]) + 1)
    seen = np.zeros(len(held), dtype=np.bool_)
    seen[days - days[0]] = True
    now = held[before : before + length]
    past = held[max(0, before - 7 * _WEEKS) : before]
    past = past[len(past) % 7 :].reshape(-1, 7)
    usual = np.resize(np.median(past, axis=0), len(now))
    spread = 1.4826 * float(np.median(np.abs(past - np.median(past, axis=0))))
    left = now - usual
    odd = left * np.sign(departure) > _FAR * max(spread, 1e-12 + 0.02 * float(np.abs(usual).mean()))
    moved = float(left[odd].sum())
    if not odd.any() or odd.sum() > _MOST_OF_DAYS * length or moved / departure < 0.6:
        return None
    at = np.flatnonzero(odd)
    first, last = (date.fromordinal(start + int(i)) for i in (at[0], at[-1]))
    empty = not seen[before : before + length][odd].any()
    share = moved / change if change and 0 < moved / change <= 3 else None
    return OddDays(first, last, len(at), float(now[odd].sum()), float(usual[odd].sum()), share, empty)


@dataclass(frozen=True, slots=True)
class Copies(Result):
    """Rows of both periods that repeat another row exactly."""

    table: str
    before: int
    after: int
    rows: int


def copies_of(case: CaseFile) -> Copies | None:
    """Rows that repeat another one exactly in the later period and hardly in the earlier: loaded twice, as it seems."""
    time = case.model.time_dimension(case.metric)
    if len(case.tables) != 1 or time is None or time.home.table not in case.tables:
        return None
    counted: list[tuple[int, int]] = []
    for period in (case.previous, case.current):
        made = case.counted(time.home.table, time.home.column, period)
        if made is None:
            return None
        counted.append(made)
    (rows_before, apart_before), (rows, apart) = counted
    before, after = rows_before - apart_before, rows - apart
    if after < max(2, _COPIED * rows) or before > _HARDLY * rows_before:
        return None
    return Copies(time.home.table, before, after, rows)
