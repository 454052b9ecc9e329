"""The tool ``render_chart``: the kind of chart chosen by what the columns hold, titled with the finding."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.errors import InvalidInput
from gnomon.core.figures import capital, figure, group_name
from gnomon.tools.chart_frame import (
    MAX_POINTS,
    PALETTE,
    Axis,
    frame,
    grain_of,
    number_axis,
    period_label,
    words,
)
from gnomon.tools.chart_groups import bar_chart, heat_chart, histogram_chart, scatter_chart
from gnomon.tools.chart_series import annotated_series_chart, band_chart, line_chart
from gnomon.tools.columns import known, merge_rule, numeric_columns, time_columns
from gnomon.tools.contract import FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.goals import Goal
from gnomon.tools.outputs import Output
from gnomon.tools.resolve import read_frame

if TYPE_CHECKING:
    import pandas as pd

ChartKind = Literal["bar", "line", "scatter", "area", "pie", "heatmap", "box", "histogram"]
MAX_ROWS = 200_000
MAX_SLICES = 6
_BINS = 24
_COMPUTED = frozenset({"lower", "upper", "score", "step"})


class ChartInput(BaseModel):
    """What to draw."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame
    chart: ChartKind | None = Field(
        default=None, description="Kind of chart; chosen by the columns by default."
    )
    x: str | None = Field(default=None, description="Column along the horizontal axis.")
    y: str | None = Field(default=None, description="Column along the vertical axis.")
    color: str | None = Field(default=None, description="Column that colours the marks.")
    title: str | None = Field(default=None, description="The finding that the chart shows.")
    open_periods: list[date] = Field(
        default_factory=list[date], description="Beginnings of periods that the data cuts short; drawn apart."
    )


class ChartOutput(Output):
    """A chart as data."""

    spec: dict[str, Any] = Field(description="A Vega-Lite specification with its data inside.")
    chart: ChartKind
    points: int = Field(description="Rows that the chart shows.")
    notes: list[str] = Field(default_factory=list)


def run_chart(given: ChartInput, context: ToolContext) -> Output:
    """Draw rows as a Vega-Lite chart."""
    rows = read_frame(given.data, context)
    if rows.empty or len(rows.columns) == 0:
        raise InvalidInput(
            "There are no rows to draw.", suggestions=["Loosen the filters, or check the data."]
        )
    for name in (given.x, given.y, given.color):
        if name is not None:
            known(rows, name)
    kind, x, y, color = _choose(rows, given)
    notes = [] if len(rows) <= MAX_ROWS else [f"The first {MAX_ROWS:,} of {len(rows):,} rows are drawn."]
    spec = _drawn(_Chosen(rows.head(MAX_ROWS), kind, x, y, color, given, notes))
    told = list(spec["title"].get("subtitle", []))
    return ChartOutput(
        summary=" ".join(spec["title"]["text"]), spec=spec, chart=kind,
        points=len(spec["data"]["values"]), notes=told,
    )  # fmt: skip


class _Chosen:
    """A chart about to be drawn: its rows, its kind, and which column plays which part."""

    def __init__(
        self, rows: pd.DataFrame, kind: ChartKind, x: str, y: str | None, color: str | None, given: ChartInput, notes: list[str],
    ) -> None:  # fmt: skip
        self.rows, self.kind, self.x, self.y, self.color = rows, kind, x, y, color
        self.given, self.notes = given, notes
        self.grain = grain_of(x) or _grain(rows, x)

    def title(self, finding: str) -> str:
        """What the caller calls it, else what was found."""
        return self.given.title or finding

    def values(self, *columns: str) -> list[tuple[Any, ...]]:
        """Plain Python rows of some columns, in order."""
        return list(zip(*(_plain(self.rows[c]) for c in columns), strict=True))

    def combined(self) -> tuple[list[tuple[Any, ...]], Axis]:
        """One value for each x (and colour), with what it is: rows of the same x are added up, or averaged for rates."""
        keys = [self.x, *([self.color] if self.color else [])]
        label = words(self.y or "")
        if self.y is None:
            counts = self.rows.groupby(keys, sort=False, dropna=False).size().reset_index(name="rows")
            return _tuples(counts, [*keys, "rows"]), Axis("number of rows")
        rows = self.rows[[*keys, self.y]]
        if rows.duplicated(keys).any():
            how = merge_rule(self.y)
            grouped = rows.groupby(keys, sort=False, dropna=False)[self.y]
            made = (grouped.mean() if how == "mean" else grouped.sum(min_count=1)).reset_index()
            return _tuples(made, [*keys, self.y]), Axis(words(f"{how}_{label}"))
        return _tuples(rows, [*keys, self.y]), Axis(label)


