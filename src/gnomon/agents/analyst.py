"""The analyst: open tables that answer questions, one at a time or in a conversation."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.agents.conversation import Conversation
from gnomon.agents.manager import Manager
from gnomon.agents.offers import as_agreed, offer_in_words, offered
from gnomon.agents.outcome import Outcome, respond
from gnomon.agents.refusals import failed
from gnomon.agents.set_aside import empty_tables, no_rows, with_notes, without_rows
from gnomon.core import clock
from gnomon.core.answer import Answer, AnswerStatus, Option
from gnomon.core.errors import InvalidInput
from gnomon.core.query import AgentType, SystemResponse, UserQuery
from gnomon.core.request import Request
from gnomon.core.visible import in_unicode
from gnomon.data import Dataset
from gnomon.language.time_grammar import describe_period
from gnomon.planning.reading import Reading
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.values import ValueIndex

if TYPE_CHECKING:
    from gnomon.agents.auto_insight import Insights
    from gnomon.tools import CancelToken

logger = logging.getLogger("gnomon.analyst")

LONG_AGO = timedelta(days=45)
MAX_QUESTION = 2_000
MAX_SESSIONS = 1_000


@dataclass
class Analyst:
    """Answers questions about open tables.

    Args:
        dataset: The tables.
        model: What they mean.
        index: The values they hold.
        manager: Takes questions to answers.
        on_close: What else to let go of at the end.
        allow_personal: Personal columns that policy lets be told of.
        meaning_file: Where what is picked is remembered; nowhere where there is none.
    """

    dataset: Dataset
    model: SemanticModel
    index: ValueIndex
    manager: Manager
    on_close: Callable[[], None] = field(default=lambda: None, repr=False)
    allow_personal: frozenset[str] = frozenset()
    meaning_file: Path | None = None
    _talks: dict[str, Conversation] = field(default_factory=dict[str, Conversation], init=False, repr=False)

    def ask(self, question: str, *, today: date | None = None) -> Answer:
        """The answer to ``question``.

        Args:
            question: In words, in English.
            today: What "last month" and the like refer to: the clock's day, or the data's last day where the
                data ended long ago.

        Raises:
            InvalidInput: The question is empty or far too long.
        """
        return self.process(question, today=today).answer

    def pick(self, option: Option, *, today: date | None = None) -> Answer:
        """The answer to a question as it was meant; what its word means is remembered, so that it is asked once."""
        self.learn(option)
        return self.process(option.question, today=today, agreed=as_agreed(option)).answer

    def learn(self, option: Option) -> None:
        """Remember what a word means that an option was picked for, in the YAML of the semantic model and from now on."""
        from gnomon.planning.reader import GrammarReader
        from gnomon.semantic.yaml_io import ROWS_OF, teach, with_correction

        known = {m.name for m in self.model.metrics} | {d.name for d in self.model.dimensions}
        known |= {f"{ROWS_OF}{t.name}" for t in self.model.tables}
        if not option.word or option.name not in known:
            return
        self.model = with_correction(self.model, option.word, option.name)
        grammar, reader = GrammarReader(self.model, self.index), self.manager.reader
        taught = getattr(reader, "taught", None)  # what else reads stays beside the words that were learnt
        self.manager.learn(taught(grammar) if taught is not None else grammar, grammar, self.model)
        if self.meaning_file is not None:
            try:
                teach(self.meaning_file, option.word, option.name)
            except OSError as e:  # it is known until the tables are closed, and the answer is not at fault
                logger.warning("what %r means cannot be kept: %s", option.word, type(e).__name__)

    def why(self, question: str, *, today: date | None = None) -> Answer:
        """The explanation that ``question`` asks for: what happened, why, what was ruled out, what to do next.

        Args:
            question: In words, such as "Why did sales drop last week?" or "What should I do about returns?".
            today: As for :meth:`ask`.

        Raises:
            InvalidInput: The question is empty or far too long.
        """
        return self.process(question, today=today, worker=AgentType.INSIGHT_GENERATOR).answer

    def process(
        self,
        question: str,
        *,
        today: date | None = None,
        previous: Request | None = None,
        agreed: Reading | None = None,
        worker: AgentType | None = None,
        tries: bool = True,
    ) -> Outcome:
        """The answer with everything that was decided on the way; ``worker`` is who answers, where that is chosen.

        Without ``tries`` what is asked back does not depend on what its options come to, and no refusal tells one person
        from four.
        """
        text = in_unicode(question).strip()
        if not text:
            raise InvalidInput(
                "The question is empty.", suggestions=["Ask for example: what was the total by month?"]
            )
        if len(text) > MAX_QUESTION:
            raise InvalidInput(f"The question has {len(text):,} characters; {MAX_QUESTION:,} are the most.")
        if len(self.dataset) and len(self._empty) == len(self.dataset):
            return Outcome(no_rows(self._empty))
        day, note = self._today(today)
        outcome = self.manager.process(
            text, today=day, previous=previous, agreed=agreed, worker=worker, tries=tries
        )
        relative = outcome.augmented is not None and outcome.augmented.relative
        if note and relative and outcome.answer.facts:
            prose = f"{outcome.answer.prose}\n\n{note}"
            outcome.answer = outcome.answer.model_copy(update={"prose": prose})
        answer = without_rows(outcome.answer, self.dataset, self._empty)
        outcome.answer = with_notes(answer, self.dataset, text)
        told = outcome.answer.options or outcome.answer.status is not AnswerStatus.OUT_OF_SCOPE
        offer = offered(outcome.reading) if not told else None
        if offer is not None and outcome.reading is not None:
            said = offer_in_words(offer, outcome.reading.missing, self.model)
            prose = f"{outcome.answer.prose}\n\n{said}".strip()
            outcome.answer = outcome.answer.model_copy(update={"prose": prose})
        return outcome

    def process_query(self, query: UserQuery) -> SystemResponse:
        """The answer in the published envelope, whatever happens.

        Relative times refer to the query's own time where it states one; queries that state a session lean on those
        of the same session before them.
        """
        today = query.timestamp.date() if "timestamp" in query.model_fields_set else None
        stated = "session_id" in query.model_fields_set
        talk = self._talk(query.session_id) if stated else self.conversation()
        try:
            return respond(talk.process(query.text, today=today))
        except InvalidInput as e:
            return respond(Outcome(failed(e), error=e.code))

    def _talk(self, session_id: str) -> Conversation:
        """The conversation of a session; those that were silent longest are forgotten."""
        talk = self._talks.pop(session_id, None) or self.conversation()
        self._talks[session_id] = talk
        while len(self._talks) > MAX_SESSIONS:
            del self._talks[next(iter(self._talks))]
        return talk

    def insights(
        self, goal: str | None = None, top: int = 10, *, cancel: CancelToken | None = None
    ) -> Insights:
        """What is surprising, significant and useful in the tables, the most telling first.

        Args:
            goal: What it is for, in words; it steers the order and never adds a finding.
            top: How many insights at most.
            cancel: Asks the search to stop.

        Raises:
            InvalidInput: The goal is far too long, or ``top`` out of range.
            Cancelled: Somebody asked to stop.
        """
        from gnomon.agents.auto_insight import tell_insights

        return tell_insights(
            self.dataset,
            self.model,
            goal=goal and in_unicode(goal),
            top=top,
            allow_personal=self.allow_personal,
            cancel=cancel,
        )

    def conversation(self) -> Conversation:
        """A conversation in which fragments continue the question before."""
        return Conversation(self)

    @cached_property
    def _empty(self) -> frozenset[str]:
        return empty_tables(self.dataset)

    @property
    def last_day(self) -> date | None:
        """The last day that the main time columns of the tables cover."""
        main = {t.time_dimension for t in self.model.tables if t.time_dimension}
        days = [
            d.coverage[1] for d in self.model.dimensions
            if d.name in main and d.type is DimensionType.TIME and d.coverage
        ]  # fmt: skip
        return max(days) if days else None

    def day(self, given: date | None = None) -> date:
        """The day that "last month" and the like refer to, where ``given`` names none."""
        return self._today(given)[0]

    def _today(self, given: date | None) -> tuple[date, str]:
        if given is not None:
            return given, ""
        now, last = clock.today(), self.last_day
        if last is not None and now - last > LONG_AGO:
            from gnomon.core.query import TimeRange

            shown = describe_period(TimeRange(start=last, end=last))
            return last, f"The data ends on {shown}, so that day is taken as today."
        return now, ""

    def close(self) -> None:
        """Let go of the tables and of what runs."""
        self.on_close()
        self.dataset.close()

    def __enter__(self) -> Analyst:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
