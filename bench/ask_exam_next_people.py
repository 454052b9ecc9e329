"""The data sets of one table about people: trail races and a physiotherapy practice."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd

from ask_exam_next_parts import day, dmy, gap, names, pick

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