def _drawn(c: _Chosen) -> dict[str, Any]:
    """The specification."""
    if c.kind == "histogram":
        return _histogram(c)
    if c.kind == "box":
        return _boxes(c)
    if c.kind == "scatter" and c.y:
        rows = c.values(c.x, c.y, *([c.color] if c.color else []))
        finding = f"{capital(words(c.y))} against {words(c.x)}"
        return scatter_chart(c.title(finding), rows, words(c.x), words(c.y), notes=c.notes)
    if c.kind == "heatmap":
        return _heat(c)
    if c.kind in {"line", "area"} and c.y:
        return _line(c)
    rows, axis = c.combined()
    if c.kind == "pie":
        return _pie(c, rows, axis)
    bars = [(" · ".join(_named(c, v) for v in r[:-1]), r[-1]) for r in rows]
    top = max((r for r in bars if isinstance(r[1], (int, float))), key=lambda r: r[1], default=None)
    finding = f"{capital(axis.label)} is highest for {top[0]} ({figure(top[1])})" if top else axis.label
    return bar_chart(c.title(finding), bars, words(c.x), axis, notes=c.notes)


def _line(c: _Chosen) -> dict[str, Any]:
    assert c.y is not None
    names = set(c.rows.columns)
    single = not c.rows[c.x].duplicated().any()
    flags = c.values(c.x, "is_anomaly") if "is_anomaly" in names else []
    if {"lower", "upper"} <= names and single:
        kinds = ["kind"] if "kind" in names else []
        rows = [(*r, *(() if kinds else ("",))) for r in c.values(c.x, c.y, "lower", "upper", *kinds)]
        marks = {at for at, flagged in flags if flagged}
        title = c.title(_way(c, rows, words(c.y)))
        return band_chart(title, rows, words(c.x), words(c.y), grain=c.grain, marks=marks, notes=c.notes)
    if flags and single:
        rows = c.values(c.x, c.y)
        marks = [(at, "") for at, flagged in flags if flagged]
        finding = f"{len(marks):,} of {len(rows):,} values of {words(c.y)} stand out"
        return annotated_series_chart(
            c.title(finding), rows, marks, words(c.x), words(c.y), grain=c.grain, notes=c.notes
        )
    rows, axis = c.combined()
    rows.sort(key=lambda r: (r[0] is None, r[0]))
    opened = {at for at, *_ in rows if _day(at) in c.given.open_periods}
    notes = [*c.notes, *(f"{capital(period_label(at, c.grain))} is not whole in the data" for at in sorted(opened))]  # fmt: skip
    return line_chart(
        c.title(_way(c, rows, axis.label)), rows, words(c.x), axis, group=c.color, grain=c.grain,
        open_periods=opened, notes=notes, filled=c.kind == "area",
    )  # fmt: skip


def _way(c: _Chosen, rows: list[tuple[Any, ...]], label: str) -> str:
    """From where to where a series went."""
    ends = [r for r in rows if r[0] is not None and isinstance(r[1], (int, float))]
    if len(ends) < 2:
        return capital(label)
    (start, first, *_), (end, last, *_) = ends[0], ends[-1]
    return f"{capital(label)} went from {figure(first)} ({_named(c, start)}) to {figure(last)} ({_named(c, end)})"


def _histogram(c: _Chosen) -> dict[str, Any]:
    import numpy as np
    import pandas as pd

    column = pd.to_numeric(c.rows[c.x], errors="coerce").dropna()
    if column.empty:
        raise InvalidInput(f"{c.x} holds no numbers to draw.", suggestions=["Choose a column of numbers."])
    counts, edges = np.histogram(column.to_numpy(float), bins=min(_BINS, max(1, column.nunique())))
    low, high = column.quantile(0.25), column.quantile(0.75)
    finding = f"Half of the values of {words(c.x)} lie between {figure(float(low))} and {figure(float(high))}"
    bins = [(float(a), float(b), int(n)) for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]
    return histogram_chart(c.title(finding), bins, words(c.x), notes=c.notes)


def _heat(c: _Chosen) -> dict[str, Any]:
    other = c.color or next((str(n) for n in c.rows.columns if n not in (c.x, c.y)), c.x)
    value = c.y if c.y in numeric_columns(c.rows) else None
    down = other if value else (c.y or other)
    made = _Chosen(c.rows, "heatmap", c.x, value, down if down != c.x else None, c.given, c.notes)
    rows, axis = made.combined()
    cells = [(_named(c, r[0]), _named(c, r[1]) if len(r) > 2 else "", r[len(r) - 1]) for r in rows]
    by = f"{words(c.x)} and {words(down)}"
    return heat_chart(c.title(f"{capital(axis.label)} by {by}"), cells, words(c.x), words(down), axis, notes=c.notes)  # fmt: skip


