"""What keeps large and wide tables cheap gives the same answers as the plain way."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

from gnomon.anomaly.lookup import Grid
from gnomon.anomaly.ranks import rank_correlation, ranks
from gnomon.anomaly.results import top_rows
from gnomon.anomaly.scaling import White, bulk_axes
from gnomon.anomaly.tails import TailMix


def test_a_grid_answers_like_the_search_it_replaces():
    rng = np.random.default_rng(0)
    ordered = np.sort(rng.lognormal(0, 1, 20_000))
    levels = np.linspace(0, 1, 20_000)
    grid = Grid.over(ordered, lambda x: np.interp(x, ordered, levels)[None])
    assert grid is not None
    asked = np.concatenate([rng.lognormal(0, 1, 5_000), [-5.0, 0.0, 1e6]])
    np.testing.assert_allclose(grid(asked)[0], np.interp(asked, ordered, levels), atol=0.01)
    np.testing.assert_array_equal(grid(asked)[0, -3:], np.interp(asked[-3:], ordered, levels))


def test_a_column_of_a_few_values_has_no_grid():
    ordered = np.sort(np.random.default_rng(0).integers(0, 5, 5_000).astype(float))
    share = lambda x: np.searchsorted(ordered, x, "right")[None] / len(ordered)  # noqa: E731
    assert Grid.over(ordered, share) is None


def test_tails_by_grid_rank_rows_like_tails_by_search():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=6_000), rng.gamma(2.0, size=6_000), rng.standard_t(4, 6_000)])
    quick = TailMix().fit(X)
    slow = TailMix().fit(X)
    for tails in slow.tails_:
        tails.grid = None
    assert rank_correlation(quick.decision_function(X), slow.decision_function(X)) > 0.9999


def test_ranks_share_ties_and_correlate_like_scipy():
    from scipy.stats import rankdata, spearmanr

    rng = np.random.default_rng(2)
    values = rng.integers(0, 20, (200, 3)).astype(float)
    np.testing.assert_array_equal(ranks(values), rankdata(values, axis=0))
    expected = float(spearmanr(values[:, 0], values[:, 1]).statistic)
    assert rank_correlation(values[:, 0], values[:, 1]) == pytest.approx(expected)
    assert np.isnan(rank_correlation(values[:, 0], np.ones(200)))


def test_top_rows_come_highest_first_with_ties_by_row():
    scores = np.array([1.0, 5.0, 3.0, 5.0, 3.0, 0.0])
    assert top_rows(scores, 4).tolist() == [1, 3, 2, 4]
    assert top_rows(scores, 0).tolist() == []
    assert top_rows(scores, 99).tolist() == [1, 3, 2, 4, 0, 5]


def test_axes_of_fewer_rows_than_columns_keep_distances():
    rng = np.random.default_rng(3)
    S = rng.normal(size=(30, 80)) @ rng.normal(size=(80, 80))
    centre, axes, spread = bulk_axes(S)
    assert axes.shape[1] == len(spread) < 30
    np.testing.assert_allclose(axes.T @ axes, np.eye(len(spread)), atol=1e-8)
    white = White.fit(S, np.random.default_rng(0))
    near, far = np.zeros((1, 80)), np.full((1, 80), 50.0)
    assert np.linalg.norm(white.apply(S.mean(axis=0, keepdims=True) + far)) > 5 * np.linalg.norm(
        white.apply(S.mean(axis=0, keepdims=True) + near)
    )
    assert np.isfinite(centre).all()


def test_whitening_of_wide_rows_takes_a_moment():
    X = np.random.default_rng(4).normal(size=(200, 2_000))
    started = time.process_time()
    Z = White.fit(X, np.random.default_rng(0)).apply(X)
    assert time.process_time() - started < 2.0
    assert np.isfinite(Z).all()


def test_numbers_are_investigated_without_loading_data_frames_or_foreign_detectors():
    code = (
        "import sys, numpy as np\n"
        "from gnomon.anomaly import ADEngine\n"
        "X = np.random.default_rng(0).normal(size=(300, 5)); X[:3] += 8\n"
        "state = ADEngine().investigate(X)\n"
        "assert state.consensus['labels'][:3].all(), state.consensus['labels'][:3]\n"
        "print([m for m in ('pandas', 'pyod', 'numba', 'sklearn', 'statsmodels', 'scipy.stats') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
