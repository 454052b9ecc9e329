"""Turns images into vectors with an ONNX graph from the user's own disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gnomon.anomaly.modalities.pictures import Pictures, batches
from gnomon.core.errors import InvalidInput, UnreadableSource

_MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], dtype=np.float32)


class ImageEncoder:
    """An ONNX graph with one image input of four dimensions; its first output is the vector.

    Three-channel input is normalised the way encoders trained on ImageNet expect.

    Args:
        path: The ``.onnx`` file.
    """

    def __init__(self, path: Path) -> None:
        import onnxruntime

        if not path.is_file():
            raise UnreadableSource(
                f"There is no ONNX graph at {path}.", suggestions=["Give the path of an .onnx file."]
            )
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as exc:
            raise UnreadableSource(f"{path} cannot be read as an ONNX graph: {exc}") from exc
        shape = self._session.get_inputs()[0].shape
        if len(shape) != 4:
            raise InvalidInput(
                f"An image encoder takes input of four dimensions; {path.name} takes {len(shape)}."
            )
        self._first = not (isinstance(shape[3], int) and shape[3] in (1, 3))
        channels, height, width = (
            (shape[1], shape[2], shape[3]) if self._first else (shape[3], shape[1], shape[2])
        )
        self._channels = channels if isinstance(channels, int) else 3
        self._height = height if isinstance(height, int) else 224
        self._width = width if isinstance(width, int) else 224
        self._fixed = shape[0] if isinstance(shape[0], int) else None

    def encode(self, pictures: Pictures) -> np.ndarray:
        """One vector per image; maps are averaged over the image."""
        name = self._session.get_inputs()[0].name
        out: list[np.ndarray] = []
        for part in batches(len(pictures), self._fixed or 32):
            some = Pictures(pictures.images[part], None)
            x = some.small(self._height, self._width, self._channels).astype(np.float32)
            if self._channels == 3:
                x = (x - _MEAN) / _DEVIATION
            missing = (self._fixed or len(x)) - len(x)
            x = np.concatenate([x, np.repeat(x[-1:], missing, axis=0)]) if missing else x
            x = np.ascontiguousarray(np.moveaxis(x, 3, 1)) if self._first else x
            y = np.asarray(self._session.run(None, {name: x})[0], dtype=float)[: len(some)]
            out.append(y.mean(axis=(2, 3)) if y.ndim == 4 else y.reshape(len(y), -1))
        return np.concatenate(out)
