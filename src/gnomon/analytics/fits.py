"""Fits of a line and of log odds, with the evidence for each term; in NumPy alone, so that they start at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon.analytics.inputs import Bools, Floats

_STEPS = 60
_CLOSE = 1e-10
_RUNAWAY = 30.0  # standard deviations of log odds: the two values are told apart completely
_INTERVAL = 0.975


@dataclass(frozen=True, slots=True)
class Fit:
    """A constant and one coefficient for each column of the matrix.

    Attributes:
        params: The constant, then the coefficients.
        errors: Their standard errors; None where there are none.
        r2: The share of spread that is explained, or McFadden's of log odds.
    """

    params: Floats
    errors: Floats | None
    r2: float
    adjusted_r2: float | None
    freedom: int

    def evidence(self) -> list[tuple[float | None, float | None, float | None]]:
        """For each parameter the chance that it is none, and the ends of its 95 % interval."""
        from scipy.special import ndtr, ndtri, stdtr, stdtrit

        if self.errors is None:
            return [(None, None, None) for _ in self.params]
        with np.errstate(divide="ignore", invalid="ignore"):
            size = np.abs(self.params / self.errors)
        exact = self.freedom > 0
        p = 2 * (stdtr(self.freedom, -size) if exact else ndtr(-size))
        half = (stdtrit(self.freedom, _INTERVAL) if exact else ndtri(_INTERVAL)) * self.errors
        ends = zip(p.tolist(), (self.params - half).tolist(), (self.params + half).tolist(), strict=True)
        return [(float(a), float(b), float(c)) for a, b, c in ends]

    def predicted(self, matrix: Floats) -> Floats:
        """What the fit says of other rows: the number itself, or its log odds."""
        return self.params[0] + matrix @ self.params[1:]


def line(matrix: Floats, y: Floats) -> Fit:
    """Ordinary least squares, with classical standard errors."""
    center, spread = _scale(matrix)
    x = np.column_stack([np.ones(len(y)), (matrix - center) / spread])
    params = np.linalg.lstsq(x, y, rcond=None)[0]
    rest = y - x @ params
    freedom = len(y) - x.shape[1]
    unexplained, total = float(rest @ rest), float(((y - y.mean()) ** 2).sum())
    r2 = 1 - unexplained / total if total > 0 else 0.0
    adjusted = 1 - (1 - r2) * (len(y) - 1) / freedom if freedom > 0 else None
    covariance = np.linalg.pinv(x.T @ x) * (unexplained / freedom if freedom > 0 else np.nan)
    back = _back(center, spread)
    errors = np.sqrt(np.diag(back @ covariance @ back.T).clip(0))
    return Fit(back @ params, errors, r2, adjusted, freedom)


def log_odds(matrix: Floats, y: Floats, *, penalty: float = 0.0) -> Fit:
    """Logistic regression by Newton's method.

    Args:
        matrix: The columns.
        y: 1 and 0.
        penalty: Of the squares of the coefficients as they are, which keeps them finite; 1 is scikit-learn's default.
            Without one, and where the columns tell the two values apart completely, there is no evidence to give.
    """
    center, spread = _scale(matrix)
    x = np.column_stack([np.ones(len(y)), (matrix - center) / spread])
    weight = np.concatenate([[0.0], penalty / spread**2])
    params = np.zeros(x.shape[1])
    information = np.eye(x.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ params, -35, 35)))
        information = (x * (chance * (1 - chance))[:, None]).T @ x + np.diag(weight)
        step = np.linalg.lstsq(information, x.T @ (y - chance) - weight * params, rcond=None)[0]
        params = params + step
        if np.abs(step).max() < _CLOSE or np.abs(params).max() > _RUNAWAY:
            break
    if penalty == 0 and np.abs(params).max() > _RUNAWAY:
        held = log_odds(matrix, y, penalty=1.0)
        return Fit(held.params, None, held.r2, None, 0)
    chance = np.clip(1 / (1 + np.exp(-np.clip(x @ params, -35, 35))), 1e-15, 1 - 1e-15)
    base = float(y.mean())
    null = float(np.sum(y * np.log(base) + (1 - y) * np.log(1 - base)))
    r2 = 1 - float(np.sum(y * np.log(chance) + (1 - y) * np.log(1 - chance))) / null
    back = _back(center, spread)
    errors = np.sqrt(np.diag(back @ np.linalg.pinv(information) @ back.T).clip(0)) if penalty == 0 else None
    return Fit(back @ params, errors, r2, None, 0)


def _scale(matrix: Floats) -> tuple[Floats, Floats]:
    spread = matrix.std(axis=0)
    return matrix.mean(axis=0), np.where(spread > 0, spread, 1.0)


def _back(center: Floats, spread: Floats) -> Floats:
    """What turns the parameters of scaled columns into those of the columns as they are."""
    made = np.diag(np.concatenate([[1.0], 1 / spread]))
    made[0, 1:] = -center / spread
    return made


def set_apart(count: int, share: float, seed: int) -> Bools:
    """Which rows are set apart to judge a model by: those that scikit-learn's ``train_test_split`` takes."""
    tested = int(np.ceil(share * count))
    mixed = np.random.RandomState(seed).permutation(count)  # the split that others get by it
    made = np.zeros(count, dtype=bool)
    made[mixed[:tested]] = True
    return made


def area_under_curve(truth: Bools, score: Floats) -> float | None:
    """How often a row that is true scores above one that is not."""
    from gnomon.analytics.association import ranks

    yes = int(truth.sum())
    no = len(truth) - yes
    if not yes or not no:
        return None
    return float((ranks(score)[truth].sum() - yes * (yes + 1) / 2) / (yes * no))
