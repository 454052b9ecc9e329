"""Templates for what the analytics tools found in a series: anomalies, a forecast, where a change came from."""

from __future__ import annotations

from typing import Any

from gnomon.agents.figures import PERCENT, figure, group_name, labelled, listed, moment, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_periods import as_day, in_period, in_range, period_end, range_name
from gnomon.agents.telling_tables import tell_nothing
from gnomon.agents.telling_values import against, cell, settled, stated
from gnomon.agents.telling_words import is_plural
from gnomon.agents.workflow_post import axis, frame_rows, table_of
from gnomon.agents.workflow_rows import PERIOD
from gnomon.agents.workflow_scope import Scope
from gnomon.agents.workflow_series import compared_periods
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.semantic.model import Additivity
from gnomon.tools.chart_series import annotated_series_chart, band_chart

_FEW = 10

ANOMALIES_TOLD = 3


def tell_anomalies(t: Telling) -> None:
    """The values that lie far from the rest."""
    output, grain = t.result.calculated.get("anomalies"), t.plan.grain
    if not t.main.rows:
        tell_nothing(t)
        return
    if output is None or grain is None:
        t.fail("The anomalies could not be computed")
        return
    names, rows = frame_rows(output.get("rows"))
    at, when = names.index(t.request.metrics[0]), names.index(PERIOD)
    marked, score = names.index("is_anomaly"), names.index("score")
    found = sorted((r for r in rows if r[marked]), key=lambda r: -abs(r[score]))
    metric = t.metric()
    count = t.fact(f"{t.name()}.anomalies", len(found), None, role="anomalies")
    checked = t.fact(f"{t.name()}.checked", len(rows), f"{grain}s", role="anomalies")
    if not found:
        t.told.lead = sentence(
            f"nothing stands out in {t.subject()}{t.when()}: none of {t.say(checked)} lies far from the rest"
        )
    else:
        said: list[str] = []
        for row in found[:ANOMALIES_TOLD]:
            fact = t.fact(
                f"{t.name()}.{slug(str(as_day(row[when])))}", row[at], metric.unit, role="anomalies", group={PERIOD: as_day(row[when])}
            )  # fmt: skip
            side = "high" if row[score] > 0 else "low"
            said.append(f"{t.say(fact)} {in_period(row[when], grain)} (unusually {side})")
        verb = "stand" if len(found) != 1 else "stands"
        t.told.lead = sentence(
            f"{t.say(count)} of {t.say(checked)} {verb} out in {t.subject()}{t.when()}: {listed(said)}"
        )
    if found:
        table = tuple((as_day(r[when]), r[at]) for r in found)
        t.told.tables.append(table_of(t.result, "anomalies", (PERIOD, t.request.metrics[0]), table))
    t.told.charts.append(
        annotated_series_chart(
            t.told.lead,
            [(r[when], r[at]) for r in rows],
            [(r[when], "") for r in found],
            str(grain),
            axis(t.request.metrics[0], t.result),
            grain=grain,
        )
    )


def tell_forecast(t: Telling) -> None:
    """How the series may go on, with the interval and the model that did best on its past."""
    output, grain = t.result.calculated.get("forecast"), t.plan.grain
    if not t.main.rows:
        tell_nothing(t)
        return
    if output is None or grain is None:
        t.fail("The forecast could not be computed")
        return
    names, rows = frame_rows(output.get("rows"))
    place = {n: names.index(n) for n in (PERIOD, t.request.metrics[0], "lower", "upper", "kind")}
    order = [place[n] for n in (PERIOD, t.request.metrics[0], "lower", "upper")]
    future = [tuple(r[i] for i in order) for r in rows if r[place["kind"]] == "forecast"]
    future = [(as_day(r[0]), *r[1:]) for r in future]
    past = [r[place[t.request.metrics[0]]] for r in rows if r[place["kind"]] != "forecast"]
    if _are_whole(past, [r[1] for r in future]):
        future = [(r[0], *(v if v is None else round(v) for v in r[1:])) for r in future]
    _forecast_lead(t, future, grain)
    columns = (PERIOD, t.request.metrics[0], "lower", "upper")
    t.told.tables.append(table_of(t.result, "forecast", columns, tuple(future)))
    drawn = [tuple(r[place[n]] for n in (*columns, "kind")) for r in rows]
    t.told.charts.append(
        band_chart(t.told.lead, drawn, str(grain), axis(t.request.metrics[0], t.result), grain=grain)
    )
    t.told.caveats.append("A forecast carries the past forward; it knows of nothing that is still to come")
    off = output.get("accuracy")
    error = off.get("smape") if isinstance(off, dict) else getattr(off, "smape", None)
    if isinstance(error, (int, float)):
        fact = t.fact(f"{t.name()}.forecast_error", error, PERCENT, role="forecast")
        t.told.caveats.append(
            f"Such forecasts of its own past were off by {t.say(fact)} on average, {grain} by {grain}"
        )


