"""Questions that are suggested group by nothing that names persons."""

from pathlib import Path

import numpy as np
import pandas as pd

import gnomon
from gnomon.agents.suggestions import first_questions

NAMES = [f"{a} {b}" for a in ("Zoë", "Łukasz", "Aoife", "Priya", "Jürgen") for b in ("Nguyen", "Wójcik", "Müller", "Diallo")]  # fmt: skip


def test_no_suggestion_ranks_persons(tmp_path: Path) -> None:
    draw = np.random.default_rng(2)
    table = pd.DataFrame(
        {
            "visited_on": pd.date_range("2024-01-01", periods=400),
            "full_name": draw.choice(NAMES, 400),
            "ward": draw.choice(["north", "south"], 400),
            "outcome": draw.choice(["discharged", "referred", "admitted"], 400),
            "fee_eur": draw.gamma(3, 60, 400).round(2),
        }
    )
    table.to_csv(tmp_path / "visits.csv", index=False)
    with gnomon.open(tmp_path / "visits.csv") as analyst:
        assert any(d.personal for d in analyst.model.dimensions)
        asked = [*first_questions(analyst.model, 9), *analyst.ask("total fee by ward").suggestions]
        asked += analyst.ask("total fee by ward and outcome").suggestions
    assert asked
    assert not [q for q in asked if "name" in q]
