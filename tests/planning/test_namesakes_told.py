"""A measure that several tables have under one name is told with the table that it was taken from."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus

PAIRS = [("orders", "refunds", "amount"), ("trips", "charges", "minutes"), ("harvests", "losses", "kilos")]


@pytest.mark.parametrize(("first", "second", "column"), PAIRS)
def test_what_two_tables_have_is_said_of_one_only_with_its_name(
    tmp_path: Path, first: str, second: str, column: str
) -> None:
    rng = random.Random(first)
    totals: dict[str, float] = {}
    for name in (first, second):
        days = [date(2024, 1, 1) + timedelta(days=i) for i in range(120)]
        rows = pd.DataFrame({"day": days, column: [round(rng.uniform(5, 50), 2) for _ in days]})
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
        totals[name] = float(rows[column].sum())
    with gnomon.open(tmp_path / f"{first}.csv", tmp_path / f"{second}.csv") as analyst:
        answer = analyst.ask(f"total {column}")
        if answer.status is AnswerStatus.ANSWERED and len(answer.facts) == 1:
            (taken,) = [
                n for n, total in totals.items() if abs(total - float(str(answer.facts[0].value))) < 0.01
            ]
            (other,) = {first, second} - {taken}
            assert f"is that of {taken}; {other} has one of that name too" in answer.prose
        for name in (first, second):
            said = analyst.ask(f"total {column} of {name}")
            assert "of that name too" not in said.prose
            if said.status is AnswerStatus.ANSWERED:
                assert float(str(said.facts[0].value)) == pytest.approx(totals[name])
