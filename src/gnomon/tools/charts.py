"""Charts as Vega-Lite specifications: chosen by what the columns hold, titled with the finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.errors import InvalidInput
from gnomon.tools.columns import known, numeric_columns, time_columns
from gnomon.tools.contract import FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.goals import Goal
from gnomon.tools.outputs import Output
from gnomon.tools.resolve import read_frame

if TYPE_CHECKING:
    import pandas as pd

ChartKind = Literal["bar", "line", "scatter", "area", "pie", "heatmap", "box", "histogram"]
MAX_POINTS = 5000
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_INK = "#1f6f8b"
_ALERT = "#c8553d"
_PALETTE = [
    _INK,
    "#e39b3b",
    "#7a9e5b",
    _ALERT,
    "#6d5a8f",
    "#4fa3a5",
    "#b5838d",
    "#8d7b4a",
    "#335c67",
    "#a44a3f",
    "#5f7367",
    "#9a8c98",
]


class ChartInput(BaseModel):
    """What to draw."""

    model_config = ConfigDict(extra="forbid")

    data: Frame
    chart: ChartKind | None = Field(
        default=None, description="Kind of chart; chosen by the columns by default."
    )
    x: str | None = Field(default=None, description="Column along the horizontal axis.")
    y: str | None = Field(default=None, description="Column along the vertical axis.")
    color: str | None = Field(default=None, description="Column that colours the marks.")
    title: str | None = Field(default=None, description="The finding that the chart shows.")


class ChartOutput(Output):
    """A chart as data."""

    spec: dict[str, Any] = Field(description="A Vega-Lite specification with its data inside.")
    chart: ChartKind
    points: int = Field(description="Rows that the chart shows.")
    notes: list[str] = Field(default_factory=list)


def run_chart(given: ChartInput, context: ToolContext) -> Output:
    """Draw rows as a Vega-Lite chart."""
    frame = read_frame(given.data, context)
    if frame.empty or len(frame.columns) == 0:
        raise InvalidInput(
            "There are no rows to draw.", suggestions=["Loosen the filters, or check the data."]
        )
    for name in (given.x, given.y, given.color):
        if name is not None:
            known(frame, name)
    kind, x, y, color = _choose(frame, given)
    shown, notes = _bounded(frame, kind, x)
    title = given.title or _title(kind, x, y)
    spec = {
        "$schema": _SCHEMA,
        "title": {"text": _wrapped(title), "anchor": "start", "fontSize": 14},
        "width": 560,
        "height": 320,
        "data": {"values": _records(shown)},
        **_body(frame, kind, x, y, color),
    }
    return ChartOutput(summary=title, spec=spec, chart=kind, points=len(shown), notes=notes)


def _choose(frame: pd.DataFrame, given: ChartInput) -> tuple[ChartKind, str, str | None, str | None]:
    """The kind of chart and its columns, from what was asked and what the columns hold."""
    times, numbers = time_columns(frame), numeric_columns(frame)
    labels = [str(c) for c in frame.columns if c not in times and c not in numbers]
    y = given.y or next((n for n in numbers if n not in {given.x, "lower", "upper", "score", "step"}), None)
    x = given.x or next((c for c in [*times, *(n for n in numbers if n == "step"), *labels] if c != y), None)
    if x is None:
        x = next((n for n in numbers if n != y), None)
        if x is None:
            return given.chart or "histogram", str(y or frame.columns[0]), None, given.color
    color = given.color or next((c for c in labels if c not in {x, y} and frame[c].nunique() <= 12), None)
    if given.chart:
        return given.chart, x, y, color
    if y is None:
        return "bar", x, None, color
    if x in times or x == "step":
        return "line", x, y, color
    return ("scatter", x, y, color) if x in numbers else ("bar", x, y, color)


def _bounded(frame: pd.DataFrame, kind: ChartKind, x: str) -> tuple[pd.DataFrame, list[str]]:
    if len(frame) <= MAX_POINTS:
        return frame, []
    if kind in {"line", "area"}:
        step = -(-len(frame) // MAX_POINTS)
        return frame.sort_values(x).iloc[::step], [f"Every {step}th of {len(frame):,} rows is drawn."]
    return frame.sample(MAX_POINTS, random_state=0), [
        f"A random {MAX_POINTS:,} of {len(frame):,} rows are drawn."
    ]


def _body(frame: pd.DataFrame, kind: ChartKind, x: str, y: str | None, color: str | None) -> dict[str, Any]:
    """Mark and encoding, or the layers where an interval or anomalies are to be seen."""
    horizontal = _channel(frame, x)
    vertical = _channel(frame, y) if y else {"aggregate": "count", "type": "quantitative", "title": "rows"}
    if kind == "histogram":
        return {"mark": {"type": "bar", "color": _INK}, "encoding": {"x": {**horizontal, "bin": True}, "y": {"aggregate": "count", "type": "quantitative", "title": "rows"}}}  # fmt: skip
    if kind == "pie":
        return {
            "mark": {"type": "arc", "innerRadius": 60},
            "encoding": {"theta": vertical, "color": horizontal},
        }
    if kind == "heatmap":
        return {"mark": "rect", "encoding": {"x": horizontal, "y": vertical, "color": {"aggregate": "count", "type": "quantitative"}}}  # fmt: skip
    if kind in {"line", "scatter", "box"} and vertical["type"] == "quantitative":
        vertical = {**vertical, "scale": {"zero": False}}
    encoding: dict[str, Any] = {"x": horizontal, "y": vertical}
    if kind == "bar" and horizontal["type"] == "nominal" and y:
        encoding = {"y": {**horizontal, "sort": None}, "x": vertical}
    if color:
        encoding["color"] = {**_channel(frame, color), "sort": None, "scale": {"range": _PALETTE}}
    mark: dict[str, Any] = {"type": {"scatter": "point"}.get(kind, kind), "tooltip": True}
    if kind == "box":
        mark = {"type": "boxplot"}
    if not color:
        mark["color"] = _INK
    layers: list[dict[str, Any]] = [{"mark": mark, "encoding": encoding}]
    if kind == "line" and y and {"lower", "upper"} <= set(frame.columns):
        band = {"x": horizontal, "y": {**_channel(frame, "lower"), "title": y}, "y2": {"field": "upper"}}
        layers.insert(0, {"mark": {"type": "area", "opacity": 0.2, "color": _INK}, "encoding": band})
    if y and "is_anomaly" in frame.columns:
        encoding.pop("color", None)
        points = {"transform": [{"filter": "datum.is_anomaly === true"}], "mark": {"type": "point", "size": 70, "filled": True, "color": _ALERT}, "encoding": {"x": horizontal, "y": vertical}}  # fmt: skip
        layers.append(points)
    return layers[0] if len(layers) == 1 else {"layer": layers}


def _channel(frame: pd.DataFrame, column: str) -> dict[str, Any]:
    from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

    if is_datetime64_any_dtype(frame[column]):
        kind = "temporal"
    else:
        kind = (
            "quantitative"
            if is_numeric_dtype(frame[column]) and not is_bool_dtype(frame[column])
            else "nominal"
        )
    return {"field": _escaped(column), "type": kind, "title": column}


def _escaped(column: str) -> str:
    """A field name as Vega-Lite reads it: dots and brackets would reach into objects."""
    for sign in ("\\", ".", "[", "]"):
        column = column.replace(sign, f"\\{sign}")
    return column


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    import json

    return json.loads(frame.to_json(orient="records", date_format="iso"))


def _title(kind: ChartKind, x: str, y: str | None) -> str:
    return f"{y} by {x}" if y else f"Distribution of {x}"


def _wrapped(title: str, width: int = 80) -> list[str]:
    import textwrap

    return textwrap.wrap(title, width) or [title]


def chart_tools() -> list[FunctionTool]:
    """The tool of this file."""
    return [
        FunctionTool(
            "render_chart", run_chart, ChartInput, ChartOutput,
            description="Draws rows as a Vega-Lite chart, chosen by what the columns hold and titled with the finding.",
            goals=(Goal.CHART,),
        )
    ]  # fmt: skip
