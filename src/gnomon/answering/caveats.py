"""What limits an answer: rows left out, bounds that the data gave, days that it does not have."""

from __future__ import annotations

from gnomon.answering.plan_kinds import OUTSIDE, Bound, bounds_of, ranges_of
from gnomon.answering.telling import Telling
from gnomon.answering.words import are, column_of, counted, slug, without_value
from gnomon.core.figures import capital, group_name, listed
from gnomon.core.query import TimeGranularity
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.model import Additivity, Aggregation, Metric, plural
from gnomon.semantic.wording import AGAINST


def tell_caveats(t: Telling) -> None:
    """What limits the answer: what the plan knew, nulls, levels that are averaged, cut rows."""
    for i, bound in enumerate(bounds_of(t.request, t.model)):
        _tell_bound(t, bound, f"bound{i}")
    _tell_outside(t)
    for error in t.result.errors:
        t.note(f"A part is missing: {error}")
    for day in t.plan.bounds:
        t.bound(day)
    given = t.result.retrieved.values()
    known = [*t.plan.caveats, *t.result.doubts, *dict.fromkeys(n for g in given for n in g.notes)]
    t.told.caveats += [capital(text) for text in known]
    for reference, label, count in _without_value(t):
        t.fact(f"{slug(reference)}.rows_without_value", count, metric=reference)
        t.note(without_value(count, label))
    for metric in map(t.model.metric, t.request.metrics):
        many_days = t.request.time_range is None or t.request.time_range.days > 1
        if metric.additivity is Additivity.SEMI_ADDITIVE and many_days:
            t.note(f"{capital(metric.label)} is a level: it is averaged over time, not added up")
    for metric in dict.fromkeys(
        m.name for r in t.request.metrics for m in t.model.base_metrics(t.model.metric(r))
    ):
        if made := _made_of(t.model.metric(metric)):
            t.note(made)
    if any(g.truncated for g in given):
        t.note("Not all rows fit into the answer; the first of them are shown")


def _made_of(metric: Metric) -> str:
    """What a figure that no column holds is computed from: revenue, of quantities and prices."""
    columns = names_in(metric.expression) if metric.expression and metric.formula is None else ()
    how = metric.description.removesuffix(", summed.").rstrip(".")
    if len(set(columns)) < 2 or not how or metric.aggregation is not Aggregation.SUM:
        return ""
    return f"{capital(metric.label)} is {how[:1].lower()}{how[1:]}"


def _without_value(t: Telling) -> list[tuple[str, str, int]]:
    """What rows have no value of: a metric, or the column that several of them are computed from; with how many."""
    given, told = t.result.retrieved.get("main"), list[tuple[str, str, int]]()
    nulls = {m: n for m, n in given.nulls.items() if n and m in t.request.metrics} if given else {}
    columns: dict[tuple[str | None, str | None], list[str]] = {}
    for reference in nulls:
        metric = t.model.metric(reference)
        columns.setdefault((metric.table, metric.expression), []).append(reference)
    for (table, expression), references in columns.items():
        metric = t.model.metric(references[0])
        held = column_of(metric, t.model)
        alone = len({nulls[r] for r in references}) == 1  # a condition of its own may leave out more rows
        if len(references) > 1 and held is not None and alone:
            column = (expression or "").strip("`")
            told.append((f"{Aggregation.COUNT}({table}.{column})", held.label, nulls[references[0]]))
            continue
        told += [(r, t.model.metric(r).label, nulls[r]) for r in references[: 1 if alone else None]]
    return told


def _tell_bound(t: Telling, bound: Bound, role: str) -> None:
    """A sentence and a fact for a bound that was computed; one for each group as a table beside the answer."""
    given = t.result.retrieved.get(role)
    if given is None or not given.rows:
        return
    label = t.model.metric(bound.metric).label
    if bound.query.dimensions:
        by = [t.label(d) for d in bound.query.dimensions]
        rows = [(*(group_name(v) for v in row[:-1]), row[-1]) for row in given.rows]
        t.plain_table("bounds", (*by, label), rows)
        t.note(f"Each is held against the {label} of its own {listed(by)}, not of all {plural(by[0])}")
    elif given.rows[0][-1] is not None:
        _tell_one(t, bound, role, given.rows[0][-1])


def _tell_one(t: Telling, bound: Bound, role: str, value: float) -> None:
    metric, held = t.model.metric(bound.metric), bound.condition
    of_groups = metric.inner is not None and metric.per is not None
    inside = held.having and bound.metric not in t.request.metrics  # the answer has a metric of its own
    name = "bound" if inside else f"{slug(bound.metric)}.bound"
    own = "" if inside else bound.metric
    made = t.fact(name, value, metric.unit, role=role, metric=own, filters=())
    said = f"the {metric.label}{'' if held.having else ' over all rows'}"
    if held.relative is not None and of_groups:
        per = metric.per if metric.per in set(TimeGranularity) else t.label(str(metric.per))
        said = f"{AGAINST[held.relative.how]} per {per}"
    elif held.relative is not None and inside:
        said = AGAINST[held.relative.how]
    said += f" is {t.say(made)}"
    if held.values:
        times = float(str(held.values[0]))
        t.fact("multiplied_by", times, None, role=role, metric="", filters=())
        whole = t.fact("limit", value * times, metric.unit, role=role, metric="", filters=())
        said += f"; the bound is {t.say(whole)}"
    t.more(said)


def _tell_outside(t: Telling) -> None:
    """How many rows are in none of the groups, if any are."""
    given, reference = t.result.retrieved.get(OUTSIDE), ranges_of(t.request)
    many = int(given.rows[0][0] or 0) if given is not None and given.rows else 0
    if reference is None or not many:
        return
    t.plain("rows_in_no_range", many, role=OUTSIDE)
    lies = "lies" if many == 1 else "lie"
    t.note(
        f"{counted(many, 'row')} {lies} in none of the ranges of {t.label(reference)} and {are(many)} left out"
    )
