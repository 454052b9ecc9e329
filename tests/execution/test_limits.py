"""Time limits, retries, fallbacks and budgets."""

from __future__ import annotations

import threading

import pytest
from step_tools import Flaky, MakeLayer, Number, Pauses, Value, bad, made, plan_of, transient

from gnomon.core.errors import (
    ApiFailure,
    AuthenticationFailed,
    CalculationError,
    GnomonError,
    RateLimited,
    TimedOut,
)
from gnomon.core.events import Event, EventKind
from gnomon.core.plan import OutputRef, Step
from gnomon.execution import RetryPolicy, StepStatus
from gnomon.tools import Cost, ToolContext


def test_transient_failures_are_tried_again_after_half_one_and_two_seconds(
    make_layer: MakeLayer, pauses: Pauses, events: list[Event]
) -> None:
    flaky = Flaky(transient(), transient(), transient())
    result = make_layer(flaky.tool()).invoke(plan_of(Step(id="a", tool="flaky")))
    assert result.step("a").output["value"] == 42.0
    assert result.step("a").attempts == flaky.calls == 4
    assert pauses.seconds == [0.5, 1.0, 2.0]
    assert [e.kind for e in events if e.step].count(EventKind.STARTED) == 1


def test_retries_end_at_the_number_that_the_step_allows(make_layer: MakeLayer, pauses: Pauses) -> None:
    flaky = Flaky(*(transient() for _ in range(9)))
    result = make_layer(flaky.tool()).invoke(plan_of(Step(id="a", tool="flaky", retry_count=1)))
    assert result.status == "failed"
    assert isinstance(result.step("a").error, ApiFailure)
    assert (flaky.calls, pauses.seconds) == (2, [0.5])


@pytest.mark.parametrize(
    "error", [bad(), AuthenticationFailed("No."), CalculationError("No."), GnomonError("No.")]
)
def test_what_cannot_pass_is_not_tried_again(
    make_layer: MakeLayer, pauses: Pauses, error: GnomonError
) -> None:
    flaky = Flaky(error)
    result = make_layer(flaky.tool()).invoke(plan_of(Step(id="a", tool="flaky")))
    assert result.step("a").error is error
    assert (flaky.calls, pauses.seconds) == (1, [])


def test_a_rate_limit_is_waited_for_as_long_as_it_says(make_layer: MakeLayer, pauses: Pauses) -> None:
    flaky = Flaky(RateLimited("Slow down.", retry_after_seconds=11.0))
    result = make_layer(flaky.tool()).invoke(plan_of(Step(id="a", tool="flaky")))
    assert result.status == "success"
    assert pauses.seconds == [11.0]


def test_a_rate_limit_beyond_the_budget_fails_at_once(make_layer: MakeLayer, pauses: Pauses) -> None:
    flaky = Flaky(RateLimited("Slow down.", retry_after_seconds=11.0))
    result = make_layer(flaky.tool()).invoke(plan_of(Step(id="a", tool="flaky")), budget_seconds=5)
    assert isinstance(result.step("a").error, RateLimited)
    assert (flaky.calls, pauses.seconds) == (1, [])


def test_the_wait_that_a_worker_process_was_told_survives_the_way_back(
    make_layer: MakeLayer, pauses: Pauses
) -> None:
    result = make_layer().invoke(plan_of(Step(id="a", tool="heavy_limited", retry_count=1)))
    error = result.step("a").error
    assert isinstance(error, RateLimited)
    assert (error.retry_after_seconds, error.suggestions, pauses.seconds) == (7.5, ("Wait.",), [7.5])


def test_a_worker_that_dies_is_a_transient_failure_of_its_step_alone(
    make_layer: MakeLayer, pauses: Pauses
) -> None:
    steps = (
        Step(id="dies", tool="heavy_dies", retry_count=1),
        Step(id="lives", tool="heavy_total", params={"data": [{"v": 2.0}]}),
    )
    result = make_layer().invoke(plan_of(*steps))
    assert isinstance(result.step("dies").error, ApiFailure)
    assert result.step("dies").attempts == 2
    assert result.step("lives").output["value"] == 2.0


def test_the_fallback_runs_after_the_last_failure_and_is_named(make_layer: MakeLayer) -> None:
    flaky = Flaky(bad())
    steps = (
        Step(id="a", tool="flaky", fallback="spare"),
        Step(id="b", tool="double", inputs={"x": OutputRef(step="a", field="value")}),
    )
    result = make_layer(flaky.tool(), Flaky().tool("spare")).invoke(plan_of(*steps))
    assert result.status == "success"
    assert (result.step("a").tool_id, result.step("a").planned_tool) == ("spare", "flaky")
    assert result.step("b").output["value"] == 84.0


