"""Explanations of what happens to things on another day than the one that they begin on."""

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
    assert answer.request is not None and answer.request.time_dimension == "churned_on"


def test_why_after_a_figure_by_another_date_keeps_that_date(subscriptions: pd.DataFrame) -> None:
    left = subscriptions["churned_on"].dt.to_period("M").value_counts()
    with gnomon.open({"subscriptions": subscriptions}) as analyst:
        talk = analyst.conversation()
        first = talk.ask("how many subscriptions churned in April 2025?")
        assert f"{left[pd.Period('2025-04')]} subscriptions" in first.prose
        assert f"was {left[pd.Period('2025-04')]} in April 2025" in talk.ask("why?").prose
        assert f"was {left[pd.Period('2025-05')]} in May 2025" in talk.ask("what about May 2025").prose
