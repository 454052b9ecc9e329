"""Prepares images: one row per image, one column per way in which it can differ from the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.anomaly.modalities import descriptors, objects
from gnomon.anomaly.modalities.aspects import item_looks
from gnomon.anomaly.modalities.departure import (
    SUMMARY,
    Neighbourhood,
    Scale,
    nearest,
    sample_rows,
    with_summary,
)
from gnomon.anomaly.modalities.image_encoder import ImageEncoder
from gnomon.anomaly.modalities.pictures import Pictures, batches, read_pictures
from gnomon.anomaly.modalities.surrogates import surrogate_items
from gnomon.anomaly.prepared import Prepared, Transformation

if TYPE_CHECKING:
    import pandas as pd

OUTLINE, HUES = "unusual outline", "unusual colour of what is shown"
_FAMILIES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "unusual colours": descriptors.colour,
    "unusual shapes": descriptors.edges,
    "unusual texture": descriptors.texture,
    "unusual amount of detail": descriptors.detail,
    "unusual layout": descriptors.layout,
    OUTLINE: objects.outline,
    HUES: objects.hues,
}
# Measures of different kinds, each on its own scale.
_MEASURES = (OUTLINE, HUES)
_STEADY = 0.02
_SPOTS = ("a spot unlike the same spot elsewhere", "a patch unlike any other")
_QUALITY = ("brightness", "contrast", "sharpness", "noise", "height", "width")
_PATCH_REFERENCES = 1500


def prepare_images(data: Any, *, encoder: str | Path | None = None) -> Prepared:
    """Turn images into departures of colour, shape, texture, detail, layout and single spots.

    Args:
        data: An array of shape (images, height, width[, channels]), a list of such images, image
            objects, paths of image files, or a folder of them.
        encoder: Path of an ONNX graph that turns images into vectors, as one more view of them.
    """
    pictures = read_pictures(data)
    model = _Model(pictures.common_size(), ImageEncoder(Path(encoder)) if encoder else None)
    matrix, raw = model.measure(pictures, learn=True)
    height, width, channels = model.size
    detail = f"{len(pictures)} images were described at {height} × {width} pixels and {channels} channels."
    seen = ("appearance to the encoder",) if encoder else ()

    def transform(new: Any) -> np.ndarray:
        return model.measure(read_pictures(new), learn=False)[0]

    named = (*_FAMILIES, *_SPOTS, *seen)
    surrogate = surrogate_items(matrix)
    return Prepared(
        data_type="image",
        matrix=matrix,
        columns=(*named, *(f"unusual {q}" for q in _QUALITY[:4]), *SUMMARY),
        origins=(*("image" for _ in named), *_QUALITY[:4], *("image" for _ in SUMMARY)),
        raw=raw,
        labels=pictures.labels,
        log=(Transformation("describe", (), detail),),
        transform=transform,
        surrogate=surrogate,
        looks=item_looks(matrix, surrogate),
    )


@dataclass
class _Model:
    """What the images that were learned from are usually like."""

    size: tuple[int, int, int]
    encoder: ImageEncoder | None
    families: dict[str, Neighbourhood] = field(default_factory=dict)
    scales: dict[str, Scale] = field(default_factory=dict)
    usual: np.ndarray = field(default_factory=lambda: np.empty(0))
    spread: np.ndarray = field(default_factory=lambda: np.empty(0))
    axes: np.ndarray = field(default_factory=lambda: np.empty(0))
    anchors: np.ndarray = field(default_factory=lambda: np.empty(0))
    anchor_images: np.ndarray = field(default_factory=lambda: np.empty(0))

    def measure(self, pictures: Pictures, *, learn: bool) -> tuple[np.ndarray, pd.DataFrame]:
        """Departures per image, and the plain measures behind them."""
        import pandas as pd

        x = pictures.small(*self.size)
        parts: list[np.ndarray] = []
        for name, describe in _FAMILIES.items():
            rows = np.concatenate([describe(x[b]) for b in batches(len(x))])
            parts.append(self._unlike(name, rows, learn))
        parts.append(self._scaled("spot", self._spots(x, learn), learn, up=True))
        parts.append(self._scaled("patch", self._patches(x, learn), learn, up=True))
        if self.encoder is not None:
            parts.append(self._unlike("encoder", self.encoder.encode(pictures), learn))
        plain = np.array([[*descriptors.quality(im), *im.shape[:2]] for im in pictures.images])
        for j, name in enumerate(_QUALITY[:4]):
            values = plain[:, j] if j < 2 else np.log(plain[:, j] + 1e-3)
            parts.append(self._scaled(name, values, learn))
        return with_summary(np.column_stack(parts)), pd.DataFrame(plain, columns=list(_QUALITY))

    def _unlike(self, name: str, rows: np.ndarray, learn: bool) -> np.ndarray:
        if learn:
            self.families[name] = Neighbourhood(standardise=name in _MEASURES, steady=_STEADY)
            return self.families[name].fit(rows).max(axis=1)
        return self.families[name].score(rows).max(axis=1)

    def _scaled(self, name: str, x: np.ndarray, learn: bool, *, up: bool = False) -> np.ndarray:
        if learn:
            self.scales[name] = Scale.of(x, up=up)
        return self.scales[name].surprise(x)

    def _spots(self, x: np.ndarray, learn: bool) -> np.ndarray:
        """The largest departure of a cell from what the same cell shows in other images."""
        cells = descriptors.layout(x, 16)
        if learn:
            self.usual = np.median(cells, axis=0)
            away = np.abs(cells - self.usual)
            self.spread = 1.5 * np.quantile(away, 0.68, axis=0) + 0.02
        z = np.sort(np.abs(cells - self.usual) / self.spread, axis=1)
        return np.log1p(z[:, -4:].mean(axis=1))

    def _patches(self, x: np.ndarray, learn: bool) -> np.ndarray:
        """The largest distance of a patch to the patches most like it in other images."""
        side = max(3, min(x.shape[1:3]) // 8)
        every = np.concatenate([descriptors.patches(x[b], side).astype(np.float32) for b in batches(len(x))])
        n, each, size = every.shape
        flat = every.reshape(n * each, size)
        if learn:
            rows = sample_rows(len(flat), _PATCH_REFERENCES)
            _, _, axes = np.linalg.svd(flat[rows] - flat[rows].mean(axis=0), full_matrices=False)
            self.axes = axes[:20]
            self.anchors, self.anchor_images = flat[rows] @ self.axes.T, rows // each
        own = np.repeat(np.arange(n), each) if learn else None
        d = nearest(flat @ self.axes.T, self.anchors, (2,), groups=own, reference_groups=self.anchor_images)
        per_image = np.sort(d.reshape(n, each), axis=1)
        return np.log(per_image[:, -3:].mean(axis=1) + 1e-3)
