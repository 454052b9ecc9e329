"""JSON in and out: bodies are read off the event loop and in small steps, responses hold nothing that JSON does not know."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from json.decoder import JSONDecodeError, scanstring  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic_core import PydanticSerializationError, to_json

from gnomon.core.patterns import regex

SMALL = 64 * 1024
DEPTH = 3
_SPACE = regex(r"[ \t\n\r]*")
_LONE = regex("[\ud800-\udfff]")
_decode = json.JSONDecoder().raw_decode


class JSON(JSONResponse):
    """Any plain value as JSON: what is not a number is null, text that is no Unicode is mended."""

    def render(self, content: Any) -> bytes:
        """The bytes of ``content``."""
        return as_json(content)


def as_json(content: Any) -> bytes:
    """Any plain value as JSON."""
    try:
        return to_json(content, inf_nan_mode="null")
    except PydanticSerializationError:
        return to_json(mended(json.loads(json.dumps(content, default=str))), inf_nan_mode="null")


class OffLoop(APIRoute):
    """A route whose JSON bodies are parsed in a thread, so that a large one does not stop the others."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, over a request that parses elsewhere."""
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            return await handle(_Request(request.scope, request.receive))

        return handler


class _Request(Request):
    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            body = await self.body()
            self._json = loads(body) if len(body) <= SMALL else await asyncio.to_thread(loads, body)
        return self._json


def loads(body: bytes) -> Any:
    """The value of a JSON text; large lists are read item by item, so that other threads get their turn.

    Raises:
        JSONDecodeError: It is none.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise JSONDecodeError("The body is not UTF-8", "", 0) from None
    try:
        value, end = (
            _value(text, _skip(text, 0), DEPTH) if len(body) > SMALL else _decode(text, _skip(text, 0))
        )
    except (ValueError, RecursionError) as e:
        if isinstance(e, JSONDecodeError):
            raise
        raise JSONDecodeError("A number is too long, or it is nested too deeply", "", 0) from None
    if _skip(text, end) != len(text):
        raise JSONDecodeError("There is more after the value", text[end : end + 40], 0)
    return mended(value) if b"\\u" in body else value


def mended(value: Any) -> Any:
    """The same with every half of a character replaced."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {mended(k): mended(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [mended(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    opening = text[at : at + 1]
    if depth == 0 or opening not in ("{", "["):
        return _decode(text, at)
    return _object(text, at + 1, depth) if opening == "{" else _list(text, at + 1, depth)


def _list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    at = _skip(text, at)
    if text[at : at + 1] == "]":
        return found, at + 1
    while True:
        value, at = _value(text, at, depth - 1)
        found.append(value)
        at = _skip(text, at)
        mark = text[at : at + 1]
        if mark == "]":
            return found, at + 1
        if mark != ",":
            raise JSONDecodeError("Expecting ',' delimiter", text[at : at + 40], 0)
        at = _skip(text, at + 1)


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    at = _skip(text, at)
    if text[at : at + 1] == "}":
        return found, at + 1
    while True:
        if text[at : at + 1] != '"':
            raise JSONDecodeError("Expecting property name enclosed in double quotes", text[at : at + 40], 0)
        key, at = scanstring(text, at + 1, True)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise JSONDecodeError("Expecting ':' delimiter", text[at : at + 40], 0)
        found[key], at = _value(text, _skip(text, at + 1), depth - 1)
        at = _skip(text, at)
        mark = text[at : at + 1]
        if mark == "}":
            return found, at + 1
        if mark != ",":
            raise JSONDecodeError("Expecting ',' delimiter", text[at : at + 40], 0)
        at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
