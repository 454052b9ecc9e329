"""Two sides in words: two periods, two groups, a group and the rest, and the groups in which a change happened."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from typing import Any

from gnomon.answering.plan import compared_dimension, other_filters
from gnomon.answering.plan_studies import rest_name
from gnomon.answering.run import axis, in_calendar_order
from gnomon.answering.scope import SAME_DAYS, Scope, compared_periods, earlier_part, whole_days
from gnomon.answering.tell_scalar import against, cell, moved, settled, stated, value_of, verdict
from gnomon.answering.tell_table import tell_breakdown
from gnomon.answering.telling import Row, Telling
from gnomon.answering.words import are, is_count, is_number, is_plural, labelled, ordinal, slug, was, way
from gnomon.core.answer import AnswerStatus, Fact
from gnomon.core.figures import (
    PERCENT,
    POINTS,
    POINTS_IN,
    capital,
    figure,
    group_name,
    listed,
    moment,
    sentence,
)
from gnomon.core.operations import Tell, Way
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.calendar import OF_GRAIN
from gnomon.language.time_names import in_range, range_name
from gnomon.semantic.model import Additivity, DimensionType, plural
from gnomon.tools.chart_beside import beside_chart
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart

MOVED_TOLD = 5
_FEW = 6
_FLAGS = {"true": "yes", "1": "yes", "false": "no", "0": "no"}
_PARTS = {
    "@month": (TimeGranularity.MONTH, lambda day: calendar.month_name[day.month]),
    "@quarter": (TimeGranularity.QUARTER, lambda day: f"Q{(day.month + 2) // 3}"),
}
Group = tuple[str, Any]

# Two periods ----------------------------------------------------------------------------------------------------------


def tell_two_periods(t: Telling) -> None:
    """The same metric in two periods, and over the same days of both where the later one is not over."""
    if t.request.dimensions:
        _tell_periods_by_group(t)
        return
    alike, asked = _over_same_days(t), t.request.time_range
    _tell_periods(t, judged=alike is None)
    if alike is None or asked is None or t.plan.coverage is None:
        return
    part, before, change, percent = alike
    metric = t.metric()
    name, role = f"{t.name()}.{SAME_DAYS}", f"change_{SAME_DAYS}"
    then = t.fact(name, before, metric.unit, role=SAME_DAYS, period=part)
    size = t.fact(f"{name}.change_pct", percent, PERCENT, role=role)
    days = TimeRange(start=asked.start, end=t.plan.coverage[1])
    now = t.fact(f"{t.name()}.so_far", value_of(t), metric.unit, period=days)
    # A period that is not over is no fall against a whole one, so the days that both have come first.
    said = f"{stated(t, metric, now, f' {in_range(days)}')}, {moved(change, size)} from {t.say(then)} {in_range(part)}"
    t.lead_before(f"{verdict(t, change, 0)}{said}")


def _over_same_days(t: Telling) -> tuple[TimeRange, float, float, float] | None:
    """The days of the earlier period that the later one has too, what it came to in them, and the change since."""
    part = earlier_part(t.request, t.model, Scope(coverage=t.plan.coverage))
    columns, rows = t.rows(f"change_{SAME_DAYS}")
    if t.result.retrieved.get(SAME_DAYS) is None or part is None or not rows:
        return None
    row = dict(zip(columns, rows[0], strict=True))
    before, change, percent = value_of(t, SAME_DAYS), row.get("change"), row.get("change_pct")
    if not is_number(before) or not is_number(change) or not is_number(percent):
        return None
    return part, before, change, percent


def _tell_periods(t: Telling, *, judged: bool = True) -> None:
    """The same metric in two periods.

    Args:
        t: What is told.
        judged: Whether a claim about them is judged by these figures.
    """
    leads: list[str] = []
    for i, reference in enumerate(t.request.metrics):
        metric, name = t.metric(i), t.name(i)
        current = t.fact(f"{name}.current", value_of(t, place=i), metric.unit, metric=reference)
        lead = stated(t, metric, current, t.when())
        if "previous" not in t.result.retrieved or t.other is None:
            leads.append(sentence(lead))
            continue
        about: dict[str, Any] = {"role": "previous", "metric": reference, "period": t.other}
        previous = t.fact(f"{name}.previous", value_of(t, "previous", i), metric.unit, **about)
        yes = verdict(t, current.value, previous.value) if i == 0 and judged else ""
        leads.append(sentence(f"{yes}{lead}{against(t, i, metric, current, previous)}"))
    t.told.lead = " ".join(leads)
    _tell_incomparable(t)


def _tell_incomparable(t: Telling) -> None:
    """Say where there is nothing to compare with."""
    if t.other is not None and "previous" not in t.result.retrieved:
        t.told.status = AnswerStatus.PARTIAL
        t.fact("compared.rows", 0, metric="", period=t.other)
        t.note(f"The data has nothing {in_range(t.other)}, so there is nothing to compare with")


def _tell_periods_by_group(t: Telling) -> None:
    """Two periods, group by group: the table, and the groups that moved most."""
    columns, rows = t.rows("change")
    if not rows:
        _tell_incomparable(t)
        tell_breakdown(t)
        return
    at = columns.index("change_pct" if Tell.PERCENT in t.request.tells else "change")
    cut_short, limit, way_asked = _cut_parts(t), t.request.limit, t.request.claim.moved
    numbers = [r for r in rows if is_number(r[at])]
    whole = [r for r in numbers if not {str(v) for v in r} & {part for _, part in cut_short}]
    known = whole or numbers
    if way_asked is not None:
        known = [r for r in known if (r[at] > 0 if way_asked is Way.UP else r[at] < 0)]
        rows = tuple(known)
    if limit is not None and known:
        # "which category grew the most": the groups in the order of their change, cut where it was asked
        known = sorted(known, key=lambda r: r[at], reverse=t.request.descending)[:limit]
        rows = tuple(known)
    t.table(columns, rows)
    if way_asked is not None and limit is None:
        _tell_moved(t, [dict(zip(columns, r, strict=True)) for r in known], way_asked)
        _draw_periods(t, columns, rows)
        return
    ends = [max(known, key=lambda r: r[at]), min(known, key=lambda r: r[at])] if known else []
    cut = limit is not None
    said = [_moved_group(t, dict(zip(columns, r, strict=True))) for r in dict.fromkeys(ends) if r[at] or cut]
    what = f"{t.subject()}{t.when()}"
    t.lead(f"{what}: {'; '.join(said)}" if said else f"{what} did not change in any group")
    if whole and cut_short:
        t.note(f"{_not_whole(cut_short)}, so that is not among them")
    _draw_periods(t, columns, rows)
    wanted = ends and (ends[0][at] > 0 if t.request.descending else ends[-1][at] < 0)
    if cut and ends and not wanted:  # "the biggest increase", where nothing rose
        label = t.result.labels.get(t.request.dimensions[0], t.request.dimensions[0])
        t.told.lead = f"There is no such {label}. The nearest to it: {what}: {'; '.join(said)}."


def _tell_moved(t: Telling, rows: list[dict[str, Any]], asked: Way) -> None:
    """The groups that moved the way that was asked for, those that moved furthest first, and how many they are."""
    dimension = t.request.dimensions[0]
    label = t.result.labels.get(dimension, dimension)
    count = t.fact(f"{slug(dimension)}.count", len(rows), role="change")
    if not rows:
        t.told.lead = f"There is no {label} of which this is true."
        return
    rows = sorted(rows, key=lambda r: -abs(r["change"]))
    names = [labelled(group_name(r[dimension]), label) for r in rows]
    there, noun = ("There is", label) if len(rows) == 1 else ("There are", plural(label))
    among = ", among them" if len(rows) > MOVED_TOLD else ":"
    said = "; ".join(_moved_group(t, r) for r in rows[:MOVED_TOLD])
    fell = f"{t.subject()} {'rose' if asked is Way.UP else 'fell'}"
    t.told.lead = f"{there} {t.say(count)} {noun} of which {fell}{among} {listed(names[:MOVED_TOLD])}."
    t.more(f"{t.subject()}{t.when()}: {said}")


def _moved_group(t: Telling, row: dict[str, Any]) -> str:
    """One group with its two values: West rose by $20, from $100 in February 2024 to $120."""
    group = {d: group_name(row[d]) for d in t.request.dimensions}
    name, unit = t.named(group), t.metric().unit
    about: dict[str, Any] = {"group": group, "unit": unit, "role": "change"}
    under = f"{t.name()}.{slug(name)}"
    now = t.fact(f"{under}.current", row["current"], **about)
    before = t.fact(f"{under}.previous", row["previous"], **about, period=t.other)
    t.fact(f"{under}.change", row["change"], **about)
    size = figure(abs(row["change"]), unit)
    if Tell.PERCENT in t.request.tells:
        percent = t.fact(f"{under}.change_pct", row["change_pct"], PERCENT, group=group, role="change")
        size = figure(abs(row["change_pct"]), PERCENT) if percent.value is not None else size
        t.told.facts.remove(percent)
        t.told.facts.insert(t.told.facts.index(now), percent)  # what was asked for comes first
    when = f" {in_range(t.other)}" if t.other else ""
    went = f"{way(row['change'])} {size}" if row["change"] else "unchanged"
    return f"{t.say(now)} for {name}, {went} from {t.say(before)}{when}"


def _cut_parts(t: Telling) -> list[tuple[str, str]]:
    """The months or quarters of two years that the data has only some days of, each with the year it is cut in."""
    known = next((_PARTS[d] for d in t.request.dimensions if d in _PARTS), None)
    covered = whole_days(Scope(coverage=t.plan.coverage, time=t.plan.time))
    later, earlier = t.request.time_range, t.other
    if known is None or covered is None or later is None or earlier is None:
        return []
    unit, named = OF_GRAIN[known[0]], known[1]
    starts = sorted({unit.floor(day) for day in covered})
    cut = [s for s in starts if s < covered[0] or covered[1] < unit.last_day(s)]
    held = [(p, s) for p in (later, earlier) for s in cut if s <= p.end and unit.last_day(s) >= p.start]
    return [(range_name(period), named(start)) for period, start in held]


def _not_whole(cut: Sequence[tuple[str, str]]) -> str:
    """Say which parts are not whole: September 2025 is not whole in the data."""
    return f"{listed([f'{part} of {period}' for period, part in cut])} {are(len(cut))} not whole in the data"


def _draw_periods(t: Telling, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Each group with its value in both periods."""
    later, earlier = t.request.time_range, t.other
    if later is None or earlier is None or len(t.request.dimensions) != 1 or len(rows) < 2:
        return
    by, both = t.request.dimensions[0], (range_name(later), range_name(earlier))
    label, along = t.result.labels.get(by, by), by.startswith("@")
    group, *values = (columns.index(c) for c in (by, "current", "previous"))
    ordered = in_calendar_order(t.result, columns, rows)
    drawn = [(group_name(r[group]), *(r[i] for i in values)) for r in ordered]
    cut = _cut_parts(t)
    notes = [_not_whole(cut)] if cut else []
    title = f"{capital(t.subject())} by {label} in {' and '.join(both)}" if along else t.told.lead
    measured = axis(t.request.metrics[0], t.result)
    t.draw(beside_chart(title, drawn, label, measured, both, along=along, cut=cut, notes=notes))


