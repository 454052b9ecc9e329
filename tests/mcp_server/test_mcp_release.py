"""No canary in any outgoing byte, whatever chain of tools an agent calls; and the test fails where the rule is off."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from chains import OPERATIONS, ROWS, Call, Canaries, Chain, calling, chains, staff, write_tables
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from mcp_harness import listening, server_over, stdio, without_handles
from tests.homes import warmed

from gnomon.core import Settings
from gnomon.guardrails.release import (
    aggregates,
    cells,
    changes,
    columns,
    groups,
    origin,
    rule,
    series,
    tables,
    traced,
    view,
)
from gnomon.mcp_server import EgressLedger
from gnomon.server import create_app

PLANTED = Canaries.planted()
STAFF = {"table": "staff"}
ATTACKS: list[list[tuple[str, dict[str, Any]]]] = [
    [("join_tables", {"data": STAFF, "other": STAFF, "on": ["department"]}), ("aggregate", {"value": "salary", "aggregate": "mean", "group_by": ["medical_note"]})],
    [("join_tables", {"data": STAFF, "other": STAFF, "on": ["department"]}), ("aggregate", {"value": "salary", "aggregate": "max", "group_by": ["nickname"]})],
    [("derive_column", {"data": STAFF, "expression": "replace(ssn,'-','_')", "new_column": "x"}), ("aggregate", {"value": "salary", "group_by": ["x"]})],
    [("anomaly_zscore", {"data": STAFF, "value": "card_number", "threshold": 1e-9})],
    [("anomaly_zscore", {"data": STAFF, "value": "tax_no", "threshold": 1e-9})],
    [("anomaly_zscore", {"data": STAFF, "value": "salary", "threshold": 1e-9})],
    [("aggregate", {"data": STAFF, "value": "card_number", "aggregate": "max", "group_by": ["spend"]})],
    [("aggregate", {"data": STAFF, "value": "tax_no", "aggregate": "max", "group_by": ["spend"]})],
    [("filter_rows", {"data": STAFF, "condition": "salary > 95000"}), ("aggregate", {"value": "salary", "aggregate": "max"})],
    [("bin_column", {"data": STAFF, "column": "salary", "bins": 40})],
    [("distribution", {"data": STAFF, "value": "salary", "bins": 400})],
    [("profile_table", {"data": STAFF})],
    [("benchmark", {"data": STAFF, "value": "salary", "group_by": "nickname"})],
    [("drivers", {"data": STAFF, "value": "salary", "time": "hired", "days": 300, "group_by": ["nickname"]})],
]  # fmt: skip


TRANSPORTS = ("stdio", "http")


@contextmanager
def _agent(transport: str, folder: Path) -> Generator[Call]:
    """A client of a real server over the tables, and in the end a look at every byte that was sent."""
    files, home = write_tables(folder), warmed(folder / "home")
    if transport == "stdio":
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


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Call]]:
    with ExitStack() as open_:
        yield {t: open_.enter_context(_agent(t, tmp_path_factory.mktemp(t))) for t in TRANSPORTS}


@pytest.mark.long
@seed(31)
@settings(
    max_examples=14, deadline=None, database=None, phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(transport=st.sampled_from(TRANSPORTS), chain=chains)
def test_no_chain_of_tools_brings_a_canary_out(
    agents: dict[str, Call], transport: str, chain: list[Any]
) -> None:
    worker = Chain(agents[transport])
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


SINGLED_OUT = [
    "if(salary > {0}, salary, 0)", "if(salary > {0}, salary, 1)", "if(salary > {0}, salary, 1000000)", "if(salary > {0}, 1, 0)",
]  # fmt: skip
TELLING: list[tuple[str, dict[str, Any]]] = [
    ("aggregate", {"value": "x", "aggregate": "sum"}),
    ("aggregate", {"value": "x", "aggregate": "mean", "group_by": ["department"]}),
    ("aggregate", {"value": "x", "aggregate": "stddev"}),
    ("aggregate", {"value": "x", "aggregate": "sum", "time": "hired", "grain": "year"}),
    ("benchmark", {"value": "x", "group_by": "department", "average": False}),
    ("period_change", {"value": "x", "time": "hired", "days": 400}),
    ("distribution", {"value": "x"}),
]


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    """A client of a server in this process, whose rule a test can switch off."""
    files = write_tables(tmp_path_factory.mktemp("inside"))
    with server_over(*files) as server, calling(server) as call:
        yield call


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: " → ".join(name for name, _ in a))
def test_known_attacks_bring_nothing_out(inside: Call, attack: list[tuple[str, dict[str, Any]]]) -> None:
    assert attacked(inside, attack) == []


@pytest.mark.long
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
    held = [a for a in ATTACKS if a[0][0] != "derive_column" and a[0][1].get("value") != "card_number"]
    assert all(
        attacked(inside, attack[:1]) for attack in held
    )  # numbers of cards are texts, which no tool computes with


@pytest.mark.long
@pytest.mark.parametrize("formula", SINGLED_OUT)
def test_a_formula_that_singles_rows_out_tells_nothing_of_them(
    inside: Call, monkeypatch: pytest.MonkeyPatch, formula: str
) -> None:
    people = staff()
    bound = people["salary"].nlargest(3).iloc[-1]  # two rows are above it
    expression = formula.format(bound)
    assert inside("derive_column", {"data": STAFF, "expression": expression, "new_column": "x"}).is_error
    monkeypatch.setattr(tables, "sets_few_apart", lambda rows, parted: False)
    made = inside("derive_column", {"data": STAFF, "expression": expression, "new_column": "x"})
    data = {"table": made.structured_content["rows"]["handle"]}
    rest = 1000000 if "1000000" in formula else int(formula.split(",")[2].rstrip(")"))
    one = 1 if ", 1, 0" in formula else None
    x = (
        people["salary"].where(people["salary"] > bound, rest)
        if one is None
        else (people["salary"] > bound) * 1.0
    )
    by = people.assign(x=x).groupby("department")["x"]
    secrets = {x.sum(), x.std(), *by.mean()[by.nunique() > 1], *by.sum()[by.nunique() > 1]}
    for tool, arguments in TELLING:
        said = inside(tool, {"data": data, **arguments})
        numbers = [
            float(n) for n in re.findall(r"-?\d+\.\d+|-?\d{5,}", without_handles(said.structured_content))
        ]
        told = [n for n in numbers if any(math.isclose(n, s, rel_tol=1e-9) for s in secrets)]
        assert told == [], (tool, arguments)


def _opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """No column is closed."""
    monkeypatch.setattr(origin.Origin, "closed", lambda self, column: False)


def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row is enough."""
    for room in (aggregates, cells, changes, columns, groups, series, tables, view):
        monkeypatch.setattr(room, "MIN_ROWS", 1)


