"""Series with planted anomalies, and what a ranking of them is worth."""

from __future__ import annotations

import numpy as np
import pandas as pd


def usual_series(rng: np.random.Generator, n: int = 2000, period: int = 48) -> np.ndarray:
    """A daily and a weekly pattern, a slow drift and noise."""
    t = np.arange(n)
    daily = 10 * np.sin(2 * np.pi * t / period) + 4 * np.sin(4 * np.pi * t / period + 1)
    return 100 + daily + 0.002 * t + rng.normal(0, 1.0, n)


def segments(rng: np.random.Generator, n: int, count: int, length: int) -> list[slice]:
    """Stretches that do not touch each other or the ends."""
    room = n // count
    return [
        slice(s := k * room + int(rng.integers(length, room - 2 * length)), s + length) for k in range(count)
    ]


def plant(kind: str, seed: int, n: int = 2000) -> tuple[pd.DataFrame, np.ndarray]:
    """A series with one kind of anomaly, and 1 where it was planted."""
    rng = np.random.default_rng(seed)
    x, y = usual_series(rng, n), np.zeros(n, dtype=int)
    if kind == "spikes":
        at = rng.choice(np.arange(10, n - 10), 20, replace=False)
        x[at] += rng.choice([-1, 1], 20) * rng.uniform(7, 12, 20)
        y[at] = 1
    elif kind == "contextual":
        # Values that are ordinary as such, at the wrong time of day.
        at = rng.choice(np.arange(100, n - 100), 20, replace=False)
        x[at] = 200 - x[at] + np.sign(100 - x[at]) * 5
        y[at] = 1
    else:
        for part in segments(rng, n, 2, 10 if kind == "level" else 24):
            if kind == "level":
                x[part] += rng.choice([-1, 1]) * 7
            elif kind == "burst":
                x[part] += rng.normal(0, 5, 24)
            elif kind == "flat":
                x[part] = x[part.start]
            y[part] = 1
    stamps = pd.date_range("2025-01-01", periods=n, freq="30min")
    return pd.DataFrame({"time": stamps, "load": x}), y


def plant_correlation_break(seed: int, n: int = 2000) -> tuple[pd.DataFrame, np.ndarray]:
    """Three variables that move together, and stretches where one goes its own way within its usual range."""
    rng = np.random.default_rng(seed)
    base = np.cumsum(rng.normal(0, 1, n))
    base = base - pd.Series(base).rolling(100, min_periods=1, center=True).mean().to_numpy()
    values = np.column_stack([base * k for k in (1.0, -0.5, 2.0)]) + rng.normal(0, 0.3, (n, 3))
    y = np.zeros(n, dtype=int)
    for part in segments(rng, n, 2, 12):
        values[part, 1] = -values[part, 1] + 0.8 * np.sign(-values[part, 1])
        y[part] = 1
    frame = pd.DataFrame(values, columns=["inflow", "outflow", "pressure"])
    frame.insert(0, "time", pd.date_range("2025-01-01", periods=n, freq="min"))
    return frame, y
