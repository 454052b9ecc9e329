"""JSON Schemas as MCP clients see them: what goes in, and what really comes out after previews and privacy."""

from __future__ import annotations

import copy
from typing import Any, cast

from gnomon.execution.binding import takes_rows
from gnomon.tools import ToolSpec

ROWS: dict[str, Any] = {
    "type": "object",
    "description": 'Rows: how many, which columns, and the handle to pass on as {"table": handle} or to read.',
    "properties": {
        "row_count": {"type": ["integer", "null"]},
        "columns": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "type": {"type": "string"}},
                "required": ["name", "type"],
            },
        },
        "handle": {"type": "string"},
        "rows": {
            "type": "array",
            "items": {"type": "object"},
            "description": "The first rows, where shared.",
        },
    },
    "required": ["row_count", "columns", "handle"],
}
_LEAVES = {"integer", "number", "string", "boolean"}
"""What may be withheld wherever it stands, and is null then."""
ENVELOPE: dict[str, Any] = {
    "result": {"type": "string", "description": "Handle of the whole result, for read_result."},
    "truncated": {
        "type": "array",
        "description": "Fields that were cut; read_result gives the rest.",
        "items": {
            "type": "object",
            "properties": {
                "field": {"type": "string"},
                "shown": {"type": "integer"},
                "total": {"type": "integer"},
            },
            "required": ["field", "shown", "total"],
        },
    },
    "privacy": {
        "type": "object",
        "description": "The level under which this was sent, and what was withheld.",
        "properties": {
            "level": {"type": "string", "enum": ["aggregates", "full"]},
            "withheld": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["level", "withheld"],
    },
}


def input_schema(spec: ToolSpec) -> dict[str, Any]:
    """The parameters of a tool."""
    schema = copy.deepcopy(spec.input_schema)
    for parameter in schema.get("properties", {}).values():
        if takes_rows(parameter):
            parameter["description"] = (
                'Rows to work on: {"table": "name"} of an open data set or the handle of earlier rows, '
                '{"source": "path"} of a file that may be read, or {"rows": […]}.'
            )
            parameter["anyOf"] = [
                *parameter["anyOf"],
                {"type": "string", "description": "The name of a table."},
            ]
    return {"type": "object", **schema}


def output_schema(spec: ToolSpec) -> dict[str, Any]:
    """The result of a tool as it is sent: rows described, long lists cut, an envelope around it."""
    schema = _loosened(copy.deepcopy(spec.output_schema))
    properties = {**schema.get("properties", {}), **copy.deepcopy(ENVELOPE)}
    required = [*schema.get("required", []), "privacy"]
    return {**schema, "type": "object", "properties": properties, "required": required}


def _loosened(schema: Any) -> Any:
    """Rows as they are described, and no bounds that a cut or a withheld text could break."""
    if isinstance(schema, list):
        return [_loosened(s) for s in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    given = cast("dict[str, Any]", schema)
    if takes_rows(given):
        return {**copy.deepcopy(ROWS), "description": given.get("description") or ROWS["description"]}
    if isinstance(kind := given.get("type"), str) and kind in _LEAVES and "const" not in given:
        given = {**given, "type": [kind, "null"]}
        if "enum" in given:
            given["enum"] = [*given["enum"], None]
    dropped = {"minItems", "maxItems", "minLength", "maxLength", "pattern", "format", "minProperties"}
    return {k: _loosened(v) for k, v in given.items() if k not in dropped}


def words(schema: Any) -> set[str]:
    """The words that a schema itself uses as values: those are no cells."""
    found: set[str] = set()
    if isinstance(schema, dict):
        given = cast("dict[str, Any]", schema)
        for key, value in given.items():
            if key == "enum" and isinstance(value, list):
                found |= {str(v) for v in cast("list[Any]", value)}
            elif key in {"const", "default"} and isinstance(value, str):
                found.add(value)
            elif key == "properties" and isinstance(value, dict):
                found |= set(cast("dict[str, Any]", value))
            found |= words(value)
    elif isinstance(schema, list):
        for item in cast("list[Any]", schema):
            found |= words(item)
    return found
