"""A metric held against the benchmarks that the data brings along, against its own past and among its peers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.benchmarks import BenchmarkPosition, against_field, against_quartiles
from gnomon.analytics.casefile import CaseFile
from gnomon.analytics.drivers import Segment
from gnomon.analytics.metric_trees import measure_chain
from gnomon.analytics.results import Result
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeRange
from gnomon.semantic.model import Dimension, DimensionType, Direction, Metric, SemanticModel
from gnomon.semantic.panel import PanelQuery, Terms, base_of, sum_form
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.yardsticks import named_metric

if TYPE_CHECKING:
    from gnomon.semantic.backends import Stoppable
    from gnomon.semantic.retrieve import Retriever

_MOST_NAMES = 200
_MOST_PAST = 52
_FEWEST_PEERS = 4


@dataclass(frozen=True, slots=True)
class Placed(Result):
    """One segment with its place."""

    segment: Segment
    position: BenchmarkPosition


@dataclass(frozen=True, slots=True)
class Benchmarked(Result):
    """Where a metric stands.

    Attributes:
        metric: The reference of the metric.
        label: What people call it.
        unit: Its unit.
        period: The days it is about.
        value: Its value.
        published: Against the published benchmark as a whole, weighted as the segments below are.
        by_segment: Against the published benchmark of each segment, the most costly gap first.
        past: Among its own earlier periods of the same length.
        peers: Each value of a dimension among the others.
        worth_label: What gaps are sized in, where they are.
        notes: What limits it.
    """

    metric: str
    label: str
    unit: str | None
    period: TimeRange
    value: float | None
    published: BenchmarkPosition | None
    by_segment: tuple[Placed, ...]
    past: BenchmarkPosition | None
    peers: tuple[Placed, ...]
    worth_label: str | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Published:
    """A table that lists quartiles of named metrics: which rows, by what, in which columns."""

    table: str
    names: str
    name: str
    by: str | None
    columns: tuple[str, ...]  # one (the middle) or three (lower quartile, middle, upper quartile)


def benchmark_metric(
    retriever: Retriever,
    metric: str,
    period: TimeRange,
    filters: Sequence[Filter] = (),
    *,
    peers_by: str | None = None,
    cancel: Stoppable | None = None,
) -> Benchmarked:
    """Hold a metric against published benchmarks, its own past, and its peers.

    Args:
        retriever: The tables and what they mean.
        metric: A reference to a metric that is a sum, count, average or ratio.
        period: The days it is about.
        filters: Conditions that hold for all of it.
        peers_by: The dimension whose values are compared with each other; that of the benchmark by default.
        cancel: Asks running queries to stop.

    Raises:
        NotFound: The model has no such metric or dimension.
        OutOfScope: The metric cannot be taken apart.
    """
    model = retriever.model
    asked = model.metric(metric)
    before = TimeRange(start=date.fromordinal(period.start.toordinal() - period.days),
                       end=date.fromordinal(period.start.toordinal() - 1))  # fmt: skip
    case = CaseFile(retriever, asked, period, before, filters, cancel=cancel)
    good = asked.direction is not Direction.LOWER_IS_BETTER
    table = published_table(retriever, asked, cancel)
    by = peers_by or (table.by if table else None)
    by = by if by is not None and model.reaches(asked, model.dimension(by)) else None
    figures = _figures(case, by)
    worth = _worth(case, asked)
    notes: list[str] = []
    segments = (
        _against_table(retriever, table, figures, period, by, good, worth, cancel, notes) if table else []
    )
    value = _quotient(sum(a for a, _ in figures.values()), sum(b for _, b in figures.values()))
    return Benchmarked(
        metric=metric,
        label=asked.label,
        unit=asked.unit,
        period=period,
        value=value,
        published=_overall(segments, figures, by, value, good, worth),
        by_segment=tuple(
            sorted((p for p in segments if p.segment), key=lambda p: -(p.position.worth or 0.0))
        ),
        past=_among_past(case, value, good),
        peers=_among_peers(figures, by, good),
        worth_label=worth[1] if worth else None,
        notes=tuple(notes),
    )


def published_table(
    retriever: Retriever, metric: Metric, cancel: Stoppable | None = None
) -> _Published | None:
    """The table that publishes quartiles of a metric, told by what it holds: a column that names metrics, and numbers."""
    model = retriever.model
    for table in model.tables:
        own = [d for d in model.dimensions if d.at(table.name) is not None]
        numbers = [d for d in own if d.type is DimensionType.NUMBER and d.home.table == table.name]
        for names in (d for d in own if d.type is DimensionType.CATEGORY and d.home.table == table.name):
            if not numbers or (names.distinct or 0) > _MOST_NAMES:
                continue
            found = retriever.run(RetrievalQuery(dimensions=(names.name,)), cancel=cancel)
            named = [str(r[0]) for r in found.rows if _names(str(r[0]), metric, model)]
            if len(named) == 1:
                columns = _in_order(retriever, table.name, names, named[0], numbers, cancel)
                others = [d.name for d in own if d.type is DimensionType.CATEGORY and d is not names
                          and model.reaches(metric, d)]  # fmt: skip
                return _Published(table.name, names.name, named[0], others[0] if others else None, columns)
    return None


def _names(value: str, metric: Metric, model: SemanticModel) -> bool:
    found = named_metric(value, model)
    return found is not None and found.name == metric.name


def _in_order(
    retriever: Retriever,
    table: str,
    names: Dimension,
    name: str,
    numbers: list[Dimension],
    cancel: Stoppable | None,
) -> tuple[str, ...]:
    """The columns of the quartiles from low to high, or that of the middle alone."""
    references = tuple(f"mean({table}.{d.home.column})" for d in numbers)
    only = (Filter(field=names.name, operator=FilterOperator.EQUALS, values=(name,)),)
    row = retriever.run(RetrievalQuery(metrics=references, filters=only), cancel=cancel).rows[0]
    ordered = [r for _, r in sorted((v, r) for v, r in zip(row, references, strict=True) if v is not None)]
    return tuple(ordered) if len(ordered) == 3 else (ordered[len(ordered) // 2],)


def _figures(case: CaseFile, by: str | None) -> dict[Any, tuple[float, float]]:
    """The sums above and below in the period, for each value of a dimension."""
    held: dict[Any, list[float]] = {}
    below = case.form.below
    for table, components in base_of(case.model, case.form.components).items():
        dimensions = (by,) if by else ()
        panel = case.scan(
            PanelQuery(table, components, dimensions, (case.current,), False, (*case.focus, *case.filters))
        )
        keys = panel.dimensions[by].codes if by else np.zeros(len(panel), dtype=np.int64)
        values = panel.dimensions[by].values if by else (None,)
        for side, terms in enumerate((case.form.above, below or ())):
            own: Terms = tuple((c, f) for c, f in terms if c in panel.sums)
            if own:
                for key, amount in zip(keys.tolist(), panel.total(own).tolist(), strict=True):
                    held.setdefault(values[key], [0.0, 0.0])[side] += amount
    days = float(case.current.days) if case.form.per_day else 1.0
    return {k: (a, b if below is not None else days) for k, (a, b) in held.items()}


def _quotient(above: float, below: float) -> float | None:
    return above / below if below else None


def _worth(case: CaseFile, metric: Metric) -> tuple[float, str] | None:
    """What one unit of a rate is worth for each unit below it, where the model chains it to an amount."""
    form = case.form
    if form.below is None or len(form.above) != 1 or len(form.below) != 1:
        return None
    (top, _), (bottom, _) = next(iter(form.above)), next(iter(form.below))
    for amount in case.model.metrics:
        first = sum_form(case.model, amount)
        if (
            amount.direction is not Direction.HIGHER_IS_BETTER
            or first is None
            or amount.name in (top.metric, bottom.metric)
        ):
            continue
        chain = measure_chain(case.model, amount)
        if (
            top.metric in chain
            and bottom.metric in chain
            and chain.index(top.metric) == chain.index(bottom.metric) + 1
        ):
            after, _ = case.totals([top.metric, amount.name])
            if len(after) == 2 and after[top.metric] and not float(after[amount.name]).is_integer():
                return after[amount.name] / after[top.metric], amount.label
    return None


def _against_table(
    retriever: Retriever,
    table: _Published,
    figures: dict[Any, tuple[float, float]],
    period: TimeRange,
    by: str | None,
    good: bool,
    worth: tuple[float, str] | None,
    cancel: Stoppable | None,
    notes: list[str],
) -> list[Placed]:
    """Every segment against its own quartiles, those of the months of the period, or the latest before it."""
    cut = by if by == table.by else None
    only = (Filter(field=table.names, operator=FilterOperator.EQUALS, values=(table.name,)),)
    found = _rows(retriever, table, cut, only, _months(period), cancel)
    if not found:
        notes.append("The benchmark has no figures for this period; all of its periods were averaged.")
        found = _rows(retriever, table, cut, only, None, cancel)
    made: list[Placed] = []
    for key, marks in found.items():
        above, below = figures.get(key, (0.0, 0.0)) if cut else (
            sum(a for a, _ in figures.values()), sum(b for _, b in figures.values()))  # fmt: skip
        own = _quotient(above, below)
        if own is None or any(m is None for m in marks):
            continue
        low, middle, high = marks if len(marks) == 3 else (None, marks[0], None)
        place = against_quartiles(
            own, float(middle or 0.0), low, high, higher_is_better=good,
            worth_per_unit=below * worth[0] if worth else None, against="the published benchmark",
        )  # fmt: skip
        made.append(Placed(((cut, key),) if cut else (), place))
    return made


def _months(period: TimeRange) -> TimeRange:
    """Benchmarks are published by month, dated on its first day."""
    return TimeRange(start=period.start.replace(day=1), end=period.end)


def _rows(
    retriever: Retriever,
    table: _Published,
    cut: str | None,
    only: tuple[Filter, ...],
    within: TimeRange | None,
    cancel: Stoppable | None,
) -> dict[Any, tuple[float | None, ...]]:
    timed = retriever.model.table(table.table).time_dimension is not None
    query = RetrievalQuery(
        metrics=table.columns,
        dimensions=(cut,) if cut else (),
        filters=only,
        time_range=within if timed else None,
    )
    rows = retriever.run(query, cancel=cancel).rows
    held = {(r[0] if cut else None): tuple(r[1:] if cut else r) for r in rows}
    return {k: v for k, v in held.items() if all(x is not None for x in v)}


def _overall(
    segments: list[Placed],
    figures: dict[Any, tuple[float, float]],
    by: str | None,
    value: float | None,
    good: bool,
    worth: tuple[float, str] | None,
) -> BenchmarkPosition | None:
    """The whole against the segments' quartiles, mixed as the own business is."""
    if value is None or not segments:
        return None
    weights = [figures[p.segment[0][1]][1] if p.segment else 1.0 for p in segments]
    total = math.fsum(weights)
    if total <= 0:
        return None

    def mixed(values: list[float | None]) -> float | None:
        if any(v is None for v in values):
            return None
        return math.fsum(w * v for w, v in zip(weights, values, strict=True) if v is not None) / total

    middle = mixed([p.position.middle for p in segments])
    assert middle is not None, "every place has a middle"
    below = math.fsum(b for _, b in figures.values())
    mix = (
        f"the published benchmark, mixed by {by} as the own figures are"
        if by and segments[0].segment
        else "the published benchmark"
    )
    return against_quartiles(
        value, middle, mixed([p.position.low for p in segments]), mixed([p.position.high for p in segments]),
        higher_is_better=good, worth_per_unit=below * worth[0] if worth else None, against=mix,
    )  # fmt: skip