def tell_cause(t: Telling) -> None:
    """A change and the groups in which most of it happened."""
    metric = t.metric()
    days, other = compared_periods(t.request, Scope(coverage=t.plan.coverage, time=t.plan.time))
    now, before = value_of(t), value_of(t, "previous")
    current = t.fact(f"{t.name()}.current", now, metric.unit, period=days)
    previous = t.fact(f"{t.name()}.previous", before, metric.unit, role="previous", period=other)
    t.lead(stated(t, metric, current, f" {in_range(days)}") + against(t, 0, metric, current, previous))
    if is_number(now) and is_number(before) and now != before:
        _tell_drivers(t, now - before)
    t.note("This shows where the change happened, which is not yet why")
    if t.plan.coverage is not None and other.start < t.plan.coverage[0] <= other.end:
        begins = t.plan.coverage[0]
        t.note(f"The data begins on {moment(begins)}, so {range_name(other)} is not whole")
        t.bound(begins)


def _tell_drivers(t: Telling, change: float) -> None:
    """For each dimension, the group that moved most in the direction of the whole."""
    found: list[tuple[float, str, str, Any, float]] = []
    for role in t.result.calculated:
        if not role.startswith("driver_"):
            continue
        names, rows = t.rows(role)
        at = names.index("change")
        with_it = [r for r in rows if is_number(r[at]) and r[at] * change > 0]
        if with_it:
            top = max(with_it, key=lambda r: abs(r[at]))
            found.append((abs(top[at]), names[0], role, top[0], top[at]))
    found.sort(key=lambda f: -f[0])
    table: list[Row] = []
    said: list[str] = []
    unit = t.metric().unit
    for size, dimension, role, group, change_of in found:
        label, name = t.label(dimension), group_name(group)
        under = f"{t.name()}.{slug(dimension)}.{slug(name)}.change"
        t.fact(under, change_of, unit, role=role, group={dimension: name})
        table.append((label, name, change_of))
        spoken = labelled(name, label)
        who = f"{name} ({label})" if spoken == name else spoken
        said.append(f"{who} is {way(change_of)} {figure(size, unit)}")
    if said:
        t.more(f"by group: {listed(said[:3])}")
        t.table(("by", "group", "change"), table, "drivers")


