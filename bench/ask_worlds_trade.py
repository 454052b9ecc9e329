"""Made-up data sets of small trades: a brewery, allotments, cold stores."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ask_worlds_people import Frames, World, days, holes, pick


def brewery(rng: np.random.Generator) -> Frames:
    """A small brewery: its beers, what was brewed, and what was sold, in a brewer's short names."""
    names = [
        "Foxglove",
        "Old Mill",
        "Night Ferry",
        "Saltmarsh",
        "Lantern",
        "Copper Kettle",
        "Wren",
        "Hay Barn",
    ]
    beers = pd.DataFrame(
        {
            "beer_cd": ["FOX", "OMI", "NFE", "SAL", "LAN", "COP", "WRE", "HAY"],
            "beer_name": names,
            "style": ["IPA", "Bitter", "Stout", "Gose", "Lager", "Bitter", "IPA", "Saison"],
            "list_price_hl": [310.0, 255.0, 290.0, 335.0, 240.0, 250.0, 325.0, 340.0],
            "launched": [2017, 2014, 2015, 2021, 2016, 2014, 2022, 2020],
            "seasonal": [0, 0, 0, 1, 0, 0, 0, 1],
        }
    )
    b, n = 620, 5400
    which = rng.choice(8, b, p=np.array([7, 6, 4, 2, 9, 5, 3, 2]) / 38)
    strong = np.array([1.056, 1.041, 1.062, 1.044, 1.046, 1.043, 1.059, 1.054])[which]
    og = (strong + rng.normal(0, 0.0016, b)).round(3)
    fg = (1.010 + rng.normal(0, 0.0014, b)).round(3)
    batches = pd.DataFrame(
        {
            "batch_no": np.arange(2201, 2201 + b),
            "beer_cd": beers["beer_cd"].to_numpy()[which],
            "brewed_on": days(rng, "2022-01-04", "2024-12-19", b).sort_values().strftime("%Y-%m-%d"),
            "brewer": pick(rng, ["Ines", "Tomasz", "Gwen"], b, [5, 4, 2]),
            "tank": pick(rng, ["T1", "T2", "T3", "T4", "T5"], b, [4, 4, 3, 3, 2]),
            "vol_hl": rng.normal(19.4, 1.6, b).round(1),
            "og": og,
            "fg": fg,
            "abv_pct": ((og - fg) * 131.25).round(1),
            "ferm_days": (np.where(beers["style"].to_numpy()[which] == "Lager", 27, 11) + rng.poisson(3, b)),
            "malt_cost_eur": rng.normal(740, 95, b).round(2),
            "dumped": (rng.random(b) < 0.045).astype(int),
            "taste_score": holes(rng, rng.normal(7.4, 0.9, b).clip(3, 10).round(1), 0.11),
        }
    )
    kind = pick(rng, ["Pub", "Bottle Shop", "Restaurant", "Taproom", "Export"], n, [9, 4, 3, 5, 1])
    likes = pd.DataFrame(
        {
            "Pub": [6, 7, 3, 1, 9, 5, 2, 1],
            "Bottle Shop": [8, 2, 4, 5, 3, 2, 7, 5],
            "Restaurant": [4, 2, 3, 3, 9, 2, 2, 5],
            "Taproom": [9, 5, 4, 3, 6, 4, 6, 3],
            "Export": [3, 2, 9, 1, 2, 1, 1, 1],
        }
    )
    odds = (likes / likes.sum()).cumsum()[list(kind)].to_numpy()
    sold = (rng.random(n) > odds).sum(axis=0).clip(0, 7)
    kegs = rng.geometric(0.3, n) * np.where(kind == "Export", 6, 1)
    price = beers["list_price_hl"].to_numpy()[sold] * 0.3
    ordered = days(rng, "2022-02-01", "2024-12-30", n).sort_values()
    off = pick(rng, [0, 5, 10, 15], n, [6, 2, 2, 1]).astype(int)
    paid = pd.Series(ordered + pd.to_timedelta(rng.gamma(4, 7, n).round(), unit="D"))
    paid = paid.where(paid < pd.Timestamp("2025-01-10"))
    sales = pd.DataFrame(
        {
            "inv_no": [f"INV{i:05d}" for i in range(1, n + 1)],
            "inv_dt": ordered.strftime("%Y-%m-%d"),
            "cust_type": kind,
            "beer_cd": beers["beer_cd"].to_numpy()[sold],
            "kegs": kegs,
            "disc_pct": off,
            "net_eur": (kegs * price * (1 - off / 100)).round(2),
            "paid_dt": paid.where(pd.Series(rng.random(n) < 0.93)).dt.strftime("%Y-%m-%d"),
        }
    )
    return {"beers.csv": beers, "batches.csv": batches, "sales.csv": sales}


