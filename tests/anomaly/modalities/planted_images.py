"""Images with planted anomalies: 1 marks the images that were changed."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter

_SIDE = 32


def drawn(rng: np.random.Generator, shape: str) -> np.ndarray:
    """A coloured shape of varying place, size and colour on a noisy ground."""
    rows, cols = np.mgrid[:_SIDE, :_SIDE]
    y, x = rng.uniform(0.4 * _SIDE, 0.6 * _SIDE, 2)
    r = rng.uniform(0.2 * _SIDE, 0.3 * _SIDE)
    down, right = rows - y, cols - x
    if shape == "disc":
        inside = down**2 + right**2 < r**2
    else:
        near = (np.abs(down) < 1.2 * r) & (np.abs(right) < 1.2 * r)
        inside = near & ((np.abs(down) < 0.3 * r) | (np.abs(right) < 0.3 * r))
    front = np.array([0.8, 0.4, 0.2]) + rng.normal(0, 0.05, 3)
    back = np.array([0.2, 0.3, 0.3]) + rng.normal(0, 0.05, 3)
    return np.where(inside[..., None], front, back) + rng.normal(0, 0.03, (_SIDE, _SIDE, 3))


def plant(kind: str, seed: int, n: int = 300, count: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Discs, a few of them changed in one way, as bytes."""
    rng = np.random.default_rng(seed)
    images = np.stack([drawn(rng, "disc") for _ in range(n)])
    planted = np.zeros(n, dtype=int)
    for i in rng.choice(n, count, replace=False):
        planted[i] = 1
        if kind == "shape":
            images[i] = drawn(rng, "cross")
        elif kind == "noise":
            images[i] += rng.normal(0, 0.2, images[i].shape)
        elif kind == "blur":
            images[i] = gaussian_filter(images[i], (2, 2, 0))
        elif kind == "colour":
            images[i] = np.roll(images[i], 1, axis=-1)
        elif kind == "defect":
            top, left = rng.integers(2, _SIDE - 8, 2)
            images[i, top : top + 5, left : left + 5] = rng.choice([0.0, 1.0])
    return (np.clip(images, 0, 1) * 255).astype(np.uint8), planted
