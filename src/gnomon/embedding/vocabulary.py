"""The words that the shipped encoder knows whole: common English, and so a check on what is a misspelling."""

from __future__ import annotations

import json
from functools import cache

from gnomon.embedding.encoder import SHIPPED


@cache
def _ranked() -> dict[str, int]:
    tokenizer = json.loads((SHIPPED / "tokenizer.json").read_text(encoding="utf-8"))
    return {w: n for w, n in tokenizer["model"]["vocab"].items() if w.isalpha() and len(w) > 2}


@cache
def known_words() -> frozenset[str]:
    """Every whole word of letters in the encoder's vocabulary, in lower case."""
    return frozenset(_ranked())


def commonness(word: str) -> float:
    """How common a word is: the vocabulary lists frequent words first, and frequency falls with the place."""
    place = _ranked().get(word)
    return 1.0 / place if place else 0.0
