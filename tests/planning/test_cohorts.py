"""Things of one period and what became of them in another, persons behind rows, and periods without any row."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer, AnswerStatus

DRAW = np.random.default_rng(23)
NAMES = [f"{a} {b}" for a in ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn") for b in ("Adler", "Brook", "Cray", "Dunn", "Egan")]  # fmt: skip


def _gifts() -> pd.DataFrame:
    size = 220
    years = DRAW.choice([2021, 2022, 2024, 2025], size)  # nobody gave in 2023
    days = [
        date(int(y), 1, 1) + timedelta(days=int(d))
        for y, d in zip(years, DRAW.integers(0, 300, size), strict=True)
    ]
    donors = DRAW.integers(0, len(NAMES), size)
    return pd.DataFrame(
        {
            "gift_no": range(1, size + 1),
            "gift_date": days,
            "donor_name": [NAMES[i] for i in donors],
            "sex": ["F" if i % 2 else "M" for i in donors],
            "channel": DRAW.choice(["Web", "Post", "Phone"], size),
            "amount_eur": np.round(DRAW.gamma(2, 20, size), 2),
        }
    )


def _herd() -> tuple[pd.DataFrame, pd.DataFrame]:
    animals = pd.DataFrame(
        {
            "animal_id": [f"A{i:03d}" for i in range(60)],
            "species": DRAW.choice(["Cat", "Dog"], 60),
            "born_on": [date(2015, 1, 1) + timedelta(days=40 * i) for i in range(60)],
        }
    )
    size = 150
    visits = pd.DataFrame(
        {
            "visit_id": range(500, 500 + size),
            "animal_id": DRAW.choice(animals["animal_id"][:50], size),
            "visit_date": [date(2022, 1, 2) + timedelta(days=int(d)) for d in DRAW.integers(0, 1000, size)],
            "reason": DRAW.choice(["Dental", "Skin", "Check-up"], size),
            "fee_gbp": np.round(DRAW.gamma(2, 30, size), 2),
        }
    )
    return animals, visits


GIFTS, (ANIMALS, VISITS) = _gifts(), _herd()


@pytest.fixture(scope="module")
def charity(tmp_path_factory: pytest.TempPathFactory) -> gnomon.Analyst:
    folder = tmp_path_factory.mktemp("charity")
    GIFTS.to_csv(folder / "gifts.csv", index=False)
    return gnomon.open(folder)


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> gnomon.Analyst:
    folder = tmp_path_factory.mktemp("clinic")
    ANIMALS.to_csv(folder / "animals.csv", index=False)
    VISITS.to_csv(folder / "visits.csv", index=False)
    return gnomon.open(folder)


def _donors(*years: int, **told: str) -> set[str]:
    kept = GIFTS[pd.to_datetime(GIFTS["gift_date"]).dt.year.isin(years)]
    for column, value in told.items():
        kept = kept[kept[column] == value]
    return set(kept["donor_name"])


def _seen(*years: int) -> set[str]:
    return set(VISITS[pd.to_datetime(VISITS["visit_date"]).dt.year.isin(years)]["animal_id"])


def _value(answer: Answer) -> float:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return float(next(f.value for f in answer.facts if isinstance(f.value, int | float)))


@pytest.mark.parametrize(
    ("question", "true"),
    [
        ("How many donors who gave in 2021 gave again in 2024?", _donors(2021) & _donors(2024)),
        ("How many donors gave in 2021 but not in 2022?", _donors(2021) - _donors(2022)),
        ("Of the donors who gave in 2021, how many never gave again?", _donors(2021) - _donors(2022, 2024, 2025)),
        ("How many of the people who gave something in 2022 have never given again in a later year?", _donors(2022) - _donors(2024, 2025)),
        ("How many donors who gave by Phone in 2021 gave by Web in 2024?", _donors(2021, channel="Phone") & _donors(2024, channel="Web")),
        ("How many women who gave in 2021 came back in 2022?", _donors(2021, sex="F") & _donors(2022)),
        ("How many donors gave in both 2021 and 2024?", _donors(2021) & _donors(2024)),
        ("How many donors gave in 2024 and again the following year?", _donors(2024) & _donors(2025)),
        ("How many different people have given something?", set(GIFTS["donor_name"])),
        ("How many people have given by phone?", _donors(2021, 2022, 2024, 2025, channel="Phone")),
    ],
)  # fmt: skip
def test_things_of_one_period_are_looked_for_in_another(
    charity: gnomon.Analyst, question: str, true: set[str]
) -> None:
    assert _value(charity.ask(question)) == len(true)


def test_the_share_that_came_again_is_of_those_of_the_first_period(charity: gnomon.Analyst) -> None:
    answer = charity.ask("Of the donors who gave in 2021, what percent gave again in 2025?")
    share = 100 * len(_donors(2021) & _donors(2025)) / len(_donors(2021))
    assert any(isinstance(f.value, float) and f.value == pytest.approx(share) for f in answer.facts), (
        answer.prose
    )


def test_those_who_did_not_come_again_are_listed(charity: gnomon.Analyst) -> None:
    answer = charity.ask("Which donors gave in 2024 but not in 2025?")
    assert {row[0] for row in answer.tables[0].rows} == _donors(2024) - _donors(2025)


def test_things_with_a_list_of_their_own_are_told_by_what_happened_to_them(clinic: gnomon.Analyst) -> None:
    answer = clinic.ask("How many animals were seen in 2022 and not again in 2023 or 2024?")
    assert _value(answer) == len(_seen(2022) - _seen(2023, 2024))


@pytest.mark.parametrize(
    "question",
    [
        "How many donors who gave in 2021 gave again in 2031?",
        "How many donors who gave in 2021 were thanked again in 2024?",
    ],
)
def test_what_one_of_the_clauses_does_not_find_is_refused(charity: gnomon.Analyst, question: str) -> None:
    assert charity.ask(question).status is AnswerStatus.OUT_OF_SCOPE


def test_what_has_one_date_is_counted_in_each_of_both_years(charity: gnomon.Analyst) -> None:
    answer = charity.ask("How many gifts were there in both 2021 and 2024?")
    years = pd.to_datetime(GIFTS.gift_date).dt.year
    told = [f.value for f in answer.facts if isinstance(f.value, int)]
    assert told == [int((years == year).sum()) for year in (2021, 2024)]


def test_an_average_over_a_period_without_rows_is_not_told_while_a_count_is_nought(
    charity: gnomon.Analyst,
) -> None:
    refused = charity.ask("What was the average amount in 2023?")
    assert refused.status is AnswerStatus.OUT_OF_SCOPE
    assert "No rows meet the question in 2023" in refused.prose
    assert _value(charity.ask("How many gifts were there in 2023?")) == 0


def test_the_most_entries_or_of_a_state_are_rows_that_are_counted(charity: gnomon.Analyst) -> None:
    counts = GIFTS["channel"].value_counts()
    answer = charity.ask("Which channel has the most entries?")
    assert answer.tables[0].rows[0] == (counts.index[0], counts.iloc[0])
