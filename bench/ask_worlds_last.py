"""Made-up data sets of six further domains: a marathon, permits, a podcast, an auction house, beehives, a fishery."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ask_worlds_people import Frames, World, days, holes, pick


def marathon(rng: np.random.Generator) -> Frames:
    """The results of three editions of a race in one sheet, with headings as an organiser types them."""
    n = 5200
    sex = pick(rng, ["Female", "Male"], n, [42, 58])
    age = rng.normal(41, 11, n).clip(18, 79).round().astype(int)
    group = pd.cut(age, [17, 29, 39, 49, 59, 100], labels=["18-29", "30-39", "40-49", "50-59", "60+"])
    minutes = 225 + np.where(sex == "Female", 21, 0) + (age - 34).clip(0) * 0.9 + rng.normal(0, 31, n)
    minutes = minutes.clip(138).round(2)
    half = (minutes * rng.normal(0.478, 0.012, n)).round(2)
    status = pick(rng, ["Finished", "DNF", "DNS"], n, [91, 5, 4])
    done = pd.Series(status == "Finished")
    clubs = ["Harriers", "Lakeside Runners", "Red Shoes", "Hilltop AC", "City Striders"]
    return {
        "race_results.csv": pd.DataFrame(
            {
                "Bib No": np.arange(1, n + 1),
                "Race Year": pick(rng, [2022, 2023, 2024], n, [28, 33, 39]).astype(int),
                "Sex": sex,
                "Age": age,
                "Age Group": group.astype(str),
                "Country": pick(
                    rng,
                    ["Ireland", "United Kingdom", "France", "Spain", "Kenya", "USA"],
                    n,
                    [50, 22, 9, 7, 2, 10],
                ),
                "Club": holes(rng, pick(rng, clubs, n, [5, 4, 3, 3, 2]), 0.35),
                "Status": status,
                "Half Split (min)": pd.Series(half).where(done | (status == "DNF")),
                "Finish Time (min)": pd.Series(minutes).where(done),
                "Entry Fee": pick(rng, [75.0, 90.0, 110.0], n, [4, 4, 2]).astype(float),
            }
        )
    }


def permits(rng: np.random.Generator) -> Frames:
    """A city's building permits, as a register exports them: shouting names, codes, days as text."""
    n = 6400
    work = pick(rng, ["NEW", "ALTERATION", "DEMOLITION", "SIGN", "SOLAR"], n, [22, 45, 8, 10, 15])
    usual = pd.Series(work).map(
        {"NEW": 310_000, "ALTERATION": 46_000, "DEMOLITION": 24_000, "SIGN": 3_200, "SOLAR": 14_500}
    )
    cost = (usual * rng.lognormal(0, 0.55, n) / 50).round() * 50
    applied = days(rng, "2020-01-02", "2024-12-20", n).sort_values()
    wait = pd.to_timedelta(rng.gamma(3, 11, n).round() + 1, unit="D")
    status = pick(rng, ["ISSUED", "PENDING", "DENIED", "WITHDRAWN"], n, [80, 8, 7, 5])
    issued = pd.Series((applied + wait).strftime("%Y-%m-%d")).where(pd.Series(status == "ISSUED"))
    return {
        "building_permits.csv": pd.DataFrame(
            {
                "PERMIT_NO": [f"BP{i:06d}" for i in range(20_001, 20_001 + n)],
                "APPLIED_DT": applied.strftime("%Y-%m-%d"),
                "ISSUED_DT": issued,
                "WORK_TYPE": work,
                "WARD": pick(
                    rng, ["Old Town", "Riverside", "Northgate", "Elm Park", "Docklands"], n, [2, 5, 4, 3, 3]
                ),
                "PROPERTY_USE": pick(rng, ["Residential", "Commercial", "Industrial"], n, [66, 27, 7]),
                "EST_COST": cost.astype(int),
                "FEE": (cost * 0.011 + 85).round(2),
                "FLOOR_AREA_SQM": holes(rng, rng.lognormal(4.7, 0.6, n).round(1), 0.12),
                "STATUS": status,
                "INSPECTIONS": rng.poisson(2.1, n),
            }
        )
    }


