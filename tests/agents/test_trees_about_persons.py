"""Trees of columns keep the rules about persons: by how many rows and persons stand behind what they show, not by words."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core import algebra as al
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.guardrails.guard import MASK
from gnomon.planning.model_reader.select import Objections, read_select
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.reading.local import LocalReader

WARDS = ["A"] * 30 + ["C"] * 20 + ["D"] * 3 + ["B"]


def frames() -> dict[str, pd.DataFrame]:
    """Staff in wards of thirty, twenty, three and one, and their visits, of which each has several."""
    rng = random.Random(4)
    given, family = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"), ("Vale", "Moor", "Lund", "Pike", "Reed", "Stone", "Marsh", "Dale", "Hill")  # fmt: skip
    staff = [
        {
            "employee_id": 500 + i, "name": f"{given[i % 6]} {family[i // 6]}", "email": f"p{i}@example.org", "ward": w,
            "salary": 2000.5 + rng.randrange(6000), "diagnosis": "asthma" if i % 3 else "flu",
        }
        for i, w in enumerate(WARDS)
    ]  # fmt: skip
    start = dt.date(2024, 1, 1)
    visits = [
        {
            "visit_id": 9000 + n, "employee_id": 500 + n % len(WARDS), "fee": 10.5 + rng.randrange(90),
            "day": start + dt.timedelta(days=rng.randrange(200)), "room": rng.choice(["red", "blue"]),
        }
        for n in range(len(WARDS) * 6)
    ]  # fmt: skip
    return {"staff": pd.DataFrame(staff), "visits": pd.DataFrame(visits)}


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    with gnomon.open(frames()) as opened:
        yield opened


def tree(analyst: Analyst, sql: str) -> Any:
    return read_select(sql, analyst.model, COLUMNS, today=dt.date(2024, 9, 1)).ask


HELD = {"staff": ("employee_id int64", "name string", "email string", "ward string", "salary float64", "diagnosis string"),
        "visits": ("visit_id int64", "employee_id int64", "fee float64", "day date", "room string")}  # fmt: skip
COLUMNS = {table: dict(c.split() for c in held) for table, held in HELD.items()}


def asked(analyst: Analyst, ask: al.Query) -> Answer:
    reading = Reading(status=ReadingStatus.CLEAR, ask=ask, own=True)
    return analyst.process("what about the staff", agreed=reading).answer


PROTECTED = """
select avg(salary) from staff where ward = 'B'
select median(salary) from staff where ward = 'B'
select max(salary) from staff where ward = 'B'
select sum(salary) / count(*) from staff where ward = 'B'
select avg(salary) filter (where ward = 'B') from staff
select avg(case when ward = 'B' then salary end) from staff
select avg(salary) filter (where ward = 'A'), avg(salary) filter (where ward = 'B') from staff
select ward, avg(salary) from staff group by ward having count(*) < 2
select ward, avg(salary) from staff group by ward order by count(*) limit 1
select max(a) from (select ward, avg(salary) a from staff group by ward)
select avg(salary) from (select salary from staff order by salary limit 1)
select avg(salary) from staff where salary = (select max(salary) from staff)
select (select avg(salary) from staff where ward = 'B')
select max(s.salary) from visits v join staff s on v.employee_id = s.employee_id where s.ward = 'B'
select avg(salary) from staff where employee_id in (select employee_id from visits where visit_id = 9003)
select ward, count(*) from staff where diagnosis = 'flu' group by ward
select ward, count(*) filter (where diagnosis = 'flu') from staff group by ward
select count(*) from staff where diagnosis = 'asthma' and ward = 'B'
select count(*) from visits v join staff s on v.employee_id = s.employee_id where s.diagnosis = 'asthma' and s.ward = 'B'
select avg(v.fee) from visits v join staff s on v.employee_id = s.employee_id where s.diagnosis = 'asthma' and s.ward = 'B'
select name from staff where diagnosis = 'flu'
select arg_max(name, salary) from staff where diagnosis = 'flu'
select arg_max(diagnosis, salary) from staff
select diagnosis from staff order by salary desc limit 1
select diagnosis from staff where ward = 'B'
select n from (select name n, diagnosis d from staff) where d = 'flu'
select s.name, sum(v.fee) from visits v join staff s on v.employee_id = s.employee_id where s.diagnosis = 'flu' group by 1
select name from staff where employee_id in (select employee_id from staff where diagnosis = 'flu')
""".strip().splitlines()

TOLD = """
select avg(salary) from staff
select avg(salary) from staff where ward = 'A'
select ward, avg(salary) from staff group by ward
select avg(a) from (select ward, avg(salary) a from staff group by ward)
select max(salary) from staff
select avg(salary) from staff where name = 'Ada Vale'
select name, salary from staff order by salary desc limit 1
select count(*) from staff where ward = 'B'
select count(*) from staff where diagnosis = 'flu'
select diagnosis, count(*) from staff group by 1
select distinct diagnosis from staff
select ward, count(*) from staff where diagnosis = 'asthma' group by ward having count(*) >= 5
select ward, n from (select ward, count(*) n from staff where diagnosis = 'asthma' group by ward) where n >= 5
select avg(v.fee) from visits v join staff s on v.employee_id = s.employee_id where s.diagnosis = 'asthma'
select room, avg(fee) from visits group by room
""".strip().splitlines()


@pytest.mark.parametrize("sql", PROTECTED)
def test_what_few_persons_stand_behind_is_not_told(analyst: Analyst, sql: str) -> None:
    answer = asked(analyst, tree(analyst, sql))
    assert answer.status is AnswerStatus.OUT_OF_SCOPE
    assert "single person" in answer.prose or "fewer than 5 persons" in answer.prose
    assert not (answer.facts or answer.tables or answer.charts)


@pytest.mark.parametrize("sql", TOLD)
def test_what_many_persons_stand_behind_is_told(analyst: Analyst, sql: str) -> None:
    answer = asked(analyst, tree(analyst, sql))
    assert answer.status is AnswerStatus.ANSWERED, answer.prose


@pytest.mark.parametrize(
    "sql",
    [
        "select max(email) from staff",
        "select lower(email) from staff where ward = 'D'",
        "select concat(name, ' ', email) from staff limit 2",
        "select arg_max(email, salary) from staff",
        "select e from (select upper(email) e, ward from staff) where ward = 'D'",
    ],
)
def test_what_identifies_a_person_is_hidden_whatever_is_made_of_it(analyst: Analyst, sql: str) -> None:
    told = asked(analyst, tree(analyst, sql)).model_dump_json()
    assert "example" not in told.casefold() and MASK in told


def test_what_a_model_read_is_held_back_where_it_is_only_offered(analyst: Analyst) -> None:
    """What is offered to be picked tells what it comes to, and has no facts where that is a text."""
    ask = tree(analyst, "select diagnosis from staff where ward = 'B'")
    reading = Reading(status=ReadingStatus.CLEAR, ask=ask, own=False)
    offered = Answer(
        status=AnswerStatus.CLARIFY, prose="It may be read so:\n1. diagnosis: The diagnosis is asthma."
    )
    manager: Any = analyst.manager
    guarded = manager._guard.answer(offered, reading).answer
    assert guarded.status is AnswerStatus.OUT_OF_SCOPE and "asthma" not in guarded.prose


# Random trees ---------------------------------------------------------------------------------------------------------

FIGURES = (
    "avg(s.salary)",
    "median(s.salary)",
    "max(s.salary)",
    "sum(s.salary)",
    "sum(s.salary) / count(s.salary)",
)
NUMBERS = ("count(*)", "count(distinct s.employee_id)")
TESTS = (
    "s.ward = 'B'", "s.ward in ('B', 'D')", "s.ward = 'D'", "s.ward = 'A'", "s.ward <> 'A'", "s.salary > 6500",
    "s.employee_id < 503", "s.employee_id = 507", "s.salary >= (select max(salary) from staff)",
    "s.employee_id in (select employee_id from visits where fee > 98)",
)  # fmt: skip
SICK = ("s.diagnosis = 'flu'", "s.diagnosis <> 'flu'", "lower(s.diagnosis) = 'asthma'")
FROM = ("staff s", "visits v join staff s on v.employee_id = s.employee_id")


def drawn(rng: random.Random) -> tuple[str, str, bool]:
    """A query of one figure, one that counts the persons behind it, and whether it is about something protected."""
    rows, sick = rng.choice(FROM), rng.random() < 0.5
    figure = rng.choice(NUMBERS if sick and rng.random() < 0.6 else FIGURES)
    tests = [rng.choice(TESTS) for _ in range(rng.randrange(1, 3))] + ([rng.choice(SICK)] if sick else [])
    where = " and ".join(f"({t})" for t in tests)
    truth = f"select count(distinct s.employee_id) from {rows} where {where}"
    form = rng.randrange(4)
    if form == 0:
        return f"select {figure} from {rows} where {where}", truth, sick
    if form == 1:
        return f"select {figure} f from {rows} where {where} group by s.ward order by count(*) limit 1", (
            f"{truth} group by s.ward order by count(*), s.ward limit 1"
        ), sick  # fmt: skip
    if form == 2:
        inner = f"select s.salary, s.employee_id from {rows} where {where}"
        return f"select {figure} from ({inner}) s", truth, sick
    if figure in NUMBERS or "/" in figure:
        return f"select {figure} from {rows} where {where}", truth, sick
    return f"select {figure} filter (where {where}) from {rows}", truth, sick


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_tell_no_more_than_the_persons_behind_them_allow(analyst: Analyst, seed: int) -> None:
    rng, judged = random.Random(seed), {True: 0, False: 0}
    while min(judged.values()) < 3 and sum(judged.values()) < 40:
        sql, truth, sick = drawn(rng)
        try:
            ask = tree(analyst, sql)
        except Objections:
            continue
        found = analyst.dataset.cursor().execute(truth).fetchone()
        persons = int(found[0]) if found is not None else 0
        answer = asked(analyst, ask)
        if not persons:
            continue
        alone = persons == 1 and "count(*)" not in sql.split("from")[0] and "distinct" not in sql
        alone = alone or (persons == 1 and "/" in sql)
        held = alone or (sick and persons < 5)
        judged[held] += 1
        told = answer.status is AnswerStatus.ANSWERED
        assert told != held, (sql, persons, answer.prose)
    assert min(judged.values())


# Surfaces -------------------------------------------------------------------------------------------------------------

FEW = "select diagnosis from staff where ward = 'B'"
NONE = "select ward from staff where diagnosis = 'gout'"


@pytest.fixture
def read_as(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes whoever reads questions take every one for a tree."""

    def put(sql: str) -> None:
        reading = Reading(status=ReadingStatus.CLEAR, ask=tree(analyst, sql), own=True)
        monkeypatch.setattr(LocalReader, "read", lambda *_, **__: reading)

    return put


