"""Errors as HTTP sees them: a status, a code, what was wrong, what to do; never a traceback."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from gnomon.core.errors import ErrorCode, ErrorResponse, GnomonError

logger = logging.getLogger("gnomon.server")

_STATUS = {
    ErrorCode.INVALID_INPUT: 422,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.DATA_UNAVAILABLE: 404,
    ErrorCode.UNREADABLE_SOURCE: 422,
    ErrorCode.SOURCE_UNREACHABLE: 503,
    ErrorCode.OUT_OF_DOMAIN: 422,
    ErrorCode.OUT_OF_SCOPE: 422,
    ErrorCode.AMBIGUOUS: 409,
    ErrorCode.CALCULATION_ERROR: 422,
    ErrorCode.POLICY_VIOLATION: 403,
    ErrorCode.AUTHENTICATION_FAILED: 401,
    ErrorCode.TOOL_UNAVAILABLE: 503,
    ErrorCode.MISSING_EXTRA: 503,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.API_FAILURE: 502,
    ErrorCode.TIMEOUT: 504,
    ErrorCode.CANCELLED: 499,
}
MAX_DETAILS = 20


def error_response(error: GnomonError, status: int | None = None) -> JSONResponse:
    """A typed error as a response."""
    body = error.to_response().model_dump(mode="json")
    return JSONResponse(body, status_code=status or _STATUS.get(error.code, 500))


def install(app: FastAPI) -> None:
    """Give every failure of ``app`` a typed body."""
    app.add_exception_handler(GnomonError, _typed)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


async def _typed(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, GnomonError)
    return error_response(error)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    """Which fields were wrong and how; the values that were sent are not echoed."""
    assert isinstance(error, RequestValidationError)
    details: list[dict[str, Any]] = [
        {
            "field": ".".join(str(part) for part in item["loc"] if part != "body") or "body",
            "problem": item["msg"],
        }
        for item in error.errors()[:MAX_DETAILS]
    ]
    message = "; ".join(f"{d['field']}: {d['problem']}" for d in details[:3])
    body = ErrorResponse(
        error_code=ErrorCode.INVALID_INPUT,
        message=f"The request cannot be read: {message}.",
        suggestions=["GET /openapi.json describes every request."],
    ).model_dump(mode="json")
    return JSONResponse({**body, "details": details}, status_code=422)


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    codes = {404: ErrorCode.NOT_FOUND, 401: ErrorCode.AUTHENTICATION_FAILED, 403: ErrorCode.POLICY_VIOLATION}
    code = codes.get(error.status_code, ErrorCode.INVALID_INPUT)
    phrase = HTTPStatus(error.status_code).phrase
    body = ErrorResponse(error_code=code, message=str(error.detail or phrase)).model_dump(mode="json")
    return JSONResponse(body, status_code=error.status_code, headers=error.headers)


async def _unexpected(_: Request, error: Exception) -> JSONResponse:
    logger.error("unexpected %s", type(error).__name__, exc_info=error)
    body = ErrorResponse(
        error_code=ErrorCode.INTERNAL,
        message="Something went wrong inside Gnomon; nothing was lost.",
        suggestions=["The server's log has the details."],
    ).model_dump(mode="json")
    return JSONResponse(body, status_code=500)
