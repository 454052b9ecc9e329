"""A formula, a bin or a comparison that sets few rows apart says the same whether it holds for none, one, two or four."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import Call, calling
from fastapi.testclient import TestClient
from mcp_harness import error_of, listening, server_over, stdio, without_handles
from tests.homes import warmed
from tests.parts import mostly_long

from gnomon.core import Settings
from gnomon.server import create_app

N = 120
STAFF = {"table": "staff"}
TOP = (100_003, 110_017, 120_011, 130_021)
BOUNDS = (135_000, 125_000, 115_000, 95_000)
"""None, one, two and four are above."""
MARKS = [
    "if(salary > {b}, 1, 0)", "if(salary < {b}, 0, 1)", "salary > {b}", "not salary > {b}",
    "if(salary > {b}, null, age)", "if(salary > {b}, 'hi', city)", "if(salary > {b} or age > 40, 1, 0)",
    "if(city = 'Oslo' and salary > {b}, age, bonus)", "sign(salary - {b})", "floor(salary / {b})", "ceil(salary / {b})",
    "round(salary / {b} / 2)", "salary // {b}", "age + 1000 * (salary // {b})", "salary % {b}", "max(salary - {b}, 0)",
    "min(salary, {b})", "sqrt({b} - salary)", "log({b} - salary)", "age / ({b} - max(salary, {b}))",
    "coalesce(sqrt({b} - salary), 0)", "isnull(sqrt({b} - salary))", "exp((salary - {b}) * 10)",
    "power(salary / {b}, 5000)", "(salary / {b}) ^ 4000", "salary * 1e304 * 128000 / {b}",
    "date(if(salary > {b}, 'zzz', '2024-01-01'))", "year(if(salary > {b}, 'zzz', '2024-01-01'))",
    "days_between(hired_on, date(if(salary > {b}, 'zzz', '2024-01-01')))",
    "length(replace(if(salary > {b}, 'aaaaaaaaaa', 'b'), 'a', '" + "x" * 1500 + "'))",
    "length(replace(replace(replace(if(salary > {b}, 'aaaa', 'b'), 'a', '" + "a" * 300 + "'), 'a', '" + "a" * 300 + "'), 'a', 'aa'))",
]  # fmt: skip
EQUAL = [
    "if(salary = {b}, 1, 0)",
    "age / (salary - {b})",
    "if(salary != {b}, city, 'x')",
    "coalesce(age / (salary - {b}), 0)",
]
"""Those that one row meets, or none."""
CLOSED = [
    "date(replace(email, '@', '_'))", "year(replace(email, '@', '_'))", "days_between(email, '2024-01-01')",
    "if(email = '{who}' and salary >= 50000, 1, 0)", "email = '{who}'", "startswith(email, '{who}')",
    "if(email = '{who}', null, age)", "age / if(email = '{who}', 0, 1)", "length(replace(email, '{who}', 'x'))",
    "concat(city, if(email = '{who}', 'a', 'b'))", "EMAIL = '{who}'",
]  # fmt: skip
TELLING: list[tuple[str, dict[str, Any]]] = [
    ("aggregate", {"value": "x", "aggregate": "nunique"}), ("aggregate", {"value": "x", "aggregate": "sum"}),
    ("aggregate", {"group_by": ["x"]}), ("profile_table", {}), ("correlation", {}),
    ("anomaly_zscore", {"value": "salary", "group_by": ["x"]}), ("compare_tables", {"other": STAFF, "key": ["salary"]}),
]  # fmt: skip


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    staff = pd.DataFrame(
        {
            "name": [f"P{i} Q{i}" for i in range(N)],
            "email": [f"p{i}_q@example.org" for i in range(N)],
            "city": rng.choice(["Oslo", "Rome", "Bern"], N),
            "hired_on": pd.Timestamp(2020, 1, 1) + pd.to_timedelta(rng.integers(0, 1400, N), "D"),
            "salary": rng.integers(40_000, 90_000, N),
            "bonus": rng.integers(100, 900, N),
            "age": rng.integers(20, 60, N),
        }
    )
    staff.loc[10:13, "salary"] = TOP
    return staff


@pytest.fixture(scope="module")
def path(people: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("apart") / "staff.csv"
    people.to_csv(file, index=False)
    return file


@pytest.fixture(scope="module")
def agent(path: Path) -> Iterator[Call]:
    with server_over(path) as server, calling(server) as call:
        yield call


@pytest.fixture(scope="module")
def client(path: Path) -> Iterator[TestClient]:
    home = warmed(path.parent / "service")
    app = create_app(Settings.load(home=home, log_dir=home, data_roots=(path.parent,)))
    with TestClient(app, base_url="http://127.0.0.1") as found:
        yield found


def said_of(result: Any, bound: Any) -> str:
    told = without_handles(result.structured_content or result)
    spelt = rf"{bound:,}|{bound}(\.0)?" if isinstance(bound, int) else re.escape(bound)
    return re.sub(spelt, "N", told)


def chained(call: Call, expression: str, bound: Any) -> list[str]:
    """What is said of a formula, and of what each tool makes of it where it gives rows at all."""
    made = call("derive_column", {"data": STAFF, "expression": expression, "new_column": "x"})
    said = [said_of(made, bound)]
    if not made.is_error:
        rows = {"table": made.structured_content["rows"]["handle"]}
        said += [said_of(call(tool, {"data": rows, **more}), bound) for tool, more in TELLING]
    return said


@pytest.mark.parametrize("formula", mostly_long(MARKS, 20))
def test_a_formula_says_alike_however_few_rows_it_marks(agent: Call, formula: str) -> None:
    said = {str(chained(agent, formula.format(b=b), b)) for b in BOUNDS}
    assert len(said) == 1, said


@pytest.mark.parametrize("formula", EQUAL)
def test_a_formula_says_alike_whether_one_row_has_a_value(agent: Call, formula: str) -> None:
    said = {str(chained(agent, formula.format(b=b), b)) for b in (TOP[0], TOP[0] + 1)}
    assert len(said) == 1, said


@pytest.mark.parametrize("formula", CLOSED)
def test_a_formula_over_closed_columns_says_alike_whoever_is_meant(agent: Call, formula: str) -> None:
    said = {str(chained(agent, formula.format(who=w), w)) for w in ("p7_q@example.org", "nobody@example.org")}
    assert len(said) == 1, said
    assert "_q_example" not in str(said)


@pytest.mark.long
def test_a_formula_of_a_formula_moves_no_border(agent: Call) -> None:
    said: set[str] = set()
    for bound in (TOP[0], TOP[0] + 1):
        first = agent(
            "derive_column", {"data": STAFF, "expression": f"salary - {bound}", "new_column": "gap"}
        )
        rows = {"table": first.structured_content["rows"]["handle"]}
        for formula in ("age / gap", "sqrt(gap)", "max(gap, age)", "coalesce(gap, 1) / gap"):
            said.add(
                said_of(
                    agent("derive_column", {"data": rows, "expression": formula, "new_column": "x"}), bound
                )
            )
    assert len(said) == 1, said


@pytest.mark.long
def test_a_row_that_a_join_repeats_is_still_one_row(agent: Call) -> None:
    joined = agent("join_tables", {"data": STAFF, "other": STAFF, "on": ["city"]})
    rows = {"table": joined.structured_content["joined"]["handle"]}
    said = {
        said_of(agent("derive_column", {"data": rows, "expression": f"if(salary > {b}, 1, 0)", "new_column": "x"}), b)
        for b in BOUNDS
    }  # fmt: skip
    assert len(said) == 1, said


CONDITIONS = [
    "salary < {b}", "not salary > {b}", "city = 'Oslo' or salary > {b}", "city = 'Oslo' and salary < {b}",
    "date(if(salary > {b}, 'zzz', '2024-01-01')) > date('2020-01-01')", "date(if(salary > {b}, 'zzz', '2024-01-01')) > date('2030-01-01')",
    "sqrt({b} - salary) > 1", "max(salary, {b}) = {b}",
]  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_says_alike_however_few_rows_it_leaves_out(agent: Call, condition: str) -> None:
    said: set[str] = set()
    for bound in BOUNDS:
        kept = agent("filter_rows", {"data": STAFF, "condition": condition.format(b=bound)})
        told = [said_of(kept, bound)]
        if not kept.is_error:
            told.append(
                said_of(agent("aggregate", {"data": {"table": kept.structured_content["rows"]["handle"]}}), bound)
            )  # fmt: skip
        said.add(str(told))
    assert len(said) == 1, said


@pytest.mark.parametrize(
    "more", [{}, {"value": "bonus", "aggregate": "mean"}, {"group_by": ["city"]}, {"value": "city"}]
)
def test_where_says_alike_however_few_rows_it_leaves_out(agent: Call, more: dict[str, Any]) -> None:
    for also in ([], [{"column": "city", "operator": "=", "value": "Oslo"}]):
        said = {
            said_of(agent("aggregate", {"data": STAFF, "where": [{"column": "salary", "operator": "<", "value": b}, *also], **more}), b)
            for b in BOUNDS
        }  # fmt: skip
        assert len(said) == 1, said


@pytest.mark.long
@pytest.mark.parametrize("edges", [lambda b: [0, b, 10**6], lambda b: [0, 60_000, b], lambda b: [0, b]])
def test_bins_say_alike_however_few_rows_they_hold(agent: Call, edges: Any) -> None:
    said: set[str] = set()
    for bound in BOUNDS:
        given = {"column": "salary", "edges": edges(bound), "labels": ["a", "b"][: len(edges(bound)) - 1]}
        made = agent("bin_column", {"data": STAFF, **given, "new_column": "x"})
        rows = {"table": made.structured_content["rows"]["handle"]}
        more = ({"group_by": ["x"]}, {"value": "x", "aggregate": "nunique"})
        told = [
            said_of(made, bound),
            *(said_of(agent("aggregate", {"data": rows, **m}), bound) for m in more),
        ]
        said.add(str(told))
    assert len(said) == 1, said


def test_groups_without_a_name_are_checked_like_others(agent: Call) -> None:
    rows = [{"g": ["a", "b", None][i % 3], "v": i} for i in range(60)]
    told = agent("anomaly_zscore", {"data": {"rows": rows}, "value": "v", "group_by": ["g"]})
    assert len(told.structured_content["series"]) == 3, told


def test_rows_from_outside_are_not_compared(agent: Call, people: pd.DataFrame) -> None:
    known = people.iloc[3]
    said = {
        said_of(agent("compare_tables", {"data": STAFF, "other": {"rows": [{"salary": s, "bonus": b}]}, "key": ["salary"]}), "")
        for s, b in ((int(known["salary"]), int(known["bonus"])), (int(known["salary"]), 1), (1, 1))
    }  # fmt: skip
    assert len(said) == 1, said


def test_ordinary_formulas_and_conditions_go_on(agent: Call, people: pd.DataFrame) -> None:
    for formula in (
        "bonus / salary", "(salary - bonus) / salary", "if(salary > 60000, 'high', 'low')", "log(salary)", "sqrt(bonus)",
        "year(hired_on)", "round(salary / 12, 2)", "coalesce(bonus, 0)", "concat(city, ' ', age)", "if(city = 'Oslo', bonus, 0)",
        "days_between(hired_on, '2024-12-31')", "salary ^ 2", "lower(city)",
    ):  # fmt: skip
        made = agent("derive_column", {"data": STAFF, "expression": formula, "new_column": "x"})
        assert not made.is_error, (formula, made.content[0].text)
    kept = agent("filter_rows", {"data": STAFF, "condition": "salary > 60000 and city = 'Oslo'"})
    met = ((people["salary"] > 60000) & (people["city"] == "Oslo")).sum()
    assert kept.structured_content["kept"] == met
    made = agent("bin_column", {"data": STAFF, "column": "age", "edges": [0, 30, 45, 100], "new_column": "x"})
    assert len(made.structured_content["bins"]) == 3


def test_the_person_at_the_machine_still_sees_which_value_is_no_date() -> None:
    from gnomon.analytics.expression import RowsError, derive

    with pytest.raises(RowsError, match="'soon' is none"):
        derive(pd.DataFrame({"t": ["2024-01-01", "soon"]}), "date(t)")


PLANS = [
    {"expression": "if(salary > {b}, 1, 0)", "new_column": "x", "value": "x", "aggregate": "nunique"},
    {"expression": "date(if(salary > {b}, 'zzz', '2024-01-01'))", "new_column": "x", "value": "x", "aggregate": "nunique"},
    {"expression": "if(email = 'p7_q@example.org' and salary > {b}, 1, 0)", "new_column": "x", "value": "x", "aggregate": "nunique"},
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_says_alike_however_few_rows_it_marks(
    client: TestClient, path: Path, plan: dict[str, str]
) -> None:
    said: set[str] = set()
    for bound in BOUNDS:
        params = {k: v.format(b=bound) for k, v in plan.items()}
        body = {"data_pointer": {"source": str(path)}, "params": params, "context": {"task": "derive a column, then count distinct x"}}  # fmt: skip
        result = client.post("/v2/analyze", json=body).json()["result"]
        assert {"derive_column", "aggregate"} <= {r["tool_id"] for r in result["results"]}
        told = [{k: r.get(k) for k in ("tool_id", "status", "error", "output")} for r in result["results"]]
        summary = {k: v for k, v in result["summary"].items() if "ms" not in k and "seconds" not in k}
        said.add(re.sub(str(bound), "N", str([result["status"], summary, told])))
    assert len(said) == 1 and "zzz" not in str(said), said


@pytest.mark.long
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_it_is_the_same_over_every_transport(path: Path, transport: str, tmp_path: Path) -> None:
    home = warmed(tmp_path / "home")
    with ExitStack() as open_:
        if transport == "stdio":
            call = open_.enter_context(calling(stdio(str(path), home=home)))
        else:
            app = create_app(Settings.load(home=home, log_dir=home, data_roots=(path.parent,)))
            call = open_.enter_context(calling(f"{open_.enter_context(listening(app))}/mcp"))
            call("open_dataset", {"paths": [str(path)]})
        for formula in (MARKS[0], MARKS[26], "date(replace(email, '@', '{b}'))"):
            said = [call("derive_column", {"data": STAFF, "expression": formula.format(b=b), "new_column": "x"}) for b in BOUNDS]  # fmt: skip
            assert len({str(error_of(s)) for s in said}) == 1


@pytest.mark.parametrize("how", ["left", "inner", "outer", "right"])
@pytest.mark.parametrize("turned", [False, True])
def test_rows_from_outside_are_not_told_which_values_there_are(agent: Call, how: str, turned: bool) -> None:
    def said(value: int) -> str:
        sides = [STAFF, {"rows": [{"salary": value, "mark": "x"}]}]
        data, other = reversed(sides) if turned else sides
        made = agent("join_tables", {"data": data, "other": other, "on": ["salary"], "how": how})
        assert made.is_error, made.structured_content
        return said_of(made, value)

    assert len({said(v) for v in (TOP[0], TOP[0] + 1)}) == 1


def test_rows_from_outside_join_where_each_meets_many(agent: Call) -> None:
    cities = [{"city": c, "country": c[0]} for c in ("Oslo", "Rome", "Bern")]
    made = agent("join_tables", {"data": STAFF, "other": {"rows": cities}, "on": ["city"]})
    assert not made.is_error, made
