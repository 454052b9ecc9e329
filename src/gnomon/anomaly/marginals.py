"""One column without its anomalies: the middle as it is, the tails as the shape of the middle implies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from gnomon.anomaly import shapes

_BODY: Final = np.linspace(0.02, 0.98, 97)
_FEW_VALUES: Final = 12
_ATOM: Final = 0.15
_SEEN: Final = 0.01
_FOLLOWS: Final = 0.03
# From this share of the values outwards the tail follows the shape, not the values.
_EDGE: Final = 0.85
_FAR: Final = 0.95
MISFIT: Final = 11.0


class Marginal(Protocol):
    """The distribution of one column, as a map to and from normal scores."""

    def normal_scores(self, x: np.ndarray) -> np.ndarray:
        """Ranks of ``x`` as normal scores, ties in the middle."""
        ...

    def values(self, z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Values with the given normal scores, under one of the shapes that the data allows."""
        ...


def marginals(S: np.ndarray) -> tuple[Marginal, ...]:
    """The marginals of all columns; smooth ones are compared with the library together."""
    out: dict[int, Marginal] = {}
    smooth: dict[int, np.ndarray] = {}
    atoms: dict[int, tuple[float, float, float]] = {}
    for j in range(S.shape[1]):
        known, count = np.unique(S[:, j], return_counts=True)
        if len(known) <= _FEW_VALUES:
            out[j] = FewValues.of(known, count)
            continue
        top = int(count.argmax())
        second = int(np.partition(count, -2)[-2])
        if count[top] >= max(_ATOM * len(S), 3 * second):
            at = float(known[top])
            atoms[j] = (at, float((S[:, j] < at).mean()), float(count[top] / len(S)))
            rest = S[S[:, j] != at, j]
            if len(np.unique(rest)) <= _FEW_VALUES:
                out[j] = FewValues.of(known, count)
                continue
            smooth[j] = rest
        else:
            smooth[j] = S[:, j]
    for j, column in zip(smooth, _smooth(list(smooth.values())), strict=True):
        out[j] = Spiked(*atoms[j], column) if j in atoms else column
    return tuple(out[j] for j in range(S.shape[1]))


