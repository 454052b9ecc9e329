"""The model reader: the grammar first, a language model for what it leaves open, the grammar's checks last."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import date

from gnomon.core.errors import Cancelled, GnomonError
from gnomon.core.request import Request
from gnomon.llm import ModelClient, load_prompt
from gnomon.planning.model_reader.names import Catalogue, name_like
from gnomon.planning.model_reader.output import SaidReading
from gnomon.planning.model_reader.task import ReadingTask
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic import SemanticModel
from gnomon.semantic.values import ValueIndex
from gnomon.tools.contract import CancelToken

logger = logging.getLogger("gnomon.model")


class ModelReader:
    """Reads what the grammar reads clearly without a model, and asks one about the rest.

    The model chooses among the names of the data and repeats words of the question; values, numbers and times
    are read here. Its reading counts only as far as it accounts for the words, and any failure of it leaves the
    grammar's reading in place. A question that the grammar finds ambiguous is for the asker to settle.

    Args:
        client: The language model.
        model: What the tables mean.
        index: The values that they hold.
        grammar: Reads first, and checks last.
        trusted: Whether a name of the data may stand in a prompt.
        in_domain: Whether a question is about data at all; one that binds to nothing and is not is not sent.
    """

    def __init__(
        self,
        client: ModelClient,
        model: SemanticModel,
        index: ValueIndex,
        grammar: GrammarReader,
        *,
        trusted: Callable[[str], bool] = name_like,
        in_domain: Callable[[str], bool] | None = None,
    ) -> None:
        self._client = client
        self._in_domain = in_domain
        self._grammar = grammar
        self._catalogue = Catalogue(model, client.privacy, index, trusted)

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
    ) -> Reading:
        """The reading of ``question``.

        Args:
            question: In English.
            today: What relative times refer to.
            previous: The request before it in the conversation.
            cancel: Stops the call of the model.

        Raises:
            Cancelled: Somebody asked to stop.
        """
        plain = self._grammar.read(question, today=today, previous=previous)
        if plain.status in (ReadingStatus.CLEAR, ReadingStatus.AMBIGUOUS):
            return plain
        nothing = plain.status is ReadingStatus.NOT_ABOUT_DATA
        if nothing and self._in_domain is not None and not self._in_domain(question):
            return plain
        task = ReadingTask(self._grammar, self._catalogue, self._client.privacy, question, today, previous)
        try:
            found = task.reading(self._asked(task, cancel))
        except Cancelled:
            raise
        except GnomonError as e:
            logger.warning("the grammar's reading stands, without the language model: %s", e.message)
            found = None
        chosen = found if found is not None and _better(found, plain) else plain
        return chosen.model_copy(update={"privacy": self._client.privacy.value})

    def _asked(self, task: ReadingTask, cancel: CancelToken | None) -> SaidReading:
        call = self._client.start(load_prompt("read_question"), task.prompt(), task.output, task.check)
        if cancel is None:
            return call.result()
        with cancel.interrupting(call.cancel):
            return call.result()


def _better(found: Reading, plain: Reading) -> bool:
    """Whether the model's reading says more than the grammar's."""
    if found.status in (ReadingStatus.CLEAR, ReadingStatus.AMBIGUOUS):
        return True
    if plain.status is ReadingStatus.NOT_ABOUT_DATA:
        return found.status is ReadingStatus.PARTIAL
    return found.status is ReadingStatus.PARTIAL and found.explained > plain.explained
