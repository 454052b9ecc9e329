"""A change in percent, where that says anything: of nothing, and below zero, percent mislead."""

from __future__ import annotations


def percent_change(before: float, after: float) -> float | None:
    """The change in percent of what it was; None when it was nothing or less, or came to less than nothing."""
    return 100 * (after - before) / before if before > 0 and after >= 0 else None
