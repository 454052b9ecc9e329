"""Put a column into bins: equal width, quantiles, explicit edges, or calendar grains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gnomon.analytics.inputs import Floats, numbers, present, require_choice, require_count, require_whole
from gnomon.analytics.results import Result
from gnomon.analytics.timegrid import parsed_stamps
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

GRAINS = ("hour", "day", "week", "month", "quarter", "year", "weekday", "hour_of_day", "month_of_year")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class BinCount(Result):
    """One bin: its label, its bounds where it has any, and how many rows fell into it."""

    label: str
    low: float | None
    high: float | None
    count: int


@dataclass(frozen=True, slots=True)
class BinnedColumn(Result):
    """The bin of every row (``None`` where there is no value, or it lies outside the edges) and all bins."""

    method: str
    bins: tuple[BinCount, ...]
    missing: int
    outside: int
    notes: tuple[str, ...]
    labels: pd.Series[Any] = field(repr=False, compare=False, metadata={"internal": True})


def bin_column(
    values: Any,
    *,
    method: Literal["width", "quantile", "edges", "date"] = "width",
    bins: int = 10,
    edges: Sequence[float] | None = None,
    grain: str | None = None,
    labels: Sequence[str] | None = None,
) -> BinnedColumn:
    """Give every value the bin it falls into.

    Args:
        values: The column.
        method: ``width`` (equal width), ``quantile`` (equal counts), ``edges`` (as given), ``date`` (by grain).
        bins: How many bins for ``width`` and ``quantile``.
        edges: Ascending edges for ``edges``; a bin holds its lower edge, the last one its upper edge too.
        grain: Calendar grain for ``date``.
        labels: Names of the bins, lowest first.
    """
    require_choice(method, ("width", "quantile", "edges", "date"), "method")
    if method == "date":
        return _by_date(values, grain)
    data = numbers(values)
    there = present(data)
    notes: list[str] = []
    cuts = _cuts(there, method, bins, edges, notes)
    names = _names(cuts, labels)
    place = np.searchsorted(cuts, data, side="right") - 1
    place[data == cuts[-1]] = len(cuts) - 2
    inside = ~np.isnan(data) & (place >= 0) & (place < len(cuts) - 1)
    counts = np.bincount(place[inside], minlength=len(cuts) - 1)
    found = tuple(
        BinCount(names[i], float(cuts[i]), float(cuts[i + 1]), int(counts[i])) for i in range(len(names))
    )
    chosen = [names[p] if ok else None for p, ok in zip(place, inside, strict=True)]
    missing = int(np.isnan(data).sum())
    outside = len(data) - missing - int(inside.sum())
    return BinnedColumn(method, found, missing, outside, tuple(notes), _series(chosen, values))


def _series(chosen: Sequence[str | None], values: Any) -> pd.Series[Any]:
    import pandas as pd

    index = values.index if isinstance(values, pd.Series) else None
    return pd.Series(list(chosen), index=index, dtype=object)


def _cuts(there: Floats, method: str, bins: int, edges: Sequence[float] | None, notes: list[str]) -> Floats:
    if method == "edges":
        given = numbers(edges if edges is not None else [], "edges")
        if len(given) < 2 or np.isnan(given).any() or (np.diff(given) <= 0).any():
            raise InvalidInput(
                "Edges must be at least two numbers in ascending order.",
                suggestions=["For example edges=[0, 10, 100]."],
            )
        return given
    require_whole(bins, 1, 1000, "bins")
    require_count(len(there), 1, "Binning")
    if np.ptp(there) == 0:
        notes.append("All values are equal: there is one bin.")
        return np.array([there[0] - 0.5, there[0] + 0.5])
    if method == "width":
        return np.linspace(there.min(), there.max(), bins + 1)
    cuts = np.unique(np.quantile(there, np.linspace(0, 1, bins + 1)))
    if len(cuts) < bins + 1:
        notes.append(f"Equal values cannot be parted: {len(cuts) - 1} bins instead of {bins}.")
    return cuts


def _names(cuts: Floats, labels: Sequence[str] | None) -> list[str]:
    if labels is not None:
        if len(labels) != len(cuts) - 1 or len(set(labels)) != len(labels):
            raise InvalidInput(
                f"{len(cuts) - 1} bins need as many different labels, but {len(labels)} were given.",
                suggestions=["Pass one label for every bin, lowest first."],
            )
        return [str(label) for label in labels]
    for digits in range(4, 18):
        words = [f"{c:.{digits}g}" for c in cuts]
        if len(set(words)) == len(words):
            break
    else:
        words = [repr(float(c)) for c in cuts]
    last = len(cuts) - 2
    return [f"[{words[i]}, {words[i + 1]}{']' if i == last else ')'}" for i in range(last + 1)]


def _by_date(values: Any, grain: str | None) -> BinnedColumn:
    import pandas as pd

    if grain is None:
        raise InvalidInput(
            "Binning dates needs a grain.", suggestions=[f"Choose one of {', '.join(GRAINS)}."]
        )
    require_choice(grain, GRAINS, "grain")
    column = values if isinstance(values, pd.Series) else pd.Series(values)
    try:
        stamps = parsed_stamps(column.reset_index(drop=True))
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise InvalidInput(
            f"The column cannot be read as dates: {str(error)[:120]}",
            suggestions=["Use ISO dates such as 2025-03-31, all in one format."],
        ) from error
    keys = _date_keys(stamps, grain)
    counts = keys.dropna().value_counts()
    order = sorted(counts.index, key=_WEEKDAYS.index) if grain == "weekday" else sorted(counts.index)
    found = tuple(BinCount(str(k), None, None, int(counts[k])) for k in order)
    chosen = [None if pd.isna(k) else str(k) for k in keys]
    return BinnedColumn("date", found, int(keys.isna().sum()), 0, (), _series(chosen, values))


def _date_keys(stamps: pd.Series[Any], grain: str) -> pd.Series[Any]:
    """A sortable label per stamp, such as ``2025-03`` or ``2025-Q1``."""
    at = stamps.dt
    if grain == "week":
        iso = at.isocalendar()
        return (iso["year"].astype("string") + "-W" + iso["week"].astype("string").str.zfill(2)).astype(
            object
        )
    if grain == "quarter":
        keys = at.year.astype("Int64").astype("string") + "-Q" + at.quarter.astype("Int64").astype("string")
        return keys.astype(object)
    if grain == "weekday":
        return at.day_name().astype(object)
    pattern = {
        "hour": "%Y-%m-%d %H:00",
        "day": "%Y-%m-%d",
        "month": "%Y-%m",
        "year": "%Y",
        "hour_of_day": "%H",
        "month_of_year": "%m",
    }[grain]
    return at.strftime(pattern).astype(object)
