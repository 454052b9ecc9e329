"""One value in a sentence: alone, against what it was before, against a yardstick."""

from __future__ import annotations

from typing import Any

from gnomon.answering.telling import Telling
from gnomon.answering.words import is_count, is_number, noun, one, spoken_label, was, way
from gnomon.core.answer import AnswerStatus, Fact
from gnomon.core.figures import PERCENT, POINTS, POINTS_IN, figure, moment, sentence, told_apart
from gnomon.core.operations import Tell
from gnomon.language.time_names import in_range
from gnomon.semantic.model import Aggregation, Metric, plural
from gnomon.semantic.query import Retrieved
from gnomon.tools.calculations import change_pct

_ZERO_WHEN_EMPTY = (Aggregation.SUM, Aggregation.COUNT, Aggregation.COUNT_DISTINCT)


def cell(rows: Retrieved | None, column: str) -> Any:
    """The single value of a column; None where there is no row."""
    if rows is None or not rows.rows or column not in rows.columns:
        return None
    return rows.rows[0][rows.columns.index(column)]


def settled(value: Any, metric: Metric, rows: Retrieved | None) -> Any:
    """A value of a metric; without any row a count or sum is 0, while an average stays unknown."""
    empty = rows is not None and rows.rows_used == 0
    zero = metric.formula is None and metric.inner is None and metric.aggregation in _ZERO_WHEN_EMPTY
    return 0 if value is None and empty and zero else value


def value_of(t: Telling, role: str = "main", place: int = 0, of: str | None = None) -> Any:
    """The value of a metric that a retrieval gave."""
    rows = t.result.retrieved.get(role)
    return settled(cell(rows, of or t.request.metrics[place]), t.metric(place), rows)


def tell_value(t: Telling) -> None:
    """One value for each metric, each in a sentence."""
    said: list[str] = []
    for i, reference in enumerate(t.request.metrics):
        metric = t.metric(i)
        fact = t.fact(t.name(i), value_of(t, place=i), metric.unit, metric=spelt_out(t, reference))
        said.append(f"{stated(t, metric, fact, t.when())}{_in_rows(t, metric, fact) if not i else ''}")
    if t.request.claim.measures and len(said) == 2:
        first, second = t.told.facts[-2:]
        said = [verdict(t, first.value, second.value) + said[0], said[1] + _measures_apart(t, first, second)]
    t.told.lead = " ".join(sentence(s) for s in said)
    if t.main.rows_used == 0:
        _tell_empty(t)


def repeats(t: Telling, metric: Metric, value: Any, rows: Retrieved | None) -> bool:
    """Whether things were counted of which more rows than things meet the conditions."""
    once = metric.aggregation is Aggregation.COUNT_DISTINCT and metric.inner is None and is_number(value)
    asked = t.request
    bound = bool(asked.filters or asked.part or asked.time_range or asked.recurring)
    bound = bound and not any(
        f.having or f.by for f in (*asked.filters, *asked.part)
    )  # which are no conditions on rows
    return once and bound and rows is not None and 0 < value < rows.rows_used


def _in_rows(t: Telling, metric: Metric, fact: Fact) -> str:
    """How many rows speak of the things that were counted: 22 trains, in 24 rows."""
    if not repeats(t, metric, fact.value, t.main) or metric.table is None:
        return ""
    rows = t.fact("rows", t.main.rows_used, metric=f"count({metric.table})")
    return f", in {t.say(rows)} {plural(t.model.table(metric.table).label)}"


def _measures_apart(t: Telling, first: Fact, second: Fact) -> str:
    """How one measure stands to another one in the same unit, as the end of a sentence."""
    if not is_number(first.value) or not is_number(second.value):
        return ""
    apart = first.value - second.value
    scale = POINTS_IN.get(first.unit or "", 1)
    fact = t.fact(f"{t.name()}.difference", scale * apart, POINTS if first.unit in POINTS_IN else first.unit)
    label = spoken_label(t.metric(), t.model)
    if not apart:
        return f", the same as {label}"
    size = figure(abs(float(scale * apart)), fact.unit)
    return f": {label} is {size} {'more' if apart > 0 else 'less'}"


def verdict(t: Telling, first: Any, second: Any) -> str:
    """Yes or no, where the question claims that the first is more, or less, than the second."""
    claim = t.request.claim.side
    if claim is None or not is_number(first) or not is_number(second):
        return ""
    return "Yes: " if (first > second if claim == ">" else first < second) else "No: "


def _tell_empty(t: Telling) -> None:
    """No row meets the question: a number of them is 0, what is taken over them cannot be told."""
    if not t.told.lead.startswith(("There was no ", "There were no ")):  # which says it already
        t.told.lead = f"{sentence(f'No rows meet the question{t.where()}{t.when()}')} {t.told.lead}"
    if all(fact.value is None for fact in t.told.facts):
        t.told.status = AnswerStatus.OUT_OF_SCOPE
        if t.plan.coverage is not None and t.request.time_range is not None:
            first, last = t.plan.coverage
            t.bound(first)
            t.bound(last)
            t.told.lead += " " + sentence(f"The data begins on {moment(first)} and ends on {moment(last)}")


