"""Two periods, group by group, as a picture; months and quarters that the data cuts short are told and drawn apart."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from gnomon.agents.figures import group_name, listed
from gnomon.agents.telling import Telling
from gnomon.agents.telling_periods import range_name
from gnomon.agents.workflow_post import axis, in_calendar_order
from gnomon.agents.workflow_scope import Scope, whole_days
from gnomon.core.figures import capital
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.calendar import OF_GRAIN
from gnomon.tools.chart_beside import beside_chart

_PARTS = {
    "@month": (TimeGranularity.MONTH, lambda day: calendar.month_name[day.month]),
    "@quarter": (TimeGranularity.QUARTER, lambda day: f"Q{(day.month + 2) // 3}"),
}


def cut_parts(t: Telling) -> list[tuple[str, str]]:
    """The months or quarters of two years that the data has only some days of, each with the year it is cut in."""
    known = next((_PARTS[d] for d in t.request.dimensions if d in _PARTS), None)
    covered = whole_days(Scope(coverage=t.plan.coverage, time=t.plan.time))
    later, earlier = t.request.time_range, t.request.comparison.period if t.request.comparison else None
    if known is None or covered is None or later is None or earlier is None:
        return []
    grain, named = known
    return [
        (range_name(period), named(day))
        for period in (later, earlier)
        for day in _starts(period, grain)
        if _is_cut(day, grain, covered)
    ]


def _starts(period: TimeRange, grain: TimeGranularity) -> list[date]:
    """The first days of the parts of a period."""
    unit, day = OF_GRAIN[grain], period.start
    found: list[date] = []
    while day <= period.end and len(found) < 12:
        found.append(unit.floor(day))
        day = unit.last_day(unit.floor(day)) + timedelta(days=1)
    return found


def _is_cut(start: date, grain: TimeGranularity, covered: tuple[date, date]) -> bool:
    last = OF_GRAIN[grain].last_day(start)
    return start <= covered[1] < last or start < covered[0] <= last


def not_whole(cut: Sequence[tuple[str, str]]) -> str:
    """Say which parts are not whole: September 2025 is not whole in the data."""
    return f"{listed([f'{part} of {period}' for period, part in cut])} {'is' if len(cut) == 1 else 'are'} not whole in the data"


def draw_periods(t: Telling, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Each group with its value in both periods."""
    later, earlier = t.request.time_range, t.request.comparison.period if t.request.comparison else None
    if later is None or earlier is None or len(t.request.dimensions) != 1 or len(rows) < 2:
        return
    by = t.request.dimensions[0]
    places = [columns.index(c) for c in (by, "current", "previous")]
    drawn = [tuple(r[i] for i in places) for r in in_calendar_order(t.result, columns, rows)]
    cut = cut_parts(t)
    notes = [not_whole(cut)] if cut else []
    title, measured = t.told.lead, axis(t.request.metrics[0], t.result)
    if by.startswith("@"):
        title = f"{capital(t.subject())} by {t.result.labels.get(by, by)} in {range_name(later)} and {range_name(earlier)}"
    t.told.charts.append(
        beside_chart(
            title, [(group_name(r[0]), *r[1:]) for r in drawn], t.result.labels.get(by, by), measured,
            (range_name(later), range_name(earlier)), along=by.startswith("@"), cut=cut, notes=notes,
        )
    )  # fmt: skip
