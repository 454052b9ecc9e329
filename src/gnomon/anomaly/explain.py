"""Why a row stands out: the columns that drive it in original units, odd combinations, shared causes.

Reasons come from the values themselves, not from a detector: how far in the tail a number lies, how rare
a category is, what is missing, and where a value is ordinary alone but not beside the others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.anomaly.explain_columns import WORTH_SAYING, Surprise, category_surprise, number, numeric_surprise
from gnomon.anomaly.explain_departures import departures
from gnomon.anomaly.explain_joint import categories, joint_surprises
from gnomon.anomaly.pairs import sources

if TYPE_CHECKING:
    import pandas as pd

    from gnomon.anomaly.prepared import Prepared

MAX_REASONS: Final = 4
MAX_EXPLAINED: Final = 2000


@np.errstate(over="ignore", invalid="ignore")
def explain_rows(
    prepared: Prepared, rows: Sequence[int], max_reasons: int = MAX_REASONS
) -> list[list[dict[str, Any]]]:
    """The reasons for each of ``rows``, strongest first.

    Args:
        prepared: The data as detectors saw it, with its original values.
        rows: Row numbers.
        max_reasons: How many reasons to give at most.

    Returns:
        One list per row of ``{'column', 'kind', 'strength', 'value', 'text'}``.
    """
    asked = np.asarray(list(rows), dtype=np.int64)
    if len(asked) == 0:
        return []
    alone = column_surprises(prepared, asked)
    tabular = prepared.data_type == "tabular"
    together = joint_surprises(prepared, asked, {s.column: s for s in alone}) if tabular else []
    surprises = alone + together
    if not surprises:
        return [[] for _ in asked]
    strength = np.stack([s.strength for s in surprises], axis=1)
    order = np.argsort(-strength, axis=1, kind="stable")
    return [
        _reasons(i, [(surprises[j], float(strength[i, j])) for j in order[i, : 4 * max_reasons]], max_reasons)
        for i in range(len(asked))
    ]


def _reasons(i: int, ranked: list[tuple[Surprise, float]], max_reasons: int) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    seen: set[str] = set()
    told: set[str] = set()
    best = ranked[0][1] if ranked else 0.0
    for surprise, strength in ranked:
        if surprise.column in seen or strength <= 0 or len(out) >= max_reasons:
            continue
        # A weak reason beside a strong one is noise; with nothing strong, the strongest still has to be said.
        if out and (strength < WORTH_SAYING or strength < 0.45 * best):
            break
        seen.add(surprise.column)
        text = _once(surprise.text(i), told)
        # Several ways of being unusual may be the same reading of the same variable.
        if not any(said["text"].startswith(text) or text.startswith(said["text"]) for said in out):
            out.append(
                {
                    "column": surprise.column,
                    "kind": str(surprise.kind[i]),
                    "strength": round(strength, 3),
                    "text": text,
                }
            )
    return out


def _once(text: str, told: set[str]) -> str:
    """``text`` without a reading in brackets that an earlier reason gave already."""
    reading = re.search(r" \(([^()]*)\)", text)
    if reading is None:
        return text
    if reading[1] in told:
        return text.replace(reading[0], "", 1)
    told.add(reading[1])
    return text


def column_surprises(prepared: Prepared, rows: np.ndarray) -> list[Surprise]:
    """What is unusual in each column on its own."""
    if prepared.data_type != "tabular":
        return departures(prepared, rows)
    raw = prepared.raw
    if raw is None:
        return [
            numeric_surprise(str(name), np.asarray(prepared.matrix[:, j], dtype=np.float64), rows)
            for j, name in enumerate(prepared.columns)
        ]
    used = set(sources(prepared.origins))
    out: list[Surprise] = []
    for name in raw.columns:
        # An identifier or free text tells nothing by being unique.
        if str(name) in used:
            surprise = _raw_surprise(str(name), raw[name], rows)
            if surprise is not None:
                out.append(surprise)
    return out


def _raw_surprise(name: str, column: pd.Series[Any], rows: np.ndarray) -> Surprise | None:
    import pandas as pd

    if pd.api.types.is_bool_dtype(column):
        column = column.astype(object)
    if pd.api.types.is_numeric_dtype(column):
        values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        return numeric_surprise(name, np.where(np.isfinite(values), values, np.nan), rows)
    if pd.api.types.is_datetime64_any_dtype(column):
        seconds = _seconds(column)
        return numeric_surprise(name, seconds, rows, show=_moment)
    codes, names = categories(column)
    if len(names) > 0.5 * max(len(column), 2) and len(names) > 20:
        return None
    return category_surprise(name, np.asarray(codes), names, rows)


def _missing(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value)) if not isinstance(value, list | tuple | dict | np.ndarray) else False


def _seconds(column: pd.Series[Any]) -> np.ndarray:
    import pandas as pd

    naive = (
        column.dt.tz_convert("UTC").dt.tz_localize(None)
        if getattr(column.dt, "tz", None) is not None
        else column
    )
    seconds = (naive - pd.Timestamp(0)).dt.total_seconds()
    return seconds.to_numpy(dtype=np.float64, na_value=np.nan)


def _moment(value: float) -> str:
    moment = np.datetime64(round(value), "s").astype("datetime64[s]")
    text = str(moment).replace("T", " ")
    return text[:10] if text.endswith("00:00:00") else text[:16]


def values_of(prepared: Prepared, row: int, columns: Sequence[str]) -> dict[str, Any]:
    """The original values of a row in some columns, as plain data."""
    raw = prepared.raw
    if raw is None:
        at = {c: j for j, c in enumerate(prepared.columns)}
        return {c: float(prepared.matrix[row, at[c]]) for c in columns if c in at}
    out: dict[str, Any] = {}
    for c in columns:
        if c in raw.columns:
            value = raw[c].iloc[row]
            out[c] = None if _missing(value) else value.item() if isinstance(value, np.generic) else value
    return {k: v if v is None or isinstance(v, bool | int | float | str) else str(v) for k, v in out.items()}


def narrative(prepared: Prepared, row: int, reasons: list[dict[str, Any]]) -> str:
    """The reasons as one sentence."""
    who = prepared.label(row)
    if not reasons:
        return f"{who}: no single column stands out; its values are unusual only taken together."
    return f"{who}: " + "; ".join(r["text"] for r in reasons) + "."


def group_anomalies(
    rows: Sequence[int], reasons: Sequence[list[dict[str, Any]]], smallest: int = 2
) -> list[dict[str, Any]]:
    """Anomalies that share a cause: the same column, unusual in the same way.

    Args:
        rows: The flagged rows.
        reasons: What ``explain_rows`` said about each.
        smallest: The size from which a group is worth telling.
    """
    members: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    example: dict[tuple[str, str, str], str] = {}
    for row, why in zip(rows, reasons, strict=True):
        if not why:
            continue
        first = why[0]
        shared = first["text"] if first["kind"] in ("rare", "missing") else ""
        key = (first["column"], first["kind"], shared)
        members[key].append(int(row))
        example.setdefault(key, first["text"])
    groups = [
        {
            "column": column,
            "kind": kind,
            "size": len(found),
            "rows": found,
            "cause": _cause(column, kind),
            "example": example[(column, kind, shared)],
        }
        for (column, kind, shared), found in members.items()
        if len(found) >= smallest
    ]
    return sorted(groups, key=lambda g: (-g["size"], g["column"], g["kind"]))


def _cause(column: str, kind: str) -> str:
    return {
        "high": f"{column} is unusually high",
        "low": f"{column} is unusually low",
        "gap": f"{column} takes a value that hardly occurs",
        "rare": f"{column} holds a rare value",
        "missing": f"{column} is missing",
        "combination": f"{column} does not fit the other columns",
        "departure": column,
    }.get(kind, column)


__all__ = ["explain_rows", "group_anomalies", "narrative", "number", "values_of"]
