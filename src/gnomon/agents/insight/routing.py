"""Domain-aware routing: which paths a question takes, learned from the few questions that the path files list."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.agents.insight.paths import SHIPPED, DomainPath, DomainPathRegistry, shipped_files
from gnomon.core.errors import UnreadableSource
from gnomon.core.private import remember
from gnomon.language.ood import read_arrays
from gnomon.language.router_head import WAY_OF_READING, text_features, text_places
from gnomon.planning.augment import AugmentedQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

    Array = NDArray[np.float64]

VECTORS = SHIPPED / "asks.npz"
# Chosen by leaving out one question at a time; the wording counts less than the meaning.
WORDING = 0.6
RIDGE = 0.6
ALSO = 0.3
MOST_DOMAINS = 3


@dataclass(frozen=True)
class DomainChoice:
    """The domains of a question, the likeliest first, with the probability of every domain."""

    domains: tuple[str, ...]
    probabilities: dict[str, float]


@dataclass(frozen=True)
class _Fitted:
    """Weights of the vector and of the wording, a column for each domain; ``sharpness`` makes scores probabilities."""

    weights: Array
    offset: Array
    sharpness: float

    def score(self, text: str, vector: NDArray[Any]) -> Array:
        """How much speaks for each domain."""
        row = np.asarray(vector, dtype=np.float64)
        score = self.offset + np.einsum("i,ik->k", row, self.weights[: len(row)])
        for places, value in text_places(text):
            score += WORDING * value * self.weights[len(row) + places].sum(axis=0)
        return score

    def to_arrays(self) -> dict[str, Any]:
        """What is worth keeping: most sequences stand in no question."""
        met = np.flatnonzero(self.weights.any(axis=1))
        return {
            "met": met,
            "weights": self.weights[met].astype(np.float32),
            "offset": self.offset,
            "shape": np.array(self.weights.shape),
            "sharpness": np.array(self.sharpness),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> _Fitted:
        """What :meth:`to_arrays` described."""
        weights = np.zeros(tuple(arrays["shape"]))
        weights[arrays["met"]] = arrays["weights"]
        return cls(weights, arrays["offset"], float(arrays["sharpness"]))


class DomainAwareRouter:
    """Few-shot: a ridge classifier over sentence vectors and wording, fitted to the questions of the paths.

    Needs no language model; a domain that a user adds is learned from its own few questions when it is first used.

    Args:
        registry: The paths with their questions.
        encoder: Turns texts into vectors; the shipped one by default.
        cache: Folder in which what was learned is kept.
    """

    def __init__(
        self, registry: DomainPathRegistry, encoder: SentenceEncoder | None = None, cache: Path | None = None
    ) -> None:
        self.registry = registry
        self._encoder = encoder
        self._cache = cache
        self._fitted: _Fitted | None = None
        self._lock = threading.Lock()

    def route(self, query: AugmentedQuery | str) -> DomainPath:
        """The path that resolves a question: of its domain, or of several together."""
        return self.registry.get_path(self.choose(query).domains)

    def choose(self, query: AugmentedQuery | str) -> DomainChoice:
        """The domains that apply: the likeliest, and others that are likely as well."""
        text = query if isinstance(query, str) else query.original
        fitted = self._ready()
        scores = fitted.score(text, self._used_encoder().encode_question(text))
        likely = _softmax(fitted.sharpness * scores[None, :])[0]
        order = np.argsort(-likely, kind="stable")
        chosen = [int(k) for i, k in enumerate(order[:MOST_DOMAINS]) if i == 0 or likely[k] >= ALSO]
        names = self.registry.domains
        return DomainChoice(
            tuple(names[k] for k in chosen), {d: float(p) for d, p in zip(names, likely, strict=True)}
        )

    def left_out(self) -> tuple[int, int]:
        """How many of the questions are routed right when each is left out of what is learned, and how many there are."""
        examples, labels = self._examples()
        with _one_thread():
            left = _left_out(_kernel(examples), _targets(labels, len(self.registry.domains)))
        return int((left.argmax(axis=1) == labels).sum()), len(labels)

    def _ready(self) -> _Fitted:
        with self._lock:
            if self._fitted is None:
                self._fitted = self._remembered() or self._learned()
            return self._fitted

    def _learned(self) -> _Fitted:
        examples, labels = self._examples()
        with _one_thread():
            kernel, wanted = _kernel(examples), _targets(labels, len(self.registry.domains))
            duals: Array = np.linalg.solve(kernel + RIDGE * np.eye(len(kernel)), wanted).astype(np.float64)
            sharpness = _sharpness(_left_out(kernel, wanted), labels)
            arrays = _Fitted(examples.T @ duals, duals.sum(axis=0), sharpness).to_arrays()
        if (kept := self._kept()) is not None:
            packed = io.BytesIO()
            np.savez(packed, **arrays)
            remember(kept, packed.getvalue())
        # Rounded as it is kept, so that the next run says the same.
        return _Fitted.from_arrays(arrays)

    def _remembered(self) -> _Fitted | None:
        """What an earlier run learned from the same questions."""
        kept = self._kept()
        if kept is None or not kept.is_file():
            return None
        try:
            return _Fitted.from_arrays(read_arrays(kept))
        except (UnreadableSource, KeyError, ValueError, IndexError):
            kept.unlink(missing_ok=True)
            return None

    def _kept(self) -> Path | None:
        if self._cache is None or self._encoder is not None:
            return None
        learned = "\n".join(f"{domain}\t{text}" for text, domain in self.registry.asks)
        marks = f"{WORDING} {RIDGE} {WAY_OF_READING}\n{learned}"
        return self._cache / f"{hashlib.sha256(marks.encode()).hexdigest()[:32]}.npz"

    def _examples(self) -> tuple[Array, NDArray[np.int64]]:
        asks = self.registry.asks
        texts = [text for text, _ in asks]
        names = list(self.registry.domains)
        return _features(texts, self._vectors(texts)), np.array([names.index(d) for _, d in asks])

    def _vectors(self, texts: Sequence[str]) -> Array:
        """The vectors of the questions; those of shipped ones ship as well."""
        held = _shipped_vectors() if self._encoder is None else {}
        others = [text for text in texts if text not in held]
        if others:
            encoder = self._used_encoder()
            held = held | dict(zip(others, encoder.encode(others).astype(np.float64), strict=True))
        return np.array([held[text] for text in texts])

    def _used_encoder(self) -> SentenceEncoder:
        from gnomon.embedding import get_encoder

        return self._encoder or get_encoder()


def shipped_asks() -> list[str]:
    """The questions of the shipped paths, whatever kind of data they are for."""
    return list(dict.fromkeys(ask for file in shipped_files() for ask in file.asks))


def save_vectors(encoder: SentenceEncoder, path: Path = VECTORS) -> None:
    """Encode the questions of the shipped paths."""
    texts = shipped_asks()
    vectors = encoder.encode(texts).astype(np.float32)
    np.savez_compressed(path, texts=np.array(texts), vectors=vectors)


def _shipped_vectors() -> dict[str, Array]:
    stored = read_arrays(VECTORS)
    return dict(zip(stored["texts"].tolist(), stored["vectors"].astype(np.float64), strict=True))


def _features(texts: Sequence[str], vectors: Array) -> Array:
    return np.hstack([vectors, WORDING * text_features(texts)])


def _one_thread() -> AbstractContextManager[object]:
    """For small matrices, over which further threads spin longer than they work."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def _kernel(examples: Array) -> Array:
    return examples @ examples.T + 1.0


def _targets(labels: NDArray[np.int64], domains: int) -> Array:
    return np.where(labels[:, None] == np.arange(domains), 1.0, -1.0)


def _left_out(kernel: Array, wanted: Array) -> Array:
    """What each question scores under a fit to all others, which for a ridge needs no other fit."""
    inverse = np.linalg.inv(kernel + RIDGE * np.eye(len(kernel)))
    return wanted - (inverse @ wanted) / np.diag(inverse)[:, None]


def _sharpness(scores: Array, labels: NDArray[np.int64]) -> float:
    """How sharply scores become probabilities, so that those of questions left out are honest."""
    tried = np.geomspace(0.5, 30, 60)
    rows = np.arange(len(labels))
    losses = [-np.log(_softmax(s * scores)[rows, labels] + 1e-12).mean() for s in tried]
    return float(tried[int(np.argmin(losses))])


def _softmax(scores: Array) -> Array:
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    return grown / grown.sum(axis=1, keepdims=True)
