"""Typed outputs as JSON values, whole or as bounded previews."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from gnomon.tools.frames import Frame

PREVIEW_ITEMS = 20
PREVIEW_TEXT = 500


def plain(value: Any) -> Any:
    """``value`` as JSON has it; what is not a number becomes null, rows become a stated preview."""
    if value is None or isinstance(value, (bool, int, str)):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "backslashreplace")
    if isinstance(value, Frame):
        return plain(value.to_json())
    if isinstance(value, BaseModel):
        return {name: plain(getattr(value, name)) for name in type(value).model_fields}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v) for v in cast("list[Any]", value)]
    to_list = getattr(value, "tolist", None)  # NumPy scalars and arrays
    if to_list is not None:
        return plain(to_list())
    return to_jsonable_python(value, inf_nan_mode="null", fallback=str)


def preview(value: Any) -> Any:
    """``value`` as JSON, with long lists and texts cut and the cut stated."""
    if isinstance(value, Frame) and not value.is_reference:
        return {"rows": [preview(r) for r in value.to_rows(PREVIEW_ITEMS)], "row_count": len(value)}
    if isinstance(value, BaseModel):
        return {name: preview(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, Mapping):
        items = list(cast("Mapping[Any, Any]", value).items())
        shown = {str(k): preview(v) for k, v in items[: 5 * PREVIEW_ITEMS]}
        return shown if len(items) == len(shown) else shown | {"…": f"{len(items) - len(shown)} more"}
    if isinstance(value, (list, tuple)):
        elements = cast("list[Any]", value)
        cut = [preview(v) for v in elements[:PREVIEW_ITEMS]]
        return cut if len(elements) == len(cut) else [*cut, f"… {len(elements) - len(cut)} more"]
    if isinstance(value, str):
        return value if len(value) <= PREVIEW_TEXT else value[:PREVIEW_TEXT] + "…"
    return plain(value)
