"""Tables about people: staff and school."""

import numpy as np
import pandas as pd

FIRST = [
    "Anna",
    "Ben",
    "Carla",
    "David",
    "Eva",
    "Frank",
    "Gina",
    "Hugo",
    "Ines",
    "Jonas",
    "Kate",
    "Leo",
    "Mia",
    "Nils",
    "Olga",
    "Paul",
]


def people_names(rng, count, prefix=""):
    """First name, a letter and a number: nobody real."""
    letters = list("ABCDEFGHKLMNPRSTVW")
    return [f"{rng.choice(FIRST)} {rng.choice(letters)}{prefix}{i:03d}" for i in range(1, count + 1)]


def blank(rng, values, share):
    """Set a share of the values to missing."""
    out = pd.Series(list(values), dtype=object)
    out[rng.random(len(out)) < share] = None
    return out


JOBS = {
    "Sales": ["Account Executive", "Sales Manager", "Sales Assistant"],
    "Engineering": ["Software Engineer", "Senior Engineer", "QA Analyst"],
    "Finance": ["Accountant", "Controller"],
    "Marketing": ["Content Specialist", "Brand Manager"],
    "Human Resources": ["Recruiter", "HR Partner"],
    "Operations": ["Warehouse Clerk", "Logistics Planner", "Shift Lead"],
    "Customer Support": ["Support Agent", "Support Team Lead"],
}
BASE = {
    "Sales": 52000,
    "Engineering": 71000,
    "Finance": 61000,
    "Marketing": 54000,
    "Human Resources": 50000,
    "Operations": 41000,
    "Customer Support": 38500,
}
SENIOR = {
    "Sales Manager": 1.4,
    "Senior Engineer": 1.3,
    "Controller": 1.35,
    "Brand Manager": 1.2,
    "Shift Lead": 1.15,
    "Support Team Lead": 1.25,
}


def staff_salary(rng, dept, job, hired):
    """Salary from department, seniority and years since hiring."""
    years = (pd.Timestamp("2024-12-31") - hired).days / 365
    pay = BASE[dept] * SENIOR.get(job, 1.0) * (1 + 0.012 * years)
    return int(round(pay * rng.normal(1, 0.09), -2))


def leave_day(rng, hired):
    """About a quarter of the staff left before the end of 2024."""
    if rng.random() > 0.27:
        return None
    left = hired + pd.Timedelta(days=int(rng.integers(90, 2600)))
    return left if left <= pd.Timestamp("2024-12-31") else None


def make_staff():
    rng = np.random.default_rng(1401)
    count = 1240
    depts = rng.choice(list(BASE), count, p=[0.19, 0.24, 0.08, 0.09, 0.05, 0.21, 0.14])
    jobs = [rng.choice(JOBS[d]) for d in depts]
    days = rng.integers(0, 3640, count)
    hired = [pd.Timestamp("2015-01-05") + pd.Timedelta(days=int(d)) for d in days]
    left = [leave_day(rng, h) for h in hired]
    why = [
        None
        if x is None
        else rng.choice(["Resigned", "Dismissed", "Retired", "Contract ended"], p=[0.6, 0.12, 0.1, 0.18])
        for x in left
    ]
    rating = blank(rng, rng.choice([1, 2, 3, 4, 5], count, p=[0.04, 0.13, 0.43, 0.29, 0.11]), 0.07)
    return {
        "employees": pd.DataFrame(
            {
                "employee_id": [f"E{i:05d}" for i in range(1, count + 1)],
                "full_name": people_names(rng, count),
                "department": depts,
                "job_title": jobs,
                "hire_date": [h.date() for h in hired],
                "leave_date": [None if x is None else x.date() for x in left],
                "leave_reason": why,
                "annual_salary": [
                    staff_salary(rng, d, j, h) for d, j, h in zip(depts, jobs, hired, strict=True)
                ],
                "gender": rng.choice(["F", "M", "X"], count, p=[0.46, 0.52, 0.02]),
                "location": rng.choice(
                    ["Berlin", "Lisbon", "Dublin", "Remote", "Warsaw"], count, p=[0.33, 0.18, 0.2, 0.12, 0.17]
                ),
                "performance_rating": rating,
                "contract_type": rng.choice(
                    ["Full-time", "Part-time", "Temporary"], count, p=[0.78, 0.15, 0.07]
                ),
                "training_hours": blank(rng, rng.gamma(2.2, 9, count).round(1), 0.05),
                "remote_days_per_week": rng.integers(0, 6, count),
            }
        )
    }


SUBJECTS = ["Mathematics", "English", "Biology", "History", "Art", "Physics"]


def make_students(rng, count):
    grade = rng.choice([7, 8, 9, 10], count, p=[0.27, 0.26, 0.25, 0.22])
    section = rng.choice(["A", "B", "C"], count)
    return pd.DataFrame(
        {
            "StudentID": np.arange(3001, 3001 + count),
            "Name": people_names(rng, count),
            "Gender": rng.choice(["female", "male"], count, p=[0.51, 0.49]),
            "GradeLevel": grade,
            "Class": [f"{g}{s}" for g, s in zip(grade, section, strict=True)],
            "BirthDate": [
                (pd.Timestamp(2018 - g, 9, 1) - pd.Timedelta(days=int(rng.integers(0, 365)))).date()
                for g in grade
            ],
            "LunchProgram": rng.choice(["free", "reduced", "standard"], count, p=[0.22, 0.13, 0.65]),
            "TravelMode": blank(
                rng, rng.choice(["Bus", "Walk", "Car", "Bicycle"], count, p=[0.4, 0.28, 0.2, 0.12]), 0.04
            ),
            "AbsenceDays": rng.poisson(5.5, count),
        }
    )


def make_results(rng, students):
    skill = rng.normal(0, 8, len(students))
    level = {"Mathematics": 63, "English": 69, "Biology": 66, "History": 70, "Art": 77, "Physics": 59}
    rows = []
    for term, day in (("Autumn", "2023-12-11"), ("Summer", "2024-06-10")):
        for k, subject in enumerate(SUBJECTS):
            for s, info in zip(skill, students.itertuples(), strict=True):
                if subject == "Physics" and info.GradeLevel < 9:
                    continue
                score = level[subject] + s - 0.9 * info.AbsenceDays + 4
                score += (2 if term == "Summer" else 0) + rng.normal(0, 9)
                missed = rng.random() < 0.04
                rows.append(
                    (
                        info.StudentID,
                        subject,
                        term,
                        (pd.Timestamp(day) + pd.Timedelta(days=k % 5)).date(),
                        None if missed else int(np.clip(round(score), 0, 100)),
                        "absent" if missed else "present",
                    )
                )
    return pd.DataFrame(rows, columns=["StudentID", "Subject", "Term", "ExamDate", "Score", "Attendance"])


def make_school():
    rng = np.random.default_rng(1406)
    students = make_students(rng, 420)
    results = make_results(rng, students)
    results.insert(0, "ResultID", np.arange(1, len(results) + 1))
    return {"students": students, "exam_results": results}
