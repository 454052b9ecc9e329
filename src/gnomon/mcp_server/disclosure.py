"""What of a tool's output an agent may see when rows are not shared: the rule of each field, in one place.

Numbers that were computed pass, and so do the figures of a single anomaly. Rows and examples of rows do
not. A group of one row is that row. Texts pass the :class:`~gnomon.mcp_server.cells.CellGuard` last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from gnomon.execution.plain import plain
from gnomon.mcp_server.cells import MIN_ROWS
from gnomon.tools import Frame, ToolContext, ToolRegistry
from gnomon.tools.saved import SavedPlanTool

if TYPE_CHECKING:
    import pyarrow as pa

MIN_GROUP_ROWS = 2

COMPUTED_ROWS: Mapping[str, frozenset[str]] = {
    "aggregate": frozenset({"rows"}),
    "causes": frozenset({"rows"}),
    "correlation": frozenset({"rows"}),
    "distribution": frozenset({"rows"}),
    "geo_summary": frozenset({"rows"}),
    "period_change": frozenset({"rows"}),
    "regression": frozenset({"used"}),
    "seasonality": frozenset({"rows"}),
}
"""Fields whose rows are results: pairs of columns, bins, coefficients, phases, hotspots, groups."""

EXAMPLES: Mapping[str, frozenset[str]] = {
    "clean_outliers": frozenset({"removed"}),
    "compare_tables": frozenset({"added_examples", "removed_examples", "changed_examples"}),
    "drivers": frozenset({"cuts"}),
    "geo_summary": frozenset({"nearest", "farthest", "invalid"}),
}
"""Lists that quote cells of single rows."""

_SHOWN_RANGES = {"measure", "money", "percent", "time", "boolean", "geographic"}
_SHOWN_VALUES = {"category", "geographic", "boolean"}


@dataclass(frozen=True)
class Disclosure:
    """What may be shown of an output.

    Args:
        output: The output without what may not leave; rows are still there, to be described or chained.
        open_rows: The fields whose rows may be shown.
        notes: What was withheld, in sentences.
    """

    output: dict[str, Any]
    open_rows: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list[str])


def disclosed(
    tool: str,
    output: Mapping[str, Any],
    arguments: Mapping[str, Any],
    registry: ToolRegistry,
    context: ToolContext,
) -> Disclosure:
    """What may be shown of ``output`` where rows are not shared.

    Args:
        tool: Name of the tool that gave it.
        output: Field by field.
        arguments: What the tool was called with, tables found.
        registry: Where the tool is.
        context: For counting the rows of groups.
    """
    judged = _last_tool(tool, registry)
    values = dict(output)
    notes: list[str] = []
    for name in EXAMPLES.get(judged, frozenset()) & set(values):
        if count := len(values[name]):
            notes.append(f"{name}: {count:,} examples of rows are withheld.")
        values[name] = []
    if judged == "profile_table":
        values["profile"] = _profile(plain(values.get("profile")))
    elif judged == "render_chart":
        values["spec"] = _chart(values["spec"], notes)
    open_rows = COMPUTED_ROWS.get(judged, frozenset())
    if judged == "aggregate":
        if judged != tool:  # the rows of its groups cannot be counted from here
            open_rows = frozenset[str]()
        elif isinstance(values.get("rows"), Frame):
            _groups(values, arguments, registry, context, notes)
    if any(isinstance(v, Frame) and k not in open_rows for k, v in values.items()):
        notes.append("Rows stay on this machine; pass their handle as a table to another tool.")
    return Disclosure(values, open_rows, notes)


def _last_tool(name: str, registry: ToolRegistry) -> str:
    """The built-in tool whose output this is: of a declared tool, its last step."""
    for _ in range(10):
        tool = registry.get(name)
        if not isinstance(tool, SavedPlanTool):
            return name
        name = str(tool.declaration["steps"][-1]["tool"])
    return name


def _groups(
    values: dict[str, Any],
    arguments: Mapping[str, Any],
    registry: ToolRegistry,
    context: ToolContext,
    notes: list[str],
) -> None:
    """Leave out groups of a single row, and columns that no figure or category can fill."""
    import pyarrow.types as types

    rows: Frame = values["rows"]
    keys = len(arguments.get("group_by") or []) + bool(arguments.get("grain"))
    nested = [f.name for f in rows.arrow.schema if types.is_nested(f.type) or types.is_binary(f.type)]
    if keys == 0:
        if values["row_count"] - values["null_count"] >= MIN_GROUP_ROWS or values["aggregate"] in {
            "count",
            "nunique",
        }:
            return
        values["rows"] = Frame(rows.arrow.slice(0, 0))
        values["summary"] = "The figure of a single row is withheld."
        notes.append("The aggregate covers a single row.")
        return
    asked = {k: v for k, v in arguments.items() if k in {"data", "group_by", "time", "grain", "where"}}
    counted = registry.get("aggregate")({**asked, "aggregate": "count"}, context)["rows"].arrow
    sizes = {} if nested else dict(zip(_keys(counted, keys), counted.column(keys).to_pylist(), strict=True))
    mask = [not nested and sizes.get(k, 0) >= MIN_GROUP_ROWS for k in _keys(rows.arrow, keys)]
    small = mask.count(False)
    if small:
        shown = rows.arrow.filter(mask)
        values["rows"] = Frame(shown)
        values["summary"] = f"{shown.num_rows:,} groups; {small:,} of a single row are withheld."
        notes.append(f"rows: {small:,} groups of a single row are withheld.")


def _keys(rows: pa.Table, count: int) -> list[tuple[Any, ...]]:
    return list(zip(*(rows.column(i).to_pylist() for i in range(count)), strict=True))


def _chart(spec: Any, notes: list[str]) -> dict[str, Any]:
    """A chart without the rows that it draws."""
    shown = dict(cast("Mapping[str, Any]", spec))
    if "data" in shown:
        shown["data"] = {"values": []}
        notes.append("spec.data.values: the rows of the chart are withheld.")
    return shown


def _profile(profile: Any) -> dict[str, Any]:
    """A profile with ranges of figures and frequent categories only."""
    shown = {k: v for k, v in dict(profile).items() if k != "sample_rows"}
    shown["source"] = PurePath(str(shown.get("source", ""))).name
    shown["columns"] = [_column(dict(c)) for c in shown.get("columns", [])]
    return shown


def _column(column: dict[str, Any]) -> dict[str, Any]:
    role = column.get("role")
    if role not in _SHOWN_RANGES or (isinstance(column.get("minimum"), str) and role != "time"):
        column |= {"minimum": None, "maximum": None, "quantiles": None}
    values = column.get("top_values") or []
    keep = role in _SHOWN_VALUES and not column.get("personal")
    column["top_values"] = [v for v in values if keep and v["count"] >= MIN_ROWS]
    if str(column.get("type", "")).upper().startswith("ENUM"):
        column["type"] = "ENUM"
    return column
