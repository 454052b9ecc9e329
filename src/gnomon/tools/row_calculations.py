"""Tools that relate or describe columns row by row where the rows lie, exact at any number of rows.

The sums they need are metrics added to a copy of the model, so that conditions, joins and backends are
those of every other retrieval.
"""

from __future__ import annotations

import copy
import hashlib
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.errors import CalculationError, InvalidInput
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.patterns import late_pattern
from gnomon.core.query import TimeRange
from gnomon.semantic.model import Aggregation, Metric, SemanticModel, quoted
from gnomon.semantic.query import RetrievalQuery, Retrieved
from gnomon.semantic.retrieve import Retriever
from gnomon.tools.calculation_tools import PairOutput, SpreadOutput
from gnomon.tools.calculations import Spread, bin_edges, spread
from gnomon.tools.contract import FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.pair_picture import MOST_POINTS
from gnomon.tools.table_inspection import inspection_tools
from gnomon.tools.wording import counted, figure

FEW_VALUES = 20_000
_FINE_BINS = 64
_FEWEST_PAIRS = 3
_MANY = 1000
_CHANCE = 0.05
_NOTHING = 1e-24  # of the square of the average: what rounding leaves of a constant column
_NAME = late_pattern(r"`([^`]+)`|([A-Za-z_]\w*)")


