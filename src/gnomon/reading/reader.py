"""Reads questions as trees: the cheapest way to cover every word with clauses, checked by making its tree."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from itertools import islice

from gnomon.core import algebra as al
from gnomon.core.errors import GnomonError
from gnomon.core.parts import QuestionKind
from gnomon.planning.reader.items import candidate_items
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import split_words
from gnomon.planning.reading import Reading
from gnomon.planning.spoken import Spoken
from gnomon.reading.check import Objection, ends, objection
from gnomon.reading.clauses import asked, condition, idle, rows, theirs
from gnomon.reading.names import Names
from gnomon.reading.orders import bounded, extreme, groups, order
from gnomon.reading.phrases import Phrases
from gnomon.reading.sketch import Sketch
from gnomon.reading.tree import Trees
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.model import Dimension
from gnomon.semantic.values import ValueIndex

CLAUSES = (asked, theirs, condition, bounded, groups, order, extreme, rows, idle)
MOST_WORDS = 48
BEAM = 24
MOST_WAYS = 48
"""How many ways to read one clause from a place on are tried: words that are repeated on and on have no end of them."""
MARGIN = 0.12
"""Two different trees whose costs are closer than this are both meant."""


@dataclass(frozen=True)
class Covered:
    """A question as a tree, and how surely."""

    ask: al.Query
    sketch: Sketch
    notes: tuple[str, ...] = ()

    @property
    def is_plain_figure(self) -> bool:
        """Whether it asks for nothing but figures of rows that meet all conditions, which the grammar is made for."""
        either = any(len({f.field for f in one}) > 1 for one in self.sketch.tests)
        return not self.ask.show and not self.ask.keys and not either


class TreeReader:
    """Reads questions over one set of tables.

    Args:
        meanings: What names mean for the rows of a table.
        vocabulary: How people may say the names.
        index: The values.
    """

    def __init__(self, meanings: Meanings, vocabulary: Vocabulary, index: ValueIndex) -> None:
        self._vocabulary = vocabulary
        self._index = index
        self._model = meanings.model
        self._names = Names(meanings.model)
        self._trees = Trees(meanings)
        self._last: tuple[tuple[str, date], Phrases] | None = None

    def phrases(self, question: str, today: date) -> Phrases:
        """What the words of a question may stand for; none where there are too many of them."""
        last = self._last
        if last is None or last[0] != (question, today):
            self._last = last = ((question, today), self._phrases(question, today))
        return last[1]

    def _phrases(self, question: str, today: date) -> Phrases:
        words = split_words(question)
        items = (
            candidate_items(question, words, self._vocabulary, self._index, today)
            if len(words) <= MOST_WORDS
            else []
        )
        return Phrases(words, items, self._model, self._names)

    def spoken(self, question: str, today: date) -> Spoken:
        """What finds the words of nodes."""
        phrases = self.phrases(question, today)
        return Spoken(phrases.words, phrases.items, self._model)

    def objection(self, question: str, reading: Reading, today: date) -> Objection | None:
        """What another reading of a question leaves out of it."""
        return objection(self.phrases(question, today), reading, self._model)

    def asks_for_the_one_before(self, question: str, reading: Reading, today: date) -> str | None:
        """“which month had the most orders, and how many were there in the month before?”: the words that say so."""
        first = next(iter(reading.parts), None)
        if (
            first is None
            or first.kind is not QuestionKind.RANKING
            or first.grain is None
            or len(reading.parts) > 2
        ):
            return None
        phrases = self.phrases(question, today)
        said = [x for x in phrases.items if x.time is not None and x.time.kind == "comparison"]
        shift = said[0].time.shift if len(said) == 1 and said[0].time is not None else None
        asked = shift is not None and (shift.unit, shift.count) == (first.grain, 1) and ends(said[0], phrases)
        return said[0].text if asked else None

    def with_the_one_before(self, reading: Reading) -> al.Query | None:
        """What such a question asks for, as a tree; None where its days are bounded, which the one before may lie outside of."""
        return self._trees.with_the_one_before(next(iter(reading.parts)))

    def read(self, question: str, today: date) -> Covered | None:
        """The tree of a question all of whose words have a place in it; None where there is none, or more than one."""
        phrases = self.phrases(question, today)
        if not 2 <= len(phrases) <= MOST_WORDS:
            return None
        best: Covered | None = None
        for sketch in _covers(phrases):
            if best is not None and sketch.cost > best.sketch.cost + MARGIN:
                break
            try:
                ask = self._trees.tree(sketch)
            except GnomonError:  # its parts do not fit together
                continue
            if ask is None:
                continue
            if best is None:
                best = Covered(ask, sketch, _read_as(phrases, sketch))
            elif not al.same(ask, best.ask):
                return None
        return best


def _read_as(phrases: Phrases, sketch: Sketch) -> tuple[str, ...]:
    """What to say of words that name something only by what they mean."""
    columns = {d.name for d in (*sketch.shown, *sketch.keys)} | {f.field for one in sketch.tests for f in one}
    columns |= {o.by.name for o in sketch.orderings if isinstance(o.by, Dimension)}
    columns |= {f.of.name for f in sketch.figures if f.of is not None}
    meant = dict(phrases.by_meaning(columns, {*sketch.tables}))
    return tuple(
        f"“{said}” was read as {label}."
        for said, label in meant.items()
        if said.casefold() != label.casefold()
    )


def _covers(phrases: Phrases) -> list[Sketch]:
    """The sketches that cover all words and say what is asked, the cheapest first."""
    reached: defaultdict[int, dict[object, Sketch]] = defaultdict(dict)
    reached[0][()] = Sketch()
    for at in range(len(phrases)):
        for sketch in sorted(reached.pop(at, {}).values(), key=lambda s: s.cost)[:BEAM]:
            for clause in CLAUSES:
                for end, further in islice(clause(phrases, sketch, at), MOST_WAYS):
                    held, key = reached[end], further.means
                    if end > at and (key not in held or held[key].cost > further.cost):
                        held[key] = further
    ended = reached.get(len(phrases), {}).values()
    return sorted((s for s in ended if _asks(s) and not s.either), key=lambda s: s.cost)


def _asks(sketch: Sketch) -> bool:
    """Whether a question says that it asks; figures of either of two conditions, which nothing else reads, need no “what is”."""
    either = any(len({f.field for f in one}) > 1 for one in sketch.tests)
    return sketch.opened or (sketch.asks and bool(sketch.figures) and either)
