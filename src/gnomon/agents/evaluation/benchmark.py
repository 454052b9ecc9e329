"""Asking an analyst every question of a benchmark and grading what comes back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Protocol

from gnomon.agents.evaluation.case import Case
from gnomon.agents.evaluation.grading import grade
from gnomon.agents.evaluation.report import CaseResult, EvaluationReport
from gnomon.agents.evaluation.truth import TruthTables
from gnomon.core.answer import Answer, AnswerStatus


class Asking(Protocol):
    """Something that answers questions."""

    def ask(self, question: str, *, today: date | None = None) -> Answer:
        """Answer a question as of a day."""
        ...


class Analyst(Asking, Protocol):
    """Something that answers questions, and can keep in mind what was asked before."""

    def conversation(self) -> Asking:
        """A new conversation in which later questions may refer to earlier ones."""
        ...


def evaluate(
    analyst: Analyst,
    cases: Sequence[Case],
    dataset: Path | str | TruthTables,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> EvaluationReport:
    """Ask every question and grade the answers.

    The first question is asked once beforehand, so that what is loaded on first use is not counted as latency.

    Args:
        analyst: Who is asked.
        cases: What is asked.
        dataset: The files that the analyst answers from, or the truths over them.
        progress: Called with the number of questions asked so far, and of all.
    """
    if not isinstance(dataset, TruthTables):
        with TruthTables(dataset) as tables:
            return evaluate(analyst, cases, tables, progress=progress)
    if cases:
        _ask(analyst, cases[0])
    results: list[CaseResult] = []
    for case in cases:
        answer, seconds = _ask(analyst, case)
        truths = tuple(dataset.of(part)[0] for part in case.parts)
        results.append(CaseResult(case, answer, grade(case, answer, dataset.of), seconds, truths))
        if progress:
            progress(len(results), len(cases))
    return EvaluationReport(tuple(results))


def _ask(analyst: Analyst, case: Case) -> tuple[Answer, float]:
    """The answer to the last question of a case, and the seconds that this one took."""
    started = time.perf_counter()
    try:
        asked = analyst.conversation() if case.history else analyst
        for earlier in case.history:
            asked.ask(earlier, today=case.today)
        started = time.perf_counter()
        answer = asked.ask(case.question, today=case.today)
    except Exception as e:  # noqa: BLE001 - one question that breaks the analyst is a result, not the end of the run
        answer = Answer(status=AnswerStatus.ERROR, prose=f"{type(e).__name__}: {e}")
    return answer, time.perf_counter() - started
