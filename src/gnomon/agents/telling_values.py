"""Templates for one value, two periods, groups against each other, a share."""

from __future__ import annotations

from typing import Any

from gnomon.agents.figures import (
    PERCENT,
    POINTS,
    POINTS_IN,
    figure,
    group_name,
    labelled,
    listed,
    moment,
    sentence,
    told_apart,
)
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_cells import spelt_out
from gnomon.agents.telling_periods import in_range, range_name
from gnomon.agents.telling_words import (
    cased,
    condition,
    conditions,
    is_count,
    is_named,
    is_plural,
    noun,
    one,
    recurring,
    spoken_label,
    was,
)
from gnomon.agents.workflow_kinds import compared_dimension
from gnomon.agents.workflow_post import frame_rows, table_of
from gnomon.core.answer import AnswerStatus, Fact
from gnomon.core.request import Filter, Tell
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
    empty = rows is None or rows.rows_used == 0
    zero = metric.formula is None and metric.inner is None and metric.aggregation in _ZERO_WHEN_EMPTY
    return 0 if value is None and empty and zero and rows is not None else value


def tell_value(t: Telling) -> None:
    """One value for each metric, each in a sentence."""
    said: list[str] = []
    for i, reference in enumerate(t.request.metrics):
        metric = t.metric(i)
        value = settled(cell(t.main, reference), metric, t.main)
        fact = t.fact(t.name(i), value, metric.unit, metric=spelt_out(t, reference))
        said.append(stated(t, metric, fact, t.when()))
    if t.request.claim.measures and len(said) == 2:
        first, second = t.told.facts[-2:]
        said = [verdict(t, first.value, second.value) + said[0], said[1] + _measures_apart(t)]
    t.told.lead = " ".join(sentence(s) for s in said)
    if t.main.rows_used == 0:
        _tell_empty(t)


def _measures_apart(t: Telling) -> str:
    """How one measure stands to another one in the same unit, as the end of a sentence."""
    first, second = t.told.facts[-2:]
    if not isinstance(first.value, (int, float)) or not isinstance(second.value, (int, float)):
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
    if claim is None or not isinstance(first, (int, float)) or not isinstance(second, (int, float)):
        return ""
    return "Yes: " if (first > second if claim == ">" else first < second) else "No: "


def _tell_empty(t: Telling) -> None:
    """No row meets the question: a number of them is 0, what is taken over them cannot be told."""
    none = sentence(f"No rows meet the question{t.where()}{t.when()}")
    t.told.lead = f"{none} {t.told.lead}"
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
    if is_count(metric) and isinstance(value, (int, float)):
        there = "was" if value == 1 else "were"
        what = noun(metric) if value != 1 else one(noun(metric))
        return f"there {there} {'no' if value == 0 else t.say(fact)} {what}{about}{when}"
    if value is None:
        return f"{metric.label}{about}{when} is unknown: there is no value to compute it from"
    return f"{spoken_label(metric, t.model)}{about} {was(metric.label)} {t.say(fact)}{when}"


def moved(change: float | None, percent: Fact | None) -> str:
    """The direction and size of a change: up 7.4 %, down 3 %, unchanged."""
    if change is None:
        return ""
    if change == 0:
        return "unchanged"
    size = (
        f" {figure(abs(float(percent.value)), PERCENT)}"
        if percent and isinstance(percent.value, (int, float))
        else ""
    )
    return f"{'up' if change > 0 else 'down'}{size}"


def tell_periods(t: Telling) -> None:
    """The same metric in two periods."""
    other = t.request.comparison.period if t.request.comparison else None
    leads: list[str] = []
    for i, reference in enumerate(t.request.metrics):
        metric, name = t.metric(i), t.name(i)
        now = settled(cell(t.main, reference), metric, t.main)
        current = t.fact(f"{name}.current", now, metric.unit, metric=reference)
        lead = stated(t, metric, current, t.when())
        if "previous" not in t.result.retrieved or other is None:
            leads.append(sentence(lead))
            continue
        earlier = t.result.retrieved["previous"]
        before = settled(cell(earlier, reference), metric, earlier)
        previous = t.fact(
            f"{name}.previous", before, metric.unit, role="previous", metric=reference, period=other
        )
        yes = verdict(t, current.value, previous.value) if i == 0 else ""
        leads.append(sentence(f"{yes}{lead}{against(t, i, metric, current, previous)}"))
    t.told.lead = " ".join(leads)
    tell_incomparable(t)


