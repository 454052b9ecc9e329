"""What speaks for and against a candidate cause: whether and when it moved, where, and what the metric did there."""

from __future__ import annotations

import math
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Any

import numpy as np

from gnomon.analytics.inputs import Bools, Floats, numbers
from gnomon.analytics.results import Result


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
class Effect:
    """What happened to the metric, unit by unit: what came, what was expected without it, and how sure that is.

    Args:
        actual: What came, for each unit.
        expected: What was expected of it had the rest happened but not this.
        variance: How far it strays by itself.
        inside: Which units the effect is about; None where the units do not tell (a region that the candidate's table
            does not have).
        wider: The units that what can be told of the segment selects.
        size: The effect in units of the metric.
        change: The whole change of the metric.
        apart: Units that something else happened to, which are no controls.
        everything: Whether it happened to everything.
        same_rows: Whether the candidate is told by the very rows of the metric.
    """

    actual: Floats
    expected: Floats
    variance: Floats
    inside: Bools | None
    wider: Bools
    size: float
    change: float
    apart: Bools
    everything: bool = False
    same_rows: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """Another series, window by window and unit by unit.

    Args:
        measure: The metric's name.
        label: What people call it.
        above: Its sums, (window, unit); window 0 is the later period.
        below: What they are divided by; None for a sum.
        days: How many days each window has.
        per_day: Whether its figure is the average over days (a stock level).
        pull: +1 where more of it is known to raise the metric, -1 where it lowers it, None where nothing is known.
        good: +1 where the model calls more of both good or more of both bad, -1 where it calls one good, one bad.
    """

    measure: str
    label: str
    above: Floats
    below: Floats | None
    days: Floats
    pull: int | None = None
    good: int | None = None
    per_day: bool = False

    def windows(self, units: Bools) -> Floats:
        """Its value in each window over some units; NaN where it has none."""
        if self.below is None:
            return self.above[:, units].sum(axis=1) / self.days
        # An average is taken over the same mix of units throughout: other units alone are no movement.
        mix = self.below[:, units].sum(axis=0)
        held = self.by_unit()[:, units]
        known = ~np.isnan(held)
        weight = (known * mix).sum(axis=1)
        above = (np.nan_to_num(held) * mix).sum(axis=1)
        return np.divide(above, weight, out=np.full_like(above, np.nan), where=weight > 0)

    def plain(self, units: Bools) -> Floats:
        """Its figure in each window over some units, as anybody would compute it: a sum, or a plain average."""
        above = self.above[:, units].sum(axis=1)
        if self.below is None:
            return above / self.days if self.per_day else above
        below = self.below[:, units].sum(axis=1)
        return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)

    def by_unit(self) -> Floats:
        """Its value in each window and unit; NaN where it has none."""
        if self.below is None:
            return self.above / self.days[:, None]
        return np.divide(self.above, self.below, out=np.full_like(self.above, np.nan), where=self.below > 0)


@dataclass(frozen=True, slots=True)
class Onset:
    """When the level of a series changed: the likeliest day, and the days it may have been."""

    day: date
    earliest: date
    latest: date


_MOVED = 0.05


_DRIFTS = 10.0  # how much likelier a drift has to be than a step
_FEWEST_OF_A_DRIFT = 7
_FAR = 3.0  # standard deviations of its own past at which a unit counts as exposed


def onset(days: Sequence[date], values: Any, *, usual: int = 0) -> Onset | None:
    """When the level of a daily series changed most, or began to drift, weekdays taken out; None where it cannot be told.

    Args:
        days: The days, in order.
        values: The values; NaN where there are none.
        usual: How many of the first days are ordinary: the weekly pattern is taken from them.
    """
    y = numbers(values)
    known = ~np.isnan(y)
    if known.sum() < 6:
        return None
    y = _without_weekdays(days, y, usual)
    at, kept = np.flatnonzero(known), y[known]
    n = len(kept)
    total, squares = np.cumsum(kept), np.cumsum(kept**2)
    cuts = np.arange(2, n)  # the new level may have lasted a single day so far
    left, right = total[cuts - 1], total[-1] - total[cuts - 1]
    error = squares[-1] - left**2 / cuts - right**2 / (n - cuts)
    best = float(error.min())
    scale = max(best, 1e-12 * float(squares[-1] or 1.0))
    if float(((kept - kept.mean()) ** 2).sum()) <= scale * 1.0001:
        return None
    drifting = _drifts(kept, cuts)
    if n * np.log(scale / max(float(drifting.min()), 1e-12 * float(squares[-1] or 1.0))) > _DRIFTS:
        error, scale = drifting, max(float(drifting.min()), 1e-12 * float(squares[-1] or 1.0))
    near = np.flatnonzero(n * np.log(np.maximum(error, scale) / scale) <= 4.0)
    where = int(np.argmin(error))
    likeliest, first, last = (days[int(at[cuts[i]])] for i in (where, near[0], near[-1]))
    return Onset(likeliest, first, last)


