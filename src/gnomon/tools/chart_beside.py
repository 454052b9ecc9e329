"""Charts of two periods beside each other: bars for groups, lines where the groups follow each other in time."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from gnomon.core.figures import group_name
from gnomon.tools.chart_frame import (
    BLUE,
    ORANGE,
    Axis,
    Rows,
    Spec,
    between,
    frame,
    labels,
    number_axis,
    numbers,
    plain,
    shown,
    tooltips,
    words,
)

MAX_GROUPS = 15


def beside_chart(
    title: str,
    rows: Rows,
    x: Axis | str,
    y: Axis | str,
    names: tuple[str, str],
    *,
    along: bool = False,
    cut: Collection[tuple[str, str]] = (),
    notes: Iterable[str] = (),
) -> Spec:
    """A value of each group in two periods.

    Args:
        title: The finding.
        rows: ``(group, later, earlier)``, in the order in which they are drawn.
        x: What the groups are.
        y: What is measured.
        names: What the later and the earlier period are called.
        along: Whether the groups follow each other in time: months, quarters, weekdays.
        cut: ``(period, group)`` of those that are not whole; drawn hollow.
        notes: What the reader has to know besides.
    """
    axis, groups = Axis.of(y), Axis.of(x)
    kept = list(rows) if along else list(rows)[:MAX_GROUPS]
    said = [*notes, *([f"The first {len(kept)} of {len(rows):,} are drawn"] if len(kept) < len(rows) else [])]
    called = labels([group_name(r[0]) for r in kept])
    records = [
        {
            "group": called[i], "period": name, "value": plain(row[place]), "shown": shown(row[place], axis),
            "whole": (name, group_name(row[0])) not in cut,
        }
        for place, name in ((2, names[1]), (1, names[0]))
        for i, row in enumerate(kept)
        if row[place] is not None
    ]  # fmt: skip
    known = numbers(r["value"] for r in records)
    kind = "Line chart" if along else "Bar chart"
    described = f"{kind} of {words(axis.label)} by {words(groups.label)} in {names[1]} and {names[0]}, {between(known, axis)}"
    spec = frame(title, records, described, said)
    colour = {
        "field": "period", "type": "nominal", "title": None, "sort": [names[1], names[0]],
        "scale": {"domain": [names[1], names[0]], "range": [ORANGE, BLUE]},
    }  # fmt: skip
    tips = tooltips([("group", groups.title), ("period", "Period"), ("shown", axis.title)])
    side: dict[str, Any] = {"field": "group", "type": "nominal", "title": groups.title, "sort": called}
    if not along:
        spec["height"] = {"step": 16}
        return {
            **spec,
            "mark": {"type": "bar"},
            "encoding": {
                "y": {**side, "axis": {"domain": False, "ticks": False}},
                "yOffset": {"field": "period", "type": "nominal", "sort": [names[1], names[0]]},
                "x": {"field": "value", **number_axis(axis, known, zero=True)},
                "color": colour,
                "tooltip": tips,
            },
        }
    placed = {
        "x": {
            **side,
            "type": "ordinal",
            "axis": {"labelAngle": 0, "labelOverlap": True, "labelExpr": "slice(datum.label, 0, 3)"},
        },
        "y": {"field": "value", **number_axis(axis, known)},
        "color": colour,
    }
    whole, point = [{"filter": "datum.whole === true"}], {"type": "point", "size": 40, "opacity": 1}
    layers = [
        {"transform": whole, "mark": {"type": "line"}, "encoding": placed},
        {"transform": whole, "mark": {**point, "filled": True}, "encoding": {**placed, "tooltip": tips}},
    ]
    if any(not r["whole"] for r in records):
        other = [{"filter": "datum.whole === false"}]
        layers.append({"transform": other, "mark": {**point, "filled": False}, "encoding": {**placed, "tooltip": tips}})  # fmt: skip
    return {**spec, "layer": layers}
