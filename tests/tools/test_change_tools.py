"""The tools of change on rows that hold a planted cause."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gnomon.core.errors import InvalidInput
from gnomon.tools import ToolContext
from gnomon.tools.change_tools import change_tools

TOOLS = {t.spec.name: t for t in change_tools()}


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """Sales of twelve shops in three towns over 140 days; in the last week one town has road works and sells less."""
    rng = np.random.default_rng(4)
    day, shop = (i.ravel() for i in np.indices((140, 12)))
    town = np.array(["Aven", "Brok", "Celt"])[shop % 3]
    hit = (day >= 133) & (town == "Brok")
    mean = 200 * (1 + shop / 12) * np.tile([1, 1, 1, 1, 1.1, 1.4, 1.3], 20)[day] * np.where(hit, 0.45, 1)
    return pd.DataFrame({
        "day": np.datetime64("2024-01-01") + day, "shop": [f"s{i}" for i in shop], "town": town,
        "sales": rng.poisson(mean).astype(float), "road_works": np.where(hit, 1.0, 0.0) + rng.normal(0, 0.01, len(day)),
        "rainfall": rng.gamma(2, 2, len(day)),
    })  # fmt: skip


def _call(name: str, rows: pd.DataFrame, **params: object) -> dict[str, object]:
    return TOOLS[name]({"data": rows, "value": "sales", "time": "day", **params}, ToolContext())


def test_a_change_is_sized_and_called_unusual(rows):
    found = _call("period_change", rows)
    assert found["verdict"] == "unusual"
    assert found["after"] == rows[rows["day"] >= "2024-05-13"]["sales"].sum()
    assert "beyond normal variation" in str(found["summary"])


def test_drivers_name_the_town_and_add_up(rows):
    found = _call("drivers", rows, group_by=["town", "shop"])
    (part,) = found["explanation"]["parts"]  # type: ignore[index]
    assert part["segment"] == [["town", "Brok"]]
    for cut in found["cuts"]:  # type: ignore[union-attr]
        assert sum(e["contribution"] for e in cut["effects"]) == pytest.approx(cut["change"])
    assert "town Brok" in str(found["summary"])


def test_causes_tell_the_series_that_moved_there_from_the_one_that_did_not(rows):
    found = _call("causes", rows, group_by=["town", "shop"], candidates=["road_works", "rainfall"])
    assert [(c["measure"], c["verdict"]) for c in found["causes"]] == [("road_works", "likely_cause")]  # type: ignore[union-attr]
    assert [c["measure"] for c in found["ruled_out"]] == ["rainfall"]  # type: ignore[union-attr]
    assert "road_works is the most likely cause" in str(found["summary"])


def test_groups_are_placed_among_each_other(rows):
    found = TOOLS["benchmark"](
        {"data": rows, "value": "sales", "group_by": "shop", "average": True}, ToolContext()
    )
    assert "s1 " in str(found["summary"]) or "s0 " in str(found["summary"])


def test_periods_can_be_named(rows):
    found = _call("period_change", rows, end="2024-04-28", previous_end="2024-04-21")
    assert found["verdict"] == "normal"


def test_rows_without_a_date_are_refused(rows):
    with pytest.raises(InvalidInput):
        TOOLS["drivers"]({"data": rows.drop(columns="day"), "value": "sales"}, ToolContext())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exponent", [3, 12, 18, 60, 74, 80, 149])
def test_large_values_are_computed_or_refused_by_name_without_a_warning(exponent: int) -> None:
    import random

    from gnomon.core.errors import InvalidInput
    from gnomon.tools import Frame, ToolContext
    from gnomon.tools.builtin import builtin_registry

    rng = random.Random(exponent)
    rows = [
        {
            "when": f"2025-{1 + i // 28:02d}-{1 + i % 28:02d}",
            "what": 10.0**exponent * (1 + rng.random()),
            "whose": "abc"[i % 3],
        }
        for i in range(112)
    ]
    params = {"data": Frame.of(rows), "value": "what", "time": "when", "group_by": ["whose"]}
    if exponent < 75:
        assert builtin_registry().get("drivers")(params, ToolContext())["summary"]
    else:
        with pytest.raises(InvalidInput, match="what reaches"):
            builtin_registry().get("drivers")(params, ToolContext())
