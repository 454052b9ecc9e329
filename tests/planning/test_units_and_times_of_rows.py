"""Units in headings, bounds told in other units, times between two dates of a row, and how often something came."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

N = 180
TODAY = date(2024, 12, 31)
SENT = pd.Series(pd.date_range("2024-01-02", periods=N, freq="40h")).dt.normalize()
TOOK = pd.Series([1 + (7 * i) % 17 for i in range(N)])


def _cycle(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(N)]


PARCELS = pd.DataFrame(
    {
        "parcel_no": [f"PC-{1000 + i}" for i in range(N)],
        "ship_dt": SENT.dt.date,
        "delivery_dt": (SENT + pd.to_timedelta(TOOK, unit="D")).dt.date,
        "sender_id": [f"S{(i * i) % 41}" for i in range(N)],
        "carrier": _cycle("Swift", "Ocean", "Prime"),
        "wt_kg": [round(0.5 + (i * 37) % 90, 1) for i in range(N)],
        "age": [20 + i % 60 for i in range(N)],
    }
)
HOMES = pd.DataFrame(
    {
        "home_id": range(1, N + 1),
        "kind": _cycle("Condo", "Townhouse", "Villa"),
        "list_price_kusd": [180.5 + (i * 53) % 700 for i in range(N)],
        "sold_price_kusd": [170.5 + (i * 47) % 700 for i in range(N)],
        "yard_fee": [100 + i % 90 for i in range(N)],
        "agent": _cycle("Kim", "Bo", "Lee", "Ana"),
    }
)


@pytest.fixture(scope="module")
def parcels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    yield _opened(PARCELS, tmp_path_factory.mktemp("parcels") / "parcels.csv")


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    yield _opened(HOMES, tmp_path_factory.mktemp("homes") / "homes.csv")


def _opened(frame: pd.DataFrame, path: Path) -> Analyst:
    frame.to_csv(path, index=False)
    return gnomon.open(path)


def _only(analyst: Analyst, question: str) -> float:
    answer = analyst.ask(question, today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return float(answer.facts[0].value)  # type: ignore[arg-type]


HEAVY = int((PARCELS.wt_kg > 50).sum())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("parcels heavier than 50 kg", HEAVY),
        ("parcels with a weight above 50 kg", HEAVY),
        ("how many parcels weigh more than 50000 g?", HEAVY),
        ("how many parcels are lighter than 5 kilos?", int((PARCELS.wt_kg < 5).sum())),
    ],
)
def test_a_unit_behind_a_bound_is_no_second_measure(parcels: Analyst, question: str, expected: float) -> None:
    assert _only(parcels, question) == expected


OFTEN = PARCELS.sender_id.value_counts()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many senders came more than 4 times?", int((OFTEN > 4).sum())),
        ("how many senders were there at least 6 times?", int((OFTEN >= 6).sum())),
    ],
)
def test_how_often_someone_came_counts_their_rows_and_bounds_no_age(
    parcels: Analyst, question: str, expected: float
) -> None:
    assert _only(parcels, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how long from shipping to delivery?", TOOK.mean()),
        ("median delivery time", TOOK.median()),
        ("longest delivery time", TOOK.max()),
        ("how many parcels took more than 10 days?", int((TOOK > 10).sum())),
        ("how many parcels took more than a week to deliver?", int((TOOK > 7).sum())),
        ("how many parcels were delivered within 3 days?", int((TOOK <= 3).sum())),
    ],
)
def test_the_time_between_two_dates_is_a_column_of_its_own(
    parcels: Analyst, question: str, expected: float
) -> None:
    assert _only(parcels, question) == pytest.approx(expected)


def test_the_time_between_two_dates_correlates_row_by_row(parcels: Analyst) -> None:
    answer = parcels.ask("is delivery time correlated with weight?", today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert TOOK.corr(PARCELS.wt_kg) == pytest.approx(float(answer.facts[0].value), abs=1e-6)  # type: ignore[arg-type]


CHEAP = int((HOMES.list_price_kusd < 400).sum())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many homes have a list price under 400k?", CHEAP),
        ("how many homes have a list price below $400,000?", CHEAP),
        ("homes with a list price below 0.4 million dollars", CHEAP),
        ("homes with a list price below 400", CHEAP),
        (
            "How many townhouses cost less than 400k?",
            int(((HOMES.list_price_kusd < 400) & (HOMES.kind == "Townhouse")).sum()),
        ),
        ("what is the average sold price?", HOMES.sold_price_kusd.mean()),
    ],
)
def test_money_held_in_thousands_is_bounded_in_what_was_said(
    homes: Analyst, question: str, expected: float
) -> None:
    assert _only(homes, question) == pytest.approx(expected)


def test_a_total_value_is_never_told_as_a_number_of_rows(homes: Analyst) -> None:
    answer = homes.ask("total value of condos per agent", today=TODAY)
    assert answer.status is not AnswerStatus.ANSWERED, answer.prose


VISITS = pd.DataFrame(
    {
        "visit_id": range(1, N + 1),
        "dept": _cycle("Skin", "Heart", "Bones"),
        "status": _cycle("Completed", "No-show", "Completed", "Cancelled", "Completed"),
        "new_patient": _cycle("yes", "no", "no"),
        "left_on": [f"2024-03-{1 + i % 28:02d}" if i % 4 else None for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def visits() -> Analyst:
    return gnomon.open({"visits": VISITS})


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("what is the no-show rate?", VISITS.status == "No-show"),
        ("cancellation rate for heart", VISITS[VISITS.dept == "Heart"].status == "Cancelled"),
        ("new patient rate", VISITS.new_patient == "yes"),
    ],
)
def test_the_rate_of_a_state_is_the_share_of_its_rows(
    visits: Analyst, question: str, part: pd.Series
) -> None:
    assert _only(visits, question) == pytest.approx(part.mean())


def test_the_rate_of_a_state_ranks_groups_and_an_unknown_one_is_refused(visits: Analyst) -> None:
    highest = (VISITS.status == "Cancelled").groupby(VISITS.dept).mean().idxmax()
    answer = visits.ask("which dept has the highest cancellation rate?", today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert highest in answer.prose.split("Read as")[0]
    assert visits.ask("what is the approval rate?", today=TODAY).status is not AnswerStatus.ANSWERED
