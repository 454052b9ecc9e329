"""Tasks in words on files of the server, drawn at random: no cell in the answer, nor anywhere else that it is told."""

from __future__ import annotations

import json
import random
from typing import Any

from chains import staff, visits

from faults_agents import LEAKS
from faults_world import Fault, World

STEPS = [
    "total {n} by {c}", "average {n} by {c}", "p99.9 of {n}", "largest {n}", "mode of {n}", "most frequent {c}", "first {c}", "last {n} by hired", "any value of {c}",
    "list {c} and {n}", "distinct {c}", "how often does each {c} occur", "histogram of {n} with 200 bins", "rolling mean of {n} over 2 days", "lag of {n}",
    "forecast {n}", "forecast {n} by {c}", "anomalies in {n} with threshold 0.01", "anomaly scores of {n} per {c}", "cluster {n} and bonus into 40 groups",
    "regression of {n} on bonus", "scatter {n} against bonus", "correlation of {n} and bonus by {c}", "chart {n} by {c}", "box plot of {n} by {c}", "show data as csv",
    "profile the data", "filter {n} > {at} then list {c}", "filter {n} > {at} then average {n}", "sort by {n} and take the top 3 {c}", "bin {n} into 40 bins then count by {c}",
    "cap outliers of {n} then maximum {n}", "remove outliers in {n} and show what was removed", "why did {n} change last month", "drivers of {n} by {c}", "benchmark {n} by {c}",
    "join on {c}", "trend of {n} by {c}", "change points of {n}", "seasonality of {n}", "test whether {n} differs by {c}", "derive z = {n} * 2 then maximum z",
    "derive z = if({n} > {at}, {n}, 0) then total z", "median {n} by {c}", "share of {c} in {n}", "earliest hired", "as html: anomalies in {n}", "as csv: {n} by {c}",
]  # fmt: skip
NAMES = ("value", "group_by", "columns", "top", "threshold", "bins", "where", "condition", "expression", "new_column", "x", "y", "color", "target", "tool",
         "method", "aggregate", "season", "horizon", "days", "conditions", "unmatched", "read_as", "goal", "first", "features", "other", "key")  # fmt: skip
VALUES: list[Any] = [
    None, True, 0, -1, 3, 0.001, 1e308, float("nan"), float("inf"), 10**400, "", "salary", "name", "\x00", "\ud800", "9" * 400, [], ["salary"], ["salary", 3],
    [[["a"]]], [None], {}, {"a": 1}, {"rows": 3}, {"rows": [1]}, {"source": "/etc/passwd"}, {"table": "x"}, [{"column": "salary", "operator": ">", "value": {}}],
    [{"column": 3}], "a and (b", "2024-02-30", "sum(", "salary/0", "median",
]  # fmt: skip
LATER = ("", "/events", "/egress", "/report.md", "/report.json", "/tables/1.csv", "/rows?fact=x")
"""Where a run is told of afterwards."""


def drawn_tasks(world: World) -> list[str]:
    """Tasks of up to three steps, some with odd parameters, and everything that is told of their runs later."""
    chosen = random.Random(world.seed)
    columns = {"staff": list(staff().columns), "visits": list(visits().columns)}
    numbers = {"staff": ["salary", "bonus", "spend"], "visits": ["fee"]}
    found: list[str] = []
    for _ in range(3 * world.chains):
        name = chosen.choice(list(columns))
        steps = [
            chosen.choice(STEPS).format(
                n=chosen.choice(numbers[name]), c=chosen.choice(columns[name]), at=chosen.choice((300, 60000, 95000))
            )
            for _ in range(chosen.choice((1, 1, 2, 3)))
        ]  # fmt: skip
        task = ", then ".join(steps)
        params = {chosen.choice(NAMES): chosen.choice(VALUES)} if chosen.random() < 0.3 else {}
        found += told_of(world, task, params, str(world.data / f"{name}.csv"), chosen.choice(("/v1", "/v2")))
    return found + [hit for listed in ("/api/runs", "/api/audit") for hit in world.leaked(world.sent(listed).text, listed)]  # fmt: skip


def told_of(world: World, task: str, params: dict[str, Any], source: str, version: str) -> list[str]:
    """What one task brings out, at once and later, also to another tenant."""
    body = {"context": {"task": task}, "data_pointer": {"source": source}, "params": params}
    said = world.sent(
        f"{version}/analyze", content=json.dumps(body).encode(), headers={"content-type": "application/json"}
    )
    found = world.leaked(said.text, f"{task!r} {params}")
    if said.status_code >= 500:
        return [*found, f"{said.status_code} for {task!r} {params}"]
    if said.status_code != 200:
        return found
    run = said.json()["request_id"]
    for later in LATER:
        found += world.leaked(
            world.sent(f"/api/runs/{run}{later}").text, f"{later or 'the run'} after {task!r}"
        )
    other = world.sent(f"/api/runs/{run}", headers={"x-gnomon-tenant": "somebody-else"})
    return found + (["another tenant sees the run"] if other.status_code != 404 else [])


FAULTS = [Fault(LEAKS, "tasks drawn at random on files of the server, and their runs", drawn_tasks)]
