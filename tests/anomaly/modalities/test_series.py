"""Series: planted anomalies of different kinds are found; gaps, order and new readings are handled."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from planted_series import plant, plant_correlation_break, usual_series
from ranking import precision

from gnomon.anomaly import ADEngine
from gnomon.anomaly.modalities import prepare
from gnomon.anomaly.modalities.seasonality import learn_pattern
from gnomon.anomaly.modalities.series_features import Variable
from gnomon.anomaly.modalities.surrogates import SeriesNull
from gnomon.core.errors import InvalidInput, NotFound


@pytest.mark.long
@pytest.mark.parametrize("kind", ["spikes", "contextual", "level", "burst", "flat"])
def test_planted_anomalies_are_found_in_a_seasonal_series(kind: str) -> None:
    for seed in (11, 12):
        frame, planted = plant(kind, seed)
        found = precision(prepare(frame).matrix, planted)
        assert found > 0.6, f"{kind}, seed {seed}: average precision {found:.2f}"
        assert found > 10 * planted.mean()


@pytest.mark.long
def test_a_variable_that_leaves_its_companions_is_found() -> None:
    for seed in (11, 12):
        frame, planted = plant_correlation_break(seed)
        assert precision(prepare(frame).matrix, planted) > 0.5


def test_daily_and_weekly_patterns_are_both_learned() -> None:
    rng = np.random.default_rng(3)
    t = np.arange(24 * 7 * 8)
    x = 10 * np.sin(2 * np.pi * t / 24) + np.where((t // 24) % 7 >= 5, -8.0, 0.0) + rng.normal(0, 0.5, len(t))
    pattern = learn_pattern(x, t, 3600.0)
    left = x - pattern.seasonal(t)
    assert 168 in pattern.periods
    assert np.std(left) < 0.8


def test_noise_has_no_period() -> None:
    x = np.random.default_rng(5).normal(size=1500)
    assert learn_pattern(x, np.arange(1500), 3600.0).periods == ()


def test_the_columns_say_what_is_unusual_about_a_spike() -> None:
    frame, _ = plant("spikes", 4)
    frame.loc[777, "load"] = 400.0
    prepared = prepare(frame)
    assert prepared.labels is not None
    assert prepared.labels[777].startswith("2025-01-17 04:30")
    assert prepared.columns[int(np.argmax(prepared.matrix[777, :7]))] in {
        "load: departure from the usual pattern",
        "load: jump against the neighbours",
    }
    assert prepared.origins[0] == "load"
    assert any("1 day" in note for note in prepared.notes)


def test_rows_keep_their_order_when_time_stamps_are_shuffled() -> None:
    frame, _ = plant("spikes", 6)
    shuffled = frame.sample(frac=1.0, random_state=1)
    straight = prepare(frame).matrix
    mixed = prepare(shuffled, data_type="time_series")
    assert np.allclose(mixed.matrix, straight[shuffled.index.to_numpy()])
    assert any(entry.step == "sort" for entry in mixed.log)


def test_gaps_and_missing_readings_are_logged_and_do_not_shift_the_pattern() -> None:
    frame, planted = plant("contextual", 7)
    keep = np.ones(len(frame), dtype=bool)
    keep[500:631] = False
    frame.loc[1200:1205, "load"] = np.nan
    planted[1200:1206] = 0
    prepared = prepare(frame[keep].reset_index(drop=True))
    steps = {entry.step for entry in prepared.log}
    assert {"gaps", "impute", "deseasonalise"} <= steps
    assert "time since the previous reading" in prepared.columns
    assert precision(prepared.matrix, planted[keep]) > 0.6


def test_later_readings_are_judged_in_the_context_of_the_earlier_ones() -> None:
    frame, _ = plant("level", 8)
    prepared = prepare(frame.iloc[:1500])
    later = frame.iloc[1500:1600].copy()
    later["load"] = usual_series(np.random.default_rng(99))[1500:1600]
    later.iloc[60, later.columns.get_loc("load")] += 15
    matrix = prepared.transform(later)
    assert matrix.shape == (100, prepared.n_columns)
    assert int(np.argmax(matrix[:, 0])) == 60
    assert np.median(matrix[:, 0]) < 2.0


def test_transforming_the_same_readings_again_gives_the_same_matrix() -> None:
    frame, _ = plant("burst", 9)
    prepared = prepare(frame)
    assert np.allclose(prepared.transform(frame), prepared.matrix)


def test_other_variables_than_those_learned_are_refused() -> None:
    frame, _ = plant("burst", 9)
    with pytest.raises(InvalidInput, match="load"):
        prepare(frame).transform(frame.rename(columns={"load": "speed"}))
    with pytest.raises(NotFound):
        prepare(frame, data_type="time_series", time_column="tme")


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_short_and_constant_series_are_prepared(n: int) -> None:
    constant = prepare(np.full(n, 3.0), data_type="time_series")
    assert constant.matrix.shape[0] == n
    assert np.ptp(constant.matrix) == 0.0
    rising = prepare(pd.Series(np.arange(n, dtype=float)), data_type="time_series")
    assert np.isfinite(rising.matrix).all()


@pytest.mark.long
def test_a_hundred_thousand_readings_take_seconds() -> None:
    x = usual_series(np.random.default_rng(0), 100_000)
    start = time.process_time()
    assert prepare(x, data_type="time_series").n_rows == 100_000
    assert time.process_time() - start < 12


def test_a_clean_series_ends_with_nothing_flagged_and_a_planted_one_does_not() -> None:
    rng = np.random.default_rng(0)
    x = 100 + 10 * np.sin(2 * np.pi * np.arange(1000) / 24) + rng.normal(0, 1, 1000)
    stamps = pd.date_range("2025-01-01", periods=1000, freq="h")
    clean = ADEngine(random_state=0).investigate(pd.DataFrame({"time": stamps, "load": x}))
    assert clean.consensus is not None and clean.quality is not None
    assert clean.consensus["labels"].sum() == 0
    assert clean.quality["verdict"] == "low"
    x[[200, 500, 800]] += 9
    spiked = ADEngine(random_state=0).investigate(pd.DataFrame({"time": stamps, "load": x}))
    assert spiked.consensus is not None and spiked.quality is not None
    assert {200, 500, 800} <= set(np.flatnonzero(spiked.consensus["labels"]))
    assert spiked.quality["verdict"] == "high"


def test_a_surrogate_follows_pattern_and_memory() -> None:
    rng = np.random.default_rng(1)
    noise = np.zeros(3000)
    for i in range(1, 3000):
        noise[i] = 0.7 * noise[i - 1] + rng.normal()
    x = 5 * np.sin(2 * np.pi * np.arange(3000) / 24) + noise
    x[1500] += 60
    learned, _ = Variable.learn(x, np.arange(3000), None)
    drawn, position = SeriesNull(x[:, None], np.arange(3000), [learned], x[:, None]).draw(
        np.random.default_rng(2)
    )
    left = drawn[:, 0] - learned.pattern.seasonal(position)
    assert np.corrcoef(left[1:], left[:-1])[0, 1] == pytest.approx(0.7, abs=0.07)
    assert np.abs(drawn).max() < 25
    assert np.corrcoef(drawn[:, 0], x)[0, 1] > 0.6
