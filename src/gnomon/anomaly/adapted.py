"""A PyOD detector as the rest of the room wants it: scaled input, bounded fitting, finite scores."""

from __future__ import annotations

from typing import Any, Final, Self

import numpy as np

from gnomon.anomaly.detector import as_matrix
from gnomon.anomaly.scaling import Robust
from gnomon.core.errors import CalculationError, InvalidInput

_CHUNK: Final = 50_000


class Adapted:
    """Wraps an unfitted detector of PyOD.

    Args:
        inner: The detector.
        scale: ``robust`` puts a robust scaling in front, ``none`` hands the matrix over as it is.
        fit_rows: Fit on at most this many rows, drawn at random, and only score the others.
        seed: For the draw.
    """

    def __init__(
        self, inner: Any, *, scale: str = "none", fit_rows: int | None = None, seed: int | None = 0
    ) -> None:
        self.inner = inner
        self.scale = scale
        self.fit_rows = fit_rows
        self.seed = seed
        self.decision_scores_: np.ndarray = np.empty(0)
        self.threshold_: float = float("nan")
        self.labels_: np.ndarray = np.empty(0, dtype=int)

    def __getattr__(self, name: str) -> Any:
        """Parameters of the wrapped detector, where a caller looks for them."""
        if name.startswith("__") or "inner" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.inner, name)

    @property
    def contamination(self) -> float:
        """Share of rows that ``labels_`` marks."""
        value = getattr(self.inner, "contamination", 0.1)
        return float(value) if isinstance(value, int | float) else 0.1

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the inner detector and score every row (``y`` is ignored)."""
        data = as_matrix(X)
        rng = np.random.default_rng(self.seed)
        self.scaling_ = Robust.fit(data, rng) if self.scale == "robust" else None
        self.n_features_in_ = data.shape[1]
        n = len(data)
        if self.fit_rows is not None and n > self.fit_rows:
            chosen = np.sort(rng.choice(n, self.fit_rows, replace=False))
            self.inner.fit(self._scaled(data[chosen]))
            scores = self._inner_scores(data)
            scores[chosen] = np.asarray(self.inner.decision_scores_, dtype=float).ravel()
        else:
            self.inner.fit(self._scaled(data))
            scores = np.asarray(self.inner.decision_scores_, dtype=float).ravel()
        if len(scores) != n:
            raise CalculationError(f"{type(self.inner).__name__} gave {len(scores)} scores for {n} rows.")
        self.decision_scores_ = _finite(scores)
        self.threshold_ = float(np.quantile(self.decision_scores_, 1 - self.contamination))
        self.labels_ = (self.decision_scores_ > self.threshold_).astype(int)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of new rows."""
        data = as_matrix(X)
        if not len(self.decision_scores_):
            raise InvalidInput(f"{type(self.inner).__name__} has not been fitted; call fit first.")
        if data.shape[1] != self.n_features_in_:
            raise InvalidInput(f"Fitted on {self.n_features_in_} columns; got {data.shape[1]}.")
        return _finite(self._inner_scores(data))

    def predict(self, X: Any) -> np.ndarray:
        """1 for rows above the threshold, else 0."""
        return (self.decision_function(X) > self.threshold_).astype(int)

    def _scaled(self, data: np.ndarray) -> np.ndarray:
        return (data if self.scaling_ is None else self.scaling_.apply(data)).astype(float)

    def _inner_scores(self, data: np.ndarray) -> np.ndarray:
        parts = [
            np.asarray(self.inner.decision_function(self._scaled(data[i : i + _CHUNK])), dtype=float).ravel()
            for i in range(0, len(data), _CHUNK)
        ]
        return np.concatenate(parts)


def _finite(scores: np.ndarray) -> np.ndarray:
    """Scores with infinities at the extremes and undefined ones at the median."""
    good = np.isfinite(scores)
    if bool(good.all()):
        return scores
    if not bool(good.any()):
        raise CalculationError("The detector gave no finite score.")
    known = scores[good]
    return np.nan_to_num(
        scores, nan=float(np.median(known)), posinf=float(known.max()), neginf=float(known.min())
    )
