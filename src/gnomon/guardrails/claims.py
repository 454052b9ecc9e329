"""What prose claims: each number, date and direction word, and the fact that stands behind it, if one does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from gnomon.core.answer import Fact


@dataclass(frozen=True)
class Claim:
    """One thing that prose states.

    Args:
        text: As written.
        start: Where it begins.
        end: Where it ends.
        value: What it says: a number, a date, or a word such as ``up``.
        unit: ``%``, ``pp``, ``x``, a currency code or nothing.
        fact: The fact behind it; None where it is neutral (a period, a count of what is listed) or unbound.
        ok: Whether it may be said.
        kind: ``number``, ``period``, ``direction``, ``extreme``, ``place`` or ``listing``.
        reason: Why it may not be said.
    """

    text: str
    start: int
    end: int
    value: float | str | date | None
    unit: str
    fact: Fact | None
    ok: bool
    kind: str = "number"
    reason: str = ""
