"""What happens in the demo store, when, and to whom: the truth that an evaluation compares answers with."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.data.demo_catalog import BRANDS, CATEGORIES, CHANNELS, DAYS, FIRST_DAY, REGIONS, Catalog

if TYPE_CHECKING:
    from numpy.typing import NDArray


class EventKind(StrEnum):
    """The kinds of things that are planted."""

    STOCKOUT = "stockout"
    COMPETITOR_PRICE_CUT = "competitor_price_cut"
    AD_PAUSE = "ad_pause"
    REVIEW_WAVE = "review_wave"
    LISTING_SUSPENSION = "listing_suspension"
    RETURNS_SPIKE = "returns_spike"
    REGIONAL_OUTAGE = "regional_outage"
    SEASONAL_DIP = "seasonal_dip"


@dataclass(frozen=True)
class Event:
    """Something planted: from ``start`` to ``end`` inclusive, on what the scope fields name.

    ``factor`` is what the event multiplies: sessions for a pause, a suspension and a dip; the rival's price
    for a price cut; the chance to buy for a wave of reviews; the chance of a return; orders elsewhere.
    """

    event_id: str
    kind: EventKind
    start: date
    end: date
    factor: float
    description: str
    product: int | None = None
    category: str | None = None
    brand: str | None = None
    channel: str | None = None
    region: str | None = None

    @property
    def is_anomaly(self) -> bool:
        """Whether an analyst should call it unusual: what comes back every year is not."""
        return self.kind is not EventKind.SEASONAL_DIP

    @property
    def first(self) -> int:
        """Its first day, counted from the first day of the data."""
        return (self.start - FIRST_DAY).days

    @property
    def days(self) -> slice:
        """Its days, as positions."""
        return slice(self.first, (self.end - FIRST_DAY).days + 1)

    def products(self, catalog: Catalog, offset: int, count: int) -> NDArray[np.bool_]:
        """Which products of a block (``count`` of them from ``offset``) it concerns."""
        chosen = np.ones(count, dtype=np.bool_)
        rows = slice(offset, offset + count)
        if self.product is not None:
            chosen &= np.arange(offset, offset + count) == self.product
        if self.category is not None:
            names = [c.name for c in CATEGORIES]
            chosen &= catalog.category[rows] == names.index(self.category)
        if self.brand is not None:
            chosen &= catalog.brand[rows] == BRANDS.index(self.brand)
        return chosen

    def channels(self) -> NDArray[np.bool_]:
        """Which channels it concerns."""
        return np.array([self.channel is None or c == self.channel for c in CHANNELS])

    def scope(self, catalog: Catalog) -> dict[str, str]:
        """Whom it concerns, as columns of the tables and their values."""
        named = {
            "product_id": None if self.product is None else catalog.product_id[self.product],
            "category": self.category,
            "brand": self.brand,
            "channel": self.channel,
            "region": self.region,
        }
        return {k: v for k, v in named.items() if v is not None}


@dataclass(frozen=True)
class Promotion:
    """A sale that the store itself held: known to everyone, so no surprise."""

    name: str
    start: date
    end: date
    discount_percent: int
    traffic: float
    appetite: float

    @property
    def days(self) -> slice:
        """Its days, as positions."""
        return slice((self.start - FIRST_DAY).days, (self.end - FIRST_DAY).days + 1)


@dataclass
class _Change:
    expected: float = 0.0
    actual: float = 0.0
    rows: int = 0


@dataclass
class Impact:
    """What an event changed: for each metric, what was to be expected without it and what came."""

    changes: dict[tuple[str, str], _Change] = field(default_factory=dict[tuple[str, str], _Change])

    def add(self, event: Event, metric: str, expected: float, actual: float, averaged_over: int = 0) -> None:
        """Add the part of one block; a metric that is an average says over how many rows."""
        change = self.changes.setdefault((event.event_id, metric), _Change())
        change.expected += float(expected)
        change.actual += float(actual)
        change.rows += averaged_over

    def effects(self, event: Event) -> list[dict[str, Any]]:
        """The changes of one event, as the manifest lists them."""
        return [
            {
                "metric": metric,
                "expected": round(c.expected / max(c.rows, 1), 2),
                "actual": round(c.actual / max(c.rows, 1), 2),
                "change": round(c.actual / c.expected - 1, 4) if c.expected else None,
            }
            for (event_id, metric), c in self.changes.items()
            if event_id == event.event_id
        ]


EVENTS = (
    Event(
        "stockout-spring-2024", EventKind.STOCKOUT, date(2024, 5, 13), date(2024, 5, 22), 0.0,
        "A best seller ran out and its delivery came late.", product=3,
    ),
    Event(
        "suspension-2024", EventKind.LISTING_SUSPENSION, date(2024, 10, 7), date(2024, 10, 15), 0.0,
        "A listing was taken down after a policy warning.", product=4,
    ),
    Event(
        "ad-pause-winter-2025", EventKind.AD_PAUSE, date(2025, 2, 10), date(2025, 2, 21), 0.55,
        "Advertising on the marketplace was paused.", channel="marketplace",
    ),
    Event(
        "stockout-spring-2025", EventKind.STOCKOUT, date(2025, 3, 10), date(2025, 3, 19), 0.0,
        "The most visited product ran out.", product=0,
    ),
    Event(
        "outage-2025", EventKind.REGIONAL_OUTAGE, date(2025, 3, 24), date(2025, 3, 28), 0.08,
        "Carriers could not serve one region.", region="north",
    ),
    Event(
        "price-cut-2025", EventKind.COMPETITOR_PRICE_CUT, date(2025, 5, 5), date(2025, 6, 8), 0.78,
        "A rival cut its prices in one category.", category="Audio",
    ),
    Event(
        "review-wave-2025", EventKind.REVIEW_WAVE, date(2025, 6, 16), date(2025, 7, 6), 0.5,
        "A faulty batch brought a wave of bad reviews and put buyers off.", product=2,
    ),
    Event(
        "returns-2025", EventKind.RETURNS_SPIKE, date(2025, 9, 1), date(2025, 9, 21), 4.0,
        "Orders of one brand came back far more often than usual.", brand="Fenlow",
    ),
    Event(
        "ad-pause-autumn-2025", EventKind.AD_PAUSE, date(2025, 10, 27), date(2025, 11, 2), 0.3,
        "Paid search was paused in the last week.", channel="paid_search",
    ),
    Event(
        "stockout-autumn-2025", EventKind.STOCKOUT, date(2025, 10, 27), date(2025, 11, 2), 0.0,
        "The second most visited product ran out in the last week.", product=1,
    ),
    Event(
        "august-2024", EventKind.SEASONAL_DIP, date(2024, 8, 5), date(2024, 8, 25), 0.72,
        "The quiet weeks of August, as every year.",
    ),
    Event(
        "august-2025", EventKind.SEASONAL_DIP, date(2025, 8, 4), date(2025, 8, 24), 0.72,
        "The quiet weeks of August, as every year.",
    ),
)  # fmt: skip
PROMOTIONS = (
    Promotion("Black week 2023", date(2023, 11, 20), date(2023, 11, 26), 20, 1.5, 1.25),
    Promotion("Spring sale 2024", date(2024, 4, 8), date(2024, 4, 14), 10, 1.15, 1.15),
    Promotion("Summer days 2024", date(2024, 7, 8), date(2024, 7, 11), 15, 1.25, 1.2),
    Promotion("Black week 2024", date(2024, 11, 25), date(2024, 12, 1), 20, 1.5, 1.25),
    Promotion("Spring sale 2025", date(2025, 4, 7), date(2025, 4, 13), 10, 1.15, 1.15),
    Promotion("Summer days 2025", date(2025, 7, 7), date(2025, 7, 10), 15, 1.25, 1.2),
)


def promotion_discount() -> NDArray[np.int64]:
    """The discount in percent that every order got on each day."""
    discount = np.zeros(DAYS, dtype=np.int64)
    for promotion in PROMOTIONS:
        discount[promotion.days] = promotion.discount_percent
    return discount


def manifest(catalog: Catalog, impact: Impact, *, seed: int, scale: float) -> dict[str, Any]:
    """Everything planted, for those who judge answers; the analyst never reads it."""
    last = FIRST_DAY.toordinal() + DAYS - 1
    return {
        "seed": seed,
        "scale": scale,
        "first_day": FIRST_DAY.isoformat(),
        "last_day": date.fromordinal(last).isoformat(),
        "regions": list(REGIONS),
        "events": [
            {
                "event_id": e.event_id,
                "kind": e.kind.value,
                "is_anomaly": e.is_anomaly,
                "start": e.start.isoformat(),
                "end": e.end.isoformat(),
                "scope": e.scope(catalog),
                "planted_factor": e.factor,
                "effects": impact.effects(e),
                "description": e.description,
            }
            for e in EVENTS
        ],
        "promotions": [
            {
                "name": p.name,
                "start": p.start.isoformat(),
                "end": p.end.isoformat(),
                "discount_percent": p.discount_percent,
            }
            for p in PROMOTIONS
        ],
    }
