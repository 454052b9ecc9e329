"""What is asked back comes computed: every option has its figure, picking it tells that, and a name is asked about once."""

import random
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus

WORLDS = [
    ("adoptions", ("breed", "mother_breed"), ("Beagle", "Collie", "Pug"), "shelter"),
    ("parcels", ("depot", "return_depot"), ("North End", "Old Mill", "Quayside"), "carrier"),
    ("matches", ("ground", "reserve_ground"), ("Abbey Field", "Hill Top", "Low Meadow"), "league"),
]


@pytest.fixture(params=WORLDS, ids=lambda w: w[0])
def world(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Path, pd.DataFrame, tuple[str, str], str, str]]:
    rows, columns, values, group = request.param
    rng = random.Random(f"{rows} 2")
    frame = pd.DataFrame({f"{rows[:-1]}_id": range(1, 181)})
    for column in columns:
        frame[f"first_{column}" if column == columns[0] else column] = [
            rng.choice(values) for _ in range(180)
        ]
    named = (f"first_{columns[0]}", columns[1])
    frame[group] = [rng.choice(["Ash", "Birch"]) for _ in range(180)]
    file = tmp_path / f"{rows}.csv"
    frame.to_csv(file, index=False)
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path / "home"))
    return file, frame, named, columns[0].split("_")[-1], values[0]


def test_every_option_of_a_value_has_its_figure_and_can_be_picked(
    world: tuple[Path, pd.DataFrame, tuple[str, str], str, str],
) -> None:
    file, frame, columns, _, value = world
    with gnomon.open(file) as analyst:
        asked = analyst.ask(f"How many {file.stem} with {value}?")
        assert asked.status is AnswerStatus.CLARIFY, asked.prose
        assert [o.facts[0].value for o in asked.options] == [(frame[c] == value).sum() for c in columns]
        for option in asked.options:
            assert str(option.facts[0].value) in asked.prose
            assert analyst.pick(option).facts[0].value == option.facts[0].value


def test_what_a_word_was_picked_for_is_asked_about_once(
    world: tuple[Path, pd.DataFrame, tuple[str, str], str, str],
) -> None:
    file, frame, columns, word, _ = world
    question = f"number of {file.stem} by {word}"
    with gnomon.open(file) as analyst:
        asked = analyst.ask(question)
        assert asked.status is AnswerStatus.CLARIFY, asked.prose
        option = next(o for o in asked.options if columns[1].replace("_", " ") in o.said)
        truth = frame[columns[1]].value_counts().to_dict()
        assert dict(analyst.pick(option).tables[0].rows) == truth
        assert dict(analyst.ask(question).tables[0].rows) == truth
    with gnomon.open(file) as analyst:  # and not in the next process either
        assert dict(analyst.ask(question).tables[0].rows) == truth


def test_two_doubts_are_settled_by_one_pick(
    world: tuple[Path, pd.DataFrame, tuple[str, str], str, str],
) -> None:
    file, frame, columns, word, value = world
    with gnomon.open(file) as analyst:
        asked = analyst.ask(f"number of {file.stem} with {value} by {word}")
        assert asked.status is AnswerStatus.CLARIFY, asked.prose
        possible = {
            tuple(sorted(frame[frame[c] == value][g].value_counts().tolist()))
            for c in columns
            for g in columns
        }
        assert len(asked.options) > 1
        for option in asked.options:
            told = analyst.pick(option)
            counts = tuple(sorted(r[-1] for t in told.tables for r in t.rows)) or (told.facts[0].value,)
            assert counts in possible, told.prose
            assert [f.value for f in told.facts] == [f.value for f in option.facts]


def test_nothing_is_computed_for_those_who_may_not_learn_of_few_rows(
    world: tuple[Path, pd.DataFrame, tuple[str, str], str, str],
) -> None:
    file, _, _, _, value = world
    with gnomon.open(file) as analyst:
        asked = analyst.process(f"How many {file.stem} with {value}?", tries=False).answer
        assert asked.status is AnswerStatus.CLARIFY and not asked.facts
        assert len(asked.options) == 2 and not any(o.prose or o.facts for o in asked.options)


@pytest.mark.parametrize("said", ["the most", "the fewest"])
def test_what_ranks_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """“The most” was picked for one figure, and may be another one in the next question."""
    rng = random.Random(said)
    frame = pd.DataFrame(
        {"trip_id": range(120), "driver": [rng.choice(["Maes", "Roux", "Klein"]) for _ in range(120)]}
    )
    frame["km"] = [rng.randint(5, 400) for _ in range(120)]
    frame["litres"] = [rng.randint(1, 60) for _ in range(120)]
    frame.to_csv(tmp_path / "trips.csv", index=False)
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path / "home"))
    with gnomon.open(tmp_path / "trips.csv") as analyst:
        asked = analyst.ask(f"which driver has {said}?")
        assert asked.status is AnswerStatus.CLARIFY, asked.prose
        assert all(not o.word and not o.name for o in asked.options)
        assert analyst.pick(asked.options[0]).status is AnswerStatus.ANSWERED
        assert analyst.ask(f"which driver has {said}?").prose == asked.prose
