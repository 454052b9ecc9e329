"""A small store with everything that a manager is made of, each part real and replaceable by one that can be watched."""

import itertools
import random
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.agents.analyst import Analyst
from gnomon.agents.guarding import Guard
from gnomon.agents.insight import (
    DomainAwareRouter,
    DomainPathRegistry,
    InsightGeneratorExecutor,
    InsightWorker,
)
from gnomon.agents.manager import Manager
from gnomon.agents.presenter import DataPresenter
from gnomon.core.answer import Answer
from gnomon.core.errors import Cancelled
from gnomon.core.query import AgentType
from gnomon.core.settings import Settings
from gnomon.data import Dataset, open_sources, profile_dataset
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.guardrails import Guardrails
from gnomon.language import AgentRouter, Gate, OODResult, RoutingDecision, fit_gate
from gnomon.planning.reader import GrammarReader
from gnomon.semantic import SemanticModel
from gnomon.semantic.backends import DuckDBBackend, Stoppable
from gnomon.semantic.infer import infer_model
from gnomon.semantic.questions import generate_questions
from gnomon.semantic.registry import APIRegistry
from gnomon.semantic.retrieve import Retriever
from gnomon.semantic.values import ValueIndex
from gnomon.tools.builtin import builtin_registry
from gnomon.tools.calculation_tools import calculation_tools
from gnomon.tools.retrieval_tools import retrieval_tools
from gnomon.tools.row_calculations import row_tools
from gnomon.tools.row_relations import relation_row_tools

FIRST, LAST = date(2023, 1, 1), date(2024, 11, 30)
TODAY = date(2024, 11, 30)
PATIENCE = 10.0
ENDLESS = (
    "SELECT sum((a.range * b.range + s.n) % 7) FROM range(400000) a, range(400000) b, "
    "(SELECT {mark}(range) AS n FROM range(1)) s"
)
_NUMBERS = itertools.count()


def orders_frame() -> pd.DataFrame:
    """Orders of almost two years, each with somebody's name and address."""
    rng = random.Random(7)
    days = (LAST - FIRST).days + 1
    firsts = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Ida", "Jon", "Kim")
    lasts = ("Miller", "Stone", "Park", "Wood", "Hart", "Lake", "Hill", "Moor")
    people = [f"{first} {last}" for first in firsts for last in lasts]
    rows: list[dict[str, Any]] = []
    for i in range(1400):
        person = rng.choice(people)
        rows.append(
            {
                "order_id": f"O{i:05d}",
                "order_date": FIRST + timedelta(days=i % days),
                "region": rng.choices(("North", "South", "West"), (5, 3, 2))[0],
                "channel": rng.choice(("web", "store")),
                "customer_name": person,
                "contact_email": f"{person.replace(' ', '.').lower()}@example.com",
                "units": rng.randrange(1, 6),
                "revenue": round(rng.uniform(5, 90), 2),
            }
        )
    return pd.DataFrame(rows)


class Passing:
    """A gate that lets everything through, or nothing."""

    def __init__(self, rejects: bool = False, reason: str | None = None) -> None:
        self._result = OODResult(rejects, 1.0, 0.5 if rejects else 2.0, 1.0, reason)

    def judge(self, question: str) -> OODResult:
        """Always the same."""
        return self._result


class Choosing:
    """A router of one mind, which may wait before it speaks."""

    def __init__(self, agent: AgentType, after: Callable[[], object] = lambda: None) -> None:
        p = 1 - 1e-9
        insight = agent is AgentType.INSIGHT_GENERATOR
        self._decision = RoutingDecision(agent, p, (1 - p, p) if insight else (p, 1 - p))
        self._after = after

    def route(self, query: str) -> RoutingDecision:
        """Always the same, in its own time."""
        self._after()
        return self._decision


@dataclass
class Watched:
    """What a worker was given and how its calls ended."""

    queries: list[Any] = field(default_factory=list[Any])
    answers: list[Answer] = field(default_factory=list[Answer])
    errors: list[BaseException] = field(default_factory=list[BaseException])
    started: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)


class Worker:
    """A worker that is watched: one that presents, or one that explains."""

    def __init__(self, work: Callable[..., Answer]) -> None:
        self._work = work
        self.seen = Watched()

    def present(self, reading: Any, **given: Any) -> Answer:
        """Do the work and note what came of it."""
        seen = self.seen
        seen.queries.append(given["query"])
        seen.started.set()
        try:
            answer = self._work(reading, **given)
        except BaseException as e:
            seen.errors.append(e)
            raise
        else:
            seen.answers.append(answer)
            return answer
        finally:
            seen.ended.set()

    explain = present

    def heard(self, question: str, reading: Any, today: date) -> float:
        """It says nothing of its own about who should answer."""
        return 0.0

    def drilled(self, reading: Any, previous: Any) -> Any:
        """What was read, as it is."""
        return reading


def until_stopped(reading: Any, *, cancel: Any, **_: Any) -> Answer:
    """Work that ends only when it is stopped."""
    stopped = threading.Event()
    with suppress(Cancelled), cancel.interrupting(stopped.set):
        if not stopped.wait(PATIENCE):
            raise AssertionError("nobody stopped this worker")
    raise Cancelled("stopped")


