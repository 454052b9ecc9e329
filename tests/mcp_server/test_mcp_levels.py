"""Limits, scores and coefficients that are computed from few rows and stand in many: no row is told by them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from chains import Call, calling
from mcp_harness import error_of, server_over
from test_mcp_formulas import figures
from tests.parts import mostly_long

from gnomon.guardrails.release import tables

ROWS = 41  # quartiles and the median are cells
PAY = {"table": "pay"}


def pay() -> pd.DataFrame:
    draw = random.Random(23)
    return pd.DataFrame(
        {
            "team": [draw.choice(["Sales", "Support", "Legal"]) for _ in range(ROWS)],
            "salary": [round(draw.uniform(41_000, 99_000), 2) for _ in range(ROWS)],
            "bonus": [round(draw.uniform(1_017, 3_100), 3) for _ in range(ROWS)],
            "spend": [10 * draw.randrange(1, 10) for _ in range(ROWS)],
        }
    )


PEOPLE = pay()
CELLS = [*PEOPLE["salary"], *PEOPLE["bonus"]]
TOP, BELOW = (float(v) for v in PEOPLE["salary"].nlargest(2))
MIDDLE = float(PEOPLE["salary"].median())
TOLD: list[tuple[str, dict[str, Any]]] = [
    ("aggregate", {"value": "salary", "aggregate": "max"}),
    ("aggregate", {"value": "salary", "aggregate": "min"}),
    ("aggregate", {"value": "salary", "aggregate": "mean"}),
    ("aggregate", {"aggregate": "count", "group_by": ["salary"]}),
    ("aggregate", {"value": "bonus", "aggregate": "mean", "group_by": ["salary"]}),
    ("hypothesis_test", {"value": "bonus", "group_by": ["salary"]}),
    ("benchmark", {"value": "bonus", "group_by": "salary"}),
    ("distribution", {"value": "salary"}),
    ("profile_table", {}),
    ("drivers", {"value": "bonus", "group_by": ["salary"]}),
]


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    folder = tmp_path_factory.mktemp("levels")
    PEOPLE.to_csv(folder / "pay.csv", index=False)
    with server_over(folder / "pay.csv") as server, calling(server) as call:
        yield call


def rows_of(result: Any, field: str = "rows") -> dict[str, Any]:
    assert not result.is_error, result.content[0].text
    return {"table": result.structured_content[field]["handle"]}


def derived(call: Call, data: dict[str, Any], expression: str) -> dict[str, Any]:
    return rows_of(call("derive_column", {"data": data, "expression": expression, "new_column": "x"}))


def derived_unchecked(monkeypatch: pytest.MonkeyPatch, call: Call, expression: str) -> dict[str, Any]:
    """The rows of a formula that is refused, as if it were not: what is told of them has a rule of its own."""
    made = call("derive_column", {"data": PAY, "expression": expression, "new_column": "x"})
    assert error_of(made)["code"] == "policy_violation"
    monkeypatch.setattr(tables, "sets_few_apart", lambda rows, parted: False)
    return derived(call, PAY, expression)


def is_cell(value: float) -> bool:
    return any(abs(value - c) < 1e-6 * c for c in CELLS)


@pytest.mark.long
@pytest.mark.parametrize("method", mostly_long(["iqr", "mad"], 1))
@pytest.mark.parametrize("again", [False, True], ids=["capped", "made anew"])
def test_what_values_were_capped_at_is_not_told(agent: Call, method: str, again: bool) -> None:
    capped = agent("clean_outliers", {"data": PAY, "value": "salary", "method": method, "threshold": 1e-9, "action": "cap"})  # fmt: skip
    data, name = rows_of(capped), "salary"
    if again:
        data, name = derived(agent, data, "salary + 0"), "x"
    for tool, arguments in TOLD:
        asked = {k: name if v == "salary" else [name] if v == ["salary"] else v for k, v in arguments.items()}
        found = agent(tool, {"data": data, **asked})
        assert found.is_error or not [v for v in figures(found) if is_cell(v)], tool


def test_what_was_not_capped_is_told_as_before(agent: Call) -> None:
    data = rows_of(agent("clean_outliers", {"data": PAY, "value": "salary", "action": "cap"}))
    told = agent("aggregate", {"data": data, "value": "bonus", "aggregate": "mean"})
    assert any(abs(v - PEOPLE["bonus"].mean()) < 1e-6 for v in figures(told))
    means = agent("aggregate", {"data": data, "value": "salary", "aggregate": "mean", "group_by": ["team"]})
    assert not means.is_error and any(v > 40_000 for v in figures(means))


def test_scores_do_not_tell_the_middle(agent: Call) -> None:
    given = {"data": PAY, "value": "salary", "threshold": 9, "method": "robust"}
    data = rows_of(agent("anomaly_zscore", given))
    mean, spread = (
        figures(agent("aggregate", {"data": data, "value": "score", "aggregate": how}))
        for how in ("mean", "stddev")
    )
    told = [
        PEOPLE["salary"].mean() - m * PEOPLE["salary"].std() / s for m in mean for s in spread if s and m != s
    ]
    assert not [v for v in told if abs(v - MIDDLE) < 1e-6 * MIDDLE]


@pytest.mark.long
@pytest.mark.parametrize(
    ("formula", "features"),
    [
        ("spend + (salary > {0})", ["x", "spend"]),
        ("bonus - 3 * (salary > {0})", ["x", "bonus"]),
        ("if(salary > {0}, spend + bonus + 1, spend + bonus)", ["x", "bonus", "spend"]),
        ("(salary > {0}) + 0.0002 * spend", ["x"]),
        ("(salary > {0}) + 0.0002 * spend", ["x", "team"]),
    ],
)
def test_features_that_differ_in_one_row_tell_nothing_of_it(
    agent: Call, monkeypatch: pytest.MonkeyPatch, formula: str, features: list[str]
) -> None:
    data = derived_unchecked(monkeypatch, agent, formula.format(BELOW))
    assert agent("regression", {"data": data, "target": "salary", "features": features}).is_error
    if len(features) == 1:
        pairs = agent("correlation", {"data": data, "columns": ["salary", "x"]})
        assert pairs.is_error or not pairs.structured_content["pairs"]


def test_features_that_differ_everywhere_are_told(agent: Call) -> None:
    data = derived(agent, PAY, "spend + bonus")
    for features in (["x", "spend"], ["x"], ["x", "team"]):
        told = agent("regression", {"data": data, "target": "salary", "features": features})
        assert not told.is_error, told.content[0].text
    assert agent("correlation", {"data": data, "columns": ["salary", "x"]}).structured_content["pairs"]


@pytest.mark.parametrize(("how", "rest"), [("sum", "spend"), ("mean", "spend"), ("stddev", "bonus")])
def test_a_figure_that_is_mostly_one_row_is_not_told(
    agent: Call, monkeypatch: pytest.MonkeyPatch, how: str, rest: str
) -> None:
    data = derived_unchecked(monkeypatch, agent, f"if(salary > {BELOW}, salary, {rest})")
    told = agent("aggregate", {"data": data, "value": "x", "aggregate": how})
    assert told.is_error or not told.structured_content["rows"]["rows"]


def test_weights_that_were_brought_do_not_tell_a_row_in_the_last_digits(agent: Call) -> None:
    alone = PEOPLE.groupby(["team", "spend"]).filter(lambda g: len(g) == 1)
    team, spend, salary = alone.iloc[0][["team", "spend", "salary"]]
    pairs = PEOPLE[["team", "spend"]].drop_duplicates().itertuples(index=False)
    weights = [{"team": t, "spend": int(s), "w": 1.0 if (t, s) == (team, spend) else 1e8} for t, s in pairs]
    bring = {"data": PAY, "other": {"rows": weights}, "on": ["team", "spend"], "how": "inner"}
    assert agent("join_tables", bring).is_error
    teams = [{"team": t, "w": 1.0 if t == team else 1e8} for t in PEOPLE["team"].unique()]
    data = rows_of(agent("join_tables", {**bring, "other": {"rows": teams}, "on": ["team"]}), "joined")
    made = derived(agent, data, "salary * w")
    for tool, asked in (
        ("aggregate", {"data": made, "value": "x", "aggregate": "sum"}),
        ("benchmark", {"data": data, "value": "salary", "weight": "w", "group_by": "team", "average": True}),
    ):
        found = agent(tool, asked)
        assert found.is_error or not [v for v in figures(found) if abs(v % 1e6 - salary) < 1], tool
        assert found.is_error or all(float(f"{v:.3g}") == v for v in figures(found) if abs(v) > 1e6), tool
    plain = derived(agent, PAY, "salary + bonus")
    told = agent("aggregate", {"data": plain, "value": "x", "aggregate": "sum"})
    assert any(abs(v - (PEOPLE["salary"] + PEOPLE["bonus"]).sum()) < 0.01 for v in figures(told))
