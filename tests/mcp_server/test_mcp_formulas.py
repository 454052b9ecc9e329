"""What a formula, a guess or a default would tell of one row is not told: attacks that work without a chain of canaries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from chains import Call, calling, staff, write_tables
from mcp_harness import error_of, server_over, without_handles
from tests.parts import mostly_long

from gnomon.analytics.expression import FUNCTIONS, is_plain, looks_across, parse

STAFF = {"table": "staff"}
PEOPLE = staff()
TOP = float(PEOPLE["salary"].max())
BELOW = float(PEOPLE["salary"].nlargest(2).iloc[-1])
TOLD: list[tuple[str, dict[str, Any]]] = [
    ("aggregate", {"value": "x", "aggregate": "sum"}),
    ("aggregate", {"value": "x", "aggregate": "mean"}),
    ("aggregate", {"value": "x", "aggregate": "max"}),
    ("aggregate", {"value": "x", "aggregate": "median"}),
    ("aggregate", {"value": "x"}),
    ("profile_table", {}),
    ("distribution", {"value": "x"}),
    ("benchmark", {"value": "x", "group_by": "department"}),
]


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    folder = tmp_path_factory.mktemp("formulas")
    born = pd.to_datetime("1961-01-07") + pd.to_timedelta(range(0, 90 * 101, 101), unit="D")
    persons = pd.DataFrame({"birth_date": born, "points": PEOPLE["bonus"], "team": PEOPLE["department"]})
    persons.to_csv(folder / "persons.csv", index=False)
    with server_over(*write_tables(folder), folder / "persons.csv") as server, calling(server) as call:
        yield call


def derived(call: Call, expression: str) -> dict[str, Any]:
    made = call("derive_column", {"data": STAFF, "expression": expression, "new_column": "x"})
    assert not made.is_error, made.content[0].text
    return {"table": made.structured_content["rows"]["handle"]}


def refused(call: Call, expression: str) -> bool:
    """Whether nothing is made of a formula, as it would tell single rows."""
    said = call("derive_column", {"data": STAFF, "expression": expression, "new_column": "x"})
    return said.is_error and error_of(said)["code"] == "policy_violation"


def figures(result: Any) -> list[float]:
    return figures_in({k: v for k, v in (result.structured_content or {}).items() if k != "query"})


def figures_in(told: Any) -> list[float]:
    return [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", without_handles(told))]


def tells_top(value: float, digits: int = 5) -> bool:
    """Whether a figure holds the largest salary: as it is, as many times as there are rows, or in its last digits."""
    near = TOP * 10.0**-digits
    return any(abs(v - TOP) < near for v in (value, value / 3, value / len(PEOPLE), value % 1e6, value % 1e8))


ACROSS = sorted(n for n, f in FUNCTIONS.items() if f.alone is None or f.alone > f.least)


def test_functions_that_look_at_other_rows_are_known() -> None:
    frame = pd.DataFrame({"a": [3.0, 1.0, 4.0, 1.0, 5.0], "t": list("pqrst"), "d": pd.date_range("2024-01-01", periods=5)})  # fmt: skip
    from gnomon.analytics.expression import ExpressionError, derive

    for name, function in FUNCTIONS.items():
        for count in range(function.least, min(function.most, 3) + 1):
            for filled in (["a"] * count, ["a", "2"][:count], ["t", "'p'", "'q'"][:count], ["d"] * count, ["a > 2", "a", "a"][:count]):  # fmt: skip
                text = f"{name}({', '.join(filled)})"
                try:
                    whole, alone = derive(frame, text).data, derive(frame.iloc[[3]], text).data
                except ExpressionError:
                    continue
                same = str(whole.iloc[3]) == str(alone.iloc[0])
                assert same or looks_across(parse(text)), text
    assert {"min", "max", "sum", "lag", "cumsum", "rank"} <= set(ACROSS)


@pytest.mark.parametrize("name", mostly_long(ACROSS, 4))
def test_a_value_made_of_other_rows_is_not_told(agent: Call, name: str) -> None:
    more = ", 2" if FUNCTIONS[name].least > 1 else ""
    for inner in ("salary", f"if(salary > {BELOW}, salary, 0)"):
        assert refused(agent, f"3 * {name}({inner}{more})")
        condition = f"3 * {name}({inner}{more}) > {TOP}"
        said = agent("filter_rows", {"data": STAFF, "condition": condition})
        assert error_of(said)["code"] == "policy_violation"


@pytest.mark.long
@pytest.mark.parametrize(
    "rest", mostly_long(["0", "bonus / 1000000000", "1", "length(department) / 1e12", "spend / 1e6"], 2)
)
def test_a_row_beside_which_the_others_come_to_nothing_is_not_told(agent: Call, rest: str) -> None:
    assert refused(agent, f"if(salary > {BELOW}, salary, {rest})")
    fifth = PEOPLE["salary"].nlargest(6).iloc[-1]
    data = derived(agent, f"if(salary > {fifth}, (salary - {BELOW}) * (salary - {BELOW}), {rest})")
    for tool, arguments in TOLD:
        found = {
            k: v
            for k, v in (agent(tool, {"data": data, **arguments}).structured_content or {}).items()
            if k != "query"
        }
        column = [c for c in found.get("profile", {}).get("columns", []) if c["name"] == "x"]
        assert not [v for v in figures_in(column or found) if tells_top(v, 2)]


@pytest.mark.parametrize("scale", [10**6, 10**8])
@pytest.mark.parametrize("formula", [
    "if(salary > {0}, salary, {1} * spend)", "salary * (salary > {0}) + {1} * spend",
    "(if(salary > {0}, 1, 0)) * salary + {1} * spend", "max(salary - {0}, 0) + {1} * spend",
])  # fmt: skip
def test_a_row_does_not_hide_in_the_last_digits_of_a_total(agent: Call, formula: str, scale: int) -> None:
    assert refused(agent, formula.format(BELOW, scale))
    data = derived(agent, formula.format(float(PEOPLE["salary"].nlargest(6).iloc[-1]), scale))
    for tool, arguments in (TOLD[0], TOLD[1], TOLD[7]):
        assert not [v for v in figures(agent(tool, {"data": data, **arguments})) if tells_top(v)]


def test_plain_arithmetic_is_told_exactly_and_formulas_of_formulas_are_not(agent: Call) -> None:
    expected = (PEOPLE["salary"] - PEOPLE["bonus"]).sum()
    data = derived(agent, "salary - bonus")
    [row] = agent("aggregate", {"data": data, "value": "x"}).structured_content["rows"]["rows"]
    assert row["sum_x"] == pytest.approx(expected, rel=1e-12)
    again = agent("derive_column", {"data": data, "expression": "x * salary", "new_column": "y"})
    data = {"table": again.structured_content["rows"]["handle"]}
    told = agent("aggregate", {"data": data, "value": "y"}).structured_content
    expected = ((PEOPLE["salary"] - PEOPLE["bonus"]) * PEOPLE["salary"]).sum()
    assert told["rows"]["rows"][0]["sum_y"] == float(f"{expected:.3g}")
    assert any("three digits" in n for n in told["privacy"]["withheld"])
    assert is_plain(parse("(a - b) / c * 2")) and not is_plain(parse("(a - b) / a"))


def test_numbers_of_a_closed_column_are_not_added_up_where_no_way_is_named(agent: Call) -> None:
    for more in ({}, {"group_by": ["department"]}):
        said = agent("aggregate", {"data": STAFF, "value": "tax_no", **more})
        assert error_of(said)["code"] == "policy_violation"
    for column in ("email", "card_number"):  # texts are counted: numbers of this length name things
        told = agent("aggregate", {"data": STAFF, "value": column}).structured_content
        assert told["rows"]["rows"] == [{f"count_{column}": 90}]


@pytest.mark.long
@pytest.mark.parametrize("copies", mostly_long([5, 1, 6, 40], 1))
@pytest.mark.parametrize("tool", ["join_tables", "compare_tables"])
def test_a_guess_at_a_closed_column_is_answered_the_same_whether_it_is_right(
    agent: Call, tool: str, copies: int
) -> None:
    known = PEOPLE.iloc[0]
    for column, right, wrong in (("ssn", known["ssn"], "000-00-0000"), ("tax_no", int(known["tax_no"]), 7), ("nickname", known["nickname"], "nobody")):  # fmt: skip
        for named in ({}, {"on": [column]} if tool == "join_tables" else {"key": [column]}):
            said = [
                without_handles(agent(tool, {"data": STAFF, "other": {"rows": [{column: v}] * copies}, **named}))
                for v in (right, wrong)
            ]  # fmt: skip
            assert said[0] == said[1]


def test_a_guess_at_an_open_figure_is_compared_the_same_whether_it_is_right(agent: Call) -> None:
    said = [
        without_handles(
            agent("compare_tables", {"data": STAFF, "other": {"rows": [{"salary": v}]}, "key": ["salary"]})
        )
        for v in (TOP, 1.5)
    ]
    assert said[0] == said[1]


@pytest.mark.long
def test_what_a_tool_takes_by_itself_is_no_closed_column(agent: Call) -> None:
    persons = {"table": "persons"}
    for tool, arguments in (
        ("filter_rows", {"latest": 400}), ("trend", {"value": "points"}), ("change_points", {"value": "points"}),
        ("seasonality", {"value": "points"}), ("timeseries_forecaster", {"value": "points"}), ("period_change", {"value": "points", "days": 3000}),
    ):  # fmt: skip
        assert error_of(agent(tool, {"data": persons, **arguments}))["code"] in {
            "policy_violation",
            "invalid_input",
        }
    told = agent("aggregate", {"data": persons, "value": "points", "grain": "year"}).structured_content
    assert told["rows"]["rows"] == []
    assert not re.search(r"19[6-8]\d", without_handles(told))


def test_a_few_rows_left_out_are_not_told_by_the_number_of_the_others(agent: Call) -> None:
    said = [
        agent("filter_rows", {"data": STAFF, "condition": f"salary <= {b}"}) for b in (BELOW, TOP, TOP + 1)
    ]
    assert len({str(error_of(s)) for s in said}) == 1
    told = agent("filter_rows", {"data": STAFF, "condition": "salary < 60000"}).structured_content
    assert told["rows"]["row_count"] == told["kept"] == (PEOPLE["salary"] < 60000).sum()


ODD: list[Any] = [True, -1, 10**30, "", "\0", [[]], {"a": 1}, [None], ["salary", "salary"], {"rows": [{"a": {"b": 1}}]}, {"table": "nope"}]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(
    "tool", mostly_long(["aggregate", "join_tables", "filter_rows", "benchmark", "correlation", "drivers"], 1)
)
def test_arguments_of_the_wrong_kind_are_refused_before_the_rule_reads_them(agent: Call, tool: str) -> None:
    from test_mcp_every_tool import CALLS

    plain = {k: v for k, v in CALLS[tool].items() if v != "SAME"}
    for name in {*plain, "where", "aggregate", "group_by", "time", "columns", "value", "latest", "key", "on"}:
        for odd in ODD:
            said = agent(tool, {"data": STAFF, **plain, name: odd})
            assert not said.is_error or error_of(said)["code"] != "internal", (name, odd)