def _are_whole(past: list[Any], future: list[Any]) -> bool:
    """Whether what was counted is told in whole numbers; of few things, half a one says more."""
    held = [v for v in past if v is not None]
    return bool(held) and all(float(v).is_integer() for v in held) and min(future, default=0) >= _FEW


def _forecast_lead(t: Telling, future: list[Any], grain: TimeGranularity) -> None:
    metric = t.metric()
    asked = t.request.time_range
    inside = [r for r in future if asked is not None and asked.start <= r[0] <= asked.end] or future
    subject = t.subject()
    are = "are" if is_plural(metric.label) else "is"
    if len(inside) > 1 and metric.additivity is Additivity.ADDITIVE:
        days = TimeRange(start=inside[0][0], end=period_end(inside[-1][0], grain))
        total, low, high = (
            t.fact(f"{t.name()}.{name}", sum(r[i] for r in inside), metric.unit, role="forecast", period=days)
            for i, name in enumerate(("forecast", "forecast_low", "forecast_high"), start=1)
        )
        t.told.lead = sentence(
            f"{subject} {are} forecast at {t.say(total)} in all {in_range(days)}, likely between {t.say(low)} and {t.say(high)}"
        )
        t.told.caveats.append(f"The range holds even where every {grain} errs the same way")
        return
    row = inside[-1]
    group = {PERIOD: row[0]}
    value = t.fact(f"{t.name()}.forecast", row[1], metric.unit, role="forecast", group=group)
    low = t.fact(f"{t.name()}.forecast_low", row[2], metric.unit, role="forecast", group=group)
    high = t.fact(f"{t.name()}.forecast_high", row[3], metric.unit, role="forecast", group=group)
    t.told.lead = sentence(
        f"{subject} {are} forecast at {t.say(value)} {in_period(row[0], grain)}, likely between {t.say(low)} and {t.say(high)}"
    )


def tell_cause(t: Telling) -> None:
    """A change and the groups in which most of it happened."""
    reference, metric = t.request.metrics[0], t.metric()
    days, other = compared_periods(t.request, Scope(coverage=t.plan.coverage, time=t.plan.time))
    now = settled(cell(t.main, reference), metric, t.main)
    before_rows = t.result.retrieved.get("previous")
    before = settled(cell(before_rows, reference), metric, before_rows)
    current = t.fact(f"{t.name()}.current", now, metric.unit, period=days)
    previous = t.fact(f"{t.name()}.previous", before, metric.unit, role="previous", period=other)
    lead = stated(t, metric, current, f" {in_range(days)}") + against(t, 0, metric, current, previous)
    t.told.lead = sentence(lead)
    if isinstance(now, (int, float)) and isinstance(before, (int, float)) and now != before:
        _drivers(t, now - before)
    t.told.caveats.append("This shows where the change happened, which is not yet why")
    if t.plan.coverage is not None and other.start < t.plan.coverage[0] <= other.end:
        begins = t.plan.coverage[0]
        t.told.caveats.append(f"The data begins on {moment(begins)}, so {range_name(other)} is not whole")
        t.bound(begins)


def _drivers(t: Telling, change: float) -> None:
    """For each dimension, the group that moved most in the direction of the whole."""
    found: list[tuple[float, str, str, Any]] = []
    for role, output in t.result.calculated.items():
        if not role.startswith("driver_"):
            continue
        names, rows = frame_rows(output.get("rows"))
        at = names.index("change")
        moved = [r for r in rows if isinstance(r[at], (int, float)) and r[at] * change > 0]
        if moved:
            top = max(moved, key=lambda r: abs(r[at]))
            found.append((abs(top[at]), names[0], role, (top[0], top[at])))
    found.sort(key=lambda f: -f[0])
    table: list[tuple[Any, ...]] = []
    said: list[str] = []
    for _, dimension, role, (group, moved) in found:
        label = t.model.dimension(dimension).label
        name = group_name(group)
        t.fact(
            f"{t.name()}.{slug(dimension)}.{slug(name)}.change",
            moved,
            t.metric().unit,
            role=role,
            group={dimension: name},
        )
        table.append((label, name, moved))
        size = figure(abs(moved), t.metric().unit)
        spoken = labelled(name, label)
        said.append(
            f"{f'{name} ({label})' if spoken == name else spoken} is {'up' if moved > 0 else 'down'} {size}"
        )
    if said:
        t.told.more.append(sentence(f"by group: {listed(said[:3])}"))
        columns = ("by", "group", "change")
        t.told.tables.append(table_of(t.result, "drivers", columns, tuple(table)))
