"""Tools that say why a column changed from one period to another, and where a figure stands among others."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from gnomon.analytics.benchmarks import against_quartiles, benchmark_peers
from gnomon.analytics.causes import Verdict
from gnomon.analytics.frame_diagnosis import FrameDiagnosis, diagnose_frame
from gnomon.analytics.significance import ChangeTest, ChangeVerdict, change_test
from gnomon.core.errors import InvalidInput
from gnomon.core.query import TimeRange
from gnomon.tools.columns import free_name, known, merge_rule, numeric_columns, time_column, value_column
from gnomon.tools.contract import Cost, FunctionTool, Requirement, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.outputs import Output, filled, output_model
from gnomon.tools.resolve import read_frame
from gnomon.tools.wording import figure, percent

if TYPE_CHECKING:
    import pandas as pd

_MOST_DIMENSIONS = 6


class ChangeInput(BaseModel):
    """A column of numbers, and two periods to compare."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame
    value: str | None = Field(
        default=None, description="Column that adds up; the only one of numbers by default."
    )
    time: str | None = Field(default=None, description="Column of time stamps; the first one by default.")
    weight: str | None = Field(
        default=None, description="For a ratio, the column that the value is divided by."
    )
    days: int = Field(default=7, ge=1, le=400, description="Length of both periods in days.")
    end: date | None = Field(
        default=None, description="Last day of the later period; the last day of the data by default."
    )
    previous_end: date | None = Field(
        default=None, description="Last day of the earlier period; the day before the later one by default."
    )


class DriversInput(ChangeInput):
    """What changed, and what to cut it by."""

    group_by: list[str] = Field(
        default_factory=list,
        description="Columns that segments are made of; the columns of categories by default.",
    )


class CausesInput(DriversInput):
    """What changed, and which other columns may have caused it."""

    candidates: list[str] = Field(
        default_factory=list, description="Other columns of numbers; all of them by default."
    )