class RowsInput(BaseModel):
    """The rows that a calculation is about."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    table: str = Field(description="The table whose rows are looked at.")
    filters: tuple[Filter, ...] = Field(default=(), description="Conditions that rows have to meet.")
    time_range: TimeRange | None = Field(default=None, description="Only rows of these days.")
    time_dimension: str | None = Field(default=None, description="The time dimension that the days mean.")
    recurring: tuple[str, tuple[int, ...]] | None = Field(
        default=None, description="A part of time that repeats, such as weekdays."
    )

    def query(self, **fields: Any) -> RetrievalQuery:
        """A retrieval over these rows."""
        names = ("filters", "time_range", "time_dimension", "recurring")
        return RetrievalQuery(**({n: getattr(self, n) for n in names} | fields))


class RowPairInput(RowsInput):
    """Two expressions over the columns of a table."""

    x: str = Field(description="First column, or arithmetic over columns.")
    y: str = Field(description="Second column, or arithmetic over columns.")


class RowSpreadInput(RowsInput):
    """A column of numbers."""

    column: str = Field(description="The column to describe.")


class RowPairOutput(PairOutput):
    """How two columns go together, with the query that found out."""

    query: str = Field(description="The query, for people to read.")
    line: tuple[float, float] | None = Field(
        default=None, description="Slope and intercept, where that is not by chance."
    )
    shown: Frame | None = Field(default=None, description="Some of the pairs, to be drawn.")


class RowSpreadOutput(SpreadOutput):
    """How the values of a column are spread."""

    values: Frame = Field(description="Each value with how often it occurs, where there are few.")
    query: str = Field(description="The query, for people to read.")


class OverRows:
    """What computes over the rows of a model's tables.

    Args:
        model: What the tables mean.
        retriever: Where the rows are.
    """

    def __init__(self, model: SemanticModel, retriever: Retriever) -> None:
        self._model = model
        self._retriever = retriever


class RowCalculator(OverRows):
    """Computes over rows through a retriever."""

    def _run(self, query: RetrievalQuery, metrics: Sequence[Metric], context: ToolContext) -> Retrieved:
        """Run a query over a model that has these metrics too."""
        wider = copy.copy(self._retriever)
        known = self._model
        # Built anew: a copy would carry along the look-up of the metrics it had.
        wider.model = SemanticModel.model_construct(
            tables=known.tables,
            metrics=(*known.metrics, *metrics),
            dimensions=known.dimensions,
            joins=known.joins,
        )
        return wider.run(query, cancel=context.cancel)

    def _metric(
        self, name: str, table: str, how: Aggregation, expression: str | None, where: tuple[Filter, ...] = ()
    ) -> Metric:
        # The name tells what it computes: compiled queries are kept by the names in them.
        digest = hashlib.sha1(
            repr((table, how, expression, where)).encode(), usedforsecurity=False
        ).hexdigest()
        time = self._model.table(table).time_dimension
        label = name.replace("_", " ")
        return Metric(
            name=f"{name}_{digest[:16]}", label=label, table=table, aggregation=how, expression=expression, where=where, time_dimension=time
        )  # fmt: skip

    def correlate(self, given: RowPairInput, context: ToolContext) -> RowPairOutput:
        """Pearson's coefficient over the rows where both are known."""
        both = self._known(given.table, given.x, given.y)
        x, y = f"({given.x})", f"({given.y})"
        first = self._averages(given, {"x": x, "y": y}, both, context)
        n, (mx, my) = int(first.rows[0][0] or 0), first.rows[0][1:3]
        if n < _FEWEST_PAIRS:
            raise CalculationError(f"A correlation needs at least {_FEWEST_PAIRS} pairs; there are {n}.")
        # A division makes a float of whole numbers, whose products with many decimals would not fit.
        dx, dy = f"({x} / 1 - ({mx!r}))", f"({y} / 1 - ({my!r}))"
        products = {"xx": f"{dx} * {dx}", "yy": f"{dy} * {dy}", "xy": f"{dx} * {dy}"}
        second = self._averages(given, products, both, context)
        xx, yy, xy = (float(v or 0) for v in second.rows[0][1:4])
        if xx <= _NOTHING * mx * mx or yy <= _NOTHING * my * my:
            raise CalculationError("One of the two columns has the same value throughout.")
        r = max(-1.0, min(1.0, xy / math.sqrt(xx * yy)))
        p, low, high = _evidence(r, n)
        summary = f"{given.x} and {given.y} correlate with r = {r:.2f} over {counted(n, 'row')}."
        line = (xy / xx, my - xy / xx * mx) if p < _CHANCE else None
        return RowPairOutput(
            summary=summary, r=r, rank_r=None, n=n, p_value=p, low=low, high=high, query=second.query, line=line,
            shown=self._points(given, context),
        )  # fmt: skip

    def _points(self, given: RowPairInput, context: ToolContext) -> Frame | None:
        """Some of the pairs, where both are columns."""
        named = [_NAME.fullmatch(e) for e in (given.x, given.y)]
        columns = [f"{given.table}.{m[1] or m[2]}" for m in named if m is not None]
        if len(columns) < 2:
            return None
        parts = self._retriever.sampled_columns(
            given.table, columns, given.query(), most=MOST_POINTS, cancel=context.cancel
        )
        return Frame.of(dict(zip(("x", "y"), parts, strict=True)))

    def _averages(
        self,
        given: RowPairInput,
        expressions: dict[str, str],
        where: tuple[Filter, ...],
        context: ToolContext,
    ) -> Retrieved:
        metrics = [self._metric("_n", given.table, Aggregation.COUNT, None, where)]
        metrics += [
            self._metric(f"_{name}", given.table, Aggregation.MEAN, expression, where)
            for name, expression in expressions.items()
        ]
        return self._run(given.query(metrics=tuple(m.name for m in metrics)), metrics, context)

    def _known(self, table: str, *expressions: str) -> tuple[Filter, ...]:
        """Conditions that every column of the expressions has a value."""
        names = [a or b for e in expressions for a, b in _NAME.findall(e)]
        found = [self._model.dimension(f"{table}.{n}") for n in dict.fromkeys(names)]
        return tuple(Filter(field=d.name, operator=FilterOperator.NOT_NULL) for d in found)

    def describe(self, given: RowSpreadInput, context: ToolContext) -> RowSpreadOutput:
        """Quartiles, average and bins of a column; exact however many rows there are."""
        dimension = self._model.dimension(f"{given.table}.{given.column}")
        count = self._metric("_n", given.table, Aggregation.COUNT, None)
        query = given.query(
            metrics=(count.name,), dimensions=(dimension.name,), order_by=dimension.name, descending=False, limit=FEW_VALUES + 1
        )  # fmt: skip
        found = self._run(query, [count], context)
        if len(found.rows) <= FEW_VALUES:
            values = [(_number(v), int(n)) for v, n in found.rows]
            told = spread([v for v, _ in values], [n for _, n in values], None)
            listed = [(v, n) for v, n in values if v is not None]
        else:
            told, listed = self._described_in_bins(given, dimension.name, context), []
        bins = {name: [b[i] for b in told.bins] for i, name in enumerate(("from", "to", "count"))}
        reach = f"from {figure(told.minimum)} to {figure(told.maximum)}"
        return RowSpreadOutput(
            summary=f"{given.column} lies {reach}; half of the values lie below {figure(told.median)}.",
            rows=Frame.of(bins),
            values=Frame.of({"value": [v for v, _ in listed], "count": [n for _, n in listed]}),
            query=found.query,
            **{k: v for k, v in vars(told).items() if k != "bins"},
        )

    def _described_in_bins(self, given: RowSpreadInput, name: str, context: ToolContext) -> Spread:
        """The same from aggregates and counts between borders, for columns of very many values."""
        column = quoted(given.column)
        how = (Aggregation.MIN, Aggregation.MAX, Aggregation.MEAN, Aggregation.MEDIAN, Aggregation.STDDEV)
        known = (Filter(field=name, operator=FilterOperator.NOT_NULL),)
        metrics = [self._metric(f"_{h}", given.table, h, column) for h in how]
        metrics += [self._metric("_n", given.table, Aggregation.COUNT, None, known)]
        metrics += [self._metric("_all", given.table, Aggregation.COUNT, None)]
        row = self._run(given.query(metrics=tuple(m.name for m in metrics)), metrics, context).rows[0]
        low, high, mean, median, stddev = row[:5]
        n, everything = int(row[5]), int(row[6])
        edges = [float(e) for e in bin_edges(float(low), float(high), n, None, whole=False)]
        counts = self._between(given, name, edges, context)
        quartiles = [self._quantile(given, name, n, q, edges, counts, context) for q in (0.25, 0.75)]
        return Spread(
            count=n,
            missing=everything - n,
            minimum=low,
            maximum=high,
            mean=mean,
            median=median,
            p25=quartiles[0],
            p75=quartiles[1],
            stddev=stddev,
            bins=list(zip(edges[:-1], edges[1:], counts, strict=True)),
        )

    def _between(
        self, given: RowSpreadInput, name: str, edges: Sequence[float], context: ToolContext
    ) -> list[int]:
        """How many values lie from each border to the next; the last border counts too."""
        metrics: list[Metric] = []
        for i, (a, b) in enumerate(pairwise(edges)):
            last = i == len(edges) - 2
            upper = FilterOperator.AT_MOST if last else FilterOperator.LESS
            where = (
                Filter(field=name, operator=FilterOperator.AT_LEAST, values=(a,)),
                Filter(field=name, operator=upper, values=(b,)),
            )
            metrics.append(self._metric(f"_b{i}", given.table, Aggregation.COUNT, None, where))
        found = self._run(given.query(metrics=tuple(m.name for m in metrics)), metrics, context)
        return [int(v or 0) for v in found.rows[0]]

    def _quantile(
        self,
        given: RowSpreadInput,
        name: str,
        n: int,
        q: float,
        edges: Sequence[float],
        counts: Sequence[int],
        context: ToolContext,
    ) -> float:
        """The linear quantile, from the few values around it."""
        at = q * (n - 1)
        below, above = (
            self._nth(given, name, k, edges, counts, context) for k in (math.floor(at), math.ceil(at))
        )
        return below + (above - below) * (at - math.floor(at))

    def _nth(
        self,
        given: RowSpreadInput,
        name: str,
        k: int,
        edges: Sequence[float],
        counts: Sequence[int],
        context: ToolContext,
    ) -> float:
        """The value at place ``k`` in order, by looking closer at the bin that holds it."""
        while True:
            i, before = 0, 0
            while i < len(counts) - 1 and before + counts[i] <= k:
                before += counts[i]
                i += 1
            low, high, k = edges[i], edges[i + 1], k - before
            if counts[i] <= FEW_VALUES or math.nextafter(low, high) >= high:
                break
            step = (high - low) / _FINE_BINS
            edges = [low + j * step for j in range(_FINE_BINS)] + [high]
            counts = self._between(given, name, edges, context)
        upper = FilterOperator.AT_MOST if i == len(counts) - 1 else FilterOperator.LESS
        near = (
            Filter(field=name, operator=FilterOperator.AT_LEAST, values=(low,)),
            Filter(field=name, operator=upper, values=(high,)),
        )
        count = self._metric("_n", given.table, Aggregation.COUNT, None)
        query = given.query(metrics=(count.name,), dimensions=(name,), order_by=name, descending=False)
        found = self._run(query.model_copy(update={"filters": (*query.filters, *near)}), [count], context)
        for value, many in found.rows:
            if k < many:
                return float(value)
            k -= many
        return float(found.rows[-1][0])


