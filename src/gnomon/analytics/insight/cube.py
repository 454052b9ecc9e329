"""One pass over the rows: counts, sums and squares for every group of every axis, pair of axes and period.

Rows stream through in batches, so that memory does not grow with the table; everything else is computed from
the sums, without looking at a row again.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.inputs import Floats, Ints
from gnomon.analytics.insight.space import (
    Axis,
    AxisKind,
    Clock,
    Grain,
    Measure,
    Space,
)

if TYPE_CHECKING:
    import pyarrow as pa


MAX_PERIODS = 400
MAX_DAYS = 4_000
FEWEST_STEPS = 20
_PARALLEL = 20_000
_CUT_OFF = 0.05  # of all days: what takes longer is cut off at the end of the data
_IN_DAYS = {"days": 1.0, "hours": 1 / 24, "minutes": 1 / 1440}
_THREADS = min(4, os.cpu_count() or 1)

ROWS, PER_MEASURE = 1, 5  # features: rows; then for each measure: held, sum, test sum, test squares, squares


@dataclass(frozen=True, slots=True)
class Scale:
    """How a measure is put on the scale that tests use: far values pulled in, skewed ones by logarithm."""

    low: float
    high: float
    centre: float
    spread: float
    log: bool

    def __call__(self, x: Floats) -> Floats:
        y = np.clip(x, self.low, self.high)
        return ((np.log(y) if self.log else y) - self.centre) / self.spread


@dataclass(slots=True)
class Cube:
    """The sums of one table.

    ``twins``, ``repeats`` and ``alike`` are what says the same twice: axes, measures, and measures that go together
    by their nature; ``made_of`` are figures and what they are computed from. ``of(*axes)`` has one cell for each combination of groups: those of :attr:`Axis.values` in order, then one for
    further values, then one for rows without a value. The last axis of the array are the features. ``grouped_days`` has
    the rows of each group of a category on each day.
    """

    space: Space
    measures: tuple[Measure, ...]
    scales: tuple[Scale, ...]
    axes: tuple[Axis, ...]
    periods: tuple[date | datetime, ...]
    whole: tuple[bool, ...]
    sums: dict[tuple[str, ...], Floats]
    days: tuple[date, Floats] | None
    grouped_days: dict[str, Floats]
    sample: dict[str, Any]
    rows: int
    query: str = ""
    notes: tuple[str, ...] = ()
    twins: dict[str, str] = field(default_factory=dict[str, str])
    repeats: frozenset[int] = frozenset()
    alike: frozenset[frozenset[str]] = frozenset()
    made_of: frozenset[frozenset[str]] = frozenset()

    def of(self, *names: str) -> Floats:
        """The sums by these axes (``time`` for periods), in that order."""
        if names in self.sums:
            return self.sums[names]
        return self.sums[names[::-1]].transpose(1, 0, 2)

    def has(self, *names: str) -> bool:
        """Whether the sums by these axes were kept."""
        return names in self.sums or names[::-1] in self.sums

    @property
    def is_series(self) -> bool:
        """Whether the rows are steps in time rather than things of their own: one a day, or as many each day of nothing."""
        if self.days is None and not self.periods:
            return False
        counts = self.days[1][:, 0] if self.days is not None else self.of("time")[:-1, 0]
        held = counts[counts > 0]
        named = any(a.kind is AxisKind.CATEGORY for a in self.axes)
        steady = not named and len(held) > 2 and float(held[1:-1].max()) == float(np.median(held))
        once = self.days is not None and len(held) > 0 and float(held.max()) <= 1.0
        return len(held) >= FEWEST_STEPS and (once or steady)

    @property
    def figures(self) -> list[tuple[int, Measure]]:
        """The measures with their places, without those that only repeat an earlier one."""
        return [(i, m) for i, m in enumerate(self.measures) if i not in self.repeats]

    @property
    def figures_over_time(self) -> list[tuple[int, Measure]]:
        """The measures whose course says something.

        How long things take that are dated by their start is left out where that is long beside the data: of those that
        began lately, only what ended soon has ended.
        """
        clock = self.space.clock
        if clock is None:
            return []
        reach = _CUT_OFF * ((clock.last - clock.first).days + 1)

        def told(measure: Measure) -> bool:
            if (
                measure.unit not in _IN_DAYS
                or len(measure.columns) != 2
                or measure.columns[1] != clock.column
            ):
                return True
            lengths = self.sample[f"={measure.name}"]
            held = lengths[~np.isnan(lengths)] * _IN_DAYS[measure.unit]
            return not len(held) or float(np.quantile(held, 0.9)) <= reach

        return [(i, m) for i, m in self.figures if told(m)]

    def axis(self, name: str) -> Axis:
        """The axis of that name."""
        return next(a for a in self.axes if a.name == name)


def feature(measure: int, which: int) -> int:
    """The place of a measure's feature: 0 held, 1 sum, 2 test sum, 3 test squares, 4 squares."""
    return ROWS + measure * PER_MEASURE + which


