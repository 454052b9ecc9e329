"""Charts of answers as Vega-Lite specifications, written by hand so that they cost nothing to make."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
INK = "#1f6f8b"
PALETTE = [
    INK,
    "#e39b3b",
    "#7a9e5b",
    "#c8553d",
    "#6d5a8f",
    "#4fa3a5",
    "#b5838d",
    "#8d7b4a",
    "#335c67",
    "#a44a3f",
]
MAX_BARS = 30
MAX_POINTS = 3000
MAX_LINES = len(PALETTE)

Rows = Sequence[Sequence[Any]]


def line_chart(title: str, rows: Rows, x: str, y: str, colour: str | None = None) -> dict[str, Any]:
    """A value along time, one line for each group; rows are (time, value) or (time, group, value)."""
    keys = ["x", "group", "y"] if colour else ["x", "y"]
    data = _records(rows[-MAX_POINTS:], keys)
    encoding: dict[str, Any] = {
        "x": {"field": "x", "type": "temporal", "title": x},
        "y": {"field": "y", "type": "quantitative", "title": y, "scale": {"zero": False}},
    }
    if colour:
        encoding["color"] = {
            "field": "group",
            "type": "nominal",
            "title": colour,
            "scale": {"range": PALETTE},
        }
    mark = {"type": "line", "point": len(rows) <= 60, "tooltip": True, **({} if colour else {"color": INK})}
    return _spec(title, data, mark, encoding)


def with_note(chart: dict[str, Any], notes: Sequence[str]) -> dict[str, Any]:
    """The chart with what its reader has to know below its title: a last month that is not over is no fall."""
    lines = [line for note in notes for line in textwrap.wrap(f"{note}.", 100)]
    return {**chart, "title": {**chart["title"], "subtitle": lines}} if lines else chart


def bar_chart(title: str, rows: Rows, x: str, y: str) -> dict[str, Any]:
    """A value for each group, in the order given; rows are (group, value)."""
    data = _records(rows[:MAX_BARS], ["group", "value"])
    encoding = {
        "y": {"field": "group", "type": "nominal", "title": x, "sort": None},
        "x": {"field": "value", "type": "quantitative", "title": y},
    }
    spec = _spec(title, data, {"type": "bar", "color": INK, "tooltip": True}, encoding)
    spec["height"] = {"step": 22}
    return spec


def histogram_chart(title: str, bins: Rows, x: str) -> dict[str, Any]:
    """How often values occur; bins are (from, to, count)."""
    encoding = {
        "x": {"field": "low", "type": "quantitative", "title": x, "bin": {"binned": True}},
        "x2": {"field": "high"},
        "y": {"field": "count", "type": "quantitative", "title": "rows"},
    }
    data = _records(bins, ["low", "high", "count"])
    return _spec(title, data, {"type": "bar", "color": INK, "tooltip": True}, encoding)


def scatter_chart(title: str, rows: Rows, x: str, y: str) -> dict[str, Any]:
    """Two values against each other; rows are (x, y)."""
    step = max(1, -(-len(rows) // MAX_POINTS))
    encoding = {
        "x": {"field": "x", "type": "quantitative", "title": x, "scale": {"zero": False}},
        "y": {"field": "y", "type": "quantitative", "title": y, "scale": {"zero": False}},
    }
    data = _records(rows[::step], ["x", "y"])
    return _spec(title, data, {"type": "point", "color": INK, "tooltip": True, "opacity": 0.5}, encoding)


def band_chart(title: str, rows: Rows, x: str, y: str) -> dict[str, Any]:
    """A series that goes on as a forecast; rows are (time, value, lower, upper, kind)."""
    data = _records(rows[-MAX_POINTS:], ["x", "y", "lower", "upper", "kind"])
    time = {"field": "x", "type": "temporal", "title": x}
    value = {"field": "y", "type": "quantitative", "title": y, "scale": {"zero": False}}
    band = {"x": time, "y": {"field": "lower", "type": "quantitative", "title": y}, "y2": {"field": "upper"}}
    colour = {"field": "kind", "type": "nominal", "title": None, "scale": {"range": PALETTE}}
    layers = [
        {"mark": {"type": "area", "opacity": 0.2, "color": INK}, "encoding": band},
        {"mark": {"type": "line", "tooltip": True}, "encoding": {"x": time, "y": value, "color": colour}},
    ]
    return {**_frame(title, data), "layer": layers}


def marked_chart(title: str, rows: Rows, x: str, y: str) -> dict[str, Any]:
    """A series with some of its points marked; rows are (time, value, marked)."""
    data = _records(rows[-MAX_POINTS:], ["x", "y", "marked"])
    time = {"field": "x", "type": "temporal", "title": x}
    value = {"field": "y", "type": "quantitative", "title": y, "scale": {"zero": False}}
    encoding = {"x": time, "y": value}
    layers = [
        {"mark": {"type": "line", "color": INK, "tooltip": True}, "encoding": encoding},
        {
            "transform": [{"filter": "datum.marked === true"}],
            "mark": {"type": "point", "size": 70, "filled": True, "color": PALETTE[3], "tooltip": True},
            "encoding": encoding,
        },
    ]
    return {**_frame(title, data), "layer": layers}


def _spec(
    title: str, data: list[dict[str, Any]], mark: dict[str, Any], encoding: dict[str, Any]
) -> dict[str, Any]:
    return {**_frame(title, data), "mark": mark, "encoding": encoding}


def _frame(title: str, data: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "$schema": SCHEMA,
        "title": wrapped_title(title),
        "width": 560,
        "height": 300,
        "data": {"values": data},
    }


def wrapped_title(title: str, note: str = "") -> dict[str, Any]:
    """A title that fits above a chart, with a note below it."""
    made: dict[str, Any] = {"text": textwrap.wrap(title, 80) or [title], "anchor": "start", "fontSize": 14}
    return {**made, "subtitle": textwrap.wrap(note, 100)} if note else made


def _records(rows: Rows, keys: Sequence[str]) -> list[dict[str, Any]]:
    return [{k: plain_value(v) for k, v in zip(keys, row, strict=True)} for row in rows]


def plain_value(value: Any) -> Any:
    """A value as a chart's data holds it."""
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
