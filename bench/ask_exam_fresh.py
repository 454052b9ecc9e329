"""The fresh data sets of the exam: staff, parking fines, crops and tickets in one table each, and four of several."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from ask_exam_fresh_joined import make_ferry, make_streaming, make_vet, make_warehouse
from ask_exam_fresh_parts import blank, days, mapped, pick, save


def make_staff(folder: Path) -> None:
    """A company's employees, with who has left."""
    rng, count = np.random.default_rng(1101), 640
    teams = ["Engineering", "Sales", "Customer Care", "Logistics", "Finance", "Legal", "People"]
    department = pick(rng, dict(zip(teams, [26, 22, 18, 16, 9, 3, 6], strict=True)), count)
    grade = rng.choice(["Junior", "Mid", "Senior", "Lead"], size=count, p=[0.32, 0.36, 0.22, 0.10])
    base = mapped(department, dict(zip(teams, [61, 48, 36, 38, 56, 66, 45], strict=True)))
    lift = mapped(grade, {"Junior": 0.8, "Mid": 1.0, "Senior": 1.3, "Lead": 1.65})
    salary = np.round(base * lift * rng.normal(1, 0.08, count) * 10) * 100
    hired = days(rng, "2015-02-01", "2025-06-30", count)
    overtime = rng.random(count) < 0.3
    leave_chance = 0.13 + 0.14 * overtime + 0.08 * (department == "Sales") - 0.06 * (grade == "Lead")
    left = rng.random(count) < leave_chance
    first_day = np.maximum(hired + pd.Timedelta(days=45), pd.Timestamp("2023-01-01"))
    room = (pd.Timestamp("2025-09-30") - pd.DatetimeIndex(first_day)).days.to_numpy()
    stay = pd.to_timedelta((rng.random(count) * room).astype(int), unit="D")
    exit_day = pd.Series(pd.DatetimeIndex(first_day) + stay)
    reasons = {"Better offer": 40, "Relocation": 15, "Dismissed": 18, "Retirement": 9, "Family": 18}
    reason = pd.Series(pick(rng, reasons, count))
    frame = pd.DataFrame(
        {
            "Employee ID": [f"E{1000 + number}" for number in range(count)],
            "Department": department,
            "Office": pick(rng, {"Leeds": 35, "Cardiff": 25, "Dublin": 22, "Remote": 18}, count),
            "Grade": grade,
            "Gender": pick(rng, {"Female": 47, "Male": 49, "Non-binary": 4}, count),
            "Age": np.clip(np.round(rng.normal(39, 10, count)), 19, 66).astype(int),
            "Annual Salary (GBP)": salary.astype(int),
            "Hire Date": hired.strftime("%Y-%m-%d"),
            "Works Overtime": np.where(overtime, "Yes", "No"),
            "Training Hrs": rng.poisson(22, count),
            "Engagement Score": blank(
                rng, pd.Series(np.clip(np.round(rng.normal(6.8, 1.5, count), 1), 1, 10)), 0.06
            ),
            "Left Company": np.where(left, "Yes", "No"),
            "Exit Date": exit_day.dt.strftime("%Y-%m-%d").where(left, None),
            "Exit Reason": reason.where(left, None),
        }
    )
    save(folder, employees=frame)


def make_parking(folder: Path) -> None:
    """A city's parking fines."""
    rng, count = np.random.default_rng(1102), 2600
    violations = [
        "No valid permit",
        "Expired meter",
        "Double parking",
        "Blocked driveway",
        "Disabled bay",
        "Loading zone",
    ]
    violation = pick(rng, dict(zip(violations, [24, 38, 12, 8, 5, 13], strict=True)), count)
    amount = mapped(violation, dict(zip(violations, [60, 35, 80, 90, 150, 70], strict=True)))
    minutes = pd.to_timedelta(rng.integers(7 * 60, 22 * 60, count), unit="m")
    stamp = (days(rng, "2023-03-01", "2025-08-31", count) + minutes).sort_values()
    makes = {"Volkswagen": 22, "Renault": 17, "Toyota": 16, "Ford": 15, "Skoda": 12, "BMW": 10, "Tesla": 8}
    paid = rng.random(count) < 0.76
    late = pd.to_timedelta(rng.gamma(2.0, 11.0, count).astype(int) + 1, unit="D")
    paid_on = pd.Series(stamp.normalize() + late).dt.strftime("%Y-%m-%d").where(paid, None)
    appealed = rng.random(count) < 0.14
    outcome = pd.Series(pick(rng, {"Upheld": 55, "Cancelled": 30, "Reduced": 15}, count)).where(
        appealed, None
    )
    frame = pd.DataFrame(
        {
            "ticket_no": [f"PF{70000 + row}" for row in range(count)],
            "issued_at": stamp.strftime("%Y-%m-%d %H:%M:%S"),
            "district": pick(
                rng, {"Old Town": 28, "Harbour": 20, "Station": 24, "University": 15, "Westfield": 13}, count
            ),
            "violation": violation,
            "fine_eur": amount.astype(int),
            "vehicle_type": pick(rng, {"car": 74, "van": 14, "motorcycle": 7, "truck": 5}, count),
            "vehicle_make": blank(rng, pd.Series(pick(rng, makes, count)), 0.04),
            "officer_id": rng.choice([f"OF-{number:02d}" for number in range(1, 15)], size=count),
            "is_resident": (rng.random(count) < 0.4).astype(int),
            "paid": np.where(paid, "Y", "N"),
            "paid_on": paid_on,
            "appealed": np.where(appealed, "Y", "N"),
            "appeal_outcome": outcome,
        }
    )
    save(folder, parking_fines=frame)


