"""Ranks and rank correlation, without the import of a statistics library for either."""

from __future__ import annotations

import numpy as np


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1, ties sharing their mean; column by column for a matrix."""
    if values.ndim > 1:
        return np.stack([ranks(column) for column in values.T], axis=1)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    last = np.concatenate([first[1:], [len(values)]])
    out = np.empty(len(values))
    out[order] = np.repeat((first + last + 1) / 2, last - first)
    return out


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's correlation; undefined (NaN) where one of the two is constant."""
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])
