"""A letter for itself is a value, or has no place: it is never left out in silence."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus


@pytest.mark.parametrize("letters", ["nsew", "xyzq", "bcdk"])
def test_letters_are_values_or_not_there(tmp_path: Path, letters: str) -> None:
    rng = random.Random(letters)
    frame = pd.DataFrame(
        {"side": [rng.choice(letters) for _ in range(120)], "amount": [rng.randrange(99) for _ in range(120)]}
    )
    frame.to_csv(tmp_path / "sides.csv", index=False)
    one, other = letters[0], letters[1]
    with gnomon.open(tmp_path / "sides.csv") as analyst:
        for said, kept in (
            (f"for {one}", one),
            (f"for {one} & {other}", one + other),
            (f"in side {other}", other),
        ):
            answer = analyst.ask(f"total amount {said}")
            assert answer.status is AnswerStatus.ANSWERED, said
            assert float(str(answer.facts[0].value)) == frame[frame["side"].isin([*kept])]["amount"].sum(), (
                said
            )
        for absent in {*"bdfghjklmopqruvxyz③²"} - {*letters}:
            answer = analyst.ask(f"total amount for {absent}")
            assert answer.status is not AnswerStatus.ANSWERED, absent
