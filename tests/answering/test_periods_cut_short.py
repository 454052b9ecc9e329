"""Periods that the data cuts short: a change against one is told beside the same days, and charts say what is cut."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer

TODAY = date(2025, 3, 16)


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analyst, pd.DataFrame]:
    """Orders of a bakery from May 2023 to the middle of March 2025, more of them each day."""
    rows = [
        {
            "order_date": date(2023, 5, 10) + timedelta(days=n),
            "shop": shop,
            "revenue": 100 + n % 7 + n // 10 + size,
        }
        for n in range(677)
        for shop, size in (("Mill", 0), ("Quay", 40))
    ]
    frame = pd.DataFrame(rows)
    path: Path = tmp_path_factory.mktemp("bakery") / "orders.csv"
    frame.to_csv(path, index=False)
    frame["order_date"] = pd.to_datetime(frame["order_date"])
    return gnomon.open(path), frame


def _total(frame: pd.DataFrame, start: str, end: str) -> int:
    return int(frame[frame["order_date"].between(start, end)]["revenue"].sum())


def _fact(answer: Answer, end: str) -> float:
    return float(next(f.value for f in answer.facts if f.name.endswith(end)))  # type: ignore[arg-type]


def test_a_year_that_is_not_over_is_also_compared_over_the_same_days(
    orders: tuple[Analyst, pd.DataFrame],
) -> None:
    analyst, frame = orders
    answer = analyst.ask("revenue in 2025 compared with 2024", today=TODAY)
    assert _fact(answer, ".current") == _total(frame, "2025-01-01", "2025-12-31")
    assert _fact(answer, ".previous") == _total(frame, "2024-01-01", "2024-12-31")
    same = _total(frame, "2024-01-01", "2024-03-16")
    assert _fact(answer, ".same_days") == same
    assert _fact(answer, ".same_days.change_pct") == pytest.approx(
        100 * (_total(frame, "2025-01-01", "2025-12-31") / same - 1)
    )
    first = answer.prose.partition(". ")[0]
    assert "to 16 March 2025, up " in first and first.endswith("to 16 March 2024")


def test_an_average_needs_no_same_days(orders: tuple[Analyst, pd.DataFrame]) -> None:
    answer = orders[0].ask("average revenue in 2025 compared with 2024", today=TODAY)
    assert not any("same_days" in f.name for f in answer.facts)


def test_whole_periods_are_compared_once(orders: tuple[Analyst, pd.DataFrame]) -> None:
    answer = orders[0].ask("revenue in February 2025 compared with January 2025", today=TODAY)
    assert not any("same_days" in f.name for f in answer.facts)


def test_why_compares_an_unfinished_year_with_the_same_days(orders: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = orders
    answer = analyst.ask("why did revenue change in 2025?", today=TODAY)
    assert _fact(answer, ".current") == _total(frame, "2025-01-01", "2025-03-16")
    assert _fact(answer, ".previous") == _total(frame, "2024-01-01", "2024-03-16")


def test_why_compares_a_year_with_what_there_is_of_the_one_before(
    orders: tuple[Analyst, pd.DataFrame],
) -> None:
    analyst, frame = orders
    answer = analyst.ask("why did revenue change in 2024?", today=TODAY)
    assert _fact(answer, ".current") == _total(frame, "2024-05-10", "2024-12-31")
    assert _fact(answer, ".previous") == _total(frame, "2023-05-10", "2023-12-31")
    assert "begins on 10 May 2023, so only the days that both periods have are compared" in answer.prose


def test_a_period_without_all_its_days_is_not_offered_for_comparison(
    orders: tuple[Analyst, pd.DataFrame],
) -> None:
    assert (
        "revenue in 2024 compared with 2023" not in orders[0].ask("revenue in 2024", today=TODAY).suggestions
    )
    offered = orders[0].ask("revenue in February 2025", today=TODAY).suggestions
    assert "revenue in February 2025 compared with January 2025" in offered


def test_a_chart_tells_that_its_last_month_is_cut(orders: tuple[Analyst, pd.DataFrame]) -> None:
    chart = orders[0].ask("revenue by month", today=TODAY).charts[0]
    assert chart["title"]["subtitle"] == [
        "The rows begin on 10 May 2023, so the month of that day is not whole.",
        "The rows end on 16 March 2025, so the month of that day is not whole.",
    ]
    whole = orders[0].ask("revenue by month in 2024", today=TODAY).charts[0]
    assert "subtitle" not in whole["title"]


def test_a_month_that_is_cut_is_not_told_as_the_lowest(orders: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = orders
    months = frame.groupby(frame["order_date"].dt.to_period("M"))["revenue"].sum()
    answer = analyst.ask("revenue over time", today=TODAY)
    assert _fact(answer, ".lowest") == months[1:-1].min()
    assert _fact(answer, ".highest") == months.max()
