"""Tables with a row for each place and month, dates written in columns, cells that list: drawn, with pandas beside."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.semantic.value_lists import parts_of_lists

PLACES = ["Alton", "Bexley", "Corby", "Deal", "Ely", "Frome"]
NAMED = [
    ("home_sales", "homes", "sold"),
    ("bike_rentals", "bikes", "rented"),
    ("tent_orders", "tents", "ordered"),
]


def by_month(column: str, seed: int) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    rows = [
        {
            "town": p,
            "year": y,
            "month": m,
            column: int(draw.integers(20, 900)),
            "staff_rate": float(draw.normal(5, 1)),
        }
        for p in PLACES
        for y in range(2018, 2023)
        for m in range(1, 13)
    ]
    table = pd.DataFrame(rows)
    table["volume"] = (table[column] * draw.uniform(90, 140, len(table))).round(2)
    return table


@pytest.fixture(scope="module", params=range(len(NAMED)))
def sold(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Analyst, pd.DataFrame, tuple[str, str, str]]]:
    named = NAMED[request.param]
    table = by_month(named[0].split("_")[1], request.param)
    path = tmp_path_factory.mktemp("months") / f"{named[0]}.csv"
    table.to_csv(path, index=False)
    with gnomon.open(path) as analyst:
        yield analyst, table.rename(columns={named[0].split("_")[1]: "n"}), named


def figures(answer: Answer) -> list[float]:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return [float(f.value) for f in answer.facts if isinstance(f.value, int | float)]


def test_things_of_a_table_of_figures_are_added_up_and_its_rows_never_counted(
    sold: tuple[Analyst, pd.DataFrame, tuple[str, str, str]],
) -> None:
    analyst, table, (_, things, done) = sold
    corby = table[(table.town == "Corby") & (table.year == 2020)].n.sum()
    for question in (f"How many {things} were {done} in Corby in 2020?", f"total {things} in Corby in 2020"):
        assert corby in figures(analyst.ask(question)), question
    best = table[table.year == 2021].groupby("town").n.sum()
    told = analyst.ask(f"Which town had the most {things} in 2021?")
    assert told.prose.startswith(best.idxmax()) and best.max() in figures(told)


def test_over_all_of_them_is_one_figure_for_each_of_what_is_asked(
    sold: tuple[Analyst, pd.DataFrame, tuple[str, str, str]],
) -> None:
    analyst, table, (_, things, _) = sold
    years = table.groupby("year").n.sum()
    for over in ("across all towns", "across all the towns", "over all towns"):
        told = analyst.ask(f"Which year had the most {things} {over}?")
        assert str(years.idxmax()) in told.prose.split(".")[0] and years.max() in figures(told), told.prose


def test_what_is_said_of_a_part_is_never_left_out(
    sold: tuple[Analyst, pd.DataFrame, tuple[str, str, str]],
) -> None:
    analyst, _, (_, things, done) = sold
    for said in ("newly built", "badly damaged", "freshly painted", "organic"):
        told = analyst.ask(f"How many of the {things} {done} in Corby in 2020 were {said}?")
        assert told.status is not AnswerStatus.ANSWERED, told.prose


@pytest.mark.parametrize("separator", [", ", "; ", " | "])
def test_a_number_among_others_in_a_cell_is_found_in_all_cells_that_list_it(
    separator: str, tmp_path: Path
) -> None:
    draw = np.random.default_rng(len(separator))
    lists = [sorted(draw.choice(range(1, 15), int(draw.integers(1, 4)), replace=False)) for _ in range(240)]
    table = pd.DataFrame(
        {"stop": [f"Stop {i}" for i in range(240)], "lines": [separator.join(map(str, x)) for x in lists]}
    )
    table["riders"] = draw.integers(100, 9000, 240)
    table.to_csv(tmp_path / "stops.csv", index=False)
    with gnomon.open(tmp_path / "stops.csv") as analyst:
        for line in (1, 4, 14):
            held = sum(line in x for x in lists)
            assert held in figures(analyst.ask(f"How many stops are on line {line}?")), line
        grouped = analyst.ask("Which lines have the most stops?")
        assert "each list counts as a group of its own" in grouped.prose


def test_a_number_with_thousands_is_no_list() -> None:
    assert parts_of_lists([f"{a},{b}" for a in (1, 2, 3) for b in (200, 300, 400, 500)] * 2) == {}
    assert "3" in parts_of_lists([f"{a}, {b}" for a in range(1, 9) for b in range(1, 9) if a != b])


def test_rows_that_have_names_are_counted_though_two_share_one(tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    names = [
        f"{a} {b}"
        for a in ("Green", "Smoky", "Plain", "Sweet", "Sour")
        for b in ("soup", "pie", "stew", "tart")
    ]
    table = pd.DataFrame({"dish": [*names, "Plain soup"], "kitchen": draw.choice(["North", "South"], 21)})
    table["price"] = draw.uniform(4, 30, 21).round(2)
    table.to_csv(tmp_path / "menu_dishes.csv", index=False)
    with gnomon.open(tmp_path / "menu_dishes.csv") as analyst:
        assert figures(analyst.ask("How many dishes are there?"))[0] == 21
        assert figures(analyst.ask("How many different dishes are there?"))[0] == 20


def test_what_things_are_worth_is_no_number_of_them(
    sold: tuple[Analyst, pd.DataFrame, tuple[str, str, str]],
) -> None:
    analyst, table, (_, things, done) = sold
    count = table[(table.town == "Corby") & (table.year == 2020)].n.sum()
    told = analyst.ask(f"What was the total value of the {things} {done} in Corby in 2020?")
    assert told.status is not AnswerStatus.ANSWERED or count not in figures(told), told.prose
    course = analyst.ask(f"In how many months did Corby have more than 400 {things}?")
    assert course.status is not AnswerStatus.ANSWERED or len(course.facts) == 1, course.prose


def test_money_by_month_is_no_number_of_companies(tmp_path: Path) -> None:
    table = by_month("sales", 9).drop(columns="volume")
    table.to_csv(tmp_path / "company_sales.csv", index=False)
    with gnomon.open(tmp_path / "company_sales.csv") as analyst:
        told = analyst.ask("How many companies are there?")
    assert table.sales.sum() not in [f.value for f in told.facts], told.prose
