"""The column that a phrase of a question names: by its heading, its label, or the words that the vocabulary knows."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import ABBREVIATIONS, fold, name_words, split_words, stem
from gnomon.semantic import Dimension, DimensionType, SemanticModel
from gnomon.semantic.derived import Derived, column_in, derived
from gnomon.semantic.units import without_unit

_SURE = 0.85
_REMEMBERED = 4096
_ARTICLES = frozenset(
    {"the", "a", "an", "each", "every", "its", "their", "of", "in", "both", "all", "any", "our"}
)
_HEADS = frozenset(
    {"column", "columns", "feature", "features", "variable", "variables", "field", "fields", "attribute", "attributes",
     "value", "values", "data", "information"}
)  # fmt: skip
_NOUNS = frozenset(
    {"price", "amount", "figure", "level", "score", "count", "number", "measurement", "reading"}
)


@dataclass(frozen=True)
class Said:
    """A column that a phrase names.

    Args:
        table: Where it is.
        column: Its heading, or what spells it out.
        dimension: What is known about it.
    """

    table: str
    column: str
    dimension: Dimension

    @property
    def expression(self) -> str:
        """The column as expressions write it; one that is derived itself is computed in place."""
        made = derived(self.column)
        return f"({made.expression})" if made is not None else column_in(self.column)

    @property
    def is_number(self) -> bool:
        """Whether arithmetic can be done with it."""
        kinds = (DimensionType.NUMBER, DimensionType.BOOLEAN)
        return self.dimension.type in kinds or self.dimension.numeric


class SaidColumns:
    """Finds columns by what people call them.

    Args:
        model: Whose columns.
        vocabulary: How they are said.
    """

    def __init__(self, model: SemanticModel, vocabulary: Vocabulary) -> None:
        self._model = model
        self._vocabulary = vocabulary
        self._headings: dict[str, list[Said]] = {}
        self.made: dict[str, Said] = {}
        for d in model.dimensions:
            for ref in d.locations if d.via is None else ():
                said = Said(ref.table, ref.column, d)
                for name in dict.fromkeys((_key(ref.column), _key(d.label))):
                    self._headings.setdefault(name, []).append(said)
        self._unordered: dict[tuple[str, ...], dict[tuple[str, str], Said]] = {}
        self._stemmed: dict[tuple[str, ...], dict[tuple[str, str], Said]] = {}
        for key, columns in self._headings.items():
            held = {(s.table, s.column): s for s in columns}
            for words in _unordered(key):
                self._unordered.setdefault(words, {}).update(held)
            self._stemmed.setdefault(tuple(stem(w) for w in key.split()), {}).update(held)
        self._known = lru_cache(maxsize=_REMEMBERED)(self._find)

    def anew(self) -> SaidColumns:
        """The same columns without those that a question defined."""
        other = copy.copy(self)
        other.made = {}
        return other

    def define(self, made: Derived, table: str, *names: str) -> None:
        """Remember a column that the question defines, so that what follows may speak of it."""
        said = Said(table, made.spelling, self._model.dimension(f"{table}.{made.spelling}"))
        self.made |= {_key(name): said for name in (made.name, *names)}

    def numbers(self) -> list[Said]:
        """All columns of numbers."""
        found = {(s.table, s.column): s for held in self._headings.values() for s in held if s.is_number}
        return list(found.values())

    def find(self, phrase: str, tables: Iterable[str] = ()) -> Said | None:
        """The one column that a phrase names; None where it names none, or several.

        Args:
            phrase: Words of a question, articles and “column” around it included.
            tables: Where it has to be, if that is known.
        """
        text, where = _bare(phrase), frozenset(tables)
        if not text:
            return None
        if (own := self.made.get(_key(text))) is not None:
            return own
        return self._known(text, where)

    def _find(self, text: str, where: frozenset[str]) -> Said | None:
        found = [s for s in self._headings.get(_key(text), ()) if not where or s.table in where]
        exact = [s for s in found if s.column == text] or found
        if len({(s.table, s.column) for s in exact}) == 1:
            return exact[0]
        if exact and where:
            return exact[0]
        return self._linked(text, where) or self._by_noun(text, where) or self._turned(text, where)

    def _linked(self, text: str, where: frozenset[str]) -> Said | None:
        """What the vocabulary takes the whole phrase for, a measure over one column being that column."""
        links = [x for x in self._vocabulary.whole(split_words(text)) if x.quality >= _SURE]
        best = max((link.quality for link in links), default=0.0)
        found: dict[tuple[str, str], Said] = {}
        for link in links:
            said = self._behind(link.kind, link.name) if link.quality >= best - 0.02 else None
            if said is not None and (not where or said.table in where):
                found[said.table, said.column] = said
        return next(iter(found.values())) if len(found) == 1 else None

    def _behind(self, kind: LinkKind, name: str) -> Said | None:
        if kind is LinkKind.DIMENSION:
            d = self._model.dimension(name)
            return Said(d.home.table, d.home.column, d)
        if kind is not LinkKind.METRIC:
            return None
        metric = self._model.metric(name)
        column = (metric.expression or "").strip("`")
        held = [d for d in self._model.dimensions if metric.table and d.at(metric.table) == column]
        return Said(metric.table or "", column, held[0]) if held and not metric.where else None

    def _turned(self, text: str, where: frozenset[str]) -> Said | None:
        """“the maximum temperature” of a column named temp_max: the same words in another order."""
        said = _spelt_out(name_words(text))
        if len(said) < 2:
            return None
        return _only(self._unordered.get(tuple(sorted(said)), {}), where)

    def _by_noun(self, text: str, where: frozenset[str]) -> Said | None:
        """“the closing price” of a column named close: a noun that says no more than that it is a number."""
        words = name_words(text)
        if len(words) < 2 or words[-1] not in _NOUNS:
            return None
        said = tuple(stem(_verb(w)) for w in words[:-1])
        return _only(self._stemmed.get(said, {}), where)


_ENDS = {"max": "maximum", "min": "minimum", "avg": "average"}


def _spelt_out(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(stem(_ENDS.get(w, ABBREVIATIONS.get(w, w))) for w in words)


def _unordered(key: str) -> list[tuple[str, ...]]:
    """The words of a heading in no order, with and without a unit at its end."""
    words = tuple(key.split())
    return [tuple(sorted(_spelt_out(w))) for w in (words, without_unit(words))]


def _only(held: Mapping[tuple[str, str], Said], where: frozenset[str]) -> Said | None:
    """The one column there is in those tables, or in any; None where there are more."""
    found = [s for s in held.values() if not where or s.table in where]
    return found[0] if len(found) == 1 else None


def _verb(word: str) -> str:
    """The verb of a form in -ing: closing, close."""
    if not word.endswith("ing") or len(word) < 6:
        return word
    return word[:-3] + "e" if word[-4] == "s" else word[:-3]


def _bare(phrase: str) -> str:
    """The phrase without quotes, articles before and “column” behind it."""
    text = phrase.strip().strip("\"'“”‘’`").strip()
    words = text.split()
    while words and fold(words[0]) in _ARTICLES and len(words) > 1:
        words = words[1:]
    while len(words) > 1 and fold(words[-1]) in _HEADS:
        words = words[:-1]
    return " ".join(words).strip().strip("\"'“”‘’`").strip(" ,")


def _key(heading: str) -> str:
    return " ".join(name_words(heading)) or re.sub(r"\s+", " ", fold(heading)).strip()
