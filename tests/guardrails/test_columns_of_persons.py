"""What tells of persons is closed to agents, however many rows share a cell; groups of other things are open."""

from __future__ import annotations

import random
from collections.abc import Callable
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


UNSAID = ["x", "col7", "handled", "lead"]
"""Headers that say nothing of persons."""
GIVEN = [
    "Marek",
    "Ingeborg",
    "Tobias",
    "Yvonne",
    "Fatou",
    "Ravindra",
    "Solveig",
    "Alistair",
    "Renata",
    "Keiko",
    "Desmond",
    "Paulina",
]
FAMILY = [
    "Nováček",
    "Halvorsen",
    "Achterberg",
    "Beaumont",
    "Diallo",
    "Chandra",
    "Lindgren",
    "Pemberton",
    "Salazar",
    "Fujimoto",
    "Whitaker",
    "Zawadzka",
]
WAYS = ["{g} {f}", "{f}, {g}", "{g[0]}. {f}", "{f} {g[0]}", "{g} T. {f}", "Dr. {g} {f}", "{g} {f} (Sales)"]
THINGS = {
    "towns": "Barrow in Furness|Chipping Norton|Saffron Walden|Marlow|Kendal|Stow on the Wold|Thame|Otley",
    "cities": "Santa Barbara|San Luis|Santo Domingo|Puerto Montt|Villa Maria|San Pedro|Mar del Plata|Cartagena",
    "firms": "Barclay & Sons|Northgate Holdings|Jenkins Logistics|Miller Brewing|Thompson Foods|Bosch|Siemens|Continental",
    "brands": "Adidas|Dr. Oetker|Nivea|Philips|Columbia|Timberland|Lacoste|Wrangler",
    "goods": "Garden Chair|Table Lamp|Cordless Drill|Baking Tray|Hiking Boots|Winter Gloves|Wall Clock|Picture Frame",
    "species": "Ciconia ciconia|Larix decidua|Sorbus aucuparia|Lutra lutra|Alcedo atthis|Picea abies|Meles meles",
    "birds": "Hooded Crow|Song Thrush|Green Woodpecker|Marsh Tit|Snow Bunting|Pied Wagtail|Little Owl|Reed Warbler",
    "titles": "Account Manager|Shift Supervisor|Lab Technician|Web Developer|Data Steward|Chief of Staff",
    "states": "Awaiting Parts|Ready to Ship|On Backorder|Partly Paid|Written Off|Under Review",
    "labels": "Store A|Store B|Store C|Store D|Store E|Store F|Store G|Store H",
    "models": "Ford Focus|Opel Corsa|Fiat Panda|Kia Sportage|Seat Ibiza|Mazda Miata|Skoda Fabia",
    "schools": "Riverside High|Oakwood Primary|Lakeview Middle|Hillcrest Academy|Northfield College",
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


@pytest.mark.parametrize("header", UNSAID)
@pytest.mark.parametrize("way", WAYS)
def test_names_of_persons_are_closed_under_any_header(tmp_path: Path, way: str, header: str) -> None:
    rng = random.Random(way + header)
    names = [way.format(g=g, f=f) for g, f in zip(rng.sample(GIVEN, 8), rng.sample(FAMILY, 8), strict=True)]
    assert closed(tmp_path, header, names)
    assert closed(tmp_path, header, [*names, "Helpdesk"])


@pytest.mark.parametrize("repeated", [0, 1, 4])
@pytest.mark.parametrize("header", ["x", "insured", "pt", "Kunde"])
def test_names_of_persons_are_closed_where_each_has_a_row_of_its_own(
    tmp_path: Path, header: str, repeated: int
) -> None:
    """Of a list of members hardly any name is frequent, so that the most frequent ones say nothing of the column."""
    names = [f"{g} {f}" for g in GIVEN for f in FAMILY]
    names += names[:repeated]
    frame = pd.DataFrame({header: names, "amount": range(len(names))})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    with open_sources(tmp_path / "rows.csv") as dataset:
        (table,) = profile_dataset(dataset).tables
        assert is_closed(table.column(header), table.rows)
        assert table.column(header).cells
        assert not any("cells" in told for told in table.to_dict()["columns"])


@pytest.mark.parametrize("header", UNSAID)
@pytest.mark.parametrize("kind", list(THINGS))
def test_names_of_other_things_are_open_under_any_header(tmp_path: Path, kind: str, header: str) -> None:
    assert not closed(tmp_path, header, THINGS[kind].split("|"))


IN_ONE: dict[str, Callable[[str, str], str]] = {
    "underlined": lambda g, f: f"{g}_{f}".lower(),
    "dotted": lambda g, f: f"{g}.{f}".lower(),
    "run together": lambda g, f: f"{g}{f}".replace("á", "a").replace("č", "c").replace("ý", "y"),
    "a record": lambda g, f: f"{{'name': {g} {f}, 'ward': Cedar}}",
    "a record as text": lambda g, f: f'{{"id": 7, "name": "{g} {f}", "ward": "Cedar"}}',
    "beside a number": lambda g, f: f"{len(f)}|{g} {f}|Cedar",
    "two lines": lambda g, f: f"Cedar\n{g} {f}",
    "after a word": lambda g, f: f"Nurse: {g} {f}",
}


@pytest.mark.parametrize("header", UNSAID)
@pytest.mark.parametrize("way", list(IN_ONE))
def test_names_in_one_word_or_among_other_things_are_closed(tmp_path: Path, way: str, header: str) -> None:
    rng = random.Random(way + header)
    pairs = zip(rng.sample(GIVEN, 9), rng.sample(FAMILY, 9), strict=True)
    assert closed(tmp_path, header, [IN_ONE[way](g, f) for g, f in pairs])


@pytest.mark.parametrize("way", ["contact {n}|{i}", "{i};{n};x", "{{'tel': {n}, 'of': {i}}}", "{n} / {i}"])
@pytest.mark.parametrize("kind", ["+44 7700 9{i:05d}", "user{i}@example.org", "00:1b:44:11:3a:{i:02x}"])
def test_what_somebody_is_reached_by_is_closed_among_other_things(
    tmp_path: Path, kind: str, way: str
) -> None:
    cells = [way.format(n=kind.format(i=i), i=i) for i in range(10, 34)]
    assert closed(tmp_path, "x", cells)


@pytest.mark.parametrize(
    "way", ["{0}_{1}", "{0}.{1}", "{0}/{1}", "{0}, {1}", "{0}|{1}", "{{'kind': {0}, 'of': {1}}}"]
)
@pytest.mark.parametrize("kind", ["cities", "goods", "species", "states", "models", "schools", "labels"])
def test_other_things_in_one_word_or_beside_others_are_open(tmp_path: Path, kind: str, way: str) -> None:
    cells = [
        way.format(*t.lower().split(" ")[:2])
        if "_" in way or "." in way
        else way.format(t, f"aisle {len(t)}")
        for t in THINGS[kind].split("|")
        if " " in t
    ]
    assert not closed(tmp_path, "x", cells)
