"""Filling a tool's parameters from a context, and saying what is missing or cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from gnomon.core import Conflict, ConflictType, Resolution, Severity
from gnomon.planning.context import ExtractedContext
from gnomon.tools import Requirement, ToolSpec

# A tool's parameter ← the name under which a context holds it, where the two differ.
_SOURCES: dict[str, tuple[str, ...]] = {
    "value": ("metric", "target"),
    "values": ("metric",),
    "target": ("target", "metric"),
    "time": (),
    "limit": ("top",),
    "column": ("metric",),
}
_BOUNDS = (
    ("minimum", lambda v, b: v >= b, "at least"),
    ("maximum", lambda v, b: v <= b, "at most"),
    ("exclusiveMinimum", lambda v, b: v > b, "more than"),
    ("exclusiveMaximum", lambda v, b: v < b, "less than"),
)


def bind(
    spec: ToolSpec, context: ExtractedContext, *, has_rows: bool
) -> tuple[dict[str, Any], list[Conflict]]:
    """The parameters of ``spec`` that the context fills, and the conflicts in doing so.

    Args:
        spec: The tool.
        context: What was asked.
        has_rows: Whether the data reaches the tool by itself (request data or an earlier step).
    """
    params: dict[str, Any] = {}
    conflicts: list[Conflict] = []
    for name, schema in spec.parameters.items():
        if name == "data":
            continue
        value = _lookup(name, context)
        if value is None:
            continue
        value = _shape(schema, value)
        if problem := _problem(schema, value, spec.input_schema):
            if name == "method":  # meant for another step; the plan says so where no step takes it
                continue
            conflicts.append(_invalid(spec, name, value, problem, has_default="default" in schema))
        else:
            params[name] = value
    conflicts += _bind_columns(spec, context, params)
    for name in spec.required_parameters:
        if name not in params and not (name == "data" and has_rows) and not _reported(conflicts, spec, name):
            conflicts.append(_missing(spec, name, context))
    return params, conflicts


def axes(context: ExtractedContext, params: Mapping[str, Any]) -> dict[str, Any]:
    """Which of the columns that the words name are drawn along which axis of a chart of the rows themselves."""
    told = context.parameters
    measure, groups = told.get("metric"), _listed(told.get("group_by"))
    if params.get("chart") == "histogram":
        return {"x": measure} if measure else {}
    if measure is None:
        pair = _listed(told.get("columns"))[:2]
        return dict(zip(("y", "x"), pair, strict=False)) if len(pair) == 2 else {}
    return {"y": measure} | ({"x": groups[0]} if groups else {})


def _listed(value: object) -> list[Any]:
    """A list that a context holds; whoever made it by hand may have put something else there."""
    return list(cast("list[Any]", value)) if isinstance(value, (list, tuple)) else []


def sources_of(param: str) -> tuple[str, ...]:
    """The names under which a context may hold the value of a tool's parameter."""
    return (param, *_SOURCES.get(param, ()))


def _lookup(name: str, context: ExtractedContext) -> Any:
    for source in sources_of(name):
        if source in context.parameters:
            return context.parameters[source]
    return None


def _shape(schema: dict[str, Any], value: Any) -> Any:
    """A single name where a list is wanted becomes a list of one, and the other way round."""
    kinds = _types(schema)
    if "object" in kinds and isinstance(value, dict):
        return value  # pyright: ignore[reportUnknownVariableType] - rows by their name or address
    if "array" in kinds and not isinstance(value, list):
        return [value]
    if isinstance(value, list) and "array" not in kinds and len(value) == 1:  # pyright: ignore[reportUnknownArgumentType]
        return value[0]
    if "integer" in kinds and "number" not in kinds and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _types(schema: dict[str, Any]) -> set[str]:
    options = [schema, *schema.get("anyOf", [])]
    return {o["type"] for o in options if isinstance(o.get("type"), str)} | (
        {"string"} if any("enum" in o or "$ref" in o for o in options) else set()
    )


def _problem(schema: dict[str, Any], value: Any, root: dict[str, Any]) -> str | None:
    """What is wrong with ``value``, or None."""
    problems = [_problem_one(_resolved(o, root), value) for o in schema.get("anyOf", [schema])]
    return None if None in problems else problems[0]