# Two groups, and one against the rest ---------------------------------------------------------------------------------


def tell_groups(t: Telling) -> None:
    """Groups of one dimension against each other."""
    dimension, metric = compared_dimension(t.request) or "", t.metric()
    if any(d != dimension for d in t.request.dimensions):
        tell_breakdown(t)  # one of its rows is not what a group comes to
        return
    others = other_filters(t.request)
    place = t.main.columns.index(dimension) if dimension in t.main.columns else 0
    at = t.main.columns.index(t.request.metrics[0])
    rows = [(str(r[place]), r[at]) for r in t.main.rows]
    # As they are written, where they are; else however they are: rows may hold both Luna and LUNA.
    found = {name.casefold(): value for name, value in rows} | dict(rows)
    zero = settled(None, metric, t.main.model_copy(update={"rows_used": 0}))
    label = t.result.labels.get(dimension, dimension)
    facts: list[Fact] = []
    for group in t.groups:
        key = str(group) if str(group) in found else str(group).casefold()
        value = found.get(key, zero)
        shown = labelled(group, label) if group in ("True", "False") else group
        about: dict[str, Any] = {"group": {dimension: shown}, "filters": others}
        facts.append(t.fact(f"{t.name()}.{slug(group)}", value, metric.unit, **about))
    t.table(t.main.columns, t.main.rows)
    names = [labelled(g, label) for g in t.groups]
    said = [f"{t.say(f)} for {name}" for f, name in zip(facts, names, strict=True)]
    yes = verdict(t, facts[0].value, facts[1].value) if len(facts) == 2 else ""
    lead = f"{yes}{metric.label}{t.where(others)}{t.when()} {was(metric.label)} {listed(said)}"
    t.lead(lead + (_difference(t, facts, names) if len(facts) == 2 else ""))


