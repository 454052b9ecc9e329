"""The template for two periods group by group: the table, the groups that moved most, and both beside each other."""

from __future__ import annotations

from typing import Any

from gnomon.agents.drawing_periods import cut_parts, draw_periods, not_whole
from gnomon.agents.figures import PERCENT, figure, group_name, labelled, listed, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_periods import in_range
from gnomon.agents.telling_tables import tell_breakdown
from gnomon.agents.telling_values import tell_incomparable
from gnomon.agents.workflow_post import frame_rows, table_of
from gnomon.core.request import Tell, Way
from gnomon.semantic.model import plural

MOVED_TOLD = 5


def tell_periods_by_group(t: Telling) -> None:
    """Two periods, group by group: the table, and the groups that moved most."""
    columns, rows = frame_rows(t.result.calculated.get("change", {}).get("rows"))
    metric = t.metric()
    if not rows:
        tell_incomparable(t)
        tell_breakdown(t)
        return
    at = columns.index("change_pct" if Tell.PERCENT in t.request.tells else "change")
    cut_short = cut_parts(t)
    whole = [
        r
        for r in rows
        if isinstance(r[at], (int, float)) and not {str(v) for v in r} & {part for _, part in cut_short}
    ]
    known = whole or [r for r in rows if isinstance(r[at], (int, float))]
    moved = t.request.claim.moved
    if moved is not None:
        known = [r for r in known if (r[at] > 0 if moved is Way.UP else r[at] < 0)]
        rows = tuple(known)
    if t.request.limit is not None and known:
        # "which category grew the most": the groups in the order of their change, cut where it was asked
        known.sort(key=lambda r: r[at], reverse=t.request.descending)
        known = known[: t.request.limit]
        rows = tuple(known)
    t.told.tables.append(table_of(t.result, slug(metric.label), columns, rows))
    if moved is not None and t.request.limit is None:
        _tell_moved(t, [dict(zip(columns, r, strict=True)) for r in known], moved)
        draw_periods(t, columns, rows)
        return
    ends = [max(known, key=lambda r: r[at]), min(known, key=lambda r: r[at])] if known else []
    cut = t.request.limit is not None
    said = [_moved_group(t, dict(zip(columns, r, strict=True))) for r in dict.fromkeys(ends) if r[at] or cut]
    what = f"{t.subject()}{t.when()}"
    t.told.lead = sentence(f"{what}: {'; '.join(said)}" if said else f"{what} did not change in any group")
    if whole and cut_short:
        t.told.caveats.append(f"{not_whole(cut_short)}, so that is not among them")
    draw_periods(t, columns, rows)
    wanted = ends and (ends[0][at] > 0 if t.request.descending else ends[-1][at] < 0)
    if cut and ends and not wanted:  # "the biggest increase", where nothing rose
        label = t.result.labels.get(t.request.dimensions[0], t.request.dimensions[0])
        t.told.lead = f"There is no such {label}. The nearest to it: {what}: {'; '.join(said)}."


def _tell_moved(t: Telling, rows: list[dict[str, Any]], way: Way) -> None:
    """The groups that moved the way that was asked for, those that moved furthest first, and how many they are."""
    dimension = t.request.dimensions[0]
    label = t.result.labels.get(dimension, dimension)
    fell = "rose" if way is Way.UP else "fell"
    count = t.fact(f"{slug(dimension)}.count", len(rows), role="change")
    if not rows:
        t.told.lead = f"There is no {label} of which this is true."
        return
    rows = sorted(rows, key=lambda r: -abs(r["change"]))
    names = [labelled(group_name(r[dimension]), label) for r in rows]
    there = (
        f"There is {t.say(count)} {label}" if len(rows) == 1 else f"There are {t.say(count)} {plural(label)}"
    )
    among = ", among them" if len(rows) > MOVED_TOLD else ":"
    said = "; ".join(_moved_group(t, r) for r in rows[:MOVED_TOLD])
    t.told.lead = f"{there} of which {t.subject()} {fell}{among} {listed(names[:MOVED_TOLD])}."
    t.told.more.append(sentence(f"{t.subject()}{t.when()}: {said}"))


def _moved_group(t: Telling, row: dict[str, Any]) -> str:
    """One group with its two values: West rose by $20, from $100 in February 2024 to $120."""
    by, unit = list(t.request.dimensions), t.metric().unit
    group = {d: group_name(row[d]) for d in by}
    name = " · ".join(labelled(g, t.result.labels.get(d, d)) for d, g in group.items())
    other = t.request.comparison.period if t.request.comparison else None
    about: dict[str, Any] = {"group": group, "unit": unit, "role": "change"}
    now = t.fact(f"{t.name()}.{slug(name)}.current", row["current"], **about)
    before = t.fact(f"{t.name()}.{slug(name)}.previous", row["previous"], **about, period=other)
    t.fact(f"{t.name()}.{slug(name)}.change", row["change"], **about)
    way = "up" if row["change"] > 0 else "down"
    size = figure(abs(row["change"]), unit)
    if Tell.PERCENT in t.request.tells:
        percent = t.fact(
            f"{t.name()}.{slug(name)}.change_pct", row["change_pct"], group=group, unit=PERCENT, role="change"
        )
        size = figure(abs(row["change_pct"]), PERCENT) if percent.value is not None else size
        t.told.facts.remove(percent)
        t.told.facts.insert(t.told.facts.index(now), percent)  # what was asked for comes first
    when = f" {in_range(other)}" if other else ""
    way = f"{way} {size}" if row["change"] else "unchanged"
    return f"{t.say(now)} for {name}, {way} from {t.say(before)}{when}"
