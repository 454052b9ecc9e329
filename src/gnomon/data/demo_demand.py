"""How many visit and how many of them buy: traffic, prices and conversion of a block of products.

Arrays are (day, product) or (day, product, channel). Each is made once without events and once with them,
so that what an event changed is known exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from gnomon.data.demo_catalog import CATEGORIES, CHANNEL_SHARE, CHANNELS, DAYS, FIRST_DAY, Catalog
from gnomon.data.demo_events import PROMOTIONS, Event, EventKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEEKDAYS = np.array([1.04, 1.02, 1.0, 0.98, 0.95, 0.97, 1.04])
YEARLY_GROWTH = 0.12
PRICE_ELASTICITY = 1.6
STOCKOUT_VISITS = 0.8
# What an advertised session costs, by channel, in cents.
CLICK_CENTS = np.array([0.0, 42.0, 18.0])
TRAFFIC_EVENTS = {EventKind.AD_PAUSE, EventKind.LISTING_SUSPENSION, EventKind.SEASONAL_DIP}
WHOLE = slice(0, DAYS)


@dataclass(frozen=True)
class Block:
    """Some consecutive products of the catalogue, with the chances that are drawn once for them."""

    catalog: Catalog
    offset: int
    visits: NDArray[np.float64]
    price_cents: NDArray[np.int64]
    rival_cents: NDArray[np.float64]
    rival_luck: NDArray[np.float64]
    short_hours: NDArray[np.int64]
    appetite: NDArray[np.float64]

    @property
    def count(self) -> int:
        """How many products it has."""
        return self.visits.shape[1]

    @property
    def rows(self) -> slice:
        """Its products within the catalogue."""
        return slice(self.offset, self.offset + self.count)

    def on_sale(self) -> NDArray[np.bool_]:
        """Whether each product was on sale on each day."""
        return np.arange(DAYS)[:, None] >= self.catalog.launch_day[None, self.rows]

    def concerned(self, event: Event) -> NDArray[np.bool_]:
        """The products of this block that the event concerns."""
        return event.products(self.catalog, self.offset, self.count)


def make_block(catalog: Catalog, offset: int, count: int, rng: np.random.Generator) -> Block:
    """Draw everything about a block that no event changes."""
    rows = slice(offset, offset + count)
    listed = catalog.list_cents[rows].astype(np.float64)
    price = np.rint(listed * _steps(rng, count, 63, 0.93, 1.05)).astype(np.int64)
    level = rng.uniform(0.98, 1.08, count)
    rival = price * level * _steps(rng, count, 11, 0.975, 1.025)
    short = np.where(rng.random((DAYS, count)) < 0.003, rng.integers(1, 6, (DAYS, count)), 0)
    return Block(
        catalog=catalog,
        offset=offset,
        visits=_visits(catalog, rows, rng),
        price_cents=price,
        rival_cents=rival,
        rival_luck=rng.normal(0, 0.12, (DAYS, count)),
        short_hours=short,
        appetite=_promotion_curve("appetite")[:, None] * catalog.conversion[None, rows],
    )


def _steps(rng: np.random.Generator, count: int, every: int, low: float, high: float) -> NDArray[np.float64]:
    """Factors that stay for ``every`` days and then jump, at a different day for each product."""
    levels = rng.uniform(low, high, (DAYS // every + 2, count))
    position = (np.arange(DAYS)[:, None] + rng.integers(0, every, count)[None, :]) // every
    return np.take_along_axis(levels, position, axis=0)


def _visits(catalog: Catalog, rows: slice, rng: np.random.Generator) -> NDArray[np.float64]:
    popular = catalog.daily_sessions[rows]
    noise = rng.lognormal(-0.005, 0.1, (DAYS, len(popular)))
    share = rng.dirichlet(np.array(CHANNEL_SHARE) * 60, len(popular))
    ramp = np.clip((np.arange(DAYS)[:, None] - catalog.launch_day[None, rows] + 1) / 30, 0, 1)
    daily = seasons()[:, catalog.category[rows]] * popular[None, :] * noise * ramp
    return daily[:, :, None] * share[None, :, :]


def seasons() -> NDArray[np.float64]:
    """What the calendar does to traffic, by day and category: week, year, holidays, promotions, growth."""
    days = [FIRST_DAY + timedelta(days=i) for i in range(DAYS)]
    of_year = np.array([d.timetuple().tm_yday for d in days], dtype=np.float64)
    strength = np.array([c.season for c in CATEGORIES])
    peak = np.array([c.peak_day for c in CATEGORIES])
    yearly = 1 + strength[None, :] * np.cos(2 * np.pi * (of_year[:, None] - peak[None, :]) / 365.25)
    gifts = 1 + 0.4 * np.exp(-(((of_year - 348) / 11) ** 2))
    gifts[(of_year >= 358) | (of_year <= 3)] = 0.85
    growth = 1 + YEARLY_GROWTH * np.arange(DAYS) / 365
    weekly = WEEKDAYS[np.array([d.weekday() for d in days])]
    return yearly * (gifts * growth * weekly * _promotion_curve("traffic"))[:, None]


def _promotion_curve(what: str) -> NDArray[np.float64]:
    curve = np.ones(DAYS)
    for promotion in PROMOTIONS:
        curve[promotion.days] = getattr(promotion, what)
    return curve


def expected_sessions(block: Block, events: Sequence[Event], days: slice = WHOLE) -> NDArray[np.float64]:
    """The mean number of sessions under ``events``, by day, product and channel."""
    factor = np.ones((DAYS, block.count, len(CHANNELS)))
    for event in events:
        if event.kind in TRAFFIC_EVENTS or event.kind is EventKind.STOCKOUT:
            change = STOCKOUT_VISITS if event.kind is EventKind.STOCKOUT else event.factor
            where = block.concerned(event)[:, None] & event.channels()[None, :]
            factor[event.days, where] *= change
    return block.visits[days] * factor[days]


def rival_prices(block: Block, events: Sequence[Event]) -> NDArray[np.int64]:
    """The rival's price in cents under ``events``."""
    cents = block.rival_cents.copy()
    for event in events:
        if event.kind is EventKind.COMPETITOR_PRICE_CUT:
            cents[event.days, block.concerned(event)] *= event.factor
    return np.rint(cents).astype(np.int64)


