"""Rows that are valid until the end of the calendar (9999-12-31) stop no answer."""

from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus


@pytest.mark.long
@pytest.mark.parametrize("open_rows", [3, 60])
def test_no_question_stops_at_the_end_of_the_calendar(open_rows: int, tmp_path: Path) -> None:
    days = [str(d.date()) for d in pd.date_range("2024-01-01", periods=60)]
    ends = [*days[: 60 - open_rows], *["9999-12-31"] * open_rows]
    file = tmp_path / "contracts.csv"
    pd.DataFrame({"valid_to": ends, "amount": range(60)}).to_csv(file, index=False)
    with gnomon.open(file) as analyst:
        for asked in ("amount by month", "amount by week", "amount by year", "amount last month", "total amount next year",
                      "is amount up on last month?", "forecast amount", "why did amount change last month?"):  # fmt: skip
            told = analyst.ask(asked)
            assert told.status is not AnswerStatus.ERROR, (asked, told.prose)
