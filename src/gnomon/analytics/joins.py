"""Join two tables, and say what the join did: who matched, what multiplied, what was lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gnomon.analytics.inputs import require_between, require_choice, require_column, require_frame
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError, InvalidInput

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class JoinedFrames(Result):
    """The joined table and its accounts.

    Attributes:
        cardinality: ``one-to-one``, ``one-to-many``, ``many-to-one`` or ``many-to-many``.
        fan_out: Rows out per left row that matched; above 1 a left row was repeated, and totals of left
            columns over the result are too high.
        left_match_rate: Share of left rows that found a partner.
        right_match_rate: Share of right rows that found a partner.
        repeated_keys: Keys that multiply rows, most first, with their counts on both sides.
    """

    how: str
    keys: tuple[tuple[str, str], ...]
    left_rows: int
    right_rows: int
    rows: int
    left_matched: int
    right_matched: int
    left_match_rate: float
    right_match_rate: float
    left_missing_keys: int
    right_missing_keys: int
    cardinality: str
    fan_out: float
    repeated_keys: tuple[tuple[str, int, int], ...]
    renamed: dict[str, str]
    notes: tuple[str, ...]
    frame: pd.DataFrame = field(repr=False, compare=False, metadata={"internal": True})
    left_positions: Any = field(repr=False, compare=False, metadata={"internal": True})
    right_positions: Any = field(repr=False, compare=False, metadata={"internal": True})


def join_frames(
    left: Any,
    right: Any,
    *,
    on: str | Sequence[str] | None = None,
    left_on: str | Sequence[str] | None = None,
    right_on: str | Sequence[str] | None = None,
    how: Literal["inner", "left", "right", "outer"] = "left",
    most_rows: int = 10_000_000,
) -> JoinedFrames:
    """Join two tables by key; rows whose key is missing never match.

    Args:
        left: The first table.
        right: The second table.
        on: Key columns that both tables have; the shared names when nothing is given.
        left_on: Key columns of the first table when the names differ.
        right_on: Key columns of the second table, in the same order.
        how: Which rows to keep.
        most_rows: Refuse to build a larger result.
    """
    import pandas as pd

    a, b = require_frame(left, "left"), require_frame(right, "right")
    require_choice(how, ("inner", "left", "right", "outer"), "join")
    require_between(most_rows, 0, float("inf"), "most_rows")
    keys = _keys(a, b, on, left_on, right_on)
    notes: list[str] = []
    left_key, right_key = _codes(a, b, keys, notes)
    size = int(max(left_key.max(initial=-1), right_key.max(initial=-1))) + 1
    left_count = np.bincount(left_key[left_key >= 0], minlength=size)
    right_count = np.bincount(right_key[right_key >= 0], minlength=size)
    pairs = int((left_count.astype(object) * right_count.astype(object)).sum()) if size else 0
    if pairs > most_rows:
        raise CalculationError(
            f"The join would make {pairs} rows out of {len(a)} and {len(b)}: keys repeat on both sides.",
            suggestions=["Aggregate one table to one row per key first, or add a key column."],
        )
    left_hit = (left_key >= 0) & (right_count[left_key] > 0) if size else np.zeros(len(a), bool)
    right_hit = (right_key >= 0) & (left_count[right_key] > 0) if size else np.zeros(len(b), bool)
    joined, renamed, positions = _merged(a, b, keys, left_key, right_key, how)
    matched = int(left_hit.sum())
    fan_out = pairs / matched if matched else 0.0
    many_left = bool((left_count[right_count > 0] > 1).any())
    many_right = bool((right_count[left_count > 0] > 1).any())
    if many_right:
        notes.append(f"A matching left row becomes {fan_out:.2f} rows on average: do not total left columns.")
    if matched == 0:
        notes.append("No key of the left table occurs in the right one.")
    return JoinedFrames(
        how=how,
        keys=tuple(keys),
        left_rows=len(a),
        right_rows=len(b),
        rows=len(joined),
        left_matched=matched,
        right_matched=int(right_hit.sum()),
        left_match_rate=matched / len(a) if len(a) else 0.0,
        right_match_rate=float(right_hit.mean()) if len(b) else 0.0,
        left_missing_keys=int((left_key < 0).sum()),
        right_missing_keys=int((right_key < 0).sum()),
        cardinality=f"{'many' if many_left else 'one'}-to-{'many' if many_right else 'one'}",
        fan_out=fan_out,
        repeated_keys=_repeated(pd.DataFrame(a[[k for k, _ in keys]]), left_key, left_count, right_count),
        renamed=renamed,
        notes=tuple(notes),
        frame=joined,
        left_positions=positions[0],
        right_positions=positions[1],
    )


def _keys(
    a: pd.DataFrame,
    b: pd.DataFrame,
    on: str | Sequence[str] | None,
    left_on: str | Sequence[str] | None,
    right_on: str | Sequence[str] | None,
) -> list[tuple[str, str]]:
    def listed(names: str | Sequence[str]) -> list[str]:
        return [names] if isinstance(names, str) else list(names)

    if on is not None:
        pairs = [(k, k) for k in listed(on)]
    elif left_on is not None and right_on is not None and len(listed(left_on)) == len(listed(right_on)):
        pairs = list(zip(listed(left_on), listed(right_on), strict=True))
    elif left_on is None and right_on is None:
        pairs = [(str(c), str(c)) for c in a.columns if c in b.columns]
    else:
        raise InvalidInput(
            "left_on and right_on must name the same number of columns.",
            suggestions=["Pass both, in the same order, or use on=."],
        )
    if not pairs:
        raise InvalidInput(
            "The tables share no column name, so the key is unknown.",
            suggestions=["Name the key columns with left_on= and right_on=."],
        )
    return [(require_column(a, k), require_column(b, m)) for k, m in pairs]


def _codes(
    a: pd.DataFrame, b: pd.DataFrame, keys: list[tuple[str, str]], notes: list[str]
) -> tuple[Any, Any]:
    """One whole number per distinct key over both tables; −1 where any part is missing."""
    import pandas as pd

    total: Any = np.zeros(len(a) + len(b), dtype=np.int64)
    gone = np.zeros(len(total), dtype=bool)
    for k, m in keys:
        x, y = a[k], b[m]
        if _kind(x) != _kind(y):
            notes.append(f"{k} holds {_kind(x)} and {m} holds {_kind(y)}: compared as text.")
            x, y = _as_text(x), _as_text(y)
        stacked = pd.concat([x.astype(object), y.astype(object)], ignore_index=True)
        codes, names = pd.factorize(stacked)
        gone |= codes < 0
        total = pd.factorize(total * (len(names) + 1) + np.maximum(codes, 0))[0]
    total = np.where(gone, -1, total)
    return total[: len(a)], total[len(a) :]


def _kind(column: pd.Series[Any]) -> str:
    import pandas as pd

    if pd.api.types.is_bool_dtype(column.dtype):
        return "booleans"
    if pd.api.types.is_numeric_dtype(column.dtype):
        return "numbers"
    return "dates" if pd.api.types.is_datetime64_any_dtype(column.dtype) else "text"


def _as_text(column: pd.Series[Any]) -> pd.Series[Any]:
    return column.map(_text, na_action="ignore").astype(object)


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _merged(
    a: pd.DataFrame, b: pd.DataFrame, keys: list[tuple[str, str]], left_key: Any, right_key: Any, how: str
) -> tuple[pd.DataFrame, dict[str, str], tuple[Any, Any]]:
    """The joined rows, the columns that were renamed, and which row of either table each row was (−1: none)."""
    key, left, right = "\0key", "\0left", "\0right"
    # A missing key gets a number of its own, so that it matches nothing.
    first = a.assign(
        **{key: np.where(left_key < 0, -1 - np.arange(len(a)), left_key), left: np.arange(len(a))}
    )
    own = [c for c in b.columns if c not in {m for k, m in keys if k == m}]
    renamed = _renamed([str(c) for c in own], [str(c) for c in a.columns])
    second = (
        b[own]
        .rename(columns=renamed)
        .assign(
            **{
                key: np.where(right_key < 0, -1 - len(a) - np.arange(len(b)), right_key),
                right: np.arange(len(b)),
            }
        )
    )
    if how in {"right", "outer"}:
        second = second.assign(**{f"\0{k}": b[m].to_numpy() for k, m in keys if k == m})
    joined = first.merge(second, on=key, how=how)  # pyright: ignore[reportArgumentType]
    if how in {"right", "outer"}:
        for k, m in keys:
            if k == m:
                joined[k] = joined[k].where(joined[k].notna(), joined[f"\0{k}"])
                joined = joined.drop(columns=f"\0{k}")
    positions = tuple(joined[c].fillna(-1).to_numpy(dtype=np.int64) for c in (left, right))
    return joined.drop(columns=[key, left, right]), renamed, (positions[0], positions[1])


def _renamed(own: list[str], others: list[str]) -> dict[str, str]:
    """New names for columns that the first table has too; no name of either table is taken twice."""
    taken, found = {*own, *others}, dict[str, str]()
    for column in (c for c in own if c in others):
        tries = (f"{column}_right", *(f"{column}_right_{n}" for n in range(2, len(taken) + 3)))
        found[column] = next(name for name in tries if name not in taken)
        taken.add(found[column])
    return found


def _repeated(
    keys: pd.DataFrame, left_key: Any, left_count: Any, right_count: Any
) -> tuple[tuple[str, int, int], ...]:
    heavy = np.flatnonzero((right_count > 1) & (left_count > 0))
    heavy = heavy[np.argsort(-(left_count[heavy] * right_count[heavy]), kind="stable")][:5]
    first = {int(code): i for i, code in reversed(list(enumerate(left_key))) if code in set(heavy.tolist())}
    return tuple(
        (" | ".join(_text(v) for v in keys.iloc[first[int(c)]]), int(left_count[c]), int(right_count[c]))
        for c in heavy
    )
