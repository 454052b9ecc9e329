"""Figures per head: “gdp per capita”, “doctors per inhabitant”, where a column tells how many people live there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.cut_names import in_full
from gnomon.planning.reader.people import is_person_noun
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import Word, name_words, segments, split_words
from gnomon.semantic import DimensionType

_HEADS = frozenset({"capita", "head", "person", "inhabitant", "resident", "citizen"})
_PEOPLE = frozenset({"people", "inhabitants", "residents", "persons"})
_LIVE = vocabulary("live lived lives in are were is was does do per there at of and")
_LIVING = frozenset({"population", "populations", "inhabitants", "residents"})
_ALL = frozenset({"total", "overall", "size", "count"})


def as_population(words: Sequence[Word], vocabulary: Vocabulary) -> list[Word]:
    """The words with “per capita” put as per what the data calls its one column of people who live there."""
    words = _as_many(words, vocabulary)
    at = next(
        (i for i, w in enumerate(words) if i and w.lower in _HEADS and words[i - 1].lower == "per"), None
    )
    if at is None or vocabulary.named(f"per {words[at].lower}"):
        return list(words)
    before = " ".join(w.lower for w in words[max(0, at - 2) : at + 1])
    if vocabulary.named(before) or (words[at].lower != "capita" and vocabulary.named(words[at].lower)):
        return list(words)  # a column tells it itself
    label = _population(vocabulary)
    return list(words) if label is None else _put(words, at, at + 1, label)


def _as_many(words: Sequence[Word], vocabulary: Vocabulary) -> list[Word]:
    """“which county has the fewest people”, “how many people live there”: how many the data says live there."""
    said = [w.lower for w in words]
    at = next((i for i, w in enumerate(said) if w in _PEOPLE), None)
    dated = any(t.time_dimension is not None for t in vocabulary.model.tables)
    if dated and not any(len(w) == 4 and w.isdigit() for w in said):
        return list(words)  # of which year they are is not said
    label = _population(vocabulary) if at is not None else None
    persons = any(is_person_noun(t.label) for t in vocabulary.model.tables)
    if at is None or label is None or persons or vocabulary.named(said[at]):
        return list(words)
    behind = said[at + 1] if at + 1 < len(said) else ""
    if behind not in _LIVE | {""} and words[at + 1].kind == "word":
        return list(words)  # "how many people visited", "people who voted": not all of them
    if said[at - 1 : at] in (["most"], ["fewest"], ["least"]):
        return _put(words, at, at + 1, label)
    if said[max(0, at - 2) : at] in (["how", "many"], ["number", "of"]):
        lives = at + 1 + (said[at + 1 : at + 2] in (["live"], ["lived"], ["lives"]))
        return _put(words, at - 2, lives, f"total {label}")
    return list(words)


def _put(words: Sequence[Word], start: int, end: int, label: str) -> list[Word]:
    first, last = words[start], words[end - 1]
    spoken = [replace(w, start=first.start, end=last.end) for w in split_words(label)]
    return [*words[:start], *spoken, *words[end:]]


def _population(vocabulary: Vocabulary) -> str | None:
    """What the data calls its one column of people who live there."""
    numbers = [d for d in vocabulary.model.dimensions if d.type is DimensionType.NUMBER]
    held = [d.label for d in numbers if tells_people(d.label)]
    return held[0] if len(held) == 1 else None


def tells_people(label: str) -> bool:
    """Whether a name says how many people there are, and no more: population, pop, poptotal; no density."""
    words = name_words(label)
    words = tuple(w for w in words if not w.isdigit()) or words  # the population of 2019
    said = {*in_full(segments(words[0]) if len(words) == 1 and segments(words[0]) else words)}
    return bool(said & _LIVING) and said <= _LIVING | _ALL
