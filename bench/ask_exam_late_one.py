"""The four exam worlds that consist of a single table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import numpy as np
import pandas as pd

Rng = np.random.Generator


def pick(rng: Rng, options: Mapping[str, float]) -> str:
    """Draw one key with the given relative weights."""
    weights = np.array(list(options.values()), dtype=float)
    return str(rng.choice(list(options), p=weights / weights.sum()))


def days_from(rng: Rng, start: date, end: date) -> date:
    """Draw a day between start and end (both included)."""
    return start + timedelta(days=int(rng.integers(0, (end - start).days + 1)))


# --------------------------------------------------------------------------- museum

OBJECTS = {
    "Decorative Arts": ["Silver tankard", "Ivory fan", "Porcelain vase", "Walnut cabinet", "Gilt clock"],
    "Paintings": ["Harbour at dusk", "Portrait of a widow", "The mill stream", "Still life with quinces"],
    "Archaeology": ["Bronze mirror", "Roman glass flask", "Bone comb", "Votive figure", "Clay oil lamp"],
    "Prints & Drawings": ["Etching of a bridge", "Chalk study", "Map of the estuary", "Woodcut of a hare"],
    "Science": ["Brass microscope", "Orrery", "Sextant", "Air pump"],
    "Textiles": ["Court mantua", "Paisley shawl", "Tapestry panel"],
}
BORROWERS = {
    "Rijksmuseum Twenthe": ("Netherlands", 5),
    "Musee d'Angers": ("France", 7),
    "Kunsthalle Bremen": ("Germany", 6),
    "Ulster Museum": ("United Kingdom", 9),
    "Leeds City Museum": ("United Kingdom", 12),
    "Bowes Museum": ("United Kingdom", 8),
    "Museo Correr": ("Italy", 5),
    "Palazzo Madama": ("Italy", 3),
    "Nordiska museet": ("Sweden", 4),
    "Peabody Essex Museum": ("United States", 4),
    "Getty Center": ("United States", 3),
    "Tokyo Fuji Art Museum": ("Japan", 2),
    "Hunt Museum": ("Ireland", 4),
}


def make_museum() -> dict[str, pd.DataFrame]:
    """Outgoing loans of a museum: who borrowed what, when and at what value."""
    rng = np.random.default_rng(1201)
    catalogue = [
        (f"{int(rng.integers(1880, 2005))}-{int(rng.integers(10, 900)):03d}", name, dept)
        for dept, names in OBJECTS.items()
        for name in names
        for _ in range(int(rng.integers(4, 11)))
    ]
    base = {
        "Decorative Arts": 40e3,
        "Paintings": 210e3,
        "Archaeology": 28e3,
        "Prints & Drawings": 15e3,
        "Science": 33e3,
        "Textiles": 55e3,
    }
    weights = {name: float(w) for name, (_, w) in BORROWERS.items()}
    rows = []
    for _ in range(640):
        acc, name, dept = catalogue[int(rng.integers(0, len(catalogue)))]
        borrower = pick(rng, weights)
        country = BORROWERS[borrower][0]
        out = days_from(rng, date(2023, 1, 9), date(2025, 9, 30))
        purpose = pick(rng, {"Exhibition": 62, "Research": 18, "Conservation": 12, "Education": 8})
        due = out + timedelta(days=int(rng.choice([60, 90, 120, 180, 270])))
        back = due + timedelta(days=int(rng.normal(-2, 16)))
        returned = back if back <= date(2025, 12, 31) and back > out and rng.random() > 0.02 else None
        far = {"United Kingdom": 1.0, "Ireland": 1.5, "United States": 4.2, "Japan": 5.6}.get(country, 2.3)
        value = float(round(base[dept] * rng.lognormal(0, 0.7), -2))
        transport = round(float(rng.gamma(4, 160)) * far + value * 0.002, 2)
        condition = pick(rng, {"Good": 84, "Minor wear": 12, "Damaged": 4 if country != "Italy" else 9})
        rows.append(
            (
                out,
                acc,
                name,
                dept,
                borrower,
                country,
                purpose,
                due,
                returned,
                value,
                None if rng.random() < 0.06 else transport,
                "Y" if rng.random() < min(0.9, 0.15 + value / 400e3) else "N",
                condition if returned else None,
                int(rng.integers(1, 7)),
            )
        )
    rows.sort(key=lambda r: r[0])
    frame = pd.DataFrame(
        rows,
        columns=[
            "Date Out",
            "Acc. No",
            "Object",
            "Dept",
            "Borrower",
            "Country",
            "Purpose",
            "Due Back",
            "Returned On",
            "Insurance Value (GBP)",
            "Transport (GBP)",
            "Escort",
            "Condition on Return",
            "Crates",
        ],
    )
    frame.insert(0, "Loan No", [f"L{i:04d}" for i in range(1, len(frame) + 1)])
    for col in ("Date Out", "Due Back", "Returned On"):
        frame[col] = frame[col].map(lambda d: d.strftime("%d/%m/%Y") if isinstance(d, date) else None)
    return {"loans": frame}


# --------------------------------------------------------------------------- wind

SITES = {"Blackmoor": (6, "V90", 7.6), "Carn Hill": (6, "E82", 8.3), "Strand": (4, "N117", 6.9)}
FAULTS = {"E12": 40.0, "G04": 25.0, "P31": 20.0, "Y07": 15.0}


def make_wind() -> dict[str, pd.DataFrame]:
    """Weekly log of sixteen turbines on three sites."""
    rng = np.random.default_rng(1202)
    rated = {"V90": 2.0, "E82": 2.3, "N117": 2.4}
    rows = []
    week = date(2023, 1, 8)
    while week <= date(2025, 12, 28):
        season = 1.2 * np.cos((week.timetuple().tm_yday - 20) / 365 * 2 * np.pi)
        for site, (count, model, mean) in SITES.items():
            gust = rng.normal(0, 0.8)
            for k in range(1, count + 1):
                tag = f"{site[:2].upper()}{k:02d}"
                wind = max(3.0, mean + season + gust + rng.normal(0, 0.35))
                bad = 0.11 if tag in ("BL03", "CA05") else 0.055
                fault = pick(rng, FAULTS) if rng.random() < bad else None
                down = float(rng.gamma(2.2, 14)) if fault else float(rng.gamma(1.1, 1.6))
                down = round(min(down, 160.0), 1)
                avail = round((168 - down) / 168 * 100, 1)
                factor = min(0.62, max(0.03, (wind - 2.6) / 13.5))
                aged = 1 - 0.015 * (week.year - 2023)
                mwh = rated[model] * 168 * factor * avail / 100 * aged * rng.normal(1, 0.05)
                curtailed = (
                    round(float(rng.gamma(1.4, 4)), 1)
                    if rng.random() < (0.2 if site == "Carn Hill" else 0.07)
                    else 0.0
                )
                visit = int(rng.random() < (0.82 if fault else 0.05))
                cost = round(float(rng.gamma(2, 900 if fault == "G04" else 420)) + 120, 0) if visit else None
                rows.append(
                    (
                        week,
                        tag,
                        site,
                        model,
                        round(wind, 1),
                        None if rng.random() < 0.015 else round(mwh, 1),
                        curtailed,
                        down,
                        avail,
                        fault,
                        visit,
                        cost,
                    )
                )
        week += timedelta(days=7)
    frame = pd.DataFrame(
        rows,
        columns=[
            "week_ending",
            "turbine",
            "site",
            "model",
            "avg_wind_ms",
            "mwh",
            "curtailed_mwh",
            "downtime_h",
            "availability_pct",
            "fault_code",
            "tech_visit",
            "repair_cost_eur",
        ],
    )
    return {"weekly_log": frame}


# --------------------------------------------------------------------------- inspections

CUISINES = {
    "Pizza": 14,
    "Chinese": 13,
    "Burgers": 12,
    "Cafe": 20,
    "Mexican": 11,
    "Sushi": 7,
    "Indian": 9,
    "Bakery": 8,
}
WARDS = {"Northgate": 20, "Harbor": 26, "Old Mill": 17, "Riverside": 22, "Summit": 15}
INSPECTORS = {"R. Okafor": 22, "J. Lindqvist": 18, "M. Duarte": 25, "T. Brandt": 15, "S. Patel": 20}
NAMES_A = [
    "Golden",
    "Blue",
    "Lucky",
    "Corner",
    "Mama's",
    "Red",
    "Old",
    "Sunny",
    "Silver",
    "Uncle Joe's",
    "Twin",
    "Little",
]
NAMES_B = [
    "Lantern",
    "Spoon",
    "Oven",
    "Table",
    "Kettle",
    "Dragon",
    "Fork",
    "Garden",
    "Anchor",
    "Pepper",
    "Plate",
    "Rooster",
]


def make_inspections() -> dict[str, pd.DataFrame]:
    """Food hygiene inspections of a city's restaurants."""
    rng = np.random.default_rng(1203)
    names = [f"{a} {b}" for a in NAMES_A for b in NAMES_B]
    rng.shuffle(names)
    premises = [
        (
            n,
            pick(rng, CUISINES),
            pick(rng, WARDS),
            int(rng.integers(3, 30)) * 4 if rng.random() > 0.05 else None,
            float(rng.normal(0, 4)),
            float(rng.gamma(2, 1)),
        )
        for n in names
    ]
    pull = np.array([p[5] + 0.4 for p in premises])
    lean = {"Harbor": -3.5, "Summit": 3.0, "Old Mill": -1.0}
    strict = {"T. Brandt": -3.0, "S. Patel": 1.5}
    rows = []
    for _ in range(1780):
        name, cuisine, ward, seats, quality, _ = premises[int(rng.choice(len(premises), p=pull / pull.sum()))]
        day = days_from(rng, date(2023, 1, 3), date(2025, 11, 28))
        if day.weekday() >= 5:
            day += timedelta(days=int(rng.integers(2, 5)))
        inspector = pick(rng, INSPECTORS)
        complaint = rng.random() < 0.19
        raw = (
            84.5
            + quality
            + lean.get(ward, 0)
            + strict.get(inspector, 0)
            - 5 * complaint
            + 1.1 * (day.year - 2023)
        )
        score = int(np.clip(round(raw + rng.normal(0, 7)), 38, 100))
        critical = int(rng.poisson(max(0.05, (92 - score) / 9)))
        minor = int(rng.poisson(max(0.3, (97 - score) / 5)))
        outcome = "Fail" if score < 70 else "Conditional" if score < 80 else "Pass"
        closed = outcome == "Fail" and rng.random() < 0.35
        follow = (
            day + timedelta(days=int(rng.gamma(5, 4)) + 3)
            if outcome != "Pass" and rng.random() < 0.86
            else None
        )
        fine = float(25 * int(rng.integers(4, 60))) if outcome == "Fail" and rng.random() < 0.8 else 0.0
        if outcome == "Conditional" and rng.random() < 0.2:
            fine = float(25 * int(rng.integers(2, 12)))
        mins = int(rng.normal(52, 12) + 6 * critical)
        rows.append(
            (
                day,
                name,
                cuisine,
                ward,
                seats,
                inspector,
                "Yes" if complaint else "No",
                score,
                critical,
                minor,
                outcome,
                "Yes" if closed else "No",
                follow,
                fine,
                None if rng.random() < 0.04 else max(15, mins),
            )
        )
    rows.sort(key=lambda r: r[0])
    frame = pd.DataFrame(
        rows,
        columns=[
            "Inspected",
            "Premises",
            "Cuisine",
            "Ward",
            "Seats",
            "Inspector",
            "Complaint-led",
            "Score",
            "Crit. Viol.",
            "Minor Viol.",
            "Outcome",
            "Closed",
            "Follow-up",
            "Fine ($)",
            "Mins on Site",
        ],
    )
    frame.insert(0, "Insp #", [f"FH-{i:05d}" for i in range(20001, 20001 + len(frame))])
    frame["Seats"] = frame["Seats"].astype("Int64")
    frame["Mins on Site"] = frame["Mins on Site"].astype("Int64")
    for col in ("Inspected", "Follow-up"):
        frame[col] = frame[col].map(lambda d: d.strftime("%m/%d/%Y") if isinstance(d, date) else None)
    return {"inspections": frame}