class SlowBackend(DuckDBBackend):
    """The real database with a query before each that would run for minutes."""

    def __init__(self, dataset: Dataset) -> None:
        super().__init__(dataset)
        self.running = threading.Event()
        self.ended = threading.Event()
        self.error: BaseException | None = None
        self._runs = 0
        self._lock = threading.Lock()
        self._mark = f"begun_{next(_NUMBERS)}"
        self._marking = dataset.cursor()  # the function lives as long as the connection that made it
        marks: Any = self._marking.create_function
        marks(self._mark, self._begun, ["BIGINT"], "BIGINT", side_effects=True)

    def _begun(self, value: int) -> int:
        self.running.set()
        return value

    def run(self, sql: str, cancel: Stoppable | None, timeout: float | None) -> list[tuple[Any, ...]]:
        """The rows, if anybody waits that long."""
        with self._lock:
            self._runs += 1
            self.ended.clear()
        try:
            super().run(ENDLESS.format(mark=self._mark), cancel, None)
            return super().run(sql, cancel, timeout)
        except BaseException as e:
            self.error = e
            raise
        finally:
            with self._lock:
                self._runs -= 1
                if not self._runs:
                    self.ended.set()


@dataclass(frozen=True)
class Store:
    """The open store and the parts over it."""

    orders: pd.DataFrame
    dataset: Dataset
    model: SemanticModel
    index: ValueIndex
    reader: GrammarReader
    presenter: DataPresenter

    def manager(self, **parts: Any) -> Manager:
        """A manager of real parts, with a gate and a router of one mind, but for those that are given."""
        given: dict[str, Any] = {
            "reader": self.reader,
            "presenter": self.presenter,
            "insight": self.explaining,
            "gate": Passing(),
            "router": Choosing(AgentType.DATA_PRESENTER),
            "guard": self.guarding,
        }
        return Manager(**(given | parts))

    @cached_property
    def explaining(self) -> InsightWorker:
        """The worker that explains, made once: it holds nothing of a question."""
        return self.insight()

    @cached_property
    def guarding(self) -> Guard:
        """The shipped guardrails over the store, read once."""
        return self.guard()

    def insight(self, backend: SlowBackend | None = None) -> InsightWorker:
        """The worker that explains, over the store or over a database that takes its time."""
        retriever = Retriever(self.model, backend) if backend else Retriever.over(self.dataset, self.model)
        layer = layer_over(self.model, retriever)
        executor = InsightGeneratorExecutor(self.model, APIRegistry.of(self.model), layer, retriever)
        presenter = DataPresenter(self.model, APIRegistry.of(self.model), layer)
        return InsightWorker(presenter, real_domains, lambda: executor, self.model, self.index)

    def guard(self, *allowed: str) -> Guard:
        """The shipped guardrails over the store."""
        names = frozenset(allowed)
        return Guard(Guardrails(allow_personal=names), self.model, allow_personal=names)

    def analyst(self, **parts: Any) -> Analyst:
        """An analyst around such a manager."""
        return Analyst(self.dataset, self.model, self.index, self.manager(**parts))

    def slow_presenter(self) -> tuple[DataPresenter, SlowBackend]:
        """A presenter whose every query runs for minutes, and the database that it asks."""
        backend = SlowBackend(self.dataset)
        return presenter_over(self.model, Retriever(self.model, backend)), backend


@cache
def real_domains() -> DomainAwareRouter:
    """The shipped domain paths and their router."""
    return DomainAwareRouter(DomainPathRegistry.load_from_config())


def presenter_over(model: SemanticModel, retriever: Retriever) -> DataPresenter:
    """A presenter with every tool that it may need."""
    return DataPresenter(model, APIRegistry.of(model), layer_over(model, retriever))


def layer_over(model: SemanticModel, retriever: Retriever) -> MCPToolsInvocationLayer:
    """The invocation layer with every tool that a worker may need."""
    tools = builtin_registry(Settings.load())
    over_rows = [*row_tools(model, retriever), *relation_row_tools(model, retriever)]
    for tool in [*retrieval_tools(model, retriever), *over_rows, *calculation_tools()]:
        tools.register(tool, replace=True)
    return MCPToolsInvocationLayer(tools, settings=Settings.load())


@cache
def store() -> Store:
    """The store, opened once."""
    orders = orders_frame()
    dataset = open_sources({"orders": orders})
    model = infer_model(profile_dataset(dataset), dataset)
    index = ValueIndex.build(dataset, model)
    presenter = presenter_over(model, Retriever.over(dataset, model))
    return Store(orders, dataset, model, index, GrammarReader(model, index), presenter)


@cache
def real_gate() -> Gate:
    """The gate as it is fitted when tables are opened."""
    s = store()
    return fit_gate(generate_questions(s.model, s.index), Path(tempfile.mkdtemp(prefix="gnomon-gates-")))


@cache
def real_router() -> AgentRouter:
    """The shipped router."""
    return AgentRouter()
