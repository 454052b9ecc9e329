"""Compare two versions of a table: schema, rows added, removed and changed by key, and what changed in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.inputs import Bools, require_column, require_frame, require_whole
from gnomon.analytics.results import Result, plain
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

_KEYS_TRIED = 8


@dataclass(frozen=True, slots=True)
class CellChange(Result):
    """One value that differs."""

    key: tuple[Any, ...]
    column: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class ColumnChange(Result):
    """How one column changed in the rows that both versions have; totals for numbers only."""

    column: str
    changed: int
    share: float
    sum_before: float | None
    sum_after: float | None
    mean_change: float | None
    became_missing: int
    was_missing: int


@dataclass(frozen=True, slots=True)
class TableComparison(Result):
    """What differs between two versions of a table.

    Attributes:
        key: Columns that identify a row; empty when rows were compared as wholes.
        key_inferred: Whether the key was found rather than given.
        type_changes: Columns whose type changed, with both types.
    """

    rows_before: int
    rows_after: int
    columns_added: tuple[str, ...]
    columns_removed: tuple[str, ...]
    type_changes: dict[str, tuple[str, str]]
    key: tuple[str, ...]
    key_inferred: bool
    added: int
    removed: int
    changed: int
    unchanged: int
    columns: tuple[ColumnChange, ...]
    added_examples: tuple[dict[str, Any], ...]
    removed_examples: tuple[dict[str, Any], ...]
    changed_examples: tuple[CellChange, ...]
    identical: bool
    notes: tuple[str, ...]


def compare_tables(
    before: Any,
    after: Any,
    *,
    key: str | Sequence[str] | None = None,
    examples: int = 5,
    tolerance: float = 1e-9,
) -> TableComparison:
    """Compare two versions of a table.

    Args:
        before: The old version.
        after: The new version.
        key: Columns that identify a row; the smallest unique combination of shared columns when left out.
        examples: How many examples of each difference to give back.
        tolerance: Relative difference of numbers that still counts as equal.
    """
    old, new = require_frame(before, "before"), require_frame(after, "after")
    require_whole(examples, 0, 1000, "examples")
    shared = [str(c) for c in old.columns if c in new.columns]
    types = {c: (str(old[c].dtype), str(new[c].dtype)) for c in shared if old[c].dtype != new[c].dtype}
    added_columns = tuple(str(c) for c in new.columns if c not in old.columns)
    removed_columns = tuple(str(c) for c in old.columns if c not in new.columns)
    notes: list[str] = []
    names = _given_key(old, new, key) if key is not None else _infer_key(old, new, shared)
    if names:
        difference = _by_key(old, new, names, shared, tolerance, examples)
    else:
        notes.append(
            "No shared columns identify a row: whole rows were compared, so a change is one out, one in."
        )
        difference = _as_wholes(old, new, shared, examples)
    same_schema = not (added_columns or removed_columns or types)
    return TableComparison(
        rows_before=len(old),
        rows_after=len(new),
        columns_added=added_columns,
        columns_removed=removed_columns,
        type_changes=types,
        key=tuple(names),
        key_inferred=key is None and bool(names),
        identical=same_schema and difference["added"] == difference["removed"] == difference["changed"] == 0,
        notes=tuple(notes),
        **difference,
    )


def _given_key(old: pd.DataFrame, new: pd.DataFrame, key: str | Sequence[str]) -> list[str]:
    names = [key] if isinstance(key, str) else list(key)
    if not names:
        raise InvalidInput("The key is empty.", suggestions=["Name a column, or leave the key out."])
    for frame, word in ((old, "before"), (new, "after")):
        for name in names:
            require_column(frame, name)
        if frame.duplicated(names).any():
            raise InvalidInput(
                f"{', '.join(names)} does not identify a row of the {word} table: some rows repeat a key.",
                suggestions=["Add a column to the key, or leave it out to compare whole rows."],
            )
    return names


def _infer_key(old: pd.DataFrame, new: pd.DataFrame, shared: list[str]) -> list[str]:
    """The smallest combination of early, complete, discrete columns that is unique in both versions."""
    import pandas as pd

    def fits(names: list[str]) -> bool:
        return not (old.duplicated(names).any() or new.duplicated(names).any())

    def discrete(c: str) -> bool:
        return not (pd.api.types.is_float_dtype(old[c].dtype) or pd.api.types.is_bool_dtype(old[c].dtype))

    usable = [c for c in shared if discrete(c) and not old[c].isna().any() and not new[c].isna().any()]
    if not len(old) and not len(new):
        return []
    usable.sort(key=lambda c: (not _sounds_like_key(c), shared.index(c)))
    usable = usable[:_KEYS_TRIED]
    for size in (1, 2, 3):
        fitting = [list(names) for names in combinations(usable, size) if fits(list(names))]
        # Of several, the one whose values the two versions share most is the identity.
        if fitting:
            return max(fitting, key=lambda names: (_overlap(old, new, names), -fitting.index(names)))
    return []


def _sounds_like_key(name: str) -> bool:
    word = name.casefold()
    return word in {"id", "key", "code"} or word.endswith(("_id", "id", "_key", "_code", "_no", "number"))


def _overlap(old: pd.DataFrame, new: pd.DataFrame, names: list[str]) -> float:
    a, b = set(_tuples(old, names)), set(_tuples(new, names))
    return round(len(a & b) / max(1, min(len(a), len(b))), 2)


def _tuples(frame: pd.DataFrame, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Rows as hashable tuples in which every missing value is the same."""
    columns = [frame[c].astype(object).where(frame[c].notna(), None).tolist() for c in names]
    return list(zip(*columns, strict=True)) if columns else [()] * len(frame)


