"""What a table offers to look at: the figures of its rows, what they can be grouped by, and the time they lie in.

Identifiers are neither; columns that tell of persons only where they were asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING

from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.model import (
    Additivity,
    Aggregation,
    Dimension,
    DimensionType,
    Direction,
    Metric,
    SemanticModel,
    plural,
)

if TYPE_CHECKING:
    from gnomon.data import Dataset

MAX_AXES = 14
MAX_MEASURES = 6
MAX_VALUES = 60
MAX_DISTINCT = 400
FEWEST_ROWS = 20
_MOST_WEEKS = 2_700  # days
_LONG_TEXT = 60
_TARGETS = frozenset(
    {"target", "budget", "plan", "planned", "goal", "quota", "expected", "forecast", "limit"}
)


class AxisKind(StrEnum):
    """What rows are grouped by."""

    CATEGORY = "category"
    BRACKET = "bracket"
    YEAR = "year"
    WORD = "word"


class Grain(StrEnum):
    """How long a period is."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Axis:
    """Something that rows are grouped by.

    Args:
        name: Unique in its space.
        label: How people call it.
        column: The dimension of the model whose values it groups.
        kind: Whether its groups are values, ranges of numbers, or rows with a word and those without.
        values: Its groups, the most frequent first; ranges and yes/no in their order. Known after a first look.
        edges: Between ranges.
        word: The word that rows mention.
        more: Whether there are further values that are not told apart.
        personal: Whether it names persons.
        within: Coarser axes that its values determine.
    """

    name: str
    label: str
    column: str
    kind: AxisKind = AxisKind.CATEGORY
    values: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()
    word: str = ""
    more: bool = False
    personal: bool = False
    within: tuple[str, ...] = ()

    @property
    def ordered(self) -> bool:
        """Whether its groups have an order of their own."""
        return self.kind in (AxisKind.BRACKET, AxisKind.YEAR)


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure that each row has.

    Args:
        name: The metric of the model that it belongs to, or the two that it compares.
        label: What it is called for one row, such as ``resolution time``.
        unit: Its unit; ``fraction`` for a yes or no.
        additive: Whether totals make sense beside averages.
        direction: Which way is good.
        synonyms: Other names.
        columns: The columns that it is made of.
        reaches: For a comparison, the metric that is to reach and the one to be reached.
    """

    name: str
    label: str
    unit: str | None = None
    additive: bool = False
    direction: Direction = Direction.NEUTRAL
    synonyms: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    reaches: tuple[str, str] | None = None

    @property
    def rate(self) -> bool:
        """Whether its average is a share of the rows."""
        return self.unit == "fraction"


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that rows lie in."""

    column: str
    label: str
    first: date
    last: date
    grain: Grain
    timed: bool = False


