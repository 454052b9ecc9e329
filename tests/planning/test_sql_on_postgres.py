"""The same SELECTs on Postgres: what is taken gives there what the embedded data base gives for the text itself."""

from __future__ import annotations

import datetime as dt
import math
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from tests.parts import mostly_long
from tests.planning.test_select import CASES as SHOP_CASES
from tests.planning.test_select import _generated, _stepped, shop
from tests.planning.test_sql_and_the_data_base import CASES, TODAY, drawn_condition, fleet, plain

from gnomon.core import algebra as al
from gnomon.planning.model_reader.select import read_select
from gnomon.semantic.retrieve import Retriever

pytestmark = pytest.mark.needs("postgres")
TYPES = {
    "int64": "bigint", "double": "double precision", "string": "text", "bool": "boolean", "date32[day]": "date",
    "timestamp[us]": "timestamp",
}  # fmt: skip
Row = tuple[Any, ...]


Place = tuple[Any, Retriever]


def held(url: str, place: Place) -> Place:
    """The tables of a data set in Postgres, as they are held here, beside that data set."""
    import psycopg

    dataset, here = place
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        for name in (t.name for t in here.model.tables):
            table = dataset.cursor().execute(f'select * from "{name}"').to_arrow_table()
            columns = ", ".join(f'"{f.name}" {TYPES[str(f.type)]}' for f in table.schema)
            cursor.execute(f'DROP TABLE IF EXISTS "{name}"')
            cursor.execute(f'CREATE TABLE "{name}" ({columns})')
            with cursor.copy(f'COPY "{name}" FROM STDIN') as copy:
                for row in table.to_pylist():
                    copy.write_row(tuple(row.values()))
    return dataset, Retriever.at(url, here.model)


@pytest.fixture(scope="module")
def trips(postgres_url: str) -> Place:
    return held(postgres_url, fleet())


@pytest.fixture(scope="module")
def orders(postgres_url: str) -> Place:
    return held(postgres_url, shop())


def both(sql: str, place: Place, here: Retriever) -> tuple[list[Row], list[Row]]:
    """The rows that the server gives for what was read, and those that the embedded data base gives for the text."""
    dataset, server = place
    ask = read_select(sql, here.model, here.columns(), today=TODAY).ask
    _, rows, _ = server.ask(ask)
    truth = dataset.cursor().execute(sql.replace("current_date", f"date '{TODAY}'")).fetchall()
    width = len(truth[0]) if truth else 0  # a change is told with the value that it is the change of
    shown = [r if len(r) == width else (*r[: width - 1], r[-1]) for r in rows]
    return in_order(shown), in_order(truth)


def in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted((tuple(map(plain, r)) for r in rows), key=lambda r: [_place(v) for v in r])


def _place(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def alike(one: list[Row], other: list[Row]) -> bool:
    """Whether both are the same rows, numbers up to what adding in another order changes."""
    return len(one) == len(other) and all(
        a == b
        or (isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=1e-6, abs_tol=2e-6))
        for x, y in zip(one, other, strict=True)
        for a, b in zip(x, y, strict=True)
    )


def agree(sql: str, place: Place, here: Retriever) -> None:
    got, truth = both(sql, place, here)
    assert alike(got, truth), sql


BLOCK = 20


@pytest.mark.parametrize("first", mostly_long(range(0, len(CASES), BLOCK), 1))
def test_what_is_taken_gives_the_same_on_postgres(trips: Place, first: int) -> None:
    for sql in CASES[first : first + BLOCK]:
        agree(sql, trips, fleet()[1])


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, len(SHOP_CASES), BLOCK))
def test_trees_give_the_figures_of_the_text_on_postgres(orders: Place, first: int) -> None:
    for sql in SHOP_CASES[first : first + BLOCK]:
        agree(sql, orders, shop()[1])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(0, 60, 10))
