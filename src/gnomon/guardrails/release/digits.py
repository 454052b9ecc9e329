"""Figures to few digits, where a formula made the column: one row's value can hide in the last digits of a total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel

from gnomon.guardrails.release.cells import KEPT_DIGITS, NUMERAL, digits_of, is_count, rounded
from gnomon.guardrails.release.view import View
from gnomon.tools.frames import Frame

_NAMES = frozenset({"group", "segment", "key"})
"""Fields that say which rows are meant, not what they come to."""
_UNSAID = "What is said of single figures is left out; they are told to three digits."


def to_told_digits(view: View, named: Sequence[str]) -> None:
    """Round the output of a tool that worked on such a column.

    Args:
        view: The output.
        named: The columns that it was told to work on; where there are none, all may have been.
    """
    used = [r.origin for r in view.inputs.values()]
    weights = _listed(view.arguments.get("weight"))
    if not any(o.coarse(named or list(o.columns)) or any(o.brought(str(w)) for w in weights) for o in used):
        return
    groups = {str(g) for g in _listed(view.arguments.get("group_by"))}
    for name, value in view.output.items():
        if name in view.made and isinstance(value, Frame) and view.made[name].columns:
            continue  # rows for other tools, which stay here
        view.output[name] = (
            _rows(value, groups) if isinstance(value, Frame) else _rounded(value, name, groups)
        )
    view.note(
        "Figures of a column that a formula made are told to three digits, unless it adds, subtracts, multiplies "
        "or divides columns of the table, each once."
    )


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) else list(cast("Sequence[Any]", value or []))


def _rows(rows: Frame, groups: set[str]) -> Frame:
    import pyarrow as pa

    table = rows.arrow
    for i, field in enumerate(table.schema):
        if field.name in groups or not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
            continue
        told = [_number(v, field.name) for v in table.column(i).to_pylist()]
        table = table.set_column(i, field, pa.array(told).cast(field.type))
    return Frame(table, rows.lineage)


def _rounded(value: Any, key: str, groups: set[str]) -> Any:
    if isinstance(value, BaseModel):
        value = value.model_dump()
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        return {k: v if k in _NAMES | groups else _rounded(v, k, groups) for k, v in fields.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(v, key, groups) for v in cast("Sequence[Any]", value)]
    if key in {"notes", "summary"} and isinstance(value, str):
        return value if max(map(digits_of, NUMERAL.findall(value)), default=0) <= KEPT_DIGITS else _UNSAID
    if isinstance(value, str) and NUMERAL.fullmatch(value) and digits_of(value) > KEPT_DIGITS:
        return f"{rounded(float(value.replace(',', ''))):g}"
    return _number(value, key)


def _number(value: Any, key: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or is_count(key):
        return value
    return int(rounded(value)) if isinstance(value, int) else rounded(value)
