"""Made-up data sets of a city: fire calls, water samples of rivers, a courier."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ask_worlds_people import Frames, World, days, holes, pick


def firecalls(rng: np.random.Generator) -> Frames:
    """A city's fire and rescue calls in one sheet, with American stamps as text and cut-off headings."""
    n = 7800
    nature = pick(
        rng,
        ["Medical", "Structure Fire", "Vehicle Fire", "Alarm Activation", "Rescue", "Gas Leak", "Brush Fire"],
        n,
        [46, 9, 6, 22, 7, 6, 4],
    )
    shift = rng.choice(24, n, p=(w := np.array([3] * 6 + [4] * 4 + [6] * 6 + [8] * 5 + [5] * 3)) / w.sum())
    when = days(rng, "2022-01-01", "2024-12-31", n).sort_values()
    when = when + pd.to_timedelta(shift * 60 + rng.integers(0, 60, n), unit="min")
    borough = pick(rng, ["Harbor", "Midtown", "Eastfield", "Kings Hill", "Lowlands"], n, [5, 8, 4, 3, 2])
    slow = pd.Series(borough).map(
        {"Harbor": 300, "Midtown": 255, "Eastfield": 345, "Kings Hill": 392, "Lowlands": 470}
    )
    response = (slow * rng.lognormal(0, 0.27, n)).round().clip(60)
    fire = pd.Series(nature).str.endswith("Fire")
    level = np.where(nature == "Structure Fire", pick(rng, [1, 2, 3, 4], n, [60, 25, 11, 4]), 1).astype(int)
    usual = pd.Series(nature).map({"Structure Fire": 34_000, "Vehicle Fire": 7_800, "Brush Fire": 1_900})
    damage = ((usual * level * rng.lognormal(0, 0.7, n)) / 100).round() * 100
    cause = pick(rng, ["Cooking", "Electrical", "Smoking", "Arson", "Heating"], n, [8, 6, 3, 2, 3])
    false = np.where(nature == "Alarm Activation", rng.random(n) < 0.71, rng.random(n) < 0.03)
    stations = {
        "Harbor": ["Stn 01", "Stn 04"],
        "Midtown": ["Stn 02", "Stn 03", "Stn 07"],
        "Eastfield": ["Stn 05", "Stn 09"],
        "Kings Hill": ["Stn 06"],
        "Lowlands": ["Stn 08"],
    }
    station = [
        stations[b][int(u * len(stations[b]))] for b, u in zip(borough, rng.random(n) ** 1.3, strict=True)
    ]
    return {
        "fire_incidents.csv": pd.DataFrame(
            {
                "Incident #": [f"F{w:%y}-{i:05d}" for i, w in enumerate(when, 1)],
                "Call Received": when.strftime("%m/%d/%Y %I:%M %p"),
                "Nature": nature,
                "Borough": borough,
                "1st Due Stn": station,
                "Alarm Lvl": level,
                "Units Sent": (level * 2 + rng.integers(-1, 3, n)).clip(1),
                "Resp Time (sec)": holes(rng, response, 0.04),
                "Civ Inj": rng.poisson(np.where(fire, 0.16, 0.05)),
                "FF Inj": rng.poisson(np.where(nature == "Structure Fire", 0.12, 0.01)),
                "Est Damage ($)": damage.where(fire),
                "Cause": holes(rng, cause, 0.18).where(fire),
                "False Alarm": np.where(false, "Y", "N"),
                "Mutual Aid": pick(rng, ["Y", "N"], n, [6, 94]),
            }
        )
    }


def riverlab(rng: np.random.Generator) -> Frames:
    """The water samples of a river trust's lab in one table, with units and signs in the headings."""
    n = 3900
    rivers = ["Alder", "Brant", "Corve", "Dunlin"]
    river = pick(rng, rivers, n, [5, 4, 3, 2])
    site = [f"{r[0]}{k}" for r, k in zip(river, rng.integers(1, 6, n), strict=True)]
    on = days(rng, "2021-01-05", "2024-09-30", n).sort_values()
    warm = 11 - 6.5 * np.cos(2 * np.pi * (on.dayofyear.to_numpy() - 20) / 365)
    temp = (warm + rng.normal(0, 1.7, n)).clip(0.5).round(1)
    rain = np.where(rng.random(n) < 0.45, 0, rng.gamma(1.1, 5.5, n)).round(1)
    turbid = (4 + rain * 1.4 + rng.gamma(2, 2.2, n)).round(1)
    dirty = pd.Series(river).map({"Alder": 4.1, "Brant": 5.2, "Corve": 4.5, "Dunlin": 3.6})
    coli = np.exp(dirty + rain * 0.045 + rng.normal(0, 0.85, n)).round()
    return {
        "water_samples.parquet": pd.DataFrame(
            {
                "Sample ID": [f"WS-{i:05d}" for i in range(1, n + 1)],
                "Sampled On": on,
                "River": river,
                "Site": site,
                "Taken By": pick(rng, ["Volunteer", "Lab Staff", "Contractor"], n, [6, 3, 1]),
                "Water Temp (°C)": temp,
                "pH": rng.normal(7.6, 0.34, n).round(2),
                "Dissolved O2 (mg/L)": holes(
                    rng, (14.1 - temp * 0.27 + rng.normal(0, 0.7, n)).round(2), 0.07
                ),
                "Turbidity (NTU)": turbid,
                "Nitrate (mg/L)": holes(rng, rng.gamma(5, 0.85, n).round(2), 0.05),
                "E. coli (CFU/100 mL)": holes(rng, coli, 0.03),
                "Rain Prev 24h (mm)": rain,
                "Over Limit?": (coli > 500).astype(int),
                "Retest Ordered?": ((coli > 500) & (rng.random(n) < 0.8)).astype(int),
                "Lab Days": rng.integers(1, 8, n),
            }
        )
    }


