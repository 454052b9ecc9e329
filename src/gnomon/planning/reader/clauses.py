"""What a clause of a question may turn out to be when it makes columns."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnomon.planning.reader.wider_model import Made


@dataclass(frozen=True)
class Clause:
    """What a clause makes, and what of it is left to be read as part of the question.

    Args:
        made: The columns.
        rest: What is left.
        refused: What it wants to make and is not understood, in words.
        understood: Whether nothing more is to be read of it, although it may make nothing that is new.
    """

    made: tuple[Made, ...] = ()
    rest: str = ""
    refused: str = ""
    understood: bool = False


def is_opening(before: str) -> bool:
    """Whether what stands before only leads up to making a column."""
    words = re.findall(r"\w+", before.lower())
    return all(w in _OPENING for w in words)


_OPENING = frozenset(
    {"please", "also", "now", "first", "next", "then", "finally", "additionally", "let", "lets", "us", "s", "perform", "apply",
     "do", "conduct", "use", "some", "feature", "engineering", "techniques", "technique", "to", "the", "dataset", "data", "on",
     "by", "and", "can", "you", "could", "i", "want", "we", "would", "like", "need", "comprehensive", "after", "that", "a",
     "preprocessing", "step", "steps", "this", "table", "set", "in", "order", "for", "given", "following"}
)  # fmt: skip