def _by_key(
    old: pd.DataFrame, new: pd.DataFrame, key: list[str], shared: list[str], tolerance: float, examples: int
) -> dict[str, Any]:
    old_keys, new_keys = _tuples(old, key), _tuples(new, key)
    place = {k: i for i, k in enumerate(new_keys)}
    known = set(old_keys)
    pairs = [(i, place[k]) for i, k in enumerate(old_keys) if k in place]
    left, right = old.iloc[[i for i, _ in pairs]], new.iloc[[j for _, j in pairs]]
    any_change = np.zeros(len(pairs), dtype=bool)
    columns: list[ColumnChange] = []
    cells: list[CellChange] = []
    for name in (c for c in shared if c not in key):
        differs = _differs(left[name], right[name], tolerance)
        any_change |= differs
        if differs.any():
            columns.append(_column_change(name, left[name], right[name], differs))
            for row in np.flatnonzero(differs)[: max(0, examples - len(cells))]:
                identity = tuple(plain(v) for v in old_keys[pairs[row][0]])
                cells.append(CellChange(identity, name, left[name].iloc[row], right[name].iloc[row]))
    gone = [i for i, k in enumerate(old_keys) if k not in place]
    fresh = [i for i, k in enumerate(new_keys) if k not in known]
    return {
        "added": len(fresh),
        "removed": len(gone),
        "changed": int(any_change.sum()),
        "unchanged": int((~any_change).sum()),
        "columns": tuple(sorted(columns, key=lambda c: (-c.changed, c.column))),
        "added_examples": _examples(new, fresh, examples),
        "removed_examples": _examples(old, gone, examples),
        "changed_examples": tuple(cells),
    }


def _as_wholes(old: pd.DataFrame, new: pd.DataFrame, shared: list[str], examples: int) -> dict[str, Any]:
    from collections import Counter

    a, b = _tuples(old, shared), _tuples(new, shared)
    more, less = Counter(b) - Counter(a), Counter(a) - Counter(b)

    def first(rows: list[tuple[Any, ...]], wanted: Counter[tuple[Any, ...]]) -> list[int]:
        left = Counter(wanted)
        return [i for i, row in enumerate(rows) if left[row] > 0 and not left.subtract([row])]

    return {
        "added": more.total(),
        "removed": less.total(),
        "changed": 0,
        "unchanged": len(a) - less.total(),
        "columns": (),
        "added_examples": _examples(new, first(b, more), examples),
        "removed_examples": _examples(old, first(a, less), examples),
        "changed_examples": (),
    }


def _examples(frame: pd.DataFrame, rows: list[int], limit: int) -> tuple[dict[str, Any], ...]:
    picked = frame.iloc[rows[:limit]]
    return tuple({str(k): plain(v) for k, v in row.items()} for row in picked.to_dict("records"))


def _differs(a: pd.Series[Any], b: pd.Series[Any], tolerance: float) -> Bools:
    import pandas as pd

    gone_a, gone_b = a.isna().to_numpy(), b.isna().to_numpy()
    if pd.api.types.is_numeric_dtype(a.dtype) and pd.api.types.is_numeric_dtype(b.dtype):
        x, y = a.to_numpy(np.float64, na_value=np.nan), b.to_numpy(np.float64, na_value=np.nan)
        with np.errstate(invalid="ignore"):
            far = (x != y) & ~(np.abs(x - y) <= tolerance * np.maximum(np.abs(x), np.abs(y)))
        return np.where(gone_a | gone_b, gone_a != gone_b, far)
    x, y = a.astype(object).to_numpy(), b.astype(object).to_numpy()
    unequal = np.array([bool(p != q) for p, q in zip(x, y, strict=True)], dtype=bool)
    return np.where(gone_a | gone_b, gone_a != gone_b, unequal)


def _column_change(name: str, a: pd.Series[Any], b: pd.Series[Any], differs: Bools) -> ColumnChange:
    import pandas as pd

    numeric = all(
        pd.api.types.is_numeric_dtype(s.dtype) and not pd.api.types.is_bool_dtype(s.dtype) for s in (a, b)
    )
    change = None
    if numeric:
        moved = (
            b.to_numpy(np.float64, na_value=np.nan)[differs]
            - a.to_numpy(np.float64, na_value=np.nan)[differs]
        )
        change = float(np.nanmean(moved)) if not np.isnan(moved).all() else None
    gone_a, gone_b = a.isna().to_numpy(), b.isna().to_numpy()
    return ColumnChange(
        name,
        int(differs.sum()),
        float(differs.mean()),
        float(a.sum()) if numeric else None,
        float(b.sum()) if numeric else None,
        change,
        int((gone_b & ~gone_a).sum()),
        int((gone_a & ~gone_b).sum()),
    )
