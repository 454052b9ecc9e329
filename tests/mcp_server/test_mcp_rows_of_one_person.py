"""Rows of a flat table that a column says whose they are: six rows of one person are those of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import Call, calling
from mcp_harness import server_over, without_handles

GIVEN = ["Anna", "Bela", "Carl", "Dora", "Emil", "Fritz", "Gerd", "Hilda", "Ines", "Jens"]
FAMILY = ["Okonkwo", "Petrov", "Quist", "Rasmussen", "Svensson", "Tanaka", "Ulrich", "Vega", "Wagner", "Xu"]
KEYS = {
    "patient_id": lambda i: 7001 + i,
    "customer_email": lambda i: f"p{i}@example.org",
    "member_name": lambda i: f"{GIVEN[i % 10]} {FAMILY[i // 10]}",
}
ROWS, FEW = 8, (1, 2, 4)
TABLE: dict[str, Any] = {"table": "visits"}


def visits(key: str, few: int, town: str = "Zorblax") -> pd.DataFrame:
    """80 persons with eight rows each, a few of whom live in one town."""
    rng = np.random.default_rng(5)
    of = np.repeat(np.arange(80), ROWS)
    towns = np.array([*rng.choice(["Bergen", "Lucerne", "Utrecht"], 80 - few), *[town] * few])
    frame = pd.DataFrame(
        {
            key: [KEYS[key](i) for i in of],
            "town": towns[of],
            "ward": rng.choice(["east", "west"], len(of)),
            "fee": rng.integers(2_000, 9_000, len(of)) / 100,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, len(of)), unit="D"),
        }
    )
    return frame.sample(frac=1, random_state=few).reset_index(drop=True)


@pytest.fixture(scope="module", params=KEYS)
def agents(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Call]]:
    """Agents over towns of one, two and four persons."""
    with ExitStack() as open_:
        calls: list[Call] = []
        for few in FEW:
            folder: Path = tmp_path_factory.mktemp(f"flat{few}")
            visits(request.param, few).to_csv(file := folder / "visits.csv", index=False)
            calls.append(open_.enter_context(calling(open_.enter_context(server_over(file)))))
        yield calls


def _told(result: Any) -> str:
    return json.dumps(result.structured_content)


GROUPED: list[tuple[str, dict[str, Any]]] = [
    *[("aggregate", {"value": "fee", "aggregate": how, "group_by": ["town"]}) for how in ("sum", "mean", "median", "max")],
    ("aggregate", {"aggregate": "count", "group_by": ["town", "ward"]}),
    ("benchmark", {"value": "fee", "group_by": "town"}),
    ("hypothesis_test", {"value": "fee", "group_by": ["town"]}),
    ("regression", {"target": "fee", "features": ["town"]}),
    ("trend", {"value": "fee", "time": "day", "group_by": ["town"]}),
    ("drivers", {"value": "fee", "time": "day", "days": 120, "group_by": ["town"]}),
    ("anomaly_zscore", {"value": "fee", "threshold": 0.5, "group_by": ["town"]}),
    ("cluster_segmentation", {"columns": ["fee", "town"], "clusters": 3}),
    ("profile_table", {}),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments"), GROUPED)
@pytest.mark.parametrize("chained", [False, True])
def test_a_group_of_few_persons_is_not_told(
    agents: list[Call], tool: str, arguments: dict[str, Any], chained: bool
) -> None:
    for few, call in zip(FEW, agents, strict=True):
        data = TABLE
        if chained:
            made = call("derive_column", {"data": TABLE, "expression": "fee * 2", "new_column": "x"})
            data = {"table": made.structured_content["rows"]["handle"]}
        said = _told(call(tool, {"data": data, **arguments}))
        assert "Zorblax" not in said, (few, said[:400])


@pytest.mark.parametrize("few", [0, 1])
def test_the_rows_of_a_few_persons_are_not_counted(agents: list[Call], few: int) -> None:
    call = agents[few]
    kept = call("filter_rows", {"data": TABLE, "condition": "town = 'Zorblax'"}).structured_content
    none = call("filter_rows", {"data": TABLE, "condition": "town = 'Nowhere'"}).structured_content
    assert kept["kept"] is kept["removed"] is kept["rows"]["row_count"] is None
    assert (kept["summary"], kept["notes"]) == (none["summary"], none["notes"])
    handles = [{"table": found["rows"]["handle"]} for found in (kept, none)]
    for tool, arguments in [
        ("aggregate", {"value": "fee"}),
        ("profile_table", {}),
        ("distribution", {"value": "fee"}),
    ]:
        said = [without_handles(call(tool, {"data": h, **arguments})) for h in handles]
        assert said[0] == said[1], tool
    where = {"column": "town", "operator": "=", "value": "Zorblax"}
    asked = call("aggregate", {"data": TABLE, "value": "fee", "where": [where]}).structured_content
    assert not asked["rows"]["rows"] and asked["row_count"] is None


def test_what_leaves_a_few_persons_out_is_refused(agents: list[Call]) -> None:
    where = {"column": "town", "operator": "!=", "value": "Zorblax"}
    for call in agents:
        assert call("aggregate", {"data": TABLE, "value": "fee", "where": [where]}).is_error
        assert call("filter_rows", {"data": TABLE, "condition": "town != 'Zorblax'"}).is_error
        assert call(
            "derive_column",
            {"data": TABLE, "expression": "if(town = 'Zorblax', fee, 0)", "new_column": "x"},
        ).is_error


@pytest.mark.parametrize(
    "question",
    [
        "total fee by town",
        "average fee by town",
        "which town has the lowest fee?",
        "number of visits by town",
        "total fee by town and ward",
    ],
)
def test_questions_tell_no_group_of_few_persons_nor_what_would(agents: list[Call], question: str) -> None:
    for few, call in zip(FEW, agents, strict=True):
        found = call("ask", {"question": question}).structured_content
        told = {v for t in found["tables"] for row in t["rows"] for v in row if isinstance(v, str)}
        told |= {v for fact in found["facts"] for v in fact["about"]["group"].values()}
        assert "Zorblax" not in json.dumps(found), (few, found["prose"])
        assert len(told & {"Bergen", "Lucerne", "Utrecht"}) < 3  # the total less all others would tell it


@pytest.mark.parametrize(
    "question",
    ["total fee in Zorblax", "how many visits in town Zorblax?", "total fee where the town is not Zorblax"],
)
def test_questions_about_few_persons_tell_nothing(agents: list[Call], question: str) -> None:
    said = {without_handles(call("ask", {"question": question})) for call in agents}
    assert len(said) == 1 and not json.loads(next(iter(said)))["facts"]


def test_insights_tell_no_group_of_few_persons(tmp_path: Path) -> None:
    frame = visits("patient_id", 2)
    frame.loc[frame["town"] == "Zorblax", "fee"] += 1000
    frame.to_csv(file := tmp_path / "visits.csv", index=False)
    with server_over(file) as server, calling(server) as call:
        opened = call("list_datasets", {}).structured_content["datasets"][0]["dataset"]
        found = call("insights", {"dataset": opened, "top": 50}).structured_content["insights"]
    assert not [i["sentence"] for i in found if "withheld" in json.dumps(i) or "Zorblax" in json.dumps(i)]


def test_what_many_persons_stand_behind_is_told(agents: list[Call]) -> None:
    for call in agents:
        found = call("aggregate", {"data": TABLE, "value": "fee", "group_by": ["ward"]}).structured_content
        assert {r["ward"] for r in found["rows"]["rows"]} == {"east", "west"}
        where = {"column": "fee", "operator": ">", "value": 40}
        told = call("aggregate", {"data": TABLE, "value": "fee", "where": [where]}).structured_content
        assert told["rows"]["rows"][0]["sum_fee"] > 0
        asked = call("ask", {"question": "total fee in Bergen"}).structured_content
        assert asked["status"] == "answered"
        assert call("ask", {"question": "total fee where fee is over 40"}).structured_content["facts"]