def tell_incomparable(t: Telling) -> None:
    """Say where there is nothing to compare with."""
    other = t.request.comparison.period if t.request.comparison else None
    if other is not None and "previous" not in t.result.retrieved:
        t.told.status = AnswerStatus.PARTIAL
        t.fact("compared.rows", 0, metric="", period=other)
        t.told.caveats.append(f"The data has nothing {in_range(other)}, so there is nothing to compare with")


def against(t: Telling, place: int, metric: Metric, current: Fact, previous: Fact) -> str:
    """How a value compares with the one before, as the end of a sentence."""
    other = previous.about.period
    name, when = t.name(place), f" {in_range(other)}" if other else ""
    role = "change" if place == 0 else f"change_{place + 1}"
    columns, rows = frame_rows(t.result.calculated.get(role, {}).get("rows"))
    row = dict(zip(columns, rows[0], strict=True)) if rows else {}
    now, before = current.value, previous.value
    if not isinstance(now, (int, float)) or not isinstance(before, (int, float)):
        known = "it is unknown" if previous.value is None else f"it was {t.say(previous)}"
        return f"; {known}{when}"
    change = row.get("change")
    change = now - before if change is None else change
    scale, unit = told_apart(metric.unit) or (0, metric.unit)
    difference = t.fact(f"{name}.change", (scale or 1) * change, unit, role=role, metric=metric.name)
    percent = t.fact(f"{name}.change_pct", row.get("change_pct"), PERCENT, role=role, metric=metric.name)
    size = float(difference.value) if isinstance(difference.value, (int, float)) else 0.0
    if size == 0:
        return f", unchanged from {t.say(previous)}{when}"
    if percent.value is None:
        none = "none" if before == 0 else t.say(previous)
        return f", {'up' if size > 0 else 'down'} from {none}{when}"
    if scale:
        return f", {'up' if size > 0 else 'down'} {figure(abs(size), unit)} from {t.say(previous)}{when}"
    if Tell.DIFFERENCE in t.request.tells:
        t.told.facts.remove(difference)
        t.told.facts.insert(0, difference)  # what was asked for comes first
        gap = f"{figure(abs(size), metric.unit)} {'more' if size > 0 else 'less' if metric.unit else 'fewer'}"
        return f", {gap} than the {t.say(previous)}{when}: {moved(size, percent)}"
    if Tell.PERCENT in t.request.tells:
        t.told.facts.remove(percent)
        t.told.facts.insert(0, percent)
    return f", {moved(size, percent)} from {t.say(previous)}{when}"