# --------------------------------------------------------------------------- blood

CENTRES = {"Ashford Hall": 24, "Civic Centre": 30, "Mobile Unit 1": 15, "Mobile Unit 2": 9, "St Luke's": 22}
GROUPS = {"O+": 36, "A+": 30, "B+": 8, "AB+": 3, "O-": 12, "A-": 7, "B-": 3, "AB-": 1}


def make_blood() -> dict[str, pd.DataFrame]:
    """Visits of donors to a regional blood service."""
    rng = np.random.default_rng(1204)
    donors = [
        (
            f"D{int(n)}",
            pick(rng, GROUPS),
            pick(rng, {"F": 53, "M": 47}),
            int(rng.integers(1956, 2006)),
            pick(rng, {c: float(w) for c, w in CENTRES.items()}),
        )
        for n in rng.choice(np.arange(10000, 99999), 950, replace=False)
    ]
    busy = rng.gamma(1.6, 1, len(donors)) + 0.05
    rows = []
    for _ in range(2380):
        ident, group, sex, born, home = donors[int(rng.choice(len(donors), p=busy / busy.sum()))]
        day = days_from(rng, date(2023, 1, 2), date(2025, 12, 20))
        if day.weekday() == 6:
            day -= timedelta(days=1)
        centre = home if rng.random() < 0.85 else pick(rng, {c: float(w) for c, w in CENTRES.items()})
        kind = pick(rng, {"Whole blood": 76, "Platelets": 14 if sex == "M" else 7, "Plasma": 10})
        hb = round(float(rng.normal(136 if sex == "F" else 151, 10)))
        limit = 125 if sex == "F" else 135
        reason = None
        if hb < limit:
            reason = "Low Hb"
        elif rng.random() < 0.06:
            reason = pick(rng, {"Recent travel": 35, "Medication": 30, "Cold/flu": 25, "New tattoo": 10})
        volume = {"Whole blood": 470, "Platelets": 300, "Plasma": 600}[kind] + int(rng.normal(0, 12))
        wait = int(rng.gamma(4, 4.2 if centre != "Civic Centre" else 6.0)) + (4 if day.weekday() == 5 else 0)
        rows.append(
            (
                day,
                ident,
                group,
                sex,
                day.year - born,
                centre,
                kind,
                hb if rng.random() > 0.03 else None,
                "Y" if reason else "N",
                reason,
                None if reason else volume,
                None if rng.random() < 0.05 else wait,
                None if reason else "Y" if rng.random() < (0.05 if day.year - born < 26 else 0.018) else "N",
            )
        )
    rows.sort(key=lambda r: r[0])
    frame = pd.DataFrame(
        rows,
        columns=[
            "Visit date",
            "donor",
            "ABO/Rh",
            "sex",
            "Age",
            "Centre",
            "Type",
            "Hb (g/L)",
            "Deferred",
            "Deferral reason",
            "Vol (ml)",
            "Wait (min)",
            "Felt faint",
        ],
    )
    frame.insert(0, "ref", np.arange(700001, 700001 + len(frame)))
    frame.insert(3, "new_donor", (~frame.duplicated("donor")).astype(int))
    for col in ("Hb (g/L)", "Vol (ml)", "Wait (min)"):
        frame[col] = frame[col].astype("Int64")
    frame["Visit date"] = frame["Visit date"].map(lambda d: d.strftime("%d-%b-%Y"))
    return {"visits": frame}
