"""Which language a question is in, when it is not English.

Scripts are told by their letters. Languages in Latin letters are told by their own words, their marked letters and
the look of their other words, and only where these outweigh the English in the question: names, codes,
misspellings and slang are never called foreign.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass

from gnomon.core.patterns import regex
from gnomon.language.foreign_words import (
    LanguageWords,
    english_words,
    fold,
    foreign_words,
    shared_words,
    tables,
)
from gnomon.language.scripts import Language, language_of_script, script_of

__all__ = ["Language", "recognise"]

_WORD = regex(r"[^\W\d_]+")
_DENSE = ("Han", "Hiragana", "Katakana", "Hangul")
_LOANS = frozenset(
    {
        "café",
        "cafés",
        "naïve",
        "résumé",
        "résumés",
        "façade",
        "cliché",
        "jalapeño",
        "crème",
        "brûlée",
        "déjà",
        "über",
    }
)
# The weight of one English word against the evidence for another language.
_ENGLISH = 4.0
_ENOUGH = 2.0
_PLAUSIBLE = -2.9


@dataclass(frozen=True)
class _Evidence:
    """What speaks for a language.

    Args:
        plain: How many different words of its own there are.
        particles: How many small words that also stand in names.
        lettered: How many other words are written with its letters.
        own: How many words are English as well as of the language.
        score: All of it together, with the look of the unknown words.
        plausible: The mean logarithm of the probability of a letter of the unknown words.
    """

    plain: int
    particles: int
    lettered: int
    own: int
    score: float
    plausible: float


def recognise(question: str) -> Language | None:
    """The language of ``question``, or None when it is English or cannot be told."""
    words = _WORD.findall(unicodedata.normalize("NFC", question))
    if not words:
        return None
    return _by_script(question, words) or _by_words(question, words)


def _by_script(question: str, words: list[str]) -> Language | None:
    """The language of a script other than Latin, where most of the letters are in it."""
    letters = Counter(script_of(letter) for word in words for letter in word)
    latin = letters.pop("Latin", 0)
    letters.pop("", None)
    foreign = sum(letters.values())
    english = sum(fold(word) in english_words() for word in words)
    # A character of these scripts says about as much as three letters of another.
    foreign += 2 * sum(letters[script] for script in _DENSE)
    if foreign < 2 or foreign <= latin or english > len(words) / 2:
        return None
    return language_of_script(letters, question)


def _by_words(question: str, words: list[str]) -> Language | None:
    """The language of a question in Latin letters."""
    folded = [fold(word) for word in words]
    english = sum(map(_is_english, words))
    only_english = sum(_is_english(word) and word.lower() not in foreign_words() for word in words)
    if only_english > len(words) / 2:
        return None
    unheard = [f for w, f in zip(words, folded, strict=True) if w.lower() not in english_words()]
    if all(map(str.isascii, words)) and foreign_words().isdisjoint(unheard):
        return None  # words that no list has, in plain letters: their look alone tells no language
    table, found = max(((t, _evidence(t, words, folded)) for t in tables()), key=lambda pair: pair[1].score)
    weight = found.plain + 0.5 * found.particles + 0.5 * found.lettered
    by_words = (found.plain >= 2 or (found.plain == 1 and weight >= 1.5)) and (
        weight + 0.5 * found.own > 1.5 * (english - found.own)
    )
    unknown = {word.lower() for word in words if word.lower() not in english_words() and len(word) > 1}
    anchored = found.plain + found.lettered >= 1 or (found.particles >= 1 and len(unknown) >= 4)
    by_look = (
        len(unknown) >= 3
        and anchored
        and found.score - _ENGLISH * (english - found.own) > _ENOUGH
        and found.plausible > _PLAUSIBLE
        and (question.islower() or not _all_capital(words))
    )
    if not (by_words or by_look) or _looks_like_a_name(question, words, found):
        return None
    return table.language


def _is_english(word: str) -> bool:
    """Whether a word speaks for English; one with marks never does."""
    return word.lower() in english_words() and word.lower() not in shared_words()


def _all_capital(words: list[str]) -> bool:
    return all(word[0].isupper() for word in words if len(word) > 3)


def _looks_like_a_name(question: str, words: list[str], found: _Evidence) -> bool:
    """Whether a few capitalised words and no question are rather the name of something."""
    asked = "?" in question or question.isupper()
    return _all_capital(words) and not asked and len(words) <= 4 and found.plain < 3


def _evidence(table: LanguageWords, words: list[str], folded: list[str]) -> _Evidence:
    own = sum(
        _is_english(word) and (f in table.plain or f in table.particles)
        for word, f in zip(words, folded, strict=True)
    )
    plain, particles, lettered = set[str](), set[str](), set[str]()
    looks: dict[str, float] = {}
    for word, plainly in zip(words, folded, strict=True):
        if word.lower() in english_words():
            continue
        if plainly in table.plain:
            plain.add(plainly)
        elif plainly in table.particles:
            particles.add(plainly)
        else:
            if len(plainly) >= 4:
                looks[plainly] = table.look(plainly)
            if _marked(word, table):
                lettered.add(plainly)
    if table.language.code == "vi":  # Its syllables carry marks that no other language has.
        tones = {f for w, f in zip(words, folded, strict=True) if w[0].islower() and _has_tone(w)}
        plain = (
            plain | tones if tones or len(plain) >= 4 else set[str]()
        )  # Without marks, syllables are like any.
        lettered -= tones
    score = (
        sum(3 + 0.5 * table.rarity(word) for word in plain) + 1.5 * len(particles) + 1.5 * len(lettered) + own
    )
    score += sum(max(-3.0, min(2.5, look / 2)) for look in looks.values())
    score += sum(table.letter_rarity(letter) for letter in {x for word in words for x in word.lower()})
    plausible = [table.model.log_likelihood(word) / (len(word) + 1) for word in looks]
    mean = sum(plausible) / len(plausible) if plausible else 0.0
    return _Evidence(len(plain), len(particles), len(lettered), own, score, mean)


def _marked(word: str, table: LanguageWords) -> bool:
    """Whether a word that is no name has letters of the language."""
    return word[0].islower() and word not in _LOANS and not table.letters.isdisjoint(word)


def _has_tone(word: str) -> bool:
    return any(0x1EA0 <= ord(letter) <= 0x1EF9 for letter in word)
