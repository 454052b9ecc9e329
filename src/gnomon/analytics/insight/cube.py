"""One pass over the rows: counts, sums and squares for every group of every axis, pair of axes and period.

Rows stream through in batches, so that memory does not grow with the table; everything else is computed from
the sums, without looking at a row again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.bracketing import bracket_edges
from gnomon.analytics.inputs import Floats, Ints
from gnomon.analytics.insight.space import (
    MAX_AXES,
    MAX_MEASURES,
    MAX_VALUES,
    Axis,
    AxisKind,
    Clock,
    Grain,
    Measure,
    Space,
)
from gnomon.data.table import literal
from gnomon.semantic.backends import Stoppable, stopping
from gnomon.semantic.retrieve import Retriever

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from gnomon.data import Dataset
    from gnomon.semantic.model import SemanticModel

BATCH = 200_000
MAX_SAMPLE = 20_000
MAX_PERIODS = 400
MAX_DAYS = 4_000
MAX_WORDS = 8
_LOOKED_AT = 3_000_000
_TEXTS = 4_000
_COVERED = 0.3
_BRACKETS = 4
_OTHER = "\u22ef other"
_SKEWED = 2.0
_WORD = re.compile(r"[a-z]{4,}")
_STOP = frozenset(
    "about after again also been before being between both cannot could does done down during each from further "
    "have having here into itself just more most must need needed needs only other over please same should some "
    "such than that their them then there these they this those through under until upon using very were what when "
    "where which while will with within without would your year years month months week weeks quarter".split()
)

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

    ``of(*axes)`` has one cell for each combination of groups: those of :attr:`Axis.values` in order, then one for
    further values, then one for rows without a value. The last axis of the array are the features.
    """

    space: Space
    measures: tuple[Measure, ...]
    scales: tuple[Scale, ...]
    axes: tuple[Axis, ...]
    periods: tuple[date | datetime, ...]
    whole: tuple[bool, ...]
    sums: dict[tuple[str, ...], Floats]
    products: tuple[Floats, Floats, Floats]
    days: tuple[date, Floats] | None
    sample: dict[str, Any]
    rows: int
    query: str = ""
    twins: dict[str, str] = field(default_factory=dict[str, str])

    def of(self, *names: str) -> Floats:
        """The sums by these axes (``time`` for periods), in that order."""
        if names in self.sums:
            return self.sums[names]
        return self.sums[names[::-1]].transpose(1, 0, 2)

    def has(self, *names: str) -> bool:
        """Whether the sums by these axes were kept."""
        return names in self.sums or names[::-1] in self.sums

    def axis(self, name: str) -> Axis:
        """The axis of that name."""
        return next(a for a in self.axes if a.name == name)


def feature(measure: int, which: int) -> int:
    """The place of a measure's feature: 0 held, 1 sum, 2 test sum, 3 test squares, 4 squares."""
    return ROWS + measure * PER_MEASURE + which


def read_cube(
    dataset: Dataset,
    model: SemanticModel,
    space: Space,
    *,
    cancel: Stoppable | None = None,
    seconds: float | None = None,
) -> Cube | None:
    """Everything that is to be known of a table, from a first look and one pass.

    Args:
        dataset: The open tables.
        model: What they mean.
        space: What to look at.
        cancel: Asks the running query to stop.
        seconds: Stop after so long.

    Raises:
        Cancelled: It was asked to stop.
        TimedOut: It took too long.
    """
    cursor = dataset.cursor()
    try:
        import duckdb

        with stopping(cursor.interrupt, cancel, seconds) as stop, stop.raising(duckdb.InterruptException):
            return _Reading(cursor, model, space, dataset).cube()
    finally:
        cursor.close()


