"""The clinical trial of the late part of the exam: participants, visits, samples and adverse events."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd

from ask_exam_late_one import days_from, pick

TERMS = {"Headache": 24, "Nausea": 19, "Dizziness": 17, "Cough": 11, "Rash": 8, "Fatigue": 15, "Fainting": 6}
SITES = {"Leuven": 26, "Porto": 20, "Gdansk": 23, "Malmo": 16, "Graz": 15}
PLANNED = [0, 14, 42, 84, 126, 168, 252]


def make_trial() -> dict[str, pd.DataFrame]:
    """A blood-pressure drug trial: participants, visits, side effects, samples."""
    rng = np.random.default_rng(1207)
    people, visits, events, samples = [], [], [], []
    lift = {"Placebo": -2.0, "10 mg": -9.0, "20 mg": -14.0}
    tubes = {"Serum": 45, "Plasma": 30, "Urine": 25}
    for i in range(252):
        subj = f"S-{1001 + i}"
        arm = pick(rng, {"Placebo": 1, "10 mg": 1, "20 mg": 1})
        site = pick(rng, {s: float(w) for s, w in SITES.items()})
        enrolled = days_from(rng, date(2023, 2, 1), date(2025, 2, 28))
        quits = rng.random() < {"Placebo": 0.12, "10 mg": 0.13, "20 mg": 0.22}[arm]
        left = enrolled + timedelta(days=int(rng.integers(20, 240))) if quits else None
        reason = (
            pick(rng, {"Side effects": 45, "Moved away": 20, "Lost contact": 25, "Own wish": 30})
            if quits
            else None
        )
        age = int(np.clip(rng.normal(58, 11), 24, 84))
        people.append(
            (
                subj,
                site,
                arm,
                pick(rng, {"F": 47, "M": 53}),
                age,
                enrolled,
                round(float(rng.normal(28.1, 3.8)), 1) if rng.random() > 0.04 else None,
                "Y" if rng.random() < 0.22 else "N",
                left,
                reason,
            )
        )
        base, weight = float(rng.normal(154, 10)), float(rng.normal(83, 12))
        for number, offset in enumerate(PLANNED, start=1):
            day = enrolled + timedelta(days=offset + (int(rng.integers(-4, 6)) if offset else 0))
            if left and day > left:
                break
            missed = number > 1 and rng.random() < 0.06
            visit = f"V{len(visits) + 1:05d}"
            sbp = int(base + lift[arm] * min(1.0, offset / 84) + rng.normal(0, 6))
            visits.append(
                (
                    visit,
                    subj,
                    number,
                    day,
                    "N" if missed else "Y",
                    None if missed else sbp,
                    None if missed else int(sbp * 0.6 + rng.normal(0, 5)),
                    None if missed else round(weight + float(rng.normal(0, 1.2)), 1),
                    None
                    if missed or number == 1
                    else round(float(np.clip(rng.normal(91 if site != "Porto" else 84, 8), 30, 100)), 1),
                )
            )
            for _ in range(0 if missed else int(rng.choice([0, 1, 2], p=[0.3, 0.5, 0.2]))):
                sent = day + timedelta(days=int(rng.integers(1, 7)) + (3 if site == "Graz" else 0))
                bad = rng.random() < (0.11 if site == "Gdansk" else 0.04)
                samples.append(
                    (
                        visit,
                        pick(rng, {t: float(w) for t, w in tubes.items()}),
                        pick(rng, {"Medlab": 60, "Synlab": 40}),
                        sent,
                        "Y" if bad else "N",
                        None if bad else round(float(rng.normal(4.4, 0.4)), 2),
                    )
                )
        for _ in range(int(rng.poisson({"Placebo": 1.1, "10 mg": 1.6, "20 mg": 2.3}[arm]))):
            onset = days_from(rng, enrolled, left or enrolled + timedelta(days=252))
            severity = pick(rng, {"Mild": 60, "Moderate": 31, "Severe": 9})
            over = onset + timedelta(days=int(rng.gamma(1.8, 5)) + 1) if rng.random() > 0.12 else None
            events.append(
                (
                    subj,
                    pick(rng, {t: float(w) for t, w in TERMS.items()}),
                    onset,
                    severity,
                    int(severity == "Severe" and rng.random() < 0.5),
                    "Y" if rng.random() < (0.25 if arm == "Placebo" else 0.55) else "N",
                    over,
                )
            )
    tables = {
        "participants": pd.DataFrame(
            people,
            columns=[
                "subj_id",
                "Site",
                "Arm",
                "Sex",
                "Age",
                "Enrolled",
                "BMI",
                "Smoker",
                "Withdrawn on",
                "Reason",
            ],
        ),
        "visits": pd.DataFrame(
            visits,
            columns=[
                "visit_id",
                "subj_id",
                "visit_no",
                "visit_date",
                "Attended",
                "SBP (mmHg)",
                "DBP (mmHg)",
                "Weight (kg)",
                "Pills taken (%)",
            ],
        ),
        "adverse_events": pd.DataFrame(
            events, columns=["subj_id", "Term", "Onset", "Severity", "Serious", "Drug-related", "Resolved"]
        ),
        "samples": pd.DataFrame(
            samples, columns=["visit_id", "Tube", "Lab", "Received", "Haemolysed", "Potassium (mmol/L)"]
        ),
    }
    for key, prefix in (("adverse_events", "AE"), ("samples", "SM")):
        tables[key].insert(
            0,
            "ae_id" if prefix == "AE" else "sample_id",
            [f"{prefix}{i:04d}" for i in range(1, len(tables[key]) + 1)],
        )
    for col in ("SBP (mmHg)", "DBP (mmHg)"):
        tables["visits"][col] = tables["visits"][col].astype("Int64")
    return tables
