"""Charts that explain: a waterfall of what a change is made of, and a series with what happened written beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.tools.chart_frame import BLUE, GREEN, GREY, ORANGE, VERMILION, frame
from gnomon.tools.chart_frame import plain as plain_value

GOOD, BAD, TOTAL, MUTED = GREEN, VERMILION, BLUE, GREY
MAX_STEPS = 14
MAX_DAYS = 800


def waterfall_chart(
    title: str,
    steps: Sequence[tuple[str, float, float, str]],
    value: str,
    *,
    lower_is_better: bool = False,
    note: str = "",
) -> dict[str, Any]:
    """From an earlier value to a later one, a bar for each part of the change.

    Args:
        title: The finding.
        steps: (label, amount, running total, kind) with kind ``start``, ``step`` or ``end``.
        value: What is measured, with its unit.
        lower_is_better: Whether a fall is good news, for the colours.
        note: What the reader has to know besides, such as an unfinished period.
    """
    rows = [_bar(i, *s) for i, s in enumerate(_shortened(steps))]
    order = [r["part"] for r in rows]
    up, down = (BAD, GOOD) if lower_is_better else (GOOD, BAD)
    x = {
        "field": "part",
        "type": "nominal",
        "sort": order,
        "title": None,
        "axis": {"labelAngle": -35, "labelLimit": 160},
    }
    colour = {
        "field": "direction", "type": "nominal", "title": None,
        "scale": {"domain": ["total", "more", "less"], "range": [TOTAL, up, down]}, "legend": {"orient": "bottom"},
    }  # fmt: skip
    base: dict[str, Any] = {
        "y": {
            "field": "low",
            "type": "quantitative",
            "title": value,
            "scale": {"zero": False},
            "axis": {"format": "~s"},
        },
        "y2": {"field": "high"},
    }
    layers = [
        {
            "mark": {"type": "bar", "tooltip": True, "size": 26},
            "encoding": {"x": x, **base, "color": colour, "tooltip": [
                {"field": "part", "title": "part"}, {"field": "amount", "type": "quantitative", "title": value, "format": ",.4~g"},
            ]},
        },
        {
            "mark": {"type": "text", "dy": -7, "fontSize": 11, "color": "#333"},
            "encoding": {
                "x": x, "y": {"field": "high", "type": "quantitative"}, "text": {"field": "said"},
            },
        },
    ]  # fmt: skip
    return {**_frame(title, rows, note), "layer": layers}


def _shortened(steps: Sequence[tuple[str, float, float, str]]) -> list[tuple[str, float, float, str]]:
    """The largest parts in their order; the rest together, so that the bars still add up."""
    parts = [s for s in steps if s[3] == "step"]
    if len(parts) <= MAX_STEPS:
        return list(steps)
    kept = sorted(parts, key=lambda s: -abs(s[1]))[: MAX_STEPS - 1]
    first, last = steps[0], steps[-1]
    shown: list[tuple[str, float, float, str]] = [first]
    total = first[2]
    for label, amount, _, kind in (s for s in parts if s in kept):
        total += amount
        shown.append((label, amount, total, kind))
    rest = last[2] - total
    return [*shown, ("everything else", rest, last[2], "step"), last]


def _bar(place: int, label: str, amount: float, total: float, kind: str) -> dict[str, Any]:
    whole = kind != "step"
    start = 0.0 if whole else total - amount
    sign = "" if whole else "+" if amount > 0 else "−" if amount < 0 else "±"
    return {
        "part": label if not whole or place == 0 else f"{label} ",
        "amount": total if whole else amount,
        "low": min(start, total),
        "high": max(start, total),
        "direction": "total" if whole else "more" if amount > 0 else "less",
        "said": f"{sign}{_short(abs(total if whole else amount))}",
    }


def _short(value: float) -> str:
    for scale, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= scale:
            return f"{value / scale:.3g}{letter}"
    return f"{value:.3g}"


def annotated_series_chart(
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
