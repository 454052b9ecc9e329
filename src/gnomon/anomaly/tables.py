"""Tables of any make as a matrix for detectors: imputed, encoded, named, with a log of every change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.anomaly.columns import Encoded, encode
from gnomon.anomaly.frames import to_frame
from gnomon.anomaly.impute import Foreseen, forecasts
from gnomon.anomaly.pairs import Pair, odd_pairs
from gnomon.anomaly.prepared import Prepared, Transformation
from gnomon.anomaly.ranks import ranks
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

_TELLING: Final = 0.15
# Beyond these the careful way decides whether tails need compressing.
_FAR: Final = 1e6
_HUGE: Final = 1e100
_SMALL_CELLS: Final = 50_000_000
_COUNTED: Final = 200_000
_REPEATS: Final = 0.02


def prepare_table(X: Any, *, columns: Sequence[str] | None = None) -> Prepared:
    """Turn a table into a matrix that every detector can read.

    Missing and infinite values are imputed, with a column that marks them where their absence goes along
    with other columns; categories are encoded by rarity where a value is truly rare, dates by their parts, text by its shape; columns
    that number or identify rows, or never vary, are left out. The log tells each change.

    Args:
        X: See ``frames.to_frame`` for what is understood.
        columns: Names for data that carries none.

    Raises:
        InvalidInput: There is no table in ``X``.
    """
    named = columns is not None or not isinstance(X, np.ndarray | list)
    if columns is None and isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "iuf":
        quick = _plain_table(X, [f"feature_{j}" for j in range(X.shape[1])], None, named)
        if quick is not None:
            return quick
    frame = to_frame(X, columns)
    if all(d.kind in "iuf" for d in frame.dtypes) and not (
        named and any(d.kind in "iu" for d in frame.dtypes)
    ):
        quick = _plain_table(frame.to_numpy(dtype=float), [str(c) for c in frame.columns], frame, named)
        if quick is not None:
            return quick
    encoded = {name: encode(name, frame[name]) for name in frame.columns}
    absent = _telling_absence(frame, encoded)
    log = [t for e in encoded.values() for t in e.log]
    log += [
        Transformation("indicate", (n,), "A column marks missing values: they go along with other columns.")
        for n in absent
    ]
    pairs = odd_pairs(frame, [n for n, e in encoded.items() if e.levels])
    log += [
        Transformation(
            "combine", (p.first, p.second), "A column marks values that are common but hardly ever meet."
        )
        for p in pairs
    ]
    parts = [e.values for e in encoded.values()] + [_mark(frame[n]) for n in absent]
    parts += [p.apply(frame) for p in pairs]
    labels = [(n, name) for name, e in encoded.items() for n in e.names] + [
        (f"{n}: missing", n) for n in absent
    ]
    labels += [(p.name, p.name) for p in pairs]
    matrix = np.column_stack(parts) if labels else np.zeros((len(frame), 1))
    foreseen = _fill_gaps(frame, matrix, [n for n, _ in labels], log)
    notes = list(_remarks(matrix))
    if not labels:
        labels = [("nothing varies", str(frame.columns[0]))]
        notes.append("No column varies in a way that can be compared between rows.")
    return Prepared(
        data_type="tabular",
        matrix=_sized(matrix),
        columns=tuple(n for n, _ in labels),
        origins=tuple(o for _, o in labels),
        raw=frame,
        labels=None,
        log=tuple(log),
        transform=_transformer(list(frame.columns), encoded, absent, pairs, foreseen, matrix.shape[1], named),
        notes=tuple(notes),
    )


def _plain_table(
    table: np.ndarray, names: list[str], frame: pd.DataFrame | None, named: bool
) -> Prepared | None:
    """The quick way for finite numbers with nothing to encode; None where some column needs more."""
    values = np.asarray(table, dtype=np.float32 if table.dtype == np.float32 else float)
    if len(values) < 2 or not values.shape[1] or not np.isfinite(values).all():
        return None
    low, high = values.min(axis=0), values.max(axis=0)
    q25, middle, q75 = np.quantile(values[:: max(1, len(values) // 5000)], [0.25, 0.5, 0.75], axis=0)
    reach = np.maximum(high - middle, middle - low)
    if bool(
        (reach > _FAR * np.where(q75 > q25, q75 - q25, np.inf)).any() or not 1 / _HUGE < reach.max() < _HUGE
    ):
        return None
    varies = high > low
    if not bool(varies.any()) or (frame is None and not bool(varies.all())):
        return None
    dropped = tuple(n for n, v in zip(names, varies, strict=True) if not v)
    log = [
        Transformation("drop", (n,), "Left out because it has the same value in every row.") for n in dropped
    ]
    kept = tuple(n for n, v in zip(names, varies, strict=True) if v)
    matrix = values if bool(varies.all()) else values[:, varies]

    def transform(new: Any) -> np.ndarray:
        data = _aligned(new, names, named).to_numpy(dtype=float, na_value=np.nan)
        data = np.where(np.isfinite(data), data, middle)
        return _sized(data[:, varies])

    return Prepared(
        "tabular", _sized(matrix), kept, kept, frame, None, tuple(log), transform, notes=_remarks(matrix)
    )


def _fill_gaps(
    frame: pd.DataFrame, matrix: np.ndarray, names: list[str], log: list[Transformation]
) -> dict[str, Foreseen]:
    """Gaps of numeric columns filled in place with what the other columns foresee, by column."""
    numeric = {n: j for j, n in enumerate(names) if n in frame.columns and frame[n].dtype.kind in "iuf"}
    gaps = {j: frame[n].isna().to_numpy(dtype=bool) for n, j in numeric.items()}
    found = {names[f.column]: f for f in forecasts(matrix, {j: g for j, g in gaps.items() if g.any()})}
    for name, forecast in found.items():
        forecast.fill(matrix, gaps[forecast.column])
        at = next(i for i, t in enumerate(log) if t.step == "impute" and t.columns == (name,))
        count = int(gaps[forecast.column].sum())
        log[at] = Transformation(
            "impute",
            (name,),
            f"{count} missing value{'s' if count > 1 else ''} set to what the other columns foresee.",
        )
    return found


def _telling_absence(frame: pd.DataFrame, encoded: dict[str, Encoded]) -> list[str]:
    """Columns whose missing values go along with the values of another column, or with its gaps."""
    n = len(frame)
    gaps = {c: frame[c].isna().to_numpy(dtype=float) for c in frame.columns if encoded[c].names}
    gaps = {c: g for c, g in gaps.items() if 3 <= g.sum() <= n - 3}
    if not gaps or n < 20:
        return []
    limit = max(_TELLING, 4 / np.sqrt(n))
    out: list[str] = []
    for name, gap in gaps.items():
        others = [e.values for c, e in encoded.items() if c != name and e.names]
        others += [g.reshape(-1, 1) for c, g in gaps.items() if c != name]
        if others and _strongest(gap, np.column_stack(others)) > limit:
            out.append(name)
    return out


def _strongest(gap: np.ndarray, others: np.ndarray) -> float:
    ordered = ranks(others)
    ordered -= ordered.mean(axis=0)
    centred = gap - gap.mean()
    size = np.sqrt((ordered**2).sum(axis=0)) * np.sqrt((centred**2).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.nanmax(np.abs(np.nan_to_num(centred @ ordered / size)), initial=0.0))


def _mark(column: pd.Series) -> np.ndarray:
    return column.isna().to_numpy(dtype=float).reshape(-1, 1)


def _remarks(matrix: np.ndarray) -> tuple[str, ...]:
    n, p = matrix.shape
    said: list[str] = []
    if n < 50:
        said.append(f"Only {n} rows: what stands out by chance is hard to tell from an anomaly.")
    if p > n:
        said.append(f"More columns ({p}) than rows ({n}).")
    same = _repeats(matrix)
    if same > _REPEATS * n:
        said.append(f"{same:,} of {n:,} rows repeat an earlier one.")
    return tuple(said)


def _repeats(matrix: np.ndarray) -> int:
    """How many rows repeat an earlier one; 0 where a single column shows that few can, or with many rows."""
    n, p = matrix.shape
    if n > _COUNTED or any(len(np.unique(matrix[:, j])) > (1 - _REPEATS) * n for j in range(min(p, 3))):
        return 0
    return n - len(np.unique(np.ascontiguousarray(matrix).view(f"V{matrix.dtype.itemsize * p}"), axis=0))


def _sized(matrix: np.ndarray) -> np.ndarray:
    """Double precision unless the data has less, or that would need too much memory."""
    single = matrix.dtype == np.float32 or matrix.size > _SMALL_CELLS
    return np.ascontiguousarray(matrix, dtype=np.float32 if single else np.float64)


def _aligned(new: Any, names: list[str], named: bool) -> pd.DataFrame:
    """New data with the fitted columns in the fitted order."""
    frame = to_frame(new, names if not named or isinstance(new, np.ndarray | list) else None)
    if list(frame.columns) == names:
        return frame
    missing = [n for n in names if n not in frame.columns]
    if not missing:
        return frame[names]
    if not named and len(frame.columns) == len(names):
        frame.columns = names
        return frame
    raise InvalidInput(
        f"The new data lacks the columns {', '.join(missing[:5])}.",
        suggestions=[f"Expected: {', '.join(names[:12])}"],
    )


def _transformer(
    names: list[str],
    encoded: dict[str, Encoded],
    absent: list[str],
    pairs: Sequence[Pair],
    foreseen: Mapping[str, Foreseen],
    width: int,
    named: bool,
) -> Callable[[Any], np.ndarray]:
    def transform(new: Any) -> np.ndarray:
        frame = _aligned(new, names, named)
        parts = [e.apply(frame[n]) for n, e in encoded.items() if e.names]
        parts += [_mark(frame[n]) for n in absent] + [p.apply(frame) for p in pairs]
        matrix = np.column_stack(parts) if parts else np.zeros((len(frame), width))
        for name, forecast in foreseen.items():
            forecast.fill(matrix, frame[name].isna().to_numpy(dtype=bool))
        return _sized(matrix)

    return transform
