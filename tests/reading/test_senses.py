"""What a word without a place may mean is shared out: no word is more than certain, whatever else it may be near."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.reading.senses import Kind, Senses

QUESTIONS = [
    ("How many times has a team won 40 games or more?", "won"),
    ("What is the median number of wins when they lost?", "lost"),
    ("How many clubs were there in the western league?", "western"),
    ("How many clubs were there in the western league?", "clubs"),
    ("Which team had the most victories purely at home?", "purely"),
    ("Name the seven teams with the most games.", "seven"),
]


@pytest.fixture(scope="module")
def senses(tmp_path_factory: pytest.TempPathFactory) -> Senses:
    rng = random.Random(4)
    rows = pd.DataFrame({"team": [rng.choice("abcdef") for _ in range(90)], "games": range(90)})
    for name in ("wins", "losses"):
        rows[name] = [rng.randrange(2, 60) for _ in range(90)]
    rows["league"] = [rng.choice(["West", "East"]) for _ in range(90)]
    file = tmp_path_factory.mktemp("seasons") / "seasons.csv"
    rows.to_csv(file, index=False)
    with gnomon.open(file) as analyst:
        return Senses(analyst.model, analyst.index)


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize(("question", "word"), QUESTIONS)
def test_all_that_a_word_may_mean_is_at_most_certain(
    senses: Senses, question: str, word: str, held: bool
) -> None:
    found = senses.of(word, question, 1, held=held, nearest=0.0)
    assert found and all(0 <= m.score <= 1 for m in found)
    assert sum(m.score for m in found) <= 1 + 1e-6, found


@pytest.mark.parametrize(("said", "value"), [("western", "West"), ("eastern", "East")])
def test_a_value_in_another_form_is_the_likeliest(senses: Senses, said: str, value: str) -> None:
    found = senses.of(said, f"How many teams are in the {said} league?", 1, held=False, nearest=0.0)
    best = max(found, key=lambda m: m.score)
    assert (best.kind, best.label) == (Kind.VALUE, value)


def test_what_says_how_to_compute_stays_as_it_is(senses: Senses) -> None:
    for word in ("40", "more than", "most"):
        found = senses.of(word, f"Which teams won {word} 40 games?", 2, held=False, nearest=0.0)
        assert [m.kind for m in found][:1] == [Kind.ITSELF] and all(m.label in ("", word) for m in found)


@pytest.mark.parametrize("word", ["income", "takings", "revenue", "earnings"])
def test_words_for_money_mean_the_amount_of_money_there_is(tmp_path: Path, word: str) -> None:
    rng = random.Random(word)
    rows = pd.DataFrame(
        {
            "venue": [rng.choice(["Guildhall", "Forum"]) for _ in range(80)],
            "hours": [rng.randrange(1, 9) for _ in range(80)],
            "guests": [rng.randrange(20, 90) for _ in range(80)],
            "hire_gbp": [round(rng.uniform(80, 900), 2) for _ in range(80)],
        }
    )
    rows.to_csv(f"{tmp_path}/hires.csv", index=False)
    with gnomon.open(f"{tmp_path}/hires.csv") as analyst:
        senses = Senses(analyst.model, analyst.index)
        found = senses.of(word, f"what was our {word} from Guildhall", 1, held=False, nearest=0.0)
    best = max(found, key=lambda m: m.score)
    assert "hire" in best.label, found
    assert best.kind is not Kind.NOTHING
    assert all(m.score < best.score / 2 for m in found if m.label == "venue"), found
