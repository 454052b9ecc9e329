"""Shares along time: what part of each period something made up, and what part of the whole each period was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.agents.figures import PERCENT, POINTS, figure, group_name, labelled, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_periods import as_day, in_period, period_of
from gnomon.agents.telling_tables import tell_nothing
from gnomon.agents.telling_trend import is_partial, partial_periods
from gnomon.agents.telling_values import part_name
from gnomon.agents.telling_words import cased, is_count, noun
from gnomon.agents.workflow_kinds import PERIOD
from gnomon.agents.workflow_post import frame_rows, table_of
from gnomon.core.answer import Fact
from gnomon.core.query import TimeGranularity

Row = Sequence[Any]


def tell_shares_along(t: Telling) -> None:
    """The share of a part in every period; of several groups, the one that led at the end."""
    names, rows = frame_rows(t.result.calculated.get("shares", {}).get("rows"))
    grain = t.plan.grain
    if not rows or grain is None or not t.result.retrieved["whole"].rows:
        tell_nothing(t)
        return
    share, when = names.index("share"), names.index(PERIOD)
    rows = tuple(sorted((r for r in rows if r[when] is not None), key=lambda r: r[when]))
    known = [r for r in rows if isinstance(r[share], (int, float))]
    whole = [r for r in known if not is_partial(t, r[when], grain)]
    whole = whole if len(whole) > 1 else known
    if t.request.limit is not None and not t.request.dimensions:
        whole = sorted(whole, key=lambda r: r[share], reverse=t.request.descending)[: t.request.limit]
        rows = tuple(whole)
    t.told.tables.append(table_of(t.result, slug(t.metric().label), names, rows))
    if not whole:
        t.told.lead = sentence(f"the shares of {_whole(t)}{t.when()} are unknown")
    elif t.request.dimensions:
        _tell_leader(t, names, whole, grain)
    elif not t.request.part or t.request.limit is not None:
        _tell_end(t, names, whole, grain)
    else:
        _tell_part(t, names, whole, grain)
    t.told.caveats += partial_periods(t, [r[when] for r in rows], grain) if t.request.limit is None else []


def _whole(t: Telling) -> str:
    return noun(t.metric()) if is_count(t.metric()) else t.subject()


def _fact(t: Telling, name: str, names: Sequence[str], row: Row, grain: TimeGranularity) -> Fact:
    share, when = names.index("share"), names.index(PERIOD)
    return t.fact(
        f"{t.name()}.{name}",
        row[share],
        PERCENT,
        role="shares",
        period=period_of(as_day(row[when]), grain),
        filters=(*t.request.filters, *t.request.part),
    )


def _tell_part(t: Telling, names: Sequence[str], rows: Sequence[Row], grain: TimeGranularity) -> None:
    """From where to where one part went, and its ends."""
    share, when = names.index("share"), names.index(PERIOD)
    who, of, last = cased(part_name(t, t.request.part)), _whole(t), rows[-1]
    end = _fact(t, "share.end", names, last, grain)
    if len(rows) == 1:
        t.told.lead = f"{who} made up {t.say(end)} of {of} {in_period(last[when], grain)}."
        return
    start = _fact(t, "share.start", names, rows[0], grain)
    change = t.fact(f"{t.name()}.share.change", last[share] - rows[0][share], POINTS, role="shares")
    size = change.value if isinstance(change.value, (int, float)) else 0.0
    way = f"{'up' if size > 0 else 'down'} {figure(abs(size), POINTS)}" if size else "unchanged"
    t.told.lead = f"{who} made up {t.say(end)} of {of} {in_period(last[when], grain)}, {way} from {t.say(start)} {in_period(rows[0][when], grain)}."  # fmt: skip
    high, low = max(rows, key=lambda r: r[share]), min(rows, key=lambda r: r[share])
    if len(rows) > 2 and high[share] != low[share]:
        top, bottom = (
            _fact(t, "share.highest", names, high, grain),
            _fact(t, "share.lowest", names, low, grain),
        )
        t.told.more.append(
            f"The share was highest {in_period(high[when], grain)} ({t.say(top)}) and lowest {in_period(low[when], grain)} ({t.say(bottom)})."
        )


def _tell_end(t: Telling, names: Sequence[str], rows: Sequence[Row], grain: TimeGranularity) -> None:
    """The period in which a share was largest, or the period that was the largest part."""
    share, when = names.index("share"), names.index(PERIOD)
    low = t.request.limit is not None and not t.request.descending
    row = min(rows, key=lambda r: r[share]) if low else max(rows, key=lambda r: r[share])
    fact = _fact(t, "share.lowest" if low else "share.highest", names, row, grain)
    what = f"the share of {part_name(t, t.request.part)} in {_whole(t)}" if t.request.part else f"the share of {_whole(t)}"  # fmt: skip
    t.told.lead = sentence(
        f"{what} was {'lowest' if low else 'highest'} {in_period(row[when], grain)}: {t.say(fact)}"
    )


def _tell_leader(t: Telling, names: Sequence[str], rows: Sequence[Row], grain: TimeGranularity) -> None:
    """The group with the largest share in the last whole period."""
    share, when = names.index("share"), names.index(PERIOD)
    last = max(r[when] for r in rows)
    top = max((r for r in rows if r[when] == last), key=lambda r: r[share])
    groups = {d: group_name(top[names.index(d)]) for d in t.request.dimensions}
    who = " · ".join(labelled(g, t.result.labels.get(d, d)) for d, g in groups.items())
    fact = t.fact(
        f"{t.name()}.top_share", top[share], PERCENT, role="shares", group=groups, period=period_of(as_day(last), grain)
    )  # fmt: skip
    t.told.lead = (
        f"{cased(who)} made up the largest share of {_whole(t)} {in_period(last, grain)}: {t.say(fact)}."
    )
