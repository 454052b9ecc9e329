"""Groups that fall silent for some days while the others go on: an outage, a closed branch, a feed that stopped."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np

from gnomon.analytics.inputs import Floats
from gnomon.analytics.insight.cube import Cube
from gnomon.analytics.insight.finding import Finding, Grid, Kind, Looked, Number, View
from gnomon.analytics.insight.space import Axis, AxisKind, Grain

_FEWEST_DAYS = 60
_FEWEST_ROWS = 200
_MOST_GROUPS = 15
_SILENT = 0.25  # the share of its rows that a silent group still has
_STILL_SILENT = 0.5
_LEAST = 0.02
_LONGEST = 1 / 6  # of all days: what lasts longer is a change, not a spell
_WEEKS = 13  # on either side, from which a group's share of the rows is known
_CHANCE = 0.05


def quiet_spells(cube: Cube) -> Looked:
    """Runs of days with hardly any row of one group, judged by what the other rows did on these days."""
    looked = Looked()
    clock = cube.space.clock
    if cube.days is None or clock is None or clock.grain in (Grain.DAY, Grain.HOUR):
        return looked
    first, sums = cube.days
    whole = sums[:, 0]
    if len(whole) < _FEWEST_DAYS:
        return looked
    for axis in cube.axes:
        if (
            axis.kind is not AxisKind.CATEGORY
            or axis.name in cube.twins
            or axis.name not in cube.grouped_days
        ):
            continue
        for place, group in enumerate(axis.values[:_MOST_GROUPS]):
            own = cube.grouped_days[axis.name][place]
            if own.sum() >= _FEWEST_ROWS:
                _spell(looked, cube, axis, group, first, own, whole - own)
    return looked


def _spell(
    looked: Looked, cube: Cube, axis: Axis, group: str, begin: date, own: Floats, rest: Floats
) -> None:
    expected = _share_around(own, rest) * rest
    spread = _dispersion(own, expected)
    # The likelihood of a silent day against an ordinary one; its largest run is the best spell there is, and chance
    # makes a run of that much in at most so many cases as there are days to begin on.
    first, last, most = _best_run(_gain(own, expected, _SILENT) / spread)
    p = float(min(1.0, len(own) * np.exp(-most)))
    # How silent it was says where it began and ended: a slow day beside it is not of it.
    still = own[first : last + 1].sum() / max(expected[first : last + 1].sum(), 1e-9)
    if still < _SILENT:
        first, last, _ = _best_run(_gain(own, expected, max(float(still), _LEAST)))
    seen, usual = float(own[first : last + 1].sum()), float(expected[first : last + 1].sum())
    length = last - first + 1
    # What is only known later (why somebody left) is missing at the end of every table, and what is new at its start.
    inside = first > 0 and last < len(own) - 1
    if p > _CHANCE or seen > _STILL_SILENT * usual or length > _LONGEST * len(own) or not inside:
        looked.tried([p])
        return
    stamps: list[date | datetime] = [begin + timedelta(days=i) for i in range(len(own))]
    numbers = {
        "value": Number("rows then", round(seen)),
        "usual": Number("what was to be expected", round(usual)),
        "days": Number("days", length),
    }
    rows = tuple((s, int(n), first <= i <= last) for i, (s, n) in enumerate(zip(stamps, own, strict=True)))
    share = float(own.sum() / max(own.sum() + rest.sum(), 1))
    ends = (stamps[first].isoformat(), stamps[last].isoformat())
    looked.found(
        Finding(
            Kind.OUTLIER, cube.space.table, View.COUNT, None, ("time", axis.name), ((axis.name, group),), ends, numbers,
            Grid(("day", "rows", "marked"), rows, "marked", (None, None, None)), seen - usual,
            "rows below what was to be expected", min(1.0, 0.5 + most / 100) * (0.6 + 0.4 * min(1.0, 3 * share)), p,
            "likelihood of the days against the other rows, corrected for where they may begin",
            int(own.sum()), int(own[own > 0].min()),
            {"grain": "day", "from": stamps[0].isoformat(), "to": stamps[-1].isoformat(), "first": ends[0],
             "last": ends[1], "when": ends[0], "quiet": "yes", "by": "rest"},
        )
    )  # fmt: skip


def _gain(own: Floats, expected: Floats, left: float) -> Floats:
    """The log likelihood of each day where only that share of the rows is left, against that of an ordinary day."""
    return expected * (1 - left) + own * np.log(left)


def _share_around(own: Floats, rest: Floats) -> Floats:
    """How many rows the group has for each other one, from the weeks around each day without its own week."""
    weeks = np.arange(len(own)) // 7
    mine, others = np.bincount(weeks, own), np.bincount(weeks, rest)
    ratio = np.where(others > 0, mine / np.maximum(others, 1), np.nan)
    found = np.zeros(len(ratio))
    for w in range(len(ratio)):
        near = np.delete(ratio[max(w - _WEEKS, 0) : w + _WEEKS + 1], min(w, _WEEKS))
        known = near[~np.isnan(near)]
        found[w] = float(np.median(known)) if len(known) else 0.0
    return found[weeks]


def _dispersion(own: Floats, expected: Floats) -> float:
    """How much more a group strays from week to week than rows that come by chance; odd weeks must not widen it."""
    weeks = np.arange(len(own)) // 7
    mine, usual = np.bincount(weeks, own), np.bincount(weeks, expected)
    there = usual > 0
    if not there.any():
        return 1.0
    off = (mine[there] - usual[there]) ** 2 / usual[there]
    return max(1.0, float(np.median(off)) / 0.455)  # the median of a squared standard normal


def _best_run(gain: Floats) -> tuple[int, int, float]:
    """The run of days whose gains add up to most."""
    best, first, last, here, start = 0.0, 0, 0, 0.0, 0
    for i, g in enumerate(gain.tolist()):
        if here <= 0:
            here, start = 0.0, i
        here += g
        if here > best:
            best, first, last = here, start, i
    return first, last, best