def _pie(c: _Chosen, rows: list[tuple[Any, ...]], axis: Axis) -> dict[str, Any]:
    """Shares of a whole; what is beyond a few slices is one slice."""
    parts = sorted(((_named(c, r[0]), r[-1] or 0) for r in rows), key=lambda r: -r[1])
    if any(v < 0 for _, v in parts):
        raise InvalidInput("A pie cannot show values below zero.", suggestions=["Draw bars instead."])
    if len(parts) > MAX_SLICES:
        rest = parts[MAX_SLICES - 1 :]
        parts = [*parts[: MAX_SLICES - 1], (f"{len(rest):,} others", sum(v for _, v in rest))]
    whole = sum(v for _, v in parts) or 1
    records = [{"part": n, "value": v, "shown": f"{n}: {figure(100 * v / whole, '%')}"} for n, v in parts]
    finding = f"{parts[0][0]} has {figure(100 * parts[0][1] / whole, '%')} of the {axis.label}"
    named = [str(r["shown"]) for r in records]
    spec = frame(c.title(finding), records, f"Pie chart of {axis.label}: {'; '.join(named)}", c.notes)
    colour = {"field": "shown", "type": "nominal", "title": None, "sort": named, "legend": {"orient": "right"}, "scale": {"domain": named, "range": PALETTE}}  # fmt: skip
    return {
        **spec,
        "mark": {"type": "arc", "innerRadius": 60},
        "encoding": {"theta": {"field": "value", "type": "quantitative"}, "order": {"field": "value", "type": "quantitative", "sort": "descending"}, "color": colour},
    }  # fmt: skip


def _boxes(c: _Chosen) -> dict[str, Any]:
    y = c.y or c.x
    rows = c.rows[[y]] if c.y is None or c.x == y else c.rows[[c.x, y]]
    shown = rows.head(MAX_POINTS)
    notes = [*c.notes, *([f"The first {MAX_POINTS:,} of {len(rows):,} rows are drawn"] if len(rows) > MAX_POINTS else [])]  # fmt: skip
    values = _plain(shown[y])
    groups = _plain(shown[c.x]) if c.x != y else [""] * len(values)
    records = [{"group": _named(c, g), "value": v} for g, v in zip(groups, values, strict=True)]
    named = f" by {words(c.x)}" if c.x != y else ""
    spec = frame(c.title(f"{capital(words(y))}{named}"), records, f"Box plot of {words(y)}{named}", notes)
    encoding = {
        "y": {"field": "group", "type": "nominal", "title": capital(words(c.x)), "sort": None},
        "x": {"field": "value", **number_axis(words(y), values)},
    }
    return {
        **spec,
        "height": {"step": 34},
        "mark": {"type": "boxplot", "color": PALETTE[0]},
        "encoding": encoding,
    }


def _choose(rows: pd.DataFrame, given: ChartInput) -> tuple[ChartKind, str, str | None, str | None]:
    """The kind of chart and its columns, from what was asked and what the columns hold."""
    times, numbers = time_columns(rows), numeric_columns(rows)
    labels = [str(c) for c in rows.columns if c not in times and c not in numbers]
    y = given.y or next((n for n in numbers if n not in {given.x, *_COMPUTED}), None)
    x = given.x or next((c for c in [*times, *(n for n in numbers if n == "step"), *labels] if c != y), None)
    if x is None:
        x = next((n for n in numbers if n != y), None)
        if x is None:
            return given.chart or "histogram", str(y or rows.columns[0]), None, given.color
    special = {"kind", "is_anomaly"}
    color = given.color or next(
        (c for c in labels if c not in {x, y, *special} and rows[c].nunique() <= 12), None
    )
    if given.chart == "histogram":
        return "histogram", x if x in numbers or y is None else y, None, None
    if given.chart:
        return given.chart, x, y, color
    if y is None:
        return "bar", x, None, None
    if x in times or x == "step":
        return "line", x, y, color
    if x in numbers:
        return "scatter", x, y, color
    crossed = color is not None and rows[x].nunique() > 2 and not rows.duplicated([x, color]).any()
    return ("heatmap" if crossed else "bar"), x, y, color if crossed or given.color else None


def _grain(rows: pd.DataFrame, x: str) -> Any:
    """Periods where every moment is the first day of a month, quarter or year; None for days."""
    from pandas.api.types import is_datetime64_any_dtype

    if not is_datetime64_any_dtype(rows[x]):
        return None
    moments = rows[x].dropna()
    if moments.empty or not (moments == moments.dt.normalize()).all() or not (moments.dt.day == 1).all():
        return None
    return grain_of("year" if (moments.dt.month == 1).all() and moments.nunique() > 1 else "month")


def _plain(column: Any) -> list[Any]:
    """A column as Python values; what is missing is None."""
    return [None if v is None or v != v else _moment(v) for v in column.astype(object).tolist()]


def _moment(value: Any) -> Any:
    return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value


def _tuples(rows: pd.DataFrame, columns: list[str]) -> list[tuple[Any, ...]]:
    return list(zip(*(_plain(rows[c]) for c in columns), strict=True))


def _named(c: _Chosen, value: Any) -> str:
    return period_label(value, c.grain) if isinstance(value, date) else group_name(value)


def _day(at: Any) -> Any:
    return at.date() if isinstance(at, datetime) else at


def chart_tools() -> list[FunctionTool]:
    """The tool of this file."""
    return [
        FunctionTool(
            "render_chart", run_chart, ChartInput, ChartOutput,
            description="Draws rows as a Vega-Lite chart, chosen by what the columns hold and titled with the finding.",
            goals=(Goal.CHART,),
        )
    ]  # fmt: skip
