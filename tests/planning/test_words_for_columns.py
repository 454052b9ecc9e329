"""Words that point to columns and values: short headings, coded sexes, what was sold, ends of a day, persons asked for."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

N = 240
TODAY = date(2025, 1, 10)
DAYS = pd.Series(pd.date_range("2024-01-01", periods=N, freq="30h"))


def _cycle(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(N)]


VANS = pd.DataFrame(
    {
        "vin": [f"W{i:06d}" for i in range(N)],
        "fuel": _cycle("Diesel", "Electric"),
        "listed_dt": DAYS.dt.date,
        "sold_dt": (DAYS + pd.Timedelta(days=9)).where(pd.Series([i % 4 != 0 for i in range(N)])).dt.date,
        "asking_price": [3000 + 37 * (i % 61) for i in range(N)],
    }
)
OBS = pd.DataFrame(
    {
        "date": DAYS.dt.date,
        "stn": _cycle("Alva", "Brekke"),
        "tmax_c": [10 + i % 17 for i in range(N)],
        "tmin_c": [2 + i % 7 - i % 3 for i in range(N)],
    }
)
APPTS = pd.DataFrame(
    {
        "appt_id": range(9000, 9000 + N),
        "appt_dt": DAYS.dt.date,
        "pt_sex": _cycle("F", "M", "F"),
        "wait_min": [5 + i % 29 for i in range(N)],
        "format": _cycle("E-visit", "Visit at home", "Clinic"),
    }
)
RENTALS = pd.DataFrame(
    {
        "rental_no": range(1, N + 1),
        "boat_id": [f"B{i % 9}" for i in range(N)],
        "guest_id": [f"G{i % 7}" for i in range(N)],
        "rented_on": DAYS.dt.date,
        "awarded_eur": [10 + i % 5 for i in range(N)],
    }
)
BOATS = pd.DataFrame({"boat_id": [f"B{i}" for i in range(9)], "seats": [2 + i % 4 for i in range(9)]})
GUESTS = pd.DataFrame(
    {"guest_id": [f"G{i}" for i in range(7)], "town": ["Oby", "Rask", "Tove", "Oby", "Rask", "Oby", "Tove"]}
)


def value(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question, today=TODAY)
    return answer.facts[0].value if answer.facts else None


@pytest.fixture(scope="module")
def vans() -> Analyst:
    return gnomon.open({"inventory": VANS})


def test_what_was_sold_has_a_day_on_which_it_was(vans: Analyst) -> None:
    assert value(vans, "How many vans have been sold?") == int(VANS.sold_dt.notna().sum())
    assert value(vans, "How many vans are still unsold?") == int(VANS.sold_dt.isna().sum())
    assert value(vans, "How many electric vans are there?") == N // 2
    assert value(vans, "How many warehouses do we have?") is None


def test_the_lowest_is_that_of_what_is_lowest_each_day() -> None:
    station = gnomon.open({"obs": OBS})
    assert value(station, "What was the lowest temperature?") == int(OBS.tmin_c.min())
    assert value(station, "What was the highest temperature at Alva?") == int(
        OBS.tmax_c[OBS.stn == "Alva"].max()
    )
    assert value(station, "average temperature by station") is None


def test_short_headings_are_understood() -> None:
    clinic = gnomon.open({"appts": APPTS})
    assert value(clinic, "How many appointments were there with women?") == int((APPTS.pt_sex == "F").sum())
    assert value(clinic, "How long do people wait on average?") == pytest.approx(APPTS.wait_min.mean())
    assert value(clinic, "How many e-visits were there?") == N // 3
    assert "E-visit" not in clinic.ask("longest wait of a visit", today=TODAY).prose


def test_who_asks_for_persons_and_not_for_the_day() -> None:
    harbour = gnomon.open({"rentals": RENTALS, "boats": BOATS, "guests": GUESTS})
    answer = harbour.ask("Who rented the most boats?", today=TODAY)
    assert "different boats by guest" in answer.prose
    assert value(harbour, "total money awarded") == int(RENTALS.awarded_eur.sum())


def test_a_flag_is_not_what_who_asks_for_and_is_not_lost() -> None:
    calls = pd.DataFrame(
        {
            "call_id": range(N),
            "agent": _cycle("Mia", "Noor", "Mia"),
            "transferred": _cycle(True, False, False, False),
            "paid_on": DAYS.dt.date,
            "amount_eur": [3 + i % 8 for i in range(N)],
        }
    )
    centre = gnomon.open({"calls": calls})
    assert value(centre, "Who took the most calls?") == 160
    assert value(centre, "Who transferred the most calls?") in (
        None,
        int(calls.groupby("agent").transferred.sum().max()),
    )
    by_agent = centre.ask("total amount paid by agent", today=TODAY)
    assert by_agent.facts[0].value == int(calls.groupby("agent").amount_eur.sum().max())
