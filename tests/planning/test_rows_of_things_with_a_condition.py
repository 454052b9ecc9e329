"""“How many loans by members over 60” counts loans; a condition on what rows belong to only says which rows."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from tests.planning.readers import analyst_of

ROWS, THINGS = 600, 90


class World(NamedTuple):
    """Rows of things, and how both are called."""

    row: str
    thing: str
    amount: str
    kind: str
    kinds: tuple[str, str, str]


WORLDS = [
    World("loan", "member", "age", "branch", ("East", "West", "Central")),
    World("order", "customer", "age", "city", ("Porto", "Lyon", "Graz")),
    World("rental", "bike", "weight", "station", ("Quay", "Castle", "Mill")),
    World("booking", "cabin", "beds", "valley", ("Ahr", "Enz", "Ilm")),
]


@pytest.mark.parametrize("world", WORLDS, ids=lambda w: w.row)
def test_rows_are_counted_that_belong_to_things_under_a_condition(
    tmp_path_factory: pytest.TempPathFactory, world: World
) -> None:
    folder: Path = tmp_path_factory.mktemp(world.row)
    rng = np.random.default_rng(7)
    key = f"{world.thing}_id"
    things = pd.DataFrame({
        key: np.arange(1, THINGS + 1), world.amount: rng.integers(2, 90, THINGS), world.kind: rng.choice(world.kinds, THINGS),
    })  # fmt: skip
    rows = pd.DataFrame({
        f"{world.row}_id": np.arange(1, ROWS + 1), key: rng.integers(1, THINGS + 1, ROWS),
        "done_on": pd.date_range("2023-01-01", periods=ROWS).strftime("%Y-%m-%d"),
        "mode": rng.choice(["paper", "online"], ROWS), "fee": rng.gamma(2, 5, ROWS).round(2),
    })  # fmt: skip
    things.to_csv(folder / f"{world.thing}s.csv", index=False)
    rows.to_csv(folder / f"{world.row}s.csv", index=False)
    joined = rows.merge(things, on=key)
    bound = 40
    above = joined[joined[world.amount] > bound]
    ask = analyst_of(folder).ask
    many, those = f"{world.row}s", f"{world.thing}s"
    for said in ("by", "of", "from"):
        answer = ask(f"how many {many} {said} {those} with more than {bound} {world.amount}?")
        if answer.status == "answered":
            assert answer.facts[0].value == len(above), (said, answer.prose)
    answer = ask(f"how many {many} of {those} with {world.amount} above {bound}?")
    assert (answer.status, answer.facts[0].value) == ("answered", len(above)), answer.prose
    held = things[things[world.amount] > bound]
    assert ask(f"how many {those} have {world.amount} above {bound}?").facts[0].value == len(held)
    if world.amount == "age":
        for who in (f"by {those} over {bound}", f"of {those} older than {bound}"):
            assert ask(f"how many {many} {who}?").facts[0].value == len(above)
    often = rows[key].value_counts()
    assert ask(f"how many {those} have more than 8 {many}?").facts[0].value == (often > 8).sum()


def test_a_kind_of_rows_is_counted_where_another_table_says_where_they_are(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    places = pd.DataFrame(
        {
            "dept_id": range(1, 6),
            "department": ["Sales", "Ops", "Legal", "IT", "Labs"],
            "floor": [1, 1, 2, 3, 3],
        }
    )
    staff = pd.DataFrame({
        "emp_id": np.arange(100, 340), "dept_id": rng.integers(1, 6, 240),
        "job_title": rng.choice(["Analyst", "Clerk", "Manager"], 240), "salary": rng.integers(30, 90, 240) * 1000,
    })  # fmt: skip
    places.to_csv(tmp_path / "departments.csv", index=False)
    staff.to_csv(tmp_path / "employees.csv", index=False)
    joined = staff.merge(places, on="dept_id")
    ask = analyst_of(tmp_path).ask
    for title in ("Analyst", "Clerk", "Manager"):
        for floor in (1, 2, 3):
            answer = ask(f"how many {title.lower()}s are on floor {floor}?")
            truth = ((joined.job_title == title) & (joined.floor == floor)).sum()
            assert answer.facts[0].value == truth, answer.prose
