"""A model that predicts one column from others: how it looks, and how well it does on the rows it is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gnomon.analytics.design import Design, design
from gnomon.analytics.fits import Fit, area_under_curve, line, log_odds, set_apart
from gnomon.analytics.inputs import Bools, Floats, require_between, require_count
from gnomon.analytics.regressions import Coefficient
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError, InvalidInput

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
        kind: ``linear`` or ``logistic``.
        positive: For logistic, the value whose chance is modelled.
        coefficients: The terms of the fit on the rows that it was trained on.
        r2: Share of spread that the fit explains (McFadden's of a logistic one).
        scores: On the rows that were set apart, else on those of the fit.
        tested: How many rows were set apart; None where the model is judged by the rows of the fit.
        baselines: Of categories, the value that the others are compared with.
        left_out: Columns that took no part, and why.
    """

    kind: Literal["linear", "logistic"]
    positive: str | None
    intercept: float
    coefficients: tuple[Coefficient, ...]
    r2: float
    adjusted_r2: float | None
    scores: Scores
    trained: int
    tested: int | None
    seed: int | None
    baselines: dict[str, str]
    left_out: dict[str, str]


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
        test = set_apart(len(known), test_share, seed)
    if test_share is not None and test.sum() < _FEWEST_TESTED:
        raise CalculationError(
            f"Only {int(test.sum())} rows would be left to test on.",
            suggestions=["Ask for a larger test share, or for none."],
        )
    y, positive = _outcome(known[target], kind)
    parts = design(known, list(features), ~test)
    parts = _over_all(parts, known, features, test)
    x, train = parts.matrix, ~test
    require_count(int(train.sum()), len(parts.terms) + 3, f"A regression with {len(parts.terms)} terms")
    if not parts.terms or np.ptp(y[train]) == 0:
        what = "No column can explain it" if not parts.terms else f"{target} does not vary"
        raise CalculationError(f"{what}.", suggestions=["Choose columns that vary."])
    fit = line(x[train], y[train]) if positive is None else log_odds(x[train], y[train])
    judged = test if test.any() else train
    scores = _line_scores(fit, x, y, judged) if positive is None else _odds_scores(x, y, train, judged)
    return Prediction(
        kind="linear" if positive is None else "logistic",
        positive=positive,
        intercept=float(fit.params[0]),
        coefficients=_coefficients(fit, parts, y[train], x[train], odds=positive is not None),
        r2=fit.r2,
        adjusted_r2=fit.adjusted_r2,
        scores=scores,
        trained=int(train.sum()),
        tested=int(test.sum()) if test_share is not None else None,
        seed=seed if test_share is not None else None,
        baselines=parts.baselines,
        left_out=parts.left_out,
    )


def _outcome(column: pd.Series[Any], kind: str) -> tuple[Floats, str | None]:
    """The target as numbers, and the value that 1 stands for where one of two is predicted."""
    levels = sorted(column.unique().tolist(), key=str)
    if kind == "linear" or (kind == "auto" and len(levels) != 2):
        return column.to_numpy(np.float64), None
    if len(levels) != 2:
        raise InvalidInput(f"A logistic regression predicts one of two values, and there are {len(levels)}.")
    return np.asarray(column == levels[1], dtype=np.float64), str(levels[1])


def _over_all(parts: Design, known: pd.DataFrame, features: Sequence[str], test: Bools) -> Design:
    """The same terms for all rows, those that were set apart included."""
    if not test.any():
        return parts
    whole = design(known, list(features), np.ones(len(known), dtype=bool))
    kept = [whole.terms.index(t) for t in parts.terms if t in whole.terms]
    terms = tuple(whole.terms[i] for i in kept)
    return Design(whole.matrix[:, kept], terms, whole.rows, parts.left_out | whole.left_out, whole.baselines)


def _coefficients(fit: Fit, parts: Design, y: Floats, x: Floats, *, odds: bool) -> tuple[Coefficient, ...]:
    spread = x.std(axis=0, ddof=1)
    scale = spread if odds else spread / y.std(ddof=1)
    told = fit.evidence()[1:]
    return tuple(
        Coefficient(term, float(b), low, high, float(b * s), p, None, float(np.exp(b)) if odds else None)
        for term, b, s, (p, low, high) in zip(parts.terms, fit.params[1:], scale, told, strict=True)
    )


def _line_scores(fit: Fit, x: Floats, y: Floats, judged: Bools) -> Scores:
    """Errors; of a target with two values also how often the nearer one is right."""
    guess = fit.predicted(x[judged])
    told = _errors(y[judged], guess)
    two = np.unique(y)
    if len(two) != 2:
        return Scores(**told)
    return Scores(**told, **_hits(y[judged] == two[1], guess >= float(two.mean()), guess))


def _odds_scores(x: Floats, y: Floats, train: Bools, judged: Bools) -> Scores:
    """How often the right value is told, by scikit-learn's default fit, which holds the coefficients a little back."""
    odds = log_odds(x[train], y[train], penalty=1.0).predicted(x[judged])
    return Scores(**_hits(y[judged] == 1, odds >= 0, odds))


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
    right = int((truth & told).sum())
    precision = right / int(told.sum()) if told.any() else None
    recall = right / int(truth.sum()) if truth.any() else None
    both = (precision or 0) + (recall or 0)
    return {
        "accuracy": float((truth == told).mean()),
        "precision": precision,
        "recall": recall,
        "f1": 2 * (precision or 0) * (recall or 0) / both if both else None,
        "auc": area_under_curve(truth, score),
    }
