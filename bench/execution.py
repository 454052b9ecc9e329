"""What running a step through the invocation layer costs, and what running steps side by side saves.

Run with ``python bench/execution.py``; prints Markdown. The other side of every row is the bare call of
the same Python function.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import duckdb
import numpy as np
from pydantic import BaseModel

from gnomon.core.plan import OutputRef, Plan, Step, Strategy
from gnomon.core.settings import Settings
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.tools import Cost, Frame, FunctionTool, ToolContext, ToolRegistry

REPEATS = 7


class Number(BaseModel):
    x: float = 1.0


class Value(BaseModel):
    value: float


class Rows(BaseModel):
    data: Frame


def nothing(given: Number, context: ToolContext) -> Value:
    return Value(value=given.x + 1)


def waits(given: Number, context: ToolContext) -> Value:
    time.sleep(0.05)
    return Value(value=given.x)


def sorts(given: Number, context: ToolContext) -> Value:
    """Work in C that releases the interpreter lock."""
    values = np.random.default_rng(int(given.x)).random(1_500_000)
    values.sort()
    return Value(value=float(values[0]))


def queries(given: Number, context: ToolContext) -> Value:
    with duckdb.connect(":memory:", config={"threads": "1"}) as connection:
        row = connection.sql("SELECT sum(sqrt(range)) FROM range(6000000)").fetchone()
    assert row is not None
    return Value(value=row[0])


def adds(given: Rows, context: ToolContext) -> Value:
    return Value(value=float(np.sum(given.data.arrow.column("v").to_numpy())))


TOOLS = [
    FunctionTool("nothing", nothing, Number, Value, description="Adds one."),
    FunctionTool("nothing_heavy", nothing, Number, Value, description="Adds one elsewhere.", cost=Cost.HEAVY),
    FunctionTool("waits", waits, Number, Value, description="Waits 50 ms.", cost=Cost.REMOTE),
    FunctionTool("sorts", sorts, Number, Value, description="Sorts."),
    FunctionTool("sorts_heavy", sorts, Number, Value, description="Sorts elsewhere.", cost=Cost.HEAVY),
    FunctionTool("queries", queries, Number, Value, description="Queries."),
    FunctionTool("adds", adds, Rows, Value, description="Adds up."),
    FunctionTool("adds_heavy", adds, Rows, Value, description="Adds up elsewhere.", cost=Cost.HEAVY),
]


def median_ms(call: Callable[[], object], repeats: int = REPEATS) -> float:
    call()
    taken: list[float] = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return 1000 * statistics.median(taken)


def parallel(tool: str, count: int) -> Plan:
    steps = tuple(Step(id=f"s{i}", tool=tool, params={"x": i}, timeout_seconds=60) for i in range(count))
    return Plan(strategy=Strategy.PARALLEL if count > 1 else Strategy.SINGLE, steps=steps)


def chain(tool: str, count: int) -> Plan:
    steps = [Step(id="s0", tool=tool)]
    steps += [
        Step(id=f"s{i}", tool=tool, inputs={"x": OutputRef(step=f"s{i - 1}", field="value")}, order=i + 1)
        for i in range(1, count)
    ]
    return Plan(strategy=Strategy.SEQUENTIAL, steps=tuple(steps))


def overhead(layer: MCPToolsInvocationLayer) -> None:
    print("| steps | bare calls, ms | through the layer, ms | overhead per step, ms |")
    print("|---|---:|---:|---:|")
    context = ToolContext()
    for name, plan in [
        ("1 light", parallel("nothing", 1)),
        ("100 light, independent", parallel("nothing", 100)),
        ("100 light, chained", chain("nothing", 100)),
        ("1 heavy (warm process)", parallel("nothing_heavy", 1)),
        ("50 heavy, independent", parallel("nothing_heavy", 50)),
    ]:
        count = len(plan.steps)

        def bare(count: int = count) -> None:
            for i in range(count):
                nothing(Number(x=i), context)

        def layered(plan: Plan = plan) -> None:
            assert layer.invoke(plan).status == "success"

        plain, through = median_ms(bare), median_ms(layered)
        print(f"| {name} | {plain:.3f} | {through:.2f} | {(through - plain) / count:.3f} |")
    frame = Frame.of({"v": np.arange(1_000_000, dtype=float)})
    for tool in ("adds", "adds_heavy"):
        plan = Plan(strategy=Strategy.SINGLE, steps=(Step(id="a", tool=tool),))
        plain = median_ms(lambda: adds(Rows(data=frame), context))
        through = median_ms(lambda plan=plan: layer.invoke(plan, frame))
        print(f"| 1 {tool} on 8 MB of rows | {plain:.3f} | {through:.2f} | {through - plain:.3f} |")


def speed_up(layer: MCPToolsInvocationLayer) -> None:
    print("\n| eight steps that | one after the other, ms | side by side, ms | speed-up |")
    print("|---|---:|---:|---:|")
    context = ToolContext()
    for name, tool, function in [
        ("wait 50 ms", "waits", waits),
        ("sort in C (threads)", "sorts", sorts),
        ("sort in C (processes)", "sorts_heavy", sorts),
        ("query DuckDB, one thread each", "queries", queries),
    ]:
        plan = parallel(tool, 8)

        def bare(function: Callable[[Number, ToolContext], Value] = function) -> None:
            for i in range(8):
                function(Number(x=i), context)

        one, many = median_ms(bare, 3), median_ms(lambda plan=plan: layer.invoke(plan), 3)
        print(f"| {name} | {one:.0f} | {many:.0f} | {one / many:.1f} × |")


def main() -> None:
    with MCPToolsInvocationLayer(ToolRegistry(TOOLS), settings=Settings.load()) as layer:
        overhead(layer)
        speed_up(layer)


if __name__ == "__main__":
    main()
