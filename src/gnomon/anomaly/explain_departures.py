"""Reasons for series, texts, images and graphs: in which way an item departs from the usual.

Their matrix has one column per way of being unusual, the higher the more so; the reading behind it is told
from the original values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.anomaly import told_series
from gnomon.anomaly.explain_columns import WORTH_SAYING, Surprise, number, numeric_surprise
from gnomon.anomaly.modalities.departure import ANY, SUMMARY
from gnomon.anomaly.told_series import Course, course_of

if TYPE_CHECKING:
    from gnomon.anomaly.prepared import Prepared


def departures(prepared: Prepared, rows: np.ndarray) -> list[Surprise]:
    """How strongly each of ``rows`` departs in each way."""
    # The summary columns add up the others: they rank rows but say nothing about them.
    series = course_of(prepared)
    told = [
        _departure(prepared, j, rows, series)
        for j, name in enumerate(prepared.columns)
        if name not in SUMMARY
    ]
    return [_unless_named(each, told) for each in told]


def _unless_named(each: Surprise, told: list[Surprise]) -> Surprise:
    """What departs in any variable is left out where the variable that does so is told by name."""
    variable, _, way = each.column.partition(": ")
    named = [s.strength for s in told if s.column.endswith(f": {way}") and s is not each]
    if variable != ANY or not named:
        return each
    return replace(each, strength=np.where(np.max(named, axis=0) >= WORTH_SAYING, 0.0, each.strength))


def _departure(
    prepared: Prepared, j: int, rows: np.ndarray, series: Callable[[int], list[Course]]
) -> Surprise:
    name, values = prepared.columns[j], np.asarray(prepared.matrix[:, j], dtype=np.float64)
    ordered = np.sort(values)
    n, asked = len(values), values[rows]
    reached = n - np.searchsorted(ordered, asked, "left")
    strength = -np.log10(reached / n)
    middle, edge = np.quantile(values, [0.5, 0.95])
    width = max(float(edge - middle), 1e-9 + 0.05 * float(values.std()))
    strength = strength + np.log10(1 + 3 * np.maximum((asked - edge) / width, 0.0))
    strength = np.where(asked > edge, strength, np.minimum(strength, 0.9 * WORTH_SAYING))
    reading = None if prepared.usual is not None else _reading(prepared, prepared.origins[j], rows)

    def text(i: int) -> str:
        if of_row := series(int(rows[i])):
            return told_series.told(of_row, name, [int(rows[i])])[1]
        told = reading(i) if reading is not None else ""
        origin = prepared.origins[j]
        if "where" in told and name in (origin, f"unusual {origin}"):
            return told
        said = f"{name} ({told})" if told else name
        if "where" in told or "missing" in told:
            return said
        return f"{said}: {number(float(asked[i]))} where 95 % stay below {number(float(f'{edge:.3g}'))}"

    return Surprise(name, np.maximum(strength, 0.0), np.full(len(rows), "departure"), text)


def _reading(prepared: Prepared, origin: str, rows: np.ndarray) -> Any:
    """What was read in the original column, against its usual range where it is outside."""
    raw = prepared.raw
    if raw is None or origin not in raw.columns or raw[origin].dtype.kind not in "iuf":
        return None
    values = raw[origin].to_numpy(dtype=np.float64)
    alone = numeric_surprise(origin, values, rows)

    def told(i: int) -> str:
        if alone.strength[i] >= WORTH_SAYING and alone.kind[i] in ("high", "low"):
            return alone.text(i)
        value = values[rows[i]]
        return f"{origin} {number(float(value))}" if np.isfinite(value) else f"{origin} is missing"

    return told