def _forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows at hand count, not those that they come from."""
    followed = origin.traced

    def forgotten(lineage: Any, inputs: Any) -> origin.Origin:
        known = followed(lineage, inputs)
        slots = tuple(origin.Slot(slot.source) for slot in known.slots)
        return origin.Origin(slots, known.columns, known.known)

    monkeypatch.setattr(rule, "traced", forgotten)


def _common(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that a formula gave one value count like the others, and figures of formulas keep all their digits."""
    monkeypatch.setattr(tables, "sets_few_apart", lambda rows, parted: False)
    monkeypatch.setattr(rule, "to_told_digits", lambda view, named: None)
    monkeypatch.setattr(traced, "carrying", lambda counts, power=1: {})
    monkeypatch.setattr(aggregates, "carrying", lambda counts, power=1: {})


_SINGLED = {"data": STAFF, "expression": "if(salary > 95500, salary, 0)", "new_column": "x"}
# Groups of few persons by open columns: columns that name persons are closed whatever else is broken.
_FEW = [
    ("join_tables", {"data": STAFF, "other": STAFF, "on": ["department"]}),
    ("aggregate", {"value": "salary", "aggregate": "max", "group_by": ["spend", "department"]}),
]
MUTATIONS: list[tuple[Callable[[pytest.MonkeyPatch], None], list[tuple[str, dict[str, Any]]]]] = [
    (_opened, [("aggregate", {"data": STAFF, "value": "tax_no", "aggregate": "sum", "group_by": ["department"]})]),
    (_small, _FEW),
    (_forgetful, _FEW),
    (_common, [("derive_column", _SINGLED), ("aggregate", {"value": "x", "aggregate": "sum"})]),
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("broken", "attack"), MUTATIONS, ids=lambda v: v.__name__ if callable(v) else "")
def test_each_part_of_the_rule_is_needed(
    inside: Call, monkeypatch: pytest.MonkeyPatch, broken: Any, attack: list[tuple[str, dict[str, Any]]]
) -> None:
    def told() -> bool:
        """Whether a canary comes out, or a figure of a column that is closed."""
        return bool(attacked(inside, attack)) or (broken is _opened and not inside(*attack[0]).is_error)

    monkeypatch.setattr(cells.CellGuard, "masked", lambda self, message, known=(), **_: message)
    assert not told()
    broken(monkeypatch)
    assert told()


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
