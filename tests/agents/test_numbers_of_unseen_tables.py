"""Questions whose plainest wrong reading gives another number: what was asked for is computed here with pandas."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer

DAYS = pd.date_range("2023-01-01", "2024-10-12")


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    chance = np.random.default_rng(5)
    helpers = pd.DataFrame(
        {
            "helper_id": range(1, 41),
            "helper_name": [f"Helper {i}" for i in range(1, 41)],
            "joined_on": pd.date_range("2019-01-01", periods=40, freq="50D"),
            "left_on": [
                d if i % 5 == 0 else pd.NaT for i, d in enumerate(pd.date_range("2024-01-03", periods=40))
            ],
            "hourly_wage": chance.integers(12, 30, 40),
            "smoker": chance.choice(["yes", "no", "former"], 40),
        }
    )
    rows = 900
    shifts = pd.DataFrame(
        {
            "shift_id": range(1, rows + 1),
            "helper_id": chance.choice(helpers.helper_id[:34], rows),
            "shift_date": chance.choice(DAYS, rows),
            "kitchen": chance.choice(["Ash", "Birch", "Cedar"], rows, p=[0.5, 0.3, 0.2]),
            "meals": chance.integers(10, 90, rows),
            "late": chance.choice(["yes", "no"], rows, p=[0.2, 0.8]),
        }
    )
    return {"helpers": helpers, "shifts": shifts.sort_values("shift_date")}


@pytest.fixture(scope="module")
def kitchens(tmp_path_factory: pytest.TempPathFactory, frames: dict[str, pd.DataFrame]) -> gnomon.Analyst:
    folder: Path = tmp_path_factory.mktemp("kitchens")
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return gnomon.open(folder)


def told(analyst: gnomon.Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status.value == "answered", (question, answer.prose)
    return answer


def test_only_the_groups_that_fell_are_told(
    kitchens: gnomon.Analyst, frames: dict[str, pd.DataFrame]
) -> None:
    shifts = frames["shifts"]
    third = shifts[shifts.shift_date.dt.quarter == 3]
    sums = third.groupby(["kitchen", third.shift_date.dt.year]).meals.sum().unstack()
    lower, higher = (set(sums.index[cond]) for cond in (sums[2024] < sums[2023], sums[2024] > sums[2023]))
    for word, expected in (("fewer", lower), ("more", higher)):
        table = told(kitchens, f"Which kitchens served {word} meals in Q3 this year than last?").tables[0]
        assert {row[0] for row in table.rows} == expected
    reversed_order = told(kitchens, "Which kitchens served more meals in Q3 2023 than in Q3 2024?").tables[0]
    assert {row[0] for row in reversed_order.rows} == lower


def test_a_month_that_is_not_over_is_not_the_lowest(
    kitchens: gnomon.Analyst, frames: dict[str, pd.DataFrame]
) -> None:
    shifts = frames["shifts"]
    months = shifts.groupby(shifts.shift_date.dt.to_period("M")).meals.sum()
    lowest = months[months.index < "2024-10"].idxmin()
    assert lowest.strftime("%B %Y") in told(kitchens, "Which month had the fewest meals?").prose
    highest = months.idxmax()
    assert highest.strftime("%B %Y") in told(kitchens, "Which month had the most meals?").prose


def test_a_ratio_in_a_period_is_over_those_who_took_part(
    kitchens: gnomon.Analyst, frames: dict[str, pd.DataFrame]
) -> None:
    shifts = frames["shifts"]
    may = shifts[shifts.shift_date.dt.to_period("M") == "2024-05"]
    value = told(kitchens, "shifts per helper in May 2024").facts[0].value
    assert value == pytest.approx(len(may) / may.helper_id.nunique())


@pytest.mark.parametrize(
    "question", ["How many current helpers do we have?", "How many helpers are still here?", "how many helpers do we have at the moment"]
)  # fmt: skip
def test_those_who_left_are_not_here_now(
    kitchens: gnomon.Analyst, frames: dict[str, pd.DataFrame], question: str
) -> None:
    assert told(kitchens, question).facts[0].value == frames["helpers"].left_on.isna().sum()


def test_what_is_said_behind_a_denied_value_is_not_denied(
    kitchens: gnomon.Analyst, frames: dict[str, pd.DataFrame]
) -> None:
    shifts = frames["shifts"]
    expected = ((shifts.kitchen != "Ash") & (shifts.late == "yes")).sum()
    assert told(kitchens, "How many shifts not at Ash were late?").facts[0].value == expected
    in_2024 = ((shifts.late == "yes") & (shifts.shift_date.dt.year == 2024)).sum()
    assert told(kitchens, "How many shifts were late in 2024?").facts[0].value == in_2024


def test_a_verb_of_which_only_some_are_doers_is_never_idle(kitchens: gnomon.Analyst) -> None:
    answer = kitchens.ask("How many helpers smoke?")
    assert answer.status.value != "answered" or "smoker" in answer.prose


def test_a_list_behind_a_superlative_is_told_of_that_row(
    kitchens: gnomon.Analyst, frames: dict[str, pd.DataFrame]
) -> None:
    shifts, helpers = frames["shifts"], frames["helpers"]
    top = shifts[shifts.meals == shifts.meals.max()]
    rows = told(kitchens, "highest meals: shift id, date, kitchen").tables[0].rows
    expected = {(r.shift_id, r.kitchen, r.meals) for r in top.itertuples()}
    assert {tuple(v for v in row if not hasattr(v, "year")) for row in rows} == expected
    assert {v for row in rows for v in row if hasattr(v, "year")} == {d.date() for d in top.shift_date}
    newest = helpers.loc[helpers.joined_on.idxmax()]
    prose = told(kitchens, "newest helper and when they joined").prose
    assert newest.helper_name in prose and f"{newest.joined_on.day} {newest.joined_on:%B %Y}" in prose


def test_the_number_of_rows_ranks_things_and_does_not_split_them(
    kitchens: gnomon.Analyst, frames: dict[str, pd.DataFrame]
) -> None:
    counts = frames["shifts"].groupby(["kitchen", "helper_id"]).size().reset_index(name="n")
    most = counts.groupby("kitchen").n.max().to_dict()
    table = told(kitchens, "top helper per kitchen by shifts").tables[0]
    assert {(row[0], row[-1]) for row in table.rows} == set(most.items())


@pytest.mark.parametrize(
    "question",
    [
        "the helper with the most shifts per kitchen by weekday of nothing",
        "which kitchens fell from 2023 to 2024",
        "who worked only Ash",
    ],
)
def test_what_no_part_of_an_answer_bears_is_not_passed_over(kitchens: gnomon.Analyst, question: str) -> None:
    assert kitchens.ask(question).status.value != "answered"


def test_a_share_with_a_condition_behind_its_rows_is_that_of_each_group(
    kitchens: gnomon.Analyst, frames: dict[str, pd.DataFrame]
) -> None:
    shifts, helpers = frames["shifts"], frames["helpers"]
    late = (shifts.late == "yes").groupby(shifts.kitchen).mean()
    rows = told(kitchens, "share of shifts late by kitchen").tables[0].rows
    assert {row[0]: row[-1] for row in rows} == pytest.approx(late.to_dict())
    left = 100 * helpers.left_on.notna().groupby(helpers.smoker).mean()
    table = told(kitchens, "share of helpers who left by smoker").tables[0]
    assert {row[0]: row[-1] for row in table.rows} == pytest.approx(left.to_dict())


def test_none_of_the_rows_is_not_a_column_that_is_called_so(tmp_path: Path) -> None:
    policies = ["policy_no,no_claims_years,cover", *(f"P{i},{i % 7},{'AB'[i % 2]}" for i in range(60))]
    claims = ["claim_id,policy_no,claim_date,claim_amount"]
    claims += [f"C{i},P{i * 3 % 40},2024-{i % 9 + 1:02d}-1{i % 9},{100 + i * 37}" for i in range(45)]
    (tmp_path / "policies.csv").write_text("\n".join(policies))
    (tmp_path / "claims.csv").write_text("\n".join(claims))
    analyst = gnomon.open(tmp_path)
    without = 60 - len({i * 3 % 40 for i in range(45)})
    assert told(analyst, "how many policies have no claims").facts[0].value == without
    several = sum(i % 7 > 4 for i in range(60))
    assert told(analyst, "how many policies have more than 4 no-claims years").facts[0].value == several


@pytest.mark.parametrize(
    "question",
    [
        "longest gap between shifts",
        "helpers with shifts at Ash but not at Birch",
        "top 3 helpers by total time spent",
        "shifts planned in 2023 but delivered in 2024",
    ],
)
def test_what_would_be_told_as_something_else_is_refused(kitchens: gnomon.Analyst, question: str) -> None:
    assert kitchens.ask(question).status.value != "answered"


def test_a_level_of_each_day_is_not_the_number_of_its_rows(tmp_path: Path) -> None:
    days = pd.date_range("2024-03-01", "2024-05-20")
    rows = [
        (d.date(), s, 300 + (i * 13 + k * 57) % 120)
        for i, d in enumerate(days)
        for k, s in enumerate(["Leeds", "Hull"])
    ]
    frame = pd.DataFrame(rows, columns=["stock_date", "site", "units_on_hand"])
    frame.to_csv(tmp_path / "daily_stock.csv", index=False)
    for question in ("what's the total stock", "was stock higher in Leeds than in Hull last month"):
        answer = gnomon.open(tmp_path).ask(question)
        assert answer.status.value != "answered" or "rows" not in answer.prose, answer.prose
