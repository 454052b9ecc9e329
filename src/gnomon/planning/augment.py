"""The query augmenter: a question with every time reference spelt out as dates, and its words otherwise untouched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from gnomon.language.time_grammar import QueryContext, TimeMention, find_times


@dataclass(frozen=True)
class AugmentedQuery:
    """A question as it was asked, and with its times made explicit.

    Args:
        original: The words as they came.
        augmented: The same words; behind each mention of time stand the days that it means.
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
        text = query
        for mention in reversed(mentions):
            if days := _spelt_out(mention):
                text = f"{text[: mention.end]} ({days}){text[mention.end :]}"
        if mentions:
            text = f"{text} [{_told(calendar)}]"
        return AugmentedQuery(query, text, calendar, _is_relative(query, calendar.today, mentions))


def _spelt_out(mention: TimeMention) -> str:
    period = mention.period
    if period is None or mention.kind not in ("period", "open", "comparison"):
        return ""
    if period.start == date.min:
        return f"until {period.end.isoformat()}"
    if period.end == date.max:
        return f"from {period.start.isoformat()}"
    if period.start == period.end:
        return period.start.isoformat()
    return f"{period.start.isoformat()} to {period.end.isoformat()}"


def _told(calendar: QueryContext) -> str:
    return (
        f"today is {calendar.today.isoformat()}; this week is {calendar.week_start.isoformat()} to "
        f"{calendar.week_end.isoformat()}, Monday to Sunday; this month is {calendar.month_start.isoformat()} to "
        f"{calendar.month_end.isoformat()}"
    )


def _is_relative(query: str, today: date, mentions: list[TimeMention]) -> bool:
    """Whether the same words mean other days when they are asked a year earlier."""
    earlier = find_times(query, today.replace(year=today.year - 1, day=min(today.day, 28)))
    return [m.period for m in mentions] != [m.period for m in earlier]
