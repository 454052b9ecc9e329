"""One block of products through two years: its rows in every table, and what each event changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.data import demo_demand as demand
from gnomon.data.demo_catalog import FIRST_DAY, REGION_SHARE, REGIONS, Catalog
from gnomon.data.demo_events import EVENTS, Event, EventKind, Impact
from gnomon.data.demo_orders import Orders, daily_units, draw_orders, return_chance, stock
from gnomon.data.demo_reviews import REVIEWED_SHARE, Reviews, write_reviews

if TYPE_CHECKING:
    from numpy.typing import NDArray

Columns = dict[str, Any]


@dataclass(frozen=True)
class Happened:
    """What was drawn for a block."""

    block: demand.Block
    sessions: NDArray[np.int64]
    spend_cents: NDArray[np.int64]
    orders: Orders
    rival_cents: NDArray[np.int64]
    reviews: Reviews


def simulate(catalog: Catalog, offset: int, count: int, seed: int, impact: Impact) -> dict[str, Columns]:
    """Play the two years of ``count`` products from ``offset`` on; ``impact`` gets what the events changed."""
    rng = np.random.default_rng([seed, 202, offset])
    block = demand.make_block(catalog, offset, count, rng)
    mean = demand.expected_sessions(block, EVENTS)
    sessions = rng.poisson(mean)
    spend = demand.ad_spend_cents(block, mean, EVENTS, rng)
    chance = demand.conversion(block, EVENTS)
    orders = draw_orders(block, rng.binomial(sessions, chance[:, :, None]), EVENTS, rng)
    reviews = write_reviews(block, orders, EVENTS, rng)
    happened = Happened(block, sessions, spend, orders, demand.rival_prices(block, EVENTS), reviews)
    on_hand, inbound = stock(block, daily_units(orders, count), EVENTS, rng)
    for event in EVENTS:
        if block.concerned(event).any():
            _account_for(event, happened, impact)
    return {
        "orders": _order_columns(happened),
        "traffic": _traffic_columns(happened, rng),
        "inventory": _day_columns(block, {
            "on_hand": on_hand,
            "inbound": inbound,
            "stockout_hours": demand.stockout_hours(block, EVENTS),
        }),
        "prices": _day_columns(block, {
            "price": block.price_cents / 100,
            "competitor_price": happened.rival_cents / 100,
            "buy_box_share": demand.buy_box(block, happened.rival_cents),
        }),
        "reviews": _review_columns(happened),
    }  # fmt: skip


def _account_for(event: Event, happened: Happened, impact: Impact) -> None:
    """Compare what came with what was to be expected had this one event not taken place."""
    block, orders = happened.block, happened.orders
    others = [e for e in EVENTS if e is not event]
    products, channels = block.concerned(event), event.channels()
    cells = products[:, None] & channels[None, :]
    visits = demand.expected_sessions(block, others, event.days)
    mean = visits * demand.conversion(block, others, event.days)[:, :, None]
    share = 1.0 if event.region is None else REGION_SHARE[REGIONS.index(event.region)]
    during = (orders.day >= event.days.start) & (orders.day < event.days.stop)
    during &= products[orders.product] & channels[orders.channel]
    if event.region is not None:
        during &= orders.region == REGIONS.index(event.region)
    if event.kind is not EventKind.RETURNS_SPIKE:
        impact.add(event, "orders", mean[:, cells].sum() * share, int(during.sum()))
    if event.kind in demand.TRAFFIC_EVENTS:
        impact.add(event, "sessions", visits[:, cells].sum(), happened.sessions[event.days][:, cells].sum())
    if event.kind is EventKind.AD_PAUSE:
        paid = (visits * demand.CLICK_CENTS)[:, cells].sum() / 100
        impact.add(event, "ad_spend", paid, happened.spend_cents[event.days][:, cells].sum() / 100)
    if event.kind is EventKind.COMPETITOR_PRICE_CUT:
        on_sale = block.on_sale()[event.days] & products[None, :]
        usual = demand.rival_prices(block, others)[event.days][on_sale].sum() / 100
        seen = happened.rival_cents[event.days][on_sale].sum() / 100
        impact.add(event, "competitor_price", usual, seen, averaged_over=int(on_sale.sum()))
    if event.kind is EventKind.RETURNS_SPIKE:
        chance = return_chance(block, others, orders.day[during], orders.product[during])
        impact.add(event, "returns", chance.sum(), int(orders.returned[during].sum()))
    if event.kind is EventKind.REVIEW_WAVE:
        reviews = happened.reviews
        written = (
            (reviews.day >= event.days.start) & (reviews.day < event.days.stop) & products[reviews.product]
        )
        impact.add(event, "reviews", mean[:, cells].sum() * REVIEWED_SHARE, int(written.sum()))


def _order_columns(happened: Happened) -> Columns:
    orders = happened.orders
    return {
        "order_date": FIRST_DAY.toordinal() + orders.day,
        "product_id": orders.product,
        "channel": orders.channel,
        "region": orders.region,
        "units": orders.units,
        "unit_price": orders.price_cents / 100,
        "discount": orders.discount_percent / 100,
        "revenue": orders.revenue_cents / 100,
        "cost": orders.cost_cents / 100,
        "returned": orders.returned,
    }


def _traffic_columns(happened: Happened, rng: np.random.Generator) -> Columns:
    block = happened.block
    shown = np.broadcast_to(block.on_sale()[:, :, None], happened.sessions.shape)
    day, product, channel = np.nonzero(shown)
    sessions = happened.sessions[shown]
    return {
        "date": FIRST_DAY.toordinal() + day,
        "product_id": product,
        "channel": channel,
        "sessions": sessions,
        "page_views": sessions + rng.poisson(sessions * 0.7),
        "ad_spend": happened.spend_cents[shown] / 100,
    }


def _day_columns(block: demand.Block, values: dict[str, NDArray[Any]]) -> Columns:
    shown = block.on_sale()
    day, product = np.nonzero(shown)
    return {
        "date": FIRST_DAY.toordinal() + day,
        "product_id": product,
        **{name: array[shown] for name, array in values.items()},
    }


def _review_columns(happened: Happened) -> Columns:
    reviews = happened.reviews
    return {
        "date": FIRST_DAY.toordinal() + reviews.day,
        "product_id": reviews.product,
        "rating": reviews.rating,
        "text": reviews.text,
    }
