"""Tools that compute with retrieved rows: change, share, growth, ranking, correlation, distribution, running values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gnomon.core.errors import CalculationError, InvalidInput, NotFound
from gnomon.tools.calculations import (
    Numbers,
    ascending_ranks,
    change_pct,
    correlated,
    growth_rate,
    moving_means,
    number_or_none,
    running_sums,
    share_pct,
    spread,
)
from gnomon.tools.contract import FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.outputs import Output
from gnomon.tools.wording import counted, figure

MAX_DISTINCT_ROWS = 2_000_000


def _as_rows(value: Any) -> Any:
    """What a retrieval gave (columns beside rows of values) as rows; anything else as it is."""
    if isinstance(value, Mapping):
        given = cast("Mapping[str, Any]", value)
        if "columns" in given and "rows" in given:
            if isinstance(given["rows"], Frame):
                return given["rows"]
            names = [str(c) for c in given["columns"]]
            return [dict(zip(names, row, strict=True)) for row in given["rows"]]
    return value


Rows = Annotated[Frame, BeforeValidator(_as_rows)]


class _Input(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Rows = Field(description="Rows to compute with.")


class ChangeInput(_Input):
    """Two sets of rows, and what to compare."""

    other: Rows = Field(description="The rows to compare with.")
    value: str = Field(description="Column of numbers that both have.")
    on: list[str] = Field(default_factory=list, description="Columns that match rows; none for single rows.")


class SharesInput(_Input):
    """Parts, and the whole that they are parts of."""

    value: str = Field(description="Column of numbers.")
    whole: Rows | None = Field(
        default=None, description="The whole: one row, or one for each key; the sum of the parts by default."
    )
    on: list[str] = Field(
        default_factory=list, description="Columns that match a part with its whole; none for one whole."
    )


class GrowthInput(_Input):
    """A column along time."""

    value: str = Field(description="Column of numbers, one row a period, in order.")
    by: list[str] = Field(default_factory=list, description="Each combination of these is a series.")


class RankingInput(_Input):
    """What to put in order."""

    value: str = Field(description="Column of numbers.")
    descending: bool = Field(default=True, description="Whether the largest comes first.")
    limit: int | None = Field(default=None, ge=1, description="Ranks to keep; rows that tie are kept too.")
    per: str | None = Field(default=None, description="Rank within each value of this column.")


class PairInput(_Input):
    """Two columns to relate."""

    x: str = Field(description="First column of numbers.")
    y: str = Field(description="Second column of numbers.")
    weight: str | None = Field(default=None, description="Column that says how often a row counts.")


class SpreadInput(_Input):
    """The column to describe."""

    value: str = Field(description="Column of numbers.")
    weight: str | None = Field(default=None, description="Column that says how often a row counts.")
    bins: int | None = Field(default=None, ge=2, le=200, description="Number of bins; chosen by the data.")


class DifferenceInput(_Input):
    """Two rows to set against each other."""

    by: str = Field(description="Column that names the rows.")
    value: str = Field(description="Column of numbers.")
    first: str = Field(description="The name of the row that is compared.")
    second: str = Field(description="The name of the row that it is compared with.")


class RunningInput(GrowthInput):
    """A column to accumulate or smooth."""

    window: int | None = Field(
        default=None, ge=2, description="Periods to average over; without one, sums run on from the start."
    )


class RowsOutput(Output):
    """Rows with what was computed beside them."""

    rows: Frame = Field(description="The rows with the computed columns.")
    count: int = Field(description="How many rows there are.")


class SharesOutput(RowsOutput):
    """Parts with their shares."""

    total: float | None = Field(description="The whole.")


class RankingOutput(RowsOutput):
    """Rows in order."""

    left_out: int = Field(description="Rows that have no value and so no rank.")


class PairOutput(Output):
    """How two columns go together."""

    r: float = Field(description="Pearson's coefficient, from -1 to 1.")
    rank_r: float | None = Field(description="Spearman's coefficient, from -1 to 1.")
    n: int = Field(description="Pairs that it is computed from.")
    p_value: float = Field(description="Chance of so strong a coefficient in unrelated columns.")
    low: float | None = Field(description="Lower end of the 95 % interval of r.")
    high: float | None = Field(description="Upper end of the 95 % interval of r.")


class DifferenceOutput(Output):
    """How two values differ."""

    first: float | None = Field(description="The value that is compared.")
    second: float | None = Field(description="The value that it is compared with.")
    difference: float | None = Field(description="The first less the second.")
    difference_pct: float | None = Field(description="The difference in percent of the second.")
    ratio: float | None = Field(description="The first divided by the second.")


class SpreadOutput(Output):
    """How values are spread."""

    count: int = Field(description="Values that are present.")
    missing: int = Field(description="Values that are not.")
    minimum: float = Field(description="The smallest.")
    maximum: float = Field(description="The largest.")
    mean: float = Field(description="The average.")
    median: float = Field(description="The middle.")
    p25: float = Field(description="A quarter lies below.")
    p75: float = Field(description="A quarter lies above.")
    stddev: float | None = Field(description="Standard deviation of a sample.")
    rows: Frame = Field(description="Bins: from, to, count.")


def _column(rows: Frame, name: str) -> list[Any]:
    if name not in rows.columns:
        raise NotFound.among("column", name, rows.columns)
    return rows.values(name)


def _numbers(rows: Frame, name: str) -> Numbers:
    return [number_or_none(v, name) for v in _column(rows, name)]


def _extended(rows: Frame, **columns: Sequence[Any]) -> Frame:
    """The rows with more columns on the right."""
    known: dict[str, Sequence[Any]] = {name: rows.values(name) for name in rows.columns}
    known |= {name: list(values) for name, values in columns.items()}
    return _frame(known)


def _frame(columns: Mapping[str, Sequence[Any]]) -> Frame:
    count = len(next(iter(columns.values()), ()))
    if count == 0:
        return Frame.of(dict(columns))
    return Frame.of([{name: values[i] for name, values in columns.items()} for i in range(count)])


def _groups(rows: Frame, by: Sequence[str]) -> list[list[int]]:
    """Positions of the rows of each group, in order of appearance."""
    keys = list(zip(*(_column(rows, b) for b in by), strict=True)) if by else [()] * len(rows)
    found: dict[tuple[Any, ...], list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return list(found.values())


def run_change(given: ChangeInput, context: ToolContext) -> RowsOutput:
    """Set two sets of rows against each other, key by key."""
    keys = [tuple(k) for k in zip(*(_column(given.data, c) for c in given.on), strict=True)]
    others = [tuple(k) for k in zip(*(_column(given.other, c) for c in given.on), strict=True)]
    if not given.on:
        keys, others = [()] * len(given.data), [()] * len(given.other)
    for name, found in (("data", keys), ("other", others)):
        if len(set(found)) != len(found):
            raise InvalidInput(f"Rows of '{name}' share a key: {given.on or 'one row was expected'}.")
    now = dict(zip(keys, _numbers(given.data, given.value), strict=True))
    before = dict(zip(others, _numbers(given.other, given.value), strict=True))
    order = list(dict.fromkeys([*now, *before]))
    current, previous = [now.get(k) for k in order], [before.get(k) for k in order]
    table: dict[str, Sequence[Any]] = {c: [k[i] for k in order] for i, c in enumerate(given.on)}
    table |= {"current": current, "previous": previous}
    pairs = list(zip(current, previous, strict=True))
    table["change"] = [None if a is None or b is None else a - b for a, b in pairs]
    table["change_pct"] = [change_pct(a, b) for a, b in pairs]
    moved = sum(1 for c in table["change"] if c)
    return RowsOutput(
        summary=f"{given.value} changed in {moved} of {counted(len(order), 'row')}.",
        rows=_frame(table),
        count=len(order),
    )


def run_shares(given: SharesInput, context: ToolContext) -> SharesOutput:
    """Each part as a percentage of the whole."""
    if given.on and given.whole is not None:
        return _shares_by_key(given, given.whole)
    parts = _numbers(given.data, given.value)
    if given.whole is not None:
        whole = _numbers(given.whole, given.value)
        if len(whole) != 1:
            raise InvalidInput(f"'whole' has {counted(len(whole), 'row')}; one was expected.")
        total = whole[0]
    else:
        total = math.fsum(p for p in parts if p is not None) if parts else None
    if any(p is not None and p < 0 for p in parts) and any(p is not None and p > 0 for p in parts):
        raise CalculationError(
            f"{given.value} is positive in some rows and negative in others, so shares of its total mean nothing."
        )
    shares = [share_pct(p, total) for p in parts]
    return SharesOutput(
        summary=f"Shares of {figure(total)} for {counted(len(parts), 'row')}.",
        rows=_extended(given.data, share=shares),
        count=len(parts),
        total=total,
    )


def _shares_by_key(given: SharesInput, whole: Frame) -> SharesOutput:
    """Each part of its own whole; a whole without a part has a share of nothing."""
    keys = list(zip(*(_column(given.data, c) for c in given.on), strict=True))
    wholes = list(zip(*(_column(whole, c) for c in given.on), strict=True))
    totals = _numbers(whole, given.value)
    if len(set(keys)) < len(keys):  # several parts of each whole
        of = dict(zip(wholes, totals, strict=True))
        numbers = zip(_numbers(given.data, given.value), keys, strict=True)
        rows = _extended(given.data, share=[share_pct(part, of.get(key)) for part, key in numbers])
        return SharesOutput(
            summary=f"Shares for {counted(len(keys), 'row')}.", rows=rows, count=len(keys), total=None
        )
    parts = dict(zip(keys, _numbers(given.data, given.value), strict=True))
    found = [parts.get(k, 0) for k in wholes]
    table: dict[str, Sequence[Any]] = {c: [k[i] for k in wholes] for i, c in enumerate(given.on)}
    table |= {"part": found, "whole": totals}
    table["share"] = [share_pct(p, t) for p, t in zip(found, totals, strict=True)]
    return SharesOutput(
        summary=f"Shares for {counted(len(wholes), 'row')}.",
        rows=_frame(table),
        count=len(wholes),
        total=None,
    )


def run_growth(given: GrowthInput, context: ToolContext) -> RowsOutput:
    """Each period against the one before."""
    values = _numbers(given.data, given.value)
    change: Numbers = [None] * len(values)
    percent: Numbers = [None] * len(values)
    groups = _groups(given.data, given.by)
    for places in groups:
        for before, here in pairwise(places):
            a, b = values[here], values[before]
            change[here] = None if a is None or b is None else a - b
            percent[here] = change_pct(a, b)
    rate = growth_rate([values[i] for i in groups[0]]) if len(groups) == 1 else None
    told = f", {figure(rate)} % a period on average" if rate is not None else ""
    return RowsOutput(
        summary=f"Growth of {given.value} over {counted(len(values), 'period')}{told}.",
        rows=_extended(given.data, change=change, change_pct=percent),
        count=len(values),
    )


def _position(value: Any, name: str) -> float | None:
    """Where a value stands in an order: numbers by their size, days by the calendar."""
    if isinstance(value, datetime):
        return value.timestamp()
    return float(value.toordinal()) if isinstance(value, date) else number_or_none(value, name)


def run_ranking(given: RankingInput, context: ToolContext) -> RankingOutput:
    """Rows in order of a value, equal values with equal ranks."""
    values = [_position(v, given.value) for v in _column(given.data, given.value)]
    ranks: list[int | None] = [None] * len(values)
    kept: list[int] = []
    for places in _groups(given.data, [given.per] if given.per else []):
        present = [i for i in places if values[i] is not None]
        signed = [
            -cast("float", values[i]) if given.descending else cast("float", values[i]) for i in present
        ]
        for i, rank in zip(present, ascending_ranks(signed), strict=True):
            ranks[i] = rank
        present.sort(key=lambda i: cast("int", ranks[i]))
        kept += [i for i in present if given.limit is None or cast("int", ranks[i]) <= given.limit]
    left_out = sum(1 for v in values if v is None)
    held = {name: given.data.values(name) for name in given.data.columns}
    ordered: dict[str, Sequence[Any]] = {name: [column[i] for i in kept] for name, column in held.items()}
    place = "rank" if "rank" not in held else "rank_2"
    return RankingOutput(
        summary=f"{counted(len(kept), 'row')} in order of {given.value}.",
        rows=_frame(ordered | {place: [ranks[i] for i in kept]}),
        count=len(kept),
        left_out=left_out,
    )


def run_pair(given: PairInput, context: ToolContext) -> PairOutput:
    """How strongly two columns go together."""
    weights = _weights(given.data, given.weight)
    found = correlated(_numbers(given.data, given.x), _numbers(given.data, given.y), weights)
    return PairOutput(
        summary=f"{given.x} and {given.y} correlate with r = {found.r:.2f} over {counted(found.n, 'pair')}.",
        **found._asdict(),
    )


def run_difference(given: DifferenceInput, context: ToolContext) -> DifferenceOutput:
    """One named row less another."""
    values = _numbers(given.data, given.value)
    names = [str(n) for n in _column(given.data, given.by)]
    found = dict(zip(names, values, strict=True))
    a, b = (found.get(n) for n in (given.first, given.second))
    difference = a - b if a is not None and b is not None else None
    return DifferenceOutput(
        summary=f"{given.first} less {given.second} is {figure(difference)}.",
        first=a,
        second=b,
        difference=difference,
        difference_pct=change_pct(a, b),
        ratio=a / b if a is not None and b else None,
    )


def run_spread(given: SpreadInput, context: ToolContext) -> SpreadOutput:
    """Where the values of a column lie."""
    found = spread(_numbers(given.data, given.value), _weights(given.data, given.weight), given.bins)
    rows = _frame(
        {
            "from": [b[0] for b in found.bins],
            "to": [b[1] for b in found.bins],
            "count": [b[2] for b in found.bins],
        }
    )
    reach = f"from {figure(found.minimum)} to {figure(found.maximum)}"
    summary = f"{given.value} lies {reach}; half of the values lie below {figure(found.median)}."
    values = {k: v for k, v in vars(found).items() if k != "bins"}
    return SpreadOutput(summary=summary, rows=rows, **values)


def _weights(rows: Frame, name: str | None) -> list[int] | None:
    if name is None:
        return None
    weights = [int(w or 0) for w in _numbers(rows, name)]
    if sum(weights) > MAX_DISTINCT_ROWS and len(weights) > MAX_DISTINCT_ROWS:
        raise CalculationError(f"{sum(weights):,} rows are too many to relate one by one.")
    return weights


def run_running(given: RunningInput, context: ToolContext) -> RowsOutput:
    """Sums that run on, or averages over a window that moves."""
    values = _numbers(given.data, given.value)
    computed: Numbers = [None] * len(values)
    for places in _groups(given.data, given.by):
        series = [values[i] for i in places]
        new = running_sums(series) if given.window is None else moving_means(series, given.window)
        for i, v in zip(places, new, strict=True):
            computed[i] = v
    name = "cumulative" if given.window is None else "moving_average"
    return RowsOutput(
        summary=f"{name.replace('_', ' ').capitalize()} of {given.value} over {counted(len(values), 'row')}.",
        rows=_extended(given.data, **{name: computed}),
        count=len(values),
    )


_TOOLS: tuple[tuple[str, Any, type[BaseModel], type[BaseModel], str], ...] = (
    ("calculate_change", run_change, ChangeInput, RowsOutput,
     "Sets two sets of rows against each other: change, and change in percent, row by row or for single values."),
    ("calculate_shares", run_shares, SharesInput, SharesOutput, "Each part as a percentage of the whole."),
    ("calculate_growth", run_growth, GrowthInput, RowsOutput,
     "Change and change in percent from each period to the next."),
    ("calculate_ranking", run_ranking, RankingInput, RankingOutput,
     "Puts rows in order of a value, with equal ranks for ties, overall or within groups."),
    ("calculate_difference", run_difference, DifferenceInput, DifferenceOutput,
     "One named row set against another: difference and ratio."),
    ("calculate_correlation", run_pair, PairInput, PairOutput,
     "Correlation of two columns of numbers with its evidence."),
    ("calculate_distribution", run_spread, SpreadInput, SpreadOutput,
     "Where the values of a column lie: quartiles, average, bins."),
    ("calculate_running", run_running, RunningInput, RowsOutput, "Cumulative sums or moving averages along rows."),
)  # fmt: skip


def calculation_tool(name: str) -> FunctionTool:
    """The tool of this file that has that name."""
    return next(tool for tool in calculation_tools() if tool.spec.name == name)


def calculation_tools() -> list[FunctionTool]:
    """The tools of this file."""
    return [
        FunctionTool(
            name,
            function,
            takes,
            gives,
            description=description,
            produces_rows="rows" if "rows" in gives.model_fields else None,
        )
        for name, function, takes, gives, description in _TOOLS
    ]
