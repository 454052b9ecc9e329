"""No canary in any outgoing byte, whatever chain of tools an agent calls; and the test fails where the rule is off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from chains import OPERATIONS, ROWS, Call, Canaries, Chain, calling, chains, staff, write_tables
from hypothesis import HealthCheck, Phase, given, seed, settings
from mcp_harness import listening, server_over, stdio

from gnomon.core import Settings
from gnomon.mcp_server import EgressLedger
from gnomon.server import create_app

PLANTED = Canaries.planted()
STAFF = {"table": "staff"}
ATTACKS: list[list[tuple[str, dict[str, Any]]]] = [
    [("join_tables", {"data": STAFF, "other": STAFF, "on": ["department"]}), ("aggregate", {"value": "salary", "aggregate": "mean", "group_by": ["medical_note"]})],
    [("join_tables", {"data": STAFF, "other": STAFF, "on": ["department"]}), ("aggregate", {"value": "salary", "aggregate": "max", "group_by": ["nickname"]})],
    [("derive_column", {"data": STAFF, "expression": "replace(ssn,'-','_')", "new_column": "x"}), ("aggregate", {"value": "salary", "group_by": ["x"]})],
    [("anomaly_zscore", {"data": STAFF, "value": "card_number", "threshold": 1e-9})],
    [("anomaly_zscore", {"data": STAFF, "value": "salary", "threshold": 1e-9})],
    [("aggregate", {"data": STAFF, "value": "card_number", "aggregate": "max", "group_by": ["spend"]})],
    [("filter_rows", {"data": STAFF, "condition": "salary > 95000"}), ("aggregate", {"value": "salary", "aggregate": "max"})],
    [("bin_column", {"data": STAFF, "column": "salary", "bins": 40})],
    [("distribution", {"data": STAFF, "value": "salary", "bins": 400})],
    [("profile_table", {"data": STAFF})],
]  # fmt: skip


@pytest.fixture(scope="module", params=["stdio", "http"])
def agent(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    """A client of a real server over the tables, and in the end a look at every byte that was sent."""
    folder = tmp_path_factory.mktemp("canaries")
    files, home = write_tables(folder), folder / "home"
    if request.param == "stdio":
        with calling(stdio(*map(str, files), home=home)) as call:
            yield call
    else:
        app = create_app(Settings.load(home=home, log_dir=home, data_roots=(folder,)))
        with listening(app) as address, calling(f"{address}/mcp") as call:
            call("open_dataset", {"paths": [str(f) for f in files]})
            yield call
    sent = EgressLedger(home / "egress", "aggregates").content().decode()
    assert len(sent) > 10_000
    assert PLANTED.found(sent) == []


@seed(20)
@settings(
    max_examples=14, deadline=None, database=None, phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(chain=chains)
def test_no_chain_of_tools_brings_a_canary_out(agent: Call, chain: list[Any]) -> None:
    worker = Chain(agent)
    for operation, pick, data, other in chain:
        worker.step(operation, pick, data, other)
    found = [(what, hit) for what, text in worker.said for hit in PLANTED.found(text)]
    assert found == []


def attacked(call: Call, attack: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """What an attack brings out: each call takes the rows that the one before gave."""
    hits: list[str] = []
    rows: Any = None
    for name, arguments in attack:
        result = call(name, {"data": rows, **arguments})
        text = "".join(getattr(c, "text", "") for c in result.content)
        hits += PLANTED.found(text)
        told = result.structured_content or {}
        rows = next(
            ({"table": v["handle"]} for v in told.values() if isinstance(v, dict) and "handle" in v), None
        )
    return hits


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    """A client of a server in this process, whose rule a test can switch off."""
    files = write_tables(tmp_path_factory.mktemp("inside"))
    with server_over(*files) as server, calling(server) as call:
        yield call


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: " → ".join(name for name, _ in a))
def test_known_attacks_bring_nothing_out(inside: Call, attack: list[tuple[str, dict[str, Any]]]) -> None:
    assert attacked(inside, attack) == []


def test_with_the_rule_off_the_same_attacks_bring_canaries_out(
    inside: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnomon.guardrails.release.cells import CellGuard
    from gnomon.guardrails.release.rule import Release
    from gnomon.mcp_server import calls
    from gnomon.tools import Frame

    def anything(tool: str, output: Any, arguments: Any, inputs: Any) -> Release:
        frames = frozenset(k for k, v in output.items() if isinstance(v, Frame))
        return Release(dict(output), open_rows=frames)

    monkeypatch.setattr(calls, "released", anything)
    monkeypatch.setattr(calls, "prepared", lambda spec, arguments, inputs: dict(arguments))
    monkeypatch.setattr(CellGuard, "masked", lambda self, message, known=(), **_: message)
    assert all(attacked(inside, attack[:1]) for attack in ATTACKS if attack[0][0] != "derive_column")


@pytest.mark.parametrize("part", ["closed columns", "source rows"])
def test_each_part_of_the_rule_is_needed(inside: Call, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    from gnomon.guardrails.release import cells, columns, origin, series, tables, view
    from gnomon.guardrails.release.cells import CellGuard

    monkeypatch.setattr(CellGuard, "masked", lambda self, message, known=(), **_: message)
    if part == "closed columns":
        monkeypatch.setattr(origin, "is_closed", lambda column, rows: False)
        monkeypatch.setattr(origin.Origin, "closed", lambda self, column: False)
        attack = (
            "aggregate",
            {"data": STAFF, "value": "card_number", "aggregate": "sum", "group_by": ["department"]},
        )
        result = inside(*attack)
        assert result.structured_content["rows"]["rows"]
    else:
        for room in (cells, columns, series, tables, view):
            monkeypatch.setattr(room, "MIN_ROWS", 1)
        assert attacked(inside, ATTACKS[1])


def test_what_is_useful_is_still_told(inside: Call) -> None:
    told = inside(
        "aggregate", {"data": STAFF, "value": "salary", "aggregate": "mean", "group_by": ["department"]}
    )
    rows = {r["department"]: r["mean_salary"] for r in told.structured_content["rows"]["rows"]}
    expected = staff().groupby("department")["salary"].agg(["mean", "size"])
    assert set(rows) == set(expected.index[expected["size"] >= 5])
    for department, mean in rows.items():
        assert mean == pytest.approx(expected.loc[department, "mean"])
    assert len(OPERATIONS) > 20
    assert inside("profile_table", {"data": STAFF}).structured_content["profile"]["rows"] == ROWS
