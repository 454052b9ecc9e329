"""Tables of persons: who has many rows, whose header says nothing, and what notes and policies tell of a few of them."""

from __future__ import annotations

import json
import random
from typing import Any

from test_mcp_copies import CALLS as REPEATING
from test_mcp_copies import readings, told_again
from test_mcp_counted_notes import COUNTS, TOOLS
from test_mcp_counted_notes import visits as counted_visits
from test_mcp_rows_of_one_person import GROUPED
from test_mcp_rows_of_one_person import visits as flat_visits

from faults_agents import LEAKS, agent, both, said_by
from faults_world import Fault, World


def policies(world: World) -> list[str]:
    """Nobody is named for an illness, and no average is told over one person (the groups of a breakdown are)."""
    rows = "".join(
        f"Qyxomma Person{i},{'HIV' if i == 3 else 'flu'},{'Legal' if i == 5 else 'Sales'},{50_000 + 137 * i}\n"
        for i in range(30)
    )
    made = world.uploaded(
        "employees.csv", f"employee_name,diagnosis,department,salary\n{rows}".encode()
    ).json()
    found: list[str] = []
    for question in (
        "list the employees with HIV",
        "which employee has HIV?",
        "employees where diagnosis is HIV",
        "show everybody with diagnosis HIV and salary",
        "average salary of Legal",
        "median salary in Legal",
        "mean salary where the department is Legal",
        "salary of employees with HIV",
    ):
        said = world.sent("/api/ask", {"question": question, "dataset_id": made["id"]}).text
        named = "Person3" in said and "HIV" in question
        single = any(n in said.replace(",", "") for n in ("50685", "50411"))
        found += [f"{question!r} tells it"] if named or single else []
    return found  # fmt: skip


def many_rows(world: World, transport: str) -> list[str]:
    """Two persons of one town with eight payments each, and their cards under a header that says nothing."""
    chosen = random.Random(world.seed)
    members = ["member_id,member_name,town"]
    payments = ["member_id,col7,paid"]
    cards = [chosen.randrange(10**12, 10**13) for _ in range(80)]
    for i in range(80):
        town = "Zorblath" if i in (7, 41) else chosen.choice(("Bergen", "Utrecht", "Lucerne"))
        members.append(f"{7001 + i},Ana{'abcdefgh'[i // 10]} Conti{'klmnopqrst'[i % 10]},{town}")
        payments += [f"{7001 + i},{cards[i]},{chosen.randint(200, 900) / 10}" for _ in range(8)]
    files = [world.data / "members.csv", world.data / "payments.csv"]
    for file, lines in zip(files, (members, payments), strict=True):
        file.write_text("\n".join(lines) + "\n")
    asked = (
        "total paid by town",
        "top towns by paid",
        "total paid by col7",
        "number of payments by town",
        "paid by member name",
    )
    calls = [("ask", {"question": q}) for q in asked]
    calls += [
        ("aggregate", {"data": {"table": "payments"}, "value": "paid", "group_by": ["col7"]}),
        ("profile_table", {"data": {"table": "payments"}}),
    ]
    found: list[str] = []
    with agent(world, transport, *files) as call:
        for name, arguments in calls:
            said = said_by(call(name, arguments))
            told = [w for w in ("Zorblath", *map(str, cards)) if w in said]
            found += [f"{name} {arguments}: {told[0]}"] if told else []
        named = call("ask", {"question": "average paid in town Zorblath"}).structured_content
        found += [f"the town is known: {named['prose'][:80]}"] if named["facts"] else []
    return found


def one_flat_table(world: World, transport: str) -> list[str]:
    """Two persons of one town with eight rows each, in a table of which a column says whose each row is."""
    file = world.data / "flat" / "visits.csv"
    file.parent.mkdir(exist_ok=True)
    flat_visits("patient_id", 2, town="Qyxomma").to_csv(file, index=False)
    found: list[str] = []
    with agent(world, transport, file) as call:
        for name, arguments in GROUPED:
            said = said_by(call(name, {"data": {"table": "visits"}, **arguments}))
            found += [f"{name} {arguments}"] if "Qyxomma" in said else []
    return found


