"""A model that predicts one column from others: how it looks, and how well it does on the rows it is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gnomon.analytics.design import Design, design
from gnomon.analytics.inputs import Bools, Floats, require_between, require_count
from gnomon.analytics.regressions import Regression, regression
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_SEED = 42
_FEWEST_TESTED = 2


@dataclass(frozen=True, slots=True)
class Scores(Result):
    """How good predictions are: errors of numbers, or how often the right one of two values was told."""

    r2: float | None = None
    rmse: float | None = None
    mse: float | None = None
    mae: float | None = None
    accuracy: float | None = None
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    auc: float | None = None


@dataclass(frozen=True, slots=True)
class Prediction(Result):
    """A fitted model and its scores.

    Attributes:
        model: The fit on the rows that it was trained on.
        scores: On the rows that were set apart, else on those of the fit.
        tested: How many rows were set apart; None where the model is judged by the rows of the fit.
    """

    model: Regression
    scores: Scores
    trained: int
    tested: int | None
    seed: int | None


def prediction(
    frame: pd.DataFrame,
    target: str,
    features: Sequence[str],
    *,
    kind: Literal["auto", "linear", "logistic"] = "auto",
    test_share: float | None = None,
    seed: int = DEFAULT_SEED,
) -> Prediction:
    """Fit a linear or logistic regression and say how well it predicts.

    Rows where anything is unknown take no part. A test share splits the others as scikit-learn's
    ``train_test_split`` does with that seed.

    Args:
        frame: The table.
        target: What to predict.
        features: What it is predicted from.
        kind: ``auto`` takes logistic for a target with two values.
        test_share: The share of rows that is set apart to judge the model by.
        seed: Of the shuffling.
    """
    known = frame[[target, *features]].dropna().reset_index(drop=True)
    require_count(len(known), len(features) + 3, f"A regression with {len(features)} columns")
    test = np.zeros(len(known), dtype=bool)
    if test_share is not None:
        require_between(test_share, 0, 1, "test_share")
        test[_set_apart(len(known), test_share, seed)] = True
    if test_share is not None and test.sum() < _FEWEST_TESTED:
        raise CalculationError(
            f"Only {int(test.sum())} rows would be left to test on.",
            suggestions=["Ask for a larger test share, or for none."],
        )
    model = regression(known[~test], target, features=list(features), kind=kind, errors="classical")
    outcome = known[target]
    y: Floats = np.asarray(outcome.astype(str) == model.positive if model.positive else outcome, dtype=float)
    parts = design(known, list(features), np.ones(len(known), dtype=bool))
    scores = _scores(parts, y, ~test, test if test.any() else ~test, model)
    return Prediction(
        model,
        scores,
        int((~test).sum()),
        int(test.sum()) if test_share is not None else None,
        seed if test_share is not None else None,
    )


def _set_apart(count: int, share: float, seed: int) -> Any:
    from sklearn.model_selection import train_test_split

    return train_test_split(np.arange(count), test_size=share, random_state=seed)[1]


def _scores(parts: Design, y: Floats, train: Bools, test: Bools, model: Regression) -> Scores:
    """The predictions for the tested rows by scikit-learn's fit on the trained ones, judged."""
    from sklearn.linear_model import LinearRegression, LogisticRegression

    if model.kind == "linear":
        fit = LinearRegression().fit(parts.matrix[train], y[train])
        guess = np.asarray(fit.predict(parts.matrix[test]), dtype=np.float64)
        told = _errors(y[test], guess)
        two = np.unique(y)
        if len(two) != 2:
            return Scores(**told)
        middle = float(two.mean())
        return Scores(**told, **_hits(y[test] == two[1], guess >= middle, guess))
    chance = LogisticRegression(max_iter=5000).fit(parts.matrix[train], y[train])
    odds = np.asarray(chance.predict_proba(parts.matrix[test])[:, 1], dtype=np.float64)
    return Scores(**_hits(y[test] == 1, odds >= 0.5, odds))


def _errors(y: Floats, guess: Floats) -> dict[str, float | None]:
    off = y - guess
    spread = float(((y - y.mean()) ** 2).sum())
    mse = float((off**2).mean())
    return {
        "r2": 1 - float((off**2).sum()) / spread if spread > 0 else None,
        "rmse": float(np.sqrt(mse)),
        "mse": mse,
        "mae": float(np.abs(off).mean()),
    }


def _hits(truth: Bools, told: Bools, score: Floats) -> dict[str, float | None]:
    from sklearn.metrics import roc_auc_score

    right = int((truth & told).sum())
    precision = right / int(told.sum()) if told.any() else None
    recall = right / int(truth.sum()) if truth.any() else None
    both = (precision or 0) + (recall or 0)
    return {
        "accuracy": float((truth == told).mean()),
        "precision": precision,
        "recall": recall,
        "f1": 2 * (precision or 0) * (recall or 0) / both if both else None,
        "auc": float(roc_auc_score(truth, score)) if 0 < truth.sum() < len(truth) else None,
    }
