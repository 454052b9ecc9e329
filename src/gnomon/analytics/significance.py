"""Significance of a change between two periods: is it more than what the series does anyway, and is it the season?

The yardstick is the series' own past: the same comparison, made at every earlier place with the same weekdays. That
holds weekly patterns, drift and autocorrelation, because the past comparisons had them too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

import numpy as np

from gnomon.analytics.inputs import Floats, added_up, numbers
from gnomon.analytics.relative import percent_change
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError, InvalidInput
from gnomon.core.query import TimeRange

FEWEST_COMPARISONS = 5
_WEEK = 7
_SEASON_ALPHA = 0.03
_YEAR = 364  # whole weeks, so that weekdays agree
_MOST_SHIFTS = 160
_LEAST_FREEDOM, _USUAL_FREEDOM = 3.0, 8.0
_FREEDOMS = (3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 30.0)


class ChangeVerdict(StrEnum):
    """What a change is, measured against the past."""

    NORMAL = "normal"
    SEASONAL = "seasonal"
    UNUSUAL = "unusual"
    UNTESTED = "untested"


class SeasonVerdict(StrEnum):
    """Whether the same happened in the same season before."""

    SEASONAL = "seasonal"
    PARTLY = "partly seasonal"
    NOT = "not seasonal"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SeasonCheck(Result):
    """The change set against the same weeks of earlier years.

    Attributes:
        verdict: Whether the season explains it.
        change: The relative change now: a fraction, or a plain difference where ``relative`` is false.
        usual: The same of the same weeks before, averaged over the years there are.
        years: How many earlier years could be looked at.
        explained: The share of the change that the season accounts for, 0 to 1.
        p_value: The chance of a departure from the season as large as the one seen.
        previous: For each of those years, the first day of its later period and its change.
        test: How it was tested, in words.
        relative: Whether changes are fractions; false where values are not positive, and they are differences.
    """

    verdict: SeasonVerdict
    change: float
    usual: float | None
    years: int
    explained: float
    p_value: float | None
    previous: tuple[tuple[date, float], ...]
    test: str
    relative: bool = True


@dataclass(frozen=True, slots=True)
class ChangeTest(Result):
    """A change, its size, and whether the past knows the like.

    Attributes:
        before: The value of the earlier period.
        after: The value of the later period.
        change: Their difference.
        change_percent: Relative to the earlier period; None where either is below 0, or that is 0.
        expected: What the later period would have been in an ordinary course.
        low: Lower end of its ordinary range (95 %).
        high: Upper end.
        score: How many standard deviations the change is from an ordinary one.
        p_value: The chance of a departure as large in an ordinary course; None where untested.
        comparisons: How many past comparisons that rests on.
        verdict: Normal, seasonal, unusual, or untested for want of history.
        season: The same season before.
        test: How it was tested, in words.
    """

    before: float
    after: float
    change: float
    change_percent: float | None
    expected: float | None
    low: float | None
    high: float | None
    score: float | None
    p_value: float | None
    comparisons: int
    verdict: ChangeVerdict
    season: SeasonCheck
    test: str
    notes: tuple[str, ...] = ()

    @property
    def is_usual(self) -> bool:
        """Whether the later value lies in its ordinary range."""
        return self.low is None or self.high is None or self.low <= self.after <= self.high


@dataclass(frozen=True, slots=True)
class _Past:
    """The same comparison at earlier places: shifts in days, and the change at each."""

    log: bool
    now: float
    shifts: tuple[int, ...]
    changes: Floats


def change_test(
    days: Any,
    values: Any,
    current: TimeRange,
    previous: TimeRange,
    *,
    weights: Any = None,
    mean: bool = False,
    alpha: float = 0.005,
) -> ChangeTest:
    """Test whether the change from ``previous`` to ``current`` is beyond normal variation.

    Args:
        days: The day of each value, without gaps in meaning: a day that is missing counts as 0.
        values: What adds up over days.
        current: The later period.
        previous: The earlier period.
        weights: For a ratio, what the values are divided by, summed over the same days.
        mean: Whether the figure of a period is the average over its days (a stock level), not their sum.
        alpha: The chance of a false alarm that is accepted.

    Raises:
        InvalidInput: The columns do not fit together, or the periods overlap.
        CalculationError: A ratio has nothing to divide by in one of the periods.
    """
    series = _Daily.of(days, values, weights, mean)
    if previous.end >= current.start:
        raise InvalidInput("The earlier period must end before the later one starts.")
    before, after = series.figure(previous), series.figure(current)
    if before is None or after is None:
        raise CalculationError(
            "The figure is not defined in one of the periods: there is nothing to divide by.",
            suggestions=["Choose periods that have rows."],
        )
    past = _past(series, current, previous)
    season = _season(current, past)
    change = after - before
    percent = percent_change(before, after)
    spread, centre, tails = _spread(_beside_season(past))
    if len(past.changes) < FEWEST_COMPARISONS or spread == 0:
        return ChangeTest(
            before, after, change, percent, None, None, None, None, None, len(past.changes),
            ChangeVerdict.UNTESTED, season, "untested: too little history to compare with",
            ("There are too few earlier periods of this length to tell a change from chance.",),
        )  # fmt: skip
    freedom = _freedom(past, current, tails)
    score = (past.now - centre) / spread
    p_value = _two_sided(score, freedom)
    verdict = ChangeVerdict.UNUSUAL if p_value < alpha else ChangeVerdict.NORMAL
    # What came back as last year needs less to be believed than what never was.
    if p_value < max(alpha, _SEASON_ALPHA) and season.verdict is SeasonVerdict.SEASONAL:
        verdict = ChangeVerdict.SEASONAL
    usual = centre
    if verdict is not ChangeVerdict.NORMAL and season.usual is not None and season.explained > 0.3:
        usual = _to_scale(season.usual, past.log)
    reach = spread * float(_t().isf(0.025, freedom))
    ordinary = [_applied(before, u, past.log) for u in (usual, usual - reach, usual + reach)]
    scale = "log ratio" if past.log else "difference"
    return ChangeTest(
        before=before,
        after=after,
        change=change,
        change_percent=percent,
        expected=ordinary[0],
        low=ordinary[1],
        high=ordinary[2],
        score=score,
        p_value=p_value,
        comparisons=len(past.changes),
        verdict=verdict,
        season=season,
        test=f"{scale} against {len(past.changes)} earlier comparisons of the same weekdays, robust spread,"
        f" Student t with {freedom:.0f} degrees of freedom",
    )


def seasonality_check(
    days: Any,
    values: Any,
    current: TimeRange,
    previous: TimeRange,
    *,
    weights: Any = None,
    mean: bool = False,
) -> SeasonCheck:
    """Whether the change from ``previous`` to ``current`` is that of the same season before.

    Args are those of :func:`change_test`.
    """
    series = _Daily.of(days, values, weights, mean)
    return _season(current, _past(series, current, previous))


@dataclass(frozen=True, slots=True)
class _Daily:
    """A series by day, with running sums so that any period costs nothing."""

    first: int
    above: Floats
    below: Floats | None
    mean: bool

    @classmethod
    def of(cls, days: Any, values: Any, weights: Any, mean: bool) -> _Daily:
        stamps = _ordinals(days)
        v = np.nan_to_num(numbers(values))
        w = None if weights is None else np.nan_to_num(numbers(weights, "weights"))
        if len(stamps) != len(v) or (w is not None and len(w) != len(v)):
            raise InvalidInput("Days, values and weights must have the same length.")
        if not len(stamps):
            raise CalculationError("There are no days to look at.", suggestions=["Widen the period."])
        first = int(stamps.min())
        span = int(stamps.max()) - first + 1
        above = np.concatenate([[0.0], np.cumsum(added_up(stamps - first, v, span))])
        below = None if w is None else np.concatenate([[0.0], np.cumsum(added_up(stamps - first, w, span))])
        return cls(first, above, below, mean)

    def covers(self, start: int) -> bool:
        return start >= self.first

    def figure(self, period: TimeRange, shift: int = 0) -> float | None:
        """The figure of a period ``shift`` days earlier; None where it is not defined."""
        a = np.clip(period.start.toordinal() - shift - self.first, 0, len(self.above) - 1)
        b = np.clip(period.end.toordinal() - shift - self.first + 1, 0, len(self.above) - 1)
        value = float(self.above[b] - self.above[a])
        if self.below is not None:
            under = float(self.below[b] - self.below[a])
            return value / under if under else None
        return value / period.days if self.mean else value


def _ordinals(days: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    import pandas as pd

    stamps = pd.to_datetime(pd.Series(list(days))).dt.normalize()
    return (stamps.to_numpy().astype("datetime64[D]").astype(np.int64) + date(1970, 1, 1).toordinal()).astype(
        np.int64
    )


def _past(series: _Daily, current: TimeRange, previous: TimeRange) -> _Past:
    """The comparison now and at earlier places; whole weeks apart so that weekdays agree."""
    room = previous.start.toordinal() - series.first
    least = -(-current.days // _WEEK) * _WEEK  # the later period of the past must not reach into this one
    shifts = list(range(least, room + 1, _WEEK))
    if len(shifts) > _MOST_SHIFTS:
        shifts = shifts[:_MOST_SHIFTS]
    pairs = [(s, series.figure(previous, s), series.figure(current, s)) for s in (0, *shifts)]
    known = [(s, a, b) for s, a, b in pairs if a is not None and b is not None]
    log = all(a > 0 and b > 0 for _, a, b in known)
    if not log and known and all(a >= 0 and b >= 0 for _, a, b in known):
        # A single empty period must not change the scale of everything: half of the smallest stands in for it.
        log = sum(a > 0 and b > 0 for _, a, b in known) >= 0.9 * len(known)
        least_seen = min((v for _, a, b in known for v in (a, b) if v > 0), default=1.0) / 2
        known = [(s, a or least_seen, b or least_seen) for s, a, b in known] if log else known
    moved = {s: math.log(b / a) if log else b - a for s, a, b in known}
    kept = tuple(s for s in shifts if s in moved)
    return _Past(log, moved.get(0, 0.0), kept, np.array([moved[s] for s in kept]))


def _spread(changes: Floats) -> tuple[float, float, float]:
    """Robust standard deviation, centre, and the degrees of freedom whose tails are as heavy as those of the past."""
    if not len(changes):
        return 0.0, 0.0, _LEAST_FREEDOM
    centre = float(np.median(changes))
    middle, shoulder = (float(q) for q in np.quantile(np.abs(changes - centre), [0.5, 0.9]))
    if middle == 0:
        return shoulder / 1.645, centre, _LEAST_FREEDOM
    ratios = [_t().ppf(0.95, f) / _t().ppf(0.75, f) for f in _FREEDOMS]
    fitted = float(np.interp(-shoulder / middle, [-r for r in ratios], _FREEDOMS))
    # Few comparisons tell little about tails: theirs is drawn towards what series usually have.
    sure = len(changes) / (len(changes) + 60)
    return 1.4826 * middle, centre, 1 / (sure / fitted + (1 - sure) / _USUAL_FREEDOM)


def _beside_season(past: _Past) -> Floats:
    """Past changes less what the same weeks had done a year before, where that was clear: sales, holidays, summers."""
    at = {s: float(c) for s, c in zip(past.shifts, past.changes, strict=True)}
    known = [s for s in at if s + _YEAR in at]
    if len(known) < 20:
        return past.changes
    centre = float(np.median(past.changes))
    clear = 1.6 * 1.4826 * float(np.median(np.abs(past.changes - centre)))
    return np.array([
        at[s] - (at[s + _YEAR] - centre if abs(at[s + _YEAR] - centre) > clear else 0.0) for s in known
    ])  # fmt: skip


def _freedom(past: _Past, current: TimeRange, tails: float) -> float:
    """Comparisons that overlap do not count twice, and heavy tails stay heavy."""
    span = (past.shifts[-1] - past.shifts[0]) / max(current.days, _WEEK) + 1
    return float(np.clip(min(len(past.shifts) - 1, span - 1, tails), _LEAST_FREEDOM, 30))


def _season(current: TimeRange, past: _Past) -> SeasonCheck:
    at = {s: float(c) for s, c in zip(past.shifts, past.changes, strict=True)}
    years = [s for s in at if s % _YEAR == 0]
    now = _from_scale(past.now, past.log)
    if not years:
        return SeasonCheck(
            SeasonVerdict.UNKNOWN, now, None, 0, 0.0, None, (), "no earlier year in the data to compare with",
            past.log,
        )  # fmt: skip
    spread, centre, tails = _spread(_beside_season(past))
    usual = float(np.mean([at[s] for s in years]))
    told = tuple(
        (date.fromordinal(current.start.toordinal() - s), _from_scale(at[s], past.log)) for s in years
    )
    error = spread * math.sqrt(1 + 1 / len(years))
    p_value = _two_sided((past.now - usual) / error, _freedom(past, current, tails)) if error > 0 else 1.0
    alike = (past.now - centre) * (usual - centre) > 0
    explained = float(np.clip((usual - centre) / (past.now - centre), 0, 1)) if alike else 0.0
    # A movement of last year that is itself within noise tells nothing about the season.
    clear = spread > 0 and abs(usual - centre) > 1.6 * spread
    if clear and explained >= 0.6 and p_value > 0.02:
        verdict = SeasonVerdict.SEASONAL
    else:
        verdict = SeasonVerdict.PARTLY if clear and explained >= 0.2 else SeasonVerdict.NOT
    return SeasonCheck(
        verdict, now, _from_scale(usual, past.log), len(years), explained, p_value, told,
        f"the change of the same weeks in {len(years)} earlier year{'s' if len(years) > 1 else ''}, robust spread of"
        " all comparisons, Student t", past.log,
    )  # fmt: skip


def _from_scale(value: float, log: bool) -> float:
    return math.expm1(value) if log else value


def _to_scale(value: float, log: bool) -> float:
    return math.log1p(value) if log else value


def _applied(before: float, change: float, log: bool) -> float:
    return before * math.exp(change) if log else before + change


def _two_sided(score: float, freedom: float) -> float:
    return float(min(1.0, 2 * _t().sf(abs(score), freedom)))


def _t() -> Any:
    from scipy import stats

    return stats.t
