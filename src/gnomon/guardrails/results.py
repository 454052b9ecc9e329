"""What a guard says: let it pass, pass it changed, or hold it back; and why, without the offending text."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.guardrails.claims import Claim


class Action(StrEnum):
    """What happens to a text, mildest first."""

    ALLOW = "allow"
    MODIFY = "modify"
    REJECT = "reject"

    @property
    def severity(self) -> int:
        """0 for the mildest."""
        return list(Action).index(self)


@dataclass(frozen=True)
class Violation:
    """One rule that a text broke; never with the offending text itself.

    Args:
        guard: ``pii``, ``toxicity``, ``policy``, ``numbers`` or ``injection``.
        rule: Which rule of that guard.
        message: What a reader may be told.
        action: What the rule asks for.
    """

    guard: str
    rule: str
    message: str
    action: Action


broken_rules: ContextVar[list[Violation] | None] = ContextVar("gnomon_broken_rules", default=None)
"""Where whoever watches a piece of work collects the rules that it breaks; None where nobody does."""


@dataclass(frozen=True)
class GuardResult:
    """The outcome of a check.

    Args:
        action: The severest action that a violation asks for.
        text: Safe to show: unchanged, masked, or empty where it was rejected.
        violations: Every rule that was broken.
        claims: What an answer claims, each bound to the fact behind it; None where that was not looked at.
    """

    action: Action
    text: str
    violations: tuple[Violation, ...] = ()
    claims: tuple[Claim, ...] | None = None

    @property
    def allowed(self) -> bool:
        """Whether there is something to show."""
        return self.action is not Action.REJECT

    @classmethod
    def of(
        cls, text: str, violations: Iterable[Violation], claims: Iterable[Claim] | None = None
    ) -> GuardResult:
        """The result for ``text`` (with its modifications made) under these violations."""
        found = tuple(dict.fromkeys(violations))
        action = max((v.action for v in found), key=lambda a: a.severity, default=Action.ALLOW)
        bound = tuple(claims) if claims is not None else None
        return cls(action, "" if action is Action.REJECT else text, found, bound)
