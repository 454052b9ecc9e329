"""The model reader: the local reader first, a language model for what it leaves open, checked by the same names."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from datetime import date

from gnomon.core.errors import Cancelled, GnomonError
from gnomon.core.parts import Parts, QuestionKind
from gnomon.core.request import Request
from gnomon.llm import ModelClient, Purpose, load_prompt
from gnomon.llm.budget import Budget
from gnomon.planning.check import left_out
from gnomon.planning.model_reader.card import Card, name_like
from gnomon.planning.model_reader.select import Objections
from gnomon.planning.model_reader.task import TRIES, Answerable, QueryTask, SaidQuery
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reader.items import candidate_items
from gnomon.planning.reader.reader import MAX_WORDS
from gnomon.planning.reader.words import split_words
from gnomon.planning.reading import Reading, ReadingStatus, Reads
from gnomon.planning.trees import request_of
from gnomon.semantic import SemanticModel
from gnomon.semantic.values import ValueIndex
from gnomon.tools.contract import CancelToken

logger = logging.getLogger("gnomon.model")
# What no query answers.
_EXPLAINED = frozenset(
    {
        QuestionKind.CAUSE,
        QuestionKind.ANOMALY,
        QuestionKind.FORECAST,
        QuestionKind.REGRESSION,
        QuestionKind.PROFILE,
    }
)


class ModelReader:
    """Reads what the local reader reads clearly without a model, and asks one for a query about the rest.

    The query is parsed into the algebra and never run as text; what it names has to be listed, declared, in the question
    or in the local index of values. Any failure of the model leaves the local reading in place.

    Args:
        client: The language model.
        model: What the tables mean.
        index: The values that they hold.
        grammar: Reads first, and reads what the model restates.
        columns: The columns of each table with their types.
        trusted: Whether a name of the data may stand in a prompt.
        untold: Whether cells under a header tell of persons; they are never shown.
        in_domain: Whether a question is about data at all; one that binds to nothing and is not is not sent.
        on_use: Called each time before the model is asked about a question.
        earned: Whether what the model asks for is believed by itself.
    """

    def __init__(
        self,
        client: ModelClient,
        model: SemanticModel,
        index: ValueIndex,
        grammar: GrammarReader,
        columns: Mapping[str, Mapping[str, str]],
        *,
        trusted: Callable[[str], bool] = name_like,
        untold: Callable[[str, Sequence[str]], bool] = lambda header, cells: False,
        in_domain: Callable[[str], bool] | None = None,
        on_use: Callable[[], object] = lambda: None,
        earned: Callable[[], bool] = lambda: False,
    ) -> None:
        self._client = client
        self._earned = earned
        self._in_domain = in_domain
        self._on_use = on_use
        self._grammar = grammar
        self._card = Card(model, columns, client.privacy, index, trusted, untold)

    @property
    def budget_seconds(self) -> float:
        """How long the model may take for a reading."""
        return self._client.timeout

    def read(
        self,
        question: str,
        *,
        today: date,
        previous: Request | None = None,
        cancel: CancelToken | None = None,
        local: Reads | None = None,
    ) -> Reading:
        """The reading of ``question``.

        Args:
            question: In English.
            today: What relative times refer to.
            previous: The request before it in the conversation.
            cancel: Stops the call of the model.
            local: Reads what the model restates; the grammar by default.

        Raises:
            Cancelled: Somebody asked to stop.
        """
        plain = self._grammar.read(question, today=today, previous=previous)
        if plain.continues or (plain.status is ReadingStatus.CLEAR and not _is_unsure(plain)):
            return plain
        nothing = plain.status is ReadingStatus.NOT_ABOUT_DATA
        if nothing and self._in_domain is not None and not self._in_domain(question):
            return plain
        return self.further(plain, question, today=today, previous=previous, cancel=cancel, local=local)

    def further(
        self,
        plain: Reading,
        question: str,
        *,
        today: date,
        previous: Request | None = None,
        cancel: CancelToken | None = None,
        local: Reads | None = None,
    ) -> Reading:
        """What the model makes of a question that the local reading leaves open, or that cannot be computed as it was read.

        Raises:
            Cancelled: Somebody asked to stop.
        """
        self._on_use()
        task = QueryTask(self._grammar, self._card, question, today, _shown_before(previous))
        try:
            found = task.taken(self._asked(task, Purpose("a query for a question"), cancel=cancel))
        except Cancelled:
            raise
        except (GnomonError, Objections) as e:
            logger.warning("the local reading stands, without the language model: %s", e)
            return self._told(plain)
        return self._told(self._chosen(plain, found, today, local or self._grammar))

    def taught(self, grammar: GrammarReader) -> ModelReader:
        """The same model beside a local reader that knows other words."""
        made = copy(self)
        made._grammar = grammar
        made._card = self._card.of(grammar.model)
        return made

    def query(self, question: str, *, today: date, budget: Budget | None = None) -> Answerable:
        """What the model alone makes of a question whose answer is known.

        Args:
            question: In English.
            today: What relative times refer to.
            budget: What it may use; one of its own by default.

        Raises:
            GnomonError: The model gave no usable output.
            Objections: Its query names what is not there.
        """
        task = QueryTask(self._grammar, self._card, question, today)
        return task.taken(
            self._asked(task, Purpose("measuring how far the model is believed"), budget=budget)
        )

    def prompt(self, question: str, *, today: date) -> str:
        """What the model would be sent about a question, beside its instructions."""
        return QueryTask(self._grammar, self._card, question, today).prompt()

    def _told(self, reading: Reading) -> Reading:
        return reading.model_copy(update={"privacy": self._client.privacy.value})

    def _chosen(self, plain: Reading, found: Answerable, today: date, local: Reads) -> Reading:
        """The query, with what the local reader makes of the restated question beside it as a second opinion."""
        clear = plain.status is ReadingStatus.CLEAR
        if found.study is not None:
            return plain if clear else self._studied(plain, found, found.study, today, local)
        if found.selected is None:
            if not found.missing or clear:
                return plain
            lost = ", ".join(f"“{w}”" for w in found.missing)
            said = plain.message or f"The data does not tell {lost}."
            return plain.model_copy(update={"missing": found.missing, "message": said})
        said = found.restated.strip()
        again = plain if clear else self._again(said, local, today) if said else None
        clearly = again is not None and again.status is ReadingStatus.CLEAR
        notes = [*_left_aside(found), *found.taken]
        if found.missing:
            notes.append(f"Not in the data, and left aside: {', '.join(found.missing)}.")
        return Reading(
            status=ReadingStatus.CLEAR,
            requests=again.requests if again is not None and clearly else (),
            second=again if clearly else None,
            ask=found.selected.ask,
            unsure=again is not None and again is not plain and bool(again.notes),
            restated=found.restated,
            missing=found.missing,
            local=plain,
            notes=tuple(notes),
            explained=1.0 if not found.missing else 0.5,
        )

    def _again(self, said: str, local: Reads, today: date) -> Reading | None:
        """The local reading of a restated question, where it bears every value, number, day and no of it."""
        again = local.read(said, today=today)
        asks = [again.ask] if again.ask is not None else [r.ask for r in again.requests]
        if again.status is not ReadingStatus.CLEAR or not asks:
            return again
        items = candidate_items(
            said, split_words(said)[:MAX_WORDS], self._grammar.vocabulary, self._grammar.index, today
        )
        return None if left_out(items, asks) else again

    def _studied(self, plain: Reading, found: Answerable, study: Parts, today: date, local: Reads) -> Reading:
        """A study, where the local reader takes the restated question for the same one, or the model has earned it.

        Otherwise the restated question is offered: a study that nobody asked for answers another question.
        """
        said = found.restated.strip()
        again = local.read(said, today=today) if said else None
        known = again is not None and again.status is ReadingStatus.CLEAR
        agreed = again is not None and known and _is_same_study(again.parts, study)
        if found.missing or not (agreed or self._earned()):
            if not known or found.missing:
                return plain
            return plain.model_copy(
                update={"status": ReadingStatus.AMBIGUOUS, "options": (said,), "requests": ()}
            )
        taken = again.requests if again is not None and agreed else (request_of(study, self._grammar.model),)
        return Reading(
            status=ReadingStatus.CLEAR,
            requests=taken,
            restated=said,
            local=plain,
            notes=tuple([f"Taken as “{said.rstrip('.')}”."] * agreed + _left_aside(found)),
        )

    def _asked(
        self,
        task: QueryTask,
        purpose: Purpose,
        *,
        budget: Budget | None = None,
        cancel: CancelToken | None = None,
    ) -> SaidQuery:
        call = self._client.start(
            load_prompt("read_question"),
            task.prompt(),
            SaidQuery,
            task.check,
            purpose=purpose,
            budget=budget,
            tries=TRIES,
        )
        if cancel is None:
            return call.result()
        with cancel.interrupting(call.cancel):
            return call.result()


def _is_unsure(clear: Reading) -> bool:
    """Whether a clear reading took words otherwise than they stand, so that a second opinion is worth its time."""
    return bool(clear.notes) and not any(r.kind in _EXPLAINED for r in clear.parts)


def _left_aside(found: Answerable) -> list[str]:
    return [f"Left aside: {', '.join(found.ignored)}."] if found.ignored else []


def _is_same_study(read: Sequence[Parts], study: Parts) -> bool:
    """Whether the local reader finds the same study of the same figure, over the same rows and days."""

    def told(request: Parts) -> tuple[object, ...]:
        days = request.time_range
        conditions = {(f.field, f.operator, frozenset(f.values)) for f in request.filters}
        return request.kind, request.metrics[:1], conditions, days and (days.start, days.end)

    return len(read) == 1 and told(read[0]) == told(study)


def _shown_before(previous: Request | None) -> str:
    """What was asked before, by its names alone."""
    if previous is None:
        return ""
    before = previous.parts
    by = f" by {', '.join(before.dimensions)}" if before.dimensions else ""
    return f"{before.kind} of {', '.join(before.metrics) or 'rows'}{by}"
