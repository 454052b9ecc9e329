"""A conversation that stays short: its first message, one summary of what was left out, and the latest messages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from gnomon.core.errors import InvalidInput
from gnomon.core.patterns import regex

SUMMARY_HEAD = "Summary of earlier rounds:"
MOST_CHARACTERS = 120
_CODE = regex(r"```.*?(?:```|$)|`[^`]*`?", re.DOTALL)
_FIGURE = regex(r"(?<![\w])[-+]?\d[\d.,:/-]*%?(?!\w)")
_UNPLAIN = regex(r"[^\w\s,.'’/%…-]")


@dataclass(frozen=True)
class Round:
    """What remains of a round when its messages are left out.

    Args:
        action: What kind of thing was done, such as ``generate_code``.
        description: What it was, in the model's own words; only a plain line of it is kept.
        succeeded: Whether it worked.
    """

    action: str
    description: str
    succeeded: bool

    def __str__(self) -> str:
        """One line without code, output or figures."""
        words = _FIGURE.sub("…", _CODE.sub(" ", self.description))
        words = " ".join(_UNPLAIN.sub(" ", words).split())
        line = words[:MOST_CHARACTERS].rstrip() or "no description"
        return f"- {self.action}: {line} ({'succeeded' if self.succeeded else 'failed'})"


@dataclass(frozen=True)
class Message:
    """One message; the reply that opens a round carries what the summary will say of it."""

    role: Literal["user", "assistant"]
    content: str
    round: Round | None = None


class ConversationWindow:
    """Keeps the first message, and the latest ``size`` pairs in full; earlier rounds become lines of one summary.

    The first message and the summary do not count towards the ``2 * size`` messages that are kept. A new summary
    has the lines of the one it replaces, then those of the messages that were left out since.

    Args:
        first: The user's first message, which is never left out.
        size: Pairs of messages that are kept in full.

    Raises:
        InvalidInput: ``size`` is less than one.
    """

    def __init__(self, first: str, size: int) -> None:
        if size < 1:
            raise InvalidInput(f"A conversation keeps at least one pair of messages, not {size}.")
        self._first = Message("user", first)
        self._size = size
        self._latest: list[Message] = []
        self._lines: list[str] = []
        self._trimmed = False

    def add(self, *messages: Message) -> None:
        """Append messages, then leave out what no longer fits."""
        self._latest += messages
        excess = max(0, len(self._latest) - 2 * self._size)
        gone, self._latest = self._latest[:excess], self._latest[excess:]
        self._trimmed = self._trimmed or bool(gone)
        self._lines += [str(m.round) for m in gone if m.round is not None]

    @property
    def summary(self) -> Message | None:
        """The one message that stands for what was left out; None as long as nothing was."""
        return Message("user", "\n".join([SUMMARY_HEAD, *self._lines])) if self._trimmed else None

    @property
    def messages(self) -> tuple[Message, ...]:
        """What is sent: the first message, the summary where there is one, and the latest messages."""
        summary = self.summary
        return (self._first, *([summary] if summary else []), *self._latest)
