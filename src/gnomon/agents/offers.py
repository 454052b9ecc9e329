"""What can be answered of a question that was understood in part, or in two ways: offered, and computed when accepted."""

from __future__ import annotations

import re

from gnomon.answering.conditions import reading_of
from gnomon.core.answer import Option
from gnomon.core.errors import NotFound
from gnomon.core.patterns import late_pattern
from gnomon.planning.reader.words import name_words, root
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic import SemanticModel

HALF = 0.5
_LONG = 8
_YES = late_pattern(
    r"\W*(?:yes|yep|yeah|sure|ok|okay|please|please do|do (?:that|it|so)|go ahead|go on|exactly|right|correct)"
    r"(?:[\s,]+(?:please|do|that|it|go ahead|thanks))*\W*",
    re.IGNORECASE,
)


_PLACES = {
    "1": 0, "one": 0, "first": 0, "1st": 0, "former": 0, "a": 0, "2": 1, "two": 1, "second": 1, "2nd": 1, "b": 1, "3": 2,
    "three": 2, "third": 2, "3rd": 2, "c": 2, "4": 3, "four": 3, "fourth": 3, "4th": 3, "last": -1, "latter": -1,
}  # fmt: skip
_AROUND = frozenset(
    [
        "the", "one", "ones", "please", "i", "mean", "meant", "want", "wanted", "would", "like", "to", "of", "course",
        "option", "number", "no", "yes", "take", "use", "go", "with", "by", "it", "is", "was", "just", "only", "that",
        "my", "answer", "choice", "for", "in", "as"
    ]
)  # fmt: skip


def choices(question: str, reading: Reading | None) -> tuple[str, ...]:
    """The questions of which one is meant, where the asker was asked back."""
    if reading is None or reading.status not in (ReadingStatus.AMBIGUOUS, ReadingStatus.PARTIAL):
        return ()
    if reading.status is ReadingStatus.AMBIGUOUS or reading.ways:
        return reading.options
    close = [o for o in reading.options if f"“{o}”" in reading.message]
    gap = reading.missing[0] if reading.missing else ""
    return tuple(question.replace(gap, o, 1) for o in close) if gap and gap in question else ()


def chosen(reply: str, options: tuple[str, ...]) -> str | None:
    """The option that a reply picks, by its place or by what tells it from the others."""
    if reply.strip() in options:
        return reply.strip()
    said = [w for w in name_words(reply) if w.isalnum()]
    named = [w for w in said if w not in _AROUND]
    if not options or not said or len(said) > _LONG:
        return None
    if len(options) == 1 and accepts(reply):
        return options[0]
    places = [_PLACES[w] for w in (named or said) if w in _PLACES]
    if places and len(places) == len(named or said) and -1 <= places[0] < len(options):
        return options[places[0]]
    words = [{root(w) for w in name_words(o)} for o in options]
    own = [w - set[str]().union(*(x for x in words if x is not w)) for w in words]
    wanted = {root(w) for w in named}
    fitting = [n for n, w in enumerate(words) if wanted and wanted <= w and wanted & own[n]]
    return options[fitting[0]] if len(fitting) == 1 else None


def accepts(text: str) -> bool:
    """Whether a reply says yes and nothing else."""
    return _YES.fullmatch(text) is not None


def as_agreed(option: Option) -> Reading | None:
    """The reading that an option stands for; None where its question says it."""
    if not option.requests and option.ask is None:
        return None
    return Reading(
        status=ReadingStatus.CLEAR, requests=option.requests, notes=option.notes, ask=option.ask,
        own=option.ask is not None, privacy=option.privacy,
    )  # fmt: skip


def offered(reading: Reading | None) -> Reading | None:
    """The reading without the words that nothing stands for, where enough of the question is left."""
    if reading is None or reading.status is not ReadingStatus.PARTIAL or reading.explained < HALF:
        return None
    if not reading.missing or not reading.requests or not all(p.metrics for p in reading.parts):
        return None
    requests = tuple(r.model_copy(update={"unexplained": ()}) for r in reading.requests)
    note = f"This leaves {_quoted(reading.missing)} aside, as agreed."
    return Reading(
        status=ReadingStatus.CLEAR, requests=requests, notes=(*reading.notes, note), privacy=reading.privacy
    )


def offer_in_words(offer: Reading, missing: tuple[str, ...], model: SemanticModel) -> str:
    """The offer as a question to the asker; nothing where it cannot be said."""
    try:
        said = [reading_of(p, model, str(p.grain) if p.grain else None) for p in offer.parts]
    except NotFound:
        return ""
    return f"Without {_quoted(missing)} I could tell you: {'; and '.join(said)}. Would that do?"


def _quoted(words: tuple[str, ...]) -> str:
    said = [f"“{w}”" for w in dict.fromkeys(words)]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
