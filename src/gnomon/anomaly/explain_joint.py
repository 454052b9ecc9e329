"""Values that are ordinary alone but not beside the others.

Each column is predicted from the rest (a ridge regression over a robust, rank-based scale, all columns
at once through the inverse correlation matrix); what the others do not foresee is a combination. For
categories, pairs are counted: two common values that are hardly ever seen together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.anomaly.explain_columns import Surprise, number
from gnomon.anomaly.pairs import AND, sources

if TYPE_CHECKING:
    import pandas as pd

    from gnomon.anomaly.prepared import Prepared

_MAX_FIT: Final = 5_000
_MAX_COLUMNS: Final = 60
_MAX_CATEGORICAL: Final = 12
_MARGIN: Final = 0.7


def joint_surprises(prepared: Prepared, rows: np.ndarray, alone: dict[str, Surprise]) -> list[Surprise]:
    """What is unusual about a column given the others, where it is not unusual alone."""
    return _numeric_joint(prepared, rows, alone) + _category_joint(prepared, rows, alone)


def _numeric_joint(prepared: Prepared, rows: np.ndarray, alone: dict[str, Surprise]) -> list[Surprise]:
    names, values = _numeric_columns(prepared)
    n, d = values.shape
    absent = _absent(prepared, names, rows)
    if d < 2 or d > _MAX_COLUMNS or n < 20 + 2 * d:
        return []
    sample = values[:: max(1, n // _MAX_FIT)]
    middle, scale = np.median(sample, axis=0), _robust_scale(sample)
    fit, asked = (np.clip((v - middle) / scale, -6.0, 6.0) for v in (sample, values[rows]))
    correlation = np.corrcoef(fit, rowvar=False) + 1e-3 * np.eye(d)
    precision = np.linalg.inv(correlation)
    usual, deviation = ((v - fit.mean(axis=0)) / np.maximum(fit.std(axis=0), 1e-9) for v in (fit, asked))
    background = usual @ precision / np.diag(precision)
    residual = deviation @ precision / np.diag(precision)
    spread = np.maximum(_robust_scale(background), 1e-9)
    n = len(fit)
    explained = 1 - np.clip(1 / np.diag(precision), 0, 1)
    out: list[Surprise] = []
    for j, name in enumerate(names):
        if explained[j] < 0.2:
            continue
        sizes = np.sort(np.abs(background[:, j]) / spread[j])
        size = np.abs(residual[:, j]) / spread[j]
        beyond = n - np.searchsorted(sizes, size, "left")
        strength = -np.log10(np.minimum((beyond + 1) / (n + 1), 1.0)) + np.log10(
            1 + np.maximum(size - 4, 0) / 4
        )
        marginal = alone[name].strength if name in alone else np.zeros(len(rows))
        by = _partners(precision[:, j], deviation, j)
        # A partner that is extreme itself explains the mismatch; saying it twice would mislead.
        carried = _strength_of([names[k] for k in by], alone)
        told = ~(absent[:, j] | absent[np.arange(len(rows)), by])
        shown = np.where(told & (strength > marginal + _MARGIN) & (size > 4) & (carried < 2.0), strength, 0.0)
        expected = _back(prepared, name, middle[j], scale[j], fit[:, j], deviation[:, j] - residual[:, j])
        partners = [names[k] for k in by]
        out.append(_combination(name, values[rows, j], shown, expected, partners, usual=marginal < 1.3))
    return out


def _absent(prepared: Prepared, names: list[str], rows: np.ndarray) -> np.ndarray:
    """Which of the cells asked about hold no value: nothing can be said about those."""
    raw = prepared.raw
    if raw is None:
        return np.zeros((len(rows), len(names)), dtype=bool)
    return raw[names].iloc[rows].isna().to_numpy(dtype=bool)


def _combination(
    name: str,
    value: np.ndarray,
    strength: np.ndarray,
    expected: np.ndarray,
    partners: list[str],
    usual: np.ndarray,
) -> Surprise:
    def text(i: int) -> str:
        opening = (
            f"{name} {number(float(value[i]))} is ordinary alone but"
            if usual[i]
            else f"{name} {number(float(value[i]))} is"
        )
        return f"{opening} unusual given {partners[i]}: about {number(float(expected[i]))} would fit"

    return Surprise(name, strength, np.full(len(value), "combination"), text)


def _partners(weights: np.ndarray, deviation: np.ndarray, j: int) -> np.ndarray:
    """The column that the expectation leans on most, per row."""
    pull = np.abs(deviation * weights)
    pull[:, j] = -1.0
    return np.argmax(pull, axis=1)


def _strength_of(names: list[str], alone: dict[str, Surprise]) -> np.ndarray:
    """How unusual on its own the named column is, row by row."""
    return np.array([float(alone[n].strength[i]) if n in alone else 0.0 for i, n in enumerate(names)])


def _back(
    prepared: Prepared, name: str, middle: float, scale: float, fit: np.ndarray, standard: np.ndarray
) -> np.ndarray:
    """A standardised expectation in original units, within the range of what was seen."""
    z = standard * max(float(fit.std()), 1e-9) + float(fit.mean())
    value = middle + scale * z
    raw = prepared.raw
    if raw is not None and name in raw.columns and raw[name].dtype.kind in "iu":
        return np.round(value)
    return np.array([float(f"{v:.3g}") for v in value])


def _robust_scale(values: np.ndarray) -> np.ndarray:
    low, up = np.quantile(values, [0.25, 0.75], axis=0)
    scale = (up - low) / 1.349
    fallback = values.std(axis=0)
    return np.where(scale > 1e-12, scale, np.where(fallback > 1e-12, fallback, 1.0))


def _numeric_columns(prepared: Prepared) -> tuple[list[str], np.ndarray]:
    """Numeric columns in original units with holes filled by the median."""
    raw = prepared.raw
    if raw is None:
        return [str(c) for c in prepared.columns], np.asarray(prepared.matrix, dtype=np.float64)
    import pandas as pd

    names: list[str] = []
    columns: list[np.ndarray] = []
    used = set(sources(prepared.origins))
    for name in raw.columns:
        column = raw[name]
        if (
            str(name) not in used
            or not pd.api.types.is_numeric_dtype(column)
            or pd.api.types.is_bool_dtype(column)
        ):
            continue
        values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        values = np.where(np.isfinite(values), values, np.nan)
        if np.isfinite(values).any() and np.nanmax(values) > np.nanmin(values):
            names.append(str(name))
            columns.append(np.where(np.isfinite(values), values, np.nanmedian(values)))
    return names, np.stack(columns, axis=1) if columns else np.zeros((prepared.n_rows, 0))


def categories(column: pd.Series[Any]) -> tuple[np.ndarray, list[str]]:
    """A code per row and the names of the codes; -1 is a missing value."""
    import pandas as pd

    codes, names = pd.factorize(column.astype(object).where(column.notna()).map(str, na_action="ignore"))
    return np.asarray(codes), [str(n) for n in names]


def _category_joint(prepared: Prepared, rows: np.ndarray, alone: dict[str, Surprise]) -> list[Surprise]:
    raw = prepared.raw
    if raw is None:
        return []
    import pandas as pd

    used = set(sources(prepared.origins))
    coded: dict[str, tuple[np.ndarray, Any]] = {}
    for name in raw.columns:
        column = raw[name]
        if str(name) not in used or (
            pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        ):
            continue
        if pd.api.types.is_datetime64_any_dtype(column):
            continue
        codes, names = categories(column)
        if 2 <= len(names) <= 200:
            coded[str(name)] = (codes, names)
        if len(coded) >= _MAX_CATEGORICAL:
            break
    keys = list(coded)
    return [_pair(a, b, coded, rows, alone) for i, a in enumerate(keys) for b in keys[i + 1 :]]


def _pair(
    a: str, b: str, coded: dict[str, tuple[np.ndarray, Any]], rows: np.ndarray, alone: dict[str, Surprise]
) -> Surprise:
    """How much rarer two categories are together than chance would have them."""
    (x, x_names), (y, y_names) = coded[a], coded[b]
    n = len(x)
    both = np.where((x >= 0) & (y >= 0), x * len(y_names) + y, -1)
    counts = np.bincount(both[both >= 0], minlength=len(x_names) * len(y_names))
    per_x, per_y = (
        np.bincount(x[x >= 0], minlength=len(x_names)),
        np.bincount(y[y >= 0], minlength=len(y_names)),
    )
    asked = both[rows]
    seen = counts[np.maximum(asked, 0)]
    chance = per_x[np.maximum(x[rows], 0)] * per_y[np.maximum(y[rows], 0)] / max(n, 1)
    strength = np.log10(np.maximum(chance, 1e-9) / np.maximum(seen, 1))
    marginal = np.maximum(*(alone[k].strength if k in alone else np.zeros(len(rows)) for k in (a, b)))
    strength = np.where((asked >= 0) & (chance >= 5) & (strength > 1.0), strength + 0.5, 0.0)
    strength = np.where(strength > marginal, strength, 0.0)

    def text(i: int) -> str:
        times = "once" if seen[i] == 1 else f"{int(seen[i]):,} times"
        return (
            f"{a} {x_names[x[rows[i]]]!r} with {b} {y_names[y[rows[i]]]!r}: each is common, "
            f"together seen {times} where {number(round(float(chance[i])))} would be expected"
        )

    return Surprise(f"{a}{AND}{b}", strength, np.full(len(rows), "combination"), text)
