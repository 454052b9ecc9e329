"""Regression: what goes with a target, how sure that is, and how well it predicts rows it has not seen."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gnomon.analytics.design import Design, design, inflation_factors
from gnomon.analytics.inputs import (
    Floats,
    numbers,
    require_between,
    require_choice,
    require_column,
    require_count,
    require_frame,
    require_whole,
)
from gnomon.analytics.results import Result
from gnomon.analytics.validation import Validation, cross_validated
from gnomon.core.errors import CalculationError, InvalidInput

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Coefficient(Result):
    """One term: raw effect per unit, effect per standard deviation, and how sure it is.

    For a logistic regression the effect is on the log odds and ``odds_ratio`` is set.
    """

    term: str
    coefficient: float
    low: float | None
    high: float | None
    standardised: float
    p_value: float | None
    inflation: float | None
    odds_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Regression(Result):
    """A fitted regression.

    Attributes:
        r2: Share of variance explained in the sample (McFadden's for logistic).
        adjusted_r2: The same, corrected for the number of terms; linear only.
        validation: Error on held-out rows beside that of a baseline that knows only the target.
        standard_errors: ``classical``, or ``HC3`` where the spread depends on the features.
        positive: For logistic: the class whose odds are modelled.
    """

    kind: Literal["linear", "logistic"]
    target: str
    positive: str | None
    rows: int
    left_out_rows: int
    intercept: float
    coefficients: tuple[Coefficient, ...]
    r2: float
    adjusted_r2: float | None
    standard_errors: str
    validation: Validation
    baselines: dict[str, str]
    left_out: dict[str, str]
    confidence: float
    notes: tuple[str, ...]


def regression(
    frame: Any,
    target: str,
    *,
    features: Sequence[str] | None = None,
    kind: Literal["auto", "linear", "logistic"] = "auto",
    folds: int = 5,
    confidence: float = 0.95,
) -> Regression:
    """Explain ``target`` by the other columns.

    Args:
        frame: The table.
        target: A column of numbers (linear) or with two values (logistic).
        features: The explaining columns; all others when left out.
        kind: ``auto`` takes logistic for a target with two values.
        folds: Parts for cross-validation.
        confidence: Of the intervals.
    """
    table = require_frame(frame)
    require_column(table, target)
    require_choice(kind, ("auto", "linear", "logistic"), "kind")
    require_whole(folds, 2, 50, "folds")
    require_between(confidence, 0, 1, "confidence")
    names = [require_column(table, f) for f in (features if features is not None else table.columns)]
    names = [n for n in names if n != target]
    chosen = kind if kind != "auto" else ("logistic" if table[target].nunique() == 2 else "linear")
    y, positive = _binary(table[target]) if chosen == "logistic" else (_numeric(table[target], target), None)
    parts = design(table, names, ~np.isnan(y))
    if not parts.terms:
        raise CalculationError(
            "No column can explain the target.",
            suggestions=[f"{c}: {why}" for c, why in parts.left_out.items()] or ["Add columns."],
        )
    outcome = y[parts.rows]
    require_count(len(outcome), len(parts.terms) + 3, f"A regression with {len(parts.terms)} terms")
    if np.ptp(outcome) == 0:
        raise CalculationError(f"{target} does not vary.", suggestions=["Choose a target that varies."])
    fit = _linear if chosen == "linear" else _logistic
    coefficients, intercept, r2, adjusted, errors, notes = fit(parts, outcome, confidence)
    validation = cross_validated(parts.matrix, outcome, chosen, folds)
    notes += _warnings(coefficients, len(outcome), len(table), validation)
    return Regression(
        kind=chosen,
        target=target,
        positive=positive,
        rows=len(outcome),
        left_out_rows=len(table) - len(outcome),
        intercept=intercept,
        coefficients=tuple(sorted(coefficients, key=lambda c: (-abs(c.standardised), c.term))),
        r2=r2,
        adjusted_r2=adjusted,
        standard_errors=errors,
        validation=validation,
        baselines=parts.baselines,
        left_out=parts.left_out,
        confidence=float(confidence),
        notes=tuple(notes),
    )


def _numeric(column: pd.Series[Any], name: str) -> Floats:
    return numbers(column, name)


def _binary(column: pd.Series[Any]) -> tuple[Floats, str]:
    """0 and 1, with the class that 1 stands for: true, 1, yes, the larger, or the later in the alphabet."""
    levels = sorted(column.dropna().unique().tolist(), key=str)
    if len(levels) != 2:
        raise InvalidInput(
            "A logistic regression needs a target with two values, neither more nor fewer.",
            suggestions=["Use kind='linear', or derive a column of true and false."],
        )
    positive = levels[1]
    out = (column == positive).to_numpy(np.float64, na_value=np.nan)
    out[column.isna().to_numpy()] = np.nan
    return out, str(positive)


_Fit = tuple[list[Coefficient], float, float, float | None, str, list[str]]


def _linear(parts: Design, y: Floats, confidence: float) -> _Fit:
    import statsmodels.api as sm
    from statsmodels.stats.diagnostic import het_breuschpagan

    x = np.column_stack([np.ones(len(y)), parts.matrix])
    fitted: Any = sm.OLS(y, x).fit()
    r2, adjusted = float(fitted.rsquared), float(fitted.rsquared_adj)
    errors, notes = "classical", []
    if fitted.ssr > 1e-12 * float(((y - y.mean()) ** 2).sum()):
        spread_p = float(het_breuschpagan(fitted.resid, x)[1])
        if spread_p < 0.01:
            fitted, errors = fitted.get_robustcov_results("HC3"), "HC3"
            notes.append("The spread depends on the features, so robust standard errors (HC3) are used.")
    else:
        notes.append("The features determine the target completely.")
    interval = np.asarray(fitted.conf_int(1 - confidence))
    scale = parts.matrix.std(axis=0, ddof=1) / y.std(ddof=1)
    vif = inflation_factors(parts.matrix)
    coefficients = [
        Coefficient(
            term,
            float(fitted.params[i + 1]),
            float(interval[i + 1][0]),
            float(interval[i + 1][1]),
            float(fitted.params[i + 1] * scale[i]),
            float(fitted.pvalues[i + 1]),
            float(vif[i]),
        )
        for i, term in enumerate(parts.terms)
    ]
    return coefficients, float(fitted.params[0]), r2, adjusted, errors, notes


def _logistic(parts: Design, y: Floats, confidence: float) -> _Fit:
    import statsmodels.api as sm
    from statsmodels.tools.sm_exceptions import PerfectSeparationError

    center, spread = parts.matrix.mean(axis=0), parts.matrix.std(axis=0, ddof=1)
    x = np.column_stack([np.ones(len(y)), (parts.matrix - center) / spread])
    vif = inflation_factors(parts.matrix)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            fitted: Any = sm.Logit(y, x).fit(disp=False, maxiter=100)
            separated = not fitted.mle_retvals["converged"] or np.abs(fitted.params).max() > 15
        except (PerfectSeparationError, np.linalg.LinAlgError):
            fitted, separated = None, True
    if separated:
        return _penalised(parts, x, y, center, spread, vif)
    interval = np.asarray(fitted.conf_int(1 - confidence))
    coefficients = [
        Coefficient(
            term,
            float(fitted.params[i + 1] / spread[i]),
            float(interval[i + 1][0] / spread[i]),
            float(interval[i + 1][1] / spread[i]),
            float(fitted.params[i + 1]),
            float(fitted.pvalues[i + 1]),
            float(vif[i]),
            float(np.exp(fitted.params[i + 1] / spread[i])),
        )
        for i, term in enumerate(parts.terms)
    ]
    intercept = float(fitted.params[0] - (fitted.params[1:] * center / spread).sum())
    return coefficients, intercept, float(fitted.prsquared), None, "classical", []


def _penalised(parts: Design, x: Floats, y: Floats, center: Floats, spread: Floats, vif: Floats) -> _Fit:
    """When features separate the classes completely, only a penalised fit has finite coefficients."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0, max_iter=1000).fit(x[:, 1:], y)
    weights = np.asarray(model.coef_[0], dtype=np.float64)
    start = float(model.intercept_[0])
    odds = np.clip(np.asarray(model.predict_proba(x[:, 1:])[:, 1]), 1e-12, 1 - 1e-12)
    base = y.mean()
    null = float(np.sum(y * np.log(base) + (1 - y) * np.log(1 - base)))
    r2 = 1 - float(np.sum(y * np.log(odds) + (1 - y) * np.log(1 - odds))) / null
    coefficients = [
        Coefficient(t, float(w / s), None, None, float(w), None, float(v), float(np.exp(w / s)))
        for t, w, s, v in zip(parts.terms, weights, spread, vif, strict=True)
    ]
    note = "The features separate the two classes (almost) completely: penalised fit, no intervals."
    return coefficients, start - float((weights * center / spread).sum()), r2, None, "none", [note]


def _warnings(coefficients: list[Coefficient], rows: int, all_rows: int, validation: Validation) -> list[str]:
    out: list[str] = []
    if blurred := [c.term for c in coefficients if c.inflation is not None and c.inflation > 10]:
        out.append(
            f"Nearly collinear, so their separate effects are blurred: {', '.join(sorted(blurred)[:6])}."
        )
    if rows < 10 * len(coefficients):
        out.append(
            f"Only {rows} rows for {len(coefficients)} terms: expect the fit to look better than it is."
        )
    if rows < all_rows:
        out.append(f"{all_rows - rows} rows with missing values were left out.")
    if not validation.better:
        out.append("On held-out rows it predicts no better than the baseline.")
    return out
