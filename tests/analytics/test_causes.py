"""Candidates are judged by movement, timing, controls and dose."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from gnomon.analytics.cause_evidence import Candidate, Effect, Onset, onset
from gnomon.analytics.causes import Timing, Verdict, judge

UNITS, WINDOWS = 40, 9
DAYS = np.full(WINDOWS, 7.0)
START = date(2024, 6, 3)
RNG = np.random.default_rng(1)
USUAL = 100 * np.exp(RNG.normal(0, 0.05, (WINDOWS, UNITS)))


def _effect(hit: np.ndarray, factor: float = 0.5, everything: bool = False) -> Effect:
    expected = np.full(UNITS, 200.0)
    actual = np.where(hit, expected * factor, expected) + np.random.default_rng(2).normal(0, 8, UNITS)
    return Effect(
        actual=actual, expected=expected, variance=np.full(UNITS, 200.0), inside=hit, wider=hit,
        size=float((actual - expected)[hit].sum()), change=float((actual - expected).sum()),
        apart=np.zeros(UNITS, dtype=bool), everything=everything,
    )  # fmt: skip


def _units(*which: int) -> np.ndarray:
    made = np.zeros(UNITS, dtype=bool)
    made[list(which)] = True
    return made


def _moved(units: np.ndarray, factor: float, usual: np.ndarray = USUAL, **more) -> Candidate:
    above = usual.copy()
    above[0, units] *= factor
    return Candidate("x", "x", above * 7, None, DAYS, **more)


NOW = Onset(START, START - timedelta(days=1), START + timedelta(days=1))
HIT = _units(1, 2, 3)


def test_what_moved_where_and_when_the_effect_was_is_the_likely_cause():
    found = judge(_moved(HIT, 0.1), _effect(HIT), began=NOW, moved=NOW)
    assert found.verdict is Verdict.LIKELY
    assert found.effect == found.effect and found.share is not None and found.share > 0.8
    assert found.timing is Timing.SAME


def test_what_did_not_move_is_ruled_out():
    assert judge(_moved(_units(), 1.0), _effect(HIT), began=NOW, moved=None).verdict is Verdict.RULED_OUT


def test_what_moved_only_afterwards_is_ruled_out():
    later = Onset(*(START + timedelta(days=d) for d in (6, 5, 7)))
    found = judge(_moved(HIT, 0.1), _effect(HIT), began=NOW, moved=later)
    assert (found.verdict, found.timing) == (Verdict.RULED_OUT, Timing.AFTER)


def test_what_moved_before_may_be_the_cause():
    earlier = Onset(*(START - timedelta(days=d) for d in (6, 7, 5)))
    found = judge(_moved(HIT, 0.1), _effect(HIT), began=NOW, moved=earlier)
    assert (found.verdict, found.timing) == (Verdict.LIKELY, Timing.BEFORE)


def test_what_moved_as_much_elsewhere_without_effect_only_coincides():
    found = judge(_moved(HIT | _units(10, 11, 12, 13), 0.1), _effect(HIT), began=NOW, moved=NOW)
    assert found.verdict is Verdict.COINCIDENT and found.correlated_only


def test_what_moved_in_a_part_of_the_segment_alone_contributes():
    hit = _units(1, 2, 3, 4, 5, 6)
    effect = _effect(hit)
    quiet = effect.actual.copy()
    quiet[[4, 5, 6]] = effect.expected[[4, 5, 6]] * 0.85
    effect = Effect(quiet, effect.expected, effect.variance, hit, hit, float((quiet - effect.expected)[hit].sum()),
                    effect.change, effect.apart)  # fmt: skip
    found = judge(_moved(_units(1, 2, 3), 0.1), effect, began=NOW, moved=NOW)
    assert found.verdict in (Verdict.LIKELY, Verdict.CONTRIBUTING)
    assert 0.5 < found.effect / effect.size < 0.95


def test_where_the_rest_of_the_segment_fell_alike_without_it_it_only_coincides():
    hit = _units(1, 2, 3, 4, 5, 6)
    found = judge(_moved(_units(1, 2, 3), 0.1), _effect(hit), began=NOW, moved=NOW)
    assert found.verdict is Verdict.COINCIDENT


def test_what_is_recorded_only_for_the_whole_cannot_be_more_than_correlated_with_a_part():
    effect = _effect(HIT)
    whole = np.ones(UNITS, dtype=bool)
    unlocated = Effect(
        effect.actual, effect.expected, effect.variance, None, whole, effect.size, effect.change, effect.apart
    )
    found = judge(_moved(whole, 0.3), unlocated, began=NOW, moved=NOW)
    assert found.verdict is Verdict.COINCIDENT and found.correlated_only


def test_what_merely_follows_a_factor_of_the_metric_tells_nothing_of_its_own():
    candidate = _moved(HIT, 0.5)
    series = candidate.windows(HIT) * 3
    found = judge(candidate, _effect(HIT), began=NOW, moved=NOW, echoes=[("visits", series)])
    assert found.verdict is Verdict.COINCIDENT
    assert any(e.name == "echo" for e in found.evidence)


def test_a_candidate_known_to_pull_the_other_way_is_ruled_out():
    assert judge(_moved(HIT, 0.1, pull=-1), _effect(HIT), began=NOW, moved=NOW).verdict is Verdict.RULED_OUT
    assert judge(_moved(HIT, 0.1, pull=1), _effect(HIT), began=NOW, moved=NOW).verdict is Verdict.LIKELY


def test_where_everything_moved_alike_there_is_no_control_and_it_says_correlated():
    whole = np.ones(UNITS, dtype=bool)
    found = judge(_moved(whole, 0.3), _effect(whole, everything=True), began=NOW, moved=NOW)
    assert found.verdict is Verdict.COINCIDENT and found.correlated_only


def test_another_mix_of_units_alone_is_no_movement_of_an_average():
    level = np.linspace(10, 100, UNITS)
    count = np.full((WINDOWS, UNITS), 50.0)
    count[0, :20] = 5.0
    candidate = Candidate("price", "price", level * count, count, DAYS)
    found = judge(candidate, _effect(np.ones(UNITS, dtype=bool), everything=True), began=NOW, moved=NOW)
    assert found.verdict is Verdict.RULED_OUT
    assert found.after != found.before  # the plain average did change, and is told as it is


def test_the_day_of_a_step_is_found_under_a_weekly_pattern():
    rng = np.random.default_rng(3)
    days = [START - timedelta(days=35 - i) for i in range(49)]
    week = np.tile([1, 1, 1, 1, 1.2, 1.6, 1.5], 7)
    values = 100 * week * np.exp(rng.normal(0, 0.05, 49))
    values[35:] *= 0.5
    found = onset(days, values, usual=28)
    assert found is not None
    assert found.earliest <= START <= found.latest
    assert abs((found.day - START).days) <= 1


def test_a_series_that_never_changes_has_no_onset():
    assert onset([START + timedelta(days=i) for i in range(20)], np.ones(20)) is None


@pytest.mark.parametrize("seed", range(3))
def test_a_drift_is_said_to_begin_where_it_began(seed: int) -> None:
    days = [date(2025, 5, 1) + timedelta(days=i) for i in range(76)]
    began = days.index(date(2025, 6, 20))
    noise = np.random.default_rng(seed).normal(0, 0.15, len(days))
    drifting = 72 + noise + 0.7 * np.maximum(np.arange(len(days)) - began, 0)
    stepped = 72 + noise + 3.0 * (np.arange(len(days)) >= began)
    for values in (drifting, stepped):
        found = onset(days, values)
        assert found is not None and abs((found.day - days[began]).days) <= 2
