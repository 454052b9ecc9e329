"""When a failed step is tried again, and after how long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from gnomon.core.errors import Cancelled, GnomonError, RateLimited
from gnomon.tools.contract import CancelToken

Sleeper = Callable[[float, CancelToken], None]


@dataclass(frozen=True)
class RetryPolicy:
    """Waits between attempts; the last one repeats."""

    delays: tuple[float, ...] = (0.5, 1.0, 2.0)

    def delay(self, error: GnomonError, failures: int, allowed: int) -> float | None:
        """Seconds to wait after the given number of failures, or None when it is not tried again.

        Args:
            error: What went wrong; only what may pass is tried again.
            failures: Attempts that failed so far, at least one.
            allowed: How often may be tried again.
        """
        if not error.retryable or failures > allowed:
            return None
        if isinstance(error, RateLimited):
            return max(0.0, error.retry_after_seconds)
        return self.delays[min(failures, len(self.delays)) - 1]


def pause(seconds: float, cancel: CancelToken) -> None:
    """Wait, but not longer than until the work is cancelled."""
    stopped = threading.Event()
    try:
        with cancel.interrupting(stopped.set):
            stopped.wait(seconds)
    except Cancelled:
        return
