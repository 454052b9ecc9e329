"""The tokens of a question, and the small readings that every rule of the time grammar builds on."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, NamedTuple

from gnomon.core.patterns import regex
from gnomon.core.query import TimeRange
from gnomon.language import calendar as cal
from gnomon.language.time_mention import Recurring
from gnomon.language.time_words import MONTHS, NUMBERS, UNITS, VAGUE, Phrases, T, corrected

_TOKEN = regex(r"\d+|[^\W\d_]+|[^\w\s]|_")
_APOSTROPHES = "'’‘`"
DEEPEST = 4

Days = tuple[date, date]


class Token(NamedTuple):
    """A word, a run of digits or a sign, with its place."""

    text: str
    low: str
    start: int
    end: int
    glued: bool
    typo: bool


@dataclass(frozen=True)
class Point:
    """A stretch of days that some tokens name.

    Args:
        end: The token after the last.
        start: First day.
        stop: Last day.
        unit: The unit it is made of.
        year: The year that the words state, to lend to a neighbour without one.
        in_year: The same days in another year, where the words state none.
        recurring: The part of every year that it is, where no year is stated.
        confidence: How surely the words mean this.
        note: What was assumed.
    """

    end: int
    start: date
    stop: date
    unit: cal.CalendarUnit
    year: int | None = None
    in_year: Callable[[int], Days] | None = None
    recurring: Recurring | None = None
    confidence: float = 1.0
    note: str = ""

    @property
    def range(self) -> TimeRange:
        """The days as a range at the point's own granularity."""
        return TimeRange(start=self.start, end=self.stop, granularity=self.unit.grain)

    def map(
        self, change: Callable[[date, date], Days], end: int, unit: cal.CalendarUnit, **rest: Any
    ) -> Point:
        """A part of the point, or a stretch beside it, which moves with it when a year is stated later."""
        inner = self.in_year
        start, stop = change(self.start, self.stop)
        moved = None if inner is None else lambda year: change(*inner(year))
        return replace(
            self, start=start, stop=stop, end=end, unit=unit, in_year=moved, recurring=None, **rest
        )  # fmt: skip

    def at(self, year: int, end: int | None = None) -> Point:
        """The point in a stated year; itself when it has one already."""
        if self.in_year is None:
            return self
        start, stop = self.in_year(year)
        return replace(
            self, start=start, stop=stop, year=year, in_year=None, recurring=None, note="",
            end=self.end if end is None else end, confidence=1.0 if self.confidence >= 0.7 else 0.9,
        )  # fmt: skip


class _Lows(dict[int, str]):
    """Tokens in small letters by their place; a plain lookup, since the rules look some thousand times."""

    def __missing__(self, i: int) -> str:
        return ""


PointRule = Callable[["Reader", int], "Point | None"]


