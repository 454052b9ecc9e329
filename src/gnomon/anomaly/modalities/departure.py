"""How far something is from what is usual: the measures that every modality builds its columns from.

A column of a prepared series, text, image or graph is a departure: near zero where an item is ordinary,
growing with how unusual it is, so that any detector can read it and its name says what is unusual.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

_KNEE = 10.0
SEED = 20_250_301
"""Where every sampled choice in this room starts from."""


def soften(z: np.ndarray, knee: float = 6.0) -> np.ndarray:
    """Magnitudes kept up to ``knee`` and logarithmic beyond, so that one extreme does not hide the rest."""
    a = np.abs(z)
    return np.where(a <= knee, a, knee * (1.0 + np.log(np.maximum(a, knee) / knee)))


def firm(surprise: np.ndarray) -> np.ndarray:
    """What :meth:`Scale.surprise` gave, before its far tails were softened."""
    return np.where(surprise <= _KNEE, surprise, _KNEE * np.exp(np.maximum(surprise, _KNEE) / _KNEE - 1.0))


def spread(x: np.ndarray) -> np.ndarray:
    """A robust standard deviation per column that is never zero, even for nearly constant columns."""
    centre = np.median(x, axis=0)
    distance = np.abs(x - centre)
    mad = 1.4826 * np.median(distance, axis=0)
    mean = 1.2533 * distance.mean(axis=0)
    out = np.where(mad > 0.05 * mean, mad, np.where(mean > 0, mean, 1.0))
    floor = 1e-9 * np.maximum(np.abs(centre), 1e-3)
    return np.maximum(out, floor)


_SHARES = (0.5, 0.25, 0.1, 0.05)


@dataclass
class _Tail:
    """How rare values are, as minus the logarithm of the share of values at least as large.

    Counted between the knots; beyond the last one the height grows as a power of the distance from the
    first, the power taken from how it grew between them: two for a light tail, less than one for a heavy one.
    """

    knots: np.ndarray
    heights: np.ndarray
    power: float

    @classmethod
    def of(cls, x: np.ndarray) -> _Tail:
        ordered = np.sort(x)
        n = len(ordered)
        knots = np.unique(np.quantile(ordered, [1.0 - s for s in _SHARES], method="lower"))
        heights = -np.log((n - np.searchsorted(ordered, knots)) / n)
        if len(knots) > 2 and heights[1] > heights[0]:
            rise = np.log((heights[-1] - heights[0]) / (heights[1] - heights[0]))
            reach = np.log((knots[-1] - knots[0]) / (knots[1] - knots[0]))
            trust = n / (n + 200.0)
            return cls(knots, heights, float(np.clip(trust * rise / reach + 1.0 - trust, 0.6, 2.0)))
        beyond = ordered[ordered > knots[-1]]
        if len(knots) > 1 or not len(beyond):
            return cls(knots, heights, 1.0)
        # Nearly every value is the same: being different at all is what is rare.
        return cls(np.append(knots, beyond[0]), np.append(heights, -np.log(len(beyond) / n)), 1.0)

    def height(self, x: np.ndarray) -> np.ndarray:
        inside = np.interp(x, self.knots, self.heights)
        if len(self.knots) < 2:
            return inside + np.maximum(x - self.knots[-1], 0.0)
        reach = np.maximum(x - self.knots[0], 0.0) / (self.knots[-1] - self.knots[0])
        rise = self.heights[-1] - self.heights[0]
        return np.where(reach > 1.0, self.heights[0] + rise * reach**self.power, inside)


@dataclass
class Scale:
    """How surprising a value is, column by column, learned once and applied to whatever comes later.

    Inside the bulk the share of values at least as far out is counted; beyond it the tail is extended by
    how it thins out there. Heavy-tailed and light-tailed columns become comparable: an ordinary one averages one.
    """

    centre: np.ndarray
    width: np.ndarray
    tails: list[_Tail]
    up: bool

    @classmethod
    def of(cls, x: np.ndarray, *, up: bool = True) -> Scale:
        """Learn from the rows of ``x``; with ``up`` only what lies above is far out, else both sides."""
        centre, width = np.median(x, axis=0), spread(x)
        z = cls(centre, width, [], up)._out(x)
        return cls(centre, width, [_Tail.of(z[:, j]) for j in range(z.shape[1])], up)

    def surprise(self, x: np.ndarray) -> np.ndarray:
        """The surprise of each value, in the shape of ``x``; far tails are softened."""
        z = self._out(x)
        out = np.column_stack([tail.height(z[:, j]) for j, tail in enumerate(self.tails)])
        return soften(out, _KNEE).reshape(x.shape)

    def _out(self, x: np.ndarray) -> np.ndarray:
        z = (x - self.centre) / self.width
        z = z if self.up else np.abs(z)
        return z[:, None] if z.ndim == 1 else z


def with_summary(columns: np.ndarray) -> np.ndarray:
    """The columns and two more: the strongest departure of each row, and all of them taken together."""
    return np.column_stack([columns, columns.max(axis=1), columns.sum(axis=1) / np.sqrt(columns.shape[1])])


ANY = "any variable"
SUMMARY = ("strongest single departure", "all departures together")
"""Names of the columns that ``with_summary`` adds."""


def sample_rows(n: int, size: int) -> np.ndarray:
    """At most ``size`` row numbers out of ``n``, always the same ones, in order."""
    if n <= size:
        return np.arange(n)
    return np.sort(np.random.default_rng(SEED).choice(n, size, replace=False))


def nearest(
    x: np.ndarray,
    reference: np.ndarray,
    ks: tuple[int, ...],
    *,
    groups: np.ndarray | None = None,
    reference_groups: np.ndarray | None = None,
    reach: int = 0,
) -> np.ndarray:
    """Distance of each row to its k-th nearest reference row, for each k, in blocks of bounded memory.

    Args:
        x: Rows to measure.
        reference: Rows to measure against.
        ks: Which neighbours, 1 being the nearest.
        groups: A number per row of ``x``; reference rows of the same group are not its neighbours.
        reference_groups: The same for ``reference``.
        reach: Groups at most this far apart count as the same.
    """
    out = np.empty((len(x), len(ks)))
    squares = np.einsum("ij,ij->i", reference, reference)
    top = min(max(ks), len(reference)) - 1
    block = max(1, 4_000_000 // max(len(reference), 1))
    for start in range(0, len(x), block):
        rows = x[start : start + block]
        d = squares - 2.0 * (rows @ reference.T) + np.einsum("ij,ij->i", rows, rows)[:, None]
        if groups is not None and reference_groups is not None:
            gap = np.abs(groups[start : start + block, None] - reference_groups[None, :])
            d[gap <= reach] = np.inf
        part = np.sort(np.partition(d, top, axis=1)[:, : top + 1], axis=1)
        for j, k in enumerate(ks):
            column = part[:, min(k, top + 1) - 1]
            usable = np.isfinite(part).sum(axis=1)
            last = part[np.arange(len(part)), np.maximum(usable - 1, 0)]
            column = np.where(np.isfinite(column), column, np.where(usable > 0, last, 0.0))
            out[start : start + block, j] = np.sqrt(np.maximum(column, 0.0))
    return out


@dataclass
class Neighbourhood:
    """Says how unlike the others a row of descriptors is, at a near and at a wide scale.

    Descriptors are centred, scaled and projected on their main directions; what the projection cannot
    express is kept as a residual. No column counts as varying less than ``steady``. Reference rows are sampled so that cost grows linearly with rows.
    """

    components: int = 24
    references: int = 3000
    standardise: bool = True
    steady: float = 0.0
    centre: np.ndarray = field(init=False)
    width: np.ndarray = field(init=False)
    axes: np.ndarray = field(init=False)
    anchors: np.ndarray = field(init=False)
    anchor_rows: np.ndarray = field(init=False)
    ks: tuple[int, int] = field(init=False)
    scale: Scale = field(init=False)

    def fit(self, x: np.ndarray) -> np.ndarray:
        """Learn from rows of descriptors and return their departures (near, wide, residual)."""
        self.centre = np.median(x, axis=0)
        self.width = np.maximum(spread(x), self.steady) if self.standardise else np.ones(x.shape[1])
        rows = sample_rows(len(x), self.references)
        z = self._scaled(x[rows])
        _, _, axes = np.linalg.svd(z, full_matrices=False)
        self.axes = axes[: max(1, min(self.components, len(axes), len(x) // 4))]
        self.anchor_rows, self.anchors = rows, z @ self.axes.T
        m = len(rows)
        self.ks = (min(5, max(1, m // 4)), max(1, min(round(0.04 * m) + 5, m - 1)))
        measured = self._measure(x, np.arange(len(x)))
        self.scale = Scale.of(measured)
        return self.scale.surprise(measured)

    def score(self, x: np.ndarray) -> np.ndarray:
        """Departures of new rows (near, wide, residual)."""
        return self.scale.surprise(self._measure(x, None))

    def _scaled(self, x: np.ndarray) -> np.ndarray:
        return np.clip((x - self.centre) / self.width, -20.0, 20.0)

    def _measure(self, x: np.ndarray, own: np.ndarray | None) -> np.ndarray:
        z = self._scaled(x)
        projected = z @ self.axes.T
        total = (z**2).sum(axis=1)
        left = total - (projected**2).sum(axis=1)
        residual = np.sqrt(np.where(left > 1e-9 * (total + 1e-12), left, 0.0))
        d = nearest(projected, self.anchors, self.ks, groups=own, reference_groups=self.anchor_rows)
        return np.log1p(np.column_stack([d, residual]))
