"""How questions about the shape of a column are handed to the tools over rows: outliers, normality, skew."""

from __future__ import annotations

from typing import Any

from gnomon.agents.workflow_builder import WorkflowBuilder
from gnomon.agents.workflow_relations import rows_asked
from gnomon.core.errors import OutOfScope
from gnomon.core.query import TimeGranularity
from gnomon.core.request import Request
from gnomon.core.studies import Outliers, Shape
from gnomon.semantic.model import SemanticModel

Taken = tuple["TimeGranularity | None", tuple[str, ...]]
OUTLIERS = "outliers"
SHAPE = "shape"


def outliers(b: WorkflowBuilder, request: Request, study: Outliers) -> Taken:
    """Values of a column far from the rest; figures without them are of all rows, so the bounds are too."""
    table = _table(b.model, request)
    b.calculate(
        OUTLIERS,
        "find_outliers",
        f"values of {b.model.metric(request.metrics[0]).label} far from the rest",
        {},
        **_rows(request, table),
        method=study.rule,
        threshold=study.threshold,
        within=study.told not in ("without", "left"),
        key=_key(b.model, table),
    )
    return None, ()


def shape(b: WorkflowBuilder, request: Request, study: Shape) -> Taken:
    """Skewness, kurtosis and a test of normality of a column, for each group."""
    b.calculate(
        SHAPE,
        "test_normality",
        f"the shape of {b.model.metric(request.metrics[0]).label}",
        {},
        **_rows(request, _table(b.model, request)),
        test=study.test,
        alpha=study.alpha,
    )
    return None, ()


def _table(model: SemanticModel, request: Request) -> str:
    table = model.metric(request.metrics[0]).table
    if table is None:
        raise OutOfScope("The shape of a distribution is told of a column of numbers.")
    return table


def _rows(request: Request, table: str) -> dict[str, Any]:
    return rows_asked(request, table=table, value=request.metrics[0], by=list(request.dimensions))


def _key(model: SemanticModel, table: str) -> str | None:
    """The column that names a row, where one does and may be shown."""
    key = model.table(table).key
    held = [d for d in model.dimensions if len(key) == 1 and d.at(table) == key[0]]
    return held[0].name if held and not held[0].personal else None
