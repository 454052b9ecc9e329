"""Shares in words: of a whole, within groups, along time, against the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.answering.conditions import condition, is_named
from gnomon.answering.plan import PERIOD
from gnomon.answering.plan_studies import rest_name
from gnomon.answering.tell_scalar import repeats, value_of
from gnomon.answering.tell_series import partial_periods, whole_rows
from gnomon.answering.tell_table import draw, group_in, grouped_by, leaders, one_in, row_name, tell_breakdown
from gnomon.answering.telling import Row, Telling
from gnomon.answering.words import is_count, is_number, noun, slug, was, way
from gnomon.core.answer import Fact
from gnomon.core.figures import PERCENT, POINTS, capital, figure, group_name, listed
from gnomon.core.parts import Filter
from gnomon.core.query import TimeGranularity
from gnomon.language.time_names import as_day, in_period, period_of, range_name, recurring
from gnomon.semantic.model import Aggregation, plural
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart

_FEW = 6


def tell_share(t: Telling) -> None:
    """A part of a whole in percent."""
    metric, asked = t.metric(), t.request.share
    of_all = asked.whole or t.request.metrics[0]
    part_value, whole_value = value_of(t), value_of(t, "whole", of=of_all)
    columns, rows = t.rows("shares")
    percent: Any = rows[0][columns.index("share")] if rows else None
    if (given := t.result.retrieved.get("share")) is not None and given.rows:
        ratio = given.rows[0][-1]
        percent = 100 * ratio if is_number(ratio) else None
    if percent is None and part_value == 0 and is_number(whole_value) and whole_value > 0:
        percent = 0.0
    both = (*t.request.filters, *t.request.part)
    share = t.fact(f"{t.name()}.share", percent, PERCENT, role="shares", filters=both)
    part = t.fact(f"{t.name()}.part", part_value, metric.unit, filters=both, period=asked.days)
    whole = t.fact(f"{t.name()}.whole", whole_value, metric.unit, role="whole", metric=of_all)
    own = of_all != t.request.metrics[0]
    who = noun(metric) if own else part_name(t, t.request.part)
    of = f"{metric.per}s" if own and metric.per else _whole_of(t)
    of = f"{of}{t.where()}" if is_count(metric) else of
    if share.value is None:
        t.lead(f"the share of {who} in {of}{t.when()} is unknown: the whole is {t.say(whole)}")
        return
    one = len(t.request.part) == 1 and len(t.request.part[0].values) == 1
    one = one and is_named(t.request.part[0], t.model)
    verb = "made" if t.request.time_range is not None else "makes" if one else "make"
    half = ("yes: " if share.value > 50 else "no: ") if asked.majority and is_number(share.value) else ""
    who = f"{half}{who}" if half else capital(who)
    t.lead(f"{who} {verb} up {t.say(share)} of {of}{t.when()}: {t.say(part)} of {t.say(whole)}")
    main, all_rows = t.main, t.result.retrieved.get("whole")
    if all_rows is not None and not own and repeats(t, metric, part_value, main) and all_rows.rows_used:
        used = (
            t.fact("rows.part", main.rows_used, filters=both),
            t.fact("rows.whole", all_rows.rows_used, role="whole"),
        )
        by_rows = t.fact("rows.share", 100 * main.rows_used / all_rows.rows_used, PERCENT, filters=both)
        t.told.lead += f" By rows it is {t.say(by_rows)}: {t.say(used[0])} of {t.say(used[1])}."


def _whole_of(t: Telling) -> str:
    """What shares are of."""
    return noun(t.metric()) if is_count(t.metric()) else t.subject()


def part_name(t: Telling, part: tuple[Filter, ...]) -> str:
    """What makes a part, as the subject of a sentence."""
    if (days := t.request.share.days) is not None:
        return range_name(days)
    if (again := t.request.share.recurring) is not None:
        return recurring(again).split(" ", 1)[1]
    if len(part) == 1 and is_named(part[0], t.model):
        return listed([group_name(v) for v in part[0].values])
    things = {f.by for f in part if f.having}
    by = things.pop() if len(things) == 1 else None
    metric = t.metric()
    tables = t.model.base_tables(metric) if by is None else ()
    rows = plural(t.label(by) if by is not None else t.model.table(tables[0]).label if tables else "row")
    if by is None and metric.aggregation is Aggregation.COUNT_DISTINCT and metric.inner is None:
        rows = noun(metric)
    return f"{rows} with {listed([condition(f, t.model) for f in part])}"


def tell_shares(t: Telling) -> None:
    """Each group's share of the whole, or the share of the first of them together."""
    metric, reference = t.metric(), t.request.metrics[0]
    names, rows = t.rows("shares")
    if not t.main.rows:
        t.nothing()
        return
    if not rows:
        tell_breakdown(t)
        return
    share, limit, high = names.index("share"), t.request.limit, t.request.descending
    if (within := t.request.share.within) in names:
        _tell_within(t, within, names, rows)
        return
    rows = tuple(sorted(rows, key=lambda r: r[share] or 0, reverse=high))
    if t.request.part and limit:
        rows = rows[:limit]
    t.table(names, rows)
    side, total = "top" if high else "bottom", t.result.calculated["shares"].get("total")
    if limit and reference in names and limit > 1:
        part = sum(r[names.index(reference)] or 0 for r in rows)
        first = 100 * part / total if total else None
        percent = t.fact(f"{t.name()}.{side}.share", first, PERCENT, role="shares")
        made = t.fact(f"{t.name()}.{side}.part", part, metric.unit, role="shares")
        whole = t.fact(f"{t.name()}.whole", total, metric.unit, role="whole")
        label = plural(grouped_by(t))
        count = t.fact(f"{slug(label)}.count", len(rows))
        made_up = f"{t.say(percent)} of {t.subject()}{t.when()}: {t.say(made)} of {t.say(whole)}"
        t.lead(f"the {side} {t.say(count)} {label} made up {made_up}")
    else:
        group, who = group_in(t, names, rows[0]), row_name(t, names, rows[0])
        percent = t.fact(f"{t.name()}.{side}_share", rows[0][share], PERCENT, role="shares", group=group)
        if total is not None:
            end = f"made up the {'largest' if high else 'smallest'} share of {_whole_of(t)}"
            t.told.lead = f"{capital(who)} {end}{t.when()}: {t.say(percent)}."
        else:
            end = "highest" if high else "lowest"
            t.told.lead = f"The share was {end} for {who}{t.when()}: {t.say(percent)}."
    draw(t, names, rows, "share")


