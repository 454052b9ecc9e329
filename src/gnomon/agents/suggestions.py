"""What could be asked next, or instead: near what was asked, in the words of this data."""

from __future__ import annotations

import re
from datetime import date

from gnomon.answering.scope import reachable
from gnomon.core.parts import Parts, QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.language.time_grammar import find_times
from gnomon.language.time_names import in_range, is_open, range_name
from gnomon.language.time_periods import previous_period
from gnomon.planning.reader.words import name_words, root
from gnomon.semantic.kinds import Additivity
from gnomon.semantic.model import Aggregation, Dimension, Direction, Metric, SemanticModel, plural
from gnomon.semantic.time_columns import usual_step

MOST = 3
_FEW_VALUES = 200
_RANKED = 5


def _interest(metric: Metric) -> tuple[bool, bool, bool]:
    """What people ask for first: what has a good direction, a unit, and is more than a count of rows."""
    counts = metric.aggregation is Aggregation.COUNT
    return metric.direction is Direction.NEUTRAL, counts, metric.unit is None


def _step(metric: Metric, model: SemanticModel) -> str:
    time = model.time_dimension(metric)
    return usual_step(time.grain, time.coverage).value if time is not None else TimeGranularity.MONTH.value


def suggest(request: Parts, model: SemanticModel) -> list[str]:
    """Up to three questions that this data answers and that follow from ``request``."""
    if not request.metrics:
        timed = [m for m in model.metrics if model.time_dimension(m) is not None]
        return [f"{m.label} by {_step(m, model)}" for m in sorted(timed, key=_interest)[:MOST]]
    metric = model.metric(request.metrics[0])
    if metric.inner is not None and metric.per in set(TimeGranularity):  # "how many days have more than …"
        metric = model.metric(metric.inner)
    days = request.time_range
    time = model.time_dimension(metric)
    covered = time.coverage if time is not None else None
    seen = covered is None or days is None or days.start <= covered[1]  # what is to come has no breakdown yet
    when = f" {in_range(days)}" if days is not None and not is_open(days) and seen else ""
    kind = request.kind
    found: list[str] = []
    used = {*request.dimensions, *(f.field for f in request.filters)}
    others = [
        d
        for d in reachable(model, metric)
        if d.name not in used and 1 < (d.distinct or 2) <= _FEW_VALUES and not d.personal
    ]
    if others:
        found.append(f"{metric.label} by {others[0].label}{when}")
    timed = time is not None
    if timed and kind is not QuestionKind.TREND:
        found.append(f"{metric.label} by {_step(metric, model)}")
    before = previous_period(days) if when and days is not None else None
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
        suggest(Parts(question="", kind=QuestionKind.VALUE, metrics=(m.name,)), model) for m in leading[:2]
    ]
    asked.insert(1, [f"{m.label} by {_step(m, model)}" for m in sorted(rates, key=_interest)[:1]])
    asked.append(suggest(Parts(question="", kind=QuestionKind.VALUE), model))
    return list(dict.fromkeys(q for questions in asked for q in questions))[:most]


def ideas(question: str, model: SemanticModel, today: date, *, insight: bool = False) -> tuple[str, ...]:
    """Up to three questions that this data answers and that come near to one that it does not.

    Args:
        question: What was asked.
        model: What the tables mean.
        today: What its times refer to.
        insight: Whether it asked for an explanation rather than for figures.
    """
    near = _nearest(question, model)
    if not near:
        return ()
    metric, *others = near
    when = _when(question, metric, model, today)
    by = _dimension(question, metric, model)
    timed = model.time_dimension(metric) is not None
    found: list[str] = []
    if insight and timed:
        found += [
            f"Why did {metric.label} change{when or f' last {_step(metric, model)}'}?",
            f"What should I do about {metric.label}?",
        ]
    if by is not None:
        found.append(f"{metric.label} by {by.label}{when}")
    if timed:
        found.append(f"How did {metric.label} develop by {_step(metric, model)}?")
    found += [f"What is the {m.label}{when}?" for m in others[:1]]
    return tuple(dict.fromkeys(found))[:MOST] or (f"What is the {metric.label}?",)


def _nearest(question: str, model: SemanticModel) -> list[Metric]:
    """The metrics that share words with a question; where none does, those that mean something near."""
    said = {root(w) for w in name_words(question)}
    measures = [m for m in model.metrics if m.aggregation is not Aggregation.COUNT] or list(model.metrics)
    shared = [(len(said & _roots(m)) / len(_roots(m)), m) for m in measures if _roots(m)]
    named = [m for share, m in sorted(shared, key=lambda s: (-s[0], _interest(s[1]))) if share]
    if named or not measures:
        return named
    from gnomon.embedding import get_encoder

    encoder = get_encoder()
    alike = encoder.encode([m.label for m in measures]) @ encoder.encode_question(question)
    return [measures[int(i)] for i in (-alike).argsort(kind="stable")[:2]]


def _roots(metric: Metric) -> frozenset[str]:
    words = {root(w) for n in (metric.label, *metric.synonyms) for w in name_words(n)}
    return frozenset(words - {"averag", "number", "of", "total", "rate"})


def _dimension(question: str, metric: Metric, model: SemanticModel) -> Dimension | None:
    said = {root(w) for w in name_words(question)}
    groups = [d for d in reachable(model, metric) if not d.personal]
    return next(
        (d for d in groups if said & {root(w) for w in name_words(d.label)}), groups[0] if groups else None
    )


def _when(question: str, metric: Metric, model: SemanticModel, today: date) -> str:
    """The time that a question names, as it names it, where the data has those days."""
    time = model.time_dimension(metric)
    days = time.coverage if time is not None else None
    for mention in find_times(question, today):
        period = mention.period
        if mention.kind == "period" and period and days and days[0] <= period.end and period.start <= days[1]:
            return f" {in_range(period)}"
    return ""
