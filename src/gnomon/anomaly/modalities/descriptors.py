"""Classical descriptors of images: colour, edges, texture, detail and layout, vectorised over many images.

Every function takes images of one size, shape (images, height, width, channels), values from 0 to 1.
"""

from __future__ import annotations

import numpy as np


def grey(x: np.ndarray) -> np.ndarray:
    """Brightness, shape (images, height, width)."""
    if x.shape[3] < 3:
        return x[..., 0]
    return x[..., :3] @ np.array([0.299, 0.587, 0.114])


def colour(x: np.ndarray) -> np.ndarray:
    """How brightness and each channel are distributed: soft histograms, means and deviations."""
    parts = [_histogram(grey(x), 12)]
    if x.shape[3] >= 3:
        total = x[..., :3].sum(axis=3, keepdims=True) + 0.15
        share = x[..., :3] / total
        parts += [_histogram(x[..., c], 8) for c in range(3)]
        parts += [4.0 * share.mean(axis=(1, 2)), 4.0 * share.std(axis=(1, 2))]
    parts += [x.mean(axis=(1, 2)), x.std(axis=(1, 2))]
    return np.concatenate(parts, axis=1)


def edges(x: np.ndarray, cells: int = 4, directions: int = 8) -> np.ndarray:
    """Histograms of edge directions in a grid of cells, each image weighed as a whole."""
    g = grey(x)
    dy, dx = np.gradient(g, axis=1), np.gradient(g, axis=2)
    strength = np.hypot(dx, dy)
    angle = (np.arctan2(dy, dx) % np.pi) / np.pi * directions
    low = np.floor(angle).astype(int) % directions
    part = angle - np.floor(angle)
    rows = np.minimum(np.arange(g.shape[1]) * cells // g.shape[1], cells - 1)
    cols = np.minimum(np.arange(g.shape[2]) * cells // g.shape[2], cells - 1)
    cell = rows[:, None] * cells + cols[None, :]
    n, size = len(g), cells * cells * directions
    out = np.zeros(n * size)
    base = (np.arange(n) * size)[:, None, None] + cell[None] * directions
    for place, weight in ((low, 1.0 - part), ((low + 1) % directions, part)):
        out += np.bincount((base + place).ravel(), (strength * weight).ravel(), minlength=n * size)
    out = out.reshape(n, size)
    return np.sqrt(out / (out.sum(axis=1, keepdims=True) + 1e-3 * g.shape[1] * g.shape[2]))


def texture(x: np.ndarray) -> np.ndarray:
    """Local binary patterns (uniform, whichever way they are turned) and how strong the edges are."""
    g = np.pad(grey(x), ((0, 0), (1, 1), (1, 1)), mode="edge")
    centre = g[:, 1:-1, 1:-1]
    ring = ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0))
    h, w = centre.shape[1:]
    bits = np.stack([g[:, r : r + h, c : c + w] > centre + 0.01 for r, c in ring])
    changes = (bits != np.roll(bits, 1, axis=0)).sum(axis=0)
    code = np.where(changes <= 2, bits.sum(axis=0), 9)
    patterns = np.stack([(code == k).mean(axis=(1, 2)) for k in range(10)], axis=1)
    strength = np.hypot(np.diff(centre, axis=1)[:, :, :-1], np.diff(centre, axis=2)[:, :-1, :])
    levels = np.quantile(strength.reshape(len(g), -1), (0.25, 0.5, 0.75, 0.9, 0.98), axis=1).T
    return np.concatenate([np.sqrt(patterns), np.log(levels + 0.005)], axis=1)


def detail(x: np.ndarray, rings: int = 10) -> np.ndarray:
    """How much of the image lies in coarse and in fine structure: the spectrum by ring and by sector."""
    g = grey(x)
    g = g - g.mean(axis=(1, 2), keepdims=True)
    window = np.hanning(g.shape[1] + 2)[1:-1, None] * np.hanning(g.shape[2] + 2)[None, 1:-1]
    power = np.abs(np.fft.fft2(g * window)) ** 2 / (g.shape[1] * g.shape[2])
    fy, fx = np.fft.fftfreq(g.shape[1])[:, None], np.fft.fftfreq(g.shape[2])[None, :]
    radius = np.minimum((np.hypot(fy, fx) / 0.5 * rings).astype(int), rings - 1)
    parts = [power[:, radius == k].mean(axis=1) for k in range(rings) if (radius == k).any()]
    sector = ((np.arctan2(fy, fx) % np.pi) / np.pi * 4).astype(int) % 4
    fine = radius >= rings // 3
    parts += [power[:, (sector == k) & fine].mean(axis=1) for k in range(4)]
    return np.log(np.stack(parts, axis=1) + 1e-5)


def layout(x: np.ndarray, cells: int = 8) -> np.ndarray:
    """Mean colour of each cell of a grid."""
    rows, cols = _cuts(x.shape[1], cells), _cuts(x.shape[2], cells)
    sums = np.add.reduceat(np.add.reduceat(x, rows, axis=1), cols, axis=2)
    high, wide = np.diff(np.append(rows, x.shape[1])), np.diff(np.append(cols, x.shape[2]))
    return (sums / (high[:, None] * wide[None, :])[None, :, :, None]).reshape(len(x), -1)


def patches(x: np.ndarray, side: int) -> np.ndarray:
    """Half-overlapping square patches, shape (images, patches, numbers)."""
    view = np.lib.stride_tricks.sliding_window_view(x, (side, side), axis=(1, 2))
    step = max(1, side // 2)
    view = view[:, ::step, ::step]
    return view.reshape(len(x), view.shape[1] * view.shape[2], -1)


def quality(image: np.ndarray) -> list[float]:
    """Brightness, contrast, sharpness and noise of one image at its own size."""
    g = grey(image[None])[0]
    if min(g.shape) < 3:
        return [float(g.mean()), float(g.std()), 0.0, 0.0]
    around = g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:]
    bend = np.abs(around - 4.0 * g[1:-1, 1:-1])
    return [float(g.mean()), float(g.std()), float(np.quantile(bend, 0.95)), float(np.quantile(bend, 0.3))]


def _cuts(size: int, cells: int) -> np.ndarray:
    return np.unique(np.floor(np.arange(cells) * size / cells).astype(int))


def _histogram(x: np.ndarray, bins: int) -> np.ndarray:
    """A histogram over 0 to 1 in which each value is shared between its two nearest bins."""
    place = np.clip(x, 0.0, 1.0).reshape(len(x), -1) * (bins - 1)
    low = np.minimum(np.floor(place).astype(int), bins - 2)
    part = place - low
    base = (np.arange(len(x)) * bins)[:, None]
    total = np.bincount((base + low).ravel(), (1.0 - part).ravel(), minlength=len(x) * bins)
    total += np.bincount((base + low + 1).ravel(), part.ravel(), minlength=len(x) * bins)
    return np.sqrt(total.reshape(len(x), bins) / place.shape[1])
