"""The likeliest ways to read a question some of whose words have no place in the data.

Each way takes every such word for something (``senses``), and is read as a whole by the readers there are. What is still
without a place then is taken for something in its turn, the likeliest way first, until so many were read.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count, islice, product
from math import prod

from gnomon.core.parts import QuestionKind
from gnomon.planning.reader.default_measures import UNNAMED
from gnomon.planning.reading import Reading, ReadingStatus, Reads
from gnomon.reading.senses import Kind, Meant, Senses, computes

MOST_WORDS = 5
MOST_READ = 24
"""Counted and not timed: what is offered for a question does not hang on how busy the machine is."""
MOST_WAYS = 24
MOST_TOGETHER = 600
# Below these chances a word is not taken for a name, and a reading is not looked at.
NEAR = 0.005
LIKELY = 0.0005
# Where nothing else of the question was understood, a name has to be much nearer.
ALONE = 0.02
# The figure behind a ranking is told with it: “…, and how many were there?” mostly adds nothing.
BESIDE = 0.5
_BESIDE = re.compile(r",?\s+and\s+(?:how|what|which|who|when|where)\b[^,]*\?*$", re.IGNORECASE)
_WHICH = re.compile(r"^\W*(?:(?:in|at|on|for|from|to|by|with)\s+)?(?:which|who|where)\b", re.IGNORECASE)
_FIGURE = re.compile(
    r"\bhow (?:many|much|often|old)\b|\b(?:average|median|mean|total|share|percentage)\b", re.IGNORECASE
)
_GROUPS = re.compile(r"\b(?:each|every|per|by|which|split|broken)\b", re.IGNORECASE)
_LOOSE = re.compile(r"(?:\s+(?:for|by|of|in|per|with|the|a|to|from|at|on|and))+\s*(?=\?*$)", re.IGNORECASE)
# What has another shape than the question is hardly meant.
UNLIKE = 0.2
_TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_OPEN = (ReadingStatus.PARTIAL, ReadingStatus.NOT_ABOUT_DATA)


@dataclass(frozen=True)
class Way:
    """A question with what its words were taken for, and how it is read.

    Args:
        question: In the words that were put.
        taken: Each word with what it was taken for.
        score: How likely it is meant so.
        reading: How it is read; clear for what is found.
    """

    question: str
    taken: tuple[tuple[str, Meant], ...]
    score: float
    reading: Reading


class Search:
    """Looks for clear readings, the likeliest first.

    Args:
        reader: Reads questions, without a language model.
        senses: What words may mean.
    """

    def __init__(self, reader: Reads, senses: Senses) -> None:
        self._reader = reader
        self._senses = senses

    def ways(self, question: str, reading: Reading, today: date) -> Iterator[Way]:
        """Ways to read a question that was not understood; none where too much of it would have to be guessed."""
        order = count()
        seen = {question}
        heap: list[tuple[float, int, Way]] = []

        def push(ways: Iterator[Way]) -> None:
            for way in ways:
                if way.score >= LIKELY and way.question not in seen:
                    seen.add(way.question)
                    heapq.heappush(heap, (-way.score, next(order), way))

        push(self._further(Way(question, (), 1.0, reading)))
        read = 0
        while heap and read < MOST_READ:
            _, _, way = heapq.heappop(heap)
            if way.reading.status is ReadingStatus.CLEAR:
                yield way
                continue
            found = Way(way.question, way.taken, way.score, self._reader.read(way.question, today=today))
            read += 1
            if found.reading.status is ReadingStatus.CLEAR:
                if _holds(found):
                    likely = replace(found, score=found.score * _fits(question, found.reading))
                    heapq.heappush(heap, (-likely.score, next(order), likely))
            else:
                push(self._further(found))
        yield from (w for _, _, w in sorted(heap) if w.reading.status is ReadingStatus.CLEAR)

    def _further(self, way: Way) -> Iterator[Way]:
        """The same with all that has no place in it taken for something."""
        reading, decided = way.reading, {m.label for _, m in way.taken} | {w for w, _ in way.taken}
        if reading.status is ReadingStatus.AMBIGUOUS:
            yield from _settled(way)
            return
        if reading.status not in _OPEN:
            return
        score = way.score
        if (tail := _BESIDE.search(way.question)) is not None and tail.start() > 0:
            left = Meant("", "", Kind.NOTHING, BESIDE)
            taken = (*way.taken, (tail.group().strip(" ,?"), left))
            yield Way(f"{way.question[: tail.start()]}?", taken, score * BESIDE, reading)
            score *= 1 - BESIDE
        words = tuple(dict.fromkeys(w for w in reading.missing if _spot(w).search(way.question)))
        if len(words) != len(set(reading.missing)) or any(_is_put(w, decided) for w in words):
            return
        opened = [w for w in words if w not in reading.held and not computes(w, way.question)]
        if not words or len(opened) > MOST_WORDS:
            return
        near = ALONE if reading.status is ReadingStatus.NOT_ABOUT_DATA else NEAR
        senses = [
            self._senses.of(w, way.question, len(words), held=w in reading.held, nearest=near) for w in words
        ]
        each = max(2, int(MOST_TOGETHER ** (1 / len(words))))
        likeliest = [sorted(s, key=lambda m: -m.score)[:each] for s in senses]
        ways = sorted(product(*likeliest), key=lambda ms: -prod(m.score for m in ms))
        for meant in islice(filter(_distinct, ways), MOST_WAYS):
            taken = (*way.taken, *zip(words, meant, strict=True))
            chance = score * prod(m.score for m in meant)
            yield Way(_put(way.question, words, meant), taken, chance, reading)


def _settled(way: Way) -> Iterator[Way]:
    """What is in doubt, once for each of the things that it may mean."""
    for asked in way.reading.asked[:1]:
        score = 1 / max(1, len(asked.names))
        for name, option in zip(asked.names, asked.options, strict=False):
            taken = (*way.taken, (asked.text, Meant("", name, Kind.ITSELF, score)))
            yield Way(option, taken, way.score * score, way.reading)


def _fits(question: str, reading: Reading) -> float:
    """How far what is read has the shape of what is asked: which one it is, or one figure of no groups."""
    if reading.ask is not None or not reading.parts:
        return 1.0
    grouped = any(r.dimensions or r.grain is not None for r in reading.parts)
    if _WHICH.search(question) is not None and not grouped:
        return UNLIKE
    plain = all(r.kind is QuestionKind.BREAKDOWN for r in reading.parts)
    return UNLIKE if plain and _FIGURE.search(question) and not _GROUPS.search(question) else 1.0


def _holds(way: Way) -> bool:
    """Whether a reading is about what its words were taken for."""
    lost = any(m.kind is Kind.NOTHING for _, m in way.taken) and any(UNNAMED in n for n in way.reading.notes)
    # What is ranked by what nobody named has lost what it was to be ranked by.
    return not lost and all(_used(m, way.reading) for _, m in way.taken)


def _used(meant: Meant, reading: Reading) -> bool:
    if meant.kind not in (Kind.METRIC, Kind.DIMENSION, Kind.FIGURE, Kind.VALUE):
        return True
    said = " ".join(
        " ".join([*r.metrics, *r.dimensions, *r.columns, *(f.field for f in (*r.filters, *r.part))])
        for r in reading.parts
    )
    return meant.name in (said if reading.ask is None else str(reading.ask))


def _put(question: str, words: Sequence[str], meant: Sequence[Meant]) -> str:
    """The question with names in place of its open words, or without them."""
    for word, means in zip(words, meant, strict=True):
        if means.label != word:
            question = _spot(word).sub(lambda _, m=means: m.label, question)
    question = " ".join(question.split()).replace(" ?", "?").replace(" ,", ",")
    # “monthly bill” as monthly charges.
    return _LOOSE.sub("", _TWICE.sub(r"\1", question))


def _spot(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")


def _is_put(word: str, decided: set[str]) -> bool:
    """Whether a word was put there by us: what came to nothing once is not taken for something else."""
    return any(word.lower() in d.lower().split() or word == d for d in decided)


def _distinct(meant: Sequence[Meant]) -> bool:
    """Whether no two words are taken for the same."""
    names = [(m.name, m.label) for m in meant if m.name]
    return len(names) == len(set(names))
