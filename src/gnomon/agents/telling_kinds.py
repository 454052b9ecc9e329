"""Which template tells which kind of result."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from gnomon.agents.figures import sentence
from gnomon.agents.outside_ranges import tell_outside
from gnomon.agents.same_days import tell_two_periods
from gnomon.agents.telling import Telling, Told
from gnomon.agents.telling_bounds import tell_bounds
from gnomon.agents.telling_brackets import tell_brackets
from gnomon.agents.telling_data import tell_inspection
from gnomon.agents.telling_difference import tell_difference
from gnomon.agents.telling_regression import tell_regression
from gnomon.agents.telling_relations import tell_relations
from gnomon.agents.telling_rest import tell_rest, tell_rest_shares
from gnomon.agents.telling_rows import tell_correlation, tell_distribution, tell_listed_rows, tell_profile
from gnomon.agents.telling_series import tell_anomalies, tell_cause, tell_forecast
from gnomon.agents.telling_shapes import tell_outliers, tell_shape
from gnomon.agents.telling_share_trend import tell_shares_along
from gnomon.agents.telling_shares import tell_shares
from gnomon.agents.telling_tables import tell_breakdown, tell_list, tell_ranking
from gnomon.agents.telling_trend import tell_trend
from gnomon.agents.telling_values import tell_benchmark, tell_groups, tell_share, tell_value
from gnomon.agents.workflow import PartResult
from gnomon.agents.workflow_data import is_inspected
from gnomon.agents.workflow_kinds import effective_kind
from gnomon.core.answer import AnswerStatus
from gnomon.core.request import QuestionKind
from gnomon.core.studies import Outliers, Shape
from gnomon.semantic.model import SemanticModel

_Kind = QuestionKind


def tell(result: PartResult, model: SemanticModel, today: date) -> Told:
    """One result in words, with the facts, tables and charts that belong to it."""
    plan = result.plan
    if plan.reason is not None:
        return Told(lead=sentence(plan.reason), status=AnswerStatus.OUT_OF_SCOPE)
    telling = Telling(result, model)
    if "main" in plan.retrievals and "main" not in result.retrieved:
        why = result.errors[0] if result.errors else "the data did not answer"
        return Told(lead=sentence(f"A part could not be retrieved: {why}"), status=AnswerStatus.ERROR)
    template(result)(telling)
    tell_bounds(telling)
    tell_outside(telling)
    if result.errors:
        telling.told.status = AnswerStatus.PARTIAL
        telling.told.caveats += [f"A part is missing: {e}" for e in result.errors]
    telling.tell_caveats()
    return telling.told


def template(result: PartResult) -> Callable[[Telling], None]:
    """The template for a result."""
    request = result.plan.request
    if request.brackets is not None:
        return tell_brackets
    kind, against = effective_kind(request), request.comparison
    if kind is _Kind.COMPARISON:
        if against is None:
            return tell_breakdown if request.dimensions else tell_value
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