def _number(value: Any) -> float | None:
    if value is None or isinstance(value, (int, float)):
        return value
    raise InvalidInput(f"{value!r} is no number, so its column has no quartiles.")


def _evidence(r: float, n: int) -> tuple[float, float | None, float | None]:
    """The p-value of a coefficient, and its interval."""
    if abs(r) >= 1 - 1e-12:
        return 0.0, r, r
    t = abs(r) * math.sqrt((n - 2) / (1 - r * r))
    if n > _MANY:  # Student's t is the normal distribution by then
        p = math.erfc(t / math.sqrt(2))
    else:
        from scipy import stats

        p = float(2 * cast("float", stats.t.sf(t, n - 2)))
    if n < 5:
        return p, None, None
    half = 1.959963984540054 / math.sqrt(n - 3)
    return p, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def row_tools(model: SemanticModel, retriever: Retriever) -> list[FunctionTool]:
    """Tools over the rows of a model's tables."""
    calculator = RowCalculator(model, retriever)
    return [
        FunctionTool(
            "correlate_columns",
            calculator.correlate,
            RowPairInput,
            RowPairOutput,
            description="Correlation of two columns of a table over its rows, computed where they lie.",
        ),
        FunctionTool(
            "describe_column",
            calculator.describe,
            RowSpreadInput,
            RowSpreadOutput,
            description="How the values of a column are spread over its rows: quartiles, average, bins.",
            produces_rows="rows",
        ),
        *inspection_tools(retriever),
    ]
