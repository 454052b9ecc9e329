"""The word lists by which languages in Latin letters are told, read from the room's data when first needed."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain

from gnomon.language.letter_model import LetterModel
from gnomon.language.scripts import Language

_FOLDED = str.maketrans({"ł": "l", "đ": "d", "ø": "o", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d"})


@dataclass(frozen=True)
class LanguageWords:
    """The words and letters by which a language is known.

    Args:
        language: The language.
        plain: Words that hardly stand in a name.
        particles: Small words that often do.
        letters: Letters that English lacks.
    """

    language: Language
    plain: frozenset[str]
    particles: frozenset[str]
    letters: frozenset[str]

    @cached_property
    def model(self) -> LetterModel:
        """The look of its words."""
        return LetterModel(sorted(self.plain | self.particles))

    def look(self, word: str) -> float:
        """How much more a word looks like this language than like English."""
        return self.model.log_likelihood(word) - _english_model().log_likelihood(word)

    def rarity(self, word: str) -> float:
        """One for a word of this language only, less for one that others share."""
        return 1 / _word_counts()[word] if word in _word_counts() else 1.0

    def letter_rarity(self, letter: str) -> float:
        """The same for a letter; nothing for one that the language does not have."""
        return 0.8 / _letter_counts()[letter] if letter in self.letters else 0.0


def fold(word: str) -> str:
    """A word in small letters without its marks."""
    small = word.lower()
    if small.isascii():
        return small
    split = unicodedata.normalize("NFKD", small.translate(_FOLDED))
    return split.translate({ord(letter): None for letter in {*split} if unicodedata.combining(letter)})


@cache
def english_words() -> frozenset[str]:
    """English words that questions are made of; none of them is evidence for another language."""
    return frozenset(word for line in _lines("english_words.txt") for word in line.strip("= ").split())


@cache
def shared_words() -> frozenset[str]:
    """English words that many languages have too; they are no evidence for English either."""
    lines = [line for line in _lines("english_words.txt") if line.startswith("=")]
    return frozenset(word for line in lines for word in line.strip("= ").split())


@cache
def tables() -> tuple[LanguageWords, ...]:
    """Every language in Latin letters that is known."""
    found: list[LanguageWords] = []
    for block in "\n".join(_lines("foreign_words.txt")).split("[")[1:]:
        title, *lines = block.splitlines()
        code, _, name = title.strip("]").partition(" ")
        rows = {mark: " ".join(line[1:] for line in lines if line[0] == mark) for mark in "+~!"}
        plain, particles = (frozenset(fold(rows[mark]).split()) for mark in "+~")
        letters = frozenset(rows["!"].replace(" ", ""))
        found.append(LanguageWords(Language(code, name), plain - particles, particles, letters))
    return tuple(found)


@cache
def foreign_words() -> frozenset[str]:
    """Every word of any of these languages."""
    return frozenset(_word_counts())


@cache
def _english_model() -> LetterModel:
    return LetterModel(sorted(english_words()))


@cache
def _word_counts() -> dict[str, int]:
    return dict(Counter(chain.from_iterable(words for t in tables() for words in (t.plain, t.particles))))


@cache
def _letter_counts() -> dict[str, int]:
    return dict(Counter(letter for table in tables() for letter in table.letters))


def _lines(name: str) -> list[str]:
    text = (files("gnomon.language") / "data" / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
