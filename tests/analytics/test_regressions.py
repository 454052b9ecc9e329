"""Regression: coefficients against the normal equations, honest error against folds by hand."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from gnomon.analytics import regression
from gnomon.analytics.design import inflation_factors
from gnomon.core.errors import CalculationError, InvalidInput, NotFound


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 300
    x, z = rng.normal(10, 2, n), rng.normal(0, 1, n)
    group = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    y = 5 + 3 * x - 2 * z + np.where(group == "b", 4, 0) + rng.normal(0, 1, n)
    return pd.DataFrame(
        {"x": x, "z": z, "group": group, "y": y, "win": np.where(z + rng.normal(0, 1, n) > 0, "yes", "no")}
    )


def test_coefficients_equal_the_normal_equations(table: pd.DataFrame) -> None:
    result = regression(table, "y", features=["x", "z"])
    matrix = np.column_stack([np.ones(300), table.x, table.z])
    beta, *_ = np.linalg.lstsq(matrix, table.y, rcond=None)
    found = {c.term: c for c in result.coefficients}
    assert result.intercept == pytest.approx(beta[0])
    assert found["x"].coefficient == pytest.approx(beta[1])
    assert found["x"].standardised == pytest.approx(beta[1] * table.x.std() / table.y.std())
    rest = table.y - matrix @ beta
    r2 = 1 - (rest**2).sum() / ((table.y - table.y.mean()) ** 2).sum()
    assert result.r2 == pytest.approx(r2)
    assert result.adjusted_r2 == pytest.approx(1 - (1 - r2) * 299 / 297)
    error = np.sqrt((rest**2).sum() / 297 * np.linalg.inv(matrix.T @ matrix)[1, 1])
    from scipy import stats

    if result.standard_errors == "classical":
        assert found["x"].high - found["x"].coefficient == pytest.approx(stats.t.ppf(0.975, 297) * error)


def test_categories_are_measured_against_the_commonest(table: pd.DataFrame) -> None:
    result = regression(table, "y", features=["x", "z", "group"])
    found = {c.term: c for c in result.coefficients}
    assert result.baselines == {"group": "a"}
    assert found["group = b"].low < 4 < found["group = b"].high
    assert found["group = c"].low < 0 < found["group = c"].high
    assert json.dumps(result.to_dict(), allow_nan=False)


def test_held_out_error_is_near_the_noise_and_beats_the_mean(table: pd.DataFrame) -> None:
    validation = regression(table, "y", features=["x", "z", "group"]).validation
    assert validation.rmse == pytest.approx(1.0, abs=0.12)
    assert validation.baseline_rmse == pytest.approx(table.y.std(), rel=0.05)
    assert validation.better and validation.folds == 5


def test_noise_predicts_nothing_and_it_is_said() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(40, 8)), columns=list("abcdefgy"))
    result = regression(frame, "y")
    assert result.r2 > 0
    assert result.validation.r2 < 0.1
    assert any("no better than the baseline" in n for n in result.notes)


def test_logistic_finds_the_direction_with_honest_scores(table: pd.DataFrame) -> None:
    import statsmodels.api as sm

    result = regression(table, "win", features=["x", "z"])
    theirs = sm.Logit((table.win == "yes").astype(float), sm.add_constant(table[["x", "z"]])).fit(disp=False)
    found = {c.term: c for c in result.coefficients}
    assert (result.kind, result.positive) == ("logistic", "yes")
    assert found["z"].coefficient == pytest.approx(theirs.params["z"], rel=1e-4)
    assert found["z"].low == pytest.approx(theirs.conf_int().loc["z", 0], rel=1e-3)
    assert found["z"].odds_ratio == pytest.approx(np.exp(theirs.params["z"]), rel=1e-4)
    assert result.intercept == pytest.approx(theirs.params["const"], rel=1e-3, abs=1e-3)
    in_sample = roc_auc_score(table.win == "yes", theirs.fittedvalues)
    assert in_sample - 0.05 < result.validation.auc <= in_sample + 0.01
    assert result.validation.accuracy > result.validation.majority_accuracy


def test_complete_separation_is_fitted_with_a_penalty_and_said() -> None:
    frame = pd.DataFrame({"x": np.arange(40.0), "y": np.arange(40) >= 20})
    result = regression(frame, "y")
    assert result.coefficients[0].coefficient > 0
    assert result.coefficients[0].low is None
    assert any("separate" in n for n in result.notes)


def test_collinear_columns_are_dropped_or_named() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    frame = pd.DataFrame(
        {"x": x, "double": 2 * x, "near": x + rng.normal(0, 0.01, 100), "y": x + rng.normal(size=100)}
    )
    result = regression(frame, "y")
    assert result.left_out == {"double": "other columns determine it completely"}
    assert any("collinear" in n for n in result.notes)


def test_inflation_equals_its_definition() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.8], [0, 0, 1]])
    others = np.column_stack([np.ones(200), x[:, 1:]])
    fit = others @ np.linalg.lstsq(others, x[:, 0], rcond=None)[0]
    r2 = 1 - ((x[:, 0] - fit) ** 2).sum() / ((x[:, 0] - x[:, 0].mean()) ** 2).sum()
    assert inflation_factors(x)[0] == pytest.approx(1 / (1 - r2))


def test_unequal_spread_gets_robust_errors() -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(1, 10, 300)
    frame = pd.DataFrame({"x": x, "y": 2 * x + rng.normal(0, 1, 300) * x})
    assert regression(frame, "y").standard_errors == "HC3"


def test_rows_with_gaps_are_left_out_and_errors_are_typed(table: pd.DataFrame) -> None:
    gaps = table.copy()
    gaps.loc[:9, "x"] = np.nan
    result = regression(gaps, "y", features=["x"])
    assert (result.rows, result.left_out_rows) == (290, 10)
    with pytest.raises(NotFound):
        regression(table, "yy")
    with pytest.raises(CalculationError):
        regression(table.assign(c=1), "y", features=["c"])
    with pytest.raises(InvalidInput):
        regression(table, "group", kind="logistic")
    with pytest.raises(InvalidInput):
        regression(table, "group", kind="linear")
    with pytest.raises(CalculationError):
        regression(table.head(4), "y", features=["x", "z"])
