"""Distribution: summary against numpy and scipy, families recovered from samples of known laws."""

import json

import numpy as np
import pytest
from scipy import stats

from gnomon.analytics import distribution
from gnomon.core.errors import CalculationError, InvalidInput


def test_the_summary_equals_numpy_and_scipy() -> None:
    x = np.random.default_rng(0).gamma(2, 3, 400)
    result = distribution([*x, None, float("inf")])
    assert (result.count, result.missing) == (400, 2)
    assert result.mean == pytest.approx(x.mean())
    assert result.sd == pytest.approx(x.std(ddof=1))
    assert result.skewness == pytest.approx(stats.skew(x))
    assert result.kurtosis == pytest.approx(stats.kurtosis(x))
    assert result.quantiles["p95"] == pytest.approx(np.quantile(x, 0.95))
    q1, q3 = np.quantile(x, [0.25, 0.75])
    assert result.outliers == pytest.approx(np.mean((x < q1 - 1.5 * (q3 - q1)) | (x > q3 + 1.5 * (q3 - q1))))
    assert result.normality.p_value == pytest.approx(stats.shapiro(x).pvalue)
    assert result.shape.startswith("right-skewed")
    assert json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("name", "sample"),
    [
        ("normal", lambda r: r.normal(5, 2, 1500)),
        ("uniform", lambda r: r.uniform(3, 9, 1500)),
        ("exponential", lambda r: r.exponential(4, 1500)),
        ("lognormal", lambda r: r.lognormal(1, 0.8, 1500)),
        ("gamma", lambda r: r.gamma(3, 2, 1500)),
        ("student t", lambda r: r.standard_t(2, 1500)),
        ("poisson", lambda r: r.poisson(4, 1500)),
        ("negative binomial", lambda r: r.negative_binomial(2, 0.2, 1500)),
        ("laplace", lambda r: r.laplace(0, 1, 1500)),
    ],
)
def test_the_true_family_is_recovered(name: str, sample) -> None:
    result = distribution(sample(np.random.default_rng(11)))
    assert result.best.name == name
    assert result.best.distance < 0.05


def test_the_normal_fit_is_maximum_likelihood_with_its_aic() -> None:
    x = np.random.default_rng(2).normal(7, 3, 200)
    normal = next(f for f in distribution(x).families if f.name == "normal")
    assert normal.parameters == {"mean": pytest.approx(x.mean()), "sd": pytest.approx(x.std())}
    assert normal.aic == pytest.approx(4 - 2 * stats.norm.logpdf(x, x.mean(), x.std()).sum())


def test_the_histogram_counts_every_value_once() -> None:
    x = np.random.default_rng(0).normal(size=500)
    bars = distribution(x, bins=12).histogram
    assert len(bars) == 12
    assert sum(b.count for b in bars) == 500
    assert bars[3].count == int(((x >= bars[3].low) & (x < bars[3].high)).sum())
    dice = distribution(np.random.default_rng(0).integers(1, 7, 300)).histogram
    assert [(b.low + b.high) / 2 for b in dice] == [1, 2, 3, 4, 5, 6]


def test_extremes_do_not_break_the_histogram() -> None:
    x = np.r_[np.random.default_rng(0).normal(size=1000), 1e12]
    assert sum(b.count for b in distribution(x).histogram) == 1001


def test_constants_single_values_and_nothing() -> None:
    constant = distribution([4.0] * 5)
    assert (constant.shape, constant.best, constant.normality) == ("constant", None, None)
    assert distribution([4.0]).sd is None
    with pytest.raises(CalculationError):
        distribution([None, float("nan")])
    with pytest.raises(InvalidInput):
        distribution([1, 2, 3], bins=0)
