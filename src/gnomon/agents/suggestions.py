"""What could be asked next: the same metric by another dimension, along time, against the period before."""

from __future__ import annotations

import re

from gnomon.agents.telling_periods import in_range, is_open, range_name
from gnomon.agents.workflow_kinds import effective_kind
from gnomon.agents.workflow_scope import reachable
from gnomon.core.request import QuestionKind, Request
from gnomon.language.time_periods import previous_period
from gnomon.semantic.kinds import Additivity
from gnomon.semantic.model import Aggregation, Direction, Metric, SemanticModel, plural

MOST = 3
_FEW_VALUES = 200
_RANKED = 5


def _interest(metric: Metric) -> tuple[bool, bool, bool]:
    """What people ask for first: what has a good direction, a unit, and is more than a count of rows."""
    counts = metric.aggregation is Aggregation.COUNT
    return metric.direction is Direction.NEUTRAL, counts, metric.unit is None


def suggest(request: Request, model: SemanticModel) -> list[str]:
    """Up to three questions that this data answers and that follow from ``request``."""
    if not request.metrics:
        timed = [m for m in model.metrics if model.time_dimension(m) is not None]
        return [f"{m.label} by month" for m in sorted(timed, key=_interest)[:MOST]]
    metric = model.metric(request.metrics[0])
    days = request.time_range
    when = f" {in_range(days)}" if days is not None and not is_open(days) else ""
    kind = effective_kind(request)
    found: list[str] = []
    used = {*request.dimensions, *(f.field for f in request.filters)}
    others = [
        d for d in reachable(model, metric) if d.name not in used and 1 < (d.distinct or 2) <= _FEW_VALUES
    ]
    if others:
        found.append(f"{metric.label} by {others[0].label}{when}")
    time = model.time_dimension(metric)
    timed = time is not None
    if timed and kind is not QuestionKind.TREND:
        found.append(f"{metric.label} by month")
    before = previous_period(days) if when and days is not None else None
    covered = time.coverage if time is not None else None
    if before and covered and covered[0] <= before.start and kind is not QuestionKind.COMPARISON:
        found.append(f"{metric.label}{when} compared with {range_name(before)}")
    if len(found) < MOST and len(others) > 1:
        many = next((d for d in others[1:] if (d.distinct or 0) > _RANKED), None)
        ranked = f"top {_RANKED} {plural(many.label)} by {metric.label}" if many is not None else None
        found.append(f"{ranked or f'{metric.label} by {others[1].label}'}{when}")
    return found[:MOST]


def first_questions(model: SemanticModel, most: int) -> list[str]:
    """Questions to begin with: about the sums that most groups can be told of, each from another table."""
    rich = {m.name: len(reachable(model, m)) for m in model.metrics}
    sums = [m for m in model.metrics if m.table and m.additivity is Additivity.ADDITIVE]
    formulas = [set(re.findall(r"\w+", m.formula)) for m in model.metrics if m.formula]
    central = {
        m.name: sum(m.name in f for f in formulas) for m in sums
    }  # what others are made of matters most
    ranked = sorted(sums, key=lambda m: (-rich[m.name], -central[m.name], *_interest(m)))
    leading = list({m.table: m for m in reversed(ranked)}.values())[::-1]
    rates = [m for m in model.metrics if m.formula and model.time_dimension(m) is not None]
    asked = [
        suggest(Request(question="", kind=QuestionKind.VALUE, metrics=(m.name,)), model) for m in leading[:2]
    ]
    asked.insert(1, [f"{m.label} by month" for m in sorted(rates, key=_interest)[:1]])
    asked.append(suggest(Request(question="", kind=QuestionKind.VALUE), model))
    return list(dict.fromkeys(q for questions in asked for q in questions))[:most]
