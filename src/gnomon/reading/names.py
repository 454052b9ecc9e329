"""The columns and tables of a model as people may say them, whole or in part, by their words alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from gnomon.core.patterns import regex
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Relation, relate
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic.kinds import DimensionType
from gnomon.semantic.model import Dimension, SemanticModel, singular

_HEADS = frozenset(["name", "code", "id", "number", "title", "type", "description", "no", "key"])
_PARTS = regex(r"[^a-z0-9]+")
_SAID_BESIDE = {
    DimensionType.ID: ("number", "code"),
    DimensionType.CATEGORY: ("name",),
    DimensionType.TEXT: ("name",),
}
_SPELT_OUT = {"fname": "first name", "lname": "last name", "mname": "middle name", "dob": "date of birth", "addr": "address",
              "qty": "quantity", "desc": "description", "amt": "amount", "num": "number", "dept": "department"}  # fmt: skip
_SYNONYM, _SAME = 0.4, 0.3
MOST_WORDS = 6
MOST_KNOWN = 500
"""Of so many words names may be made for a word to be compared with each of them by meaning."""


@lru_cache(maxsize=8192)
def plain(word: str) -> str:
    """A word in the form in which all forms of it are compared."""
    return stem(singular(word))


def plainly(words: Iterable[str]) -> tuple[str, ...]:
    """Words, each in that form."""
    return tuple(plain(w.lower()) for w in words)


class Names:
    """What may be said of columns and rows.

    Args:
        model: Whose names.
    """

    def __init__(self, model: SemanticModel) -> None:
        self._model = model
        self._columns: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
        self._tables: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
        self._words: dict[str, dict[str, None]] = defaultdict(dict)
        for table in model.tables:
            for name, cost in ((table.label, 0.0), (table.name, 0.0), *((s, 0.1) for s in table.synonyms)):
                self._put(self._tables, plainly(name_words(name)), table.name, cost)
        for column in model.dimensions:
            if not column.name.startswith("@"):
                self._name(column)
        self.columns = lru_cache(maxsize=4096)(self._found)
        self.tables = lru_cache(maxsize=4096)(self._rows)

    def _name(self, column: Dimension) -> None:
        rows = {
            w for t in self._model.tables if t.name == column.home.table for w in plainly(name_words(t.label))
        }
        rows |= set(plainly(name_words(column.home.table)))
        said = [(column.label, 0.0), (column.home.column, 0.02), *((s, 0.05) for s in column.synonyms)]
        for name, cost in said:
            parts = _PARTS.split(name.lower())
            words = plainly(
                name_words(
                    " ".join(_SPELT_OUT.get(w, w) for w in parts) if _SPELT_OUT.keys() & set(parts) else name
                )
            )
            if not words or len(words) > MOST_WORDS:
                continue
            self._put(self._columns, words, column.name, cost)
            for w in words:
                self._words[w].setdefault(column.name)
            own = tuple(w for w in words if w not in rows)
            if own and own != words:
                self._put(self._columns, own, column.name, cost + 0.08)
            for row in rows - set(words):
                self._put(self._columns, (row, *words), column.name, cost + 0.04)
            for cut in range(1, len(words)):
                self._put(self._columns, words[cut:], column.name, cost + 0.25 + 0.05 * cut)
            if len(words) > 1 and words[-1] in _HEADS:
                self._put(self._columns, words[:-1], column.name, cost + 0.3)
            for head in _SAID_BESIDE.get(column.type, ()):
                self._put(self._columns, (*words, head), column.name, cost + 0.15)

    @staticmethod
    def _put(
        held: dict[tuple[str, ...], dict[str, float]], words: tuple[str, ...], name: str, cost: float
    ) -> None:
        if words:
            held[words][name] = min(cost, held[words].get(name, 9.0))

    def is_meant(self, words: tuple[str, ...]) -> bool:
        """Whether words are no part of a name, so that they can only mean one in other words."""
        key = plainly(words)
        return key not in self._columns and key not in self._tables

    def _found(self, words: tuple[str, ...]) -> tuple[tuple[Dimension, float], ...]:
        """The columns that words may name, with what it costs to believe so."""
        found = self._columns.get(plainly(words)) or self._meant(words, self._columns)
        return tuple((self._model.dimension(n), c) for n, c in sorted(found.items(), key=lambda f: f[1]))

    def _rows(self, words: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
        """The tables whose rows words may name."""
        found = self._tables.get(plainly(words)) or self._meant(words, self._tables)
        return tuple(sorted(found.items(), key=lambda f: f[1]))

    def _meant(
        self, words: tuple[str, ...], held: dict[tuple[str, ...], dict[str, float]]
    ) -> dict[str, float]:
        """The same by what words mean: names one of whose words is put in another way."""
        if len(words) > 3 or plainly(words) in self._tables or plainly(words) in self._columns:
            return {}
        found: dict[str, float] = {}
        for at, word in enumerate(words):
            for other in self._others(word):
                key = (*plainly(words[:at]), other, *plainly(words[at + 1 :]))
                for name, cost in held.get(key, {}).items():
                    found[name] = min(found.get(name, 9.0), cost + _SYNONYM)
        joined = "_".join([*words[:-1], *map(singular, words[-1:])])
        for phrase in _phrases(joined):
            for name, cost in held.get(plainly(phrase.split("_")), {}).items():
                found[name] = min(found.get(name, 9.0), cost + _SYNONYM)
        return found

    def _others(self, word: str) -> list[str]:
        """Words of names that mean the same as a word."""
        if len(word) < 3 or plain(word) in self._words or not word.isalpha() or len(self._words) > MOST_KNOWN:
            return []
        known = [*self._words, *(w for key in self._tables for w in key)]
        return [w for w in dict.fromkeys(known) if len(w) > 2 and _alike(singular(word), w)]


@lru_cache(maxsize=16384)
def _alike(said: str, meant: str) -> bool:
    return any(r.relation is Relation.SAME and r.strength >= _SAME for r in relate(said, meant))


@lru_cache(maxsize=4096)
def _phrases(word: str) -> tuple[str, ...]:
    """Words of several parts that mean the same: a forename is a first_name."""
    lexicon = get_lexicon()
    return tuple(dict.fromkeys(
        w for base, part in lexicon.bases(word) for s in lexicon.entry(base).senses
        if s.part == part and s.share >= _SAME for w in lexicon.synset(s.synset).words if w != word
    ))  # fmt: skip


def spans(words: Sequence[str], at: int) -> Iterable[tuple[int, tuple[str, ...]]]:
    """Stretches of words from a place on, the longest first."""
    for end in range(min(len(words), at + MOST_WORDS), at, -1):
        yield end, tuple(words[at:end])