@dataclass(frozen=True, slots=True)
class Space:
    """Everything to look at in one table, with what is looked up for its rows in others."""

    table: str
    noun: str
    rows: int
    axes: tuple[Axis, ...]
    measures: tuple[Measure, ...]
    clock: Clock | None
    counted: str = ""
    words: tuple[Axis, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def things(self) -> str:
        """What its rows are, in the plural."""
        return plural(self.noun)


def spaces(
    model: SemanticModel, dataset: Dataset, allowed: Collection[str] = (), at_home: Collection[str] = ()
) -> list[Space]:
    """The tables worth looking at, those with the most figures per row first.

    Args:
        model: What the tables mean.
        dataset: The tables themselves.
        allowed: Names of personal dimensions that may be told of.
        at_home: Names of dimensions by which only the rows of their own table are grouped.
    """
    found: list[Space] = []
    for table in model.tables:
        rows = table.rows if table.rows is not None else _counted(dataset, table.name)
        if rows >= FEWEST_ROWS:
            found.append(_space(model, table.name, rows, allowed, at_home))
    looked_up = {j.to_table for j in model.joins}
    # A table that others only look things up in is told of after those that do.
    found.sort(key=lambda s: (s.table in looked_up, s.clock is None, -s.rows))
    return [s for s in found if s.axes or s.clock or len(s.measures) > 1]


def _counted(dataset: Dataset, table: str) -> int:
    cursor = dataset.cursor()
    try:
        row = cursor.execute(f"SELECT count(*) FROM {dataset.table(table).relation}").fetchone()
        return int(row[0]) if row else 0
    finally:
        cursor.close()


def _space(
    model: SemanticModel, table: str, rows: int, allowed: Collection[str], at_home: Collection[str]
) -> Space:
    meaning = model.table(table)
    reached = [d for d in model.dimensions if model.path(table, d) is not None]
    own = [d for d in reached if d.at(table) is not None]
    far = [d for d in reached if d.at(table) is None and d.name not in at_home]
    # What identifies a looked-up row says no more than the column that led to it.
    keys = {(j.to_table, j.to_column) for j in model.joins}
    far = [d for d in far if not any((r.table, r.column) in keys for r in d.locations)]
    hidden = [d for d in (*own, *far) if d.personal and d.name not in allowed]
    seen = [d for d in (*own, *far) if d not in hidden]
    measures = _measures(model, table)
    clock = _clock(model, meaning.time_dimension, seen)
    axes = [_axis(d) for d in seen if _is_category(d, rows)]
    axes += [_years(d) for d in far if d.type is DimensionType.TIME and _spans_years(d)]
    words = [
        _axis(d) for d in seen if d.type in (DimensionType.TEXT, DimensionType.CATEGORY) and _is_text(d, rows)
    ]
    noun = meaning.label
    told = tuple(d.label for d in hidden if _is_category(d, rows))
    rates = {c for m in measures if m.rate for c in m.columns}
    axes = [a for a in axes if a.column not in rates]  # a yes or no is told as a rate
    counted = (
        m.name
        for m in model.metrics
        if m.table == table and m.aggregation is Aggregation.COUNT and not m.expression
    )
    return Space(
        table, noun, rows, tuple(axes), tuple(measures), clock, next(counted, ""), tuple(words), told
    )


def _is_category(d: Dimension, rows: int) -> bool:
    if d.type not in (DimensionType.CATEGORY, DimensionType.BOOLEAN):
        return False
    distinct = d.distinct if d.distinct is not None else MAX_DISTINCT
    return 2 <= distinct <= MAX_DISTINCT and distinct <= rows / 3


def _is_text(d: Dimension, rows: int) -> bool:
    return not d.personal and (d.distinct or 0) > min(MAX_VALUES, rows / 10)


def _axis(d: Dimension) -> Axis:
    return Axis(d.name, d.label, d.name, personal=d.personal, within=d.within)


def _spans_years(d: Dimension) -> bool:
    return d.written is None and d.coverage is not None and d.coverage[1].year - d.coverage[0].year >= 2


def _years(d: Dimension) -> Axis:
    return Axis(f"{d.name} year", f"year of the {d.label}", d.name, AxisKind.YEAR)


def _measures(model: SemanticModel, table: str) -> list[Measure]:
    """One figure for each column or duration; rates and their counts are the same figure."""
    found: dict[str, Measure] = {}
    for metric in model.metrics:
        if metric.table != table or metric.expression is None or metric.where:
            continue
        if metric.aggregation not in (Aggregation.SUM, Aggregation.MEAN, Aggregation.MEDIAN):
            continue
        known = found.get(metric.expression)
        if known is None or (metric.unit == "fraction" and not known.rate):
            found[metric.expression] = _measure(metric)
    kept = list(found.values())
    return [*kept, *_reached(kept)]


def _measure(metric: Metric) -> Measure:
    label = metric.label
    for said in ("average ", "mean ", "total ", "median "):
        label = label.removeprefix(said)
    additive = metric.aggregation is Aggregation.SUM and metric.additivity is Additivity.ADDITIVE
    columns = tuple(names_in(metric.expression)) if metric.expression else ()
    return Measure(metric.name, label, metric.unit, additive, metric.direction, metric.synonyms, columns)


def _reached(measures: Iterable[Measure]) -> list[Measure]:
    """Whether what was planned was reached, where one figure is the target of another in the same unit."""
    held = [m for m in measures if not m.rate]
    targets = [m for m in held if _TARGETS & set(m.label.split())]
    found: list[Measure] = []
    for target in targets:
        others = [m for m in held if m not in targets and m.unit == target.unit and m.unit is not None]
        if len(targets) == 1 and len(others) == 1:
            label = f"share whose {others[0].label} reaches the {target.label}"
            found.append(
                Measure(
                    f"{others[0].name} >= {target.name}",
                    label,
                    "fraction",
                    direction=Direction.HIGHER_IS_BETTER,
                    synonyms=("success rate", "achievement rate", "completion rate"),
                    reaches=(others[0].name, target.name),
                )
            )
    return found


def _clock(model: SemanticModel, main: str | None, seen: Iterable[Dimension]) -> Clock | None:
    timed = [d for d in seen if d.type is DimensionType.TIME and d.coverage is not None]
    chosen = next((d for d in timed if d.name == main), None) or next(iter(timed), None)
    if chosen is None or chosen.coverage is None or chosen.written is not None:
        return None
    first, last = chosen.coverage
    native = (
        Grain(chosen.grain.value)
        if chosen.grain is not None and chosen.grain.value in set(Grain)
        else Grain.DAY
    )
    fine = native is Grain.HOUR
    return Clock(chosen.name, chosen.label, first, last, _grain((last - first).days + 1, native), fine)


def _grain(days: int, native: Grain) -> Grain:
    """Periods that people count in, enough of them to see a course; none shorter than what the rows are kept by.

    Of what is kept by the week, months would have four or five.
    """
    if days <= 4 and native is Grain.HOUR:
        return Grain.HOUR
    order = list(Grain)
    for grain, most in ((Grain.DAY, 75), (Grain.WEEK, 240), (Grain.MONTH, 2900), (Grain.QUARTER, 7300)):
        if native is Grain.WEEK and grain is Grain.WEEK:
            most = _MOST_WEEKS
        if days <= most and order.index(grain) >= order.index(native):
            return grain
    return Grain.YEAR
