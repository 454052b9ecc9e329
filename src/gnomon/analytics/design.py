"""From table columns to the numeric matrix of a regression: encoding, missing rows, collinear columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.analytics.inputs import Bools, Floats, numbers

if TYPE_CHECKING:
    import pandas as pd

_MOST_LEVELS = 20


@dataclass(frozen=True, slots=True)
class Design:
    """The matrix (without constant), the name of each of its columns, the rows used, what was left out."""

    matrix: Floats
    terms: tuple[str, ...]
    rows: Bools
    left_out: dict[str, str]
    baselines: dict[str, str]


def design(table: pd.DataFrame, features: Sequence[str], usable: Bools) -> Design:
    """Encode ``features``: numbers as they are, dates as days, categories as indicators against a baseline."""
    import pandas as pd

    blocks: list[tuple[str, Floats]] = []
    left_out: dict[str, str] = {}
    baselines: dict[str, str] = {}
    for name in features:
        column = table[name]
        seen = column[usable]
        distinct = int(seen.nunique())
        if distinct < 2:
            left_out[name] = "it does not vary"
        elif pd.api.types.is_bool_dtype(column.dtype):
            blocks.append((name, column.to_numpy(np.float64, na_value=np.nan)))
        elif pd.api.types.is_numeric_dtype(column.dtype):
            blocks.append((name, numbers(column, name)))
        elif pd.api.types.is_datetime64_any_dtype(column.dtype):
            days = (column - column.min()).dt.total_seconds().to_numpy(np.float64) / 86400
            blocks.append((f"{name} (days)", days))
        elif distinct > _MOST_LEVELS:
            left_out[name] = f"{distinct} different texts are too many for categories"
        else:
            text = column.astype("string")
            levels = seen.astype("string").value_counts()
            ordered = sorted(levels.index, key=lambda v: (-int(levels[v]), v))
            baselines[name] = str(ordered[0])
            missing = text.isna().to_numpy()
            for level in ordered[1:]:
                flag = (text == level).fillna(False).to_numpy(np.float64)
                blocks.append((f"{name} = {level}", np.where(missing, np.nan, flag)))
    matrix = np.column_stack([b for _, b in blocks]) if blocks else np.zeros((len(table), 0))
    rows = usable & ~np.isnan(matrix).any(axis=1)
    kept = _independent(matrix[rows])
    for i, (term, _) in enumerate(blocks):
        if i not in kept:
            left_out[term] = "other columns determine it completely"
    terms = tuple(blocks[i][0] for i in kept)
    return Design(matrix[rows][:, kept], terms, rows, left_out, baselines)


def _independent(matrix: Floats) -> list[int]:
    """Columns that are not a combination of the constant and earlier columns."""
    n = len(matrix)
    basis = [np.full(n, 1 / np.sqrt(n))] if n else []
    kept: list[int] = []
    for i in range(matrix.shape[1]):
        column = matrix[:, i] - matrix[:, i].mean() if n else matrix[:, i]
        rest = column.copy()
        for _ in range(2):
            for direction in basis:
                rest -= (rest @ direction) * direction
        size = float(np.linalg.norm(rest))
        if size > 1e-8 * max(float(np.linalg.norm(column)), 1e-300) and np.linalg.norm(column) > 0:
            basis.append(rest / size)
            kept.append(i)
    return kept


def inflation_factors(matrix: Floats) -> Floats:
    """Variance inflation factor of each column: how much the others blur its coefficient."""
    if matrix.shape[1] < 2:
        return np.ones(matrix.shape[1])
    correlations = np.corrcoef(matrix, rowvar=False)
    return np.maximum(np.diag(np.linalg.pinv(correlations)), 1.0)