def podcast(rng: np.random.Generator) -> Frames:
    """The episodes of three shows with their first downloads, in a host's short names."""
    shows = ["Night Shift", "Cold Cases", "Money Talks"]
    n = 460
    show = pick(rng, shows, n, [4, 3, 3])
    published = days(rng, "2022-01-03", "2024-12-29", n).sort_values()
    age = (published - pd.Timestamp("2022-01-03")).days.to_numpy()
    length = pd.Series(show).map({"Night Shift": 38, "Cold Cases": 61, "Money Talks": 27})
    length = (length + rng.normal(0, 7, n)).clip(9).round(1)
    week = pd.Series(show).map({"Night Shift": 4200, "Cold Cases": 9100, "Money Talks": 2600})
    week = (week * (1 + age / 900) * rng.lognormal(0, 0.28, n)).round().astype(int)
    month = (week * rng.normal(1.72, 0.12, n).clip(1.2)).round().astype(int)
    topics = ["crime", "health", "work", "travel", "science", "money"]
    sponsored = rng.random(n) < 0.55
    return {
        "episodes.csv": pd.DataFrame(
            {
                "ep_id": np.arange(1, n + 1),
                "show": show,
                "pub_date": published.strftime("%Y-%m-%d"),
                "topic": pick(rng, topics, n, [5, 3, 4, 2, 3, 3]),
                "host": pick(rng, ["Ada", "Bruno", "Chidi", "Dolores"], n, [4, 3, 2, 2]),
                "guest": pick(rng, ["yes", "no"], n, [6, 4]),
                "length_min": length,
                "dl_7d": week,
                "dl_30d": month,
                "completion_pct": holes(
                    rng, (82 - length * 0.31 + rng.normal(0, 6, n)).clip(5, 99).round(1), 0.05
                ),
                "sponsor": pd.Series(
                    pick(rng, ["BrewBox", "SafeNet", "PedalCo", "Leaf Bank"], n, [4, 3, 2, 2])
                ).where(pd.Series(sponsored)),
                "ad_rev_eur": np.where(sponsored, (month * 0.021).round(2), 0.0),
            }
        )
    }


def auction(rng: np.random.Generator) -> Frames:
    """An auction house: its sales, the lots of each, and the bids; a lot below its reserve goes unsold."""
    kinds = ["Paintings", "Furniture", "Jewellery", "Clocks", "Ceramics"]
    k, n = 36, 2600
    held = pd.date_range("2022-01-20", periods=k, freq="30D")
    sales = pd.DataFrame(
        {
            "sale_no": np.arange(301, 301 + k),
            "sale_date": held.strftime("%Y-%m-%d"),
            "city": pick(rng, ["Edinburgh", "Bath", "Dublin"], k, [4, 3, 3]),
            "auctioneer": pick(rng, ["Whitlock", "Osei", "Farrant", "Quinn"], k),
        }
    )
    kind = pick(rng, kinds, n, [5, 6, 4, 2, 4])
    low = pd.Series(kind).map(
        {"Paintings": 900, "Furniture": 320, "Jewellery": 700, "Clocks": 260, "Ceramics": 150}
    )
    low = (low * rng.lognormal(0, 0.8, n) / 10).round().clip(2) * 10
    high = (low * 1.5 / 10).round() * 10
    bids_made = rng.poisson(4.2, n)
    price = ((low + high) / 2 * rng.lognormal(-0.12, 0.32, n) / 5).round() * 5
    sold = pd.Series((bids_made > 0) & (price >= low * 0.8))
    lots = pd.DataFrame(
        {
            "lot_id": np.arange(1, n + 1),
            "sale_no": np.sort(rng.choice(sales["sale_no"].to_numpy(), n)),
            "department": kind,
            "period": pick(rng, ["Georgian", "Victorian", "Edwardian", "Modern"], n, [2, 4, 2, 4]),
            "low_estimate": low.astype(int),
            "high_estimate": high.astype(int),
            "hammer_price": price.where(sold),
            "sold": sold.map({True: "Y", False: "N"}),
        }
    )
    owner = np.repeat(np.arange(n), bids_made)
    m = len(owner)
    bids = pd.DataFrame(
        {
            "bid_id": np.arange(1, m + 1),
            "lot_id": owner + 1,
            "paddle": rng.choice(np.arange(100, 420), m),
            "via": pick(rng, ["room", "online", "phone"], m, [4, 5, 2]),
            "amount": (price.to_numpy()[owner] * rng.uniform(0.55, 1.0, m) / 5).round() * 5,
        }
    )
    return {"sales.csv": sales, "lots.csv": lots, "bids.csv": bids}


