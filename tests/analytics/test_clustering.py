"""Segments: planted ones are recovered and described in original units; noise has none."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, silhouette_score

from gnomon.analytics import clusters
from gnomon.analytics.clustering import _fit, silhouettes
from gnomon.core.errors import CalculationError, Cancelled, NotFound


@pytest.fixture(scope="module")
def shoppers() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1, 2], [120, 80, 50])
    return pd.DataFrame(
        {
            "spend": np.array([100.0, 900, 400])[kinds] + rng.normal(0, 40, 250),
            "visits": np.array([2.0, 3, 20])[kinds] + rng.normal(0, 0.7, 250),
            "channel": np.array(["web", "shop", "app"])[kinds],
            "kind": kinds,
        }
    )


def test_planted_segments_are_recovered_and_profiled(shoppers: pd.DataFrame) -> None:
    result = clusters(shoppers, columns=["spend", "visits", "channel"])
    assert (result.found, result.k) == (True, 3)
    assert adjusted_rand_score(shoppers["kind"], result.labels) == 1.0
    largest = result.segments[0]
    assert (largest.count, largest.share) == (120, pytest.approx(0.48))
    by_name = {c.column: c for c in largest.columns}
    own = shoppers[shoppers["kind"] == 0]
    assert by_name["spend"].mean == pytest.approx(own["spend"].mean())
    assert by_name["spend"].difference_sd == pytest.approx(
        (own["spend"].mean() - shoppers["spend"].mean()) / shoppers["spend"].std(ddof=0)
    )
    assert (by_name["channel"].top_value, by_name["channel"].top_share) == ("web", 1.0)
    assert json.dumps(result.to_dict(), allow_nan=False)


def test_the_silhouette_equals_scikit_learns() -> None:
    x = np.random.default_rng(1).normal(size=(150, 3))
    assert silhouettes(x, [4])[4] == pytest.approx(silhouette_score(x, _fit(x, 4)))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["normal", "uniform", "category"])
def test_noise_has_no_clear_segments(kind: str) -> None:
    found = 0
    for seed in range(5):
        rng = np.random.default_rng([3, seed])
        frame = pd.DataFrame(rng.normal(size=(150, 2)) if kind == "normal" else rng.uniform(size=(150, 2)))
        frame.columns = ["a", "b"]
        if kind == "category":
            frame["c"] = rng.choice(["x", "y", "z"], 150)
        result = clusters(frame, most=5)
        found += result.found
        assert result.found or (result.k == 1 and set(result.labels) == {0})
    assert found <= 1


def test_rows_with_gaps_are_left_out_and_units_do_not_matter(shoppers: pd.DataFrame) -> None:
    frame = shoppers[["spend", "visits"]].copy()
    frame.loc[0, "spend"] = np.nan
    result = clusters(frame, k=3)
    assert (result.left_out_rows, result.labels[0]) == (1, -1)
    scaled = frame.assign(spend=frame["spend"] * 1000)
    assert (clusters(scaled, k=3).labels == result.labels).all()


def test_errors_are_typed_and_stopping_works(shoppers: pd.DataFrame) -> None:
    with pytest.raises(NotFound):
        clusters(shoppers, columns=["spent"])
    with pytest.raises(CalculationError):
        clusters(pd.DataFrame({"a": [1] * 20}))
    with pytest.raises(CalculationError):
        clusters(pd.DataFrame({"a": [1, 2] * 20}), k=5)
    with pytest.raises(Cancelled):
        clusters(shoppers, should_stop=lambda: True)
