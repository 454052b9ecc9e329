"""Whether values could come from a normal distribution, by the test that is named or the one that fits their number."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.analytics.inputs import Floats, require_between, require_choice, require_count
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError

EXACT_UP_TO = 5000  # beyond, the p-value of Shapiro and Wilk's test is no longer exact
MANY = 1000  # from about here on, deviations that do not matter become significant
TESTS = ("shapiro", "dagostino", "jarque_bera", "ks", "anderson")
_FEWEST = {"shapiro": 3, "dagostino": 8, "jarque_bera": 3, "ks": 4, "anderson": 8}


@dataclass(frozen=True, slots=True)
class NormalityCheck(Result):
    """The outcome of one test of normality."""

    test: str
    count: int
    statistic: float
    p_value: float
    alpha: float
    normal: bool


def check_normality(values: Floats, test: str | None = None, alpha: float = 0.05) -> NormalityCheck:
    """Test values against the normal distribution with their own mean and spread.

    Args:
        values: The values, all of them known.
        test: One of :data:`TESTS`; without it Shapiro and Wilk's up to 5,000 values, D'Agostino's beyond. The test of
            Kolmogorov and Smirnov is Lilliefors's form, which knows that mean and spread come from the same values.
        alpha: The chance of calling a normal distribution something else.

    Raises:
        CalculationError: There are too few values, or all are equal.
    """
    x = np.asarray(values, dtype=np.float64)
    require_between(alpha, 0, 1, "alpha")
    chosen = test or ("shapiro" if len(x) <= EXACT_UP_TO else "dagostino")
    require_choice(chosen, TESTS, "test of normality")
    require_count(len(x), _FEWEST[chosen], "A test of normality")
    if np.ptp(x) == 0:
        raise CalculationError(
            "All values are equal, so they have no distribution to test.",
            suggestions=["Choose a column that varies."],
        )
    # Scale and place do not matter to any of the tests; very large numbers would lose digits.
    statistic, p_value = _outcome((x - x.mean()) / x.std(), chosen)
    return NormalityCheck(chosen, len(x), statistic, p_value, alpha, p_value >= alpha)


def _outcome(x: Floats, test: str) -> tuple[float, float]:
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # sizes for which a p-value is approximate; they are told apart elsewhere
        if test == "shapiro":
            found: Any = stats.shapiro(x)
        elif test == "dagostino":
            found = stats.normaltest(x)
        elif test == "jarque_bera":
            found = stats.jarque_bera(x)
        else:
            from statsmodels.stats import diagnostic

            found = diagnostic.lilliefors(x) if test == "ks" else diagnostic.normal_ad(x)
    return float(found[0]), float(found[1])
