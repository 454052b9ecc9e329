"""``python -m gnomon.execution``: a tiny plan at work, with its events as they come."""

from __future__ import annotations

import json
import sys

from pydantic import BaseModel

from gnomon.core.events import Event
from gnomon.core.plan import OutputRef, Plan, Step, Strategy
from gnomon.execution.layer import MCPToolsInvocationLayer
from gnomon.tools.contract import Cost, FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.registry import ToolRegistry


class Rows(BaseModel):
    """Rows with a column ``sales``."""

    data: Frame


class Kept(BaseModel):
    """The rows that are left, and how many were removed."""

    rows: Frame
    removed: int


class Line(BaseModel):
    """A straight line through the rows in their order."""

    slope: float
    intercept: float


class Total(BaseModel):
    """The sum of the sales."""

    total: float


def without_gaps(given: Rows, context: ToolContext) -> Kept:
    """Leave out the rows without sales."""
    rows = given.data.to_rows()
    kept = [row for row in rows if row["sales"] is not None]
    return Kept(rows=Frame.of(kept), removed=len(rows) - len(kept))


def add_up(given: Rows, context: ToolContext) -> Total:
    """Add up the sales in DuckDB."""
    with context.cursor() as cursor:
        cursor.register("given", given.data.arrow)
        (total,) = cursor.sql("SELECT coalesce(sum(sales), 0) FROM given").fetchall()[0]
    return Total(total=total)


def fit_line(given: Rows, context: ToolContext) -> Line:
    """Fit a line by least squares, in a process of its own."""
    import numpy as np

    y = given.data.arrow.column("sales").to_numpy()
    slope, intercept = np.polynomial.Polynomial.fit(range(len(y)), y, 1).convert().coef[::-1]
    return Line(slope=float(slope), intercept=float(intercept))


TOOLS = (
    FunctionTool(
        "without_gaps", without_gaps, Rows, Kept, description="Leaves out gaps.", produces_rows="rows"
    ),
    FunctionTool("add_up", add_up, Rows, Total, description="Adds up."),
    FunctionTool("fit_line", fit_line, Rows, Line, description="Fits a line.", cost=Cost.HEAVY),
)
PLAN = Plan(
    strategy=Strategy.SEQUENTIAL,
    steps=(
        Step(id="clean", tool="without_gaps"),
        Step(id="total", tool="add_up", inputs={"data": OutputRef(step="clean", field="rows")}, order=2),
        Step(id="line", tool="fit_line", inputs={"data": OutputRef(step="clean", field="rows")}, order=2),
    ),
)


def show(event: Event) -> None:
    """Print one event."""
    details = " ".join(f"{k}={v}" for k, v in event.data.items())
    sys.stdout.write(f"{event.kind:<9} {event.step or 'request':<8} {event.tool or '':<13} {details}\n")


def main() -> None:
    """Run the plan on five rows, one of them without sales."""
    rows = [{"sales": value} for value in (10.0, 12.0, None, 16.0, 18.0)]
    with MCPToolsInvocationLayer(ToolRegistry(TOOLS), listeners=[show]) as layer:
        result = layer.invoke(PLAN, rows)
    sys.stdout.write(json.dumps(result.to_dict(), indent=2) + "\n")


if __name__ == "__main__":
    main()
