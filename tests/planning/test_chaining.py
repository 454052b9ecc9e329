"""Plans: valid, of available tools only, every conflict named."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from tests.tools.rows import daily_sales

from gnomon.core import ConflictType, Plan, Resolution, Settings, Severity, Strategy
from gnomon.core.plan import check_steps
from gnomon.planning import ContextExtractor, MCPToolsChainingManager, published_plan
from gnomon.planning.characteristics import ColumnKinds
from gnomon.planning.context import ExtractedContext
from gnomon.planning.goal_reading import GoalReading
from gnomon.tools import Frame, FunctionTool, Goal, ToolRegistry
from gnomon.tools.builtin import builtin_registry
from gnomon.workbench import Workbench

ROWS = [{k: r[k] for k in ("date", "sales", "region")} for r in daily_sales(days=30)]
TWO = [{**r, "cost": 1.5} for r in ROWS]


def plan(prompt: str, rows: Any = ROWS, *, disabled: frozenset[str] = frozenset(), **choices: Any) -> Plan:
    registry = builtin_registry(Settings.load(disabled_tools=disabled))
    return MCPToolsChainingManager(registry).plan(
        ContextExtractor().extract(prompt, rows), choices=choices or None
    )


def tools(made: Plan) -> list[str]:
    return [s.tool for s in made.steps]


def conflict(made: Plan, kind: ConflictType) -> Any:
    (found,) = [c for c in made.conflicts if c.type is kind]
    return found


def test_one_goal_is_a_single_step_with_the_stated_threshold() -> None:
    made = plan("Detect anomalies in sales data with threshold 2.5")
    assert made.strategy is Strategy.SINGLE
    assert tools(made) == ["anomaly_zscore"]
    assert made.steps[0].params == {"value": "sales", "threshold": 2.5}
    assert made.conflicts == ()


def test_a_goal_after_another_takes_its_rows() -> None:
    made = plan("Forecast sales after detecting outliers")
    assert made.strategy is Strategy.SEQUENTIAL
    assert tools(made) == ["anomaly_zscore", "timeseries_forecaster"]
    assert made.steps[1].inputs["data"].step == made.steps[0].id
    assert made.steps[1].inputs["data"].field == "cleaned"
    assert [s.order for s in made.steps] == [1, 2]


def test_independent_goals_run_side_by_side() -> None:
    made = plan("show the trend and the seasonality of sales")
    assert made.strategy is Strategy.PARALLEL
    assert {s.order for s in made.steps} == {1}


def test_a_mix_is_sequential_and_its_independent_steps_share_an_order_number() -> None:
    made = plan("remove outliers, then show the trend and the seasonality of sales")
    assert made.strategy is Strategy.SEQUENTIAL
    assert [(s.tool, s.order) for s in made.steps] == [
        ("clean_outliers", 1),
        ("trend", 2),
        ("seasonality", 2),
    ]


def test_a_chart_shows_the_rows_of_the_step_before_under_its_finding() -> None:
    made = plan("forecast sales then chart it")
    assert made.steps[1].tool == "render_chart"
    assert made.steps[1].inputs["title"].field == "summary"


def test_a_tool_that_is_switched_off_is_asked_about() -> None:
    made = plan("Analyze customer segments", disabled=frozenset({"cluster_segmentation"}))
    found = conflict(made, ConflictType.TOOL_UNAVAILABLE)
    assert (found.severity, found.resolution) == (Severity.HIGH, Resolution.USER_FEEDBACK)
    assert made.requires_user_feedback
    assert "create_new" in found.options
    assert made.fallbacks


def test_another_tool_for_the_same_goal_is_taken_without_asking() -> None:
    made = plan("detect anomalies in sales", disabled=frozenset({"anomaly_zscore"}))
    assert tools(made) == ["anomaly_investigate"]
    assert conflict(made, ConflictType.TOOL_UNAVAILABLE).resolution is Resolution.AUTO_SELECT
    assert not made.requires_user_feedback


def test_a_goal_that_no_tool_serves_calls_for_a_new_one() -> None:
    registry = ToolRegistry([builtin_registry().get("trend")])
    made = MCPToolsChainingManager(registry).plan(ContextExtractor().extract("cluster the customers", ROWS))
    assert conflict(made, ConflictType.TOOL_UNAVAILABLE).resolution is Resolution.CREATE_NEW
    assert made.steps == ()


def test_which_column_is_asked_when_several_would_do() -> None:
    made = plan("forecast the next 14 days", TWO)
    found = conflict(made, ConflictType.MISSING_PARAMETER)
    assert set(found.options) == {"sales", "cost"}
    answered = plan("forecast the next 14 days", TWO, value="cost")
    assert answered.conflicts == ()
    assert answered.steps[0].params["value"] == "cost"


def test_a_value_that_cannot_be_is_named_and_the_default_taken() -> None:
    found = conflict(plan("detect anomalies in sales with threshold -2"), ConflictType.INVALID_PARAMETER)
    assert "more than 0" in found.description
    assert found.resolution is Resolution.AUTO_SELECT


def test_places_need_coordinates() -> None:
    found = conflict(plan("find geographic hotspots"), ConflictType.DATA_TYPE_MISMATCH)
    assert found.severity is Severity.HIGH
    assert "latitude" in found.description


def test_a_prompt_without_a_goal_offers_the_goals() -> None:
    found = conflict(plan("hello there"), ConflictType.AMBIGUOUS_GOAL)
    assert "forecast" in found.options


def test_goals_that_wait_for_each_other_are_a_circle() -> None:
    made = plan("forecast after charting and chart after forecasting")
    assert conflict(made, ConflictType.DEPENDENCY_CYCLE).severity is Severity.HIGH
    assert made.steps == ()


def test_a_limit_on_the_rows_becomes_a_filter() -> None:
    made = plan("forecast sales only weekdays since 2024-01-10")
    assert tools(made) == ["filter_rows", "timeseries_forecaster"]
    assert made.steps[0].params["condition"] == "(weekday(`date`) <= 5) and (`date` >= date('2024-01-10'))"


@pytest.mark.parametrize(
    ("prompt", "params"),
    [
        ("total sales in the last 10 days", {"latest": 10, "latest_unit": "day", "time": "date"}),
        ("total sales where region is north", {"condition": "lower(`region`) = 'north'"}),
        ("total sales whose sales is above 120", {"condition": "`sales` > 120"}),
        ("total sales excluding region north", {"condition": "lower(`region`) != 'north'"}),
    ],
)
def test_what_to_keep_becomes_a_filter(prompt: str, params: dict[str, Any]) -> None:
    made = plan(prompt)
    assert made.steps[0].tool == "filter_rows"
    assert made.steps[0].params == params
    assert made.conflicts == ()


def test_a_limit_that_cannot_be_applied_is_no_small_matter() -> None:
    found = conflict(plan("total sales except for the pilot stores"), ConflictType.INVALID_PARAMETER)
    assert found.severity is Severity.MEDIUM
    assert "pilot" in found.description


def test_what_nobody_can_apply_is_said() -> None:
    found = conflict(plan("distribution of sales per region"), ConflictType.INVALID_PARAMETER)
    assert "group_by" in found.description
    assert found.severity is Severity.LOW


def test_groups_reach_the_tools_that_answer_for_each() -> None:
    made = plan("forecast sales per region")
    assert made.steps[0].params["group_by"] == ["region"]
    assert made.conflicts == ()


def test_a_parameter_that_no_tool_takes_is_said() -> None:
    found = conflict(plan("show the trend of sales", colour="red"), ConflictType.INVALID_PARAMETER)
    assert "colour" in found.description


def test_the_published_structure_has_exactly_its_keys() -> None:
    registry = builtin_registry()
    shown = published_plan(plan("Forecast sales after detecting outliers"), registry)
    assert set(shown) == {
        "execution_plan", "conflicts", "requires_user_feedback", "reasoning", "fallback_options",
    }  # fmt: skip
    assert set(shown["execution_plan"]) == {"strategy", "tools"}
    first, second = shown["execution_plan"]["tools"]
    assert {"tool_id", "tool_endpoint", "params", "order", "retry_count"} <= set(first)
    assert second["dependencies"] == ["anomaly_zscore"]


def test_a_context_as_plain_data_gives_the_same_tools() -> None:
    context = ContextExtractor().extract("Forecast sales after detecting outliers", ROWS).to_dict()
    made = MCPToolsChainingManager(builtin_registry()).plan(context)
    assert tools(made) == ["anomaly_zscore", "timeseries_forecaster"]


class _In(BaseModel):
    threshold: float = 1.0


class _Out(BaseModel):
    x: int


def _many(count: int) -> ToolRegistry:
    goals = list(Goal)
    return ToolRegistry(
        FunctionTool(
            f"tool_{i}",
            lambda given, context: _Out(x=1),
            _In,
            _Out,
            description="d",
            goals=(goals[i % len(goals)],),
        )
        for i in range(count)
    )


def test_a_plan_over_a_hundred_tools_takes_under_five_milliseconds() -> None:
    manager = MCPToolsChainingManager(_many(100))
    context = ContextExtractor().extract("forecast sales after removing outliers, then chart it", ROWS)
    took = []
    for _ in range(20):
        start = time.process_time()
        manager.plan(context)
        took.append(time.process_time() - start)
    assert sorted(took)[10] < 0.005


BUILT_IN = list(builtin_registry())
goal_sets = st.lists(st.sampled_from(list(Goal)), unique=True, max_size=5)
columns = st.lists(st.text("abcxyz", min_size=1, max_size=4), unique=True, max_size=6)


@settings(max_examples=200, deadline=None)
@given(
    goals=goal_sets,
    pairs=st.lists(st.tuples(st.sampled_from(list(Goal)), st.sampled_from(list(Goal))), max_size=4),
    names=columns,
    cut=st.tuples(st.integers(0, 3), st.integers(0, 6)),
    off=st.sets(st.sampled_from([t.spec.name for t in BUILT_IN]), max_size=20),
    values=st.dictionaries(
        st.sampled_from(["threshold", "horizon", "metric", "group_by", "confidence", "bins"]),
        st.floats(-5, 500) | st.text(max_size=3),
    ),
)
def test_any_context_gives_a_valid_plan_or_named_conflicts(
    goals: list[Goal],
    pairs: list[tuple[Goal, Goal]],
    names: list[str],
    cut: tuple[int, int],
    off: set[str],
    values: dict[str, Any],
) -> None:
    a, b = sorted(cut)
    kinds = ColumnKinds(10, tuple(names[:a]), tuple(names[a:b][:1]), tuple(names[b:]), columns=tuple(names))
    before = tuple((x, y) for x, y in pairs if x in goals and y in goals and x != y)
    context = ExtractedContext(
        GoalReading(tuple(goals), before, goals[0] if goals else None), (), "tabular", kinds, values
    )
    registry = ToolRegistry(BUILT_IN, disabled=off)
    made = MCPToolsChainingManager(registry).plan(context)
    check_steps(made.steps)
    assert all(registry.unavailable(t) is None for t in tools(made))
    assert all(registry.unavailable(t) is None for f in made.fallbacks for t in f.tools)
    served = {g for t in tools(made) for g in registry.get(t).spec.goals}
    if not made.conflicts:
        assert set(goals) <= served
    order = {s.id: s.order for s in made.steps}
    assert all(order[n] < s.order for s in made.steps for n in s.needs)


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("where region is north and sales > 500", lambda r: r["region"] == "north" and r["sales"] > 500),
        ("where region is north, ", lambda r: r["region"] == "north"),
        ("where region is north or south", lambda r: r["region"] in ("north", "south")),
        (
            "where region is not north and sales >= 400",
            lambda r: r["region"] != "north" and r["sales"] >= 400,
        ),
        ("whose sales is above 300 and sales is below 600.", lambda r: 300 < r["sales"] < 600),
        ("where region = 'north' or sales < 200", lambda r: r["region"] == "north" or r["sales"] < 200),
    ],
)
def test_every_condition_of_a_limit_is_applied(words: str, rows: Any) -> None:
    held = [{**r, "region": ["north", "south", "east"][i % 3], "sales": 37 * i} for i, r in enumerate(ROWS)]
    for task in (f"keep rows {words} then total sales", f"total sales {words}"):
        with Workbench(Settings.load()) as workbench:
            done = workbench.analyze(task, Frame.of(held))
        total = done.result.steps[-1].output["rows"].to_rows(5)[0]
        assert list(total.values())[-1] == sum(r["sales"] for r in held if rows(r)), (task, done.plan)


@pytest.mark.parametrize("column", ["basis", "software", "turnover", "thunder"])
def test_a_column_that_ends_like_a_sign_is_a_column(column: str) -> None:
    held = [{column: ["net", "gross"][i % 2], "sales": i} for i in range(20)]
    made = plan(f"total sales where {column} is net, and then stop", held)
    assert made.steps[0].params["condition"] == f"lower(`{column}`) = 'net'"


def test_a_limit_of_which_one_part_is_not_understood_is_named() -> None:
    made = plan("total sales where region is north and weather is nice")
    assert any("weather is nice" in c.description for c in made.conflicts), made


def test_a_date_is_not_half_of_the_name_of_an_identifier() -> None:
    rows = [
        {"order_id": f"O{i:04}", "order_date": r["date"], "sales": r["sales"]} for i, r in enumerate(ROWS)
    ]
    (step,) = plan("total sales by order_date", rows).steps
    assert step.params["group_by"] == ["order_date"]


@pytest.mark.parametrize("words", ["for 7 days", "for the next 7 days", "and plot it for 7 days"])
def test_a_forecast_goes_as_far_as_it_is_asked_to(words: str) -> None:
    step = next(s for s in plan(f"forecast sales {words}").steps if s.tool == "timeseries_forecaster")
    assert (step.params["horizon"], step.params["horizon_unit"]) == (7, "day")
