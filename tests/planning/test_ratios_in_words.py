"""Ratios said in words: units choose columns, things lie within groups, and steps that are told to be done."""

from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 240
JOBS = pd.DataFrame(
    {
        "job_no": range(100, 100 + N),
        "done_on": pd.date_range("2022-01-03", periods=N, freq="4D"),
        "garage": [("North", "South", "East")[i % 3] for i in range(N)],
        "bay": [f"{'NSE'[i % 3]}-{1 + i // 3 % 4}" for i in range(N)],
        "mechanic": [f"{('Ada', 'Bo', 'Cy', 'Di', 'Eve', 'Fay', 'Gus', 'Hal')[i * 7 % 8]} Quist" for i in range(N)],
        "outcome": [("Fixed", "Fixed", "Failed")[i * 5 % 3 if i % 4 else 0] for i in range(N)],
        "minutes": [15 + (i * 37) % 180 for i in range(N)],
        "charge_usd": [20.5 + (i * 53) % 211 for i in range(N)],
    }
)  # fmt: skip
SWIMS = pd.DataFrame(
    {
        "swim_date": pd.date_range("2022-01-03", periods=N, freq="3D"),
        "swimmer": [f"{('Ann', 'Ben', 'Cleo', 'Dirk', 'Eva', 'Finn')[i * 5 % 6]} {('Abel', 'Cole', 'Frey')[i // 6 % 3]}" for i in range(N)],
        "club": [("Otters", "Pike", "Seals")[(i * i + i // 5) % 3] for i in range(N)],
        "distance_m": [(50, 100, 200)[i * 3 % 3 if i % 2 else i % 3] for i in range(N)],
        "time_s": [None if i % 11 == 0 else 30.0 + (i * 17) % 90 for i in range(N)],
    }
)  # fmt: skip
SHOPS = pd.DataFrame(
    {
        "shop_id": [f"S{i:02}" for i in range(12)],
        "town": [("Arden", "Brock", "Calder")[i % 3] for i in range(12)],
        "opened_on": pd.date_range("2015-02-01", periods=12, freq="90D"),
    }
)
SALES = pd.DataFrame(
    {
        "sale_id": range(1, N + 1),
        "shop_id": [f"S{i * 7 % 11:02}" for i in range(N)],
        "sale_date": pd.date_range("2022-01-03", periods=N, freq="4D"),
        "quantity": [1 + i % 7 for i in range(N)],
        "unit_price_eur": [2.5 + (i * 13) % 29 for i in range(N)],
        "paid_eur": [5.0 + (i * 41) % 173 for i in range(N)],
    }
)
SOLD = SALES.merge(SHOPS, on="shop_id")


@pytest.fixture(scope="module")
def garage() -> Analyst:
    return gnomon.open({"jobs": JOBS})


@pytest.fixture(scope="module")
def pool() -> Analyst:
    return gnomon.open({"swims": SWIMS})


@pytest.fixture(scope="module")
def shops() -> Analyst:
    return gnomon.open({"sales": SALES, "shops": SHOPS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


def _groups(answer: Answer) -> dict[str, float]:
    return {str(row[0]): float(row[1]) for row in answer.tables[0].rows}


@pytest.mark.parametrize(
    ("question", "by"),
    [
        ("How many dollars per hour does each mechanic bring in?", "mechanic"),
        ("dollars per hour of work by garage", "garage"),
        ("average charge per hour for each garage", "garage"),
    ],
)
def test_hours_over_a_column_of_minutes_are_told_in_hours(garage: Analyst, question: str, by: str) -> None:
    sums = JOBS.groupby(by)[["charge_usd", "minutes"]].sum()
    assert _groups(_answered(garage, question)) == pytest.approx(dict(sums.charge_usd / (sums.minutes / 60)))


def test_what_is_counted_only_may_be_said_first(garage: Analyst) -> None:
    fixed = JOBS[JOBS.outcome == "Fixed"].groupby("garage")[["charge_usd", "minutes"]].sum()
    answer = _answered(garage, "Counting fixed jobs only, how many dollars per minute does each garage make?")
    assert _groups(answer) == pytest.approx(dict(fixed.charge_usd / fixed.minutes))


@pytest.mark.parametrize("question", ["euros per hour by garage", "kilos per hour by garage"])
def test_a_unit_that_nothing_is_held_in_is_refused(garage: Analyst, question: str) -> None:
    assert garage.ask(question).status is not AnswerStatus.ANSWERED


def test_things_within_groups_are_counted_for_each_group(garage: Analyst) -> None:
    rows = JOBS[JOBS.done_on.dt.year == 2023].groupby("garage")
    wanted = rows.charge_usd.sum() / rows.bay.nunique()
    answer = _answered(
        garage,
        "In 2023, what did we charge per bay at each garage? Count every bay that had a job that year.",
    )
    assert _groups(answer) == pytest.approx(dict(wanted))
    best = _answered(garage, "Which garage has the highest charge per bay in 2023?")
    assert str(wanted.idxmax()) in best.prose


@pytest.mark.parametrize(
    "question",
    [
        "pace in seconds per metre by club",
        "Work out each club's pace in seconds per metre: all their seconds divided by all their metres.",
    ],
)
def test_a_pace_is_told_over_the_rows_that_have_both(pool: Analyst, question: str) -> None:
    sums = SWIMS.dropna(subset=["time_s"]).groupby("club")[["time_s", "distance_m"]].sum()
    assert _groups(_answered(pool, question)) == pytest.approx(dict(sums.time_s / sums.distance_m))


def test_persons_are_counted_within_their_group(pool: Analyst) -> None:
    rows = SWIMS.groupby("club")
    answer = _answered(pool, "swims per swimmer by club")
    assert _groups(answer) == pytest.approx(dict(rows.size() / rows.swimmer.nunique()))


def test_things_of_another_table_are_those_with_rows_in_the_period(shops: Analyst) -> None:
    rows = SOLD[SOLD.sale_date.dt.year == 2023].groupby("town")
    answer = _answered(shops, "How much was paid per shop in each town in 2023?")
    assert _groups(answer) == pytest.approx(dict(rows.paid_eur.sum() / rows.shop_id.nunique()))


def test_a_division_that_is_told_to_be_done_ranks(shops: Analyst) -> None:
    ratio = SOLD.groupby("town").paid_eur.sum() / SHOPS.groupby("town").size()
    answer = _answered(
        shops,
        "If you divide each town's paid amount by the number of shops registered there, which town comes out highest, and at how much per shop?",
    )
    assert answer.facts[0].value == pytest.approx(ratio.max()) and str(ratio.idxmax()) in answer.prose


def test_a_product_that_is_told_to_be_made_is_broken_down(shops: Analyst) -> None:
    gross = (SOLD.quantity * SOLD.unit_price_eur).groupby(SOLD.town).sum()
    answer = _answered(
        shops, "Multiply quantity by unit price to get gross sales, then break that down by town."
    )
    assert _groups(answer) == pytest.approx(dict(gross))


TESTS = pd.DataFrame(
    {
        "test_no": range(1, 121),
        "tested_on": pd.date_range("2022-01-03", periods=120, freq="6D"),
        "machine": [("Lathe", "Mill", "Saw")[i * 5 % 3] for i in range(120)],
        "noise_before_db": [70 + (i * 7) % 23 for i in range(120)],
        "noise_after_db": [None if i % 9 == 0 else 60 + (i * 11) % 19 for i in range(120)],
    }
)


@pytest.fixture(scope="module")
def workshop() -> Analyst:
    return gnomon.open({"tests": TESTS})


def test_a_drop_is_the_mean_of_one_column_minus_the_other(workshop: Analyst) -> None:
    drop = TESTS.noise_before_db - TESTS.noise_after_db
    answer = _answered(workshop, "Where both were noted, by how many decibels does noise drop on average?")
    assert answer.facts[0].value == pytest.approx(drop.mean())
    apart = _answered(workshop, "How much does the noise fall on average per machine?")
    assert _groups(apart) == pytest.approx(dict(drop.groupby(TESTS.machine).mean()))


def test_a_rise_in_a_year_is_not_one_within_rows(workshop: Analyst) -> None:
    answer = workshop.ask("How much did the noise rise in 2023?")
    assert "minus" not in answer.prose


def test_a_total_is_no_part_of_an_average(tmp_path: Path) -> None:
    rows = [
        f"{('Alba', 'Bree')[n % 2]},2024-{n // 2 % 12 + 1:02d},{300 + n * 7 % 90},{10 + n * 3 % 25}"
        for n in range(48)
    ]
    path = tmp_path / "mills.csv"
    path.write_text("\n".join(["mill,month,Yielded (t),Scrap (t)", *rows]) + "\n", encoding="utf-8")
    frame = pd.read_csv(path)
    sums = frame.groupby("mill")[["Scrap (t)", "Yielded (t)"]].sum()
    wanted = (100 * sums["Scrap (t)"] / sums["Yielded (t)"]).to_dict()
    with gnomon.open(path) as analyst:
        answer = analyst.ask("scrap as a percentage of yielded by mill")
        told = {r[0]: float(r[-1]) for r in answer.tables[0].rows} if answer.tables else {}
        assert answer.status is not AnswerStatus.ANSWERED or all(
            told[k] == pytest.approx(v) or 100 * told[k] == pytest.approx(v) for k, v in wanted.items()
        ), answer.prose