@pytest.mark.parametrize("made", [_generated, _stepped])
def test_generated_queries_give_the_same_on_postgres(
    orders: Place, made: Callable[[random.Random], str], seed: int
) -> None:
    for n in range(seed, seed + 10):
        agree(made(random.Random(n)), orders, shop()[1])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_conditions_leave_the_same_rows_on_postgres(trips: Place, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(6):
        where = drawn_condition(rng)
        agree(
            f"select kind, count(*), sum(km), avg(km) from trips where {where} group by 1", trips, fleet()[1]
        )


# Nodes ----------------------------------------------------------------------------------------------------------------

HELD = ("km", "Fare (EUR)", "left_at", "due", "note", "late", "seats", "back_at")
BESIDE = (
    al.Literally(value=3),
    al.Literally(value="a"),
    al.Literally(value="month"),
    al.Literally(value=dt.date(2023, 5, 1)),
)


def _of(column: str) -> al.Column:
    return al.Column(table="trips", column=column)


def _calls(function: al.Function) -> list[al.Call]:
    ones: list[tuple[al.Expression, ...]] = [(_of(c),) for c in HELD]
    twos: list[tuple[al.Expression, ...]] = [(_of(c), b) for c in HELD for b in BESIDE]
    twos += [
        (_of(a), _of(b))
        for a, b in (
            ("km", "seats"),
            ("left_at", "back_at"),
            ("due", "left_at"),
            ("note", "note"),
            ("seats", "Fare (EUR)"),
        )
    ]
    threes: list[tuple[al.Expression, ...]] = [
        (_of("note"), al.Literally(value=2), al.Literally(value=3)),
        (_of("note"), al.Literally(value="o"), al.Literally(value="u")),
    ]
    return [al.Call(function=function, arguments=a) for a in (*ones, *twos, *threes)]


def _same_here_and_there(query: al.Query, place: Place) -> bool:
    """Whether a query gives the same on both; not where the embedded data base does not take it."""
    try:
        _, here, _ = fleet()[1].ask(query)
    except Exception:
        return False
    _, there, _ = place[1].ask(query)
    assert alike(in_order(here), in_order(there)), query.model_dump_json(exclude_defaults=True)
    return True


# Moments are written in ways that only some numbers and texts are.
FUNCTIONS = [f for f in al.Function if f is not al.Function.MOMENT]


@pytest.mark.long
@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_function_gives_the_same_on_postgres(trips: Place, function: al.Function) -> None:
    taken = 0
    for call in _calls(function):
        shown = tuple(al.Key(of=c, name=n) for c, n in ((_of("no"), "no"), (call, "made")))
        query = al.Query(rows=al.Rows(table="trips"), show=shown, limit=120)
        taken += _same_here_and_there(query, trips)
    assert taken


@pytest.mark.long
@pytest.mark.parametrize("how", list(al.How))
def test_each_aggregate_gives_the_same_on_postgres(trips: Place, how: al.How) -> None:
    taken = 0
    for column in HELD:
        late = al.Test(left=_of("late"), operator=al.Comparison.EQUAL, right=al.Literally(value=True))
        figures = tuple(
            al.Shown(
                name=name,
                measure=al.Aggregate(
                    how=how, of=_of(column), where=where, beside=_of("no") if how in _BESIDE else None,
                    quantile=0.3 if how is al.How.QUANTILE else None,
                ),
            )
            for name, where in (("all", None), ("late", late))
        )  # fmt: skip
        for keys in ((), (al.Key(of=_of("kind"), name="kind"),)):
            taken += _same_here_and_there(
                al.Query(rows=al.Rows(table="trips"), keys=keys, measures=figures), trips
            )
    assert taken


_BESIDE = (al.How.CORRELATION, al.How.AT_MOST, al.How.AT_LEAST)


# Postgres has no medians of the rows around a row.
@pytest.mark.long
@pytest.mark.parametrize("glance", [g for g in al.Glance if g is not al.Glance.MEDIAN])
def test_each_look_around_gives_the_same_on_postgres(trips: Place, glance: al.Glance) -> None:
    taken = 0
    for column in ("km", "seats", "due"):
        for order in ((al.Order(by=_of("no"), descending=True),), ()):
            look = al.Windowed(
                glance=glance,
                of=None if glance in _PLACES else _of(column),
                within=(_of("kind"),),
                order=order,
                span=4,
            )
            shown = (al.Key(of=_of("no"), name="no"), al.Key(of=look, name="look"))
            taken += _same_here_and_there(al.Query(rows=al.Rows(table="trips"), show=shown), trips)
    assert taken


_PLACES = (al.Glance.PLACE, al.Glance.RANK, al.Glance.DENSE_RANK, al.Glance.PORTION)


@pytest.mark.parametrize("step", mostly_long(list(al.Walk), 3))
def test_each_walk_and_both_sides_give_the_same_on_postgres(trips: Place, step: al.Walk) -> None:
    months = al.Key(of=_of("left_at"), grain=al.TimeGranularity.MONTH, name="month")
    total = al.Shown(measure=al.Aggregate(how=al.How.SUM, of=_of("km")), name="km")
    query = al.Query(rows=al.Rows(table="trips"), keys=(months,), measures=(total,))
    late = al.Test(left=_of("late"), operator=al.Comparison.EQUAL, right=al.Literally(value=True))
    other = query.model_copy(update={"rows": al.Rows(table="trips", where=late)})
    for ask in (al.Along(query=query, step=step, span=2), al.Against(left=query, right=other)):
        here, there = (r.ask(ask)[1] for r in (fleet()[1], trips[1]))
        assert here and alike(in_order(here), in_order(there))
