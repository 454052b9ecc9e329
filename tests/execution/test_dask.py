"""The same plans on a real Dask cluster: a scheduler and two worker processes on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from step_tools import HEAVY_GATE, WAITS_AT_GATE, MakeLayer, plan_of

from gnomon.core.errors import SourceUnreachable
from gnomon.core.events import Event, EventKind
from gnomon.core.plan import OutputRef, Step
from gnomon.execution import InvocationResult, StepStatus
from gnomon.tools import CancelToken


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    waited = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        waited.wait(0.02)
    raise AssertionError("it never came true")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A scheduler and two workers of one thread each, on the loopback address; ended with the module."""
    folder = tmp_path_factory.mktemp("dask")
    file = folder / "scheduler.json"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    processes: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> None:
        processes.append(
            subprocess.Popen(
                [sys.executable, "-m", "distributed.cli." + arguments[0], "--no-dashboard", *arguments[1:]],
                env=environment,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )

    start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
    until(file.exists)
    for _ in range(2):
        start(
            "dask_worker",
            "--host",
            "127.0.0.1",
            "--scheduler-file",
            str(file),
            "--no-nanny",
            "--nthreads",
            "1",
        )
    address: str = json.loads(file.read_text())["address"]
    try:
        from distributed import Client

        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.long
def test_a_plan_runs_unchanged_on_the_cluster(
    make_layer: MakeLayer, cluster: str, events: list[Event]
) -> None:
    steps = (
        Step(id="clean", tool="heavy_positives"),
        Step(id="sum", tool="total", inputs={"data": OutputRef(step="clean")}),
        Step(id="where", tool="heavy_pid"),
        Step(id="told", tool="reports"),
    )
    result = make_layer(settings={"dask": cluster}).invoke(
        plan_of(*steps), [{"v": 3.0}, {"v": -9.0}, {"v": 4.0}]
    )
    assert result.status == "success", result.to_dict()
    assert result.step("sum").output["value"] == 7.0
    assert result.step("where").output["pid"] not in {os.getpid(), *(p.pid for p in _own_workers())}
    kinds = [e.kind for e in events if e.step == "told"]
    assert (kinds[0], kinds[1], kinds[-1]) == (EventKind.QUEUED, EventKind.STARTED, EventKind.FINISHED)
    assert EventKind.PROGRESS in kinds


def _own_workers() -> list[psutil.Process]:
    return [p for p in psutil.Process().children() if "loky" in " ".join(p.cmdline())]


@pytest.mark.long
def test_a_step_that_waits_in_the_queue_of_the_cluster_does_not_run_out_of_time(
    make_layer: MakeLayer, cluster: str
) -> None:
    steps = [Step(id=f"s{i}", tool="double", params={"x": i, "wait": 0.2}) for i in range(8)]
    result = make_layer(settings={"dask": cluster, "step_timeout_seconds": 0.6}).invoke(plan_of(*steps))
    assert [s.output["value"] for s in result.steps] == [2.0 * i for i in range(8)]
    assert {s.attempts for s in result.steps} == {1}


@pytest.mark.long
def test_cancelling_stops_what_runs_on_the_cluster(
    make_layer: MakeLayer, cluster: str, tmp_path: Path
) -> None:
    marker, gate, token = tmp_path / "begun", tmp_path / "gate", CancelToken()
    layer = make_layer(WAITS_AT_GATE, settings={"dask": cluster, "step_timeout_seconds": 60})
    plan = plan_of(Step(id="a", tool="waits_at_gate", params={"marker": str(marker), "gate": str(gate)}))
    results: list[InvocationResult] = []
    thread = threading.Thread(target=lambda: results.append(layer.invoke(plan, cancel=token)))
    thread.start()
    until(marker.exists)
    token.cancel()
    thread.join(10)
    assert results[0].step("a").status is StepStatus.CANCELLED
    busy = [Step(id=f"s{i}", tool="double", params={"x": i}) for i in range(2)]
    assert layer.invoke(plan_of(*busy)).status == "success", "a worker is still held by the cancelled step"


@pytest.mark.long
def test_a_worker_killed_midway_loses_nothing(make_layer: MakeLayer, cluster: str, tmp_path: Path) -> None:
    marker, gate = tmp_path / "begun", tmp_path / "gate"
    held = Step(id="held", tool="heavy_gate", params={"marker": str(marker), "gate": str(gate)})
    others = [Step(id=f"s{i}", tool="double", params={"x": i, "wait": 0.02}) for i in range(10)]
    after = Step(id="after", tool="heavy_pid", depends_on=("held",))
    layer = make_layer(HEAVY_GATE, settings={"dask": cluster})
    results: list[InvocationResult] = []
    thread = threading.Thread(target=lambda: results.append(layer.invoke(plan_of(held, *others, after))))
    thread.start()
    until(marker.exists)
    victim = int(marker.read_text())
    psutil.Process(victim).kill()
    gate.touch()
    thread.join(60)
    (result,) = results
    assert result.status == "success", result.to_dict()
    assert result.step("held").output["pid"] != victim
    assert result.step("after").output["pid"] == result.step("held").output["pid"], "one worker is left"
    assert [result.step(f"s{i}").output["value"] for i in range(10)] == [2.0 * i for i in range(10)]


@pytest.mark.long
def test_a_scheduler_that_is_not_there_is_a_typed_error(make_layer: MakeLayer) -> None:
    layer = make_layer(settings={"dask": "tcp://127.0.0.1:9"})
    result = layer.invoke(plan_of(Step(id="a", tool="double", params={"x": 1}, retry_count=0)))
    assert isinstance(result.step("a").error, SourceUnreachable)
    assert "GNOMON_DASK" in " ".join(result.step("a").error.suggestions)
