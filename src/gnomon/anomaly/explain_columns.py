"""How unusual each value is on its own: tails, gaps, rare categories, missing values.

Every measure is a strength on one scale, minus the decimal logarithm of how rare the value is, so that
a number, a category and a hole in the data can be compared. All of it is vectorised over rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

WORTH_SAYING: Final = 1.3
_GAP_WINDOW: Final = 0.02


@dataclass(frozen=True)
class Surprise:
    """Strength and kind of what is unusual about one column, for some rows.

    Attributes:
        column: Name of the column.
        strength: Per row; 1.3 means one value in twenty is as unusual.
        kind: Per row: ``high``, ``low``, ``gap``, ``rare`` or ``missing``.
        texts: Per row, lazily: what to say.
    """

    column: str
    strength: np.ndarray
    kind: np.ndarray
    facts: Any

    def text(self, i: int) -> str:
        """What to say about row ``i`` of those that were asked about."""
        return self.facts(i)


def number(value: float) -> str:
    """A number as people write it: 9,120 or 0.0031, never 9120.000000001."""
    if not np.isfinite(value):
        return "missing"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:,.4g}" if size >= 0.001 else f"{value:.3g}"


def numeric_surprise(name: str, values: np.ndarray, rows: np.ndarray, *, show: Any = number) -> Surprise:
    """How far in the tail, or how alone in a gap, the values of ``rows`` are."""
    known = np.sort(values[np.isfinite(values)])
    n = len(known)
    asked = values[rows]
    if n == 0:
        return Surprise(name, np.zeros(len(rows)), np.full(len(rows), "high"), lambda _: f"{name} is missing")
    below, above = np.searchsorted(known, asked, "left"), n - np.searchsorted(known, asked, "right")
    high = above <= below
    beyond = np.where(high, above, below)
    strength = -np.log10(np.minimum(2 * (beyond + 1) / (n + 1), 1.0))
    strength = strength + _excess(known, asked, high)
    lonely = _gap_strength(known, asked)
    inside = np.isfinite(asked) & (lonely > strength + 0.3)
    kind = np.where(inside, "gap", np.where(high, "high", "low"))
    strength = np.where(inside, lonely, strength)
    missing = ~np.isfinite(asked)
    share = np.mean(~np.isfinite(values))
    strength = np.where(missing, -np.log10(max(share, 1 / (len(values) + 1))), strength)
    kind = np.where(missing, "missing", kind)
    repeats = np.searchsorted(known, asked, "right") - np.searchsorted(known, asked, "left")
    common = ~missing & (repeats > 0.05 * n)
    strength = np.where(common, 0.0, strength)

    def text(i: int) -> str:
        if kind[i] == "missing":
            return _missing_text(name, int(np.sum(~np.isfinite(values))), len(values))
        if kind[i] == "gap":
            at = int(np.searchsorted(known, asked[i]))
            low = known[max(at - 1, 0)] if at > 0 else known[0]
            right = int(np.searchsorted(known, asked[i], "right"))
            up = known[min(right, n - 1)]
            return f"{name} {show(asked[i])} stands alone: the nearest values are {show(low)} and {show(up)}"
        return _tail_text(name, asked[i], known, bool(high[i]), show)

    return Surprise(name, np.maximum(strength, 0.0), kind, text)


def _excess(known: np.ndarray, asked: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How far past the 95 % range a value lies, in widths of that range, on a logarithmic scale."""
    low, mid, up = (_at(known, share) for share in (0.05, 0.5, 0.95))
    width = np.where(high, up - mid, mid - low)
    spread = _at(known, 0.75) - _at(known, 0.25) or float(np.std(known)) or 1.0
    width = np.where(width > 0, width, spread)
    past = np.where(high, asked - up, low - asked) / width
    return np.log10(1 + 3 * np.maximum(np.nan_to_num(past), 0.0))


def _gap_strength(known: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """How empty the neighbourhood of a value is, against what its neighbourhood should hold."""
    n = len(known)
    low, up = _at(known, 0.01), _at(known, 0.99)
    window = _GAP_WINDOW * (up - low)
    if window <= 0 or n < 50 or len(np.unique(known[:: max(1, n // 2000)])) < 20:
        return np.zeros(len(asked))
    near = np.searchsorted(known, asked + window, "right") - np.searchsorted(known, asked - window, "left")
    inside = (asked > low) & (asked < up)
    return np.where(inside & (near <= max(3, 0.002 * n)), -np.log10((near + 1) / (n + 1)), 0.0)


def _tail_text(name: str, value: float, known: np.ndarray, high: bool, show: Any) -> str:
    n = len(known)
    for share in (0.95, 0.99, 0.999, 0.9, 0.8):
        at = _at(known, share if high else 1 - share)
        if (value > at) if high else (value < at):
            side = "below" if high else "above"
            alone = (
                np.searchsorted(known, value, "left") == n - 1
                if high
                else np.searchsorted(known, value, "right") == 1
            )
            edge = f", the {'highest' if high else 'lowest'} of {n:,}" if alone and n > 1 else ""
            return f"{name} {show(value)} where {100 * share:g} % lie {side} {show(at)}{edge}"
    return f"{name} {show(value)}, {'high' if high else 'low'} but within the usual range"


def _at(known: np.ndarray, share: float) -> float:
    """A quantile of values that are sorted already."""
    where = share * (len(known) - 1)
    low = int(where)
    up = min(low + 1, len(known) - 1)
    return float(known[low] + (where - low) * (known[up] - known[low]))


def _missing_text(name: str, missing: int, n: int) -> str:
    return f"{name} is missing, as in {missing:,} of {n:,} rows"


def category_surprise(name: str, codes: np.ndarray, names: list[str], rows: np.ndarray) -> Surprise:
    """How rare the categories of ``rows`` are; code -1 is a missing value."""
    n = len(codes)
    counts = np.bincount(codes[codes >= 0], minlength=max(len(names), 1))
    missing = int(np.sum(codes < 0))
    asked = codes[rows]
    seen = np.where(asked >= 0, counts[np.maximum(asked, 0)], missing)
    strength = np.maximum(-np.log10(np.maximum(seen, 1) / max(n, 1)), 0.0)
    # Where every category is rare, being rare says nothing.
    typical = -np.log10(max(float(np.mean(counts[codes[codes >= 0]])) if missing < n else n, 1.0) / max(n, 1))
    strength = np.where(asked >= 0, np.maximum(strength - np.maximum(typical, 0.0), 0.0), strength)
    kind = np.where(asked >= 0, "rare", "missing")

    def text(i: int) -> str:
        if asked[i] < 0:
            return _missing_text(name, missing, n)
        times = "once" if seen[i] == 1 else f"{int(seen[i]):,} times"
        return f"{name} {names[asked[i]]!r} seen {times} in {n:,}"

    return Surprise(name, strength, kind, text)