def tell_groups(t: Telling) -> None:
    """Groups of one dimension against each other."""
    dimension = compared_dimension(t.request) or ""
    groups = t.request.comparison.groups if t.request.comparison else ()
    metric, reference = t.metric(), t.request.metrics[0]
    if any(d != dimension for d in t.request.dimensions):
        from gnomon.agents.telling_tables import tell_breakdown

        tell_breakdown(t)  # one of its rows is not what a group comes to
        return
    others = tuple(f for f in t.request.filters if f.having or f.field != dimension)
    place = t.main.columns.index(dimension) if dimension in t.main.columns else 0
    rows = [(str(r[place]), r[t.main.columns.index(reference)]) for r in t.main.rows]
    # As they are written, where they are; else however they are: rows may hold both Luna and LUNA.
    found = {name.casefold(): value for name, value in rows} | dict(rows)
    facts: list[Fact] = []
    label = t.result.labels.get(dimension, dimension)
    for group in groups:
        key = str(group) if str(group) in found else str(group).casefold()
        value = found.get(key)
        zero = settled(None, metric, t.main.model_copy(update={"rows_used": 0}))
        value = zero if value is None and key not in found else value
        shown = labelled(group, label) if group in ("True", "False") else group
        facts.append(
            t.fact(f"{t.name()}.{slug(group)}", value, metric.unit, group={dimension: shown}, filters=others)
        )
    t.told.tables.append(table_of(t.result, slug(metric.label), t.main.columns, t.main.rows))
    about = conditions(others, t.model)
    about = f" {about}" if about else ""
    named = [f"{t.say(f)} for {labelled(g, label)}" for f, g in zip(facts, groups, strict=True)]
    yes = verdict(t, facts[0].value, facts[1].value) if len(facts) == 2 else ""
    lead = f"{yes}{metric.label}{about}{t.when()} {was(metric.label)} {listed(named)}"
    t.told.lead = sentence(lead + _difference(t, facts, tuple(labelled(g, label) for g in groups), metric))


def _difference(t: Telling, facts: list[Fact], groups: tuple[str, ...], metric: Metric) -> str:
    if len(facts) != 2 or not all(isinstance(f.value, (int, float)) for f in facts):
        return ""
    a, b = (float(f.value) if isinstance(f.value, (int, float)) else 0.0 for f in facts)
    given = t.result.calculated.get("difference", {})
    exact: Any = given.get("difference")
    first, second = facts[0].value, facts[1].value
    if exact is None and isinstance(first, (int, float)) and isinstance(second, (int, float)):
        exact = first - second
    scale = POINTS_IN.get(metric.unit or "")  # two rates differ by points
    apart = scale * exact if scale and exact is not None else exact
    asked = Tell.DIFFERENCE in t.request.tells
    gap = abs(apart) if asked and isinstance(apart, (int, float)) else apart  # a distance has no sign
    fact = t.fact(f"{t.name()}.difference", gap, POINTS if scale else metric.unit, role="difference")
    if asked:
        t.told.facts.remove(fact)
        t.told.facts.insert(0, fact)  # how far they lie apart is what was asked for
    ratio: Any = given.get("ratio")
    if ratio is None and b:
        ratio = a / b
    if ratio is not None:
        t.fact(f"{t.name()}.ratio", ratio, None, role="difference")
    if not isinstance(fact.value, (int, float)) or fact.value == 0:
        return ", the same for both"
    if Tell.RATIO in t.request.tells and isinstance(ratio, (int, float)):
        many = "many" if is_count(metric) or is_plural(metric.label) else "much"
        return f": {figure(ratio)} times as {many} for {groups[0]} as for {groups[1]}"
    less = "fewer" if is_count(metric) or is_plural(metric.label) else "less"
    if asked and a < b:
        a, b, groups = b, a, groups[::-1]
    more = "more" if a > b else less
    return f": {figure(abs(fact.value), fact.unit)} {more} for {groups[0]} than for {groups[1]}"


def tell_benchmark(t: Telling) -> None:
    """A value against a yardstick."""
    metric, reference = t.metric(), t.request.metrics[0]
    value = settled(cell(t.main, reference), metric, t.main)
    current = t.fact(f"{t.name()}.current", value, metric.unit)
    yardstick = t.request.comparison.yardstick if t.request.comparison is not None else None
    given = t.result.retrieved.get("benchmark")
    level: Any = (
        yardstick
        if isinstance(yardstick, (int, float))
        else (given.rows[0][-1] if given and given.rows else None)
    )
    previous = t.fact(f"{t.name()}.benchmark", level, metric.unit, role="benchmark", filters=())
    label = (t.request.comparison.label if t.request.comparison else "") or "the whole"
    lead = stated(t, metric, current, t.when())
    if isinstance(value, (int, float)) and isinstance(level, (int, float)):
        difference = t.fact(f"{t.name()}.change", value - level, metric.unit)
        percent = t.fact(f"{t.name()}.change_pct", change_pct(value, level), PERCENT)
        side = "above" if value > level else "below" if value < level else "level with"
        by = (
            f"{figure(abs(float(percent.value)), PERCENT)} "
            if isinstance(percent.value, (int, float)) and difference.value
            else ""
        )
        lead += f", {by}{side} {label} ({t.say(previous)})"
    t.told.lead = sentence(lead)
    if Tell.BENCHMARK in t.request.tells:
        t.told.facts[:] = [previous, *(f for f in t.told.facts if f is not previous)]
        t.told.lead, t.told.more = (
            sentence(f"the benchmark was {t.say(previous)}"),
            [t.told.lead, *t.told.more],
        )


