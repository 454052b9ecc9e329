"""Nouns that come close to what rows are called: visits, of inspections; crashes, of accidents.

Some pairs are known. Others are weighed: a noun that would add little to questions over these columns, and whose meaning
lies close to that of the rows' own name, stands for them. Weights and bounds were chosen on 340 pairs of nouns and tables
and kept on 290 others, where they take 36 % of the nouns that mean the rows and 0.4 % of those that mean something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, log

from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Relation, relate
from gnomon.planning.reader.people import may_be_person
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic import DimensionType, SemanticModel, TableMeaning
from gnomon.semantic.model import plural, singular
from gnomon.semantic.vocabulary import vocabulary

_ADDING, _NEARNESS, _BASE = -1.24, 3.0, -0.95
_SURE, _RIVAL = 0.9, 0.5
_NEAR, _NEAR_PERSONS = 0.45, 0.85
_USUAL_SENSE, _OWN_KIND = 0.1, 0.15
# Before a verb, never before what rows are called.
_BEFORE_VERBS = frozenset(
    {"to", "we", "they", "you", "i", "who", "that", "which", "did", "do", "does", "and"}
)
_BEFORE_ONE = frozenset({"per", "each", "every", "one", "a", "an", "the", "single", "any", "this", "by"})


class NearNames:
    """Finds the rows or things that a noun which names nothing comes close to.

    Args:
        model: What the tables mean.
    """

    def __init__(self, model: SemanticModel) -> None:
        self._model = model
        self._kept: dict[str, tuple[str, ...]] = {}

    def at(self, i: int, words: Sequence[Word]) -> tuple[str, ...]:
        """What the word at ``i`` stands for, where it is a noun there; nothing where no table or column is like it."""
        word, before = words[i].lower, words[i - 1].lower if i else ""
        one = singular(word)
        if before in _BEFORE_VERBS or not any(p == "n" for _, p in get_lexicon().bases(word)):
            return ()
        if word == one and before not in _BEFORE_ONE:
            return ()
        if one not in self._kept:
            self._kept[one] = self._known(one) or self._likely(one)
        return self._kept[one]

    def _known(self, noun: str) -> tuple[str, ...]:
        """The rows, else the columns, that people call so."""
        called = vocabulary().called

        def so(labels: list[str]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(x for x in labels if noun in called.get(singular(x.split()[-1]), ())))

        held = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.NUMBER)
        columns = [d.label for d in self._model.dimensions if d.type in held]
        rows = [t.label for t in self._model.tables if _is_named(t)]
        return tuple(plural(x) for x in so(rows)) or so(columns)

    def _likely(self, noun: str) -> tuple[str, ...]:
        """The one table whose rows the noun most likely means."""
        scores = {t.label: self._weight(t, noun) for t in self._model.tables if _is_named(t)}
        ranked = sorted(scores, key=lambda label: -scores[label])
        if not ranked or scores[ranked[0]] < _SURE or (len(ranked) > 1 and scores[ranked[1]] > _RIVAL):
            return ()
        return (plural(ranked[0]),)

    def _weight(self, table: TableMeaning, noun: str) -> float:
        label = singular(table.label.split()[-1])
        person = may_be_person(label)
        if person != may_be_person(noun) or _is_kind(noun, label):
            return 0.0
        near = _nearness(noun, label)
        if near < (_NEAR_PERSONS if person else _NEAR):
            return 0.0
        return 1 / (1 + exp(-(_ADDING * self._adding(table, noun) + _NEARNESS * near + _BASE)))

    def _adding(self, table: TableMeaning, noun: str) -> float:
        """How likely the noun would add something to plain questions over the table, as a log-odds."""
        from gnomon.language.idle_words import IdleWords

        held = [d for d in self._model.dimensions if d.at(table.name) is not None]
        group = next((d.label for d in held if d.type is DimensionType.CATEGORY), "group")
        judge = IdleWords([table.name], list(dict.fromkeys(d.at(table.name) or "" for d in held)))
        said = plural(noun)
        asked = (f"How many {said} were there in 2023?", f"Which {group} had the most {said}?")
        chance = sum(judge.adds(question, said) for question in asked) / len(asked)
        return log(max(chance, 1e-6) / max(1 - chance, 1e-6))


def _is_named(table: TableMeaning) -> bool:
    """Whether the data itself says what rows are, by the table's name or its key."""
    said = {stem(w) for name in (table.name, *table.key) for w in name_words(name)}
    return stem(plural(table.label.split()[-1])) in said or stem(table.label.split()[-1]) in said


def _is_kind(noun: str, label: str) -> bool:
    """Whether the noun mostly means some of them only: trucks, of vehicles."""
    return any(r.relation is Relation.KIND_OF and r.said >= _OWN_KIND for r in relate(noun, label))


@lru_cache(maxsize=4096)
def _nearness(one: str, other: str) -> float:
    """How far down the kinds of things two nouns part, in their usual meanings: 1 for synonyms, 0 for nothing shared."""
    lexicon = get_lexicon()
    best = 0.0
    for mine in _usual(one):
        above = {mine: 0, **lexicon.ancestors(mine, 30)}
        for theirs in _usual(other):
            beside = {theirs: 0, **lexicon.ancestors(theirs, 30)}
            for common in above.keys() & beside.keys():
                depth = 1 + max(lexicon.ancestors(common, 30).values(), default=0)
                best = max(best, 2 * depth / (2 * depth + above[common] + beside[common]))
    return best


def _usual(noun: str) -> list[int]:
    """The meanings of a noun that make up a tenth of its use as one."""
    senses = [s for s in get_lexicon().entry(noun).senses if s.part == "n"]
    whole = sum(s.share for s in senses)
    return [s.synset for s in senses if s.share >= _USUAL_SENSE * whole]