def stated(t: Telling, metric: Metric, fact: Fact, when: str) -> str:
    """A value in a sentence of its own."""
    about, value = t.where(), fact.value
    if is_count(metric) and is_number(value):
        there, what = ("was", one(noun(metric))) if value == 1 else ("were", noun(metric))
        return f"there {there} {'no' if value == 0 else t.say(fact)} {what}{about}{when}"
    if value is None:
        return f"{metric.label}{about}{when} is unknown: there is no value to compute it from"
    return f"{spoken_label(metric, t.model)}{about} {was(metric.label)} {t.say(fact)}{when}"


def moved(change: float | None, percent: Fact | None) -> str:
    """The direction and size of a change: up 7.4 %, down 3 %, unchanged."""
    if not change:
        return "" if change is None else "unchanged"
    size = f" {figure(abs(percent.value), PERCENT)}" if percent and is_number(percent.value) else ""
    return f"{way(change)}{size}"


def against(t: Telling, place: int, metric: Metric, current: Fact, previous: Fact) -> str:
    """How a value compares with the one before, as the end of a sentence."""
    other = previous.about.period
    name, when = t.name(place), f" {in_range(other)}" if other else ""
    role = "change" if place == 0 else f"change_{place + 1}"
    columns, rows = t.rows(role)
    row = dict(zip(columns, rows[0], strict=True)) if rows else {}
    now, before = current.value, previous.value
    if not is_number(now) or not is_number(before):
        known = "it is unknown" if previous.value is None else f"it was {t.say(previous)}"
        return f"; {known}{when}"
    change = row.get("change")
    change = now - before if change is None else change
    scale, unit = told_apart(metric.unit) or (0, metric.unit)
    difference = t.fact(f"{name}.change", (scale or 1) * change, unit, role=role, metric=metric.name)
    percent = t.fact(f"{name}.change_pct", row.get("change_pct"), PERCENT, role=role, metric=metric.name)
    size = float(difference.value) if is_number(difference.value) else 0.0
    if size == 0:
        return f", unchanged from {t.say(previous)}{when}"
    if percent.value is None:
        return f", {way(size)} from {'none' if before == 0 else t.say(previous)}{when}"
    if scale:
        return f", {way(size)} {figure(abs(size), unit)} from {t.say(previous)}{when}"
    if Tell.DIFFERENCE in t.request.tells:
        t.first(difference)
        gap = f"{figure(abs(size), metric.unit)} {'more' if size > 0 else 'less' if metric.unit else 'fewer'}"
        return f", {gap} than the {t.say(previous)}{when}: {moved(size, percent)}"
    if Tell.PERCENT in t.request.tells:
        t.first(percent)
    return f", {moved(size, percent)} from {t.say(previous)}{when}"


def tell_benchmark(t: Telling) -> None:
    """A value against a yardstick."""
    metric, value = t.metric(), value_of(t)
    current = t.fact(f"{t.name()}.current", value, metric.unit)
    level = t.request.comparison.yardstick if t.request.comparison is not None else None
    given = t.result.retrieved.get("benchmark")
    if not is_number(level):
        level = given.rows[0][-1] if given and given.rows else None
    previous = t.fact(f"{t.name()}.benchmark", level, metric.unit, role="benchmark", filters=())
    label = (t.request.comparison.label if t.request.comparison else "") or "the whole"
    lead = stated(t, metric, current, t.when())
    if is_number(value) and is_number(level):
        t.fact(f"{t.name()}.change", value - level, metric.unit)
        percent = t.fact(f"{t.name()}.change_pct", change_pct(value, level), PERCENT)
        side = "above" if value > level else "below" if value < level else "level with"
        size = percent.value if value != level else None
        by = f"{figure(abs(size), PERCENT)} " if is_number(size) else ""
        lead += f", {by}{side} {label} ({t.say(previous)})"
    t.lead(lead)
    if Tell.BENCHMARK in t.request.tells:
        t.first(previous)
        t.lead_before(f"the benchmark was {t.say(previous)}")


def spelt_out(t: Telling, reference: str) -> str:
    """A metric as an aggregation of its column, where others of the request are of the same one.

    Their facts are then told apart by what they are of the column, not by names of which one is part of another.
    """
    metric = t.model.metric(reference)
    column = plain_column(metric)
    alike = [m for m in t.request.metrics if column is not None and plain_column(t.model.metric(m)) == column]
    return f"{metric.aggregation}({column})" if len(alike) > 1 and metric.quantile is None else reference


def plain_column(metric: Metric) -> str | None:
    """The column that a metric aggregates as it is."""
    plain = metric.formula is None and metric.inner is None and not metric.where
    column = (metric.expression or "").strip("`")
    return f"{metric.table}.{column}" if plain and column.isidentifier() and metric.aggregation else None
