"""What a word that has no place in the data may mean there: a name, one of its values, the rows, how to rank, or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from gnomon.embedding import get_encoder
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Relation, kindred, relate
from gnomon.language.quantities import find_quantities
from gnomon.language.time_grammar import find_times
from gnomon.planning.reader.associations import adjective
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.words import name_words, root
from gnomon.semantic import Aggregation, DimensionType, SemanticModel
from gnomon.semantic.model import quoted
from gnomon.semantic.money_units import is_money
from gnomon.semantic.values import ValueIndex
from gnomon.semantic.vocabulary import vocabulary
from gnomon.semantic.wording import plural, singular

if TYPE_CHECKING:
    from gnomon.language.linker import Linker, Named

MOST_NAMES = 4
CLAUSE = 4
"""So many words are no name of anything; they are left out, or the question is."""
MOST_TABLES = 2
MOST_HELD = 60
"""Of a column with more different values than this, a word is not taken for one that it does not say."""
# A noun may always name the rows: by words that nobody has heard before, too.
ROWS = 0.1
# A word that the data does know keeps its meaning, if another one does not make more of the question.
HELD = 0.6
TOLD = 0.3
ALIKE = 0.8
ALIKE_VALUES = 0.75
SLIP = 3
"""So many letters at its beginning a word has in common with what it is another form of."""
SAME_SENSE = 0.3
# A word for money means an amount of money, if the data has any: what was earned is no number of hours.
MONEY = 0.5
_POSSESSION = 21  # WordNet's topic of what is owned, earned, owed and paid
_TOTAL = re.compile(r"\b(?:total|sum|average|mean|median|highest|lowest)\b", re.IGNORECASE)
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_ONE = r"\b(?:how many|number of|count of|per|each|every|which|what|a|an|one|single|average|all)"
_LIGHT = frozenset({Op.FILLER, Op.WHEN, Op.THAT, Op.THOSE, Op.ABOUT})


class Kind(StrEnum):
    """What sort of thing a word is taken for."""

    METRIC = "metric"
    DIMENSION = "dimension"
    FIGURE = "figure"
    VALUE = "value"
    ROWS = "rows"
    NOTHING = "nothing"
    ITSELF = "itself"


@dataclass(frozen=True)
class Meant:
    """What a word may stand for.

    Args:
        name: The metric, the dimension or the rows of a table; empty where it is none of them.
        label: What is put in place of the word, and what that is called.
        kind: What sort of thing that is.
        score: How likely the word means it.
    """

    name: str
    label: str
    kind: Kind
    score: float


@dataclass
class Senses:
    """Judges words over one set of tables.

    Args:
        model: What the tables mean.
        index: The values that they hold.
    """

    model: SemanticModel
    index: ValueIndex

    def of(self, word: str, question: str, unknown: int, *, held: bool, nearest: float) -> list[Meant]:
        """What a word may mean: a name that the question does not say already, one of the values, the rows of a table, or
        no more than the rest of the question, each with its chance. What says how to compute stays as it is.

        Args:
            word: The word, as the question has it.
            question: All of it.
            unknown: How many of its words have no place.
            held: Whether the data knows the word, which only found no part to play.
            nearest: Below this chance a word is not taken for a name.
        """
        if len(word.split()) >= CLAUSE:
            return [Meant("", "", Kind.NOTHING, 1.0)]
        if computes(word, question):
            spelt = not any(c.isdigit() for c in word) and bool(find_quantities(word))
            idle = self._linker.judged(_unnumbered(question, word), word, unknown).idle if spelt else 0.0
            stays = replace(itself(word), score=1 - idle)
            return [stays, *([Meant("", "", Kind.NOTHING, idle)] if spelt else [])]
        said = {root(w) for w in name_words(question)} - {root(w) for w in name_words(word)}
        judged = self._linker.judged(_unnumbered(question, word), word, unknown)
        # What is a value of a column in other words is told by all values of that column.
        likely = [c + TOLD * v for c, v in zip(judged.names, judged.values, strict=True)]
        named = _is_name(word, question)
        counts = not named and _counts(word, question)
        times = _asks_when(word)
        money = MONEY / len(self._money) if self._money and _is_money(word) else 0.0
        scored = [
            replace(
                m,
                score=max(
                    chance,
                    _spelled(word, (m.label, *others)),
                    ROWS * (counts and m.kind is Kind.ROWS),
                    money * (m.name in self._money),
                ),
            )
            for (m, others), chance in zip(self._names, likely, strict=False)
            if not any({root(w) for w in name_words(n)} <= said for n in (m.label, *others))
            and (not times or m.name in self._times)
        ]
        labels = {root(w) for m, _ in self._names if m.kind is not Kind.ROWS for w in name_words(m.label)}
        # Of what the data has, and of what tells rows apart, nothing is left out.
        kept = named or {root(w) for w in name_words(word)} <= labels
        order = sorted(scored, key=lambda m: (-m.score, m.name))
        near = [m for m in order if m.score >= nearest and (counts or m.kind is not Kind.ROWS)][:MOST_NAMES]
        near += [m for m in order if m.kind is Kind.ROWS and m not in near and counts][:MOST_TABLES]
        near = [_numbered(self._summed(m, word, question), word, question) for m in near]
        values = [m for m in self._values(word, judged.values) if m.score >= nearest and not times]
        left = [] if kept else [Meant("", "", Kind.NOTHING, judged.idle)]
        found = [*near, *values, *left]
        # What is likelier by its letters or its place than by what was learned leaves less to the rest.
        most = (1 - HELD if held else 1.0) / max(1.0, sum(m.score for m in found))
        found = [replace(m, score=m.score * most) for m in found]
        return [replace(itself(word), score=HELD), *found] if held else found

    def _summed(self, meant: Meant, word: str, question: str) -> Meant:
        """A price as the total of prices, where the word is one for what adds up: revenue, takings."""
        adds = word.lower() in vocabulary().flows or word.lower() in vocabulary().phrases["revenue"]
        said = _TOTAL.search(question) is not None
        if said or not adds or meant.kind is not Kind.DIMENSION or meant.name not in self._money:
            return meant
        held = self.model.dimension(meant.name)
        sums = any(
            m.expression == quoted(held.home.column) and m.aggregation is Aggregation.SUM
            for m in self.model.metrics
        )
        return (
            meant
            if sums
            else replace(meant, name=f"sum({held.home})", label=f"total {held.label}", kind=Kind.FIGURE)
        )

    def _values(self, word: str, chances: Sequence[float]) -> list[Meant]:
        """The values that a word is another form or another word for, nearest first."""
        found: list[Meant] = []
        for (column, _), chance in zip(self._names, chances, strict=False):
            held = [str(v) for v in self.index.values(column.name)] if column.kind is Kind.DIMENSION else []
            for value in held if len(held) <= MOST_HELD else ():
                like = _same_value(word, value)
                # Likeness in letters or in a dictionary says more than where a word stands.
                found += [Meant(column.name, value, Kind.VALUE, like * max(chance, like / 2))] if like else []
        return sorted(found, key=lambda m: -m.score)[:MOST_TABLES]

    @cached_property
    def _times(self) -> frozenset[str]:
        return frozenset(d.name for d in self.model.dimensions if d.type is DimensionType.TIME)

    @cached_property
    def _money(self) -> frozenset[str]:
        """Columns and figures that are amounts of money."""
        numbers = (d for d in self.model.dimensions if d.type is DimensionType.NUMBER and not d.personal)
        return frozenset(
            n.name
            for n in (*numbers, *self.model.metrics)
            if is_money(n.unit) or (n.unit is None and any(map(_is_money, n.label.split())))
        ) & {m.name for m, _ in self._names}

    @cached_property
    def _names(self) -> list[tuple[Meant, tuple[str, ...]]]:
        """All that words may mean, with other names for it: columns, what is computed of several, and the rows of tables."""
        from gnomon.semantic.yaml_io import ROWS_OF

        columns = {quoted(d.home.column) for d in self.model.dimensions}
        computed = [m for m in self.model.metrics if m.expression is not None and m.expression not in columns]
        computed += [m for m in self.model.metrics if m.formula is not None]
        return [
            *((Meant(d.name, d.label, Kind.DIMENSION, 0.0), d.synonyms) for d in self.model.dimensions if not d.personal),
            *((Meant(m.name, m.label, Kind.METRIC, 0.0), m.synonyms) for m in computed),
            *((Meant(f"{ROWS_OF}{t.name}", plural(t.label), Kind.ROWS, 0.0), t.synonyms) for t in self.model.tables),
        ]  # fmt: skip

    @cached_property
    def _linker(self) -> Linker:
        from gnomon.language.linker import MOST_VALUES, Linker, Named, Sort

        sorts = {DimensionType.NUMBER: Sort.NUMBER, DimensionType.TIME: Sort.TIME}
        dimensions = {d.name: d for d in self.model.dimensions}
        found: list[Named] = []
        for m, _ in self._names:
            if m.kind is not Kind.DIMENSION:
                found.append(Named(m.label, Sort.ROWS if m.kind is Kind.ROWS else Sort.NUMBER))
                continue
            sort = sorts.get(dimensions[m.name].type, Sort.TEXT)
            values = self.index.values(m.name)[:MOST_VALUES] if sort is Sort.TEXT else ()
            found.append(Named(m.label, sort, tuple(str(v) for v in values)))
        return Linker(found)


def itself(word: str) -> Meant:
    """A word that stays as it is."""
    return Meant("", word, Kind.ITSELF, 1.0)


def _unnumbered(question: str, word: str) -> str:
    """The question whatever its numbers are, which tell nothing of what a word means."""
    return question if any(c.isdigit() for c in word) else _NUMBERS.sub("10", question)


def computes(word: str, question: str) -> bool:
    """Whether words say what to compute, not of what: a number, "more than" before one, "on average", "longest", "the month before"."""
    if any(len(m.text) == len(word) for m in find_times(word, date(2000, 1, 1))):
        return True
    known = operators().get(tuple(word.lower().split()))
    if known is None or known.op in _LIGHT:
        graded = adjective(word.lower())
        counted = any(c.isdigit() for c in word) or bool(find_quantities(word))
        return counted or (graded is not None and graded.superlative)
    return known.op is not Op.COMPARE_NUMBER or re.search(rf"{re.escape(word)}\W+\w*\d", question) is not None


def _is_money(word: str) -> bool:
    """Whether a word is mostly said of money: income, takings, price."""
    said, known = word.lower(), vocabulary()
    if said in known.phrases["unit_price"] or said in known.phrases["revenue"]:
        return True
    lexicon = get_lexicon()
    senses = [s for s in lexicon.entry(said).senses if s.part == "n"]
    owned = sum(s.share for s in senses if lexicon.synset(s.synset).topic == _POSSESSION)
    return 2 * owned > sum(s.share for s in senses)


def _asks_when(word: str) -> bool:
    known = operators().get((word.lower(),))
    return known is not None and known.op is Op.WHEN


def _numbered(meant: Meant, word: str, question: str) -> Meant:
    """Rows in the number that the word has: “which college” is an institution, “how many people” are institutions."""
    many = re.search(rf"\b(?:many|most|fewest|all|of)\s+{re.escape(word)}\b", question, re.IGNORECASE)
    one = meant.kind is Kind.ROWS and many is None and singular(word.lower()) == word.lower()
    return replace(meant, label=singular(meant.label)) if one else meant


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


def _same_value(word: str, value: str) -> float:
    """How likely a word is a value in another form: “Western” is West, “American League” AL, “deaths” 1_Death."""
    said, held = word.lower(), value.lower()
    initials = "".join(w[0] for w in said.split())
    if len(initials) > 1 and initials == held:
        return 0.9
    parts = re.findall(r"[a-z]+", held)
    if len(parts) != 1 or len(said.split()) != 1 or len(parts[0]) < 3 or said == held:
        return 0.0
    if kindred(said, parts[0]):
        return 0.7
    ties = relate(said, parts[0])
    same = max((r.strength for r in ties if r.relation is Relation.SAME), default=0.0)
    if same >= SAME_SENSE:
        return same
    if any(r.relation in (Relation.SISTER, Relation.OPPOSITE) for r in ties):
        return 0.0  # cats are near dogs in meaning, and are none
    vectors = get_encoder().encode([said, parts[0]])
    near = float(vectors[0] @ vectors[1])
    return near * 0.5 if near >= ALIKE_VALUES else 0.0


def _spelled(word: str, names: Sequence[str]) -> float:
    """How alike a word is to a name in letters; words of three letters are like too many."""
    mine = {root(w) for w in name_words(word)}
    best = 0.0
    for name in names:
        theirs = {root(w) for w in name_words(name)}
        if mine and mine & theirs:
            best = max(best, len(mine & theirs) / len(mine | theirs))
        ratio = SequenceMatcher(None, word.lower(), name.lower()).ratio()
        # A word of its own that begins otherwise is no slip of the pen: revenue is no venue.
        slip = word.lower()[:SLIP] == name.lower()[:SLIP] or not get_lexicon().bases(word.lower())
        if ratio >= ALIKE and len(word) > 4 and slip:
            best = max(best, ratio)
    return best