def _tell_within(t: Telling, within: str, names: tuple[str, ...], rows: Sequence[Row]) -> None:
    """Shares within each group: the largest of each."""
    place, share = names.index(within), names.index("share")
    rows = sorted(rows, key=lambda r: (str(r[place]), -(r[share] or 0)))
    t.table(names, rows)

    def said(group: Any, row: Row) -> str:
        about: dict[str, Any] = {"role": "shares", "group": group_in(t, names, row)}
        fact = t.fact(f"{t.name()}.{slug(group_name(group))}.top_share", row[share], PERCENT, **about)
        return f"{one_in(t, names, row, within)} ({t.say(fact)})"

    first = f"the largest share of {_whole_of(t)}{t.when()}"
    t.told.lead = f"Within each {t.label(within)}, {first}: {leaders(rows, place, said)}."


def tell_shares_along(t: Telling) -> None:
    """The share of a part in every period; of several groups, the one that led at the end."""
    names, rows = t.rows("shares")
    grain, limit = t.plan.grain, t.request.limit
    if not rows or grain is None or not t.result.retrieved["whole"].rows:
        t.nothing()
        return
    share, when = names.index("share"), names.index(PERIOD)
    rows = tuple(sorted((r for r in rows if r[when] is not None), key=lambda r: r[when]))
    known = [r for r in rows if is_number(r[share])]
    whole = whole_rows(t, known, when, grain)
    whole = whole if len(whole) > 1 else known
    if limit is not None and not t.request.dimensions:
        whole = sorted(whole, key=lambda r: r[share], reverse=t.request.descending)[:limit]
        rows = tuple(whole)
    t.table(names, rows)
    if not whole:
        t.lead(f"the shares of {_whole_of(t)}{t.when()} are unknown")
    elif t.request.dimensions:
        _tell_leader(t, names, whole, grain)
    elif not t.request.part or limit is not None:
        _tell_end(t, names, whole, grain)
    else:
        _tell_part(t, names, whole, grain)
    t.told.caveats += partial_periods(t, [r[when] for r in rows], grain) if limit is None else []


def _at(t: Telling, name: str, names: Sequence[str], row: Row, grain: TimeGranularity) -> tuple[Fact, str]:
    """The share of one period as a fact, and when that was."""
    share, start = row[names.index("share")], row[names.index(PERIOD)]
    about: dict[str, Any] = {
        "period": period_of(as_day(start), grain),
        "filters": (*t.request.filters, *t.request.part),
    }
    return t.fact(f"{t.name()}.{name}", share, PERCENT, role="shares", **about), in_period(start, grain)


