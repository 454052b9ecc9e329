"""Whether a person is in a file of the server is not found out by asking for tasks about them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from fastapi.testclient import TestClient

TASKS = ["average pay for {}", "total pay of {}", "pay of {} by site", "how many rows for {}"]


def told(service: TestClient, file: Path, task: str) -> tuple[Any, list[str]]:
    pointer = {"source": str(file)}
    body = {"tenant_id": "t", "data_pointer": pointer, "params": {}, "context": {"task": task}}
    result = service.post("/v2/analyze", json=body).json()["result"]
    steps = [(r["tool_id"], r["status"], r.get("output") or r.get("error")) for r in result["results"]]
    return str(steps).replace(file.stem, ""), result.get("notes", [])


@pytest.mark.parametrize("task", TASKS)
def test_a_guess_is_answered_alike_whether_it_is_right(service: TestClient, task: str) -> None:
    answers: list[tuple[Any, list[str]]] = []
    for n, held in enumerate(("Dora Okonkwo", "Vera Lindqvist")):
        names = [f"Person Number{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(120)]
        names[7] = held
        frame = pd.DataFrame({"employee": names, "site": ["Oslo", "Bergen"] * 60, "pay": range(1000, 1120)})
        file = service.home / "data" / f"guess{n}.csv"  # type: ignore[attr-defined]
        frame.to_csv(file, index=False)
        answers.append(told(service, file, task.format("Dora Okonkwo")))
    right, wrong = answers
    assert right == wrong
    assert all("nothing in this data and" not in note for note in right[1])


@pytest.mark.parametrize(
    "task", [*TASKS, "average pay in {}", "average pay without {}", "filter {} and sum pay"]
)
def test_a_group_of_few_rows_is_answered_alike_whether_it_is_there(service: TestClient, task: str) -> None:
    answers: list[tuple[Any, list[str]]] = []
    for n, held in enumerate(("Zorblax", "Snorbla")):
        sites = ["Oslo", "Bergen"] * 60
        sites[5:8] = [held] * 3
        frame = pd.DataFrame({"site": sites, "pay": range(1000, 1120)})
        file = service.home / "data" / f"few{n}.csv"  # type: ignore[attr-defined]
        frame.to_csv(file, index=False)
        answers.append(told(service, file, task.format("Zorblax")))
    assert answers[0] == answers[1]


CHAINED = [
    "filter rows where hours > {} and then count rows by team",
    "filter rows where hours > {}, then average pay by team",
    "filter rows where hours > {}, then total pay by team",
    "filter rows where hours > {}, then compare pay across team with a hypothesis test",
]


@pytest.mark.parametrize("task", CHAINED)
def test_the_groups_of_a_step_do_not_move_with_a_single_row_that_one_before_left_out(
    service: TestClient, task: str
) -> None:
    rng = random.Random(task)
    frame = pd.DataFrame(
        {
            "team": [rng.choice(["Alder", "Birch", "Cedar"]) for _ in range(240)],
            "pay": [round(rng.gauss(500, 20), 2) for _ in range(240)],
            "hours": [39.0 + i / 120 + (0.01 if i >= 120 else -0.01) for i in range(240)],
        }
    )
    frame.loc[119, ["team", "hours"]] = ["Zorblax", 40.0]
    file = service.home / "data" / "chained.csv"  # type: ignore[attr-defined]
    frame.to_csv(file, index=False)
    said: set[str] = set()
    for bound in (39.999, 40.001):
        steps, _ = told(service, file, task.format(bound))
        assert "filter_rows" in steps
        said.add(str([t for t in ("Alder", "Birch", "Cedar", "Zorblax") if t in steps]))
    assert len(said) == 1, said
