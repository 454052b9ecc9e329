"""A metric by ranges of a column of numbers: edges as people would draw them, from the values that are there."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from gnomon.analytics.bracketing import bracket_edges
from gnomon.core.errors import CalculationError
from gnomon.semantic.derived import column_in
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.retrieve import Retriever
from gnomon.tools.contract import FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.row_calculations import OverRows, RowsInput
from gnomon.tools.wording import figure

MOST_ROWS = 500_000


class RangesInput(RowsInput):
    """A metric and the column whose ranges it is broken down by."""

    metric: str = Field(description="Reference to the metric.")
    column: str = Field(description="The dimension of numbers that is cut into ranges.")
    width: float | None = Field(default=None, gt=0, description="How wide each range is.")
    bins: int | None = Field(default=None, ge=2, le=50, description="How many ranges there are.")


class RangesOutput(BaseModel):
    """The metric in each range."""

    model_config = ConfigDict(defer_build=True, arbitrary_types_allowed=True)

    summary: str = Field(description="The outcome in a sentence.")
    rows: Frame = Field(description="Each range with its bounds, the metric and the number of rows.")
    missing: int = Field(default=0, description="Rows whose column has no value.")
    query: str = Field(description="The query, for people to read.")


class RangeBreaker(OverRows):
    """Breaks metrics down by ranges."""

    def run(self, given: RangesInput, context: ToolContext) -> RangesOutput:
        """The metric for each range of the column."""
        dimension = self._model.dimension(given.column)
        held, _ = self._retriever.values(
            given.table, [dimension.name], given.query(), most=MOST_ROWS, cancel=context.cancel
        )
        values = np.asarray([r[0] for r in held if r[0] is not None], dtype=float)
        if not len(values):
            raise CalculationError(f"No row has a value of {dimension.label}.")
        edges = bracket_edges(values, width=given.width, bins=given.bins)
        names = [range_name(a, b) for a, b in zip([None, *edges], [*edges, None], strict=True)]
        home = dimension.home
        said = ", ".join(
            _case(n, a, b) for n, a, b in zip(names, [None, *edges], [*edges, None], strict=True)
        )
        label = f"{dimension.label} range"
        derived = f"{home.table}.{{{label}: ranges({column_in(home.column)}, {said})}}"
        count = f"count({given.table})"
        metrics = tuple(dict.fromkeys((given.metric, count)))
        found = self._retriever.run(
            given.query(metrics=metrics, dimensions=(derived,)), cancel=context.cancel
        )
        by_name = {r[0]: r for r in found.rows}
        shown = [(n, by_name[n]) for n in names if n in by_name]
        at, counted = found.columns.index(given.metric), found.columns.index(count)
        frame = Frame.of(
            {
                "range": [n for n, _ in shown],
                "value": [r[at] for _, r in shown],
                "rows": [r[counted] for _, r in shown],
            }
        )
        return RangesOutput(
            summary=f"{given.metric} in {len(shown)} ranges of {dimension.label}.",
            rows=frame,
            missing=len(held) - len(values),
            query=found.query,
        )


def range_name(low: float | None, high: float | None) -> str:
    """A range as people say it."""
    if low is None:
        return f"below {figure(high)}"
    return f"{figure(low)} and more" if high is None else f"{figure(low)} to below {figure(high)}"


def _case(name: str, low: Any, high: Any) -> str:
    below = f"'>=', {float(low)!r}" if low is not None else "'', 0"
    above = f"'<', {float(high)!r}" if high is not None else "'', 0"
    return f"'{name}', {below}, {above}"


def range_tools(model: SemanticModel, retriever: Retriever) -> list[FunctionTool]:
    """The tools of this file."""
    breaker = RangeBreaker(model, retriever)
    return [
        FunctionTool(
            "break_into_ranges",
            breaker.run,
            RangesInput,
            RangesOutput,
            description="A metric by ranges of a column of numbers, with edges that people would draw.",
            produces_rows="rows",
        )
    ]
