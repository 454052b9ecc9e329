"""Reviews of the demo store: ratings that follow from quality, and texts put together from a small grammar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.data.demo_catalog import CATEGORIES, DAYS
from gnomon.data.demo_demand import Block
from gnomon.data.demo_events import Event, EventKind
from gnomon.data.demo_orders import Orders

if TYPE_CHECKING:
    from numpy.typing import NDArray

REVIEWED_SHARE = 0.035
WAVE_REVIEWS_PER_DAY = 3
WAVE_RATINGS = (1, 1, 1, 2, 2, 3)

OPENINGS = {
    "good": ("Very happy with this {}.", "Exactly the {} I was looking for.", "This {} is excellent.",
             "Second {} I have bought here.", "A gift that was used the same day.", "Better than my old {}.",
             "I did not expect this much for the price.", "Our whole family uses this {}."),
    "fair": ("The {} is all right.", "An average {}.", "Does what it says, not more.",
             "I have mixed feelings about this {}.", "Fine for occasional use.", "Not bad, not great."),
    "poor": ("I regret buying this {}.", "Very disappointed.", "This {} is not worth the money.",
             "I expected more from this {}.", "Sent it back after a week.", "Would not buy this {} again."),
    "fault": ("My {} failed within days.", "The {} arrived with a crack.", "Something is wrong with this batch.",
              "The seal on the {} came off.", "It stopped working on the third day."),
}  # fmt: skip
DETAILS = {
    "good": ("It feels solid and looks good.", "Setting it up took two minutes.", "Delivery was fast and the box intact.",
             "The material is pleasant to touch.", "It has held up through daily use.", "The size is just right.",
             "The colour matches the pictures.", "Customer service answered within an hour.", "It is easy to clean.",
             "My neighbours asked where I got it."),
    "fair": ("The finish could be neater.", "It came a day late.", "The instructions are hard to follow.",
             "It is a bit smaller than I imagined.", "The colour is slightly off.", "It works, but it is noisy.",
             "It needs some getting used to.", "The packaging was damaged, the content was not."),
    "poor": ("It broke after a few uses.", "The material feels cheap.", "It smells of plastic.",
             "Parts were missing from the box.", "It does not match the description.", "Delivery took three weeks.",
             "Nobody answered my messages.", "The stitching came loose.", "It is far too small."),
    "fault": ("Others report the same defect.", "The same part broke twice.", "The replacement had the same fault.",
              "It leaks at the joint.", "The switch no longer responds.", "It gets hot and smells burnt."),
}  # fmt: skip
CLOSINGS = {
    "good": ("Recommended.", "Five stars from me.", "I would buy it again.", "Great value.", "Thank you!", ""),
    "fair": ("Acceptable for the price.", "I will keep it.", "It could be better.", "Three stars.", ""),
    "poor": ("Save your money.", "I want a refund.", "Avoid.", "Not recommended.", "One star is generous.", ""),
    "fault": ("Please check your quality control.", "I asked for my money back.", "Stay away from this batch.", ""),
}  # fmt: skip
MOOD_OF_RATING = ("", "poor", "poor", "fair", "good", "good")


@dataclass(frozen=True)
class Reviews:
    """Reviews of a block in the sequence of their days."""

    day: NDArray[np.int64]
    product: NDArray[np.int64]
    rating: NDArray[np.int64]
    text: list[str]


def write_reviews(block: Block, orders: Orders, events: Sequence[Event], rng: np.random.Generator) -> Reviews:
    """The reviews of a block: those that orders lead to, and those of a planted wave."""
    chosen = np.flatnonzero(rng.random(len(orders)) < REVIEWED_SHARE)
    day = orders.day[chosen] + rng.integers(2, 19, len(chosen))
    product = orders.product[chosen]
    mean = 2.3 + 2.5 * block.catalog.quality[block.rows][product] - 1.2 * orders.returned[chosen]
    rating = np.clip(np.rint(rng.normal(mean, 0.85)), 1, 5).astype(np.int64)
    days, products, ratings = [day], [product], [rating]
    for event in events:
        if event.kind is not EventKind.REVIEW_WAVE:
            continue
        for index in np.flatnonzero(block.concerned(event)).tolist():
            n = WAVE_REVIEWS_PER_DAY * (event.days.stop - event.days.start)
            days.append(rng.integers(event.days.start, event.days.stop, n))
            products.append(np.full(n, index))
            ratings.append(rng.choice(WAVE_RATINGS, n))
    waved = np.arange(sum(map(len, days))) >= len(day)
    day, product, rating = np.concatenate(days), np.concatenate(products), np.concatenate(ratings)
    order = np.argsort(day, kind="stable")
    order = order[day[order] < DAYS]
    day, product, rating, waved = day[order], product[order], rating[order], waved[order]
    moods = [
        "fault" if w else MOOD_OF_RATING[r] for w, r in zip(waved.tolist(), rating.tolist(), strict=True)
    ]
    return Reviews(day, product, rating, _texts(block, product, moods, rng))


def _texts(block: Block, product: NDArray[np.int64], moods: list[str], rng: np.random.Generator) -> list[str]:
    category = block.catalog.category[block.rows][product].tolist()
    places = (block.offset + product).tolist()
    picks = rng.random((len(moods), 4)).tolist()
    texts: list[str] = []
    for mood, c, place, (a, b, d, e) in zip(moods, category, places, picks, strict=True):
        nouns = CATEGORIES[c].nouns
        noun = nouns[(place // 10) % len(nouns)].lower()
        details = DETAILS[mood]
        first = int(b * len(details))
        parts = [OPENINGS[mood][int(a * len(OPENINGS[mood]))].format(noun), details[first]]
        if d < 0.4:
            parts.append(details[(first + 1 + int(d / 0.4 * (len(details) - 1))) % len(details)])
        parts.append(CLOSINGS[mood][int(e * len(CLOSINGS[mood]))])
        texts.append(" ".join(p for p in parts if p))
    return texts
