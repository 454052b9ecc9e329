"""An index over the values of dimensions: which words of a question name something that is in the data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from gnomon.core.patterns import regex
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.value_lists import as_written, parts_of_lists
from gnomon.semantic.value_text import (
    JOINING,
    are_numbered,
    distance,
    letters,
    normalised,
    stemmed,
    without_number,
)

if TYPE_CHECKING:
    from gnomon.data import Dataset
    from gnomon.semantic.value_reading import Split

Kind = Literal["exact", "stem", "fuzzy", "partial"]
_LONGEST = 8
_FUZZY_LETTERS = 5
_MOST_PARTIAL = 5
_SHORT = 6
_REMEMBERED = 1024
_DIGITLESS = regex(r"\D+").fullmatch
_FUNCTION_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "in",
        "on",
        "or",
        "of",
        "to",
        "at",
        "is",
        "it",
        "as",
        "by",
        "be",
        "no",
        "me",
        "my",
        "we",
        "so",
        "up",
        "do",
        "if",
        "for",
        "and",
        "all",
        "any",
        "not",
        "are",
        "was",
        "this",
        "that",
        "with",
        "from",
        "per",
        "i",
        "s",
        "t",
        "yes",
        "true",
        "false",
        "y",
        "n",
        "what",
        "which",
        "how",
        "who",
        "when",
        "where",
        "than",
        "more",
        "most",
        "other",
        "new",
        "top",
    ]
)


_TURNED = regex(r"([^\W\d][^,;]*),\s+([^\W\d][^,;]*)")


@dataclass(frozen=True)
class ValueMatch:
    """Words of a question that name a value.

    Args:
        start: Position of the first word.
        end: Position after the last word.
        dimension: Name of the dimension that holds the value.
        value: The value as stored.
        score: Between 0 and 1; 1 only for the exact words.
        kind: How the words match.
        personal: Whether the dimension holds personal data.
    """

    start: int
    end: int
    dimension: str
    value: Any
    score: float
    kind: Kind
    personal: bool = False


class _Entry(NamedTuple):
    dimension: str
    value: Any
    words: int
    length: int


class ValueIndex:
    """Finds values in questions; made by :meth:`build`.

    Args:
        values: The values of each dimension as stored, the most frequent first.
        personal: Names of the dimensions that hold personal data.
        twins: Dimensions that say the same as another in every row, and that other.
        namesakes: Names that several things have, by the dimension that holds them.
        apart: For columns of names, the columns that split some of them, and which: counties, by their state.
        partial: Whether values were left out, so that what is not found may still be there.
    """

    def __init__(
        self,
        values: dict[str, tuple[Any, ...]],
        personal: Iterable[str] = (),
        twins: Mapping[str, str] | None = None,
        namesakes: Mapping[str, frozenset[Any]] | None = None,
        apart: Mapping[str, Mapping[str, Split]] | None = None,
        *,
        partial: bool = False,
    ) -> None:
        self._values = values
        self.partial = partial
        self.twins = dict(twins or {})
        self.namesakes = dict(namesakes or {})
        self.apart = dict(apart or {})
        self._personal = frozenset(personal)
        self._exact: dict[str, list[_Entry]] = defaultdict(list)
        self._stems: dict[str, list[_Entry]] = defaultdict(list)
        self._by_word: dict[str, list[_Entry]] = defaultdict(list)
        self._ends: dict[tuple[str, int], list[str]] = defaultdict(list)
        self._letters: dict[tuple[str, int], list[int]] = {}
        for name, held in values.items():
            numbered = are_numbered(held)
            for value in held:
                self._add(name, value)
                if numbered:  # "poor", of 3_Poor
                    self._add(name, value, without_number(value))
                if isinstance(value, str) and (turned := _TURNED.fullmatch(value.strip())):
                    self._add(name, value, f"{turned[2]} {turned[1]}")  # "Ada Byron", of Byron, Ada
        self.lists = {name: cells for name, held in values.items() if (cells := parts_of_lists(held))}
        for name, cells in self.lists.items():
            for part in cells:
                if (said := as_written(part, cells)) not in values[name]:
                    self._add(name, said)
        for key in self._exact:
            self._add_ends(key)
        self._found = lru_cache(maxsize=_REMEMBERED)(self._find)

    @classmethod
    def build(
        cls, dataset: Dataset, model: SemanticModel, *, max_values_per_dimension: int = 20_000
    ) -> ValueIndex:
        """Read the values of every dimension that people refer to by value.

        Long texts that hardly repeat are left out, and so are numbers and dates; dimensions with more
        values keep the most frequent ones.
        """
        from gnomon.semantic.value_reading import namesakes, read_values, told_apart, twin_columns

        values = dict(read_values(dataset, model, max_values_per_dimension))
        personal = (d.name for d in model.dimensions if d.personal)
        twins = twin_columns(dataset, model, values)
        return cls(values, personal, twins, namesakes(dataset, model), told_apart(dataset, model))

    def wider(self, more: Mapping[str, tuple[Any, ...]]) -> ValueIndex:
        """The same index with the values of further dimensions."""
        held = {**self._values, **more}
        return ValueIndex(held, self._personal, self.twins, self.namesakes, self.apart, partial=self.partial)

    def without(
        self, dimensions: Collection[str], rare: Mapping[str, Collection[Any]] | None = None
    ) -> ValueIndex:
        """The same index that knows no value of some dimensions, and no ``rare`` one of the others.

        Words are then read alike whether they are one or not.
        """
        left = {name: frozenset(values) for name, values in (rare or {}).items()}
        held = {
            name: () if name in dimensions else tuple(v for v in kept if v not in left.get(name, ()))
            for name, kept in self._values.items()
        }
        namesakes = {name: kept for name, kept in self.namesakes.items() if name not in dimensions}
        apart = {name: kept for name, kept in self.apart.items() if name not in dimensions}
        return ValueIndex(held, self._personal, self.twins, namesakes, apart, partial=True)

    def values(self, dimension: str) -> tuple[Any, ...]:
        """The known values of a dimension, the most frequent first; empty where none are kept."""
        return self._values.get(dimension, ())

    def find(self, words: Sequence[str]) -> list[ValueMatch]:
        """Every span of ``words`` that names a value, best first.

        Args:
            words: The question's words in order; positions in the result refer to them.
        """
        return list(self._found(tuple(words)))

    def _find(self, words: tuple[str, ...]) -> tuple[ValueMatch, ...]:
        tokens = [(t, i) for i, word in enumerate(words) for t in normalised(word)]
        tokens = [(t, i) for t, i in tokens if t not in JOINING] or tokens
        found: dict[tuple[int, int, str, Any], ValueMatch] = {}
        for match in self._matches(tokens):
            key = (match.start, match.end, match.dimension, match.value)
            if key not in found or found[key].score < match.score:
                found[key] = match
        ranked = sorted(found.values(), key=lambda m: (-m.score, m.start, -(m.end - m.start), m.dimension))
        return tuple(ranked)

    def close(self, text: str, limit: int = 5) -> list[ValueMatch]:
        """Values that resemble ``text``, for "did you mean"."""
        words = text.split()
        key = " ".join(t for t in normalised(text) if t not in JOINING)
        most = max(1, min(3, len(key) // 3))
        matches = {(m.dimension, m.value): m for m in self.find(words)}
        for known in list(self._near(key, most)):
            d = distance(key, known, most)
            for e in self._exact[known] if d <= most else ():
                score = round(0.9 * (1 - d / max(len(key), 1)), 3)
                match = self._match(e, 0, len(words), score, "fuzzy")
                held = matches.get((e.dimension, e.value))
                if held is None or held.score < score:
                    matches[e.dimension, e.value] = match
        return sorted(matches.values(), key=lambda m: (-m.score, str(m.value)))[:limit]

    def _add(self, dimension: str, value: Any, said: str | None = None) -> None:
        if not isinstance(value, str):
            return
        every = normalised(said or value)
        words = [w for w in every if w not in JOINING] or every
        if not words or (len(words) == 1 and words[0] in _FUNCTION_WORDS):
            return
        key = " ".join(words)
        if key.replace(" ", "").isdigit():
            return
        entry = _Entry(dimension, value, len(words), len(key))
        self._exact[key].append(entry)
        if (plain := " ".join(stemmed(words))) != key or key[-1] == "s":
            self._stems[plain].append(entry)
        if len(words) > 1:
            for word in set(words):
                if len(word) > 2 and not word.isdigit() and word not in _FUNCTION_WORDS:
                    self._by_word[word].append(entry)

    def _add_ends(self, key: str) -> None:
        if len(key) < _FUZZY_LETTERS - 2 or not _DIGITLESS(key):
            return
        for end in _end_letters(key):
            self._ends[end, len(key)].append(key)

    def _matches(self, tokens: list[tuple[str, int]]) -> Iterator[ValueMatch]:
        covered: set[int] = set()
        for size in range(min(_LONGEST, len(tokens)), 0, -1):
            for at in range(len(tokens) - size + 1):
                span = tokens[at : at + size]
                if len({i for _, i in span}) < size and not _whole(tokens, at, size):
                    continue
                named = list(self._named(span))
                if named:
                    covered.update(range(at, at + size))
                    yield from named
        yield from self._partial(tokens)
        yield from self._fuzzy(tokens, covered)

    def _named(self, span: list[tuple[str, int]]) -> Iterator[ValueMatch]:
        words = [t for t, _ in span]
        key, start, end = " ".join(words), span[0][1], span[-1][1] + 1
        exact = self._exact.get(key, ())
        for e in exact:
            yield self._match(e, start, end, 1.0 if len(key) > 2 else 0.7, "exact")
        if len(key) < 3:
            return
        stem = " ".join(stemmed(words))
        known = {(e.dimension, e.value) for e in exact}
        for e in (*self._stems.get(stem, ()), *(self._exact.get(stem, ()) if stem != key else ())):
            if (e.dimension, e.value) not in known:
                yield self._match(e, start, end, 0.95, "stem")

    def _partial(self, tokens: list[tuple[str, int]]) -> Iterator[ValueMatch]:
        """Some of the words of a longer value, where few values have them."""
        at = 0
        while at < len(tokens):
            size, entries = 0, dict[tuple[str, Any], _Entry]()
            while at + size < len(tokens):
                word = tokens[at + size][0]
                here = {(e.dimension, e.value): e for e in self._by_word.get(word, ())}
                kept = here if not size else {k: e for k, e in entries.items() if k in here}
                if not kept:
                    break
                entries, size = kept, size + 1
            if size and len(entries) <= _MOST_PARTIAL:
                length = sum(len(t) for t, _ in tokens[at : at + size]) + size - 1
                for e in entries.values():
                    if size < e.words:
                        score = round(0.5 + 0.35 * min(1.0, length / e.length), 3)
                        yield self._match(e, tokens[at][1], tokens[at + size - 1][1] + 1, score, "partial")
            at += max(size, 1)

    def _fuzzy(self, tokens: list[tuple[str, int]], covered: set[int]) -> Iterator[ValueMatch]:
        for at in range(len(tokens)):
            for size in (1, 2, 3):
                span = tokens[at : at + size]
                if len(span) < size or all(p in covered for p in range(at, at + size)):
                    continue
                if size > 1 and not any(t in self._by_word for t, _ in span):
                    continue
                yield from self._resembling(span)

    def _resembling(self, span: list[tuple[str, int]]) -> Iterator[ValueMatch]:
        key = " ".join(t for t, _ in span)
        if len(key) < _FUZZY_LETTERS or not _DIGITLESS(key) or key in _FUNCTION_WORDS:
            return
        most = 1 if len(key) < 8 else 2
        for known in self._near(key, most):
            d = distance(key, known, most)
            if 0 < d <= most:
                score = round(min(0.88, 1 - 1.2 * d / len(key)), 3)
                for e in self._exact[known]:
                    yield self._match(e, span[0][1], span[-1][1] + 1, score, "fuzzy")

    def _near(self, key: str, most: int) -> set[str]:
        """Keys that share the first or the last letters, are about as long and made of about the same letters."""
        mask, found = letters(key), set[str]()
        for length in range(len(key) - most, len(key) + most + 1):
            for end in _end_letters(key):
                held = self._ends.get((end, length), ())
                if held and (end, length) not in self._letters:
                    self._letters[end, length] = [letters(k) for k in held]
                masks = self._letters.get((end, length), ())
                found.update(
                    k for k, m in zip(held, masks, strict=True) if (mask ^ m).bit_count() <= 2 * most
                )
        return found

    def _match(self, entry: _Entry, start: int, end: int, score: float, kind: Kind) -> ValueMatch:
        personal = entry.dimension in self._personal
        return ValueMatch(start, end, entry.dimension, entry.value, score, kind, personal)


def _end_letters(key: str) -> tuple[str, str]:
    """The first and the last letters: one slip leaves at least one of the two as it is."""
    size = 2 if len(key) <= _SHORT else 3
    return "<" + key[:size], ">" + key[-size:]


def _whole(tokens: list[tuple[str, int]], at: int, size: int) -> bool:
    """Whether a span of tokens begins and ends where words do."""
    first, last = tokens[at][1], tokens[at + size - 1][1]
    before = tokens[at - 1][1] if at else -1
    after = tokens[at + size][1] if at + size < len(tokens) else -1
    return before != first and after != last
