"""The gate in front of every question: the autoencoder beside a classifier that has seen what to refuse."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.core.errors import UnreadableSource
from gnomon.core.private import remember
from gnomon.language.judgements import OODResult
from gnomon.language.logistic import LogisticHead, probability, rows_times
from gnomon.language.ood import OODDetector, read_arrays
from gnomon.language.router_head import RouterHead

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

    Array = NDArray[np.float64]

NEIGHBOURS = 8
NOT_DATA = "The request does not ask about data."
UNLIKE = "The question is unlike those that this data can answer."


@dataclass(frozen=True)
class Evidence:
    """What speaks for and against a text being about the data, each a number per text."""

    score: Array
    near_questions: Array
    near_negatives: Array
    error: Array

    def rows(self) -> Array:
        """One row per text, one column per piece of evidence."""
        return np.stack([self.score, self.near_questions, self.near_negatives, self.error], axis=1)


def nearness(vectors: Array, pool: Array, own: bool = False) -> Array:
    """Mean similarity to the nearest of ``pool``; ``own`` where the vectors are the pool and do not count for themselves."""
    similar: NDArray[Any] = vectors.astype(np.float32) @ pool.astype(np.float32).T
    if own:
        np.fill_diagonal(similar, -1.0)
    return _nearest(similar)


def _nearest(similar: NDArray[Any]) -> Array:
    """The mean of the largest numbers of each row."""
    rows = np.atleast_2d(similar)
    nearest = min(NEIGHBOURS, rows.shape[1])
    return np.partition(rows, -nearest, axis=1)[:, -nearest:].mean(axis=1, dtype=np.float64)


class Gate:
    """Refuses what is not a question about the data; in doubt it lets through, since the planner looks again.

    Two judges stand side by side: the autoencoder knows only what in-domain questions look like, the
    classifier has also seen what to refuse, and weighs how near a text lies to either. Either may refuse,
    and each is set so that nearly every question about the data passes.

    Args:
        detector: The trained autoencoder.
        general: Tells data questions from other requests by their text and vector, whatever the data.
        questions: Vectors of questions about the data and about data in general.
        negatives: Vectors of requests to refuse.
        judge: Weighs the evidence.
        limit: The log-odds above which the classifier refuses.
    """

    def __init__(
        self,
        detector: OODDetector,
        general: RouterHead,
        questions: Array,
        negatives: Array,
        judge: LogisticHead,
        limit: float,
    ) -> None:
        self.detector = detector
        self.limit = limit
        self._general = general
        # Halving what is read for every question halves what the comparison takes; vectors are of this width.
        self._questions = questions.astype(np.float32)
        self._negatives = negatives.astype(np.float32)
        self._judge = judge

    def judge(self, question: str | NDArray[Any]) -> OODResult:
        """Whether a question, or its vector, is to be refused; the text says more than the vector alone."""
        return self.weigh(question)[0]

    def weigh(self, question: str | NDArray[Any]) -> tuple[OODResult, float]:
        """The judgement, and how far the classifier's log-odds lie beyond its limit."""
        text = question if isinstance(question, str) else None
        vector = self.detector.encoder.encode_question(question) if isinstance(question, str) else question
        found = self.detector.detect_vector(vector)
        score = self._score(text, np.asarray(vector, dtype=np.float64), found.reconstruction_error)
        refused = found.is_out_of_domain or score > self.limit
        distance = abs(2 * probability(score - self.limit) - 1)
        confidence = max(found.confidence, distance) if refused else min(found.confidence, distance)
        reason = NOT_DATA if score > self.limit else UNLIKE
        judged = OODResult(
            refused, found.reconstruction_error, found.threshold, confidence, reason if refused else None
        )
        return judged, score - self.limit

    def score(self, question: str) -> float:
        """How strongly the classifier takes a text for something else than a data question, in log-odds."""
        vector = np.asarray(self.detector.encoder.encode_question(question), dtype=np.float64)
        return self._score(question, vector, self.detector.reconstruction_error(vector))

    def _score(self, text: str | None, vector: Array, error: float) -> float:
        general = self._general
        score = general.vector_score(vector) if text is None else general.score(text, vector)
        narrow = vector.astype(np.float32)
        evidence = Evidence(
            np.array([score]),
            _nearest(rows_times(self._questions, narrow)),
            _nearest(rows_times(self._negatives, narrow)),
            np.array([error]),
        )
        return float(self._judge.scores(evidence.rows())[0])

    def weights(self) -> Array:
        """How the evidence is weighed: a number per piece, the offset and the limit."""
        return np.array([*self._judge.weights, self._judge.offset, self.limit])

    def save(self, path: Path) -> None:
        """Write the gate to a file of plain arrays, whole or, where it cannot be written, not at all."""
        arrays: dict[str, Any] = self.detector.to_arrays() | self._general.to_arrays()
        arrays["questions"] = self._questions.astype(np.float16)
        arrays["negatives"] = self._negatives.astype(np.float16)
        arrays["judge"] = self.weights()
        packed = io.BytesIO()
        np.savez(packed, **arrays)
        remember(path, packed.getvalue())

    @classmethod
    def load(cls, path: Path, encoder: SentenceEncoder | None = None) -> Gate:
        """Read what :meth:`save` wrote.

        Raises:
            UnreadableSource: The file is missing or is not a saved gate.
        """
        arrays = read_arrays(path)
        try:
            *weights, offset, limit = (float(v) for v in arrays["judge"])
            detector = OODDetector.from_arrays(arrays, encoder)
            questions, negatives = (arrays[k].astype(np.float64) for k in ("questions", "negatives"))
            judge = LogisticHead(np.array(weights), offset)
            return cls(detector, RouterHead.from_arrays(arrays), questions, negatives, judge, limit)
        except (KeyError, ValueError) as e:
            raise UnreadableSource(f"{path} is not a saved gate: {e}") from None
