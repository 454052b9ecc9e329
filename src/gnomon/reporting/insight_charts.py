"""The chart of a comparison: a series with both periods, what was usual, and what happened written beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.core.figures import listed
from gnomon.tools.chart_frame import (
    BLUE,
    GREY,
    ORANGE,
    VERMILION,
    Axis,
    between,
    frame,
    number_axis,
    numbers,
    period_label,
    plain,
    shown,
    time_axis,
    tooltips,
    words,
)

MAX_DAYS = 800
OTHERS = "other days"


def compared_periods_chart(
    title: str,
    points: Sequence[tuple[Any, float | None, float | None, str | None]],
    marks: Sequence[tuple[Any, str]],
    value: Axis,
    periods: tuple[str, str],
    *,
    note: str = "",
) -> dict[str, Any]:
    """A measure along its days with the two periods that are compared, what was usual, and what happened when.

    Args:
        title: The finding.
        points: (day, value, usual value, ``previous``, ``current`` or None).
        marks: (day, what happened), written beside the line.
        value: What is measured, with its unit.
        periods: What the earlier and the later period are called.
        note: What the reader has to know besides.
    """
    kept = list(points)[-MAX_DAYS:]
    called = {"previous": periods[0], "current": periods[1]}
    rows: list[dict[str, Any]] = [
        {
            "day": plain(day), "value": plain(held), "usual": plain(usual), "period": called.get(period or "", OTHERS),
            "when": period_label(day, "day"), "shown": shown(held, value),
        }
        for day, held, usual, period in kept
    ]  # fmt: skip
    known = numbers(v for p in kept for v in p[1:3])
    happened = f", with {listed([label for _, label in marks[:4]])}" if marks else ""
    described = f"Line chart of {words(value.label)} by day around {listed(list(periods))}, {between(numbers(p[1] for p in kept), value)}{happened}"
    time = {"field": "day", **time_axis("day", "day", [r["day"] for r in rows])}
    amount = {"field": "value", **number_axis(value, known)}
    names = [n for n in (OTHERS, *periods) if any(r["period"] == n for r in rows)]
    colours = {OTHERS: GREY, periods[0]: BLUE, periods[1]: ORANGE}
    colour = {
        "field": "period", "type": "nominal", "title": None,
        "scale": {"domain": names, "range": [colours[n] for n in names]},
    }  # fmt: skip
    tips = tooltips([("when", "Day"), ("shown", value.title), ("period", "Period")])
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "line", "color": GREY, "strokeWidth": 1}, "encoding": {"x": time, "y": amount}},
        {
            "mark": {"type": "point", "filled": True, "size": 28, "opacity": 1},
            "encoding": {"x": time, "y": amount, "color": colour, "tooltip": tips},
        },
    ]
    if any(r["usual"] is not None for r in rows):
        layers.insert(0, {
            "mark": {"type": "line", "strokeDash": [4, 4], "strokeWidth": 1, "color": GREY},
            "encoding": {"x": time, "y": {**amount, "field": "usual"}},
        })  # fmt: skip
    for place, (day, label) in enumerate(marks[:4]):
        at = {"values": [{"day": plain(day), "label": label}]}
        late = bool(rows) and str(plain(day)) > str(rows[len(rows) // 2]["day"])  # written towards the middle
        text = {
            "type": "text",
            "align": "right" if late else "left",
            "dx": -4 if late else 4,
            "y": 10 + 14 * place,
            "fontSize": 11,
            "color": VERMILION,
        }
        layers += [
            {"data": at, "mark": {"type": "rule", "color": VERMILION, "strokeDash": [2, 3]}, "encoding": {"x": time}},
            {"data": at, "mark": text, "encoding": {"x": time, "text": {"field": "label"}}},
        ]  # fmt: skip
    return {
        **frame(title, rows, described, [note] if note else []),
        "width": 620,
        "height": 320,
        "layer": layers,
    }
