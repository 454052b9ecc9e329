"""A word for a period is a column only where what is ranked can be told by it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from gnomon import open as open_data
from gnomon.agents.analyst import Analyst


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    folder: Path = tmp_path_factory.mktemp("clinic")
    days = [date(2024, 1 + i % 12, 1 + i % 28) for i in range(700)] + [date(2024, 5, 3)] * 40
    visits = [f"V{i:04d},{day}" for i, day in enumerate(days)]
    targets = [f"2024-{m:02d}-01,{40 + m}" for m in range(1, 13)]
    (folder / "visits.csv").write_text("visit_id,visited_on\n" + "\n".join(visits) + "\n")
    (folder / "targets.csv").write_text("month,target\n" + "\n".join(targets) + "\n")
    return open_data(folder)


@pytest.mark.parametrize(
    "words",
    ["Which month of 2024 had the most visits?", "In which month of 2024 were there the most visits?"],
)
def test_the_month_with_most_rows_is_told_by_their_own_dates(clinic: Analyst, words: str) -> None:
    answer = clinic.ask(words, today=date(2025, 1, 5))
    assert "May 2024" in answer.prose
    assert next(f.value for f in answer.facts) == 98
