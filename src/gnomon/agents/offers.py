"""What can be answered of a question that was understood in part: offered, and computed only when accepted."""

from __future__ import annotations

import re

from gnomon.agents.telling_words import reading_of
from gnomon.core.errors import NotFound
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic import SemanticModel

HALF = 0.5
_YES = re.compile(
    r"\W*(?:yes|yep|yeah|sure|ok|okay|please|please do|do (?:that|it|so)|go ahead|go on|exactly|right|correct)"
    r"(?:[\s,]+(?:please|do|that|it|go ahead|thanks))*\W*",
    re.IGNORECASE,
)


def accepts(text: str) -> bool:
    """Whether a reply says yes and nothing else."""
    return _YES.fullmatch(text) is not None


def offered(reading: Reading | None) -> Reading | None:
    """The reading without the words that nothing stands for, where enough of the question is left."""
    if reading is None or reading.status is not ReadingStatus.PARTIAL or reading.explained < HALF:
        return None
    if not reading.missing or not reading.requests or not all(r.metrics for r in reading.requests):
        return None
    requests = tuple(r.model_copy(update={"unexplained": ()}) for r in reading.requests)
    note = f"This leaves {_quoted(reading.missing)} aside, as agreed."
    return Reading(
        status=ReadingStatus.CLEAR, requests=requests, notes=(*reading.notes, note), privacy=reading.privacy
    )


def offer_in_words(offer: Reading, missing: tuple[str, ...], model: SemanticModel) -> str:
    """The offer as a question to the asker; nothing where it cannot be said."""
    try:
        said = [reading_of(r, model, str(r.grain) if r.grain else None) for r in offer.requests]
    except NotFound:
        return ""
    return f"Without {_quoted(missing)} I could tell you: {'; and '.join(said)}. Would that do?"


def _quoted(words: tuple[str, ...]) -> str:
    said = [f"“{w}”" for w in dict.fromkeys(words)]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
