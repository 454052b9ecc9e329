"""Charts as Vega-Lite specifications, written by hand so that they cost nothing to make.

The one place where charts are built: answers, the tool ``render_chart`` and reports all draw with these.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

from gnomon.core.figures import capital, figure, group_name, listed
from gnomon.core.query import TimeGranularity
from gnomon.tools.chart_frame import (
    BLUE,
    GREEN,
    GREY,
    HEIGHT,
    PALETTE,
    VERMILION,
    WIDTH,
    Axis,
    Rows,
    Spec,
    between,
    brief,
    frame,
    number_axis,
    numbers,
    period_label,
    plain,
    shown,
    time_axis,
    with_notes,
    words,
)

MAX_BARS = 30
MAX_POINTS = 3000
MAX_LINES = 4
MAX_PANELS = 12
MAX_CELLS = 30
_LABEL_LINE = 36
_CELL_TEXTS = 160
_BINS = 40

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
    kept, thinned = _thinned(rows)
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
    tips = _tips([("when", x.title), ("shown", y.title)])
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
    chosen, thinned = _thinned(rows)
    said = [*notes, *thinned]
    if len(sizes) > len(kept):
        said.append(f"The {len(kept)} largest of {len(sizes):,} {words(group)} are drawn")
    records: list[dict[str, Any]] = []
    for name in kept:
        own = [
            {"x": plain(at), "y": plain(v), "group": g, "when": _when(at, grain), "shown": shown(v, y), "whole": at not in open_periods}
            for at, g, v in chosen if g == name
        ]  # fmt: skip
        records += [*own, *({**j, "group": name, "join": f"{name} {j['join']}"} for j in _joins(own))]
    known = numbers(r[2] for r in rows)
    described = (
        f"{'Small line charts' if many else 'Line chart'} of {words(y.label)} by {x.label} for "
        f"{listed(kept)}, {_extent(rows, grain)}, {between(known, y)}"
    )
    spec = frame(title, records, described, said)
    channels: dict[str, Any] = {
        "x": _along(x, grain, chosen),
        "y": {"field": "y", **number_axis(y, known)},
    }
    layers = _line_layers(channels, x, y, len(rows), bool(open_periods))
    if not many:
        colour = {
            "field": "group", "type": "nominal", "title": capital(words(group)), "sort": kept,
            "scale": {"domain": kept, "range": PALETTE},
        }  # fmt: skip
        for layer in layers:
            layer["mark"].pop("color")
            layer["encoding"] = {**layer["encoding"], "color": colour}
        return {**spec, "layer": layers}
    apart = _apart(rows)
    if apart:
        spec = with_notes(spec, ["Each chart has a scale of its own"])
    channels["x"] = {**channels["x"], "title": None, "axis": {**channels["x"]["axis"], "tickCount": 3}}
    channels["y"] = {**channels["y"], "axis": {**channels["y"]["axis"], "tickCount": 3}}
    size = {"width": (WIDTH - 60) // 3, "height": 100}
    layers = _line_layers(channels, x, y, len(rows) * 2, bool(open_periods))
    del spec["width"], spec["height"]
    return {
        **spec,
        "facet": {"field": "group", "type": "nominal", "sort": kept, "title": None, "header": {"labelLimit": size["width"]}},
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
    found = [
        {"x": plain(at), "y": plain(v), "mark": numbered.get(at, ""), "when": _when(at, grain), "shown": shown(v, axis), "what": marked[at]}
        for at, v in series if at in marked
    ]  # fmt: skip
    return _with_marks(spec, found, spec["layer"][0]["encoding"], Axis.of(x), axis)


def _with_marks(spec: Spec, found: list[dict[str, Any]], channels: dict[str, Any], x: Axis, y: Axis) -> Spec:
    """The chart with points of its own colour, and their numbers where they have some."""
    told = any(r["mark"] for r in found)
    tips = _tips([("when", x.title), ("shown", y.title), ("what", "What happened")][: 3 if told else 2])
    only = [{"filter": "isValid(datum.mark)"}]
    placed = {"x": channels["x"], "y": channels["y"]}
    point = {"type": "point", "filled": True, "size": 80, "color": VERMILION, "opacity": 1}
    layers = [*spec["layer"], {"transform": only, "mark": point, "encoding": {**placed, "tooltip": tips}}]
    if told:
        text = {"type": "text", "dy": -12, "fontWeight": "bold", "color": VERMILION}
        layers.append({"transform": only, "mark": text, "encoding": {**placed, "text": {"field": "mark"}}})
    some = f": {listed([r['when'] for r in found[:10]])}" if found else ""
    return {
        **spec,
        "layer": layers,
        "data": {"values": [*spec["data"]["values"], *found]},
        "description": f"{spec['description']} {len(found) or 'None'} marked{some}.",
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
    tips = _tips([("when", Axis.of(x).title), ("shown", axis.title), ("kind", "Kind")])
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


def bar_chart(
    title: str,
    rows: Rows,
    x: Axis | str,
    y: Axis | str,
    *,
    notes: Iterable[str] = (),
    total: int | None = None,
) -> Spec:
    """A value for each group, in the order given, from zero.

    Args:
        title: The finding.
        rows: ``(group, value)``.
        x: What the groups are.
        y: What is measured.
        notes: What the reader has to know besides.
        total: How many groups there are, where ``rows`` holds only the first of them.
    """
    axis, groups = Axis.of(y), Axis.of(x)
    count, kept = max(total or 0, len(rows)), rows[:MAX_BARS]
    names = _distinct([group_name(g) for g, _ in kept])
    records = [
        {
            "group": n,
            "name": group_name(g),
            "value": plain(v),
            "label": brief(v, axis),
            "shown": shown(v, axis),
        }
        for n, (g, v) in zip(names, kept, strict=True)
    ]
    rest = [f"The first {len(kept)} of {count:,} are drawn; {count - len(kept):,} others are not"] if count > len(kept) else []  # fmt: skip
    known = numbers(r[1] for r in kept)
    described = f"Bar chart of {words(axis.label)} for {len(kept)} {'groups' if len(kept) != 1 else 'group'}, {between(known, axis)}"
    spec = frame(title, records, described, [*notes, *rest])
    lines = max((n.count("\n") + 1 for n in names), default=1)
    spec["height"] = {"step": 24 if lines == 1 else 13 * lines + 8}
    across = {"field": "value", **number_axis(axis, known, zero=True)}
    down = {
        "field": "group", "type": "nominal", "title": groups.title or None, "sort": None,
        "axis": {"labelLimit": 300, "labelExpr": "split(datum.label, '\\n')", "domain": False, "ticks": False},
    }  # fmt: skip
    tips = _tips([("name", groups.title or "Group"), ("shown", axis.title)])
    text = {
        "type": "text", "fontSize": 11, "baseline": "middle",
        "align": {"expr": "datum.value < 0 ? 'right' : 'left'"}, "dx": {"expr": "datum.value < 0 ? -5 : 5"},
    }  # fmt: skip
    return {
        **spec,
        "encoding": {"y": down, "x": across},
        "layer": [
            {"mark": {"type": "bar", "color": BLUE}, "encoding": {"tooltip": tips}},
            {"mark": text, "encoding": {"text": {"field": "label"}}},
        ],
    }


def waterfall_chart(
    title: str,
    contributions: Rows,
    y: Axis | str,
    *,
    start: tuple[str, float],
    end: tuple[str, float],
    notes: Iterable[str] = (),
) -> Spec:
    """How one figure became another, step by step.

    Args:
        title: The finding.
        contributions: ``(what, change)``; what they leave unexplained is drawn as "everything else".
        y: What is measured.
        start: What the first figure is called, and the figure.
        end: The same of the last.
        notes: What the reader has to know besides.
    """
    axis = Axis.of(y)
    steps = [(group_name(n), float(v)) for n, v in contributions if numbers([v])]
    if len(steps) > MAX_BARS - 3:
        steps = sorted(steps, key=lambda s: -abs(s[1]))[: MAX_BARS - 3]
    rest = end[1] - start[1] - sum(v for _, v in steps)
    if abs(rest) > 1e-9 * max(abs(start[1]), abs(end[1]), 1.0):
        steps.append(("everything else", rest))
    names = _distinct([start[0], *(n for n, _ in steps), end[0]])
    records: list[dict[str, Any]] = []
    level = start[1]
    for name, change in zip(names[1:-1], (v for _, v in steps), strict=True):
        sign = "+" if change >= 0 else ""
        records.append({"step": name, "from": level, "to": level + change, "kind": "up" if change >= 0 else "down", "shown": f"{sign}{shown(change, axis)}"})  # fmt: skip
        level += change
    spread = [start[1], end[1], *(r["to"] for r in records)]
    said, ends = list(notes), (start, end)
    if max(spread) - min(spread) >= 0.08 * max(abs(v) for v in spread):
        first, last = (
            {"step": n, "from": 0.0, "to": v, "kind": "total", "shown": shown(v, axis)}
            for n, v in zip((names[0], names[-1]), (start[1], end[1]), strict=True)
        )
        records = [first, *records, last]
    else:  # beside totals so large, nobody could see the changes
        for r in records:
            r["from"], r["to"] = r["from"] - start[1], r["to"] - start[1]
        said.insert(0, f"{capital(ends[0][0])}: {shown(ends[0][1], axis)}; {ends[1][0]}: {shown(ends[1][1], axis)}")  # fmt: skip
    for r in records:
        r["edge"] = max(r["from"], r["to"])
    parts = listed([f"{r['step']} {r['shown']}".replace("\n", " ") for r in records])
    spec = frame(title, records, f"Waterfall chart of {words(axis.label)}: {parts}", said)
    spec["height"] = {"step": 26}
    across = number_axis(axis, [r[k] for r in records for k in ("from", "to")], zero=True)
    down = {
        "field": "step", "type": "nominal", "title": None, "sort": None,
        "axis": {"labelLimit": 300, "labelExpr": "split(datum.label, '\\n')", "domain": False, "ticks": False},
    }  # fmt: skip
    colour = {"field": "kind", "type": "nominal", "legend": None, "scale": {"domain": ["total", "up", "down"], "range": [BLUE, GREEN, VERMILION]}}  # fmt: skip
    tips = _tips([("step", "Step"), ("shown", axis.title)])
    return {
        **spec,
        "encoding": {"y": down},
        "layer": [
            {"mark": {"type": "bar"}, "encoding": {"x": {"field": "from", **across}, "x2": {"field": "to"}, "color": colour, "tooltip": tips}},
            {"mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 11}, "encoding": {"x": {"field": "edge", **across}, "text": {"field": "shown"}}},
        ],
    }  # fmt: skip


def histogram_chart(title: str, bins: Rows, x: Axis | str, *, notes: Iterable[str] = ()) -> Spec:
    """How often values occur; bins are ``(from, to, count)``."""
    axis = Axis.of(x)
    records = [
        {"low": plain(low), "high": plain(high), "count": n, "range": f"{shown(low, axis)} to {shown(high, axis)}", "shown": figure(n)}
        for low, high, n in bins
    ]  # fmt: skip
    ends = numbers(v for b in bins for v in b[:2])
    described = f"Histogram of {words(axis.label)} in {len(bins)} ranges, {between(ends, axis)}"
    spec = frame(title, records, described, notes)
    across = number_axis(axis, ends, zero=False)
    across["scale"]["nice"] = False
    encoding = {
        "x": {"field": "low", **across, "bin": {"binned": True}},
        "x2": {"field": "high"},
        "y": {"field": "count", **number_axis("Number of rows", [b[2] for b in bins], zero=True)},
        "tooltip": _tips([("range", axis.title), ("shown", "Number of rows")]),
    }
    return {**spec, "mark": {"type": "bar", "color": BLUE, "binSpacing": 1}, "encoding": encoding}


def score_chart(
    title: str, scores: Sequence[float], flagged: Sequence[bool], threshold: float | None = None
) -> Spec:
    """How anomaly scores are spread, with those that are flagged in a colour of their own."""
    known = numbers(scores)
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    width = (high - low) / _BINS or 1.0
    counts: dict[tuple[int, bool], int] = {}
    for score, mark in zip(scores, flagged, strict=True):
        if numbers([score]):
            key = min(_BINS - 1, int((score - low) / width)), bool(mark)
            counts[key] = counts.get(key, 0) + 1
    records: list[dict[str, Any]] = [
        {"low": low + i * width, "high": low + (i + 1) * width, "count": n, "kind": "flagged" if mark else "not flagged", "shown": figure(n)}
        for (i, mark), n in sorted(counts.items())
    ]  # fmt: skip
    many = sum(n for (_, mark), n in counts.items() if mark)
    described = f"Histogram of the anomaly scores of {len(known):,} rows, {many:,} of them flagged"
    notes = ["The dashed line is the threshold"] if threshold is not None else []
    spec = frame(title, records, described, notes)
    across = number_axis("Anomaly score", known, zero=False)
    across["scale"]["nice"] = False
    # Few rows are flagged, so that a plain scale would hide them beside the many that are not.
    up = number_axis("Number of rows", counts.values(), zero=False)
    up["scale"] = {"type": "symlog", "domainMin": 0}
    colour = {"field": "kind", "type": "nominal", "title": None, "scale": {"domain": ["not flagged", "flagged"], "range": [BLUE, VERMILION]}}  # fmt: skip
    encoding = {
        "x": {"field": "low", **across, "bin": {"binned": True}},
        "x2": {"field": "high"},
        "y": {"field": "count", **up, "stack": None},
        "color": colour,
        "tooltip": _tips([("kind", "Rows"), ("shown", "Number of rows")]),
    }
    layers: list[Spec] = [{"mark": {"type": "bar", "binSpacing": 1, "opacity": 0.85}, "encoding": encoding}]
    if threshold is not None:
        layers.append({"mark": {"type": "rule", "strokeDash": [4, 4], "color": GREY}, "encoding": {"x": {"datum": threshold}}})  # fmt: skip
    return {**spec, "layer": layers}


def scatter_chart(title: str, rows: Rows, x: Axis | str, y: Axis | str, *, notes: Iterable[str] = ()) -> Spec:
    """Two values against each other; rows are ``(x, y)``, or ``(x, y, group)`` to colour them."""
    across, up = Axis.of(x), Axis.of(y)
    kept, thinned = _thinned(rows)
    records = [
        {"x": plain(r[0]), "y": plain(r[1]), "at": shown(r[0], across), "shown": shown(r[1], up), **({"group": group_name(r[2])} if len(r) > 2 else {})}
        for r in kept
    ]  # fmt: skip
    described = f"Scatter plot of {words(up.label)} against {words(across.label)}, {len(kept):,} points"
    spec = frame(title, records, described, [*notes, *thinned])
    encoding: dict[str, Any] = {
        "x": {"field": "x", **number_axis(across, [r[0] for r in rows])},
        "y": {"field": "y", **number_axis(up, [r[1] for r in rows])},
        "tooltip": _tips([("at", across.title), ("shown", up.title)]),
    }
    mark: dict[str, Any] = {"type": "point", "filled": True, "size": 36, "color": BLUE, "opacity": 0.45}
    if groups := list(dict.fromkeys(r["group"] for r in records if "group" in r))[: len(PALETTE)]:
        mark.pop("color")
        encoding["color"] = {"field": "group", "type": "nominal", "title": None, "sort": groups, "scale": {"domain": groups, "range": PALETTE}}  # fmt: skip
        encoding["shape"] = {"field": "group", "type": "nominal", "title": None, "sort": groups}
    return {**spec, "mark": mark, "encoding": encoding}


def heat_chart(
    title: str, rows: Rows, x: Axis | str, y: Axis | str, value: Axis | str, *, notes: Iterable[str] = ()
) -> Spec:
    """A value for each pair of groups, as colour; rows are ``(across, down, value)``."""
    axis = Axis.of(value)
    across, down = (list(dict.fromkeys(group_name(r[i]) for r in rows)) for i in (0, 1))
    said = list(notes)
    for names, side in ((across, Axis.of(x)), (down, Axis.of(y))):
        if len(names) > MAX_CELLS:
            said.append(f"The first {MAX_CELLS} of {len(names):,} values of {words(side.label)} are drawn; the others are not")  # fmt: skip
            del names[MAX_CELLS:]
    records = [
        {
            "x": group_name(a),
            "y": group_name(d),
            "value": plain(v),
            "label": brief(v, axis),
            "shown": shown(v, axis),
        }
        for a, d, v in rows
        if group_name(a) in across and group_name(d) in down
    ]
    known = numbers(r["value"] for r in records)
    described = (
        f"Heat map of {words(axis.label)} for {len(across)} by {len(down)} groups, {between(known, axis)}"
    )
    spec = frame(title, records, described, said)
    spec["width"] = {"step": max(34, min(90, WIDTH // max(len(across), 1)))}
    spec["height"] = {"step": 26}
    signed = bool(known) and min(known) < 0 < max(known)
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    scale: dict[str, Any] = {"scheme": "blueorange", "domainMid": 0} if signed else {"scheme": "blues"}
    scale["nice"] = True
    legend = {"labelExpr": number_axis(axis, known)["axis"]["labelExpr"], "orient": "right", "gradientLength": 140, "tickCount": 4}  # fmt: skip
    place: dict[str, Any] = {
        "x": {"field": "x", "type": "nominal", "sort": across, "title": Axis.of(x).title, "axis": {"labelAngle": 0 if len(across) <= 8 else -40, "labelLimit": 120, "orient": "top"}},
        "y": {"field": "y", "type": "nominal", "sort": down, "title": Axis.of(y).title, "axis": {"labelLimit": 220}},
    }  # fmt: skip
    tips = _tips([("x", Axis.of(x).title), ("y", Axis.of(y).title), ("shown", axis.title)])
    layers: list[Spec] = [
        {"mark": {"type": "rect"}, "encoding": {"color": {"field": "value", "type": "quantitative", "title": axis.title, "scale": scale, "legend": legend}, "tooltip": tips}}
    ]  # fmt: skip
    if len(records) <= _CELL_TEXTS and len(across) <= 10:
        dark = (
            f"datum.value > {0.55 * high!r} || datum.value < {0.55 * low!r}"
            if signed
            else f"datum.value > {(low + high) / 2!r}"
        )
        layers.append({"mark": {"type": "text", "fontSize": 10, "fill": {"expr": f"({dark}) ? 'white' : '#1a1a1a'"}}, "encoding": {"text": {"field": "label"}}})  # fmt: skip
    return {**spec, "encoding": place, "layer": layers}


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
    return {"field": "x", "type": "ordinal", "sort": None, "title": Axis.of(x).title, "axis": {"labelOverlap": True, "labelLimit": 140}}  # fmt: skip


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
    return f"{points} from {_when(min(moments), grain)} to {_when(max(moments), grain)}"


def _thinned(rows: Rows) -> tuple[Rows, list[str]]:
    """As many rows as a picture can show, evenly; what is left out is told."""
    if len(rows) <= MAX_POINTS:
        return rows, []
    step = -(-len(rows) // MAX_POINTS)
    return rows[::step], [f"Every {step}th of {len(rows):,} points is drawn" if step > 3 else f"Every {'second' if step == 2 else 'third'} of {len(rows):,} points is drawn"]  # fmt: skip


def _distinct(names: Sequence[str]) -> list[str]:
    """Names on at most two short lines, all different: two bars of one name would be drawn as one."""
    found: list[str] = []
    for name in names:
        lines = textwrap.wrap(" ".join(name.split()), _LABEL_LINE) or [name]
        if len(lines) > 2:
            lines = [lines[0], f"{lines[1][: _LABEL_LINE - 2].rstrip()} …"]
        text, count = "\n".join(lines), 1
        while text in found:
            count += 1
            text = f"{chr(10).join(lines)} ({count})"
        found.append(text)
    return found


def _tips(fields: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"field": name, "type": "nominal", "title": title} for name, title in fields]


__all__ = [
    "GREY",
    "HEIGHT",
    "MAX_BARS",
    "MAX_LINES",
    "MAX_PANELS",
    "Axis",
    "annotated_series_chart",
    "band_chart",
    "bar_chart",
    "heat_chart",
    "histogram_chart",
    "line_chart",
    "scatter_chart",
    "score_chart",
    "waterfall_chart",
    "with_notes",
]
