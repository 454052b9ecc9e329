"""A guess is answered alike whether it is right: at a person, at a cell, at how few rows stand behind a group."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from chains import calling
from mcp_harness import server_over

N = 200
GIVEN = ["Anna", "Bela", "Carl", "Dora", "Emil", "Fritz", "Gerd", "Hilda", "Ines", "Jens"]
FAMILY = ["Okonkwo", "Petrov", "Quist", "Rasmussen", "Svensson", "Tanaka", "Ulrich", "Vega", "Wagner", "Xu"]


def staff(lone: int = 1) -> pd.DataFrame:
    """Employees, of whom a few are alone in their department; these earn least."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "employee": [
                f"{GIVEN[i % 10]} {FAMILY[i // 10 % 10]}{'' if i < 100 else ' Jr'}" for i in range(N)
            ],
            "email": [f"u{i}@corp.example" for i in range(N)],
            "department": ["Sales"] * 80 + ["Support"] * 50 + ["Research"] * 70,
            "salary": rng.integers(50_000, 90_000, N) + 0.5,
        }
    )
    frame.loc[frame["department"] == "Sales", "salary"] += 20_000
    frame.loc[N - lone :, "department"] = "Zorblax"
    frame.loc[frame["department"] == "Zorblax", "salary"] = 41_413.5
    return frame


@pytest.mark.parametrize(
    "question",
    [
        "best and worst departments by salary",
        "which department has the lowest average salary",
        "average salary by department",
        "lowest department by salary",
    ],
)
def test_one_person_behind_a_group_is_not_told_from_four(question: str, tmp_path: Path) -> None:
    said: set[str] = set()
    for lone in (1, 2, 4):
        (folder := tmp_path / str(lone)).mkdir()
        staff(lone).to_csv(folder / "staff.csv", index=False)
        with server_over(folder / "staff.csv") as server, calling(server) as call:
            found = call("ask", {"question": question}).structured_content
        said.add(f"{found['status']} {sorted(f['name'] for f in found['facts'])} {len(found['tables'])}")
        assert "single person" not in str(found)
    assert len(said) == 1, said
