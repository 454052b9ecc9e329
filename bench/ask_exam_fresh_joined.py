"""The fresh data sets of several tables: a veterinary practice, ferries, streaming and a warehouse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ask_exam_fresh_parts import blank, days, mapped, people, pick, save


def make_vet(folder: Path) -> None:
    """A veterinary clinic: owners, their animals, and the visits."""
    rng, count, total = np.random.default_rng(1105), 310, 1500
    owners = pd.DataFrame(
        {
            "owner_id": np.arange(1, 221),
            "owner_name": people(rng, 220),
            "town": pick(rng, {"Ashford": 40, "Brookside": 28, "Carrow": 20, "Dunmore": 12}, 220),
            "member": pick(rng, {"Y": 35, "N": 65}, 220),
            "registered_on": days(rng, "2019-01-10", "2024-12-20", 220).strftime("%Y-%m-%d"),
        }
    )
    species = pick(rng, {"dog": 48, "cat": 36, "rabbit": 10, "parrot": 6}, count)
    breeds = {
        "dog": ["Labrador", "Beagle", "Poodle", "Mixed"],
        "cat": ["Siamese", "Persian", "Tabby"],
        "rabbit": ["Lop", "Dwarf"],
        "parrot": ["Macaw", "Cockatiel"],
    }
    heft = mapped(species, {"dog": 19.0, "cat": 4.4, "rabbit": 2.1, "parrot": 0.6})
    pets = pd.DataFrame(
        {
            "pet_id": [f"P{number:04d}" for number in range(1, count + 1)],
            "owner_id": rng.integers(1, 206, count),
            "species": species,
            "breed": [str(rng.choice(breeds[str(kind)])) for kind in species],
            "sex": rng.choice(["F", "M"], size=count),
            "birth_date": days(rng, "2010-03-01", "2023-02-28", count).strftime("%Y-%m-%d"),
            "weight_kg": blank(rng, pd.Series(np.round(heft * rng.normal(1, 0.2, count), 1)), 0.04),
            "neutered": (rng.random(count) < 0.66).astype(int),
        }
    )
    reasons = {"vaccination": 30, "check-up": 27, "injury": 14, "dental": 11, "surgery": 7, "skin": 11}
    reason = pick(rng, reasons, total)
    price = mapped(reason, dict(zip(reasons, [48, 55, 140, 165, 520, 82], strict=True)))
    visits = pd.DataFrame(
        {
            "visit_id": np.arange(9001, 9001 + total),
            "pet_id": rng.choice(pets["pet_id"].to_numpy()[:292], size=total),
            "visit_date": days(rng, "2023-03-01", "2025-09-30", total).sort_values().strftime("%Y-%m-%d"),
            "vet": pick(rng, {"Dr Hale": 30, "Dr Moreno": 26, "Dr Singh": 24, "Dr Okafor": 20}, total),
            "reason": reason,
            "duration_min": np.clip(np.round(rng.normal(26, 8, total) + price / 14), 8, 120).astype(int),
            "fee_usd": np.round(price * rng.normal(1, 0.15, total), 2),
            "emergency": np.where(rng.random(total) < 0.09, "yes", "no"),
        }
    )
    again = pd.to_datetime(visits["visit_date"]) + pd.to_timedelta(rng.integers(7, 43, total), unit="D")
    visits["follow_up_date"] = again.dt.strftime("%Y-%m-%d").where(rng.random(total) < 0.28, None)
    save(folder, owners=owners, pets=pets, visits=visits)


def make_ferry(folder: Path) -> None:
    """A ferry line: routes, vessels and sailings."""
    rng = np.random.default_rng(1106)
    routes = pd.DataFrame(
        {
            "Route Code": ["R1", "R2", "R3", "R4", "R5", "R6", "R7"],
            "Route Name": [
                "Skerry - Port Ann",
                "Skerry - Lundholm",
                "Port Ann - Gull Isle",
                "Lundholm - Varney",
                "Varney - Gull Isle",
                "Skerry - Varney",
                "Port Ann - Lundholm",
            ],
            "Distance (nm)": [12.5, 31.0, 8.2, 44.6, 52.3, 38.9, 27.4],
            "Adult Fare (EUR)": [9.5, 22.0, 7.0, 34.0, 39.5, 29.0, 19.5],
            "Seasonal": ["No", "No", "Yes", "No", "Yes", "No", "No"],
        }
    )
    vessels = pd.DataFrame(
        {
            "Vessel": ["Aurora", "Borealis", "Cormorant", "Dunlin", "Eider", "Fulmar"],
            "Built": [1998, 2007, 2012, 1991, 2019, 2016],
            "Pax Capacity": [420, 650, 300, 280, 720, 510],
            "Car Deck Spaces": [60, 120, 0, 35, 150, 90],
            "Fuel": ["Diesel", "Diesel", "Hybrid", "Diesel", "Electric", "Hybrid"],
        }
    )
    count = 2400
    clock = pd.to_timedelta(rng.integers(12, 44, count) * 30, unit="m")
    leave = (days(rng, "2023-01-01", "2025-09-30", count) + clock).sort_values()
    vessel = pick(rng, {"Aurora": 22, "Borealis": 24, "Cormorant": 20, "Dunlin": 10, "Eider": 24}, count)
    size = mapped(vessel, dict(zip(vessels["Vessel"], vessels["Pax Capacity"], strict=True)))
    cars = mapped(vessel, dict(zip(vessels["Vessel"], vessels["Car Deck Spaces"], strict=True)))
    cancelled = rng.random(count) < 0.045
    sailings = pd.DataFrame(
        {
            "Sailing No": np.arange(1, count + 1),
            "Departure": leave.strftime("%Y-%m-%d %H:%M"),
            "Route Code": pick(
                rng, {"R1": 25, "R2": 20, "R3": 9, "R4": 14, "R5": 6, "R6": 12, "R7": 14}, count
            ),
            "Vessel": vessel,
            "Pax": (size * rng.beta(4, 3, count)).astype(int),
            "Cars": (cars * rng.beta(3, 3, count)).astype(int),
            "Delay (min)": np.where(rng.random(count) < 0.45, 0, np.round(rng.gamma(1.4, 11, count))).astype(
                int
            ),
            "Wind (kn)": np.round(rng.gamma(5, 3, count), 1),
            "Cancelled": np.where(cancelled, "Y", "N"),
            "Cancel Reason": np.where(
                cancelled, pick(rng, {"Weather": 60, "Technical": 28, "Crew": 12}, count), None
            ),
        }
    )
    sailings["Wind (kn)"] = blank(rng, sailings["Wind (kn)"], 0.03)
    sailings.loc[cancelled, ["Pax", "Cars"]] = 0
    sailings["Delay (min)"] = sailings["Delay (min)"].astype("Int64").mask(cancelled)
    save(folder, routes=routes, vessels=vessels, sailings=sailings)


def make_streaming(folder: Path) -> None:
    """A streaming service: subscribers, titles and plays."""
    rng, count, total = np.random.default_rng(1107), 400, 3000
    plan = pick(rng, {"Basic": 45, "Standard": 35, "Premium": 20}, count)
    joined = days(rng, "2023-01-01", "2025-03-31", count)
    gone = rng.random(count) < 0.24
    end = pd.Series(joined + pd.to_timedelta(rng.integers(30, 200, count), unit="D")).dt.strftime("%Y-%m-%d")
    subscribers = pd.DataFrame(
        {
            "subscriber_id": np.arange(20001, 20001 + count),
            "country": pick(
                rng, {"Germany": 30, "France": 24, "Spain": 18, "Poland": 16, "Norway": 12}, count
            ),
            "plan": plan,
            "monthly_fee": pd.Series(plan).map({"Basic": 7.99, "Standard": 11.99, "Premium": 16.99}),
            "age": blank(
                rng, pd.Series(np.clip(np.round(rng.normal(37, 13, count)), 16, 80).astype(int)), 0.05
            ),
            "signup_date": joined.strftime("%Y-%m-%d"),
            "cancel_date": end.where(gone, None),
            "marketing_opt_in": rng.integers(0, 2, count),
        }
    )
    heads = [
        "Silent",
        "Crimson",
        "Paper",
        "Northern",
        "Hollow",
        "Golden",
        "Broken",
        "Distant",
        "Velvet",
        "Iron",
    ]
    tails = ["Harbor", "Crown", "Letters", "Lights", "Garden", "Orbit"]
    titles = pd.DataFrame(
        {
            "title_id": [f"T{number:03d}" for number in range(1, 61)],
            "title": [f"{a} {b}" for a in heads for b in tails],
            "kind": rng.choice(["movie", "series", "documentary"], size=60, p=[0.5, 0.35, 0.15]),
            "genre": pick(rng, {"Drama": 28, "Comedy": 24, "Thriller": 20, "Sci-Fi": 16, "Family": 12}, 60),
            "release_year": rng.integers(2012, 2025, 60),
            "runtime_min": rng.integers(24, 151, 60),
            "original": np.where(rng.random(60) < 0.3, "true", "false"),
        }
    )
    shown = rng.choice(57, size=total, p=rng.dirichlet(np.full(57, 1.5)))
    length = titles["runtime_min"].to_numpy()[shown]
    done = rng.random(total) < 0.55
    begun = days(rng, "2024-01-01", "2025-06-30", total) + pd.to_timedelta(
        rng.integers(0, 1440, total), unit="m"
    )
    plays = pd.DataFrame(
        {
            "play_id": np.arange(1, total + 1),
            "subscriber_id": rng.choice(np.arange(20001, 20376), size=total),
            "title_id": titles["title_id"].to_numpy()[shown],
            "started_at": begun.sort_values().strftime("%Y-%m-%d %H:%M:%S"),
            "minutes_watched": np.where(
                done, length, np.maximum(1, (length * rng.uniform(0.02, 0.95, total)).astype(int))
            ),
            "device": pick(rng, {"TV": 46, "Phone": 28, "Laptop": 16, "Tablet": 10}, total),
            "finished": np.where(done, "true", "false"),
            "rating": pd.Series(rng.integers(1, 6, total)).where(rng.random(total) < 0.35).astype("Int64"),
        }
    )
    save(folder, subscribers=subscribers, titles=titles, plays=plays)


def make_warehouse(folder: Path) -> None:
    """A warehouse: suppliers, stock items and the purchase orders."""
    rng, count, total = np.random.default_rng(1108), 120, 1700
    suppliers = pd.DataFrame(
        {
            "Supplier ID": [f"S{number:02d}" for number in range(1, 19)],
            "Supplier": [
                "Alder & Co",
                "Brightline",
                "Coldwater",
                "Delmar",
                "Everstock",
                "Fenwick",
                "Granite",
                "Hexa Parts",
                "Ironbridge",
                "Juniper",
                "Kestrel",
                "Larkfield",
                "Monarch",
                "Northgate",
                "Orion",
                "Pinecrest",
                "Quarry Lane",
                "Redfern",
            ],
            "Country": pick(rng, {"Netherlands": 30, "Italy": 25, "Czechia": 25, "Turkey": 20}, 18),
            "ISO Certified": pick(rng, {"Yes": 6, "No": 4}, 18),
        }
    )
    items = pd.DataFrame(
        {
            "SKU": [f"SKU-{number}" for number in range(501, 501 + count)],
            "Category": pick(
                rng, {"Fasteners": 30, "Electrical": 24, "Plumbing": 20, "Tools": 16, "Safety": 10}, count
            ),
            "Unit Cost ($)": np.round(rng.gamma(1.6, 9, count) + 0.8, 2),
            "Weight (kg)": np.round(rng.gamma(1.5, 1.4, count) + 0.05, 2),
            "Qty On Hand": rng.integers(0, 900, count),
            "Reorder Level": rng.integers(40, 260, count),
            "Aisle": rng.choice(list("ABCDEF"), size=count),
            "Hazardous": pick(rng, {"Y": 12, "N": 88}, count),
        }
    )
    placed = days(rng, "2023-01-02", "2025-09-30", total).sort_values()
    item = rng.integers(0, 112, total)
    amount = rng.integers(10, 501, total)
    price = np.round(items["Unit Cost ($)"].to_numpy()[item] * rng.normal(1.0, 0.06, total), 2)
    came = pd.Series(placed + pd.to_timedelta(rng.integers(3, 36, total), unit="D"))
    status = pick(rng, {"Received": 90, "Cancelled": 6, "In Transit": 4}, total)
    orders = pd.DataFrame(
        {
            "PO Number": [f"PO-{number}" for number in range(30001, 30001 + total)],
            "Order Date": placed.strftime("%Y-%m-%d"),
            "Supplier ID": rng.choice(suppliers["Supplier ID"][:16], size=total),
            "SKU": items["SKU"].to_numpy()[item],
            "Qty": amount,
            "Unit Price ($)": price,
            "Promised Date": (placed + pd.to_timedelta(rng.integers(7, 31, total), unit="D")).strftime(
                "%Y-%m-%d"
            ),
            "Received Date": came.dt.strftime("%Y-%m-%d").where(status == "Received", None),
            "Status": status,
            "Damaged Units": pd.Series(rng.binomial(amount, 0.012))
            .where(status == "Received")
            .astype("Int64"),
            "Buyer": blank(
                rng, pd.Series(pick(rng, {"Lopez": 34, "Hart": 28, "Nakamura": 22, "Bose": 16}, total)), 0.02
            ),
        }
    )
    save(folder, suppliers=suppliers, items=items, purchase_orders=orders)