class Totals:
    """The sums while rows come in.

    Args:
        axes: What rows are grouped by.
        measures: Their figures.
        scales: The scale of each for tests.
        clock: The time that they lie in.
    """

    def __init__(
        self,
        axes: tuple[Axis, ...],
        measures: tuple[Measure, ...],
        scales: tuple[Scale, ...],
        clock: Clock | None,
    ) -> None:
        self._axes, self._measures, self._scales, self._clock = axes, measures, scales, clock
        self._features = ROWS + PER_MEASURE * len(measures)
        self._sizes = {a.name: len(a.values) + 2 for a in axes}
        self._periods = _periods(clock)
        if clock is not None:
            self._sizes["time"] = len(self._periods) + 1
        self._keys = self._sets()
        self._sums = {
            k: np.zeros((int(np.prod([self._sizes[n] for n in k], initial=1)), self._features))
            for k in self._keys
        }
        span = (clock.last - clock.first).days + 1 if clock is not None else 0
        self._days = np.zeros((span, self._features)) if 1 < span <= MAX_DAYS else None
        self._grouped_days = {
            a.name: np.zeros((self._sizes[a.name], span))
            for a in axes
            if self._days is not None and a.kind is AxisKind.CATEGORY
        }
        self._sample: list[dict[str, Any]] = []
        self.rows = 0

    def _sets(self) -> list[tuple[str, ...]]:
        names = [a.name for a in self._axes]
        plain = [a for a in self._axes if a.kind is AxisKind.CATEGORY]
        timed = [("time",), *((a.name, "time") for a in plain)] if self._clock is not None else []
        # Ranges and words are only ever looked at beside categories.
        pairs = [
            (a.name, b.name)
            for a, b in combinations(self._axes, 2)
            if (a in plain or b in plain) and a.column != b.column
        ]
        return [(), *((n,) for n in names), *timed, *pairs]

    def add(self, batch: pa.RecordBatch, stride: int) -> None:
        count = batch.num_rows
        if count == 0:
            return
        codes: dict[str, Ints] = {}
        for i, axis in enumerate(self._axes):
            codes[axis.name] = _codes(batch.column(f"a{i}"), len(axis.values))
        if self._clock is not None:
            t = batch.column("t").to_numpy(zero_copy_only=False).astype(np.float64)
            beyond = len(self._periods)
            codes["time"] = np.where(np.isnan(t) | (t < 0) | (t >= beyond), beyond, t).astype(np.int64)
        matrix = np.empty((count, self._features))
        matrix[:, 0] = 1.0
        held = np.zeros((count, len(self._measures)))
        for i, scale in enumerate(self._scales):
            x = batch.column(f"m{i}").to_numpy(zero_copy_only=False).astype(np.float64)
            there = np.isfinite(x)
            x = np.where(there, x, scale.low)
            tested = scale(x) * there
            x = x * there
            place = feature(i, 0)
            for k, column in enumerate((there, x, tested, tested * tested, x * x)):
                matrix[:, place + k] = column
            held[:, i] = there
        self._add_groups(codes, matrix)
        if self._days is not None:
            d = batch.column("d").to_numpy(zero_copy_only=False).astype(np.float64)
            inside = ~np.isnan(d) & (d >= 0) & (d < len(self._days))
            day = d[inside].astype(np.int64)
            self._days += _grouped(day, matrix[inside], len(self._days))
            for name, counts in self._grouped_days.items():
                places = codes[name][inside] * counts.shape[1] + day
                counts += np.bincount(places, minlength=counts.size).reshape(counts.shape)
        picked = np.arange((-self.rows) % stride, count, stride)
        sample: dict[str, Any] = {name: c[picked] for name, c in codes.items()}
        for i, measure in enumerate(self._measures):
            x = np.where(held[picked, i] > 0, matrix[picked, feature(i, 1)], np.nan)
            sample[f"={measure.name}"] = x
        self._sample.append(sample)
        self.rows += count

    def _add_groups(self, codes: dict[str, Ints], matrix: Floats) -> None:
        # Pairs need no squares of values, and no counts of values that every row has.
        counts = matrix[:, ROWS::PER_MEASURE].sum(axis=0)
        present = [feature(i, 0) for i, n in enumerate(counts) if n == len(matrix)]
        squares = [feature(i, 4) for i in range(len(self._measures))]
        needed = [k for k in range(self._features) if k not in (*present, *squares)]
        fewer = np.ascontiguousarray(matrix[:, needed])

        def add(names: tuple[str, ...]) -> None:
            if not names:
                self._sums[()][0] += matrix.sum(axis=0)
                return
            sums, key = self._sums[names], codes[names[0]]
            if len(names) == 1 or "time" in names:
                for name in names[1:]:
                    key = key * self._sizes[name] + codes[name]
                sums += _grouped(key, matrix, len(sums))
                return
            key = key * self._sizes[names[1]] + codes[names[1]]
            added = _grouped(key, fewer, len(sums))
            sums[:, needed] += added
            sums[:, present] += added[:, :1]

        if len(matrix) < _PARALLEL:
            for names in self._keys:
                add(names)
            return
        # Each set has sums of its own, and the product lets go of the interpreter while it runs.
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="gnomon-insight") as pool:
            list(pool.map(add, self._keys))

    def finished(self, space: Space, query: str, notes: tuple[str, ...]) -> Cube:
        sums = {
            k: v.reshape(*(self._sizes[n] for n in k), self._features) if k else v[0]
            for k, v in self._sums.items()
        }
        sample = {
            name: np.concatenate([part[name] for part in self._sample]) if self._sample else np.zeros(0)
            for name in (self._sample[0] if self._sample else {})
        }
        days = (self._clock.first, self._days) if self._clock is not None and self._days is not None else None
        return Cube(
            space, self._measures, self._scales, self._axes, self._periods,
            _whole(self._clock, self._periods), sums, days, self._grouped_days, sample, self.rows, query, notes,
        )  # fmt: skip


