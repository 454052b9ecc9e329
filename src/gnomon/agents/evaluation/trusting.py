"""How far a model's queries can be believed: it is asked questions whose answers are known, names and types only."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gnomon.agents.evaluation.case import Case
from gnomon.agents.evaluation.grading import Outcome, grade
from gnomon.agents.evaluation.truth import TruthTables
from gnomon.answering import Answering
from gnomon.core import clock
from gnomon.core.answer import Answer
from gnomon.core.errors import (
    ApiFailure,
    AuthenticationFailed,
    ConfigurationError,
    GnomonError,
    PolicyViolation,
    TimedOut,
)
from gnomon.llm.budget import Budget
from gnomon.llm.failures import UnusableOutput
from gnomon.llm.trust import Measured
from gnomon.planning.model_reader import ModelReader
from gnomon.planning.model_reader.select import Objections

MOST_LATE = 3
COMPLETE = 0.8


def measure_trust(
    reader: ModelReader,
    answering: Answering,
    cases: Iterable[Case],
    truths: TruthTables,
    *,
    most: int,
    budget: Budget | None = None,
    told: Callable[[int, str, str], None] | None = None,
) -> Measured:
    """What comes of the model's queries alone, without the local reader.

    Args:
        reader: Asks the model.
        answering: Computes its queries.
        cases: Questions with known answers; those that continue others are passed over.
        truths: What is true.
        most: How many are asked.
        budget: What all of it may use; each question has its own where there is none.
        told: Called with the number of each question, its words and what came of it.

    Raises:
        GnomonError: The model cannot be reached, is late three times in a row, or may use no more, so that nothing is known
            of what it can do.
    """
    asked = right = wrong = late = 0
    for case in cases:
        if case.history or case.today is None or not case.answerable:
            continue
        if asked == most:
            break
        asked += 1
        outcome, before, late = "no query", late, 0
        try:
            found = reader.query(case.question, today=case.today, budget=budget)
            if found.selected is not None:
                outcome = str(_worth(case, answering.answer(found.selected.ask), truths))
        except TimedOut as e:
            late = before + 1
            if late == MOST_LATE:
                raise
            outcome = f"not taken: {e}"
        except UnusableOutput as e:
            outcome = f"not taken: {e}"
        except (ApiFailure, AuthenticationFailed, ConfigurationError, PolicyViolation):
            raise
        except (GnomonError, Objections) as e:
            outcome = f"not taken: {e}"
        right += outcome == str(Outcome.RIGHT)
        wrong += outcome == str(Outcome.WRONG)
        if told is not None:
            told(asked, case.question, outcome)
    return Measured(asked, right, wrong, clock.today().isoformat())


def _worth(case: Case, answer: Answer, truths: TruthTables) -> Outcome:
    """What a query is worth by its figures alone: how an answer is told is not the model's doing.

    Parts of a whole are asked of it as such (0.12), and known answers tell them in percent.
    """
    if any(t.startswith("percent") for t in case.tags):
        case = case.model_copy(update={"tags": (*case.tags, "percent")})
    found = grade(case, answer, truths.of)
    whole = found.metrics.completeness > COMPLETE
    return Outcome.RIGHT if found.outcome is Outcome.INCOMPLETE and whole else found.outcome
