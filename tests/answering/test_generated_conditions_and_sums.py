"""Either of two conditions, conditions on what is divided by, sums of columns, rows without an identifier: against SQL by hand."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus


@dataclass
class World:
    """Open tables, and the same rows for SQL."""

    analyst: Analyst
    rows: duckdb.DuckDBPyConnection

    def truth(self, sql: str) -> list[float]:
        """The figures that a query brings, each row's last."""
        return [float(r[-1]) for r in self.rows.sql(sql).fetchall()]


def _bookings(seed: int) -> pd.DataFrame:
    draw = random.Random(seed)
    n = 240

    def some(value: float, chance: float) -> float | None:
        return value if draw.random() > chance else None

    return pd.DataFrame(
        {
            "booking_id": range(1, n + 1),
            "pier": [draw.choice(["Skerry", "Holm", "Vane"]) for _ in range(n)],
            "state": [draw.choice(["settled", "open", "void"]) for _ in range(n)],
            "rent": [some(round(draw.uniform(300, 900), 2), 0.1) for _ in range(n)],
            "mooring": [some(round(draw.uniform(10, 90), 2), 0.2) for _ in range(n)],
            "nights": [draw.randint(1, 9) for _ in range(n)],
        }
    )


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    frame, con = _bookings(5), duckdb.connect()
    con.register("bookings", frame)
    with gnomon.open({"bookings": frame}) as analyst:
        yield World(analyst, con)


def told(answer: Answer) -> list[float]:
    cells = [v for t in answer.tables for r in t.rows for v in r]
    return [float(v) for v in (*(f.value for f in answer.facts), *cells) if isinstance(v, (int, float))]


def tells(answer: Answer, wanted: list[float]) -> bool:
    values = told(answer)
    return all(any(v == pytest.approx(w, rel=1e-6) for v in values) for w in wanted)


FIGURES = {"total rent": "sum(rent)", "average rent": "avg(rent)", "total nights": "sum(nights)", "highest mooring": "max(mooring)"}  # fmt: skip
EITHER = {
    "that are settled or from Skerry": "state = 'settled' or pier = 'Skerry'",
    "from Holm or with more than 5 nights": "pier = 'Holm' or nights > 5",
    "that are open or have a rent above 700": "state = 'open' or rent > 700",
    "in Vane or void": "pier = 'Vane' or state = 'void'",
}


@pytest.mark.parametrize(
    ("opener", "figure", "either"), list(itertools.product(["", "what is the "], FIGURES, EITHER))
)
def test_figures_of_either_of_two_conditions(world: World, opener: str, figure: str, either: str) -> None:
    answer = world.analyst.ask(f"{opener}{figure} of bookings {either}")
    wanted = world.truth(f"select {FIGURES[figure]} from bookings where {EITHER[either]}")
    assert answer.status is AnswerStatus.ANSWERED and tells(answer, wanted), answer.prose


@pytest.mark.parametrize("either", EITHER)
@pytest.mark.parametrize("wording", ["share of rent from bookings {}", "rent by month of bookings {}"])
def test_what_cannot_be_told_of_either_is_refused(world: World, wording: str, either: str) -> None:
    assert world.analyst.ask(wording.format(either)).status is not AnswerStatus.ANSWERED


OVER = ["{m} per {c} booking", "total {m} per {c} booking", "What is the {m} per {c} booking?", "average {m} per {c} booking by pier",
        "{m} per {c} booking by pier"]  # fmt: skip


@pytest.mark.parametrize(
    ("wording", "measure", "held"),
    list(itertools.product(OVER, ["rent", "nights"], [("settled", "state"), ("Holm", "pier")])),
)
def test_a_condition_on_what_is_divided_by_is_not_told_of_all(
    world: World, wording: str, measure: str, held: tuple[str, str]
) -> None:
    value, column = held
    answer = world.analyst.ask(wording.format(m=measure, c=value))
    by = ", pier" if "by pier" in wording else ""
    under = f"count(*) filter (where {column} = '{value}')"
    ratios = world.truth(f"select 1{by}, sum({measure}) / nullif({under}, 0) from bookings group by all having {under} > 0")  # fmt: skip
    assert answer.status is not AnswerStatus.ANSWERED or tells(answer, ratios), answer.prose


SUMS = ["rent plus mooring", "mooring plus rent", "total rent plus mooring", "What is rent plus mooring", "rent + mooring", "sum of rent and mooring"]  # fmt: skip


