"""A diagnosis in tables and charts, and the story of a change that is only the end of something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.agents.insight.exposition import Exposition, place_name, side
from gnomon.agents.insight.findings import WHY, named, size
from gnomon.agents.insight.paths import AnalyticalMethod
from gnomon.analytics.causes import Cause, CauseKind
from gnomon.analytics.diagnosis import Diagnosis
from gnomon.analytics.findings import REST
from gnomon.answering.words import fact_figure, was
from gnomon.core.answer import ResultTable
from gnomon.core.figures import capital, figure, moment
from gnomon.language.time_names import in_range, range_name
from gnomon.reporting.insight_charts import compared_periods_chart
from gnomon.semantic.model import Direction
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import waterfall_chart

MOST_ROWS = 8
MOST_SHARE = 3.0


def tables(e: Exposition) -> None:
    """Add the causes and the parts as tables."""
    unit = e.metric.label
    rows = [
        (_candidate(c), place_name(c.segment, e.model) or "everywhere", str(c.verdict).replace("_", " "), c.effect, _percent(c.share))
        for c in e.found.causes[:MOST_ROWS]
    ]  # fmt: skip
    if rows:
        columns = ("candidate", "where", "verdict", f"effect on {unit}", "share of the change (%)")
        e.told.tables.append(ResultTable(name="causes", columns=columns, rows=tuple(rows)))
    parts = [
        (place_name(p.segment, e.model) or "everywhere", p.before, p.after, p.excess, _percent(p.share))
        for p in e.found.explanation.parts
    ]  # fmt: skip
    if parts:
        columns = ("part", "before", "after", "more or less than the rest", "share of the change (%)")
        e.told.tables.append(ResultTable(name="drivers", columns=columns, rows=tuple(parts)))


def charts(e: Exposition, lead: str) -> None:
    """Add the waterfall and the series of the change, each under what it shows itself."""
    d = e.found
    axis = Axis(e.metric.label, e.metric.unit)
    note = (
        f"{range_name(d.current)} is not over: only its days so far are compared." if e.cut == "end" else ""
    )
    steps = [
        (w.label, e.estimate(w.amount) or 0.0) for w in d.waterfall if w.kind == "step" and w.label != REST
    ]
    if steps:
        first, last = d.waterfall[0], d.waterfall[-1]
        e.told.charts.append(
            waterfall_chart(
                _moved_most(steps, e.estimate(last.total - first.total) or 0.0, axis), steps, axis,
                start=(range_name(d.previous), first.total), end=(range_name(d.current), last.total),
                lower_is_better=e.metric.direction is Direction.LOWER_IS_BETTER, notes=[note] if note else [],
            )
        )  # fmt: skip
    if len(d.series) > 2:
        points = [(p.day, p.value, p.usual, p.period) for p in d.series]
        marks = [(a.day, f"{a.label} moved") for a in d.annotations]
        usual = (
            "Dashed: what is usual for the day of the week."
            if any(p.usual is not None for p in d.series)
            else ""
        )
        e.told.charts.append(
            compared_periods_chart(
                _day_by_day(e, axis) if steps else capital(lead),
                points,
                marks,
                axis,
                (range_name(d.previous), range_name(d.current)),
                note=f"{usual} {note}".strip(),
            )
        )


def _moved_most(steps: Sequence[tuple[str, float]], change: float, axis: Axis) -> str:
    """The largest step of a waterfall."""
    name, amount = max(steps, key=lambda s: abs(s[1]))
    return (
        f"{capital(name)} moved {axis.label} most: {_signed(amount, axis)} of {_signed(change, axis)} in all"
    )


def _signed(value: float, axis: Axis) -> str:
    return f"{'+' if value > 0 else ''}{figure(value, axis.unit)}"


def _day_by_day(e: Exposition, axis: Axis) -> str:
    """What the measure came to a day in either period, and when its first cause moved."""
    d = e.found
    sides = [[p.value for p in d.series if p.period == side and p.value is not None] for side in ("current", "previous")]  # fmt: skip
    if e.is_ratio or not all(sides):
        said = f"{axis.label} day by day in {range_name(d.previous)} and {range_name(d.current)}"
    else:
        now, then = (figure(e.estimate(sum(s) / len(s)), axis.unit) for s in sides)
        said = f"{axis.label} came to {now} a day in {range_name(d.current)}, after {then} in {range_name(d.previous)}"
    first = d.causes[0] if d.causes else None
    moved = f"; {first.label} moved on {moment(first.onset)}" if first is not None and first.onset is not None else ""  # fmt: skip
    return capital(f"{said}{moved}")


def came_back(e: Exposition, then: Diagnosis) -> None:
    """The earlier period was the one out of the ordinary: where, why, and that it is over."""
    label, parts = e.metric.label, [p for p in then.explanation.parts if p.segment][:2]
    e.say(WHY, "The period before was the one out of the ordinary, and that is over", [])
    for place, part in enumerate(parts, start=1):
        where, group = place_name(part.segment, e.model), e.group(part.segment)
        seen = e.fact(f"earlier{place}.value", part.after, e.metric.unit, period=then.current, group=group)
        usual = e.fact(
            f"earlier{place}.expected", e.estimate(part.expected), e.metric.unit, period=then.current, group=group
        )  # fmt: skip
        back = e.effect(f"earlier{place}.effect", -part.excess, group)
        text = (
            f"Then, in {where}, {label} {was(label)} {fact_figure(seen)} {in_range(then.current)} where {fact_figure(usual)} "
            f"would have been usual; its return makes {label} {size(back)} {side(back)}"
        )
        e.say(WHY, text, [seen, usual, back], where, label)
        e.find(
            "rebound", AnalyticalMethod.DRIVER_ANALYSIS, words={"segment": where, "metric": label}, facts={"effect": back},
            weight=abs(part.excess),
        )  # fmt: skip
    if not parts and then.change.low is not None and then.change.high is not None:
        name = named(e.found.metric)
        ends = [
            e.fact(
                f"{name}.earlier.low",
                e.estimate(then.change.low),
                e.metric.unit,
                period=then.current,
            ),
            e.fact(
                f"{name}.earlier.high",
                e.estimate(then.change.high),
                e.metric.unit,
                period=then.current,
            ),
        ]
        text = f"From {fact_figure(ends[0])} to {fact_figure(ends[1])} would have been ordinary {in_range(then.current)}"
        e.say(WHY, text, ends)
    cause = next((c for c in then.causes if c.kind is CauseKind.SERIES and not c.correlated_only), None)
    if cause is not None and cause.measure and cause.before is not None and cause.after is not None:
        own, where = e.model.metric(cause.measure), place_name(cause.segment, e.model)
        group = e.group(cause.segment)
        known: dict[str, Any] = {"metric": own.name, "group": group}
        after = e.ledger.fact("earlier.cause.current", cause.after, own.unit, period=then.current, **known)
        before = e.ledger.fact(
            "earlier.cause.previous", cause.before, own.unit, period=then.previous, **known
        )
        inside = f" in {where}" if where else ""
        text = f"Likely cause then: {cause.label}{inside} went to {fact_figure(after)} from {fact_figure(before)}"
        e.say(WHY, text, [after, before], cause.label, where)


def _candidate(cause: Cause) -> str:
    """What may have done it, as a row is called."""
    unnamed = {CauseKind.SEASON: "the season", CauseKind.UNRECORDED: "not recorded in these tables"}
    return cause.label or unnamed.get(cause.kind, "")


def _percent(share: float | None) -> float | None:
    """A share of the change; of hardly any change, none means something."""
    return 100 * share if share is not None and abs(share) <= MOST_SHARE else None
