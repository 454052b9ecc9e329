"""Tools that read a column along time: anomalies, forecast, trend, seasonality, change points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.analytics.anomalies import ZScoreAnomalies, zscore_anomalies
from gnomon.analytics.changepoints import ChangePoints, change_points
from gnomon.analytics.forecasting import Forecast, forecast
from gnomon.analytics.seasonal import Seasonality, seasonality
from gnomon.analytics.timegrid import regular_series
from gnomon.analytics.trends import Trend, trend
from gnomon.core.errors import InvalidInput
from gnomon.tools.columns import (
    ahead,
    free_name,
    known,
    merge_rule,
    numeric_columns,
    time_column,
    value_column,
)
from gnomon.tools.contract import Cost, FunctionTool, Requirement, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.goals import Goal
from gnomon.tools.grouping import for_each_group
from gnomon.tools.lineage import Lineage
from gnomon.tools.outputs import Output, filled, output_model
from gnomon.tools.resolve import read_frame
from gnomon.tools.wording import counted, figure, moment, percent

if TYPE_CHECKING:
    import pandas as pd

Merge = Literal["mean", "sum", "last"]
_TIMED = (Requirement(kind="time", param="time"),)
_VALUE = (Requirement(kind="numeric", param="value"),)


class SeriesInput(BaseModel):
    """A column of numbers along time."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame
    value: str | None = Field(default=None, description="Column of numbers; the only one by default.")
    time: str | None = Field(
        default=None, description="Column of time stamps; rows in the given order without one."
    )
    merge: Merge | None = Field(
        default=None,
        description="How rows of one time step are joined; by default amounts add up, rates average.",
    )
    group_by: list[str] = Field(
        default_factory=list, description="Answer for each combination of these too, up to 20 of the largest."
    )


