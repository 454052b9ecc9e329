"""The retrieval APIs of a semantic model as ordinary tools."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from pydantic import Field

from gnomon.semantic.model import SemanticModel
from gnomon.semantic.query import RetrievalQuery, Retrieved
from gnomon.semantic.registry import APIDescriptor, APIRegistry
from gnomon.tools.contract import FunctionTool, ToolContext, schema_of
from gnomon.tools.frames import Frame, Listed
from gnomon.tools.goals import Goal
from gnomon.tools.outputs import Output
from gnomon.tools.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from gnomon.semantic.retrieve import Retriever

_MOST_NAMED = 40


class RetrievalOutput(Output):
    """Rows, and what they rest on."""

    columns: list[str] = Field(description="The period, the dimensions, then the metrics.")
    rows: Frame = Field(description="One row for each group.")
    query: str = Field(description="The query that was run.")
    rows_used: int = Field(description="Rows of the table that met the conditions.")
    nulls: dict[str, int] = Field(description="For each metric over a column, rows that had no value there.")
    truncated: bool = Field(description="Whether rows were left off.")
    notes: list[str] = Field(description="What a reader should know.")
    behind: list[int] = Field(
        default_factory=list[int], description="How many source rows stand behind each row."
    )


def retrieval_tools(model: SemanticModel, retriever: Retriever) -> list[FunctionTool]:
    """One tool for each API of the model.

    Args:
        model: What the tables mean.
        retriever: Runs the queries.
    """
    return [retrieval_tool(api, retriever) for api in APIRegistry.of(model)]


def retrieval_tool(api: APIDescriptor, retriever: Retriever) -> FunctionTool:
    """The tool of one API; to describe what it takes is most of the work."""
    return FunctionTool(
        api.name,
        _runner(retriever),
        RetrievalQuery,
        RetrievalOutput,
        input_schema=_told(api),
        description=api.description,
        goals=(Goal.AGGREGATE,),
        data_types=("tabular",),
        produces_rows="rows",
        origin="semantic",
    )


def _told(api: APIDescriptor) -> dict[str, Any]:
    """The schema of what an API takes, with the names it knows in the descriptions."""
    told = deepcopy(schema_of(RetrievalQuery, "validation"))
    for parameter in api.parameters:
        known = parameter.allowed[:_MOST_NAMED]
        more = ", …" if len(parameter.allowed) > _MOST_NAMED else ""
        text = (
            f"{parameter.description} One of: {', '.join(known)}{more}." if known else parameter.description
        )
        told["properties"][parameter.name]["description"] = text
    del told["description"]  # of the type; what the API does is said of the tool
    return {**told, "title": f"{api.name}_payload"}


def _runner(retriever: Retriever) -> Callable[[RetrievalQuery, ToolContext], RetrievalOutput]:
    def run(query: RetrievalQuery, context: ToolContext) -> RetrievalOutput:
        limit = context.settings.step_timeout_seconds
        return _output(retriever.run(query, cancel=context.cancel, timeout_seconds=limit))

    return run


def _output(found: Retrieved) -> RetrievalOutput:
    return RetrievalOutput(
        summary=f"{counted(len(found.rows), 'row')} from {counted(found.rows_used, 'row')} of data.",
        columns=list(found.columns),
        rows=Frame(_table(found)),
        query=found.query,
        rows_used=found.rows_used,
        nulls=found.nulls,
        truncated=found.truncated,
        notes=list(found.notes),
        behind=list(found.behind),
    )


def _table(found: Retrieved) -> pa.Table | Listed:
    columns = [list(c) for c in zip(*found.rows, strict=True)] if found.rows else [[] for _ in found.columns]
    if len(set(found.columns)) == len(columns) and (
        listed := Listed.of(dict(zip(found.columns, columns, strict=True)))
    ):
        return listed
    import pyarrow as pa

    return pa.Table.from_arrays([_array(c) for c in columns], names=list(found.columns))


def _array(values: list[Any]) -> pa.Array:
    """One column; whole numbers beyond 64 bits become floats."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        numbers = all(v is None or isinstance(v, int | float) for v in values)
        return pa.array([None if v is None else float(v) if numbers else str(v) for v in values])