def make_crops(folder: Path) -> None:
    """Harvests of fields, one row for each field and season."""
    rng = np.random.default_rng(1103)
    rows: list[dict[str, object]] = []
    typical = {
        "Winter Wheat": 7.8,
        "Spring Barley": 6.1,
        "Rapeseed": 3.6,
        "Potatoes": 38.0,
        "Sugar Beet": 68.0,
    }
    for field in range(1, 151):
        county = str(rng.choice(["Norfolk", "Lincoln", "Essex", "Kent", "Devon"]))
        soil = str(rng.choice(["Clay", "Loam", "Sandy", "Silt"], p=[0.3, 0.4, 0.2, 0.1]))
        area, organic = round(float(rng.gamma(4, 4.5) + 2), 1), bool(rng.random() < 0.22)
        for season in (2023, 2024, 2025):
            if rng.random() < 0.07:
                continue
            crop = str(pick(rng, dict(zip(typical, [38, 22, 18, 12, 10], strict=True)), 1)[0])
            rain = round(float(rng.normal({2023: 610, 2024: 720, 2025: 480}[season], 60)))
            irrigated = bool(rng.random() < (0.7 if crop == "Potatoes" else 0.18))
            rate = typical[crop] * (0.75 if organic else 1) * (1.12 if irrigated else 1) * (0.7 + rain / 2000)
            sown = pd.Timestamp(f"{season}-03-05") + pd.Timedelta(days=int(rng.integers(0, 45)))
            cut = pd.Timestamp(f"{season}-07-20") + pd.Timedelta(days=int(rng.integers(0, 75)))
            rows.append(
                {
                    "Field": f"F{field:03d}",
                    "County": county,
                    "Soil Type": soil,
                    "Season": season,
                    "Crop": crop,
                    "Area (ha)": area,
                    "Sown On": sown.strftime("%Y-%m-%d"),
                    "Harvested On": cut.strftime("%Y-%m-%d"),
                    "Yield (t)": round(area * rate * float(rng.normal(1, 0.12)), 1),
                    "Rainfall (mm)": rain,
                    "Fertiliser (kg/ha)": 0 if organic else round(float(rng.normal(165, 35))),
                    "Irrigated": "yes" if irrigated else "no",
                    "Organic": "yes" if organic else "no",
                    "Moisture (%)": round(float(rng.normal(14.5, 1.4)), 1),
                }
            )
    frame = pd.DataFrame(rows)
    frame["Moisture (%)"] = blank(rng, frame["Moisture (%)"], 0.05)
    save(folder, harvests=frame)


def make_tickets(folder: Path) -> None:
    """A software firm's support tickets."""
    rng, count = np.random.default_rng(1104), 1800
    minutes = pd.to_timedelta(rng.integers(6 * 60, 21 * 60, count), unit="m")
    opened = (days(rng, "2024-01-01", "2025-10-31", count) + minutes).sort_values()
    priority = pick(rng, {"Low": 34, "Medium": 38, "High": 20, "Urgent": 8}, count)
    pace = mapped(priority, {"Low": 70.0, "Medium": 44.0, "High": 20.0, "Urgent": 7.0})
    hours = np.round(rng.gamma(1.8, pace / 1.8) + 0.3, 1)
    topics = {"Billing": 24, "Login": 21, "Bug": 27, "Feature Request": 14, "Outage": 6, "Onboarding": 8}
    agents = dict(
        zip(
            ["Amara", "Bjorn", "Chidi", "Daria", "Esteban", "Fiona", "Goran", "Hiroko"],
            range(8, 16),
            strict=True,
        )
    )
    solved = rng.random(count) < 0.93
    closed = pd.Series(opened + pd.to_timedelta((hours * 60).round().astype(int), unit="m"))
    rating = pd.Series(rng.choice(5, size=count, p=[0.06, 0.09, 0.18, 0.37, 0.30]) + 1)
    frame = pd.DataFrame(
        {
            "Ticket ID": np.arange(50001, 50001 + count),
            "Opened": opened.strftime("%Y-%m-%dT%H:%M:%S"),
            "Closed": closed.dt.strftime("%Y-%m-%dT%H:%M:%S").where(solved, None),
            "Channel": pick(rng, {"Email": 44, "Chat": 31, "Phone": 18, "Social": 7}, count),
            "Category": pick(rng, topics, count),
            "Priority": priority,
            "Agent": pick(rng, agents, count),
            "Customer Plan": pick(rng, {"Free": 40, "Pro": 42, "Enterprise": 18}, count),
            "First Response (min)": np.round(rng.gamma(1.5, 40, count) + 2).astype(int),
            "Replies": rng.poisson(3.4, count) + 1,
            "Reopened": (rng.random(count) < 0.11).astype(int),
            "SLA Met": np.where(rng.random(count) < 0.84, "Yes", "No"),
            "CSAT": rating.where(solved & (rng.random(count) < 0.62), other=np.nan).astype("Int64"),
            "Status": np.where(solved, "Closed", pick(rng, {"Open": 60, "Waiting on Customer": 40}, count)),
        }
    )
    save(folder, support_tickets=frame)


def make_worlds(folder: Path) -> None:
    """Write all eight worlds, each in a folder of its own."""
    makers = {
        "staff": make_staff,
        "parking": make_parking,
        "crops": make_crops,
        "tickets": make_tickets,
        "vet": make_vet,
        "ferry": make_ferry,
        "streaming": make_streaming,
        "warehouse": make_warehouse,
    }
    for world, make in makers.items():
        make(folder / world)


if __name__ == "__main__":
    make_worlds(Path(sys.argv[1]))