def _difference(t: Telling, facts: list[Fact], groups: list[str]) -> str:
    """How far two groups lie apart, as the end of a sentence."""
    a, b = (f.value for f in facts)
    if not is_number(a) or not is_number(b):
        return ""
    metric, given = t.metric(), t.result.calculated.get("difference", {})
    asked = Tell.DIFFERENCE in t.request.tells
    exact = given.get("difference")
    exact = a - b if exact is None else exact
    scale = POINTS_IN.get(metric.unit or "")  # two rates differ by points
    apart = scale * exact if scale else exact
    gap = abs(apart) if asked else apart  # a distance has no sign
    fact = t.fact(f"{t.name()}.difference", gap, POINTS if scale else metric.unit, role="difference")
    if asked:
        t.first(fact)  # how far they lie apart is what was asked for
    ratio: Any = given.get("ratio")
    if ratio is None and b:
        ratio = float(a) / float(b)
    if ratio is not None:
        t.fact(f"{t.name()}.ratio", ratio, None, role="difference")
    if gap == 0:
        return ", the same for both"
    many = is_count(metric) or is_plural(metric.label)
    if Tell.RATIO in t.request.tells and is_number(ratio):
        return f": {figure(ratio)} times as {'many' if many else 'much'} for {groups[0]} as for {groups[1]}"
    if asked and a < b:
        a, b, groups = b, a, groups[::-1]
    more = "more" if a > b else "fewer" if many else "less"
    return f": {figure(abs(gap), fact.unit)} {more} for {groups[0]} than for {groups[1]}"


