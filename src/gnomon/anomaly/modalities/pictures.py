"""Reads images in whatever form they come: arrays, lists of arrays, image objects or paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.core.errors import InvalidInput, MissingExtra, UnreadableSource

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm"})
_SIDE = 64


@dataclass
class Pictures:
    """Images as they came, with values from 0 to 1.

    Attributes:
        images: One array of shape (height, width, channels) per image.
        labels: What each image is called; None where it has only a number.
    """

    images: list[np.ndarray]
    labels: tuple[str, ...] | None

    def __len__(self) -> int:
        return len(self.images)

    def small(self, height: int, width: int, channels: int) -> np.ndarray:
        """All images brought to one size by averaging, shape (images, height, width, channels)."""
        return np.stack([resized(_channels(im, channels), height, width) for im in self.images])

    def common_size(self) -> tuple[int, int, int]:
        """A size that suits all of them: the usual one, at most 64 pixels a side."""
        h = int(np.median([im.shape[0] for im in self.images]))
        w = int(np.median([im.shape[1] for im in self.images]))
        return min(h, _SIDE), min(w, _SIDE), max(im.shape[2] for im in self.images)


def looks_like_images(data: Any) -> bool:
    """Whether data is images without being told so: 3-D or 4-D arrays, image objects, image paths."""
    shape = getattr(data, "shape", None)
    if shape is not None and not hasattr(data, "columns"):
        return len(shape) in (3, 4)
    if isinstance(data, (str, Path)):
        return Path(data).suffix.casefold() in SUFFIXES
    if not isinstance(data, (list, tuple)) or not data:
        return False
    head = list(data[:20])
    if all(isinstance(v, (str, Path)) for v in head):
        return all(Path(v).suffix.casefold() in SUFFIXES for v in head)
    if all(hasattr(v, "getbands") for v in head):
        return True
    return all(isinstance(v, np.ndarray) and v.ndim in (2, 3) and min(v.shape[:2]) >= 4 for v in head)


def read_pictures(data: Any) -> Pictures:
    """Read images of equal or different sizes, grey or coloured.

    Raises:
        InvalidInput: The data is not images.
        MissingExtra: Paths were given and the part that reads image files is not installed.
    """
    if isinstance(data, (str, Path)):
        folder = Path(data)
        data = (
            sorted(p for p in folder.iterdir() if p.suffix.casefold() in SUFFIXES)
            if folder.is_dir()
            else [folder]
        )
    shape = getattr(data, "shape", None)
    if shape is not None and len(shape) == 4 and shape[1] in (1, 3, 4) and shape[3] not in (1, 3, 4):
        data = np.moveaxis(np.asarray(data), 1, 3)
    items = list(data)
    if not items:
        raise InvalidInput(
            "There are no images.", suggestions=["Pass an array of shape (images, height, width)."]
        )
    images = [_array(item) for item in items]
    top = max(float(im.max(initial=0.0)) for im in images)
    divisor = 1.0 if top <= 1.0 else 255.0 if top <= 255.0 else top
    labels = tuple(str(p) for p in items) if isinstance(items[0], (str, Path)) else None
    return Pictures([im / divisor for im in images], labels)


def resized(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """The image at another size: pixels averaged when it shrinks, repeated when it grows."""
    for axis, size in ((0, height), (1, width)):
        have = image.shape[axis]
        if have == size:
            continue
        edges = np.floor(np.arange(size) * have / size).astype(int)
        if have > size:
            counts = np.diff(np.append(edges, have)).astype(float)
            shape = [1] * image.ndim
            shape[axis] = size
            image = np.add.reduceat(image, edges, axis=axis) / counts.reshape(shape)
        else:
            image = np.take(image, edges, axis=axis)
    return image


def _array(item: Any) -> np.ndarray:
    if isinstance(item, (str, Path)):
        item = _opened(Path(item))
    array = np.asarray(item, dtype=float)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or 0 in array.shape:
        raise InvalidInput(
            f"An image has the shape (height, width) or (height, width, channels); got {array.shape}.",
            suggestions=["Pass one array of shape (images, height, width, channels), or a list of images."],
        )
    return np.where(np.isfinite(array), array, 0.0)[:, :, :4]


def _opened(path: Path) -> np.ndarray:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as exc:
        raise MissingExtra.named("images", "Reading image files") from exc
    try:
        with Image.open(path) as image:
            return np.asarray(image if image.mode in ("L", "RGB") else image.convert("RGB"), dtype=float)
    except (UnidentifiedImageError, OSError) as exc:
        raise UnreadableSource(f"{path} cannot be read as an image: {exc}.") from exc


def _channels(image: np.ndarray, count: int) -> np.ndarray:
    """The image with ``count`` channels: grey is repeated, surplus channels are left out."""
    have: int = image.shape[2]
    if have >= count:
        return image[:, :, :count]
    return np.concatenate([image, np.repeat(image[:, :, :1], count - have, axis=2)], axis=2)


def batches(n: int, size: int = 256) -> Sequence[slice]:
    """Slices that cover ``n`` items, ``size`` at a time."""
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]
