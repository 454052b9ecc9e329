"""Domain-aware routing: which paths a question takes, learned from the few questions that the path files list."""

from __future__ import annotations

import hashlib
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.agents.insight.paths import DomainPath, DomainPathRegistry
from gnomon.core.errors import UnreadableSource
from gnomon.language.ood import read_arrays
from gnomon.language.router_head import text_features
from gnomon.planning.augment import AugmentedQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

    Array = NDArray[np.float64]

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
    examples: Array
    weights: Array
    sharpness: float


class DomainAwareRouter:
    """Few-shot: a ridge classifier over sentence vectors and wording, fitted to the questions of the paths.

    Needs no language model; a domain that a user adds is learned from its own few questions when it is first used.

    Args:
        registry: The paths with their questions.
        encoder: Turns texts into vectors; the shipped one by default.
        cache: Folder in which vectors of the questions are kept.
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
        row = _features(
            [text], np.asarray(self._used_encoder().encode_question(text), dtype=np.float64)[None, :]
        )
        scores = np.einsum("j,jk->k", np.einsum("ij,j->i", fitted.examples, row[0]) + 1.0, fitted.weights)
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
        left = _left_out(_kernel(examples), _targets(labels, len(self.registry.domains)))
        return int((left.argmax(axis=1) == labels).sum()), len(labels)

    def _ready(self) -> _Fitted:
        with self._lock:
            if self._fitted is None:
                examples, labels = self._examples()
                kernel, wanted = _kernel(examples), _targets(labels, len(self.registry.domains))
                weights: Array = np.linalg.solve(kernel + RIDGE * np.eye(len(kernel)), wanted).astype(
                    np.float64
                )
                self._fitted = _Fitted(examples, weights, _sharpness(_left_out(kernel, wanted), labels))
            return self._fitted

    def _examples(self) -> tuple[Array, NDArray[np.int64]]:
        asks = self.registry.asks
        texts = [text for text, _ in asks]
        names = list(self.registry.domains)
        return _features(texts, self._vectors(texts)), np.array([names.index(d) for _, d in asks])

    def _vectors(self, texts: list[str]) -> Array:
        """The vectors of the questions, remembered between runs."""
        kept = self._kept(texts)
        if kept is not None and kept.is_file():
            try:
                stored = read_arrays(kept)["vectors"].astype(np.float64)
                if len(stored) == len(texts):
                    return stored
            except (UnreadableSource, KeyError):
                kept.unlink(missing_ok=True)
        vectors = self._used_encoder().encode(texts).astype(np.float64)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            part = kept.with_suffix(f".{os.getpid()}.part")
            with part.open("wb") as file:
                np.savez_compressed(file, vectors=vectors.astype(np.float32))
            part.replace(kept)
        return vectors

    def _kept(self, texts: list[str]) -> Path | None:
        if self._cache is None:
            return None
        marks = "\n".join([str(getattr(self._used_encoder(), "folder", "")), *texts])
        return self._cache / f"{hashlib.sha256(marks.encode()).hexdigest()[:32]}.npz"

    def _used_encoder(self) -> SentenceEncoder:
        if self._encoder is None:
            from gnomon.embedding import get_encoder

            self._encoder = get_encoder()
        return self._encoder


def _features(texts: list[str], vectors: Array) -> Array:
    return np.hstack([vectors, WORDING * text_features(texts)])


def _kernel(examples: Array) -> Array:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
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