def _resolved(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    return (
        root.get("$defs", {}).get(reference.rsplit("/", 1)[-1], schema)
        if isinstance(reference, str)
        else schema
    )


def _problem_one(schema: dict[str, Any], value: Any) -> str | None:
    expected = schema.get("type")
    checks = {"integer": int, "number": (int, float), "string": str, "array": list, "boolean": bool, "null": type(None), "object": dict}  # fmt: skip
    if expected in checks and (not isinstance(value, checks[expected]) or (isinstance(value, bool) and expected in {"integer", "number"})):  # fmt: skip
        return f"it has to be {'an' if expected[0] in 'aeiou' else 'a'} {expected}"
    if "enum" in schema and value not in schema["enum"]:
        return f"it has to be one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, (int, float)):
        for key, holds, phrase in _BOUNDS:
            if key in schema and not holds(value, schema[key]):
                return f"it has to be {phrase} {schema[key]}"
    return None


def _bind_columns(spec: ToolSpec, context: ExtractedContext, params: dict[str, Any]) -> list[Conflict]:
    """Columns that the tool cannot do without: taken where there is one choice, asked for where there are several."""
    conflicts: list[Conflict] = []
    lacking: list[Requirement] = []
    kinds = context.kinds
    if not kinds.columns:
        return conflicts
    for need in (*spec.requires, *_needed_too(spec, params)):
        columns = kinds.of_kind(need.kind)
        param = need.param
        if param and param in params:
            chosen = params[param]
            known = [*kinds.columns, context.parameters.get("new_column")]  # made by an earlier step
            unknown = [c for c in (chosen if isinstance(chosen, list) else [chosen]) if c not in known]
            if not unknown:
                continue
            del params[param]
        if len(columns) < need.count:
            lacking.append(need)
        elif (
            param
            and need.count == 1
            and (len(columns) == 1 or need.kind in {"time", "latitude", "longitude"})
        ):
            params[param] = _shape(spec.parameters.get(param, {}), columns[0])
        elif param and need.count == 1:
            conflicts.append(_choice(spec, param, need.kind, columns))
    return [
        *conflicts,
        *([_mismatch(spec, lacking, kinds.columns, periods="grain" in params)] if lacking else []),
    ]


_OF_NUMBERS = frozenset({"sum", "mean", "median", "stddev"})


def _needed_too(spec: ToolSpec, params: dict[str, Any]) -> list[Requirement]:
    """A total or an average is one of a column of numbers; periods are cut from a column of time stamps."""
    numbers = params.get("aggregate") in _OF_NUMBERS and "value" in spec.parameters
    periods = "grain" in params and "time" in spec.parameters
    return [Requirement(kind="numeric", param="value")] * numbers + [
        Requirement(kind="time", param="time")
    ] * periods


def _optional(spec: ToolSpec, param: str | None) -> bool:
    return param is None or param not in spec.required_parameters


def _reported(conflicts: list[Conflict], spec: ToolSpec, name: str) -> bool:
    return any(c.subject == f"{spec.name}.{name}" for c in conflicts) or any(
        c.type is ConflictType.DATA_TYPE_MISMATCH and c.subject == spec.name for c in conflicts
    )


def _mismatch(
    spec: ToolSpec, lacking: list[Requirement], columns: tuple[str, ...], *, periods: bool
) -> Conflict:
    """What the tool lacks; time stamps can be done without where no periods are asked for, by taking the rows in their order."""
    wanted = " and ".join(
        f"a {r.kind} column" if r.count == 1 else f"{r.count} {r.kind} columns" for r in lacking
    )
    bearable = not periods and all(r.kind == "time" and _optional(spec, r.param) for r in lacking)
    return Conflict(
        type=ConflictType.DATA_TYPE_MISMATCH,
        severity=Severity.MEDIUM if bearable else Severity.HIGH,
        description=f"{spec.name} works on {wanted}, and none of {', '.join(columns[:8])} is fit for it."
        + (" The rows are taken in the order given." if bearable else ""),
        resolution=Resolution.AUTO_SELECT if bearable else Resolution.USER_FEEDBACK,
        subject=spec.name,
    )


def _choice(spec: ToolSpec, param: str, kind: str, columns: tuple[str, ...]) -> Conflict:
    return Conflict(
        type=ConflictType.MISSING_PARAMETER,
        severity=Severity.HIGH,
        description=f"{spec.name} needs one {kind} column as '{param}', and the prompt names none of {', '.join(columns[:8])}.",
        resolution=Resolution.USER_FEEDBACK,
        subject=f"{spec.name}.{param}",
        options=columns[:20],
    )


def _missing(spec: ToolSpec, name: str, context: ExtractedContext) -> Conflict:
    described = spec.parameters.get(name, {}).get("description", "")
    if name == "data" and not context.kinds.columns:
        described = "rows to work on; send them in data_pointer.rows"
    return Conflict(
        type=ConflictType.MISSING_PARAMETER,
        severity=Severity.HIGH,
        description=f"{spec.name} needs '{name}'{f' ({described})' if described else ''}, which the prompt does not give.",
        resolution=Resolution.USER_FEEDBACK,
        subject=f"{spec.name}.{name}",
    )


def _invalid(spec: ToolSpec, name: str, value: Any, problem: str, *, has_default: bool) -> Conflict:
    return Conflict(
        type=ConflictType.INVALID_PARAMETER,
        severity=Severity.MEDIUM if has_default else Severity.HIGH,
        description=f"{spec.name} cannot use {name} = {value}: {problem}."
        + (" Its default is used instead." if has_default else ""),
        resolution=Resolution.AUTO_SELECT if has_default else Resolution.USER_FEEDBACK,
        subject=f"{spec.name}.{name}",
    )
