"""Made-up data sets about people and what they do, each in the naming habits and with the dirt of its domain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

Frames = dict[str, pd.DataFrame]
World = Callable[[np.random.Generator], Frames]


def pick(
    rng: np.random.Generator, values: Sequence[Any], n: int, weights: Sequence[float] | None = None
) -> Any:
    """Draw n of the values, by weight where weights are given."""
    p = None if weights is None else np.array(weights) / sum(weights)
    return np.array(values, dtype=object)[rng.choice(len(values), n, p=p)]


def days(rng: np.random.Generator, first: str, last: str, n: int) -> Any:
    """Draw n days from the first to the last, both possible."""
    start, end = pd.Timestamp(first), pd.Timestamp(last)
    return start + pd.to_timedelta(rng.integers(0, (end - start).days + 1, n), unit="D")


def holes(rng: np.random.Generator, values: Any, share: float) -> pd.Series:
    """The values with a share of them missing."""
    column = pd.Series(values)
    return column.mask(pd.Series(rng.random(len(column)) < share))


def hr(rng: np.random.Generator) -> Frames:
    """Employees with salaries as money text, their departments, and absences."""
    n = 420
    names = ["Engineering", "Sales", "Marketing", "Finance", "Human Resources", "Legal", "Customer Support"]
    places = ["Berlin", "London", "Madrid", "London", "Berlin", "London", "Madrid"]
    departments = pd.DataFrame(
        {
            "dept_id": range(10, 80, 10),
            "dept_name": names,
            "office": places,
            "annual_budget_usd": [
                9_500_000,
                6_200_000,
                2_400_000,
                1_900_000,
                1_100_000,
                1_350_000,
                3_050_000,
            ],
        }
    )
    level = pick(rng, ["Junior", "Mid", "Senior", "Lead"], n, [3, 4, 3, 1])
    base = pd.Series(level).map({"Junior": 48_000, "Mid": 64_000, "Senior": 86_000, "Lead": 112_000})
    salary = (base * rng.normal(1, 0.09, n) / 100).round() * 100
    hired = days(rng, "2015-01-05", "2025-05-30", n)
    left = pd.Series(hired + pd.to_timedelta(rng.integers(120, 2000, n), unit="D"))
    left = left.where((left < "2025-06-01") & (rng.random(n) < 0.45))
    employees = pd.DataFrame(
        {
            "emp_id": [f"E{1000 + i}" for i in range(n)],
            "dept_id": pick(rng, list(range(10, 80, 10)), n, [30, 22, 10, 8, 6, 4, 20]).astype(int),
            "job_level": level,
            "gender": pick(rng, ["Female", "Male", "Non-binary"], n, [47, 50, 3]),
            "birth_year": rng.integers(1960, 2004, n),
            "hire_date": hired.strftime("%Y-%m-%d"),
            "termination_date": left.dt.strftime("%Y-%m-%d"),
            "base_salary": [f"${int(s):,}" for s in salary],
            "works_remotely": pick(rng, ["yes", "no"], n, [4, 6]),
            "perf_rating": holes(rng, rng.integers(1, 6, n), 0.08).astype("Int64"),
        }
    )
    m = 1600
    absences = pd.DataFrame(
        {
            "absence_id": range(1, m + 1),
            "emp_id": pick(rng, employees["emp_id"].tolist(), m),
            "start_date": days(rng, "2023-01-02", "2025-06-10", m).strftime("%Y-%m-%d"),
            "days_absent": rng.geometric(0.3, m),
            "reason": pick(rng, ["Sick leave", "Vacation", "Parental leave", "Training"], m, [5, 8, 1, 2]),
        }
    )
    return {"employees.csv": employees, "departments.csv": departments, "absences.csv": absences}


def hospital(rng: np.random.Generator) -> Frames:
    """Admissions to a hospital, one flat file in camel case."""
    n = 2400
    ward = pick(rng, ["Cardiology", "Oncology", "Orthopedics", "Pediatrics", "Neurology"], n, [6, 4, 5, 3, 2])
    causes = {
        "Cardiology": ["Heart failure", "Arrhythmia", "Chest pain"],
        "Oncology": ["Lung cancer", "Breast cancer", "Lymphoma"],
        "Orthopedics": ["Hip fracture", "Knee replacement", "Back pain"],
        "Pediatrics": ["Asthma", "Bronchiolitis", "Appendicitis"],
        "Neurology": ["Stroke", "Epilepsy", "Migraine"],
    }
    stay = rng.geometric(0.16, n)
    admitted = days(rng, "2022-01-01", "2024-12-20", n)
    icu = rng.random(n) < 0.14
    cost = (stay * rng.gamma(6, 130, n) + icu * rng.gamma(5, 1500, n) + 350).round(2)
    age = np.where(ward == "Pediatrics", rng.integers(0, 18, n), rng.integers(18, 97, n))
    frame = pd.DataFrame(
        {
            "AdmissionID": range(500_001, 500_001 + n),
            "PatientID": [f"P{v:05d}" for v in rng.integers(1, 1500, n)],
            "Age": age,
            "Sex": pick(rng, ["F", "M"], n),
            "Ward": ward,
            "PrimaryDiagnosis": [causes[w][i] for w, i in zip(ward, rng.integers(0, 3, n), strict=True)],
            "AdmitDate": admitted,
            "DischargeDate": admitted + pd.to_timedelta(stay, unit="D"),
            "LengthOfStayDays": stay,
            "ICU": np.where(icu, "Y", "N"),
            "Outcome": pick(rng, ["Recovered", "Transferred", "Died"], n, [85, 11, 4]),
            "ReadmittedWithin30Days": (rng.random(n) < 0.12).astype(int),
            "InsuranceType": holes(rng, pick(rng, ["Public", "Private", "Self-pay"], n, [7, 2, 1]), 0.04),
            "TotalCostEUR": cost,
        }
    )
    return {"admissions.parquet": frame}


def school(rng: np.random.Generator) -> Frames:
    """Students, courses and scores, with titles and spaces in the column names."""
    n = 260
    first = [
        "Ava",
        "Liam",
        "Noah",
        "Mia",
        "Zoe",
        "Eli",
        "Ivy",
        "Leo",
        "Ruth",
        "Omar",
        "Nina",
        "Hugo",
        "Iris",
        "Sam",
    ]
    last = [
        "Abbott",
        "Brooks",
        "Chen",
        "Diaz",
        "Evans",
        "Fox",
        "Gupta",
        "Hale",
        "Ito",
        "Jones",
        "Klein",
        "Lopez",
    ]
    students = pd.DataFrame(
        {
            "Student ID": range(2001, 2001 + n),
            "First Name": pick(rng, first, n),
            "Last Name": pick(rng, last, n),
            "Grade Level": rng.integers(9, 13, n),
            "Gender": pick(rng, ["Girl", "Boy"], n),
            "Free Lunch": pick(rng, ["Yes", "No"], n, [3, 7]),
            "Bus Route": holes(rng, pick(rng, ["North", "South", "East", "West"], n), 0.35),
        }
    )
    courses = pd.DataFrame(
        {
            "Course Code": ["MAT1", "MAT2", "ENG1", "ENG2", "BIO1", "CHE1", "HIS1", "ART1"],
            "Course Title": [
                "Algebra", "Geometry", "Literature", "Creative Writing", "Biology", "Chemistry", "World History",
                "Painting",
            ],
            "Subject": ["Math", "Math", "English", "English", "Science", "Science", "History", "Art"],
            "Teacher": ["Ms. Reyes", "Mr. Holt", "Mrs. Quinn", "Mr. Holt", "Dr. Sato", "Dr. Sato", "Ms. Weber", "Mr. Lind"],
        }
    )  # fmt: skip
    m = 3600
    hard = {"MAT1": -6, "MAT2": -9, "ENG1": 1, "ENG2": 4, "BIO1": 0, "CHE1": -5, "HIS1": 2, "ART1": 9}
    code = pick(rng, courses["Course Code"].tolist(), m)
    score = (76 + pd.Series(code).map(hard) + rng.normal(0, 10, m)).clip(0, 100).round(1)
    grades = pd.DataFrame(
        {
            "Student ID": pick(rng, students["Student ID"].tolist(), m),
            "Course Code": code,
            "Exam Date": days(rng, "2023-09-04", "2024-06-14", m).strftime("%m/%d/%Y"),
            "Score": holes(rng, score, 0.03),
            "Homework Submitted": [f"{v}%" for v in rng.integers(40, 101, m)],
        }
    )
    return {"students.csv": students, "courses.csv": courses, "exam_results.csv": grades}


def football(rng: np.random.Generator) -> Frames:
    """Matches of a league with dates written day first, and its players."""
    teams = [
        "Ashford", "Brampton", "Carlow", "Dunmore", "Eastleigh", "Fernhill", "Glenrock", "Harwick", "Ilford Park",
        "Kingsway", "Lowfield", "Marston",
    ]  # fmt: skip
    pairs = [(h, a) for h in teams for a in teams if h != a]
    order = rng.permutation(len(pairs))
    n = len(pairs)
    strength = dict(zip(teams, rng.normal(0, 0.3, len(teams)), strict=True))
    home = [pairs[i][0] for i in order]
    away = [pairs[i][1] for i in order]
    at_home = rng.poisson([np.exp(0.45 + strength[h] - strength[a]) for h, a in zip(home, away, strict=True)])
    visiting = rng.poisson(
        [np.exp(0.15 + strength[a] - strength[h]) for h, a in zip(home, away, strict=True)]
    )
    kickoff = pd.Timestamp("2023-08-12") + pd.to_timedelta(np.arange(n) // 6 * 7 * 36 // 22, unit="D")
    matches = pd.DataFrame(
        {
            "match_id": range(1, n + 1),
            "match_date": kickoff.strftime("%d.%m.%Y"),
            "home_team": home,
            "away_team": away,
            "home_goals": at_home,
            "away_goals": visiting,
            "attendance": holes(rng, rng.integers(3_000, 41_000, n), 0.03).astype("Int64"),
            "referee": pick(rng, ["A. Novak", "B. Silva", "C. Meyer", "D. Rossi", "E. Okafor"], n),
            "yellow_cards": rng.poisson(3.4, n),
            "red_cards": rng.poisson(0.2, n),
        }
    )
    p = 12 * 22
    place = pick(rng, ["GK", "DF", "MF", "FW"], p, [3, 8, 7, 4])
    rate = pd.Series(place).map({"GK": 0.01, "DF": 1.0, "MF": 3.0, "FW": 7.0})
    players = pd.DataFrame(
        {
            "player_id": range(1, p + 1),
            "player": [f"{chr(65 + i % 26)}. {s}" for i, s in enumerate(_surnames(rng, p))],
            "team": np.repeat(teams, 22),
            "pos": place,
            "age": rng.integers(17, 38, p),
            "nationality": pick(
                rng, ["England", "Ireland", "Brazil", "France", "Nigeria", "Spain"], p, [8, 5, 2, 2, 2, 2]
            ),
            "goals": rng.poisson(rate),
            "assists": rng.poisson(rate * 0.7),
            "minutes_played": rng.integers(0, 1981, p),
            "market_value": [f"€{v:.1f}M" for v in rng.gamma(2, 3, p) + 0.1],
        }
    )
    return {"matches.csv": matches, "players.csv": players}


def _surnames(rng: np.random.Generator, n: int) -> list[str]:
    """Made-up names, each different."""
    heads = [
        "Bar",
        "Cal",
        "Dov",
        "Fen",
        "Gor",
        "Hal",
        "Jor",
        "Kel",
        "Lan",
        "Mor",
        "Nev",
        "Pol",
        "Ros",
        "Tav",
        "Wil",
    ]
    tails = [
        "an",
        "bert",
        "der",
        "ell",
        "field",
        "grin",
        "hart",
        "ick",
        "ley",
        "man",
        "ner",
        "ow",
        "rick",
        "son",
    ]
    every = [h + t for h in heads for t in tails]
    every += [f"{e}s" for e in every]
    return [every[i] for i in rng.permutation(len(every))[:n]]


def library(rng: np.random.Generator) -> Frames:
    """Loans with abbreviated columns, and codes that are explained in tables of their own."""
    b = 180
    words = ["River", "Winter", "Glass", "Silent", "Golden", "Lost", "Paper", "Crimson", "Hidden", "Last"]
    nouns = ["Garden", "Empire", "Letters", "Voyage", "House", "Secret", "Atlas", "Orchard", "Machine"]
    items = pd.DataFrame(
        {
            "item_cd": [f"B{i:04d}" for i in range(b)],
            "title": [f"{words[i % 10]} {nouns[i // 10 % 9]}{' II' if i >= 90 else ''}" for i in range(b)],
            "author": pick(
                rng, [f"{x} {y}" for x in ("Ada", "Ben", "Cora", "Dan") for y in ("Wynn", "Tate", "Orr")], b
            ),
            "genre_cd": pick(rng, ["FIC", "SCI", "HIS", "CHI", "BIO"], b, [5, 2, 2, 4, 1]),
            "pub_yr": rng.integers(1950, 2024, b),
            "repl_cost_gbp": rng.uniform(5, 45, b).round(2),
        }
    )
    genres = pd.DataFrame(
        {
            "genre_cd": ["FIC", "SCI", "HIS", "CHI", "BIO"],
            "genre": ["Fiction", "Science", "History", "Children", "Biography"],
        }
    )
    n = 4200
    out = days(rng, "2023-01-02", "2024-11-30", n)
    kept = rng.gamma(4, 4.2, n).round().astype(int) + 1
    late = np.maximum(kept - 21, 0)
    back = pd.Series(out + pd.to_timedelta(kept, unit="D")).mask(pd.Series(rng.random(n) < 0.03))
    loans = pd.DataFrame(
        {
            "loan_no": range(90_001, 90_001 + n),
            "item_cd": pick(rng, items["item_cd"].tolist(), n, list(1 / np.arange(2, b + 2) ** 0.5)),
            "member_no": rng.integers(7001, 7350, n),
            "branch": pick(rng, ["Central", "Harbour", "Northside", "Mill Lane"], n, [5, 3, 2, 1]),
            "checkout_dt": out,
            "return_dt": back,
            "renewals": rng.poisson(0.4, n),
            "fine_gbp": np.where(back.notna(), late * 0.25, 0.0),
        }
    )
    members = pd.DataFrame(
        {
            "member_no": range(7001, 7350),
            "age_grp": pick(rng, ["Child", "Teen", "Adult", "Senior"], 349, [3, 2, 5, 2]),
            "joined_on": days(rng, "2018-01-01", "2023-12-31", 349),
        }
    )
    return {"loans.parquet": loans, "items.csv": items, "genres.csv": genres, "members.parquet": members}


def museum(rng: np.random.Generator) -> Frames:
    """Visitors of four museums a day, with dates and money written for people to read."""
    dates = pd.date_range("2023-01-01", "2024-09-30", freq="D")
    houses = {"City Gallery": 420, "Maritime Museum": 260, "Natural History": 610, "Toy Museum": 130}
    grid = pd.MultiIndex.from_product([dates, list(houses)]).to_frame(index=False, name=["day", "house"])
    weekend = grid["day"].dt.dayofweek >= 5
    level = (
        grid["house"].map(houses) * np.where(weekend, 1.6, 1.0) * (1 + 0.25 * np.sin(grid["day"].dt.month))
    )
    visitors = rng.poisson(level)
    school_groups = rng.binomial(6, 0.3, len(grid))
    shows = {
        "City Gallery": "Impressionists",
        "Maritime Museum": "Shipwrecks",
        "Natural History": "Dinosaurs",
    }
    frame = pd.DataFrame(
        {
            "Visit Date": grid["day"].dt.strftime("%d-%b-%Y"),
            "Museum": grid["house"],
            "Special Exhibition": grid["house"].map(shows),
            "Weekend": np.where(weekend, "Yes", "No"),
            "Visitors": visitors,
            "School Groups": school_groups,
            "Ticket Revenue": [f"€{v:,.2f}" for v in visitors * rng.normal(9.5, 0.6, len(grid))],
            "Online Share": [f"{v:.1f}%" for v in rng.uniform(20, 70, len(grid))],
            "Weather": pick(rng, ["sunny", "cloudy", "rainy"], len(grid), [4, 4, 2]),
        }
    )
    return {"museum_visitors.csv": frame.sample(frac=1, random_state=3)}


def donations(rng: np.random.Generator) -> Frames:
    """Gifts to a charity in pounds, with donors and campaigns behind codes."""
    d = 500
    donors = pd.DataFrame(
        {
            "DonorID": range(1, d + 1),
            "DonorType": pick(rng, ["Individual", "Corporate", "Foundation"], d, [8, 1, 1]),
            "Region": pick(rng, ["Scotland", "Wales", "North", "Midlands", "South"], d),
            "FirstGiftYear": rng.integers(2010, 2024, d),
            "OptedInToEmail": pick(rng, ["Y", "N"], d, [6, 4]),
        }
    )
    campaigns = pd.DataFrame(
        {
            "CampaignCode": ["WTR", "SPR", "EMG", "LEG", "GAL"],
            "CampaignName": [
                "Winter Appeal",
                "Spring Walk",
                "Emergency Flood Fund",
                "Legacy Giving",
                "Charity Gala",
            ],
            "TargetGBP": [90_000, 60_000, 120_000, 80_000, 50_000],
        }
    )
    n = 3000
    amount = np.exp(rng.normal(3.6, 1.1, n)).round(2) + 2
    gifts = pd.DataFrame(
        {
            "GiftID": range(70_001, 70_001 + n),
            "DonorID": rng.integers(1, d + 1, n),
            "CampaignCode": pick(rng, campaigns["CampaignCode"].tolist(), n, [5, 4, 6, 1, 2]),
            "GiftDate": days(rng, "2022-01-01", "2024-12-31", n).strftime("%d %B %Y"),
            "Amount": [f"£{v:,.2f}" for v in amount],
            "PaymentMethod": pick(rng, ["Direct Debit", "Card", "Cheque", "Cash"], n, [5, 4, 1, 1]),
            "GiftAid": pick(rng, ["Y", "N"], n, [6, 4]),
        }
    )
    return {"gifts.csv": gifts, "donors.csv": donors, "campaigns.csv": campaigns}


PEOPLE: dict[str, World] = {
    f.__name__: f for f in (hr, hospital, school, football, library, museum, donations)
}
