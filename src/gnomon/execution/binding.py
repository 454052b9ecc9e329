"""The parameters of a step: its own, those that earlier steps give, and the rows of the request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from gnomon.core.errors import InvalidInput
from gnomon.core.plan import OutputRef, Step
from gnomon.tools.contract import ToolSpec
from gnomon.tools.frames import Frame

DATA = "data"


def bind(
    step: Step,
    spec: ToolSpec,
    outputs: Mapping[str, tuple[ToolSpec, Mapping[str, Any]]],
    data: Frame | None,
) -> dict[str, Any]:
    """Everything that ``step`` calls its tool with.

    Args:
        step: The step.
        spec: The tool that runs it.
        outputs: What earlier steps gave, with the tool that gave it.
        data: The rows of the request, for a tool that takes ``data`` and was given none.

    Raises:
        InvalidInput: An earlier step gave no such field.
    """
    params = {k: _rows(v) if takes_rows(spec.parameters.get(k, {})) else v for k, v in step.params.items()}
    for name, ref in step.inputs.items():
        giver, output = outputs[ref.step]
        params[name] = _referred(step, name, ref, giver, output, spec)
    if data is not None and DATA in spec.parameters and DATA not in params:
        params[DATA] = data
    return params


def _rows(value: Any) -> Any:
    """Rows as every place takes them, whichever way they were named; a missing value stays missing."""
    return value if value is None else Frame.of(value)


def _referred(
    step: Step, name: str, ref: OutputRef, giver: ToolSpec, output: Mapping[str, Any], spec: ToolSpec
) -> Any:
    field = ref.field
    if field is None:
        rows = giver.produces_rows
        if rows is None or not takes_rows(spec.parameters.get(name, {})):
            return dict(output)
        field = rows
    value: Any = output
    for part in field.split("."):
        found = _member(value, part)
        if found is None:
            raise InvalidInput(
                f"Step {step.id!r} takes {name!r} from {ref.step}.{field}, but {giver.name} gave no {part!r}.",
                suggestions=[f"{giver.name} gives {', '.join(map(str, output))}."],
            )
        value = found[0]
    return value


def _member(value: Any, name: str) -> tuple[Any] | None:
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        return (mapping[name],) if name in mapping else None
    fields = getattr(type(value), "model_fields", None) or getattr(value, "__dataclass_fields__", {})
    return (getattr(value, name),) if name in fields else None


def takes_rows(schema: Mapping[str, Any]) -> bool:
    """Whether a parameter with this JSON Schema takes rows."""
    alternatives = schema.get("anyOf", ())
    return any("source" in a.get("properties", {}) or takes_rows(a) for a in alternatives)
