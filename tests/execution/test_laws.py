"""Laws of execution over random plans with injected failures, against a reference that runs one step at a time."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from step_tools import Value, made

from gnomon.core.errors import ApiFailure, InvalidInput
from gnomon.core.events import Event, EventKind
from gnomon.core.plan import OutputRef, Plan, Step, Strategy
from gnomon.core.settings import Settings
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.tools import CancelToken, Cost, ToolContext, ToolRegistry

ENDS = ("ok", "ok", "ok", "ok", "passes", "stays", "bad", "crash", "slow")
TIMEOUT = 0.03
RETRIES = 2


class Node(BaseModel):
    node: int
    a: float = 0.0
    b: float = 0.0


@dataclass
class World:
    """One random plan: how each step ends, on what it depends, and how often it was called."""

    ends: list[str]
    needs: list[list[int]]
    fallback: list[bool]
    calls: list[int] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def compute(self, given: Node, context: ToolContext) -> Value:
        with self.lock:
            self.calls[given.node] += 1
            call = self.calls[given.node]
        end = self.ends[given.node]
        if end == "stays" or (end == "passes" and call <= RETRIES):
            raise ApiFailure("Try again.")
        if end == "bad":
            raise InvalidInput("Never.")
        if end == "crash":
            raise KeyError("Never either.")
        if end == "slow":
            stopped = threading.Event()
            with context.cancel.interrupting(stopped.set):
                stopped.wait(10)
            context.cancel.check()
        return Value(value=formula(given.node, given.a, given.b))

    def rescue(self, given: Node, context: ToolContext) -> Value:
        return Value(value=-1.0)

    def plan(self) -> Plan:
        steps: list[Step] = []
        for i, needs in enumerate(self.needs):
            inputs = {
                name: OutputRef(step=f"s{n}", field="value") for name, n in zip("ab", needs, strict=False)
            }
            steps.append(
                Step(
                    id=f"s{i}",
                    tool="compute",
                    params={"node": i},
                    inputs=inputs,
                    depends_on=tuple(f"s{n}" for n in needs[2:]),
                    retry_count=RETRIES,
                    timeout_seconds=TIMEOUT if self.ends[i] == "slow" else 5.0,
                    fallback="rescue" if self.fallback[i] else None,
                )
            )
        return Plan(strategy=Strategy.SEQUENTIAL, steps=tuple(steps))

    def reference(self) -> dict[str, tuple[str, float | None]]:
        """What each step gives when they are run one after the other."""
        found: dict[str, tuple[str, float | None]] = {}
        for i, needs in enumerate(self.needs):
            before = [found[f"s{n}"] for n in needs]
            if any(status != "success" for status, _ in before):
                found[f"s{i}"] = ("skipped", None)
            elif self.ends[i] in ("ok", "passes"):
                a, b, *_ = [value or 0.0 for _, value in before] + [0.0, 0.0]
                found[f"s{i}"] = ("success", formula(i, a, b))
            elif self.fallback[i]:
                found[f"s{i}"] = ("success", -1.0)
            else:
                found[f"s{i}"] = ("failed", None)
        return found

    def expected_calls(self, i: int, status: str) -> int:
        if status == "skipped":
            return 0
        return RETRIES + 1 if self.ends[i] in ("passes", "stays", "slow") else 1


def formula(node: int, a: float, b: float) -> float:
    """Depends on the node and on which input is which."""
    return node + 2 * a - 3 * b


@st.composite
def worlds(draw: st.DrawFn) -> World:
    size = draw(st.integers(1, 12))
    needs = [draw(st.lists(st.integers(0, i - 1), max_size=3, unique=True)) if i else [] for i in range(size)]
    ends = draw(st.lists(st.sampled_from(ENDS), min_size=size, max_size=size))
    slow = [i for i, end in enumerate(ends) if end == "slow"]
    for i in slow[2:]:  # two are enough to see, and the tests stay quick
        ends[i] = "stays"
    fallback = draw(st.lists(st.sampled_from([False, False, True]), min_size=size, max_size=size))
    return World(ends, needs, fallback, calls=[0] * size)


def no_pause(seconds: float, cancel: CancelToken) -> None:
    """Retries follow at once: the laws are about what happens, not about how long it takes."""


def layer_of(world: World) -> tuple[MCPToolsInvocationLayer, list[Event]]:
    events: list[Event] = []
    registry = ToolRegistry(
        [made("compute", world.compute, Node, Value), made("rescue", world.rescue, Node, Value)]
    )
    layer = MCPToolsInvocationLayer(
        registry, settings=Settings.load(), listeners=[events.append], sleeper=no_pause
    )
    return layer, events


@pytest.mark.long
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds())
def test_every_plan_gives_what_the_reference_gives_and_accounts_for_every_step_once(world: World) -> None:
    layer, events = layer_of(world)
    plan = world.plan()
    with layer:
        result = layer.invoke(plan)
    expected = world.reference()
    assert [s.step_id for s in result.steps] == [s.id for s in plan.steps]
    assert {s.step_id: (str(s.status), s.output.get("value")) for s in result.steps} == expected
    assert world.calls == [world.expected_calls(i, expected[f"s{i}"][0]) for i in range(len(world.ends))]
    ends = [e.step for e in events if e.kind in {EventKind.FINISHED, EventKind.FAILED} and e.step]
    assert sorted(ends) == sorted(expected)
    summary = result.summary
    assert summary["successful"] + summary["failed"] + summary["unavailable"] == summary["total_tools"]
    won = [status for status, _ in expected.values()].count("success")
    wanted = "failed" if won == 0 else "success" if won == len(expected) else "partial_success"
    assert result.status == wanted


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_no_step_starts_before_everything_it_needs_has_finished(world: World) -> None:
    layer, events = layer_of(world)
    with layer:
        layer.invoke(world.plan())
    order = {(e.step, e.kind): n for n, e in enumerate(events)}
    for i, needs in enumerate(world.needs):
        began = order.get((f"s{i}", EventKind.STARTED))
        for n in needs:
            if began is not None:
                assert order[(f"s{n}", EventKind.FINISHED)] < began


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.lists(st.integers(0, 30), max_size=2)), min_size=3, max_size=10)
)
def test_time_is_bounded_by_the_critical_path_where_there_are_enough_workers(
    shape: list[tuple[int, list[int]]],
) -> None:
    unit = 0.02
    needs = [[n % i for n in wanted] if i else [] for i, (_, wanted) in enumerate(shape)]
    seconds = [units * unit for units, _ in shape]

    def rest(given: Node, context: ToolContext) -> Value:
        time.sleep(seconds[given.node])
        return Value(value=1.0)

    steps = tuple(
        Step(id=f"s{i}", tool="rest", params={"node": i}, depends_on=tuple({f"s{n}" for n in needs[i]}))
        for i in range(len(shape))
    )
    longest: list[float] = []
    for i in range(len(shape)):
        longest.append(seconds[i] + max((longest[n] for n in needs[i]), default=0.0))
    tool = made("rest", rest, Node, Value, cost=Cost.REMOTE)  # waits side by side, more than any plan here
    with MCPToolsInvocationLayer(ToolRegistry([tool])) as layer:
        result = layer.invoke(Plan(strategy=Strategy.SEQUENTIAL, steps=steps))
    assert result.status == "success"
    assert max(longest) <= result.duration_seconds <= max(longest) + 0.1 + 0.02 * len(steps)


def test_work_beyond_the_workers_takes_its_share_of_the_work() -> None:
    pool = max(4, 2 * (os.cpu_count() or 1))
    seconds, rounds = 0.05, 3

    def rest(given: Node, context: ToolContext) -> Value:
        time.sleep(seconds)
        return Value(value=1.0)

    steps = tuple(Step(id=f"s{i}", tool="rest", params={"node": i}) for i in range(pool * rounds))
    with MCPToolsInvocationLayer(ToolRegistry([made("rest", rest, Node, Value)])) as layer:
        result = layer.invoke(Plan(strategy=Strategy.PARALLEL, steps=steps))
    assert result.status == "success"
    assert seconds * rounds <= result.duration_seconds <= seconds * rounds + 0.1 + 0.02 * len(steps)
