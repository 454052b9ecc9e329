"""What the router decides with: a logistic head over the sentence vector and hashed word and letter sequences.

The vector carries what a question means, the sequences how it is put ("how come", "should we"), and
sequences of letters survive misspelling.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.core.errors import UnreadableSource
from gnomon.core.patterns import regex
from gnomon.language.logistic import LogisticHead
from gnomon.language.ood import read_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

BUCKETS = 8192
PENALTY = 0.2
WORDS = 3
LETTERS = (3, 4, 5)
MAX_TOKENS = 200
TOKEN = regex(r"[a-z]+(?:'[a-z]+)?|\d+|\?")
WAY_OF_READING = f"{BUCKETS} {WORDS} {LETTERS} {MAX_TOKENS} {TOKEN.pattern}"


@dataclass(frozen=True)
class RouterHead:
    """Two fitted heads: one over vector and text, one for callers who have only the vector."""

    whole: LogisticHead
    vector_only: LogisticHead

    @classmethod
    def fit(cls, texts: Sequence[str], vectors: Array, diagnostic: NDArray[np.bool_]) -> RouterHead:
        """Learn from questions, their vectors and whether each asks for a diagnosis."""
        from threadpoolctl import threadpool_limits

        # One thread: small matrices, and the same sums in the same order on every machine.
        with threadpool_limits(1):
            return cls(
                LogisticHead.fit(np.hstack([vectors, text_features(texts)]), diagnostic, PENALTY),
                LogisticHead.fit(vectors, diagnostic, PENALTY),
            )

    def score(self, text: str, vector: NDArray[Any]) -> float:
        """Log-odds that a question asks for a diagnosis."""
        weights = self.whole.weights
        row = np.asarray(vector, dtype=np.float64)
        score = self.whole.offset + float(np.einsum("i,i->", row, weights[: len(row)]))
        for places, value in text_places(text):
            score += value * float(weights[len(row) + places].sum())
        return score

    def vector_score(self, vector: NDArray[Any]) -> float:
        """The same from the vector alone."""
        return float(self.vector_only.scores(np.asarray(vector, dtype=np.float64)[None, :])[0])

    def to_arrays(self) -> dict[str, Any]:
        """The weights as plain arrays, rounded to what matters."""
        return {
            "whole": self.whole.weights.astype(np.float32),
            "vector_only": self.vector_only.weights.astype(np.float32),
            "offsets": np.array([self.whole.offset, self.vector_only.offset]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> RouterHead:
        """The head that ``to_arrays`` described."""
        offsets = [float(v) for v in arrays["offsets"]]
        whole, vector_only = (arrays[k].astype(np.float64) for k in ("whole", "vector_only"))
        return cls(LogisticHead(whole, offsets[0]), LogisticHead(vector_only, offsets[1]))

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        with path.open("wb") as file:
            np.savez_compressed(file, **self.to_arrays())

    @classmethod
    def load(cls, path: Path) -> RouterHead:
        """Read what :meth:`save` wrote.

        Raises:
            UnreadableSource: The file is missing or is not a saved head.
        """
        try:
            return cls.from_arrays(read_arrays(path))
        except KeyError as e:
            raise UnreadableSource(f"{path} is not a saved router head: it lacks {e}.") from None


def text_features(texts: Sequence[str]) -> Array:
    """One row per text: which sequences of words (first half) and of letters (second half) it holds."""
    rows = np.zeros((len(texts), 2 * BUCKETS))
    for row, text in zip(rows, texts, strict=True):
        for places, value in text_places(text):
            row[places] = value
    return rows


def text_places(text: str) -> Iterator[tuple[NDArray[np.intp], float]]:
    """Where a text's row is not zero, and what stands there."""
    tokens = _tokens(text)
    for half, sequences in enumerate((_word_sequences(tokens), _letter_sequences(tokens))):
        found = sorted({zlib.crc32(s) % BUCKETS for s in sequences})
        yield half * BUCKETS + np.array(found, dtype=np.intp), 1.0 / sqrt(len(found))


def _tokens(text: str) -> list[str]:
    words = TOKEN.findall(text[:4000].lower().replace("’", "'"))
    return ["0" if w.isdigit() else w for w in words[:MAX_TOKENS]]


def _word_sequences(tokens: Sequence[str]) -> Iterator[bytes]:
    framed = [b"<", *(t.encode() for t in tokens), b">"]
    for length in range(1, WORDS + 1):
        for start in range(len(framed) - length + 1):
            yield b" ".join(framed[start : start + length])


def _letter_sequences(tokens: Sequence[str]) -> Iterator[bytes]:
    # Bytes are letters here: a token is ASCII, but for other scripts' digits, which ``_tokens`` writes as 0.
    text = f" {' '.join(tokens)} ".encode()
    for length in LETTERS:
        for start in range(max(1, len(text) - length + 1)):
            yield text[start : start + length]
