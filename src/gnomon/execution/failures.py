"""Whatever a tool raises, as one error of the tree."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, CancelledError

from gnomon.core.errors import ApiFailure, CalculationError, Cancelled, GnomonError


def typed_error(tool: str, error: BaseException) -> GnomonError:
    """``error`` as it is when it is typed already, else the typed error that says the same.

    Lost connections and dead workers may pass; anything else that is not typed is a fault of the tool, or of
    columns that nobody thought of, and is not tried again. The text of a foreign error is left out: it may quote cells.
    """
    if isinstance(error, GnomonError):
        return error
    name = type(error).__name__
    if isinstance(error, CancelledError):
        return Cancelled(f"The work of {tool} was cancelled.")
    if isinstance(error, BrokenExecutor) or name in {"KilledWorker", "CommClosedError"}:
        return ApiFailure(f"The worker process that ran {tool} died ({name}).")
    if isinstance(error, (ConnectionError, TimeoutError)):
        return ApiFailure(f"{tool} lost its connection ({name}).")
    if isinstance(error, (MemoryError, RecursionError)):
        return CalculationError(
            f"{tool} ran out of memory ({name}).", suggestions=["Aggregate or sample the rows first."]
        )
    if isinstance(error, (ValueError, TypeError, ArithmeticError, LookupError, AttributeError)):
        return CalculationError(
            f"{tool} could not compute this ({name}): either the columns are not of the kind it needs, or it has a fault.",
            suggestions=[
                "Give it numbers to measure, dates as time and other columns as groups; 'profile' tells them."
            ],
        )
    return GnomonError(
        f"{tool} failed unexpectedly ({name}). This is a fault in the tool, not in the request.",
        suggestions=["Report it together with the tool's name and version."],
    )
