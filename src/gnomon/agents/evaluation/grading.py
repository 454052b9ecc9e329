"""Grading one answer against the truth: what it said that is so, and how much of what was asked it said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gnomon.agents.evaluation.case import Case, Part
from gnomon.agents.evaluation.metrics import relevance
from gnomon.agents.evaluation.tables import (
    FULL,
    NONE,
    Agreement,
    compare_sets,
    compare_tables,
    key_count,
)
from gnomon.agents.evaluation.truth import Truth
from gnomon.agents.evaluation.values import forms, is_number, same
from gnomon.core.answer import Answer, AnswerStatus, Fact
from gnomon.core.query import AccuracyMetrics

# Beyond this a table is looked at by its rows, not searched for a number that may be there by chance.
_FEW_ROWS = 6
_ROUNDING = 1e-9
_ROLES = ("current", "previous", "change", "change_pct", "difference", "benchmark")


class Outcome(StrEnum):
    """How a case ended."""

    RIGHT = "right"
    WRONG = "wrong answer"
    INCOMPLETE = "incomplete"
    FALSE_REFUSAL = "refused, but could be answered"
    REFUSED = "refused rightly"
    MISREFUSED = "refused with another status than it should"
    UNREFUSED = "answered, but should be refused"
    FAILED = "failed"


@dataclass(frozen=True)
class Grade:
    """What an answer is worth.

    It is right where all three metrics exceed 0.8 and nothing that it told is false.
    """

    outcome: Outcome
    metrics: AccuracyMetrics

    @property
    def passed(self) -> bool:
        """Whether the case ended as it should."""
        return self.outcome in {Outcome.RIGHT, Outcome.REFUSED}


def grade(case: Case, answer: Answer, truths: Callable[[Part], Sequence[Truth]]) -> Grade:
    """Grade an answer.

    Args:
        case: The question and what must come of it.
        answer: What came of it.
        truths: The acceptable truths of a part.
    """
    addressed = relevance(case.question, answer)
    if not case.answerable:
        return _grade_refusal(case, answer, addressed)
    if answer.status not in case.accepted:
        failed = answer.status is AnswerStatus.ERROR
        outcome = Outcome.FAILED if failed else Outcome.FALSE_REFUSAL
        return Grade(outcome, AccuracyMetrics(relevance=addressed, correctness=0, completeness=0))
    many = len(case.parts) > 1
    found = [_best(part, truths(part), answer, case, many=many) for part in case.parts]
    claimed = found
    if len({fact.step for fact in answer.facts}) + len(answer.tables) < len(found):
        # Fewer results than parts: those left out are missing, not false.
        claimed = [f for f in found if f.total] or found
    metrics = AccuracyMetrics(
        relevance=addressed,
        correctness=sum(f.correctness for f in claimed) / len(claimed),
        completeness=sum(f.completeness for f in found) / len(found),
    )
    if metrics.correctness < 1 - _ROUNDING:
        return Grade(Outcome.WRONG, metrics)
    return Grade(Outcome.RIGHT if metrics.is_accurate() else Outcome.INCOMPLETE, metrics)


def _grade_refusal(case: Case, answer: Answer, addressed: float) -> Grade:
    right = answer.status in case.accepted
    metrics = AccuracyMetrics(relevance=1.0 if right else addressed, correctness=right, completeness=right)
    if right:
        return Grade(Outcome.REFUSED, metrics)
    if answer.status is AnswerStatus.ERROR:
        return Grade(Outcome.FAILED, metrics)
    told = answer.status in {AnswerStatus.ANSWERED, AnswerStatus.PARTIAL}
    return Grade(Outcome.UNREFUSED if told else Outcome.MISREFUSED, metrics)


def _best(part: Part, truths: Sequence[Truth], answer: Answer, case: Case, *, many: bool) -> Agreement:
    """The agreement with the truth that fits best; any of them is acceptable."""
    percent = "percent" in case.tags
    found = (_agreement(part, truth, answer, case.tolerance, percent, many) for truth in truths)
    return max(found, key=lambda a: a.total)


def _agreement(
    part: Part, truth: Truth, answer: Answer, tolerance: float, percent: bool, many: bool
) -> Agreement:
    if part.compare == "scalar":
        return _scalar(truth, answer, tolerance, percent)
    if part.compare == "row":
        return _row(truth, answer, tolerance, percent)
    tables = answer.tables if many else answer.tables[:1]
    if part.compare == "set":
        candidates = [compare_sets(truth, table.rows) for table in tables]
        candidates.append(compare_sets(truth, [(f.value,) for f in answer.facts]))
    else:
        candidates = [
            compare_tables(truth, table.rows, tolerance, ordered=part.compare == "ordered", percent=percent)
            for table in tables
        ]
        candidates.append(_by_facts(truth, answer.facts, tolerance, percent))
    return max(candidates, key=lambda a: a.total)


def _scalar(truth: Truth, answer: Answer, tolerance: float, percent: bool) -> Agreement:
    """The first fact is the answer; or a table of one row, for what is looked up rather than computed."""
    wanted = truth.rows[0][0]
    told: list[Any] = []
    if answer.facts:
        first = answer.facts[0]
        told += [first.value, *([] if is_number(wanted) else first.about.group.values())]
    if answer.tables and len(answer.tables[0].rows) == 1:
        told += answer.tables[0].rows[0]
    return FULL if any(same(wanted, t, tolerance, percent=percent) for t in told) else NONE


def _row(truth: Truth, answer: Answer, tolerance: float, percent: bool) -> Agreement:
    """Each value of a record; with a name in it, only what the answer leads with can be meant."""
    record = truth.rows[0]
    named = any(not is_number(value) for value in record)
    pool = list(_leading(answer) if named else _everything(answer))
    hits = 0
    for column, wanted in zip(truth.columns, record, strict=True):
        by_role = _in_role(column, answer.facts)
        flips = (1, -1) if column == "difference" else (1,)
        told = by_role or pool
        hits += any(
            same(wanted * flip if flip < 0 else wanted, t, tolerance, percent=percent)
            for t in told
            for flip in flips
        )
    if not hits:
        return NONE
    claims = min(len(record), sum(named or is_number(value) for value in pool))
    return Agreement(hits / max(hits, claims), hits / len(record))


def _in_role(column: str, facts: Iterable[Fact]) -> list[Any]:
    """The values of the facts that say by their name that they are the current one, the change, and so on."""
    if column not in _ROLES:
        return []
    return [f.value for f in facts if f.name.rpartition(".")[2] == column]


def _leading(answer: Answer) -> Iterable[Any]:
    """What the answer leads with: the first two facts of each step, and the first row of each table."""
    seen: dict[str, int] = {}
    for fact in answer.facts:
        place = seen[fact.step] = seen.get(fact.step, 0) + 1
        if place <= 2:
            yield fact.value
        if place == 1:
            yield from fact.about.group.values()
    for table in answer.tables:
        if table.rows:
            yield from table.rows[0]


def _everything(answer: Answer) -> Iterable[Any]:
    """Every fact, and every cell of tables that are small."""
    yield from (fact.value for fact in answer.facts)
    for table in answer.tables:
        for row in table.rows[: _FEW_ROWS if len(table.rows) <= _FEW_ROWS else 1]:
            yield from row


def _by_facts(truth: Truth, facts: Sequence[Fact], tolerance: float, percent: bool) -> Agreement:
    """A short table told as one fact a group; the group is in what the fact is about, or in its name."""
    if key_count(truth) != 1 or len(truth.columns) != 2:
        return NONE
    told = [f for f in facts if is_number(f.value) and _names_of(f)]
    hits = claims = 0
    for key, wanted in truth.rows:
        mine = [f for f in told if not forms(key).isdisjoint(_names_of(f))]
        claims += len(mine)
        hits += any(same(wanted, f.value, tolerance, percent=percent) for f in mine)
    others = [
        f
        for f in told
        if f.about.group and not any(not forms(k).isdisjoint(_names_of(f)) for k, _ in truth.rows)
    ]
    return Agreement(hits / (claims + len(others)), hits / len(truth.rows)) if hits else NONE


def _names_of(fact: Fact) -> frozenset[Any]:
    named = [
        *fact.about.group.values(),
        *(v for c in fact.about.filters for v in c.values),
        *fact.name.split(".")[1:],
    ]
    return frozenset().union(*(forms(n) for n in named))
