"""Where a template works without a model: tables, what they mean, and sections whose every figure is a fact."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gnomon.agents.coder.record import Cell, Section
from gnomon.answering.words import fact_figure
from gnomon.core import clock
from gnomon.core.answer import About, Fact, FactValue, ResultTable
from gnomon.core.errors import GnomonError
from gnomon.core.figures import FRACTION
from gnomon.core.parts import Filter
from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.data import Dataset, DatasetProfile, Role, TableProfile
from gnomon.data.table import quote
from gnomon.semantic import SemanticModel
from gnomon.semantic.infer import infer_model
from gnomon.semantic.model import Aggregation, Dimension, DimensionType, Metric, TableMeaning
from gnomon.semantic.query import RetrievalQuery, Retrieved
from gnomon.semantic.reread import CLOCK
from gnomon.semantic.retrieve import Retriever
from gnomon.tools import CancelToken

if TYPE_CHECKING:
    import pandas as pd

MOST_TABLES = 12
MOST_ROWS = 50_000
LOPSIDED = 0.95
_SLOT = regex(r"\{\{([\w.]+)\}\}")
_GRAINS: tuple[tuple[TimeGranularity, float], ...] = (
    (TimeGranularity.HOUR, 1 / 24),
    (TimeGranularity.DAY, 1.0),
    (TimeGranularity.WEEK, 7.0),
    (TimeGranularity.MONTH, 30.44),
    (TimeGranularity.QUARTER, 91.31),
    (TimeGranularity.YEAR, 365.24),
)


class Draft:
    """A section as it is written: facts are put in by name, so that no sentence holds a figure of its own.

    Args:
        title: Its heading.
        prefix: How the names of its facts begin.
    """

    def __init__(self, title: str, prefix: str) -> None:
        self.title = title
        self._prefix = prefix
        self._facts: dict[str, Fact] = {}
        self._said: list[str] = []
        self._tables: list[ResultTable] = []
        self._charts: list[dict[str, Any]] = []
        self._refused = False

    def fact(
        self,
        name: str,
        value: FactValue,
        unit: str | None = None,
        *,
        query: str = "",
        metric: str | None = None,
        period: TimeRange | None = None,
        filters: tuple[Filter, ...] = (),
        step: str = "plan",
    ) -> str:
        """Put down something computed, and get the slot that a sentence holds in its place."""
        plain = re.sub(r"\W+", "_", name).strip("_").lower()
        full = f"{self._prefix}.{plain}"
        n = 1
        while full in self._facts:
            n += 1
            full = f"{self._prefix}.{plain}_{n}"
        about = About(metric=metric, period=period, filters=filters)
        self._facts[full] = Fact(
            name=full, value=_plain(value), unit=unit, about=about, step=step, query=query
        )
        return f"{{{{{full}}}}}"

    def say(self, text: str) -> None:
        """Add a sentence; its figures and the values it names are slots."""
        self._said.append(text)

    def table(
        self,
        name: str,
        columns: Sequence[str],
        rows: Sequence[Sequence[Any]],
        rates: Sequence[str] = (),
        units: Sequence[str | None] = (),
    ) -> None:
        """Add rows; ``units`` are those of each row, where the rows are different figures."""
        plain = tuple(tuple(_plain(v) for v in row) for row in rows)
        self._tables.append(
            ResultTable(name=name, columns=tuple(columns), rows=plain, rates=tuple(rates), units=tuple(units))
        )

    def chart(self, spec: dict[str, Any]) -> None:
        """Add a chart."""
        self._charts.append(spec)

    def refuse(self, why: str) -> None:
        """Say that the data cannot bear this part."""
        self._refused = True
        self._said.append(why)

    def filled(self, text: str) -> str:
        """A text with figures in place of its slots, such as the title of a chart."""
        return _SLOT.sub(lambda m: fact_figure(self._facts[m[1]]), text)

    def section(self) -> Section:
        """The section with figures in place of slots."""
        prose = self.filled(" ".join(self._said))
        refused = self._refused and not self._facts
        return Section(
            self.title, prose, tuple(self._facts.values()), tuple(self._tables), tuple(self._charts), refused
        )


@dataclass(frozen=True)
class Series:
    """A metric along time, whole periods only.

    Args:
        metric: What is measured.
        grain: The length of a period.
        times: The beginning of each period.
        values: The value of each; None where there is none.
        query: What gave them.
    """

    metric: Metric
    grain: TimeGranularity
    times: tuple[date | datetime, ...]
    values: tuple[float | None, ...]
    query: str


@dataclass
class Desk:
    """One run of a template's plan.

    Args:
        dataset: The tables.
        profile: What they hold.
        cancel: Stops it.
        tell: Told what is being done.
    """

    dataset: Dataset
    profile: DatasetProfile
    cancel: CancelToken | None = None
    tell: Callable[..., None] = lambda *_, **__: None
    cells: list[Cell] = field(default_factory=list[Cell])

    @cached_property
    def model(self) -> SemanticModel:
        """What the tables mean."""
        return infer_model(self.profile, self.dataset)

    @cached_property
    def _retriever(self) -> Retriever:
        return Retriever.over(self.dataset, self.model)

    @cached_property
    def table(self) -> TableProfile:
        """The table that a template is about: one with times and measures before one without, the longest first."""

        def rank(t: TableProfile) -> tuple[bool, bool, int]:
            meaning = self.meaning(t.name)
            measured = any(m.table == t.name and m.expression is not None for m in self.model.metrics)
            return (meaning is not None and meaning.time_dimension is not None, measured, t.rows)

        return max(self.profile.tables, key=rank)

    def meaning(self, table: str) -> TableMeaning | None:
        """What a table is about, where that is known."""
        return next((t for t in self.model.tables if t.name == table), None)

    @property
    def time(self) -> Dimension | None:
        """The time that periods of the table refer to."""
        meaning = self.meaning(self.table.name)
        return self.model.dimension(meaning.time_dimension) if meaning and meaning.time_dimension else None

    def metrics(self, most: int) -> list[Metric]:
        """What the table measures: money first, then what can be added up, how many rows there are, and averages."""
        own = [m for m in self.model.metrics if self.model.base_tables(m) == (self.table.name,)]
        counts = [m for m in own if m.aggregation is Aggregation.COUNT and m.expression is None]
        if self._one_row_each and len(own) > len(counts):
            own = [
                m for m in own if m not in counts
            ]  # one row for each moment: how many there are says nothing
        rates = {m.expression for m in own if m.unit == FRACTION and m.aggregation is Aggregation.MEAN}
        flags = [m for m in own if m.aggregation is Aggregation.SUM and m.expression in rates]
        own = [m for m in own if m not in flags]  # how often a flag is set is told by its rate
        money = {c.name for c in self.table.columns if c.role is Role.MONEY}
        rank = {Aggregation.SUM: 0, Aggregation.COUNT: 1, Aggregation.MEAN: 2}
        order = sorted(
            own,
            key=lambda m: (
                m.expression not in money,
                rank.get(m.aggregation or Aggregation.MEDIAN, 3),
                m.expression in rates,
                m.unit is None,
            ),
        )
        first = [m for m in order if m.aggregation is Aggregation.SUM or m.expression in money][
            : max(1, most - 1)
        ]
        rest = [m for m in order if m not in first]
        return [*first, *rest][:most]

    @property
    def _one_row_each(self) -> bool:
        """Whether the table is a series, or several: one row for each moment of a regular clock and each who ticks."""
        column = self.time.at(self.table.name) if self.time is not None else None
        held = next((c for c in self.table.columns if c.name == column), None)
        ticks = any(g.column == column and g.regular for g in self.table.time)
        if held is None or not ticks:
            return False
        each = max((self._members(k.columns, held.name) for k in self.table.keys if k.exact), default=1)
        return held.distinct * each >= 0.9 * self.table.rows

    def _members(self, key: Sequence[str], time: str) -> int:
        """How many tick side by side, where the moment and one more column tell rows apart."""
        others = [c for c in key if c != time]
        return self.table.column(others[0]).distinct if time in key and len(others) == 1 else 1

    def dimensions(self, most: int, *, least: int = 2, largest: int = 30) -> list[Dimension]:
        """Columns of the table that part its rows into a few named groups; none that names persons or parts of a date.

        Those whose rows are nearly all in one group come last, and flags after what has names of its own.
        """
        held: list[Dimension] = []
        dated = {c for d in self.model.dimensions if d.at(self.table.name) for c in d.beside}
        if self.time is not None:
            dated |= {c.name for c in self.table.columns if c.name.lower() in CLOCK}
        for d in self.model.dimensions:
            column = d.at(self.table.name)
            if column is None or d.personal or d.via is not None or column in dated:
                continue
            if d.type not in (DimensionType.CATEGORY, DimensionType.BOOLEAN):
                continue
            if least <= (d.distinct or 0) <= largest:
                held.append(d)
        return sorted(
            held, key=lambda d: (self._lopsided(d), d.type is DimensionType.BOOLEAN, d.distinct or 0)
        )[:most]

    def _lopsided(self, dimension: Dimension) -> bool:
        """Whether nearly all rows are in one group."""
        column = self.table.column(dimension.at(self.table.name) or "")
        largest = max((v.count for v in column.top_values), default=0)
        return largest > LOPSIDED * max(1, self.table.rows - column.nulls)

    def row_query(self, *dimensions: Dimension) -> str:
        """The query for columns ``c0``, ``c1``, … of all rows of the table, times as days."""
        return self._retriever.row_query(self.table.name, [d.name for d in dimensions], moments=True)

    def retrieve(self, what: str, query: RetrievalQuery) -> Retrieved:
        """Run a query over the meaning of the tables, as one cell."""
        self._check()
        started = clock.elapsed()
        got = self._retriever.run(query, cancel=self.cancel)
        self._cell(what, got.query, clock.elapsed() - started)
        return got

    def sql(self, what: str, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a query in SQL, as one cell."""
        self._check()
        started = clock.elapsed()
        with self.dataset.cursor() as cursor:
            rows = cursor.execute(query, list(parameters)).fetchall()
        self._cell(what, query, clock.elapsed() - started)
        return rows

    def frame(self, what: str, columns: Sequence[str], most: int = MOST_ROWS) -> pd.DataFrame:
        """Columns of the table as a frame; a fixed random sample where there are very many rows."""
        self._check()
        listed = ", ".join(quote(c) for c in columns)
        sample = f" USING SAMPLE reservoir({most} ROWS) REPEATABLE (7)" if self.table.rows > most else ""
        query = f"SELECT {listed} FROM {quote(self.table.name)}{sample}"
        started = clock.elapsed()
        with self.dataset.cursor() as cursor:
            frame = cursor.execute(query).df()
        self._cell(what, query, clock.elapsed() - started)
        return frame

    def series(self, metric: Metric, grain: TimeGranularity) -> Series:
        """A metric by periods that the data covers whole; a period without rows is zero where things are added up."""
        query = RetrievalQuery(
            metrics=(metric.name,),
            grain=grain,
            time_dimension=self.time.name if self.time else None,
            order_by=None,
        )
        got = self.retrieve(f"{metric.label} by {grain}", query)
        rows = sorted((r for r in got.rows if r[0] is not None), key=lambda r: r[0])
        rows = self._whole(rows, grain)
        if metric.aggregation in (Aggregation.SUM, Aggregation.COUNT) and rows:
            rows = _filled(rows, grain)
        values = tuple(None if r[1] is None else float(r[1]) for r in rows)
        return Series(metric, grain, tuple(r[0] for r in rows), values, got.query)

    def _whole(self, rows: list[tuple[Any, ...]], grain: TimeGranularity) -> list[tuple[Any, ...]]:
        """Without a first and a last period that the data covers only in part."""
        time = self.time
        if time is None or time.coverage is None or len(rows) < 3 or grain is TimeGranularity.HOUR:
            return rows
        native = dict(_GRAINS).get(time.grain, 1.0) if time.grain else 1.0
        if native >= dict(_GRAINS)[grain] * 0.9:
            return rows
        first, last = time.coverage
        slack = timedelta(days=max(native, 1.0))
        if _day(rows[-1][0]) + _length(_day(rows[-1][0]), grain) > last + slack or last in time.open_days:
            rows = rows[:-1]
        begins = _day(rows[0][0])
        if (begins + slack < first + timedelta(days=1) and begins < first) or first in time.open_days:
            rows = rows[1:]
        return rows

    def grain(self, least: int = 24, *, finest: bool = False) -> TimeGranularity | None:
        """How long periods should be: the longest of which there are ``least``, or the shortest that the data has."""
        time = self.time
        if time is None or time.coverage is None:
            return None
        days = (time.coverage[1] - time.coverage[0]).days + 1
        native = dict(_GRAINS).get(time.grain, 1.0) if time.grain else 1.0
        usable = [
            (g, d) for g, d in _GRAINS if d >= native * 0.9 and days / d <= max(1.6 * self.table.rows, 4)
            and not (time.grain is TimeGranularity.WEEK and g is TimeGranularity.MONTH)  # four weeks, or five
        ]  # fmt: skip
        if not usable:
            return None
        if finest:
            return next((g for g, d in usable if days / d <= 20_000), usable[-1][0])
        enough = [g for g, d in usable if days / d >= least]
        return enough[-1] if enough else usable[0][0]

    def note(self, what: str, code: str) -> str:
        """A computation over what a query gave, as one cell; gives the text that facts are marked with."""
        self._check()
        self.cells.append(Cell(len(self.cells) + 1, 1, "template", what, code, language="python"))
        return code

    def _cell(self, what: str, query: str, seconds: float) -> None:
        self.tell(1, f"{what[:1].upper()}{what[1:]}", share=min(0.95, len(self.cells) / 20))
        self.cells.append(
            Cell(len(self.cells) + 1, 1, "template", what, query, language="sql", seconds=round(seconds, 4))
        )

    def _check(self) -> None:
        if self.cancel is not None:
            self.cancel.check()


