"""Figures per head: “gdp per capita”, “doctors per inhabitant”, where a column tells how many people live there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.planning.reader.cut_names import in_full
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import Word, name_words, segments, split_words
from gnomon.semantic import DimensionType

_HEADS = frozenset({"capita", "head", "person", "inhabitant", "resident", "citizen"})
_LIVING = frozenset({"population", "populations", "inhabitants", "residents"})
_ALL = frozenset({"total", "overall", "size", "count"})


def as_population(words: Sequence[Word], vocabulary: Vocabulary) -> list[Word]:
    """The words with “per capita” put as per what the data calls its one column of people who live there."""
    at = next(
        (i for i, w in enumerate(words) if i and w.lower in _HEADS and words[i - 1].lower == "per"), None
    )
    if at is None or vocabulary.named(f"per {words[at].lower}"):
        return list(words)
    before = " ".join(w.lower for w in words[max(0, at - 2) : at + 1])
    if vocabulary.named(before) or (words[at].lower != "capita" and vocabulary.named(words[at].lower)):
        return list(words)  # a column tells it itself
    held = [
        d for d in vocabulary.model.dimensions if d.type is DimensionType.NUMBER and _tells_people(d.label)
    ]
    if len(held) != 1:
        return list(words)
    spoken = [replace(w, start=words[at].start, end=words[at].end) for w in split_words(held[0].label)]
    return [*words[:at], *spoken, *words[at + 1 :]]


def _tells_people(label: str) -> bool:
    """Whether a name says how many people there are, and no more: population, pop, poptotal; no density."""
    words = name_words(label)
    said = {*in_full(segments(words[0]) if len(words) == 1 and segments(words[0]) else words)}
    return bool(said & _LIVING) and said <= _LIVING | _ALL
