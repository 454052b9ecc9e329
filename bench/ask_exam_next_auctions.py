"""The data set of an auction house: auctions, lots and consignors."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd

from ask_exam_next_parts import dmy, gap, names, pick

DEPTS = {
    "Furniture": (30, 420),
    "Ceramics": (22, 190),
    "Silver": (15, 310),
    "Pictures": (18, 760),
    "Books": (12, 130),
    "Clocks": (6, 540),
    "Arms & Armour": (1.5, 650),
}
TITLES = ["Country House Sale", "Fine Interiors", "Collectors' Day", "Library & Study", "Winter Antiques"]


def make_auctions() -> dict[str, pd.DataFrame]:
    """An auction house: sale days, lots and the people who consigned them."""
    rng = np.random.default_rng(1308)
    sellers = [
        (
            f"C{i:03d}",
            n,
            pick(rng, {"Private": 58, "Estate": 22, "Dealer": 16, "Institution": 4}),
            pick(rng, {"North": 30, "Midlands": 24, "South": 28, "Scotland": 12, "Overseas": 3}),
            float(rng.choice([10, 12.5, 15, 17.5, 20])),
            gap(rng, 0.05, int(rng.integers(1998, 2025))),
        )
        for i, n in enumerate(names(rng, 210), 1)
    ]
    pull = rng.gamma(0.8, 1, 190)
    pull = pull / pull.sum()
    sales, lots = [], []
    when = date(2022, 1, 22)
    while when <= date(2024, 12, 14):
        sales.append(
            (
                f"A{len(sales) + 1:02d}",
                when,
                str(rng.choice(TITLES)),
                pick(rng, {"Main Room": 6, "Barn": 3, "Annexe": 1}),
                pick(rng, {"F. Tennant": 5, "O. Marsh": 4, "G. Ruiz": 3}),
                pick(rng, {"Room only": 2, "Hybrid": 5, "Online only": 3}),
                float(22 if when.year < 2023 else 24 if when.year == 2023 else 25),
                gap(rng, 0.08, int(rng.integers(35, 260))),
            )
        )
        when += timedelta(days=int(rng.choice([21, 28, 35])))
    for sale in sales:
        for no in range(1, int(rng.integers(40, 75)) + 1):
            dept = pick(rng, {d: v[0] for d, v in DEPTS.items()})
            low = max(20, round(DEPTS[dept][1] * rng.lognormal(0, 0.8) / 10) * 10)
            high = int(round(low * rng.choice([1.4, 1.5, 1.6, 2.0]) / 10) * 10)
            state = pick(rng, {"sold": 80 if sale[5] != "Room only" else 68, "unsold": 19, "withdrawn": 2})
            ham = int(round(low * rng.lognormal(0.2, 0.45) / 5) * 5) if state == "sold" else None
            chan = (
                None
                if state != "sold"
                else "web"
                if sale[5] == "Online only"
                else pick(
                    rng,
                    {"room": 50, "phone": 14, "commission bid": 12, "web": 35 if sale[5] == "Hybrid" else 0},
                )
            )
            lots.append(
                (
                    f"{sale[0]}-{no:03d}",
                    sale[0],
                    sellers[int(rng.choice(190, p=pull))][0],
                    no,
                    dept,
                    low,
                    high,
                    int(low * 0.9) if rng.random() < 0.55 else None,
                    ham,
                    state,
                    int(rng.poisson(7)) + 1
                    if state == "sold"
                    else int(rng.poisson(0.7))
                    if state == "unsold"
                    else 0,
                    chan,
                    gap(rng, 0.1, pick(rng, {"Excellent": 18, "Good": 44, "Fair": 28, "Poor": 10})),
                )
            )
    frame = pd.DataFrame(
        sales,
        columns=[
            "auction_id",
            "sale_date",
            "sale_title",
            "saleroom",
            "auctioneer",
            "format",
            "buyers_premium_pct",
            "seats_taken",
        ],
    )
    frame["sale_date"] = frame["sale_date"].map(dmy)
    return {
        "auctions": frame,
        "lots": pd.DataFrame(
            lots,
            columns=[
                "lot_id",
                "auction_id",
                "consignor_id",
                "lot_no",
                "dept",
                "est_low_gbp",
                "est_high_gbp",
                "reserve_gbp",
                "hammer_gbp",
                "status",
                "no_of_bids",
                "buyer_channel",
                "condition",
            ],
        ),
        "consignors": pd.DataFrame(
            sellers,
            columns=["consignor_id", "full_name", "seller_type", "region", "commission_pct", "client_since"],
        ),
    }
