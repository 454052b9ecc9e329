"""Charts of values along time: lines, small charts side by side, marked moments, forecasts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

from gnomon.core.figures import capital, group_name, listed
from gnomon.core.query import TimeGranularity
from gnomon.tools.chart_frame import (
    BLUE,
    MAX_POINTS,
    PALETTE,
    VERMILION,
    WIDTH,
    Axis,
    Rows,
    Spec,
    between,
    evenly,
    frame,
    instant,
    labels,
    number_axis,
    numbers,
    period_label,
    plain,
    shown,
    time_axis,
    tooltips,
    with_notes,
    words,
)

MAX_LINES = 4
MAX_PANELS = 12
Grain = TimeGranularity | str | None


def line_chart(
    title: str,
    rows: Rows,
    x: Axis | str,
    y: Axis | str,
    *,
    group: str | None = None,
    grain: Grain = None,
    open_periods: Collection[Any] = (),
    notes: Iterable[str] = (),
    filled: bool = False,
) -> Spec:
    """A value along time, or along numbers in order.

    Args:
        title: The finding.
        rows: ``(x, value)``, or ``(x, group, value)`` with ``group``; several groups become several lines, many of
            them small charts beside each other.
        x: The horizontal axis.
        y: The vertical axis.
        group: What the lines differ in.
        grain: How long the periods are.
        open_periods: The values of x whose period is not over, or was not whole: drawn hollow, joined by a dashed line.
        notes: What the reader has to know besides.
        filled: Whether the area below the line is filled.
    """
    axis = Axis.of(y)
    if group:
        return _lines(title, rows, Axis.of(x), axis, group, grain, open_periods, notes)
    kept, thinned = evenly(rows)
    records = [
        {"x": plain(at), "y": plain(v), "when": _when(at, grain), "shown": shown(v, axis), "whole": at not in open_periods}
        for at, v in kept
    ]  # fmt: skip
    known = numbers(r[1] for r in rows)
    described = f"Line chart of {words(axis.label)} by {Axis.of(x).label}, {_extent(rows, grain)}, {between(known, axis)}"
    spec = frame(title, [*records, *_joins(records)], described, [*notes, *thinned])
    channels = {"x": _along(x, grain, kept), "y": {"field": "y", **number_axis(axis, known)}}
    return {**spec, "layer": _line_layers(channels, Axis.of(x), axis, len(records), bool(open_periods), filled=filled)}  # fmt: skip


def _line_layers(
    channels: dict[str, Any], x: Axis, y: Axis, points: int, has_open: bool, *, filled: bool = False
) -> list[Spec]:
    """The line of the whole periods, the dashed way to those that are not, and the points."""
    tips = tooltips([("when", x.title), ("shown", y.title)])
    solid = {"type": "area", "line": {"color": BLUE}, "opacity": 0.25} if filled else {"type": "line"}
    layers: list[Spec] = [
        {
            "transform": [{"filter": "datum.whole === true"}],
            "mark": {**solid, "color": BLUE},
            "encoding": {**channels, "tooltip": tips},
        }
    ]
    if points <= 60:
        layers.append(
            {
                "transform": [{"filter": "datum.whole === true"}],
                "mark": {"type": "point", "filled": True, "size": 36, "color": BLUE, "opacity": 1},
                "encoding": {**channels, "tooltip": tips},
            }
        )
    if has_open:
        layers += [
            {
                "transform": [{"filter": "isValid(datum.join)"}],
                "mark": {"type": "line", "strokeDash": [4, 4], "color": BLUE, "strokeWidth": 1.2},
                "encoding": {**channels, "detail": {"field": "join", "type": "nominal"}},
            },
            {
                "transform": [{"filter": "datum.whole === false && !isValid(datum.join)"}],
                "mark": {"type": "point", "filled": False, "size": 55, "color": BLUE, "opacity": 1},
                "encoding": {**channels, "tooltip": tips},
            },
        ]
    return layers


def _joins(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The two ends of each step to or from a period that is not whole, to be drawn dashed."""
    steps = [(a, b) for a, b in pairwise(records) if not (a["whole"] and b["whole"])]
    return [
        {"x": r["x"], "y": r["y"], "join": i} for i, step in enumerate(steps) for r in step
    ]  # fmt: skip


