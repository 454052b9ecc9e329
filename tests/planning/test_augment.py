"""The query augmenter: times become days, and nothing else changes."""

from datetime import date

import pytest

from gnomon.language.time_grammar import QueryContext
from gnomon.planning.augment import QueryAugmenter

TODAY = date(2024, 11, 20)  # a Wednesday


@pytest.mark.parametrize(
    ("asked", "explicit"),
    [
        ("revenue last month", "revenue October 2024"),
        ("revenue this week by region", "revenue the week of 18 November 2024 by region"),
        ("what sold yesterday?", "what sold 19 Nov 2024?"),
        ("revenue in the last 30 days", "revenue in 30 days ending 20 November 2024"),
        ("revenue over the past 3 months by month", "revenue over 3 months before 1 November 2024 by month"),
        ("last 2 weeks revenue", "2 weeks before 18 November 2024 revenue"),
        ("revenue since March", "revenue since March 2024"),
        ("revenue before last month", "revenue before October 2024"),
        ("how did it change from last month to this month", "how did it change from October 2024 to November 2024"),
        ("revenue last month vs the month before", "revenue October 2024 vs the month before"),
        ("units in March and in Q2", "units in March 2024 and in Q2 2024"),
    ],
)  # fmt: skip
def test_words_that_depend_on_the_day_become_days(asked: str, explicit: str) -> None:
    found = QueryAugmenter().augment(asked, TODAY)
    assert (found.original, found.augmented, found.relative) == (asked, explicit, True)


@pytest.mark.parametrize(
    "asked", ["revenue in 2023", "units on 4 July 2024", "revenue by region", "", "in 9999"]
)
def test_what_is_explicit_already_stays_as_it_is(asked: str) -> None:
    found = QueryAugmenter().augment(asked, TODAY)
    assert (found.augmented, found.relative) == (asked, False)


def test_a_unit_to_date_stays_since_no_dates_alone_say_that_it_is_one() -> None:
    found = QueryAugmenter().augment("revenue year to date vs the same period last year", TODAY)
    assert (found.augmented, found.relative) == (found.original, True)


def test_the_calendar_goes_with_the_question() -> None:
    context = QueryContext.of(TODAY)
    found = QueryAugmenter().augment("revenue last week", context)
    assert found.context == context
    assert (context.week_start, context.week_end) == (date(2024, 11, 18), date(2024, 11, 24))
    assert (context.month_start, context.month_end) == (date(2024, 11, 1), date(2024, 11, 30))


def test_days_at_the_ends_of_the_calendar_are_no_error() -> None:
    for day in (date(1, 1, 1), date(1, 2, 28), date(9999, 11, 30), date(2024, 2, 29)):
        for asked in ("last month", "today", "since this week", "until this year", "the last 2 years"):
            assert QueryAugmenter().augment(asked, day).original == asked