def _drifts(y: Floats, cuts: Any) -> Floats:
    """What a level that goes over into a straight line at each cut leaves unexplained."""
    n = len(y)
    along = np.maximum(np.arange(n)[None, :] - cuts[:, None] + 1.0, 0.0)
    along = along - along.mean(axis=1, keepdims=True)
    off = y - y.mean()
    explained = (along @ off) ** 2 / np.maximum((along**2).sum(axis=1), 1e-12)
    # The last days alone are a step, however they go on.
    return np.where(n - cuts >= _FEWEST_OF_A_DRIFT, (off**2).sum() - explained, np.inf)


def _without_weekdays(days: Sequence[date], y: Floats, usual: int) -> Floats:
    weekday = np.array([d.weekday() for d in days])
    first = y[:usual]
    if usual < 14 or np.isnan(first).all():
        return y
    middle = np.nanmean(first)
    out = y.copy()
    for w in range(7):
        held = first[weekday[:usual] == w]
        if (~np.isnan(held)).sum() >= 2:
            out[weekday == w] -= np.nanmean(held) - middle
    return out


def direction_of(candidate: Candidate, score: float, effect: Effect) -> Evidence | None:
    """Whether it moved the way it is known to pull; what is merely good or bad to have can only speak for it."""
    sign = candidate.pull or candidate.good
    if sign is None:
        return None
    fits = bool((score * sign < 0) == (effect.size < 0))
    if candidate.pull is not None:
        says = "It moved the way that is known to have such an effect." if fits else "It moved the other way."
        return Evidence("direction", fits, None, None, "declared for this pair", says)
    if not fits:
        return None
    return Evidence(
        "direction", True, None, None, "what the model calls good and bad", "Both moved for better or worse."
    )


def movement_of(candidate: Candidate, x: Floats, inside: Bools, tests: int) -> tuple[Evidence, float]:
    """Whether the candidate left its usual course, in standard deviations of it, corrected for how many are looked at."""
    from scipy import stats

    test = "the later period against earlier ones of the same length, robust spread, Student t, Bonferroni"
    past = x[1:][~np.isnan(x[1:])]
    if np.isnan(x[0]) or len(past) < 2:
        return Evidence("movement", None, None, None, test, "There is too little of it to tell."), 0.0
    middle = float(np.median(past))
    own = max(1.4826 * float(np.median(np.abs(past - middle))), 0.5 * float(past.std(ddof=1)))
    floor = max(0.004 * abs(middle), 0.5 * _pooled(candidate, inside))
    spread = max(own, floor)
    score = (
        float(np.clip((x[0] - middle) / spread, -60, 60)) if spread > 0 else (60.0 * np.sign(x[0] - middle))
    )
    p = float(min(1.0, 2 * stats.t.sf(abs(score), max(2, len(past) - 1)) * tests))
    holds = p < _MOVED
    relative = (float(x[0]) - middle) / abs(middle) if middle else None
    says = "It left its usual course." if holds else "It stayed in its usual course."
    return Evidence("movement", holds, relative, p, test, says), float(score)


def _pooled(candidate: Candidate, inside: Bools) -> float:
    """How far single units stray, brought to the size of those looked at: where one stands still others may not."""
    by_unit = candidate.by_unit()[1:]
    with np.errstate(invalid="ignore"), _quiet():
        variances = np.nanvar(by_unit, axis=0, ddof=1)
    variances = variances[~np.isnan(variances)]
    if not len(variances):
        return 0.0
    typical = math.sqrt(float(np.sort(variances)[: max(1, int(0.98 * len(variances)))].mean()))
    units = max(1, int(inside.sum()))
    return typical * math.sqrt(units) if candidate.below is None else typical / math.sqrt(units)


