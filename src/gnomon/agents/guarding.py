"""The guardrails as the manager applies them: questions on their way in, answers on their way out."""

from __future__ import annotations

import re

from gnomon.agents.telling_words import condition
from gnomon.core.answer import Answer, AnswerStatus, ResultTable
from gnomon.guardrails import Action, Guardrails
from gnomon.language.time_grammar import describe_period
from gnomon.planning.reading import Reading
from gnomon.semantic import SemanticModel


class Guard:
    """Applies guardrails to whole answers.

    Args:
        rails: The checks themselves.
        model: Tells which columns hold personal data, and the names that may occur in prose.
    """

    def __init__(self, rails: Guardrails, model: SemanticModel) -> None:
        self._rails = rails
        self._model = model
        self._personal = {d.name for d in model.dimensions if d.personal} | {
            d.label for d in model.dimensions if d.personal
        }
        self._names = tuple(
            dict.fromkeys([m.label for m in model.metrics] + [d.label for d in model.dimensions])
        )

    def question(self, text: str) -> Answer | None:
        """The refusal of a question that may not be answered; None where it may."""
        found = self._rails.check_question(text)
        if found.action is not Action.REJECT:
            return None
        messages = " ".join(dict.fromkeys(v.message for v in found.violations))
        return Answer(
            status=AnswerStatus.OUT_OF_DOMAIN,
            prose=messages or "This request is not allowed by the policies in force.",
        )

    def answer(self, answer: Answer, reading: Reading) -> Answer:
        """The answer as it may leave: unchanged, with parts masked, or replaced by the reason why not."""
        asked = [d for r in reading.requests for d in r.dimensions]
        tables = tuple(self._rails.mask_table(t, self._personal, asked) for t in answer.tables)
        found = self._rails.check(answer.prose, answer.facts, asked=asked, names=self._said(answer, reading))
        if found.action is Action.REJECT:
            rules = ", ".join(sorted({f"{v.guard} ({v.rule})" for v in found.violations}))
            return Answer(
                status=AnswerStatus.ERROR,
                prose=f"The answer was computed but held back by a check before it was shown: {rules}.",
                request=answer.request,
                plan=answer.plan,
                timings=answer.timings,
            )
        return answer.model_copy(update={"prose": found.text, "tables": tables})

    def _said(self, answer: Answer, reading: Reading) -> tuple[str, ...]:
        """What prose may repeat without claiming anything: names, keys of rows, and how the question was read."""
        if not answer.facts:
            return (*self._names, answer.prose)  # a refusal tells what was asked and what there is, no result
        said = [str(v) for f in answer.facts for v in f.about.group.values()]
        for request in reading.requests:
            said += [condition(f, self._model) for f in (*request.filters, *request.part)]
            said += [self._model.metric(m).label for m in request.metrics]
            said += [str(v) for f in (*request.filters, *request.part) for v in f.values]
            if request.time_range is not None:
                said.append(describe_period(request.time_range))
        for table in answer.tables:
            keys = [i for i in range(len(table.columns)) if not _is_measure(table, i)]
            said += [str(row[i]) for row in table.rows[:20] for i in keys]
        said += re.findall(r"^Read as: (.*)$", answer.prose, re.MULTILINE)
        return (*self._names, *dict.fromkeys(said))


def _is_measure(table: ResultTable, column: int) -> bool:
    return any(isinstance(row[column], float) for row in table.rows[:20])
