"""Small real tools for the tests: they compute, query, wait in C code, burn CPU and fail on request."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from gnomon.core.errors import ApiFailure, GnomonError, InvalidInput, RateLimited
from gnomon.core.plan import Plan, Step, Strategy
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.tools import CancelToken, Cost, Frame, FunctionTool, ToolContext


class Number(BaseModel):
    x: float
    wait: float = 0.0


class Value(BaseModel):
    value: float


class Rows(BaseModel):
    data: Frame
    column: str = "v"


class GivenRows(BaseModel):
    rows: Frame
    count: int


class Pid(BaseModel):
    pid: int


class Nothing(BaseModel):
    pass


class Seconds(BaseModel):
    seconds: float = 60.0
    marker: str | None = None


class Terms(BaseModel):
    terms: list[float] = Field(default_factory=list)


def double(given: Number, context: ToolContext) -> Value:
    time.sleep(given.wait)
    return Value(value=2 * given.x)


def total(given: Rows, context: ToolContext) -> Value:
    return Value(value=float(np.sum(given.data.arrow.column(given.column).to_numpy())))


def positives(given: Rows, context: ToolContext) -> GivenRows:
    kept = [row for row in given.data.to_rows() if row[given.column] > 0]
    return GivenRows(rows=Frame.of(kept), count=len(kept))


def where_am_i(given: Nothing, context: ToolContext) -> Pid:
    return Pid(pid=os.getpid())


def mark(marker: str | None) -> None:
    """Leave a file that says that the work has begun, with the process that does it."""
    if marker:
        Path(marker).with_suffix(".part").write_text(str(os.getpid()))
        Path(marker).with_suffix(".part").rename(marker)


def fit(given: Seconds, context: ToolContext) -> Pid:
    """Fit trees, which takes minutes and never looks at a token."""
    from sklearn.ensemble import GradientBoostingRegressor

    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 20))
    mark(given.marker)
    GradientBoostingRegressor(n_estimators=2000, random_state=0).fit(x, x[:, 0] + rng.normal(size=20_000))
    return Pid(pid=os.getpid())


def burn(given: Seconds, context: ToolContext) -> Pid:
    """Decompose matrices for minutes, in C code that nobody can interrupt."""
    matrix = np.random.default_rng(0).normal(size=(400, 400))
    mark(given.marker)
    for _ in range(100_000):
        np.linalg.svd(matrix)
    return Pid(pid=os.getpid())


def long_query(given: Seconds, context: ToolContext) -> Value:
    with context.cursor() as cursor:
        mark(given.marker)
        found = cursor.sql(
            "SELECT sum(sqrt(a.range * b.range)) FROM range(2000000) a, range(2000000) b"
        ).fetchone()
        assert found is not None
        return Value(value=found[0])


def stubborn(given: Seconds, context: ToolContext) -> Value:
    """Sleeps in C code, deaf to cancellation."""
    time.sleep(given.seconds)
    return Value(value=given.seconds)


def reports(given: Nothing, context: ToolContext) -> Value:
    for part in (0.25, 0.5, 0.75):
        context.progress(part, f"part {part}")
        time.sleep(0.06)
    return Value(value=1.0)


def rate_limited(given: Nothing, context: ToolContext) -> Value:
    raise RateLimited("Too many calls.", retry_after_seconds=7.5, suggestions=["Wait."])


def dies(given: Nothing, context: ToolContext) -> Value:
    os._exit(3)


def crashes(given: Nothing, context: ToolContext) -> Value:
    raise ZeroDivisionError("secret cell 4111")


def sums(given: Terms, context: ToolContext) -> Value:
    return Value(value=sum(given.terms))


class ModuleName(BaseModel):
    module: str


def has_module(given: ModuleName, context: ToolContext) -> Value:
    return Value(value=float(given.module in sys.modules))


def made(
    name: str, function: Any, takes: type[BaseModel], gives: type[BaseModel], **more: Any
) -> FunctionTool:
    return FunctionTool(name, function, takes, gives, description=f"{name} for tests.", **more)


DOUBLE = made("double", double, Number, Value, goals=("scale",))
TOTAL = made("total", total, Rows, Value, goals=("add_up",))
POSITIVES = made("positives", positives, Rows, GivenRows, produces_rows="rows")
HEAVY_TOTAL = made("heavy_total", total, Rows, Value, cost=Cost.HEAVY)
HEAVY_POSITIVES = made("heavy_positives", positives, Rows, GivenRows, produces_rows="rows", cost=Cost.HEAVY)
HEAVY_PID = made("heavy_pid", where_am_i, Nothing, Pid, cost=Cost.HEAVY)
FIT = made("fit", fit, Seconds, Pid, cost=Cost.HEAVY)
BURN = made("burn", burn, Seconds, Pid, cost=Cost.HEAVY)
LONG_QUERY = made("long_query", long_query, Seconds, Value)
STUBBORN = made("stubborn", stubborn, Seconds, Value)
REPORTS = made("reports", reports, Nothing, Value)
HEAVY_REPORTS = made("heavy_reports", reports, Nothing, Value, cost=Cost.HEAVY)
HEAVY_LIMITED = made("heavy_limited", rate_limited, Nothing, Value, cost=Cost.HEAVY)
HEAVY_HAS_MODULE = made("heavy_has_module", has_module, ModuleName, Value, cost=Cost.HEAVY)
HEAVY_DIES = made("heavy_dies", dies, Nothing, Value, cost=Cost.HEAVY)
CRASHES = made("crashes", crashes, Nothing, Value)
SUMS = made("sums", sums, Terms, Value)
ALL = (
    DOUBLE, TOTAL, POSITIVES, HEAVY_TOTAL, HEAVY_POSITIVES, HEAVY_PID, FIT, BURN, LONG_QUERY, STUBBORN,
    REPORTS, HEAVY_HAS_MODULE, HEAVY_REPORTS, HEAVY_LIMITED, HEAVY_DIES, CRASHES, SUMS,
)  # fmt: skip


class Flaky:
    """A function that fails with the given errors, one after the other, and then gives a value."""

    def __init__(self, *errors: GnomonError) -> None:
        self.errors = list(errors)
        self.calls = 0
        self._lock = threading.Lock()

    def __call__(self, given: Nothing, context: ToolContext) -> Value:
        with self._lock:
            self.calls += 1
            if self.errors:
                raise self.errors.pop(0)
        return Value(value=42.0)

    def tool(self, name: str = "flaky", **more: Any) -> FunctionTool:
        return made(name, self, Nothing, Value, **more)


def transient() -> ApiFailure:
    return ApiFailure("It may pass.")


def bad() -> InvalidInput:
    return InvalidInput("It will not pass.")


def plan_of(*steps: Step) -> Plan:
    if len(steps) == 1:
        return Plan(strategy=Strategy.SINGLE, steps=steps)
    chained = any(s.needs for s in steps)
    return Plan(strategy=Strategy.SEQUENTIAL if chained else Strategy.PARALLEL, steps=steps)


MakeLayer = Callable[..., MCPToolsInvocationLayer]


class Pauses:
    """Stands in for waiting: notes how long it would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float, cancel: CancelToken) -> None:
        self.seconds.append(seconds)


class Gate(BaseModel):
    marker: str
    gate: str


def waits_at_gate(given: Gate, context: ToolContext) -> Pid:
    """Says that it began, and ends when a file appears."""
    mark(given.marker)
    while not Path(given.gate).exists():
        context.cancel.check()
        time.sleep(0.01)
    return Pid(pid=os.getpid())


WAITS_AT_GATE = made("waits_at_gate", waits_at_gate, Gate, Pid)
HEAVY_GATE = made("heavy_gate", waits_at_gate, Gate, Pid, cost=Cost.HEAVY)
