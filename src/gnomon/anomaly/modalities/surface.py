"""What can be seen of a document without understanding it: length, characters, spelling, vocabulary, repetition."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from gnomon.core.patterns import regex

_WORD = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)

MEASURES = (
    "length",
    "word length",
    "share of letters",
    "share of digits",
    "share of capitals",
    "share of punctuation",
    "share of unusual characters",
    "unlikely spelling",
    "share of common words",
    "share of words seen nowhere else",
    "repetition",
)
ONE_SIDED = frozenset(
    {"unlikely spelling", "share of unusual characters", "share of words seen nowhere else"}
)
"""Measures where only a high value is a departure."""


@dataclass
class Surface:
    """The characters and words that a collection of documents usually holds."""

    pairs: dict[str, Counter[str]] = field(default_factory=dict)
    alphabet: Counter[str] = field(default_factory=lambda: Counter())
    holders: Counter[str] = field(default_factory=lambda: Counter())
    common: frozenset[str] = frozenset()
    documents: int = 0

    @classmethod
    def learn(cls, texts: list[str]) -> Surface:
        """Count characters, pairs of characters and words over all documents."""
        self = cls(documents=len(texts))
        uses: Counter[str] = Counter()
        for text in texts:
            words = _words(text)
            uses.update(words)
            self.holders.update(set(words))
            self.alphabet.update(set(text))
            for pair in _pairs(text):
                self.pairs.setdefault(pair[:2], Counter())[pair[2]] += 1
        ranked = sorted(self.holders, key=lambda w: (-self.holders[w], w))
        self.common = frozenset(ranked[:100])
        return self

    def measure(self, texts: list[str], *, known: bool) -> np.ndarray:
        """One row of ``MEASURES`` per document; ``known`` says that these documents were learned from."""
        return np.array([self._measure(t, int(known)) for t in texts])

    def _measure(self, text: str, own: int) -> list[float]:
        words = _words(text)
        n, visible = max(len(text), 1), max(sum(not c.isspace() for c in text), 1)
        letters = sum(c.isalpha() for c in text)
        digits = sum(c.isdigit() for c in text)
        rare = sum(self.alphabet[c] - own < max(1, 0.005 * self.documents) for c in text)
        count = max(len(words), 1)
        packed = len(zlib.compress(text.encode("utf-8", "replace"), 6)) - 11
        return [
            float(np.log1p(len(text))),
            float(np.log1p(letters / count)) if words else 0.0,
            letters / visible,
            digits / visible,
            sum(c.isupper() for c in text) / max(letters, 1),
            (visible - letters - digits) / visible,
            rare / n,
            self._spelling(text, own),
            sum(w in self.common for w in words) / count,
            sum(self.holders[w] <= own for w in words) / count,
            float(np.log(max(packed, 1) / n)) - 0.5 * float(np.log(120 / (120 + n))),
        ]

    @staticmethod
    def shown(measured: np.ndarray) -> np.ndarray:
        """The measures as people count them: characters, and letters a word, not their logarithms."""
        out = measured.copy()
        counted = [MEASURES.index("length"), MEASURES.index("word length")]
        out[:, counted] = np.expm1(out[:, counted])
        repetition = MEASURES.index("repetition")
        out[:, repetition] = np.exp(out[:, repetition])
        return out

    def _spelling(self, text: str, own: int) -> float:
        """Mean surprise of each character after the two before it, the document's own counts taken out."""
        trigrams = _pairs(text)
        if not trigrams:
            return 0.0
        mine = Counter(trigrams) if own else Counter[str]()
        mine_before: Counter[str] = Counter()
        for t, c in mine.items():
            mine_before[t[:2]] += c
        total = 0.0
        for t, c in Counter(trigrams).items():
            following = self.pairs.get(t[:2])
            seen = following[t[2]] if following else 0
            every = following.total() if following else 0
            p = (max(seen - mine[t], 0) + 0.02) / (max(every - mine_before[t[:2]], 0) + 1.0)
            total -= c * float(np.log(p))
        return total / (len(trigrams) + 3)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _pairs(text: str) -> list[str]:
    """Runs of three characters, digits made alike so that numbers are not spelling."""
    plain = re.sub(r"\d", "0", re.sub(r"\s+", " ", f" {text.casefold()} "))[:4000]
    return [plain[i : i + 3] for i in range(len(plain) - 2)]
