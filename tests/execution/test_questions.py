"""Questions to the user: what is offered, and how the work goes on with the answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from step_tools import DOUBLE, MakeLayer, Number, Value, double, made, plan_of

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.plan import (
    Conflict,
    ConflictType,
    FallbackOption,
    Plan,
    Resolution,
    Severity,
    Step,
    Strategy,
)
from gnomon.execution.feedback import Pending, PendingPlans, Question
from gnomon.store import Store
from gnomon.tools import ToolContext

ROWS = [{"v": 1.0, "w": 10.0}, {"v": 2.0, "w": 20.0}]


def conflicting(kind: ConflictType, subject: str, options: tuple[str, ...], **more: Any) -> Plan:
    conflict = Conflict(
        type=kind,
        severity=Severity.HIGH,
        description=f"{subject} is the trouble.",
        resolution=Resolution.USER_FEEDBACK,
        subject=subject,
        options=options,
    )
    return Plan(strategy=Strategy.SINGLE, conflicts=(conflict,), **more)


UNAVAILABLE = conflicting(
    ConflictType.TOOL_UNAVAILABLE,
    "segments",
    ("total",),
    fallbacks=(FallbackOption(option="just the positives", steps=(Step(id="p", tool="positives"),)),),
)


def test_a_plan_that_needs_an_answer_asks_and_runs_nothing(make_layer: MakeLayer) -> None:
    result = make_layer().invoke(UNAVAILABLE, ROWS, request_id="r")
    assert result.to_dict() == {
        "status": "needs_feedback",
        "results": [],
        "summary": {"total_tools": 1, "successful": 0, "failed": 0, "unavailable": 1},
        "user_feedback_required": {
            "message": "segments is the trouble.",
            "options": [
                {"option": "just the positives", "tools": ["positives"]},
                {"option": "total", "tools": ["total"]},
            ],
        },
    }


@pytest.mark.parametrize(
    ("choice", "expected"), [("total", ("total", 3.0)), ("just the positives", ("positives", 2))]
)
def test_the_answer_continues_with_the_rows_that_were_asked_about(
    make_layer: MakeLayer, choice: str, expected: tuple[str, float]
) -> None:
    layer = make_layer()
    layer.invoke(UNAVAILABLE, ROWS, request_id="r")
    result = layer.invoke(None, request_id="r", feedback={"choice": choice})
    (step,) = result.steps
    assert (step.tool_id, step.output.get("value", step.output.get("count"))) == expected
    with pytest.raises(NotFound, match="No plan waits"):
        layer.invoke(None, request_id="r", feedback={"choice": choice})


def test_an_answer_that_is_not_on_offer_is_refused_and_the_question_stays_open(make_layer: MakeLayer) -> None:
    layer = make_layer()
    layer.invoke(UNAVAILABLE, ROWS, request_id="r")
    with pytest.raises(NotFound, match="Did you mean 'total'"):
        layer.invoke(None, request_id="r", feedback={"choice": "totl"})
    with pytest.raises(InvalidInput, match="no answer"):
        layer.invoke(None, request_id="r", feedback={})
    assert layer.invoke(None, request_id="r", feedback={"choice": "total"}).status == "success"


def test_new_rows_with_the_answer_win_over_the_old_ones(make_layer: MakeLayer) -> None:
    layer = make_layer()
    layer.invoke(UNAVAILABLE, ROWS, request_id="r")
    result = layer.invoke(None, [{"v": 100.0}], request_id="r", feedback={"choice": "total"})
    assert result.steps[0].output["value"] == 100.0


def test_an_answer_with_its_plan_needs_no_memory_of_the_question(make_layer: MakeLayer) -> None:
    result = make_layer().invoke(UNAVAILABLE, ROWS, request_id="elsewhere", feedback={"choice": "total"})
    assert result.steps[0].output["value"] == 3.0


def test_a_missing_parameter_is_filled_by_an_option_or_by_value(make_layer: MakeLayer) -> None:
    plan = conflicting(
        ConflictType.MISSING_PARAMETER, "total.column", ("v", "w"), steps=(Step(id="a", tool="total"),)
    )
    layer = make_layer()
    asked = layer.invoke(plan, ROWS, request_id="r")
    assert asked.feedback is not None
    assert [o["option"] for o in asked.feedback.options] == ["v", "w"]
    chosen = layer.invoke(None, request_id="r", feedback={"choice": "w"})
    assert chosen.step("a").output["value"] == 30.0
    layer.invoke(plan, ROWS, request_id="s")
    given = layer.invoke(None, request_id="s", feedback={"parameters": {"column": "w"}})
    assert given.step("a").output["value"] == 30.0


def test_an_ambiguous_goal_is_settled_by_a_tool_that_serves_it(make_layer: MakeLayer) -> None:
    plan = conflicting(ConflictType.AMBIGUOUS_GOAL, "goal", ("add_up", "scale"))
    layer = make_layer()
    layer.invoke(plan, ROWS, request_id="r")
    assert layer.invoke(None, request_id="r", feedback={"choice": "add_up"}).steps[0].output["value"] == 3.0


def test_two_conflicts_are_asked_one_after_the_other(make_layer: MakeLayer) -> None:
    def missing(name: str, *options: str) -> Conflict:
        return Conflict(
            type=ConflictType.MISSING_PARAMETER,
            severity=Severity.HIGH,
            description=f"Which {name}?",
            resolution=Resolution.USER_FEEDBACK,
            subject=name,
            options=options,
        )

    plan = Plan(
        strategy=Strategy.SINGLE,
        steps=(Step(id="a", tool="double"),),
        conflicts=(missing("x", "21"), missing("wait", "0")),
    )
    layer = make_layer()
    layer.invoke(plan, request_id="r")
    second = layer.invoke(None, request_id="r", feedback={"choice": "21"})
    assert second.status == "needs_feedback"
    assert second.feedback is not None
    assert second.feedback.message == "Which wait?"
    assert layer.invoke(None, request_id="r", feedback={"choice": "0"}).step("a").output["value"] == 42.0


def test_a_tool_that_turns_out_to_be_off_is_asked_about_with_its_alternatives(make_layer: MakeLayer) -> None:
    spare = made("spare", double, Number, Value, goals=("scale",))
    layer = make_layer(spare, disabled=("double",))
    result = layer.invoke(plan_of(Step(id="a", tool="double", params={"x": 3})), request_id="r")
    assert result.to_dict()["status"] == "needs_feedback"
    assert result.summary == {"total_tools": 1, "successful": 0, "failed": 0, "unavailable": 1}
    assert "switched off" in str(result.step("a").error)
    assert result.feedback is not None
    assert list(result.feedback.options) == [{"option": "spare", "tools": ["spare"]}]
    again = layer.invoke(None, request_id="r", feedback={"choice": "spare"})
    assert (again.step("a").tool_id, again.step("a").output["value"]) == ("spare", 6.0)


def test_what_was_obtained_is_given_beside_the_question(make_layer: MakeLayer) -> None:
    plan = plan_of(Step(id="a", tool="total"), Step(id="b", tool="double", params={"x": 1}))
    result = make_layer(disabled=("double",)).invoke(plan, ROWS)
    assert result.status == "partial_success"
    assert result.summary["unavailable"] == 1
    assert result.feedback is not None


def test_a_tool_that_nobody_knows_is_unavailable_with_a_close_name(make_layer: MakeLayer) -> None:
    result = make_layer().invoke(plan_of(Step(id="a", tool="dubble", params={"x": 1})))
    assert result.step("a").status == "unavailable"
    assert "Did you mean 'double'" in str(result.step("a").error)


def test_a_new_tool_can_be_made_in_place_of_one_that_is_missing(make_layer: MakeLayer) -> None:
    def create(specification: Mapping[str, Any]) -> Any:
        def scaled(given: Number, context: ToolContext) -> Value:
            return Value(value=given.x * specification["factor"])

        return made("scaled", scaled, Number, Value)

    plan = conflicting(
        ConflictType.TOOL_UNAVAILABLE, "tripled", (), steps=(Step(id="a", tool="tripled", params={"x": 5}),)
    )
    layer = make_layer(tool_creator=create)
    asked = layer.invoke(plan, request_id="r")
    assert asked.feedback is not None
    assert list(asked.feedback.options) == [{"option": "create_new", "tools": []}]
    with pytest.raises(InvalidInput, match="specification"):
        layer.invoke(None, request_id="r", feedback={"choice": "create_new"})
    made_one = layer.invoke(None, request_id="r", feedback={"choice": "create_new", "tool": {"factor": 3}})
    assert made_one.step("a").output["value"] == 15.0


def test_a_question_outlives_the_process_in_the_store_without_its_rows(
    make_layer: MakeLayer, tmp_path: Path
) -> None:
    path = tmp_path / "gnomon.db"
    with Store.open(path) as store:
        make_layer(store=store).invoke(UNAVAILABLE, [{"v": 987654321.0}], request_id="r")
    assert b"987654321" not in path.read_bytes()
    with Store.open(path) as store:
        result = make_layer(store=store).invoke(None, ROWS, request_id="r", feedback={"choice": "total"})
        assert result.steps[0].output["value"] == 3.0
        assert store.pending("r") is None


def test_waiting_plans_are_bounded_in_number_and_time() -> None:
    now = [0.0]
    waiting = PendingPlans(limit=2, expires_seconds=10, now=lambda: now[0])
    plan = plan_of(Step(id="a", tool=DOUBLE.spec.name))
    for name in ("first", "second", "third"):
        waiting.put(name, Pending(plan, Question("?"), since=now[0]))
    with pytest.raises(NotFound):
        waiting.get("first")
    assert waiting.get("third").plan is plan
    now[0] = 11.0
    with pytest.raises(NotFound, match="expired"):
        waiting.get("third")
    assert len(waiting) == 0


def test_an_option_is_planned_anew_where_the_planner_can(make_layer: MakeLayer) -> None:
    def replan(conflict: Conflict, option: str) -> Plan | None:
        if option != "total":
            return None
        return plan_of(Step(id="planned", tool="total", params={"column": "w"}))

    layer = make_layer()
    layer.invoke(UNAVAILABLE, ROWS, request_id="r", replan=replan)
    result = layer.invoke(None, request_id="r", feedback={"choice": "total"})
    assert result.step("planned").output["value"] == 30.0


def test_a_chosen_tool_that_still_lacks_a_parameter_is_asked_about_next(make_layer: MakeLayer) -> None:
    layer = make_layer()
    layer.invoke(conflicting(ConflictType.AMBIGUOUS_GOAL, "goal", ("add_up", "scale")), request_id="r")
    second = layer.invoke(None, request_id="r", feedback={"choice": "scale"})
    assert second.feedback is not None
    assert second.feedback.message == "double needs 'x'. Send it as feedback.parameters.x."
    third = layer.invoke(None, request_id="r", feedback={"parameters": {"x": 4}})
    assert third.steps[0].output["value"] == 8.0