def staff_file(folder: Path) -> Path:
    frames()["staff"].to_csv(file := folder / "staff.csv", index=False)
    return file


@pytest.mark.long
def test_python_and_http_hold_the_same_back(
    analyst: Analyst, read_as: Callable[[str], None], tmp_path: Path
) -> None:
    from fastapi.testclient import TestClient
    from tests.homes import warmed
    from tests.server.shop import ended

    from gnomon.core import Settings
    from gnomon.server import create_app

    read_as(FEW)
    assert analyst.ask("which diagnosis does ward B have").status is AnswerStatus.OUT_OF_SCOPE
    settings = Settings.load(home=warmed(tmp_path / "home"), log_dir=tmp_path / "logs")
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        sent = staff_file(tmp_path).read_bytes()
        made = client.post("/api/datasets", files={"files": ("staff.csv", sent)})
        assert ended(client, made.json()["run_id"])["status"] == "success"
        body = {"question": "which diagnosis does ward B have", "dataset_id": made.json()["id"]}
        said = client.post("/api/ask", json=body).json()
    assert said["status"] == "out_of_scope" and "fewer than 5 persons" in said["prose"]
    assert not said["tables"] and "asthma" not in str(said) and "flu" not in str(said)


@pytest.mark.parametrize("sql", [FEW, NONE, "select avg(salary) from staff", "select ward from staff where name = 'Ada Vale'"])  # fmt: skip
def test_agents_are_told_nothing_of_trees_unless_rows_are_shared(
    read_as: Callable[[str], None], tmp_path: Path, sql: str
) -> None:
    from tests.mcp_server.chains import calling
    from tests.mcp_server.mcp_harness import server_over

    from gnomon.agents.releasing import WITHHELD

    read_as(sql)
    with server_over(staff_file(tmp_path)) as server, calling(server) as call:
        told = call("ask", {"question": "which wards of staff are there"}).structured_content
    assert told["prose"] == WITHHELD and not told["facts"] and not told["tables"]
