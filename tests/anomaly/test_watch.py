"""New data: scored on the old scale, watched for drift."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from anomaly_cases import finished, payments

from gnomon.anomaly import ADEngine


def usual(seed: int, n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "Amount": rng.lognormal(4.0, 0.4, n).round(2),
            "Age": rng.integers(18, 80, n).astype(float),
            "Country": rng.choice(["DE", "FR", "US"], n, p=[0.5, 0.3, 0.2]),
        }
    )
    frame["Total"] = (frame["Amount"] * 1.19 + rng.normal(0, 0.5, n)).round(2)
    return frame


def test_new_rows_are_scored_with_the_fitted_threshold() -> None:
    state = finished()
    batch = usual(1)
    batch.loc[5, ["Amount", "Total"]] = [9500.0, 11305.0]
    found = ADEngine().score(state, batch)
    assert set(found) >= {"scores", "labels", "threshold", "n_anomalies", "anomaly_ratio", "per_detector"}
    assert found["threshold"] == state.consensus["threshold"]  # type: ignore[index]
    assert found["labels"][5] == 1
    assert found["labels"].sum() <= 15
    assert np.array_equal(found["labels"], (found["scores"] > found["threshold"]).astype(int))
    assert set(found["per_detector"]) == {r["detector_name"] for r in state.results}


def test_scoring_does_not_change_the_state() -> None:
    state = finished()
    before = state.to_dict()
    ADEngine().score(state, usual(2))
    assert state.to_dict() == before


def test_scoring_needs_a_run() -> None:
    engine = ADEngine()
    with pytest.raises(ValueError, match="Call run"):
        engine.score(engine.start(payments()), usual(1))


def test_batches_like_the_old_data_leave_the_threshold_alone() -> None:
    watch = ADEngine().watch(finished())
    reports = [watch.update(usual(seed)) for seed in range(10, 18)]
    assert not any(r.stale for r in reports)
    assert watch.rows_seen == 2400


def test_an_anomaly_in_a_batch_is_news_not_drift() -> None:
    watch = ADEngine().watch(finished())
    batch = usual(30)
    batch.loc[17, ["Amount", "Total"]] = [8700.0, 10353.0]
    report = watch.update(batch)
    assert report.anomalies[0]["index"] == 17
    assert "Amount 8,700 where 95 % lie below" in report.anomalies[0]["narrative"]
    assert not report.stale


def test_drift_is_noticed_and_names_the_columns() -> None:
    watch = ADEngine().watch(finished())
    assert not watch.update(usual(40)).stale
    moved = usual(41, 600)
    moved["Amount"] *= 4
    moved["Total"] *= 4
    report = watch.update(moved)
    assert report.stale
    assert {"Amount", "Total"} <= set(report.moved_columns)
    assert "Investigate again" in report.reason


def test_a_handful_of_rows_is_too_little_to_call_drift() -> None:
    watch = ADEngine().watch(finished())
    few = usual(50, 10)
    few["Amount"] *= 10
    assert not watch.update(few).stale
