"""The words that the shipped encoder knows whole: common English, and so a check on what is a misspelling."""

from __future__ import annotations

import json
from functools import cache

from gnomon.embedding.encoder import SHIPPED


@cache
def known_words() -> frozenset[str]:
    """Every whole word of letters in the encoder's vocabulary, in lower case."""
    tokenizer = json.loads((SHIPPED / "tokenizer.json").read_text(encoding="utf-8"))
    return frozenset(w for w in tokenizer["model"]["vocab"] if w.isalpha() and len(w) > 2)
