"""Fresh stores with known causes, for judging diagnoses: other tables, mechanisms and noise than the demo store.

A store is eight tables of about a year and a half. What happened in it is drawn at random and returned beside the
tables: for judging answers, never for making them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd

FIRST = date(2023, 3, 6)
CHANNELS = ("direct", "search_ads", "social_ads", "partner")
PAID = {"search_ads": 0.35, "social_ads": 0.22}
SITES = ("Lisbon", "Porto", "Faro", "Braga", "Evora")
FAMILIES = ("Boots", "Jackets", "Tents", "Stoves", "Packs", "Ropes", "Maps", "Socks")
MAKERS = ("Arvik", "Bolsen", "Cairne", "Drumlin", "Eskar", "Fjellet", "Grote", "Hekla", "Ixel", "Jotun")

KNOWN = (
    "stockout",
    "rival_price",
    "ad_pause",
    "review_wave",
    "suspension",
    "returns",
    "site_outage",
    "season",
)
"""Mechanisms that the demo store has too: for development."""
UNKNOWN = ("slow_price", "delivery_lag", "slow_pages", "ad_fraud", "payment_pair", "viral", "price_drop", "stale_feed",
           "rating_drift")  # fmt: skip
"""Mechanisms that it has not: kept apart for measuring."""


@dataclass(frozen=True)
class Planted:
    """Something that was planted.

    Args:
        kind: The mechanism.
        start: Its first day, as a position.
        days: How long it lasts.
        scope: Whom it concerns: columns and values.
        recorded: Columns that record it, as (table, column); empty where nothing does.
        metric: The column that the question is about: an amount, or whether rows came back.
        rise: Whether the metric rises.
    """

    kind: str
    start: int
    days: int
    scope: dict[str, str]
    recorded: tuple[tuple[str, str], ...]
    metric: str = "amount"
    rise: bool = False


@dataclass
class Store:
    """Tables, and what was planted in them."""

    seed: int
    days: int
    tables: dict[str, pd.DataFrame]
    planted: list[Planted]
    decoys: list[str] = field(default_factory=list[str])

    def day(self, position: int) -> date:
        """The day at a position."""
        return FIRST + timedelta(days=position)


def make_store(
    seed: int,
    kinds: tuple[str, ...],
    *,
    days: int = 520,
    products: int = 80,
    heavy: bool = False,
    decoys: bool = False,
    together: bool = False,
    made_by: type[World] | None = None,
) -> Store:
    """Play a store.

    Args:
        seed: The same seed gives the same store.
        kinds: The mechanisms to plant, in order of time.
        days: How many days it has.
        products: How many articles it sells.
        heavy: Whether visits have heavy-tailed shocks.
        decoys: Whether series that do nothing move at the same time.
        together: Whether the mechanisms all happen in the same week.
        made_by: Where noise and mechanisms come from; :class:`World` by default.
    """
    rng = np.random.default_rng([seed, 77])
    world = (made_by or World)(rng, days, products, heavy)
    at = days - 150 - 40 * max(0, len(kinds) - 3)
    planted: list[Planted] = []
    for i, kind in enumerate(kinds):
        start = (days - 60 if together else at + i * 42) // 7 * 7 + int(
            rng.integers(0, 3) * 7 if not together else 0
        )
        start = max(start, 392) if kind == "season" else start
        start = start if together or not planted else max(start, planted[-1].start + 35)
        start = min(start, days - 15)
        planted.append(getattr(world, f"_{kind}")(start, int(rng.integers(8, 18)), i))
    fooled = world.fool([p.start for p in planted]) if decoys else []
    return Store(seed, days, world.tables(), planted, fooled)


class World:
    """Everything that may change in a store, by day and whatever it is recorded for."""

    def __init__(self, rng: np.random.Generator, days: int, products: int, heavy: bool) -> None:
        self.rng, self.days, self.products = rng, days, products
        n = products
        self.family = np.concatenate([rng.permutation(len(FAMILIES)) for _ in range(-(-n // len(FAMILIES)))])[
            :n
        ]
        self.maker = np.concatenate([rng.permutation(len(MAKERS)) for _ in range(-(-n // len(MAKERS)))])[:n]
        self.popular = np.sort(rng.lognormal(2.6, 0.75, n))[::-1] * 6.4
        self.price0 = np.round(rng.uniform(12, 140, n), 2)
        self.convert = rng.uniform(0.03, 0.07, n)
        t = np.arange(days)
        phase, depth = rng.uniform(0, 365, len(FAMILIES)), rng.uniform(0.05, 0.3, len(FAMILIES))
        self.season = 1 + depth[self.family] * np.cos(2 * np.pi * (t[:, None] - phase[self.family]) / 365)
        week = rng.uniform(0.8, 1.2, 7)
        common = week[(t + FIRST.weekday()) % 7] * (1 + rng.uniform(-0.1, 0.25) * t / 365)
        wander = np.cumsum(rng.normal(0, 0.008, days))
        self.common = common * np.exp(wander - wander.mean())
        shock = rng.standard_t(3, (days, n)) * 0.11 if heavy else rng.normal(0, 0.1, (days, n))
        self.visits = self.season * self.common[:, None] * self.popular * np.exp(np.clip(shock, -1.5, 1.5))
        self.mix = rng.dirichlet(np.array([4, 3, 2, 3]) * 8, n)
        self.where = rng.dirichlet(np.array([5, 4, 3, 3, 2]) * 20)
        # Everything that may change, by day and whatever it is recorded for.
        self.price = np.round(self.price0 * self._levels(n, 45, 0.96, 1.04), 2)
        self.rival = np.round(self.price * rng.uniform(0.97, 1.08, n) * self._levels(n, 13, 0.98, 1.02), 2)
        self.visit_factor = np.ones((days, n, 4))
        self.convert_factor = np.ones((days, n, 4, 5))
        self.out_hours = np.where(rng.random((days, n)) < 0.004, rng.integers(1, 5, (days, n)), 0)
        self.spend_factor = np.ones((days, n, 4))
        self.click = rng.lognormal(0, 0.1, (days, 1, 1))
        self.bad_reviews = np.zeros((days, n))
        self.rating_shift = np.zeros((days, n))
        self.return_rate = rng.uniform(0.03, 0.09, n)[None, :] * np.ones((days, 1))
        self.page_ms = 900 * rng.lognormal(0, 0.05, (days, 4)) * np.array([1.0, 1.1, 1.2, 0.9])
        self.delivery = np.maximum(1.0, rng.normal(2.6, 0.2, (days, 5)))
        self.mentions = rng.poisson(0.4, (days, n)).astype(float)
        self.warnings, self.score = np.zeros(days), 4.7 + 0.04 * np.cumsum(rng.normal(0, 0.03, days))
        self.late = 0.02 * rng.lognormal(0, 0.15, days)
        self.fresh = np.maximum(0.2, rng.normal(1.0, 0.15, (days, len(MAKERS))))

    def _levels(self, n: int, every: int, low: float, high: float) -> Any:
        held = self.rng.uniform(low, high, (self.days // every + 2, n))
        at = (np.arange(self.days)[:, None] + self.rng.integers(0, every, n)[None, :]) // every
        return np.take_along_axis(held, at, axis=0)

    # Mechanisms that the demo store has too

    def _span(self, start: int, days: int) -> slice:
        return slice(start, min(self.days, start + days))

    def _article(self, i: int) -> int:
        """A best seller where the whole store is asked about, any of the better ones where it is asked about itself."""
        return int(self.rng.integers(0, 4)) if i % 2 == 0 else int(self.rng.integers(0, 12))

    def _one_of(self, kinds: Any, count: int) -> int:
        """A kind of article among the better half by what it brings in: a change of it can be seen in the whole."""
        worth = np.bincount(kinds, self.popular * self.convert * self.price0, count)
        return int(self.rng.choice(np.argsort(worth)[count // 2 :]))

    def _stockout(self, start: int, days: int, i: int) -> Planted:
        p = self._article(i)
        self.out_hours[self._span(start, days), p] = 24
        self.visit_factor[self._span(start, days), p] *= 0.85
        return Planted(
            "stockout",
            start,
            days,
            {"article": article_name(p)},
            (("stock", "hours_out"), ("stock", "on_shelf")),
        )

    def _rival_price(self, start: int, days: int, i: int) -> Planted:
        f = self._one_of(self.family, len(FAMILIES))
        hit, cut = self.family == f, self.rng.uniform(0.72, 0.85)
        span = self._span(start, days + 7)
        self.rival[span, hit] = np.round(self.rival[span, hit] * cut, 2)
        self.convert_factor[span, hit] *= self.rng.uniform(0.55, 0.7)
        return Planted("rival_price", start, days + 7, {"family": FAMILIES[f]}, (("offers", "rival_price"),))

    def _ad_pause(self, start: int, days: int, i: int) -> Planted:
        c = CHANNELS.index(str(self.rng.choice(list(PAID))))
        self.visit_factor[self._span(start, days), :, c] *= self.rng.uniform(0.25, 0.6)
        self.spend_factor[self._span(start, days), :, c] = 0
        return Planted("ad_pause", start, days, {"channel": CHANNELS[c]}, (("visits", "ad_cost"),))

    def _review_wave(self, start: int, days: int, i: int) -> Planted:
        p = self._article(i)
        self.bad_reviews[self._span(start, days + 5), p] = 2.5
        self.convert_factor[self._span(start, days + 5), p] *= self.rng.uniform(0.35, 0.55)
        recorded = (("feedback", "stars"), ("feedback", ""))
        return Planted("review_wave", start, days + 5, {"article": article_name(p)}, recorded)

    def _suspension(self, start: int, days: int, i: int) -> Planted:
        p = self._article(i)
        self.visit_factor[self._span(start, days), p] = 0
        self.warnings[self._span(start, days)] += 1
        return Planted(
            "suspension",
            start,
            days,
            {"article": article_name(p)},
            (("visits", "visits"), ("health", "notices")),
        )

    def _returns(self, start: int, days: int, i: int) -> Planted:
        m = self._one_of(self.maker, len(MAKERS))
        self.return_rate[self._span(start, days + 14)] *= np.where(
            self.maker == m, self.rng.uniform(3.5, 5), 1
        )
        return Planted("returns", start, days + 14, {"maker": MAKERS[m]}, (), "came_back", True)

    def _site_outage(self, start: int, days: int, i: int) -> Planted:
        s = int(self.rng.integers(0, 4))
        self.convert_factor[self._span(start, days), :, :, s] *= self.rng.uniform(0.05, 0.3)
        self.late[self._span(start, days + 4)] += 0.05
        return Planted("site_outage", start, days, {"site": SITES[s]}, (("health", "late_share"),))

    def _season(self, start: int, days: int, i: int) -> Planted:
        dip = self.rng.uniform(0.6, 0.72)
        for s in (start, start - 364):
            self.visit_factor[self._span(max(0, s), 14)] *= dip
        return Planted("season", start, 14, {}, ())

    # Mechanisms that it has not

    def _slow_price(self, start: int, days: int, i: int) -> Planted:
        """A maker's prices creep up over two weeks, and buyers leave as they do."""
        m = self._one_of(self.maker, len(MAKERS))
        hit, span = self.maker == m, slice(start, self.days)
        ramp = np.clip((np.arange(self.days - start) + 1) / 10, 0, 1)[:, None]
        raised = 1 + 0.35 * ramp
        self.price[span, hit] = np.round(self.price[span][:, hit] * raised, 2)
        self.convert_factor[span, hit] *= (raised**-2.6)[:, :, None, None]
        return Planted(
            "slow_price", start, 28, {"maker": MAKERS[m]}, (("offers", "our_price"), ("sales", "price"))
        )

    def _delivery_lag(self, start: int, days: int, i: int) -> Planted:
        """Deliveries to one place take longer; four days later buyers there stay away."""
        s = int(self.rng.integers(0, 4))
        self.delivery[start - 4 : start + days + 4, s] += self.rng.uniform(2.5, 4)
        self.convert_factor[self._span(start, days), :, :, s] *= self.rng.uniform(0.4, 0.6)
        return Planted("delivery_lag", start, days, {"site": SITES[s]}, (("couriers", "delivery_days"),))

    def _slow_pages(self, start: int, days: int, i: int) -> Planted:
        """Pages load slowly for visitors of one channel."""
        c = int(self.rng.integers(0, 4))
        self.page_ms[self._span(start, days), c] *= self.rng.uniform(2.5, 4)
        self.convert_factor[self._span(start, days), :, c] *= self.rng.uniform(0.45, 0.65)
        return Planted("slow_pages", start, days, {"channel": CHANNELS[c]}, (("pages", "load_ms"),))

    def _ad_fraud(self, start: int, days: int, i: int) -> Planted:
        """Spending on one channel doubles on clicks that never buy: conversion falls, sales do not."""
        c = CHANNELS.index(str(self.rng.choice(list(PAID))))
        span = self._span(start, days)
        self.visit_factor[span, :, c] *= 2.2
        self.convert_factor[span, :, c] /= 2.2
        recorded = (("visits", "ad_cost"), ("visits", "visits"))
        return Planted("ad_fraud", start, days, {"channel": CHANNELS[c]}, recorded, "conversion")

    def _payment_pair(self, start: int, days: int, i: int) -> Planted:
        """Payment fails for one channel in one place; nothing records it."""
        c, s = int(self.rng.integers(0, 2)), int(self.rng.integers(0, 2))
        self.convert_factor[self._span(start, days), :, c, s] *= 0.05
        return Planted("payment_pair", start, days, {"channel": CHANNELS[c], "site": SITES[s]}, ())

    def _viral(self, start: int, days: int, i: int) -> Planted:
        """An article is talked about and visited."""
        p = self._article(i)
        span = self._span(start, days)
        self.mentions[span, p] += self.rng.poisson(14, len(range(*span.indices(self.days))))
        self.visit_factor[span, p] *= self.rng.uniform(2.2, 3.2)
        return Planted("viral", start, days, {"article": article_name(p)}, (("buzz", "mentions"),), rise=True)

    def _price_drop(self, start: int, days: int, i: int) -> Planted:
        """The store cuts the prices of one family, and sells far more of it."""
        f = self._one_of(self.family, len(FAMILIES))
        hit, span = self.family == f, self._span(start, days)
        self.price[span, hit] = np.round(self.price[span][:, hit] * 0.75, 2)
        self.convert_factor[span, hit] *= 2.1
        return Planted("price_drop", start, days, {"family": FAMILIES[f]}, (("offers", "our_price"), ("sales", "price")), rise=True)  # fmt: skip

    def _stale_feed(self, start: int, days: int, i: int) -> Planted:
        """The catalogue feed of one maker goes stale, so that its articles are hardly found."""
        m = self._one_of(self.maker, len(MAKERS))
        hit, span = self.maker == m, self._span(start, days)
        self.fresh[span, m] += np.arange(len(range(*span.indices(self.days)))) + 4
        self.visit_factor[span, hit] *= self.rng.uniform(0.35, 0.5)
        return Planted("stale_feed", start, days, {"maker": MAKERS[m]}, (("feeds", "age_days"),))

    def _rating_drift(self, start: int, days: int, i: int) -> Planted:
        """The store's own score falls, and everybody buys less."""
        self.score[start:] -= 0.9
        self.convert_factor[start:] *= self.rng.uniform(0.6, 0.7)
        return Planted("rating_drift", start, days, {}, (("health", "store_score"),))

    def fool(self, starts: list[int]) -> list[str]:
        """Series that move at the same time and do nothing."""
        for start in starts:
            span = self._span(start, 12)
            self.mentions[span, self.rng.integers(20, self.products, 3)] += 9
            self.fresh[span, int(self.rng.integers(0, len(MAKERS)))] += 3
            self.late[span] += 0.03
        return ["mentions of slow articles", "age of one feed", "late share of the whole store"]

    # Tables

    def tables(self) -> dict[str, pd.DataFrame]:
        """What the store recorded."""
        rng, days, n = self.rng, self.days, self.products
        when = np.array([np.datetime64(FIRST) + t for t in range(days)])
        articles = np.array([article_name(p) for p in range(n)])
        mean = self.visits[:, :, None] * self.mix[None] * self.visit_factor
        visits = rng.poisson(mean)
        price_effect = (self.price / self.price0) ** -0.0
        chance = (self.convert * price_effect)[:, :, None, None] * self.where * self.convert_factor
        chance = chance * (1 - self.out_hours / 24)[:, :, None, None]
        orders = rng.poisson(visits[:, :, :, None] * np.clip(chance, 0, 0.9))
        d, p, c, s = (np.repeat(i, orders.ravel()) for i in np.indices(orders.shape).reshape(4, -1))
        pieces = 1 + (rng.random(len(d)) < 0.2) + (rng.random(len(d)) < 0.05)
        paid = self.price[d, p]
        sales = pd.DataFrame({
            "sale_no": np.arange(1, len(d) + 1) + 40_000, "sold_on": when[d], "article": articles[p],
            "channel": np.array(CHANNELS)[c], "site": np.array(SITES)[s], "pieces": pieces, "price": paid,
            "amount": np.round(pieces * paid, 2), "came_back": rng.random(len(d)) < self.return_rate[d, p],
        })  # fmt: skip
        spend = np.zeros(mean.shape)
        for name, cents in PAID.items():
            spend[:, :, CHANNELS.index(name)] = mean[:, :, CHANNELS.index(name)] * cents
        spend *= self.click * self.spend_factor
        vd, vp, vc = np.indices(visits.shape).reshape(3, -1)
        dd, dp = np.indices((days, n)).reshape(2, -1)
        shelf = np.maximum(0, (60 * (1 - (np.arange(days)[:, None] % 14) / 20) * np.ones(n)).round())
        shelf[self.out_hours >= 24] = 0
        kept = rng.random(len(d)) < 0.05
        rd = np.minimum(days - 1, d[kept] + rng.integers(2, 12, kept.sum()))
        stars = np.clip(np.rint(rng.normal(4.1, 0.9, kept.sum())), 1, 5)
        extra = rng.poisson(self.bad_reviews)
        ed, ep = (np.repeat(i, extra.ravel()) for i in np.indices(extra.shape).reshape(2, -1))
        feedback = pd.DataFrame({
            "feedback_no": np.arange(kept.sum() + len(ed)) + 900, "written_on": when[np.concatenate([rd, ed])],
            "article": articles[np.concatenate([p[kept], ep])],
            "stars": np.concatenate([stars, rng.integers(1, 3, len(ed))]).astype(int),
        })  # fmt: skip
        cd, cc = np.indices((days, 4)).reshape(2, -1)
        sd, ss = np.indices((days, 5)).reshape(2, -1)
        fd, fm = np.indices((days, len(MAKERS))).reshape(2, -1)
        return {
            "sales": sales,
            "articles": pd.DataFrame({"article": articles, "family": np.array(FAMILIES)[self.family],
                                      "maker": np.array(MAKERS)[self.maker]}),
            "visits": pd.DataFrame({"day": when[vd], "article": articles[vp], "channel": np.array(CHANNELS)[vc],
                                    "visits": visits.ravel(), "ad_cost": np.round(spend.ravel(), 2)}),
            "stock": pd.DataFrame({"day": when[dd], "article": articles[dp], "on_shelf": shelf.ravel().astype(int),
                                   "hours_out": self.out_hours.ravel()}),
            "offers": pd.DataFrame({"day": when[dd], "article": articles[dp], "our_price": self.price.ravel(),
                                    "rival_price": self.rival.ravel()}),
            "feedback": feedback,
            "buzz": pd.DataFrame({"day": when[dd], "article": articles[dp],
                                  "mentions": self.mentions.ravel().astype(int)}),
            "pages": pd.DataFrame({"day": when[cd], "channel": np.array(CHANNELS)[cc],
                                   "load_ms": self.page_ms.ravel().round(1)}),
            "couriers": pd.DataFrame({"day": when[sd], "site": np.array(SITES)[ss],
                                      "delivery_days": self.delivery.ravel().round(2)}),
            "feeds": pd.DataFrame({"day": when[fd], "maker": np.array(MAKERS)[fm],
                                   "age_days": self.fresh.ravel().round(2)}),
            "health": pd.DataFrame({"day": when, "late_share": self.late.round(4), "notices": self.warnings.astype(int),
                                    "store_score": np.clip(self.score, 1, 5).round(3)}),
        }  # fmt: skip


def article_name(p: int) -> str:
    """What an article is called."""
    return f"A{p + 1:04d}"