def tell_share(t: Telling) -> None:
    """A part of a whole in percent."""
    metric, reference = t.metric(), t.request.metrics[0]
    part_value = settled(cell(t.main, reference), metric, t.main)
    whole_rows = t.result.retrieved.get("whole")
    of_all = t.request.share.whole or reference
    whole_value = settled(cell(whole_rows, of_all), metric, whole_rows)
    columns, rows = frame_rows(t.result.calculated.get("shares", {}).get("rows"))
    percent: Any = rows[0][columns.index("share")] if rows else None
    if (given := t.result.retrieved.get("share")) is not None and given.rows:
        ratio = given.rows[0][-1]
        percent = 100 * ratio if isinstance(ratio, (int, float)) else None
    if percent is None and part_value == 0 and isinstance(whole_value, (int, float)) and whole_value > 0:
        percent = 0.0
    both = (*t.request.filters, *t.request.part)
    share = t.fact(f"{t.name()}.share", percent, PERCENT, role="shares", filters=both)
    part = t.fact(f"{t.name()}.part", part_value, metric.unit, filters=both, period=t.request.share.days)
    whole = t.fact(f"{t.name()}.whole", whole_value, metric.unit, role="whole", metric=of_all)
    who = noun(metric) if of_all != reference else part_name(t, t.request.part)
    of = noun(metric) if is_count(metric) else t.subject()
    of = f"{metric.per}s" if of_all != reference and metric.per else of
    of = f"{of}{t.where()}" if is_count(metric) else of
    if share.value is None:
        t.told.lead = sentence(
            f"the share of {who} in {of}{t.when()} is unknown: the whole is {t.say(whole)}"
        )
        return
    part_of = t.request.part
    one = len(part_of) == 1 and is_named(part_of[0], t.model) and len(part_of[0].values) == 1
    verb = "made" if t.request.time_range is not None else "makes" if one else "make"
    half = _more_than_half(t, share.value)
    t.told.lead = sentence(
        f"{half}{who if half else cased(who)} {verb} up {t.say(share)} of {of}{t.when()}: {t.say(part)} of {t.say(whole)}"
    )


def _more_than_half(t: Telling, share: Any) -> str:
    """Yes or no, where it was asked whether a part is most of the whole."""
    if not t.request.share.majority or not isinstance(share, (int, float)):
        return ""
    return "yes: " if share > 50 else "no: "


def part_name(t: Telling, part: tuple[Filter, ...]) -> str:
    """What makes a part, as the subject of a sentence."""
    if (days := t.request.share.days) is not None:
        return range_name(days)
    if (again := t.request.share.recurring) is not None:
        return recurring(again).split(" ", 1)[1]
    if len(part) == 1 and is_named(part[0], t.model):
        return listed([group_name(v) for v in part[0].values])
    things = {f.by for f in part if f.having}
    if len(things) == 1 and (by := things.pop()) is not None:
        bounds = [condition(f, t.model) for f in part]
        return f"{plural(t.model.dimension(by).label)} with {listed(bounds)}"
    tables = t.model.base_tables(t.metric())
    rows = t.model.table(tables[0]).label if tables else "row"
    return f"{plural(rows)} with {listed([condition(f, t.model) for f in part])}"
