"""The five exam worlds that consist of a single table."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd

from ask_exam_next_parts import day, dmy, gap, names, pick

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

RACES = {
    "Ridgeback 50": (50, 2400, 5, 18, 75),
    "Larkspur Half": (21, 620, 4, 6, 38),
    "Storm Peak 100": (102, 5600, 7, 13, 160),
    "Coppice 10": (10, 210, 9, 28, 18),
    "Moonlit Marathon": (42, 1350, 10, 5, 62),
}
CLUBS = {
    "Fell Foxes": 20,
    "Harriers United": 26,
    "Dale Striders": 18,
    "Mudlarks": 11,
    "Peak Pacers": 15,
    "Tuesday Joggers": 2,
}


def make_trailrun() -> dict[str, pd.DataFrame]:
    """Entries and results of a series of trail races."""
    rng = np.random.default_rng(1304)
    people = [
        (
            name,
            "F" if rng.random() < 0.41 else "M",
            int(rng.integers(1950, 2001)),
            None if rng.random() < 0.3 else pick(rng, CLUBS),
            pick(rng, {"GBR": 70, "IRL": 10, "FRA": 8, "ESP": 6, "NOR": 3, "USA": 2}),
            float(rng.normal(1, 0.16)),
        )
        for name in names(rng, 700)
    ]
    pull = rng.gamma(0.9, 1, len(people)) + 0.08
    pull = pull / pull.sum()
    rows, seen = [], set()
    for year in (2019, 2021, 2022, 2023, 2024):
        for race, (km, climb, month, dom, fee) in RACES.items():
            if (race, year) == ("Storm Peak 100", 2021):
                continue
            size = {
                "Coppice 10": 150,
                "Larkspur Half": 125,
                "Moonlit Marathon": 95,
                "Ridgeback 50": 80,
                "Storm Peak 100": 50,
            }[race]
            size = int(
                size * {2019: 1, 2021: 0.72, 2022: 0.95, 2023: 1.1, 2024: 1.2}[year] * rng.normal(1, 0.06)
            )
            when = date(year, month, dom) + timedelta(days=int(rng.integers(-3, 4)))
            for bib, idx in enumerate(rng.choice(len(people), size, replace=False, p=pull), 1):
                name, sex, born, club, land, pace = people[idx]
                status = pick(rng, {"Finished": 88 - km * 0.25, "DNF": 3 + km * 0.22, "DNS": 7, "DSQ": 0.7})
                mins = (
                    (km * 5.4 + climb * 0.055)
                    * (1 + km / 400)
                    * pace
                    * rng.normal(1, 0.06)
                    * (1.1 if sex == "F" else 1)
                )
                rows.append(
                    (
                        race,
                        when,
                        km,
                        climb,
                        bib,
                        name,
                        sex,
                        year - born,
                        club,
                        land,
                        "yes" if idx not in seen else "no",
                        pick(rng, {"A": 40, "B": 40, "C": 20}),
                        round(fee * (1 + 0.04 * (year - 2019)) * (0.85 if club else 1), 2),
                        round(float(mins), 1) if status == "Finished" else None,
                        gap(rng, 0.35, round(float(np.clip(rng.normal(82 - km * 0.06, 4), 60, 97)), 1))
                        if status in ("Finished", "DNF")
                        else None,
                        status,
                    )
                )
                seen.add(idx)
    frame = pd.DataFrame(
        rows,
        columns=[
            "raceName",
            "raceDate",
            "distanceKm",
            "climbM",
            "bibNo",
            "runnerName",
            "sex",
            "ageOnDay",
            "clubName",
            "countryCode",
            "firstTimer",
            "startWave",
            "entryFeeGbp",
            "finishMin",
            "avgHrPctMax",
            "resultStatus",
        ],
    )
    frame = frame.sort_values(["raceDate", "bibNo"], kind="stable").reset_index(drop=True)
    return {"results": frame}


# --------------------------------------------------------------------------- physio

AREAS = {"Lower back": 26, "Knee": 20, "Shoulder": 18, "Neck": 14, "Hip": 9, "Ankle": 8, "Wrist": 4, "Jaw": 1}
THERAPISTS = {
    "Dana Whitlock": ("Northside", 24),
    "Ravi Menon": ("Northside", 20),
    "Sofia Lentz": ("Harbour", 22),
    "Marcus Obi": ("Harbour", 15),
    "Ellen Cho": ("University", 17),
    "Piotr Zak": ("University", 6),
}


def make_physio() -> dict[str, pd.DataFrame]:
    """Appointments of a physiotherapy practice with three clinics."""
    rng = np.random.default_rng(1305)
    patients = [
        (
            f"P{i:04d}",
            int(np.clip(rng.normal(47, 17), 12, 90)),
            pick(rng, AREAS),
            gap(rng, 0.07, pick(rng, {"GP": 45, "Self": 28, "Surgeon": 15, "Employer": 10, "Coach": 2})),
            pick(rng, {k: v[1] for k, v in THERAPISTS.items()}),
        )
        for i in range(1, 411)
    ]
    rows = []
    for pid, age, area, source, therapist in patients:
        when = day(rng, date(2023, 1, 3), date(2024, 11, 20))
        pain = int(np.clip(rng.normal(6.3, 1.5), 2, 10))
        for k in range(int(rng.geometric(0.22))):
            if when > date(2024, 12, 20):
                break
            while when.weekday() >= 5:
                when += timedelta(days=1)
            kind = (
                "Initial"
                if k == 0
                else pick(rng, {"Follow-up": 82, "Hydrotherapy": 11, "Group class": 2.5, "Dry needling": 6})
            )
            status = pick(
                rng, {"Attended": 84, "No-show": 6 + (4 if therapist == "Marcus Obi" else 0), "Cancelled": 9}
            )
            who = therapist if rng.random() < 0.9 else pick(rng, dict.fromkeys(THERAPISTS, 1))
            minutes = {"Initial": 60, "Hydrotherapy": 45, "Group class": 50}.get(
                kind, int(rng.choice([30, 30, 30, 45]))
            )
            after = max(0, pain - int(rng.poisson(1.1)))
            came = status == "Attended"
            charge = {"Initial": 118.0, "Hydrotherapy": 96.0, "Group class": 32.0, "Dry needling": 89.0}.get(
                kind, 84.0 if minutes == 30 else 102.0
            )
            charge = (
                charge + (6 if when.year == 2024 else 0) if came else (25.0 if status == "No-show" else 0.0)
            )
            rows.append(
                (
                    when - timedelta(days=int(rng.gamma(1.8, 5))),
                    when,
                    pid,
                    age,
                    THERAPISTS[who][0],
                    who,
                    area,
                    source,
                    kind,
                    minutes,
                    "Yes" if kind == "Follow-up" and rng.random() < 0.13 else "No",
                    status,
                    gap(rng, 0.05, pain) if came else None,
                    gap(rng, 0.08, after) if came else None,
                    gap(rng, 0.3, round(float(np.clip(58 + 4 * k + rng.normal(0, 9), 20, 100)), 0))
                    if came
                    else None,
                    charge,
                )
            )
            if came:
                pain = min(10, max(1, after + int(rng.random() < 0.45)))
            when += timedelta(days=int(rng.choice([7, 7, 10, 14, 21])))
    rows.sort(key=lambda r: (r[1], r[2]))
    frame = pd.DataFrame(
        rows,
        columns=[
            "Booked On",
            "Appt Date",
            "Patient ID",
            "Age",
            "Clinic",
            "Therapist",
            "Body Area",
            "Referral Source",
            "Session Type",
            "Length (min)",
            "Telehealth",
            "Attendance",
            "Pain Before (0-10)",
            "Pain After (0-10)",
            "Range of Motion (%)",
            "Charge ($)",
        ],
    )
    frame.insert(0, "Appt No", range(50001, 50001 + len(frame)))
    for col in ("Booked On", "Appt Date"):
        frame[col] = frame[col].map(dmy)
    return {"appointments": frame}
