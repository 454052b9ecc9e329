"""The made-up data sets of the exam: a bicycle workshop, lake samples, a race, fire calls and a physiotherapy practice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd


def bikeshop(out: Path) -> None:
    """Repair jobs of a small chain of bicycle workshops."""
    rng = np.random.default_rng(90101)
    mech = pd.DataFrame(
        {
            "MechID": [f"M{i:02d}" for i in range(1, 10)],
            "Full Name": [
                "Aoife Byrne",
                "Tomasz Wrona",
                "Priya Nair",
                "Callum Reid",
                "Ines Duarte",
                "Jonas Vik",
                "Mei Tanaka",
                "Samir Haddad",
                "Greta Olsen",
            ],
            "Shop": [
                "Dockside",
                "Dockside",
                "Dockside",
                "Old Mill",
                "Old Mill",
                "Old Mill",
                "Station Rd",
                "Station Rd",
                "Station Rd",
            ],
            "HourlyRate": [24.5, 22, 26, 21.5, 23, 22.5, 27, 24, 20],
            "Certified": ["Yes", "No", "Yes", "No", "Yes", "No", "Yes", "Yes", "No"],
        }
    )
    n = 1460
    booked = pd.Timestamp("2023-01-03") + pd.to_timedelta(np.sort(rng.integers(0, 2 * 365 - 20, n)), unit="D")
    bike = rng.choice(["Road", "Mountain", "E-bike", "City", "Kids"], n, p=[0.27, 0.23, 0.2, 0.22, 0.08])
    jt = rng.choice(
        ["Puncture", "Full service", "Brake repair", "Gear tune", "Wheel build"],
        n,
        p=[0.3, 0.24, 0.2, 0.18, 0.08],
    )
    base = {"Puncture": 20, "Full service": 110, "Brake repair": 45, "Gear tune": 38, "Wheel build": 95}
    mins = np.round(
        np.array([base[j] for j in jt]) * rng.lognormal(0, 0.25, n) * np.where(bike == "E-bike", 1.35, 1)
    ).astype(int)
    pbase = {"Puncture": 7, "Full service": 42, "Brake repair": 24, "Gear tune": 15, "Wheel build": 88}
    parts = np.round(
        np.array([pbase[j] for j in jt]) * rng.lognormal(0, 0.45, n) * np.where(bike == "E-bike", 1.5, 1), 2
    )
    mid = rng.choice(mech.MechID, n, p=[0.16, 0.13, 0.1, 0.12, 0.11, 0.08, 0.13, 0.1, 0.07])
    rate = mech.set_index("MechID").HourlyRate.reindex(mid).to_numpy()
    labour = np.round(mins / 60 * (rate * 2.1), 2)
    wait = rng.poisson(np.where(jt == "Wheel build", 6, 2.5))
    jobs = pd.DataFrame(
        {
            "JobNo": [f"J-{20000 + i}" for i in range(n)],
            "DateIn": booked.strftime("%d/%m/%Y"),
            "DateOut": (booked + pd.to_timedelta(wait, unit="D")).strftime("%d/%m/%Y"),
            "BikeType": bike,
            "Job Type": jt,
            "MechID": mid,
            "Labour (min)": mins,
            "Labour £": labour,
            "Parts £": parts,
            "Paid By": rng.choice(["Card", "Cash", "Voucher", "Invoice"], n, p=[0.66, 0.16, 0.07, 0.11]),
            "CustRating": np.where(
                rng.random(n) < 0.22, np.nan, np.clip(np.round(rng.normal(4.1, 0.8, n)), 1, 5)
            ),
        }
    )
    jobs.loc[rng.random(n) < 0.03, "Parts £"] = np.nan
    jobs.loc[n - 25 :, "DateOut"] = [
        None if gone else day
        for gone, day in zip(rng.random(25) < 0.5, jobs.DateOut.iloc[n - 25 :], strict=True)
    ]
    jobs["CustRating"] = jobs.CustRating.astype("Int64")
    jobs.to_csv(out / "jobs.csv", index=False)
    mech.to_csv(out / "mechanics.csv", index=False)


def firecalls(out: Path) -> None:
    """Fire-brigade callouts."""
    rng = np.random.default_rng(90404)
    st = pd.DataFrame(
        {
            "STATION_CD": ["A11", "A12", "B21", "B22", "C31", "C32", "D41"],
            "STATION_NAME": [
                "Castlegate",
                "Fishmarket",
                "Hollins",
                "Parkway",
                "Ridge End",
                "Saltby",
                "Thornfield",
            ],
            "DISTRICT": ["Central", "Central", "North", "North", "East", "East", "West"],
            "CREW_TYPE": [
                "Wholetime",
                "Wholetime",
                "Wholetime",
                "On-call",
                "On-call",
                "Wholetime",
                "On-call",
            ],
            "APPLIANCES": [4, 3, 2, 1, 1, 2, 2],
        }
    )
    n = 2380
    ts = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 366 * 24 * 60, n)), unit="min")
    cd = rng.choice(st.STATION_CD, n, p=[0.27, 0.2, 0.15, 0.09, 0.07, 0.13, 0.09])
    typ = rng.choice(
        [
            "Alarm activation",
            "Road collision",
            "Building fire",
            "Vehicle fire",
            "Grass fire",
            "Flooding",
            "Animal rescue",
            "Lift rescue",
        ],
        n,
        p=[0.38, 0.15, 0.13, 0.08, 0.08, 0.07, 0.05, 0.06],
    )
    oncall = st.set_index("STATION_CD").CREW_TYPE.reindex(cd).to_numpy() == "On-call"
    turn = np.round(rng.gamma(9, np.where(oncall, 31, 9.5))).astype(int)
    trav = np.round(rng.gamma(5, np.where(oncall, 82, 58))).astype(int)
    pumps = np.where(np.isin(typ, ["Building fire"]), rng.integers(2, 6, n), rng.integers(1, 3, n))
    false = np.where(typ == "Alarm activation", rng.random(n) < 0.83, rng.random(n) < 0.05)
    cost = np.round(pumps * rng.normal(410, 55, n), 2)
    inj = np.where(np.isin(typ, ["Road collision", "Building fire"]), rng.poisson(0.55, n), 0)
    df = pd.DataFrame(
        {
            "INC_NO": [f"24-{i:06d}" for i in range(1, n + 1)],
            "CALL_DATETIME": ts.strftime("%Y-%m-%d %H:%M"),
            "STATION_CD": cd,
            "INC_TYPE": typ,
            "PROPERTY": rng.choice(
                ["Dwelling", "Office", "School", "Hospital", "Outdoor", "Shop"],
                n,
                p=[0.36, 0.14, 0.08, 0.09, 0.24, 0.09],
            ),
            "TURNOUT_SECS": turn,
            "TRAVEL_SECS": trav,
            "PUMPS_SENT": pumps,
            "FALSE_ALARM": np.where(false, "Y", "N"),
            "CASUALTIES": inj,
            "EST_COST_GBP": cost,
        }
    )
    for c, p in (("TRAVEL_SECS", 0.04), ("PROPERTY", 0.03)):
        df.loc[rng.random(n) < p, c] = np.nan
    df["TRAVEL_SECS"] = df.TRAVEL_SECS.astype("Int64")
    df.to_csv(out / "callouts.csv", index=False)
    st.to_csv(out / "fire_stations.csv", index=False)


def halfmarathon(out: Path) -> None:
    """Results of a town half marathon, three editions."""
    rng = np.random.default_rng(90303)
    rows = []
    clubs = [
        "Harbour Harriers",
        "Northgate AC",
        "Valley Striders",
        "Redhill Runners",
        "Unicorn RC",
        "Moorside Joggers",
    ]
    for year, n in ((2022, 640), (2023, 790), (2024, 905)):
        g = rng.choice(["F", "M", "X"], n, p=[0.44, 0.545, 0.015])
        age = np.clip(np.round(rng.normal(39, 11.5, n)), 18, 78).astype(int)
        half = np.round(rng.normal(np.where(g == "M", 54.5, 60.5), 7.2) + np.abs(age - 30) * 0.17, 2)
        second = np.round(half * rng.normal(1.045, 0.035, n), 2)
        wave = np.where(half < 50, "Red", np.where(half < 60, "Blue", "Green"))
        status = rng.choice(["Finished", "DNF", "DSQ"], n, p=[0.955, 0.04, 0.005])
        chip = np.where(status == "Finished", np.round(half + second, 2), np.nan)
        without = rng.random(n) < 0.56
        joined = rng.choice(clubs, n, p=[0.27, 0.21, 0.18, 0.15, 0.11, 0.08])
        club = [None if alone else name for alone, name in zip(without, joined, strict=True)]
        country = rng.choice(
            ["GBR", "IRL", "FRA", "NED", "KEN", "USA"], n, p=[0.84, 0.06, 0.035, 0.03, 0.01, 0.025]
        )
        fee = np.where(without, 34.0, 32.0)
        fund = np.where(rng.random(n) < 0.33, np.round(rng.gamma(1.6, 160, n)), 0)
        pos = pd.Series(chip).rank(method="first")
        numbers = range(1000, 1000 + n)
        rows += zip(
            [year] * n, numbers, g, age, club, country, wave, half, chip, status, pos, fee, fund, strict=True
        )
    df = pd.DataFrame(
        rows,
        columns=[
            "RaceYear",
            "Bib",
            "Gender",
            "Age on Day",
            "Club",
            "Nat",
            "StartWave",
            "Halfway Split (min)",
            "ChipTime (min)",
            "Status",
            "OverallPos",
            "Entry Fee",
            "Charity Raised",
        ],
    )
    df["OverallPos"] = df.OverallPos.astype("Int64")
    df.loc[(df.Status != "Finished") & (rng.random(len(df)) < 0.6), "Halfway Split (min)"] = np.nan
    df.to_csv(out / "results.csv", index=False)


def lakes(out: Path) -> None:
    """Water-quality samples from a lake survey."""
    rng = np.random.default_rng(90202)
    st = pd.DataFrame(
        {
            "stn_code": ["BRK1", "BRK2", "BRK3", "ELM1", "ELM2", "HAW1", "HAW2", "HAW3", "TARN"],
            "lake": ["Brackwater"] * 3 + ["Elmere"] * 2 + ["Hawes Mere"] * 3 + ["Black Tarn"],
            "elev_m": [62, 62, 62, 118, 118, 241, 241, 241, 655],
            "max_depth_m": [14.5, 22, 9.8, 31, 27.5, 44, 38.2, 12, 6.4],
            "shore_use": [
                "farmland",
                "town",
                "farmland",
                "forest",
                "forest",
                "town",
                "forest",
                "farmland",
                "moorland",
            ],
        }
    )
    rows = []
    sid = 1
    for d in pd.date_range("2021-04-06", "2023-10-31", freq="11D"):
        for _, s in st.iterrows():
            if rng.random() < 0.12:
                continue
            for depth in (0.5, 5.0, 10.0):
                if depth > s.max_depth_m or rng.random() < 0.1:
                    continue
                season = np.sin((d.day_of_year - 110) / 365 * 2 * np.pi)
                t = round(9.5 + 7.5 * season - depth * 0.28 - s.elev_m * 0.004 + rng.normal(0, 1.1), 1)
                do = round(13.6 - 0.27 * t - depth * 0.16 + rng.normal(0, 0.6), 2)
                tp = {"farmland": 48, "town": 36, "forest": 14, "moorland": 9}[s.shore_use] * rng.lognormal(
                    0, 0.35
                )
                rows.append(
                    [
                        f"WQ{sid:05d}",
                        s.stn_code,
                        d.date().isoformat(),
                        depth,
                        t,
                        do,
                        round(rng.normal(7.35, 0.28), 2),
                        round(rng.lognormal(0.9, 0.55), 1),
                        round(tp, 1),
                        round(tp * 0.22 * rng.lognormal(0, 0.3) + season, 2),
                        rng.choice(["KL", "BN", "RS"], p=[0.5, 0.3, 0.2]),
                    ]
                )
                sid += 1
    df = pd.DataFrame(
        rows,
        columns=[
            "sample_id",
            "stn_code",
            "sampled_on",
            "depth_m",
            "temp_degC",
            "DO_mg_L",
            "pH",
            "turbidity_NTU",
            "totalP_ug_L",
            "chl_a_ug_L",
            "analyst",
        ],
    )
    df["chl_a_ug_L"] = df.chl_a_ug_L.clip(lower=0.1)
    for c, p in (("pH", 0.02), ("turbidity_NTU", 0.05), ("chl_a_ug_L", 0.09)):
        df.loc[rng.random(len(df)) < p, c] = np.nan
    df.to_csv(out / "samples.csv", index=False)
    st.to_csv(out / "stations.csv", index=False)


def physio(out: Path) -> None:
    """Physiotherapy appointments."""
    rng = np.random.default_rng(90505)
    m = 410
    sex = rng.choice(["Female", "Male"], m, p=[0.57, 0.43])
    pat = pd.DataFrame(
        {
            "patient_ref": [f"P{7000 + i}" for i in range(m)],
            "sex": sex,
            "age_yrs": np.clip(np.round(rng.normal(51, 16, m)), 16, 91).astype(int),
            "BMI": np.round(rng.normal(26.8, 4.1, m), 1),
            "insurer": rng.choice(
                ["Self-pay", "MediSure", "Alba Health", "Crown Mutual"], m, p=[0.38, 0.27, 0.21, 0.14]
            ),
            "referral_source": rng.choice(
                ["GP", "Self", "Consultant", "Employer"], m, p=[0.46, 0.3, 0.15, 0.09]
            ),
        }
    )
    pat.loc[rng.random(m) < 0.06, "BMI"] = np.nan
    th = pd.DataFrame(
        {
            "therapist_id": [1, 2, 3, 4, 5, 6],
            "therapist_name": ["Dr. H. Quinn", "L. Okafor", "S. Petrov", "M. Castell", "R. Iyer", "F. Lund"],
            "band": [8, 7, 6, 7, 6, 5],
            "clinic": ["Riverside", "Riverside", "Uptown", "Uptown", "Harcourt", "Harcourt"],
        }
    )
    n = 2750
    dt = pd.Timestamp("2023-07-03") + pd.to_timedelta(np.sort(rng.integers(0, 545, n)), unit="D")
    tid = rng.choice(th.therapist_id, n, p=[0.19, 0.2, 0.18, 0.16, 0.15, 0.12])
    ref = rng.choice(pat.patient_ref, n)
    area = rng.choice(
        ["Back", "Knee", "Shoulder", "Neck", "Hip", "Ankle"], n, p=[0.29, 0.22, 0.19, 0.13, 0.1, 0.07]
    )
    dna = np.where(rng.random(n) < 0.085, "Y", "N")
    mins = rng.choice([20, 30, 45, 60], n, p=[0.2, 0.45, 0.25, 0.1])
    before = np.clip(np.round(rng.normal(6.1, 1.7, n)), 0, 10)
    drop = np.round(rng.normal(np.where(area == "Back", 1.2, 1.9), 1.1))
    after = np.clip(before - drop, 0, 10)
    df = pd.DataFrame(
        {
            "ApptID": np.arange(50001, 50001 + n),
            "ApptDate": dt.strftime("%Y-%m-%d"),
            "patient_ref": ref,
            "therapist_id": tid,
            "BodyArea": area,
            "ApptType": rng.choice(["Initial", "Follow-up", "Discharge"], n, p=[0.24, 0.63, 0.13]),
            "Length_mins": mins,
            "DNA": dna,
            "PainBefore": np.where(dna == "Y", np.nan, before),
            "PainAfter": np.where(dna == "Y", np.nan, after),
            "Fee_GBP": np.where(dna == "Y", 15.0, np.round(mins * 1.35 + rng.choice([0, 5, 10], n), 2)),
        }
    )
    df.loc[rng.random(n) < 0.05, "PainAfter"] = np.nan
    for c in ("PainBefore", "PainAfter"):
        df[c] = df[c].astype("Int64")
    df.to_csv(out / "appointments.csv", index=False)
    pat.to_csv(out / "patients.csv", index=False)
    th.to_csv(out / "therapists.csv", index=False)


_WORLDS: dict[str, Callable[[Path], None]] = {
    "bikeshop": bikeshop,
    "firecalls": firecalls,
    "halfmarathon": halfmarathon,
    "lakes": lakes,
    "physio": physio,
}


def make_worlds(folder: Path) -> None:
    """Write every data set into a folder of its own."""
    for name, make in _WORLDS.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        make(folder / name)
