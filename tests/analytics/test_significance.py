"""A change is told from what a series does anyway, and from its season."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from gnomon.analytics.significance import ChangeVerdict, SeasonVerdict, change_test, seasonality_check
from gnomon.core.errors import CalculationError, InvalidInput
from gnomon.core.query import TimeRange

FIRST = date(2023, 1, 2)
DAYS = [FIRST + timedelta(days=i) for i in range(728)]


def _period(start: int, length: int = 7) -> TimeRange:
    return TimeRange(start=DAYS[start], end=DAYS[start + length - 1])


def _series(seed: int, *, rho: float = 0.0, heavy: bool = False) -> np.ndarray:
    """Two years by day: a weekly pattern, growth and noise."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_t(3, 728) * 0.05 if heavy else rng.normal(0, 0.08, 728)
    for i in range(1, 728):
        noise[i] += rho * noise[i - 1]
    week = np.tile([1.0, 0.9, 0.9, 1.0, 1.2, 1.5, 1.3], 104)
    return 1000 * week * (1 + 0.2 * np.arange(728) / 365) * np.exp(noise)


@pytest.mark.long
@pytest.mark.parametrize(("rho", "heavy"), [(0.0, False), (0.6, False), (0.0, True)])
def test_noise_is_called_unusual_in_no_more_than_one_of_twenty_series(rho, heavy):
    alarms = 0
    for seed in range(120):
        start = 400 + (seed * 37) % 300
        found = change_test(DAYS, _series(seed, rho=rho, heavy=heavy), _period(start), _period(start - 7))
        alarms += found.verdict is ChangeVerdict.UNUSUAL
    assert alarms <= 6


@pytest.mark.parametrize("seed", range(5))
def test_a_real_drop_is_unusual_and_sized(seed):
    values = _series(seed)
    values[600:607] *= 0.7
    found = change_test(DAYS, values, _period(600), _period(593))
    assert found.verdict is ChangeVerdict.UNUSUAL
    assert found.before == pytest.approx(values[593:600].sum())
    assert found.after == pytest.approx(values[600:607].sum())
    assert found.low is not None and found.after < found.low < found.before


def test_a_weekend_against_working_days_is_no_change():
    values = _series(4)
    assert change_test(DAYS, values, _period(600 + 5, 2), _period(600 + 3, 2)).verdict is ChangeVerdict.NORMAL


@pytest.mark.parametrize("seed", range(4))
def test_a_dip_of_every_summer_is_seasonal(seed):
    values = _series(seed)
    for start in (220, 220 + 364):
        values[start : start + 14] *= 0.65
    found = change_test(DAYS, values, _period(584, 14), _period(570, 14))
    assert found.verdict is ChangeVerdict.SEASONAL
    assert found.season.verdict is SeasonVerdict.SEASONAL
    assert found.season.explained > 0.6


def test_a_dip_of_this_year_alone_is_not_seasonal():
    values = _series(1)
    values[584:598] *= 0.65
    check = seasonality_check(DAYS, values, _period(584, 14), _period(570, 14))
    assert check.verdict is SeasonVerdict.NOT
    assert check.years == 1


def test_a_dip_far_deeper_than_that_of_last_year_is_only_partly_seasonal():
    values = _series(2)
    values[220:234] *= 0.75
    values[584:598] *= 0.4
    found = change_test(DAYS, values, _period(584, 14), _period(570, 14))
    assert found.verdict is ChangeVerdict.UNUSUAL
    assert found.season.verdict is SeasonVerdict.PARTLY


def test_without_an_earlier_year_the_season_is_unknown():
    assert (
        seasonality_check(DAYS[:200], _series(1)[:200], _period(180), _period(173)).verdict
        is SeasonVerdict.UNKNOWN
    )


def test_too_little_history_is_untested_and_not_guessed():
    found = change_test(DAYS[:21], _series(1)[:21], _period(14), _period(7))
    assert found.verdict is ChangeVerdict.UNTESTED
    assert found.p_value is None and found.notes


def test_a_ratio_is_that_of_the_sums():
    orders, visits = _series(1) / 50, _series(2)
    found = change_test(DAYS, orders, _period(600), _period(593), weights=visits)
    assert found.after == pytest.approx(orders[600:607].sum() / visits[600:607].sum())


def test_a_level_is_averaged_over_its_days():
    values = _series(3)
    found = change_test(DAYS, values, _period(600, 14), _period(593), mean=True)
    assert found.after == pytest.approx(values[600:614].mean())


def test_profits_that_turn_into_losses_are_tested_as_differences():
    values = _series(5) - 1100
    values[600:607] -= 2000
    assert change_test(DAYS, values, _period(600), _period(593)).verdict is ChangeVerdict.UNUSUAL


def test_periods_that_overlap_are_refused():
    with pytest.raises(InvalidInput):
        change_test(DAYS, _series(1), _period(600), _period(597))


def test_a_ratio_of_nothing_is_refused():
    with pytest.raises(CalculationError):
        change_test(DAYS, _series(1), _period(600), _period(593), weights=np.zeros(728))
