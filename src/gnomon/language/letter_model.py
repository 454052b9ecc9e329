"""How likely a word is in a language, from the runs of letters in a list of its words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable


class LetterModel:
    """Letters one after another, each given the two before it, with shorter contexts where those are unseen.

    Args:
        words: Words of the language in small letters without marks.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._runs = Counter[str]()
        self._contexts = Counter[str]()
        self._letters = 0
        for word in words:
            framed = f"^{word}$"
            self._letters += len(framed) - 1
            for i in range(1, len(framed)):
                self._runs[framed[i]] += 1
                for length in (1, 2):
                    if i >= length:
                        self._runs[framed[i - length : i + 1]] += 1
                        self._contexts[framed[i - length : i]] += 1

    def log_likelihood(self, word: str) -> float:
        """The logarithm of the probability of ``word``, its end included."""
        framed = f"^{word}$"
        return sum(math.log(self._probability(framed, i)) for i in range(1, len(framed)))

    def _probability(self, framed: str, i: int) -> float:
        p = (self._runs[framed[i]] + 0.5) / (self._letters + 14)
        for length, trust in ((1, 5.0), (2, 3.0)):
            if i >= length:
                seen = self._runs[framed[i - length : i + 1]]
                p = (seen + trust * p) / (self._contexts[framed[i - length : i]] + trust)
        return p