def _among_past(case: CaseFile, value: float | None, good: bool) -> BenchmarkPosition | None:
    days, above, below = case.daily()
    length, end = case.current.days, case.current.start.toordinal()
    figures: list[float] = []
    while len(figures) < _MOST_PAST and end - length >= int(days[0]):
        inside = (days >= end - length) & (days < end)
        under = float(below[inside].sum()) if below is not None else float(length if case.form.per_day else 1)
        if (figure := _quotient(float(above[inside].sum()), under)) is not None:
            figures.append(figure)
        end -= length
    if value is None or len(figures) < _FEWEST_PEERS:
        return None
    return against_field(
        value, figures, higher_is_better=good, against="its own earlier periods of the same length"
    )


def _among_peers(figures: dict[Any, tuple[float, float]], by: str | None, good: bool) -> tuple[Placed, ...]:
    if by is None:
        return ()
    held = {k: q for k, (a, b) in figures.items() if (q := _quotient(a, b)) is not None}
    if len(held) < _FEWEST_PEERS:
        return ()
    made: list[Placed] = []
    for key, own in held.items():
        others = [v for k, v in held.items() if k != key]
        made.append(
            Placed(
                ((by, key),),
                against_field(own, others, higher_is_better=good, against=f"the other values of {by}"),
            )
        )
    return tuple(sorted(made, key=lambda p: p.position.gap if good else -p.position.gap))
