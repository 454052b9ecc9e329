"""Rows for so many people: “bookings for 8 or more guests”, where one column tells the size of each party."""

from __future__ import annotations

import re

from gnomon.core.patterns import regex
from gnomon.planning.reader.words import ABBREVIATIONS, name_words
from gnomon.semantic import Dimension, DimensionType, SemanticModel
from gnomon.semantic.model import singular

_PARTIES = frozenset({"party", "group", "table", "household", "family", "team", "crew", "class"})
_HEADS = frozenset(
    {"people", "person", "guest", "diner", "passenger", "pax", "head", "headcount", "cover", "traveller", "traveler",
     "attendee", "participant", "occupant", "visitor", "adult", "rider", "seat"}
)  # fmt: skip
_COUNTING = frozenset({"number", "no", "num", "nr", "count", "size", "total", "of", "n", "on", "board"})
_NUMBER = r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve"
_WORDS = {
    w: str(n)
    for n, w in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
} | {"twelve": "12"}
_SAID = regex(
    r"\b(?:(?:are|were|was|is|that\s+(?:are|were))\s+)?(?P<for>for|of|with|seating|carrying|booked\s+for|made\s+for)\s+(?:(?:a\s+)?(?:party|parties|group|groups|table|tables)\s+of\s+)?"
    rf"(?:(?P<how>more\s+than|over|less\s+than|fewer\s+than|under|at\s+least|at\s+most|up\s+to|exactly|no\s+more\s+than)\s+)?(?P<number>{_NUMBER})"
    rf"(?:(?P<or>\s+or\s+(?:more|fewer|less)|\s*\+|\s+and\s+(?:more|over|up))|\s*(?:-|–|to)\s*(?P<to>{_NUMBER}))?\s+"
    r"(?P<noun>people|persons?|guests?|diners?|passengers?|pax|heads?|covers?|travell?ers?|attendees?|participants?|occupants?|seats?|adults)\b",
    re.IGNORECASE,
)
_BOUNDS = {
    "more than": "above",
    "over": "above",
    "less than": "below",
    "fewer than": "below",
    "under": "below",
}


def head_counts(model: SemanticModel) -> list[Dimension]:
    """The columns that tell for how many people a row is: party size, guests, number of passengers."""
    numbers = [d for d in model.dimensions if d.type is DimensionType.NUMBER]
    return [d for d in numbers if _counts_heads(d)]


def with_heads(question: str, model: SemanticModel) -> str:
    """The question with so many people put as a bound on that column, where there is one and it is called otherwise."""
    found = _SAID.search(question)
    columns = head_counts(model) if found is not None else []
    if found is None or len(columns) != 1:
        return question
    label, noun = columns[0].label, singular(found["noun"].lower())
    if noun in name_words(label) or (noun == "seat" and "size" not in name_words(label)):
        return question
    if any(noun in map(singular, name_words(t.label)) for t in model.tables):
        return question
    number = _WORDS.get(found["number"].lower(), found["number"])
    how = " ".join((found["how"] or "").lower().split())
    either = (found["or"] or "").lower()
    if found["to"]:
        bound = f"between {number} and {_WORDS.get(found['to'].lower(), found['to'])}"
    elif either:
        bound = f"of at {'most' if 'fewer' in either or 'less' in either else 'least'} {number}"
    else:
        bound = f"{_BOUNDS.get(how, f'of {how}' if how else '')} {number}".strip()
    return f"{question[: found.start()]}with {label} {bound}{question[found.end() :]}"


def _counts_heads(column: Dimension) -> bool:
    words = [singular(ABBREVIATIONS.get(w, w)) for w in name_words(column.label)]
    if not words or "rating" in words or "score" in words:
        return False
    sized = words[-1] == "size" and len(words) == 2 and words[0] in _PARTIES
    heads = any(w in _HEADS for w in words) and all(w in _HEADS | _COUNTING | _PARTIES for w in words)
    return sized or heads