class ZScoreInput(BaseModel):
    """What to check for values far from the rest."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame
    value: str | None = Field(default=None, description="Column to check; every numeric column by default.")
    time: str | None = Field(default=None, description="Column that labels the rows.")
    group_by: list[str] = Field(
        default_factory=list, description="Each combination of these is a series of its own."
    )
    method: Literal["robust", "classic"] = Field(
        default="robust", description="Median and MAD, or mean and deviation."
    )
    threshold: float | None = Field(
        default=None, gt=0, description="Deviations that are too far; 3.5 robust, 3 classic."
    )


class ForecastInput(SeriesInput):
    """What to forecast, and how far."""

    horizon: int = Field(
        default=12, ge=1, le=1000, description="Steps to forecast, or units of 'horizon_unit'."
    )
    horizon_unit: Literal["hour", "day", "week", "month", "quarter", "year"] | None = Field(
        default=None, description="Unit of the horizon; steps of the series by default."
    )
    season: int | None = Field(
        default=None, ge=2, description="Steps in a season; found from the data by default."
    )
    confidence: float = Field(
        default=0.95, gt=0, lt=1, description="Share of outcomes that the interval should hold."
    )


class TrendInput(SeriesInput):
    """What to find the direction of."""

    season: int | None = Field(default=None, ge=2, description="Steps in a season to take out first.")
    significance: float = Field(
        default=0.05, gt=0, lt=1, description="Chance of a false alarm that is accepted."
    )


class SeasonalityInput(SeriesInput):
    """What to look for repeating patterns in."""

    season: int | None = Field(
        default=None, ge=2, description="The period to test; the strongest is found by default."
    )
    significance: float = Field(
        default=0.01, gt=0, lt=1, description="Chance of a false alarm that is accepted."
    )


ZScoreOutput = output_model(
    "ZScoreOutput",
    ZScoreAnomalies,
    without=("scores",),
    rows="Every row with its score and whether it is an anomaly.",
    cleaned="The rows that are not anomalies.",
)
ForecastOutput = output_model(
    "ForecastOutput", Forecast, grouped=True, rows="History and forecast with its interval, for charts."
)
TrendOutput = output_model("TrendOutput", Trend, grouped=True, rows="The series on its regular grid.")
SeasonalityOutput = output_model(
    "SeasonalityOutput", Seasonality, grouped=True, rows="The pattern, one row per phase."
)
ChangePointsOutput = output_model(
    "ChangePointsOutput", ChangePoints, grouped=True, rows="The series with its level before and after."
)


def _series(given: SeriesInput, context: ToolContext) -> tuple[pd.DataFrame, str, str | None, dict[str, Any]]:
    """The rows, the value column, the time column, and the arguments that every series function takes."""
    frame = read_frame(given.data, context)
    time = time_column(frame, given.time)
    value = value_column(frame, given.value, besides=(time,))
    merge = given.merge or merge_rule(value)
    return frame, value, time, {"times": frame[time] if time else None, "merge": merge}


def _grid(frame: pd.DataFrame, value: str, time: str | None, arguments: dict[str, Any]) -> pd.DataFrame:
    """The series on its regular grid, as rows."""
    import numpy as np
    import pandas as pd

    series = regular_series(frame[value], **arguments)
    stamps = series.times if series.times is not None else np.arange(len(series.values))
    return pd.DataFrame({time or free_name("step", [value]): stamps, value: series.values})


def _named(groups: pd.DataFrame) -> pd.DataFrame:
    """Groups as texts; rows without one are a group too."""
    return groups.astype(object).where(groups.notna(), "(no value)").astype(str)


def run_zscore(given: ZScoreInput, context: ToolContext) -> Output:
    """Flag values that lie far from the rest of their series."""
    import numpy as np

    frame = read_frame(given.data, context)
    time = time_column(frame, given.time)
    columns = (
        [value_column(frame, given.value)]
        if given.value
        else [c for c in numeric_columns(frame) if c != time]
    )
    if not columns:
        raise InvalidInput(
            "There is no numeric column to check.", suggestions=["Name a column of numbers as 'value'."]
        )
    groups = (
        _named(frame[[known(frame, g) for g in given.group_by]]).agg(" · ".join, axis=1)
        if given.group_by
        else None
    )
    index = frame[time] if time else None
    worst = np.zeros(len(frame))
    flagged = np.zeros(len(frame), dtype=bool)
    results: list[ZScoreAnomalies] = []
    for column in columns:
        label = (
            groups
            if len(columns) == 1
            else ([column] * len(frame) if groups is None else column + " · " + groups)
        )
        found = zscore_anomalies(
            frame[column], method=given.method, threshold=given.threshold, groups=label, index=index
        )
        scores = np.nan_to_num(found.scores, nan=0.0)
        worst = np.where(np.abs(scores) > np.abs(worst), scores, worst)
        flagged |= np.abs(scores) > found.threshold
        results.append(found)
        context.cancel.check()
    result = _joined(results)
    score, flag = free_name("score", frame.columns), free_name("is_anomaly", frame.columns)
    made = {score: columns, flag: columns}
    scored = frame.assign(**{score: worst, flag: flagged})
    rows = Frame.made(scored, Lineage.of(scored, made=made, formed={score: False}))
    rest = frame[~flagged]
    cleaned = Frame.made(rest.reset_index(drop=True), Lineage.of(rest, rest.index))
    where = "" if len(columns) > 1 else f" in {columns[0]}"
    top = (
        f"; the farthest is {figure(result.anomalies[0].value)}{_at(result.anomalies[0].index, time)}"
        if result.anomalies
        else ""
    )
    summary = f"{counted(len(result.anomalies), 'anomaly', 'anomalies')}{where} beyond {figure(result.threshold)} deviations{top}."
    return filled(ZScoreOutput, result, summary[0].upper() + summary[1:], rows=rows, cleaned=cleaned)


def _at(index: Any, time: str | None) -> str:
    return f" at {moment(index)}" if time and index is not None else ""


def _joined(results: list[ZScoreAnomalies]) -> ZScoreAnomalies:
    from dataclasses import replace

    anomalies = sorted((a for r in results for a in r.anomalies), key=lambda a: (-abs(a.score), a.position))
    return replace(
        results[0],
        anomalies=tuple(anomalies),
        series=tuple(s for r in results for s in r.series),
        checked=sum(r.checked for r in results),
        missing=sum(r.missing for r in results),
        notes=tuple(dict.fromkeys(n for r in results for n in r.notes)),
    )


@for_each_group
def run_forecast(given: ForecastInput, context: ToolContext) -> Output:
    """Forecast a series with the model that did best on its own past."""
    import pandas as pd

    frame, value, time, arguments = _series(given, context)
    steps = _steps(given, frame, value, arguments)
    found = forecast(
        frame[value],
        horizon=steps,
        season=given.season,
        confidence=given.confidence,
        should_stop=lambda: context.cancel.cancelled,
        **arguments,
    )
    history = _grid(frame, value, time, arguments)
    key = str(history.columns[0])
    lower, upper, kind = (free_name(name, [key, value]) for name in ("lower", "upper", "kind"))
    future = pd.DataFrame(
        {
            key: [p.time if p.time is not None else len(history) + p.step - 1 for p in found.points],
            value: [p.value for p in found.points],
            lower: [p.lower for p in found.points],
            upper: [p.upper for p in found.points],
            kind: "forecast",
        }
    )
    history = history.assign(**{kind: "history"})
    last = found.points[-1]
    summary = (
        f"{value} is forecast at {figure(last.value)} ({percent(given.confidence)} interval {figure(last.lower)} to "
        f"{figure(last.upper)}){' on ' + moment(last.time) if last.time is not None else f' in {steps} steps'}, by {found.model}{_against(found)}."
    )
    return filled(ForecastOutput, found, summary, rows=pd.concat([history, future], ignore_index=True))


def _against(found: Forecast) -> str:
    """How the model did against the naive rule on the series' own past."""
    if found.model == found.baseline or not found.skill:
        return ", which no model beat in the backtest"
    return f", {percent(abs(found.skill))} {'better' if found.skill > 0 else 'worse'} than {found.baseline} in the backtest"


