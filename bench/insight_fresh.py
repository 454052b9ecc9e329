"""Stores for measuring once: mechanisms and noise that the generator did not have when the engine was written.

Nothing is tuned on these; whoever changes the engine after looking at them writes new ones first.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from insight_stores import CHANNELS, FAMILIES, MAKERS, PAID, SITES, Planted, World, article_name

FRESH = ("half_stock", "ad_surge", "undelivered", "bad_batch", "ended")
"""Short stock of a whole family, more advertising, a family that one place does not get, one article that comes back,
and a stock-out that ends."""


class FreshWorld(World):
    """The same tables under other noise: pay days, families that drift together, records that are missing."""

    def __init__(self, rng: np.random.Generator, days: int, products: int, heavy: bool) -> None:
        super().__init__(rng, days, products, heavy)
        t = np.arange(days)
        paid = np.isin(t % 30, (0, 1, 14)) * rng.uniform(0.2, 0.45)
        drift = np.zeros((days, len(FAMILIES)))
        for day in range(1, days):
            drift[day] = 0.9 * drift[day - 1] + rng.normal(0, 0.02, len(FAMILIES))
        self.visits = self.visits * (1 + paid)[:, None] * np.exp(drift[:, self.family])
        self.delivery = np.maximum(1.0, self.delivery + 0.6 * rng.standard_t(3, self.delivery.shape) ** 2 / 9)

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables, with a twentieth of the records of stock, offers and pages lost."""
        held = super().tables()
        for name in ("stock", "offers", "pages"):
            kept = self.rng.random(len(held[name])) >= 0.05
            held[name] = held[name][kept].reset_index(drop=True)
        return held

    def _half_stock(self, start: int, days: int, i: int) -> Planted:
        """A family is out of stock for the better part of each day."""
        f = self._one_of(self.family, len(FAMILIES))
        self.out_hours[np.ix_(np.arange(start, min(self.days, start + days)), self.family == f)] = 15
        return Planted("half_stock", start, days, {"family": FAMILIES[f]}, (("stock", "hours_out"),))

    def _ad_surge(self, start: int, days: int, i: int) -> Planted:
        """One channel gets far more advertising, and brings far more visits that buy as others do."""
        c = CHANNELS.index(str(self.rng.choice(list(PAID))))
        self.visit_factor[self._span(start, days), :, c] *= self.rng.uniform(1.7, 2.3)
        self.spend_factor[self._span(start, days), :, c] *= self.rng.uniform(1.2, 1.6)
        recorded = (("visits", "ad_cost"), ("visits", "visits"))
        return Planted("ad_surge", start, days, {"channel": CHANNELS[c]}, recorded, rise=True)

    def _undelivered(self, start: int, days: int, i: int) -> Planted:
        """A family is not delivered to one place; nothing records it."""
        f, s = self._one_of(self.family, len(FAMILIES)), int(self.rng.integers(0, 2))
        span = np.arange(start, min(self.days, start + days))
        self.convert_factor[np.ix_(span, self.family == f, np.arange(4), np.array([s]))] *= 0.02
        return Planted("undelivered", start, days, {"family": FAMILIES[f], "site": SITES[s]}, ())

    def _bad_batch(self, start: int, days: int, i: int) -> Planted:
        """A maker's articles come back seven times as often for a while."""
        m = self._one_of(self.maker, len(MAKERS))
        span = self._span(start, days + 10)
        self.return_rate[span] = np.clip(self.return_rate[span] * np.where(self.maker == m, 7, 1), 0, 0.8)
        return Planted("bad_batch", start, days + 10, {"maker": MAKERS[m]}, (), "came_back", True)

    def _ended(self, start: int, days: int, i: int) -> Planted:
        """A best seller that was out of stock for two weeks is back: asked about is the rise."""
        p = int(self.rng.integers(0, 3))
        self.out_hours[start - 14 : start, p] = 24
        return Planted(
            "ended", start, 14, {"article": article_name(p)}, (("stock", "hours_out"), ("stock", "on_shelf")), rise=True
        )  # fmt: skip
