"""The three exam worlds that consist of several related tables."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd

from ask_exam_late_one import days_from, pick

# --------------------------------------------------------------------------- festival

FIRST = [
    "The",
    "A",
    "Last",
    "Silent",
    "Our",
    "Northern",
    "Paper",
    "Salt",
    "Winter",
    "Hidden",
    "Second",
    "Glass",
]
SECOND = [
    "Orchard",
    "Crossing",
    "Letters",
    "Tide",
    "Neighbour",
    "Lantern",
    "Border",
    "Choir",
    "Harvest",
    "Signal",
    "Daughter",
    "Machine",
    "Island",
    "Witness",
    "Kitchen",
    "Shore",
    "Summer",
    "Visitor",
    "Horses",
    "Debt",
]
SURNAMES = [
    "Moreau",
    "Lindholm",
    "Okoye",
    "Bianchi",
    "Tanaka",
    "Novak",
    "Ferreira",
    "Haddad",
    "Kaplan",
    "Byrne",
    "Weber",
    "Castillo",
    "Virtanen",
    "Rahman",
    "Dubois",
    "Ivanova",
]
GIVEN = ["Ana", "Luc", "Mira", "Jonas", "Keiko", "Samir", "Elena", "Tom", "Ines", "Pavel", "Ruth", "Diego"]
COUNTRIES = {
    "France": 16,
    "Germany": 9,
    "Italy": 8,
    "Japan": 7,
    "Finland": 4,
    "Brazil": 6,
    "Ireland": 6,
    "Canada": 7,
    "Iran": 4,
    "Poland": 5,
}
SECTIONS = {"Competition": 22, "Panorama": 30, "Docs": 24, "Midnight": 12, "Family": 12}
VENUES = {
    "Odeon Grand": (420, 10),
    "Lumiere 1": (240, 14),
    "Lumiere 2": (120, 14),
    "Town Hall": (310, 8),
    "Harbour Open Air": (500, 5),
    "Studio Mews": (75, 9),
}
SEASONS = {2023: date(2023, 6, 8), 2024: date(2024, 6, 6), 2025: date(2025, 6, 5)}


def _films(rng: np.random.Generator) -> pd.DataFrame:
    """The programme: one row per film and edition."""
    titles = [f"{a} {b}" for a in FIRST for b in SECOND]
    rng.shuffle(titles)
    rows = []
    for i in range(228):
        edition = 2023 + i % 3
        section = pick(rng, SECTIONS)
        genre = (
            "Documentary"
            if section == "Docs"
            else "Animation"
            if section == "Family" and rng.random() < 0.6
            else pick(
                rng, {"Drama": 45, "Comedy": 20, "Thriller": 20, "Horror": 30 if section == "Midnight" else 2}
            )
        )
        country = pick(rng, COUNTRIES)
        budget = round(float(rng.lognormal(0.7, 0.8)), 2) if rng.random() > 0.18 else None
        rows.append(
            (
                f"F{i + 1:03d}",
                titles[i],
                f"{rng.choice(GIVEN)} {rng.choice(SURNAMES)}",
                country,
                genre,
                section,
                int(rng.normal(104 if genre != "Animation" else 86, 15)),
                edition,
                pick(rng, {"World": 18, "International": 25, "National": 57}),
                budget,
                "no" if country == "Ireland" or rng.random() < 0.1 else "yes",
            )
        )
    return pd.DataFrame(
        rows,
        columns=[
            "film_id",
            "Title",
            "Director",
            "Country",
            "Genre",
            "Section",
            "Runtime (min)",
            "Edition",
            "Premiere",
            "Budget (EUR m)",
            "Subtitled",
        ],
    )


def make_festival() -> dict[str, pd.DataFrame]:
    """Three editions of a film festival: films, screenings, audience votes."""
    rng = np.random.default_rng(1205)
    films = _films(rng)
    venues = {v: float(w) for v, (_, w) in VENUES.items()}
    appeal = {f: float(rng.normal(0, 0.14)) for f in films["film_id"]}
    rows = []
    for film in films.itertuples(index=False):
        film_id, section, edition = film[0], film[5], int(film[7])
        for _ in range(int(rng.integers(2, 6))):
            venue = pick(rng, venues)
            day = SEASONS[edition] + timedelta(days=int(rng.integers(0, 11)))
            hour = (
                23
                if section == "Midnight"
                else 21
                if venue == "Harbour Open Air"
                else int(rng.choice([10, 13, 16, 18, 20]))
            )
            start = datetime(day.year, day.month, day.day, hour, int(rng.choice([0, 15, 30, 45])))
            seats = VENUES[venue][0]
            lift = {"Competition": 0.12, "Docs": -0.07}.get(section, 0.0) + (
                0.08 if day.weekday() >= 5 else 0.0
            )
            fill = float(
                np.clip(
                    0.55 + lift + appeal[film_id] + 0.03 * (edition - 2023) + rng.normal(0, 0.13), 0.05, 0.98
                )
            )
            cancelled = rng.random() < (0.12 if venue == "Harbour Open Air" else 0.02)
            price = 8.0 if section == "Family" else 14.0 if section == "Competition" else 11.0
            price += 0.5 * (edition - 2023)
            rows.append(
                (
                    film_id,
                    start,
                    venue,
                    seats,
                    0 if cancelled else int(seats * fill),
                    0 if cancelled else int(rng.binomial(seats, 0.02)),
                    price,
                    int(rng.random() < 0.27),
                    "yes" if cancelled else "no",
                )
            )
    shows = pd.DataFrame(
        rows,
        columns=[
            "film_id",
            "starts_at",
            "Venue",
            "Seats",
            "Sold",
            "Comps",
            "Ticket (EUR)",
            "q_and_a",
            "Cancelled",
        ],
    ).sort_values("starts_at", ignore_index=True)
    shows.insert(0, "scr_id", np.arange(3001, 3001 + len(shows)))
    live = shows[shows["Cancelled"] == "no"]
    chosen = rng.choice(live.index.to_numpy(), 2450, p=(live["Sold"] / live["Sold"].sum()).to_numpy())
    votes = []
    for idx in np.sort(chosen):
        show = shows.loc[idx]
        stars = int(np.clip(round(3.6 + 4 * appeal[show["film_id"]] + rng.normal(0, 0.9)), 1, 5))
        badge = pick(rng, {"Public": 68, "Press": 9, "Industry": 11, "Student": 12})
        votes.append(
            (
                show["scr_id"],
                stars - 1 if badge == "Press" and stars > 2 else stars,
                badge,
                pick(rng, {"app": 61, "paper": 39}),
            )
        )
    ballots = pd.DataFrame(votes, columns=["scr_id", "Stars", "Badge", "via"])
    ballots.insert(0, "vote_id", np.arange(1, len(ballots) + 1))
    shows["starts_at"] = shows["starts_at"].map(lambda d: d.strftime("%Y-%m-%d %H:%M"))
    return {"films": films, "screenings": shows, "votes": ballots}


# --------------------------------------------------------------------------- insurance

CAUSES = {
    "Home": {"Escape of water": 34, "Storm": 24, "Theft": 22, "Fire": 8, "Accidental damage": 12},
    "Landlord": {"Escape of water": 38, "Storm": 20, "Fire": 12, "Malicious damage": 30},
    "Motor": {"Collision": 58, "Theft": 16, "Windscreen": 26},
    "Travel": {"Medical": 46, "Cancellation": 36, "Lost baggage": 18},
    "Boat": {"Storm": 40, "Grounding": 35, "Theft": 25},
}
PRODUCTS = {
    "Motor": (38, 620, 1900),
    "Home": (30, 310, 2600),
    "Travel": (16, 95, 700),
    "Landlord": (10, 410, 3300),
    "Boat": (6, 540, 3900),
}
HANDLERS = {"Grace": 22, "Imran": 26, "Beth": 18, "Oskar": 20, "Leila": 14}


def make_insurance() -> dict[str, pd.DataFrame]:
    """A small insurer: policies and the claims made on them."""
    rng = np.random.default_rng(1206)
    policies, claims = [], []
    for i in range(720):
        number = f"PL{100200 + 7 * i}"
        product = pick(rng, {p: float(v[0]) for p, v in PRODUCTS.items()})
        start = days_from(rng, date(2023, 1, 1), date(2025, 9, 30))
        premium = round(PRODUCTS[product][1] * float(rng.lognormal(0, 0.3)), 2)
        channel = pick(rng, {"Online": 48, "Broker": 34, "Phone": 18})
        gone = (
            start + timedelta(days=int(rng.integers(40, 500)))
            if rng.random() < (0.28 if channel == "Online" else 0.15)
            else None
        )
        lapse = gone if gone and gone <= date(2025, 12, 31) else None
        region = pick(
            rng,
            {"London": 24, "Midlands": 20, "North West": 18, "Scotland": 12, "South West": 14, "Wales": 12},
        )
        policies.append(
            (
                number,
                product,
                pick(rng, {"Private": 82, "Business": 18}),
                region,
                channel,
                start,
                premium,
                int(rng.choice([0, 100, 250, 500], p=[0.1, 0.4, 0.35, 0.15])),
                int(rng.integers(0, 12)) if rng.random() > 0.08 else None,
                "Y" if lapse else "N",
                lapse,
            )
        )
        last = lapse or date(2025, 12, 10)
        for _ in range(int(rng.poisson(1.45))):
            loss = days_from(rng, start, min(last, start + timedelta(days=720), date(2025, 12, 10)))
            reported = loss + timedelta(days=int(rng.gamma(1.3, 6)))
            cause = pick(rng, {c: float(w) for c, w in CAUSES[product].items()})
            size = (
                PRODUCTS[product][2]
                * float(rng.lognormal(-0.2, 0.8))
                * (3.5 if cause == "Fire" else 0.25 if cause == "Windscreen" else 1)
            )
            handler = pick(rng, {h: float(w) for h, w in HANDLERS.items()})
            settled = reported + timedelta(days=int(rng.gamma(3, 9 if handler != "Oskar" else 13)) + 1)
            declined = rng.random() < (0.22 if product == "Travel" else 0.12)
            status = (
                "Open"
                if settled > date(2025, 12, 31) or rng.random() < 0.03
                else "Declined"
                if declined
                else "Paid"
            )
            paid = round(size * float(rng.uniform(0.6, 1.0)), 2) if status == "Paid" else None
            claims.append(
                (
                    number,
                    cause,
                    loss,
                    reported,
                    None if status == "Open" else settled,
                    round(size, 2),
                    paid,
                    status,
                    handler,
                    int(rng.random() < (0.13 if status == "Declined" else 0.02)),
                )
            )
    held = pd.DataFrame(
        policies,
        columns=[
            "policy_no",
            "Product",
            "Holder",
            "Region",
            "Sold via",
            "Start date",
            "Annual premium (£)",
            "Excess (£)",
            "NCD yrs",
            "Lapsed",
            "Lapse date",
        ],
    )
    held["NCD yrs"] = held["NCD yrs"].astype("Int64")
    claims.sort(key=lambda r: r[3])
    made = pd.DataFrame(
        claims,
        columns=[
            "policy_no",
            "Cause",
            "Loss date",
            "Reported",
            "Settled",
            "Claimed (£)",
            "Paid (£)",
            "Status",
            "Handler",
            "fraud_flag",
        ],
    )
    made.insert(0, "claim_no", [f"C{i:05d}" for i in range(1, len(made) + 1)])
    for frame, cols in ((held, ["Start date", "Lapse date"]), (made, ["Loss date", "Reported", "Settled"])):
        for col in cols:
            frame[col] = frame[col].map(lambda d: d.strftime("%d/%m/%Y") if isinstance(d, date) else None)
    return {"policies": held, "claims": made}


# --------------------------------------------------------------------------- trial
