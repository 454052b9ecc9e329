"""What the data sets of the work part share: weighted choices, days of a period, gaps and names of nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

Rng = np.random.Generator
Tables = dict[str, pd.DataFrame]

WOMEN = (
    "Anna Maria Sofia Emma Julia Laura Clara Nina Eva Sara Ines Paula Marta Olga Rosa Lea Ida Helen "
    "Priya Grace Zoe Amira Chloe Fiona"
)
MEN = (
    "Tom Jonas Paul Lukas Mark Peter David Simon Omar Ivan Hugo Felix Oscar Leo Max Karl Adam Ben Noah "
    "Raj Victor Samuel Igor Dylan"
)
LAST = (
    "Novak Weber Rossi Martin Silva Keller Jansen Kowalski Berg Moreau Costa Schmid Fischer Lindqvist "
    "Walsh Patel Okafor Haas Brandt Duval Romero Sato Nguyen Hughes Marino Vogel Petrov Larsen Osei "
    "Byrne Fontaine Ricci"
)


def choose(rng: Rng, options: Mapping[Any, float] | Sequence[Any], count: int) -> np.ndarray:
    """Draw from options that are as likely as their weights, or all alike where they have none."""
    weights = None
    if isinstance(options, Mapping):
        weights = np.array(list(options.values()), dtype=float)
        weights = weights / weights.sum()
    return rng.choice(np.array(list(options), dtype=object), count, p=weights)


def days(
    rng: Rng, first: str, last: str, count: int, weight: Callable[[pd.Timestamp], float] | None = None
) -> pd.DatetimeIndex:
    """Draw days from the first to the last, those with more weight more often."""
    period = pd.date_range(first, last)
    weights = None
    if weight is not None:
        weights = np.array([weight(day) for day in period], dtype=float)
        weights /= weights.sum()
    return pd.DatetimeIndex(rng.choice(period.values, count, p=weights))


def blank(rng: Rng, values: pd.Series, share: float) -> pd.Series:
    """The values, a share of them missing."""
    found = pd.Series(values, dtype=object).copy()
    found[rng.random(len(found)) < share] = None
    return found


def people(rng: Rng, count: int, women: float = 0.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gender (F or M), first names that go with it and last names."""
    gender = np.where(rng.random(count) < women, "F", "M")
    first = np.where(gender == "F", choose(rng, WOMEN.split(), count), choose(rng, MEN.split(), count))
    return gender, first, choose(rng, LAST.split(), count)


def normed(weights: np.ndarray) -> np.ndarray:
    """Weights as shares that sum to one."""
    return weights / weights.sum()


def after(start: pd.DatetimeIndex, counts: np.ndarray) -> pd.DatetimeIndex:
    """Each day and so many days after it."""
    return start + pd.to_timedelta(counts, unit="D")


def until(moment: pd.Timestamp, end: str) -> date | None:
    """The day of a moment, or nothing where it lies behind the end."""
    return moment.date() if moment <= pd.Timestamp(end) else None
