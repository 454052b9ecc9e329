"""Whatever kind of column a tool is given, it computes or says what it needs; nothing is a fault of the tool."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from gnomon.core.errors import ErrorCode, GnomonError
from gnomon.execution.failures import typed_error
from gnomon.tools import ToolContext
from gnomon.tools.builtin import builtin_registry
from gnomon.tools.contract import Tool

REGISTRY = builtin_registry()
ROWS = [
    {
        "group": ["a", "b", None][i % 3],
        "value": float(i * 7 % 31),
        "text": f"x{i % 5}",
        "gaps": i if i % 4 else None,
        "day": f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}",
        "flag": bool(i % 2),
        "huge": 10**17 + i,
        "same": 1,
        "empty": None,
    }
    for i in range(60)
]
FIELDS = ("value", "time", "group_by", "columns", "column", "target", "x", "y", "weight", "features", "key")


def _calls(tool: Tool) -> list[dict[str, Any]]:
    """Every column in every place for one, alone and beside a measure, a time and a group."""
    props = tool.spec.input_schema["properties"]

    def put(field: str, column: str) -> Any:
        return [column] if "array" in str(props[field]) else column

    beside = {
        f: put(f, c) for f, c in (("value", "value"), ("time", "day"), ("group_by", "group")) if f in props
    }
    fields = [f for f in FIELDS if f in props]
    return [{**given, f: put(f, c)} for f in fields for c in ROWS[0] for given in ({}, beside)]


@pytest.mark.parametrize("tool", [pytest.param(t, id=t.spec.name) for t in REGISTRY])
def test_no_kind_of_column_is_a_fault_of_the_tool(tool: Tool) -> None:
    for params in _calls(tool):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tool({"data": ROWS, **params}, ToolContext())
        except GnomonError as error:
            assert error.code is not ErrorCode.INTERNAL, (params, error)
        except Exception as error:
            assert typed_error(tool.spec.name, error).code is not ErrorCode.INTERNAL, (params, error)


@pytest.mark.parametrize(
    ("name", "params", "said"),
    [
        ("filter_rows", {"latest": 3, "time": "text"}, "holds no time stamps"),
        ("filter_rows", {"latest": 10**18, "latest_unit": "year", "time": "day"}, "before any calendar"),
        ("benchmark", {"value": "text", "group_by": "group"}, "holds no numbers"),
        ("period_change", {"value": "value", "time": "text"}, "holds no time stamps"),
        ("causes", {"value": "value", "time": "empty"}, "holds no time stamps"),
        ("anomaly_zscore", {"value": "text"}, "holds no numbers"),
    ],
)
def test_it_is_said_what_a_column_lacks(name: str, params: dict[str, Any], said: str) -> None:
    with pytest.raises(GnomonError, match=said):
        REGISTRY.get(name)({"data": ROWS, **params}, ToolContext())


def test_rows_without_a_group_are_a_group() -> None:
    found = REGISTRY.get("anomaly_zscore")(
        {"data": ROWS, "value": "value", "group_by": ["group"]}, ToolContext()
    )
    assert {s["group"] if isinstance(s, dict) else s.group for s in found["series"]} == {
        "a",
        "b",
        "(no value)",
    }