def odd_headers(world: World, transport: str) -> list[str]:
    """A list of members, each with one row, under headers that do not speak English: nothing is asked along what names them."""
    chosen = random.Random(world.seed)
    given, family = (
        ("Ana", "Marek", "Keiko", "Fatou", "Tobias", "Renata"),
        ("Conti", "Novak", "Ito", "Diallo", "Lindgren", "Salazar", "Whitaker"),
    )
    lines = ["pt,Geburtsdatum,Rufnummer,verein,fee"]
    for g in given:
        for f in family:
            born = f"{chosen.randrange(1, 29)}.{chosen.randrange(1, 13)}.{chosen.randrange(1940, 2006)}"
            called = (
                f"0{chosen.randrange(20, 99)} {chosen.randrange(1000, 9999)} {chosen.randrange(1000, 9999)}"
            )
            lines.append(
                f"{g} {f},{born},{called},{chosen.choice(('Rowing', 'Chess'))},{chosen.randrange(900, 9000) / 7:.2f}"
            )
    file = world.data / "verein.csv"
    file.write_text("\n".join(lines) + "\n")
    table = {"data": {"table": "verein"}}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("filter_rows", {"condition": "startswith(pt, 'Ana')"}), ("filter_rows", {"condition": "Geburtsdatum > '1980-01-01'"}),
        ("derive_column", {"expression": "substr(pt, 1, 3)", "new_column": "x"}), ("derive_column", {"expression": "substr(Rufnummer, 1, 3)", "new_column": "x"}),
        ("aggregate", {"value": "fee", "where": [{"column": "Geburtsdatum", "operator": "<", "value": "1990-01-01"}]}),
        ("aggregate", {"value": "pt", "aggregate": "min"}), ("trend", {"value": "fee", "time": "Geburtsdatum"}),
    ]  # fmt: skip
    found: list[str] = []
    with agent(world, transport, file) as call:
        for name, arguments in calls:
            found += [] if call(name, {**table, **arguments}).is_error else [f"{name} {arguments}"]
    return found


def counted_notes(world: World, transport: str) -> list[str]:
    """Notes beside figures of filtered rows, where none, one or four of them have no value."""
    files = [world.data / f"fees_{count}.csv" for count in COUNTS]
    for file, count in zip(files, COUNTS, strict=True):
        counted_visits(count, "missing").to_csv(file, index=False)
    found: list[str] = []
    with agent(world, transport, *files) as call:
        for name, arguments in TOOLS.items():
            said: set[str] = set()
            for file in files:
                kept = call(
                    "filter_rows", {"data": {"table": file.stem}, "condition": "pain > 6"}
                ).structured_content
                told = call(name, {"data": {"table": kept["rows"]["handle"]}, **arguments}).structured_content
                said.add(json.dumps(told and told.get("notes")))
            found += [f"{name}: {said}"] if len(said) > 1 else []
    return found


def repeated_readings(world: World, transport: str) -> list[str]:
    """Forecasts and slopes along time of series in which each step is one reading."""
    file = world.data / "readings.csv"
    readings().to_csv(file, index=False)
    found: list[str] = []
    with agent(world, transport, file) as call:
        for name, arguments in REPEATING:
            given = {"value": "reading", "time": "month", "group_by": ["meter"], **arguments}
            told = call(name, {"data": {"table": "readings"}, **given}).structured_content
            found += [f"{name} {arguments}: {n}" for n in told_again(told["groups"])]
    return found


FAULTS = [
    Fault(LEAKS, "policies: illness of a person, a figure over one person", policies),
    *both(many_rows, "persons and cards with many rows each"),
    *both(one_flat_table, "rows of few persons in one flat table"),
    *both(odd_headers, "lists of persons under headers of other languages"),
    *both(counted_notes, "notes that count rows without a value"),
    *both(repeated_readings, "forecasts and slopes that repeat readings"),
]
