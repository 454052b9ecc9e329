"""Mixed tables: planted rows are found, and nothing is flagged where nothing was planted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gnomon.anomaly import ADEngine

PLANTED = [10, 11, 12, 13, 40, 77]


def payments(seed: int, n: int = 900) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(3.5, 0.5, n).round(2),
            "hour": rng.integers(7, 23, n),
            "country": rng.choice(["DE", "FR", "NL"], n, p=[0.6, 0.3, 0.1]),
            "gift": rng.random(n) < 0.05,
        }
    )
    frame["fee"] = (frame["amount"] * 0.02 + rng.normal(0, 0.01, n)).round(2)
    return frame


@pytest.mark.parametrize(
    "columns",
    [["country"], ["gift"], ["amount", "country"], ["amount", "gift"], ["amount", "country", "gift"]],
)
def test_common_categories_flag_nothing(columns: list[str]):
    state = ADEngine().investigate(payments(0)[columns])
    assert state.consensus is not None and state.quality is not None
    assert state.consensus["labels"].sum() == 0
    assert state.quality["verdict"] == "low"


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_planted_payments_are_flagged_and_few_others(seed: int):
    frame = payments(seed)
    frame.loc[10:13, ["amount", "fee"]] = [[4800.0, 96.0], [5200.0, 104.0], [5100.0, 102.0], [4900.0, 98.0]]
    frame.loc[40, ["country", "hour"]] = ["KP", 3]
    frame.loc[77, "fee"] = 9.5
    state = ADEngine().investigate(frame)
    assert state.consensus is not None
    flagged = np.flatnonzero(state.consensus["labels"]).tolist()
    assert set(PLANTED) <= set(flagged)
    assert len(flagged) <= len(PLANTED) + 2


def test_a_rare_yes_is_told_as_the_reason():
    frame = payments(3)
    frame["gift"] = False
    frame.loc[5, "gift"] = True
    state = ADEngine().investigate(frame)
    assert state.analysis is not None
    top = state.analysis["consensus_analysis"]["top_anomalies"][0]
    assert top["index"] == 5
    assert top.get("reasons", [])[0]["column"] == "gift"
