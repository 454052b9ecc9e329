"""The Data Presenter: a reading in, a checked answer out, for every question about what the data says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from gnomon.agents.presenter_writer import Writer, written
from gnomon.agents.refusals import in_part, unclear
from gnomon.agents.suggestions import suggest
from gnomon.agents.support import with_support
from gnomon.answering.answer import tell
from gnomon.answering.conditions import reading_of
from gnomon.answering.plan import DataWorkflowPlan, ExecutionResult, PartPlan
from gnomon.answering.plan_kinds import Augmented, DataWorkflowPlanner
from gnomon.answering.run import DataWorkflowExecutor
from gnomon.answering.telling import Told
from gnomon.core import clock
from gnomon.core.answer import READ_AS, Answer, AnswerStatus, Fact
from gnomon.core.errors import Cancelled
from gnomon.core.figures import sentence
from gnomon.core.parts import Parts
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.planning.compared_periods import are_steps_of
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic.model import SemanticModel
from gnomon.tools.contract import CancelToken

if TYPE_CHECKING:
    from gnomon.agents.opinions import Opinions
    from gnomon.answering import Answering
    from gnomon.semantic.registry import APIRegistry


class DataPresenterGenerator:
    """Tells what a workflow brought: templates, or a language model that writes around the names of facts.

    Args:
        model: What the tables mean.
        writer: Writes the prose around slots, where a language model is configured.
    """

    def __init__(self, model: SemanticModel, writer: Writer | None = None) -> None:
        self._model = model
        self._writer = writer

    def generate(
        self, reading: Reading, plan: DataWorkflowPlan, result: ExecutionResult, today: date
    ) -> Answer:
        """What came of a plan, in sentences, facts, tables and charts."""
        parts: list[Told] = []
        for n, part in enumerate(result.data):
            steps = n > 0 and are_steps_of(part.plan.request, result.data[n - 1].plan.request)
            parts.append(with_support(tell(part, self._model, today, only_steps=steps), part))
        parts = [self._prose_of(p, r) for p, r in zip(parts, reading.parts, strict=True)]
        facts = _distinct([f for p in parts for f in p.facts])
        ideas = [i for p in plan.parts if p.reason is None for i in suggest(p.request, self._model)]
        return Answer(
            status=_overall([p.status for p in parts]),
            prose="\n\n".join(self._paragraphs(parts, plan.parts, reading.notes)),
            facts=tuple(facts),
            tables=tuple(table for p in parts for table in p.tables),
            charts=tuple(chart for p in parts for chart in p.charts),
            request=reading.requests[0],
            plan=plan.plan,
            suggestions=tuple(dict.fromkeys(ideas))[:3],
        )

    def _prose_of(self, told: Told, request: Parts) -> Told:
        if self._writer is None or not told.facts:
            return told
        prose = written(self._writer, request, told.facts)
        return told if prose is None else replace(told, lead=prose, more=[])

    def _paragraphs(
        self, parts: Sequence[Told], plans: Sequence[PartPlan], notes: Sequence[str]
    ) -> list[str]:
        """The direct sentences first, then how the question was read, then what limits the answer."""
        told = [" ".join([p.lead, *p.more]).strip() for p in parts]
        readings = [
            reading_of(p.request, self._model, str(p.grain) if p.grain else None)
            for p in plans
            if p.reason is None
        ]
        caveats = list(dict.fromkeys(sentence(c) for c in [*notes, *(c for p in parts for c in p.caveats)]))
        # Each part on a line of its own, so that "it" means what was named before.
        paragraphs = ["\n".join(filter(None, told))]
        if readings:
            paragraphs.append(f"{READ_AS}{'; and '.join(readings)}.")
        if caveats:
            paragraphs.append(f"Note: {' '.join(caveats)}")
        return paragraphs


class DataPresenter:
    """Answers questions about what the data says.

    Args:
        model: What the tables mean.
        registry: The retrieval APIs over them.
        layer: Runs the plans; its tools include the retrieval and the calculation tools.
        writer: Writes the prose around slots, where a language model is configured.
        planner: Plans; made from ``registry`` and ``model`` by default.
        executor: Runs plans; made from ``layer`` and ``model`` by default.
        opinions: Settles what a language model read as a query, where one is configured.
        answering: Computes and tells what was read as a tree.
    """

    def __init__(
        self,
        model: SemanticModel,
        registry: APIRegistry,
        layer: MCPToolsInvocationLayer,
        *,
        writer: Writer | None = None,
        planner: DataWorkflowPlanner | None = None,
        executor: DataWorkflowExecutor | None = None,
        opinions: Opinions | None = None,
        answering: Callable[[], Answering] | None = None,
    ) -> None:
        self._model = model
        self._planner = planner or DataWorkflowPlanner(registry, model)
        self._executor = executor or DataWorkflowExecutor(layer, model)
        self._writer = writer
        self._generator = DataPresenterGenerator(model, writer)
        self._opinions = opinions
        self._answering = answering

    def standing(self) -> str:
        """How far the language model that reads questions is believed, in a sentence; nothing where there is none."""
        return self._opinions.standing() if self._opinions is not None else ""

    @property
    def privacy(self) -> str | None:
        """The level at which a language model writes sentences; None where templates do."""
        return getattr(self._writer, "privacy", None)

    def present(
        self,
        reading: Reading,
        *,
        query: Augmented | str | None = None,
        cancel: CancelToken | None = None,
        today: date | None = None,
        budget_seconds: float | None = None,
    ) -> Answer:
        """Answer what was read.

        Args:
            reading: The question as it was understood.
            query: The question with its time references made explicit; the words of the reading by default.
            cancel: Stops the work, the running query included.
            today: The day on which it is asked.
            budget_seconds: How long the retrievals and calculations may take; the executor's own limit by default.

        Raises:
            Cancelled: The work was stopped before it ended.
            TimedOut: Nothing was done in ``budget_seconds``.
        """
        if reading.own and self._answering is not None:
            return self._answering().asked(reading, cancel=cancel)
        if reading.ask is not None and self._opinions is not None:
            return self._opinions.settled(
                reading, lambda r: self.present(r, query=r.restated, cancel=cancel, today=today), cancel
            )
        if reading.status is not ReadingStatus.CLEAR or not reading.requests:
            return unclear(reading)
        started = clock.elapsed()
        plan = self._planner.plan(query or reading.requests[0].question, reading)
        planned = clock.elapsed()
        if plan.out_of_scope:
            return self._out_of_scope(reading, plan, planned - started)
        result = self._executor.execute(plan, cancel, budget_seconds=budget_seconds)
        ran = clock.elapsed()
        if result.metadata.cancelled or (cancel is not None and cancel.cancelled):
            raise Cancelled("The question was cancelled before it was answered.")
        late = result.metadata.timed_out
        if late is not None and not result.success and budget_seconds is not None:
            raise late
        if not result.success and (untold := result.metadata.untold) is not None:
            return Answer(
                status=AnswerStatus.OUT_OF_SCOPE,
                prose=sentence(untold.message),
                request=reading.requests[0],
                plan=plan.plan,
                suggestions=tuple(untold.suggestions),
            )
        if not result.success:
            return Answer(
                status=AnswerStatus.ERROR,
                prose=sentence(f"The data could not be retrieved: {result.error}"),
                request=reading.requests[0],
                plan=plan.plan,
                suggestions=tuple(late.suggestions) if late is not None else (),
            )
        answer = self._generator.generate(reading, plan, result, today or clock.today())
        if late is not None and not answer.facts:
            raise late
        if late is not None:
            answer = in_part(answer, late)
        times = {"plan": planned - started, "execute": ran - planned, "tell": clock.elapsed() - ran}
        return answer.model_copy(update={"timings": times})

    def _out_of_scope(self, reading: Reading, plan: DataWorkflowPlan, seconds: float) -> Answer:
        request = reading.requests[0]
        ideas = [i for r in reading.parts for i in self._ideas(r)]
        return Answer(
            status=AnswerStatus.OUT_OF_SCOPE,
            prose=sentence(plan.reason or "The data cannot answer this"),
            request=request,
            plan=plan.plan,
            suggestions=tuple(dict.fromkeys(ideas))[:3],
            timings={"plan": seconds},
        )

    def _ideas(self, request: Parts) -> list[str]:
        """What can be asked instead: the same without what the data does not have."""
        from gnomon.core.errors import NotFound

        try:
            return suggest(request.model_copy(update={"time_range": None}), self._model)
        except NotFound:
            return []


def _overall(statuses: Sequence[AnswerStatus]) -> AnswerStatus:
    if all(s is statuses[0] for s in statuses):
        return statuses[0]
    return AnswerStatus.PARTIAL


def _distinct(facts: Sequence[Fact]) -> list[Fact]:
    """Facts under names of their own; a name that comes twice gets a number, an equal fact is dropped."""
    taken: dict[str, Fact] = {}
    for fact in facts:
        name, count = fact.name, 1
        while name in taken and taken[name].model_copy(update={"name": fact.name}) != fact:
            count += 1
            name = f"{fact.name}_{count}"
        taken.setdefault(name, fact.model_copy(update={"name": name}))
    return list(taken.values())
