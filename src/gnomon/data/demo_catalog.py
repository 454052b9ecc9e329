"""The invented catalogue of the demo store: what it sells, under which names, and how each product behaves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIRST_DAY = date(2023, 11, 6)
DAYS = 728
LAST_DAY = FIRST_DAY + timedelta(days=DAYS - 1)
PRODUCTS_AT_SCALE_1 = 300
FEWEST_PRODUCTS = 60
CHANNELS = ("organic", "paid_search", "marketplace")
CHANNEL_SHARE = (0.34, 0.28, 0.38)
REGIONS = ("north", "south", "east", "west", "central")
REGION_SHARE = (0.24, 0.2, 0.18, 0.16, 0.22)


@dataclass(frozen=True)
class Category:
    """What products of a category have in common; the peak is the day of the year of most demand."""

    name: str
    nouns: tuple[str, ...]
    price_range: tuple[float, float]
    conversion: float
    return_rate: float
    season: float
    peak_day: int


CATEGORIES = (
    Category(
        "Kitchen",
        ("Kettle", "Skillet", "Knife Set", "Mixing Bowl", "Toaster"),
        (18, 120),
        0.034,
        0.05,
        0.12,
        340,
    ),
    Category(
        "Lighting", ("Desk Lamp", "Floor Lamp", "Lantern", "Light Strip"), (14, 140), 0.029, 0.06, 0.22, 350
    ),
    Category(
        "Garden", ("Hose Reel", "Planter", "Pruner", "Watering Can", "Rake"), (9, 90), 0.031, 0.04, 0.45, 150
    ),
    Category("Office", ("Notebook", "Desk Mat", "Pen Set", "Monitor Stand"), (6, 85), 0.036, 0.03, 0.15, 255),
    Category("Audio", ("Headphones", "Speaker", "Earbuds", "Turntable"), (25, 240), 0.024, 0.09, 0.2, 345),
    Category(
        "Travel", ("Backpack", "Suitcase", "Packing Cubes", "Neck Pillow"), (15, 190), 0.027, 0.07, 0.35, 175
    ),
    Category("Fitness", ("Yoga Mat", "Dumbbells", "Jump Rope", "Foam Roller"), (8, 110), 0.03, 0.06, 0.3, 12),
    Category("Bedding", ("Duvet", "Pillow", "Sheet Set", "Blanket"), (20, 160), 0.028, 0.08, 0.18, 320),
    Category("Pets", ("Dog Bed", "Cat Tower", "Leash", "Feeder"), (7, 95), 0.035, 0.04, 0.08, 330),
    Category("Toys", ("Puzzle", "Building Set", "Plush Bear", "Board Game"), (9, 75), 0.033, 0.05, 0.4, 348),
)
BRANDS = (
    "Alderly", "Brennick", "Corvane", "Dunmere", "Elswyn", "Fenlow", "Gravik", "Haldrin",
    "Istra", "Jorvale", "Kestrin", "Lumora", "Marlune", "Norvik", "Orlavik", "Pellwood",
    "Quillon", "Rowanne", "Solvane", "Tarnby",
)  # fmt: skip
LINES = (
    "Classic", "Compact", "Nova", "Prime", "Terra", "Swift", "Luna", "Atlas", "Echo", "Vista",
    "Pure", "Edge", "Studio", "Summit", "Harbor", "Meadow", "Ember", "Drift", "Core", "Alto",
)  # fmt: skip


@dataclass(frozen=True)
class Catalog:
    """Every product of the store; arrays are parallel, one entry per product."""

    product_id: list[str]
    name: list[str]
    category: NDArray[np.int64]
    brand: NDArray[np.int64]
    launch_day: NDArray[np.int64]
    list_cents: NDArray[np.int64]
    cost_cents: NDArray[np.int64]
    daily_sessions: NDArray[np.float64]
    conversion: NDArray[np.float64]
    quality: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.product_id)


def make_catalog(products: int, seed: int) -> Catalog:
    """The catalogue of ``products`` products; the first ones are the best known."""
    streams = [np.random.default_rng([seed, 101, i]) for i in range(9)]
    category = _dealt(streams[0], len(CATEGORIES), products)
    brand = _dealt(streams[1], len(BRANDS), products)
    # The best known products were on sale from the start.
    launched = streams[2].random(products)
    launch_day = np.where(launched < 0.15, (launched / 0.15 * 600).astype(np.int64) + 14, -1)
    launch_day[_rank(products) < FEWEST_PRODUCTS] = -1
    early = streams[8].integers(30, 1200, products)
    low, high = (np.array([c.price_range[i] for c in CATEGORIES])[category] for i in (0, 1))
    price = low * (high / low) ** streams[3].beta(1.6, 2.2, products)
    list_cents = np.floor(price).astype(np.int64) * 100 + np.where(price < 20, 49, 99)
    cost_cents = np.rint(list_cents * streams[4].uniform(0.38, 0.62, products)).astype(np.int64)
    conversion = np.array([c.conversion for c in CATEGORIES])[category]
    return Catalog(
        product_id=[f"P{i + 1:05d}" for i in range(products)],
        name=_names(category, brand),
        category=category,
        brand=brand,
        launch_day=np.where(launch_day < 0, -early, launch_day),
        list_cents=list_cents,
        cost_cents=cost_cents,
        daily_sessions=_popularity(streams[5], products),
        conversion=conversion * streams[6].lognormal(0, 0.18, products),
        quality=np.clip(streams[7].normal(0.78, 0.1, products), 0.45, 0.97),
    )


def _dealt(rng: np.random.Generator, kinds: int, products: int) -> NDArray[np.int64]:
    """Kinds dealt out like cards, so that even a small store has some of each."""
    hands = np.tile(np.arange(kinds), (-(-products // kinds), 1))
    return rng.permuted(hands, axis=1).ravel()[:products]


def _rank(products: int) -> NDArray[np.int64]:
    """The place of each product among the three hundred around it, so that a larger store is many alike."""
    return np.arange(products) % PRODUCTS_AT_SCALE_1


def _popularity(rng: np.random.Generator, products: int) -> NDArray[np.float64]:
    """Sessions on an ordinary day: a few products are visited far more than the rest."""
    sessions = np.clip(rng.lognormal(2.7, 0.85, products), 3, 90)
    rank = _rank(products)
    leading = np.maximum(sessions, 200 / (1 + rank) ** 0.55)
    return np.where(rank < FEWEST_PRODUCTS, leading, sessions)


def _names(category: NDArray[np.int64], brand: NDArray[np.int64]) -> list[str]:
    seen: dict[str, int] = {}
    names: list[str] = []
    for i, (c, b) in enumerate(zip(category.tolist(), brand.tolist(), strict=True)):
        nouns = CATEGORIES[c].nouns
        name = f"{BRANDS[b]} {LINES[(i * 7 + b) % len(LINES)]} {nouns[(i // 10) % len(nouns)]}"
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return names


def launch_date(catalog: Catalog, index: int) -> date:
    """The day on which a product went on sale, which may lie before the first day of the data."""
    return FIRST_DAY + timedelta(days=int(catalog.launch_day[index]))
