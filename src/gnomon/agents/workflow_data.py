"""How questions about the data itself are taken apart: an inspection of each table, or how many rows it has."""

from __future__ import annotations

from gnomon.agents.workflow_builder import WorkflowBuilder
from gnomon.agents.workflow_scope import Scope
from gnomon.core.errors import NotFound
from gnomon.core.query import TimeGranularity
from gnomon.core.request import Request
from gnomon.core.studies import Inspection
from gnomon.semantic.query import RetrievalQuery

TABLES_COUNTED = 12
_INSPECTED = ("missing", "shape", "columns", "types", "distinct", "duplicates")


def is_inspected(request: Request) -> bool:
    """Whether what is asked is found by looking at every cell."""
    return request.options(Inspection).about in _INSPECTED


def profile(
    b: WorkflowBuilder, request: Request, scope: Scope
) -> tuple[TimeGranularity | None, tuple[str, ...]]:
    """How many rows each table has, or what its columns hold."""
    study = request.options(Inspection)
    named, about = study.table, study.about
    if named is not None and not any(t.name == named for t in b.model.tables):
        raise NotFound.among("table", named, [t.name for t in b.model.tables])
    tables = [t for t in b.model.tables if named in (None, t.name)][:TABLES_COUNTED]
    repeated = about == "duplicates" and not study.columns
    for i, table in enumerate(tables):
        if is_inspected(request):
            b.calculate(
                f"inspection{i}",
                "inspect_table",
                f"look at every cell of {table.name}",
                {},
                table=table.name,
                distinct=about == "distinct" or (about == "duplicates" and not repeated) or None,
                duplicates=repeated or None,
            )
        else:
            b.retrieve(
                "main" if i == 0 else f"rows_{table.name}", RetrievalQuery(metrics=(f"count({table.name})",))
            )
    return None, ()
