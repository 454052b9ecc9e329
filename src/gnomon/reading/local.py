"""Reads questions without a language model: the grammar of figures, and trees for what asks for rows themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from gnomon.core.patterns import regex
from gnomon.core.request import Request
from gnomon.language.time_dates import no_such_day
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.reading.check import Objection, is_plain, tells_time
from gnomon.reading.phrases import is_amount
from gnomon.reading.reader import Covered, TreeReader
from gnomon.tools.contract import CancelToken

if TYPE_CHECKING:
    from gnomon.planning.model_reader import ModelReader

_ASKED_BESIDE = regex(r",?\s+and\s+(who|whom|whose|where|when)\b.+$", re.IGNORECASE | re.DOTALL)
_UNREAD = {ReadingStatus.PARTIAL, ReadingStatus.NOT_ABOUT_DATA}


class LocalReader:
    """Both readers as one.

    A question that asks for columns of rows is read as a tree, unless the grammar tells all of them. What else a tree
    covers is taken where the grammar makes nothing of the question.

    Args:
        grammar: Reads questions about figures.
        trees: Makes what reads trees, once a question may need it.
        model: Reads what neither does, where a language model is configured.
        tells_rows: Whether whoever asks may be told rows; trees are read for nobody else.
    """

    def __init__(
        self,
        grammar: GrammarReader,
        trees: Callable[[GrammarReader], TreeReader],
        model: ModelReader | None = None,
        *,
        tells_rows: bool = True,
    ) -> None:
        self.grammar = grammar
        self._made = trees
        self._model = model
        self._tells_rows = tells_rows
        self.further = self._further if model is not None else None

    @cached_property
    def _trees(self) -> TreeReader:
        return self._made(self.grammar)

    def read(
        self,
        question: str,
        *,
        today: date,
        previous: Request | None = None,
        cancel: CancelToken | None = None,
    ) -> Reading:
        """The reading of ``question``; see :meth:`GrammarReader.read`."""
        plain = self.grammar.read(question, today=today, previous=previous, cancel=cancel)
        day = no_such_day(question) if plain.status is not ReadingStatus.CLEAR else None
        if day is not None:
            return Reading(
                status=ReadingStatus.PARTIAL,
                message=f"There is no {day} in the calendar.",
                explained=0.5,
            )
        read = plain
        if not plain.continues and _is_open(plain):
            read = self._weighed(question, plain, today)
        elif not plain.continues and plain.status is ReadingStatus.CLEAR:
            read = self._held(question, plain, today)
        if read.own or self._model is None:
            return self._spoken(read, question, today)
        if read is not plain:
            return self._further(read, question, today=today, previous=previous, cancel=cancel)
        found = self._model.read(
            question, today=today, previous=previous, cancel=cancel, local=self._without_model
        )
        return self._spoken(found, question, today)

    def _spoken(self, read: Reading, question: str, today: date) -> Reading:
        """A clear reading each of whose nodes knows the words that it was read from."""
        if read.status is not ReadingStatus.CLEAR:
            return read
        spoken = self._trees.spoken(question, today)
        asks = {"requests": tuple(r.asking(spoken.of(r.ask)) for r in read.requests)}
        return read.model_copy(update=asks | ({"ask": spoken.of(read.ask)} if read.ask is not None else {}))

    def _further(
        self,
        plain: Reading,
        question: str,
        *,
        today: date,
        previous: Request | None = None,
        cancel: CancelToken | None = None,
    ) -> Reading:
        """What the language model makes of a question that was read no further here."""
        assert self._model is not None
        found = self._model.further(
            plain, question, today=today, previous=previous, cancel=cancel, local=self._without_model
        )
        return self._spoken(found, question, today)

    @property
    def _without_model(self) -> LocalReader:
        """The same without a language model: what one restates is read, and held against its words, as any question is."""
        return LocalReader(self.grammar, lambda _: self._trees, tells_rows=self._tells_rows)

    def _held(self, question: str, plain: Reading, today: date) -> Reading:
        """A comparison, a course or a study, where it answers what the question asks for."""
        wrong = self._trees.objection(question, plain, today)
        return plain if wrong is None else _refused(wrong)

    def _weighed(self, question: str, plain: Reading, today: date) -> Reading:
        """The better of both readings; neither where the grammar answers another question and no tree covers this one."""
        clear = plain.status is ReadingStatus.CLEAR
        before = self._trees.asks_for_the_one_before(question, plain, today) if clear else None
        if before is not None:
            walked = self._trees.with_the_one_before(plain) if self._tells_rows else None
            if walked is not None:
                return Reading(status=ReadingStatus.CLEAR, ask=walked, own=True)
            return _refused(Objection(f"The answer would leave out “{before}”.", (before,)))
        wrong = (
            (self._trees.objection(question, plain, today) or self._passed_over(question, plain, today))
            if clear
            else None
        )
        covered = self._trees.read(question, today) if self._tells_rows else None
        if (
            covered is not None
            and not covered.is_plain_figure
            and (
                _tells_more(covered, plain) if clear and wrong is None else clear or covered.ask.limit is None
            )
        ):
            return Reading(status=ReadingStatus.CLEAR, ask=covered.ask, own=True, notes=covered.notes)
        return plain if wrong is None else _refused(wrong)

    def _passed_over(self, question: str, plain: Reading, today: date) -> Objection | None:
        """A question that is asked besides and changes nothing: “…, and who do they belong to?”"""
        tail = _ASKED_BESIDE.search(question)
        if tail is None or not tail.start():
            return None
        if tail[1].lower() == "when" and any(tells_time(r, self.grammar.model) for r in plain.parts):
            return None
        alone = self.grammar.read(f"{question[: tail.start()]}?", today=today)
        same = [p.model_copy(update={"question": ""}) for p in plain.parts] == [
            p.model_copy(update={"question": ""}) for p in alone.parts
        ]
        left = tail.group().strip(" ,?.")
        return Objection(f"The answer would leave out “{left}”.", (left,)) if same else None

    @property
    def model_reader(self) -> ModelReader | None:
        """What reads with a language model, where one is configured."""
        return self._model

    def taught(self, grammar: GrammarReader) -> LocalReader:
        """The same with words that were learnt."""
        model = self._model.taught(grammar) if self._model is not None else None
        return LocalReader(grammar, self._made, model, tells_rows=self._tells_rows)


def _refused(wrong: Objection) -> Reading:
    return Reading(
        status=ReadingStatus.PARTIAL,
        message=wrong.message,
        missing=wrong.words,
        held=wrong.words,
        explained=0.5,
    )


def _is_open(plain: Reading) -> bool:
    """Whether a tree may say more than the grammar did: not where the grammar has its reasons to say no."""
    if plain.status is ReadingStatus.CLEAR:
        return all(map(is_plain, plain.parts))
    return plain.status in _UNREAD and bool(plain.missing)


def _tells_more(covered: Covered, plain: Reading) -> bool:
    """Whether a tree shows columns that the grammar, which is made for figures of groups, does not tell."""
    if not covered.ask.show or covered.ask.limit is not None:
        return False
    told = {d for r in plain.parts for d in (*r.dimensions, *r.columns)}
    shown = {d.name for d in covered.sketch.shown}
    amounts = covered.sketch.shown and all(
        map(is_amount, covered.sketch.shown)
    )  # “what was the revenue in March”
    return covered.sketch.whole or not shown or not (amounts or shown <= told)
