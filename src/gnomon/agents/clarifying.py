"""What is asked back: only what can be answered, in at least two ways that differ; what was picked is never asked again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from gnomon.core import clock
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.errors import GnomonError
from gnomon.core.request import Request
from gnomon.planning.reader.default_measures import UNNAMED
from gnomon.planning.reading import (
    Asked,
    Pick,
    PickSort,
    Reading,
    ReadingStatus,
    Reads,
    asked_back,
    quoted,
    which_one,
)
from gnomon.semantic.model import SemanticModel

MOST_SECONDS = 4.0
"""After so long the options that were not tried yet are believed."""


@dataclass(frozen=True)
class _Way:
    """One option: how it is told, the question that says it, how it is read, and what it comes to."""

    name: str
    question: str
    reading: Reading
    figures: Sequence[object]


@dataclass(frozen=True)
class Clarifying:
    """Tries what is in doubt before somebody is asked about it.

    Args:
        reader: Reads questions, without a language model.
        model: What the tables mean.
        present: Computes a reading.
        tries: Whether options are computed. Where nothing may be told of few rows, that would be told by what is offered.
    """

    reader: Reads
    model: SemanticModel
    present: Callable[[Reading, date], Answer]
    tries: bool = True

    def of(self, reading: Reading, today: date, previous: Request | None = None) -> Reading:
        """The reading with those options that lead to answers; clear where they are one, refused where there is none."""
        if reading.status is not ReadingStatus.AMBIGUOUS or reading.ask is not None or not reading.asked:
            return reading
        return self._tried(reading, today, previous, clock.elapsed() + MOST_SECONDS)

    def _tried(self, reading: Reading, today: date, previous: Request | None, until: float) -> Reading:
        asked = reading.asked[0]
        if not asked.options:
            return _unjoined(reading)
        ways: list[_Way] = []
        for name, question, pick in zip(asked.names, asked.options, asked.picks, strict=True):
            way = self._way(reading, name, question, pick, today, previous, until)
            ways += [way] if way is not None else []
        ways, empty = [w for w in ways if w.figures], [w for w in ways if not w.figures]
        apart = [w for n, w in enumerate(ways) if all(w.figures != x.figures for x in ways[:n])]
        if len(apart) > 1:
            return reading.model_copy(
                update={
                    "message": which_one(asked.text, [w.name for w in apart]),
                    "options": tuple(w.question for w in apart),
                    "ways": tuple(w.reading for w in apart),
                    "alone": tuple(w.question for w in apart if self._says(w, today, until)),
                }
            )
        if len(ways) + len(empty) == len(asked.options):
            return _taken(asked, (ways or empty)[0], [w for w in empty if ways])
        return _only(reading, apart[0]) if apart else _none(reading)

    def _way(
        self,
        reading: Reading,
        name: str,
        question: str,
        pick: Pick | None,
        today: date,
        previous: Request | None,
        until: float,
    ) -> _Way | None:
        """An option with what it comes to; None where it comes to nothing."""
        read = settled(reading, pick, self.model) if pick is not None else None
        if read is None:
            read = self.reader.read(question, today=today, previous=previous)
            if read.status is ReadingStatus.AMBIGUOUS and _asks_the_same(read, reading):
                return None
        if read.status is ReadingStatus.AMBIGUOUS and read.asked:
            read = self._tried(read, today, previous, until)
        if read.status is ReadingStatus.AMBIGUOUS and read.ways:
            return _Way(name, question, read, (object(),))
        if read.status is not ReadingStatus.CLEAR:
            return None
        if not self.tries or clock.elapsed() > until:
            return _Way(name, question, read, (object(),))
        answer = self._answer(read, today)
        return _Way(name, question, read, _figures(answer)) if answer is not None else None

    def _says(self, way: _Way, today: date, until: float) -> bool:
        """Whether the question of an option says by itself what the option means, for those who hold no conversation."""
        if clock.elapsed() > until:
            return False
        read = self.reader.read(way.question, today=today)
        return read.status is ReadingStatus.CLEAR and [_meant(r) for r in read.requests] == [
            _meant(r) for r in way.reading.requests
        ]

    def _answer(self, reading: Reading, today: date) -> Answer | None:
        try:
            answer = self.present(reading, today)
        except GnomonError:
            return None
        known = any(f.value is not None for f in answer.facts)
        return answer if answer.status is AnswerStatus.ANSWERED and known else None


def settled(reading: Reading, pick: Pick, model: SemanticModel) -> Reading | None:
    """The reading in which the first doubt is settled by a pick, all else as it was; None where that is not enough."""
    put = [pick.put(p) for p in reading.parts]
    if not put or all(r is None for r in put):
        return None
    parts = tuple(new or old for new, old in zip(put, reading.parts, strict=True))
    notes = tuple(n for n in reading.notes if pick.sort is not PickSort.METRIC or UNNAMED not in n)
    if reading.asked[1:]:
        rest = asked_back(reading.asked[1:], parts, reading.explained).reading(model)
        return rest.model_copy(update={"notes": notes, "continues": reading.continues})
    return reading.asking(parts, model, status=ReadingStatus.CLEAR, message="", options=(), notes=notes)


def _asks_the_same(read: Reading, before: Reading) -> bool:
    """Whether the words of an option are in doubt as those before them were: about the same names, or about as many."""
    return (
        not read.asked
        or {*read.asked[0].names} & {*before.asked[0].names} != set()
        or (len(read.asked) >= len(before.asked))
    )


def _meant(request: Request) -> Request:
    """A request without the words in which it was put."""
    return request.model_copy(update={"question": "", "confidence": 1.0})


def _figures(answer: Answer) -> Sequence[object]:
    """What tells answers apart: their figures and rows; nothing where no row of the data stands behind them."""
    rows = [t.rows for t in answer.tables if t.rows]
    return [*rows, *(f.value for f in answer.facts)] if rows or any(f.value for f in answer.facts) else ()


def _taken(asked: Asked, way: _Way, empty: Sequence[_Way]) -> Reading:
    """The one reading that is left: the others come to the same, or no row meets them."""
    others = [n for n in asked.names if n != way.name]
    without = [w.name for w in empty]
    note = f"“{asked.text}” was taken as {way.name}"
    if without:
        note += f"; there are no rows for {' or '.join(without)}"
    elif others:
        note += f"; it comes to the same as {' or '.join(others)}"
    notes = way.reading.notes
    return way.reading.model_copy(update={"notes": (*notes, note) if others else notes})


def _unjoined(reading: Reading) -> Reading:
    said = quoted(reading.asked[0].names, "and")
    return _refused(reading, f"I read {said} in this question, but not how they belong together.")


def _only(reading: Reading, way: _Way) -> Reading:
    """One option alone has an answer: it is offered, and not taken for granted."""
    asked = reading.asked[0]
    names = quoted([way.name, *(n for n in asked.names if n != way.name)], "or")
    message = f"“{asked.text}” could mean {names}, and there is an answer for the first alone. Is that what you mean?"
    told = {"options": (way.question,), "ways": (way.reading,)}
    return _refused(reading, message).model_copy(update=told)


def _none(reading: Reading) -> Reading:
    asked = reading.asked[0]
    names = quoted(asked.names, "or")
    return _refused(reading, f"“{asked.text}” could mean {names}, and there is no answer for any of them.")


def _refused(reading: Reading, message: str) -> Reading:
    """A no: whatever was read of the question is no answer to it."""
    return Reading(
        status=ReadingStatus.PARTIAL,
        missing=(reading.asked[0].text,),
        message=message,
        explained=reading.explained,
        asked=reading.asked,
        notes=reading.notes,
        continues=reading.continues,
        privacy=reading.privacy,
    )
