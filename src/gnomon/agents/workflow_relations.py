"""How questions that relate columns row by row are taken apart: correlations and regressions."""

from __future__ import annotations

from typing import Any

from gnomon.agents.workflow_builder import WorkflowBuilder
from gnomon.core.errors import OutOfScope
from gnomon.core.request import Request
from gnomon.core.studies import Regression, Relation
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.row_values import table_of_rows

RELATIONS = "relations"
REGRESSION = "regression"
_ROWS = 3.0  # every row is looked at, not only what was added up from them


def rows_asked(request: Request, **changes: Any) -> dict[str, Any]:
    """The rows that a request is about, as parameters of a tool over rows."""
    fields = request.model_dump(
        mode="json", include={"filters", "time_range", "time_dimension", "recurring"}, exclude_defaults=True
    )
    return fields | changes


def relate(b: WorkflowBuilder, request: Request) -> None:
    """A pair of columns, all pairs of several, or all with one of them; anew for each group that is asked for."""
    study = request.options(Relation)
    given: dict[str, Any] = {"columns": list(request.columns), "method": study.method}
    if study.target is not None:
        given["target"] = study.target
    if request.dimensions:
        given["by"] = request.dimensions[0]
    table = _table(b.model, request)
    what = f"relate {', '.join(request.columns)} row by row"
    rows = rows_asked(request, table=table, **given)
    b.calculate(RELATIONS, "relate_columns", what, {}, timeout_seconds=_ROWS * b.timeout_seconds, **rows)


def regress(b: WorkflowBuilder, request: Request) -> None:
    """The first column, predicted from the others."""
    target, *features = request.columns
    given: dict[str, Any] = {"target": target, "features": features}
    given |= request.options(Regression).model_dump(exclude={"verb", "score"}, exclude_defaults=True)
    table = _table(b.model, request)
    what = f"predict {target} from {', '.join(features)}"
    rows = rows_asked(request, table=table, **given)
    b.calculate(REGRESSION, "regress_column", what, {}, timeout_seconds=_ROWS * b.timeout_seconds, **rows)


def _table(model: SemanticModel, request: Request) -> str:
    table = table_of_rows(model, [*request.columns, *request.dimensions])
    if table is None:
        labels = ", ".join(model.dimension(c).label for c in request.columns)
        raise OutOfScope(f"No table tells {labels} of the same rows, so they cannot be related.")
    return table
