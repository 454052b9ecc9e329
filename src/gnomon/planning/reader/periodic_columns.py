"""What is paid a month or slept a night, where a column says so in its name: monthly_charges, hours_per_week, sleepnight.

Without dates “per month” asks for no series; it is a part of the name of the figure.
"""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.associations import hints
from gnomon.planning.reader.words import name_words, split_words, stem
from gnomon.semantic import Dimension, DimensionType, SemanticModel

_FORMS = {
    "day": "daily", "night": "nightly", "week": "weekly", "month": "monthly", "year": "yearly annual", "hour": "hourly",
}  # fmt: skip
_UNITS = {form: unit for unit, forms in _FORMS.items() for form in (unit, f"{unit}s", *forms.split())}
_PER = late_pattern(
    r"\s*\b(?:(?:per|an?|each|every)\s+(?P<unit>day|night|week|month|year|hour)|(?P<adverb>daily|nightly|weekly|monthly|yearly|annually|hourly)(?=\s*(?:$|[?.,]|on average)))\b",
    re.IGNORECASE,
)


def said_by_period(question: str, model: SemanticModel) -> str | None:
    """The question with the one column named that tells what is done in each such period; None where none does."""
    if any(d.type is DimensionType.TIME for d in model.dimensions):
        return None
    found = _PER.search(question)
    if found is None:
        return None
    said = (found["unit"] or found["adverb"]).lower().replace("annually", "annual")
    rest = f"{question[: found.start()]}{question[found.end() :]}".strip()
    numbers = [d for d in model.dimensions if d.type is DimensionType.NUMBER]
    told = [(d, word) for d in numbers if (word := _hint(d, _UNITS[said], rest)) is not None]
    if len(told) != 1:
        return None
    column, word = told[0]
    if not _is_done(word, rest):
        return re.sub(rf"\b{word}\b", column.label, rest, count=1, flags=re.IGNORECASE)
    much = re.match(
        rf"(?:how (?:much|many)(?: \w+)?) (?P<aux>do|does|did) (?P<who>.+?) {word}\b(?P<rest>.*)$",
        rest,
        re.IGNORECASE,
    )
    if much is not None:
        return f"how much {column.label} {much['aux']} {much['who']} have{much['rest']}"
    return re.sub(rf"\b{word}\b", f"have {column.label}", rest, count=1, flags=re.IGNORECASE)


def _hint(column: Dimension, unit: str, question: str) -> str | None:
    """The word of a question that leads to what a column tells of each such period."""
    parts = _parts(column.label, unit)
    words = [w for w in split_words(question) if w.kind == "word"]
    named = [w.lower for w in words if any(stem(p) == w.stem for p in parts)]
    led = [w.lower for w in words if any(hints(w.lower, p) for p in parts)]
    return next(iter((*named, *led)), None)


def _parts(label: str, unit: str) -> list[str]:
    """What a name says beside the period; nothing where it names none."""
    words = name_words(label)
    if any(_UNITS.get(w) == unit for w in words):
        return [w for w in words if _UNITS.get(w) != unit and len(w) > 2]
    glued = [w.removesuffix(unit) for w in words if w.endswith(unit) and w != unit]
    return [w for w in glued if len(w) > 2 and get_lexicon().knows(w)]


def _is_done(word: str, question: str) -> bool:
    """Whether the word is a verb there: what people pay, who studies more."""
    bases = get_lexicon().bases(word)
    before = re.search(rf"(?P<before>[\w']+)\s+{word}\b", question, re.IGNORECASE)
    named = before is not None and before["before"].lower() in {
        "the",
        "average",
        "mean",
        "median",
        "total",
        "of",
        "highest",
        "lowest",
        "most",
    }
    return any(part == "v" for _, part in bases) and not named
