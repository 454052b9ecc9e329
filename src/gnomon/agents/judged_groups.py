"""Which groups of a question may be told, judged over all that there are: before a limit, a rank or a bound leaves some out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from typing import Any

from gnomon.agents.persons_behind import COUNT_SECONDS, persons_by_group, tables_counted
from gnomon.agents.support import is_bounded, is_moved
from gnomon.answering.plan import PERIOD
from gnomon.core.errors import GnomonError
from gnomon.core.figures import group_name
from gnomon.core.parts import Filter, Parts
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.guardrails.release.cells import MIN_ROWS
from gnomon.guardrails.release.groups import told_groups, values_told
from gnomon.planning.reading import Reading
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.kinds import Additivity, Aggregation
from gnomon.semantic.model import Metric, SemanticModel
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.retrieve import Retriever

_MOST_COLUMNS = 4

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Grouping:
    """Groups by some columns, and which of them are not told.

    Args:
        columns: The names under which each column may be spoken of; none for the period.
        hidden: The groups that are withheld, each part as it may be written.
    """

    columns: tuple[frozenset[str], ...]
    hidden: frozenset[tuple[frozenset[str], ...]]

    def hides(self, cells: Mapping[str, Any], periods: Sequence[Any]) -> bool | None:
        """Whether a group is withheld; None where it is not one of these."""
        parts: list[set[str]] = []
        for names in self.columns:
            held = [v for k, v in cells.items() if k in names] if names else list(periods)
            if not held:
                return None
            parts.append({w for v in held for w in _written(v)})
        return any(all(a & b for a, b in zip(parts, key, strict=True)) for key in self.hidden)


@dataclass(frozen=True)
class JudgedGroups:
    """The groups of all requests of a question.

    Args:
        groupings: The groups by all of their columns, and by fewer.
        counted: Figures that count groups or values under a bound, with how many are told: those of enough rows. None
            where that is not known.
        moved: Whether a bound decides which groups there are, and leaves a few rows of some, or none where it can be moved from
            row to row.
        untold: Whether a figure over figures of groups would tell one of a few of them that are withheld.
    """

    groupings: tuple[Grouping, ...] = ()
    counted: Mapping[str, int | None] = field(default_factory=dict[str, "int | None"])
    moved: bool = False
    untold: bool = False

    def hides(self, cells: Mapping[str, Any], periods: Sequence[Any] = ()) -> bool | None:
        """Whether a group is withheld in one of the requests; None where it was not judged.

        Args:
            cells: What it is, by names or labels of columns.
            periods: The days that its period may begin on.
        """
        found = [(len(g.columns), h) for g in self.groupings if (h := g.hides(cells, periods)) is not None]
        most = max((n for n, _ in found), default=0)
        return any(h for n, h in found if n == most) if found else None


def judged_groups(
    retriever: Retriever, reading: Reading | None, closed: Callable[[str], bool]
) -> JudgedGroups:
    """The groups that a question is about, judged together.

    Args:
        retriever: Counts the rows behind them.
        reading: What was understood.
        closed: Whether a dimension is made of a closed column.
    """
    groupings: list[Grouping] = []
    counted: dict[str, int | None] = {}
    moved = untold = False
    for request in reading.parts if reading is not None else ():
        found = list(_groupings(retriever, request))
        groupings += found
        counts = dict(_counted(retriever, request, closed))
        counted |= counts
        some = _bounded(request) or (is_bounded(request) and not request.metrics)
        moved = moved or bool(counts) or (some and any(g.hidden for g in found))
        untold = untold or any(
            _tells_a_group(retriever, request, m) for m in _over_groups(retriever, request)
        )
    return JudgedGroups(tuple(groupings), counted, moved, untold)


def _groupings(retriever: Retriever, request: Parts) -> Iterator[Grouping]:
    if not (request.dimensions or request.grain):
        return
    compared = request.comparison.period if request.comparison is not None else None
    moved = _bounded(request)
    for days in dict.fromkeys((request.time_range, compared or request.time_range)):
        rows = _behind(retriever, request, request.dimensions, days=days)
        if rows is None:
            continue
        columns, held = rows
        if moved:
            everywhere = _behind(retriever, request, request.dimensions, whole=True)
            held |= {k: 0 for k in (everywhere[1] if everywhere is not None else ()) if k not in held}
        names = tuple(_names(retriever.model, c) for c in columns)
        for parts in _subsets(len(columns)):
            table: dict[Key, int] = {}
            for key, n in held.items():
                name = tuple(key[p] for p in parts)
                table[name] = table.get(name, 0) + n
            # Names alone are no figures that could be taken from a whole.
            told = (
                told_groups(list(table.values()), list(table), moved=moved)
                if request.metrics
                else [n >= MIN_ROWS for n in table.values()]
            )
            hidden = {tuple(_written(v) for v in k) for k, keep in zip(table, told, strict=True) if not keep}
            yield Grouping(tuple(names[p] for p in parts), frozenset(hidden))


def _over_groups(retriever: Retriever, request: Parts) -> Iterator[Metric]:
    """The figures of a request, and those that they are made of, that are taken over the figures of groups."""
    names = list(request.metrics)
    while names:
        try:
            metric = retriever.model.metric(names.pop())
        except GnomonError:
            continue
        names += names_in(metric.formula) if metric.formula else ()
        if metric.inner and metric.per and not (metric.aggregation is Aggregation.COUNT and metric.where):
            yield metric


def _tells_a_group(retriever: Retriever, request: Parts, metric: Metric) -> bool:
    """Whether a figure over the figures of groups would tell one that is withheld, with those that are not.

    Those withheld are to be none, or as many as rows have to be. The mean of totals is the total by the number of groups
    alone, which is told of whole tables.
    """
    inner = retriever.model.metric(str(metric.inner))
    totals = (
        inner.aggregation in (Aggregation.SUM, Aggregation.COUNT) and inner.additivity is Additivity.ADDITIVE
    )
    if metric.aggregation is Aggregation.MEAN and totals and not is_bounded(request):
        return False
    grain = next((g for g in TimeGranularity if g.value == metric.per), None)
    along = () if grain is not None else (str(metric.per),)
    # Figures of figures are judged by the rows that the innermost ones are made of.
    metrics = _rows_of(retriever.model, along) if inner.inner else (inner.name,)
    by = (*(d for d in request.dimensions if d not in along), *along)
    found = _behind(retriever, request, by, days=request.time_range, metrics=metrics, grain=grain)
    if found is None:
        return True
    columns, rows = found
    at = columns.index(PERIOD if grain is not None else str(metric.per))
    held: dict[Key, list[int]] = {}
    for key, n in rows.items():
        held.setdefault((*key[:at], *key[at + 1 :]), []).append(n)
    if grain is None and is_moved(request):
        everywhere = _behind(retriever, request, by, whole=True, metrics=metrics)
        for key in everywhere[1] if everywhere is not None else ():
            if key not in rows:
                held.setdefault((*key[:at], *key[at + 1 :]), []).append(0)
    hidden = [told_groups(counts, moved=is_moved(request)).count(False) for counts in held.values()]
    return any(0 < n < MIN_ROWS for n in hidden)


def _bounded(request: Parts) -> bool:
    """Whether something that can be moved from row to row decides which groups there are."""
    return is_moved(request) or any(f.having for f in (*request.filters, *request.part))


def _subsets(width: int) -> Iterator[tuple[int, ...]]:
    if width > _MOST_COLUMNS:
        yield tuple(range(width))
        return
    for n in range(width, 0, -1):
        yield from combinations(range(width), n)


def _behind(
    retriever: Retriever,
    request: Parts,
    dimensions: Sequence[str],
    *,
    days: TimeRange | None = None,
    whole: bool = False,
    metrics: tuple[str, ...] = (),
    having: tuple[Filter, ...] = (),
    grain: TimeGranularity | None = None,
) -> tuple[tuple[str, ...], dict[Key, int]] | None:
    """The rows behind each group, without a limit; of the ``whole``, also without the conditions of the request."""
    model = retriever.model
    asked = metrics or request.metrics or _rows_of(model, dimensions)
    # Which groups are shown for their figures decides nothing: all are judged.
    given = tuple(
        f for f in (*request.filters, *request.part) if not (f.having and f.by in (None, *dimensions))
    )
    query = RetrievalQuery(
        metrics=asked, dimensions=tuple(dimensions), grain=grain if metrics else request.grain,
        filters=(() if whole else given) + having, time_range=None if whole else days,
        time_dimension=request.time_dimension, recurring=None if whole else request.recurring,
    )  # fmt: skip
    try:
        found = retriever.run(query, timeout_seconds=COUNT_SECONDS)
        persons = [persons_by_group(retriever, query, t) for t in tables_counted(model, query)]
    except GnomonError:
        return None
    columns = tuple(c for c in found.columns if c not in asked)
    at = [found.columns.index(c) for c in columns]
    behind = {tuple(r[i] for i in at): n for r, n in zip(found.rows, found.behind, strict=True)}
    return columns, {key: min([n, *(p.get(key, 0) for p in persons)]) for key, n in behind.items()}


def _rows_of(model: SemanticModel, dimensions: Sequence[str]) -> tuple[str, ...]:
    """The metric that counts the rows of the table that the first dimension lies in."""
    homes = [model.dimension(d).home.table for d in dimensions if not d.startswith("@")]
    return tuple(
        m.name for m in model.metrics if m.table in homes[:1] and m.aggregation is Aggregation.COUNT
    )[:1]


def _counted(
    retriever: Retriever, request: Parts, closed: Callable[[str], bool]
) -> Iterator[tuple[str, int | None]]:
    """Figures that count groups which meet a bound, or different values among the rows that do."""
    for name in request.metrics:
        try:
            metric = retriever.model.metric(name)
        except GnomonError:
            continue
        having: tuple[Filter, ...] = ()
        if metric.inner and metric.per and metric.aggregation is Aggregation.COUNT and metric.where:
            along, inner = metric.per, (metric.inner,)
            having = tuple(f.model_copy(update={"having": True, "by": None}) for f in metric.where)
        elif metric.aggregation is Aggregation.COUNT_DISTINCT and is_bounded(request):
            along = _dimension_of(retriever.model, metric)
            inner = _rows_of(retriever.model, [along]) if along else ()
        else:
            continue
        rows = None
        if inner and along and not request.dimensions and not request.grain:
            rows = _behind(retriever, request, [along], days=request.time_range, metrics=inner, having=having)
        held = list(rows[1].values()) if rows is not None else []
        told = values_told(held, closed=closed(along or ""))
        if not held or told < len(held) or not closed(along or ""):
            yield name, told if rows is not None else None


def _dimension_of(model: SemanticModel, metric: Metric) -> str | None:
    """The dimension whose values a metric counts."""
    held = list(names_in(metric.expression)) if metric.expression else []
    found = (d.name for d in model.dimensions if d.home.table == metric.table and [d.home.column] == held)
    return next(found, None)


def _names(model: SemanticModel, column: str) -> frozenset[str]:
    if column == PERIOD:
        return frozenset()
    try:
        return frozenset({column, model.dimension(column).label})
    except GnomonError:
        return frozenset({column})


def _written(value: Any) -> frozenset[str]:
    """A value as facts and tables may write it."""
    days = {str(value)[:10]} if isinstance(value, date) else set[str]()
    return frozenset({str(value), group_name(value), *days})
