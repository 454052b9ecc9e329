"""Sentences that only tell something, strokes that divide, formulas in brackets, two conditions on what is counted."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus


@pytest.fixture(scope="module")
def bikes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analyst, pd.DataFrame]:
    """Hire bikes: one row a day and station."""
    frame = pd.DataFrame(
        [
            {
                "date": f"2024-{1 + n % 12:02d}-{1 + n % 28:02d}",
                "station": ("Docks", "Market", "Park", "Tower")[n % 4],
                "hires": 20 + (n * 7) % 31,
                "repairs": (n * 5) % 9,
                "load_rate": round(0.3 + (n % 7) / 20, 2),
                "takings": round(40 + (n * 13) % 57 + 0.5 * (n % 3), 2),
            }
            for n in range(480)
        ]
    )
    path: Path = tmp_path_factory.mktemp("bikes") / "bikes.csv"
    frame.to_csv(path, index=False)
    return gnomon.open(path), frame


@pytest.mark.parametrize(
    "question",
    [
        "We are rewriting the yearly brochure about hires. What were the total takings in 2024?",
        "The council man swears they fix everything twice. What were the total takings in 2024?",
    ],
)
def test_what_is_only_told_is_left_aside(question: str, bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert [f.value for f in answer.facts if f.name.startswith("takings")] == [
        pytest.approx(frame.takings.sum())
    ]
    assert "taken as an aside" in answer.prose


def test_a_value_that_is_told_before_is_not_lost(bikes: tuple[Analyst, pd.DataFrame]) -> None:
    answer = bikes[0].ask("We run the Docks station. What were the total takings in 2024?")
    whole = pytest.approx(bikes[1].takings.sum())
    assert not any(f.value == whole for f in answer.facts)


@pytest.mark.parametrize(
    "question",
    ["takings / hires by station", "takings/hires by station", "takings over hires by station"],
)
def test_a_stroke_between_two_measures_divides(question: str, bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    sums = frame.groupby("station")[["takings", "hires"]].sum()
    answer = analyst.ask(question)
    assert dict(answer.tables[0].rows) == pytest.approx((sums.takings / sums.hires).to_dict())


def test_a_bound_is_no_division(bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    sums = frame.groupby("station").hires.sum()
    answer = analyst.ask("stations with hires over 4200")
    assert {row[0] for row in answer.tables[0].rows} == set(sums[sums > 4200].index)


def test_a_formula_in_brackets_says_how_a_name_is_computed(bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    sums = frame.groupby("station")[["repairs", "hires"]].sum()
    answer = analyst.ask("load rate (repairs divided by hires) by station")
    assert dict(answer.tables[0].rows) == pytest.approx((sums.repairs / sums.hires).to_dict())


def test_two_conditions_on_what_is_counted_both_hold(bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    sums = frame.groupby("station")[["takings", "hires"]].sum()
    hires, takings = int(sums.hires.sort_values().iloc[1]), float(sums.takings.sort_values().iloc[2])
    true = int(((sums.hires >= hires) & (sums.takings <= takings)).sum())
    answer = analyst.ask(f"How many stations have at least {hires} hires and takings of at most {takings}?")
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == true


def test_rows_behind_a_number_are_counted_and_begun_ones_too(tmp_path: Path) -> None:
    loans = pd.DataFrame(
        {
            "loan_id": range(1, 61),
            "client_id": [f"C{n % 17:02d}" for n in range(60)],
            "amount": [500 + (n * 37) % 900 for n in range(60)],
            "start_date": [f"{2021 + n % 3}-{1 + n % 12:02d}-15" for n in range(60)],
        }
    )
    clients = pd.DataFrame(
        {"client_id": [f"C{n:02d}" for n in range(17)], "yearly_income": range(20000, 37000, 1000)}
    )
    loans.to_csv(tmp_path / "loans.csv", index=False)
    clients.to_csv(tmp_path / "clients.csv", index=False)
    analyst = gnomon.open(tmp_path)
    many = int((loans.groupby("client_id").size() >= 4).sum())
    assert analyst.ask("how many clients have at least four loans?").facts[0].value == many
    years = loans.start_date.str[:4].value_counts()
    table = analyst.ask("loans started per year").tables[0]
    assert {str(row[0])[:4]: row[1] for row in table.rows} == years.to_dict()
    income = analyst.ask("average annual income of clients")
    assert income.facts[0].value == clients.yearly_income.mean()


def test_what_each_account_has_adds_up(tmp_path: Path) -> None:
    accounts = pd.DataFrame(
        {
            "account_no": [f"A{n:03d}" for n in range(40)],
            "branch": ["Quay" if n % 3 else "Mill" for n in range(40)],
            "balance": [100.5 + n * 13 for n in range(40)],
            "opened_on": [f"2022-{1 + n % 12:02d}-03" for n in range(40)],
        }
    )
    accounts.to_csv(tmp_path / "accounts.csv", index=False)
    table = gnomon.open(tmp_path / "accounts.csv").ask("total balance by branch").tables[0]
    assert dict(table.rows) == pytest.approx(accounts.groupby("branch").balance.sum().to_dict())


def test_ranges_are_compared_with_ranges(bikes: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = bikes
    months = frame.date.str[5:7].astype(int)
    answer = analyst.ask("compare hires in June to August 2024 with September to November 2024")
    told = {f.name.rpartition(".")[2]: f.value for f in answer.facts}
    assert told["previous"] == frame[months.between(6, 8)].hires.sum()
    assert told["current"] == frame[months.between(9, 11)].hires.sum()


def test_closed_within_hours_is_no_time_until_the_first_response(tmp_path: Path) -> None:
    tickets = pd.DataFrame(
        {
            "ticket_id": range(1, 51),
            "opened_at": [f"2024-03-{1 + n % 28:02d} 08:00:00" for n in range(50)],
            "closed_at": [f"2024-04-{1 + n % 28:02d} 09:00:00" for n in range(50)],
            "first_response_min": [10 + n for n in range(50)],
        }
    )
    tickets.to_csv(tmp_path / "tickets.csv", index=False)
    answer = gnomon.open(tmp_path / "tickets.csv").ask(
        "What share of the tickets were closed within 24 hours?"
    )
    assert "100 %" not in answer.prose


def test_days_of_a_table_without_dates_are_refused(tmp_path: Path) -> None:
    pd.DataFrame({"name": list("abcdef"), "weight": [1, 2, 3, 4, 5, 6]}).to_csv(
        tmp_path / "things.csv", index=False
    )
    answer = gnomon.open(tmp_path / "things.csv").ask("how many days have more than 2 records?")
    assert answer.status is AnswerStatus.OUT_OF_SCOPE, answer.prose