def timing_of(began: Onset | None, moved: Onset | None) -> tuple[Timing, Evidence]:
    test = "the best single step of each daily series, with the days it may have been"
    if began is None or moved is None:
        return Timing.UNKNOWN, Evidence("timing", None, None, None, test, "When it moved cannot be told.")
    lead = float((began.day - moved.day).days)
    # A record may be written a day or two later than what it is about.
    if moved.earliest > began.latest + timedelta(days=2):
        return Timing.AFTER, Evidence(
            "timing", False, lead, None, test, "It moved only after the effect began."
        )
    if moved.latest < began.earliest:
        return Timing.BEFORE, Evidence("timing", True, lead, None, test, "It moved before the effect began.")
    return Timing.SAME, Evidence("timing", True, lead, None, test, "It moved when the effect began.")


def echo_of(x: Floats, candidate: Candidate, echoes: Sequence[tuple[str, Floats]]) -> Evidence | None:
    """Whether the candidate merely follows the metric or one of its factors, as it always does."""
    if candidate.below is not None:
        return None
    for _, series in echoes:
        follow = np.divide(x, series, out=np.full_like(x, np.nan), where=series > 0)
        past = follow[1:][~np.isnan(follow[1:])]
        if len(past) < 3 or float(np.median(past)) <= 0:
            continue
        level = float(np.median(past))
        stray = max(
            1.4826 * float(np.median(np.abs(past - level))), 0.5 * float(past.std(ddof=1)), 0.02 * level
        )
        steady = stray < 0.25 * level
        if not steady:
            continue
        shrunk = series[0] <= 0.03 * float(np.median(series[1:])) and x[0] <= 0.03 * float(np.median(x[1:]))
        if shrunk or (not np.isnan(follow[0]) and abs(follow[0] - level) < 3 * stray):
            return Evidence(
                "echo", False, None, None, "its quotient to a factor of the metric against earlier periods",
                "It follows a factor of the metric as it always does, and tells nothing of its own.",
            )  # fmt: skip
    return None


@dataclass(frozen=True, slots=True)
class Exposure:
    """Where the candidate moved and what the metric did there and elsewhere."""

    coverage: float
    controlled: bool
    evidence: tuple[Evidence, ...]


@contextmanager
def _quiet() -> Generator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def _unit_scores(candidate: Candidate) -> tuple[Floats, Floats, Floats]:
    """How far each unit left its usual course: in standard deviations, in its own units, and relative to its level."""
    by_unit = candidate.by_unit()
    past = by_unit[1:]
    known = (~np.isnan(past)).sum(axis=0)
    with _quiet():
        centre = np.nanmedian(past, axis=0)
        squares = np.nansum((past - np.nanmean(past, axis=0)) ** 2, axis=0)
    enough = known >= 2
    pooled = _trimmed_mean(squares[enough] / (known[enough] - 1)) if enough.any() else 0.0
    variance = (squares + 4 * pooled) / np.maximum(known - 1 + 4, 1)
    move = by_unit[0] - centre
    floor = (0.004 * np.abs(centre)) ** 2
    spread = np.sqrt(np.maximum(variance, floor))
    z = np.divide(
        move,
        spread,
        out=np.where(np.nan_to_num(move) != 0, 60.0 * np.sign(np.nan_to_num(move)), 0.0),
        where=spread > 0,
    )
    gone = np.isnan(move)
    move, level = np.where(gone, 0.0, move), np.nan_to_num(np.abs(centre))
    relative = np.divide(move, level, out=np.where(move != 0, np.nan, 0.0), where=level > 0)
    return np.where(gone, 0.0, np.clip(z, -60, 60)), move, np.clip(relative, -10, 10)


def _trimmed_mean(values: Floats) -> float:
    flat = np.sort(values)
    return float(flat[: max(1, int(0.98 * len(flat)))].mean()) if len(flat) else 0.0


