"""Errors as HTTP sees them: a status, a code, what was wrong, what to do, the request's id; never a traceback."""

from __future__ import annotations

import math
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gnomon.core.errors import ErrorCode, ErrorResponse, GnomonError, RateLimited
from gnomon.server.rendering import JSON

_STATUS = {
    ErrorCode.INVALID_INPUT: 422,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.DATA_UNAVAILABLE: 404,
    ErrorCode.UNREADABLE_SOURCE: 422,
    ErrorCode.SOURCE_UNREACHABLE: 424,
    ErrorCode.OUT_OF_DOMAIN: 422,
    ErrorCode.OUT_OF_SCOPE: 422,
    ErrorCode.AMBIGUOUS: 409,
    ErrorCode.CALCULATION_ERROR: 422,
    ErrorCode.POLICY_VIOLATION: 403,
    ErrorCode.AUTHENTICATION_FAILED: 401,
    ErrorCode.TOOL_UNAVAILABLE: 409,
    ErrorCode.MISSING_EXTRA: 409,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.API_FAILURE: 424,
    ErrorCode.TIMEOUT: 422,
    ErrorCode.CANCELLED: 409,
    ErrorCode.CONFIGURATION: 409,
}
"""A request that cannot be met is never told as a fault of the server."""

MAX_DETAILS = 20
MAX_MESSAGE = 2000


def error_response(error: GnomonError, status: int | None = None, request_id: str = "") -> Response:
    """A typed error as a response."""
    body = error.to_response()
    headers: dict[str, str] = {}
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after_seconds)))
    if error.code is ErrorCode.AUTHENTICATION_FAILED:
        headers["WWW-Authenticate"] = "Bearer"
    return _rendered(body, status or _STATUS.get(error.code, 500), request_id, headers=headers)


def install(app: FastAPI) -> None:
    """Give every failure of ``app`` a typed body."""
    app.add_exception_handler(GnomonError, _typed)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


async def _typed(request: Request, error: Exception) -> Response:
    assert isinstance(error, GnomonError)
    return error_response(error, getattr(error, "status", None), _id_of(request))


async def _invalid(request: Request, error: Exception) -> Response:
    """Which fields were wrong and how; the values that were sent are not echoed."""
    assert isinstance(error, RequestValidationError)
    details: list[dict[str, Any]] = [
        {
            "field": ".".join(str(part)[:80] for part in item["loc"] if part != "body") or "body",
            "problem": str(item["msg"])[:300],
        }
        for item in error.errors()[:MAX_DETAILS]
    ]
    message = "; ".join(f"{d['field']}: {d['problem']}" for d in details[:3])
    body = ErrorResponse(
        error_code=ErrorCode.INVALID_INPUT,
        message=f"The request cannot be read: {message}.",
        suggestions=["GET /openapi.json describes every request."],
    )
    return _rendered(body, 422, _id_of(request), details)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes = {404: ErrorCode.NOT_FOUND, 401: ErrorCode.AUTHENTICATION_FAILED, 403: ErrorCode.POLICY_VIOLATION}
    code = codes.get(error.status_code, ErrorCode.INVALID_INPUT)
    phrase = HTTPStatus(error.status_code).phrase
    message = str(error.detail or phrase)
    where = ["GET /openapi.json describes every request."] if error.status_code in (404, 405) else None
    body = ErrorResponse(error_code=code, message=message, suggestions=where)
    return _rendered(body, error.status_code, _id_of(request), headers=dict(error.headers or {}))


def _rendered(
    body: ErrorResponse,
    status: int,
    request_id: str,
    details: list[dict[str, Any]] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    told = body.model_dump(mode="json") | {
        "message": body.message[:MAX_MESSAGE],
        "request_id": request_id,
        "details": details,
    }
    return JSON(told, status_code=status, headers=headers or None)


def _id_of(request: Request) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))