def _tell_part(t: Telling, names: Sequence[str], rows: Sequence[Row], grain: TimeGranularity) -> None:
    """From where to where one part went, and its ends."""
    share = names.index("share")
    end, now = _at(t, "share.end", names, rows[-1], grain)
    lead = f"{capital(part_name(t, t.request.part))} made up {t.say(end)} of {_whole_of(t)} {now}"
    if len(rows) == 1:
        t.told.lead = f"{lead}."
        return
    start, then = _at(t, "share.start", names, rows[0], grain)
    size = rows[-1][share] - rows[0][share]
    t.fact(f"{t.name()}.share.change", size, POINTS, role="shares")
    went = f"{way(size)} {figure(abs(size), POINTS)}" if size else "unchanged"
    t.told.lead = f"{lead}, {went} from {t.say(start)} {then}."
    high, low = max(rows, key=lambda r: r[share]), min(rows, key=lambda r: r[share])
    if len(rows) > 2 and high[share] != low[share]:
        top, highest = _at(t, "share.highest", names, high, grain)
        bottom, lowest = _at(t, "share.lowest", names, low, grain)
        t.more(f"the share was highest {highest} ({t.say(top)}) and lowest {lowest} ({t.say(bottom)})")


def _tell_end(t: Telling, names: Sequence[str], rows: Sequence[Row], grain: TimeGranularity) -> None:
    """The period in which a share was largest, or the period that was the largest part."""
    low = t.request.limit is not None and not t.request.descending
    row = (min if low else max)(rows, key=lambda r: r[names.index("share")])
    end = "lowest" if low else "highest"
    fact, when = _at(t, f"share.{end}", names, row, grain)
    part = f"{part_name(t, t.request.part)} in " if t.request.part else ""
    t.lead(f"the share of {part}{_whole_of(t)} was {end} {when}: {t.say(fact)}")


def _tell_leader(t: Telling, names: Sequence[str], rows: Sequence[Row], grain: TimeGranularity) -> None:
    """The group with the largest share in the last whole period."""
    share, when = names.index("share"), names.index(PERIOD)
    last = max(r[when] for r in rows)
    top = max((r for r in rows if r[when] == last), key=lambda r: r[share])
    groups = {d: group_name(top[names.index(d)]) for d in t.request.dimensions}
    about: dict[str, Any] = {"group": groups, "period": period_of(as_day(last), grain)}
    fact = t.fact(f"{t.name()}.top_share", top[share], PERCENT, role="shares", **about)
    made_up = f"made up the largest share of {_whole_of(t)} {in_period(last, grain)}"
    t.told.lead = f"{capital(t.named(groups))} {made_up}: {t.say(fact)}."


def tell_rest_shares(t: Telling) -> None:
    """The share in what is named, in all other groups together, and in each of them."""
    dimension = t.request.dimensions[0]
    label, who = t.label(dimension), part_name(t, t.request.part)
    part = _amounts(t, "main", dimension)
    whole = {g: n for g, n in _amounts(t, "whole", dimension).items() if n}
    shares = {g: 100 * part.get(g, 0) / n for g, n in whole.items()}
    ours, others = ([g for g in shares if (g in t.groups) is held] for held in (True, False))
    if not ours or not others:
        t.lead(f"there is nothing to compare {listed(t.groups)} with")
        return
    rest = 100 * sum(part.get(g, 0) for g in others) / sum(whole[g] for g in others)
    about: dict[str, Any] = {"role": "shares", "metric": ""}
    facts = {
        g: t.fact(f"{slug(who)}.{slug(g)}_share", s, PERCENT, **about, group={dimension: g})
        for g, s in shares.items()
    }
    together = t.fact(f"{slug(who)}.rest_share", rest, PERCENT, **about)
    told = listed([f"{t.say(facts[g])} for {g}" for g in ours])
    all_others = f"{t.say(together)} for {rest_name(label)} together"
    t.lead(f"the share of {who}{t.when()} {was('share')} {told}, against {all_others}")
    ordered = sorted(shares, key=lambda g: -shares[g])
    shown = [f"{g} {t.say(facts[g])}" for g in ordered if g in others][:_FEW]
    t.more(f"the others: {listed(shown)}")
    rows = [(g, part.get(g, 0), whole[g], shares[g]) for g in ordered]
    t.plain_table("shares", (label, "part", "whole", "share in %"), rows)
    t.draw(bar_chart(t.told.lead, [(r[0], r[3]) for r in rows], label, Axis("share", PERCENT)))


def _amounts(t: Telling, role: str, dimension: str) -> dict[str, float]:
    """The amount of each group that a retrieval gave."""
    given = t.result.retrieved.get(role)
    if given is None:
        return {}
    at, value = given.columns.index(dimension), given.columns.index(t.request.metrics[0])
    return {str(r[at]): r[value] for r in given.rows if r[at] is not None and is_number(r[value])}
