"""Cases that are looked after: the admissions of a hospital and the claims of a car insurer."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ask_exam_work_parts import LAST, Rng, Tables, after, choose, days, normed, people

WARDS = pd.DataFrame(
    [
        ["CARD", "Cardiology", 3, 24, "Carla Jimenez"],
        ["ORTH", "Orthopaedics", 2, 30, "Brian Doyle"],
        ["PAED", "Paediatrics", 1, 18, "Ann Kimura"],
        ["NEUR", "Neurology", 4, 16, "Ruth Adeyemi"],
        ["ONCO", "Oncology", 5, 20, "Piotr Zielinski"],
        ["GENM", "General Medicine", 2, 36, "Lorna Shaw"],
        ["MATY", "Maternity", 1, 22, "Beatriz Pinto"],
        ["ICU", "Intensive Care", 3, 10, "Kevin Strand"],
    ],
    columns=["ward_code", "ward_name", "floor", "beds", "head_nurse"],
)
BUSY = {"CARD": 15, "ORTH": 20, "PAED": 12, "NEUR": 8, "ONCO": 9, "GENM": 21, "MATY": 11, "ICU": 4}
SPECIALITIES = {
    "Cardiologist": 4,
    "Surgeon": 5,
    "Paediatrician": 3,
    "Neurologist": 3,
    "Oncologist": 3,
    "Internist": 5,
    "Obstetrician": 3,
    "Anaesthetist": 2,
}
WARD_DOCTORS = {
    "CARD": ["Cardiologist"],
    "ORTH": ["Surgeon"],
    "PAED": ["Paediatrician"],
    "NEUR": ["Neurologist"],
    "ONCO": ["Oncologist"],
    "GENM": ["Internist"],
    "MATY": ["Obstetrician"],
    "ICU": ["Anaesthetist", "Cardiologist", "Internist"],
}
WARD_AGES = {
    "CARD": (66, 12),
    "ORTH": (58, 19),
    "PAED": (8, 5),
    "NEUR": (57, 18),
    "ONCO": (62, 13),
    "GENM": (64, 18),
    "MATY": (31, 5),
    "ICU": (63, 16),
}
WARD_NIGHTS = {"CARD": 5, "ORTH": 6, "PAED": 3, "NEUR": 7, "ONCO": 8, "GENM": 5.5, "MATY": 2.8, "ICU": 9}
WARD_COSTS = {"ICU": 3900, "ONCO": 1700, "CARD": 1500}
DIAGNOSES = {
    "CARD": ["Heart failure", "Arrhythmia", "Heart attack"],
    "ORTH": ["Hip fracture", "Knee replacement", "Back surgery"],
    "PAED": ["Asthma", "Infection", "Appendicitis"],
    "NEUR": ["Stroke", "Epilepsy", "Migraine"],
    "ONCO": ["Breast cancer", "Lung cancer", "Lymphoma"],
    "GENM": ["Pneumonia", "Diabetes", "Infection", "COPD"],
    "MATY": ["Normal delivery", "C-section"],
    "ICU": ["Sepsis", "Heart attack", "Stroke"],
}
OUTCOMES = {"Home": 80, "Care home": 9, "Transferred": 7, "Deceased": 4}
INSURERS = {"MediPlan": 28, "Unity Health": 22, "BlueShore": 17, "State Fund": 25, None: 8}


def make_hospital(rng: Rng) -> Tables:
    """Wards, doctors and admissions."""
    doctors = make_doctors(rng)
    return {"wards": WARDS, "doctors": doctors, "admissions": make_admissions(rng, doctors, 1600)}


def make_doctors(rng: Rng) -> pd.DataFrame:
    """Doctors of eight specialities; no two share a last name."""
    specialities = [name for name, number in SPECIALITIES.items() for _ in range(number)]
    count = len(specialities)
    _, first, _ = people(rng, count)
    last = rng.permutation(np.array(LAST.split(), dtype=object))[:count]
    return pd.DataFrame(
        {
            "doctor_id": [f"D{201 + i}" for i in range(count)],
            "doctor_name": [f"Dr {a} {b}" for a, b in zip(first, last, strict=True)],
            "speciality": specialities,
            "years_exp": rng.integers(2, 34, count),
            "contract": choose(rng, {"Full-time": 0.65, "Part-time": 0.25, "Locum": 0.1}, count),
        }
    )


def patient_age(rng: Rng, ward: str) -> int:
    """An age that goes with the ward; only paediatrics has children."""
    youngest, oldest = (1, 17) if ward == "PAED" else (18, 97)
    return int(np.clip(rng.normal(*WARD_AGES[ward]), youngest, oldest))


def make_admissions(rng: Rng, doctors: pd.DataFrame, count: int) -> pd.DataFrame:
    """Admissions of two years; who is still in has no bill and no outcome."""
    ward = choose(rng, BUSY, count)
    fitting = {w: doctors[doctors.speciality.isin(s)].doctor_id.values for w, s in WARD_DOCTORS.items()}
    doctor = [rng.choice(fitting[w]) for w in ward]
    age = np.array([patient_age(rng, w) for w in ward])
    sex = np.where(ward == "MATY", "F", np.where(rng.random(count) < 0.5, "F", "M"))
    nights = np.array([int(np.clip(rng.gamma(2.2, WARD_NIGHTS[w] / 2.2), 0, 60)) for w in ward])
    admitted = days(rng, "2022-07-01", "2024-06-30", count, lambda d: 1.25 if d.month in (12, 1, 2) else 1)
    kind = choose(rng, {"Emergency": 52, "Planned": 38, "Transfer": 10}, count)
    bill = (700 + nights * np.array([WARD_COSTS.get(w, 1050) for w in ward])) * rng.lognormal(0, 0.28, count)
    bill = np.round(bill * np.where(kind == "Emergency", 1.2, 1), 2)
    outcome = np.where(ward == "MATY", "Home", choose(rng, OUTCOMES, count))
    outcome = np.where((ward == "ICU") & (rng.random(count) < 0.15), "Deceased", outcome)
    rng.integers(40000, 41150, count)  # drawn and left: what comes behind depends on it
    frame = pd.DataFrame(
        {
            "adm_no": 0,
            "patient_id": "",
            "age": age,
            "sex": sex,
            "ward_code": ward,
            "doctor_id": doctor,
            "admit_date": admitted,
            "discharge_date": after(admitted, nights).date,
            "adm_type": kind,
            "diagnosis": [rng.choice(DIAGNOSES[w]) for w in ward],
            "outcome": outcome,
            "readmit_30d": rng.random(count) < 0.04 + 0.0014 * age,
            "insurer": choose(rng, INSURERS, count),
            "bill_usd": bill,
        }
    )
    frame["patient_id"] = patients_of(frame)
    frame = frame.sort_values("admit_date")
    frame["adm_no"] = np.arange(22001, 22001 + count)
    frame["admit_date"] = frame.admit_date.dt.date
    frame["readmit_30d"] = frame.readmit_30d & (frame.outcome != "Deceased")
    still_in = frame.discharge_date > pd.Timestamp("2024-06-30").date()
    frame.loc[still_in, ["discharge_date", "bill_usd", "outcome"]] = None
    return frame


def patients_of(frame: pd.DataFrame) -> pd.Series:
    """A patient for each admission: some come again, with the same sex, age and ward."""
    rng = np.random.default_rng(5)
    found = pd.Series("", index=frame.index)
    start = 40000
    for rows in frame.groupby(["ward_code", "sex", "age"]).groups.values():
        room = int(len(rows) * 1.6)
        found.loc[rows] = [f"P{start + int(i)}" for i in rng.integers(0, max(1, room), len(rows))]
        start += room + 1
    return found


BROKERS = pd.DataFrame(
    [
        ["BK01", "Ashdown Cover", "North", 8.0],
        ["BK02", "Birch & Lowe", "South", 10.0],
        ["BK03", "Clearway", "South", 7.5],
        ["BK04", "Delta Risk", "Midlands", 9.0],
        ["BK05", "Eastgate", "East", 8.0],
        ["BK06", "Finch Partners", "North", 11.0],
        ["BK07", "Goodwin", "Midlands", 9.5],
        ["BK08", "Harrow Insure", "West", 7.0],
        ["BK09", "Ivy Lane", "West", 10.0],
        ["BK10", "Jubilee", "East", 8.5],
        ["BK11", "Kestrel", "North", 9.0],
        ["BK12", "Lockwood", "South", 12.0],
    ],
    columns=["BrokerID", "BrokerName", "Region", "CommissionPct"],
)
COVERS = {"Comprehensive": 58, "Third Party": 24, "Third Party Fire & Theft": 18}
MAKES = {
    "Ford": 20,
    "Toyota": 16,
    "BMW": 10,
    "Volkswagen": 17,
    "Nissan": 12,
    "Audi": 9,
    "Kia": 11,
    "Tesla": 5,
}
CLAIMS = {"Collision": 44, "Windscreen": 24, "Theft": 9, "Fire": 2.5, "Weather": 11, "Vandalism": 9.5}


def make_car_insurance(rng: Rng) -> Tables:
    """Brokers, the policies they sold and the claims on these."""
    policies = make_policies(rng, 950)
    return {"brokers": BROKERS, "policies": policies, "claims": make_claims(rng, policies, 720)}


def make_policies(rng: Rng, count: int) -> pd.DataFrame:
    """Policies; young drivers pay more."""
    _, first, last = people(rng, count, 0.46)
    start = days(rng, "2022-01-01", "2023-12-31", count)
    cover = choose(rng, COVERS, count)
    age = np.clip(rng.normal(43, 15, count), 18, 86).astype(int)
    value = np.round(rng.lognormal(9.4, 0.55, count), -2).astype(int)
    premium = (260 + value * 0.018 + np.where(age < 25, 480, 0)) * np.where(
        cover == "Comprehensive", 1.25, 0.9
    )
    premium = np.round(premium * rng.normal(1, 0.1, count), 2)
    make = choose(rng, MAKES, count)
    sold = rng.uniform(3, 12, len(BROKERS))
    return pd.DataFrame(
        {
            "PolicyNo": [f"PL{60000 + i * 7}" for i in range(count)],
            "BrokerID": choose(rng, dict(zip(BROKERS.BrokerID, sold, strict=True)), count),
            "Holder": [f"{a} {b}" for a, b in zip(first, last, strict=True)],
            "DriverAge": age,
            "CoverType": cover,
            "StartDate": start.date,
            "VehicleMake": make,
            "VehicleYear": rng.integers(2006, 2024, count),
            "VehicleValue_GBP": value,
            "AnnualPremium_GBP": premium,
            "NoClaimsYears": rng.integers(0, 13, count).clip(0, age - 17),
            "Telematics": (rng.random(count) < np.where(age < 26, 0.5, 0.12)).astype(int),
            "Renewed": choose(rng, {"Yes": 0.71, "No": 0.29}, count),
        }
    )


def make_claims(rng: Rng, policies: pd.DataFrame, count: int) -> pd.DataFrame:
    """Claims within a year of the policy's start; open ones are neither paid nor settled."""
    young = np.where(policies.DriverAge < 25, 2.2, 1.0)
    which = rng.choice(len(policies), count, p=normed(young * rng.gamma(1, 1, len(policies))))
    start = pd.DatetimeIndex(pd.to_datetime(policies.StartDate))[which]
    incident = after(start, rng.integers(3, 364, count))
    kind = choose(rng, CLAIMS, count)
    value = policies.VehicleValue_GBP.values[which]
    amounts = [
        rng.normal(420, 90, count),
        value * rng.uniform(0.5, 0.95, count),
        value * rng.uniform(0.4, 1, count),
    ]
    rare = [kind == "Windscreen", kind == "Theft", kind == "Fire"]
    claimed = np.round(np.select(rare, amounts, rng.lognormal(7.5, 0.7, count)).clip(90), 2)
    status = choose(rng, {"Approved": 76, "Rejected": 14, "Open": 10}, count)
    reported = after(incident, rng.geometric(0.28, count) - 1)
    paid = np.round(np.maximum(claimed * rng.uniform(0.75, 1, count) - 100, 0), 2)
    claims = pd.DataFrame(
        {
            "ClaimNo": "",
            "PolicyNo": policies.PolicyNo.values[which],
            "IncidentDate": incident,
            "ReportedDate": reported.date,
            "ClaimType": kind,
            "Amount_Claimed": claimed,
            "Amount_Paid": np.where(status == "Approved", paid, np.where(status == "Rejected", 0, np.nan)),
            "Status": status,
            "AtFault": np.where(kind == "Collision", choose(rng, ["Yes", "No"], count), "No"),
            "FraudFlag": rng.random(count) < np.where(kind == "Theft", 0.16, 0.03),
            "DaysToSettle": pd.array(rng.gamma(2.5, 13, count).astype(int) + 1, dtype="Int64"),
        }
    ).sort_values("IncidentDate")
    claims["ClaimNo"] = [f"CM{i:05d}" for i in range(801, 801 + count)]
    claims["IncidentDate"] = claims.IncidentDate.dt.date
    claims.loc[claims.Status == "Open", "DaysToSettle"] = pd.NA
    return claims
