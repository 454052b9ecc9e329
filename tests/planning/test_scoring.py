"""The scorer of context extraction gives marks for what is right and only for that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.planning.prompts.samples import SAMPLES, Rows, sample
from tests.planning.scoring import PARAMETERS, matched, read_labels, same_constraint, same_value, score

from gnomon.tools.goals import Goal

PROMPTS = Path(__file__).parent / "prompts"
FILES = [PROMPTS / "development.jsonl", PROMPTS / "held_out.jsonl"]


def _perfect(path: Path) -> dict[str, dict[str, Any]]:
    return {
        label["prompt"]: {
            "goals": label["goals"],
            "data_type": label["data_type"],
            "parameters": label["parameters"],
            "constraints": label["constraints"],
            "user_preferences": {
                "output_format": label["output_format"],
                "visualization": label["visualization"],
            },
        }
        for label in read_labels(path)
    }


def _empty(prompt: str, rows: Rows | None) -> dict[str, Any]:
    preferences = {"output_format": None, "visualization": None}
    return {
        "goals": ["none"],
        "data_type": None,
        "parameters": {},
        "constraints": [],
        "user_preferences": preferences,
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_extractor_that_repeats_the_labels_is_perfect(path: Path) -> None:
    answers = _perfect(path)
    marks = score(lambda prompt, rows: answers[prompt], path)
    assert marks.pop("prompts") == 110
    assert set(marks.values()) == {1.0}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_extractor_that_says_nothing_gets_nothing(path: Path) -> None:
    marks = score(_empty, path)
    assert marks.pop("prompts") == 110
    assert set(marks.values()) == {0.0}


def test_marks_are_the_shares_that_one_counts_by_hand(tmp_path: Path) -> None:
    blank = {"data": None, "data_type": None, "visualization": False, "output_format": None}
    labels = [
        {
            **blank,
            "prompt": "a",
            "goals": ["trend_analysis", "forecast"],
            "parameters": {"horizon": 3, "top": 5},
            "constraints": ["only weekdays", "under 5 seconds"],
        },
        {
            **blank,
            "prompt": "b",
            "goals": [],
            "data_type": "tabular",
            "parameters": {},
            "constraints": [],
            "output_format": "csv",
        },
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(json.dumps(label) for label in labels))
    answers: dict[str, dict[str, Any]] = {
        "a": {
            "goals": ["forecast", "trend_analysis"],
            "data_type": "unknown",
            "parameters": {"horizon": 3.0, "bins": 9, "metric": "unlabelled", "ascending": False},
            "constraints": ["weekdays"],
            "user_preferences": {"output_format": "json", "visualization": False},
        },
        "b": {
            "goals": [],
            "data_type": "tabular",
            "parameters": {},
            "constraints": [],
            "user_preferences": {"output_format": "json", "visualization": True},
        },
    }
    marks = score(lambda prompt, rows: answers[prompt], path)
    assert marks == {
        "prompts": 2.0,
        "goals": 0.5,
        "goals_set": 1.0,
        "data_type": 1.0,
        "parameters": 0.5,
        "constraints": 0.5,
        "visualization": 0.5,
        "output_format": 0.0,
    }


def test_rows_reach_the_extractor_only_where_the_prompt_has_data(tmp_path: Path) -> None:
    seen: list[Rows | None] = []

    def watch(prompt: str, rows: Rows | None) -> dict[str, Any]:
        seen.append(rows)
        return _empty(prompt, rows)

    bare = {"goals": [], "data_type": None, "parameters": {}, "constraints": [], "visualization": False}
    lines = [{**bare, "prompt": "x", "output_format": None, "data": data} for data in ("survey", None)]
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    score(watch, path)
    assert seen == [SAMPLES["survey"](), None]


def test_a_metric_counts_only_where_it_is_labelled() -> None:
    assert matched({"top": 3}, {"top": 3, "metric": "sales"}) == (1, 1, 1)
    assert matched({"metric": "sales"}, {"metric": "units"}) == (0, 1, 1)
    assert matched({"metric": "sales"}, {}) == (0, 1, 0)


@pytest.mark.parametrize(
    ("wanted", "given", "same"),
    [
        (0.95, 0.95 + 1e-12, True),
        (0.95, 95, False),
        (14, 14.0, True),
        (True, 1, False),
        ("annual_spend", "Annual Spend", True),
        ("sales", "units", False),
        ("14", 14, False),
        (["region"], "Region", True),
        (["device", "source"], ["source", "device"], True),
        (["device"], ["device", "source"], False),
    ],
)
def test_values_are_compared_by_what_they_say(wanted: Any, given: Any, same: bool) -> None:
    assert same_value(wanted, given) is same


@pytest.mark.parametrize(
    ("wanted", "given", "same"),
    [
        ("under 5 seconds", "within 5s", True),
        ("under 5 seconds", "max_seconds: 5", True),
        ("under 5 seconds", "under 50 seconds", False),
        ("at least 3 employees", "at least three", True),
        ("at least 3 employees", "at most 3 employees", False),
        ("no more than 15 seconds", "at most 15 seconds", True),
        ("no fewer than 4 visits", "less than 4 visits", False),
        ("excluding weekends", "not weekends", True),
        ("excluding weekends", "only weekends", False),
        ("only weekdays", "weekdays only", True),
        ("since 2024-01-01", "date >= 2024-01-01", True),
        ("since 2024-01-01", "since 2023-01-01", False),
        ("only weekdays", "only", False),
        (
            "only weekdays",
            "please look whether any readings seem strange on weekdays for all machines in our old northern plant",
            False,
        ),
    ],
)
def test_constraints_agree_in_numbers_words_and_direction(wanted: str, given: str, same: bool) -> None:
    assert same_constraint(wanted, given) is same
    assert same_constraint(given, wanted) is same


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_labels_use_the_vocabulary_and_the_words_of_their_prompt(path: Path) -> None:
    goals = {goal.value for goal in Goal}
    used: set[str] = set()
    for label in read_labels(path):
        rows = sample(label["data"])
        assert set(label["parameters"]) <= PARAMETERS, label
        assert all(phrase in label["prompt"].lower() for phrase in label["constraints"]), label
        assert label["visualization"] is ("visualize" in label["goals"]), label
        columns = [*label["parameters"].get("group_by", []), label["parameters"].get("metric")]
        assert rows is None or {column for column in columns if column} <= set(rows[0]), label
        used |= set(label["goals"])
    assert used == goals


def test_the_two_files_share_no_prompt() -> None:
    first, second = ({label["prompt"].casefold() for label in read_labels(path)} for path in FILES)
    assert len(first) == len(second) == 110
    assert not first & second


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_small_and_the_same_every_time(name: str) -> None:
    rows = SAMPLES[name]()
    assert 30 <= len(rows) <= 60
    assert len({tuple(row) for row in rows}) == 1
    assert rows == SAMPLES[name]()
