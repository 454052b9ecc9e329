"""From observations with time stamps to a regular series: order, grain, gaps, duplicates, future stamps."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from gnomon.analytics.inputs import Floats, numbers, require_choice
from gnomon.core.errors import CalculationError, InvalidInput

if TYPE_CHECKING:
    import pandas as pd

Merge: TypeAlias = Literal["mean", "sum", "last"]

# (upper bound of the median step in seconds, calendar rule, candidate seasons)
_CALENDAR: tuple[tuple[float, str, tuple[int, ...]], ...] = (
    (6.5 * 86400, "D", (7,)),
    (7.5 * 86400, "W", (52,)),
    (20.0 * 86400, "D", ()),
    (45.0 * 86400, "MS", (12,)),
    (150.0 * 86400, "QS", (4,)),
    (float("inf"), "YS", ()),
)
_MAX_STEPS = 2_000_000


@dataclass(frozen=True, slots=True)
class RegularSeries:
    """Values one step apart, with the stamps they belong to.

    Attributes:
        values: One value per step, without gaps.
        times: Their stamps, or ``None`` when the input had none.
        grain: The step in words (``"1 day"``), or ``"step"``.
        seasons: Season lengths that the calendar suggests for this grain.
        notes: What had to be done to get here.
    """

    values: Floats
    times: pd.DatetimeIndex | None
    grain: str
    seasons: tuple[int, ...]
    notes: tuple[str, ...]

    def future(self, horizon: int) -> pd.DatetimeIndex | None:
        """The ``horizon`` stamps that follow the last one."""
        import pandas as pd

        if self.times is None:
            return None
        return pd.date_range(self.times[-1], periods=horizon + 1, freq=self.times.freq)[1:]

    def stamp(self, position: int) -> pd.Timestamp | int:
        """The stamp at ``position``, or the position itself when there are no stamps."""
        return int(position) if self.times is None else self.times[position]


def regular_series(values: Any, times: Any = None, *, merge: Merge = "mean") -> RegularSeries:
    """Put observations on a regular grid.

    Args:
        values: The observations; missing ones are filled by interpolation.
        times: Their time stamps in any order, or ``None`` when they are already one step apart.
        merge: What to do with several observations in one step.

    Raises:
        InvalidInput: when lengths differ or the stamps cannot be read.
        CalculationError: when nothing is left to work with.
    """
    data = numbers(values)
    require_choice(merge, ("mean", "sum", "last"), "merge rule")
    if times is None:
        return _without_times(data)
    stamps = _stamps(times, len(data))
    keep = ~(np.isnan(data) | np.asarray(stamps.isna()))
    notes: list[str] = []
    if lost := int((~keep).sum()):
        notes.append(f"{lost} rows without a value or a time were left out.")
    stamps, data = stamps[keep], data[keep]
    if len(data) == 0:
        raise CalculationError(
            "No observation has both a value and a time.", suggestions=["Check both columns."]
        )
    order = np.argsort(stamps.asi8, kind="stable")
    if (np.diff(stamps.asi8) < 0).any():
        notes.append("The observations were sorted by time.")
    return _on_grid(data[order], stamps[order], merge, notes)


def _without_times(data: Floats) -> RegularSeries:
    missing = np.isnan(data)
    if missing.all():
        raise CalculationError("The series holds no number.", suggestions=["Choose a column with values."])
    first, last = np.flatnonzero(~missing)[[0, -1]]
    data, missing = data[first : last + 1], missing[first : last + 1]
    notes = (f"{int(missing.sum())} missing values were interpolated.",) if missing.any() else ()
    return RegularSeries(_interpolated(data), None, "step", (), notes)


def _interpolated(data: Floats) -> Floats:
    missing = np.isnan(data)
    if not missing.any():
        return data
    where = np.arange(len(data))
    return np.interp(where, where[~missing], data[~missing]).astype(np.float64)


def _stamps(times: Any, count: int) -> pd.DatetimeIndex:
    import pandas as pd

    if len(times) != count:
        raise InvalidInput(
            f"There are {count} values but {len(times)} times.",
            suggestions=["Pass one time for every value."],
        )
    try:
        if pd.api.types.is_numeric_dtype(pd.Series(times).dtype):
            raise InvalidInput(
                "Times must be dates or time stamps, but numbers were given.",
                suggestions=["Convert the numbers to dates first, or leave the times out."],
            )
        index = pd.DatetimeIndex(parsed_stamps(pd.Series(times)).to_numpy(dtype="datetime64[ns]"))
    except (ValueError, TypeError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            f"The times cannot be read as dates: {str(error)[:120]}",
            suggestions=["Use ISO dates such as 2025-03-31, all in one format."],
        ) from error
    return index


def parsed_stamps(column: pd.Series[Any]) -> pd.Series[Any]:
    """Stamps without zone; texts in ISO form may differ in precision, other texts must share one format."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        stamps = column
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                stamps = pd.to_datetime(column, format="ISO8601")
            except ValueError:
                stamps = pd.to_datetime(column)
    return stamps.dt.tz_localize(None) if stamps.dt.tz is not None else stamps


