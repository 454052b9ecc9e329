"""The query augmenter: a question with every time reference spelt out as dates, and its words otherwise untouched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.calendar import OF_GRAIN
from gnomon.language.time_grammar import QueryContext, TimeMention, describe_period, find_times

_ONE_DAY = timedelta(days=1)
_DAYS = {
    TimeGranularity.WEEK: 7, TimeGranularity.MONTH: 30.44, TimeGranularity.QUARTER: 91.3, TimeGranularity.YEAR: 365.25,
    TimeGranularity.DECADE: 3652.5,
}  # fmt: skip


@dataclass(frozen=True)
class AugmentedQuery:
    """A question as it was asked, and with its times made explicit.

    Args:
        original: The words as they came.
        augmented: The same words, with the days that it means in place of each mention of time; it reads to the
            same request as the original, on whatever day it is read. A mention for which the calendar has no
            other words stays as it is, to be read with ``context``.
        context: The calendar that relative words were read with.
        relative: Whether any mention depends on the day of asking.
    """

    original: str
    augmented: str
    context: QueryContext
    relative: bool = False


class QueryAugmenter:
    """Spells out times. Deterministic: the time grammar decides, no model is asked."""

    def augment(self, query: str, context: QueryContext | date) -> AugmentedQuery:
        """``query`` with its times explicit.

        Args:
            query: The question.
            context: The calendar around today, or the day itself.
        """
        calendar = context if isinstance(context, QueryContext) else QueryContext.of(context)
        mentions = find_times(query, calendar.today)
        relative = _relative(query, calendar.today, mentions)
        text = query
        for place in reversed(relative):
            text = _explicit(text, place, mentions, calendar.today)
        return AugmentedQuery(query, text, calendar, bool(relative))


def _explicit(text: str, place: int, meant: Sequence[TimeMention], today: date) -> str:
    """``text`` with one mention in other words that leave every meaning as it is; unchanged where there are none."""
    mention = meant[place]
    for words in _wordings(mention):
        changed = f"{text[: mention.start]}{words}{text[mention.end :]}"
        found = find_times(changed, today)
        if len(found) == len(meant) and all(map(_same, found, meant)):
            return changed
    return text


def _same(found: TimeMention, meant: TimeMention) -> bool:
    """Whether two mentions stand for the same days, counted in the same unit, in the same role."""
    if (found.kind, found.shift, found.ends, found.period) != (
        meant.kind,
        meant.shift,
        meant.ends,
        meant.period,
    ):
        return False
    return found.period is not None or (found.grain, found.recurring) == (meant.grain, meant.recurring)


def _wordings(mention: TimeMention) -> Iterator[str]:
    """Explicit ways to say a mention, the most natural first."""
    period = mention.period
    if period is None or mention.kind not in ("period", "open"):
        return
    if mention.kind == "open":
        yield from _open(period)
        return
    if mention.ends is not None:
        yield f"from {describe_period(mention.ends[0])} to {describe_period(mention.ends[1])}"
        return
    named = describe_period(period)
    yield named
    yield f"in {named}"
    unit = period.granularity
    if unit in _DAYS and (count := round(period.days / _DAYS[unit])) and period.end < date.max:
        yield f"{count} {unit.value}{'s' if count > 1 else ''} before {_long(period.end + _ONE_DAY)}"
    yield f"{period.days} days ending {_long(period.end)}"


def _open(period: TimeRange) -> Iterator[str]:
    """Ways to say a period with one end, by the unit that it was named with or by its day."""
    if period.end == date.max:
        first = OF_GRAIN[period.granularity].last_day(period.start)
        yield f"since {describe_period(TimeRange(start=period.start, end=first, granularity=period.granularity))}"
        yield f"since {_long(period.start)}"
    elif period.start == date.min:
        yield f"until {_long(period.end)}"
        yield f"before {(period.end + _ONE_DAY):%B %Y}"


def _long(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


def _relative(query: str, today: date, mentions: Sequence[TimeMention]) -> list[int]:
    """Which mentions mean other days when the same words are used a year earlier."""
    if not mentions:
        return []
    earlier = find_times(query, today.replace(year=max(today.year - 1, 1), day=min(today.day, 28)))
    if len(earlier) != len(mentions):
        return list(range(len(mentions)))
    return [i for i, (a, b) in enumerate(zip(mentions, earlier, strict=True)) if a.period != b.period]
