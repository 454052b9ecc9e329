"""The data sets of the plain part of the exam: what people drop in first, from staff lists to football matches."""

from __future__ import annotations

from pathlib import Path

from ask_exam_plain_meters import make_energy, make_football
from ask_exam_plain_people import make_school, make_staff
from ask_exam_plain_service import make_bank, make_helpdesk
from ask_exam_plain_travel import make_flights, make_hotel

WORLDS = {
    "staff": make_staff,
    "hotel": make_hotel,
    "flights": make_flights,
    "helpdesk": make_helpdesk,
    "bank": make_bank,
    "school": make_school,
    "energy": make_energy,
    "football": make_football,
}


def make_worlds(folder: Path) -> None:
    """Write each world to ``folder/<world>/<table>.csv``."""
    for world, make in WORLDS.items():
        target = folder / world
        target.mkdir(parents=True, exist_ok=True)
        for name, frame in make().items():
            frame.to_csv(target / f"{name}.csv", index=False)
