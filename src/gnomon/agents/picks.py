"""Readings to pick from: what a question may mean of which one or two words have no place in the data, already computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from itertools import islice, product

from gnomon.agents.offers import offered
from gnomon.core.answer import Answer, AnswerStatus, Option
from gnomon.core.errors import GnomonError
from gnomon.planning.reader.words import name_words, root
from gnomon.planning.reading import Reading, ReadingStatus, Reads
from gnomon.semantic import SemanticModel

MOST = 3
MOST_WORDS = 2
MOST_READ = 10
NEAR = 0.45
_LOOSE = re.compile(r"(?:\s+(?:for|by|of|in|per|with|the|a|to|from|at|on|and))+\s*(?=\?*$)", re.IGNORECASE)
ALIKE = 0.8


@dataclass(frozen=True)
class _Meant:
    """What a word may stand for: a metric, a dimension or the rows of a table."""

    name: str
    label: str
    kind: str
    score: float


@dataclass
class Picks:
    """Finds and computes what an asker may pick from.

    Args:
        reader: Reads questions, without a language model.
        present: Computes a reading.
        model: What the tables mean.
    """

    reader: Reads
    present: Callable[[Reading, date], Answer]
    model: SemanticModel

    def of(self, question: str, reading: Reading | None, today: date) -> tuple[Option, ...]:
        """Up to three readings, the likeliest first; none where too little was understood."""
        if reading is None or reading.status is not ReadingStatus.PARTIAL:
            return ()
        words = tuple(dict.fromkeys(w for w in reading.missing if w in question))
        if not 1 <= len(words) <= MOST_WORDS or len(words) != len(set(reading.missing)):
            return ()
        found: list[Option] = []
        for meant, clear in islice(self._readings(question, words, today), MOST_READ):
            option = self._computed(question, words, meant, clear, today)
            if option is not None and all(_figures(option) != _figures(o) for o in found):
                found.append(option)
            if len(found) == MOST:
                break
        without = self._without(question, reading, words, today) if len(found) < MOST else None
        if without is not None and all(_figures(without) != _figures(o) for o in found):
            found.append(without)
        return tuple(found)

    def _readings(
        self, question: str, words: Sequence[str], today: date
    ) -> Iterator[tuple[tuple[_Meant, ...], Reading]]:
        """Clear readings of the question with names of the data in place of the open words."""
        near = [self._near(w, question) for w in words]
        ways = sorted(product(*near), key=lambda ms: -sum(m.score for m in ms))
        for meant in ways[: 2 * MOST_READ]:
            clear = self.reader.read(_put(question, words, meant), today=today)
            if clear.status is ReadingStatus.CLEAR and all(_used(m, clear) for m in meant):
                yield meant, clear

    def _near(self, word: str, question: str) -> list[_Meant]:
        """The names that are near to a word in letters or in meaning and that the question does not say already."""
        said = {root(w) for w in name_words(question)}
        names = [(m.name, m.label, "metric", m.synonyms) for m in self.model.metrics]
        names += [(d.name, d.label, "dimension", d.synonyms) for d in self.model.dimensions if not d.personal]
        names += [(t.name, t.label, "rows", t.synonyms) for t in self.model.tables]
        names = [n for n in names if not {root(w) for w in name_words(n[1])} <= said]
        if not names:
            return []
        from gnomon.embedding import get_encoder

        encoder = get_encoder()
        meaning = encoder.encode([n[1] for n in names]) @ encoder.encode_one(word)
        scored = [
            _Meant(name, label, kind, max(float(like), _spelled(word, (label, *others))))
            for (name, label, kind, others), like in zip(names, meaning, strict=True)
        ]
        return sorted((m for m in scored if m.score >= NEAR), key=lambda m: (-m.score, m.name))[:5]

    def _computed(
        self, question: str, words: Sequence[str], meant: Sequence[_Meant], clear: Reading, today: date
    ) -> Option | None:
        answer = self._answer(clear, today)
        if answer is None:
            return None
        said = " and ".join(f"“{w}” as {m.label}" for w, m in zip(words, meant, strict=True))
        one = meant[0] if len(words) == 1 else None
        return Option(
            said=f"taking {said}", question=_put(question, words, meant), prose=answer.prose, facts=answer.facts,
            word=words[0] if one is not None else "", name=one.name if one is not None else "",
        )  # fmt: skip

    def _without(self, question: str, reading: Reading, words: Sequence[str], today: date) -> Option | None:
        """The question without the open words, which is said plainly."""
        rest = offered(reading)
        answer = self._answer(rest, today) if rest is not None else None
        if answer is None:
            return None
        left = _LOOSE.sub("", " ".join(_put(question, words, None).split()))
        clear = self.reader.read(left, today=today).status is ReadingStatus.CLEAR
        said = f"leaving out {' and '.join(f'“{w}”' for w in words)}"
        if not clear:
            return None
        return Option(said=said, question=left, leaves=tuple(words), prose=answer.prose, facts=answer.facts)

    def _answer(self, reading: Reading, today: date) -> Answer | None:
        try:
            answer = self.present(reading, today)
        except GnomonError:
            return None
        return answer if answer.status is AnswerStatus.ANSWERED and answer.facts else None


def with_options(answer: Answer, options: tuple[Option, ...]) -> Answer:
    """A no that says what could be meant, and what each of that comes to."""
    if not options:
        return answer
    lines = [f"{n}. {o.said}: {o.prose.split(chr(10))[0]}" for n, o in enumerate(options, 1)]
    prose = f"{answer.prose}\n\nIt may be meant so:\n" + "\n".join(lines)
    return answer.model_copy(update={"prose": prose, "options": options})


def _put(question: str, words: Sequence[str], meant: Sequence[_Meant] | None) -> str:
    """The question with names in place of its open words, or without them."""
    for i, word in enumerate(words):
        question = question.replace(word, meant[i].label if meant is not None else "", 1)
    return question


def _used(meant: _Meant, reading: Reading) -> bool:
    """Whether a reading is about what a word was taken for."""
    if meant.kind == "rows":
        return True
    said = " ".join(
        " ".join([*r.metrics, *r.dimensions, *r.columns, *(f.field for f in r.filters)])
        for r in reading.requests
    )
    return meant.name in said


def _spelled(word: str, names: Sequence[str]) -> float:
    """How alike a word is to a name in letters; words of three letters are like too many."""
    mine = {root(w) for w in name_words(word)}
    best = 0.0
    for name in names:
        theirs = {root(w) for w in name_words(name)}
        if mine and mine & theirs:
            best = max(best, len(mine & theirs) / len(mine | theirs))
        ratio = SequenceMatcher(None, word.lower(), name.lower()).ratio()
        if ratio >= ALIKE and len(word) > 4:
            best = max(best, ratio)
    return best


def _figures(option: Option) -> list[object]:
    return [f.value for f in option.facts]
