"""Days that stand out are found, and a weekly pattern, a trend or noise is not taken for one."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.analytics.standouts import unexpected

FAR = 3.5


def _series(seed: int, positive: bool = True) -> np.ndarray:
    rng = np.random.default_rng(seed)
    t = np.arange(300)
    week = np.array([1, 0.9, 0.9, 1, 1.1, 1.5, 1.4])[t % 7]
    y = 200 * week * (1 + t / 300) * np.exp(rng.normal(0, 0.06, len(t)))
    return y if positive else y - 300


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_planted_days_are_found_with_their_side_and_nothing_else(seed, positive):
    y = _series(seed, positive)
    planted = {40: 1.8, 133: 0.4, 277: 1.7}
    for day, factor in planted.items():
        y[day] = (y[day] + (0 if positive else 300)) * factor - (0 if positive else 300)
    strays = unexpected(list(y), 7)
    far = {int(i) for i in np.flatnonzero(np.abs(strays) > FAR)}
    assert set(planted) <= far and len(far) <= len(planted) + 2
    assert all(bool(strays[d] > 0) is (f > 1) for d, f in planted.items())


def test_a_pattern_with_noise_has_hardly_a_day_that_stands_out():
    far = sum(int((np.abs(unexpected(list(_series(s)), 7)) > FAR).sum()) for s in range(20))
    assert far <= 20 * 300 * 0.003


def test_what_never_varies_or_is_too_short_has_nothing_that_stands_out():
    assert not unexpected([5.0] * 40, 7).any()
    assert not unexpected([1.0, 9.0, 2.0], 7).any()
