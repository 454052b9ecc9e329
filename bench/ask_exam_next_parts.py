"""Small helpers shared by the world generators."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np

Rng = np.random.Generator


def pick(rng: Rng, options: dict[str, float]) -> str:
    """Draw one key with the given relative weights."""
    weights = np.array(list(options.values()), dtype=float)
    return str(rng.choice(list(options), p=weights / weights.sum()))


def day(rng: Rng, start: date, end: date) -> date:
    """Draw a day between start and end (both included)."""
    return start + timedelta(days=int(rng.integers(0, (end - start).days + 1)))


def gap(rng: Rng, share: float, value):
    """Return the value, or None with the given probability."""
    return None if rng.random() < share else value


def dmy(d):
    """Write a date as dd/mm/yyyy, leaving blanks blank."""
    return d.strftime("%d/%m/%Y") if isinstance(d, date) else None


FIRST = [
    "Ada",
    "Bruno",
    "Carla",
    "Dario",
    "Elif",
    "Femi",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
    "Kaja",
    "Liam",
    "Mira",
    "Noel",
    "Olga",
    "Pavel",
    "Quinn",
    "Rosa",
    "Sven",
    "Tara",
    "Umar",
    "Vera",
    "Wim",
    "Xenia",
    "Yara",
    "Zeno",
    "Aoife",
    "Bela",
    "Cian",
    "Dunja",
]
LAST = [
    "Abbott",
    "Brandt",
    "Costa",
    "Dvorak",
    "Eriksen",
    "Ferrari",
    "Gallo",
    "Horvat",
    "Ivers",
    "Jansen",
    "Keller",
    "Lindgren",
    "Moreau",
    "Novak",
    "Ortega",
    "Petit",
    "Quist",
    "Rossi",
    "Schmid",
    "Tanner",
    "Ulrich",
    "Vogel",
    "Weber",
    "Yilmaz",
    "Zeller",
    "Baines",
    "Crowe",
    "Doyle",
    "Egan",
    "Frost",
]


def names(rng: Rng, count: int) -> list[str]:
    """Unique full names."""
    pool = [f"{a} {b}" for a in FIRST for b in LAST]
    rng.shuffle(pool)
    return pool[:count]
