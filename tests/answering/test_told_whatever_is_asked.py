"""Whatever a model may ask of tables that were described by inference is told, and every figure is one of the result."""

import math
import random
from functools import cache

import pytest
from tests.parts import mostly_long
from tests.planning.test_sql_and_the_data_base import CASES, TODAY, drawn_condition, fleet

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.answering import Answering
from gnomon.core.answer import Answer
from gnomon.planning.model_reader.select import Objections, read_select
from gnomon.semantic.retrieve import Retriever


@cache
def opened() -> tuple[Analyst, Retriever]:
    dataset, _ = fleet()
    tables = {
        n: dataset.cursor().execute(f"from {n}").to_arrow_table() for n in ("trips", "drivers", "depots")
    }
    analyst = gnomon.open(tables)
    return analyst, Retriever.over(analyst.dataset, analyst.model)


def told(sql: str) -> Answer | None:
    analyst, retriever = opened()
    try:
        ask = read_select(sql, analyst.model, retriever.columns(), today=TODAY).ask
    except Objections:
        return None
    return Answering(retriever).answer(ask)


def drawn(seed: int) -> list[str]:
    rng = random.Random(seed)
    tests = [drawn_condition(rng) for _ in range(12)]
    return [
        *(f"select count(*) from trips where {t}" for t in tests[:6]),
        *(f"select kind, avg(km) from trips where {t} group by 1 order by 2 desc limit 3" for t in tests[6:9]),
        *(f"select name from drivers where id not in (select driver from trips where {t})" for t in tests[9:]),
        *(f"select count(*) from drivers where wage > (select avg(wage) from drivers) and id in (select driver from trips where {t})"
          for t in tests[:3]),
    ]  # fmt: skip


@pytest.mark.parametrize("first", mostly_long(range(0, len(CASES), 40), 1))
def test_every_select_that_is_taken_is_told(first: int) -> None:
    answers = [told(sql) for sql in CASES[first : first + 40]]
    assert all(a.prose and "Read as: " in a.prose for a in answers if a is not None)
    assert sum(a is not None for a in answers) > len(answers) // 2


@pytest.mark.parametrize("seed", mostly_long(range(12), 1))
def test_conditions_of_any_form_are_told_with_the_figures_of_the_data_base(seed: int) -> None:
    dataset, _ = fleet()
    for sql in drawn(seed):
        answer = told(sql)
        assert answer is not None, sql
        cells = [v for row in dataset.cursor().execute(sql).fetchall() for v in row]
        numbers = [float(v) for v in cells if isinstance(v, (int, float))]
        for fact in answer.facts:
            value = fact.value
            if isinstance(value, (int, float)) and numbers and not isinstance(value, bool):
                assert any(math.isclose(value, n, rel_tol=1e-9) for n in (*numbers, len(cells))), (sql, fact)


def test_what_is_denied_or_of_other_rows_is_told_so() -> None:
    def lead(sql: str) -> str:
        answer = told(sql)
        assert answer is not None
        return answer.prose.split("\n\n")[0]

    busy = "select driver from trips group by driver having count(*) > 24"
    assert "driver is not among those of trips whose number of trips is above 24" in lead(
        f"select name from drivers where id not in ({busy})"
    )
    assert "km is above average km where late" in lead(
        "select count(*) from trips where km > (select avg(km) from trips where late)"
    )
    assert "above average seats" in lead(
        "select count(*) from trips where km > (select avg(seats) from trips)"
    )
    assert "the first 3" in lead(
        "select name from drivers where id in (select driver from trips group by driver order by count(*) desc limit 3)"
    )


def test_days_between_two_days_are_told_as_one_span() -> None:
    answer = told(
        "select count(*) from trips where left_at >= date '2023-01-01' and left_at <= date '2023-12-31'"
    )
    assert answer is not None
    assert answer.prose.split("\n\n")[0].endswith("trips in 2023.")
    assert "left at in 2023" in answer.prose