@pytest.mark.parametrize(
    ("wording", "scope"),
    list(itertools.product(SUMS, [("", "true", ""), (" by pier", "true", "pier"), (" in Skerry", "pier = 'Skerry'", "")])),
)  # fmt: skip
def test_a_sum_of_columns_is_that_of_their_totals(
    world: World, wording: str, scope: tuple[str, str, str]
) -> None:
    said, where, by = scope
    answer = world.analyst.ask(f"{wording}{said}")
    group = f"group by {by}" if by else ""
    wanted = world.truth(f"select sum(rent) + sum(mooring) from bookings where {where} {group}")
    assert answer.status is AnswerStatus.ANSWERED and tells(answer, wanted), answer.prose


@pytest.fixture(scope="module", params=[1, 2])
def clients(request: pytest.FixtureRequest) -> Iterator[World]:
    """Jobs of clients, where either may lack an identifier."""
    draw = random.Random(int(request.param))
    firsts, lasts = (
        ["Ada", "Bea", "Cor", "Dov", "Eli", "Fay", "Gus", "Hal"],
        ["Vale", "Roos", "Maes", "Kint", "Loos"],
    )
    held = pd.DataFrame(
        {
            "client_id": [f"C{i:03d}" for i in range(1, 41)],
            "client_name": [f"{a} {b}" for a in firsts for b in lasts],
            "sector": [draw.choice(["retail", "food", "care"]) for _ in range(40)],
        }
    )
    held.loc[[3, 11], "client_id"] = None
    known, n = [c for c in held.client_id if c is not None], 260
    jobs = pd.DataFrame(
        {
            "job_no": [f"J{i:04d}" if draw.random() > 0.08 else None for i in range(n)],
            "client_id": [draw.choice(known) if draw.random() > 0.12 else None for _ in range(n)],
            "done_on": pd.date_range("2024-01-01", periods=n),
            "fee": [round(draw.uniform(300, 900), 2) for _ in range(n)],
            "town": [draw.choice(["Gent", "Lier", "Mol"]) for _ in range(n)],
        }
    )
    con = duckdb.connect()
    con.register("clients", held)
    con.register("jobs", jobs)
    with gnomon.open({"clients": held, "jobs": jobs}) as analyst:
        yield World(analyst, con)


KNOWN = "from jobs where client_id is not null"
UNNAMED = {
    "How many jobs are there?": "select count(*) from jobs",
    "total fee": "select sum(fee) from jobs",
    "number of jobs by town": "select town, count(*) from jobs group by 1",
    "total fee by town": "select town, sum(fee) from jobs group by 1",
    "average fee by town": "select town, avg(fee) from jobs group by 1",
    "total fee by sector": "select sector, sum(fee) from jobs left join clients using (client_id) group by 1",
    "number of jobs by client": "select client_id, count(*) from jobs group by 1",
    "total fee by client": "select client_id, sum(fee) from jobs group by 1",
    "How many jobs have no client?": "select count(*) from jobs where client_id is null",
    "How many different clients have jobs?": "select count(distinct client_id) from jobs",
    "How many clients are there?": "select count(*) from clients",
    "number of clients by sector": "select sector, count(*) from clients group by 1",
    "fee per job": "select sum(fee) / count(*) from jobs",
    "average fee per client": f"select sum(fee) / count(distinct client_id) {KNOWN}",
    "fee per client": f"select sum(fee) / count(distinct client_id) {KNOWN}",
    "average number of jobs per client": f"select count(*) * 1.0 / count(distinct client_id) {KNOWN}",
    "average fee per job by town": "select town, avg(fee) from jobs where job_no is not null group by 1",
}


@pytest.mark.parametrize("question", UNNAMED)
def test_rows_without_an_identifier_are_neither_lost_nor_split(clients: World, question: str) -> None:
    answer = clients.analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert tells(answer, clients.truth(UNNAMED[question])), answer.prose


@pytest.mark.parametrize("question", ["total fee by client", "number of jobs by client"])
def test_all_that_names_nothing_is_one_group(clients: World, question: str) -> None:
    rows = clients.analyst.ask(question).tables[0].rows
    assert len([r for r in rows if r[0] is None]) == 1
    assert len(rows) == len(clients.rows.sql("select distinct client_id from jobs").fetchall())


@pytest.mark.parametrize("question", ["which client has the highest fee?", "top 3 clients by total fee"])
def test_what_names_nothing_is_not_ranked(clients: World, question: str) -> None:
    best = f"select client_id, sum(fee) {KNOWN} group by 1 order by 2 desc limit 1"
    answer = clients.analyst.ask(question)
    assert tells(answer, clients.truth(best)) and answer.tables[0].rows[0][0] is not None, answer.prose
