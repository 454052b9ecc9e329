"""What stands out in a series, and how it may go on."""

from __future__ import annotations

from typing import Any

from gnomon.answering.plan import PERIOD
from gnomon.answering.run import axis
from gnomon.answering.tell_table import draw, grouped_by, row_fact, row_name
from gnomon.answering.telling import Row, Telling
from gnomon.answering.words import is_number, is_plural, slug
from gnomon.core.figures import PERCENT, listed
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.time_names import as_day, in_period, in_range, period_end
from gnomon.semantic.model import Additivity, plural
from gnomon.tools.chart_series import annotated_series_chart, band_chart

_FEW = 10
ANOMALIES_TOLD = 3


def tell_anomalies(t: Telling) -> None:
    """The values that lie far from the rest."""
    grain, reference = t.plan.grain, t.request.metrics[0]
    if not t.main.rows:
        t.nothing()
        return
    if "anomalies" not in t.result.calculated:
        t.fail("The anomalies could not be computed")
        return
    if grain is None:
        _tell_unusual_groups(t)
        return
    names, rows = t.rows("anomalies")
    at, when, marked, score = (names.index(n) for n in (reference, PERIOD, "is_anomaly", "score"))
    found = sorted((r for r in rows if r[marked]), key=lambda r: -abs(r[score]))
    count = t.fact(f"{t.name()}.anomalies", len(found), None, role="anomalies")
    checked = t.fact(f"{t.name()}.checked", len(rows), f"{grain}s", role="anomalies")
    what = f"{t.subject()}{t.when()}"
    said: list[str] = []
    for row in found[:ANOMALIES_TOLD]:
        day = as_day(row[when])
        about: dict[str, Any] = {"role": "anomalies", "group": {PERIOD: day}}
        fact = t.fact(f"{t.name()}.{slug(str(day))}", row[at], t.metric().unit, **about)
        side = "high" if row[score] > 0 else "low"
        said.append(f"{t.say(fact)} {in_period(row[when], grain)} (unusually {side})")
    if found:
        verb = "stand" if len(found) != 1 else "stands"
        t.lead(f"{t.say(count)} of {t.say(checked)} {verb} out in {what}: {listed(said)}")
        t.table((PERIOD, reference), [(as_day(r[when]), r[at]) for r in found], "anomalies")
    else:
        t.lead(f"nothing stands out in {what}: none of {t.say(checked)} lies far from the rest")
    points, marks = [(r[when], r[at]) for r in rows], [(r[when], "") for r in found]
    measured = axis(reference, t.result)
    t.draw(annotated_series_chart(t.told.lead, points, marks, str(grain), measured, grain=grain))


def _tell_unusual_groups(t: Telling) -> None:
    """The groups whose value lies far from that of the others."""
    reference = t.request.metrics[0]
    names, rows = t.rows("anomalies")
    marked, score = names.index("is_anomaly"), names.index("score")
    found = sorted((r for r in rows if r[marked]), key=lambda r: -abs(r[score] or 0))
    count = t.fact(f"{t.name()}.anomalies", len(found), None, role="anomalies")
    groups = grouped_by(t)
    checked = t.fact(f"{t.name()}.checked", len(rows), plural(groups), role="anomalies")
    what, said = f"{t.subject()}{t.when()}", list[str]()
    for row in found[:ANOMALIES_TOLD]:
        fact = row_fact(t, f"{t.name()}.{slug(row_name(t, names, row))}", names, row)
        said.append(
            f"{row_name(t, names, row)} with {t.say(fact)} (unusually {'high' if row[score] > 0 else 'low'})"
        )
    if found:
        verb = "stand" if len(found) != 1 else "stands"
        t.lead(f"{t.say(count)} of {t.say(checked)} {verb} out in {what}: {listed(said)}")
    else:
        t.lead(f"nothing stands out in {what}: none of {t.say(checked)} lies far from the rest")
    columns, main = (
        t.main.columns,
        sorted(t.main.rows, key=lambda r: -(r[t.main.columns.index(reference)] or 0)),
    )
    t.table(columns, main)
    draw(t, columns, main, reference)


def tell_forecast(t: Telling) -> None:
    """How the series may go on, with the interval and the model that did best on its past."""
    output, grain, reference = t.result.calculated.get("forecast"), t.plan.grain, t.request.metrics[0]
    if not t.main.rows:
        t.nothing()
        return
    if output is None or grain is None:
        t.fail("The forecast could not be computed")
        return
    columns = (PERIOD, reference, "lower", "upper")
    names, rows = t.rows("forecast")
    places = [names.index(n) for n in (*columns, "kind")]
    drawn = [tuple(r[i] for i in places) for r in rows]
    future: list[Row] = [(as_day(r[0]), *r[1:4]) for r in drawn if r[4] == "forecast"]
    past = [r[1] for r in drawn if r[4] != "forecast"]
    if _are_whole(past, [r[1] for r in future]):
        future = [(r[0], *(v if v is None else round(v) for v in r[1:])) for r in future]
    _forecast_lead(t, future, grain)
    t.table(columns, future, "forecast")
    t.draw(band_chart(t.told.lead, drawn, str(grain), axis(reference, t.result), grain=grain))
    t.note("A forecast carries the past forward; it knows of nothing that is still to come")
    off = output.get("accuracy")
    error = off.get("smape") if isinstance(off, dict) else getattr(off, "smape", None)
    if is_number(error):
        fact = t.say(t.fact(f"{t.name()}.forecast_error", error, PERCENT, role="forecast"))
        t.note(f"Such forecasts of its own past were off by {fact} on average, {grain} by {grain}")


def _are_whole(past: list[Any], future: list[Any]) -> bool:
    """Whether what was counted is told in whole numbers; of few things, half a one says more."""
    held = [v for v in past if v is not None]
    return bool(held) and all(float(v).is_integer() for v in held) and min(future, default=0) >= _FEW


def _forecast_lead(t: Telling, future: list[Row], grain: TimeGranularity) -> None:
    asked, metric = t.request.time_range, t.metric()
    inside = [r for r in future if asked is not None and asked.start <= r[0] <= asked.end] or future
    in_all = len(inside) > 1 and metric.additivity is Additivity.ADDITIVE
    days = TimeRange(start=inside[0][0], end=period_end(inside[-1][0], grain))
    about: dict[str, Any] = {"period": days} if in_all else {"group": {PERIOD: inside[-1][0]}}
    values = [sum(r[i] for r in inside) if in_all else inside[-1][i] for i in (1, 2, 3)]
    value, low, high = (
        t.say(t.fact(f"{t.name()}.{name}", v, metric.unit, role="forecast", **about))
        for name, v in zip(("forecast", "forecast_low", "forecast_high"), values, strict=True)
    )
    when = f"in all {in_range(days)}" if in_all else in_period(inside[-1][0], grain)
    verb = "are" if is_plural(metric.label) else "is"
    t.lead(f"{t.subject()} {verb} forecast at {value} {when}, likely between {low} and {high}")
    if in_all:
        t.note(f"The range holds even where every {grain} errs the same way")
