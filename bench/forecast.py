"""How well the forecaster keeps its promises: interval coverage, error against naive, time per series.

Runs over generated series of the kinds that businesses have and over the real series that come with
statsmodels; folders or CSV files given as arguments (a time column and a value column) are added::

    python bench/forecast.py [--per-kind 8] [PATH ...]
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from gnomon.analytics import forecast

LEVELS = (0.80, 0.95)


@dataclass(frozen=True)
class Case:
    kind: str
    values: np.ndarray
    times: pd.DatetimeIndex | None
    horizon: int


def generated(per_kind: int) -> Iterator[Case]:
    """Realistic series with seasons, trends, level shifts, counts, heavy tails and volatility."""
    kinds = {
        "daily sales, weekly season": _daily_sales,
        "hourly traffic": _hourly,
        "monthly, growing": _monthly,
        "random walk": _walk,
        "autocorrelated noise": _ar,
        "intermittent counts": _counts,
        "weekly with level shift": _shift,
        "heavy tails": _heavy,
        "short quarterly": _quarterly,
    }
    for k, (kind, make) in enumerate(kinds.items()):
        for i in range(per_kind):
            yield make(kind, np.random.default_rng([k, i]))


def _daily_sales(kind: str, rng: np.random.Generator) -> Case:
    n = int(rng.integers(150, 730))
    t = np.arange(n)
    week = rng.normal(0, 0.2, 7)
    level = np.exp(np.cumsum(rng.normal(0, 0.01, n)) + rng.normal(0, 0.001) * t)
    values = 1000 * level * (1 + week[t % 7]) * np.exp(rng.normal(0, 0.08, n))
    return Case(kind, values, pd.date_range("2023-01-02", periods=n, freq="D"), 14)


def _hourly(kind: str, rng: np.random.Generator) -> Case:
    n = int(rng.integers(24 * 14, 24 * 40))
    t = np.arange(n)
    day = 40 * np.sin(2 * np.pi * (t - rng.integers(24)) / 24) + 15 * np.sin(4 * np.pi * t / 24)
    noise = _ar1(rng, n, 0.7, 6)
    return Case(kind, np.maximum(120 + day + noise, 0), pd.date_range("2024-01-01", periods=n, freq="h"), 24)


def _monthly(kind: str, rng: np.random.Generator) -> Case:
    n = int(rng.integers(48, 150))
    t = np.arange(n)
    season = rng.normal(0, 0.12, 12)
    values = 200 * np.exp(
        0.006 * t + season[t % 12] + np.cumsum(rng.normal(0, 0.02, n)) + rng.normal(0, 0.03, n)
    )
    return Case(kind, values, pd.date_range("2010-01-01", periods=n, freq="MS"), 12)


def _walk(kind: str, rng: np.random.Generator) -> Case:
    n = int(rng.integers(100, 500))
    return Case(kind, 100 + np.cumsum(rng.normal(0, 1, n)), None, 10)


def _ar(kind: str, rng: np.random.Generator) -> Case:
    n = int(rng.integers(80, 400))
    return Case(kind, 50 + _ar1(rng, n, float(rng.uniform(0, 0.8)), 3), None, 10)


def _counts(kind: str, rng: np.random.Generator) -> Case:
    n = int(rng.integers(150, 500))
    return Case(kind, rng.poisson(rng.uniform(0.5, 4), n).astype(float), None, 14)


def _shift(kind: str, rng: np.random.Generator) -> Case:
    n = int(rng.integers(110, 260))
    values = (
        500 + rng.normal(0, 20, n) + np.where(np.arange(n) > n * rng.uniform(0.2, 0.8), rng.normal(0, 120), 0)
    )
    return Case(kind, values, pd.date_range("2019-01-06", periods=n, freq="W-SUN"), 8)


def _heavy(kind: str, rng: np.random.Generator) -> Case:
    n = int(rng.integers(120, 400))
    return Case(kind, 20 + 2 * rng.standard_t(3, n), None, 10)


def _quarterly(kind: str, rng: np.random.Generator) -> Case:
    n = int(rng.integers(24, 60))
    t = np.arange(n)
    values = (
        80 + 0.8 * t + rng.normal(0, 6, 4)[t % 4] + np.cumsum(rng.normal(0, 1.5, n)) + rng.normal(0, 2, n)
    )
    return Case(kind, values, pd.date_range("2008-01-01", periods=n, freq="QS"), 4)


def _ar1(rng: np.random.Generator, n: int, phi: float, sd: float) -> np.ndarray:
    out = rng.normal(0, sd, n)
    for i in range(1, n):
        out[i] += phi * out[i - 1]
    return out


def packaged() -> Iterator[Case]:
    """Real series that come with statsmodels."""
    from statsmodels import datasets as ds

    macro = ds.macrodata.load_pandas().data
    for column in (
        "realgdp",
        "realcons",
        "realinv",
        "realgovt",
        "realdpi",
        "cpi",
        "m1",
        "tbilrate",
        "unemp",
        "pop",
        "infl",
        "realint",
    ):
        yield Case("real: US macro, quarterly", macro[column].to_numpy(float), None, 8)
    yield Case("real: other", ds.nile.load_pandas().data["volume"].to_numpy(float), None, 10)
    yield Case("real: other", ds.sunspots.load_pandas().data["SUNACTIVITY"].to_numpy(float), None, 11)
    co2 = ds.co2.load_pandas().data["co2"].resample("MS").mean().interpolate()
    yield Case("real: other", co2.to_numpy(float), pd.DatetimeIndex(co2.index), 12)
    elnino = ds.elnino.load_pandas().data.drop(columns="YEAR").to_numpy(float).ravel()
    yield Case("real: other", elnino, pd.date_range("1950-01-01", periods=len(elnino), freq="MS"), 12)


def given(paths: list[Path]) -> Iterator[Case]:
    """The CSV series under the paths: first column time, last column value, at an hourly or coarser grain."""
    for root in paths:
        for file in sorted(root.rglob("*.csv")) if root.is_dir() else [root]:
            frame = pd.read_csv(file)
            frame.index = pd.DatetimeIndex(pd.to_datetime(frame.iloc[:, 0]))
            series = frame.iloc[:, -1].astype(float)
            step = np.median(np.diff(frame.index.to_numpy().astype("datetime64[s]").astype(np.int64)))
            if step < 3600:
                series = series.resample("h").mean().dropna()
            yield Case(
                f"given: {file.parent.name}", series.to_numpy(float), pd.DatetimeIndex(series.index), 24
            )


def judge(case: Case, cuts: int = 3) -> list[dict[str, float]]:
    """Hold out the end of the series at several cuts; one row of figures per cut."""
    rows: list[dict[str, float]] = []
    n, h = len(case.values), case.horizon
    for cut in range(cuts):
        end = n - cut * h
        if end - h < 12:
            break
        train, future = case.values[: end - h], case.values[end - h : end]
        times = None if case.times is None else case.times[: end - h]
        began = time.perf_counter()
        result = forecast(train, times=times, horizon=h)
        seconds = time.perf_counter() - began
        ahead = np.array([p.value for p in result.points])
        row = {"seconds": seconds, "naive": float(result.model.split(" (")[0] in {"naive", "seasonal naive"})}
        for level in LEVELS:
            low, high = result.interval(level)
            row[f"cover {level}"] = float(np.mean((future >= low - 1e-9) & (future <= high + 1e-9)))
        unit = np.abs(np.diff(train)).mean() or 1.0
        last_season = result.season if result.season and len(train) >= result.season else 1
        season_naive = train[len(train) - last_season + np.arange(h) % last_season]
        row["mase"] = float(np.abs(ahead - future).mean() / unit)
        row["naive mase"] = float(np.abs(train[-1] - future).mean() / unit)
        row["seasonal mase"] = float(np.abs(season_naive - future).mean() / unit)
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--per-kind", type=int, default=8)
    parser.add_argument("--cuts", type=int, default=3)
    options = parser.parse_args()
    forecast(np.arange(30.0), horizon=2)  # imports are not part of the time per series
    groups: dict[str, list[list[dict[str, float]]]] = defaultdict(list)
    for source in (generated(options.per_kind), packaged(), given(options.paths)):
        for case in source:
            if rows := judge(case, options.cuts):
                groups[case.kind].append(rows)
    print(
        "| series | count | coverage 80 % | coverage 95 % | MASE | MASE naive | MASE seasonal naive | naive kept | s/series | max s |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for kind, runs in groups.items():
        print(_line(kind, runs))
    print(_line("**all**", [r for runs in groups.values() for r in runs]))


def _line(kind: str, runs: list[list[dict[str, float]]]) -> str:
    def mean(key: str) -> float:
        return float(np.mean([np.mean([row[key] for row in rows]) for rows in runs]))

    slowest = max(row["seconds"] for rows in runs for row in rows)
    return (
        f"| {kind} | {len(runs)} | {100 * mean('cover 0.8'):.1f} | {100 * mean('cover 0.95'):.1f} | {mean('mase'):.2f} "
        f"| {mean('naive mase'):.2f} | {mean('seasonal mase'):.2f} | {100 * mean('naive'):.0f} % | {mean('seconds'):.2f} | {slowest:.2f} |"
    )


if __name__ == "__main__":
    main()
