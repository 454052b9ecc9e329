"""Lists of people at work and at school: staff and exam results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ask_exam_work_parts import Rng, Tables, blank, choose, days, people, until

DEPARTMENTS = {
    "Engineering": 25,
    "Sales": 17,
    "Finance": 9,
    "Human Resources": 5,
    "Operations": 19,
    "Marketing": 8,
    "Legal": 3,
    "Customer Support": 14,
}
GRADES = {"G1": 24, "G2": 31, "G3": 25, "G4": 14, "G5": 6}
BASE_PAY = {"G1": 31000, "G2": 40000, "G3": 53000, "G4": 72000, "G5": 104000}
PAID_MORE = {"Engineering": 1.18, "Legal": 1.15, "Finance": 1.07, "Customer Support": 0.86}
TITLES = {
    "G1": "Junior Associate",
    "G2": "Associate",
    "G3": "Senior Associate",
    "G4": "Manager",
    "G5": "Director",
}
OFFICES = {"Dublin": 38, "Lisbon": 21, "Krakow": 26, "Toronto": 15}
REASONS = {"Resigned": 0.68, "Dismissed": 0.12, "Retired": 0.06, "Contract ended": 0.14}
REMOTE = {"Engineering": 0.6, "Operations": 0.12, "Marketing": 0.45}


def leaving_reason(rng: Rng) -> str:
    """Why somebody left."""
    return rng.choice(list(REASONS), p=list(REASONS.values()))


def make_hr_staff(rng: Rng) -> Tables:
    """Everybody hired in three years; who came last has no rating yet."""
    count = 640
    gender, first, last = people(rng, count, 0.47)
    department = choose(rng, DEPARTMENTS, count)
    grade = choose(rng, GRADES, count)
    hired = days(rng, "2021-01-04", "2023-12-18", count)
    pay = np.array([BASE_PAY[g] for g in grade]) * rng.normal(1, 0.09, count)
    pay = pay * np.array([PAID_MORE.get(d, 1) for d in department]) * np.where(gender == "F", 0.965, 1)
    stays = [pd.Timedelta(days=int(60 + rng.exponential(1500))) for _ in range(count)]
    left = [until(day + stay, "2023-12-31") for day, stay in zip(hired, stays, strict=True)]
    rating = np.clip(np.round(rng.normal(3.3, 0.8, count)), 1, 5).astype(int)
    born = np.clip(rng.normal(1986, 9.5, count).astype(int), 1958, 2003)
    office = choose(rng, OFFICES, count)
    reason = [None if day is None else leaving_reason(rng) for day in left]
    bonus = rng.normal(4, 2, count) + (rating - 3) * 2 + np.where(department == "Sales", 4, 0)
    remote = rng.random(count) < np.array([REMOTE.get(d, 0.33) for d in department])
    staff = pd.DataFrame(
        {
            "Emp No": np.arange(3001, 3001 + count),
            "First Name": first,
            "Last Name": last,
            "Gender": np.where(gender == "F", "Female", "Male"),
            "Birth Year": born,
            "Department": department,
            "Job Title": [TITLES[g] for g in grade],
            "Grade": grade,
            "Office": office,
            "Hire Date": hired.date,
            "Leaving Date": left,
            "Leaving Reason": reason,
            "Annual Salary (EUR)": np.round(pay, -2).astype(int),
            "Bonus Pct": np.clip(np.round(bonus, 1), 0, None),
            "Perf Rating": pd.array(rating, dtype="Int64"),
            "Remote": np.where(remote, "Yes", "No"),
            "Sick Days 2023": pd.array(rng.negative_binomial(1.4, 0.22, count), dtype="Int64"),
            "Training Hrs": np.round(rng.gamma(2.2, 7, count), 1),
        }
    )
    staff.loc[hired >= pd.Timestamp("2023-10-01"), "Perf Rating"] = pd.NA
    staff["Training Hrs"] = blank(rng, staff["Training Hrs"], 0.06)
    staff.loc[[day is not None and day.year < 2023 for day in left], "Sick Days 2023"] = pd.NA
    return {"employees": staff}


# Who teaches it, and the mean mark.
SUBJECTS = {
    "Maths": (["Mr Oduya", "Ms Pell"], 59),
    "English": (["Mrs Garland", "Mr Strang"], 63),
    "Biology": (["Dr Hallam"], 61),
    "Chemistry": (["Ms Wren"], 56),
    "History": (["Mr Baptiste"], 64),
    "French": (["Mme Laurent"], 58),
    "Art": (["Ms Quill"], 71),
}
SESSIONS = {
    "Autumn 2022": "2022-11-21",
    "Summer 2023": "2023-06-05",
    "Autumn 2023": "2023-11-20",
    "Summer 2024": "2024-06-03",
}
LETTERS = {80: "A", 70: "B", 60: "C", 50: "D", 40: "E", 0: "U"}


def make_school_exams(rng: Rng) -> Tables:
    """The results of pupils who take two subjects that all take and two of their own."""
    count = 210
    gender, first, last = people(rng, count, 0.51)
    year = choose(rng, ["Year 9", "Year 10", "Year 11"], count)
    house = choose(rng, ["Falcon", "Otter", "Lynx", "Stag"], count)
    able = rng.normal(0, 9, count)
    meals = np.where(rng.random(count) < 0.19, "Yes", "No")
    rows = []
    for i in range(count):
        pupil = {
            "Cand No": f"{4100 + i}",
            "Pupil": f"{first[i]} {last[i]}",
            "Sex": gender[i],
            "Yr Group": year[i],
            "House": house[i],
            "Free Meals": meals[i],
        }
        rows += pupil_results(rng, pupil, able[i], "Y" if i % 13 == 0 else "N")
    results = pd.DataFrame(rows)
    results["Mark"] = results.Mark.astype("Int64")
    results["Time Taken (min)"] = results["Time Taken (min)"].astype("Int64").clip(30, 120)
    return {"exam_results": results}


def pupil_results(rng: Rng, pupil: dict[str, Any], able: float, extra: str) -> list[dict[str, Any]]:
    """The exams of one pupil in four sessions, a little better each time."""
    own = rng.choice(["Biology", "Chemistry", "History", "French", "Art"], 2, replace=False)
    teachers = {subject: rng.choice(SUBJECTS[subject][0]) for subject in ("Maths", "English", *own)}
    rows = []
    for number, (session, start) in enumerate(SESSIONS.items()):
        for subject, teacher in teachers.items():
            if rng.random() < 0.14:
                continue
            absent = rng.random() < 0.045
            mark = None if absent else exam_mark(rng, pupil, subject, able, number)
            day = pd.Timestamp(start) + pd.Timedelta(days=int(rng.integers(0, 12)))
            rows.append(
                pupil
                | {
                    "Subject": subject,
                    "Teacher": teacher,
                    "Session": session,
                    "Exam Date": day.strftime("%d/%m/%Y"),
                    "Mark": mark,
                    "Grade": None if mark is None else letter(mark),
                    "Absent": "Yes" if absent else "No",
                    "Extra Time": extra,
                    "Time Taken (min)": None if absent else int(rng.normal(88, 14)),
                }
            )
    return rows


def exam_mark(rng: Rng, pupil: dict[str, Any], subject: str, able: float, session: int) -> int:
    """A mark from the subject, the pupil and how many sessions there were before."""
    mean = SUBJECTS[subject][1] + able + session * 0.9
    mean += 2.5 if pupil["Sex"] == "F" and subject in ("English", "French", "Art") else 0
    mean -= 3 if pupil["Free Meals"] == "Yes" else 0
    return int(np.clip(rng.normal(mean, 9), 8, 100))


def letter(mark: int) -> str:
    """The grade of a mark."""
    return next(grade for least, grade in LETTERS.items() if mark >= least)
