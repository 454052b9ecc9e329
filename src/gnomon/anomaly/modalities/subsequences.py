"""Unusual shapes: how far each stretch of a series is from the stretches most like it elsewhere.

What a matrix profile measures, at linear cost: stretches are thinned out and compared with a fixed number
of reference stretches instead of with every other one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon.anomaly.modalities.departure import nearest, sample_rows

_POINTS = 32
_REFERENCES = 1200


@dataclass
class Shapes:
    """Reference stretches of one variable.

    Attributes:
        length: Readings in a stretch.
        references: The stretches to compare with, thinned out and centred.
        starts: Where each of them starts.
    """

    length: int
    references: np.ndarray
    starts: np.ndarray

    @classmethod
    def learn(cls, x: np.ndarray, position: np.ndarray, length: int) -> Shapes:
        """Take the reference stretches from ``x``."""
        windows, starts = _stretches(x, length)
        rows = sample_rows(len(windows), _REFERENCES)
        return cls(length, windows[rows], position[starts[rows]])

    def measure(self, x: np.ndarray, position: np.ndarray) -> np.ndarray:
        """For each reading, how unlike the references the stretches around it are."""
        if len(x) < self.length:
            return np.zeros(len(x))
        windows, starts = _stretches(x, self.length)
        d = nearest(
            windows,
            self.references,
            (3,),
            groups=position[starts],
            reference_groups=self.starts,
            reach=self.length - 1,
        )[:, 0]
        total = np.zeros(len(x) + 1)
        count = np.zeros(len(x) + 1)
        np.add.at(total, starts, d)
        np.add.at(total, starts + self.length, -d)
        np.add.at(count, starts, 1.0)
        np.add.at(count, starts + self.length, -1.0)
        return np.cumsum(total)[:-1] / np.maximum(np.cumsum(count)[:-1], 1.0)


def _stretches(x: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping stretches, each reduced to at most 32 points and centred, and where they start."""
    stride = max(1, length // 8)
    starts = np.arange(0, len(x) - length + 1, stride)
    if starts[-1] != len(x) - length:
        starts = np.append(starts, len(x) - length)
    step = max(1, length // _POINTS)
    sums = np.concatenate([[0.0], np.cumsum(x)])
    offsets = np.arange(0, length - step + 1, step)
    begin = starts[:, None] + offsets[None, :]
    windows = (sums[begin + step] - sums[begin]) / step
    return windows - np.median(windows, axis=1, keepdims=True), starts
