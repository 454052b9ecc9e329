"""What names other things: neither how seldom one of many customers came nor the number of one is an anomaly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from gnomon.anomaly import ADEngine
from gnomon.anomaly.columns import encode


def test_customers_that_came_once_by_chance_are_not_rare() -> None:
    rng = np.random.default_rng(18)
    customers = pd.Series([f"C{i:05d}" for i in rng.integers(0, 3000, 18_000)])
    found = encode("customer_id", customers)
    assert found.names == () and "rare enough" in found.log[0].detail
    few = pd.Series(["a"] * 9000 + ["b"] * 8999 + ["c"])
    assert encode("grade", few).names == ("grade: rarity",)


def test_the_number_of_another_thing_is_no_measure() -> None:
    rng = np.random.default_rng(1)
    members, minutes = pd.Series(rng.integers(1, 900, 5000)), pd.Series(rng.normal(60, 9, 5000))
    assert encode("member_id", members).names == ()
    assert encode("minutes", minutes).names == ("minutes",)


def test_of_several_tables_it_is_said_which_one_was_looked_into(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    pd.DataFrame({"amount": rng.normal(50, 5, 400)}).to_csv(tmp_path / "orders.csv", index=False)
    pd.DataFrame({"height": rng.normal(9, 1, 40)}).to_csv(tmp_path / "racks.csv", index=False)
    pd.DataFrame({"width": rng.normal(9, 1, 30)}).to_csv(tmp_path / "shelves.csv", index=False)
    state = ADEngine().investigate(str(tmp_path))
    said = [str(t) for t in state.profile["transformations"]]
    assert any("orders" in s and "racks and shelves were not looked into" in s for s in said), state.profile
