"""Insight generation: retrieve from every side, apply the methods of the path, add what experts know, and tell it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from gnomon.agents.insight import along_time, comparing, methods
from gnomon.agents.insight.dating import by_date
from gnomon.agents.insight.explaining import Explainer
from gnomon.agents.insight.findings import KNOWN, NEXT, SURER, WHAT, WHY, Finding, Ledger, Statement, prose_of
from gnomon.agents.insight.methods import Work
from gnomon.agents.insight.paths import AnalyticalMethod, DomainPath
from gnomon.agents.insight.playbook import advise
from gnomon.agents.insight.topic import Topic, main_metrics
from gnomon.answering.plan import DataWorkflowPlan, PartPlan, WorkflowBuilder
from gnomon.answering.run import DataWorkflowExecutor
from gnomon.answering.scope import scope_of, whole_days, whole_periods
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.errors import Cancelled, GnomonError, OutOfScope, TimedOut
from gnomon.core.parts import QuestionKind
from gnomon.core.plan import Plan, Step, Strategy
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.calendar import OF_GRAIN
from gnomon.language.time_names import in_range, period_end, period_start
from gnomon.language.time_periods import previous_period
from gnomon.planning.trees import request_of
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.query import RetrievalQuery, Retrieved
from gnomon.semantic.time_columns import usual_step
from gnomon.tools.contract import CancelToken

if TYPE_CHECKING:
    from gnomon.agents.insight.writing import InsightWriter
    from gnomon.execution import MCPToolsInvocationLayer
    from gnomon.semantic.registry import APIRegistry
    from gnomon.semantic.retrieve import Retriever

logger = logging.getLogger("gnomon.insight")

QUERY_SECONDS = 10.0
MOST_WATCHED = 5
# Domains in which a question that names no measure asks about all that matter; elsewhere it means the main one.
OVERVIEWS = ("performance", "recommendation")
_M = AnalyticalMethod
_DIAGNOSED = (_M.DRIVER_ANALYSIS, _M.CAUSE_ANALYSIS, _M.SEASONAL_ANALYSIS, _M.ANOMALY_ANALYSIS)


@dataclass(frozen=True)
class InsightResult:
    """What an insight came to.

    Args:
        insights: The text.
        analysis: What each analytical method found.
        domain: The domains of the path.
        answer: The same as an ordinary answer: facts, tables, charts.
        statements: The text sentence by sentence, each with the only facts that it speaks of.
        knowledge: What experts know of such questions, as it went into the generation.
        dimensions: The sides of the business that data was retrieved for.
    """

    insights: str
    analysis: Mapping[str, tuple[Finding, ...]]
    domain: tuple[str, ...]
    answer: Answer
    statements: tuple[Statement, ...] = ()
    knowledge: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()

    @property
    def recommendations(self) -> tuple[Statement, ...]:
        """What to do next."""
        return tuple(s for s in self.statements if s.section == NEXT)


@dataclass
class _Calls:
    """The retrievals of one insight, as the plan that the answer shows."""

    steps: list[Step] = field(default_factory=list[Step])
    sides: list[str] = field(default_factory=list[str])


class InsightGeneratorExecutor:
    """Executes domain-aware insight generation.

    Args:
        model: What the tables mean.
        registry: The retrieval APIs.
        layer: Runs retrievals, side by side.
        retriever: Where the diagnosis takes its panels from.
        writer: Puts the sentences into better words, where a language model is configured for that.
    """

    def __init__(
        self,
        model: SemanticModel,
        registry: APIRegistry,
        layer: MCPToolsInvocationLayer,
        retriever: Retriever,
        writer: InsightWriter | None = None,
        *,
        query_seconds: float = QUERY_SECONDS,
    ) -> None:
        self._model = model
        self._seconds = query_seconds
        self._registry = registry
        self._layer = layer
        self._retriever = retriever
        self._executor = DataWorkflowExecutor(layer, model)
        self._writer = writer

    def execute(
        self, query: Topic, domain_path: DomainPath, *, cancel: CancelToken | None = None
    ) -> InsightResult:
        """Retrieve, analyse and tell.

        Args:
            query: What is asked about.
            domain_path: How it is worked on.
            cancel: Stops the work.

        Raises:
            OutOfScope: The data cannot answer it; the message says why.
            Cancelled: The work was stopped.
        """
        if query.time_dimension is not None and (dated := by_date(self._model, query)) is not self._model:
            return self._over(dated).execute(query, domain_path, cancel=cancel)
        calls = _Calls()
        work, cut = self._begun(query, domain_path, calls, cancel)
        mains = self._mains(query)
        overview = not query.named and domain_path.domains[0] in OVERVIEWS
        if overview or _M.TIME_SERIES_ANALYSIS in domain_path.analytical_methods:
            data = self.retrieve_multi_dimensional_data(work, mains, told=overview)
            calls.sides += data
        for method in domain_path.analytical_methods:
            self._apply(method, work, mains, domain_path, cut, cancel, calls)
        if query.dimensions and _M.DRIVER_ANALYSIS in domain_path.analytical_methods:
            methods.changes_by(work, query.dimensions[0])
        if not any(s.section == WHAT for s in work.told.statements):
            methods.levels(work, mains[:1])  # no method had anything to say: then at least what the figure is
        return self.generate_insights(work, domain_path, calls)

    def retrieve_multi_dimensional_data(self, work: Work, metrics: Sequence[Any], *, told: bool) -> list[str]:
        """The main figures of every side of the business, side by side; gives the sides that were looked at."""
        kept, named = len(work.told.statements), dict(work.ledger.facts)
        methods.levels(work, metrics, tested=told)
        if not told:  # they stand beside the answer as a table, and leave their names to what is told
            del work.told.statements[kept:]
            work.ledger.facts = named
        looked = [f.metric for f in work.told.findings if f.kind == "level"]
        return list(dict.fromkeys(self._side(m) for m in looked))

    def generate_insights(self, work: Work, domain_path: DomainPath, calls: _Calls) -> InsightResult:
        """The text: what happened, why, what was ruled out, what to do, how sure, and what would make it surer."""
        told = work.told
        statements = list(told.statements)
        if not any(s.section == WHAT for s in statements):
            why = next(
                (s.text for s in statements if s.section == SURER), "The data has nothing to tell about this."
            )
            raise OutOfScope(why)
        advice = advise(told.findings, domain_path.playbook)
        statements += advice
        if not any(s.section == WHY for s in statements):
            statements.append(Statement(WHY, self._nothing(domain_path)))
        if not advice:
            statements.append(
                Statement(NEXT, "Nothing found here calls for a step; look again when new data is in")
            )
        statements += self._known(domain_path, work)
        if self._writer is not None:
            statements = self._writer.rewrite(statements, domain_path)
        facts = {f.name: f for s in statements for f in s.facts}
        asked = work.topic.parts(QuestionKind.CAUSE).model_copy(update={"time_range": work.current})
        answer = Answer(
            status=AnswerStatus.ANSWERED,
            prose=prose_of(statements),
            facts=tuple(facts.values()),
            tables=tuple(told.tables),
            charts=tuple(told.charts),
            request=request_of(asked, self._model),
            plan=Plan(
                strategy=Strategy.PARALLEL if len(calls.steps) > 1 else Strategy.SINGLE,
                steps=tuple(calls.steps),
                reasoning=f"{', '.join(domain_path.domains)}: {', '.join(m.value for m in domain_path.analytical_methods)}",
            ),
            suggestions=self._further(work, domain_path),
        )
        analysis: dict[str, list[Finding]] = {}
        for finding in told.findings:
            analysis.setdefault(finding.method, []).append(finding)
        return InsightResult(
            insights=answer.prose,
            analysis={k: tuple(v) for k, v in analysis.items()},
            domain=domain_path.domains,
            answer=answer,
            statements=tuple(statements),
            knowledge=domain_path.knowledge,
            dimensions=tuple(dict.fromkeys(calls.sides)),
        )

    # Parts

    def _over(self, model: SemanticModel) -> InsightGeneratorExecutor:
        """The same work over tables that mean something else."""
        return InsightGeneratorExecutor(
            model, self._registry, self._layer, self._retriever.over_model(model), self._writer,
            query_seconds=self._seconds,
        )  # fmt: skip

    def _begun(
        self, topic: Topic, path: DomainPath, calls: _Calls, cancel: CancelToken | None
    ) -> tuple[Work, str]:
        scope = scope_of(topic.parts(QuestionKind.CAUSE), self._model)
        if scope.reason is not None:
            raise OutOfScope(scope.reason)
        if scope.coverage is None:
            raise OutOfScope("There are no dates for it, so nothing can be said about how it moved.")
        coverage, asked = whole_days(scope) or scope.coverage, topic.time_range
        if asked is not None and (asked.start > coverage[1] or asked.end < coverage[0]):
            coverage = scope.coverage  # what is asked about is the very day that is not whole
        current, previous, cut = periods_of(topic, coverage, self._finest(topic))

        def fetch(queries: Mapping[str, RetrievalQuery]) -> Mapping[str, Retrieved]:
            return self._fetch(topic, queries, calls, cancel)

        ledger = Ledger(filters=topic.filters)
        return Work(topic, self._model, current, previous, coverage, fetch, ledger, self._retriever), cut

    def _finest(self, topic: Topic) -> TimeGranularity:
        time = self._model.time_dimension(self._model.metric(topic.metrics[0]))
        return time.grain if time is not None and time.grain is not None else TimeGranularity.DAY

    def _mains(self, topic: Topic) -> list[Any]:
        tables = {t.name for t in self._model.tables}
        for condition in topic.filters:
            dimension = self._model.dimension(condition.field)
            tables = {t for t in tables if self._model.path(t, dimension) is not None}
        own = [self._model.metric(m) for m in topic.metrics]
        more = [m for m in main_metrics(self._model, tables) if m.name not in topic.metrics]
        return [*own, *more][:8] if topic.named else main_metrics(self._model, tables)

    def _side(self, reference: str) -> str:
        metric = self._model.metric(reference)
        return metric.business_dimension or (self._model.base_tables(metric) or ("data",))[0]

    def _dated(self, query: RetrievalQuery, topic: Topic) -> RetrievalQuery:
        """A query by the date that was asked for, where the measure has it; who retrieves knows the measure's own only."""
        if topic.time_dimension is None or query.time_dimension is not None:
            return query
        own = {self._model.metric(m).time_dimension for m in query.metrics}
        return (
            query.model_copy(update={"time_dimension": topic.time_dimension})
            if own == {topic.time_dimension}
            else query
        )

    def _fetch(
        self, topic: Topic, queries: Mapping[str, RetrievalQuery], calls: _Calls, cancel: CancelToken | None
    ) -> Mapping[str, Retrieved]:
        """Retrievals side by side through the invocation layer; one that fails leaves a gap, not an error."""
        builder = WorkflowBuilder(self._registry, self._model, topic.question, self._seconds)
        request = topic.parts(QuestionKind.VALUE)
        for role, query in queries.items():
            try:
                builder.retrieve(role, self._dated(query, topic))
            except GnomonError as e:
                logger.info("a side of the data is left out: %s", e.message)
        if not builder.steps:
            return {}
        plan = Plan(
            strategy=Strategy.PARALLEL if len(builder.steps) > 1 else Strategy.SINGLE,
            steps=tuple(builder.steps),
        )
        part = PartPlan(request, retrievals=dict(builder.retrievals))
        result = self._executor.execute(
            DataWorkflowPlan(tuple(builder.tasks), tuple(builder.calls), False, plan=plan, parts=(part,)),
            cancel,
        )
        if result.metadata.cancelled or (cancel is not None and cancel.cancelled):
            raise Cancelled("The question was cancelled before it was answered.")
        known = {s.id for s in calls.steps}
        calls.steps += [s for s in builder.steps if s.id not in known]
        return result.data[0].retrieved if result.data else {}

    def _apply(
        self, method: AnalyticalMethod, work: Work, mains: Sequence[Any], path: DomainPath,
        cut: str, cancel: CancelToken | None, calls: _Calls,
    ) -> None:  # fmt: skip
        """One method; what it cannot do is noted, and the others go on."""
        before = {s.text for s in work.told.statements}
        pattern_first = method is _M.SEASONAL_ANALYSIS and work.topic.named and work.topic.time_range is None
        try:
            if pattern_first:  # "is revenue seasonal?" asks about all of the data, not about its last change
                along_time.season_of(work)
            if method in _DIAGNOSED and not any(s.id == "diagnose" for s in calls.steps):
                self._diagnose(work, path, cut, cancel, calls)
            if method is _M.SEASONAL_ANALYSIS and not pattern_first:
                along_time.season_of(work)
            elif method is _M.ANOMALY_ANALYSIS:
                along_time.standing_out(work, [work.metric] if work.topic.named else mains[:MOST_WATCHED])
            elif method is _M.TREND_ANALYSIS:
                along_time.trend_of(work)
            elif method is _M.BENCHMARK_ANALYSIS:
                comparing.benchmarks(work)
            elif method is _M.CORRELATION_ANALYSIS and _is_open(work):
                methods.correlations(work, mains)
        except (Cancelled, TimedOut):
            raise
        except GnomonError as e:
            if not any(s.text not in before for s in work.told.statements):
                work.told.statements.append(Statement(SURER, e.message, (), (e.message,)))
            logger.info("%s could not be applied: %s", method, e.message)

    def _diagnose(
        self, work: Work, path: DomainPath, cut: str, cancel: CancelToken | None, calls: _Calls
    ) -> None:
        from gnomon.analytics.diagnosis import diagnose

        calls.steps.append(Step(id="diagnose", tool="diagnose", params={"metric": work.metric.name}))
        found = diagnose(
            self._retriever, work.metric.name, work.current, work.previous, work.topic.filters,
            cancel=cancel, timeout_seconds=self._seconds,
        )  # fmt: skip
        work.diagnosis = found
        calls.sides += [self._side(c.measure) for c in (*found.causes, *found.ruled_out) if c.measure]
        explained = Explainer(
            found, self._model, work.ledger, work.topic.filters, question=work.topic.question,
            seasonal=_M.SEASONAL_ANALYSIS in path.analytical_methods, cut=cut,
        ).explain()  # fmt: skip
        why = {_M.DRIVER_ANALYSIS, _M.CAUSE_ANALYSIS} & set(path.analytical_methods)
        known = {s.text for s in work.told.statements}
        work.told.statements += [
            s for s in explained.statements if s.text not in known and (why or s.section == WHAT)
        ]
        work.told.findings += [f for f in explained.findings if why or f.kind in ("range", "season")]
        work.told.tables += explained.tables if why else []
        work.told.charts += explained.charts if why else explained.charts[-1:]

    def _nothing(self, path: DomainPath) -> str:
        if _M.BENCHMARK_ANALYSIS in path.analytical_methods:
            return "Where a gap comes from is not in the comparison itself; ask why the figure moved"
        looked = {_M.DRIVER_ANALYSIS, _M.CAUSE_ANALYSIS, _M.CORRELATION_ANALYSIS} & {*path.analytical_methods}
        if looked:
            return "No evidence for a cause in what was looked at"
        return "Causes were not looked for here; ask why the figure changed"

    def _known(self, path: DomainPath, work: Work) -> list[Statement]:
        """What experts know that bears most on the question and on what was found, in their own words."""
        if not path.knowledge:
            return []
        from gnomon.embedding import get_encoder

        encoder = get_encoder()
        causes = [f.words.get("cause", "") for f in work.told.findings if f.kind == "cause"]
        asked = encoder.encode_one(" ".join([work.topic.question, *causes]))
        line = max(path.knowledge, key=lambda known: float(encoder.encode_one(known) @ asked))
        return [Statement(KNOWN, line, (), (line,))]

    def _further(self, work: Work, path: DomainPath) -> tuple[str, ...]:
        """Questions that go deeper: into a part that stands out, a cause, the figure along time."""
        label, found = work.metric.label, work.told.findings
        parts = [
            f.words["segment"] for f in found if f.kind in ("driver", "cause") and f.words.get("segment")
        ]
        asked = [f"Why did {label} change for {p.partition(' (')[0]}?" for p in parts[:1] if p != "all of it"]
        others = [
            f.words["metric"]
            for f in found
            if f.kind == "level" and f.verdict == "unusual" and f.metric != work.metric.name
        ]
        asked += [f"Why did {o} change {in_range(work.current)}?" for o in others[:1]]
        more = {
            "performance": f"Why did {label} change {in_range(work.current)}?",
            "seasonal": f"Is {label} seasonal?",
            "recommendation": f"What should I do about {label}?",
            "anomaly": f"Which days stand out in {label}?",
        }
        time = self._model.time_dimension(work.metric)
        step = usual_step(time.grain, time.coverage) if time is not None else TimeGranularity.MONTH
        asked += [f"{label} by {step}", *(q for domain, q in more.items() if domain not in path.domains)]
        return tuple(dict.fromkeys(asked))[:3]