def buy_box(block: Block, rival: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share of visits in which the store's own offer is shown first."""
    advantage = rival / block.price_cents - 1
    return np.round(1 / (1 + np.exp(-(8 * advantage + 1.4 + block.rival_luck))), 4)


def stockout_hours(block: Block, events: Sequence[Event]) -> NDArray[np.int64]:
    """Hours of each day in which a product could not be bought."""
    hours = block.short_hours.copy()
    for event in events:
        if event.kind is EventKind.STOCKOUT:
            hours[event.days, block.concerned(event)] = 24
    return hours


def conversion(block: Block, events: Sequence[Event], days: slice = WHOLE) -> NDArray[np.float64]:
    """The chance that a session ends in an order under ``events``."""
    box = buy_box(block, rival_prices(block, events))
    relative = block.price_cents / block.catalog.list_cents[None, block.rows]
    chance = block.appetite * relative**-PRICE_ELASTICITY * (box / 0.8) ** 0.9
    chance *= 1 - stockout_hours(block, events) / 24
    for event in events:
        if event.kind is EventKind.REVIEW_WAVE:
            chance[event.days, block.concerned(event)] *= event.factor
    return np.clip(chance, 0, 0.6)[days]


def ad_spend_cents(
    block: Block, sessions: NDArray[np.float64], events: Sequence[Event], rng: np.random.Generator
) -> NDArray[np.int64]:
    """What was paid for advertised sessions, in cents; nothing while advertising is paused."""
    price = CLICK_CENTS * rng.lognormal(0, 0.08, (DAYS, 1, 1)) * rng.lognormal(0, 0.15, (1, block.count, 1))
    spend = np.rint(sessions * price).astype(np.int64)
    for event in events:
        if event.kind is EventKind.AD_PAUSE:
            spend[event.days, np.ones((block.count, 1), dtype=np.bool_) & event.channels()[None, :]] = 0
    return spend
