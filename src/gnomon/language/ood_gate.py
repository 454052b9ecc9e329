"""The gate in front of every question: the autoencoder beside a classifier that has seen what to refuse."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.core.errors import InvalidInput, UnreadableSource
from gnomon.language.exposure import Exposure, load_exposure, texts_digest
from gnomon.language.logistic import LogisticHead, probability
from gnomon.language.ood import PASSING, OODDetector, OODResult, fingerprint_of, read_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

    Array = NDArray[np.float64]

VERSION = "1"
FOLDS = 5
MAX_QUESTIONS = 300
PENALTY = 0.3
NOT_DATA = "The request does not ask about data."
UNLIKE = "The question is unlike those that this data can answer."


class Gate:
    """Refuses what is not a question about the data; in doubt it lets through, since the planner looks again.

    Two judges stand side by side: the autoencoder knows only what in-domain questions look like, the
    classifier has also seen what to refuse. Either may refuse, and each is set so that nearly every
    question about the data passes.
    """

    def __init__(self, detector: OODDetector, head: LogisticHead, limit: float) -> None:
        self.detector = detector
        self.head = head
        self.limit = limit

    def judge(self, question: str | NDArray[Any]) -> OODResult:
        """Whether a question, or its vector, is to be refused."""
        vector = self.detector.encoder.encode_one(question) if isinstance(question, str) else question
        found = self.detector.detect_vector(vector)
        score = self.score(vector)
        refused = found.is_out_of_domain or score > self.limit
        distance = abs(2 * probability(score - self.limit) - 1)
        reason = UNLIKE if found.is_out_of_domain else NOT_DATA
        confidence = max(found.confidence, distance) if refused else min(found.confidence, distance)
        return OODResult(
            refused, found.reconstruction_error, found.threshold, confidence, reason if refused else None
        )

    def score(self, vector: NDArray[Any]) -> float:
        """How strongly the classifier takes a vector for something else than a data question, in log-odds."""
        return float(self.head.scores(np.asarray(vector, dtype=np.float64)[None, :])[0])

    def save(self, path: Path) -> None:
        """Write the gate to a file of plain arrays, whole or not at all."""
        arrays: dict[str, Any] = self.detector.to_arrays() | {
            "head": self.head.weights, "head_border": np.array([self.head.offset, self.limit])
        }  # fmt: skip
        part = path.with_suffix(f".{os.getpid()}.part")
        with part.open("wb") as file:
            np.savez(file, **arrays)
        part.replace(path)

    @classmethod
    def load(cls, path: Path, encoder: SentenceEncoder | None = None) -> Gate:
        """Read what :meth:`save` wrote.

        Raises:
            UnreadableSource: The file is missing or is not a saved gate.
        """
        arrays = read_arrays(path)
        try:
            offset, limit = (float(v) for v in arrays["head_border"])
            detector = OODDetector.from_arrays(arrays, encoder)
            return cls(detector, LogisticHead(np.asarray(arrays["head"], dtype=np.float64), offset), limit)
        except (KeyError, ValueError) as e:
            raise UnreadableSource(f"{path} is not a saved gate: {e}") from None


def fit_gate(
    in_domain: Sequence[str], cache_dir: Path | None = None, encoder: SentenceEncoder | None = None
) -> Gate:
    """A gate for one data set, fitted in about a second, or read from the cache where it was fitted before.

    Args:
        in_domain: Questions about the data, made from its own names; of more than 300 an even choice is used.
        cache_dir: Folder for fitted gates; nothing is kept without it.
        encoder: Turns texts into vectors; the shipped one by default.
    """
    if isinstance(in_domain, str):
        raise InvalidInput("fit_gate expects several questions, not one text.")
    if encoder is None:
        from gnomon.embedding import get_encoder

        encoder = get_encoder()
    chosen = _evenly(in_domain, MAX_QUESTIONS)
    kept = _cache_file(chosen, cache_dir, encoder)
    if kept is not None and kept.is_file():
        with contextlib.suppress(UnreadableSource):
            return Gate.load(kept, encoder)
    gate = _fitted(chosen, encoder)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        gate.save(kept)
    return gate


def _fitted(questions: Sequence[str], encoder: SentenceEncoder) -> Gate:
    from threadpoolctl import threadpool_limits

    exposure = load_exposure(encoder)
    own = encoder.encode(questions).astype(np.float64) if questions else exposure.in_domain[:0]
    in_domain = np.vstack([own, exposure.in_domain])
    detector = OODDetector(encoder=encoder).train_vectors(in_domain)
    detector.fingerprint = fingerprint_of(questions)
    with threadpool_limits(1):
        head, limit = _exposed_head(in_domain, exposure)
    return Gate(detector, head, limit)


def _exposed_head(in_domain: Array, exposure: Exposure) -> tuple[LogisticHead, float]:
    """The classifier, and the log-odds above which it refuses: few cross-fitted data questions lie there."""
    rows = np.vstack([in_domain, exposure.negatives])
    refused = np.arange(len(rows)) >= len(in_domain)
    order = np.random.default_rng(0).permutation(len(rows))
    scores = np.empty(len(rows))
    for fold in range(FOLDS):
        held = order[fold::FOLDS]
        rest = np.setdiff1d(order, held)
        scores[held] = LogisticHead.fit(rows[rest], refused[rest], PENALTY).scores(rows[held])
    limit = float(np.quantile(scores[~refused], PASSING, method="higher"))
    return LogisticHead.fit(rows, refused, PENALTY), max(0.0, limit)


def _evenly(texts: Sequence[str], most: int) -> Sequence[str]:
    if len(texts) <= most:
        return tuple(texts)
    return tuple(texts[int(i)] for i in np.linspace(0, len(texts) - 1, most).round())


def _cache_file(questions: Sequence[str], folder: Path | None, encoder: SentenceEncoder) -> Path | None:
    if folder is None:
        return None
    probe = np.round(encoder.encode_one("how many are there"), 3).tobytes().hex()
    return folder / f"gate-{fingerprint_of([VERSION, texts_digest(), probe, *questions])[:24]}.npz"
