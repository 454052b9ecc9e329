"""Templates for the steps of a series: the month with the biggest jump, the year with the steepest fall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from gnomon.agents.figures import PERCENT, figure, listed, sentence, told_apart
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_periods import as_day, in_period, period_of
from gnomon.agents.workflow_kinds import PERIOD
from gnomon.agents.workflow_post import table_of
from gnomon.core.query import TimeGranularity
from gnomon.core.request import Tell, Way

Row = Sequence[Any]
_CALLED = {Way.UP: "rose most", Way.DOWN: "fell most", Way.EITHER: "moved"}
_ENDS = {Way.UP: ".highest", Way.DOWN: ".lowest"}


def tell_steps(t: Telling, way: Way, columns: Sequence[str], rows: Sequence[Row], grain: TimeGranularity, partial: Callable[[Any], bool]) -> None:  # fmt: skip
    """The periods that moved most from the one before, as many as were asked for.

    Args:
        t: What is told.
        way: Which of them.
        columns: Those of ``rows``.
        rows: The series with its changes.
        grain: The length of its periods.
        partial: Whether a period is not whole; such ones are neither told nor compared with.
    """
    by = columns.index("change_pct" if Tell.PERCENT in t.request.tells else "change")
    when = columns.index(PERIOD)
    cut = {as_day(r[when]) for r in rows if r[when] is not None and partial(r[when])}
    whole = [
        r for n, r in enumerate(rows)
        if isinstance(r[by], (int, float)) and as_day(r[when]) not in cut
        and not (n and as_day(rows[n - 1][when]) in cut)
    ]  # fmt: skip
    moved = [r for r in whole if way is Way.EITHER or (r[by] > 0 if way is Way.UP else r[by] < 0)]
    moved.sort(key=lambda r: -abs(r[by]))
    limit = t.request.limit or 1
    told = moved[:limit] + [r for r in moved[limit : limit + 5] if abs(r[by]) == abs(moved[limit - 1][by])]
    t.told.tables.append(table_of(t.result, slug(t.metric().label), tuple(columns), tuple(map(tuple, told))))
    if not told:
        verb = {Way.UP: "rose", Way.DOWN: "fell"}.get(way, "changed")
        t.told.lead = sentence(f"{t.subject()} {verb} from no {grain} to the next{t.when()}")
        return
    steps = [_step(t, columns, r, grain, "" if n else _ENDS.get(way, "")) for n, r in enumerate(told)]
    t.told.lead = sentence(f"{t.subject()} {_CALLED[way]} {listed(steps)}")


def _step(t: Telling, columns: Sequence[str], row: Row, grain: TimeGranularity, end: str) -> str:
    """One step and what it led to: in March 2024, up 20 (25 %) to 100; ``end`` names that of the largest."""
    metric, cells = t.metric(), dict(zip(columns, row, strict=True))
    start: date = as_day(cells[PERIOD])
    about: dict[str, Any] = {"role": "growth", "period": period_of(start, grain)}
    name = f"{t.name()}.{slug(str(start))}"
    now = t.fact(name, cells[t.request.metrics[0]], metric.unit, **about)
    scale, unit = told_apart(metric.unit) or (0, metric.unit)
    change = t.fact(f"{name}.change{end}", (scale or 1) * cells["change"], unit, **about)
    percent = t.fact(f"{name}.change_pct", cells["change_pct"], PERCENT, **about)
    size = abs(change.value) if isinstance(change.value, (int, float)) else 0
    share = f" ({figure(abs(percent.value), PERCENT)})" if isinstance(percent.value, (int, float)) and not scale else ""  # fmt: skip
    way = "up" if cells["change"] > 0 else "down"
    return f"{in_period(start, grain)}, {way} {figure(size, unit)}{share} to {t.say(now)}"
