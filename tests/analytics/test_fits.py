"""Fits in NumPy alone, against statsmodels and scikit-learn."""

import numpy as np
import pandas as pd
import pytest

from gnomon.analytics.fits import area_under_curve, line, log_odds, set_apart
from gnomon.analytics.prediction import prediction
from gnomon.core.errors import GnomonError

N = 250


def columns() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    x = np.column_stack([rng.normal(50, 12, N), rng.exponential(3000, N), rng.integers(0, 2, N)])
    return x, 0.4 * x[:, 0] - 0.002 * x[:, 1] + 3 * x[:, 2] + rng.normal(0, 4, N)


def test_a_line_has_the_evidence_of_least_squares() -> None:
    import statsmodels.api as sm

    x, y = columns()
    wanted = sm.OLS(y, sm.add_constant(x)).fit()
    found = line(x, y)
    assert found.params == pytest.approx(wanted.params)
    told = found.evidence()
    assert [p for p, _, _ in told] == pytest.approx(wanted.pvalues, rel=1e-6)
    assert [(low, high) for _, low, high in told] == [pytest.approx(pair) for pair in wanted.conf_int()]
    assert (found.r2, found.adjusted_r2) == pytest.approx((wanted.rsquared, wanted.rsquared_adj))


def test_log_odds_have_the_evidence_of_maximum_likelihood() -> None:
    import statsmodels.api as sm

    x, y = columns()
    yes = (y > np.median(y)).astype(float)
    wanted = sm.Logit(yes, sm.add_constant(x)).fit(disp=0)
    found = log_odds(x, yes)
    assert found.params == pytest.approx(wanted.params, rel=1e-5)
    assert [p for p, _, _ in found.evidence()] == pytest.approx(wanted.pvalues, rel=1e-4)
    assert found.r2 == pytest.approx(wanted.prsquared)


def test_a_penalty_of_one_is_the_default_of_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression

    x, y = columns()
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    yes = (y > np.median(y)).astype(float)
    wanted = LogisticRegression(tol=1e-10, max_iter=5000).fit(x, yes)
    found = log_odds(x, yes, penalty=1.0)
    assert found.params[1:] == pytest.approx(wanted.coef_[0], rel=1e-4)
    assert found.params[0] == pytest.approx(wanted.intercept_[0], abs=1e-4)


def test_two_values_that_are_told_apart_completely_have_no_evidence() -> None:
    x = np.arange(40.0)[:, None]
    found = log_odds(x, (x[:, 0] > 19).astype(float))
    assert np.isfinite(found.params).all()
    assert found.evidence()[1] == (None, None, None)


@pytest.mark.parametrize(("count", "share", "seed"), [(100, 0.3, 42), (891, 0.2, 0), (17, 0.25, 7)])
def test_the_same_rows_are_set_apart_as_by_scikit_learn(count: int, share: float, seed: int) -> None:
    from sklearn.model_selection import train_test_split

    wanted = train_test_split(np.arange(count), test_size=share, random_state=seed)[1]
    assert set(np.flatnonzero(set_apart(count, share, seed))) == set(wanted)


def test_the_area_under_the_curve_counts_ties_by_half() -> None:
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(2)
    truth, score = rng.random(60) < 0.4, rng.integers(0, 5, 60).astype(float)
    assert area_under_curve(truth, score) == pytest.approx(roc_auc_score(truth, score))
    assert area_under_curve(np.ones(3, dtype=bool), np.arange(3.0)) is None


def test_a_target_that_does_not_vary_is_not_predicted() -> None:
    frame = pd.DataFrame({"a": np.arange(30.0), "b": 1.0})
    with pytest.raises(GnomonError, match="does not vary"):
        prediction(frame, "b", ["a"])
