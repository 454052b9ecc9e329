"""Cancelling stops the work itself: processor use ends, queries are interrupted, nobody else is disturbed."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from step_tools import MakeLayer, plan_of

from gnomon.core.events import Event, EventKind
from gnomon.core.plan import Step
from gnomon.execution import InvocationResult, MCPToolsInvocationLayer, StepStatus
from gnomon.tools import CancelToken


def until(condition: Callable[[], bool], seconds: float = 30.0) -> float:
    """Wait for a condition and give the time that it took."""
    began = time.perf_counter()
    while not condition():
        assert time.perf_counter() - began < seconds, "it never came true"
        threading.Event().wait(0.005)
    return time.perf_counter() - began


def in_background(
    layer: MCPToolsInvocationLayer, *steps: Step
) -> tuple[CancelToken, threading.Thread, list[InvocationResult]]:
    token, results = CancelToken(), list[InvocationResult]()
    thread = threading.Thread(target=lambda: results.append(layer.invoke(plan_of(*steps), cancel=token)))
    thread.start()
    return token, thread, results


@pytest.mark.long
def test_a_model_fit_stops_using_the_processor_within_half_a_second(
    make_layer: MakeLayer, tmp_path: Path
) -> None:
    marker = tmp_path / "begun"
    layer = make_layer()
    token, thread, results = in_background(layer, Step(id="a", tool="fit", params={"marker": str(marker)}))
    until(marker.exists)
    worker = psutil.Process(int(marker.read_text()))
    before = sum(worker.cpu_times()[:2])
    until(lambda: sum(worker.cpu_times()[:2]) > before + 0.05)  # it is really in the middle of the fit
    token.cancel()
    assert until(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE) < 0.5
    thread.join(5)
    assert results[0].step("a").status is StepStatus.CANCELLED
    assert results[0].status == "failed"


def test_killing_one_process_disturbs_no_other(make_layer: MakeLayer, tmp_path: Path) -> None:
    marker = tmp_path / "begun"
    layer = make_layer(executor=None)
    first = layer.invoke(plan_of(Step(id="p", tool="heavy_pid"))).step("p").output["pid"]
    token, thread, results = in_background(layer, Step(id="a", tool="burn", params={"marker": str(marker)}))
    until(marker.exists)
    other = layer.invoke(plan_of(Step(id="p", tool="heavy_pid"))).step("p").output["pid"]
    token.cancel()
    thread.join(5)
    again = layer.invoke(plan_of(Step(id="p", tool="heavy_pid"))).step("p").output["pid"]
    assert int(marker.read_text()) == first, "the warm process was used"
    assert other not in (first,)
    assert again == other, "the process that was not killed is still the same and still warm"
    assert results[0].step("a").status is StepStatus.CANCELLED


def test_the_running_query_is_interrupted(make_layer: MakeLayer, tmp_path: Path, events: list[Event]) -> None:
    marker = tmp_path / "begun"
    step = Step(id="a", tool="long_query", params={"marker": str(marker)}, timeout_seconds=60)
    waiting = Step(id="b", tool="double", params={"x": 1}, depends_on=("a",))
    token, thread, results = in_background(make_layer(), step, waiting)
    until(marker.exists)
    me = psutil.Process()
    busy = sum(me.cpu_times()[:2])
    until(lambda: sum(me.cpu_times()[:2]) > busy + 0.05)
    began = time.perf_counter()
    token.cancel()
    thread.join(5)
    assert time.perf_counter() - began < 0.5
    assert [s.status for s in results[0].steps] == ["cancelled", "cancelled"]
    idle = sum(me.cpu_times()[:2])
    threading.Event().wait(0.3)
    assert sum(me.cpu_times()[:2]) - idle < 0.15, "the query still runs"
    assert [e.kind for e in events if e.step == "a"][-1] is EventKind.CANCELLED


def test_a_request_cancelled_before_it_starts_runs_nothing(make_layer: MakeLayer) -> None:
    token = CancelToken()
    token.cancel()
    result = make_layer().invoke(plan_of(Step(id="a", tool="double", params={"x": 1})), cancel=token)
    assert (result.step("a").status, result.step("a").attempts) == (StepStatus.CANCELLED, 0)


def test_no_process_is_left_when_the_interpreter_ends_in_the_middle_of_a_computation(tmp_path: Path) -> None:
    marker = tmp_path / "begun"
    program = f"""
import sys, threading, time, pathlib
sys.path.insert(0, {str(Path(__file__).parent)!r})
from step_tools import BURN, plan_of
from gnomon.core.plan import Step
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.tools import ToolRegistry
layer = MCPToolsInvocationLayer(ToolRegistry([BURN]))
plan = plan_of(Step(id="a", tool="burn", params={{"marker": {str(marker)!r}}}))
threading.Thread(target=layer.invoke, args=(plan,), daemon=True).start()
while not pathlib.Path({str(marker)!r}).exists():
    time.sleep(0.01)
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=60, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    until(lambda: not psutil.pid_exists(int(marker.read_text())), 5)


@pytest.mark.long
def test_a_worker_ends_when_its_owner_is_killed(tmp_path: Path) -> None:
    marker = tmp_path / "begun"
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from step_tools import BURN, plan_of
from gnomon.core.plan import Step
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.tools import ToolRegistry
MCPToolsInvocationLayer(ToolRegistry([BURN])).invoke(
    plan_of(Step(id="a", tool="burn", params={{"marker": {str(marker)!r}}})))
"""
    owner = subprocess.Popen([sys.executable, "-c", program])
    try:
        until(marker.exists)
        worker = int(marker.read_text())
    finally:
        owner.kill()
        owner.wait()
    assert until(lambda: not psutil.pid_exists(worker)) < 10


def test_closing_the_layer_ends_its_processes(make_layer: MakeLayer) -> None:
    layer = make_layer(executor=None)
    pid = layer.invoke(plan_of(Step(id="p", tool="heavy_pid"))).step("p").output["pid"]
    assert psutil.pid_exists(pid)
    layer.close()
    until(lambda: not psutil.pid_exists(pid), 5)


def test_processes_that_are_shared_outlive_a_layer(make_layer: MakeLayer) -> None:
    first, second = make_layer(), make_layer()
    pids = {first.invoke(plan_of(Step(id="p", tool="heavy_pid"))).step("p").output["pid"]}
    first.close()
    pids.add(second.invoke(plan_of(Step(id="p", tool="heavy_pid"))).step("p").output["pid"])
    assert len(pids) == 1


def test_any_executor_of_the_callers_takes_every_step(make_layer: MakeLayer) -> None:
    class Counting(ThreadPoolExecutor):
        submitted = 0

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            self.submitted += 1
            return super().submit(fn, *args, **kwargs)

    with Counting(2) as executor:
        steps = (Step(id="a", tool="double", params={"x": 1}), Step(id="b", tool="heavy_pid"))
        result = make_layer(executor=executor).invoke(plan_of(*steps))
    assert result.status == "success"
    assert executor.submitted == 2
