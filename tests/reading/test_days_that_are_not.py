"""A day that no calendar has is told as such, however it is written, and is no gap in the data."""

from __future__ import annotations

from calendar import month_abbr, month_name, monthrange
from datetime import date
from pathlib import Path

import pytest

import gnomon
from gnomon.core.answer import AnswerStatus
from gnomon.language.time_dates import no_such_day

YEARS = (2023, 2024)


def ways(year: int, month: int, day: int) -> list[str]:
    """The same day as people write it."""
    return [
        f"{year}-{month:02}-{day:02}",
        f"{year}/{month}/{day}",
        f"{day} {month_name[month]} {year}",
        f"{month_abbr[month]} {day}, {year}",
        f"{day}th of {month_name[month].lower()} {year}",
    ]


@pytest.mark.parametrize("year", YEARS)
def test_every_day_of_the_calendar_is_one_and_the_next_is_not(year: int) -> None:
    for month in range(1, 13):
        last = monthrange(year, month)[1]
        for said in (w for day in (1, 9, last) for w in ways(year, month, day)):
            assert no_such_day(f"total amount since {said}, by region") is None, said
        for said in (w for day in range(last + 1, 32) for w in ways(year, month, day)):
            assert no_such_day(f"total amount since {said}, by region") == said


def test_words_that_are_months_too_are_no_days() -> None:
    for said in (
        "how many may 2024 orders",
        "orders in march",
        "top 40 may contain gaps",
        "30 marches",
        "2024-13 parts",
    ):
        assert no_such_day(said) is None


def test_a_question_about_such_a_day_says_so(tmp_path: Path) -> None:
    rows = "\n".join(f"{i},2024-0{1 + i % 9}-1{i % 9},{i * 3}" for i in range(60))
    (tmp_path / "orders.csv").write_text(f"order_id,placed,amount\n{rows}\n")
    with gnomon.open(tmp_path / "orders.csv") as analyst:
        for said in ("2024-02-30", "31 April 2024", "Feb 30, 2024"):
            answer = analyst.ask(f"total amount since {said}", today=date(2024, 10, 1))
            assert answer.status is AnswerStatus.CLARIFY
            assert f"There is no {said} in the calendar" in answer.prose
        assert analyst.ask("total amount since 2024-02-29", today=date(2024, 10, 1)).facts
