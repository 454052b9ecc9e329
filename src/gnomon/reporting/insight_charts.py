"""The chart of a comparison: a series with both periods, what was usual, and what happened written beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.tools.chart_frame import BLUE, GREY, ORANGE, VERMILION, frame
from gnomon.tools.chart_frame import plain as plain_value

BAD, MUTED = VERMILION, GREY
MAX_DAYS = 800


def compared_periods_chart(
    title: str,
    points: Sequence[tuple[Any, float | None, float | None, str | None]],
    marks: Sequence[tuple[Any, str]],
    value: str,
    *,
    x: str = "day",
    unfinished: bool = False,
    note: str = "",
) -> dict[str, Any]:
    """A measure along time with the two periods that are compared, what was usual, and what happened when.

    Args:
        title: The finding.
        points: (day, value, usual value, ``previous``, ``current`` or None).
        marks: (day, what happened), written beside the line.
        value: What is measured, with its unit.
        x: What a point is.
        unfinished: Whether the last point is a period that is not over, which is then drawn apart.
        note: What the reader has to know besides.
    """
    kept = list(points)[-MAX_DAYS:]
    rows: list[dict[str, Any]] = []
    for i, (day, held, usual, period) in enumerate(kept):
        last = unfinished and i == len(kept) - 1
        rows.append({
            "day": plain_value(day), "value": plain_value(held), "usual": plain_value(usual),
            "period": {"previous": "before", "current": "looked at"}.get(period or "", "around"),
            "unfinished": last,
        })  # fmt: skip
    time = {"field": "day", "type": "temporal", "title": x}
    amount = {
        "field": "value",
        "type": "quantitative",
        "title": value,
        "scale": {"zero": False},
        "axis": {"format": "~s"},
    }
    colour = {
        "field": "period", "type": "nominal", "title": None, "legend": {"orient": "bottom"},
        "scale": {"domain": ["around", "before", "looked at"], "range": [MUTED, BLUE, ORANGE]},
    }  # fmt: skip
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "line", "color": MUTED, "strokeWidth": 1}, "encoding": {"x": time, "y": amount}},
        {
            "mark": {"type": "point", "filled": True, "size": 28, "tooltip": True},
            "encoding": {"x": time, "y": amount, "color": colour},
        },
    ]
    if any(r["usual"] is not None for r in rows):
        layers.insert(0, {
            "mark": {"type": "line", "strokeDash": [4, 4], "color": "#bbbbbb"},
            "encoding": {"x": time, "y": {**amount, "field": "usual"}},
        })  # fmt: skip
    if unfinished:
        layers.append({
            "transform": [{"filter": "datum.unfinished === true"}],
            "mark": {"type": "point", "shape": "circle", "filled": False, "size": 90, "color": BAD},
            "encoding": {"x": time, "y": amount},
        })  # fmt: skip
    for place, (day, label) in enumerate(marks[:4]):
        at = {"values": [{"day": plain_value(day), "label": label}]}
        layers += [
            {
                "data": at,
                "mark": {"type": "rule", "color": BAD, "strokeDash": [2, 3]},
                "encoding": {"x": time},
            },
            {
                "data": at,
                "mark": {
                    "type": "text",
                    "align": "left",
                    "dx": 4,
                    "y": 10 + 14 * place,
                    "fontSize": 11,
                    "color": BAD,
                },
                "encoding": {"x": time, "text": {"field": "label"}},
            },
        ]
    return {**_frame(title, rows, note), "layer": layers}


def _frame(title: str, rows: list[dict[str, Any]], note: str) -> dict[str, Any]:
    return {**frame(title, rows, title, [note] if note else []), "width": 620, "height": 320}
