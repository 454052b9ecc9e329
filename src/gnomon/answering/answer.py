"""Answers trees of the algebra: lowered, run with a limit, told."""

from __future__ import annotations

from gnomon.answering.say import Words
from gnomon.answering.tell import Telling
from gnomon.core import algebra as al
from gnomon.core import clock
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.errors import OutOfScope
from gnomon.core.figures import sentence
from gnomon.planning.reading import Reading
from gnomon.semantic.backends import Stoppable
from gnomon.semantic.query import MAX_ROWS
from gnomon.semantic.retrieve import Retriever


class Answering:
    """Computes and tells what trees ask over one set of tables.

    Args:
        retriever: Where queries run.
        seconds: How long one may take.
    """

    def __init__(self, retriever: Retriever, seconds: float | None = None) -> None:
        self._retriever = retriever
        self._seconds = seconds
        self.words = Words(retriever.model)

    def asked(self, reading: Reading, *, cancel: Stoppable | None = None) -> Answer:
        """The answer to a question that was read as a tree; a no with the reason where the data does not connect it."""
        started = clock.elapsed()
        assert isinstance(reading.ask, (al.Query, al.Along, al.Against))
        try:
            answer = self.answer(reading.ask, cancel=cancel, notes=reading.notes)
        except OutOfScope as e:
            answer = Answer(
                status=AnswerStatus.OUT_OF_SCOPE, prose=sentence(e.message), suggestions=tuple(e.suggestions)
            )
        return answer.model_copy(update={"timings": {"execute": clock.elapsed() - started}})

    def answer(
        self,
        ask: al.Query | al.Along | al.Against,
        *,
        cancel: Stoppable | None = None,
        notes: tuple[str, ...] = (),
    ) -> Answer:
        """The answer to one tree.

        Raises:
            InvalidInput: Its parts do not fit together.
            OutOfScope: The data does not connect what it asks for.
            TimedOut: It took too long.
        """
        lowered, rows, sql = self._retriever.ask(ask, cancel=cancel, timeout_seconds=self._seconds)
        telling = Telling(ask, lowered, rows[:MAX_ROWS], sql, self.words)
        prose = [telling.prose(), f"Read as: {self.words.ask(ask)}."]
        said = [*notes, *lowered.notes]
        if len(rows) > MAX_ROWS:
            said.append(f"Only the first {MAX_ROWS:,} rows are shown.")
        if said:
            prose.append(f"Note: {' '.join(dict.fromkeys(said))}")
        figures = [p for p in lowered.parts if not p.is_key]
        nothing = not rows or (
            bool(figures)
            and all(v is None for r in rows for v, p in zip(r, lowered.parts, strict=True) if not p.is_key)
        )
        return Answer(
            status=AnswerStatus.OUT_OF_SCOPE if nothing else AnswerStatus.ANSWERED,
            prose="\n\n".join(prose),
            facts=tuple(telling.facts),
            tables=tuple(telling.tables),
            charts=tuple(telling.charts),
        )