def tell_rest(t: Telling) -> None:
    """The figure of the group, of all others together, and where it stands among them."""
    dimension, metric = compared_dimension(t.request) or "", t.metric()
    label = t.label(dimension)
    flag = t.model.dimension(dimension).type is DimensionType.BOOLEAN
    named = [f"{label} {_FLAGS.get(g.lower(), g)}" if flag else g for g in t.groups]
    at, value = t.main.columns.index(dimension), t.main.columns.index(t.request.metrics[0])
    found = [r for r in t.main.rows if r[at] is not None]
    found.sort(key=lambda r: -r[value] if is_number(r[value]) else 0)
    rows = [(f"{label} {group_name(r[at])}" if flag else str(r[at]), r[value]) for r in found]
    t.table(t.main.columns, t.main.rows)
    known = [(g, v) for g, v in rows if is_number(v)]
    ours, others = ([(g, v) for g, v in known if (g in named) is held] for held in (True, False))
    subject = f"{metric.label}{t.where(other_filters(t.request))}{t.when()}"
    if not ours or not others:
        t.lead(f"there is nothing to compare {listed(named)} with: {subject} is known for one side only")
        return
    told = [f"{t.say(_side(t, dimension, g))} for {g[0]}" for g in ours]
    lead = f"{_rest_verdict(t, ours, others)}{subject} {was(metric.label)} {listed(told)}"
    t.lead(f"{lead}, against {_together(t, dimension, label, others)}")
    if len(others) > 1:
        t.more(_among_all(t, dimension, label, ours, others))
    t.draw(bar_chart(t.told.lead, known, label, Axis(metric.label, metric.unit)))


def _side(t: Telling, dimension: str, side: Group) -> Fact:
    """One group of those that are compared, as a fact."""
    about: dict[str, Any] = {"group": {dimension: side[0]}, "filters": other_filters(t.request)}
    return t.fact(f"{t.name()}.{slug(side[0])}", side[1], t.metric().unit, **about)


def _together(t: Telling, dimension: str, label: str, others: list[Group]) -> str:
    """The rest: what adds up by the average of the other groups, anything else computed over all their rows."""
    filters, unit, name = other_filters(t.request), t.metric().unit, rest_name(label)
    if len(others) == 1:
        flag = t.model.dimension(dimension).type is DimensionType.BOOLEAN
        only = "" if flag else f", the only other {label}"
        return f"{t.say(_side(t, dimension, others[0]))} for {others[0][0]}{only}"
    rest = cell(t.result.retrieved.get("rest"), t.request.metrics[0])
    whole = t.fact(f"{t.name()}.rest", rest, unit, role="rest", filters=filters)
    if t.metric().additivity is not Additivity.ADDITIVE:
        return f"{t.say(whole)} for {name} together"
    each = t.fact(f"{t.name()}.rest_average", sum(v for _, v in others) / len(others), unit, filters=filters)
    return f"an average of {t.say(each)} for each of {name} and {t.say(whole)} for all of them"


def _among_all(t: Telling, dimension: str, label: str, ours: list[Group], others: list[Group]) -> str:
    """The place of the first that is named, and the figures of the others, as many as can be read."""
    many, unit = len(ours) + len(others), t.metric().unit
    place = 1 + sum(v > ours[0][1] for _, v in [*ours, *others])
    number = t.plain("groups.count", many)
    t.fact(f"{t.name()}.rank", place, None, group={dimension: ours[0][0]})
    which = {1: "is the highest", many: "is the lowest"}.get(place, f"comes {ordinal(place)}")
    few = len(others) <= _FEW
    shown = others if few else [others[0], others[-1]]
    told = [f"{g[0]} {figure(_side(t, dimension, g).value, unit)}" for g in shown]
    rest = f"the others: {listed(told)}" if few else f"the others reach from {told[1]} to {told[0]}"
    return f"{capital(ours[0][0])} {which} of {t.say(number)} {plural(label)}; {rest}"


def _rest_verdict(t: Telling, ours: list[Group], others: list[Group]) -> str:
    """Yes or no to “more than the others”: for amounts more than any of them, for averages more than all together."""
    claim = t.request.claim.side
    if claim is None:
        return ""
    rest = cell(t.result.retrieved.get("rest"), t.request.metrics[0])
    each = t.metric().additivity is Additivity.ADDITIVE or not is_number(rest)
    bound = [v for _, v in others] if each else [rest]
    met = all((v > max(bound)) if claim == ">" else (v < min(bound)) for _, v in ours)
    return "yes: " if met else "no: "
