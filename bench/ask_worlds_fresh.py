"""More made-up data sets, of places that serve people: a gym, a vet, parking, a film festival, a hotel."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ask_worlds_fresh_field import FIELD
from ask_worlds_people import Frames, World, days, holes, pick


def gym(rng: np.random.Generator) -> Frames:
    """Members of three clubs and every time one of them came, some without a checkout."""
    n, m = 700, 12000
    plan = pick(rng, ["Basic", "Plus", "Premium"], n, [5, 3, 2])
    joined = days(rng, "2019-03-01", "2024-06-30", n)
    left = rng.random(n) < 0.22
    end = joined + pd.to_timedelta(rng.integers(60, 700, n), unit="D")
    left &= end <= pd.Timestamp("2024-12-31")
    members = pd.DataFrame(
        {
            "member_id": np.arange(10001, 10001 + n),
            "join_date": joined.strftime("%Y-%m-%d"),
            "plan": plan,
            "monthly_fee": pd.Series(plan).map({"Basic": 29.0, "Plus": 45.5, "Premium": 69.0})
            - np.where(rng.random(n) < 0.2, 5.0, 0.0),
            "birth_year": rng.integers(1950, 2007, n),
            "sex": pick(rng, ["F", "M"], n, [52, 48]),
            "home_club": pick(rng, ["Northside", "Harbour", "Central"], n, [3, 2, 4]),
            "active": np.where(left, "N", "Y"),
            "cancelled_on": pd.Series(end.strftime("%Y-%m-%d")).where(pd.Series(left)),
        }
    )
    keen = rng.pareto(1.8, n) + 0.15
    who = rng.choice(n, m, p=keen / keen.sum())
    hour = pick(rng, [6, 7, 8, 12, 16, 17, 18, 19, 20], m, [4, 6, 4, 3, 4, 8, 10, 7, 3]).astype(int)
    came = days(rng, "2024-01-01", "2024-12-31", m) + pd.to_timedelta(
        hour * 60 + rng.integers(0, 60, m), unit="min"
    )
    activity = pick(rng, ["Weights", "Cardio", "Swimming", "Yoga", "Spinning"], m, [6, 5, 3, 2, 2])
    usual = pd.Series(activity).map({"Weights": 62, "Cardio": 44, "Swimming": 50, "Yoga": 75, "Spinning": 55})
    checkins = pd.DataFrame(
        {
            "checkin_id": np.arange(1, m + 1),
            "member_id": members["member_id"].to_numpy()[who],
            "club": np.where(
                rng.random(m) < 0.8,
                members["home_club"].to_numpy()[who],
                pick(rng, ["Northside", "Harbour", "Central"], m),
            ),
            "checked_in_at": came.sort_values().strftime("%Y-%m-%d %H:%M:%S"),
            "activity": activity,
            "dur_min": holes(rng, (usual + rng.normal(0, 12, m)).clip(5).round().astype("Int64"), 0.04),
        }
    )
    return {"members.csv": members, "checkins.csv": checkins}


def vet(rng: np.random.Generator) -> Frames:
    """A veterinary clinic in camel case: owners, their pets, and the visits."""
    n, m, v = 420, 640, 3200
    owners = pd.DataFrame(
        {
            "OwnerID": np.arange(5000, 5000 + n),
            "Town": pick(rng, ["Ashford", "Brookdale", "Millbury", "Stonebridge"], n, [4, 3, 2, 1]),
            "ClientSince": days(rng, "2015-01-01", "2024-06-30", n).strftime("%Y-%m-%d"),
            "ReminderOptIn": pick(rng, ["Y", "N"], n, [7, 3]),
        }
    )
    kinds = {
        "Dog": (["Labrador", "Beagle", "Poodle", "Terrier"], 22.0),
        "Cat": (["Siamese", "Maine Coon", "European Shorthair"], 4.6),
        "Rabbit": (["Lop", "Dwarf"], 2.1),
        "Parrot": (["Cockatiel", "African Grey"], 0.4),
    }
    species = pick(rng, list(kinds), m, [9, 8, 2, 1])
    usual = np.array([kinds[s][1] for s in species])
    names = [
        "Bella",
        "Luna",
        "Max",
        "Rocky",
        "Coco",
        "Milo",
        "Daisy",
        "Oscar",
        "Simba",
        "Nala",
        "Toby",
        "Kiwi",
    ]
    pets = pd.DataFrame(
        {
            "PetID": np.arange(1, m + 1),
            "OwnerID": owners["OwnerID"].to_numpy()[rng.integers(0, n, m)],
            "PetName": pick(rng, names, m),
            "Species": species,
            "Breed": [pick(rng, kinds[s][0], 1, [6, 4, 3, 2][: len(kinds[s][0])])[0] for s in species],
            "Sex": pick(rng, ["Female", "Male"], m),
            "BirthDate": days(rng, "2010-01-01", "2024-03-31", m).strftime("%Y-%m-%d"),
            "WeightKg": holes(rng, np.round(usual * rng.uniform(0.6, 1.5, m), 1), 0.05),
            "Neutered": pick(rng, ["Y", "N"], m, [6, 4]),
        }
    )
    fees = {
        "Vaccination": 48,
        "Checkup": 60,
        "Dental": 190,
        "Surgery": 640,
        "Injury": 215,
        "Skin Problem": 85,
    }
    reason = pick(rng, list(fees), v, [9, 10, 3, 1.5, 3, 3])
    long = pd.Series(reason).map({"Surgery": 95, "Dental": 50}).fillna(20) + rng.integers(-8, 12, v)
    visits = pd.DataFrame(
        {
            "VisitID": np.arange(90001, 90001 + v),
            "PetID": rng.integers(1, m - 30, v),
            "VisitDate": days(rng, "2022-01-01", "2024-09-30", v).sort_values().strftime("%Y-%m-%d"),
            "Reason": reason,
            "DurationMin": long.astype(int),
            "FeeUSD": np.round(pd.Series(reason).map(fees) * rng.uniform(0.8, 1.35, v) + 0.3 * long, 2),
            "Insured": pick(rng, ["Y", "N"], v, [3, 7]),
            "FollowUpNeeded": pick(rng, ["Y", "N"], v, [2, 8]),
        }
    )
    return {"Owners.csv": owners, "Pets.csv": pets, "Visits.csv": visits}


def parking(rng: np.random.Generator) -> Frames:
    """Parking tickets of a city, one file with spaced names, American dates and fines as money text."""
    n = 8000
    fines = {
        "Expired Meter": 35,
        "No Permit": 60,
        "Double Parking": 95,
        "Fire Hydrant": 115,
        "Bus Lane": 130,
        "Street Cleaning": 65,
    }
    violation = pick(rng, list(fines), n, [10, 6, 3, 2, 2, 7])
    district = pick(rng, ["Downtown", "Harbor", "Midtown", "University", "Old Mill"], n, [6, 3, 5, 3, 1])
    fine = pd.Series(violation).map(fines) + pd.Series(district).map({"Downtown": 10}).fillna(0)
    status = pick(rng, ["Paid", "Unpaid", "Dismissed", "Appealed"], n, [64, 22, 9, 5])
    streets = [
        "Main St",
        "Harbor Blvd",
        "5th Ave",
        "College Rd",
        "Mill Ln",
        "Market St",
        "Union Sq",
        "Pine St",
    ]
    frame = pd.DataFrame(
        {
            "Ticket Number": np.arange(700100, 700100 + n),
            "Issue Date": days(rng, "2023-01-01", "2024-12-31", n).sort_values().strftime("%m/%d/%Y"),
            "Violation": violation,
            "District": district,
            "Street": pick(rng, streets, n, [7, 3, 5, 3, 1, 4, 2, 3]),
            "Plate State": pick(rng, ["CA", "NV", "OR", "AZ", "WA"], n, [40, 4, 3, 2, 1]),
            "Vehicle Make": holes(
                rng,
                pick(rng, ["Toyota", "Honda", "Ford", "Tesla", "BMW", "Kia"], n, [6, 5, 4, 3, 2, 1]),
                0.03,
            ),
            "Officer Badge": pick(rng, [114, 131, 207, 222, 258, 301, 319], n, [4, 5, 2, 3, 6, 1, 2]),
            "Fine": fine.map(lambda x: f"${x:,.2f}"),
            "Status": status,
            "Days To Pay": pd.Series(np.ceil(rng.gamma(2.0, 9.0, n)).astype(int))
            .where(pd.Series(status == "Paid"))
            .astype("Int64"),
        }
    )
    return {"parking_tickets.csv": frame}


_TITLES = (
    ["Silent", "Golden", "Broken", "Distant", "Paper", "Winter", "Hidden", "Electric", "Salt", "Last"],
    ["River", "Garden", "Letters", "Horizon", "Mirrors", "Harvest", "Summer", "Orchestra", "Island", "Train"],
)


def festival(rng: np.random.Generator) -> Frames:
    """The box office of a film festival: films, venues, screenings with takings and occupancy as text."""
    n, m = 100, 620
    films = pd.DataFrame(
        {
            "film_id": [f"F{i:03d}" for i in range(1, n + 1)],
            "title": [f"{a} {b}" for a in _TITLES[0] for b in _TITLES[1]],
            "country": pick(
                rng, ["France", "Japan", "Brazil", "Poland", "Iran", "Canada"], n, [6, 5, 4, 3, 2, 3]
            ),
            "section": pick(rng, ["Competition", "Panorama", "Documentary", "Shorts", "Retrospective"], n),
            "runtime_min": rng.integers(72, 176, n),
            "world_premiere": pick(rng, ["Y", "N"], n, [3, 7]),
        }
    )
    venues = pd.DataFrame(
        {
            "venue_id": [1, 2, 3, 4, 5],
            "venue": ["Odeon", "Grand Palais", "Lumiere", "Dockside", "Little Cinema"],
            "seats": [420, 900, 260, 310, 85],
            "wheelchair_access": ["Y", "Y", "N", "Y", "N"],
        }
    )
    film = rng.integers(0, n, m)
    where = rng.choice(5, m, p=[0.25, 0.15, 0.22, 0.2, 0.18])
    day = rng.integers(0, 11, m)
    hour = pick(rng, [10, 13, 16, 19, 21], m, [2, 3, 4, 6, 3]).astype(int)
    full = (0.3 + 0.02 * (hour - 10) + 0.2 * rng.random(m) + rng.random(n)[film] * 0.25).clip(0.05, 1)
    sold = np.round(venues["seats"].to_numpy()[where] * full).astype(int)
    price = np.where(hour >= 19, 14.5, 11.0)
    screenings = pd.DataFrame(
        {
            "screening_id": np.arange(1, m + 1),
            "film_id": films["film_id"].to_numpy()[film],
            "venue_id": where + 1,
            "starts_at": (pd.Timestamp("2024-09-05") + pd.to_timedelta(day * 24 + hour, unit="h")).strftime(
                "%Y-%m-%d %H:%M"
            ),
            "tickets_sold": sold,
            "gross": [f"€{x:,.2f}" for x in sold * price],
            "occupancy": [f"{round(100 * x)}%" for x in sold / venues["seats"].to_numpy()[where]],
            "q_and_a": pick(rng, ["Y", "N"], m, [1, 3]),
        }
    )
    return {"films.csv": films, "venues.csv": venues, "screenings.csv": screenings}


def hotel(rng: np.random.Generator) -> Frames:
    """Bookings of a hotel in abbreviations, with two dates each and room types behind codes."""
    n = 9000
    rooms = pd.DataFrame(
        {
            "rm_type": ["STD", "DLX", "FAM", "STE"],
            "descr": ["Standard Double", "Deluxe Double", "Family Room", "Suite"],
            "n_rooms": [48, 24, 12, 6],
        }
    )
    kind = pick(rng, ["STD", "DLX", "FAM", "STE"], n, [10, 6, 4, 1])
    chan = pick(rng, ["Website", "Travel Agent", "Phone", "Corporate"], n, [8, 5, 2, 3])
    arrival = days(rng, "2023-01-01", "2024-12-31", n).sort_values()
    lead = np.round(rng.gamma(1.4, 28, n)).astype(int)
    cxl = rng.random(n) < 0.06 + 0.0022 * np.minimum(lead, 150)
    summer = np.where(np.isin(arrival.month, [6, 7, 8]), 1.25, 1.0)
    base = pd.Series(kind).map({"STD": 92, "DLX": 128, "FAM": 151, "STE": 260}).to_numpy()
    frame = pd.DataFrame(
        {
            "bkg_no": np.arange(200001, 200001 + n),
            "booked_on": arrival - pd.to_timedelta(lead, unit="D"),
            "arrival": arrival,
            "nts": rng.integers(1, 9, n),
            "rm_type": kind,
            "guests": np.where(kind == "FAM", rng.integers(3, 6, n), rng.integers(1, 3, n)),
            "adr_eur": np.round(base * summer * rng.uniform(0.85, 1.2, n), 2),
            "chan": chan,
            "ctry": pick(
                rng, ["Germany", "France", "Italy", "UK", "Spain", "Austria"], n, [8, 5, 4, 4, 2, 3]
            ),
            "breakfast": pick(rng, ["Y", "N"], n, [6, 4]),
            "cxl": cxl,
            "guest_score": pd.Series(np.round(rng.normal(8.1, 1.1, n).clip(1, 10), 1)).mask(
                pd.Series(cxl | (rng.random(n) < 0.45))
            ),
        }
    )
    return {"bookings.parquet": frame, "room_types.parquet": rooms}


FRESH: dict[str, World] = {
    "gym": gym,
    "vet": vet,
    "parking": parking,
    "festival": festival,
    "hotel": hotel,
    **FIELD,
}
