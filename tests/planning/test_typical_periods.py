"""An average Saturday, a typical month: totals of such periods are averaged, not the rows."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

N = 900
TODAY = date(2024, 5, 1)
_RNG = np.random.default_rng(6)
DAYS = pd.Series(pd.Timestamp(2023, 1, 1) + pd.to_timedelta(np.sort(_RNG.integers(0, 366, N)), unit="D"))
SALES = pd.DataFrame(
    {
        "receipt_id": range(N),
        "sold_on": DAYS,
        "stall": [("fruit", "bread", "fish")[i % 3] for i in range(N)],
        "revenue": np.round(_RNG.gamma(4, 9, N), 2),
    }
)
DAILY = SALES.groupby("sold_on").revenue.sum()
COUNTS = SALES.groupby("sold_on").size()
SATURDAY = DAILY.index.day_of_week == 5


@pytest.fixture(scope="module")
def market() -> Analyst:
    return gnomon.open({"receipts": SALES})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much revenue do we make on an average Saturday?", DAILY[SATURDAY].mean()),
        ("How many receipts are there on a typical Monday?", COUNTS[COUNTS.index.day_of_week == 0].mean()),
        ("receipts on an average day", COUNTS.sum() / ((COUNTS.index.max() - COUNTS.index.min()).days + 1)),
        ("revenue in an average month of 2023", DAILY[:"2023-12-31"].groupby(lambda d: d.month).sum().mean()),
        ("average Saturday revenue, in daily terms", DAILY[SATURDAY].mean()),
        ("average revenue on Saturdays", SALES.revenue[DAYS.dt.day_of_week == 5].mean()),
    ],
)  # fmt: skip
def test_totals_of_periods_are_averaged(market: Analyst, question: str, expected: float) -> None:
    answer = market.ask(question, today=TODAY)
    assert [f.value for f in answer.facts][:1] == [pytest.approx(expected)], answer.prose


def test_the_best_weekday_on_average_is_that_of_its_days(market: Analyst) -> None:
    answer = market.ask("On which day of the week do we make the most revenue on average?", today=TODAY)
    means = DAILY.groupby(DAILY.index.day_name()).mean()
    assert answer.tables[0].rows[0] == (means.idxmax(), pytest.approx(means.max())), answer.prose