def courier(rng: np.random.Generator) -> Frames:
    """A parcel carrier: depots, drivers, parcels and claims, as its operations system dumps them."""
    depots = pd.DataFrame(
        {
            "dpt_cd": ["LDS", "BRS", "GLA", "NOR", "CDF"],
            "dpt_name": ["Leeds", "Bristol", "Glasgow", "Norwich", "Cardiff"],
            "opened_yr": [2009, 2012, 2015, 2019, 2021],
            "bays": [24, 18, 16, 8, 10],
        }
    )
    d, n = 62, 7600
    drivers = pd.DataFrame(
        {
            "drv_id": np.arange(501, 501 + d),
            "dpt_cd": pick(rng, ["LDS", "BRS", "GLA", "NOR", "CDF"], d, [6, 5, 4, 2, 3]),
            "contract": pick(rng, ["employee", "self-employed", "agency"], d, [5, 4, 2]),
            "vehicle": pick(rng, ["diesel van", "electric van", "cargo bike"], d, [6, 4, 1]),
            "hired_on": days(rng, "2016-01-11", "2024-03-01", d).strftime("%Y-%m-%d"),
        }
    )
    busy = rng.gamma(3, 1, d)
    who = rng.choice(d, n, p=busy / busy.sum())
    svc = pick(rng, ["STD", "EXP", "NXD"], n, [62, 25, 13])
    booked = days(rng, "2024-01-02", "2024-12-28", n).sort_values()
    promised = booked + pd.to_timedelta(
        pd.Series(svc).map({"STD": 4, "EXP": 2, "NXD": 1}).to_numpy(), unit="D"
    )
    slip = np.where(rng.random(n) < 0.14, rng.integers(1, 6, n), -rng.integers(0, 2, n) * (svc == "STD"))
    status = pick(rng, ["delivered", "returned", "lost", "in_transit"], n, [930, 35, 12, 23])
    came = pd.Series(promised + pd.to_timedelta(slip, unit="D")).where(pd.Series(status == "delivered"))
    weight = rng.lognormal(0.9, 0.8, n).clip(0.1, 30).round(2)
    base = pd.Series(svc).map({"STD": 4.2, "EXP": 7.5, "NXD": 11.9})
    parcels = pd.DataFrame(
        {
            "prcl_id": np.arange(9_000_001, 9_000_001 + n),
            "booked_on": booked.strftime("%Y-%m-%d"),
            "promised_on": promised.strftime("%Y-%m-%d"),
            "dlvd_on": came.dt.strftime("%Y-%m-%d"),
            "drv_id": drivers["drv_id"].to_numpy()[who],
            "svc": svc,
            "sender_type": pick(rng, ["business", "private"], n, [7, 3]),
            "wt_kg": weight,
            "chg_gbp": (base + weight * 0.55).round(2),
            "attempts": rng.choice([1, 2, 3], n, p=[0.82, 0.14, 0.04]),
            "sig_req": rng.random(n) < 0.3,
            "stat": status,
        }
    )
    c = 520
    lost = rng.choice(n, c, replace=False)
    asked = rng.gamma(1.8, 42, c).round(2)
    okay = pick(rng, ["accepted", "rejected", "open"], c, [55, 33, 12])
    claims = pd.DataFrame(
        {
            "claim_id": [f"C{i:04d}" for i in range(1, c + 1)],
            "prcl_id": parcels["prcl_id"].to_numpy()[lost],
            "reason": pick(rng, ["damaged", "late", "missing item", "wrong address"], c, [5, 4, 3, 1]),
            "claimed_gbp": asked,
            "paid_gbp": pd.Series((asked * rng.uniform(0.4, 1, c)).round(2)).where(
                pd.Series(okay == "accepted")
            ),
            "outcome": okay,
        }
    )
    return {"depots.csv": depots, "drivers.csv": drivers, "parcels.csv": parcels, "claims.csv": claims}


CITY: dict[str, World] = {
    "firecalls": firecalls,
    "riverlab": riverlab,
    "courier": courier,
}
