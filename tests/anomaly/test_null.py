"""The model of the data without anomalies: tails from the middle, dependence, spikes, grids and rare values."""

from collections.abc import Callable

import numpy as np
import pytest

from gnomon.anomaly.marginals import grid_step, marginals
from gnomon.anomaly.null import NullModel

SHAPES: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "normal": lambda r: r.standard_normal((1500, 4)),
    "student": lambda r: r.standard_t(3, (1500, 4)),
    "lognormal": lambda r: r.lognormal(0, 1, (1500, 4)),
    "exponential": lambda r: -r.exponential(1, (1500, 4)),
    "pareto": lambda r: r.pareto(2, (1500, 4)),
}
TAILS = {"normal": 3.09, "student": 10.21, "lognormal": 21.98, "exponential": -0.001, "pareto": 30.6}


@pytest.mark.parametrize("kind", SHAPES)
def test_tails_follow_from_the_middle(kind: str):
    rng = np.random.default_rng(1)
    model = NullModel.fit(SHAPES[kind](rng), rng)
    drawn = np.concatenate([model.draw(5000, rng) for _ in range(6)])
    assert np.quantile(drawn, 0.999) == pytest.approx(TAILS[kind], rel=0.35, abs=0.02)


def test_far_values_do_not_lengthen_the_tail():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((1000, 3))
    X[:20] = rng.uniform(-9, 9, (20, 3))
    drawn = NullModel.fit(X, rng).draw(5000, rng)
    assert np.quantile(np.abs(drawn), 0.999) < 5.5


def test_a_column_of_zeros_and_amounts_keeps_both():
    rng = np.random.default_rng(3)
    x = rng.gamma(2, 10, 2000) * (rng.random(2000) < 0.4)
    drawn = marginals(x[:, None])[0].values(rng.standard_normal(5000), rng)
    assert (drawn == 0).mean() == pytest.approx(0.6, abs=0.03)
    assert np.quantile(drawn[drawn > 0], 0.9) == pytest.approx(np.quantile(x[x > 0], 0.9), rel=0.15)


def test_counts_stay_on_their_grid_even_with_odd_values_among_them():
    rng = np.random.default_rng(4)
    x = rng.poisson(30, 1000).astype(float)
    x[:10] = 80.37
    assert grid_step(np.sort(x)) == 1
    drawn = marginals(x[:, None])[0].values(rng.standard_normal(2000), rng)
    assert (drawn == np.round(drawn)).all()
    assert drawn.max() < 70


def test_a_value_that_hardly_occurs_is_left_out_unless_it_follows_from_its_neighbours():
    rng = np.random.default_rng(5)
    odd = np.concatenate([rng.choice([1.0, 2.0, 3.0], 998), [9.0, 9.0]])
    assert set(np.unique(marginals(odd[:, None])[0].values(rng.standard_normal(5000), rng))) == {1, 2, 3}
    counts = np.repeat([0.0, 1.0, 2.0, 3.0], [740, 222, 34, 4])
    assert 3.0 in marginals(counts[:, None])[0].values(rng.standard_normal(5000), rng)
