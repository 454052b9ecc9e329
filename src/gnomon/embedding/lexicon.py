"""An English lexicon: the senses of words, what they are kinds of, what derives from what, and opposites.

Made from WordNet by ``scripts/build_lexicon.py``. Loaded on first use; a word costs a binary search.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

SHIPPED = Path(__file__).parent / "wordnet" / "lexicon.z"
REMEMBERED = 20_000
# Endings that inflection adds, and what stood there before, by part of speech.
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("ies", "y"), ("men", "man")),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e"), ("ier", "y"), ("iest", "y")),
}  # fmt: skip


@dataclass(frozen=True)
class Sense:
    """One meaning of a word.

    Args:
        synset: The number of the meaning; words with a common one are synonyms.
        part: Part of speech: ``n``, ``v``, ``a`` or ``r``.
        share: How much of the word's use is this meaning.
    """

    synset: int
    part: str
    share: float


@dataclass(frozen=True)
class Tie:
    """A word that derives from another one, or is its opposite, in one meaning of each."""

    word: str
    source: int
    target: int


@dataclass(frozen=True)
class Entry:
    """What the lexicon has about one word; empty for words it does not know."""

    senses: tuple[Sense, ...] = ()
    derived: tuple[Tie, ...] = ()
    opposites: tuple[Tie, ...] = ()
    irregular: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Synset:
    """One meaning: its part of speech and topic, what it is a kind of, and the words for it."""

    part: str
    topic: int
    broader: tuple[int, ...]
    attributes: tuple[int, ...]
    alike: tuple[int, ...]
    words: tuple[str, ...]


class Lexicon:
    """The words of English and how their meanings hang together. Safe to share between threads.

    Args:
        packed: The compressed bytes that ``scripts/build_lexicon.py`` writes.
    """

    def __init__(self, packed: bytes) -> None:
        text = zlib.decompress(packed)
        middle = text.index(b"\n\n")
        self._text = text[: middle + 1]
        self._words = (0, middle + 1)
        self._meanings = text[middle + 2 :].split(b"\n")
        self.entry = lru_cache(maxsize=REMEMBERED)(self._entry)
        self.synset = lru_cache(maxsize=REMEMBERED)(self._synset)
        self.bases = lru_cache(maxsize=REMEMBERED)(self._bases)
        self.met = lru_cache(maxsize=REMEMBERED)(self._met)

    def _line(self, word: str) -> str | None:
        """The line of a word, found by halving the sorted lines."""
        wanted = word.encode("ascii", "replace")
        low, high = self._words
        while low < high:
            middle = (low + high) // 2
            start = self._text.rfind(b"\n", low, middle) + 1 or low
            end = self._text.index(b"\n", start)
            line = self._text[start:end]
            found = line.partition(b"\t")[0]
            if found == wanted:
                return line.decode("ascii")
            if found < wanted:
                low = end + 1
            else:
                high = start
        return None

    def _entry(self, word: str) -> Entry:
        """What is known about ``word``, as written (no inflections)."""
        line = self._line(word)
        if line is None:
            return Entry()
        _, senses, derived, opposites, irregular = (line.split("\t") + [""] * 4)[:5]
        return Entry(
            self._senses(senses),
            tuple(_tie(t) for t in derived.split()),
            tuple(_tie(t) for t in opposites.split()),
            tuple((base, part) for base, _, part in (x.partition("/") for x in irregular.split())),
        )

    def _senses(self, text: str) -> tuple[Sense, ...]:
        found: list[tuple[int, float]] = []
        for place, item in enumerate(text.split()):
            number, _, met = item.partition(":")
            # Later senses that nobody met still exist, the less the later they are listed.
            found.append((int(number), int(met or 0) + 1.0 / (1 + place)))
        total = sum(weight for _, weight in found)
        return tuple(Sense(n, self.synset(n).part, weight / total) for n, weight in found)

    def _synset(self, number: int) -> Synset:
        """The meaning of that number."""
        line = self._meanings[number].decode("ascii")
        kind, broader, attributes, alike, words = line.split("\t")
        return Synset(
            kind[0],
            int(kind[1:]),
            *(tuple(int(x) for x in part.split()) for part in (broader, attributes, alike)),
            words=tuple(words.split()),
        )

    def knows(self, word: str) -> bool:
        """Whether ``word`` is English, inflected or not."""
        return bool(self.bases(word))

    def _bases(self, word: str) -> tuple[tuple[str, str], ...]:
        """The words that ``word`` may be a form of, itself included, each with its part of speech."""
        found: dict[tuple[str, str], None] = {}
        own = self.entry(word)
        for base in own.irregular:
            found[base] = None
        for sense in own.senses:
            found[(word, sense.part)] = None
        for part, endings in _ENDINGS.items():
            if any(p == part for _, p in own.irregular):
                continue
            for ending, before in endings:
                if not word.endswith(ending) or len(word) - len(ending) < 2:
                    continue
                stem = word.removesuffix(ending) + before
                doubled = stem[:-1] if not before and len(stem) > 3 and stem[-1] == stem[-2] else None
                for base in (stem, doubled):
                    if base and any(s.part == part for s in self.entry(base).senses):
                        found[(base, part)] = None
        return tuple(found)

    def is_participle(self, word: str) -> bool:
        """Whether ``word`` says what was done: issued, sold, paid; not a verb as it is (need, feed)."""
        irregular = [base for base, part in self.entry(word).irregular if part == "v"]
        if irregular:
            return word not in irregular
        return word.endswith("ed") and any(part == "v" and base != word for base, part in self.bases(word))

    def _met(self, word: str, part: str | None = None) -> int:
        """How often ``word`` was met in the tagged texts, as that part of speech or at all."""
        line = self._line(word)
        if line is None:
            return 0
        items = (item.partition(":") for item in line.split("\t")[1].split())
        return sum(int(met) for n, _, met in items if met and part in (None, self.synset(int(n)).part))

    def starting(self, prefix: str) -> list[str]:
        """All words that begin with ``prefix``, in order."""
        wanted = prefix.encode("ascii", "replace")
        begin = 0 if self._text.startswith(wanted) else self._text.find(b"\n" + wanted, *self._words) + 1
        if begin == 0 and not self._text.startswith(wanted):
            return []
        found: list[str] = []
        for line in self._text[begin : self._words[1]].split(b"\n"):
            if not line.startswith(wanted):
                break
            found.append(line.partition(b"\t")[0].decode("ascii"))
        return found

    def ancestors(self, synset: int, steps: int = 20) -> dict[int, int]:
        """What a meaning is a kind of, at any remove up to ``steps``, with how far each is."""
        found: dict[int, int] = {}
        level = [synset]
        for step in range(1, steps + 1):
            level = [b for s in level for b in self.synset(s).broader if b not in found]
            if not level:
                break
            found.update((b, step) for b in level if b not in found)
        return found


def _tie(text: str) -> Tie:
    word, source, target = text.split(":")
    return Tie(word, int(source), int(target))


@cache
def get_lexicon() -> Lexicon:
    """The lexicon that ships with the package; one per process."""
    return Lexicon(SHIPPED.read_bytes())
