"""Charts of values beside each other: bars, steps from one figure to another, spreads, pairs, grids."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from gnomon.core.figures import capital, figure, group_name, listed
from gnomon.tools.chart_frame import (
    BLUE,
    GREEN,
    GREY,
    MAX_POINTS,
    PALETTE,
    VERMILION,
    WIDTH,
    Axis,
    Rows,
    Spec,
    between,
    brief,
    frame,
    labels,
    number_axis,
    numbers,
    plain,
    shown,
    time_axis,
    tooltips,
    words,
)

MAX_BARS = 30
MAX_CELLS = 30
_CELL_TEXTS = 160
_BINS = 40
_NEAR = 0.2
_UNSEEN = 0.005  # of the largest step: what rounding leaves is no step
_LETTER = 6.5  # how wide a letter of a label is, in pixels


def bar_chart(
    title: str,
    rows: Rows,
    x: Axis | str,
    y: Axis | str,
    *,
    notes: Iterable[str] = (),
    total: int | None = None,
    highlighted: Iterable[str] = (),
) -> Spec:
    """A value for each group, in the order given, from zero.

    Args:
        title: The finding.
        rows: ``(group, value)``.
        x: What the groups are.
        y: What is measured.
        notes: What the reader has to know besides.
        total: How many groups there are, where ``rows`` holds only the first of them.
        highlighted: The groups that the title speaks of, in another colour.
    """
    axis, groups = Axis.of(y), Axis.of(x)
    count, kept = max(total or 0, len(rows)), rows[:MAX_BARS]
    names = labels([_beside(group_name(g), groups) for g, _ in kept])
    records = [
        {
            "group": n,
            "name": group_name(g),
            "value": plain(v),
            "edge": max(
                [0.0, *numbers([v])]
            ),  # below zero, the figure stands where there is room: beyond zero
            "label": brief(v, axis),
            "shown": shown(v, axis),
        }
        for n, (g, v) in zip(names, kept, strict=True)
    ]
    rest = [f"The first {len(kept)} of {count:,} are drawn; {count - len(kept):,} others are not"] if count > len(kept) else []  # fmt: skip
    known = numbers(r[1] for r in kept)
    described = f"Bar chart of {words(axis.label)} for {len(kept)} {'groups' if len(kept) != 1 else 'group'}, {between(known, axis)}"
    spec = frame(title, records, described, [*notes, *rest])
    spec["height"] = {"step": 24}
    across = {"field": "value", **number_axis(axis, known, zero=True)}
    down = {
        "field": "group", "type": "nominal", "title": groups.title or None, "sort": None,
        "axis": {"domain": False, "ticks": False},
    }  # fmt: skip
    tips = tooltips([("name", groups.title or "Group"), ("shown", axis.title)])
    text = {"type": "text", "fontSize": 11, "baseline": "middle", "align": "left", "dx": 5}
    return {
        **spec,
        "encoding": {"y": down, "x": across},
        "layer": [
            {
                "mark": {"type": "bar", "color": BLUE},
                "encoding": {"tooltip": tips, **_spoken_of(highlighted)},
            },
            {"mark": text, "encoding": {"x": {**across, "field": "edge"}, "text": {"field": "label"}}},
        ],
    }


def _beside(name: str, groups: Axis) -> str:
    """A name beside its bar, without what the axis already says: 4 for zone 4."""
    rest = name.removeprefix(f"{groups.label} ")
    return rest if rest.replace(".", "").replace("-", "").isdigit() else name


def _spoken_of(groups: Iterable[str]) -> dict[str, Any]:
    """The colour of bars, where some of them are what the title speaks of."""
    chosen = list(groups)
    if not chosen:
        return {}
    test = {"field": "name", "oneOf": chosen}
    return {"color": {"condition": {"test": test, "value": VERMILION}, "value": BLUE}}


def waterfall_chart(
    title: str,
    contributions: Rows,
    y: Axis | str,
    *,
    start: tuple[str, float],
    end: tuple[str, float],
    lower_is_better: bool = False,
    notes: Iterable[str] = (),
) -> Spec:
    """How one figure became another, step by step.

    Args:
        title: The finding.
        contributions: ``(what, change)``; what they leave unexplained is drawn as "everything else".
        y: What is measured.
        start: What the first figure is called, and the figure.
        end: The same of the last.
        lower_is_better: Whether a fall is good news, for the colours.
        notes: What the reader has to know besides.
    """
    axis = Axis.of(y)
    steps = [(group_name(n), float(v)) for n, v in contributions if numbers([v])]
    if len(steps) > MAX_BARS - 3:
        steps = sorted(steps, key=lambda s: -abs(s[1]))[: MAX_BARS - 3]
    rest = end[1] - start[1] - sum(v for _, v in steps)
    largest = max(range(len(steps)), key=lambda i: abs(steps[i][1]), default=None)
    if largest is not None and abs(rest) <= _UNSEEN * abs(steps[largest][1]):
        steps[largest] = (steps[largest][0], steps[largest][1] + rest)
    elif abs(rest) > 1e-9 * max(abs(start[1]), abs(end[1]), 1.0):
        steps.append(("everything else", rest))
    names = labels([start[0], *(n for n, _ in steps), end[0]])
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
    parts = listed([f"{r['step']} {r['shown']}" for r in records])
    spec = frame(title, records, f"Waterfall chart of {words(axis.label)}: {parts}", said)
    spec["height"] = {"step": 26}
    across = number_axis(axis, [r[k] for r in records for k in ("from", "to")], zero=True)
    down = {
        "field": "step", "type": "nominal", "title": None, "sort": None,
        "axis": {"domain": False, "ticks": False},
    }  # fmt: skip
    colour = {"field": "kind", "type": "nominal", "legend": None, "scale": {"domain": ["total", "up", "down"], "range": [BLUE, *((VERMILION, GREEN) if lower_is_better else (GREEN, VERMILION))]}}  # fmt: skip
    tips = tooltips([("step", "Step"), ("shown", axis.title)])
    return {
        **spec,
        "encoding": {"y": down},
        "layer": [
            {"mark": {"type": "bar"}, "encoding": {"x": {"field": "from", **across}, "x2": {"field": "to"}, "color": colour, "tooltip": tips}},
            {"mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 11}, "encoding": {"x": {"field": "edge", **across}, "text": {"field": "shown"}}},
        ],
    }  # fmt: skip


def histogram_chart(
    title: str,
    bins: Rows,
    x: Axis | str,
    *,
    bounds: Sequence[float] = (),
    notes: Iterable[str] = (),
) -> Spec:
    """How often values occur; bins are ``(from, to, count)``, and ``bounds`` are drawn where they lie among the values."""
    axis = Axis.of(x)
    records = [
        {"low": plain(low), "high": plain(high), "count": n, "range": f"{shown(low, axis)} to {shown(high, axis)}", "shown": figure(n)}
        for low, high, n in bins
    ]  # fmt: skip
    ends = numbers(v for b in bins for v in b[:2])
    described = f"Histogram of {words(axis.label)} in {len(bins)} ranges, {between(ends, axis)}"
    marked = [b for b in bounds if ends and min(ends) < b < max(ends)]
    said = [f"Dashed: the bound{'s' if len(marked) > 1 else ''} {listed([shown(b, axis) for b in marked])}"] if marked else []  # fmt: skip
    spec = frame(title, records, described, [*notes, *said])
    across = number_axis(axis, ends, zero=False)
    across["scale"]["nice"] = False
    encoding = {
        "x": {"field": "low", **across, "bin": {"binned": True}},
        "x2": {"field": "high"},
        "y": {"field": "count", **number_axis("Number of rows", [b[2] for b in bins], zero=True)},
        "tooltip": tooltips([("range", axis.title), ("shown", "Number of rows")]),
    }
    bars: Spec = {"mark": {"type": "bar", "color": BLUE, "binSpacing": 1}, "encoding": encoding}
    if not marked:
        return {**spec, **bars}
    rule = {"type": "rule", "strokeDash": [4, 4], "strokeWidth": 1.5, "color": VERMILION}
    return {**spec, "layer": [bars, *({"mark": rule, "encoding": {"x": {"datum": b}}} for b in marked)]}


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
    up = number_axis("Number of rows (logarithmic)", counts.values(), zero=False)
    up["scale"] = {"type": "symlog", "domainMin": 0}
    powers = [10**k for k in range(8) if 10**k <= max(counts.values(), default=1)]
    up["axis"] = {**up.get("axis", {}), "values": [0, *powers, max(counts.values(), default=1)]}
    colour = {"field": "kind", "type": "nominal", "title": None, "scale": {"domain": ["not flagged", "flagged"], "range": [BLUE, VERMILION]}}  # fmt: skip
    encoding = {
        "x": {"field": "low", **across, "bin": {"binned": True}},
        "x2": {"field": "high"},
        "y": {"field": "count", **up, "stack": None},
        "color": colour,
        "tooltip": tooltips([("kind", "Rows"), ("shown", "Number of rows")]),
    }
    layers: list[Spec] = [{"mark": {"type": "bar", "binSpacing": 1, "opacity": 0.85}, "encoding": encoding}]
    if threshold is not None:
        layers.append({"mark": {"type": "rule", "strokeDash": [4, 4], "color": GREY}, "encoding": {"x": {"datum": threshold}}})  # fmt: skip
    return {**spec, "layer": layers}


def scatter_chart(
    title: str,
    rows: Rows,
    x: Axis | str,
    y: Axis | str,
    *,
    line: tuple[float, float] | None = None,
    notes: Iterable[str] = (),
) -> Spec:
    """Two values against each other.

    Args:
        title: The finding.
        rows: ``(x, y)``, or ``(x, y, group)`` to colour them.
        x: The horizontal axis; moments become an axis of time.
        y: The vertical axis.
        line: Slope and intercept of a line that was fitted.
        notes: What the reader has to know besides.
    """
    across, up = Axis.of(x), Axis.of(y)
    kept, thinned = _sampled(rows)
    records = [
        {"x": plain(r[0]), "y": plain(r[1]), "at": shown(r[0], across), "shown": shown(r[1], up), **({"group": group_name(r[2])} if len(r) > 2 else {})}
        for r in kept
    ]  # fmt: skip
    ends = numbers(r[0] for r in kept)
    fitted = line if line is not None and ends else None
    drawn = ["The line is the one that fits all points best"] if fitted else []
    described = f"Scatter plot of {words(up.label)} against {words(across.label)}, {len(kept):,} points"
    spec = frame(title, records, described, [*drawn, *notes, *thinned])
    timed = bool(kept) and all(isinstance(r[0], date) for r in kept)
    along = time_axis(across, None, [plain(r[0]) for r in kept]) if timed else _spread_axis(across, [r[0] for r in rows])  # fmt: skip
    encoding: dict[str, Any] = {
        "x": {"field": "x", **along},
        "y": {"field": "y", **_spread_axis(up, [r[1] for r in rows])},
        "tooltip": tooltips([("at", across.title), ("shown", up.title)]),
    }
    mark: dict[str, Any] = {"type": "point", "filled": True, "size": 36, "color": BLUE, "opacity": 0.45}
    counts = Counter(str(r["group"]) for r in records if "group" in r)
    if counts:
        groups = [g for g, _ in counts.most_common(len(PALETTE))]
        for r in records:
            r["group"] = r["group"] if r["group"] in groups[:-1] or len(counts) <= len(PALETTE) else "others"
        shown_groups = groups if len(counts) <= len(PALETTE) else [*groups[:-1], "others"]
        names = dict(zip(shown_groups, labels(shown_groups, 32), strict=True))
        for r in records:
            r["group"] = names[r["group"]]
        mark.pop("color")
        encoding["color"] = {"field": "group", "type": "nominal", "title": None, "sort": list(names.values()), "scale": {"domain": list(names.values()), "range": PALETTE}}  # fmt: skip
    if fitted is None:
        return {**spec, "mark": mark, "encoding": encoding}
    slope, begin = fitted
    records += [{"x": end, "fit": begin + slope * end} for end in (min(ends), max(ends))]
    drawn_line = {"type": "line", "color": VERMILION, "strokeWidth": 2}
    placed = {"x": encoding["x"], "y": {**encoding["y"], "field": "fit"}}
    return {
        **spec,
        "layer": [
            {"transform": [{"filter": "!isValid(datum.fit)"}], "mark": mark, "encoding": encoding},
            {"transform": [{"filter": "isValid(datum.fit)"}], "mark": drawn_line, "encoding": placed},
        ],
    }


def _spread_axis(given: Axis, values: Sequence[Any]) -> dict[str, Any]:
    """An axis along which points lie: it begins at zero only where some of them come near it."""
    known = numbers(values)
    return number_axis(given, known, zero=bool(known) and 0 <= min(known) < _NEAR * max(known))


def _sampled(rows: Rows) -> tuple[Rows, list[str]]:
    """As many rows as a picture can show, the same each time; their order says nothing, so none of it is kept."""
    if len(rows) <= MAX_POINTS:
        return rows, []
    kept = random.Random(0).sample(range(len(rows)), MAX_POINTS)
    said = f"A sample of {MAX_POINTS:,} of {len(rows):,} points is drawn, the same each time"
    return [rows[i] for i in sorted(kept)], [said]


def heat_chart(
    title: str,
    rows: Rows,
    x: Axis | str,
    y: Axis | str,
    value: Axis | str,
    *,
    span: tuple[float, float] | None = None,
    notes: Iterable[str] = (),
) -> Spec:
    """A value for each pair of groups, as colour; rows are ``(across, down, value)``, ``span`` is what values can be."""
    axis = Axis.of(value)
    across, down = (list(dict.fromkeys(group_name(r[i]) for r in rows)) for i in (0, 1))
    said = list(notes)
    for names, side in ((across, Axis.of(x)), (down, Axis.of(y))):
        if len(names) > MAX_CELLS:
            said.append(f"The first {MAX_CELLS} of {len(names):,} values of {words(side.label)} are drawn; the others are not")  # fmt: skip
            del names[MAX_CELLS:]
    sides = [dict(zip(names, labels(names, 24), strict=True)) for names in (across, down)]
    records = [
        {
            "x": sides[0][group_name(a)],
            "y": sides[1][group_name(d)],
            "value": plain(v),
            "label": "" if v is None else brief(v, axis),
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
    step = max(34, min(90, WIDTH // max(len(across), 1)))
    longest = max((len(n) for n in sides[0].values()), default=0)
    spec["width"] = {"step": step}
    spec["height"] = {"step": 26}
    low, high = span or ((min(known), max(known)) if known else (0.0, 0.0))
    signed = low < 0 < high
    scale: dict[str, Any] = {"scheme": "blueorange", "domainMid": 0} if signed else {"scheme": "blues"}
    scale |= {"domain": [low, high]} if span else {"nice": True}
    legend = {"labelExpr": number_axis(axis, known)["axis"]["labelExpr"], "orient": "right", "gradientLength": 140, "tickCount": 4}  # fmt: skip
    place: dict[str, Any] = {
        "x": {"field": "x", "type": "nominal", "sort": list(sides[0].values()), "title": Axis.of(x).title, "axis": {"labelAngle": 0 if longest * _LETTER <= step else -40, "orient": "top"}},
        "y": {"field": "y", "type": "nominal", "sort": list(sides[1].values()), "title": Axis.of(y).title},
    }  # fmt: skip
    tips = tooltips([("x", Axis.of(x).title), ("y", Axis.of(y).title), ("shown", axis.title)])
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
