"""What the fresh data sets of the exam are made with: names, days, gaps and weighted choices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

FIRST = [
    "Ada",
    "Bela",
    "Carl",
    "Dina",
    "Emil",
    "Faye",
    "Gus",
    "Hana",
    "Ivo",
    "Jana",
    "Kurt",
    "Lena",
    "Milo",
    "Nora",
    "Otto",
    "Pia",
    "Rosa",
    "Sven",
    "Tara",
    "Vera",
    "Yara",
]
LAST = [
    "Abbott",
    "Brandt",
    "Castell",
    "Dorsey",
    "Ekman",
    "Farrow",
    "Grieg",
    "Holm",
    "Iversen",
    "Joyce",
    "Keller",
    "Marsh",
    "Novak",
    "Olsen",
    "Petrov",
]


def people(rng: np.random.Generator, count: int) -> list[str]:
    """Full names, each different from the others."""
    names = [f"{first} {last}" for first in FIRST for last in LAST]
    return [str(name) for name in rng.permutation(names)[:count]]


def days(rng: np.random.Generator, start: str, end: str, count: int) -> pd.DatetimeIndex:
    """Random days from start to end, both included."""
    span = (pd.Timestamp(end) - pd.Timestamp(start)).days + 1
    return pd.DatetimeIndex(pd.Timestamp(start) + pd.to_timedelta(rng.integers(0, span, count), unit="D"))


def blank(rng: np.random.Generator, column: pd.Series, share: float) -> pd.Series:
    """The column with about this share of its values missing."""
    return column.astype(object).mask(pd.Series(rng.random(len(column)) < share, index=column.index), None)


def pick(rng: np.random.Generator, weights: dict[str, float], count: int) -> np.ndarray:
    """Random labels, drawn in proportion to their weights."""
    return rng.choice(list(weights), size=count, p=np.array(list(weights.values())) / sum(weights.values()))


def mapped(labels: np.ndarray, values: dict[str, float]) -> np.ndarray:
    """The number that stands for each label."""
    return np.array([values[str(label)] for label in labels])


def save(folder: Path, **tables: pd.DataFrame) -> None:
    """Write the tables, each named as its argument."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