def exposure_of(candidate: Candidate, effect: Effect, score: float) -> Exposure:
    """Split units by whether the candidate moved there, and compare what the metric did."""
    assert effect.inside is not None
    inside, sign = effect.inside, math.copysign(1.0, score)
    z, move, relative = _unit_scores(candidate)
    exposed = z * sign >= _FAR
    # Where there usually is nothing, what counts is how much there is against the segment's own.
    amount = float(np.median(np.abs(move[inside & exposed]))) if (inside & exposed).any() else 0.0
    relative = np.where(np.isnan(relative), move / amount if amount else np.sign(move), relative)
    typical = np.median(np.abs(relative[inside & exposed])) if (inside & exposed).any() else 0.0
    exposed &= np.abs(relative) >= 0.25 * typical
    # Between moved and still lie units that are too small to tell; they speak neither for nor against.
    still = ~exposed & (np.abs(z) < 2) & (np.abs(relative) < max(0.3 * typical, 0.02))
    excess = effect.actual - effect.expected
    whole = float(excess[inside].sum())

    def covered(units: Bools) -> float:
        return float(np.clip(float(excess[inside & units].sum()) / whole, 0, 1)) if whole else 0.0

    if covered(exposed) < 0.3 and abs(score) >= 5 and inside.sum() > 1 and not effect.same_rows:
        # Too little in single units to tell, but together they moved: all that did not stand still are taken as exposed.
        exposed = exposed | (inside & ~still)
    coverage = covered(exposed)
    outside = ~inside & ~effect.apart
    here, spared = _group(effect, inside & exposed), _group(effect, inside & still)
    elsewhere, controls = _group(effect, outside & exposed), _group(effect, outside & ~exposed)
    told: list[Evidence] = []
    rest = controls if controls.weight > 0 else spared
    controlled = here.weight > 0 and rest.weight > 0
    if controlled:
        gap, p = _difference(here, rest)
        kept = abs(rest.relative) < 0.5 * abs(here.relative)
        holds = (p < 0.05 and gap * effect.size > 0) if kept else False
        says = (
            "Where it moved the metric changed; where it did not, the metric kept its course."
            if holds
            else "Where it moved, the metric did not clearly change more than elsewhere."
            if kept
            else "Where it did not move, the metric changed as well."
        )
        told.append(
            Evidence("specificity", holds, gap, p, "difference in differences with untouched units", says)
        )
    if spared.weight > 0.1 * (here.weight + spared.weight) and controls.weight > 0:
        _, p = _difference(spared, controls)
        alike = (
            p < 0.01
            and spared.relative * here.relative > 0
            and abs(spared.relative) > 0.4 * abs(here.relative)
        )
        if alike:
            told.append(
                Evidence("dose", False, spared.relative, p, "units of the segment where it did not move, against controls",
                         "Within the segment the metric changed just as much where it did not move.")
            )  # fmt: skip
    if elsewhere.weight > 0.25 * here.weight:
        gap, p = _difference(here, elsewhere)
        idle = p < 0.01 and abs(elsewhere.relative) < 0.4 * abs(here.relative)
        if idle:
            told.append(
                Evidence("elsewhere", False, elsewhere.relative, p, "units outside the segment where it moved too",
                         "It moved elsewhere too, without any such effect.")
            )  # fmt: skip
    if (dose := _dose(move, effect, inside)) is not None:
        told.append(dose)
    return Exposure(coverage, controlled, tuple(told))


@dataclass(frozen=True, slots=True)
class _Group:
    weight: float
    relative: float
    error: float


def _group(effect: Effect, units: Bools) -> _Group:
    weight = float(effect.expected[units].sum())
    if weight <= 0:
        return _Group(0.0, 0.0, 0.0)
    return _Group(
        weight,
        float(effect.actual[units].sum()) / weight - 1,
        math.sqrt(float(effect.variance[units].sum())) / weight,
    )


def _difference(a: _Group, b: _Group) -> tuple[float, float]:
    from scipy import stats

    gap, error = a.relative - b.relative, math.hypot(a.error, b.error)
    return gap, float(2 * stats.norm.sf(abs(gap) / error)) if error > 0 else (0.0 if gap else 1.0)


def _dose(move: Floats, effect: Effect, inside: Bools) -> Evidence | None:
    """Whether the metric changed more where the candidate moved more, within the segment."""
    from scipy import stats

    units = inside & (effect.expected > 0)
    if units.sum() < 8 or np.ptp(move[units]) == 0:
        return None
    relative = effect.actual[units] / effect.expected[units] - 1
    if np.ptp(relative) == 0:
        return None
    found: Any = stats.spearmanr(np.abs(move[units]), relative)
    rho, p = float(found.statistic), float(found.pvalue)
    if p >= 0.05:
        return Evidence(
            "dose", None, rho, p, "Spearman over the units of the segment", "No dose can be told."
        )
    grows = (rho < 0) == (effect.size < 0)
    says = (
        "The metric changed more where it moved more."
        if grows
        else "The metric changed less where it moved more."
    )
    return Evidence("dose", True if grows else None, rho, p, "Spearman over the units of the segment", says)


def departures(candidate: Candidate, far: float) -> dict[int, float]:
    """The units in which a candidate left its usual course by at least so many standard deviations, and how many."""
    z, _, relative = _unit_scores(candidate)
    moved = np.flatnonzero((np.abs(z) >= far) & (np.isnan(relative) | (np.abs(relative) >= 0.1)))
    return {int(u): float(abs(z[u])) for u in moved}