def _grouped(key: Ints, matrix: Floats, size: int) -> Floats:
    """The sums of the rows of ``matrix`` for each key: one sparse product rather than a pass per column."""
    from scipy.sparse import csc_matrix

    n = len(key)
    members = csc_matrix((np.ones(n), key, np.arange(n + 1)), shape=(size, n))
    return np.asarray(members @ matrix)


def _codes(column: pa.Array, values: int) -> Ints:
    """Places of groups; further values come after the known ones, rows without a value last."""
    found = column.indices.fill_null(values + 1) if column.null_count else column.indices
    return found.to_numpy(zero_copy_only=False).astype(np.int64)


def _periods(clock: Clock | None) -> tuple[date | datetime, ...]:
    if clock is None:
        return ()
    here = period_start(clock.first, clock.grain)
    found: list[date | datetime] = []
    if clock.grain is Grain.HOUR:
        begin = datetime(clock.first.year, clock.first.month, clock.first.day)
        hours = ((clock.last - clock.first).days + 1) * 24
        return tuple(begin + timedelta(hours=h) for h in range(min(hours, MAX_PERIODS)))
    while here <= clock.last and len(found) < MAX_PERIODS:
        found.append(here)
        here = following(here, clock.grain)
    return tuple(found)


def period_start(day: date, grain: Grain) -> date:
    """The first day of the period that a day lies in."""
    if grain is Grain.WEEK:
        return day - timedelta(days=day.weekday())
    if grain is Grain.MONTH:
        return day.replace(day=1)
    if grain is Grain.QUARTER:
        return date(day.year, 3 * ((day.month - 1) // 3) + 1, 1)
    return date(day.year, 1, 1) if grain is Grain.YEAR else day


def following(start: date, grain: Grain) -> date:
    """The first day of the next period."""
    if grain is Grain.DAY:
        return start + timedelta(days=1)
    if grain is Grain.WEEK:
        return start + timedelta(days=7)
    months = {Grain.MONTH: 1, Grain.QUARTER: 3}.get(grain, 12)
    total = start.year * 12 + start.month - 1 + months
    return date(total // 12, total % 12 + 1, 1)


def _whole(clock: Clock | None, periods: tuple[date | datetime, ...]) -> tuple[bool, ...]:
    """Which periods the rows cover to the end: counts of a month that is half over are no fall."""
    if clock is None or not periods:
        return ()
    marks = [True] * len(periods)
    first, last = period_start(clock.first, clock.grain), periods[-1]
    if clock.grain in (Grain.HOUR, Grain.DAY):
        return tuple(marks)
    length = (following(first, clock.grain) - first).days
    if (clock.first - first).days > 0.15 * length:
        marks[0] = False
    if not isinstance(last, datetime):
        end = following(last, clock.grain)
        covered = (clock.last - last).days + 1
        if covered < 0.85 * (end - last).days:
            marks[-1] = False
    return tuple(marks)
