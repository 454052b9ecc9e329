"""Questions that make a column first: what they answer is what pandas computes for the same column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus


def _trips() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    n = 300
    left = pd.Timestamp("2024-03-01 04:00") + pd.to_timedelta(
        np.arange(n) * 7 + rng.integers(0, 6, n), unit="h"
    )
    trips = pd.DataFrame(
        {
            "trip_id": np.arange(1, n + 1),
            "harbour": rng.choice(["Oban", "Troon", "Wick"], n),
            "crew": rng.integers(1, 6, n),
            "guests": rng.integers(0, 5, n),
            "length": rng.uniform(6, 14, n).round(1),
            "beam": rng.uniform(2, 4, n).round(1),
            "gross_weight": rng.uniform(50, 400, n).round(1),
            "skipper_age": rng.integers(15, 80, n).astype(float),
            "left_at": left,
            "back_at": left + pd.to_timedelta(rng.integers(60, 800, n), unit="m"),
            "remark": rng.choice(["calm", "rough sea", "fog at dawn"], n),
        }
    )
    trips["net_weight"] = (trips["gross_weight"] * rng.uniform(0.7, 0.95, n)).round(1)
    trips.loc[rng.choice(n, 9, False), "skipper_age"] = np.nan
    trips.loc[rng.choice(n, 5, False), "net_weight"] = np.nan
    return trips


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> Iterator[gnomon.Analyst]:
    path: Path = tmp_path_factory.mktemp("harbour") / "trips.csv"
    _trips().to_csv(path, index=False)
    with gnomon.open(path) as analyst:
        yield analyst


def _figures(analyst: gnomon.Analyst, question: str) -> list[float]:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return [f.value for f in answer.facts if isinstance(f.value, int | float)]


def _holds(analyst: gnomon.Analyst, question: str, *expected: float) -> None:
    found = _figures(analyst, question)
    for value in expected:
        assert any(f == pytest.approx(value, rel=1e-9) for f in found), (question, value, found)


def test_a_difference_of_two_columns_is_taken_in_every_row(trips: gnomon.Analyst) -> None:
    frame = _trips()
    loss = frame["gross_weight"] - frame["net_weight"]
    _holds(trips, "What is the average difference between gross weight and net weight?", loss.mean())
    _holds(trips, "What is the highest gross weight minus net weight?", loss.max())
    by = loss.groupby(frame["harbour"]).mean()
    _holds(
        trips, "What is the average difference between gross and net weight by harbour?", by.max(), by.min()
    )
    assert "5 rows" in trips.ask("What is the median difference between gross and net weight?").prose


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("average of length times beam", lambda f: (f["length"] * f["beam"]).mean()),
        (
            "What is the average ratio of net weight to gross weight?",
            lambda f: (f["net_weight"] / f["gross_weight"]).mean(),
        ),
        (
            "What is the median of (gross_weight - net_weight) / length?",
            lambda f: ((f["gross_weight"] - f["net_weight"]) / f["length"]).median(),
        ),
        ("What is the mean of crew + guests?", lambda f: (f["crew"] + f["guests"]).mean()),
        (
            "What is the average number of hours between left_at and back_at?",
            lambda f: ((f["back_at"] - f["left_at"]).dt.total_seconds() / 3600).mean(),
        ),
        (
            "What is the average absolute difference between crew and guests?",
            lambda f: (f["crew"] - f["guests"]).abs().mean(),
        ),
    ],
)
def test_arithmetic_inside_of_a_question_is_done_for_each_row(
    trips: gnomon.Analyst, question: str, truth: Callable[[pd.DataFrame], float]
) -> None:
    _holds(trips, question, float(truth(_trips())))


def test_a_named_column_is_meant_by_its_name_and_as_the_new_one(trips: gnomon.Analyst) -> None:
    frame = _trips()
    people = frame["crew"] + frame["guests"]
    made = 'Create a new column called "PartySize" by summing the "crew" and "guests" columns.'
    _holds(
        trips,
        f"{made} Calculate the mean, median, and standard deviation of this new column.",
        people.mean(),
        people.median(),
        people.std(),
    )
    _holds(
        trips,
        f"{made} Then, calculate the Pearson correlation between the PartySize and gross_weight columns.",
        people.corr(frame["gross_weight"]),
    )
    by = people.groupby(frame["harbour"]).mean()
    answer = trips.ask(f"{made} Which harbour has the highest average party size?")
    assert str(by.idxmax()) in answer.prose
    assert "crew plus guests" in answer.prose


def test_a_formula_is_read_as_arithmetic_over_columns(trips: gnomon.Analyst) -> None:
    frame = _trips()
    area = frame["length"] * frame["beam"]
    _holds(trips, "Area = length * beam. What is the median area?", area.median())
    _holds(trips, "Let area be length * beam. What is the correlation between area and gross weight?",
           area.corr(frame["gross_weight"]))  # fmt: skip
    _holds(trips, "What is the average area, where area = length * beam?", area.mean())


def test_ranges_with_labels_make_groups_and_the_rest_is_not_lost(trips: gnomon.Analyst) -> None:
    frame = _trips()
    question = (
        "Create a column AgeGroup that categorizes the skippers by skipper age into three groups: 'Young' (15-29), "
        "'Middle' (30-54) and 'Old' (55 and above). Then calculate the mean gross weight for each age group."
    )
    group = pd.cut(frame["skipper_age"], [15, 30, 55, 200], right=False, labels=["Young", "Middle", "Old"])
    expected = frame.groupby(group, observed=True)["gross_weight"].mean()
    answer = trips.ask(question)
    rows = {r[0]: r[1] for t in answer.tables for r in t.rows}
    assert {k: rows[k] for k in ("Young", "Middle", "Old")} == pytest.approx(expected.to_dict())
    assert "“Young” from 15 to below 30" in answer.prose


def test_flags_and_lengths_of_text_are_columns_too(trips: gnomon.Analyst) -> None:
    frame = _trips()
    alone = frame["guests"] == 0
    answer = trips.ask("Create a flag alone: whether guests is 0. What share of trips is alone?")
    assert any(f.value == pytest.approx(100 * alone.mean()) for f in answer.facts), answer.facts
    _holds(
        trips,
        "Create a column note_length as the length of remark. What is the average note_length?",
        frame["remark"].str.len().mean(),
    )


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        (
            "Replace missing values in net_weight with 0, then compute the mean net_weight.",
            lambda f: f["net_weight"].fillna(0).mean(),
        ),
        (
            "Fill missing values of skipper_age with the median. What is the standard deviation of skipper age?",
            lambda f: f["skipper_age"].fillna(f["skipper_age"].median()).std(),
        ),
        (
            "Remove rows with missing net_weight. What is the median gross weight?",
            lambda f: f.dropna(subset=["net_weight"])["gross_weight"].median(),
        ),
        ("Drop all rows with missing values. How many trips are left?", lambda f: len(f.dropna())),
        (
            "Normalize gross_weight using min-max scaling. What is the mean of the scaled column?",
            lambda f: (
                (f["gross_weight"] - f["gross_weight"].min())
                / (f["gross_weight"].max() - f["gross_weight"].min())
            ).mean(),
        ),
        (
            "Apply a log transformation to gross_weight. What is the median of the transformed column?",
            lambda f: np.log(f["gross_weight"]).median(),
        ),
    ],
)
def test_what_is_done_to_a_column_before_is_done_exactly(
    trips: gnomon.Analyst, question: str, truth: Callable[[pd.DataFrame], float]
) -> None:
    _holds(trips, question, float(truth(_trips())))


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Impute missing skipper_age using KNN. What is the mean skipper age?", "knn"),
        ("Impute missing skipper_age by linear interpolation, then compute its mean.", "interpolation"),
        ("Apply PCA to crew and guests. What is the mean crew?", "PCA"),
        ("One-hot encode harbour, then compute the average gross weight.", "encode"),
        ("Create a new column called Rank by ordering the pilots. What is the mean crew?", "Rank"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(trips: gnomon.Analyst, question: str, word: str) -> None:
    answer = trips.ask(question)
    assert answer.status is not AnswerStatus.ANSWERED
    assert not answer.facts
    assert word in answer.prose


@pytest.mark.parametrize(
    "question",
    [
        "Group the skippers by age: young (under 30), middle (30 to 54), old (55 and above). "
        "What is the average gross weight of each group?",
        "What is the average gross weight for skipper age groups 0-29, 30-54, 55+?",
    ],
)
def test_rows_in_none_of_the_ranges_are_counted_and_told(trips: gnomon.Analyst, question: str) -> None:
    frame = _trips()
    group = pd.cut(frame["skipper_age"], [0, 30, 55, 200], right=False)
    means = frame.groupby(group, observed=True)["gross_weight"].mean()
    answer = trips.ask(question)
    assert [r[1] for t in answer.tables for r in t.rows] == pytest.approx(sorted(means, reverse=True))
    assert "9 rows lie in none of the ranges" in answer.prose
    assert any(f.name == "rows_in_no_range" and f.value == 9 for f in answer.facts)


def test_parts_of_a_date_are_taken_as_columns(trips: gnomon.Analyst) -> None:
    frame = _trips()
    hours = frame.groupby(frame["left_at"].dt.hour)["gross_weight"].mean()
    _holds(
        trips,
        "Extract the hour from left_at. What is the average gross weight by hour?",
        hours.max(),
        hours.min(),
    )
    days = frame.groupby(frame["left_at"].dt.day_name())["gross_weight"].mean()
    answer = trips.ask(
        "Extract the weekday from left_at. Which weekday has the highest average gross weight?"
    )
    assert str(days.idxmax()) in answer.prose


def test_the_change_from_the_row_before_follows_the_dates(trips: gnomon.Analyst) -> None:
    change = _trips().sort_values("left_at")["gross_weight"].pct_change() * 100
    question = 'Create a new column "step" as the percentage change in gross_weight from the previous trip. What is its mean?'
    answer = trips.ask(question)
    assert answer.facts[0].value == pytest.approx(change.mean())
    assert answer.facts[0].unit == "%"
    assert "1 row has no value" in answer.prose


@pytest.mark.parametrize(
    "question",
    [
        "Fill missing values of skipper_age with the mode of each harbour. What is the mean skipper age?",
        "Drop rows where net_weight is missing and crew is 3. What is the mean gross weight?",
        "Categorise Oban trips by skipper age into young (under 30) and old (30 and above). What is the mean crew of each group?",
    ],
)
def test_a_change_of_which_only_a_part_is_understood_is_not_made(
    trips: gnomon.Analyst, question: str
) -> None:
    answer = trips.ask(question)
    assert answer.status is not AnswerStatus.ANSWERED
    assert not answer.facts


def test_a_made_column_is_known_in_the_questions_that_follow(trips: gnomon.Analyst) -> None:
    frame = _trips()
    people = frame["crew"] + frame["guests"]
    talk = trips.conversation()
    first = talk.ask(
        'Create a new column called "PartySize" by summing crew and guests. What is its average?'
    )
    assert first.facts[0].value == pytest.approx(people.mean())
    by = talk.ask("And by harbour?")
    means = people.groupby(frame["harbour"]).mean()
    assert [r[1] for t in by.tables for r in t.rows] == pytest.approx(sorted(means, reverse=True))
    related = talk.ask("What is the correlation between PartySize and gross weight?")
    assert any(f.value == pytest.approx(people.corr(frame["gross_weight"])) for f in related.facts)


def test_labels_of_ranges_are_values_in_the_questions_that_follow(trips: gnomon.Analyst) -> None:
    frame = _trips()
    talk = trips.conversation()
    talk.ask(
        "Group the skippers by age: young (under 30), grown (30 and above). What is the mean crew of each group?"
    )
    answer = talk.ask("What is the average gross weight of the young?")
    assert answer.facts[0].value == pytest.approx(frame.loc[frame["skipper_age"] < 30, "gross_weight"].mean())


def test_the_sum_of_two_columns_comes_with_each_of_them(trips: gnomon.Analyst) -> None:
    frame = _trips()
    both = frame["gross_weight"].sum() + frame["net_weight"].sum()
    _holds(trips, "What is the sum of gross weight and net weight?", both, frame["gross_weight"].sum())
    _holds(trips, "What is the total of gross weight and net weight combined?", both)


def test_a_bound_on_arithmetic_counts_rows(trips: gnomon.Analyst) -> None:
    frame = _trips()
    many = int((frame["gross_weight"] - frame["net_weight"] > 50).sum())
    _holds(trips, "How many trips have a gross weight minus net weight above 50?", many)


@pytest.fixture(scope="module")
def prices(tmp_path_factory: pytest.TempPathFactory) -> Iterator[gnomon.Analyst]:
    path: Path = tmp_path_factory.mktemp("market") / "barley.csv"
    _prices().to_csv(path, index=False)
    with gnomon.open(path) as analyst:
        yield analyst


def _prices() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    days = pd.date_range("2023-01-02", periods=120)
    paid = 100 + rng.normal(0, 2, 120).cumsum().round(2)
    frame = pd.DataFrame({"day": days, "paid": paid, "asked": (paid + rng.uniform(-3, 5, 120)).round(2)})
    return frame.sample(frac=1, random_state=3)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        (
            "What is the average daily percentage change in paid?",
            lambda f: 100 * f["paid"].pct_change().mean(),
        ),
        (
            'Create a column called "Daily Return" as the percentage change in paid from the previous day. '
            'Calculate the mean and standard deviation of the "Daily Return" column.',
            lambda f: 100 * f["paid"].pct_change().std(),
        ),
        ("What was the biggest one-day increase in paid?", lambda f: f["paid"].diff().max()),
        (
            "Calculate the step as the change in paid from the previous day and give me its standard deviation.",
            lambda f: f["paid"].diff().std(),
        ),
        (
            "Create gap by subtracting paid from asked. What is the median gap?",
            lambda f: (f["asked"] - f["paid"]).median(),
        ),
        (
            "Create a flag 'dear' indicating whether paid is greater than asked. How many rows have dear = 1?",
            lambda f: (f["paid"] > f["asked"]).sum(),
        ),
    ],
)
def test_steps_follow_the_dates_however_rows_are_held(
    prices: gnomon.Analyst, question: str, truth: Callable[[pd.DataFrame], float]
) -> None:
    _holds(prices, question, float(truth(_prices().sort_values("day"))))


def test_a_ratio_of_two_columns_adds_both_up(trips: gnomon.Analyst) -> None:
    frame = _trips()
    _holds(trips, "What is the ratio of crew to guests?", frame["crew"].sum() / frame["guests"].sum())
    loss = frame["gross_weight"] - frame["net_weight"]
    question = "Is there a correlation between the difference of gross and net weight and skipper age?"
    _holds(trips, question, loss.corr(frame["skipper_age"]))
