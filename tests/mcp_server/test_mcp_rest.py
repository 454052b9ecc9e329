"""A group of few rows is not to be had by taking all others from the whole, whichever tool tells them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import Call, calling
from mcp_harness import server_over

N = 240
FEW = 5
SEEDS = (1, 2, 3)
BOUNDS = (39.99, 40.01)
"""Between them lies the row that is alone in its team, and no other."""


def people(seed: int) -> pd.DataFrame:
    """Teams of which one has a single row, offices of which one has three, a level of four days, two far places."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "team": rng.choice(["Alder", "Birch", "Cedar"], N),
            "office": rng.choice(["Harbour", "Station", "Market"], N),
            "pay": rng.normal(500, 20, N).round(2),
            "hours": rng.normal(40, 2, N).round(2),
            "day": pd.date_range("2022-01-01", periods=N, freq="D"),
            "latitude": (52 + rng.normal(0, 0.02, N)).round(5),
            "longitude": (13 + rng.normal(0, 0.02, N)).round(5),
        }
    )
    frame.loc[(lone := int(rng.integers(10, 60))), "team"] = "Zorblax"
    frame.loc[frame["hours"].between(*BOUNDS), "hours"] += 0.5
    frame.loc[lone, "hours"] = 40.0
    frame.loc[rng.choice(np.arange(60, 90), 3, replace=False), "office"] = "Attic"
    frame["load"], frame["power"] = rng.normal(100, 5, N).round(2), rng.normal(50, 5, N).round(2)
    frame.loc[:2, ["load", "power"]] = [[900.11, 800.22], [905.33, 803.44], [910.55, 806.66]]
    frame["level"] = rng.normal(50, 1, N).round(2)
    frame.loc[14:17, "level"] += 300
    frame.loc[18:, "level"] += 20
    frame.loc[5:6, ["latitude", "longitude"]] = [[40.12345, -3.54321], [40.12346, -3.54322]]
    return frame


@pytest.fixture(scope="module", params=SEEDS)
def held(request: pytest.FixtureRequest) -> pd.DataFrame:
    return people(request.param)