@dataclass(frozen=True)
class FewValues:
    """A column of a few values: each as often as seen, values that hardly occur left out."""

    known: np.ndarray
    edges: np.ndarray

    @classmethod
    def of(cls, known: np.ndarray, count: np.ndarray) -> FewValues:
        """From the values and how often each occurs."""
        mode = int(count.argmax())
        # The next value on the way to the most common one: a rare value is usual where it follows from that.
        inner = np.where(np.arange(len(known)) < mode, np.arange(len(known)) + 1, np.arange(len(known)) - 1)
        usual = (count >= _SEEN * count.sum()) | (
            count >= _FOLLOWS * count[np.clip(inner, 0, len(known) - 1)]
        )
        usual[mode] = True
        kept = count[usual]
        return cls(known[usual], np.cumsum(kept) / kept.sum())

    def normal_scores(self, x: np.ndarray) -> np.ndarray:
        """The middle of the ranks of each value."""
        from scipy.special import ndtri

        middle = self.edges - 0.5 * np.diff(np.concatenate([[0.0], self.edges]))
        at = np.clip(np.searchsorted(self.known, x), 0, len(self.known) - 1)
        return ndtri(np.clip(middle[at], 1e-4, 1 - 1e-4))

    def values(self, z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Values as often as seen."""
        from scipy.special import ndtr

        return self.known[np.minimum(np.searchsorted(self.edges, ndtr(z)), len(self.known) - 1)]


@dataclass(frozen=True)
class Spiked:
    """A smooth column in which one value (often zero) makes up a large share."""

    at: float
    before: float
    share: float
    column: Smooth

    def normal_scores(self, x: np.ndarray) -> np.ndarray:
        """Normal scores of the whole column, the spike in the middle of its ranks."""
        from scipy.special import ndtr, ndtri

        rest = (1 - self.share) * ndtr(self.column.normal_scores(x))
        level = np.where(
            x > self.at, rest + self.share, np.where(x < self.at, rest, self.before + self.share / 2)
        )
        return ndtri(np.clip(level, 1e-6, 1 - 1e-6))

    def values(self, z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The spike for its share, the smooth column for the rest."""
        from scipy.special import ndtr, ndtri

        level = ndtr(z)
        inside = (level >= self.before) & (level < self.before + self.share)
        below = np.where(level < self.before, level, level - self.share) / (1 - self.share)
        # The upper tail is counted from above: near one a level has no digits left.
        above = ndtr(-z) / (1 - self.share)
        score = np.where(above < 0.5, -ndtri(np.clip(above, 1e-300, 1)), ndtri(np.clip(below, 1e-300, 1)))
        return np.where(inside, self.at, self.column.values(score, rng))


@dataclass(frozen=True)
class Smooth:
    """A column of many values."""

    ordered: np.ndarray
    step: float
    fitted: shapes.Fitted
    index: int
    misfit: float
    middle: float

    def normal_scores(self, x: np.ndarray) -> np.ndarray:
        """Ranks among the values learned from."""
        from scipy.special import ndtri

        low, high = (np.searchsorted(self.ordered, x, side=side) for side in ("left", "right"))
        return ndtri(np.clip((low + high) / 2, 0.5, len(self.ordered) - 0.5) / len(self.ordered))

    def values(self, z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Values under one likely shape, on the grid of the column where it has one."""
        from scipy.special import ndtr

        up, down = self.fitted.draw(self.index, rng)
        up, down = self._anchored(up, 1), self._anchored(down, -1)
        x = self.middle + np.interp(z, shapes.BOTH_SIDES, np.concatenate([-down[:0:-1], up]))
        if self.misfit > MISFIT:
            # No shape explains the middle: there the values speak for themselves.
            body = np.quantile(self.ordered, _BODY)
            level = ndtr(z)
            x = np.where((level > 1 - _EDGE) & (level < _EDGE), np.interp(level, _BODY, body), x)
        return x if self.step <= 0 else np.round(x / self.step) * self.step

    def _anchored(self, curve: np.ndarray, side: int) -> np.ndarray:
        """The tail moved to where the values are at its edge, and no lighter than exponential there."""
        from scipy.special import ndtr, ndtri

        if self.misfit <= MISFIT:
            return curve
        edge, far = (
            side * (float(np.quantile(self.ordered, 0.5 + side * (q - 0.5))) - self.middle)
            for q in (_EDGE, _FAR)
        )
        scaled = curve * max(edge, 0.0) / max(float(np.interp(ndtri(_EDGE), shapes.GRID, curve)), 1e-300)
        beyond = np.log((1 - _EDGE) / ndtr(-shapes.GRID)) / np.log((1 - _EDGE) / (1 - _FAR))
        return np.where(beyond > 0, np.maximum(scaled, edge + (far - edge) * beyond), scaled)


def _smooth(columns: list[np.ndarray]) -> list[Smooth]:
    if not columns:
        return []
    ordered = [np.sort(c) for c in columns]
    steps = [grid_step(c) for c in ordered]
    # Values on a grid are spread over their cells, or equal quantiles would say that nothing lies between.
    spread = [_spread(c, s) if s > 0 else c for c, s in zip(ordered, steps, strict=True)]
    at = np.concatenate([1 - shapes.LEVELS, [0.5], shapes.LEVELS])
    low, middle, high = np.split(
        np.stack([_quantiles(c, at) for c in spread]), [len(shapes.LEVELS), -len(shapes.LEVELS)], axis=1
    )
    above, below = high - middle, middle - low
    tiny = 1e-9 * (above[:, -1:] + below[:, -1:]) + 1e-300
    n = int(np.median([len(c) for c in columns]))
    fitted = shapes.fit(np.maximum(above, tiny), np.maximum(below, tiny), n)
    return [
        Smooth(c, s, fitted, j, float(fitted.misfit[j]), float(_quantiles(c, np.array([0.5]))[0]))
        for j, (c, s) in enumerate(zip(ordered, steps, strict=True))
    ]


def _quantiles(ordered: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Quantiles of sorted values, by interpolation between neighbours."""
    place = at * (len(ordered) - 1)
    return np.interp(place, np.arange(len(ordered)), ordered)


def smooth_part(x: np.ndarray) -> np.ndarray | None:
    """The sorted values of a column, those on a grid spread over its cells; None where there is no smooth part.

    A value that fills a large share beside many others (zero, or what stands for missing) is left out.
    """
    ordered = np.sort(x)
    known, count = np.unique(ordered, return_counts=True)
    if len(known) < 3:
        return None
    if len(known) <= _FEW_VALUES:
        step = grid_step(ordered)
        return _spread(ordered, step) if step > 0 else None
    top, second = int(count.argmax()), int(np.partition(count, -2)[-2])
    if count[top] >= max(_ATOM * len(x), 3 * second):
        ordered = ordered[ordered != known[top]]
        if len(known) - 1 <= _FEW_VALUES:
            return None
    step = grid_step(ordered)
    return _spread(ordered, step) if step > 0 else ordered


def _spread(ordered: np.ndarray, step: float) -> np.ndarray:
    return np.sort(ordered + step * (np.arange(len(ordered)) * 0.6180339887 % 1 - 0.5))


def grid_step(ordered: np.ndarray) -> float:
    """The width of the grid that nearly all values lie on, or 0 where they hardly repeat."""
    known, count = np.unique(ordered, return_counts=True)
    repeated = known[count > 1]
    if len(known) > 0.3 * len(ordered) or len(repeated) < 3:
        return 0.0
    step = float(np.median(np.diff(repeated)))
    on = np.abs(ordered / step - np.round(ordered / step)) < 0.01
    return step if float(on.mean()) > 0.9 else 0.0
