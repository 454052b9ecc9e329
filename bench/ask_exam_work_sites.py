"""Work that is logged by the day: a wind farm and the productions of a film studio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ask_exam_work_parts import Rng, Tables, blank, choose, days

TURBINES = pd.DataFrame(
    [
        ["WT01", "V90-2.0", 2000, 80, "2009-06-12", "North"],
        ["WT02", "V90-2.0", 2000, 80, "2009-06-30", "North"],
        ["WT03", "V90-2.0", 2000, 95, "2010-08-04", "South"],
        ["WT04", "E-82", 2300, 98, "2013-04-17", "South"],
        ["WT05", "E-82", 2300, 98, "2013-05-02", "North"],
        ["WT06", "SG-3.4", 3400, 115, "2019-10-09", "East"],
        ["WT07", "SG-3.4", 3400, 115, "2019-10-28", "East"],
        ["WT08", "SG-3.4", 3400, 127, "2020-03-11", "South"],
    ],
    columns=["turbine_id", "model", "rated_kw", "hub_height_m", "commissioned", "row"],
)
STANDS_STILL = [0.09, 0.12, 0.07, 0.06, 0.08, 0.04, 0.05, 0.03]
REPAIRED = [16, 21, 13, 12, 14, 8, 9, 7]
JOBS = {"Inspection": 32, "Gearbox": 8, "Blade repair": 10, "Electrical": 18, "Oil change": 20, "Sensor": 12}
TECHNICIANS = {"R. Macleod": 26, "S. Ferguson": 22, "J. Ost": 20, "K. Adair": 18, "B. Iqbal": 14}
FIRST_DAY, LAST_DAY = "2023-07-01", "2024-06-30"


def make_wind_farm(rng: Rng) -> Tables:
    """Turbines, what each made a day and the jobs done on them."""
    output = make_output(rng)
    return {"turbines": TURBINES, "daily_output": output, "maintenance": make_maintenance(rng, 240)}


def season(period: pd.DatetimeIndex, mean: float, swing: float, peak: int) -> np.ndarray:
    """A yearly wave with its crest (or trough, where the swing is negative) on a day of the year."""
    return np.array([mean + swing * np.cos(2 * np.pi * (d.day_of_year - peak) / 365) for d in period])


def make_output(rng: Rng) -> pd.DataFrame:
    """A row for each turbine and day; some winds were not measured."""
    period = pd.date_range(FIRST_DAY, LAST_DAY)
    gusts = np.zeros(len(period))
    for i in range(1, len(period)):
        gusts[i] = 0.55 * gusts[i - 1] + rng.normal(0, 1.9)
    wind = season(period, 7.3, 1.7, 15) + gusts
    warmth = season(period, 11, -8.5, 20) + rng.normal(0, 2.6, len(period))
    output = pd.concat(
        [
            turbine_output(rng, turbine, still, wind, warmth, period)
            for turbine, still in zip(TURBINES.itertuples(), STANDS_STILL, strict=True)
        ]
    ).sort_values(["date", "turbine_id"])
    output["avg_wind_ms"] = blank(rng, output.avg_wind_ms.reset_index(drop=True), 0.015).values
    return output


def turbine_output(
    rng: Rng, turbine: Any, still: float, wind: np.ndarray, warmth: np.ndarray, period: pd.DatetimeIndex
) -> pd.DataFrame:
    """The days of one turbine: the wind at its hub, what it made and how long it stood still."""
    count = len(period)
    speed = np.clip(wind + 0.012 * (turbine.hub_height_m - 95) + rng.normal(0, 0.5, count), 1.2, 22)
    stopped = rng.random(count) < still
    down = np.where(stopped, np.round(rng.gamma(1.5, 4, count), 1), 0).clip(0, 24)
    used = np.clip((speed - 2.8) / 9.6, 0, 1) ** 1.7
    energy = used * turbine.rated_kw / 1000 * 24 * (1 - down / 24) * rng.normal(0.95, 0.03, count)
    return pd.DataFrame(
        {
            "date": period.date,
            "turbine_id": turbine.turbine_id,
            "avg_wind_ms": [round(v, 1) for v in speed],
            "energy_mwh": np.round(energy, 2),
            "downtime_h": down,
            "fault_count": [int(rng.poisson(0.12 + 0.12 * hours)) for hours in down],
            "temp_c": [round(v, 1) for v in warmth],
        }
    )


def make_maintenance(rng: Rng, count: int) -> pd.DataFrame:
    """Jobs in the order of their days; inspections and oil changes are planned most often."""
    turbine = choose(rng, dict(zip(TURBINES.turbine_id, REPAIRED, strict=True)), count)
    job = choose(rng, JOBS, count)
    planned = np.where(
        np.isin(job, ["Inspection", "Oil change"]),
        choose(rng, {"Y": 0.93, "N": 0.07}, count),
        choose(rng, {"Y": 0.25, "N": 0.75}, count),
    )
    big = [job == "Gearbox", job == "Blade repair"]
    hours = np.round(rng.gamma(3, 1.1, count) * np.select(big, [6, 4], 1) + 1, 1)
    done = days(rng, FIRST_DAY, LAST_DAY, count, lambda d: 1 if d.weekday() < 5 else 0.15)
    technician = choose(rng, TECHNICIANS, count)
    parts = [rng.normal(9000, 2500, count), rng.normal(4200, 900, count), rng.normal(900, 250, count)]
    parts_cost = np.select([*big, job == "Electrical"], parts, rng.normal(180, 50, count))
    return pd.DataFrame(
        {
            "job_no": np.arange(5001, 5001 + count),
            "turbine_id": turbine,
            "job_date": sorted(done.date),
            "job_type": job,
            "technician": technician,
            "planned": planned,
            "hours": hours,
            "cost_gbp": np.round(hours * 85 + parts_cost, 0).astype(int),
        }
    )


PRODUCTIONS = pd.DataFrame(
    [
        ["SAL", "Salt Road", "Thriller", "Ingrid Thorsen", 14.5, True, "2022-02-07", 48],
        ["MOO", "Moonlight Diner", "Comedy", "Alec Brandt", 6.2, False, "2022-05-02", 38],
        ["EMP", "The Last Emperor Moth", "Drama", "Noor Haddad", 9.8, False, "2022-06-20", 42],
        ["GRV", "Gravity Boys", "Action", "Cole Ramsey", 38.0, True, "2022-09-05", 84],
        ["LUL", "Lullaby", "Horror", "Ingrid Thorsen", 3.4, False, "2022-10-10", 26],
        ["PAP", "Paper Crowns", "Drama", "Mei Lin", 11.2, False, "2023-01-16", 46],
        ["NSH", "Night Shift", "Comedy", "Alec Brandt", 7.9, True, "2023-03-06", 40],
        ["KIN", "Kingfisher", "Thriller", "Cole Ramsey", 21.6, False, "2023-04-24", 66],
        ["ATL", "Atlas of Us", "Romance", "Noor Haddad", 8.4, False, "2023-08-14", 42],
        ["HOL", "Hollow Creek", "Horror", "Samir Voss", 4.1, False, "2023-10-02", 28],
        ["IRO", "Iron Harvest", "Action", "Samir Voss", 44.3, True, "2024-01-08", 92],
    ],
    columns=[
        "Prod Code",
        "Title",
        "Genre",
        "Director",
        "Budget (M USD)",
        "Sequel",
        "Shoot Start",
        "Shooting Days Planned",
    ],
)
DAYS_SHOT = [52, 38, 46, 96, 27, 50, 41, 70, 44, 30, 104]
PLACES = {
    "Studio A": 0.3,
    "Studio B": 0.18,
    "City streets": 0.22,
    "Forest": 0.13,
    "Coast": 0.1,
    "Desert": 0.07,
}
INCIDENTS = {"Minor injury": 2, "Equipment damage": 3, "Late cast": 5, None: 90}


def make_film_studio(rng: Rng) -> Tables:
    """Productions and their shooting days."""
    rows = []
    for (_, film), needed in zip(PRODUCTIONS.iterrows(), DAYS_SHOT, strict=True):
        rows += film_days(rng, film, needed)
    shot = pd.DataFrame(rows)
    shot["Incident"] = choose(rng, INCIDENTS, len(shot))
    return {"productions": PRODUCTIONS, "shooting_days": shot}


def film_days(rng: Rng, film: pd.Series, needed: int) -> list[dict[str, Any]]:
    """Workdays and some weekends until the film is done; action films often have a second unit."""
    rows = []
    day = pd.Timestamp(film["Shoot Start"])
    worked = 0
    while worked < needed:
        if day.weekday() < 5 or rng.random() < 0.18:
            second = film["Genre"] == "Action" and rng.random() < 0.45
            rows += [unit_day(rng, film, day, unit) for unit in ("Main", "Second")[: 1 + second]]
            worked += 1
        day += pd.Timedelta(days=1)
    return rows


def unit_day(rng: Rng, film: pd.Series, day: pd.Timestamp, unit: str) -> dict[str, Any]:
    """One day of one unit; bad weather outside costs scenes and overtime."""
    planned = int(np.clip(rng.poisson(5.2), 2, 12))
    stormy = rng.random() < (0.16 if day.month in (11, 12, 1, 2) else 0.07)
    place = rng.choice(list(PLACES), p=list(PLACES.values()))
    delayed = bool(stormy and not place.startswith("Studio"))
    shot = planned - rng.poisson(0.7) - (2 if delayed else 0) + rng.integers(0, 2)
    over = rng.normal(0.6, 1.1) + (0.9 if delayed else 0)
    over = max(0, round(float(over + (0.5 if film["Director"] == "Cole Ramsey" else 0)), 1))
    crew = rng.normal(48 + film["Budget (M USD)"] * 1.9, 7) * (0.45 if unit == "Second" else 1)
    crew = int(crew)
    return {
        "Prod Code": film["Prod Code"],
        "Shoot Date": day.date(),
        "Unit": unit,
        "Location": place,
        "Crew": crew,
        "Scenes Planned": planned,
        "Scenes Shot": int(np.clip(shot, 0, planned + 1)),
        "Overtime Hrs": over,
        "Weather Delay": "Y" if delayed else "N",
        "Day Cost USD": int(crew * rng.normal(610, 40) + over * crew * 38 + rng.gamma(2, 4000)),
    }
