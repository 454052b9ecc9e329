"""Series with one long outage or a lasting shift, and series in which nothing is going on, by generation."""

from __future__ import annotations

import numpy as np
import pandas as pd

USUAL = ("white", "memory", "strong memory", "season", "trend", "heavy")
MOVING = ("walk", "wave", "curve", "counts")
OUTAGES = ("shifted", "dead", "zero")
PLACES = ("start", "middle", "end")


def background(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Readings around 50 with a deviation of about one."""
    t = np.arange(n)
    noise = rng.normal(0, 1, n)
    if kind in ("memory", "strong memory"):
        weight = 0.5 if kind == "memory" else 0.8
        for i in range(1, n):
            noise[i] += weight * noise[i - 1]
        return 50 + noise * np.sqrt(1 - weight**2)
    if kind == "season":
        return 50 + 4 * np.sin(2 * np.pi * t / 7) + noise
    if kind == "trend":
        return 50 + 10 * t / n + noise
    if kind == "heavy":
        return 50 + rng.standard_t(3, n)
    if kind == "walk":
        return 50 + np.cumsum(noise)
    if kind == "wave":
        return 50 + 4 * np.sin(2 * np.pi * (t / n + rng.random())) + noise
    if kind == "curve":
        return 50 + 10 * (t / n) ** 3 + noise
    if kind == "counts":
        return rng.poisson(3, n).astype(float)
    return 50 + noise


def with_outage(
    x: np.ndarray, kind: str, share: float, place: str, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The readings with an outage, and 1 where it is."""
    n, size = len(x), round(share * len(x))
    start = {"start": 0, "middle": int(rng.integers(n // 5, 4 * n // 5 - size)), "end": n - size}[place]
    part, x, planted = slice(start, start + size), x.copy(), np.zeros(n, dtype=int)
    if kind == "shifted":
        x[part] += rng.choice([-7.0, 7.0])
    else:
        x[part] = x[start] if kind == "dead" else 0.0
    planted[part] = 1
    return x, planted


def with_shift(x: np.ndarray, height: float, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """The readings on another level from one of them on, and which that is."""
    at = int(len(x) * rng.uniform(0.25, 0.75))
    return x + np.where(np.arange(len(x)) >= at, height * rng.choice([-1.0, 1.0]), 0.0), at


def daily(x: np.ndarray) -> pd.DataFrame:
    """One reading a day."""
    return pd.DataFrame({"day": pd.date_range("2024-01-01", periods=len(x), freq="D"), "load": x})