def test_a_fallback_that_is_not_there_leaves_the_first_error(make_layer: MakeLayer) -> None:
    flaky = Flaky(bad())
    result = make_layer(flaky.tool()).invoke(plan_of(Step(id="a", tool="flaky", fallback="nowhere")))
    assert (result.step("a").tool_id, result.step("a").status) == ("flaky", StepStatus.FAILED)
    assert "will not pass" in str(result.step("a").error)


def test_a_query_that_takes_too_long_is_interrupted_and_tried_again(
    make_layer: MakeLayer, pauses: Pauses
) -> None:
    step = Step(id="a", tool="long_query", timeout_seconds=0.1, retry_count=1)
    result = make_layer().invoke(plan_of(step))
    assert isinstance(result.step("a").error, TimedOut)
    assert (result.step("a").attempts, pauses.seconds) == (2, [0.5])
    assert result.duration_seconds < 5


def test_a_call_that_does_not_stop_is_given_up_without_a_second_one(
    make_layer: MakeLayer, pauses: Pauses
) -> None:
    step = Step(id="a", tool="stubborn", params={"seconds": 3}, timeout_seconds=0.1)
    after = Step(id="b", tool="double", params={"x": 1})
    result = make_layer().invoke(plan_of(step, after))
    assert isinstance(result.step("a").error, TimedOut)
    assert (result.step("a").attempts, pauses.seconds) == (1, [])
    assert result.duration_seconds < 2.5
    assert result.step("b").status is StepStatus.SUCCESS


def test_a_model_fit_that_takes_too_long_is_killed_and_not_repeated(
    make_layer: MakeLayer, pauses: Pauses
) -> None:
    result = make_layer().invoke(plan_of(Step(id="a", tool="fit", timeout_seconds=0.3)))
    assert isinstance(result.step("a").error, TimedOut)
    assert (result.step("a").attempts, pauses.seconds) == (1, [])


@pytest.mark.parametrize("cost", [Cost.LIGHT, Cost.REMOTE])
def test_the_limit_of_a_step_comes_from_the_settings(make_layer: MakeLayer, cost: Cost) -> None:
    layer = make_layer(
        made("rests", rests, Number, Value, cost=cost), settings={"step_timeout_seconds": 0.05}
    )
    assert layer.invoke(plan_of(Step(id="a", tool="rests", params={"x": 0}))).status == "success"
    result = layer.invoke(plan_of(Step(id="a", tool="rests", params={"x": 20}, retry_count=0)))
    assert "0.05 s" in str(result.step("a").error)


def test_the_first_call_of_a_light_tool_has_time_to_import_its_libraries(make_layer: MakeLayer) -> None:
    layer = make_layer(made("rests", rests, Number, Value), settings={"step_timeout_seconds": 0.05})
    step = Step(id="a", tool="rests", params={"x": 0.3}, retry_count=0)
    assert layer.invoke(plan_of(step)).status == "success"
    assert isinstance(layer.invoke(plan_of(step)).step("a").error, TimedOut)


def rests(given: Number, context: ToolContext) -> Value:
    """Waits as long as it is told, unless it is stopped."""
    stopped = threading.Event()
    with context.cancel.interrupting(stopped.set):
        stopped.wait(given.x)
    context.cancel.check()
    return Value(value=given.x)


def test_the_budget_ends_everything_and_keeps_what_was_obtained(make_layer: MakeLayer) -> None:
    steps = (
        Step(id="quick", tool="double", params={"x": 1}),
        Step(id="endless", tool="long_query", timeout_seconds=60),
        Step(id="never", tool="double", params={"x": 1}, depends_on=("endless",)),
    )
    result = make_layer().invoke(plan_of(*steps), budget_seconds=0.2)
    assert [s.status for s in result.steps] == ["success", "failed", "skipped"]
    assert result.status == "partial_success"
    assert isinstance(result.step("endless").error, TimedOut)
    assert result.duration_seconds < 3


def test_delays_repeat_the_last_one() -> None:
    policy = RetryPolicy()
    assert [policy.delay(transient(), n, 5) for n in range(1, 7)] == [0.5, 1.0, 2.0, 2.0, 2.0, None]
