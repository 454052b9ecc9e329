"""Out-of-domain detection: a question that an autoencoder of in-domain questions cannot reproduce is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.core.errors import InvalidInput, UnreadableSource
from gnomon.language.autoencoder import Autoencoder, cross_fitted
from gnomon.language.judgements import OODResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

    Array = NDArray[np.float64]

FOLDS = 5
MIN_QUESTIONS = 8
# The share of in-domain questions that must pass: a refused data question is worse than a late refusal.
PASSING = 0.995
REASON = "The question is unlike those that this data can answer."


class OODDetector:
    """One hidden layer learns to reproduce in-domain questions; what it cannot reproduce is out of domain.

    The threshold is ``mu_id + lambda_id * sigma_id``, mean and deviation being those of *cross-fitted*
    errors (kept as ``errors_id``): the errors of training say nothing about a new question.

    Args:
        hidden_dim: Width of the hidden layer.
        lambda_param: The multiplier λ; without it λ is calibrated so that in-domain questions pass.
        encoder: Turns texts into vectors; the shipped one by default.
        random_state: Seed of the folds and of the weights that no principal direction sets.
    """

    def __init__(
        self,
        hidden_dim: int = 64,
        lambda_param: float | None = None,
        encoder: SentenceEncoder | None = None,
        random_state: int = 0,
    ) -> None:
        self.hidden_dim = hidden_dim
        self.lambda_param = lambda_param
        self.random_state = random_state
        self._encoder = encoder
        self._model: Autoencoder | None = None
        self.mu_id = float("nan")
        self.sigma_id = float("nan")
        self.lambda_id = float("nan")
        self.errors_id: Array = np.empty(0)
        self.fingerprint = ""

    @property
    def encoder(self) -> SentenceEncoder:
        """What turns a question into a vector."""
        if self._encoder is None:
            from gnomon.embedding import get_encoder

            self._encoder = get_encoder()
        return self._encoder

    @property
    def threshold(self) -> float:
        """The error above which a question is out of domain."""
        return self.mu_id + self.lambda_id * self.sigma_id

    def train(
        self, in_domain_queries: Sequence[str], *, out_of_domain: Sequence[str] | None = None
    ) -> OODDetector:
        """Learn what in-domain questions look like.

        Args:
            in_domain_queries: At least eight questions that the data can answer.
            out_of_domain: Requests to be refused. They are not learned from; where they leave room, the
                threshold moves half-way up to them.

        Raises:
            InvalidInput: Too few questions, or a hidden layer without a unit.
        """
        if isinstance(in_domain_queries, str):
            raise InvalidInput("train expects several questions, not one text.")
        self.fingerprint = fingerprint_of(in_domain_queries)
        refused = self.encoder.encode(out_of_domain).astype(np.float64) if out_of_domain else None
        return self.train_vectors(self.encoder.encode(in_domain_queries).astype(np.float64), refused)

    def train_vectors(
        self,
        in_domain: Array,
        out_of_domain: Array | None = None,
        passing: float = PASSING,
        folds: int = FOLDS,
    ) -> OODDetector:
        """Like :meth:`train`, with vectors that are already there; ``passing`` is the share that must pass."""
        if len(in_domain) < MIN_QUESTIONS:
            raise InvalidInput(
                f"At least {MIN_QUESTIONS} in-domain questions are needed, not {len(in_domain)}.",
                suggestions=["Generate them from the names of metrics and dimensions."],
            )
        if self.hidden_dim < 1:
            raise InvalidInput(f"hidden_dim must be at least 1, not {self.hidden_dim}.")
        self._model, errors = cross_fitted(in_domain, self.hidden_dim, folds, self.random_state)
        beyond = None if out_of_domain is None else self._model.errors(out_of_domain)
        self.mu_id, self.sigma_id = float(errors.mean()), max(float(errors.std()), 1e-9)
        self.errors_id = errors
        self.lambda_id = (
            self.lambda_param if self.lambda_param is not None else self._calibrated(errors, beyond, passing)
        )
        return self

    def _calibrated(self, errors: Array, beyond: Array | None, passing: float) -> float:
        border = float(np.quantile(errors, passing, method="higher"))
        if beyond is not None:
            caught = beyond[beyond > border]
            if len(caught):
                border += (float(caught.min()) - border) / 2
        return (border - self.mu_id) / self.sigma_id

    def detect(self, query: str) -> OODResult:
        """Judge one question.

        Raises:
            InvalidInput: The detector was not trained.
        """
        return self.detect_vector(self.embed_query(query))

    def embed_query(self, query: str) -> NDArray[Any]:
        """The question as the vector X that the autoencoder reproduces."""
        return self.encoder.encode_question(query)

    def forward(self, vector: NDArray[Any]) -> NDArray[np.float64]:
        """X̂: what the autoencoder makes of X, through its hidden layer."""
        return self._trained().forward(np.asarray(vector, dtype=np.float64))

    def detect_vector(self, vector: NDArray[Any]) -> OODResult:
        """Judge a question that is already encoded."""
        error = self.reconstruction_error(vector)
        outside = error > self.threshold
        confidence = min(1.0, abs(error - self.threshold) / max(abs(self.threshold), 1e-9))
        return OODResult(outside, error, self.threshold, confidence, REASON if outside else None)

    def reconstruction_error(self, vector: NDArray[Any]) -> float:
        """‖X − X̂‖ of an encoded question."""
        return float(np.linalg.norm(np.asarray(vector, dtype=np.float64) - self.forward(vector)))

    def reconstruction_errors(self, vectors: Array) -> Array:
        """‖X − X̂‖ of every row."""
        return self._trained().errors(vectors)

    def _trained(self) -> Autoencoder:
        if self._model is None:
            raise InvalidInput(
                "The detector is not trained.", suggestions=["Call train first, or load a saved one."]
            )
        return self._model

    def to_arrays(self) -> dict[str, Any]:
        """Everything that a trained detector knows, as plain arrays."""
        model = self._trained()
        return {
            "w1": model.w1, "b1": model.b1, "w2": model.w2, "b2": model.b2,
            "border": np.array([self.mu_id, self.sigma_id, self.lambda_id]),
            "fingerprint": np.array(self.fingerprint),
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], encoder: SentenceEncoder | None = None) -> OODDetector:
        """The detector that ``to_arrays`` described."""
        detector = cls(hidden_dim=int(arrays["w1"].shape[1]), encoder=encoder)
        detector._model = Autoencoder(
            *(np.asarray(arrays[k], dtype=np.float64) for k in ("w1", "b1", "w2", "b2"))
        )
        detector.mu_id, detector.sigma_id, detector.lambda_id = (float(v) for v in arrays["border"])
        detector.fingerprint = str(arrays["fingerprint"])
        return detector

    def save(self, path: Path) -> None:
        """Write the trained detector to a file of plain arrays."""
        with path.open("wb") as file:
            np.savez(file, **self.to_arrays())

    @classmethod
    def load(cls, path: Path, encoder: SentenceEncoder | None = None) -> OODDetector:
        """Read what :meth:`save` wrote.

        Raises:
            UnreadableSource: The file is missing or is not a saved detector.
        """
        return cls.from_arrays(read_arrays(path), encoder)


def fingerprint_of(texts: Sequence[str]) -> str:
    """The same for the same questions in the same order, whatever else changes."""
    return hashlib.sha256("\n".join(texts).encode("utf-8", "replace")).hexdigest()


def read_arrays(path: Path) -> dict[str, Any]:
    """The arrays of an ``.npz`` file; nothing in it is ever executed.

    Raises:
        UnreadableSource: The file is missing or damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except Exception as e:  # noqa: BLE001 - zipfile, zlib and numpy each have their own errors for a damaged file
        raise UnreadableSource(
            f"{path} cannot be read as saved arrays: {e}", suggestions=["Delete it; it will be made again."]
        ) from None
