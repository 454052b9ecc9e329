"""What is asked back can be answered, a reply settles the words it was asked about, and nothing is asked twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

WORLDS = [
    ("visits", "club", "home_club", "Old Town"),
    ("parcels", "depot", "return_depot", "North End"),
    ("loans", "branch", "home_branch", "Riverside"),
    ("rentals", "station", "last_station", "Mill Lane"),
]
CHANNELS = ["web", "phone", "desk"]


def _frame(rows: str, near: str, far: str, place: str) -> pd.DataFrame:
    rng = np.random.default_rng(len(rows) + len(near))
    count = 600
    places = [place, "Harbour", "Westgate"]
    days = pd.date_range("2022-01-01", "2023-12-31", periods=count).normalize()
    return pd.DataFrame(
        {
            f"{rows[:-1]}_id": np.arange(count),
            "day": days,
            near: rng.choice(places, count, p=[0.2, 0.3, 0.5]),
            far: rng.choice(places, count, p=[0.5, 0.3, 0.2]),
            "channel": rng.choice(CHANNELS, count, p=[0.5, 0.3, 0.2]),
            "fee": rng.gamma(2, 20, count).round(2),
            "minutes": rng.integers(5, 90, count),
        }
    )


@pytest.fixture(scope="module", params=WORLDS, ids=[w[0] for w in WORLDS])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Analyst, pd.DataFrame, tuple[str, str, str, str]]]:
    frame = _frame(*request.param)
    file: Path = tmp_path_factory.mktemp("replies") / f"{request.param[0]}.csv"
    frame.to_csv(file, index=False)
    with gnomon.open(file) as opened:
        yield opened, frame, request.param


World = tuple[Analyst, pd.DataFrame, tuple[str, str, str, str]]


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("by_name", [False, True], ids=["number", "words"])
@pytest.mark.parametrize("tail", ["", " in 2023", " by channel"])
def test_a_reply_settles_the_words_it_was_asked_about_and_keeps_the_rest(
    world: World, place: int, by_name: bool, tail: str
) -> None:
    analyst, frame, (rows, near, far, value) = world
    talk = analyst.conversation()
    asked = talk.ask(f"How many {rows} at {value}{tail}?")
    assert asked.status is AnswerStatus.CLARIFY, asked.prose
    column = (near, far)[place]
    if by_name and column == near:
        pytest.skip("the words of the longer name hold those of the shorter one")
    said = column.replace("_", " ")
    told = talk.ask(said if by_name else str(1 + _options(asked).index(f"{said} {value}")))
    assert told.status is AnswerStatus.ANSWERED, told.prose
    kept = frame[frame[column] == value]
    if "2023" in tail:
        kept = kept[kept["day"].dt.year == 2023]
    if "channel" in tail:
        assert dict(told.tables[0].rows) == kept["channel"].value_counts().to_dict()
    else:
        assert told.facts[0].value == len(kept)


@pytest.mark.parametrize("pick", [0, 1])
def test_the_question_of_an_option_means_it_also_to_those_who_hold_no_conversation(
    world: World, pick: int
) -> None:
    analyst, frame, (_, near, far, value) = world
    asked = analyst.ask(f"Busiest day of the week at {value}")
    assert asked.status is AnswerStatus.CLARIFY and len(asked.suggestions) == 2
    column = (near, far)[pick]
    place = _options(asked).index(f"{column.replace('_', ' ')} {value}")
    told = analyst.ask(asked.suggestions[place])
    days = frame[frame[column] == value]["day"].dt.day_name().value_counts()
    assert told.status is AnswerStatus.ANSWERED
    assert told.tables[0].rows[0][-1] == days.max()


ODD = [
    "total fee minutes in 2023", "what share of fee comes from minutes", "fee minutes at {value}", "average fee of minutes by channel",
    "how many {rows} were below the minutes of fee", "total minutes feed in 2023", "median fee per minutes in 2022", "minutes by fee",
    "Busiest {near} at {value}", "top 3 {near}", "best {near}", "which channel has the most at {value}", "{value} or Harbour?",
    "is {value} better than Harbour?", "how many {rows} per {near} overall?", "most popular channel at {value} or Westgate",
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_what_is_asked_back_has_two_answers_at_least_and_is_never_asked_again(world: World, odd: str) -> None:
    analyst, _, (rows, near, _far, value) = world
    question = odd.format(rows=rows, near=near, value=value)
    first = analyst.conversation().ask(question)
    if first.status is not AnswerStatus.CLARIFY:
        return
    options = _options(first)
    assert len(options) > 1, first.prose
    for n in range(1, len(options) + 1):
        talk = analyst.conversation()
        talk.ask(question)
        told = talk.ask(str(n))
        assert told.prose != first.prose, question
        for _ in range(3):
            told = talk.ask("1") if told.status is AnswerStatus.CLARIFY else told
        assert told.status is AnswerStatus.ANSWERED, (question, n, told.prose)


def _options(answer: Answer) -> list[str]:
    if answer.options:
        return [o.said.rpartition(" as ")[2] for o in answer.options]
    said = answer.prose.partition("could mean")[2]
    return [part.partition("”")[0] for part in said.split("“")[1:]]


def test_two_readings_that_come_to_the_same_are_not_asked_about(tmp_path: Path) -> None:
    towns = ["Paris", "Rome"] * 50
    file = tmp_path / "shipments.csv"
    frame = {
        "shipment_id": range(100),
        "origin": towns,
        "destination": towns[1:] + towns[:1],
        "weight": range(100),
    }
    pd.DataFrame(frame).to_csv(file, index=False)
    with gnomon.open(file) as opened:
        told = opened.ask("How many shipments for Paris?")
    assert told.status is AnswerStatus.ANSWERED and told.facts[0].value == 50
    assert "“Paris” was taken as" in told.prose


@pytest.mark.parametrize(("few", "many"), [("Cat", "Dog"), ("Rail", "Road"), ("Oak", "Pine")])
def test_one_way_to_compare_is_taken_and_not_asked_about(tmp_path: Path, few: str, many: str) -> None:
    file = tmp_path / "things.csv"
    kinds = [few] * 30 + [many] * 50
    pd.DataFrame({"thing_id": range(80), "kind": kinds, "ward": ["A", "B"] * 40}).to_csv(file, index=False)
    with gnomon.open(file) as opened:
        told = opened.ask(f"Is there more {few} or {many}?")
    assert told.status is AnswerStatus.ANSWERED, told.prose
    assert {f.value for f in told.facts} >= {30, 50}


@pytest.fixture(scope="module")
def gym(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Analyst, pd.DataFrame]]:
    rng = np.random.default_rng(8)
    folder = tmp_path_factory.mktemp("gym")
    members = pd.DataFrame(
        {"member_id": range(1, 61), "sex": ["F", "M", "F"] * 20, "fee": rng.integers(20, 60, 60)}
    )
    visits = pd.DataFrame(
        {
            "visit_id": range(900),
            "member_id": rng.integers(1, 61, 900),
            "visit_date": pd.date_range("2023-01-01", periods=900, freq="8h").date,
            "minutes": rng.integers(20, 120, 900),
        }
    )
    members.to_csv(folder / "members.csv", index=False)
    visits.to_csv(folder / "visits.csv", index=False)
    with gnomon.open(folder) as opened:
        yield opened, visits.merge(members, on="member_id")


@pytest.mark.parametrize(
    "words", ["do women come more often than men?", "do men come more often than women?"]
)
def test_a_code_is_not_looked_for_within_other_words(gym: tuple[Analyst, pd.DataFrame], words: str) -> None:
    analyst, frame = gym
    talk = analyst.conversation()
    asked = talk.ask(words)
    assert asked.status is AnswerStatus.CLARIFY
    assert all("more often than" in s for s in asked.suggestions)
    assert "“F”" in asked.prose or "“M”" in asked.prose
    place = next(n for n, o in enumerate(_options(asked), 1) if "number of visits" in o)
    told = talk.ask(str(place))
    assert told.status is AnswerStatus.ANSWERED
    assert {*frame["sex"].value_counts()} <= {f.value for f in told.facts}


@pytest.mark.parametrize("group", ["channel", "room"])
def test_a_time_that_may_end_twice_is_asked_about_with_its_groups(tmp_path: Path, group: str) -> None:
    rng = np.random.default_rng(3)
    booked = pd.Series(pd.date_range("2023-01-01", periods=300))
    arrives = booked + pd.to_timedelta(rng.integers(3, 60, 300), "D")
    leaves = arrives + pd.to_timedelta(rng.integers(1, 9, 300), "D")
    names = {
        "booking_id": range(300),
        "booked_on": booked.dt.date,
        "check_in": arrives.dt.date,
        "check_out": leaves.dt.date,
    }
    frame = pd.DataFrame({**names, group: rng.choice(["a1", "b2", "c3"], 300)})
    frame.to_csv(tmp_path / "bookings.csv", index=False)
    with gnomon.open(tmp_path / "bookings.csv") as opened:
        for n, ends in enumerate((arrives, leaves), 1):
            talk = opened.conversation()
            assert talk.ask(f"how far in advance do people book, by {group}?").status is AnswerStatus.CLARIFY
            told = talk.ask(str(n))
            true = (ends - booked).dt.days.groupby(frame[group]).mean().to_dict()
            assert dict(told.tables[0].rows) == pytest.approx(true)


@pytest.mark.parametrize("whole", ["overall", "in total", "altogether"])
@pytest.mark.parametrize(
    ("above", "below"), [("students", "teachers"), ("beds", "nurses"), ("parcels", "vans")]
)
def test_what_says_that_all_is_meant_behind_a_ratio_is_said_of_the_ratio(
    tmp_path: Path, above: str, below: str, whole: str
) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "site": [f"S{i}" for i in range(90)],
            above: rng.integers(50, 900, 90),
            below: rng.gamma(9, 4, 90).round(2),
        }
    )
    frame.to_csv(tmp_path / "sites.csv", index=False)
    with gnomon.open(tmp_path / "sites.csv") as opened:
        told = opened.ask(f"How many {above} are there per {below[:-1]} {whole}?")
    assert told.status is AnswerStatus.ANSWERED, told.prose
    assert told.facts[0].value == pytest.approx(frame[above].sum() / frame[below].sum())


@pytest.mark.parametrize("word", ["zip", "ward", "route"])
def test_what_a_number_is_of_is_no_value_beside_it(tmp_path: Path, word: str) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "license": np.arange(400),
            "animal_name": rng.choice([word.title(), "Rex", "Luna", "Max"], 400),
            f"{word}_code": rng.choice([98122, 98115, 98103], 400),
        }
    )
    frame.to_csv(tmp_path / "pets.csv", index=False)
    with gnomon.open(tmp_path / "pets.csv") as opened:
        told = opened.ask(f"how many pets in {word} 98122?")
    assert told.facts[0].value == (frame[f"{word}_code"] == 98122).sum(), told.prose