def attempted(draft: Draft, work: Callable[[], None], what: str) -> Section:
    """A section whose work may find that the data cannot bear it; then it says why."""
    try:
        work()
    except GnomonError as e:
        from gnomon.core.errors import Cancelled

        if isinstance(e, Cancelled):
            raise
        draft.refuse(f"{what} cannot be told: {e.message}")
    return draft.section()


def _filled(rows: list[tuple[Any, ...]], grain: TimeGranularity) -> list[tuple[Any, ...]]:
    """Periods between the first and the last that have no rows, as zeros."""
    known = {r[0]: r for r in rows}
    found: list[tuple[Any, ...]] = []
    at, end = rows[0][0], rows[-1][0]
    while at <= end and len(found) <= 100_000:
        found.append(known.get(at, (at, 0.0)))
        at = at + (timedelta(hours=1) if grain is TimeGranularity.HOUR else _length(_day(at), grain))
    return found if len(found) >= len(rows) and known.keys() <= {f[0] for f in found} else rows


def _length(start: date, grain: TimeGranularity) -> timedelta:
    """From the beginning of a period to the beginning of the next."""
    if grain is TimeGranularity.DAY:
        return timedelta(days=1)
    if grain is TimeGranularity.WEEK:
        return timedelta(days=7)
    months = {TimeGranularity.MONTH: 1, TimeGranularity.QUARTER: 3, TimeGranularity.YEAR: 12}[grain]
    later = start.month - 1 + months
    return start.replace(year=start.year + later // 12, month=later % 12 + 1, day=1) - start


def period_end(start: date | datetime, grain: TimeGranularity) -> date:
    """The last day of the period that begins then."""
    day = _day(start)
    return day if grain is TimeGranularity.HOUR else day + _length(day, grain) - timedelta(days=1)


def _day(value: date | datetime) -> date:
    return value.date() if isinstance(value, datetime) else value


def _plain(value: Any) -> Any:
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, datetime) and (value.hour, value.minute, value.second, value.microsecond) == (
        0,
        0,
        0,
        0,
    ):
        return value.date()
    return value if value is None or isinstance(value, str | int | float | bool | date) else str(value)
