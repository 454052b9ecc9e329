"""How far a model's queries can be believed: it is asked questions whose answers are known, names and types only."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gnomon.agents.evaluation.case import Case
from gnomon.agents.evaluation.grading import Outcome, grade
from gnomon.agents.evaluation.truth import TruthTables
from gnomon.answering import Answering
from gnomon.core import clock
from gnomon.core.errors import GnomonError
from gnomon.llm.trust import Measured
from gnomon.planning.model_reader import ModelReader
from gnomon.planning.model_reader.select import Objections

QUESTIONS = 30


def measure_trust(
    reader: ModelReader,
    answering: Answering,
    cases: Iterable[Case],
    truths: TruthTables,
    *,
    most: int = QUESTIONS,
    told: Callable[[int, str, str], None] | None = None,
) -> Measured:
    """What comes of the model's queries alone, without the local reader.

    Args:
        reader: Asks the model.
        answering: Computes its queries.
        cases: Questions with known answers; those that continue others are passed over.
        truths: What is true.
        most: How many are asked.
        told: Called with the number of each question, its words and what came of it.
    """
    asked = right = wrong = 0
    for case in cases:
        if case.history or case.today is None or not case.answerable:
            continue
        if asked == most:
            break
        asked += 1
        outcome = "no query"
        try:
            found = reader.query(case.question, today=case.today)
            if found.selected is not None:
                outcome = str(grade(case, answering.answer(found.selected.ask), truths.of).outcome)
        except (GnomonError, Objections) as e:
            outcome = f"not taken: {e}"
        right += outcome == str(Outcome.RIGHT)
        wrong += outcome == str(Outcome.WRONG)
        if told is not None:
            told(asked, case.question, outcome)
    return Measured(asked, right, wrong, clock.today().isoformat())
