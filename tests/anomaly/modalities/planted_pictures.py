"""Pictures of one thing each, alike but for place, size, turn and noise, and one that is odd by its shape or colour."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

SHAPES = ("disc", "square", "triangle", "cross", "ring", "bar")
COLOURS = ((200, 60, 40), (50, 160, 70), (50, 80, 200), (210, 190, 60), (150, 70, 170), (230, 230, 230))
GROUND = (40, 60, 60)
_SIDE = 48
_CORNERS = {
    "square": [[(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)]],
    "triangle": [[(0, -1.2), (1.15, 0.9), (-1.15, 0.9)]],
    "bar": [[(-1.5, -0.5), (1.5, -0.5), (1.5, 0.5), (-1.5, 0.5)]],
    "cross": [
        [(-1.2, -0.4), (1.2, -0.4), (1.2, 0.4), (-1.2, 0.4)],
        [(-0.4, -1.2), (0.4, -1.2), (0.4, 1.2), (-0.4, 1.2)],
    ],
}


def picture(rng: np.random.Generator, shape: str, colour: tuple[int, int, int]) -> np.ndarray:
    """One picture, as bytes."""
    front, ground = (
        (int(c[0]), int(c[1]), int(c[2]))
        for c in (np.clip(np.array(base) + rng.normal(0, 8, 3), 0, 255) for base in (colour, GROUND))
    )
    image = Image.new("RGB", (2 * _SIDE, 2 * _SIDE), ground)
    draw = ImageDraw.Draw(image)
    y, x = rng.uniform(0.42, 0.58, 2) * 2 * _SIDE
    r, turn = rng.uniform(0.24, 0.32) * 2 * _SIDE, rng.uniform(-0.15, 0.15)
    for corners in _CORNERS.get(shape, ()):
        turned = [
            (np.cos(turn) * p - np.sin(turn) * q, np.sin(turn) * p + np.cos(turn) * q) for p, q in corners
        ]
        draw.polygon([(float(x + r * p), float(y + r * q)) for p, q in turned], fill=front)
    if shape in ("disc", "ring"):
        draw.ellipse((x - r, y - r, x + r, y + r), fill=front)
    if shape == "ring":
        draw.ellipse((x - 0.5 * r, y - 0.5 * r, x + 0.5 * r, y + 0.5 * r), fill=ground)
    small = np.asarray(image.resize((_SIDE, _SIDE), Image.Resampling.BILINEAR), dtype=float)
    return np.clip(small + rng.normal(0, 6, small.shape), 0, 255).astype(np.uint8)


def pictures(odd: str | None, n: int, seed: int) -> tuple[np.ndarray, int]:
    """``n`` pictures of one shape and colour, and which one has another ``shape`` or ``colour``."""
    rng = np.random.default_rng([seed, n])
    shape, other = rng.choice(len(SHAPES), 2, replace=False)
    colour, another = rng.choice(len(COLOURS), 2, replace=False)
    made = [picture(rng, SHAPES[shape], COLOURS[colour]) for _ in range(n)]
    at = int(rng.integers(n))
    if odd == "shape":
        made[at] = picture(rng, SHAPES[other], COLOURS[colour])
    elif odd == "colour":
        made[at] = picture(rng, SHAPES[shape], COLOURS[another])
    return np.stack(made), at
