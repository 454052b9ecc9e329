"""Small generated data samples that the labelled prompts speak of; the same rows on every run."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

Rows = list[dict[str, Any]]

_START = datetime(2024, 1, 1)
_COMPLAINTS = (
    "The parcel arrived two days late and the outer box was torn open at one corner, so please tell me how a replacement can be sent.",
    "Since the last update the app closes by itself whenever I try to attach a photo that is larger than a few megabytes.",
    "I was charged twice for the same month and the second amount does not appear on any of the invoices in my account.",
    "Your colleague was friendly on the phone, but nobody has called me back about the broken hinge as was promised last week.",
    "Could you explain how I change the delivery address of an order that has been paid for but has not left the warehouse yet?",
)


def _wave(index: int, period: int, size: float) -> float:
    return size * math.sin(2 * math.pi * index / period)


def _noise(index: int, seed: int) -> float:
    """A repeatable number between -1 and 1 that looks random."""
    return math.modf(math.sin(index * 12.9898 + seed * 78.233) * 43758.5453)[0]


def _pick(options: tuple[str, ...], index: int, seed: int) -> str:
    return options[int(abs(_noise(index, seed)) * len(options)) % len(options)]


def daily_sales() -> Rows:
    """Sixty days of sales and units in three regions."""
    rows: Rows = []
    for i in range(60):
        units = 40 + round(_wave(i, 7, 9) + 0.3 * i + 4 * _noise(i, 1))
        rows.append(
            {
                "date": (_START + timedelta(days=i)).date().isoformat(),
                "region": ("North", "South", "West")[i % 3],
                "sales": round(units * (12.5 + _noise(i, 2)), 2),
                "units": units,
            }
        )
    rows[41]["sales"] = 2900.0
    return rows


def sensor_readings() -> Rows:
    """Two days of hourly readings from two machines, one hour far off."""
    rows: Rows = [
        {
            "timestamp": (_START + timedelta(hours=i)).isoformat(),
            "machine": ("M1", "M2")[i % 2],
            "temperature": round(61 + _wave(i, 24, 5) + _noise(i, 3), 2),
            "vibration": round(0.8 + 0.1 * _noise(i, 4), 3),
            "pressure": round(4.2 + _wave(i, 24, 0.3) + 0.1 * _noise(i, 5), 3),
        }
        for i in range(48)
    ]
    rows[30]["vibration"] = 3.4
    return rows


def customers() -> Rows:
    """Customers without any date."""
    return [
        {
            "customer_id": f"C{1000 + i}",
            "age": 24 + (i * 7) % 47,
            "plan": _pick(("basic", "plus", "premium"), i, 6),
            "city": _pick(("Leeds", "Porto", "Graz", "Turku"), i, 7),
            "annual_spend": round(420 + 260 * abs(_noise(i, 8)) + 900 * (i % 5 == 0), 2),
            "visits": 1 + (i * 5) % 23,
            "churned": i % 6 == 0,
        }
        for i in range(50)
    ]


def shipments() -> Rows:
    """Deliveries with coordinates around three towns."""
    towns = ((48.21, 16.37), (47.07, 15.44), (48.31, 14.29))
    return [
        {
            "shipment_id": 5000 + i,
            "lat": round(towns[i % 3][0] + 0.05 * _noise(i, 9), 5),
            "lon": round(towns[i % 3][1] + 0.05 * _noise(i, 10), 5),
            "carrier": _pick(("Alpha", "Borealis", "Crane", "Delta"), i, 11),
            "weight_kg": round(8 + 6 * abs(_noise(i, 12)) + (60 if i == 17 else 0), 2),
            "delay_hours": round(3 + 3 * _noise(i, 13) + 5 * (i % 3 == 1), 1),
        }
        for i in range(45)
    ]


def survey() -> Rows:
    """Answers to closed questions: nearly all columns are categories."""
    return [
        {
            "respondent": f"R{i:03d}",
            "department": _pick(("finance", "nursing", "kitchen", "IT"), i, 14),
            "channel": _pick(("paper", "web", "phone"), i, 15),
            "satisfaction": _pick(("very low", "low", "neutral", "high", "very high"), i, 16),
            "would_recommend": _pick(("yes", "no"), i, 17),
        }
        for i in range(54)
    ]


def tickets() -> Rows:
    """Support tickets whose substance is a long text."""
    return [
        {
            "ticket_id": f"T-{i + 1}",
            "priority": _pick(("low", "normal", "high"), i, 18),
            "body": f"{_COMPLAINTS[i % 5]} This concerns reference {7000 + 13 * i}. {_COMPLAINTS[(i + 2) % 5]}",
        }
        for i in range(30)
    ]


def web_sessions() -> Rows:
    """Visits to a website, each with its time."""
    return [
        {
            "started_at": (_START + timedelta(minutes=37 * i)).isoformat(),
            "device": _pick(("phone", "desktop", "tablet"), i, 19),
            "source": _pick(("search", "mail", "direct"), i, 20),
            "pages": 1 + int(9 * abs(_noise(i, 21))),
            "duration_seconds": round(30 + 400 * abs(_noise(i, 22)), 1),
            "converted": i % 7 == 3,
        }
        for i in range(60)
    ]


def power_load() -> Rows:
    """Daily energy use of two sites beside the outdoor temperature."""
    rows: Rows = []
    for i in range(60):
        outdoor = round(6 + _wave(i, 60, 8) + _noise(i, 23), 1)
        rows.append(
            {
                "day": (_START + timedelta(days=i // 2)).date().isoformat(),
                "site": ("harbour", "hill")[i % 2],
                "kwh": round(900 - 21 * outdoor + 30 * _noise(i, 24) + 150 * (i % 2), 1),
                "outdoor_temp": outdoor,
            }
        )
    return rows


def exam_marks() -> Rows:
    """Marks of pupils with the hours that they studied."""
    rows: Rows = []
    for i in range(48):
        hours = round(2 + 9 * abs(_noise(i, 25)), 1)
        rows.append(
            {
                "pupil": f"P{i + 1:02d}",
                "school": _pick(("Elm", "Oak", "Ash", "Birch", "Lime", "Yew"), i, 26),
                "teacher": _pick(("T1", "T2", "T3", "T4", "T5"), i, 27),
                "hours_studied": hours,
                "maths": round(35 + 4.5 * hours + 6 * _noise(i, 28), 1),
                "reading": round(62 + 12 * _noise(i, 29), 1),
            }
        )
    return rows


def ward_stays() -> Rows:
    """Hospital stays with the day of admission."""
    rows: Rows = []
    for i in range(56):
        stay = 2 + int(6 * abs(_noise(i, 30)))
        rows.append(
            {
                "admitted": (_START + timedelta(days=i)).date().isoformat(),
                "ward": ("surgery", "cardiology", "maternity")[i % 3],
                "age": 19 + (i * 11) % 66,
                "length_of_stay": stay,
                "cost": round(640 * stay + 200 * _noise(i, 31) + (700 if i > 33 else 0), 2),
            }
        )
    return rows


SAMPLES: dict[str, Callable[[], Rows]] = {
    maker.__name__: maker
    for maker in (
        daily_sales,
        sensor_readings,
        customers,
        shipments,
        survey,
        tickets,
        web_sessions,
        power_load,
        exam_marks,
        ward_stays,
    )
}


def sample(name: str | None) -> Rows | None:
    """The rows of a named sample, or nothing where a prompt comes without data."""
    return None if name is None else SAMPLES[name]()
