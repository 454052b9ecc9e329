"""The tables that conversations are held about: staff, hotel bookings, a gym, sensors, sales and support tickets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

_FIRST = "Ada Boris Clara Dmitri Elena Felix Greta Hugo Ines Jonas Karin Luca Mara Nils Olga Pavel Rosa Stefan Tilda Viktor"
_LAST = "Abel Brandt Costa Dorn Engel Fabian Grau Holm Ivers Jansen Keller Lund Moreau Novak Oster Prinz Quist Roth Sand Thaler"


def _names(rng: np.random.Generator, count: int) -> list[str]:
    every = [f"{first} {last}" for first in _FIRST.split() for last in _LAST.split()]
    return [every[i] for i in rng.permutation(len(every))[:count]]


def _days(rng: np.random.Generator, start: str, end: str, count: int) -> pd.DatetimeIndex:
    every = pd.date_range(start, end)
    return pd.DatetimeIndex(sorted(every[rng.integers(0, len(every), count)]))


def staff(rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Employees with department, office, date of hire and salary."""
    count = 380
    department = rng.choice(
        ["Engineering", "Sales", "Support", "Finance", "Marketing"], count, p=[0.34, 0.24, 0.2, 0.12, 0.1]
    )
    base = pd.Series(department).map(
        {"Engineering": 68_000, "Sales": 55_000, "Support": 43_000, "Finance": 61_000, "Marketing": 52_000}
    )
    frame = pd.DataFrame(
        {
            "employee_id": np.arange(1001, 1001 + count),
            "name": _names(rng, count),
            "department": department,
            "office": rng.choice(["Berlin", "Lisbon", "Oslo", "Dublin"], count, p=[0.4, 0.25, 0.2, 0.15]),
            "gender": rng.choice(["female", "male"], count),
            "hire_date": _days(rng, "2016-01-01", "2024-12-31", count).date,
            "salary": (base * rng.normal(1, 0.14, count)).round(-2).astype(int),
            "score": rng.normal(3.4, 0.6, count).clip(1, 5).round(1),
            "remote": rng.choice(["yes", "no"], count, p=[0.35, 0.65]),
        }
    )
    return {"employees.csv": frame}