def _on_grid(data: Floats, stamps: pd.DatetimeIndex, merge: Merge, notes: list[str]) -> RegularSeries:
    import pandas as pd

    unique = stamps.unique()
    rule, grain, seasons = _grain(unique)
    series = pd.Series(data, index=_snapped(stamps, rule))
    twice = len(series) - series.index.nunique()
    if twice:
        notes.append(f"{twice} observations shared a {grain} with another one; their {merge} was taken.")
    merged = series.groupby(level=0).agg(merge)
    span = (merged.index[-1] - merged.index[0]).total_seconds()
    if rule.endswith("s") and span / _seconds(rule) > _MAX_STEPS:
        raise CalculationError(
            f"A grid of {grain} steps over {span / 86400:.0f} days would be too long.",
            suggestions=["Aggregate the data to a coarser grain first."],
        )
    full = pd.date_range(merged.index[0], merged.index[-1], freq=rule)
    gridded = merged.reindex(full)
    if gaps := int(gridded.isna().sum()):
        notes.append(f"{gaps} of {len(gridded)} steps had no observation and were interpolated.")
    filled = _interpolated(gridded.to_numpy(dtype=np.float64))
    return RegularSeries(filled, full, grain, seasons, tuple(notes))


def _seconds(rule: str) -> float:
    return float(rule[:-1] or 1)


def _grain(unique: pd.DatetimeIndex) -> tuple[str, str, tuple[int, ...]]:
    """The pandas rule, its name in words and the seasons it suggests."""
    if len(unique) < 2:
        return "D", "day", (7,)
    steps = np.diff(unique.as_unit("ns").asi8) / 1e9
    step = float(np.median(steps))
    if np.mean(np.abs(steps - step) <= 0.1 * step) < 0.5:  # irregular: most steps should hold an observation
        step = float(np.quantile(steps, 0.8))
    if step < 0.9 * 86400:
        return _clock_grain(step)
    rule, seasons = next((r, s) for bound, r, s in _CALENDAR if step < bound)
    if rule == "D":
        return _day_grain(unique, step)
    if rule == "W":
        day = str(unique[-1].day_name())[:3].upper()
        return f"W-{day}", "week", seasons
    word = {"MS": "month", "QS": "quarter", "YS": "year"}[rule]
    if rule != "QS":
        ends = bool(unique.is_month_end.all())
        anchored = {"MS": "ME", "YS": "YE"}[rule] if ends else rule
        month = unique[-1].strftime("%b").upper()
        return (f"{anchored}-{month}" if rule == "YS" else anchored), word, seasons
    month = unique[-1].strftime("%b").upper()
    return (f"QE-{month}" if bool(unique.is_month_end.all()) else f"QS-{month}"), word, seasons


def _clock_grain(step: float) -> tuple[str, str, tuple[int, ...]]:
    nice = (
        1,
        2,
        5,
        10,
        15,
        20,
        30,
        60,
        120,
        300,
        600,
        900,
        1200,
        1800,
        3600,
        7200,
        10800,
        14400,
        21600,
        43200,
    )
    seconds = min(nice, key=lambda s: abs(np.log(s / max(step, 1e-9))))
    if seconds >= 3600:
        word = "hour" if seconds == 3600 else f"{seconds // 3600} hours"
    elif seconds >= 60:
        word = "minute" if seconds == 60 else f"{seconds // 60} minutes"
    else:
        word = "second" if seconds == 1 else f"{seconds} seconds"
    per_day = 86400 // seconds
    seasons = tuple(s for s in (3600 // seconds if seconds < 600 else 0, per_day, per_day * 7) if s > 1)
    return f"{seconds}s", word, seasons


def _day_grain(unique: pd.DatetimeIndex, step: float) -> tuple[str, str, tuple[int, ...]]:
    days = round(step / 86400)
    if days > 1:
        return f"{days}D", f"{days} days", ()
    weekdays = np.asarray(unique.dayofweek)
    if len(unique) >= 10 and not (weekdays >= 5).any():
        return "B", "business day", (5,)
    return "D", "day", (7,)


def _snapped(stamps: pd.DatetimeIndex, rule: str) -> pd.DatetimeIndex:
    """Each stamp moved to the grid point of the step that it falls into."""
    import pandas as pd

    if rule.endswith("s"):
        width = int(_seconds(rule) * 1e9)
        offset = int(pd.Series(stamps.asi8 % width).mode().iloc[0])
        return pd.DatetimeIndex((stamps.asi8 - offset + width // 2) // width * width + offset)
    days = stamps.normalize()
    if rule == "D":
        same = stamps[0] - stamps[0].normalize()
        return stamps if bool((stamps - days == same).all()) else days
    if rule[0].isdigit():
        width = int(rule[:-1])
        steps = np.floor((days - days[0]).days.to_numpy() / width + 0.5).astype(int)
        return days[0] + pd.to_timedelta(steps * width, unit="D")
    if rule == "B":
        return days
    period = {"W": "W", "M": "M", "Q": "Q", "Y": "Y"}[rule[0]]
    suffix = rule[1:] if period == "W" else (_end_of(rule) if period in "QY" else "")
    spans = stamps.to_period(f"{period}{suffix}")
    at_end = rule.startswith(("W", "ME", "QE", "YE"))
    return (spans.to_timestamp(how="end") if at_end else spans.to_timestamp(how="start")).normalize()


def _end_of(rule: str) -> str:
    """The pandas period anchor (last month of the period) of a quarter or year rule."""
    months = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
    kind, month = rule.split("-")
    return f"-{month}" if kind.endswith("E") else f"-{months[months.index(month) - 1]}"
