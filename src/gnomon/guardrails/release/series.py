"""What may be told of tools that read a column along time, and of those that look for what stands out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from gnomon.guardrails.release.cells import MIN_ROWS, rounded
from gnomon.guardrails.release.days import coarse
from gnomon.guardrails.release.groups import told_groups
from gnomon.guardrails.release.investigation import without_cells
from gnomon.guardrails.release.view import (
    View,
    members,
    numbers_of,
    to_few_digits,
    too_few,
    without_numbers,
)
from gnomon.tools.frames import Frame

_AHEAD = ("value", "lower", "upper")
_BETWEEN_TWO = ("slope", "slope_low", "slope_high", "change", "change_percent", "noise")


class Calendar:
    """Moments as coarse as they have to be: the day, month or year that enough source rows share."""

    def __init__(self, view: View) -> None:
        import pandas as pd

        self._periods: list[tuple[str, dict[str, int]]] = []
        self._last: Any = None
        name = view.time_column()
        if name is None or view.data.origin.closed(name):
            return
        times = pd.to_datetime(view.data.read([name])[name], errors="coerce", utc=True)
        self._last = times.max()
        slots = view.data.origin.behind([name])
        for pattern in ("%Y-%m-%d", "%Y-%m", "%Y"):
            labels = times.dt.strftime(pattern)
            counts: dict[str, int] = {}
            for i in slots:
                rows = view.data.origin.slots[i].rows
                table = pd.DataFrame({"label": labels, "id": range(len(labels)) if rows is None else rows})
                for label, count in table[table["id"] >= 0].groupby("label")["id"].nunique().items():
                    counts[str(label)] = min(int(count), counts.get(str(label), int(count)))
            self._periods.append((pattern, counts))

    def told(self, value: Any) -> str | None:
        """A moment, as exactly as it may be told; one beyond the last is told as exactly as the last."""
        import pandas as pd

        moment = pd.to_datetime(value, errors="coerce", utc=True) if value is not None else None
        if moment is None or pd.isna(moment) or self._last is None or isinstance(value, (int, float)):
            return None
        known = min(moment, self._last)
        for pattern, counts in self._periods:
            if counts.get(known.strftime(pattern), 0) >= MIN_ROWS:
                return moment.strftime(pattern)
        return None


def series_rule(view: View) -> None:
    """What all series tools have in common: enough rows in all and in each group, coarse moments."""
    values = view.value_columns() or [c for c in numbers_of(view.data) if not view.data.origin.closed(c)][:1]
    view.require(values, "The series")
    view.along_time()
    calendar = Calendar(view)
    _judged(view.output, calendar)
    groups = [str(g) for g in view.arguments.get("group_by") or []]
    if groups:
        kept = _told_keys(view, values, groups)
        told: list[dict[str, Any]] = []
        for group in members(view.output.get("groups") or []):
            if tuple(group["group"].get(g) for g in groups) in kept:
                result = dict(group["result"])
                _judged(result, calendar)
                told.append({**group, "result": result, "summary": coarse(group["summary"])})
        if len(told) < len(view.output.get("groups") or []):
            view.note(f"groups: those of fewer than {MIN_ROWS} source rows are withheld.")
        view.output["groups"] = told
        view.of_a_whole("groups_left_out")
    view.output["summary"] = coarse(str(view.output["summary"]))


def _told_keys(view: View, values: Sequence[str], groups: Sequence[str]) -> set[tuple[str | None, ...]]:
    """The groups that may be told, of all that there are."""
    if any(view.data.origin.closed(g) for g in groups):
        return set()
    return view.data.told(values, groups)


def _judged(found: dict[str, Any], calendar: Calendar) -> None:
    """The fields of one series: moments made coarse, levels of few steps and copies of the last value left out.

    What models and lines along time come to may be one of the values, or what lies between two of them: a smoothing
    that forgets at once, a middle slope, the error of one forecast.
    """
    if "points" in found:
        found["points"] = [
            {**p, "time": calendar.told(p.get("time"))}
            | {n: None if _repeats(str(found.get("model"))) else to_few_digits(p.get(n)) for n in _AHEAD}
            for p in members(found["points"])
        ]
        found |= _backtested(found)
    found |= {n: to_few_digits(found[n]) for n in _BETWEEN_TWO if n in found}
    if "changes" in found:
        segments, changes = members(found.get("segments") or []), members(found["changes"])
        kept = told_groups([int(s["count"]) for s in segments], [(f"{i:09}",) for i in range(len(segments))])
        found["changes"] = [
            {**c, "time": calendar.told(c.get("time"))}
            for i, c in enumerate(changes)
            if kept[i : i + 2] == [True, True]
        ]
        found["segments"] = [
            {**s, "start": calendar.told(s.get("start")), "end": calendar.told(s.get("end"))}
            for s, keep in zip(segments, kept, strict=True)
            if keep
        ]
    if "profile" in found and isinstance(found["profile"], list):
        phases = members(cast("list[Any]", found["profile"]))
        kept = told_groups([int(p["count"]) for p in phases], [(p["label"],) for p in phases])
        found["profile"] = [p for p, keep in zip(phases, kept, strict=True) if keep]
        if len(found["profile"]) < len(phases):
            found["peak"] = found["trough"] = found["amplitude"] = None
    for name in ("start", "end"):
        if isinstance(found.get(name), float):
            found[name] = rounded(found[name])
    if "notes" in found:
        found["notes"] = [coarse(str(n)) for n in found["notes"]]


def trend_rule(view: View) -> None:
    series_rule(view)
    value = next(iter(view.value_columns()), "The series")
    view.output["summary"] = _course(value, view.output)
    for group in view.output.get("groups") or []:
        if group["result"]:  # else it says why there is none
            group["summary"] = _course(value, group["result"])


def _course(value: str, found: Mapping[str, Any]) -> str:
    """The direction of a series in a sentence, by the figures that are told of it."""
    if found["direction"] == "no clear trend":
        chance = found["p_value"]
        return f"{value} shows no clear trend{'' if chance is None else f' (p = {chance:.2g})'}."
    slope, change = (f"{abs(found[n]):,.10g}" for n in ("slope", "change"))
    return f"{value} goes {found['direction']} by {slope} a {found['grain']}, {change} in all."


def _repeats(model: str) -> bool:
    """Whether a model says the last values again, by their names with and without a season."""
    from gnomon.analytics.backtest import is_naive

    return is_naive(model) or model == "drift"


def _backtested(found: Mapping[str, Any]) -> dict[str, Any]:
    """How far the models were off, to few digits; of a few forecasts, it is how far single values lie apart."""
    own, naive = members([found["accuracy"], found["baseline_accuracy"]])
    few = own["forecasts"] < MIN_ROWS
    own, naive = (
        {k: v if k == "forecasts" and not few else None if few else to_few_digits(v) for k, v in a.items()}
        for a in (own, naive)
    )
    errors = {} if few else {k: to_few_digits(v) for k, v in dict(found["errors"]).items()}
    skill = None if few else to_few_digits(found["skill"])
    return {"accuracy": own, "baseline_accuracy": naive, "errors": errors, "skill": skill}


def forecast_rule(view: View) -> None:
    series_rule(view)
    model = view.output["model"]
    view.output["summary"] = f"A forecast of {len(view.output['points'])} steps, by {model}."
    if any(p["value"] is None for p in view.output["points"]):
        view.note("points: this model repeats single values of the series, which are withheld.")
    for group in view.output.get("groups") or []:
        group["summary"] = f"A forecast, by {group['result'].get('model', 'no model')}."


def seasonality_rule(view: View) -> None:
    series_rule(view)
    rows, phases = cast("Frame", view.output["rows"]), view.output["profile"]
    labels = {str(p["label"]) for p in phases}
    if view.output["significant"] and view.output["peak"] is None:
        view.output["summary"] = f"A pattern repeats every {view.output['period']} steps."
    kept = [str(v) in labels for v in rows.arrow.column(0).to_pylist()]
    view.output["rows"] = Frame(rows.arrow.filter(kept) if len(rows) else rows.arrow)


def change_points_rule(view: View) -> None:
    series_rule(view)
    changes = view.output["changes"]
    view.output["summary"] = f"The level changed {len(changes)} times." if changes else "No change of the level is told."  # fmt: skip
    for group in view.output.get("groups") or []:
        group["summary"] = f"The level changed {len(group['result'].get('changes') or [])} times."


def zscore_rule(view: View) -> None:
    origin = view.data.origin
    columns = view.value_columns() or numbers_of(view.data)
    if any(origin.closed(c) for c in columns):
        raise too_few("A score over closed columns")
    view.drop("anomalies", why="the values of single rows are withheld; their rows have a handle.")
    groups = [str(g) for g in view.arguments.get("group_by") or []]
    kept = _told_keys(view, view.value_columns(), groups)
    names = {" · ".join(str(p) for p in k) for k in kept}
    told: list[dict[str, Any]] = []
    for series in members(view.output["series"]):
        name = str(series.get("group") or "")
        if kept if not groups else any(name in {n, ""} or name.endswith(f" · {n}") for n in names):
            anomalies = view.count(series["anomalies"])
            told.append({**series, "anomalies": anomalies, "center": to_few_digits(series["center"]), "scale": to_few_digits(series["scale"]), "missing": view.size(series["missing"])})  # fmt: skip
    view.output["series"] = told
    view.sizes("checked", "missing")
    view.output["notes"] = []
    view.output["summary"] = f"{len(told)} series were checked; the rows with their scores have a handle."


def investigate_rule(view: View) -> None:
    origin = view.data.origin
    columns = [str(c) for c in view.arguments.get("columns") or []]
    if not columns or any(origin.closed(c) for c in columns):
        raise too_few("An investigation of closed columns")
    view.require([], "The investigation")
    view.output["anomalies"] = [
        {**a, "score": None, "why": without_cells(str(a["why"]))} for a in members(view.output["anomalies"])
    ]
    view.output["episodes"] = [
        {**e, "score": None, "when": without_numbers(str(e["when"])), "why": without_cells(str(e["why"]))}
        for e in members(view.output.get("episodes", []))
    ]
    view.output["quality"] = {k: to_few_digits(v) for k, v in dict(view.output["quality"]).items()}
    view.output["next_action"] = {
        k: without_cells(v) if isinstance(v, str) else v
        for k, v in dict(view.output["next_action"]).items()
        if isinstance(v, (str, bool))
    }
    view.output["summary"] = without_cells(str(view.output["summary"]))