@dataclass
class Reader:
    """A question being read.

    Args:
        text: The question.
        today: The day that relative words count from.
        first_month: The month in which fiscal years begin.
        from_words: Rules that can name a stretch of days from a word on.
        from_figures: The same from a number or a sign on.
    """

    text: str
    today: date
    first_month: int = 1
    from_words: tuple[PointRule, ...] = ()
    from_figures: tuple[PointRule, ...] = ()
    tokens: list[Token] = field(default_factory=list[Token])
    memo: dict[int, Point | None] = field(default_factory=dict[int, "Point | None"])
    depth: int = 0
    low: Callable[[int], str] = field(init=False)
    """The token at a place in small letters, or nothing beyond either end."""

    def __post_init__(self) -> None:
        last = -1
        for match in _TOKEN.finditer(self.text):
            raw = match.group()
            low = "'" if raw in _APOSTROPHES else raw.lower()
            better = corrected(low) if low.isascii() else None
            self.tokens.append(
                Token(
                    raw, better or low, match.start(), match.end(), match.start() == last, better is not None
                )
            )
            last = match.end()
        self.low = _Lows(enumerate(token.low for token in self.tokens)).__getitem__
        self._ends = {token.end: n + 1 for n, token in enumerate(self.tokens)}
        self._shouting = self.text.isupper()

    def point(self, i: int) -> Point | None:
        """The longest stretch of days that the tokens from ``i`` on name, with its year where one follows."""
        if i in self.memo:
            return self.memo[i]
        if self.depth >= DEEPEST or i >= len(self.tokens):
            return None
        self.depth += 1
        best: Point | None = None
        for rule in self.from_words if self.low(i).isalpha() else self.from_figures:
            try:
                found = rule(self, i)
                if found is not None and found.in_year is not None:
                    found = self._dated(found)
            except (ValueError, OverflowError):  # no such day on the calendar
                continue
            if found and (best is None or (found.end, found.confidence) > (best.end, best.confidence)):
                best = found
        self.depth -= 1
        if best and self.typo(i, best.end):
            best = replace(best, confidence=round(best.confidence * 0.8, 3))
        self.memo[i] = best
        return best

    def _dated(self, point: Point) -> Point:
        """A point without a year, in the year that follows it: "March" before "2024" or "last year"."""
        at = self.skip(self.skip(self.skip(point.end, {","}), {"of", "in"}), {"the"})
        year = self.point(at)
        if year is not None and year.confidence >= 0.5 and is_whole_year(year):
            return point.at(year.year or year.start.year, year.end)
        # Right after a name such as "Easter" even a number that is rarely a year, 2000 or 1900, is one.
        beside = self.year(self.skip(point.end, {","}))
        return point.at(*beside) if beside and not self.glued(beside[1]) else point

    def glued(self, i: int) -> bool:
        """Whether token ``i`` follows the one before it without a space."""
        return 0 <= i < len(self.tokens) and self.tokens[i].glued

    def typo(self, i: int, end: int) -> bool:
        """Whether any of the tokens was misspelled."""
        return any(token.typo for token in self.tokens[i:end])

    def capital(self, i: int) -> bool:
        """Whether token ``i`` is written like a name where that says something."""
        return 0 < i < len(self.tokens) and self.tokens[i].text[0].isupper() and not self._shouting

    def skip(self, i: int, words: Collection[str]) -> int:
        """``i``, or the token after it when it is one of ``words``."""
        return i + 1 if self.low(i) in words else i

    def phrase(self, i: int, *words: str) -> int | None:
        """The token after ``words`` when they stand at ``i`` (hyphens between them do not matter)."""
        for n, word in enumerate(words):
            if n and self.low(i) == "-":
                i += 1
            if self.low(i) != word:
                return None
            i += 1
        return i

    def phrases(self, i: int, table: Phrases[T]) -> Iterator[tuple[int, T]]:
        """Each phrase of ``table`` that stands at ``i``: the token after it and what it means."""
        for phrase, meaning in table.get(self.low(i), ()):
            end = self.phrase(i, *phrase)
            if end is not None:
                yield end, meaning

    def match(self, pattern: re.Pattern[str], i: int) -> tuple[re.Match[str], int] | None:
        """``pattern`` matched at token ``i``, if it ends where a token ends."""
        if not 0 <= i < len(self.tokens):
            return None
        found = pattern.match(self.text, self.tokens[i].start)
        if not found or found.end() not in self._ends:
            return None
        return found, self._ends[found.end()]

    def number(self, i: int) -> tuple[int, int, float] | None:
        """A whole number in digits or words at ``i``: its value, the token after it, how sure."""
        word = self.low(i)
        if word.isdecimal() and word.isascii() and len(word) <= 4:
            return (
                (int(word), i + 1, 1.0) if not (self.low(i + 1) in {".", ","} and self.glued(i + 2)) else None
            )
        if word in NUMBERS:
            after = self.skip(i + 1, {"-"})
            if NUMBERS[word] >= 20 and 0 < NUMBERS.get(self.low(after), 0) < 10:
                return NUMBERS[word] + NUMBERS[self.low(after)], after + 1, 1.0
            return NUMBERS[word], i + 1, 1.0
        start = self.skip(i, {"a"})
        if self.low(start) in VAGUE:
            value = VAGUE[self.low(start)]
            return value, self.skip(start + 1, {"of"}), 0.7 if value == 2 else 0.45
        if self.low(start) == "dozen":
            return 12, start + 1, 0.9
        return None

    def unit(self, i: int) -> tuple[cal.CalendarUnit, int] | None:
        """A unit of time at ``i``, after words such as "full" or "calendar", and the token after it."""
        while self.low(i) in {"full", "complete", "calendar", "whole", "consecutive", "entire", "-"}:
            i += 1
        if self.low(i) in {"half", "semi"}:
            after = self.skip(i + 1, {"-"})
            return (cal.HALF, after + 1) if self.low(after) in {"year", "years"} else None
        unit = UNITS.get(self.low(i))
        return (unit, i + 1) if unit else None

    def year(self, i: int) -> tuple[int, int] | None:
        """A year of four digits, or of two after an apostrophe, at ``i``."""
        word = self.low(i)
        if word.isascii() and word.isdecimal() and len(word) == 4 and 1900 <= int(word) <= 2100:
            return int(word), i + 1
        short = self.low(i + 1)
        if word == "'" and self.glued(i + 1) and len(short) == 2 and short.isascii() and short.isdecimal():
            return century_of(int(short), self.today), i + 2
        return None

    def is_month(self, i: int) -> bool:
        """Whether token ``i`` is spelled like a month."""
        return self.low(i) in MONTHS

    def latest(self, in_year: Callable[[int], Days]) -> Days:
        """The most recent occurrence that does not begin after today."""
        for year in range(self.today.year, self.today.year - 9, -1):
            try:
                days = in_year(year)
            except ValueError:  # 29 February, in a year without one
                continue
            if days[0] <= self.today:
                return days
        raise ValueError("no such day in the last nine years")


def is_whole_year(point: Point) -> bool:
    """Whether a point is one year, from its first month to its last."""
    months = (point.stop.year - point.start.year) * 12 + point.stop.month - point.start.month
    return (
        point.unit is cal.YEAR
        and months == 11
        and point.start.day == 1
        and point.stop == cal.month_end(point.stop)
    )


def full_year(digits: str, today: date) -> int:
    """The year that two or four digits mean."""
    return int(digits) if len(digits) == 4 else century_of(int(digits), today)


def century_of(short: int, today: date) -> int:
    """The full year that two digits mean: at most twenty years ahead of today."""
    year = today.year - today.year % 100 + short
    return year - 100 if year > today.year + 20 else year
