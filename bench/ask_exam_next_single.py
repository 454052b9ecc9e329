"""The data sets of one table about places: beehives, planning applications and river samples."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd

from ask_exam_next_parts import day, dmy, gap, pick

# --------------------------------------------------------------------------- hives

APIARIES = {
    "Orchard Bank": ("OB", 9),
    "Mill Meadow": ("MM", 7),
    "Heather Edge": ("HE", 6),
    "School Roof": ("SR", 4),
}
BREEDS = {"Buckfast": 40, "Carniolan": 28, "Local": 22, "Italian": 9, "Caucasian": 3}


def make_hives() -> dict[str, pd.DataFrame]:
    """Hive inspections of a beekeeping club."""
    rng = np.random.default_rng(1301)
    keepers = {
        "Orchard Bank": {"Margit": 5, "Tomasz": 3},
        "Mill Meadow": {"Tomasz": 4, "Ines": 5},
        "Heather Edge": {"Olu": 6, "Margit": 2},
        "School Roof": {"Ines": 3, "Class 7b": 5},
    }
    rows = []
    for apiary, (code, count) in APIARIES.items():
        for k in range(1, count + 1):
            breed = pick(rng, BREEDS) if (code, k) != ("SR", 4) else "Caucasian"
            skill = rng.normal(1, 0.2)
            for year in (2022, 2023, 2024):
                when = date(year, 3, int(rng.integers(8, 25)))
                while when < date(year, 10, 20):
                    season = np.exp(-(((when.timetuple().tm_yday - 175) / 55.0) ** 2))
                    mites = round(float(rng.gamma(1.6, 0.7)) * (0.6 + (when.month - 3) * 0.22), 1)
                    brood = int(max(0, round(9 * season * skill + rng.normal(0.8, 1.2))))
                    stores = int(max(0, round(4 + 4 * season + rng.normal(0, 1.8))))
                    harvest = 0.0
                    if when.month in (6, 7, 8) and rng.random() < 0.38:
                        harvest = round(float(rng.gamma(5, 2.3)) * skill * (1.25 if year == 2022 else 0.9), 1)
                    fed = (
                        round(float(rng.gamma(3, 0.8)), 1)
                        if when.month in (3, 4, 9, 10) and rng.random() < 0.55
                        else 0.0
                    )
                    state = pick(
                        rng, {"ok": 74, "watch": 15, "treat": 4 + 4 * mites, "queenless": 4, "dead": 0.8}
                    )
                    rows.append(
                        (
                            when,
                            apiary,
                            f"{code}-{k:02d}",
                            breed,
                            pick(rng, keepers[apiary]),
                            pick(rng, {"sunny": 50, "cloudy": 36, "drizzle": 10, "windy": 8, "fog": 1}),
                            gap(rng, 0.05, round(9 + 13 * season + rng.normal(0, 2.5), 1)),
                            "no" if state in ("queenless", "dead") else pick(rng, {"yes": 68, "no": 32}),
                            0 if state == "dead" else brood,
                            stores,
                            gap(rng, 0.03, int(rng.integers(1, 6))),
                            gap(rng, 0.28, mites),
                            harvest,
                            fed,
                            int(rng.integers(8, 46)),
                            round(float(rng.gamma(2, 4.5)), 2) if state == "treat" else None,
                            state,
                        )
                    )
                    when += timedelta(days=int(rng.integers(12, 22)))
    rows.sort(key=lambda r: (r[0], r[2]))
    frame = pd.DataFrame(
        rows,
        columns=[
            "insp_date",
            "apiary",
            "hive",
            "queen_breed",
            "beekeeper",
            "weather",
            "temp_c",
            "queen_seen",
            "frames_brood",
            "frames_stores",
            "temper",
            "varroa_pct",
            "honey_kg",
            "sugar_fed_kg",
            "minutes",
            "treatment_eur",
            "status",
        ],
    )
    frame.insert(0, "insp_id", range(1, len(frame) + 1))
    return {"inspections": frame}


# --------------------------------------------------------------------------- planning

WARDS = {"Abbey": 16, "Castle Hill": 22, "Docks": 11, "Eastfield": 14, "Priory": 19, "Westbrook": 18}
TYPES = {
    "Householder": (46, 258),
    "Full": (20, 578),
    "Change of Use": (11, 578),
    "Listed Building": (9, 0),
    "Advertisement": (7, 165),
    "Tree Works": (8, 0),
    "Outline": (1.2, 624),
}
OFFICERS = {"P. Adeyemi": 24, "L. Brogan": 18, "S. Chaudhry": 21, "H. Driscoll": 12, "K. Elwood": 25}
AGENTS = {
    "Larch Studio": 14,
    "Plan & Build Ltd": 18,
    "Cope Architects": 9,
    "Hale Surveyors": 7,
    "Nord Design": 5,
}


def make_planning() -> dict[str, pd.DataFrame]:
    """Planning applications of a council."""
    rng = np.random.default_rng(1302)
    rows = []
    for _ in range(1400):
        got = day(rng, date(2021, 1, 4), date(2024, 12, 20))
        kind = pick(rng, {k: v[0] for k, v in TYPES.items()})
        ward = pick(rng, WARDS)
        conserved = "Y" if rng.random() < {"Abbey": 0.5, "Priory": 0.4}.get(ward, 0.12) else "N"
        homes = int(rng.geometric(0.25)) if kind in ("Full", "Outline") and rng.random() < 0.7 else 0
        area = (
            round(float(rng.gamma(2.2, 45)) * (1 + homes * 0.4), 0)
            if kind not in ("Tree Works", "Advertisement")
            else None
        )
        against = int(
            rng.poisson(1.1 + homes * 0.9 + (1.2 if conserved == "Y" else 0)) * (rng.random() < 0.6)
        )
        comm = "Y" if against >= 6 or rng.random() < 0.04 else "N"
        result = pick(rng, {"Approved": 76, "Refused": 12 + 2 * against, "Withdrawn": 7})
        days = int(max(9, rng.gamma(9, 6.2 if kind != "Full" else 8.5) + (25 if comm == "Y" else 0)))
        done = got + timedelta(days=days)
        if done > date(2024, 12, 31):
            done, result = None, "Pending"
        fee = TYPES[kind][1] + (462 * (homes - 1) if homes > 1 else 0)
        rows.append(
            (
                got,
                done,
                ward,
                kind,
                pick(rng, OFFICERS),
                None if rng.random() < 0.42 else pick(rng, AGENTS),
                float(fee),
                gap(rng, 0.08, area),
                homes,
                against,
                int(rng.poisson(0.5)),
                gap(rng, 0.2, round(float(rng.beta(3, 5)) * 100, 1)),
                conserved,
                comm,
                result,
            )
        )
    rows.sort(key=lambda r: r[0])
    frame = pd.DataFrame(
        rows,
        columns=[
            "Received",
            "Decided On",
            "Ward",
            "Application Type",
            "Case Officer",
            "Agent",
            "Fee (£)",
            "Floor Area (m²)",
            "New Dwellings",
            "Objections",
            "Letters of Support",
            "Site Coverage (%)",
            "Conservation Area",
            "Committee",
            "Outcome",
        ],
    )
    frame.insert(0, "Ref No", [f"{r.year % 100}/{i:05d}" for i, r in enumerate(frame["Received"], 101)])
    for col in ("Received", "Decided On"):
        frame[col] = frame[col].map(dmy)
    return {"applications": frame}


# --------------------------------------------------------------------------- river

RIVERS = {
    "Alder": ("Upper Vale", ["ALD1", "ALD2", "ALD3"], 2.1),
    "Brenn": ("Upper Vale", ["BRN1", "BRN2"], 4.0),
    "Corrie": ("Coast", ["COR1", "COR2", "COR3"], 1.4),
    "Dunmore": ("Coast", ["DUN1"], 6.3),
    "Esk Water": ("Lowland", ["ESK1", "ESK2", "ESK3"], 5.2),
}


def make_river() -> dict[str, pd.DataFrame]:
    """Water quality samples of five rivers."""
    rng = np.random.default_rng(1303)
    rows = []
    for river, (area, sites, base) in RIVERS.items():
        for j, site in enumerate(sites):
            for year in range(2020, 2025):
                for month in range(1, 13):
                    for _ in range(2 if rng.random() < 0.75 else 1):
                        when = date(year, month, int(rng.integers(1, 29)))
                        warm = -np.cos((when.timetuple().tm_yday - 25) / 365 * 2 * np.pi)
                        temp = 10.5 + 6.2 * warm + rng.normal(0, 1.3)
                        flow = float(rng.gamma(2.5, 1.6)) * (1.5 - 0.6 * warm) * (1 + 0.3 * j)
                        no3 = max(
                            0.1,
                            base * (1 + 0.25 * j)
                            - 0.12 * (year - 2020) * (river == "Alder")
                            + 0.18 * (year - 2020) * (river == "Esk Water")
                            + rng.normal(0, 0.7),
                        )
                        turb = float(rng.gamma(1.5, 1.6)) + flow * 0.9
                        lab = pick(rng, {"NLS": 62, "Hydrotec": 33, "UniLab": 5})
                        rows.append(
                            (
                                f"{site[:3]}{site[3]}",
                                river,
                                area,
                                when,
                                pick(rng, {"JM": 30, "AKP": 24, "RT": 20, "LS": 16, "BW": 3}),
                                lab,
                                gap(rng, 0.02, round(temp, 1)),
                                gap(rng, 0.04, round(7.5 + rng.normal(0, 0.28), 2)),
                                gap(
                                    rng,
                                    0.05,
                                    round(
                                        float(
                                            np.clip(101 - 1.4 * (temp - 8) - base + rng.normal(0, 6), 35, 128)
                                        ),
                                        1,
                                    ),
                                ),
                                gap(rng, 0.06, round(no3, 2)),
                                gap(rng, 0.1, round(float(rng.gamma(2, 0.03)) * base, 3)),
                                gap(rng, 0.12, int(rng.lognormal(4.6 + 0.1 * base, 1.0))),
                                round(turb, 1),
                                round(flow, 2),
                                pick(rng, {"DRY": 55, "RAIN": 25, "SHWR": 18, "SNOW": 2}),
                                pick(rng, {"N": 93, "Y": 7}),
                                pick(rng, {"VALID": 90, "SUSPECT": 7, "REJECT": 3}),
                                round(
                                    {"NLS": 41.5, "Hydrotec": 48.0, "UniLab": 35.0}[lab]
                                    * (1 + 0.03 * (year - 2020)),
                                    2,
                                ),
                            )
                        )
    rows.sort(key=lambda r: (r[3], r[0]))
    frame = pd.DataFrame(
        rows,
        columns=[
            "SITE_CD",
            "RIVER",
            "CATCHMENT",
            "SMP_DT",
            "COLL_BY",
            "LAB",
            "WTEMP_C",
            "PH",
            "DO_SAT_PCT",
            "NO3_MGL",
            "PO4_MGL",
            "ECOLI_CFU",
            "TURB_NTU",
            "FLOW_M3S",
            "WX_CD",
            "ODOUR",
            "QC_STATUS",
            "LAB_FEE_EUR",
        ],
    )
    frame.insert(0, "SMP_ID", [f"S{i:05d}" for i in range(20001, 20001 + len(frame))])
    return {"samples": frame}


# --------------------------------------------------------------------------- trailrun
