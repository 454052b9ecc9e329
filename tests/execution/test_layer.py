"""What a plan gives: the published structure, order, chaining, rows of the request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest
from step_tools import MakeLayer, Nothing, Number, Rows, Value, made, plan_of

from gnomon.core.errors import InvalidInput
from gnomon.core.events import Event, EventKind
from gnomon.core.plan import OutputRef, Plan, Step, Strategy
from gnomon.data import Dataset, Table
from gnomon.execution import ProcessSlots
from gnomon.store import Store
from gnomon.tools import Frame, ToolContext

ROWS = [{"v": 3.0}, {"v": -10.0}, {"v": 4.5}]


def test_one_step_gives_exactly_the_published_structure(make_layer: MakeLayer) -> None:
    result = make_layer().invoke(plan_of(Step(id="a", tool="double", params={"x": 4})))
    assert result.to_dict() == {
        "status": "success",
        "results": [{"tool_id": "double", "status": "success", "output": {"value": 8.0}, "error": None}],
        "summary": {"total_tools": 1, "successful": 1, "failed": 0, "unavailable": 0},
    }
    assert result.step("a").duration_seconds > 0


def test_rows_of_the_request_reach_a_step_that_has_none(make_layer: MakeLayer) -> None:
    layer = make_layer()
    bound = Step(id="a", tool="total")
    own = Step(id="b", tool="total", params={"data": [{"v": 1.0}]})
    result = layer.invoke(plan_of(bound, own), ROWS)
    assert [s.output["value"] for s in result.steps] == [-2.5, 1.0]
    assert layer.invoke(plan_of(bound), Frame.of(ROWS)).step("a").output["value"] == -2.5


def test_rows_are_not_pushed_on_a_tool_that_takes_none(make_layer: MakeLayer) -> None:
    result = make_layer().invoke(plan_of(Step(id="a", tool="double", params={"x": 1})), ROWS)
    assert result.status == "success"


def test_output_flows_into_input_with_its_type(make_layer: MakeLayer) -> None:
    steps = (
        Step(id="clean", tool="positives"),
        Step(id="sum", tool="total", inputs={"data": OutputRef(step="clean")}, order=2),
        Step(id="twice", tool="double", inputs={"x": OutputRef(step="sum", field="value")}, order=3),
    )
    result = make_layer().invoke(plan_of(*steps), ROWS)
    assert isinstance(result.step("clean").output["rows"], Frame)
    assert result.step("sum").output["value"] == 7.5
    assert result.step("twice").output["value"] == 15.0


@pytest.mark.parametrize("tool", ["total", "heavy_total"])
def test_corrupting_the_output_of_step_one_changes_step_two(make_layer: MakeLayer, tool: str) -> None:
    def corrupt(given: Rows, context: ToolContext) -> Any:
        class Given(Nothing):
            rows: Frame

        return Given(rows=Frame.of([{"v": 1e6}]))

    corrupted = made("corrupted", corrupt, Rows, Value, produces_rows="rows")
    layer = make_layer(corrupted)
    second = Step(id="b", tool=tool, inputs={"data": OutputRef(step="a", field="rows")})
    sound = layer.invoke(plan_of(Step(id="a", tool="positives"), second), ROWS)
    broken = layer.invoke(plan_of(Step(id="a", tool="corrupted"), second), ROWS)
    assert sound.step("b").output["value"] == 7.5
    assert broken.step("b").output["value"] == 1e6


def test_a_field_that_the_earlier_step_did_not_give_is_a_named_error(make_layer: MakeLayer) -> None:
    step = Step(id="b", tool="double", inputs={"x": OutputRef(step="a", field="nothing")})
    result = make_layer().invoke(plan_of(Step(id="a", tool="total"), step), ROWS)
    assert result.status == "partial_success"
    assert isinstance(result.step("b").error, InvalidInput)
    assert "nothing" in str(result.step("b").error)


def test_independent_steps_run_at_the_same_time(make_layer: MakeLayer) -> None:
    import threading

    together = threading.Barrier(3)

    def meet(given: Nothing, context: ToolContext) -> Value:
        return Value(value=together.wait(timeout=10))

    layer = make_layer(made("meet", meet, Nothing, Value))
    result = layer.invoke(plan_of(*(Step(id=i, tool="meet") for i in "abc")))
    assert result.status == "success"
    assert sorted(s.output["value"] for s in result.steps) == [0, 1, 2]


def test_a_step_starts_when_its_own_needs_are_met_whatever_its_order_number(make_layer: MakeLayer) -> None:
    import threading

    released = threading.Event()

    def slow(given: Nothing, context: ToolContext) -> Value:
        return Value(value=float(released.wait(timeout=10)))

    def release(given: Number, context: ToolContext) -> Value:
        released.set()
        return Value(value=given.x)

    layer = make_layer(made("slow", slow, Nothing, Value), made("release", release, Number, Value))
    steps = (
        Step(id="slow", tool="slow", order=1, timeout_seconds=10),
        Step(id="quick", tool="double", params={"x": 1}, order=1),
        Step(id="after", tool="release", inputs={"x": OutputRef(step="quick", field="value")}, order=2),
    )
    result = layer.invoke(plan_of(*steps))
    assert result.step("slow").output["value"] == 1.0, "the second order waited for the whole first"


def test_a_failure_skips_what_needed_it_and_keeps_the_rest(make_layer: MakeLayer) -> None:
    steps = (
        Step(id="ok", tool="total"),
        Step(id="bad", tool="total", params={"column": "missing"}),
        Step(id="child", tool="double", inputs={"x": OutputRef(step="bad", field="value")}),
        Step(id="grandchild", tool="double", params={"x": 1}, depends_on=("child",)),
    )
    result = make_layer().invoke(plan_of(*steps), ROWS)
    published = result.to_dict()
    assert published["status"] == "partial_success"
    assert [r["status"] for r in published["results"]] == ["success", "failed", "skipped", "skipped"]
    assert published["summary"] == {"total_tools": 4, "successful": 1, "failed": 3, "unavailable": 0}
    assert "'bad'" in str(result.step("child").error)
    assert "'child'" in str(result.step("grandchild").error)


def test_a_foreign_exception_is_typed_and_does_not_quote_cells(make_layer: MakeLayer) -> None:
    result = make_layer().invoke(plan_of(Step(id="a", tool="crashes")))
    assert result.status == "failed"
    assert "ZeroDivisionError" in str(result.step("a").error)
    assert "4111" not in str(result.to_dict())


def test_every_event_carries_the_request_and_each_step_ends_once(
    make_layer: MakeLayer, events: list[Event]
) -> None:
    steps = (
        Step(id="a", tool="total"),
        Step(id="b", tool="double", inputs={"x": OutputRef(step="a", field="value")}),
        Step(id="c", tool="crashes"),
        Step(id="d", tool="double", params={"x": 1}, depends_on=("c",)),
    )
    make_layer().invoke(plan_of(*steps), ROWS, request_id="r-1")
    assert {e.request_id for e in events} == {"r-1"}
    kinds = {i: [e.kind for e in events if e.step == i] for i in "abcd"}
    assert kinds["a"] == kinds["b"] == [EventKind.QUEUED, EventKind.STARTED, EventKind.FINISHED]
    assert kinds["c"] == [EventKind.QUEUED, EventKind.STARTED, EventKind.FAILED]
    assert kinds["d"] == [EventKind.QUEUED, EventKind.FAILED]
    assert [e.kind for e in events if e.step is None] == [EventKind.STARTED, EventKind.FINISHED]


@pytest.mark.parametrize("tool", ["reports", "heavy_reports"])
def test_progress_is_reported_from_threads_and_processes(
    make_layer: MakeLayer, events: list[Event], tool: str
) -> None:
    make_layer().invoke(plan_of(Step(id="a", tool=tool)))
    assert [e.fraction for e in events if e.kind is EventKind.PROGRESS] == [0.25, 0.5, 0.75]
    assert [e.kind for e in events if e.step][:2] == [EventKind.QUEUED, EventKind.STARTED]


def test_a_listener_that_fails_does_not_stop_the_work(make_layer: MakeLayer) -> None:
    def broken(event: Event) -> None:
        raise RuntimeError("no")

    result = make_layer().invoke(plan_of(Step(id="a", tool="double", params={"x": 2})), listeners=[broken])
    assert result.step("a").output["value"] == 4.0


def test_one_layer_serves_requests_at_the_same_time(make_layer: MakeLayer) -> None:
    layer = make_layer()
    plans = [
        plan_of(
            Step(id="a", tool="double", params={"x": i, "wait": 0.005}),
            Step(id="b", tool="double", inputs={"x": OutputRef(step="a", field="value")}),
        )
        for i in range(40)
    ]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(layer.invoke, plans))
    assert [r.step("b").output["value"] for r in results] == [4.0 * i for i in range(40)]
    assert len({r.request_id for r in results}) == 40


def test_a_plan_without_steps_is_no_success(make_layer: MakeLayer) -> None:
    result = make_layer().invoke(Plan(strategy=Strategy.SINGLE))
    assert result.to_dict() == {
        "status": "failed",
        "results": [],
        "summary": {"total_tools": 0, "successful": 0, "failed": 0, "unavailable": 0},
    }


def test_values_that_json_lacks_become_null(make_layer: MakeLayer) -> None:
    result = make_layer().invoke(plan_of(Step(id="a", tool="double", params={"x": float("inf")})))
    assert result.step("a").output["value"] == float("inf")
    assert result.to_dict()["results"][0]["output"] == {"value": None}


def test_a_heavy_step_gets_the_rows_of_an_open_table_without_its_connection(make_layer: MakeLayer) -> None:
    connection = duckdb.connect(":memory:")
    connection.execute("CREATE TABLE sales AS SELECT range::DOUBLE AS v FROM range(1000)")
    table = Table(name="sales", source="memory:sales", format="frame", columns=())
    with Dataset(connection, {"sales": table}) as dataset:
        result = make_layer().invoke(
            plan_of(Step(id="a", tool="heavy_total", params={"data": Frame.of({"table": "sales"})})),
            dataset=dataset,
        )
    assert result.step("a").output["value"] == 499_500.0


def test_heavy_steps_chain_frames_across_processes(make_layer: MakeLayer) -> None:
    steps = (
        Step(id="a", tool="heavy_positives"),
        Step(id="b", tool="heavy_total", inputs={"data": OutputRef(step="a")}),
    )
    result = make_layer().invoke(plan_of(*steps), ROWS)
    assert result.step("a").output["count"] == 2
    assert result.step("b").output["value"] == 7.5


def test_a_heavy_tool_that_holds_a_lock_runs_here_instead(make_layer: MakeLayer) -> None:
    import os
    import threading

    from step_tools import Pid

    from gnomon.tools import Cost

    lock = threading.Lock()

    def locked(given: Nothing, context: ToolContext) -> Pid:
        with lock:
            return Pid(pid=os.getpid())

    result = make_layer(made("locked", locked, Nothing, Pid, cost=Cost.HEAVY)).invoke(
        plan_of(Step(id="a", tool="locked"))
    )
    assert result.step("a").output["pid"] == os.getpid()


def test_a_warm_process_has_imported_what_was_asked(make_layer: MakeLayer) -> None:
    with ProcessSlots(1) as slots:
        layer = make_layer(executor=slots)
        step = Step(id="a", tool="heavy_has_module", params={"module": "wave"})
        before = layer.invoke(plan_of(step)).step("a").output["value"]
        layer.warm_up(("no_such_module_at_all", "wave"))
        after = layer.invoke(plan_of(step)).step("a").output["value"]
    assert (before, after) == (0.0, 1.0)


def test_a_store_that_cannot_be_written_does_not_stop_the_work(make_layer: MakeLayer, tmp_path: Path) -> None:
    import sqlite3

    with Store.open(tmp_path / "gnomon.db") as store:
        with sqlite3.connect(tmp_path / "gnomon.db") as raw:
            raw.execute("DROP TABLE events")
            raw.execute("DROP TABLE runs")
        result = make_layer(store=store).invoke(plan_of(Step(id="a", tool="double", params={"x": 2})))
    assert result.step("a").output["value"] == 4.0
