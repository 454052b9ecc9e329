"""Which sentence plan tells a result, and answers to trees of the algebra: lowered, run with a limit, told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from gnomon.answering.caveats import tell_caveats
from gnomon.answering.plan import PartResult
from gnomon.answering.plan_studies import is_inspected
from gnomon.answering.say import Words
from gnomon.answering.scope import scope_of_tree
from gnomon.answering.tell_data import tell_inspection, tell_listed_rows, tell_profile
from gnomon.answering.tell_outlook import tell_anomalies, tell_forecast
from gnomon.answering.tell_pair import tell_cause, tell_groups, tell_rest, tell_two_periods
from gnomon.answering.tell_ranking import tell_ranking
from gnomon.answering.tell_relation import tell_correlation, tell_regression, tell_relations
from gnomon.answering.tell_scalar import tell_benchmark, tell_value
from gnomon.answering.tell_series import tell_trend
from gnomon.answering.tell_shape import tell_distribution, tell_outliers, tell_shape
from gnomon.answering.tell_share import tell_rest_shares, tell_share, tell_shares, tell_shares_along
from gnomon.answering.tell_table import tell_brackets, tell_breakdown, tell_list
from gnomon.answering.tell_test import tell_difference
from gnomon.answering.tell_tree import TreeTelling
from gnomon.answering.telling import Telling, Told
from gnomon.core import algebra as al
from gnomon.core import clock
from gnomon.core.answer import READ_AS, Answer, AnswerStatus
from gnomon.core.errors import OutOfScope
from gnomon.core.figures import sentence
from gnomon.core.parts import QuestionKind
from gnomon.core.studies import Outliers, Shape
from gnomon.planning.reading import Reading
from gnomon.semantic.backends import Stoppable
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.query import MAX_ROWS
from gnomon.semantic.retrieve import Retriever

_Kind = QuestionKind
Veil = Callable[[al.Ask, Sequence[tuple[Any, ...]]], list[tuple[Any, ...]]]


def tell(result: PartResult, model: SemanticModel, today: date, *, only_steps: bool = False) -> Told:
    """One result in words, with facts, tables and charts; with ``only_steps`` of a series the last step has been told."""
    plan = result.plan
    if plan.reason is not None:
        return Told(lead=sentence(plan.reason), status=AnswerStatus.OUT_OF_SCOPE)
    telling = Telling(result, model)
    telling.only_steps = only_steps
    if "main" in plan.retrievals and "main" not in result.retrieved:
        why = result.errors[0] if result.errors else "the data did not answer"
        return Told(lead=sentence(f"A part could not be retrieved: {why}"), status=AnswerStatus.ERROR)
    template(result)(telling)
    tell_caveats(telling)
    if result.errors:
        telling.told.status = AnswerStatus.PARTIAL
    return telling.told


def template(result: PartResult) -> Callable[[Telling], None]:
    """The template for a result."""
    request = result.plan.request
    if request.brackets is not None:
        return tell_brackets
    kind, against = request.kind, request.comparison
    if kind is _Kind.COMPARISON:
        assert against is not None
        if against.rest:
            return tell_rest
        return {"period": tell_two_periods, "group": tell_groups, "benchmark": tell_benchmark}[against.kind]
    if kind is _Kind.CORRELATION and request.columns:
        return tell_relations
    if kind is _Kind.ANOMALY and isinstance(request.study, Outliers):
        return tell_outliers
    if kind is _Kind.DISTRIBUTION and isinstance(request.study, Shape):
        return tell_shape
    if kind is _Kind.LIST and request.listing is not None:
        return tell_listed_rows
    if kind is _Kind.SHARE and against is not None and against.rest:
        return tell_rest_shares
    if kind is _Kind.SHARE and request.share.along:
        return tell_shares_along
    if kind is _Kind.SHARE:
        return tell_shares if request.dimensions else tell_share
    return tell_inspection if kind is _Kind.PROFILE and is_inspected(request) else _TEMPLATES[kind]


_TEMPLATES: dict[QuestionKind, Callable[[Telling], None]] = {
    _Kind.VALUE: tell_value,
    _Kind.BREAKDOWN: tell_breakdown,
    _Kind.RANKING: tell_ranking,
    _Kind.TREND: tell_trend,
    _Kind.LIST: tell_list,
    _Kind.DISTRIBUTION: tell_distribution,
    _Kind.CORRELATION: tell_correlation,
    _Kind.REGRESSION: tell_regression,
    _Kind.PROFILE: tell_profile,
    _Kind.DIFFERENCE: tell_difference,
    _Kind.ANOMALY: tell_anomalies,
    _Kind.FORECAST: tell_forecast,
    _Kind.CAUSE: tell_cause,
}


class Answering:
    """Computes and tells what trees ask over one set of tables.

    Args:
        retriever: Where queries run.
        seconds: How long one may take.
        veil: Takes out of a result what nobody may be shown.
    """

    def __init__(self, retriever: Retriever, seconds: float | None = None, veil: Veil | None = None) -> None:
        self._retriever = retriever
        self._seconds, self._veil = seconds, veil
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
        scope = scope_of_tree(ask, self._retriever.model)
        if scope.reason is not None:
            prose = [sentence(scope.reason), f"{READ_AS}{self.words.ask(ask)}."]
            return Answer(status=AnswerStatus.OUT_OF_SCOPE, prose="\n\n".join(prose))
        lowered, rows, sql = self._retriever.ask(ask, cancel=cancel, timeout_seconds=self._seconds)
        shown = rows[:MAX_ROWS] if self._veil is None else self._veil(ask, rows[:MAX_ROWS])
        telling = TreeTelling(ask, lowered, shown, sql, self.words)
        telling.tell()
        told = telling.told
        prose = [" ".join([told.lead, *told.more]), f"{READ_AS}{self.words.ask(ask)}."]
        said = [*notes, *lowered.notes, *(sentence(c) for c in (*told.caveats, *scope.caveats))]
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
            facts=tuple(told.facts),
            tables=tuple(told.tables),
            charts=tuple(told.charts),
        )
