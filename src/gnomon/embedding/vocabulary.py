"""The words that the shipped encoder knows whole: common English, and so a check on what is a misspelling."""

from __future__ import annotations

from functools import cache

from gnomon.embedding.model_folder import SHIPPED

WORDS = SHIPPED / "words.txt"
"""The vocabulary of ``tokenizer.json``, a line for each entry; empty lines for pieces of words, signs and short words."""


@cache
def _ranked() -> dict[str, int]:
    return {w: n for n, w in enumerate(WORDS.read_text(encoding="utf-8").split("\n")) if w}


@cache
def known_words() -> frozenset[str]:
    """Every whole word of letters in the encoder's vocabulary, in lower case."""
    return frozenset(_ranked())


def commonness(word: str) -> float:
    """How common a word is: the vocabulary lists frequent words first, and frequency falls with the place."""
    place = _ranked().get(word)
    return 1.0 / place if place else 0.0
