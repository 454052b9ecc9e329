"""What tells of persons is closed to agents, however many rows share a cell; groups of other things are open."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

from gnomon.data import open_sources, profile_dataset
from gnomon.guardrails.release.origin import is_closed

FIRST = ["Jens", "Dora", "Amélie", "Chidi", "Mei", "Olga", "Pedro", "Quinn"]
LAST = ["Xu", "Okonkwo", "van der Berg", "O'Neill", "Smith-Jones", "García", "Novak", "Ito"]
PERSONS = [f"{a} {b}" for a, b in zip(FIRST, LAST, strict=True)]
CLOSED = {
    "account manager": PERSONS,
    "salesperson": PERSONS,
    "seller": PERSONS,
    "rep": PERSONS,
    "nurse": PERSONS,
    "attending_doctor": PERSONS,
    "Vorname": FIRST,
    "nom": ["Dupont", "Martin", "Bernard", "Petit", "Durand", "Leroy", "Moreau", "Simon"],
    "apellido": ["García", "López", "Pérez", "Sánchez", "Romero", "Torres", "Ruiz", "Díaz"],
    "login": [f"{a.lower()[0]}{b.lower()[:5]}" for a, b in zip(FIRST, LAST, strict=True)],
    "handle": [f"@{a.lower()}" for a in FIRST],
    "license_plate": [
        "AB12 CDE",
        "XY98 ZZT",
        "LM44 QRS",
        "PO10 FGH",
        "KJ71 UIO",
        "TR55 BNM",
        "WE23 SDF",
        "QA90 ZXC",
    ],
    "mac_address": [f"00:1b:44:11:3a:{i:02x}" for i in range(8)],
    "home": [f"{i + 1} Maple Street, Springfield" for i in range(8)],
    "lives at": [f"{i + 3} Oak Lane" for i in range(8)],
    "comment": [f"called {p} about the bill and was told to wait" for p in PERSONS],
    "remark": [f"{p} is not at home, so leave it with the neighbour" for p in PERSONS],
}
OPEN = {
    "region": [
        "North West",
        "South East",
        "Mid Wales",
        "East Anglia",
        "The Borders",
        "Inner London",
        "Outer London",
        "Highlands",
    ],
    "city": [
        "New York",
        "San Francisco",
        "Los Angeles",
        "Las Vegas",
        "Salt Lake City",
        "Santa Fe",
        "El Paso",
        "Baton Rouge",
    ],
    "product": [
        "Blue Chair",
        "Red Table",
        "Oak Desk",
        "Pine Shelf",
        "Steel Lamp",
        "Glass Vase",
        "Wool Rug",
        "Silk Scarf",
    ],
    "status": [
        "Not Started",
        "In Progress",
        "On Hold",
        "Done",
        "Cancelled",
        "In Review",
        "Blocked",
        "Signed Off",
    ],
    "plan": [
        "Basic Monthly",
        "Basic Yearly",
        "Pro Monthly",
        "Pro Yearly",
        "Team",
        "Enterprise",
        "Free",
        "Trial",
    ],
    "answer": [
        "Strongly agree",
        "Agree",
        "Neither",
        "Disagree",
        "Strongly disagree",
        "No answer",
        "Unsure",
        "Refused",
    ],
    "grade": ["A", "B", "C", "D", "E", "F", "G", "H"],
}


def closed(tmp_path: Path, column: str, cells: list[str]) -> bool:
    rng = random.Random(column)
    held = [*cells] * 5 + [rng.choice(cells) for _ in range(120)]
    frame = pd.DataFrame({column: held, "amount": [rng.randrange(900) for _ in held]})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    with open_sources(tmp_path / "rows.csv") as dataset:
        (table,) = profile_dataset(dataset).tables
        return is_closed(table.columns[0], table.rows)


@pytest.mark.parametrize("column", list(CLOSED))
def test_what_tells_of_persons_is_closed(tmp_path: Path, column: str) -> None:
    assert closed(tmp_path, column, CLOSED[column])


@pytest.mark.parametrize("column", list(OPEN))
def test_what_tells_of_things_is_open(tmp_path: Path, column: str) -> None:
    assert not closed(tmp_path, column, OPEN[column])
