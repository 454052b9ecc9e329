"""Faults of our own, told in one line: what kind and where, never a traceback, never what the data held."""

from __future__ import annotations

import logging
from pathlib import PurePath

from gnomon.core.errors import GnomonError

logger = logging.getLogger("gnomon.server")


class InternalFault(GnomonError):
    """Something went wrong inside Gnomon."""


def place_of(error: BaseException) -> str:
    """Where an error was raised: file, line and function of the innermost frame."""
    trace = error.__traceback__
    if trace is None:
        return "nowhere"
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return f"{PurePath(code.co_filename).name}:{trace.tb_lineno} in {code.co_name}"


def explained(error: BaseException) -> GnomonError:
    """A fault as a typed error; the log gets its kind and its place."""
    logger.error("unexpected %s at %s", type(error).__name__, place_of(error))
    return InternalFault(
        "Something went wrong inside Gnomon; nothing was lost.",
        suggestions=["The server's log tells where.", "Ask in other words, or report it."],
    )


class OneLine(logging.Formatter):
    """Writes records in one line each; an error that comes with a record is told by its kind and place."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatException(self, ei: object) -> str:
        """The kind and the place of an error."""
        error = ei[1] if isinstance(ei, tuple) else None
        return f"{type(error).__name__} at {place_of(error)}" if isinstance(error, BaseException) else ""

    def formatStack(self, stack_info: str) -> str:
        """Nothing: a stack is no line."""
        return ""

    def format(self, record: logging.LogRecord) -> str:
        """One line, whatever the record holds."""
        record.exc_text = None
        return " ".join(super().format(record).split("\n"))[:2000]


def log_in_lines() -> None:
    """Let every log line of this process be one line without a traceback."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
