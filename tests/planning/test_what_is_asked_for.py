"""What a question asks for is in its answer: a name behind “which”, and things that can have as many rows as is said."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

KINDS = {"places": ("kind", ["village", "city", "hamlet"]), "boats": ("rig", ["sloop", "ketch", "yawl"])}


@pytest.fixture(scope="module", params=[(name, shared) for name in KINDS for shared in (1, 3)])
def told(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Analyst, str, pd.DataFrame]]:
    """A table whose rows have names of their own, or share them with others."""
    name, shared = request.param
    column, kinds = KINDS[name]
    rng = random.Random(name)
    names = [f"{rng.choice('BDFGKL')}{rng.choice(['arn', 'ell', 'ost'])}" for _ in range(90)]
    rows = pd.DataFrame(
        {
            "name": [f"{part}{i // shared}" for i, part in enumerate(names)],
            column: [rng.choice(kinds) for _ in range(90)],
            "length": [round(rng.uniform(2, 60), 2) for _ in range(90)],
        }
    )
    file = tmp_path_factory.mktemp("told") / f"{name}.csv"
    rows.to_csv(file, index=False)
    with gnomon.open(file) as analyst:
        yield analyst, column, rows


@pytest.mark.parametrize("words", ["Which {} has the greatest length?", "Which {} has the highest length?"])
def test_a_condition_is_no_answer_to_which(words: str, told: tuple[Analyst, str, pd.DataFrame]) -> None:
    analyst, column, rows = told
    for kind, held in rows.groupby(column):
        answer = analyst.ask(words.format(kind))
        longest = str(held.sort_values("length")["name"].iloc[-1])
        assert answer.status is not AnswerStatus.ANSWERED or longest in answer.prose, answer.prose


@pytest.mark.parametrize("deed", ["noted", "caught", "measured"])
def test_things_are_not_asked_to_have_more_rows_of_their_own_than_there_are(
    tmp_path: Path, deed: str
) -> None:
    rng = random.Random(deed)
    kinds = [f"kind {chr(97 + i)}" for i in range(20)]
    pd.DataFrame({"kind_id": range(20), "kind": [*kinds[:-1], kinds[0]], "legs": [rng.choice([2, 4]) for _ in kinds]}).to_csv(
        tmp_path / "kinds.csv", index=False
    )  # fmt: skip
    rows = pd.DataFrame({"catch": range(600), "kind_id": [rng.randrange(20) for _ in range(600)]})
    rows["grams"] = [round(rng.uniform(5, 90), 1) for _ in range(600)]
    rows.to_csv(tmp_path / "catches.csv", index=False)
    many = int(rows["kind_id"].value_counts().gt(30).sum())
    with gnomon.open(tmp_path / "kinds.csv", tmp_path / "catches.csv") as analyst:
        for question in (
            f"How many kinds were {deed} more than 30 times?",
            f"Which kinds were {deed} more than 30 times?",
        ):
            answer = analyst.ask(question)
            told = [f.value for f in answer.facts]
            assert answer.status is not AnswerStatus.ANSWERED or many in told, answer.prose
