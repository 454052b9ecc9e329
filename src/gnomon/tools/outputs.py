"""Typed outputs of tools, made from the result types of ``analytics``."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from gnomon.analytics.results import Result
from gnomon.tools.frames import Frame

MAX_ITEMS = 1000


class Output(BaseModel):
    """What every tool gives back: the finding in one sentence, beside its own fields."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    summary: str = Field(description="The finding in one sentence.")
    notes: list[str] = Field(
        default_factory=list[str], description="What a reader should know, such as rows that were left out."
    )


class GroupFinding(BaseModel):
    """What a series tool found for one group."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    group: dict[str, str | None]
    summary: str
    result: dict[str, Any] = Field(description="The same fields as for all rows together.")


@cache
def output_model(
    name: str, result: type[Result], without: tuple[str, ...] = (), *, grouped: bool = False, **rows: str
) -> type[Output]:
    """The fields of an analytics result as a pydantic model with a summary.

    Args:
        name: Name of the model.
        result: The result type.
        without: Fields that are as long as the data and are given as rows instead.
        grouped: Whether the tool also answers for each group.
        rows: Further fields that hold rows, with their descriptions.
    """
    fields: dict[str, Any] = {f: (hint, ...) for f, hint in _hints(result).items() if f not in without}
    fields |= {f: (Frame, Field(description=text)) for f, text in rows.items()}
    return create_model(name, __base__=GroupedOutput if grouped else Output, **fields)


class GroupedOutput(Output):
    """An output with one finding for each group beside the one for all rows."""

    groups: list[GroupFinding] = Field(
        default_factory=list[GroupFinding], description="One finding per group."
    )
    groups_left_out: int = Field(default=0, description="Small groups that were not looked at.")


@cache
def _nested(result: type[Result]) -> type[BaseModel]:
    return create_model(result.__name__, **{f: (hint, ...) for f, hint in _hints(result).items()})  # pyright: ignore[reportCallIssue, reportArgumentType]


def _hints(result: type[Result]) -> dict[str, Any]:
    """Types of the fields that are shown; the others may name libraries that are only loaded when used."""
    shown = {f.name: f.type for f in dataclasses.fields(result) if not f.metadata.get("internal")}
    holder = type(result.__name__, (), {"__annotations__": shown, "__module__": result.__module__})
    return {name: _json_type(hint) for name, hint in get_type_hints(holder).items()}


def _json_type(hint: Any) -> Any:
    """The type of the value after ``Result.to_dict``; a float that is not a number arrives as None."""
    if hint is float:
        return float | None
    if isinstance(hint, type) and issubclass(hint, Result):
        return _nested(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin in {Union, types.UnionType}:
        return Union[tuple(_json_type(a) for a in args)]  # noqa: UP007 - built at run time
    if origin is tuple:
        return list[_json_type(args[0])] if args[-1] is Ellipsis or len(set(args)) == 1 else list[Any]
    if origin in {dict, Mapping}:
        return dict[str, _json_type(args[1])]
    if origin in {list, set, frozenset}:
        return list[_json_type(args[0])]
    if getattr(origin, "__module__", "").startswith("numpy") or getattr(hint, "__module__", "").startswith(
        "numpy"
    ):
        return list[Any]
    return hint if hint in {int, str, bool, type(None)} or "Literal" in str(origin) else Any


def filled(model: type[Output], result: Result, summary: str, **rows: Any) -> Output:
    """An output of ``model`` from a result, its summary and its rows; long lists are cut, and a note says so."""
    values = {k: v for k, v in result.to_dict().items() if k in model.model_fields}
    cut = {k: len(v) for k, v in values.items() if isinstance(v, list) and len(v) > MAX_ITEMS}
    for name in cut:
        values[name] = values[name][:MAX_ITEMS]
    if cut and "notes" in values:
        values["notes"] = [
            *values["notes"],
            *(f"{k}: the first {MAX_ITEMS:,} of {n:,} are listed." for k, n in cut.items()),
        ]
    return model.model_validate({**values, "summary": summary, **rows})