def allotments(rng: np.random.Generator) -> Frames:
    """A garden society's plots, members and receipts, kept in a spreadsheet by its treasurer."""
    m, p, n = 340, 410, 2300
    joined = days(rng, "2005-02-01", "2024-06-30", m)
    members = pd.DataFrame(
        {
            "Member No": np.arange(1001, 1001 + m),
            "Joined": joined.strftime("%d/%m/%Y"),
            "Age Band": pick(rng, ["under 35", "35-49", "50-64", "65+"], m, [2, 4, 6, 5]),
            "Membership": pick(rng, ["Full", "Concession", "Family"], m, [6, 4, 2]),
            "Newsletter": pick(rng, ["Yes", "No"], m, [7, 3]),
            "Committee Role": pd.Series(
                pick(rng, ["Treasurer Team", "Shop Helper", "Site Steward"], m, [1, 3, 4])
            ).where(pd.Series(rng.random(m) < 0.06)),
        }
    )
    size = pick(rng, [62, 125, 187, 250], p, [3, 5, 2, 3]).astype(int)
    let = pd.Series(rng.random(p) < 0.88)
    since = days(rng, "2010-03-01", "2024-08-31", p)
    plots = pd.DataFrame(
        {
            "Plot No": [f"P{i:03d}" for i in range(1, p + 1)],
            "Site": pick(rng, ["Brook Lane", "Hill Top", "Station Field", "St Anne's"], p, [6, 4, 3, 2]),
            "Size (sq m)": size,
            "Annual Rent": (size * 0.42 + 8).round(2),
            "Shed": pick(rng, ["Yes", "No"], p, [5, 5]),
            "Polytunnel": pick(rng, ["Yes", "No"], p, [1, 5]),
            "Water Tap": pick(rng, ["Shared", "Own", "Standpipe"], p, [6, 1, 3]),
            "Condition": pick(rng, ["Good", "Fair", "Overgrown"], p, [6, 3, 1]),
            "Tenant": pd.Series(rng.choice(members["Member No"], p)).where(let).astype("Int64"),
            "Let Since": pd.Series(since.strftime("%d/%m/%Y")).where(let),
        }
    )
    what = pick(rng, ["Rent", "Water", "Membership", "Key Deposit", "Shop"], n, [6, 4, 5, 1, 5])
    usual = pd.Series(what).map({"Rent": 64, "Water": 18, "Membership": 12, "Key Deposit": 10, "Shop": 23})
    usually = pd.Series(what).map(
        {
            "Rent": "Bank transfer",
            "Water": "Bank transfer",
            "Membership": "Card",
            "Key Deposit": "Cash",
            "Shop": "Card",
        }
    )
    odd = pick(rng, ["Bank transfer", "Cash", "Card", "Cheque"], n, [3, 3, 4, 3])
    amount = (usual * rng.lognormal(0, 0.25, n)).round(2)
    payments = pd.DataFrame(
        {
            "Receipt": np.arange(70_001, 70_001 + n),
            "Member No": rng.choice(members["Member No"], n),
            "Paid On": days(rng, "2022-01-04", "2024-10-12", n).sort_values().strftime("%d/%m/%Y"),
            "Paid For": what,
            "Method": np.where(rng.random(n) < 0.75, usually, odd),
            "Amount": [f"£{a:.2f}" for a in amount],
        }
    )
    return {"plots.csv": plots, "members.csv": members, "payments.csv": payments}


def coldstore(rng: np.random.Generator) -> Frames:
    """The loggers of a food bank's cold rooms: one row an hour and unit, in run-together names with units."""
    k, hours = 10, 24 * 40
    units = pd.DataFrame(
        {
            "UnitID": [f"CU{i:02d}" for i in range(1, k + 1)],
            "Depot": [
                "North",
                "North",
                "North",
                "North",
                "Quay",
                "Quay",
                "Quay",
                "Central",
                "Central",
                "Central",
            ],
            "UnitKind": ["Freezer", "Chiller", "Chiller", "Freezer", "Freezer", "Chiller", "Chiller"]
            + ["Freezer", "Freezer", "Chiller"],
            "Stock": ["Meat", "Dairy", "Produce", "Ready Meals", "Fish", "Dairy", "Produce"]
            + ["Bakery", "Meat", "Produce"],
            "SetPointC": [-20.0, 3.0, 5.0, -18.0, -22.0, 3.0, 5.0, -18.0, -20.0, 5.0],
            "CapacityM3": [42, 30, 55, 24, 38, 26, 48, 20, 36, 60],
            "ServicedOn": days(rng, "2024-05-01", "2025-02-15", k),
        }
    )
    stamp = pd.date_range("2025-03-01", periods=hours, freq="h")
    which = np.tile(np.arange(k), hours)
    when = np.repeat(stamp.to_numpy(), k)
    n = k * hours
    busy = np.isin(pd.DatetimeIndex(when).hour, np.arange(7, 18))
    door = np.where(busy & (rng.random(n) < 0.7), rng.gamma(1.6, 70, n), 0).round().astype(int)
    leak = np.array([0, 0, 0.4, 0, 0.9, 0, 0, 2.1, 0, 0.2])[which]
    temp = units["SetPointC"].to_numpy()[which] + leak + door * 0.011 + rng.normal(0, 0.6, n)
    over = temp - units["SetPointC"].to_numpy()[which]
    code = np.where(over > 3.6, "HIGH_TEMP", np.where(door > 320, "DOOR_OPEN", None))
    code = np.where(rng.random(n) < 0.004, "POWER_FAIL", code)
    watts = units["CapacityM3"].to_numpy()[which] * 19 + door * 1.3 + rng.normal(0, 60, n)
    readings = pd.DataFrame(
        {
            "ReadingTime": when,
            "UnitID": units["UnitID"].to_numpy()[which],
            "TempC": holes(rng, temp.round(2), 0.02),
            "HumidityPct": holes(rng, rng.normal(71, 7, n).clip(20, 100).round(1), 0.03),
            "DoorOpenSec": door,
            "CompressorOn": (rng.random(n) < 0.62 + door / 2500).astype(int),
            "PowerW": watts.clip(80).round(),
            "AlarmCode": pd.Series(code, dtype=object),
        }
    )
    return {"Units.parquet": units, "Readings.parquet": readings}


TRADE: dict[str, World] = {
    "brewery": brewery,
    "allotments": allotments,
    "coldstore": coldstore,
}
