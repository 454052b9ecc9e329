"""Tables with one row for each time, or for each time and entity, with columns of words beside the numbers, by generation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

STEPS = {"D": 420, "h": 600, "W": 200, "MS": 144, "15min": 500, "B": 300}
NOISES = ("normal", "memory", "season", "counts", "trend")
PLANTS = ("shift", "zero", "unrest", "spikes", "none")
FORMS = ("plain", "text", "unsorted", "gaps", "repeated", "zone")
_LEVELS = ("Nord", "Sud", "Est", "Ouest", "Haute", "Basse", "Vieux")


@dataclass(frozen=True)
class Dated:
    """A made table.

    Attributes:
        frame: The table; its numbers are ``reading`` (what is planted in) and ``other``.
        times: When each row was read, in the order of the rows.
        planted: 1 for rows that were changed.
        name: What it is, for a list.
        series: Which rows belong to the series in which something is planted.
    """

    frame: pd.DataFrame
    times: pd.DatetimeIndex
    planted: np.ndarray
    name: str
    series: np.ndarray

    @property
    def spans(self) -> list[tuple[pd.Timestamp, pd.Timestamp]]:
        """First and last time of every planted stretch."""
        order = np.argsort(self.times, kind="stable")
        order = order[self.series[order]]
        inside = self.planted[order] == 1
        edges = np.flatnonzero(np.diff(np.concatenate([[0], inside.astype(int), [0]]))).reshape(-1, 2)
        times = list(self.times)
        return [(times[order[a]], times[order[b - 1]]) for a, b in edges]


def noise(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Readings around 50 with a deviation of about four."""
    t, e = np.arange(n), rng.normal(0, 1, n)
    if kind == "memory":
        for i in range(1, n):
            e[i] += 0.5 * e[i - 1]
        return 50 + 3.5 * e
    if kind == "season":
        return 50 + 8 * np.sin(2 * np.pi * t / 7) + 4 * e
    if kind == "trend":
        return 50 + 15 * t / n + 4 * e
    if kind == "counts":
        return rng.poisson(20, n).astype(float)
    return 50 + 4 * e


def plant(x: np.ndarray, kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The readings with something planted, and 1 where it is."""
    n, x, planted = len(x), x.copy(), np.zeros(len(x), dtype=int)
    width = 4.5
    size = max(8, round(n * rng.uniform(0.04, 0.08)))
    start = int(rng.integers(n // 6, 5 * n // 6 - size))
    part = slice(start, start + size)
    if kind == "shift":
        x[part] += rng.choice([-1, 1]) * width * rng.uniform(3.5, 5)
        planted[part] = 1
    elif kind == "zero":
        x[part] = 0.0
        planted[part] = 1
    elif kind == "unrest":
        x[part] += rng.choice([-1, 1], size) * width * rng.uniform(3, 5, size)
        planted[part] = 1
    elif kind == "spikes":
        at = np.array([n // 5, n // 2, 4 * n // 5]) + rng.integers(-n // 12, n // 12, 3)
        x[at] += rng.choice([-1, 1], 3) * width * rng.uniform(8, 11, 3)
        planted[at] = 1
    return x, planted


def dated(seed: int) -> Dated:
    """One row for each time; what it is follows from the seed."""
    rng = np.random.default_rng([seed, 20])
    step = list(STEPS)[seed % len(STEPS)]
    kind = PLANTS[seed % len(PLANTS)]
    law = NOISES[(seed // 5) % len(NOISES)]
    form = FORMS[(seed // 2 + seed // 7) % len(FORMS)]
    words = (seed // 3) % 4
    n = STEPS[step]
    times = pd.date_range("2022-01-03", periods=n, freq=step, tz="Europe/Paris" if form == "zone" else None)
    x, planted = plant(noise(law, n, rng), kind, rng)
    columns: dict[str, object] = {}
    for k in range(words):
        codes = rng.integers(0, int(rng.integers(2, 7)), n)
        columns[f"kind{k}"] = np.array(_LEVELS)[codes]
        if k == 0 and seed % 2 == 0 and kind != "zero":
            # The level follows from the first column of words.
            x = x + rng.permutation(7)[codes] * 12.0
    frame = pd.DataFrame({"when": times, **columns, "reading": np.round(x, 2), "other": rng.gamma(9, 4, n)})
    rows = np.arange(n)
    if form == "gaps":
        rows = rows[(rng.random(n) > 0.05) | (planted == 1)]
    if form == "repeated":
        rows = np.sort(np.concatenate([rows, rng.choice(np.flatnonzero(planted == 0), 3, replace=False)]))
    if form == "unsorted":
        rows = rng.permutation(rows)
    frame = frame.iloc[rows].reset_index(drop=True)
    if form == "text":
        frame["when"] = frame["when"].astype(str)
    name = f"{seed}: {step}, {law}, {form}, {words} columns of words, {kind}"
    return Dated(frame, times[rows], planted[rows], name, np.ones(len(rows), dtype=bool))


def panel(seed: int) -> Dated:
    """One row for each time and entity, something planted in one of them."""
    rng = np.random.default_rng([seed, 21])
    step = ("D", "W", "h", "MS")[seed % 4]
    kind = PLANTS[seed % len(PLANTS)]
    law = NOISES[(seed // 5) % len(NOISES)]
    many, n = (4, 7, 12)[seed % 3], min(STEPS[step], 240)
    times = pd.date_range("2022-01-03", periods=n, freq=step)
    names = [f"S{k:02d}" for k in range(many)]
    odd = int(rng.integers(0, many))
    parts, marks = [], []
    for k, name in enumerate(names):
        x = noise(law, n, rng) + 15 * k
        planted = np.zeros(n, dtype=int)
        if k == odd and kind != "none":
            x, planted = plant(x, kind, rng)
        parts.append(
            pd.DataFrame(
                {"when": times, "site": name, "reading": np.round(x, 2), "other": rng.gamma(9, 4, n)}
            )
        )
        marks.append(planted)
    frame, marked = pd.concat(parts, ignore_index=True), np.concatenate(marks)
    if seed % 2:
        order = np.lexsort((frame["site"], frame["when"]))
        frame, marked = frame.iloc[order].reset_index(drop=True), marked[order]
    if seed % 5 == 2:
        frame["site"] = frame["site"].str[1:].astype(int)
    name = f"{seed}: {many} sites, {step}, {law}, {kind}"
    same = (frame["site"] == frame["site"].iloc[int(np.argmax(marked))]).to_numpy()
    return Dated(frame, pd.DatetimeIndex(frame["when"]), marked, name, same)
