"""Detectors run side by side, failures are told, and a time budget is kept."""

import subprocess
import time
from typing import Any

import numpy as np
import psutil
import pytest

from gnomon.anomaly import runner
from gnomon.anomaly.cost import estimate_seconds
from gnomon.anomaly.registry import register, unregister
from gnomon.anomaly.runner import run_all


class Endless:
    """Computes until it is stopped."""

    def fit(self, X: Any) -> "Endless":
        while True:
            np.linalg.svd(np.random.default_rng(0).standard_normal((60, 60)))


class Broken:
    """Fails."""

    def fit(self, X: Any) -> "Broken":
        raise RuntimeError("no luck\nsecond line")


@pytest.fixture(autouse=True)
def extra_detectors():
    register("Endless", Endless)
    register("Broken", Broken)
    yield
    unregister("Endless")
    unregister("Broken")


def data(n: int = 200) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, 3))


def plan(*names: str) -> list[dict[str, Any]]:
    return [{"detector_name": n, "params": {}} for n in names]


def test_outcomes_come_in_the_order_of_the_plans_with_progress():
    heard: list[tuple[str, str]] = []
    out = run_all(
        data(), plan("TailMix", "Broken", "RobustCovariance"), progress=lambda n, e: heard.append((n, e))
    )
    assert [o.status for o in out] == ["success", "error", "success"]
    assert out[1].error == "RuntimeError: no luck"
    assert out[0].detector.decision_scores_.shape == (200,)
    assert ("Broken", "error") in heard
    assert ("TailMix", "started") in heard


def test_an_unknown_detector_is_an_error_of_its_own():
    out = run_all(data(), plan("TailMx", "TailMix"))
    assert out[0].status == "error"
    assert "Did you mean 'TailMix'" in str(out[0].error)
    assert out[1].status == "success"


@pytest.mark.long
def test_a_detector_that_overruns_is_stopped_and_its_cpu_use_ends(monkeypatch: pytest.MonkeyPatch):
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def remember(*args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        started.append(real(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(runner.subprocess, "Popen", remember)
    before = time.monotonic()
    out = run_all(data(), plan("Endless", "TailMix"), max_seconds=4.0)
    assert time.monotonic() - before < 8
    assert out[0].status == "error"
    assert "Stopped after" in str(out[0].error)
    assert out[1].status == "success"
    assert len(started) == 1
    assert started[0].poll() is not None
    assert not psutil.pid_exists(started[0].pid)


def test_what_never_began_is_skipped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runner.os, "cpu_count", lambda: 1)
    out = run_all(data(), plan("Endless", "Endless"), max_seconds=1.5)
    assert [o.status for o in out] == ["error", "skipped"]
    assert "before it could start" in str(out[1].error)


@pytest.mark.long
def test_a_process_of_its_own_gives_the_same_scores():
    here = run_all(data(), plan("IForest"), seed=5)[0]
    apart = run_all(
        data(), plan("IForest"), seed=5, max_seconds=60, knowledge={"costs": {"IForest": [50, 0, 0, 0]}}
    )[0]
    assert apart.status == "success", apart.error
    np.testing.assert_allclose(here.detector.decision_scores_, apart.detector.decision_scores_)


def test_estimates_grow_with_the_data_and_prefer_measured_costs():
    assert estimate_seconds("KNN", 100_000, 10) > 5 * estimate_seconds("KNN", 1_000, 10)
    assert estimate_seconds("TailMix", 100_000, 30) < 20
    assert estimate_seconds("TailMix", 100, 2, {"costs": {"TailMix": [1, 0.5, 0, 0]}}) == 51
