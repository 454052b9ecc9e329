"""The Insight Generator as a worker: a question of why, how well, how normal or what next, taken to an answer."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from gnomon.agents.insight.topic import Topic, drilled, is_plain, is_unsaid_count, topic_of
from gnomon.agents.presenter import DataPresenter
from gnomon.agents.suggestions import ideas
from gnomon.core import clock
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.errors import NotFound, OutOfScope
from gnomon.core.figures import listed
from gnomon.core.parts import FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import late_pattern
from gnomon.core.query import TimeRange
from gnomon.core.request import Request
from gnomon.planning.augment import AugmentedQuery
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.words import name_words, root
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.planning.trees import request_of
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.values import ValueIndex
from gnomon.tools.contract import CancelToken

if TYPE_CHECKING:
    from gnomon.agents.insight.executor import InsightGeneratorExecutor, InsightResult
    from gnomon.agents.insight.routing import DomainAwareRouter

# Fitting and backtesting models takes longer than retrieving figures.
FITTING_SECONDS = 40.0
DIAGNOSTIC = frozenset({QuestionKind.CAUSE, QuestionKind.ANOMALY, QuestionKind.FORECAST})
_K = QuestionKind
_OWN_WORDS, _KNOWN_WORDS, _SOUNDS = 3.0, 1.5, 2.0
# Beside a clear reading that only counts rows nobody asked for: more than such a reading and the router together say.
READ_FOR_NOTHING = 7.0
# How surely a question that is not read clearly has to sound like one of the domains.
_LIKELY = 0.75
# Who comes first by something that was not understood, or how columns hang together: asked back, not explained.
_ASKED_BACK = frozenset({_K.RANKING, _K.CORRELATION, _K.REGRESSION, _K.DISTRIBUTION})
_CLAIMED = late_pattern(r"\b(?:\w+ed by|driven by|because of|due to|thanks to|down to)\b", re.IGNORECASE)
_JOINED = late_pattern(r"\b(?:and|or|nor|versus|vs)\b|[,/&+]", re.IGNORECASE)
# What a reading asks for that the presenter's own templates tell whole.
_PRESENTED = {_K.FORECAST: "forecast", _K.ANOMALY: "anomaly"}


class InsightWorker:
    """Answers why things moved, how they compare, whether they are normal, where they head and what to do.

    Args:
        presenter: Tells forecasts and what stands out in a series.
        domains: Gives who chooses the domain paths of a question, when the first one is chosen.
        executor: Gives who works along a path, when the first one is taken.
        model: What the tables mean.
        index: The values that they hold.
    """

    def __init__(
        self,
        presenter: DataPresenter,
        domains: Callable[[], DomainAwareRouter],
        executor: Callable[[], InsightGeneratorExecutor],
        model: SemanticModel,
        index: ValueIndex,
    ) -> None:
        self._presenter = presenter
        self._domains = domains
        self._executor = executor
        self._model = model
        self._index = index

    @cached_property
    def router(self) -> DomainAwareRouter:
        """Who chooses the domain paths of a question."""
        return self._domains()

    def heard(self, question: str, reading: Reading, today: date) -> float:
        """How much the words of a question speak for this worker, in log-odds; 0 where it cannot help.

        Beside a clear reading it is how surely the question sounds like one of the domains. Without one it can help
        where every word is one of the data or one by which insights are asked for, and more surely so where the
        words that found no place are those of the very domain that the question sounds like.
        """
        if reading.status is ReadingStatus.AMBIGUOUS:
            return 0.0
        if reading.status is ReadingStatus.CLEAR:
            likely = min(max(self.router.choose(question).probabilities.values()), 1 - 1e-6)
            if likely >= _LIKELY and self._only_counts(question, reading):
                return READ_FOR_NOTHING
            return min(_SOUNDS, max(0.0, math.log(likely / (1 - likely))))
        if any(r.kind in _ASKED_BACK or _two_states(r, question) for r in reading.parts):
            return 0.0
        if _relates(reading):
            return 0.0
        topic = self._topic(question, reading, today)
        if self._claims(question, topic):
            return 0.0
        choice = self.router.choose(question)
        # "Is my return rate normal?" may ask for the range or for the benchmark: both are domains of this worker.
        likely = sum(choice.probabilities[d] for d in choice.domains)
        if topic.unknown or not topic.metrics or likely < _LIKELY:
            return 0.0
        words = [root(w) for m in reading.missing for w in name_words(m) if not is_plain(w)]
        path = self.router.route(question) if words else None
        return _OWN_WORDS if path is not None and all(w in path.words for w in words) else _KNOWN_WORDS

    def _claims(self, question: str, topic: Topic) -> bool:
        """Whether a question names the cause, and asks whether it is one: what it did itself does not tell that."""
        claimed = _CLAIMED.search(question)
        metrics = [self._model.metric(m) for m in topic.metrics[:1]]
        if claimed is None or not metrics or not topic.named:
            return False
        named = {root(w) for w in name_words(metrics[0].label)}
        before, behind = question[: claimed.start()], question[claimed.end() :]
        said = [{root(w) for w in name_words(part)} & named for part in (before, behind)]
        return bool(said[1]) and not said[0]

    def _only_counts(self, question: str, reading: Reading) -> bool:
        """Whether a reading compares how many rows there are of something that the question did not ask to count."""
        compared = all(
            r.kind is _K.COMPARISON or (r.kind is _K.VALUE and r.filters and r.time_range is None)
            for r in reading.parts
        )
        counts = [is_unsaid_count(m, question, self._model) for r in reading.parts for m in r.metrics]
        return compared and bool(counts) and all(counts)

    def drilled(self, reading: Reading, previous: Request | None) -> Reading:
        """The reading of a fragment that goes deeper into the explanation before it."""
        return drilled(reading, previous.parts if previous is not None else None, self._model)

    def explain(
        self, reading: Reading, *, query: AugmentedQuery, cancel: CancelToken | None, today: date
    ) -> InsightResult | Answer:
        """Answer what was read, along the paths that its words belong to."""
        started = clock.elapsed()
        topic = self._topic(query.original, reading, today)
        if topic.unknown or not topic.metrics:
            return self._refused(topic, reading, today)
        if self._claims(query.original, topic):
            label = self._model.metric(topic.metrics[0]).label
            by = next((self._model.dimension(f.field).label for f in topic.filters if not f.having), "group")
            why = f"Whether {label} is a cause cannot be read off its own course: ask for {label} by {by}, or what it goes along with"
            return self._out(topic, why, today)
        choice = self.router.choose(query.original)
        domains = choice.domains
        asked = next((r for r in reading.parts if r.kind in _PRESENTED), None)
        if reading.continues:
            domains = ("performance",)  # a fragment says too little to tell its domain by
        domain = _PRESENTED.get(asked.kind) if asked is not None else domains[0]
        if asked is not None and asked.columns and reading.status is ReadingStatus.CLEAR:
            return self._presenter.present(reading, query=query, cancel=cancel, today=today)
        if domain == "forecast" and asked is None and _is_past(topic, reading, today):
            return self._presenter.present(reading, query=query, cancel=cancel, today=today)
        if domain == "forecast" or (domain == "anomaly" and asked is not None and topic.named):
            return self._shown(topic, reading, query, domain, cancel, today)
        if topic.kind is _K.CAUSE and "performance" not in domains:
            domains = ("performance", *domains)
        path = self.router.registry.get_path(domains)
        try:
            result = self._executor().execute(topic, path, cancel=cancel)
        except OutOfScope as e:
            return self._out(topic, e.message, today)
        from gnomon.agents.insight.findings import NOTE, Statement, prose_of

        notes = tuple(Statement(NOTE, note, names=(note,)) for note in topic.notes)
        told = {"timings": {"explain": clock.elapsed() - started}}
        if notes:  # how the question was taken is told with every answer
            told |= {"prose": prose_of((*result.statements, *notes))}
        answer = result.answer.model_copy(update=told)
        return replace(result, answer=answer, statements=(*result.statements, *notes))

    def _topic(self, question: str, reading: Reading, today: date) -> Topic:
        return topic_of(question, reading, self._model, self._index, self.router.registry, today)

    def _shown(
        self,
        topic: Topic,
        reading: Reading,
        query: AugmentedQuery,
        domain: str,
        cancel: CancelToken | None,
        today: date,
    ) -> Answer:
        """A forecast, or what stands out in a series: the presenter plans, runs and tells these."""
        kind = _K.FORECAST if domain == "forecast" else _K.ANOMALY
        known = next((r for r in reading.parts if r.kind is kind and r.metrics), None)
        request, notes = known or topic.parts(kind), reading.notes
        if kind is _K.FORECAST and known is None and request.time_range is not None:
            ahead = _ahead(request.time_range, today)
            notes = (
                notes if ahead == request.time_range else ()
            )  # they tell of the time as it was taken before
            request = request.model_copy(update={"time_range": ahead})
        asked = Reading(
            status=ReadingStatus.CLEAR,
            requests=(request_of(request, self._model),),
            notes=notes,
            privacy=reading.privacy,
        )
        answer = self._presenter.present(
            asked, query=query, cancel=cancel, today=today, budget_seconds=FITTING_SECONDS
        )
        told = bool(answer.facts) or answer.status is AnswerStatus.OUT_OF_SCOPE
        return answer if told else self._out(topic, answer.prose.partition("\n\n")[0], today)

    def _refused(self, topic: Topic, reading: Reading, today: date) -> Answer:
        """What the question asks for is not in the data."""
        said = listed([f"“{w}”" for w in topic.unknown], "or")
        why = (
            f"There is no {said} in this data, so it cannot be explained"
            if said
            else reading.message or "Nothing that this data measures could be explained here"
        )
        return self._out(topic, why, today)

    def _out(self, topic: Topic, why: str, today: date) -> Answer:
        return Answer(
            status=AnswerStatus.OUT_OF_SCOPE,
            prose=why if why.endswith((".", "?", "!")) else f"{why}.",
            request=self._request(topic),
            suggestions=ideas(topic.question, self._model, today, insight=True),
        )

    def _request(self, topic: Topic) -> Request | None:
        try:
            return request_of(topic.parts(_K.CAUSE), self._model) if topic.metrics else None
        except NotFound:
            return None


def _relates(reading: Reading) -> bool:
    """Whether words without a place ask what two columns have to do with each other, which is not told along time."""
    said = [x for m in reading.missing if (x := operators().get(tuple(m.lower().split()))) is not None]
    return any(x.payload is _K.CORRELATION or x.op in (Op.SIGNIFICANT, Op.TEST) for x in said)


def _two_states(request: Parts, question: str) -> bool:
    """Whether a request holds for either of two states that the question does not list beside each other.

    “How many of the withdrawn lots will be sold?” is about one becoming the other, which is not what was read.
    """
    either = any(f.operator is FilterOperator.IN and len(f.values) > 1 for f in request.filters)
    return either and _JOINED.search(question) is None


def _is_past(topic: Topic, reading: Reading, today: date) -> bool:
    """Whether a question that is read without doubt names days that are over: nothing of that is to be forecast."""
    days = topic.time_range
    return reading.status is ReadingStatus.CLEAR and topic.named and days is not None and days.end <= today


def _ahead(days: TimeRange, today: date) -> TimeRange:
    """The next time of the year like the one named: what is expected in December is expected in the next one."""
    start, end = days.start, days.end
    while end <= today and days.days < 360:
        start, end = _year_on(start), _year_on(end)
    return days.model_copy(update={"start": start, "end": end})


def _year_on(day: date) -> date:
    leap = (day.month, day.day) == (2, 29)
    return date(day.year + 1, 2, 28) if leap else day.replace(year=day.year + 1)
