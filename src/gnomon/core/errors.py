"""The one error tree of Gnomon.

Every error says what was wrong, what was expected and what to do next, carries a code that callers
can branch on, and says whether trying the same thing again can help::

    GnomonError
    ├── ConfigurationError        a setting has a value that cannot be used
    ├── InvalidInput              what was passed in is not acceptable (also a ValueError)
    │   ├── NotFound              a name that nothing carries (with did-you-mean)
    │   └── UnfitRows             some rows cannot be computed with; what it says is of them
    ├── DataUnavailable           the data asked for is not there
    │   ├── UnreadableSource      a file or database exists but cannot be read as what it claims to be
    │   └── SourceUnreachable     a database or server did not answer (a retry can help)
    ├── OutOfDomain               the question is not about data at all
    ├── OutOfScope                the question is about data, but not about this data
    ├── Ambiguous                 two readings, different numbers
    ├── CalculationError          the numbers do not allow the computation
    ├── PolicyViolation           a rule forbids it
    ├── ToolUnavailable           the tool exists but cannot run here
    │   └── MissingExtra          an optional part is not installed
    ├── ApiFailure                a tool or server failed in a way that may pass (a retry can help)
    │   ├── RateLimited           … and said how long to wait
    ├── AuthenticationFailed      credentials were refused; no retry
    ├── TimedOut                  it took longer than it was allowed to
    └── Cancelled                 somebody asked it to stop
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class ErrorCode(StrEnum):
    """What went wrong, as a closed set that callers can branch on."""

    OUT_OF_DOMAIN = "out_of_domain"
    OUT_OF_SCOPE = "out_of_scope"
    AMBIGUOUS = "ambiguous"
    DATA_UNAVAILABLE = "data_unavailable"
    UNREADABLE_SOURCE = "unreadable_source"
    SOURCE_UNREACHABLE = "source_unreachable"
    INVALID_INPUT = "invalid_input"
    NOT_FOUND = "not_found"
    CONFIGURATION = "configuration"
    CALCULATION_ERROR = "calculation_error"
    POLICY_VIOLATION = "policy_violation"
    TOOL_UNAVAILABLE = "tool_unavailable"
    MISSING_EXTRA = "missing_extra"
    API_FAILURE = "api_failure"
    RATE_LIMITED = "rate_limited"
    AUTHENTICATION_FAILED = "authentication_failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    INTERNAL = "internal"


class ErrorResponse(BaseModel):
    """An error as callers outside the process see it."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    success: bool = False
    error_code: ErrorCode
    message: str
    suggestions: list[str] | None = None
    retryable: bool = False


class GnomonError(Exception):
    """Root of every error that Gnomon raises on purpose.

    Args:
        message: What was wrong and what was expected, in one or two sentences.
        suggestions: What the reader can do next, most useful first.
    """

    code: ClassVar[ErrorCode] = ErrorCode.INTERNAL
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, suggestions: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.suggestions = tuple(suggestions)

    def __str__(self) -> str:
        return self.message

    def reword(self, put: Callable[[str], str]) -> None:
        """Say it in other words, such as without what is not to be told."""
        self.message, self.suggestions = put(self.message), tuple(map(put, self.suggestions))
        self.args = (self.message,)

    def to_response(self) -> ErrorResponse:
        """The same error as data."""
        return ErrorResponse(
            error_code=self.code,
            message=self.message,
            suggestions=list(self.suggestions) or None,
            retryable=self.retryable,
        )


class ConfigurationError(GnomonError):
    """A setting has a value that cannot be used."""

    code = ErrorCode.CONFIGURATION


class InvalidInput(GnomonError, ValueError):
    """What was passed in is not acceptable; nothing was changed."""

    code = ErrorCode.INVALID_INPUT


class UnfitRows(InvalidInput):
    """Some rows cannot be computed with. What it says may quote them, so it is only for who may see rows."""


class NotFound(InvalidInput):
    """A name that nothing carries."""

    code = ErrorCode.NOT_FOUND

    @classmethod
    def among(cls, what: str, name: str, known: Iterable[str]) -> NotFound:
        """An error for ``name`` that proposes the closest of the ``known`` names."""
        names = sorted(known)
        close = did_you_mean(name, names)
        hint = f" Did you mean {' or '.join(repr(c) for c in close)}?" if close else ""
        listing = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        return cls(
            f"There is no {what} named {name!r}.{hint}",
            suggestions=[f"Known: {listing}"] if names else [f"There is no {what} yet."],
        )


class DataUnavailable(GnomonError):
    """The data asked for is not there."""

    code = ErrorCode.DATA_UNAVAILABLE


class UnreadableSource(DataUnavailable):
    """A file or database exists but cannot be read as what it claims to be."""

    code = ErrorCode.UNREADABLE_SOURCE


class SourceUnreachable(DataUnavailable):
    """A database or server did not answer."""

    code = ErrorCode.SOURCE_UNREACHABLE
    retryable = True


class OutOfDomain(GnomonError):
    """The question is not about data at all."""

    code = ErrorCode.OUT_OF_DOMAIN


class OutOfScope(GnomonError):
    """The question is about data, but this data cannot answer it."""

    code = ErrorCode.OUT_OF_SCOPE


class Ambiguous(GnomonError):
    """Two readings of the question lead to different numbers."""

    code = ErrorCode.AMBIGUOUS


class CalculationError(GnomonError):
    """The numbers do not allow the computation."""

    code = ErrorCode.CALCULATION_ERROR


class PolicyViolation(GnomonError):
    """A rule forbids the request or the response."""

    code = ErrorCode.POLICY_VIOLATION


class ToolUnavailable(GnomonError):
    """The tool exists but cannot run here."""

    code = ErrorCode.TOOL_UNAVAILABLE


class MissingExtra(ToolUnavailable):
    """An optional part is not installed."""

    code = ErrorCode.MISSING_EXTRA

    @classmethod
    def named(cls, extra: str, purpose: str) -> MissingExtra:
        """An error that tells how to install the ``extra``."""
        return cls(
            f"{purpose} needs the optional part '{extra}', which is not installed.",
            suggestions=[f"pip install 'gnomon[{extra}]'"],
        )


class ApiFailure(GnomonError):
    """A tool or server failed in a way that may pass."""

    code = ErrorCode.API_FAILURE
    retryable = True


class RateLimited(ApiFailure):
    """A server asked to be left alone for a while.

    Args:
        message: What was refused.
        retry_after_seconds: How long the server asked to wait.
        suggestions: What the reader can do next.
    """

    code = ErrorCode.RATE_LIMITED

    def __init__(self, message: str, *, retry_after_seconds: float, suggestions: Sequence[str] = ()) -> None:
        super().__init__(message, suggestions=suggestions)
        self.retry_after_seconds = retry_after_seconds


class AuthenticationFailed(GnomonError):
    """Credentials were refused."""

    code = ErrorCode.AUTHENTICATION_FAILED


class TimedOut(GnomonError):
    """It took longer than it was allowed to."""

    code = ErrorCode.TIMEOUT
    retryable = True


class Cancelled(GnomonError):
    """Somebody asked it to stop."""

    code = ErrorCode.CANCELLED


def did_you_mean(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known names closest to ``name``, ignoring case, best first."""
    by_fold: dict[str, str] = {}
    for k in known:
        by_fold.setdefault(k.casefold(), k)
    return [by_fold[m] for m in get_close_matches(name.casefold(), list(by_fold), n=limit, cutoff=0.6)]
