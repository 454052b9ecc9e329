"""Reading a table for a search: a first look at its values and figures, then every row once, in batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.bracketing import bracket_edges
from gnomon.analytics.insight.cube import Cube, Scale, Totals, period_start
from gnomon.analytics.insight.space import MAX_AXES, MAX_MEASURES, MAX_VALUES, Axis, AxisKind, Measure, Space
from gnomon.core.patterns import regex
from gnomon.data.table import literal
from gnomon.semantic.backends import Stoppable, stopping
from gnomon.semantic.retrieve import Retriever

if TYPE_CHECKING:
    import duckdb

    from gnomon.data import Dataset
    from gnomon.semantic.model import SemanticModel

BATCH = 200_000
MAX_SAMPLE = 20_000
MAX_WORDS = 8
_LOOKED_AT = 250_000
_TEXTS = 4_000
_COVERED = 0.3
_ALONE = 2
_BRACKETS = 4
_OTHER = "\u22ef other"
_SKEWED = 2.0
_LENGTHS = frozenset({"days", "hours", "minutes"})
_BACKWARDS = 0.05
_WORD = regex(r"[a-z]{4,}")
_STOP = frozenset(
    [
        "about",
        "after",
        "again",
        "also",
        "been",
        "before",
        "being",
        "between",
        "both",
        "cannot",
        "could",
        "does",
        "done",
        "down",
        "during",
        "each",
        "from",
        "further",
        "have",
        "having",
        "here",
        "into",
        "itself",
        "just",
        "more",
        "most",
        "must",
        "need",
        "needed",
        "needs",
        "only",
        "other",
        "over",
        "please",
        "same",
        "should",
        "some",
        "such",
        "than",
        "that",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "under",
        "until",
        "upon",
        "using",
        "very",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "will",
        "with",
        "within",
        "without",
        "would",
        "your",
        "year",
        "years",
        "month",
        "months",
        "week",
        "weeks",
        "quarter",
    ]
)


def read_cube(
    dataset: Dataset,
    model: SemanticModel,
    space: Space,
    *,
    least: int = _ALONE,
    cancel: Stoppable | None = None,
    seconds: float | None = None,
) -> Cube | None:
    """Everything that is to be known of a table, from a first look and one pass.

    Args:
        dataset: The open tables.
        model: What they mean.
        space: What to look at.
        least: Values of fewer rows are not told apart, and are not left as the only ones that are not.
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
            return _Reading(cursor, model, space, dataset, least).cube()
    finally:
        cursor.close()


class _Reading:
    """A table being read."""

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        model: SemanticModel,
        space: Space,
        dataset: Dataset,
        least: int,
    ) -> None:
        self._cursor = cursor
        self._least = least
        self._space = space
        self._notes: list[str] = []
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
                Axis(
                    f"{m.name} range",
                    f"range of {m.label}",
                    m.name,
                    AxisKind.BRACKET,
                    _ranges(e, m.unit),
                    tuple(e),
                )
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
    def _table(self) -> Generator[None]:
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
        if part > 1:  # the same rows in every run, whatever order they come in
            held = ", ".join(self._held(n) for n in self._figures)
            some = f" WHERE hash(({held})) % {part} = 0"
        looks = [
            f"quantile_cont({x}, [0.005, 0.02, 0.25, 0.5, 0.75, 0.98, 0.995]), count({x}), skewness({x}), avg(({x} < 0)::INT)"
            for x in map(self._figure, asked)
        ]
        row: tuple[Any, ...] = (
            self._cursor.execute(f"SELECT {', '.join(looks)} FROM _insight_rows{some}").fetchone() or ()
        )
        measures: list[Measure] = []
        scales: list[Scale] = []
        edges: list[list[float]] = []
        for i, measure in enumerate(asked):
            quantiles, held, skew, below = row[4 * i : 4 * i + 4]
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
            if measure.unit in _LENGTHS and len(measure.columns) == 2 and below > _BACKWARDS:
                self._notes.append(
                    f"In {100 * below:.0f} % of the {self._space.things}, the {measure.label} is negative: its dates are "
                    "in the wrong order, and figures made of it should be read with care."
                )
            measures.append(measure)
            scales.append(Scale(low, high, float(np.median(shown)), spread, log))
            places = [near, *middle, far]
            edges.append([] if measure.rate or measure.reaches else _edges(places))
        return measures, scales, edges

    def _valued(self, axis: Axis) -> Axis | None:
        """The axis with its groups, the most frequent first; None where it has no two that are worth it."""
        value = self._text(axis)
        query = (
            f"SELECT {value} AS v, count(*) AS n, sum(count(*)) OVER () AS every, "
            "(SELECT count(*) FROM _insight_rows) AS whole FROM _insight_rows "
            f"WHERE {value} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MAX_VALUES + 1}"
        )
        rows = self._cursor.execute(query).fetchall()
        told = [(str(v), n) for v, n, *_ in rows if n >= self._least and "\0" not in v]
        left = rows[0][3] - sum(n for _, n in told) if rows else 0
        if told and self._least > _ALONE and 0 < left < self._least:
            told.pop()  # the whole less all the others would tell those few
        values = [v for v, _ in told]
        more = len(rows) > MAX_VALUES or len(values) < len(rows)
        values = values[: MAX_VALUES // 2] if len(rows) > MAX_VALUES else values
        if len(values) < 2 or sum(n for _, n, *_ in rows[: len(values)]) < _COVERED * rows[0][2]:
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
        held_by = [(w, n) for w, n in counted.items() if max(5, 0.03 * len(texts)) <= n <= 0.7 * len(texts)]
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

    def _summed(
        self, measures: tuple[Measure, ...], scales: tuple[Scale, ...], axes: tuple[Axis, ...]
    ) -> Cube:
        clock = self._space.clock
        columns = [f"{self._coded(a)} AS a{i}" for i, a in enumerate(axes)]
        columns += [f"{self._figure(m)} AS m{i}" for i, m in enumerate(measures)]
        if clock is not None:
            moment = self._held(clock.column)
            # From the start of a period: DuckDB counts weeks in sevens of days from where it begins.
            begin = _moment(period_start(clock.first, clock.grain))
            columns.append(f"datediff('{clock.grain}', {begin}, {moment}::TIMESTAMP)::INTEGER AS t")
            columns.append(f"datediff('day', {_moment(clock.first)}, {moment}::TIMESTAMP)::INTEGER AS d")
        query = f"SELECT {', '.join(columns)} FROM _insight_rows"
        totals = Totals(axes, measures, scales, clock)
        reader = self._cursor.execute(query).fetch_record_batch(BATCH)
        stride = max(1, -(-self._space.rows // MAX_SAMPLE))
        for batch in reader:
            totals.add(batch, stride)
        return totals.finished(self._space, self._base, tuple(self._notes))


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


def _ranges(edges: Sequence[float], unit: str | None) -> tuple[str, ...]:
    if len(edges) < 2:
        return ()
    said, in_unit = [f"{e:,.10g}" for e in edges], f" {unit}" if unit else ""
    inner = [f"{a} to {b}{in_unit}" for a, b in pairwise(said)]
    return (f"under {said[0]}{in_unit}", *inner, f"{said[-1]}{in_unit} or more")
