"""Planted segments are found, and large segments that moved like the rest are not taken for one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gnomon.analytics.explanation import smallest_explanation
from gnomon.core.errors import CalculationError, NotFound

DIMENSIONS = ["product", "region", "channel"]


def _rows(
    seed: int, plants: dict[tuple[tuple[str, str], ...], float], level: float = 1.0, windows: int = 9
) -> pd.DataFrame:
    """Orders by window: products of very different size, noise of counts, a common movement and planted factors."""
    rng = np.random.default_rng(seed)
    size = np.sort(rng.lognormal(0, 1.0, 30))[::-1]
    product, region, channel = (i.ravel() for i in np.indices((30, 4, 3)))
    mean = 40 * size[product] * np.array([4, 3, 2, 1])[region] * np.array([3, 2, 1])[channel] / 10
    names = {
        "product": [f"p{i}" for i in product],
        "region": [f"r{i}" for i in region],
        "channel": [f"c{i}" for i in channel],
    }
    frames = []
    for w in range(windows):
        expected = mean * rng.uniform(0.95, 1.05) * (level if w == 0 else 1.0)
        if w == 0:
            for segment, factor in plants.items():
                hit = np.ones(len(mean), dtype=bool)
                for d, v in segment:
                    hit &= np.array(names[d]) == v
                expected = np.where(hit, expected * factor, expected)
        value = rng.poisson(expected).astype(float)
        frames.append(pd.DataFrame({**names, "window": w, "orders": value, "lumps": value}))
    return pd.concat(frames)


def _found(rows: pd.DataFrame) -> list[dict[str, str]]:
    told = smallest_explanation(rows, DIMENSIONS, value="orders", window="window", square="lumps")
    return [dict(p.segment) for p in told.parts]


@pytest.mark.parametrize("seed", range(8))
def test_one_planted_segment_is_found_and_nothing_else(seed):
    rng = np.random.default_rng([seed, 1])
    plant = [
        ("region", f"r{rng.integers(4)}"),
        ("channel", f"c{rng.integers(3)}"),
        ("product", f"p{rng.integers(8)}"),
    ]
    chosen = (plant[seed % 3],)
    assert _found(_rows(seed, {chosen: float(rng.choice([0.4, 1.8]))})) == [dict(chosen)]


@pytest.mark.parametrize("seed", range(6))
def test_a_planted_pair_of_values_is_found_as_a_pair(seed):
    rng = np.random.default_rng([seed, 2])
    pair = (("region", f"r{rng.integers(2)}"), ("channel", f"c{rng.integers(2)}"))
    assert _found(_rows(100 + seed, {pair: 0.3})) == [dict(pair)]


@pytest.mark.parametrize("seed", range(6))
def test_several_planted_segments_are_all_found_and_nothing_else(seed):
    plants = {(("region", "r1"),): 0.6, (("product", "p2"),): 0.1}
    found = _found(_rows(200 + seed, plants))
    assert sorted(map(str, found)) == sorted(str(dict(s)) for s in plants)


def test_noise_alone_is_explained_by_no_segment():
    alarms = sum(bool(_found(_rows(1000 + seed, {}))) for seed in range(40))
    assert alarms <= 3


@pytest.mark.parametrize("level", [0.7, 1.3])
def test_where_everything_moved_alike_no_segment_is_named_however_large(level):
    told = smallest_explanation(
        _rows(7, {}, level), DIMENSIONS, value="orders", window="window", square="lumps"
    )
    assert told.parts == ()
    assert told.level == pytest.approx(level - 1, abs=0.1)


def test_a_small_segment_that_changed_is_named_and_not_the_large_one_that_moved_with_the_rest():
    (part,) = smallest_explanation(
        _rows(3, {(("product", "p4"),): 0.0}, 0.9),
        DIMENSIONS,
        value="orders",
        window="window",
        square="lumps",
    ).parts
    assert dict(part.segment) == {"product": "p4"}
    assert part.after == 0
    assert part.excess == pytest.approx(-part.expected)


def test_the_rate_of_a_segment_is_found_for_a_ratio():
    rng = np.random.default_rng(5)
    frames = []
    for w in range(9):
        maker = np.repeat([f"m{i}" for i in range(10)], 3)
        site = np.tile(["s0", "s1", "s2"], 10)
        orders = rng.poisson(200, 30).astype(float)
        rate = np.where((maker == "m3") & (w == 0), 0.25, 0.05)
        frames.append(
            pd.DataFrame(
                {
                    "maker": maker,
                    "site": site,
                    "window": w,
                    "orders": orders,
                    "back": rng.binomial(orders.astype(int), rate),
                }
            )
        )
    told = smallest_explanation(
        pd.concat(frames), ["maker", "site"], value="back", weight="orders", window="window"
    )
    assert [dict(p.segment) for p in told.parts] == [{"maker": "m3"}]
    assert told.explained == pytest.approx(1, abs=0.35)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_groups_of_a_few_rows_in_which_nothing_ever_came_back_are_no_finding(seed):
    rng = np.random.default_rng(seed)
    sold = np.concatenate([rng.integers(200, 400, 10), rng.integers(1, 6, 60)])
    frames = []
    for window in range(9):
        rows = rng.poisson(sold)
        back = rng.binomial(rows, 0.06)
        names = [f"p{i}" for i in range(len(sold))]
        frames.append(
            pd.DataFrame({"product": names, "window": window, "back": back, "rows": rows, "lumps": back})
        )
    found = smallest_explanation(
        pd.concat(frames), ["product"], value="back", window="window", weight="rows", square="lumps"
    )
    assert found.parts == ()


def test_figures_of_a_part_are_those_of_the_rows():
    rows = _rows(11, {(("region", "r2"),): 0.5})
    (part,) = smallest_explanation(rows, DIMENSIONS, value="orders", window="window", square="lumps").parts
    own = rows[rows["region"] == "r2"].groupby("window")["orders"].sum()
    assert (part.before, part.after) == (own[1], own[0])


def test_the_same_rows_in_another_order_give_the_same_explanation():
    rows = _rows(12, {(("region", "r2"),): 0.5, (("product", "p1"),): 2.0})
    assert _found(rows) == _found(rows.sample(frac=1, random_state=1))


def test_without_an_earlier_period_it_says_so():
    rows = _rows(1, {}, windows=1)
    with pytest.raises(CalculationError):
        smallest_explanation(rows, DIMENSIONS, value="orders", window="window")


def test_a_missing_column_is_named():
    with pytest.raises(NotFound, match="shop"):
        smallest_explanation(_rows(1, {}), ["shop"], value="orders", window="window")


@pytest.mark.parametrize("seed", range(30))
def test_whatever_the_numbers_there_is_an_answer_or_a_typed_error(seed):
    rng = np.random.default_rng([seed, 9])
    n = int(rng.integers(1, 200))
    values = [
        rng.normal(0, 10, n),
        rng.poisson(0.3, n),
        -rng.gamma(2, 2, n),
        np.zeros(n),
        rng.lognormal(0, 3, n),
    ][seed % 5]
    held = pd.DataFrame({
        "a": rng.choice(["x", "y", None], n), "b": rng.integers(0, 5, n), "w": rng.integers(0, 9, n),
        "v": np.where(rng.random(n) < 0.1, np.nan, values), "d": rng.integers(0, 3, n).astype(float),
    })  # fmt: skip
    for weight in (None, "d"):
        try:
            told = smallest_explanation(held, ["a", "b"], value="v", window="w", weight=weight)
        except CalculationError:
            continue
        assert all(np.isfinite([p.expected, p.excess, p.score, p.p_value]).all() for p in told.parts)
