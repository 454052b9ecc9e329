"""What a question becomes before and after it runs: tasks, calls of retrieval APIs, steps, results."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import OutOfScope
from gnomon.core.figures import listed
from gnomon.core.parts import Filter, Parts
from gnomon.core.patterns import regex
from gnomon.core.plan import OutputRef, Plan, Step, Strategy
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.time_names import in_range
from gnomon.semantic.model import Dimension, SemanticModel
from gnomon.semantic.query import RetrievalQuery, Retrieved

if TYPE_CHECKING:
    from gnomon.core.errors import OutOfScope, TimedOut
    from gnomon.semantic.registry import APIDescriptor, APIRegistry


PERIOD = "period"
_WORD = regex(r"[a-z]+")


@dataclass(frozen=True)
class DataTask:
    """One step of the decomposition, in words and in names.

    Args:
        id: The step of the plan that does it.
        description: What it is for.
        metrics: What is retrieved or computed.
        time_range: The days it is about.
        dependencies: Tasks whose results it takes.
        dimensions: What it is broken down by.
    """

    id: str
    description: str
    metrics: tuple[str, ...] = ()
    time_range: TimeRange | None = None
    dependencies: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()


@dataclass(frozen=True)
class APICall:
    """A retrieval API with its parameters filled in; ``step`` is where the plan makes the call."""

    api: APIDescriptor
    payload: dict[str, Any]
    step: str = ""


@dataclass(frozen=True)
class PartPlan:
    """How one request of the question will be answered.

    Args:
        request: The request.
        retrievals: Steps that retrieve, by the part they play (``main``, ``previous``, ``whole``, …).
        calculations: Steps that compute, by the part they play.
        grain: The length of the periods, chosen where the request named none.
        coverage: First and last day that the data has for it.
        time: The time that it is told along.
        caveats: What the answer has to say besides.
        bounds: Days of the data that the caveats name.
        reason: Why it cannot be answered; nothing runs for it then.
    """

    request: Parts
    retrievals: dict[str, str] = field(default_factory=dict[str, str])
    calculations: dict[str, str] = field(default_factory=dict[str, str])
    grain: TimeGranularity | None = None
    coverage: tuple[date, date] | None = None
    time: Dimension | None = None
    caveats: tuple[str, ...] = ()
    bounds: tuple[date, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class DataWorkflowPlan:
    """A question as tasks, API calls and a plan that can run.

    ``out_of_scope`` is the explicit way out: nothing in the data answers it, and ``reason`` says why.
    """

    tasks: tuple[DataTask, ...]
    api_calls: tuple[APICall, ...]
    out_of_scope: bool
    reason: str | None = None
    plan: Plan = field(default_factory=lambda: Plan(strategy=Strategy.SINGLE))
    parts: tuple[PartPlan, ...] = ()


@dataclass(frozen=True)
class PartResult:
    """What came of one request.

    Args:
        plan: How it was planned.
        retrieved: Rows by the part they play.
        calculated: Results of calculations by the part they play.
        labels: For each column of the results, how people call it.
        units: For each column of the results, its unit.
        errors: What failed, in words.
        doubts: Results that were not reasonable and were computed in a simpler way, in words.
    """

    plan: PartPlan
    retrieved: dict[str, Retrieved] = field(default_factory=dict[str, Retrieved])
    calculated: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    labels: dict[str, str] = field(default_factory=dict[str, str])
    units: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    errors: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExecutionMetadata:
    """How a workflow ran."""

    api_calls_count: int = 0
    execution_time: float = 0.0
    steps: dict[str, float] = field(default_factory=dict[str, float])
    cancelled: bool = False
    timed_out: TimedOut | None = None
    untold: OutOfScope | None = None


@dataclass(frozen=True)
class ExecutionResult:
    """What came of a workflow; ``success`` also when only some of its parts succeeded."""

    success: bool
    data: tuple[PartResult, ...] = ()
    error: str | None = None
    metadata: ExecutionMetadata = ExecutionMetadata()


class WorkflowBuilder:
    """Takes one request at a time apart into steps.

    Args:
        registry: The retrieval APIs.
        model: What the names mean.
        question: The words, for the choice between APIs that both have what is needed.
        timeout_seconds: Time limit of one retrieval.
    """

    def __init__(
        self, registry: APIRegistry, model: SemanticModel, question: str, timeout_seconds: float
    ) -> None:
        self.model = model
        self.tasks: list[DataTask] = []
        self.calls: list[APICall] = []
        self.steps: list[Step] = []
        self.retrievals: dict[str, str] = {}
        self.calculations: dict[str, str] = {}
        self.notes: list[str] = []
        self._registry = registry
        self._words = set(_WORD.findall(question.lower()))
        self.timeout_seconds = timeout_seconds
        self._prefix = ""

    def begin(self, prefix: str) -> None:
        """Start another request, whose step ids begin with ``prefix``."""
        self._prefix = prefix
        self.retrievals, self.calculations, self.notes = {}, {}, []

    def retrieve(self, role: str, query: RetrievalQuery) -> str:
        """A step that retrieves, from the API that has what ``query`` names."""
        step = f"{self._prefix}retrieve_{role}" if role != "main" else f"{self._prefix}retrieve"
        task = DataTask(step, self._described(query), query.metrics, query.time_range, (), query.dimensions)
        api = self.select_api(task)
        payload = self.generate_payload(query, api)
        self.tasks.append(task)
        self.calls.append(APICall(api, payload, step))
        self.steps.append(Step(id=step, tool=api.name, params=payload, timeout_seconds=self.timeout_seconds))
        self.retrievals[role] = step
        return step

    def calculate(
        self,
        role: str,
        tool: str,
        description: str,
        inputs: dict[str, str],
        *,
        timeout_seconds: float | None = None,
        **params: Any,
    ) -> str:
        """A step that computes with what earlier steps gave."""
        step = f"{self._prefix}{role}"
        metric = next((t.metrics for t in self.tasks if t.id in inputs.values()), ())
        self.tasks.append(DataTask(step, description, metric, dependencies=tuple(inputs.values())))
        given = {name: OutputRef(step=earlier) for name, earlier in inputs.items()}
        known = {k: v for k, v in params.items() if v is not None}
        self.steps.append(
            Step(id=step, tool=tool, params=known, inputs=given, order=2, timeout_seconds=timeout_seconds)
        )
        self.calculations[role] = step
        return step

    def over_rows(self, role: str, tool: str, description: str, request: Parts, **params: Any) -> str:
        """A step that computes with the rows that a request is about."""
        return self.calculate(role, tool, description, {}, **(rows_asked(request) | params))

    def select_api(self, task: DataTask) -> APIDescriptor:
        """Schema linking: the API whose columns hold the most of what the task names.

        Where several hold the same, the question's own words decide, by the description and the
        examples of each.

        Raises:
            OutOfScope: No API has any of it.
        """
        home = self._homes(task)
        scored = [
            (self._linked(api, task, home), self._said(api), -i, api)
            for i, api in enumerate(self._registry.get_all())
        ]
        best = max(scored, key=lambda s: s[:3], default=None)
        if best is None or (best[0] == 0 and not task.metrics):
            wanted = listed([*task.metrics, *task.dimensions]) or "this"
            raise OutOfScope(f"Nothing in the data holds {wanted}.")
        return best[3]

    def _homes(self, task: DataTask) -> set[str]:
        tables = {t for m in task.metrics[:1] for t in self.model.base_tables(self.model.metric(m))[:1]}
        return tables or {self.model.dimension(d).home.table for d in task.dimensions[:1]}

    def _linked(self, api: APIDescriptor, task: DataTask, homes: set[str]) -> int:
        """How much of the task the columns of ``api`` hold; a metric weighs more than a dimension."""
        columns = {c.name for c in api.columns}
        named = 2 * sum(m in columns for m in task.metrics) + sum(d in columns for d in task.dimensions)
        return named + 3 * (api.table in homes)

    def _said(self, api: APIDescriptor) -> int:
        examples = [str(e.get("question", "")) for e in api.examples]
        told = " ".join([api.name.replace("_", " "), api.description, *examples])
        return len(self._words & set(_WORD.findall(told.lower())))

    def generate_payload(self, query: RetrievalQuery, api: APIDescriptor) -> dict[str, Any]:
        """Slot filling: the parameters of ``api`` that the query has a value for, and all that it requires."""
        slots = {p.name for p in api.parameters}
        filled = query.model_dump(mode="json", exclude_defaults=True)
        stated = query.model_dump(mode="json", include={p.name for p in api.parameters if p.required})
        return {name: value for name, value in (stated | filled).items() if name in slots}

    def _described(self, query: RetrievalQuery) -> str:
        what = listed([self.model.metric(m).label for m in query.metrics])
        by = [self.model.dimension(d).label for d in query.dimensions]
        split = listed([*([str(query.grain)] if query.grain else []), *by])
        words = ["retrieve", what or split, *(["by", split] if split and what else [])]
        held = [
            self.model.metric(f.field) if f.having else self.model.dimension(f.field) for f in query.filters
        ]
        if held:
            words += ["under the conditions on", listed(list(dict.fromkeys(h.label for h in held)))]
        if query.time_range is not None:
            words.append(in_range(query.time_range))
        return " ".join(words)


def naming(model: SemanticModel, request: Parts) -> dict[str, str]:
    """For each id that a request breaks down by, the dimension that names what it identifies, where one does."""
    found: dict[str, str] = {}
    metrics = [model.metric(m) for m in request.metrics]
    for name in request.dimensions:
        dimension = model.dimension(name)
        if dimension.label_at is None:
            continue
        label = model.dimension(str(dimension.label_at))
        near = model.path(dimension.home.table, label) is not None
        if label.name not in request.dimensions and near and all(model.reaches(m, label) for m in metrics):
            found[name] = label.name
    return found


def spoken_names(model: SemanticModel, request: Parts) -> dict[str, str]:
    """For each id that stands in a result, the name that stands there too, whether it was asked for or not."""
    held = {n: str(d.label_at) for n in request.dimensions if (d := model.dimension(n)).label_at is not None}
    asked_for = {n: model.dimension(label).name for n, label in held.items()}
    return naming(model, request) | {
        n: label for n, label in asked_for.items() if label in request.dimensions
    }


def with_names(model: SemanticModel, request: Parts) -> tuple[str, ...]:
    """The dimensions of a request, each id followed by the name of what it identifies."""
    names = naming(model, request)
    return tuple(d for name in request.dimensions for d in (name, names.get(name)) if d is not None)


def asked(request: Parts, **changes: Any) -> RetrievalQuery:
    """The retrieval that a request amounts to, with changes."""
    names = ("metrics", "dimensions", "filters", "time_range", "time_dimension", "recurring")
    return RetrievalQuery(**({name: getattr(request, name) for name in names} | changes))


def compared_dimension(request: Parts) -> str | None:
    """The dimension whose values are compared: the one that is named, or the one that a condition is on."""
    groups = set(request.comparison.groups) if request.comparison else set[str]()
    for condition in request.filters:
        if not condition.having and groups & {str(v) for v in condition.values}:
            return condition.field
    return request.dimensions[0] if request.dimensions else None


def other_filters(request: Parts) -> tuple[Filter, ...]:
    """The conditions that are not on what is compared."""
    dimension = compared_dimension(request)
    return tuple(f for f in request.filters if f.having or f.field != dimension)


def rows_asked(request: Parts) -> dict[str, Any]:
    """The rows that a request is about, as parameters of a tool over rows."""
    rows = {"filters", "time_range", "time_dimension", "recurring"}
    return request.model_dump(mode="json", include=rows, exclude_defaults=True)
