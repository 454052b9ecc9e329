"""Readings to pick from: what a question may mean of which one or two words have no place in the data, already computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING

from gnomon.agents.clarifying import Clarifying
from gnomon.core.answer import Answer, AnswerStatus, Option
from gnomon.core.errors import GnomonError
from gnomon.core.patterns import late_pattern
from gnomon.core.request import Request
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.associations import adjective
from gnomon.planning.reader.default_measures import UNNAMED
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.words import name_words, root
from gnomon.planning.reading import Pick, PickSort, Reading, ReadingStatus, Reads
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.model import quoted
from gnomon.semantic.values import ValueIndex
from gnomon.semantic.wording import plural, singular

if TYPE_CHECKING:
    from gnomon.language.idle_words import IdleWords
    from gnomon.language.linker import Linker, Named

MOST = 3
MOST_MEANT = 4
MOST_WORDS = 3
MOST_READ = 24
MOST_COMPUTED = 8
MOST_NAMES = 4
MOST_TABLES = 2
# Below these chances a word is not taken for a name, and a reading is not offered.
NEAR = 0.02
LIKELY = 0.02
# Where nothing else of the question was understood, a name has to be much nearer.
ALONE = 0.15
# A noun may always name the rows: by words that nobody has heard before, too.
ROWS = 0.1
_LOOSE = late_pattern(r"(?:\s+(?:for|by|of|in|per|with|the|a|to|from|at|on|and))+\s*(?=\?*$)", re.IGNORECASE)
ALIKE = 0.8
MEANT_SO = "\n\nIt may be meant so:\n"
_ONE = r"\b(?:how many|number of|count of|per|each|every|which|what|a|an|one|single|average|all)"
_LIGHT = frozenset({Op.FILLER, Op.WHEN, Op.THAT, Op.THOSE, Op.ABOUT})


class _Kind(StrEnum):
    """What sort of thing a word is taken for."""

    METRIC = "metric"
    DIMENSION = "dimension"
    ROWS = "rows"
    NOTHING = "nothing"
    ITSELF = "itself"


@dataclass(frozen=True)
class _Meant:
    """What a word may stand for: a metric, a dimension, the rows of a table, or nothing that tells rows apart."""

    name: str
    label: str
    kind: _Kind
    score: float


@dataclass(frozen=True)
class _Settled:
    """A question of which every doubt was settled: what was taken for what, in which words, and how it is read."""

    taken: tuple[tuple[str, str, Pick | None], ...]
    question: str
    reading: Reading

    def option(self, answer: Answer) -> Option:
        """What is offered of it; a name that one word was taken for is remembered when it is picked."""
        said = [
            f"“{text}” as {name}" if pick is not None else f"it as {name}" for text, name, pick in self.taken
        ]
        text, _, pick = self.taken[0]
        # “The most” is meant otherwise in the next question, “breed” is not.
        names = operators().get(tuple(text.lower().removeprefix("the ").split())) is None
        teaches = names and len(self.taken) == 1 and pick is not None and pick.sort in _TAUGHT
        word, name = (text, pick.name) if pick is not None and teaches else ("", "")
        return Option(
            said=f"taking {' and '.join(said)}", question=self.question, prose=answer.prose, facts=answer.facts,
            word=word, name=name, requests=self.reading.requests, notes=self.reading.notes,
        )  # fmt: skip


_TAUGHT = (PickSort.METRIC, PickSort.DIMENSION)


def _settled_ways(question: str, reading: Reading) -> Iterator[_Settled]:
    """The ways in which all that is in doubt can be meant, as they were found to lead to answers."""
    if not reading.asked:
        return
    asked = reading.asked[0]
    meant = {q: (n, p) for n, q, p in zip(asked.names, asked.options, asked.picks, strict=True)}
    for option, way in zip(reading.options, reading.ways, strict=False):
        if option not in meant:
            continue
        name, pick = meant[option]
        put = question.replace(asked.text, name, 1) if pick is not None and asked.text in question else option
        taken = (asked.text, name, pick)
        if way.status is ReadingStatus.CLEAR:
            yield _Settled((taken,), put, way)
        else:
            for further in _settled_ways(put, way):
                yield replace(further, taken=(taken, *further.taken))


@dataclass
class Picks:
    """Finds and computes what an asker may pick from.

    Args:
        reader: Reads questions, without a language model.
        present: Computes a reading.
        model: What the tables mean.
        index: The values that they hold.
    """

    reader: Reads
    present: Callable[[Reading, date], Answer]
    model: SemanticModel
    index: ValueIndex

    def clarified(self, reading: Reading, today: date, previous: Request | None, *, tries: bool) -> Reading:
        """A reading in doubt with the options that lead to answers, which are tried first or believed."""
        return Clarifying(self.reader, self.present, tries).of(reading, today, previous)

    def of(
        self, question: str, reading: Reading | None, today: date, *, tries: bool = True
    ) -> tuple[Option, ...]:
        """Up to three readings, the likeliest first; none where too little was understood.

        Without ``tries`` they are not computed, so that what is offered tells nothing of the rows.
        """
        if reading is None or reading.status not in (ReadingStatus.PARTIAL, ReadingStatus.NOT_ABOUT_DATA):
            return ()
        if reading.asked:  # what its words may mean was tried
            return ()
        words = tuple(dict.fromkeys(w for w in reading.missing if w in question))
        opened = sum(w not in reading.held and not _computes(w, question) for w in words)
        if not 1 <= opened <= MOST_WORDS or len(words) != len(set(reading.missing)):
            return ()
        found: list[Option] = []
        near = ALONE if reading.status is ReadingStatus.NOT_ABOUT_DATA else NEAR
        for meant, clear in islice(self._readings(question, words, reading.held, near, today), MOST_COMPUTED):
            answer = self._answer(clear, today) if tries else _UNTRIED
            if answer is None:
                continue
            option = _option(question, words, meant, answer)
            if not tries or all(_figures(option) != _figures(o) for o in found):
                found.append(option)
            if len(found) == MOST:
                break
        return tuple(found)

    def meant(self, question: str, reading: Reading | None, today: date) -> tuple[Option, ...]:
        """What a question that is asked back about may mean, all doubts settled, already computed."""
        found: list[Option] = []
        for way in islice(_settled_ways(question, reading), MOST_COMPUTED) if reading is not None else ():
            answer = self._answer(way.reading, today)
            option = way.option(answer) if answer is not None else None
            if option is not None and all(_figures(option) != _figures(o) for o in found):
                found.append(option)
            if len(found) == MOST_MEANT:
                break
        return tuple(found) if len(found) > 1 else ()

    def _readings(
        self, question: str, words: Sequence[str], held: Sequence[str], near: float, today: date
    ) -> Iterator[tuple[tuple[_Meant, ...], Reading]]:
        """Clear readings of the question with other words in place of the open ones, the likeliest first."""
        meanings = [
            [_itself(w)] if w in held else self._meanings(w, question, len(words), near) for w in words
        ]
        ways = sorted(product(*meanings), key=lambda ms: -prod(m.score for m in ms))
        likely = (ms for ms in filter(_distinct, ways) if prod(m.score for m in ms) >= LIKELY)
        for meant in islice(likely, MOST_READ):
            clear = self.reader.read(_put(question, words, meant), today=today)
            # What is ranked by what nobody named has lost what it was to be ranked by.
            lost = any(m.kind is _Kind.NOTHING for m in meant) and any(UNNAMED in n for n in clear.notes)
            if clear.status is ReadingStatus.CLEAR and not lost and all(_used(m, clear) for m in meant):
                yield meant, clear

    def _meanings(self, word: str, question: str, unknown: int, nearest: float) -> list[_Meant]:
        """What a word may mean: a name that the question does not say already, the rows of a table, or no more than the
        rest of the question, each with its chance. What says how to compute stays as it is."""
        if _computes(word, question):
            return [_itself(word)]
        said = {root(w) for w in name_words(question)}
        chances = self._linker.chances(question, word, unknown)
        named = _is_name(word, question)
        counts = not named and _counts(word, question)
        scored = [
            replace(
                m,
                score=max(
                    chance, _spelled(word, (m.label, *others)), ROWS * (counts and m.kind is _Kind.ROWS)
                ),
            )
            for (m, others), chance in zip(self._names, chances, strict=False)
            if not any({root(w) for w in name_words(n)} <= said for n in (m.label, *others))
        ]
        held = {root(w) for m, _ in self._names if m.kind is not _Kind.ROWS for w in name_words(m.label)}
        # Of what the data has, and of what tells rows apart, nothing is left out.
        kept = named or {root(w) for w in name_words(word)} <= held
        order = sorted(scored, key=lambda m: (-m.score, m.name))
        near = [m for m in order if m.score >= nearest and (counts or m.kind is not _Kind.ROWS)][:MOST_NAMES]
        rows = [m for m in order if m.kind is _Kind.ROWS and m not in near and counts][:MOST_TABLES]
        return [*near, *rows, *([] if kept else [self._left_out(word, question)])]

    def _left_out(self, word: str, question: str) -> _Meant:
        adds = [self._idle.adds(question, w.lower()) for w in word.split()]
        return _Meant("", "", _Kind.NOTHING, prod(1 - a for a in adds))

    @cached_property
    def _names(self) -> list[tuple[_Meant, tuple[str, ...]]]:
        """All that words may mean, with other names for it: columns, what is computed of several, and the rows of tables."""
        from gnomon.semantic.yaml_io import ROWS_OF

        columns = {quoted(d.home.column) for d in self.model.dimensions}
        computed = [m for m in self.model.metrics if m.expression is not None and m.expression not in columns]
        computed += [m for m in self.model.metrics if m.formula is not None]
        return [
            *((_Meant(d.name, d.label, _Kind.DIMENSION, 0.0), d.synonyms) for d in self.model.dimensions if not d.personal),
            *((_Meant(m.name, m.label, _Kind.METRIC, 0.0), m.synonyms) for m in computed),
            *((_Meant(f"{ROWS_OF}{t.name}", plural(t.label), _Kind.ROWS, 0.0), t.synonyms) for t in self.model.tables),
        ]  # fmt: skip

    @cached_property
    def _linker(self) -> Linker:
        from gnomon.language.linker import MOST_VALUES, Linker, Named, Sort

        sorts = {DimensionType.NUMBER: Sort.NUMBER, DimensionType.TIME: Sort.TIME}
        dimensions = {d.name: d for d in self.model.dimensions}
        found: list[Named] = []
        for m, _ in self._names:
            if m.kind is not _Kind.DIMENSION:
                found.append(Named(m.label, Sort.ROWS if m.kind is _Kind.ROWS else Sort.NUMBER))
                continue
            sort = sorts.get(dimensions[m.name].type, Sort.TEXT)
            values = self.index.values(m.name)[:MOST_VALUES] if sort is Sort.TEXT else ()
            found.append(Named(m.label, sort, tuple(str(v) for v in values)))
        return Linker(found)

    @cached_property
    def _idle(self) -> IdleWords:
        from gnomon.language.idle_words import IdleWords

        columns = [d.home.column for d in self.model.dimensions]
        return IdleWords([t.name for t in self.model.tables], columns)

    def _answer(self, reading: Reading, today: date) -> Answer | None:
        try:
            answer = self.present(reading, today)
        except GnomonError:
            return None
        return answer if answer.status is AnswerStatus.ANSWERED and answer.facts else None


_UNTRIED = Answer(status=AnswerStatus.CLARIFY, prose="")


def _option(question: str, words: Sequence[str], meant: Sequence[_Meant], answer: Answer) -> Option:
    """What is offered: the question with its words so meant, and what that comes to."""
    unsaid = (_Kind.NOTHING, _Kind.ITSELF)
    taken = [(w, m) for w, m in zip(words, meant, strict=True) if m.kind not in unsaid]
    left = tuple(w for w, m in zip(words, meant, strict=True) if m.kind is _Kind.NOTHING)
    said = [f"taking {' and '.join(f'“{w}” as {m.label}' for w, m in taken)}"] if taken else []
    said += [f"leaving out {' and '.join(f'“{w}”' for w in left)}"] if left else []
    word, name = (taken[0][0], taken[0][1].name) if len(taken) == 1 else ("", "")
    return Option(
        said=", ".join(said), question=_put(question, words, meant), leaves=left, prose=answer.prose,
        facts=answer.facts, word=word, name=name, chance=round(prod(m.score for m in meant), 3),
    )  # fmt: skip


def _itself(word: str) -> _Meant:
    return _Meant("", word, _Kind.ITSELF, 1.0)


def with_options(answer: Answer, options: tuple[Option, ...]) -> Answer:
    """A no that says what could be meant, and what each of that comes to."""
    if not options:
        return answer
    lines = [f"{n}. {o.said}: {o.prose.split(chr(10))[0]}" for n, o in enumerate(options, 1)]
    prose = f"{answer.prose}{MEANT_SO}" + "\n".join(lines)
    return answer.model_copy(update={"prose": prose, "options": options})


def without_figures(answer: Answer) -> str:
    """What is said with options, without what they come to: each is a question that can be asked."""
    if not answer.options:
        return answer.prose
    lines = [f"{n}. {o.said}: ask “{o.question}”." for n, o in enumerate(answer.options, 1)]
    before, _, behind = answer.prose.partition(MEANT_SO)
    _, gap, rest = behind.partition("\n\n")
    return before + MEANT_SO + "\n".join(lines) + gap + rest


def _put(question: str, words: Sequence[str], meant: Sequence[_Meant]) -> str:
    """The question with names in place of its open words, or without them."""
    for word, means in zip(words, meant, strict=True):
        question = question.replace(word, means.label, 1)
    return _LOOSE.sub("", " ".join(question.split()))


def _distinct(meant: Sequence[_Meant]) -> bool:
    """Whether no two words are taken for the same, nor two for rows."""
    names = [m.name for m in meant if m.name]
    return len(names) == len(set(names)) and sum(m.kind is _Kind.ROWS for m in meant) < 2


def _computes(word: str, question: str) -> bool:
    """Whether words say what to compute, not of what: a number, "more than" before one, "on average", "longest"."""
    known = operators().get(tuple(word.lower().split()))
    if known is None or known.op in _LIGHT:
        graded = adjective(word.lower())
        return any(c.isdigit() for c in word) or (graded is not None and graded.superlative)
    return known.op is not Op.COMPARE_NUMBER or re.search(rf"{re.escape(word)}\W+\w*\d", question) is not None


def _counts(word: str, question: str) -> bool:
    """Whether a word can say what rows are: things, what happened, or a word that no lexicon has.

    What is counted is said in the plural, or one by one: “each visit”; “our revenue” and “churn” are no rows.
    """
    said = word.lower()
    bases = get_lexicon().bases(said)
    many = singular(said.split()[-1]) != said.split()[-1] or re.search(
        rf"{_ONE} {re.escape(said)}\b", question.lower()
    )
    parts = {part for _, part in bases}
    return not parts or parts == {"v"} or ("n" in parts and bool(many))


def _is_name(word: str, question: str) -> bool:
    """Whether a word is written as names are, and not because the question begins with it: it tells rows apart."""
    return word[:1].isupper() and not question.lstrip().startswith(word)


def _used(meant: _Meant, reading: Reading) -> bool:
    """Whether a reading is about what a word was taken for."""
    if meant.kind not in (_Kind.METRIC, _Kind.DIMENSION):
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
