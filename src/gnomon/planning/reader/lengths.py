"""Lengths of time in a question, told in the unit that the data is in: two weeks are fourteen days."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.derived import derived

# Units of a clock in seconds, and those of a calendar in months; one is no whole number of the other.
CLOCK = {
    "millisecond": 0.001,
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "week": 604800.0,
}
_CALENDAR = {"month": 1.0, "quarter": 3.0, "year": 12.0}
_SHORT = {
    "ms": "millisecond", "s": "second", "sec": "second", "min": "minute", "h": "hour", "hr": "hour", "hrs": "hour", "d": "day",
    "mins": "minute", "secs": "second", "wk": "week", "wks": "week", "mo": "month", "yr": "year", "yrs": "year",
    "fortnight": "week",
}  # fmt: skip

# What a column of moments is asked for by, as opposed to what happened then.
DAYS = frozenset(
    {"date", "dates", "day", "days", "time", "times", "week", "weeks", "month", "months", "quarter", "quarters", "year", "years"}
)  # fmt: skip


def unit_of_time(word: str | None) -> str | None:
    """The unit that a word names, in the singular; None where it names none."""
    said = (word or "").lower()
    said = _SHORT.get(said, said)
    said = said.removesuffix("s") if said not in CLOCK else said
    return said if said in CLOCK or said in _CALENDAR else None


def in_unit(values: Sequence[float], said: str, held: str | None) -> tuple[float, ...] | None:
    """``values`` of the unit that was said in the one that a column holds; None where they do not convert.

    Args:
        values: As said.
        said: A unit of time.
        held: The column's unit; where it is not known, the numbers are taken as they are.
    """
    if held is None:
        return tuple(values)
    unit = unit_of_time(held)
    for scale in (CLOCK, _CALENDAR):
        if said in scale and unit in scale:
            return tuple(round(v * scale[said] / scale[unit], 9) for v in values)
    return None


def timed_column(model: SemanticModel) -> Dimension | None:
    """The one column of the data that is held in minutes, seconds or hours: what is quick takes little of it."""
    found = [d for d in _of_time(model) if CLOCK.get(unit_of_time(d.unit or d.label) or "", 86400) <= 3600]
    return found[0] if len(found) == 1 else None


def is_between(metric: Metric) -> bool:
    """Whether a metric is over what two columns make, such as the days between two dates."""
    return metric.expression is not None and derived(metric.expression.strip("`")) is not None


def counted_days(model: SemanticModel) -> Dimension | None:
    """The one column that counts the days of things and is called by nothing else: rental days, of rentals."""
    found = [
        d for d in _of_time(model)
        if d.unit is not None and {stem(w) for w in name_words(d.label) if unit_of_time(w) is None}
        <= {stem(w) for w in name_words(model.table(d.home.table).label)}
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def _of_time(model: SemanticModel) -> list[Dimension]:
    numbers = [
        d for d in model.dimensions if d.type is DimensionType.NUMBER and unit_of_time(d.unit or d.label)
    ]
    return [d for d in numbers if derived(d.home.column) is None]
