"""Orders of the demo store, drawn from visits and the chance to buy, and the stock that serves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.data.demo_catalog import CATEGORIES, DAYS, REGION_SHARE, REGIONS
from gnomon.data.demo_demand import Block
from gnomon.data.demo_events import Event, EventKind, promotion_discount

if TYPE_CHECKING:
    from numpy.typing import NDArray

DELIVERY_EVERY = 14
LAST_DELIVERY_BEFORE_STOCKOUT = 10


@dataclass(frozen=True)
class Orders:
    """Orders of a block in the sequence of their days; amounts are in cents, products count from the block."""

    day: NDArray[np.int64]
    product: NDArray[np.int64]
    channel: NDArray[np.int64]
    region: NDArray[np.int64]
    units: NDArray[np.int64]
    price_cents: NDArray[np.int64]
    discount_percent: NDArray[np.int64]
    revenue_cents: NDArray[np.int64]
    cost_cents: NDArray[np.int64]
    returned: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.day)


def draw_orders(
    block: Block, counts: NDArray[np.int64], events: Sequence[Event], rng: np.random.Generator
) -> Orders:
    """One row per order, for ``counts`` of orders by day, product and channel."""
    day, product, channel = (np.repeat(i, counts.ravel()) for i in np.indices(counts.shape).reshape(3, -1))
    region = np.searchsorted(np.cumsum(REGION_SHARE)[:-1], rng.random(len(day)), side="right")
    kept = np.ones(len(day), dtype=np.bool_)
    luck = rng.random(len(day))
    for event in events:
        if event.kind is EventKind.REGIONAL_OUTAGE and event.region is not None:
            hit = (
                (day >= event.days.start) & (day < event.days.stop) & (region == REGIONS.index(event.region))
            )
            kept &= ~hit | (luck < event.factor)
    day, product, channel, region = day[kept], product[kept], channel[kept], region[kept]
    n = len(day)
    units = 1 + (rng.random(n) < 0.18) + 2 * (rng.random(n) < 0.05)
    coupon = np.array([0, 5, 10])[np.searchsorted([0.84, 0.92], rng.random(n), side="right")]
    discount = np.maximum(coupon, promotion_discount()[day])
    price = block.price_cents[day, product]
    # Half a cent is rounded up, in whole numbers, so that the figure can be checked exactly.
    revenue = (units * price * (100 - discount) + 50) // 100
    return Orders(
        day=day,
        product=product,
        channel=channel,
        region=region,
        units=units,
        price_cents=price,
        discount_percent=discount,
        revenue_cents=revenue,
        cost_cents=units * block.catalog.cost_cents[block.rows][product],
        returned=rng.random(n) < return_chance(block, events, day, product),
    )


def return_chance(
    block: Block, events: Sequence[Event], day: NDArray[np.int64], product: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The chance that each order comes back: the category's rate, worse for poor products."""
    rate = np.array([c.return_rate for c in CATEGORIES])[block.catalog.category[block.rows]]
    chance = (rate * (1.78 - block.catalog.quality[block.rows]))[product]
    for event in events:
        if event.kind is EventKind.RETURNS_SPIKE:
            hit = (day >= event.days.start) & (day < event.days.stop) & block.concerned(event)[product]
            chance = np.where(hit, chance * event.factor, chance)
    return np.clip(chance, 0, 0.9)


def daily_units(orders: Orders, products: int) -> NDArray[np.int64]:
    """Units sold by day and product."""
    flat = np.bincount(
        orders.day * products + orders.product, weights=orders.units, minlength=DAYS * products
    )
    return flat.astype(np.int64).reshape(DAYS, products)


def stock(
    block: Block, units: NDArray[np.int64], events: Sequence[Event], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Stock at the end of each day and what was delivered, such that one follows from the other and sales.

    A delivery brings what is sold until the next one, plus the difference in reserve; where a stock-out is
    planted there is no reserve and the next delivery is late.
    """
    delivery = (
        np.arange(DAYS)[:, None] + rng.integers(0, DELIVERY_EVERY, block.count)[None, :]
    ) % DELIVERY_EVERY == 0
    empty = _make_deliveries_late(block, delivery, events)
    cycle = np.cumsum(delivery, axis=0)
    cycles = int(cycle.max()) + 1
    flat = cycle * block.count + np.arange(block.count)[None, :]
    sold = np.bincount(flat.ravel(), weights=units.ravel(), minlength=cycles * block.count)
    sold = sold.astype(np.int64).reshape(cycles, block.count)
    reserve = np.rint(rng.uniform(0.4, 1.1, (cycles, block.count)) * (sold.mean(axis=0) + 4)).astype(np.int64)
    for day, product in empty:
        reserve[cycle[day, product], product] = 0
    for k in range(cycles - 2, -1, -1):
        # A delivery cannot be negative, so the reserve before it is at most what it must cover.
        reserve[k] = np.minimum(reserve[k], sold[k + 1] + reserve[k + 1])
    arriving = np.zeros_like(sold)
    arriving[1:] = sold[1:] + reserve[1:] - reserve[:-1]
    inbound = np.where(delivery, np.take_along_axis(arriving, cycle, axis=0), 0)
    on_hand = (sold[0] + reserve[0])[None, :] + np.cumsum(inbound - units, axis=0)
    return on_hand, inbound


def _make_deliveries_late(
    block: Block, delivery: NDArray[np.bool_], events: Sequence[Event]
) -> list[tuple[int, int]]:
    """Move the deliveries around planted stock-outs; gives a day of each cycle that must end empty."""
    empty: list[tuple[int, int]] = []
    for event in events:
        if event.kind is not EventKind.STOCKOUT:
            continue
        for product in np.flatnonzero(block.concerned(event)).tolist():
            last = event.days.start - LAST_DELIVERY_BEFORE_STOCKOUT
            delivery[last : event.days.stop, product] = False
            delivery[last, product] = True
            if event.days.stop < DAYS:
                delivery[event.days.stop, product] = True
            empty.append((event.days.start, product))
    return empty
