"""What a language model is shown of columns that tell of persons without being called so: no name, number or day of birth."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnomon.core.settings import Settings
from gnomon.opening import open_analyst
from gnomon.reading.local import LocalReader

GIVEN = ("Marek", "Ingeborg", "Tobias", "Yvonne", "Fatou", "Ravindra")
FAMILY = ("Halvorsen", "Beaumont", "Diallo", "Lindgren", "Salazar", "Whitaker")
DEPOTS = ("Quillborough", "Marvikstrand")


def rides() -> pd.DataFrame:
    at = np.random.default_rng(3)
    names = [f"{g} {f}" for g, f in zip(GIVEN, FAMILY, strict=True)]
    born = pd.to_datetime(
        ["1951-03-07", "1962-11-19", "1978-05-23", "1985-09-14", "1990-02-27", "1999-12-03"]
    )
    called = [f"0{n} 555{n} 71{n}" for n in range(21, 27)]
    whose = at.integers(0, len(names), 240)
    return pd.DataFrame(
        {
            "fahrer": np.array(names)[whose],
            "Geburtsdatum": born[whose],
            "Rufnummer": np.array(called)[whose],
            "depot": at.choice(DEPOTS, 240),
            "km": at.uniform(5, 90, 240).round(2),
        }
    )


@pytest.mark.parametrize("privacy", ["strict", "schema", "aggregates", "full"])
def test_no_cell_of_a_person_is_shown_at_any_level(tmp_path: Path, privacy: str) -> None:
    rides().to_csv(tmp_path / "rides.csv", index=False)
    settings = Settings.load(
        home=tmp_path / "home", model="m", model_url="http://127.0.0.1:9/v1", privacy=privacy, model_measure=False
    )  # fmt: skip
    with open_analyst(tmp_path / "rides.csv", settings=settings, warm=False) as analyst:
        reader = analyst.manager.reader
        assert isinstance(reader, LocalReader)
        assert reader.model_reader is not None
        shown = reader.model_reader.prompt("total km by depot", today=date(2025, 1, 6))
    cells = [*GIVEN, *FAMILY, "1951", "1999", "0555", *(f"555{n}" for n in range(21, 27))]
    assert [c for c in cells if c in shown] == []
    assert all(d in shown for d in DEPOTS) == (privacy == "full")
