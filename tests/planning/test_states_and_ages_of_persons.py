"""States told by what was done or not, things that never did it, and persons told by their age where rows tell of them."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer, AnswerStatus

DRAW = np.random.default_rng(31)
SIZE = 320


def _bookings() -> pd.DataFrame:
    members = DRAW.integers(0, 90, SIZE)
    return pd.DataFrame(
        {
            "booking_id": range(1, SIZE + 1),
            "class_date": [date(2023, 1, 2) + timedelta(days=int(d)) for d in DRAW.integers(0, 700, SIZE)],
            "member_id": [f"M{m:03d}" for m in members],
            "age": [16 + (int(m) * 11) % 62 for m in members],
            "coach": DRAW.choice(["Ana Roe", "Bob Lim", "Cy Tan"], SIZE),
            "status": DRAW.choice(["Attended", "Cancelled", "No-show"], SIZE, p=[0.6, 0.25, 0.15]),
            "price_usd": DRAW.choice([8.0, 10.0, 12.5], SIZE),
        }
    )


def _results() -> pd.DataFrame:
    runners = DRAW.integers(0, 80, SIZE)
    status = DRAW.choice(["Finished", "DNF", "DNS"], SIZE, p=[0.5, 0.3, 0.2])
    return pd.DataFrame(
        {
            "race": DRAW.choice(["Hill Ten", "Lake Half"], SIZE),
            "race_date": [date(2022, 3, 1) + timedelta(days=int(d)) for d in DRAW.integers(0, 900, SIZE)],
            "runner_name": [f"Runner {chr(65 + r % 26)}{r:02d}" for r in runners],
            "sex": ["F" if r % 2 else "M" for r in runners],
            "age_on_day": [18 + (int(r) * 7) % 60 for r in runners],
            "entry_fee_gbp": DRAW.choice([55.0, 65.0, 80.0], SIZE),
            "finish_min": np.where(status == "Finished", np.round(DRAW.normal(90, 12, SIZE), 1), np.nan),
            "result_status": status,
        }
    )


BOOKINGS, RESULTS = _bookings(), _results()
YEAR = pd.to_datetime(RESULTS["race_date"]).dt.year


@pytest.fixture(scope="module")
def gym(tmp_path_factory: pytest.TempPathFactory) -> gnomon.Analyst:
    folder = tmp_path_factory.mktemp("gym")
    BOOKINGS.to_csv(folder / "bookings.csv", index=False)
    return gnomon.open(folder)


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> gnomon.Analyst:
    folder = tmp_path_factory.mktemp("races")
    RESULTS.to_csv(folder / "results.csv", index=False)
    return gnomon.open(folder)


def _value(answer: Answer) -> float:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return float(next(f.value for f in answer.facts if isinstance(f.value, int | float)))


def _members(*states: str) -> set[str]:
    return set(BOOKINGS[BOOKINGS["status"].isin(states)]["member_id"])


EVERYBODY = set(BOOKINGS["member_id"])


@pytest.mark.parametrize(
    ("question", "true"),
    [
        ("How many members failed to show up?", len(_members("No-show"))),
        ("How many different members have turned up for at least one booking?", len(_members("Attended"))),
        ("How many bookings did members not turn up for?", int((BOOKINGS["status"] == "No-show").sum())),
        ("How many bookings were not attended?", int((BOOKINGS["status"] != "Attended").sum())),
        ("How many members never cancelled?", len(EVERYBODY - _members("Cancelled"))),
        ("How many members have a clean sheet, meaning they never cancelled and never failed to show up?", len(EVERYBODY - _members("Cancelled", "No-show"))),
        ("How many bookings were made by the over-60s?", int((BOOKINGS["age"] > 60).sum())),
        ("How many members over 60 cancelled?", BOOKINGS[(BOOKINGS["age"] > 60) & (BOOKINGS["status"] == "Cancelled")]["member_id"].nunique()),
    ],
)  # fmt: skip
def test_states_and_ages_of_those_who_booked(gym: gnomon.Analyst, question: str, true: int) -> None:
    assert _value(gym.ask(question)) == true


@pytest.mark.parametrize(
    ("question", "true"),
    [
        ("How many runners didn't start in 2023?", RESULTS[(RESULTS["result_status"] == "DNS") & (YEAR == 2023)]["runner_name"].nunique()),
        ("How many entries did not finish in 2023?", int(((RESULTS["result_status"] == "DNF") & (YEAR == 2023)).sum())),
        ("How many runners never finished a race?", RESULTS["runner_name"].nunique() - RESULTS[RESULTS["result_status"] == "Finished"]["runner_name"].nunique()),
        ("How many runners finished in 2023?", RESULTS[(RESULTS["result_status"] == "Finished") & (YEAR == 2023)]["runner_name"].nunique()),
        ("How many different people have ever entered one of our races?", RESULTS["runner_name"].nunique()),
        ("How many entries did runners over 60 make?", int((RESULTS["age_on_day"] > 60).sum())),
        ("How many under-30s entered in 2023?", RESULTS[(RESULTS["age_on_day"] < 30) & (YEAR == 2023)]["runner_name"].nunique()),
    ],
)  # fmt: skip
def test_states_and_ages_of_those_who_ran(races: gnomon.Analyst, question: str, true: int) -> None:
    assert _value(races.ask(question)) == true


def test_the_coach_with_the_most_no_shows_is_found_by_counting(gym: gnomon.Analyst) -> None:
    counts = BOOKINGS[BOOKINGS["status"] == "No-show"]["coach"].value_counts()
    assert gym.ask("Which coach had the most no-shows?").tables[0].rows[0] == (
        counts.index[0],
        counts.iloc[0],
    )


def test_the_share_of_persons_who_did_it_is_that_of_each_group(gym: gnomon.Analyst) -> None:
    shares = {
        coach: 100 * rows[rows["status"] == "Cancelled"]["member_id"].nunique() / rows["member_id"].nunique()
        for coach, rows in BOOKINGS.groupby("coach")
    }
    best = max(shares, key=lambda c: shares[c])
    answer = gym.ask("Which coach has the highest share of members who cancelled?")
    assert answer.tables[0].rows[0][0] == best
    assert answer.tables[0].rows[0][-1] == pytest.approx(shares[best])


@pytest.mark.parametrize("question", ["How many members never paid?", "How many members failed to stretch?"])
def test_what_no_state_tells_is_refused(gym: gnomon.Analyst, question: str) -> None:
    assert gym.ask(question).status is not AnswerStatus.ANSWERED


def test_rows_of_a_state_are_counted_for_each_of_those_that_have_a_list_of_their_own(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("coached")
    BOOKINGS.to_csv(folder / "bookings.csv", index=False)
    coaches = pd.DataFrame({"coach": ["Ana Roe", "Bob Lim", "Cy Tan"], "band": ["A", "B", "A"]})
    coaches.to_csv(folder / "coaches.csv", index=False)
    analyst = gnomon.open(folder)
    counts = BOOKINGS[BOOKINGS["status"] == "No-show"]["coach"].value_counts()
    assert dict(analyst.ask("How many no-shows did each coach have?").tables[0].rows) == counts.to_dict()
    assert _value(analyst.ask("How many bookings were made by the over-60s?")) == (BOOKINGS["age"] > 60).sum()
