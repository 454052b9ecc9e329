"""What a change is made of beside its places, in words: shifting shares, a few days, rows that came twice."""

from __future__ import annotations

from gnomon.agents.insight.exposition import Exposition, is_worse, place_name
from gnomon.agents.insight.findings import WHAT, WHY, moved, named
from gnomon.agents.insight.paths import AnalyticalMethod
from gnomon.analytics.relative import percent_change
from gnomon.answering.words import fact_figure
from gnomon.core.figures import PERCENT, moment
from gnomon.language.time_names import in_range
from gnomon.semantic.model import plural

_TELLS = 0.3


def composition(e: Exposition) -> None:
    """Tell what of the diagnosis is neither a place nor a cause."""
    _mix(e)
    _odd_days(e)
    _copies(e)


def by_day(e: Exposition) -> float | None:
    """Where the periods differ in length and that tells on their totals, what they come to a day, and its change."""
    d = e.found
    days, before = d.current.days, d.previous.days
    if days == before or e.is_ratio or d.change.change_percent is None:
        return None
    now, then = d.change.after / days, d.change.before / before
    percent = percent_change(then, now)
    if percent is None or abs(percent - d.change.change_percent) <= _TELLS * abs(d.change.change_percent):
        return None
    name, unit = named(d.metric), e.metric.unit
    facts = [
        e.fact(f"{name}.by_day.current", now, unit, period=d.current),
        e.fact(f"{name}.by_day.previous", then, unit, period=d.previous),
        e.fact(f"{name}.by_day.change_pct", percent, PERCENT),
        e.ledger.fact("days.current", days, "days", period=d.current),
        e.ledger.fact("days.previous", before, "days", period=d.previous),
    ]
    here, there, moves, many, fewer = facts
    e.say(
        WHAT,
        f"The periods differ in length, {fact_figure(many)} against {fact_figure(fewer)}: on average a day it was "
        f"{fact_figure(here)}, {moved(moves)} from {fact_figure(there)}",
        facts,
    )
    return percent


def odd_time(e: Exposition) -> str:
    """When it happened, as closely as it is known."""
    odd = e.found.odd_days
    span = odd.span if odd is not None else None
    return in_range(span or e.found.current)


def _things(e: Exposition) -> str:
    table = e.metric.table or next(iter(e.model.tables)).name
    return plural(e.model.table(table).label)


def _whole(e: Exposition) -> str:
    """What shares are of: the rows that an average is over, or whatever else a ratio is."""
    return f"the {_things(e)}" if e.metric.formula is None else "it all"


def _mix(e: Exposition) -> None:
    mix = e.found.mix
    if mix is None:
        return
    label = e.metric.label
    segment = ((mix.dimension, mix.value),)
    group, where = e.group(segment), place_name(segment, e.model)
    after = e.fact("mix.share.current", 100 * mix.after, PERCENT, period=e.found.current, group=group)
    before = e.fact("mix.share.previous", 100 * mix.before, PERCENT, period=e.found.previous, group=group)
    own = e.fact("mix.own", mix.own, e.metric.unit, group=group)
    effect = e.effect("mix.effect", mix.effect)
    within = e.effect("mix.within.effect", mix.within)
    groups = plural(e.model.dimension(mix.dimension).label)
    text = (
        f"Mix: {where} made up {fact_figure(after)} of {_whole(e)}, {fact_figure(before)} before, with {label} of "
        f"{fact_figure(own)}. The shift between {groups} alone takes it {moved(effect)}, and what changed within them "
        f"{moved(within)}"
    )
    e.say(WHY, text, [after, before, own, effect, within], where, label, groups)
    e.find(
        "mix", AnalyticalMethod.DRIVER_ANALYSIS, worse=is_worse(mix.effect, e.metric.direction),
        words={"segment": where, "metric": label, "groups": groups}, facts={"effect": effect},
        weight=3 * abs(mix.effect),
    )  # fmt: skip


def _odd_days(e: Exposition) -> None:
    odd = e.found.odd_days
    if odd is None:
        return
    label = e.metric.label
    first, last = e.ledger.fact("odd_days.first", odd.first), e.ledger.fact("odd_days.last", odd.last)
    count = e.ledger.fact("odd_days.count", odd.count)
    when = in_range(odd.span) if odd.span else (
        f"on {fact_figure(count)} days between {moment(odd.first)} and {moment(odd.last)}"
    )  # fmt: skip
    value = e.fact("odd_days.value", odd.value, e.metric.unit, period=odd.span)
    usual = e.fact("odd_days.usual", e.estimate(odd.usual), e.metric.unit, period=odd.span)
    share = e.share("odd_days.share", odd.share, {})
    facts = [first, last, count, value, usual, *([share] if share else [])]
    lead = "there are no rows at all" if odd.empty else f"{label} came to {fact_figure(value)}"
    text = f"When: {when} {lead}, where {fact_figure(usual)} is usual"
    if share is not None:
        text += f"; that is {fact_figure(share)} of the change"
    e.say(WHY, text, facts, label, when)
    if odd.empty:
        e.find(
            "gap", AnalyticalMethod.CAUSE_ANALYSIS, words={"metric": label, "when": when}, facts={"effect": usual},
            weight=3 * abs(odd.usual),
        )  # fmt: skip


def _copies(e: Exposition) -> None:
    copies = e.found.copies
    if copies is None:
        return
    things = _things(e)
    after = e.ledger.fact("copies.current", copies.after, period=e.found.current)
    rows = e.ledger.fact("copies.rows", copies.rows, period=e.found.current)
    before = e.ledger.fact("copies.previous", copies.before, period=e.found.previous)
    text = (
        f"Rows: {fact_figure(after)} of {fact_figure(rows)} {things} {in_range(e.found.current)} repeat another row "
        f"exactly, against {fact_figure(before)} {in_range(e.found.previous)}; they look as if they were loaded again"
    )
    e.say(WHY, text, [after, rows, before], things)
    e.find(
        "copies", AnalyticalMethod.CAUSE_ANALYSIS, words={"metric": e.metric.label, "things": things},
        facts={"count": after}, weight=4 * abs(e.found.change.change),
    )  # fmt: skip