@pytest.fixture(scope="module")
def agent(held: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    path: Path = tmp_path_factory.mktemp("rest") / "people.csv"
    held.to_csv(path, index=False)
    with server_over(path) as server, calling(server) as call:
        yield lambda name, arguments: call(name, arguments).structured_content


def left(told: list[int]) -> int:
    return N - sum(told)


def enough(told: list[int]) -> bool:
    """Whether what is left out cannot be a few rows."""
    return left(told) == 0 or left(told) >= FEW


TOPS: list[dict[str, Any]] = [
    {"top": t, "ascending": a, "aggregate": how}
    for t in (1, 2, 3, 4)
    for a in (True, False)
    for how in ("sum", "mean", "count")
]


@pytest.mark.parametrize("column", ["team", "office"])
def test_the_top_of_the_groups_leaves_enough_rows(agent: Call, held: pd.DataFrame, column: str) -> None:
    told: set[str] = set()
    for more in ({}, *TOPS):
        found = agent(
            "aggregate", {"data": {"table": "people"}, "value": "pay", "group_by": [column], **more}
        )
        assert len(found["rows"]["rows"]) <= more.get("top", N)
        told |= {r[column] for r in found["rows"]["rows"]}
    assert told and enough([int((held[column] == name).sum()) for name in told]), told


def test_a_table_of_two_columns_tells_no_more_than_those_of_one(agent: Call) -> None:
    both = ["team", "office"]
    cells = agent("aggregate", {"data": {"table": "people"}, "group_by": both})["rows"]["rows"]
    for column in both:
        one = agent("aggregate", {"data": {"table": "people"}, "group_by": [column]})["rows"]["rows"]
        known = {r[column]: r["count"] for r in one}
        added = pd.DataFrame(cells).groupby(column)["count"].sum().to_dict()
        for name, whole in known.items():
            assert whole - added.get(name, 0) == 0 or whole - added.get(name, 0) >= FEW
        assert enough(list(({k: v for k, v in added.items() if k not in known} | known).values()))


@pytest.mark.long
def test_segments_leave_enough_rows(agent: Call) -> None:
    found = agent("cluster_segmentation", {"data": {"table": "people"}, "columns": ["load", "power"]})
    told = [s["count"] for s in found["segments"]]
    assert not told or enough(told), told


def test_levels_leave_enough_rows(agent: Call) -> None:
    found = agent("change_points", {"data": {"table": "people"}, "value": "level", "time": "day"})
    told = [s["count"] for s in found["segments"]]
    assert not told or enough(told), told
    assert len(found["changes"]) < max(len(told), 1)


def test_places_leave_enough_rows(agent: Call) -> None:
    found = agent("geo_summary", {"data": {"table": "people"}, "value": "pay"})
    told = [s["count"] for s in found["hotspots"]]
    assert not told or enough(told), told
    assert found["unclustered"] is None or enough([*told, found["unclustered"]])


@pytest.mark.parametrize("column", ["team", "office"])
def test_checked_groups_leave_enough_rows(agent: Call, column: str) -> None:
    asked = {"data": {"table": "people"}, "value": "hours", "group_by": [column]}
    told = [s["count"] for s in agent("anomaly_zscore", asked)["series"]]
    assert told and enough(told), told
    tested = [s["count"] for s in agent("hypothesis_test", asked)["samples"]]
    assert tested and enough(tested), tested


def test_a_histogram_leaves_enough_rows(agent: Call) -> None:
    found = agent("distribution", {"data": {"table": "people"}, "value": "pay"})
    assert enough([b["count"] for b in found["histogram"]])


@pytest.mark.parametrize("more", [{}, {"group_by": ["office"]}])
def test_the_number_of_values_does_not_move_with_a_single_row(agent: Call, more: dict[str, Any]) -> None:
    told: set[str] = set()
    for bound in BOUNDS:
        where = [{"column": "hours", "operator": ">", "value": bound}]
        asked = {"data": {"table": "people"}, "value": "team", "aggregate": "nunique", "where": where, **more}
        found = agent("aggregate", asked)
        told.add(f"{found['rows']['rows']} {found['summary']}")
    assert len(told) == 1, told


@pytest.mark.parametrize(
    "more", [{}, {"top": 3}, {"top": 1, "ascending": True}, {"group_by": ["team", "office"]}]
)
def test_the_groups_of_a_condition_do_not_move_with_a_single_row(agent: Call, more: dict[str, Any]) -> None:
    told: set[str] = set()
    for bound in BOUNDS:
        where = [{"column": "hours", "operator": ">", "value": bound}]
        asked = {"data": {"table": "people"}, "group_by": ["team"], "where": where, **more}
        found = agent("aggregate", asked)
        told.add(f"{sorted(map(str, found['rows']['rows']))} {found['summary']}")
    assert len(told) == 1, told


CHARTS: list[tuple[str, dict[str, Any], str]] = [
    ("render_chart", {"chart": "bar", "x": "team", "y": "pay"}, "points"),
    ("profile_table", {}, "profile"),
]


@pytest.mark.parametrize(("tool", "more", "field"), CHARTS)
def test_what_a_condition_left_is_not_told_by_the_number_of_its_groups(
    agent: Call, tool: str, more: dict[str, Any], field: str
) -> None:
    told: set[str] = set()
    for bound in BOUNDS:
        rows = agent("filter_rows", {"data": {"table": "people"}, "condition": f"hours > {bound}"})["rows"]
        found = agent(tool, {"data": {"table": rows["handle"]}, **more})[field]
        told.add(str([c["distinct"] for c in found["columns"]] if tool == "profile_table" else found))
    assert len(told) == 1, told


KEPT: list[tuple[str, dict[str, Any], str]] = [
    ("aggregate", {"group_by": ["team"]}, "rows"),
    ("aggregate", {"value": "pay", "aggregate": "mean", "group_by": ["team"], "top": 3}, "rows"),
    ("benchmark", {"value": "pay", "group_by": "team"}, "rows"),
    ("anomaly_zscore", {"value": "pay", "group_by": ["team"]}, "series"),
    ("hypothesis_test", {"value": "pay", "group_by": ["team"]}, "samples"),
]


@pytest.mark.parametrize(("tool", "more", "field"), KEPT)
def test_the_groups_of_kept_rows_do_not_move_with_a_single_row(
    agent: Call, held: pd.DataFrame, tool: str, more: dict[str, Any], field: str
) -> None:
    told: set[str] = set()
    for bound in BOUNDS:
        rows = agent("filter_rows", {"data": {"table": "people"}, "condition": f"hours > {bound}"})["rows"]
        found = (agent(tool, {"data": {"table": rows["handle"]}, **more}) or {}).get(field)
        told.add(str(sorted(n for n in held["team"].unique() if n in str(found))))
    assert len(told) == 1, told


@pytest.mark.parametrize("asked", [{"value": "pay", "group_by": ["team"]}, {"columns": ["team", "office"]}])
def test_whether_a_test_is_made_does_not_tell_of_a_single_row(agent: Call, asked: dict[str, Any]) -> None:
    for bound in BOUNDS:
        rows = agent("filter_rows", {"data": {"table": "people"}, "condition": f"hours > {bound}"})["rows"]
        assert agent("hypothesis_test", {"data": {"table": rows["handle"]}, **asked})["samples"]


def test_insights_leave_enough_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frame = people(5)
    frame["fee"] = frame["team"].map({"Alder": 100, "Birch": 300, "Cedar": 600, "Zorblax": 40}) + rng.normal(
        0, 9, N
    )
    frame[["team", "office", "fee", "day"]].to_csv(tmp_path / "fees.csv", index=False)
    with server_over(tmp_path / "fees.csv") as server, calling(server) as call:
        handle = call("list_datasets", {}).structured_content["datasets"][0]["dataset"]
        found = call("insights", {"dataset": handle, "goal": "fee by team", "top": 50}).structured_content
    assert found["insights"]
    named = {t for t in frame["team"].unique() if any(t in i["sentence"] for i in found["insights"])}
    assert named and enough([int((frame["team"] == t).sum()) for t in named]), named


QUESTIONS = [
    "total pay by {}",
    "rank {}s by total pay",
    "top 3 {}s by total pay",
    "top 2 {}s by total pay",
    "bottom 2 {}s by total pay",
    "total pay by {}, largest first",
    "total pay by {}, smallest first",
    "histogram of pay by {}",
    "rank {}s by number of rows",
    "average pay by {}",
    "what share of total pay is each {}",
    "{}s with pay over 100",
    "which {} has the highest total pay",
    "second largest {} by total pay",
    "{}s above average pay",
]


@pytest.mark.parametrize("column", ["team", "office"])
def test_answers_leave_enough_rows(agent: Call, held: pd.DataFrame, column: str) -> None:
    told: set[str] = set()
    answered = 0
    for question in QUESTIONS:
        found = agent("ask", {"question": question.format(column)})
        cells = {str(v) for t in found["tables"] for row in t["rows"] for v in row}
        cells |= {str(v) for f in found["facts"] for v in f["about"]["group"].values()}
        named = {name for name in held[column].unique() if name in cells}
        assert named == {n for n in held[column].unique() if n in cells or n in found["prose"]}
        answered += bool(named)
        told |= named
    assert answered > len(QUESTIONS) // 2
    assert enough([int((held[column] == name).sum()) for name in told]), told


def test_a_change_by_groups_leaves_enough_rows(agent: Call, held: pd.DataFrame) -> None:
    question = "how did total pay by team change from January 2022 to February 2022"
    found = agent("ask", {"question": question})
    said = str(found["tables"]) + str(found["facts"])
    told = [name for name in held["team"].unique() if name in said]
    for month in (1, 2):
        rows = held[held["day"].dt.month == month]
        out = len(rows) - sum(int((rows["team"] == n).sum()) for n in told)
        assert out == 0 or out >= FEW, told


MOVED = [
    "hours over {} by team",
    "number of different teams with hours over {}",
    "teams with hours over {}",
    "which teams have hours over {}",
    "total pay by team with hours over {}",
    "how many teams have hours over {}",
]


@pytest.mark.parametrize("question", MOVED)
def test_the_groups_of_an_answer_do_not_move_with_a_single_row(agent: Call, question: str) -> None:
    told: set[str] = set()
    for bound in BOUNDS:
        found = agent("ask", {"question": question.format(bound)})
        shape = [[row[0] for row in t["rows"]] for t in found["tables"]]
        counts = [f["value"] for f in found["facts"] if "count" in f["name"]]
        told.add(f"{found['status']} {sorted(map(sorted, shape))} {counts}")
    assert len(told) == 1, told


def test_identifiers_are_counted_like_rows(tmp_path: Path) -> None:
    frame = people(1).assign(email=[f"u{i}@corp.example" for i in range(N)])
    frame.to_csv(tmp_path / "people.csv", index=False)
    with server_over(tmp_path / "people.csv") as server, calling(server) as call:
        where = [{"column": "pay", "operator": ">", "value": 500}]
        asked = {"data": {"table": "people"}, "value": "email", "aggregate": "nunique", "where": where}
        found = call("aggregate", asked).structured_content
    assert found["rows"]["rows"][0]["nunique_email"] == int((frame["pay"] > 500).sum())


@pytest.mark.parametrize(
    "said",
    [
        "teams that started until {}",
        "how many different teams started until {}",
        "which teams started before {}-15",
    ],
)
def test_how_many_groups_began_tells_of_none_of_few_rows(tmp_path: Path, said: str) -> None:
    rng = random.Random(said)
    teams = [rng.choice(["Red", "Blue", "Green"]) for _ in range(160)]
    days = [date(2023, 1, 1) + timedelta(days=i) for i in range(160)]
    teams[75] = "Lone"
    pd.DataFrame({"team": teams, "started": days, "hours": range(160)}).to_csv(
        tmp_path / "people.csv", index=False
    )
    with server_over(tmp_path / "people.csv") as server, calling(server) as call:
        told = []
        for month in ("2023-02", "2023-03", "2023-04", "2023-05"):
            answer = call("ask", {"question": said.format(month)}).structured_content
            told.append({str(f["value"]) for f in answer["facts"]})
        assert all("4" not in values for values in told), told
