"""Honest error of a regression: predicted rows were never part of the fit, and a baseline stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.analytics.inputs import Floats
from gnomon.analytics.results import Result


@dataclass(frozen=True, slots=True)
class Validation(Result):
    """Cross-validated error.

    Linear: ``mae``, ``rmse`` and ``r2`` on held-out rows, beside the mean of the training rows.
    Logistic: ``accuracy``, ``auc`` and ``log_loss``, beside the majority class and the base rate.
    """

    folds: int
    better: bool
    mae: float | None = None
    rmse: float | None = None
    r2: float | None = None
    baseline_mae: float | None = None
    baseline_rmse: float | None = None
    accuracy: float | None = None
    majority_accuracy: float | None = None
    auc: float | None = None
    log_loss: float | None = None
    baseline_log_loss: float | None = None


def cross_validated(matrix: Floats, y: Floats, kind: str, folds: int) -> Validation:
    """Predict every row from a fit on the other folds (shuffled with a fixed seed)."""
    used = min(folds, len(y)) if kind == "linear" else min(folds, int(min(y.sum(), len(y) - y.sum())))
    if used < 2:
        return Validation(0, False)
    guess, base = np.empty(len(y)), np.empty(len(y))
    for train, test in _splits(y, kind, used):
        center, spread = matrix[train].mean(axis=0), matrix[train].std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        x, unseen = (matrix[train] - center) / spread, (matrix[test] - center) / spread
        guess[test] = _predicted(x, y[train], unseen, kind)
        base[test] = y[train].mean()
    return _linear(y, guess, base, used) if kind == "linear" else _logistic(y, guess, base, used)


def _splits(y: Floats, kind: str, folds: int) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold

    if kind == "linear":
        return KFold(folds, shuffle=True, random_state=0).split(y)
    return StratifiedKFold(folds, shuffle=True, random_state=0).split(np.zeros((len(y), 1)), y)


def _predicted(x: Floats, y: Floats, unseen: Floats, kind: str) -> Floats:
    if kind == "linear":
        weights, *_ = np.linalg.lstsq(np.column_stack([np.ones(len(y)), x]), y, rcond=None)
        return np.column_stack([np.ones(len(unseen)), unseen]) @ weights
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=100.0, max_iter=500).fit(x, y)
    return np.asarray(model.predict_proba(unseen)[:, 1], dtype=np.float64)


def _linear(y: Floats, guess: Floats, base: Floats, folds: int) -> Validation:
    error, naive = y - guess, y - base
    rmse, naive_rmse = float(np.sqrt((error**2).mean())), float(np.sqrt((naive**2).mean()))
    return Validation(
        folds,
        rmse < naive_rmse,
        mae=float(np.abs(error).mean()),
        rmse=rmse,
        r2=1 - float((error**2).sum() / (naive**2).sum()),
        baseline_mae=float(np.abs(naive).mean()),
        baseline_rmse=naive_rmse,
    )


def _logistic(y: Floats, guess: Floats, base: Floats, folds: int) -> Validation:
    from sklearn.metrics import roc_auc_score

    loss, naive = _log_loss(y, guess), _log_loss(y, base)
    return Validation(
        folds,
        loss < naive,
        accuracy=float(((guess >= 0.5) == (y == 1)).mean()),
        majority_accuracy=float(max(y.mean(), 1 - y.mean())),
        auc=float(roc_auc_score(y, guess)),
        log_loss=loss,
        baseline_log_loss=naive,
    )


def _log_loss(y: Floats, p: Floats) -> float:
    p = np.clip(p, 1e-9, 1 - 1e-9)
    return float(-(y * np.log(p) + (1 - y) * np.log(1 - p)).mean())
