"""The shape that every detector of ours has, compatible with what users of PyOD's detectors call.

Parameters are stored untouched, data is seen at ``fit``, fitted state ends in an underscore.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from gnomon.core.errors import InvalidInput


class Detector(ABC):
    """Scores rows: the higher, the more anomalous.

    Args:
        contamination: Share of rows that ``labels_`` marks.
        random_state: Seed; the same seed and rows give the same scores.
    """

    def __init__(self, *, contamination: float = 0.1, random_state: int | None = 0) -> None:
        self.contamination = contamination
        self.random_state = random_state
        self.decision_scores_: np.ndarray = np.empty(0)
        self.threshold_: float = float("nan")
        self.labels_: np.ndarray = np.empty(0, dtype=int)

    @abstractmethod
    def _learn(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Fit to ``X`` and give the scores of its own rows."""

    @abstractmethod
    def _score(self, X: np.ndarray) -> np.ndarray:
        """Scores of rows that were not part of the fit."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what is usual in ``X`` (``y`` is ignored) and score its rows."""
        data = as_matrix(X)
        if not 0 < self.contamination <= 0.5:
            raise InvalidInput(
                f"contamination must lie above 0 and at most at 0.5; got {self.contamination}."
            )
        self.n_features_in_ = data.shape[1]
        scores = self._learn(data, np.random.default_rng(self.random_state))
        self.decision_scores_ = np.asarray(scores, dtype=float)
        self.threshold_ = float(np.quantile(self.decision_scores_, 1 - self.contamination))
        self.labels_ = (self.decision_scores_ > self.threshold_).astype(int)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of new rows on the scale of ``decision_scores_``."""
        data = as_matrix(X)
        if not len(self.decision_scores_):
            raise InvalidInput(f"{type(self).__name__} has not been fitted; call fit first.")
        if data.shape[1] != self.n_features_in_:
            raise InvalidInput(f"Fitted on {self.n_features_in_} columns; got {data.shape[1]}.")
        return np.asarray(self._score(data), dtype=float)

    def predict(self, X: Any) -> np.ndarray:
        """1 for rows above the threshold, else 0."""
        return (self.decision_function(X) > self.threshold_).astype(int)


class Rounds(Detector):
    """One random detector several times with other draws, their scores averaged: less luck, more time.

    Args:
        members: The same detector with different seeds.
    """

    def __init__(self, members: Sequence[Detector]) -> None:
        super().__init__(contamination=members[0].contamination, random_state=members[0].random_state)
        self.members = list(members)

    def _learn(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.mean([m.fit(X).decision_scores_ for m in self.members], axis=0)

    def _score(self, X: np.ndarray) -> np.ndarray:
        return np.mean([m.decision_function(X) for m in self.members], axis=0)


def as_matrix(X: Any) -> np.ndarray:
    """A two-dimensional float array, or an error that says what is wrong with it."""
    data = np.asarray(X)
    if data.ndim == 1:
        data = data.reshape(-1, 1)
    if data.ndim != 2 or data.shape[0] == 0 or data.shape[1] == 0:
        raise InvalidInput(f"Expected rows and columns of numbers; got an array of shape {data.shape}.")
    try:
        data = data if data.dtype.name in ("float32", "float64") else data.astype(float)
    except (TypeError, ValueError) as bad:
        raise InvalidInput(
            "Detectors take numbers only.", suggestions=["Prepare the table with prepare_table first."]
        ) from bad
    if not bool(np.isfinite(data).all()):
        raise InvalidInput(
            "Detectors take finite numbers only.", suggestions=["Prepare the table with prepare_table first."]
        )
    return data
