"""Generated data and finished investigations that the tests of this room share."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from gnomon.anomaly import ADEngine, InvestigationState

PLANTED = tuple(range(8))


@cache
def _payments() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    n = 600
    frame = pd.DataFrame(
        {
            "Amount": rng.lognormal(4.0, 0.4, n).round(2),
            "Age": rng.integers(18, 80, n).astype(float),
            "Country": rng.choice(["DE", "FR", "US"], n, p=[0.5, 0.3, 0.2]),
        }
    )
    frame["Total"] = (frame["Amount"] * 1.19 + rng.normal(0, 0.5, n)).round(2)
    frame.loc[:3, "Amount"] = [9120.0, 8200.0, 7900.0, 8800.0]
    frame.loc[:3, "Total"] = frame.loc[:3, "Amount"] * 1.19
    frame.loc[4:5, "Country"] = "XQ"
    frame.loc[4:5, "Age"] = 131.0
    frame.loc[6:7, "Total"] = [900.0, 950.0]
    return frame


def payments() -> pd.DataFrame:
    """600 payments; rows 0 to 7 are anomalous: huge amounts, an unknown country with odd age, wrong totals."""
    return _payments().copy()


def noise(seed: int = 3, n: int = 400) -> np.ndarray:
    """Numbers with nothing in them."""
    return np.random.default_rng(seed).normal(size=(n, 4))


@cache
def _finished() -> InvestigationState:
    return ADEngine(random_state=0).investigate(payments())


def finished() -> InvestigationState:
    """An analysed investigation of the payments, safe to change."""
    return _finished().branch()


@cache
def _finished_noise() -> InvestigationState:
    return ADEngine(random_state=0).investigate(noise())


def finished_noise() -> InvestigationState:
    """An analysed investigation of noise, safe to change."""
    return _finished_noise().branch()
