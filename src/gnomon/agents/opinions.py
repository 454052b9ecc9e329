"""Two ways to the same question: a model's query and the local reading of what it restates, compared by result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, time

from gnomon.agents.picks import with_options
from gnomon.agents.refusals import unclear
from gnomon.answering import Answering
from gnomon.core.algebra import Against, Along, Query
from gnomon.core.answer import Answer, AnswerStatus, Option
from gnomon.core.errors import GnomonError
from gnomon.core.parts import Parts
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.tools.contract import CancelToken

CLOSE = 1e-6
TELLING = 1000


@dataclass
class Opinions:
    """Answers what a model read, as far as it may be believed.

    Where both ways give the same figures the answer stands. Where they differ both are offered. A query alone answers
    only for a model that has earned it, and one that leaves out what the data does not have for none.

    Args:
        answering: Computes and tells queries.
        earned: Whether the model's queries are believed by themselves.
        standing: What was measured of the model, in a sentence.
    """

    answering: Answering
    earned: Callable[[], bool]
    standing: Callable[[], str] = lambda: ""

    def settled(
        self, reading: Reading, present: Callable[[Reading], Answer], cancel: CancelToken | None
    ) -> Answer:
        """The answer to a reading that holds a query."""
        ask = reading.ask
        assert isinstance(ask, (Query, Along, Against))
        local = reading.local or reading
        try:
            queried = self.answering.answer(ask, cancel=cancel, notes=reading.notes)
        except GnomonError:
            return present(local) if local.status is ReadingStatus.CLEAR else unclear(local)
        if reading.missing:  # an answer without something that was asked for is the asker's to choose
            return _offered(local, reading, [queried])
        if reading.second is None:
            return queried if self.earned() else _offered(local, reading, [queried])
        plain = present(
            reading.second.model_copy(update={"restated": reading.restated, "privacy": reading.privacy})
        )
        if plain.status is not AnswerStatus.ANSWERED:
            return queried if self.earned() else _offered(local, reading, [queried])
        fuller = _says_more(ask, queried, reading, plain)
        if agree(queried, plain):
            listed = isinstance(ask, Query) and bool(ask.show) and any(p.metrics for p in reading.parts)
            tells_it = (_is_verdict(queried) and not _is_verdict(plain)) or (listed and self.earned())
            return queried if tells_it or (fuller and self.earned()) else plain
        if local.status is not ReadingStatus.CLEAR and (reading.unsure or fuller) and self.earned():
            return queried
        return _offered(local, reading, [queried, plain])


def _offered(local: Reading, reading: Reading, answers: list[Answer]) -> Answer:
    """What was computed, for the asker to choose from: nothing of it is stated as the answer."""
    intro = local.message or "The question is not quite clear over this data."
    facts = tuple(
        f.model_copy(update={"name": f"option_{n}.{f.name}"})
        for n, a in enumerate(answers, 1)
        for f in a.facts
    )
    ideas = tuple(s for s in (reading.restated, *local.options) if s)[:3]
    answer = Answer(status=AnswerStatus.CLARIFY, prose=intro, facts=facts, suggestions=ideas)
    query, *plain = (_option(a, reading, is_query=n == 0) for n, a in enumerate(answers))
    return with_options(answer, (query, *(o for o in plain if o.question != query.question)))


def _option(answer: Answer, reading: Reading, *, is_query: bool) -> Option:
    """One way to the question with what it came to: the tree of the query, or what the local reader made of its words."""
    read_as = answer.read_as or reading.restated or "the question as it was read"
    question = read_as if is_query else reading.restated or f"{read_as}, as it was restated"
    return Option(
        said=f"as {read_as}", question=question, leaves=reading.missing, prose=answer.prose, facts=answer.facts,
        requests=() if is_query else reading.requests, ask=reading.ask if is_query else None,
        notes=reading.notes if is_query else (reading.local or reading).notes, privacy=reading.privacy,
    )  # fmt: skip


def _says_more(ask: Query | Along | Against, queried: Answer, reading: Reading, plain: Answer) -> bool:
    """Whether a query tells groups, rows, or a yes or no, and the reading of what it restates only a figure of all rows.

    What was restated in fewer words than the query has is no opinion about it.
    """
    told = isinstance(ask, Query) and bool(ask.keys or ask.show)
    grouped = told and not any(_is_grouped(p) for p in reading.parts)
    return grouped or (_is_verdict(queried) and not _is_verdict(plain))


def _is_grouped(parts: Parts) -> bool:
    return bool(parts.dimensions or parts.columns) or parts.grain is not None


def agree(one: Answer, other: Answer) -> bool:
    """Whether two answers tell the same figures: all that one tells stand in the other, as shares or in percent.

    Answers without figures agree by the names and days that they tell, of as many rows.
    """
    if any(_figures(a) or _cells(a) for a in (one, other)):
        return _told_by(one, other) or _told_by(other, one)
    mine, theirs = _names(one), _names(other)
    alike = min(len(mine), len(theirs)) > 0 and (mine <= theirs or theirs <= mine)
    return alike and _rows(one) == _rows(other)


def _names(answer: Answer) -> set[str]:
    """The texts and days that an answer tells."""
    held = [f.value for f in answer.facts] + [v for t in answer.tables for row in t.rows for v in row]
    days = [v.date() if isinstance(v, datetime) and v.time() == time() else v for v in held]
    return {str(v).casefold() for v in days if v is not None and not isinstance(v, (bool, int, float))}


def _rows(answer: Answer) -> int:
    """How many rows an answer tells; one where it tells values alone."""
    return max((len(t.rows) for t in answer.tables), default=1)


def _told_by(one: Answer, other: Answer) -> bool:
    """Whether every figure that ``one`` tells stands in ``other``, each once, and not among many others by chance."""
    mine = _different(_figures(one) or _cells(one))
    told, cells = _different(_figures(other)), _cells(other)
    left = _different([*cells, *told])
    for value in mine:
        match = next((v for v in left if _same(v, value)), None)
        if match is None:
            return False
        left.remove(match)
    if not mine or all(any(_same(t, m) for t in told) and _is_telling(m) for m in mine):
        return bool(mine)
    return len(mine) * 3 >= len(_different(cells or told))


def _figures(answer: Answer) -> list[float]:
    return _numbers([f.value for f in answer.facts])


def _different(values: Sequence[float]) -> list[float]:
    """Values without those that are told twice: the highest of a list is one of its figures."""
    found: list[float] = []
    for value in values:
        if not any(math.isclose(value, known, rel_tol=CLOSE, abs_tol=1e-9) for known in found):
            found.append(value)
    return found


def _is_telling(value: float) -> bool:
    """Whether two answers would hardly come to the same by chance, as they do to small whole numbers and halves."""
    return abs(value) >= TELLING or not (value * 100).is_integer()


def _same(one: float, other: float) -> bool:
    return any(math.isclose(one, other * f, rel_tol=CLOSE, abs_tol=1e-9) for f in (1.0, 100.0, 0.01))


def _cells(answer: Answer) -> list[float]:
    return _numbers([v for t in answer.tables for row in t.rows for v in row])


def _numbers(held: Sequence[object]) -> list[float]:
    return [float(v) for v in held if isinstance(v, (int, float)) and not isinstance(v, bool)]


def _is_verdict(answer: Answer) -> bool:
    return answer.prose.startswith(("Yes", "No:", "No."))
