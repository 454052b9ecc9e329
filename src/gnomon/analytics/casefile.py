"""The case file of a diagnosis: which dimensions, periods and other tables bear on a metric, read in few scans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.inputs import Bools, Floats, Ints, added_up
from gnomon.analytics.segment_field import Field
from gnomon.core.errors import OutOfScope
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.data.column_names import CALENDAR
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.labels import lower_words
from gnomon.semantic.model import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.panel import Component, Panel, PanelQuery, Sum, SumForm, Terms, base_of, sum_form

if TYPE_CHECKING:
    from gnomon.semantic.backends import Stoppable
    from gnomon.semantic.retrieve import Retriever

HISTORY = 12
MOST_DIMENSIONS = 8
_FEWEST_ROWS_EACH = 20
_CELLS = 2_000_000
_FINE = (TimeGranularity.DAY, TimeGranularity.HOUR)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Another table by period and unit: the metrics that may have moved, and the sums they are made of."""

    table: str
    metrics: tuple[tuple[Metric, SumForm], ...]
    shared: tuple[str, ...]
    panel: Panel


class CaseFile:
    """What a diagnosis reads: one grouped scan for each table, and one by day for the metric itself.

    Args:
        retriever: The tables and what they mean.
        metric: The metric.
        current: The later period.
        previous: The earlier period.
        filters: Conditions that the question came with; equalities on a dimension become the focus, so that the rest
            can serve as a control.
        cancel: Asks running queries to stop.
        timeout_seconds: For each query.
    """

    def __init__(
        self,
        retriever: Retriever,
        metric: Metric,
        current: TimeRange,
        previous: TimeRange,
        filters: Sequence[Filter] = (),
        *,
        cancel: Stoppable | None = None,
        timeout_seconds: float | None = None,
    ) -> None:
        form = sum_form(retriever.model, metric)
        if form is None:
            raise OutOfScope(
                f"{metric.label.capitalize()} cannot be taken apart: it is no sum, count, average or ratio of these.",
                suggestions=["Ask about a total, a count, an average or a rate."],
            )
        time = retriever.model.time_dimension(metric)
        if form.per_day and time is not None and time.grain not in (None, *_FINE):
            raise OutOfScope(
                f"{metric.label.capitalize()} is a level that is recorded by {time.grain}, not by day, so what moved it cannot be told.",
                suggestions=[f"Ask for {metric.label} by {time.grain}."],
            )
        self.retriever, self.model, self.metric, self.form = retriever, retriever.model, metric, form
        self.current, self.previous = current, previous
        self._cancel, self._timeout = cancel, timeout_seconds
        self.queries: list[str] = []
        self.notes: list[str] = []
        self.rows = 0
        self.tables = base_of(self.model, form.components)
        self.dimensions, self.focus, self.filters = self._cut_by(filters)
        self.windows = self._windows()

    # What to cut by and which periods to look at

    def _cut_by(self, filters: Sequence[Filter]) -> tuple[list[str], tuple[Filter, ...], tuple[Filter, ...]]:
        """The dimensions to cut by, the filters that are a focus, and the others."""
        # What some metric adds up or averages (whether an order came back) is an outcome, not a kind of row.
        used = {n for m in self.model.metrics if m.expression and m.table in self.tables
                and m.aggregation in (Aggregation.SUM, Aggregation.MEAN) for n in names_in(m.expression)}  # fmt: skip
        told = {str(d.label_at) for d in self.model.dimensions if d.label_at}
        fitting: list[Dimension] = []
        for d in self.model.dimensions:
            reached = all(self.model.path(t, d) is not None for t in self.tables)
            own = any(d.at(t) in used for t in self.tables)
            if reached and not own and str(d.home) not in told and self._is_cut(d) and not self._is_moment(d):
                fitting.append(d)
        fitting.sort(key=lambda d: (d.distinct or 0, d.name))
        names = [d.name for d in fitting][:MOST_DIMENSIONS]
        focus = tuple(f for f in filters if self._is_focus(f))
        names += [f.field for f in focus if f.field not in names]
        return names, focus, tuple(f for f in filters if f not in focus)

    def _is_cut(self, d: Dimension) -> bool:
        if d.type not in (
            DimensionType.CATEGORY,
            DimensionType.BOOLEAN,
            DimensionType.ID,
        ) or d.name.startswith("@"):
            return False
        rows = max((self.model.table(t).rows or 0 for t in self.tables), default=0)
        many = d.distinct or 0
        return 2 <= many <= 60_000 and (many <= 50 or not rows or rows / many >= _FEWEST_ROWS_EACH)

    def _is_moment(self, d: Dimension) -> bool:
        """Whether a column says when, as the month beside a date does: what changed in time is no part of the whole."""
        time = self.model.time_dimension(self.metric)
        if time is None:
            return False
        beside = {(time.home.table, c) for c in time.beside}
        return any(
            (at.table, at.column) in beside
            or not {*lower_words(at.column)} - {*lower_words(time.home.column)} - CALENDAR
            for at in d.locations
        )

    def _is_focus(self, f: Filter) -> bool:
        if (
            f.having
            or f.relative
            or f.is_apart
            or f.operator not in (FilterOperator.EQUALS, FilterOperator.IN)
        ):
            return False
        if f.field.startswith("@"):
            return False
        d = self.model.dimension(f.field)
        held = all(self.model.path(t, d) is not None for t in self.tables)
        return held and d.type in (
            DimensionType.CATEGORY,
            DimensionType.BOOLEAN,
            DimensionType.ID,
            DimensionType.TEXT,
        )

    def _windows(self) -> tuple[TimeRange, ...]:
        """The two periods, and as many before them as the data has, each as long as the earlier one."""
        time = self.model.time_dimension(self.metric)
        first = time.coverage[0] if time is not None and time.coverage else date.min
        windows, length = [self.current, self.previous], self.previous.days
        while len(windows) < HISTORY + 2:
            end = windows[-1].start - timedelta(days=1)
            if (end - first).days + 1 < length:
                break
            windows.append(TimeRange(start=end - timedelta(days=length - 1), end=end))
        return tuple(windows)

    # Scans

    def scan(self, query: PanelQuery, most: int = _CELLS) -> Panel:
        """Run one scan and keep count of it."""
        panel = self.retriever.panel(query, most=most, cancel=self._cancel, timeout_seconds=self._timeout)
        self.queries.append(panel.query)
        self.rows += panel.rows
        return panel

    def daily(self) -> tuple[Ints, Floats, Floats | None]:
        """The metric by day over its whole history, under all conditions: days, sums above, sums below."""
        held = [
            self.scan(PanelQuery(t, c, (), (), True, (*self.focus, *self._kept(t))))
            for t, c in self.tables.items()
        ]
        days = np.unique(np.concatenate([p.day for p in held if p.day is not None]))

        def along(terms: Terms) -> Floats:
            out = np.zeros(len(days))
            for p in held:
                own = tuple((c, f) for c, f in terms if c in p.sums)
                if own and p.day is not None:
                    out += added_up(np.searchsorted(days, p.day), p.total(own), len(days))
            return out

        return days, along(self.form.above), along(self.form.below) if self.form.below else None

    def _kept(self, table: str) -> tuple[Filter, ...]:
        """The conditions that rows of a table can be held against."""
        return tuple(
            f for f in self.filters if self.model.path(table, self.model.dimension(f.field)) is not None
        )

    def field(self) -> tuple[Field, Bools, tuple[Component, ...]]:
        """The metric by period and leaf, which leaves are in focus, and the further sums of its own table."""
        squares = tuple(
            Component(c.metric, Sum.SQUARES if c.of is Sum.VALUES else Sum.COUNT) for c, _ in self.form.above
        )
        tables = base_of(self.model, (*self.form.components, *squares))
        names = list(self.dimensions)
        while True:
            held = [
                self.scan(PanelQuery(t, c, tuple(names), self.windows, False, self._kept(t)))
                for t, c in tables.items()
            ]
            if not any(p.truncated for p in held) or not names:
                break
            widest = max(
                (n for n in names if n not in {f.field for f in self.focus}),
                key=lambda n: self.model.dimension(n).distinct or 0,
            )
            names.remove(widest)
            self.notes.append(
                f"There are too many combinations to look at single values of {self.model.dimension(widest).label}."
            )
        self.dimensions = names
        codes, labels = joined_codes([{n: p.dimensions[n] for n in names} for p in held])
        window = np.concatenate([p.window for p in held if p.window is not None])

        def column(terms: Terms) -> Floats:
            return np.concatenate([p.total(tuple((c, f) for c, f in terms if c in p.sums)) for p in held])

        lumps = column(tuple((c, 1.0) for c in squares))
        made = Field.coded(
            codes,
            labels,
            window,
            column(self.form.above),
            column(self.form.below) if self.form.below else None,
            lumps,
        )
        return made, self._in_focus(made), squares

    def _in_focus(self, field: Field) -> Bools:
        """Which leaves meet the conditions of the question; a table without dimensions is one leaf."""
        chosen = np.ones(field.values.shape[1], dtype=np.bool_)
        for f in self.focus:
            wanted = {str(v) for v in f.values}
            hit = np.array([str(v) in wanted for v in field.labels[f.field]], dtype=np.bool_)
            chosen &= hit[field.codes[f.field]]
        return chosen

    def counted(self, table: str, column: str, period: TimeRange) -> tuple[int, int] | None:
        """How many rows a period has, and how many different ones; None where the column holds no days."""
        if self.retriever.schema(table).get(column) not in ("date", "date and time"):
            return None

        def made(rows: Any) -> Any:
            day = rows[column].cast("date")
            held = rows.filter((day >= period.start) & (day <= period.end))
            apart = held.distinct()
            return held.aggregate(rows=held.count()).cross_join(apart.aggregate(apart=apart.count()))

        (many, different), query = self.retriever.whole(table, made, cancel=self._cancel)
        self.queries.append(query)
        return int(many), int(different)

    def candidates(
        self, besides: Iterable[str], also: Iterable[str] = ()
    ) -> tuple[list[Candidates], dict[str, Candidates]]:
        """Every other series of every table that has days, by period and by the dimensions it shares.

        Args:
            besides: Metrics that are no candidates.
            also: Sums and counts to read in the same scans.

        Returns:
            The candidates of each table, and what was to be read beside them, by name.
        """
        left_out, beside = set(besides), self._by_table(also)
        more: dict[str, Candidates] = {}
        found: list[Candidates] = []
        for table in self.model.tables:
            own = table.name in self.tables
            looked_up = any(
                j.to_table == table.name and table.key == (j.to_column,) for j in self.model.joins
            )
            if not self._is_daily(table.time_dimension) or (looked_up and not own):
                continue
            held: list[tuple[Metric, SumForm]] = []
            for m in self.model.metrics:
                if m.table != table.name or m.name in left_out or m.where:
                    continue
                form = sum_form(self.model, m)
                # What adds up over the metric's own rows is part of it; only averages can tell something else.
                if form is None or (own and form.below is None):
                    continue
                if m.aggregation is Aggregation.COUNT and table.key and len(table.key) > 1:
                    continue  # one row for each day and thing: their number says nothing
                held.append((m, form))
            wanted = beside.pop(table.name, [])
            if held or wanted:
                read = self._read(table.name, [*held, *wanted])
                found += [Candidates(table.name, tuple(held), read.shared, read.panel)] if held else []
                more |= {
                    m.name: Candidates(table.name, ((m, f),), read.shared, read.panel) for m, f in wanted
                }
        for name, wanted in beside.items():
            read = self._read(name, wanted)
            more |= {m.name: Candidates(name, ((m, f),), read.shared, read.panel) for m, f in wanted}
        return found, more

    def _is_daily(self, name: str | None) -> bool:
        if name is None:
            return False
        time = self.model.dimension(name)
        return time.grain is None or time.grain in _FINE

    def _read(self, table: str, held: list[tuple[Metric, SumForm]]) -> Candidates:
        shared = tuple(
            d for d in self.dimensions if self.model.path(table, self.model.dimension(d)) is not None
        )
        parts = tuple(dict.fromkeys(c for _, f in held for c in f.components))
        panel = self.scan(PanelQuery(table, parts, shared, self.windows, False, self._kept(table)))
        return Candidates(table, tuple(held), shared, panel)

    def _by_table(self, names: Iterable[str]) -> dict[str, list[tuple[Metric, SumForm]]]:
        tables: dict[str, list[tuple[Metric, SumForm]]] = {}
        for name in names:
            metric = self.model.metric(name)
            form = sum_form(self.model, metric)
            assert form is not None and metric.table is not None, "a tree is made of sums and counts"
            tables.setdefault(metric.table, []).append((metric, form))
        return tables

    def totals(self, names: Iterable[str]) -> tuple[dict[str, float], dict[str, float]]:
        """Sums and counts in the later and the earlier period, under all conditions; left out where those say nothing."""
        held: tuple[dict[str, float], dict[str, float]] = ({}, {})
        for table, metrics in self._by_table(names).items():
            if any(
                self.model.path(table, self.model.dimension(f.field)) is None
                for f in (*self.focus, *self.filters)
            ):
                continue
            parts = tuple(dict.fromkeys(c for _, f in metrics for c in f.components))
            panel = self.scan(
                PanelQuery(table, parts, (), self.windows[:2], False, (*self.focus, *self.filters))
            )
            for metric, form in metrics:
                column = panel.total(form.above)
                for w in (0, 1):
                    held[w][metric.name] = float(column[panel.window == w].sum())
        return held


def joined_codes(parts: Sequence[dict[str, Any]]) -> tuple[dict[str, Ints], dict[str, tuple[Any, ...]]]:
    """Columns of several panels one after the other, with the same codes for the same values."""
    codes: dict[str, Ints] = {}
    labels: dict[str, tuple[Any, ...]] = {}
    for name in parts[0]:
        values = list(dict.fromkeys(v for p in parts for v in p[name].values))
        place = {v: i for i, v in enumerate(values)}
        made = [np.array([place[v] for v in p[name].values], dtype=np.int64)[p[name].codes] if len(p[name].values)
                else p[name].codes for p in parts]  # fmt: skip
        codes[name], labels[name] = np.concatenate(made), tuple(values)
    return codes, labels
