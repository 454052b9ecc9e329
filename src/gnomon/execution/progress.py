"""Progress reports within bounds."""

from __future__ import annotations

from collections.abc import Callable

from gnomon.core import clock

EVERY_SECONDS = 0.05
MESSAGE_LENGTH = 200

Progress = Callable[[float, str], None]


def thinned(report: Progress) -> Progress:
    """The same reports, no more than twenty a second, between nothing and everything, with short messages."""
    last = 0.0

    def progress(fraction: float, message: str) -> None:
        nonlocal last
        now = clock.elapsed()
        if now - last >= EVERY_SECONDS:
            last = now
            report(min(1.0, max(0.0, fraction)), message[:MESSAGE_LENGTH])

    return progress