class BenchmarkInput(BaseModel):
    """Figures to place, among each other or against published quartiles."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame
    value: str | None = Field(default=None, description="Column of numbers; the only one by default.")
    group_by: str = Field(description="Column whose values are compared with each other.")
    weight: str | None = Field(
        default=None, description="For a ratio, the column that the value is divided by."
    )
    average: bool = Field(
        default=True, description="Whether rows of a group are averaged; else they are added up."
    )
    middle: float | None = Field(
        default=None, description="A published median to compare with instead of the peers."
    )
    low: float | None = Field(default=None, description="Its lower quartile.")
    high: float | None = Field(default=None, description="Its upper quartile.")
    higher_is_better: bool = Field(default=True, description="Which way is good.")


ChangeOutput = output_model("ChangeOutput", ChangeTest, rows="The two periods, for charts.")
DriversOutput = output_model("DriversOutput", FrameDiagnosis, without=("causes", "ruled_out"), rows="What each segment adds to the change.")  # fmt: skip
CausesOutput = output_model(
    "CausesOutput", FrameDiagnosis, without=("cuts",), rows="Every candidate with its verdict."
)


class BenchmarkOutput(Output):
    """Where each group stands."""

    rows: Frame = Field(description="Each group with its figure, percentile and gap to the middle.")


def compared_periods(frame: pd.DataFrame, time: str, given: ChangeInput) -> tuple[TimeRange, TimeRange]:
    """The later and the earlier period that are asked about."""
    import pandas as pd

    last = given.end or pd.to_datetime(frame[time]).max().date()
    current = TimeRange(start=last - timedelta(days=given.days - 1), end=last)
    before = given.previous_end or current.start - timedelta(days=1)
    return current, TimeRange(start=before - timedelta(days=given.days - 1), end=before)


def _read(given: ChangeInput, context: ToolContext) -> tuple[pd.DataFrame, str, str, TimeRange, TimeRange]:
    frame = read_frame(given.data, context)
    time = time_column(frame, given.time)
    if time is None:
        raise InvalidInput("There is no column of time stamps.", suggestions=["Name one as 'time'."])
    value = value_column(frame, given.value, besides=(time, given.weight))
    if given.weight is not None:
        value_column(frame, given.weight)
    return frame, time, value, *compared_periods(frame, time, given)


def _categories(frame: pd.DataFrame, given: DriversInput) -> list[str]:
    return [known(frame, g) for g in given.group_by] or category_columns(frame)


def category_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that segments are made of where none is named: those of a few values that come back."""
    from pandas.api.types import is_bool_dtype, is_object_dtype, is_string_dtype

    fitting = [
        str(c)
        for c in frame.columns
        if (is_string_dtype(frame[c]) or is_object_dtype(frame[c]) or is_bool_dtype(frame[c]))
        and 2 <= frame[c].nunique() <= max(50, len(frame) // 20)
    ]
    return fitting[:_MOST_DIMENSIONS]


def _told(change: ChangeTest, value: str) -> str:
    size = f" ({change.change_percent:+.1f} %)" if change.change_percent is not None else ""
    went = f"{value} went from {figure(change.before)} to {figure(change.after)}{size}"
    said = {
        ChangeVerdict.NORMAL: "which is within normal variation",
        ChangeVerdict.SEASONAL: "as in the same season before",
        ChangeVerdict.UNUSUAL: "beyond normal variation",
        ChangeVerdict.UNTESTED: "with too little history to tell that from chance",
    }
    return f"{went}, {said[change.verdict]}"


def run_change(given: ChangeInput, context: ToolContext) -> Output:
    """Size a change between two periods and test it against the past and the season."""
    import pandas as pd

    frame, time, value, current, previous = _read(given, context)
    weights = frame[given.weight] if given.weight else None
    found = change_test(frame[time], frame[value], current, previous, weights=weights)
    period, start = free_name("period", [value]), free_name("from", [value])
    rows = pd.DataFrame({period: ["earlier", "later"], start: [previous.start, current.start], value: [found.before, found.after]})  # fmt: skip
    return filled(ChangeOutput, found, f"{_told(found, value)}.", rows=rows)


def _diagnosed(
    given: DriversInput, context: ToolContext, others: dict[str, bool] | None
) -> tuple[FrameDiagnosis, str]:
    frame, time, value, current, previous = _read(given, context)
    found = diagnose_frame(
        frame, time=time, value=value, dimensions=_categories(frame, given), current=current, previous=previous,
        weight=given.weight, candidates=others,
    )  # fmt: skip
    return found, value


def _where(segment: Any) -> str:
    return ", ".join(f"{d} {v}" for d, v in segment) or "everything"


def run_drivers(given: DriversInput, context: ToolContext) -> Output:
    """Split a change over segments and name the fewest that it comes down to."""
    import pandas as pd

    found, value = _diagnosed(given, context, None)
    parts = found.explanation.parts
    if parts:
        named = "; ".join(
            f"{_where(p.segment)} ({figure(p.excess)} against what was expected)" for p in parts[:3]
        )
        summary = f"{_told(found.change, value)}; it comes down to {named}."
    else:
        summary = f"{_told(found.change, value)}; no segment moved apart from the rest."
    rows = pd.DataFrame(
        [{"segment": _where(e.segment), "before": e.before, "after": e.after, "contribution": e.contribution}
         for c in found.cuts for e in c.effects],
        columns=["segment", "before", "after", "contribution"],
    )  # fmt: skip
    return filled(DriversOutput, found, summary, rows=rows)


def run_causes(given: CausesInput, context: ToolContext) -> Output:
    """Judge which other columns can account for a change."""
    import pandas as pd

    frame, time, value, _, _ = _read(given, context)
    named = [known(frame, c) for c in given.candidates] or [
        c for c in numeric_columns(frame) if c not in (value, time, given.weight)
    ]
    found, value = _diagnosed(given, context, {c: merge_rule(c) == "sum" for c in named})
    likely = [c for c in found.causes if c.verdict in (Verdict.LIKELY, Verdict.CONTRIBUTING)]
    if likely:
        said = f"{likely[0].label} is the most likely cause, in {_where(likely[0].segment)}"
    elif found.causes:
        said = f"{found.causes[0].label} moved at the same time, which is all the data shows"
    else:
        said = "none of the other columns accounts for it"
    rows = pd.DataFrame(
        [{"candidate": c.label, "segment": _where(c.segment), "verdict": c.verdict.value, "confidence": c.confidence,
          "before": c.before, "after": c.after} for c in (*found.causes, *found.ruled_out)],
        columns=["candidate", "segment", "verdict", "confidence", "before", "after"],
    )  # fmt: skip
    return filled(CausesOutput, found, f"{_told(found.change, value)}; {said}.", rows=rows)


def run_benchmark(given: BenchmarkInput, context: ToolContext) -> Output:
    """Place every group among the others, or against published quartiles."""
    import pandas as pd

    frame = read_frame(given.data, context)
    by = known(frame, given.group_by)
    value = value_column(frame, given.value, besides=(given.weight,))
    if by in (value, given.weight):
        raise InvalidInput(
            f"{by!r} cannot be both measured and grouped by.", suggestions=["Name another group."]
        )
    grouped = frame.groupby(by, dropna=True, observed=True)
    if given.weight is not None:
        figures = grouped[value].sum() / grouped[value_column(frame, given.weight)].sum()
    else:
        figures = grouped[value].mean() if given.average else grouped[value].sum()
    held = {str(k): float(v) for k, v in figures.items() if v == v}
    if given.middle is not None:
        placed = {
            k: against_quartiles(
                v, given.middle, given.low, given.high, higher_is_better=given.higher_is_better
            )
            for k, v in held.items()
        }
    else:
        placed = benchmark_peers(held, higher_is_better=given.higher_is_better)
    names = [by, value, *(free_name(n, [by, value]) for n in ("middle", "gap", "percentile", "standing"))]
    rows = pd.DataFrame(
        [(k, p.value, p.middle, p.gap, p.percentile, p.standing.value) for k, p in placed.items()],
        columns=names,
    ).sort_values(names[3], ascending=not given.higher_is_better)
    worst = min(
        placed.items(), key=lambda kp: kp[1].gap if given.higher_is_better else -kp[1].gap, default=None
    )
    summary = "There is nothing to compare."
    if worst is not None:
        k, p = worst
        size = (
            f" ({percent(abs(p.gap_percent or 0) / 100)} from the middle)"
            if p.gap_percent is not None
            else ""
        )
        summary = f"{by} {k} stands worst in {value}: {figure(p.value)} against {figure(p.middle)}{size}."
    return BenchmarkOutput(summary=summary, rows=Frame.of(rows.reset_index(drop=True)))


def change_tools() -> list[FunctionTool]:
    """The tools of change and comparison."""
    series: dict[str, Any] = {
        "data_types": ("timeseries", "tabular"),
        "cost": Cost.LIGHT,
        "produces_rows": "rows",
    }
    needs = (Requirement(kind="numeric", param="value"), Requirement(kind="time", param="time"))
    return [
        FunctionTool(
            "period_change", run_change, ChangeInput, ChangeOutput,
            description="Sizes a change between two periods and says whether it is beyond normal variation or the season.",
            requires=needs, **series,
        ),
        FunctionTool(
            "drivers", run_drivers, DriversInput, DriversOutput,
            description="Splits a change between two periods over segments and names the fewest that it comes down to.",
            requires=needs, **series,
        ),
        FunctionTool(
            "causes", run_causes, CausesInput, CausesOutput,
            description="Judges which other columns can account for a change: timing, dose, controls, and a verdict for each.",
            requires=needs, **series,
        ),
        FunctionTool(
            "benchmark", run_benchmark, BenchmarkInput, BenchmarkOutput,
            description="Places every group among its peers or against published quartiles, with its gap to the middle.",
            requires=(Requirement(kind="numeric", param="value"),), data_types=("tabular",), cost=Cost.LIGHT,
            produces_rows="rows",
        ),
    ]  # fmt: skip