def hotel(rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Bookings of three hotels over two years."""
    count = 2_400
    rooms = rng.choice(["single", "double", "suite"], count, p=[0.3, 0.55, 0.15])
    nights = rng.integers(1, 9, count)
    rate = pd.Series(rooms).map({"single": 82, "double": 118, "suite": 236}).to_numpy()
    frame = pd.DataFrame(
        {
            "booking_id": np.arange(50001, 50001 + count),
            "hotel": rng.choice(["Seaview", "Alpine Lodge", "City Inn"], count, p=[0.42, 0.23, 0.35]),
            "room_type": rooms,
            "country": rng.choice(
                ["Germany", "France", "Italy", "Spain", "Poland", "Norway"],
                count,
                p=[0.3, 0.22, 0.18, 0.12, 0.1, 0.08],
            ),
            "channel": rng.choice(["website", "agency", "phone"], count, p=[0.5, 0.35, 0.15]),
            "arrival_date": _days(rng, "2023-01-01", "2024-12-31", count).date,
            "nights": nights,
            "guests": rng.integers(1, 5, count),
            "price": (nights * rate * rng.normal(1, 0.12, count)).round(2),
            "status": rng.choice(["completed", "cancelled", "no-show"], count, p=[0.8, 0.15, 0.05]),
        }
    )
    return {"bookings.csv": frame}


def gym(rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Members and their visits to three clubs."""
    count, came = 220, 4_200
    members = pd.DataFrame(
        {
            "member_id": np.arange(1, count + 1),
            "name": _names(rng, count),
            "plan": rng.choice(["basic", "plus", "premium"], count, p=[0.5, 0.3, 0.2]),
            "age": rng.integers(17, 71, count),
            "joined": _days(rng, "2021-01-01", "2023-12-31", count).date,
            "monthly_fee": 0,
        }
    )
    members["monthly_fee"] = members["plan"].map({"basic": 25, "plus": 39, "premium": 59})
    weight = rng.gamma(1.2, 1, count)
    visits = pd.DataFrame(
        {
            "visit_id": np.arange(1, came + 1),
            "member_id": rng.choice(members["member_id"], came, p=weight / weight.sum()),
            "visit_date": _days(rng, "2024-01-01", "2024-12-31", came).date,
            "club": rng.choice(["Downtown", "Harbour", "Uptown"], came, p=[0.5, 0.3, 0.2]),
            "activity": rng.choice(
                ["weights", "yoga", "spinning", "swimming"], came, p=[0.4, 0.25, 0.2, 0.15]
            ),
            "minutes": rng.normal(62, 18, came).clip(10, 150).round().astype(int),
        }
    )
    return {"members.csv": members, "visits.csv": visits}


def sensors(rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Readings of six sensors at four sites, every three hours of one summer."""
    times = pd.date_range("2024-05-01", "2024-08-31 21:00", freq="3h")
    sites = {"S1": "Roof", "S2": "Roof", "S3": "Cellar", "S4": "Garden", "S5": "Garden", "S6": "Hall"}
    base = {"Roof": 24.0, "Cellar": 14.0, "Garden": 19.0, "Hall": 21.0}
    frames: list[pd.DataFrame] = []
    for sensor, site in sites.items():
        season = 4 * np.sin(np.linspace(0, np.pi, len(times))) + 3 * np.sin(
            (times.hour.to_numpy() - 8) / 24 * 2 * np.pi
        )
        frames.append(
            pd.DataFrame(
                {
                    "time": times,
                    "sensor": sensor,
                    "site": site,
                    "temperature": (base[site] + season + rng.normal(0, 1.5, len(times))).round(1),
                    "humidity": (70 - season + rng.normal(0, 6, len(times))).clip(20, 100).round(1),
                    "battery": np.linspace(100, 60 + 5 * int(sensor[1]), len(times)).round(1),
                }
            )
        )
    return {"readings.csv": pd.concat(frames, ignore_index=True)}


def sales(rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Sales of furniture in four regions over three years."""
    count = 3_000
    product = rng.choice(["Lamp", "Chair", "Desk", "Sofa", "Shelf"], count, p=[0.28, 0.27, 0.18, 0.12, 0.15])
    price = (
        pd.Series(product).map({"Lamp": 39, "Chair": 89, "Desk": 249, "Sofa": 690, "Shelf": 120}).to_numpy()
    )
    quantity = rng.integers(1, 7, count)
    customers = np.array(_names(rng, 40))
    frame = pd.DataFrame(
        {
            "sale_id": np.arange(1, count + 1),
            "date": _days(rng, "2022-01-01", "2024-12-31", count).date,
            "region": rng.choice(["North", "South", "East", "West"], count, p=[0.34, 0.28, 0.22, 0.16]),
            "product": product,
            "customer": rng.choice(customers, count, p=rng.dirichlet(np.full(40, 2.0))),
            "quantity": quantity,
            "amount": (quantity * price * rng.normal(1, 0.08, count)).round(2),
            "returned": rng.choice(["yes", "no"], count, p=[0.08, 0.92]),
        }
    )
    return {"sales.csv": frame}


def tickets(rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Support tickets with team, agent, priority and the hours until they were solved."""
    count = 2_000
    team = rng.choice(["Network", "Hardware", "Accounts"], count, p=[0.45, 0.3, 0.25])
    agents = {
        "Network": ["Mia", "Omar", "Petra"],
        "Hardware": ["Quinn", "Ravi"],
        "Accounts": ["Sofie", "Tariq"],
    }
    priority = rng.choice(["low", "medium", "high", "urgent"], count, p=[0.35, 0.35, 0.2, 0.1])
    typical = pd.Series(priority).map({"low": 60, "medium": 36, "high": 16, "urgent": 6}).to_numpy()
    status = rng.choice(["closed", "open", "pending"], count, p=[0.8, 0.12, 0.08])
    hours = pd.Series((rng.gamma(2, 0.5, count) * typical).round(1))
    frame = pd.DataFrame(
        {
            "ticket_id": np.arange(9001, 9001 + count),
            "opened": _days(rng, "2023-01-01", "2024-06-30", count).date,
            "team": team,
            "agent": [agents[t][rng.integers(len(agents[t]))] for t in team],
            "priority": priority,
            "status": status,
            "resolution_hours": hours.where(status == "closed"),
            "satisfaction": rng.choice([1, 2, 3, 4, 5], count, p=[0.08, 0.1, 0.2, 0.34, 0.28]),
        }
    )
    return {"tickets.csv": frame}


World = Callable[[np.random.Generator], dict[str, pd.DataFrame]]
WORLDS: dict[str, World] = {
    "staff": staff, "hotel": hotel, "gym": gym, "sensors": sensors, "sales": sales, "tickets": tickets,
}  # fmt: skip