def _lines(
    title: str, rows: Rows, x: Axis, y: Axis, group: str, grain: Grain, open_periods: Collection[Any], notes: Iterable[str]
) -> Spec:  # fmt: skip
    """One line for each group: in one chart where they are few, side by side where they are more."""
    sizes: dict[str, float] = {}
    for _, g, v in rows:
        sizes[group_name(g)] = sizes.get(group_name(g), 0.0) + sum(abs(n) for n in numbers([v]))
    many = len(sizes) > MAX_LINES
    leader = _leader(rows, open_periods)  # whoever leads at the end is what titles speak of
    kept = sorted(sizes, key=lambda g: (g != leader, -sizes[g]))[: MAX_PANELS if many else MAX_LINES]
    kept.sort(key=lambda g: -sizes[g])
    rows = [(at, group_name(g), v) for at, g, v in rows if group_name(g) in kept]
    said = list(notes)
    if len(sizes) > len(kept):
        said.append(f"The {len(kept)} largest of {len(sizes):,} {words(group)} are drawn")
    names = labels(kept, 24)
    records: list[dict[str, Any]] = []
    for name, label in zip(kept, names, strict=True):
        chosen, thinned = evenly([r for r in rows if r[1] == name], MAX_POINTS // len(kept))
        said += thinned
        own = [
            {"x": plain(at), "y": plain(v), "group": label, "when": _when(at, grain), "shown": shown(v, y), "whole": at not in open_periods}
            for at, _, v in chosen
        ]  # fmt: skip
        records += [*own, *({**j, "group": label, "join": f"{label} {j['join']}"} for j in _joins(own))]
    known = numbers(r[2] for r in rows)
    described = (
        f"{'Small line charts' if many else 'Line chart'} of {words(y.label)} by {x.label} for "
        f"{listed(kept)}, {_extent(rows, grain)}, {between(known, y)}"
    )
    spec = frame(title, records, described, said)
    channels: dict[str, Any] = {
        "x": _along(x, grain, rows),
        "y": {"field": "y", **number_axis(y, known)},
    }
    layers = _line_layers(channels, x, y, len(rows), bool(open_periods))
    if not many:
        colour = {
            "field": "group", "type": "nominal", "title": capital(words(group)), "sort": names,
            "scale": {"domain": names, "range": PALETTE},
        }  # fmt: skip
        for layer in layers:
            layer["mark"].pop("color")
            layer["encoding"] = {**layer["encoding"], "color": colour}
        return {**spec, "layer": layers}
    apart = _apart(rows)
    if apart:
        spec = with_notes(spec, ["Each chart has a scale of its own"])
    ends = sorted({r["x"] for r in records if r["x"] is not None})  # there is room for the ends of an axis
    marked = {"values": [ends[0], ends[-1]]} if "labelExpr" in channels["x"]["axis"] and ends else {}
    channels["x"] = {
        **channels["x"],
        "title": None,
        "axis": {**channels["x"]["axis"], "tickCount": 3, **marked},
    }
    channels["y"] = {**channels["y"], "title": None, "axis": {**channels["y"]["axis"], "tickCount": 3}}
    size = {"width": (WIDTH - 60) // 3, "height": 100}
    layers = _line_layers(channels, x, y, len(rows) * 2, bool(open_periods))
    del spec["width"], spec["height"]
    return {
        **spec,
        "facet": {"field": "group", "type": "nominal", "sort": names, "title": y.title, "header": {"titleAnchor": "start", "titleFontWeight": "normal"}},
        "columns": 3,
        "spec": {**size, "layer": layers},
        **({"resolve": {"scale": {"y": "independent"}}} if apart else {}),
    }  # fmt: skip


def _leader(rows: Rows, open_periods: Collection[Any]) -> str | None:
    """The group with the highest value at the last whole period."""
    whole = [r for r in rows if r[0] is not None and r[0] not in open_periods and numbers([r[2]])]
    if not whole:
        return None
    last = max(r[0] for r in whole)
    return group_name(max((r for r in whole if r[0] == last), key=lambda r: r[2])[1])


def _apart(rows: Rows) -> bool:
    """Whether one group is so much larger than another that a common scale would flatten it."""
    tops: dict[str, float] = {}
    for _, g, v in rows:
        tops[g] = max(tops.get(g, 0.0), *(abs(n) for n in numbers([v])), 0.0)
    highest = [t for t in tops.values() if t]
    return bool(highest) and max(highest) > 12 * min(highest)


def annotated_series_chart(
    title: str,
    series: Rows,
    marks: Iterable[tuple[Any, str]],
    x: Axis | str,
    y: Axis | str,
    *,
    grain: Grain = None,
    open_periods: Collection[Any] = (),
    notes: Iterable[str] = (),
) -> Spec:
    """A series with some of its moments marked: anomalies, change points, events.

    Args:
        title: The finding.
        series: ``(time, value)``.
        marks: ``(time, what happened)``; marks with words are numbered, and the words stand below the title.
        x: The horizontal axis.
        y: The vertical axis.
        grain: How long the periods are.
        open_periods: As for :func:`line_chart`.
        notes: What the reader has to know besides.
    """
    marked, axis = dict(marks), Axis.of(y)
    told = [(at, text) for at, text in marked.items() if text]
    numbered = {at: str(i) for i, (at, _) in enumerate(told, 1)}
    legend = [f"{numbered[at]}: {_when(at, grain)}, {text}" for at, text in told]
    spec = line_chart(title, series, x, y, grain=grain, open_periods=open_periods, notes=[*legend, *notes])
    low = _valleys(series)
    found = [
        {"x": plain(at), "y": plain(v), "below": at in low, "mark": numbered.get(at, ""), "when": _when(at, grain), "shown": shown(v, axis), "what": marked[at]}
        for at, v in series if at in marked
    ]  # fmt: skip
    return _with_marks(spec, found, spec["layer"][0]["encoding"], Axis.of(x), axis)


def _valleys(series: Rows) -> set[Any]:
    """Where a value lies below its neighbours, so that what is written there belongs below it."""
    known = [r for r in series if numbers([r[1]])]
    sides = zip(known[:1] + known[:-1], known, known[1:] + known[-1:], strict=True)
    return {r[0] for before, r, after in sides if 2 * r[1] < before[1] + after[1]}


def paired_chart(title: str, rows: Rows, x: Axis | str, names: tuple[str, str]) -> Spec:
    """Two values along the same time, one above the other.

    Args:
        title: The finding.
        rows: ``(time, first, second)``.
        x: The horizontal axis.
        names: What the two are.
    """
    kept, thinned = evenly(rows)
    records = [{"x": plain(at), "a": plain(a), "b": plain(b)} for at, a, b in kept]
    described = f"Two line charts, of {words(names[0])} and of {words(names[1])}, along the same time"
    spec = frame(title, records, described, thinned)
    panels: list[dict[str, Any]] = []
    for place, (field, name, colour) in enumerate(zip(("a", "b"), names, PALETTE, strict=False)):
        known = numbers(r[1 + place] for r in kept)
        along = {**_along(x, None, kept), **({} if place else {"title": None})}
        panels.append(
            {
                "width": WIDTH, "height": 140, "mark": {"type": "line", "color": colour},
                "encoding": {"x": along, "y": {"field": field, **number_axis(Axis.of(name), known)}},
            }
        )  # fmt: skip
    return {k: v for k, v in spec.items() if k not in ("width", "height")} | {"vconcat": panels}


def _with_marks(spec: Spec, found: list[dict[str, Any]], channels: dict[str, Any], x: Axis, y: Axis) -> Spec:
    """The chart with points of its own colour, and their numbers where they have some."""
    if not found:
        return {**spec, "description": f"{spec['description']} None marked."}
    told = any(r["mark"] for r in found)
    tips = tooltips([("when", x.title), ("shown", y.title), ("what", "What happened")][: 3 if told else 2])
    only = [{"filter": "isValid(datum.mark)"}]
    placed = {"x": channels["x"], "y": channels["y"]}
    point = {"type": "point", "filled": True, "size": 80, "color": VERMILION, "opacity": 1}
    layers = [*spec["layer"], {"transform": only, "mark": point, "encoding": {**placed, "tooltip": tips}}]
    if told:
        text = {
            "type": "text",
            "dy": {"expr": "datum.below ? 15 : -12"},
            "fontSize": 12,
            "fontWeight": "bold",
            "color": VERMILION,
        }
        layers.append({"transform": only, "mark": text, "encoding": {**placed, "text": {"field": "mark"}}})
    some = f": {listed([r['when'] for r in found[:10]])}"
    return {
        **spec,
        "layer": layers,
        "data": {"values": [*spec["data"]["values"], *found]},
        "description": f"{spec['description']} {len(found)} marked{some}.",
    }


def band_chart(
    title: str,
    rows: Rows,
    x: Axis | str,
    y: Axis | str,
    *,
    grain: Grain = None,
    marks: Collection[Any] = (),
    notes: Iterable[str] = (),
) -> Spec:
    """A series within the range that is likely, or one that goes on as a forecast.

    Args:
        title: The finding.
        rows: ``(time, value, lower, upper, kind)``; a second kind is the forecast.
        x: The horizontal axis.
        y: The vertical axis.
        grain: How long the periods are.
        marks: The times of values that stand out.
        notes: What the reader has to know besides.
    """
    axis = Axis.of(y)
    kept = rows[-MAX_POINTS:]
    records = [
        {"x": plain(at), "y": plain(v), "lower": plain(low), "upper": plain(high), "kind": kind, "when": _when(at, grain), "shown": shown(v, axis)}
        for at, v, low, high, kind in kept
    ]  # fmt: skip
    if (
        len(kinds := list(dict.fromkeys(str(r[4]) for r in kept))) == 2
    ):  # the forecast begins where the data ends
        last = max(i for i, r in enumerate(records) if r["kind"] == kinds[0])
        records.append(
            {**records[last], "kind": kinds[1], "lower": records[last]["y"], "upper": records[last]["y"]}
        )
    known = numbers(v for r in kept for v in r[1:4])
    described = f"Line chart of {words(axis.label)} by {Axis.of(x).label}, {_extent(kept, grain)}, with the range that is likely, {between(known, axis)}"
    spec = frame(title, records, described, notes)
    time, value = _along(x, grain, kept), number_axis(axis, known)
    colour = {"field": "kind", "type": "nominal", "title": None, "scale": {"domain": kinds, "range": [BLUE, VERMILION]}}  # fmt: skip
    dash = {"field": "kind", "type": "nominal", "title": None, "scale": {"domain": kinds, "range": [[1, 0], [5, 3]]}}  # fmt: skip
    tips = tooltips([("when", Axis.of(x).title), ("shown", axis.title), ("kind", "Kind")])
    encoding = {"x": time, "y": {"field": "y", **value}, "color": colour, "strokeDash": dash, "tooltip": tips}
    if len(kinds) < 2:
        encoding = {k: v for k, v in encoding.items() if k not in ("color", "strokeDash")}
    spec["layer"] = [
        {
            "transform": [{"filter": "!isValid(datum.mark)"}],
            "mark": {"type": "area", "opacity": 0.2, "color": VERMILION if len(kinds) > 1 else BLUE},
            "encoding": {"x": time, "y": {"field": "lower", **value}, "y2": {"field": "upper"}},
        },
        {
            "transform": [{"filter": "!isValid(datum.mark)"}],
            "mark": {"type": "line", **({} if len(kinds) > 1 else {"color": BLUE})},
            "encoding": encoding,
        },
    ]
    found = [
        {"x": plain(r[0]), "y": plain(r[1]), "mark": "", "when": _when(r[0], grain), "shown": shown(r[1], axis)}
        for r in kept if r[0] in marks
    ]  # fmt: skip
    return _with_marks(spec, found, encoding, Axis.of(x), axis) if found else spec


def _along(x: Axis | str, grain: Grain, rows: Rows) -> dict[str, Any]:
    """The horizontal channel: time where the rows hold moments, a number line or names otherwise."""
    values = [r[0] for r in rows if r[0] is not None]
    if values and all(isinstance(v, date) for v in values):
        return {"field": "x", **time_axis(x, grain, [plain(v) for v in values])}
    if values and len(numbers(values)) == len(values):
        axis = Axis.of(x)
        channel = number_axis(axis, values, zero=False)
        if all(float(v).is_integer() and 1000 <= v <= 2999 for v in values):  # years have no separator
            channel["axis"]["labelExpr"] = "format(datum.value, 'd')"
            channel["scale"]["nice"] = False
        return {"field": "x", **channel}
    return {"field": "x", "type": "ordinal", "sort": None, "title": Axis.of(x).title, "axis": {"labelOverlap": True}}  # fmt: skip


def _when(at: Any, grain: Grain) -> str:
    return period_label(at, grain) if isinstance(at, date) else group_name(at)


def _extent(rows: Rows, grain: Grain) -> str:
    if not rows:
        return "no points"
    many = len({r[0] for r in rows})
    points = f"{many:,} {'point' if many == 1 else 'points'}"
    moments = [r[0] for r in rows if isinstance(r[0], date)]
    if not moments:
        return points
    ends = (
        min(moments, key=instant),
        max(moments, key=instant),
    )  # days and moments of days can stand side by side
    return f"{points} from {_when(ends[0], grain)} to {_when(ends[1], grain)}"
