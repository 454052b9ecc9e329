"""The manager: gate and router beside each other, both workers from the start, the loser stopped, guardrails last."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gnomon.agents.evaluation.tracking import AccuracyTracker, TrackedAccuracy
from gnomon.agents.guarding import Guard
from gnomon.agents.insight.worker import InsightWorker
from gnomon.agents.offers import choices
from gnomon.agents.outcome import Outcome, respond, with_privacy
from gnomon.agents.picks import Picks, with_options
from gnomon.agents.plain_question import PlainQuestions
from gnomon.agents.presenter import DataPresenter
from gnomon.agents.reached_groups import within_reach
from gnomon.agents.refusals import failed, foreign, in_part, refused, timed_out, unclear
from gnomon.agents.settling import PASSED, certainly, is_bound, is_chosen, settled_domain, settled_route
from gnomon.agents.stages import Stage, reached
from gnomon.core import clock
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.errors import Cancelled, ErrorCode, GnomonError, TimedOut
from gnomon.core.query import AgentType, SystemResponse, UserQuery
from gnomon.core.request import Request
from gnomon.core.visible import visible
from gnomon.execution.threads import DaemonThreads
from gnomon.language import OODResult, RoutingDecision
from gnomon.language.foreign import recognise
from gnomon.planning.augment import AugmentedQuery, QueryAugmenter
from gnomon.planning.compared_periods import made_whole
from gnomon.planning.reading import Reading, ReadingStatus, Reads
from gnomon.semantic.model import SemanticModel
from gnomon.tools.contract import CancelToken

if TYPE_CHECKING:
    from gnomon.agents.insight import InsightResult, Statement

logger = logging.getLogger("gnomon.manager")

GATE_SECONDS = 5.0
# A judge is done without; a question that is not read has no answer, so a busy machine is given longer.
READ_SECONDS = 10.0
WORKER_SECONDS = 12.0
# A diagnosis scans every side of the data, so it may take longer than one figure.
INSIGHT_SECONDS = 60.0
TO_DO = (
    "Ask for a shorter period or fewer groups.",
    "Allow more time with GNOMON_STEP_TIMEOUT_SECONDS and GNOMON_ANSWER_TIMEOUT_SECONDS.",
)
_REFUSED = (AnswerStatus.OUT_OF_SCOPE, AnswerStatus.OUT_OF_DOMAIN)
_FAILED = (AnswerStatus.OUT_OF_SCOPE, AnswerStatus.ERROR)
T = TypeVar("T")


class Reader(Protocol):
    """Reads a question into requests: the grammar, or a language model checked by it."""

    def read(
        self,
        question: str,
        *,
        today: date,
        previous: Request | None = None,
        cancel: CancelToken | None = None,
    ) -> Reading:
        """The reading of ``question``; ``cancel`` interrupts the call of a model."""
        ...


class GateLike(Protocol):
    """Judges whether a text is about data at all."""

    def judge(self, question: str) -> OODResult:
        """The judgement."""
        ...


class RouterLike(Protocol):
    """Chooses the worker."""

    def route(self, query: str) -> RoutingDecision:
        """The choice with its confidence."""
        ...


@dataclass(frozen=True)
class _Branches:
    """What runs side by side for one question, and how to stop each worker."""

    augmented: AugmentedQuery
    reading: Future[Reading]
    heard: Future[float]
    domain: Future[OODResult]
    routing: Future[RoutingDecision]
    presented: Future[Answer]
    explained: Future[InsightResult | Answer]
    shows: CancelToken
    explains: CancelToken
    reads: CancelToken

    def stop(self) -> None:
        """Interrupt whatever still runs: queries, and the call of a model that reads."""
        for token in (self.reads, self.shows, self.explains):
            token.cancel()


class Manager:
    """Takes a question from arrival to a guarded response.

    Args:
        reader: Reads questions.
        presenter: The worker that shows what the data says.
        insight: The worker that explains it.
        gate: Judges whether a text is about data.
        router: Chooses between the workers; the reader's own reading is weighed in.
        guard: Checks questions and answers before they pass.
        augmenter: Spells out times.
        threads: Where the branches run.
        gate_seconds: How long gate and router may each take before they are done without.
        read_seconds: How long reading the question may take.
        worker_seconds: How long the worker that shows may take after that.
        insight_seconds: The same for the one that explains.
        tracker: Measures every response and keeps count of how accurate they are.
        ideas: Questions near to one that is refused: of its words, the day, and whether it asks for an explanation.
        picks: Finds what a question may mean of which one or two words have no place.
        model: What the tables mean, for the days that they cover.
        plain: Knows questions that need no judge: they are about the data, and what they ask for is shown.
    """

    def __init__(
        self,
        *,
        reader: Reader,
        presenter: DataPresenter,
        insight: InsightWorker,
        gate: GateLike,
        router: RouterLike,
        guard: Guard,
        augmenter: QueryAugmenter | None = None,
        threads: DaemonThreads | None = None,
        gate_seconds: float = GATE_SECONDS,
        read_seconds: float = READ_SECONDS,
        worker_seconds: float = WORKER_SECONDS,
        insight_seconds: float = INSIGHT_SECONDS,
        tracker: AccuracyTracker | None = None,
        ideas: Callable[[str, date, bool], tuple[str, ...]] = lambda *_: (),
        picks: Picks | None = None,
        model: SemanticModel | None = None,
        plain: PlainQuestions | None = None,
    ) -> None:
        self._reader = reader
        self._presenter = presenter
        self._insight = insight
        self._gate = gate
        self._router = router
        self._guard = guard
        self._augmenter = augmenter or QueryAugmenter()
        self._threads = threads or DaemonThreads(8)
        self._gate_seconds = gate_seconds
        self._read_seconds = read_seconds
        self._worker_seconds = worker_seconds
        self._insight_seconds = max(insight_seconds, worker_seconds)
        self._tracker = tracker or AccuracyTracker()
        self._ideas = ideas
        self._picks = picks
        self._model = model
        self._plain = plain

    @property
    def reader(self) -> Reader:
        """Who reads questions."""
        return self._reader

    @property
    def accuracy(self) -> TrackedAccuracy:
        """How the questions so far went."""
        return self._tracker.so_far

    def process_query(self, query: UserQuery, *, today: date | None = None) -> SystemResponse:
        """Answer ``query`` in the published envelope, whatever happens."""
        outcome = self.process(query.text, today=today or clock.today())
        return respond(outcome)

    def process(
        self,
        question: str,
        *,
        today: date,
        previous: Request | None = None,
        agreed: Reading | None = None,
        worker: AgentType | None = None,
        tries: bool = True,
    ) -> Outcome:
        """Answer ``question``.

        Args:
            question: In the user's words.
            today: What relative times refer to.
            previous: The request before it in the conversation.
            agreed: How the question is to be read, where the asker has been asked.
            worker: Who is to answer, where the asker says so; else the router chooses.
            tries: Whether what is asked back may depend on what the options come to, and a refusal say that one person
                stands behind a figure.
        """
        started = clock.elapsed()
        try:
            outcome = self._process(question, today, previous, agreed, worker, tries)
        except GnomonError as e:
            outcome = Outcome(failed(e), error=e.code)
        except Exception as e:  # the boundary: whoever asked gets an answer, whoever operates gets the trace
            logger.exception("a question could not be answered")
            outcome = Outcome(failed(e), error=ErrorCode.INTERNAL)
        outcome.latency["total"] = clock.elapsed() - started
        answer = outcome.answer.model_copy(
            update={
                "prose": visible(outcome.answer.prose),
                "suggestions": tuple(visible(s) for s in outcome.answer.suggestions),
                "timings": {**outcome.answer.timings, **outcome.latency},
            }
        )
        answer = self._with_standing(outcome, answer)
        outcome.accuracy = self._tracker.track(question, answer, outcome.claims)
        outcome.privacy = self._privacy(outcome)
        outcome.answer = with_privacy(answer, outcome.privacy)
        return outcome

    def _with_standing(self, outcome: Outcome, answer: Answer) -> Answer:
        """What a model's query comes to is offered with what is known of the model, which is no figure of the data."""
        asked = outcome.reading is not None and outcome.reading.ask is not None
        said = self._presenter.standing() if asked and answer.status is AnswerStatus.CLARIFY else ""
        return answer.model_copy(update={"prose": f"{answer.prose}\n\n{said}"}) if said else answer

    def _privacy(self, outcome: Outcome) -> str | None:
        """The level at which a model was asked: to read the question, or to write the answer."""
        read = outcome.reading.privacy if outcome.reading is not None else None
        wrote = outcome.agent is not None and bool(outcome.answer.facts)
        return read or (getattr(self._presenter, "privacy", None) if wrote else None)

    def _process(
        self,
        question: str,
        today: date,
        previous: Request | None,
        agreed: Reading | None,
        worker: AgentType | None,
        tries: bool,
    ) -> Outcome:
        blocked = self._guard.question(question)
        if blocked is not None:
            return Outcome(blocked, error=ErrorCode.POLICY_VIOLATION)
        if (language := recognise(question)) is not None:
            return Outcome(foreign(language.name))
        run = _Run(tries)
        work = self._begun(run, question, today, previous, agreed, worker)
        outcome = Outcome(Answer(status=AnswerStatus.ERROR, prose=""), augmented=work.augmented)
        try:
            self._settle(outcome, work, run, today)
        except TimedOut as e:
            outcome.answer, outcome.error = timed_out(e, outcome.reading), e.code
        finally:
            work.stop()
        outcome.latency = run.so_far()
        if outcome.answer.status in _REFUSED:
            ideas = outcome.answer.suggestions
            if outcome.reading is not None and outcome.reading.missing:
                ideas = choices(question, outcome.reading)  # names alone are nothing that could be asked
            explains = (
                outcome.routing is not None and outcome.routing.agent_type is AgentType.INSIGHT_GENERATOR
            )
            ideas = ideas or self._ideas(question, today, explains)
            outcome.answer = outcome.answer.model_copy(update={"suggestions": ideas})
        if outcome.answer.status is AnswerStatus.OUT_OF_SCOPE and self._picks is not None:
            picks = self._picks.of(question, outcome.reading, today, tries=tries)
            outcome.answer = with_options(outcome.answer, picks)
        asked_back = outcome.answer.status is AnswerStatus.CLARIFY and not outcome.answer.options
        if asked_back and self._picks is not None:
            picks = self._picks.meant(question, outcome.reading, today, tries=tries)
            outcome.answer = with_options(outcome.answer, picks)
        return outcome

    def learn(self, reader: Reader, grammar: Reads, model: SemanticModel) -> None:
        """Read from now on with words that were taught, also what may be picked from.

        Args:
            reader: Reads questions, perhaps with a language model beside it.
            grammar: Reads them without one.
            model: What the tables mean with those words.
        """
        self._reader, self._model = reader, model
        if self._picks is not None:
            self._picks = replace(self._picks, reader=grammar, model=model)

    def _begun(
        self,
        run: _Run,
        question: str,
        today: date,
        previous: Request | None,
        agreed: Reading | None,
        worker: AgentType | None,
    ) -> _Branches:
        """Everything at once: both judges, the reader, and both workers, which wait for the reading alone."""
        shows, explains, reads = CancelToken(), CancelToken(), CancelToken()
        # First of all: the times that it finds are remembered, and the reader would find them a second time beside it.
        augmented = run.timed("augment", self._augmenter.augment, question, today)
        plain = worker is None and self._plain is not None and self._plain.has(question, today)
        chosen = AgentType.DATA_PRESENTER if plain else worker
        judge = self._gate.judge if not plain else lambda _: PASSED
        domain = self._threads.submit(run.timed, "gate", judge, question)
        route = self._router.route if chosen is None else lambda _: certainly(chosen)
        routing = self._threads.submit(run.timed, "router", route, question)
        reading = self._threads.submit(
            run.timed, "read", self._read, question, today, previous, agreed, reads, run.tries
        )
        heard = self._threads.submit(self._heard, question, reading, today, plain)
        begun = (reading, heard, routing, augmented)
        presented = self._threads.submit(run.timed, "present", self._present, *begun, shows, today)
        explained = self._threads.submit(run.timed, "explain", self._explain, *begun, explains, today)
        return _Branches(
            augmented, reading, heard, domain, routing, presented, explained, shows, explains, reads
        )

    def _settle(self, outcome: Outcome, work: _Branches, run: _Run, today: date) -> None:
        """Choose the worker, stop the other, and take the answer, unless the question is refused."""
        outcome.reading = self._in_time(work.reading, self._read_seconds)
        heard = self._in_time(work.heard, self._read_seconds)
        outcome.routing = settled_route(self._judged(work.routing), outcome.reading, heard)
        keeps_presenter = outcome.routing.agent_type is AgentType.DATA_PRESENTER
        (work.explains if keeps_presenter else work.shows).cancel()
        bound = is_bound(outcome.reading)
        # What names nothing of the data waits for the gate, which may have to be fitted first.
        seconds = self._gate_seconds if bound else self._worker_seconds
        judged = self._judged(work.domain, seconds)
        outcome.domain = settled_domain(judged, outcome.reading)
        if judged is None and not bound and not outcome.reading.requests:
            outcome.answer = unclear(outcome.reading)
        elif outcome.domain is not None and outcome.domain.is_out_of_domain:
            outcome.answer = refused(outcome.domain, outcome.reading)
        elif outcome.reading.status is not ReadingStatus.CLEAR and (keeps_presenter or not heard):
            outcome.answer = unclear(outcome.reading)
        else:
            outcome.agent = outcome.routing.agent_type
            reached(Stage.COMPUTE if keeps_presenter else Stage.EXPLAIN, outcome.reading)
            if keeps_presenter:
                answer, parts = self._in_time(work.presented, self._worker_seconds), ()
            else:
                answer, parts = self._explained(outcome.reading, work, today)
            reached(Stage.CHECK, outcome.reading)
            guarded = run.timed("guard", self._guard.answer, answer, outcome.reading, parts, run.tries)
            outcome.answer, outcome.claims = guarded
            if outcome.answer.status is AnswerStatus.ERROR and answer.status is not AnswerStatus.ERROR:
                outcome.error = ErrorCode.POLICY_VIOLATION

    def _explained(
        self, reading: Reading, work: _Branches, today: date
    ) -> tuple[Answer, Sequence[Statement]]:
        """What explains it; where that takes too long, the figures alone, which say that they are no more."""
        try:
            return _told(self._in_time(work.explained, self._insight_seconds))
        except TimedOut as e:
            done = work.explained
            # What the worker itself could not compute in time would not be computed the second time either.
            given_up = done.done() and not done.cancelled() and done.exception() is e
            if given_up or reading.status is not ReadingStatus.CLEAR:
                raise
            cancel = CancelToken()
            figures = self._threads.submit(
                self._presenter.present, reading, query=work.augmented, cancel=cancel, today=today
            )
            try:
                answer = self._in_time(figures, self._worker_seconds)
            except GnomonError:
                raise e from None
            finally:
                cancel.cancel()
            if not answer.facts:
                raise
            return in_part(answer, e), ()

    def _heard(self, question: str, reading: Future[Reading], today: date, plain: bool) -> float:
        """How much the words speak for an insight: weighed once, for whoever waits to know."""
        return 0.0 if plain else self._insight.heard(question, reading.result(self._read_seconds), today)

    def _in_time(self, future: Future[T], seconds: float) -> T:
        """The result of a branch; one that does not end in time gives its thread back."""
        try:
            return future.result(seconds)
        except (FutureTimeout, TimeoutError):
            self._threads.abandon(future)
            raise TimedOut(
                f"The answer took longer than {seconds:g} seconds and was stopped.", suggestions=TO_DO
            ) from None

    def _judged(self, future: Future[T], seconds: float | None = None) -> T | None:
        """What a judge says; one that hangs or fails is passed over, since it must not stop a good question."""
        try:
            return self._in_time(future, self._gate_seconds if seconds is None else seconds)
        except Exception as e:  # noqa: BLE001 - whatever a judge does, the question goes on without it
            logger.warning("a judge gave no result and is passed over: %s", type(e).__name__)
            return None

    def _read(
        self,
        question: str,
        today: date,
        previous: Request | None,
        agreed: Reading | None,
        cancel: CancelToken,
        tries: bool,
    ) -> Reading:
        if agreed is not None:
            return agreed
        reading = self._reader.read(question, today=today, previous=previous, cancel=cancel)
        if self._model is not None:
            reading = within_reach(made_whole(reading, self._model, today), self._model)
        reading = self._insight.drilled(reading, previous)
        if self._picks is None:
            return reading
        return self._picks.clarified(reading, today, previous, tries=tries)

    def _present(
        self,
        reading: Future[Reading],
        heard: Future[float],
        routing: Future[RoutingDecision],
        query: AugmentedQuery,
        cancel: CancelToken,
        today: date,
    ) -> Answer:
        read = reading.result(self._read_seconds)
        weight = heard.result(self._read_seconds)
        _stop_if(cancel, is_chosen(AgentType.DATA_PRESENTER, routing, read, weight))
        answer = self._presenter.present(read, query=query, cancel=cancel, today=today)
        further = getattr(self._reader, "further", None)
        if answer.status not in _FAILED or further is None or read.ask is not None or read.continues:
            return answer
        more: Reading = further(read, query.original, today=today, cancel=cancel)
        if more.ask is None:
            return answer
        again = self._presenter.present(more, query=query, cancel=cancel, today=today)
        return with_privacy(again, more.privacy) if again.status not in _FAILED else answer

    def _explain(
        self,
        reading: Future[Reading],
        heard: Future[float],
        routing: Future[RoutingDecision],
        query: AugmentedQuery,
        cancel: CancelToken,
        today: date,
    ) -> InsightResult | Answer:
        read = reading.result(self._read_seconds)
        weight = heard.result(self._read_seconds)
        _stop_if(cancel, is_chosen(AgentType.INSIGHT_GENERATOR, routing, read, weight))
        return self._insight.explain(read, query=query, cancel=cancel, today=today)


class _Run:
    """Measures the parts of one run, and knows whether options are tried in it."""

    def __init__(self, tries: bool) -> None:
        self.tries = tries
        self._latency: dict[str, float] = {}
        self._lock = threading.Lock()

    def timed(self, name: str, work: Callable[..., T], *args: Any) -> T:
        """Do ``work`` and note how long it took."""
        started = clock.elapsed()
        try:
            return work(*args)
        finally:
            with self._lock:
                self._latency[name] = clock.elapsed() - started

    def so_far(self) -> dict[str, float]:
        """The parts that have ended; a branch that was stopped may still be on its way out."""
        with self._lock:
            return dict(self._latency)


def _told(found: InsightResult | Answer) -> tuple[Answer, Sequence[Statement]]:
    """The answer of the worker that explains, with the sentences that are checked each against its own facts."""
    return (found, ()) if isinstance(found, Answer) else (found.answer, found.statements)


def _stop_if(cancel: CancelToken, chosen: bool) -> None:
    if cancel.cancelled or not chosen:
        raise Cancelled("The other worker answers this question.")
