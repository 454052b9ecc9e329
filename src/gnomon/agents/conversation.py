"""A conversation: questions that may lean on the one before, on what it singled out, or on what was asked back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Protocol

from gnomon.agents.offers import accepts, as_agreed, choices, chosen, offered
from gnomon.agents.outcome import Outcome
from gnomon.core.answer import Answer, AnswerStatus, Option
from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import late_pattern, regex
from gnomon.core.query import AgentType, TimeRange
from gnomon.core.request import Request
from gnomon.language.calendar import OF_GRAIN
from gnomon.planning.reader.moves import moved
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.planning.trees import request_of
from gnomon.semantic import SemanticModel

_K = QuestionKind
_ITS = late_pattern(
    r"\b(its|it|their|that one|this one|he|she|his|her|him|of (?:them|those|these))\b", re.IGNORECASE
)
_OF_THEM = regex(r"\bof (?:them|those|these)\b", re.IGNORECASE)
_BOTH = late_pattern(
    r"\W*(?:and |for )?(?:both(?: of them)?(?: together)?|(?:the two |taken )?together|combined)\W*",
    re.IGNORECASE,
)


class Answering(Protocol):
    """Who answers: an analyst."""

    model: SemanticModel

    def process(
        self,
        question: str,
        *,
        today: date | None = None,
        previous: Request | None = None,
        agreed: Reading | None = None,
    ) -> Outcome:
        """The answer with everything that was decided on the way."""
        ...


class Conversation:
    """Questions that may lean on the one before.

    Args:
        analyst: Who answers.

    Attributes:
        picked: What was picked by the last question, if it was a choice of the answer before.
    """

    def __init__(self, analyst: Answering) -> None:
        self._analyst = analyst
        self._previous: Request | None = None
        self._before: Request | None = None
        self._focus: Mapping[str, Any] | None = None
        self._ranked: Request | None = None
        self._offer: tuple[str, Reading] | None = None
        self._choices: tuple[tuple[str, ...], ...] = ()
        self._ways: dict[str, Reading] = {}
        self._asked = ""
        self._options: tuple[Option, ...] = ()
        self.picked: Option | None = None

    def ask(self, question: str, *, today: date | None = None, agreed: Reading | None = None) -> Answer:
        """The answer to ``question``, read in the light of the one before, or as was ``agreed`` with the asker."""
        return self.process(question, today=today, agreed=agreed).answer

    def pick(self, option: Option, *, today: date | None = None) -> Answer:
        """The answer to a question as it was meant; what its word means is remembered where the one who answers can."""
        self._learn(option)
        agreed = as_agreed(option)
        agreed = agreed.model_copy(update={"continues": True}) if agreed is not None else None
        answer = self.ask(option.question, today=today, agreed=agreed)
        self.picked = option
        return answer

    def process(self, question: str, *, today: date | None = None, agreed: Reading | None = None) -> Outcome:
        """The same, with everything that was decided on the way."""
        self.picked = None
        if agreed is not None:
            pass
        elif self._offer is not None and accepts(question):
            question, agreed = self._offer
        elif (meant := self._chosen(question)) is not None:
            self.picked = next((o for o in self._options if o.question == meant), None)
            self._learn(self.picked)
            way = self._ways.get(meant)
            question = self._asked if way is not None else meant
            agreed = way.model_copy(update={"continues": True}) if way is not None else None
        elif _BOTH.fullmatch(question) and (joint := self._together(question)) is not None:
            agreed = joint
        previous = self._meant(question)
        outcome = self._analyst.process(question, today=today, previous=previous, agreed=agreed)
        self._remember(question, outcome)
        return outcome

    def _together(self, question: str) -> Reading | None:
        """The last two questions as one, where they are."""
        if self._before is None or self._previous is None:
            return None
        joined = _joined(question, self._before.parts, self._previous.parts)
        if joined is None:
            return None
        requests = (request_of(joined, self._analyst.model),)
        return Reading(status=ReadingStatus.CLEAR, requests=requests, continues=True)

    def _chosen(self, reply: str) -> str | None:
        """What a reply picks: of all that is offered, or of what the first word in doubt may mean."""
        return next((c for offer in self._choices if (c := chosen(reply, offer)) is not None), None)

    def _learn(self, option: Option | None) -> None:
        """Remember what was picked, where the one who answers can."""
        learn = getattr(self._analyst, "learn", None)
        if option is not None and learn is not None:
            learn(option)

    def _meant(self, question: str) -> Request | None:
        """The request that a question leans on, if it leans on one."""
        previous = self._previous
        if previous is None:
            return None
        several = self._focus is not None and self._focus["kind"] is _K.BREAKDOWN
        said = _OF_THEM if several else _ITS
        model = self._analyst.model
        rearranged = moved(question, previous.parts, model) is not None  # "all of them"
        if self._focus is not None and said.search(question) and not rearranged:
            focus = previous.parts.model_copy(update=dict(self._focus))
            return request_of(focus, model)  # "what was its revenue": of the one on top
        return self._ranked if self._is_of_ranking(question, previous) else previous

    def _is_of_ranking(self, question: str, previous: Request) -> bool:
        """“who leads?”, “how much is it?”, “and who is second?”: of the ranking, not of the figure told in between."""
        if self._ranked is None:
            return False
        ranked, told, model = self._ranked.parts, previous.parts, self._analyst.model
        if ranked.metrics != told.metrics or told.dimensions:
            return False
        return moved(question, told, model) is None and moved(question, ranked, model) is not None

    def _remember(self, question: str, outcome: Outcome) -> None:
        reading, answer = outcome.reading, outcome.answer
        told = answer.options or answer.status is not AnswerStatus.OUT_OF_SCOPE
        offer = offered(reading) if not told else None
        self._offer = (question, offer) if offer is not None else None
        self._options = answer.options
        asked = choices(question, reading) if not answer.facts else ()
        back = reading if reading is not None and not answer.facts else None
        self._choices = (tuple(o.question for o in answer.options), asked)
        self._ways = dict(zip(back.options, back.ways, strict=False)) if back is not None else {}
        self._ways |= {o.question: way for o in answer.options if (way := as_agreed(o)) is not None}
        self._asked = question
        explained = answer.request if outcome.agent is AgentType.INSIGHT_GENERATOR else None
        told = explained or (reading.requests[-1] if reading is not None and reading.requests else None)
        if told is not None and answer.facts:
            self._before, self._previous = self._previous, told
            self._focus = _singled_out(told.parts, answer)
            if told.parts.kind is _K.RANKING:
                self._ranked = told


def _joined(question: str, before: Parts, previous: Parts) -> Parts | None:
    """“Mia?”, “and Omar?”, “both together”: the last two questions as one, where one condition tells them apart."""
    if previous.dimensions or previous.grain is not None:
        return None
    alike = {"question": question, "filters": (), "confidence": 1.0}
    if before.model_copy(update=alike) != previous.model_copy(update=alike):
        return None
    apart = [f for f in previous.filters if f not in before.filters]
    held = [f for f in before.filters if f not in previous.filters]
    if len(apart) != 1 or len(held) != 1 or apart[0].field != held[0].field or apart[0].having:
        return None
    if {apart[0].operator, held[0].operator} != {FilterOperator.EQUALS}:
        return None
    values = (*held[0].values, *apart[0].values)
    both = apart[0].model_copy(update={"operator": FilterOperator.IN, "values": values})
    filters = tuple(both if f is apart[0] else f for f in previous.filters)
    return previous.model_copy(update={"question": question, "filters": filters})


def _singled_out(request: Parts, answer: Answer) -> dict[str, Any] | None:
    """What a ranking named, as a scope: the one thing or the one period at the end, or the few that were shown."""
    rows = list(answer.tables[0].rows) if answer.tables else []
    first = request.kind is _K.RANKING or (request.kind is _K.SHARE and request.limit is not None)
    if not first or not rows or len(request.dimensions) + (request.grain is not None) != 1:
        return None
    if len(rows) > 1:
        few = request.limit is not None and bool(request.dimensions)
        shown = tuple(row[0] for row in rows)
        return {**_narrowed(request, FilterOperator.IN, shown), "kind": _K.BREAKDOWN} if few else None
    alone = {"kind": _K.VALUE, "dimensions": (), "grain": None}
    if request.grain is None:
        return {**_narrowed(request, FilterOperator.EQUALS, (rows[0][0],)), **alone}
    start, unit = rows[0][0], OF_GRAIN.get(request.grain)
    start = start.date() if isinstance(start, datetime) else start
    if unit is None or not isinstance(start, date) or request.recurring is not None:
        return None
    period = TimeRange(start=start, end=unit.last_day(start), granularity=request.grain)
    return {**alone, "limit": None, "time_range": period, "place": None}


def _narrowed(request: Parts, operator: FilterOperator, values: tuple[Any, ...]) -> dict[str, Any]:
    named = Filter(field=request.dimensions[0], operator=operator, values=values)
    others = tuple(f for f in request.filters if f.field != named.field or f.having)
    return {"limit": None, "place": None, "filters": (*others, named)}