class _Reading:
    """A table being read."""

    def __init__(
        self, cursor: duckdb.DuckDBPyConnection, model: SemanticModel, space: Space, dataset: Dataset
    ) -> None:
        self._cursor = cursor
        self._space = space
        sides = [n for m in space.measures for n in (m.reaches or (m.name,))]
        texts = [a.column for a in space.words]
        timed = [space.clock.column] if space.clock else []
        names = [*(a.column for a in space.axes), *texts, *timed]
        self._names = list(dict.fromkeys(names))
        self._figures = list(dict.fromkeys(sides))
        self._base = Retriever.over(dataset, model).row_query(space.table, [*self._names, *self._figures])

    def cube(self) -> Cube | None:
        """The finished sums; None where nothing varies."""
        with self._table():
            measures, scales, edges = self._measures()
            brackets = [
                Axis(f"{m.name} range", f"range of {m.label}", m.name, AxisKind.BRACKET, _ranges(e), tuple(e))
                for m, e in zip(measures, edges, strict=True)
                if len(e) >= 2
            ]
            known = [a for axis in self._space.axes if (a := self._valued(axis)) is not None]
            words = [a for axis in self._space.words for a in self._worded(axis)]
            axes = (*known[:MAX_AXES], *brackets, *words[:MAX_WORDS])
            if not axes and not self._space.clock:
                return None
            return self._summed(tuple(measures), tuple(scales), axes)

    @contextmanager
    def _table(self) -> Iterator[None]:
        """The rows as a view that every look shares; what is looked up in other tables is looked up once."""
        joined = "JOIN" in self._base.upper()
        kind = "TEMP TABLE" if joined else "TEMP VIEW"
        self._cursor.execute(f"CREATE OR REPLACE {kind} _insight_rows AS {self._base}")
        try:
            yield
        finally:
            self._cursor.execute(f"DROP {kind.removeprefix('TEMP ')} IF EXISTS _insight_rows")

    def _held(self, name: str) -> str:
        if name in self._names:
            return f"c{self._names.index(name)}"
        return f"c{len(self._names) + self._figures.index(name)}"

    def _figure(self, measure: Measure) -> str:
        if measure.reaches:
            done, target = (self._held(n) for n in measure.reaches)
            return f"({done} >= {target})::DOUBLE"
        value = f"{self._held(measure.name)}::DOUBLE"
        return f"CASE WHEN isfinite({value}) THEN {value} END"

    def _measures(self) -> tuple[list[Measure], list[Scale], list[list[float]]]:
        """The figures that vary, the scale for each, and edges between ranges of it."""
        asked = self._space.measures
        if not asked:
            return [], [], []
        part = max(1, -(-self._space.rows // _LOOKED_AT))
        some = ""
        if part > 1:
            held = ", ".join(f"c{i}" for i in range(len(self._names) + len(self._figures)))
            some = f" WHERE hash(({held})) % {part} = 0"
        looks = [
            f"quantile_cont({x}, [0.005, 0.02, 0.25, 0.5, 0.75, 0.98, 0.995]), count({x}), skewness({x})"
            for x in map(self._figure, asked)
        ]
        row = self._cursor.execute(f"SELECT {', '.join(looks)} FROM _insight_rows{some}").fetchone() or ()
        measures: list[Measure] = []
        scales: list[Scale] = []
        edges: list[list[float]] = []
        for i, measure in enumerate(asked):
            quantiles, held, skew = row[3 * i : 3 * i + 3]
            if not held or held < max(10, 0.02 * self._space.rows / part) or quantiles is None:
                continue
            low, near, *middle, far, high = (float(q) for q in quantiles)
            if measure.rate:
                low, high = 0.0, 1.0
            if high <= low or len(measures) >= MAX_MEASURES:
                continue
            log = not measure.rate and low > 0 and skew is not None and skew > _SKEWED
            pulled = np.clip([near, *middle, far], low, high)
            shown = np.log(pulled) if log else pulled
            spread = float(shown.max() - shown.min()) / 4 or (high - low) or 1.0
            measures.append(measure)
            scales.append(Scale(low, high, float(np.median(shown)), spread, log))
            places = [near, *middle, far]
            edges.append([] if measure.rate or measure.reaches else _edges(places))
        return measures, scales, edges

    def _valued(self, axis: Axis) -> Axis | None:
        """The axis with its groups, the most frequent first; None where it has no two that are worth it."""
        value = self._text(axis)
        query = (
            f"SELECT {value} AS v, count(*) AS n, sum(count(*)) OVER () AS every FROM _insight_rows "
            f"WHERE {value} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MAX_VALUES + 1}"
        )
        rows = self._cursor.execute(query).fetchall()
        values = [str(v) for v, n, _ in rows if n >= 2 and "\0" not in v]
        more = len(rows) > MAX_VALUES or len(values) < len(rows)
        values = values[: MAX_VALUES // 2] if len(rows) > MAX_VALUES else values
        if len(values) < 2 or sum(n for _, n, _ in rows[: len(values)]) < _COVERED * rows[0][2]:
            return None
        if axis.kind is AxisKind.YEAR:
            values.sort()
        return replace(axis, values=tuple(values), more=more)

    def _text(self, axis: Axis) -> str:
        held = self._held(axis.column)
        if axis.kind is AxisKind.YEAR:
            return f"year({held})::VARCHAR"
        return f"nullif(trim({held}::VARCHAR), '')"

    def _worded(self, axis: Axis) -> list[Axis]:
        """Words that many short texts mention, each an axis of its own."""
        held = self._held(axis.column)
        found = self._cursor.execute(
            f"SELECT lower({held}::VARCHAR) FROM _insight_rows WHERE {held} IS NOT NULL LIMIT {_TEXTS}"
        ).fetchall()
        texts = [set(map(_stem, _WORD.findall(t))) - _STOP for (t,) in found]
        if not texts or float(np.median([len(t) for t in texts])) < 2:
            return []
        counted = Counter(w for words in texts for w in words)
        held_by = [
            (w, n) for w, n in counted.items() if max(5, 0.03 * len(texts)) <= n <= 0.7 * len(texts)
        ]
        held_by.sort(key=lambda item: (-item[1], item[0]))
        return [
            Axis(
                f"{axis.name} mentions {word}",
                f"{axis.label} that mentions “{word}”",
                axis.column,
                AxisKind.WORD,
                ("yes", "no"),
                word=word,
            )
            for word, _ in held_by[:MAX_WORDS]
        ]

    def _code(self, axis: Axis) -> str:
        """The group of each row as a number, by its place."""
        held = self._held(axis.column)
        if axis.kind is AxisKind.WORD:
            pattern = literal(rf"\b{axis.word}s?\b")
            return f"CASE WHEN {held} IS NOT NULL THEN CASE WHEN regexp_matches(lower({held}::VARCHAR), {pattern}) THEN 'yes' ELSE 'no' END END"
        if axis.kind is AxisKind.BRACKET:
            x = f"{held}::DOUBLE"
            steps = " ".join(
                f"WHEN {x} < {edge!r} THEN {literal(v)}"
                for edge, v in zip(axis.edges, axis.values, strict=False)
            )
            return f"CASE WHEN isfinite({x}) THEN CASE {steps} ELSE {literal(axis.values[-1])} END END"
        return self._text(axis)

    def _coded(self, axis: Axis) -> str:
        listed = (*axis.values, _OTHER) if axis.more else axis.values
        kind = f"ENUM({', '.join(map(literal, listed))})"
        code = self._code(axis)
        if not axis.more:
            return f"({code})::{kind}"
        return f"CASE WHEN {code} IS NULL THEN NULL ELSE coalesce(TRY_CAST({code} AS {kind}), {literal(_OTHER)}::{kind}) END"

    def _summed(self, measures: tuple[Measure, ...], scales: tuple[Scale, ...], axes: tuple[Axis, ...]) -> Cube:
        clock = self._space.clock
        columns = [f"{self._coded(a)} AS a{i}" for i, a in enumerate(axes)]
        columns += [f"{self._figure(m)} AS m{i}" for i, m in enumerate(measures)]
        if clock is not None:
            moment = self._held(clock.column)
            columns.append(
                f"datediff('{clock.grain}', {_moment(clock.first)}, {moment}::TIMESTAMP)::INTEGER AS t"
            )
            columns.append(f"datediff('day', {_moment(clock.first)}, {moment}::TIMESTAMP)::INTEGER AS d")
        query = f"SELECT {', '.join(columns)} FROM _insight_rows"
        totals = _Totals(axes, measures, scales, clock)
        reader = self._cursor.execute(query).fetch_record_batch(BATCH)
        stride = max(1, -(-self._space.rows // MAX_SAMPLE))
        for batch in reader:
            totals.add(batch, stride)
        return totals.finished(self._space, self._base)


class _Totals:
    """The sums while rows come in."""

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
            k: np.zeros((int(np.prod([self._sizes[n] for n in k], initial=1)), self._features)) for k in self._keys
        }
        m = len(measures)
        self._products = (np.zeros((m, m)), np.zeros((m, m)), np.zeros((m, m)))
        span = (clock.last - clock.first).days + 1 if clock is not None else 0
        self._days = np.zeros((span, self._features)) if 1 < span <= MAX_DAYS else None
        self._sample: list[dict[str, Any]] = []
        self.rows = 0

    def _sets(self) -> list[tuple[str, ...]]:
        names = [a.name for a in self._axes]
        timed = [("time",), *((n, "time") for n in names)] if self._clock is not None else []
        words = {a.name for a in self._axes if a.kind is AxisKind.WORD}
        pairs = [
            (a.name, b.name)
            for a, b in combinations(self._axes, 2)
            if not (a.name in words and b.name in words) and a.column != b.column
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
        m = len(self._measures)
        z, held = np.zeros((count, m)), np.zeros((count, m))
        for i, scale in enumerate(self._scales):
            x = batch.column(f"m{i}").to_numpy(zero_copy_only=False).astype(np.float64)
            there = np.isfinite(x)
            x = np.where(there, x, scale.low)
            tested = scale(x) * there
            x = x * there
            place = feature(i, 0)
            for k, column in enumerate((there, x, tested, tested * tested, x * x)):
                matrix[:, place + k] = column
            z[:, i], held[:, i] = tested, there
        for total, more in zip(self._products, (held.T @ held, z.T @ held, z.T @ z), strict=True):
            total += more
        self._add_groups(codes, matrix)
        if self._days is not None:
            d = batch.column("d").to_numpy(zero_copy_only=False).astype(np.float64)
            inside = ~np.isnan(d) & (d >= 0) & (d < len(self._days))
            self._days += _grouped(d[inside].astype(np.int64), matrix[inside], len(self._days))
        picked = np.arange((-self.rows) % stride, count, stride)
        sample: dict[str, Any] = {name: c[picked] for name, c in codes.items()}
        for i, measure in enumerate(self._measures):
            x = np.where(held[picked, i] > 0, matrix[picked, feature(i, 1)], np.nan)
            sample[f"={measure.name}"] = x
        self._sample.append(sample)
        self.rows += count

    def _add_groups(self, codes: dict[str, Ints], matrix: Floats) -> None:
        for names in self._keys:
            if not names:
                self._sums[()][0] += matrix.sum(axis=0)
                continue
            key = codes[names[0]]
            for name in names[1:]:
                key = key * self._sizes[name] + codes[name]
            self._sums[names] += _grouped(key, matrix, len(self._sums[names]))

    def finished(self, space: Space, query: str) -> Cube:
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
            _whole(self._clock, self._periods), sums, self._products, days, sample, self.rows, query,
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


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 4 else word


def _moment(day: date) -> str:
    return f"TIMESTAMP {literal(day.isoformat())}"


def _edges(places: Sequence[float]) -> list[float]:
    """Round edges near the quarters of the values."""
    near, *middle, far = places
    if far <= near:
        return []
    spread = np.interp(np.linspace(0, 1, 101), (0.0, 0.25, 0.5, 0.75, 1.0), (near, *middle, far))
    edges = bracket_edges(spread, bins=_BRACKETS)
    return [e for e in edges if near < e <= far]


def _ranges(edges: Sequence[float]) -> tuple[str, ...]:
    if len(edges) < 2:
        return ()
    said = [f"{e:,.10g}" for e in edges]
    inner = [f"{a} to {b}" for a, b in zip(said, said[1:], strict=False)]
    return (f"under {said[0]}", *inner, f"{said[-1]} or more")


def _periods(clock: Clock | None) -> tuple[date | datetime, ...]:
    if clock is None:
        return ()
    here = _start(clock.first, clock.grain)
    found: list[date | datetime] = []
    if clock.grain is Grain.HOUR:
        begin = datetime(clock.first.year, clock.first.month, clock.first.day)
        hours = ((clock.last - clock.first).days + 1) * 24
        return tuple(begin + timedelta(hours=h) for h in range(min(hours, MAX_PERIODS)))
    while here <= clock.last and len(found) < MAX_PERIODS:
        found.append(here)
        here = following(here, clock.grain)
    return tuple(found)


def _start(day: date, grain: Grain) -> date:
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
    first, last = _start(clock.first, clock.grain), periods[-1]
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
