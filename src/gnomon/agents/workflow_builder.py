"""Collects the tasks, API calls and steps of a plan while a request is taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.agents.figures import listed
from gnomon.agents.telling_periods import in_range
from gnomon.agents.workflow import APICall, DataTask
from gnomon.core.errors import OutOfScope
from gnomon.core.patterns import regex
from gnomon.core.plan import OutputRef, Step
from gnomon.core.request import Request
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.query import RetrievalQuery

if TYPE_CHECKING:
    from gnomon.semantic.registry import APIDescriptor, APIRegistry

_WORD = regex(r"[a-z]+")


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
        self._registry = registry
        self._words = set(_WORD.findall(question.lower()))
        self.timeout_seconds = timeout_seconds
        self._prefix = ""

    def begin(self, prefix: str) -> None:
        """Start another request, whose step ids begin with ``prefix``."""
        self._prefix = prefix
        self.retrievals, self.calculations = {}, {}

    def retrieve(self, role: str, query: RetrievalQuery) -> str:
        """A step that retrieves, from the API that has what ``query`` names."""
        step = f"{self._prefix}retrieve_{role}" if role != "main" else f"{self._prefix}retrieve"
        task = DataTask(
            id=step,
            description=self._described(query),
            metrics=query.metrics,
            time_range=query.time_range,
            dimensions=query.dimensions,
        )
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
        self.steps.append(
            Step(
                id=step,
                tool=tool,
                params={k: v for k, v in params.items() if v is not None},
                inputs={name: OutputRef(step=given) for name, given in inputs.items()},
                order=2,
                timeout_seconds=timeout_seconds,
            )
        )
        self.calculations[role] = step
        return step

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
        by = [*([str(query.grain)] if query.grain else []), *by]
        words = ["retrieve", what or listed(by), *(["by", listed(by)] if by and what else [])]
        if query.filters:
            fields = [self._field(f.field, f.having) for f in query.filters]
            words += ["under the conditions on", listed(list(dict.fromkeys(fields)))]
        if query.time_range is not None:
            words.append(in_range(query.time_range))
        return " ".join(words)

    def _field(self, name: str, having: bool) -> str:
        return self.model.metric(name).label if having else self.model.dimension(name).label


def naming(model: SemanticModel, request: Request) -> dict[str, str]:
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


def with_names(model: SemanticModel, request: Request) -> tuple[str, ...]:
    """The dimensions of a request, each id followed by the name of what it identifies."""
    names = naming(model, request)
    return tuple(d for name in request.dimensions for d in (name, names.get(name)) if d is not None)


def asked(request: Request, **changes: Any) -> RetrievalQuery:
    """The retrieval that a request amounts to, with changes."""
    fields: dict[str, Any] = {
        "metrics": request.metrics,
        "dimensions": request.dimensions,
        "filters": request.filters,
        "time_range": request.time_range,
        "time_dimension": request.time_dimension,
        "recurring": request.recurring,
    }
    return RetrievalQuery(**(fields | changes))
