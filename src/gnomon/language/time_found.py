"""What a rule of the time grammar found, before it becomes a mention with its place in the text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.time_mention import MentionKind, Recurring, Shift, TimeMention
from gnomon.language.time_reader import Point, Reader


@dataclass(frozen=True)
class Found:
    """A reading of some tokens.

    Args:
        begin: The first token.
        end: The token after the last.
        kind: What sort of mention it is.
        point: The stretch of days, for a period that may still take its year from a neighbour.
        period: The days meant, where they are not those of ``point``.
        grain: The step.
        shift: How a comparison goes back.
        recurring: What comes back.
        confidence: How surely the words mean this.
        note: What was assumed.
        ends: The two named ends of a range.
    """

    begin: int
    end: int
    kind: MentionKind
    point: Point | None = None
    period: TimeRange | None = None
    grain: TimeGranularity | None = None
    shift: Shift | None = None
    recurring: Recurring | None = None
    confidence: float = 1.0
    note: str = ""
    ends: tuple[Point, Point] | None = None

    @classmethod
    def of_point(cls, begin: int, point: Point) -> Found:
        """A plain period."""
        return cls(begin, point.end, "period", point=point)

    def in_year(self, year: int) -> Found:
        """The same period in a stated year."""
        return replace(self, point=self.point.at(year)) if self.point else self

    def mention(self, reader: Reader) -> TimeMention:
        """The mention with its characters."""
        start, end = reader.tokens[self.begin].start, reader.tokens[self.end - 1].end
        text = reader.text[start:end]
        if self.point is not None and self.kind == "period":
            p = self.point
            ends = (self.ends[0].range, self.ends[1].range) if self.ends else None
            return TimeMention(
                start,
                end,
                text,
                self.kind,
                p.range,
                p.unit.grain,
                None,
                p.recurring,
                p.confidence,
                p.note,
                ends,
            )
        return TimeMention(
            start,
            end,
            text,
            self.kind,
            self.period,
            self.grain,
            self.shift,
            self.recurring,
            self.confidence,
            self.note,
        )


def days(start: date, stop: date, grain: TimeGranularity = TimeGranularity.DAY) -> TimeRange:
    """A range of days at a granularity."""
    return TimeRange(start=start, end=stop, granularity=grain)
