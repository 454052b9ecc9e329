"""What the time grammar finds in a question: mentions of time, each with its place in the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gnomon.core.query import TimeGranularity, TimeRange

MentionKind = Literal["period", "grain", "comparison", "open", "recurring"]
RecurringUnit = Literal["month", "weekday", "quarter", "hour", "minute"]


@dataclass(frozen=True)
class Shift:
    """How far a comparison goes back.

    Args:
        unit: The unit to step by.
        count: How many of them.
        same_period: Whether both ends move by the shift ("year over year", "same period last year"), rather
            than the whole unit before being meant ("compared to last month").
        year: The year gone to, where it is named ("same quarter of 2023"); ``count`` is then how far it is
            from today, for want of a period to start from.
        part: What is the same in both, where that is said ("same week last year"): of it the one that today is in is
            meant, where no period is named. The unit gone back by for "same period last year".
    """

    unit: TimeGranularity
    count: int = 1
    same_period: bool = False
    year: int | None = None
    part: TimeGranularity | None = None


@dataclass(frozen=True)
class Recurring:
    """A part of the calendar that comes back.

    Args:
        unit: What comes back.
        values: Which of them: months 1-12, quarters 1-4, weekdays 1 (Monday) to 7 (Sunday), hours 0-23,
            minutes of the day 0-1439;
            empty where every one is meant, as in "by day of the week".
    """

    unit: RecurringUnit
    values: tuple[int, ...] = ()


@dataclass(frozen=True)
class TimeMention:
    """One mention of time in a question.

    Args:
        start: Where it begins in the question.
        end: Where it ends (the first character after it).
        text: The words themselves.
        kind: ``period`` (a closed range), ``grain`` (a step: "by month"), ``comparison`` (how to shift),
            ``open`` (one side only: "since March") or ``recurring`` ("on Mondays").
        period: The days meant, both ends included; an open side is ``date.min`` or ``date.max``. A comparison
            with a unit named relative to today ("vs last month") has that unit here.
        grain: The step of a grain, or the natural step of a period ("last 3 months": month). A grain mention
            without one ("over time") leaves the step to the data, unless ``recurring`` says by what to group.
        shift: How a comparison goes back; None for "the previous period", which is as long as the period.
        recurring: What comes back. A period named without a year ("in March") has it as its other reading.
        confidence: 1.0 where the words are clear, below 0.5 where they are more likely something else.
        note: What was assumed, for people: "to date", "weeks run Monday to Sunday", or nothing.
        ends: The two ends of a range that names both ("from March to May": March, May).
    """

    start: int
    end: int
    text: str
    kind: MentionKind
    period: TimeRange | None = None
    grain: TimeGranularity | None = None
    shift: Shift | None = None
    recurring: Recurring | None = None
    confidence: float = 1.0
    note: str = ""
    ends: tuple[TimeRange, TimeRange] | None = None
