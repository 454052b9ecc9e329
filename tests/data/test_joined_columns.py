"""Joins are found by the share of values that the other side holds, tested together as if each were tested alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gnomon.data import joins, open_sources, profile_dataset


def _frames(seed: int) -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    stores = [f"Store {k}" for k in range(40)]
    regions = [f"Region {k}" for k in range(25)]
    visited = rng.choice([*stores, *(f"Store {k}" for k in range(100, 100 + int(rng.integers(0, 12))))], 300)
    return {
        "stores": pd.DataFrame({"store": stores, "area": rng.choice(regions, 40)}),
        "regions": pd.DataFrame({"region": regions, "head": [f"Head {k}" for k in range(25)]}),
        "visits": pd.DataFrame(
            {"place": visited, "land": rng.choice(regions, 300), "spent": rng.random(300)}
        ),
    }


@pytest.mark.parametrize("seed", range(4))
def test_the_share_is_that_of_pandas_however_many_are_tested_at_a_time(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = _frames(seed)
    with open_sources(frames) as dataset:
        profile = profile_dataset(dataset)
        together = joins.candidate_joins(dataset, profile.tables)
        monkeypatch.setattr(joins, "_TOGETHER", 1)
        assert joins.candidate_joins(dataset, profile.tables) == together
    found = {(j.table, j.column, j.to_table, j.to_column): j.containment for j in together}
    expected: dict[tuple[str, str, str, str], float] = {}
    for many, m, one, o in (
        ("visits", "place", "stores", "store"),
        ("visits", "land", "regions", "region"),
        ("stores", "area", "regions", "region"),
    ):
        share = frames[many][m].drop_duplicates().isin(frames[one][o]).mean()
        # Names that do not agree have to be told by the values: more than twenty of them, nearly all there.
        if 0.6 * share * min(1.0, frames[many][m].nunique() / 20) >= 0.5:
            expected[many, m, one, o] = round(float(share), 4)
    assert found == expected