def apiary(rng: np.random.Generator) -> Frames:
    """A beekeeper's hives, what was seen at each inspection, and the honey taken, in camel case."""
    h, n, m = 64, 3100, 410
    hives = pd.DataFrame(
        {
            "hiveId": [f"H{i:02d}" for i in range(1, h + 1)],
            "site": pick(rng, ["Orchard", "Heath", "Canal", "Rooftop"], h, [4, 3, 2, 1]),
            "hiveType": pick(rng, ["Langstroth", "National", "TopBar"], h, [5, 4, 1]),
            "queenBreed": pick(rng, ["Buckfast", "Carniolan", "Ligurian"], h, [5, 3, 2]),
            "installedOn": days(rng, "2018-04-01", "2022-05-30", h),
        }
    )
    which = rng.choice(h, n)
    mites = rng.gamma(1.3, 2.1, n) * np.where(hives["site"].to_numpy()[which] == "Heath", 1.5, 1.0)
    inspections = pd.DataFrame(
        {
            "inspectionId": np.arange(1, n + 1),
            "hiveId": hives["hiveId"].to_numpy()[which],
            "inspectedOn": days(rng, "2022-03-01", "2024-10-15", n).sort_values(),
            "miteCount": mites.round().astype(int),
            "broodFrames": rng.integers(2, 10, n),
            "queenSeen": rng.random(n) < 0.68,
            "temper": pick(rng, ["calm", "nervous", "aggressive"], n, [6, 3, 1]),
            "hiveWeightKg": holes(rng, (38 + rng.normal(0, 6, n)).round(1), 0.06),
        }
    )
    taker = rng.choice(h, m)
    year = pick(rng, [2022, 2023, 2024], m).astype(int)
    day = pd.to_timedelta(rng.integers(0, 70, m), unit="D")
    harvests = pd.DataFrame(
        {
            "harvestId": np.arange(1, m + 1),
            "hiveId": hives["hiveId"].to_numpy()[taker],
            "takenOn": pd.to_datetime(pd.Series(year).astype(str) + "-06-25") + day,
            "honeyKg": rng.gamma(6, 2.1, m).round(2),
            "honeyType": pick(rng, ["Blossom", "Heather", "Lime", "Clover"], m, [4, 3, 2, 2]),
            "moisturePct": rng.normal(17.6, 0.7, m).round(1),
        }
    )
    return {"hives.parquet": hives, "inspections.parquet": inspections, "honeyHarvests.parquet": harvests}


def fishery(rng: np.random.Generator) -> Frames:
    """Landings at four ports and the vessels that made them, with words run together and units in the names."""
    v, n = 48, 8200
    vessels = pd.DataFrame(
        {
            "VesselCode": [f"V{i:03d}" for i in range(1, v + 1)],
            "HomePort": pick(rng, ["Skarvik", "Northhaven", "Bellport", "Tarn Bay"], v, [4, 4, 3, 2]),
            "GearType": pick(rng, ["Trawl", "Longline", "Gillnet", "Pots"], v, [4, 3, 3, 2]),
            "LengthM": rng.gamma(9, 1.9, v).clip(6).round(1),
            "BuiltYear": rng.integers(1974, 2022, v),
            "CrewSize": rng.integers(2, 12, v),
        }
    )
    busy = rng.pareto(2.2, v) + 0.4
    boat = rng.choice(v, n, p=busy / busy.sum())
    species = pick(rng, ["Cod", "Haddock", "Herring", "Crab", "Halibut"], n, [5, 4, 4, 2, 1])
    price = pd.Series(species).map({"Cod": 3.9, "Haddock": 2.8, "Herring": 0.9, "Crab": 6.4, "Halibut": 11.2})
    price = (price * rng.normal(1, 0.12, n).clip(0.5)).round(2)
    weight = pd.Series(species).map(
        {"Cod": 620, "Haddock": 480, "Herring": 2400, "Crab": 210, "Halibut": 140}
    )
    weight = (weight * rng.lognormal(0, 0.5, n)).round(1)
    landed = pd.DataFrame(
        {
            "LandingID": np.arange(500_001, 500_001 + n),
            "LandingDate": days(rng, "2022-01-01", "2024-12-31", n).sort_values(),
            "VesselCode": vessels["VesselCode"].to_numpy()[boat],
            "Port": np.where(
                rng.random(n) < 0.85,
                vessels["HomePort"].to_numpy()[boat],
                pick(rng, ["Skarvik", "Northhaven", "Bellport", "Tarn Bay"], n),
            ),
            "Species": species,
            "WeightKg": weight,
            "PricePerKg": price,
            "ValueEUR": (weight * price).round(2),
            "Grade": holes(rng, pick(rng, ["A", "B", "C"], n, [5, 3, 1]), 0.07),
            "DaysAtSea": rng.integers(1, 9, n),
        }
    )
    return {"Landings.parquet": landed, "Vessels.parquet": vessels}


LAST: dict[str, World] = {
    "marathon": marathon,
    "permits": permits,
    "podcast": podcast,
    "auction": auction,
    "apiary": apiary,
    "fishery": fishery,
}
