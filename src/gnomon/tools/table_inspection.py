"""A tool that tells what a table holds, whatever it is about: rows, columns, their types, cells without a value, repeats."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from gnomon.semantic.retrieve import Retriever
from gnomon.tools.contract import FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.outputs import Output
from gnomon.tools.wording import counted

READ_AS_MISSING = "read as missing"


class InspectionInput(BaseModel):
    """A table, and what takes longer to find out about it."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    table: str = Field(description="The table.")
    distinct: bool = Field(default=False, description="Whether different values are counted too.")
    duplicates: bool = Field(default=False, description="Whether rows that repeat another are counted too.")


class InspectionOutput(Output):
    """What a table holds."""

    table: str = Field(description="The table.")
    rows: int = Field(description="How many rows it has.")
    complete: int = Field(description="How many rows have a value in every column.")
    columns: Frame = Field(
        description="Each column with its kind, its cells without a value and, where asked for, its different values."
    )
    duplicates: int | None = Field(
        default=None, description="How many rows are the same, in every column, as one before them."
    )
    notes: list[str] = Field(default_factory=list, description="What was read as missing when it was loaded.")
    query: str = Field(description="The query, for people to read.")


class TableInspector:
    """Counts over whole tables.

    Args:
        retriever: Where the rows are.
    """

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def inspect(self, given: InspectionInput, context: ToolContext) -> InspectionOutput:
        """Rows, columns and missing values of a table, exact."""
        kinds = self._retriever.schema(given.table)
        names = list(kinds)
        found, query = self._retriever.whole(
            given.table, lambda t: _counts(t, names, given.distinct), cancel=context.cancel
        )
        values = [int(v or 0) for v in found]
        rows, complete, rest = values[0], values[1], values[2:]
        missing, different = rest[: len(names)], rest[len(names) :]
        duplicates = None
        if given.duplicates:
            apart, _ = self._retriever.whole(given.table, _different_rows, cancel=context.cancel)
            duplicates = rows - int(apart[0] or 0)
        held = {"column": names, "kind": [kinds[n] for n in names], "missing": missing}
        return InspectionOutput(
            summary=f"{given.table} has {counted(rows, 'row')} and {counted(len(names), 'column')}; "
            f"{counted(sum(missing), 'cell')} without a value.",
            table=given.table,
            rows=rows,
            complete=complete,
            columns=Frame.of(held | ({"distinct": different} if given.distinct else {})),
            duplicates=duplicates,
            notes=[n for n in self._retriever.notes(given.table) if READ_AS_MISSING in n],
            query=query,
        )


def _absent(column: Any) -> Any:
    """Whether a cell holds no value; what is not a number is none."""
    return column.isnull() | column.isnan() if column.type().is_floating() else column.isnull()


def _counts(table: Any, names: list[str], distinct: bool) -> Any:
    missing = {f"m{i}": _absent(table[n]).cast("int64").sum() for i, n in enumerate(names)}
    complete = ~_absent(table[names[0]])
    for name in names[1:]:
        complete = complete & ~_absent(table[name])
    different = {f"d{i}": table[n].nunique() for i, n in enumerate(names)} if distinct else {}
    return table.aggregate(rows=table.count(), complete=complete.cast("int64").sum(), **missing, **different)


def _different_rows(table: Any) -> Any:
    apart = table.distinct()
    return apart.aggregate(rows=apart.count())


def inspection_tools(retriever: Retriever) -> list[FunctionTool]:
    """Tools over whole tables."""
    return [
        FunctionTool(
            "inspect_table",
            TableInspector(retriever).inspect,
            InspectionInput,
            InspectionOutput,
            description="What a table holds: rows, columns and their kinds, missing values, repeated rows.",
        )
    ]
