"""What images show in front of their ground: its outline and its colours, wherever it lies and however large it is.

Every function takes images of one size, shape (images, height, width, channels), values from 0 to 1.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

_ROUNDS: Final = 8
_RINGS: Final = (0.0, 0.35, 0.6, 0.8, 0.95, 1.1, 1.3, 1.6, 2.2)
_TURNS: Final = (2, 3, 4, 5, 6)


def outline(x: np.ndarray) -> np.ndarray:
    """Measures of the shape in front that moving, turning and resizing it leave alone, and its size."""
    front = _front(x)
    high, wide = front.shape[1:]
    rows, cols = np.arange(high)[None, :, None], np.arange(wide)[None, None, :]
    area = front.sum(axis=(1, 2)) + 1e-6
    down = rows - ((front * rows).sum(axis=(1, 2)) / area)[:, None, None]
    right = cols - ((front * cols).sum(axis=(1, 2)) / area)[:, None, None]
    radius = np.sqrt(area / np.pi)[:, None, None]
    out, angle = np.hypot(down, right) / radius, np.arctan2(down, right)
    weight = front / area[:, None, None]
    parts = [np.log(area / (high * wide)), (weight * out**2).sum(axis=(1, 2))]
    around = weight * out**2
    parts += [np.abs((around * np.exp(1j * turn * angle)).sum(axis=(1, 2))) for turn in _TURNS]
    for low, top in pairwise(_RINGS):
        ring = (out >= low) & (out < top)
        parts.append((front * ring).sum(axis=(1, 2)) / (ring.sum(axis=(1, 2)) + 1.0))
    steep = np.hypot(np.gradient(front, axis=1), np.gradient(front, axis=2)).sum(axis=(1, 2))
    parts.append(steep / np.sqrt(area + 1.0))
    return np.stack(parts, axis=1)


def hues(x: np.ndarray) -> np.ndarray:
    """The mean colour in front and of the ground, and how much the colour in front varies."""
    front = _front(x)[..., None]
    parts: list[np.ndarray] = []
    for weight in (front, 1.0 - front):
        total = weight.sum(axis=(1, 2)) + 1e-6
        mean = (weight * x).sum(axis=(1, 2)) / total
        parts.append(mean)
    away = x - parts[0][:, None, None, :]
    return np.concatenate([*parts, np.sqrt((front * away**2).mean(axis=(1, 2)))], axis=1)


def _front(x: np.ndarray) -> np.ndarray:
    """How far each pixel belongs to what lies in front, from 0 to 1: unlike the rim of the image in colour."""
    from scipy.ndimage import uniform_filter

    smooth = uniform_filter(x, (0, 3, 3, 0))
    rim = max(1, min(x.shape[1:3]) // 12)
    edge = np.concatenate(
        [
            part.reshape(len(x), -1, x.shape[3])
            for part in (smooth[:, :rim], smooth[:, -rim:], smooth[:, :, :rim], smooth[:, :, -rim:])
        ],
        axis=1,
    )
    away = np.linalg.norm(smooth - np.median(edge, axis=1)[:, None, None, :], axis=3)
    between = away.mean(axis=(1, 2), keepdims=True)
    for _ in range(_ROUNDS):
        upper = away >= between
        high = (away * upper).sum(axis=(1, 2), keepdims=True) / np.maximum(
            upper.sum(axis=(1, 2), keepdims=True), 1
        )
        low = (away * ~upper).sum(axis=(1, 2), keepdims=True) / np.maximum(
            (~upper).sum(axis=(1, 2), keepdims=True), 1
        )
        between = (high + low) / 2
    return np.clip((away - between) / (0.5 * between + 1e-6) + 0.5, 0.0, 1.0)
