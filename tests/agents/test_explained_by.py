"""Explanations by the date, the column and the figures that a question is about, where tables have several."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus


@pytest.fixture(scope="module")
def subscriptions() -> pd.DataFrame:
    """Three years of subscriptions; those of the plan Team end in numbers from April 2025 on."""
    rng = np.random.default_rng(18)
    n = 2400
    started = pd.Timestamp("2022-09-01") + pd.to_timedelta(np.sort(rng.integers(0, 1050, n)), "D")
    plan = rng.choice(["Basic", "Team"], n, p=[0.6, 0.4])
    ended = started + pd.to_timedelta(rng.exponential(900, n).round() + 5, "D")
    raised = pd.Timestamp("2025-04-01")
    hit = (plan == "Team") & (started < raised) & (ended > raised) & (rng.random(n) < 0.2)
    ended = np.where(hit, raised + pd.to_timedelta(rng.integers(0, 30, n), "D"), ended)
    frame = pd.DataFrame(
        {"subscription_id": np.arange(n) + 1, "started_on": started, "plan": plan, "churned_on": ended}
    )
    frame["churned_on"] = pd.to_datetime(frame["churned_on"]).where(lambda d: d <= "2025-06-30")
    return frame


@pytest.mark.parametrize("question", ["Why did churn rise in April 2025?", "Why is churn up in April 2025?"])
def test_what_happens_to_things_is_explained_by_its_own_date(
    subscriptions: pd.DataFrame, question: str
) -> None:
    with gnomon.open({"subscriptions": subscriptions}) as analyst:
        answer = analyst.why(question)
    left = subscriptions["churned_on"].dt.to_period("M").value_counts()
    then, now = left[pd.Period("2025-03")], left[pd.Period("2025-04")]
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.prose.startswith(f"Number of subscriptions by churned date was {now} in April 2025, up")
    assert f"from {then} in March 2025" in answer.prose and "in Team (plan)" in answer.prose
    assert answer.request is not None and answer.request.parts.time_dimension == "churned_on"


def test_why_after_a_figure_by_another_date_keeps_that_date(subscriptions: pd.DataFrame) -> None:
    left = subscriptions["churned_on"].dt.to_period("M").value_counts()
    with gnomon.open({"subscriptions": subscriptions}) as analyst:
        talk = analyst.conversation()
        first = talk.ask("how many subscriptions churned in April 2025?")
        assert f"{left[pd.Period('2025-04')]} subscriptions" in first.prose
        assert f"was {left[pd.Period('2025-04')]} in April 2025" in talk.ask("why?").prose
        assert f"was {left[pd.Period('2025-05')]} in May 2025" in talk.ask("what about May 2025").prose


@pytest.fixture(scope="module")
def shop() -> dict[str, pd.DataFrame]:
    """Orders and incidents, each with a region; customers signed up in the year before only."""
    rng = np.random.default_rng(7)
    days = pd.date_range("2024-06-01", "2025-08-31")
    orders = pd.DataFrame({"ordered_on": np.repeat(days, 8)})
    orders["region"] = rng.choice(["North", "South"], len(orders))
    orders["amount_eur"] = rng.normal(60, 9, len(orders)).round(2)
    incidents = pd.DataFrame(
        {
            "started": pd.to_datetime(["2025-03-02", "2025-05-05", "2025-08-11"]),
            "region": ["South", "North", "South"],
        }
    )
    signed = pd.date_range("2023-01-01", periods=300)
    customers = pd.DataFrame({"customer_id": range(1, 301), "signed_up_on": signed})
    return {"orders": orders, "customers": customers, "incidents": incidents}


@pytest.mark.parametrize(
    "order", [("orders", "customers", "incidents"), ("incidents", "orders", "customers")]
)
def test_a_fragment_asks_by_the_column_that_its_figure_has(
    shop: dict[str, pd.DataFrame], order: tuple[str, ...]
) -> None:
    held = shop["orders"][shop["orders"]["ordered_on"] >= "2025-08-01"]
    with gnomon.open({name: shop[name] for name in order}) as analyst:
        talk = analyst.conversation()
        talk.ask("order amount in August 2025")
        answer = talk.ask("and by region?")
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    told = {row[0]: row[1] for row in answer.tables[0].rows}
    assert told == pytest.approx(held.groupby("region")["amount_eur"].sum().to_dict())


def test_what_was_not_recorded_then_is_no_figure_of_the_time(shop: dict[str, pd.DataFrame]) -> None:
    with gnomon.open(shop) as analyst:
        answer = analyst.why("Why did the order amount change in August 2025?")
    figures = next(t for t in answer.tables if t.name == "main figures")
    named = [str(row[0]) for row in figures.rows]
    assert "order amount" in named and not [n for n in named if n.startswith("number of customers")]


@pytest.mark.long
def test_what_is_counted_is_forecast_in_whole_numbers() -> None:
    rng = np.random.default_rng(1)
    days = pd.date_range("2022-01-01", "2025-06-12")
    frame = pd.DataFrame({"admitted_on": np.repeat(days, rng.poisson(20, len(days)))})
    frame["admission_id"] = np.arange(len(frame)) + 1
    with gnomon.open({"admissions": frame}) as analyst:
        answer = analyst.ask("forecast the number of admissions for the next 6 months")
    assert answer.status is AnswerStatus.ANSWERED and "forecast at" in answer.prose
    figures = [v for row in answer.tables[0].rows for v in row[1:]]
    assert figures and all(float(v).is_integer() for v in figures)
    told = {f.name.rpartition(".")[2]: f.value for f in answer.facts}
    assert all(float(told[n]).is_integer() for n in ("forecast", "forecast_low", "forecast_high"))