def _steps(given: ForecastInput, frame: pd.DataFrame, value: str, arguments: dict[str, Any]) -> int:
    """The horizon in steps of the series; "3 months" of a daily series is as many days as the calendar has."""
    if given.horizon_unit is None or arguments["times"] is None:
        return given.horizon
    series = regular_series(frame[value], **arguments)
    if series.times is None:
        return given.horizon
    unit = given.horizon_unit
    end = series.times[-1] + ahead(unit, given.horizon)
    stamps = series.future(1000)
    steps = int((stamps <= end).sum()) if stamps is not None else given.horizon
    if steps == 0:
        raise InvalidInput(
            f"{given.horizon} {unit} is less than one step of this series ({series.grain}).",
            suggestions=["Ask for a longer horizon."],
        )
    return steps


@for_each_group
def run_trend(given: TrendInput, context: ToolContext) -> Output:
    """Say whether a series rises or falls, by how much, and whether that is more than noise."""
    frame, value, time, arguments = _series(given, context)
    found = trend(frame[value], season=given.season, alpha=given.significance, **arguments)
    if found.direction == "no clear trend":
        summary = f"{value} shows no clear trend (p = {found.p_value:.2g})."
    else:
        change = f" ({found.change_percent:+.1f} %)" if found.change_percent is not None else ""
        summary = f"{value} goes {found.direction} by {figure(abs(found.slope))} a {found.grain}, {figure(found.change)} in all{change}."
    return filled(TrendOutput, found, summary, rows=_grid(frame, value, time, arguments))


@for_each_group
def run_seasonality(given: SeasonalityInput, context: ToolContext) -> Output:
    """Find a pattern that repeats, and say when it peaks."""
    import pandas as pd

    frame, value, _, arguments = _series(given, context)
    found = seasonality(frame[value], period=given.season, alpha=given.significance, **arguments)
    if found.significant and found.period:
        summary = f"{value} repeats every {found.period} steps of {found.grain}, highest at {found.peak} and lowest at {found.trough}."
    else:
        summary = f"{value} shows no repeating pattern beyond chance."
    phase = free_name("phase", [value])
    rows = pd.DataFrame(
        {phase: [p.label for p in found.profile], value: [p.offset for p in found.profile]}
        if found.profile
        else {phase: pd.Series(dtype=str), value: pd.Series(dtype=float)}
    )
    return filled(SeasonalityOutput, found, summary, rows=rows)


@for_each_group
def run_change_points(given: TrendInput, context: ToolContext) -> Output:
    """Find the moments at which the level of a series changed."""
    frame, value, time, arguments = _series(given, context)
    found = change_points(frame[value], season=given.season, alpha=given.significance, **arguments)
    if found.changes:
        largest = max(found.changes, key=lambda c: abs(c.change))
        summary = (
            f"The level of {value} changed {counted(len(found.changes), 'time')}; the largest is {figure(largest.change)} "
            f"at {moment(largest.time)} (from {figure(largest.before)} to {figure(largest.after)})."
        )
    else:
        summary = f"The level of {value} did not change beyond chance."
    rows = _grid(frame, value, time, arguments)
    levels = [s.mean for s in found.segments for _ in range(s.count)]
    if len(levels) == len(rows):
        rows = rows.assign(**{free_name("level", rows.columns): levels})
    return filled(ChangePointsOutput, found, summary, rows=rows)


SERIES: dict[str, Any] = {
    "data_types": ("timeseries",),
    "requires": (*_TIMED, *_VALUE),
    "cost": Cost.HEAVY,
    "produces_rows": "rows",
}


def series_tools() -> list[FunctionTool]:
    """The tools of this file."""
    return [
        FunctionTool(
            "anomaly_zscore",
            run_zscore,
            ZScoreInput,
            ZScoreOutput,
            description="Flags values far from the rest of their series, by robust or classic z-scores.",
            goals=(Goal.DETECT_ANOMALIES,),
            requires=(Requirement(kind="numeric"),),
            produces_rows="cleaned",
            chart_rows="rows",
        ),
        FunctionTool(
            "timeseries_forecaster",
            run_forecast,
            ForecastInput,
            ForecastOutput,
            description="Forecasts a series with prediction intervals, by the model that wins a backtest against naive forecasts.",
            goals=(Goal.FORECAST,),
            **SERIES,
        ),
        FunctionTool(
            "trend",
            run_trend,
            TrendInput,
            TrendOutput,
            description="Says whether a series rises or falls, how fast, and whether that is more than noise.",
            goals=(Goal.TREND,),
            **SERIES,
        ),
        FunctionTool(
            "seasonality",
            run_seasonality,
            SeasonalityInput,
            SeasonalityOutput,
            description="Finds a pattern that repeats and describes it phase by phase.",
            goals=(Goal.SEASONALITY,),
            **SERIES,
        ),
        FunctionTool(
            "change_points",
            run_change_points,
            TrendInput,
            ChangePointsOutput,
            description="Finds the moments at which the level of a series changed, with their size and significance.",
            goals=(Goal.CHANGE_POINTS,),
            **SERIES,
        ),
    ]
