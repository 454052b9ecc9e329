"""Days, months, quarters and hours that a column tells by name, where the data has no dates."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from gnomon.core.patterns import late_pattern, regex
from gnomon.core.query import TimeGranularity
from gnomon.language.time_grammar import TimeMention, find_times
from gnomon.planning.reader.words import name_words
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.time_columns import Written, month_number
from gnomon.semantic.values import ValueIndex

_UNITS = {
    **{unit: unit for unit in ("day", "weekday", "week", "month", "quarter", "year", "hour", "time")},
    "dow": "weekday", "qtr": "quarter", "hr": "hour",
}  # fmt: skip
_GROUPING = late_pattern(r"(?:by|per|each|every|for each)\b", re.IGNORECASE)
_ADVERBS = frozenset({"daily", "weekly", "monthly", "quarterly", "yearly", "annual", "hourly"})
# Days of the week are what a column of days holds, hours what one of times does.
_FITTING = {"day": ("day", "weekday"), "hour": ("hour", "time")}
_COUNTED = regex(r"\bhow many (days)\b", re.IGNORECASE)
_YEAR = 366
_MEAN = late_pattern(r"\b(?:average|avg|mean|median|typical|typically|usually)\b", re.IGNORECASE)
_BY_MONTH = regex(r"(?:by|for each|in each|for every|in every) month", re.IGNORECASE)
_QUARTER = regex(r"q(?:uarter|tr)?[ .]?([1-4])", re.IGNORECASE)


@dataclass(frozen=True)
class _Column:
    """A column that tells times: its name in words, the unit, and its values by the number of what they tell."""

    label: str
    unit: str
    values: dict[int, str] = field(default_factory=dict[int, str])


class CalendarColumns:
    """Reads times as values of columns; it has nothing to say where a column holds dates, years alone aside.

    Args:
        model: What the tables mean.
        index: The values that they hold.
    """

    def __init__(self, model: SemanticModel, index: ValueIndex) -> None:
        times = [d for d in model.dimensions if d.type is DimensionType.TIME]
        dated = any(d.written is not Written.YEAR or d.beside for d in times)  # a year alone tells no month
        columns = [] if dated else _columns(model, index)
        self._of_months = _days_of_months(model, columns)
        self._columns = [c for c in columns if c.label != self._of_months]
        self._daily = len(model.tables) == 1 and (model.tables[0].rows or _YEAR + 1) <= _YEAR
        self._covered = [
            d.coverage for d in model.dimensions if d.type is DimensionType.TIME and d.coverage is not None
        ]
        years = [(b - a).days / _YEAR for a, b in self._covered]
        held = [d.label for d in model.dimensions if d.type is not DimensionType.TIME and d.label == "month"]
        self._month = held[0] if dated and len(held) == 1 and years and min(years) > 1 else None
        self._has_hours = any(name_words(d.label) == ("hour",) for d in model.dimensions)
        self._called = {name_words(d.label) for d in model.dimensions if d.type is not DimensionType.TIME}

    def put(self, question: str, today: date) -> tuple[str, dict[str, str]]:
        """The question with times put as the data writes them, and what was put otherwise than it was said."""
        told: dict[str, str] = {}
        if self._month is not None and _MEAN.search(question):
            return self._of_any_year(question, today)
        if not self._columns:
            return question, told
        if self._of_months is not None and self._daily and (days := _COUNTED.search(question)):
            told[days[1]] = "rows"
            question = question[: days.start(1)] + "rows" + question[days.end(1) :]
        for mention in sorted(find_times(question, today), key=lambda m: -m.start):
            said = question[mention.start : mention.end]
            plain = self._plain(said, mention)
            if plain is not None and plain.lower() != said.lower():
                told[said] = plain
                question = question[: mention.start] + plain + question[mention.end :]
        return question, told

    def _of_any_year(self, question: str, today: date) -> tuple[str, dict[str, str]]:
        """“average traffic in July”, of years told beside a column of months: of every July, where no year is said."""
        told: dict[str, str] = {}
        times = find_times(question, today)
        if any(m.kind not in ("grain", "period") or (m.period and not m.recurring) for m in times):
            return question, told
        for mention in sorted(times, key=lambda m: -m.start):
            said = question[mention.start : mention.end]
            named = mention.period is not None and month_number(said) is not None
            grouped = _BY_MONTH.fullmatch(said) and not question[mention.end :].startswith(" column")
            if named or grouped:
                told[said] = f"every {said}" if named else f"{said} column"
                question = question[: mention.start] + told[said] + question[mention.end :]
        return question, told

    def heard(self, mention: TimeMention) -> TimeMention | None:
        """The time as it was said; None where a column tells it, so that the words speak of its values.

        A number that may be a year surely is one where the data has that year.
        """
        unit = mention.recurring.unit if mention.recurring else mention.grain and mention.grain.value
        hours = self._has_hours and mention.kind == "grain" and mention.grain is TimeGranularity.HOUR
        words = name_words(mention.text)
        # A column that is called "time of day" tells it, whatever the clock says.
        called = mention.kind == "grain" and any(words[-n:] in self._called for n in range(2, len(words) + 1))
        if hours or called or (unit and mention.kind != "comparison" and self._of(str(unit)) is not None):
            return None
        period = mention.period
        years = [(first.year, last.year) for first, last in self._covered]
        if period is not None and any(a <= period.start.year <= period.end.year <= b for a, b in years):
            sure = 0.97 if mention.confidence >= 0.5 else mention.confidence
            return replace(mention, confidence=max(mention.confidence, sure))
        return mention

    def _of(self, unit: str) -> _Column | None:
        """The column of a unit."""
        units = _FITTING.get(unit, (unit,))
        return next((c for u in units for c in self._columns if c.unit == u), None)

    def _plain(self, said: str, mention: TimeMention) -> str | None:
        recurring = mention.recurring
        if mention.kind == "comparison" or not (recurring or mention.grain):
            return None
        column = self._of(recurring.unit if recurring else str(mention.grain.value if mention.grain else ""))
        if column is None:
            return None
        if recurring and recurring.values:
            values = [v for n in recurring.values if (v := column.values.get(n))]
            return " or ".join(f"{column.label} {v}" if v.isdecimal() else v for v in values) or None
        if mention.kind == "grain" and said.lower() not in _ADVERBS:
            grouped = _GROUPING.match(said)
            return f"{grouped[0]} {column.label}" if grouped else column.label
        return None


def _columns(model: SemanticModel, index: ValueIndex) -> list[_Column]:
    """The columns whose names end in a unit of time, or whose values are days of the week or months."""
    found: list[_Column] = []
    for dimension in model.dimensions:
        if dimension.type is DimensionType.TIME:
            continue
        words = name_words(dimension.label)
        values = index.values(dimension.name)
        unit = _UNITS.get(words[-1]) if words else None
        named = unit is not None and (len(words) == 1 or words[:-1] == ("day", "of") or len(words) == 2)
        held = _calendar_values(values)
        if held is not None and (named or not any(v.isdecimal() for v in held[1].values())):
            found.append(_Column(dimension.label, *held))
        elif named and unit is not None and dimension.type is not DimensionType.ID:
            found.append(_Column(dimension.label, unit))
    return found


def _days_of_months(model: SemanticModel, columns: Sequence[_Column]) -> str | None:
    """The name of a column that numbers the days of each month: the 3rd of every month together is no day."""
    numbered = {d.label for d in model.dimensions if d.type is DimensionType.NUMBER or d.numeric}
    monthly = any(c.unit == "month" for c in columns)
    return next((c.label for c in columns if monthly and c.unit == "day" and c.label in numbered), None)


def _calendar_values(values: Sequence[Any]) -> tuple[str, dict[int, str]] | None:
    """What a column's values tell, where all of them are days of the week, months or quarters."""
    texts = [str(v).strip() for v in values if v is not None]
    for unit, number in (("weekday", _weekday), ("quarter", _quarter), ("month", month_number)):
        numbers = [number(t) for t in texts]
        if texts and len(set(texts)) > 1 and all(n is not None for n in numbers):
            return unit, {n: t for n, t in zip(numbers, texts, strict=True) if n is not None}
    return None


def _weekday(text: str) -> int | None:
    """The day of the week (1 is Monday) that a text names in full or by its first letters."""
    said = text.lower().rstrip(".")
    names = [name.lower() for name in calendar.day_name]
    found = [i for i, name in enumerate(names, 1) if len(said) >= 2 and name.startswith(said)]
    return found[0] if len(found) == 1 else None


def _quarter(text: str) -> int | None:
    """The quarter that Q2, Quarter 2 or qtr 2 names."""
    match = _QUARTER.fullmatch(text.strip())
    return int(match[1]) if match else None
