"""Shares told in words: of the whole, of the first few together, within each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.agents.figures import PERCENT, group_name, listed, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_tables import (
    LEADERS_IN_PROSE,
    draw,
    group_in,
    grouped_by,
    one_in,
    row_name,
    tell_breakdown,
    tell_nothing,
)
from gnomon.agents.telling_words import (
    cased,
    is_count,
    noun,
)
from gnomon.agents.workflow_post import frame_rows, table_of
from gnomon.semantic.model import plural


def _tell_within(t: Telling, within: str, names: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> None:
    """Shares within each group: the largest of each."""
    place, share = names.index(within), names.index("share")
    rows = sorted(rows, key=lambda r: (str(r[place]), -(r[share] or 0)))
    t.told.tables.append(table_of(t.result, slug(t.metric().label), names, tuple(rows)))
    first: dict[Any, Sequence[Any]] = {}
    for row in rows:
        first.setdefault(row[place], row)
    named: list[str] = []
    for group, row in list(first.items())[:LEADERS_IN_PROSE]:
        fact = t.fact(
            f"{t.name()}.{slug(group_name(group))}.top_share", row[share], PERCENT, role="shares", group=group_in(t, names, row)
        )  # fmt: skip
        named.append(f"{one_in(t, names, row, within)} ({t.say(fact)})")
    more = " and others" if len(first) > LEADERS_IN_PROSE else ""
    of = noun(t.metric()) if is_count(t.metric()) else t.subject()
    each = t.model.dimension(within).label
    t.told.lead = f"Within each {each}, the largest share of {of}{t.when()}: {listed(named)}{more}."


def tell_shares(t: Telling) -> None:
    """Each group's share of the whole, or the share of the first of them together."""
    metric, reference = t.metric(), t.request.metrics[0]
    output = t.result.calculated.get("shares", {})
    names, rows = frame_rows(output.get("rows"))
    if not t.main.rows:
        tell_nothing(t)
        return
    if not rows:
        tell_breakdown(t)
        return
    share = names.index("share")
    if (within := t.request.share.within) in names:
        _tell_within(t, within, names, rows)
        return
    rows = tuple(sorted(rows, key=lambda r: r[share] or 0, reverse=t.request.descending))
    if t.request.part and t.request.limit:
        rows = rows[: t.request.limit]
    t.told.tables.append(table_of(t.result, slug(metric.label), names, rows))
    top = rows[0]
    if t.request.limit and reference in names and t.request.limit > 1:
        at = names.index(reference)
        part = sum(r[at] or 0 for r in rows)
        total = output.get("total")
        side = "top" if t.request.descending else "bottom"
        percent = t.fact(
            f"{t.name()}.{side}.share", 100 * part / total if total else None, PERCENT, role="shares"
        )
        made = t.fact(f"{t.name()}.{side}.part", part, metric.unit, role="shares")
        whole = t.fact(f"{t.name()}.whole", total, metric.unit, role="whole")
        label = plural(grouped_by(t))
        count = t.fact(f"{slug(label)}.count", len(rows))
        t.told.lead = sentence(f"the {side} {t.say(count)} {label} made up {t.say(percent)} of {t.subject()}{t.when()}: {t.say(made)} of {t.say(whole)}")  # fmt: skip
    else:
        group = group_in(t, names, top)
        place = "top" if t.request.descending else "bottom"
        percent = t.fact(f"{t.name()}.{place}_share", top[share], PERCENT, role="shares", group=group)
        who = row_name(t, names, top)
        of = noun(metric) if is_count(metric) else t.subject()
        if output.get("total") is not None:
            end = "largest" if t.request.descending else "smallest"
            t.told.lead = f"{cased(who)} made up the {end} share of {of}{t.when()}: {t.say(percent)}."
        else:
            end = "highest" if t.request.descending else "lowest"
            t.told.lead = f"The share was {end} for {who}{t.when()}: {t.say(percent)}."
    draw(t, names, rows, "share")
