"""The tables of the demo store that are not about products: account health and what rivals achieve."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.data.demo_catalog import CATEGORIES, DAYS, FIRST_DAY, LAST_DAY
from gnomon.data.demo_demand import seasons
from gnomon.data.demo_events import Event, EventKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

Columns = dict[str, Any]


def account(events: Sequence[Event], rng: np.random.Generator) -> Columns:
    """One row per day: how the marketplace rates the store."""
    late = 0.021 * rng.lognormal(0, 0.15, DAYS)
    defect = 0.008 * rng.lognormal(0, 0.12, DAYS)
    warnings = np.zeros(DAYS, dtype=np.int64)
    rating = 4.62 + 0.06 * np.cumsum(rng.normal(0, 0.02, DAYS))
    for event in events:
        start, stop = event.days.start, event.days.stop
        if event.kind is EventKind.REGIONAL_OUTAGE:
            late[start : stop + 5] += 0.06 * np.linspace(1, 0.2, len(late[start : stop + 5]))
        elif event.kind is EventKind.RETURNS_SPIKE:
            defect[start : stop + 7] += 0.007
        elif event.kind is EventKind.LISTING_SUSPENSION:
            warnings[start:stop] += 1
            warnings[start + 3 : stop] += 1
        elif event.kind is EventKind.REVIEW_WAVE:
            rating[start : stop + 30] -= 0.18 * np.linspace(1, 0, len(rating[start : stop + 30]))
    return {
        "date": FIRST_DAY.toordinal() + np.arange(DAYS),
        "late_shipment_rate": np.round(late, 5),
        "defect_rate": np.round(defect, 5),
        "policy_warnings": warnings,
        "seller_rating": np.round(np.clip(rating, 1, 5), 2),
    }


def benchmarks(rng: np.random.Generator) -> Columns:
    """Quartiles of comparable stores, by month, category and metric."""
    months = _months()
    rows: list[tuple[int, str, str, float, float, float]] = []
    season = seasons()
    for month in months:
        start = max(0, month.toordinal() - FIRST_DAY.toordinal())
        calm = season[start : start + 28].mean(axis=0) / season.mean(axis=0)
        for c, category in enumerate(CATEGORIES):
            middles = {
                "conversion_rate": category.conversion * 0.97,
                "return_rate": category.return_rate,
                "average_rating": 4.15,
                "sessions_index": float(calm[c]),
                "ad_spend_share": 0.09,
            }
            for metric, middle in middles.items():
                centre = middle * rng.lognormal(0, 0.03)
                spread = 0.06 if metric == "average_rating" else 0.22
                digits = 2 if metric == "average_rating" else 4
                quartiles = [round(float(centre * f), digits) for f in (1 - spread, 1.0, 1 + spread)]
                if metric == "average_rating":
                    quartiles[2] = min(quartiles[2], 4.9)
                rows.append(
                    (month.toordinal(), category.name, metric, quartiles[0], quartiles[1], quartiles[2])
                )
    columns = list(zip(*rows, strict=True))
    names = ("month", "category", "metric", "p25", "p50", "p75")
    return dict(zip(names, map(list, columns), strict=True))


def _months() -> list[date]:
    return [
        date(year, month, 1)
        for year in range(FIRST_DAY.year, LAST_DAY.year + 1)
        for month in range(1, 13)
        if (FIRST_DAY.year, FIRST_DAY.month) <= (year, month) <= (LAST_DAY.year, LAST_DAY.month)
    ]


def as_days(ordinals: NDArray[np.int64]) -> NDArray[np.int32]:
    """Proleptic day numbers as days since 1970, which is how Arrow stores dates."""
    return (np.asarray(ordinals) - date(1970, 1, 1).toordinal()).astype(np.int32)