_EXPLAINED = frozenset({"cause", "unrecorded", "unrecorded everywhere", "mix", "gap", "copies"})


def _is_open(work: Work) -> bool:
    """Whether something is left that other figures may have to do with: neither explained nor within the ordinary."""
    found = {(f.kind, f.verdict) for f in work.told.findings}
    return ("range", "inside") not in found and not any(kind in _EXPLAINED for kind, _ in found)


def periods_of(
    topic: Topic, coverage: tuple[date, date], finest: TimeGranularity
) -> tuple[TimeRange, TimeRange, str]:
    """The later period, the earlier one, and which end of the data cuts them short: ``end``, ``start`` or nothing.

    No unfinished period is compared with a whole one: only the days count that both have.
    """
    first, last = coverage
    days = topic.time_range
    if days is None or days.start > last or days.end < first:
        days = _latest(coverage, finest)
    asked = topic.comparison.period if topic.comparison is not None else None
    usual = asked is None or asked == previous_period(days)
    cut = "end" if days.start <= last < days.end else ""
    if cut:
        days = days.model_copy(update={"end": last})
    if days.start < first:
        days = days.model_copy(update={"start": first})
    other = previous_period(days) if usual or asked is None or asked.end >= days.start else asked
    if cut and not usual and other.days > days.days:
        other = other.model_copy(update={"end": other.start + timedelta(days=days.days - 1)})
    if other.end < first:
        raise OutOfScope(
            "The data begins with the period that is asked about, so there is nothing before it to compare with."
        )
    if other.start < first:
        unit = OF_GRAIN[days.granularity]
        aligned = unit.step(other.start, 1) == days.start
        begins = unit.step(first, 1) if aligned else days.start + (first - other.start)
        cut, other = "start", other.model_copy(update={"start": first})
        days = days.model_copy(update={"start": min(begins, days.end)})
    return days, other, cut


def _latest(coverage: tuple[date, date], finest: TimeGranularity) -> TimeRange:
    """The last whole period that has another before it: a month, or a week where there are few months."""
    order = list(TimeGranularity)
    from gnomon.answering.scope import Scope

    for grain in (
        TimeGranularity.MONTH,
        TimeGranularity.WEEK,
        TimeGranularity.DAY,
        TimeGranularity.QUARTER,
        TimeGranularity.YEAR,
    ):
        if order.index(grain) < order.index(finest):
            continue
        if finest is TimeGranularity.WEEK and grain is TimeGranularity.MONTH:
            continue  # of what is kept by the week, one month has four and the next five
        whole = whole_periods(Scope(coverage=coverage), grain, None)
        if whole is None:
            continue
        start = period_start(whole.end, grain)
        if start > whole.start:
            return TimeRange(start=start, end=period_end(start, grain), granularity=grain)
    raise OutOfScope("The data covers no two whole periods that could be compared.")
