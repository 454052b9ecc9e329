"""What crosses to another process: a tool, its parameters with rows as Arrow data, and errors as data.

An open connection never crosses: names of open tables are read here first, addresses of sources are
sent as they are and opened over there.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast
from weakref import WeakKeyDictionary

from gnomon.core import errors
from gnomon.core.errors import GnomonError, InvalidInput, RateLimited
from gnomon.core.settings import Settings
from gnomon.tools.contract import Tool, ToolContext
from gnomon.tools.frames import Frame, TableName
from gnomon.tools.lineage import Lineage

_packed_tools: WeakKeyDictionary[Tool, bytes] = WeakKeyDictionary()


class CannotLeave(InvalidInput):
    """A tool or a parameter holds something that cannot be sent to another process."""


@dataclass(frozen=True)
class ArrowBytes:
    """Rows as one Arrow IPC stream, with where they come from."""

    content: bytes
    lineage: Lineage | None = None


@dataclass(frozen=True)
class WireError:
    """An error as data: the nearest class of the error tree, what it said, and what it asked for."""

    kind: str
    message: str
    suggestions: tuple[str, ...] = ()
    retry_after_seconds: float = 0.0


@dataclass(frozen=True)
class Call:
    """One call of one tool, complete in itself."""

    tool: bytes
    params: dict[str, Any]
    settings: Settings
    roots: tuple[Path, ...] | None


@dataclass(frozen=True)
class Reply:
    """What came of a call: its output, or its error."""

    output: dict[str, Any] | None
    error: WireError | None


def pack_call(tool: Tool, params: dict[str, Any], context: ToolContext) -> bytes:
    """A call as bytes, with the rows of open tables read into it.

    Raises:
        CannotLeave: The tool or a parameter holds something that cannot be sent.
        NotFound: A parameter names a table that is not open.
    """
    ready = _map_frames(params, partial(_to_bytes, context=context))
    call = Call(_pack_tool(tool), cast("dict[str, Any]", ready), context.settings, context.roots)
    return _dumps(call, f"a parameter of {tool.spec.name}")


def unpack_call(content: bytes) -> tuple[Tool, dict[str, Any], Settings, tuple[Path, ...] | None]:
    """The tool and what it is called with. Only for bytes that :func:`pack_call` made."""
    call: Call = pickle.loads(content)  # noqa: S301 - made by pack_call in the process that started us
    tool: Tool = pickle.loads(call.tool)  # noqa: S301 - as above
    return tool, _from_bytes(call.params), call.settings, call.roots


def pack_reply(output: dict[str, Any] | None, error: GnomonError | None = None) -> bytes:
    """What came of a call, as bytes; an output that cannot cross becomes the error that says so."""
    if error is None:
        try:
            return _dumps(Reply(_map_frames(output, _to_bytes), None), "the output")
        except GnomonError as e:
            error = e
    return pickle.dumps(Reply(None, _error_to_wire(error)))


def unpack_reply(content: bytes) -> dict[str, Any]:
    """The output of a call.

    Raises:
        GnomonError: The call failed; the error is of the class that the tool raised.
    """
    reply: Reply = pickle.loads(content)  # noqa: S301 - made by pack_reply in a worker that we started
    if reply.error is not None:
        raise _error_from_wire(reply.error)
    return _from_bytes(reply.output)


def _pack_tool(tool: Tool) -> bytes:
    try:
        if (known := _packed_tools.get(tool)) is not None:
            return known
    except TypeError:  # it cannot be referred to weakly or hashed, so it is packed each time
        return _dumps(tool, f"the tool {tool.spec.name}")
    packed = _packed_tools[tool] = _dumps(tool, f"the tool {tool.spec.name}")
    return packed


def _dumps(value: Any, what: str) -> bytes:
    import cloudpickle

    try:
        return cloudpickle.dumps(value)
    except Exception as e:  # noqa: BLE001 - pickling runs code of any object; whatever it raises means the same
        raise CannotLeave(
            f"This step cannot run in another process: {what} holds a value that cannot be sent ({type(e).__name__}).",
            suggestions=["Tools that leave the process take plain values and rows."],
        ) from None


def _map_frames(value: Any, change: Callable[[Frame], Any]) -> Any:
    if isinstance(value, Frame):
        return change(value)
    if isinstance(value, Mapping):
        mapping = cast("Mapping[Any, Any]", value)
        return {k: _map_frames(v, change) for k, v in mapping.items()}
    if isinstance(value, (list, tuple)):
        items = [_map_frames(v, change) for v in cast("list[Any]", value)]
        return items if isinstance(value, list) else tuple(items)
    return value


def _to_bytes(frame: Frame, context: ToolContext | None = None) -> ArrowBytes | Frame:
    import pyarrow as pa

    if isinstance(frame.content, TableName) and context is not None and context.dataset is not None:
        table = context.dataset.table(str(frame.content))
        with context.cursor() as cursor:
            frame = Frame(cursor.sql(f"SELECT * FROM {table.relation}").to_arrow_table())
    if frame.is_reference:
        return frame
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, frame.arrow.schema) as writer:
        writer.write_table(frame.arrow)
    return ArrowBytes(sink.getvalue().to_pybytes(), frame.lineage)


def _from_bytes(value: Any) -> Any:
    if isinstance(value, ArrowBytes):
        import pyarrow as pa

        return Frame(pa.ipc.open_stream(value.content).read_all(), value.lineage)
    if isinstance(value, dict):
        return {k: _from_bytes(v) for k, v in cast("dict[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        items = [_from_bytes(v) for v in cast("list[Any]", value)]
        return items if isinstance(value, list) else tuple(items)
    return value


def _error_to_wire(error: GnomonError) -> WireError:
    kind = next(c.__name__ for c in type(error).__mro__ if getattr(errors, c.__name__, None) is c)
    wait = error.retry_after_seconds if isinstance(error, RateLimited) else 0.0
    return WireError(kind, error.message, error.suggestions, wait)


def _error_from_wire(wire: WireError) -> GnomonError:
    kind: type[GnomonError] = getattr(errors, wire.kind)
    if issubclass(kind, RateLimited):
        return kind(wire.message, retry_after_seconds=wire.retry_after_seconds, suggestions=wire.suggestions)
    return kind(wire.message, suggestions=wire.suggestions)
