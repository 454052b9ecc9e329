"""What words of time mean, asked on one day: Wednesday, 19 March 2025."""

from __future__ import annotations

from datetime import date

import pytest

from gnomon.core.errors import InvalidInput
from gnomon.core.query import TimeGranularity
from gnomon.language.time_grammar import TimeMention, find_times

TODAY = date(2025, 3, 19)


def only(text: str) -> TimeMention:
    mentions = find_times(text, TODAY)
    assert len(mentions) == 1, mentions
    return mentions[0]


def days(mention: TimeMention) -> str:
    assert mention.period is not None
    return f"{mention.period.start} {mention.period.end}"


PERIODS = {
    "yest": "2025-03-18 2025-03-18",
    "q1 24": "2024-01-01 2024-03-31",
    "the weekend of 8 and 9 March 2025": "2025-03-08 2025-03-09",
    "the weekend of 7-9 March": "2025-03-07 2025-03-09",
    "from 10 March 2024 up to and including 20 March 2024": "2024-03-10 2024-03-20",
    "the 1800s": "1800-01-01 1899-12-31",
    "today": "2025-03-19 2025-03-19",
    "yesterday": "2025-03-18 2025-03-18",
    "tomorrow": "2025-03-20 2025-03-20",
    "the day before yesterday": "2025-03-17 2025-03-17",
    "this week": "2025-03-17 2025-03-23",
    "last week": "2025-03-10 2025-03-16",
    "next week": "2025-03-24 2025-03-30",
    "this month": "2025-03-01 2025-03-31",
    "last month": "2025-02-01 2025-02-28",
    "the current quarter": "2025-01-01 2025-03-31",
    "previous quarter": "2024-10-01 2024-12-31",
    "last year": "2024-01-01 2024-12-31",
    "next year": "2026-01-01 2026-12-31",
    "the last 30 days": "2025-02-18 2025-03-19",
    "past seven days": "2025-03-13 2025-03-19",
    "next 7 days": "2025-03-20 2025-03-26",
    "last 2 weeks": "2025-03-03 2025-03-16",
    "last fortnight": "2025-03-03 2025-03-16",
    "last 3 months": "2024-12-01 2025-02-28",
    "the past twelve months": "2024-03-01 2025-02-28",
    "trailing 12 months": "2024-03-01 2025-02-28",
    "the last two quarters": "2024-07-01 2024-12-31",
    "last half-year": "2024-07-01 2024-12-31",
    "last 5 years": "2020-01-01 2024-12-31",
    "last twenty-one days": "2025-02-27 2025-03-19",
    "coming 2 months": "2025-04-01 2025-05-31",
    "3 days ago": "2025-03-16 2025-03-16",
    "two weeks ago": "2025-03-03 2025-03-09",
    "a month ago": "2025-02-01 2025-02-28",
    "3 years ago": "2022-01-01 2022-12-31",
    "last Friday": "2025-03-14 2025-03-14",
    "this Friday": "2025-03-21 2025-03-21",
    "Monday of last week": "2025-03-10 2025-03-10",
    "last weekend": "2025-03-15 2025-03-16",
    "in December": "2024-12-01 2024-12-31",
    "in March": "2025-03-01 2025-03-31",
    "last March": "2024-03-01 2024-03-31",
    "March 2024": "2024-03-01 2024-03-31",
    "march of 2024": "2024-03-01 2024-03-31",
    "Mar '24": "2024-03-01 2024-03-31",
    "Mar-24": "2024-03-01 2024-03-31",
    "Feb. 2024": "2024-02-01 2024-02-29",
    "2024-03": "2024-03-01 2024-03-31",
    "03/2024": "2024-03-01 2024-03-31",
    "May last year": "2024-05-01 2024-05-31",
    "Q1 2024": "2024-01-01 2024-03-31",
    "2024Q1": "2024-01-01 2024-03-31",
    "2024-Q1": "2024-01-01 2024-03-31",
    "4Q23": "2023-10-01 2023-12-31",
    "Q4'23": "2023-10-01 2023-12-31",
    "Q4 of last year": "2024-10-01 2024-12-31",
    "Q4": "2024-10-01 2024-12-31",
    "first quarter of 2024": "2024-01-01 2024-03-31",
    "third quarter 2023": "2023-07-01 2023-09-30",
    "the last quarter of 2023": "2023-10-01 2023-12-31",
    "first half of 2023": "2023-01-01 2023-06-30",
    "second half of last year": "2024-07-01 2024-12-31",
    "H1": "2025-01-01 2025-06-30",
    "2H23": "2023-07-01 2023-12-31",
    "second week of May 2024": "2024-05-08 2024-05-14",
    "the first week of February 2024": "2024-02-01 2024-02-07",
    "the last week of October 2024": "2024-10-25 2024-10-31",
    "the three months up to and including September 2024": "2024-07-01 2024-09-30",
    "the 6 months to June 2024": "2024-01-01 2024-06-30",
    "the year to June 2024": "2023-07-01 2024-06-30",
    "the week before last": "2025-03-03 2025-03-09",
    "the month before last": "2025-01-01 2025-01-31",
    "the summer months": "2024-06-01 2024-08-31",
    "the first 10 days of June 2024": "2024-06-01 2024-06-10",
    "last 10 days of February 2024": "2024-02-20 2024-02-29",
    "first three months of 2023": "2023-01-01 2023-03-31",
    "the last day of last month": "2025-02-28 2025-02-28",
    "the first Monday of May 2024": "2024-05-06 2024-05-06",
    "the 15th of last month": "2025-02-15 2025-02-15",
    "first half of March 2024": "2024-03-01 2024-03-15",
    "early March 2024": "2024-03-01 2024-03-10",
    "mid-2023": "2023-05-01 2023-08-31",
    "late 2023": "2023-09-01 2023-12-31",
    "the week of 3 March": "2025-03-03 2025-03-09",
    "the week of March 6, 2024": "2024-03-04 2024-03-10",
    "week ending 9 March 2025": "2025-03-03 2025-03-09",
    "weeks ending in 2024": "2024-01-01 2024-12-31",
    "the quarter ended June 2024": "2024-04-01 2024-06-30",
    "the quarter ending in June 2024": "2024-04-01 2024-06-30",
    "the month of May 2024": "2024-05-01 2024-05-31",
    "week 12 of 2024": "2024-03-18 2024-03-24",
    "2024-W12": "2024-03-18 2024-03-24",
    "2019": "2019-01-01 2019-12-31",
    "in 2000": "2000-01-01 2000-12-31",
    "the 1990s": "1990-01-01 1999-12-31",
    "the nineties": "1990-01-01 1999-12-31",
    "the last decade": "2010-01-01 2019-12-31",
    "FY24": "2024-01-01 2024-12-31",
    "fiscal year 2024": "2024-01-01 2024-12-31",
    "year to date": "2025-01-01 2025-03-19",
    "YTD": "2025-01-01 2025-03-19",
    "YTD 2024": "2024-01-01 2024-03-19",
    "QTD": "2025-01-01 2025-03-19",
    "MTD": "2025-03-01 2025-03-19",
    "month-to-date": "2025-03-01 2025-03-19",
    "this year so far": "2025-01-01 2025-03-19",
    "so far this month": "2025-03-01 2025-03-19",
    "from March to May 2024": "2024-03-01 2024-05-31",
    "from November to February 2024": "2023-11-01 2024-02-29",
    "between 1 Jan 2024 and 15 March 2024": "2024-01-01 2024-03-15",
    "Jan–Mar 2024": "2024-01-01 2024-03-31",
    "Q1 to Q3 2024": "2024-01-01 2024-09-30",
    "March through May": "2024-03-01 2024-05-31",
    "from 3 to 30 March 2024": "2024-03-03 2024-03-30",
    "March 3-30, 2024": "2024-03-03 2024-03-30",
    "2019 to 2021": "2019-01-01 2021-12-31",
    "2022-2024": "2022-01-01 2024-12-31",
    "2019-20": "2019-01-01 2020-12-31",
    "from 2024-01-05 to 2024-02-10": "2024-01-05 2024-02-10",
    "from June 2024 until today": "2024-06-01 2025-03-19",
    "summer 2023": "2023-06-01 2023-08-31",
    "Christmas 2023": "2023-12-25 2023-12-25",
    "New Year's Eve": "2024-12-31 2024-12-31",
    "Easter 2024": "2024-03-31 2024-03-31",
    "Good Friday 2023": "2023-04-07 2023-04-07",
    "Thanksgiving": "2024-11-28 2024-11-28",
    "Black Friday 2023": "2023-11-24 2023-11-24",
    "Cyber Monday": "2024-12-02 2024-12-02",
    "Labor Day 2024": "2024-09-02 2024-09-02",
    "Memorial Day 2024": "2024-05-27 2024-05-27",
    "Mother's Day 2024": "2024-05-12 2024-05-12",
    "the 4th of July": "2024-07-04 2024-07-04",
    "the first two weeks of February 2024": "2024-02-01 2024-02-14",
    "5th May 2023 to 7th June 2023": "2023-05-05 2023-06-07",
    "2023-05-05..2023-06-07": "2023-05-05 2023-06-07",
    "the two weeks before Christmas 2023": "2023-12-11 2023-12-24",
    "3 months before June 2024": "2024-03-01 2024-05-31",
    "the day after Thanksgiving 2023": "2023-11-24 2023-11-24",
    "fiscal Q2 2024": "2024-04-01 2024-06-30",
    "CY2023": "2023-01-01 2023-12-31",
    "Monday, March 4": "2024-03-04 2024-03-04",
    "Black Friday week": "2024-11-25 2024-12-01",
    "last year's Q4": "2024-10-01 2024-12-31",
    "2023's Christmas": "2023-12-25 2023-12-25",
    "mid-March to early April 2024": "2024-03-11 2024-04-10",
}


@pytest.mark.parametrize("words", PERIODS)
def test_a_period_is_the_days_that_people_mean(words: str) -> None:
    mention = only(f"revenue for {words} by region")
    assert (mention.kind, days(mention)) == ("period", PERIODS[words])
    assert mention.text.lower() in words.lower()


OPEN = {
    "since the start of the year": "2025-01-01 9999-12-31",
    "since the beginning of the month": "2025-03-01 9999-12-31",
    "since 2019": "2019-01-01 9999-12-31",
    "since March": "2025-03-01 9999-12-31",
    "since the start of 2024": "2024-01-01 9999-12-31",
    "after March 2024": "2024-04-01 9999-12-31",
    "from 2020 onwards": "2020-01-01 9999-12-31",
    "2020 or later": "2020-01-01 9999-12-31",
    "before 2020": "0001-01-01 2019-12-31",
    "prior to 5 March 2024": "0001-01-01 2024-03-04",
    "until the end of June 2024": "0001-01-01 2024-06-30",
    "through March 2024": "0001-01-01 2024-03-31",
    "up to last month": "0001-01-01 2025-02-28",
    "year >= 2015": "2015-01-01 9999-12-31",
    "year is less than 1990": "0001-01-01 1989-12-31",
    "more than 90 days ago": "0001-01-01 2024-12-18",
    "before 2024 began": "0001-01-01 2023-12-31",
    "after May 2024 ended": "2024-06-01 9999-12-31",
}


@pytest.mark.parametrize("words", OPEN)
def test_one_side_of_a_range_may_be_open(words: str) -> None:
    mention = only(f"orders placed {words}")
    assert (mention.kind, days(mention)) == ("open", OPEN[words])
    assert words.removeprefix("year is ").removeprefix("year ") == mention.text


GRAINS = {
    "by month": "month",
    "per week": "week",
    "each day": "day",
    "for each quarter": "quarter",
    "weekly": "week",
    "annual": "year",
    "hourly": "hour",
    "month by month": "month",
    "on a daily basis": "day",
    "by year and month": "month",
    "over the years": "year",
    "over time": None,
}


@pytest.mark.parametrize("words", GRAINS)
def test_a_grain_is_a_step_without_a_period(words: str) -> None:
    mention = only(f"revenue {words}")
    assert (mention.kind, mention.text, mention.grain, mention.period) == (
        "grain",
        words,
        GRAINS[words],
        None,
    )


def test_a_grain_can_be_asked_for_or_ranked() -> None:
    assert only("which month had the highest revenue").grain == TimeGranularity.MONTH
    assert only("top 5 days by revenue").grain == TimeGranularity.DAY
    assert only("revenue by region and quarter").grain == TimeGranularity.QUARTER
    weekday = only("orders by day of the week")
    assert weekday.kind == "grain"
    assert weekday.recurring is not None
    assert (weekday.recurring.unit, weekday.recurring.values) == ("weekday", ())


COMPARISONS = {
    "year over year": ("year", 1, True),
    "YoY": ("year", 1, True),
    "m/m": ("month", 1, True),
    "week-on-week": ("week", 1, True),
    "same period last year": ("year", 1, True),
    "compared to the same quarter of the previous year": ("year", 1, True),
    "compared to last month": ("month", 1, False),
    "versus the previous quarter": ("quarter", 1, False),
    "vs. the prior 30 days": ("day", 30, False),
    "than a year ago": ("year", 1, True),
    "vs LY": ("year", 1, True),
}


@pytest.mark.parametrize("words", COMPARISONS)
def test_a_comparison_says_how_far_to_go_back(words: str) -> None:
    mention = only(f"is revenue higher {words}")
    assert (mention.kind, mention.text.removeprefix("higher ")) == ("comparison", words)
    assert mention.shift is not None
    assert (mention.shift.unit, mention.shift.count, mention.shift.same_period) == COMPARISONS[words]


def test_the_previous_period_is_a_comparison_of_its_own_length() -> None:
    mention = only("revenue compared with the previous period")
    assert (mention.kind, mention.shift) == ("comparison", None)
    quarter, last = find_times("How does this quarter compare to the last one?", TODAY)
    assert (quarter.text, last.kind, last.shift) == ("this quarter", "comparison", None)


def test_two_periods_that_are_compared_are_no_range() -> None:
    texts = [m.text for m in find_times("difference between March and April 2024", TODAY)]
    assert texts == ["March", "April 2024"]
    compared = find_times("compare this month to last month", TODAY)
    assert [(m.kind, days(m)) for m in compared] == [
        ("period", "2025-03-01 2025-03-31"),
        ("comparison", "2025-02-01 2025-02-28"),
    ]


RECURRING = {
    "on weekends": ("weekday", (6, 7)),
    "on Mondays": ("weekday", (1,)),
    "Monday to Friday": ("weekday", (1, 2, 3, 4, 5)),
    "every December": ("month", (12,)),
    "in December each year": ("month", (12,)),
    "in Q4 of each year": ("quarter", (4,)),
    "November to January every year": ("month", (1, 11, 12)),
    "between 9am and 5pm": ("hour", (9, 10, 11, 12, 13, 14, 15, 16)),
    "after 22:00": ("hour", (22, 23)),
    "between 6 and 9 pm": ("hour", (18, 19, 20)),
    "at 7 pm or later": ("hour", (19, 20, 21, 22, 23)),
    "from 8 to 10 in the morning": ("hour", (8, 9)),
    "in the evening": ("hour", (18, 19, 20, 21)),
    "overnight": ("hour", (0, 1, 2, 3, 4, 5, 22, 23)),
    "between 8:30 and 8:33 am": ("minute", (510, 511, 512)),
    "at 7:15 pm": ("minute", (1155,)),
    "Mon-Fri": ("weekday", (1, 2, 3, 4, 5)),
    "on an average Saturday": ("weekday", (6,)),
    "on a Monday": ("weekday", (1,)),
}


@pytest.mark.parametrize("words", RECURRING)
def test_parts_of_the_calendar_come_back(words: str) -> None:
    mention = only(f"orders {words}")
    assert mention.kind == "recurring"
    assert mention.recurring is not None
    assert (mention.recurring.unit, mention.recurring.values) == RECURRING[words]


def test_a_month_without_a_year_keeps_its_other_reading() -> None:
    mention = only("sales in December")
    assert mention.recurring is not None
    assert mention.recurring.values == (12,)
    assert mention.confidence < 1
    assert "2024" in mention.note


@pytest.mark.parametrize(
    "words",
    [
        "may I see the sales", "you may want revenue", "they march up the hill", "the second largest city",
        "a quarter of customers", "revenue by day part", "sun protection sales", "prices fall in the west",
        "order 2019", "top 2020 products", "sales over 2000", "more than 2019 units", "price of $2019",
        "orders above 1999", "between 500 and 2000", "2,019 customers", "SKU-2019", "sales_2019", "store 2001",
        "2000 dollars", "spring mattress", "sat scores", "one of the products", "last name", "this region",
        "first name of customers", "price between 1990 and 2005 dollars", "half-yearly results", "the apr on my card",
        "call my mom", "over the recent period", "is it up to date", "a rolling 7-day average", "next-day delivery",
        "delivery takes 2h", "Windows 2000 licences", "W2 forms", "next of kin", "the decade column", "customers who sat down",
    ],
)  # fmt: skip
def test_words_that_only_look_like_time_are_left_alone(words: str) -> None:
    assert [m for m in find_times(words, TODAY) if m.confidence >= 0.5] == []


@pytest.mark.parametrize(
    ("typo", "month"), [("Febuary", 2), ("Septmber", 9), ("ocotber", 10), ("Novemeber", 11)]
)
def test_a_misspelled_month_is_read_with_less_confidence(typo: str, month: int) -> None:
    mention = only(f"revenue in {typo} 2024")
    assert mention.period is not None
    assert mention.period.start == date(2024, month, 1)
    assert mention.confidence < only("revenue in June 2024").confidence


def test_a_year_is_lent_to_a_neighbour_without_one() -> None:
    assert next(days(m) for m in find_times("March and April 2024", TODAY)) == "2024-03-01 2024-03-31"
    years = [days(m)[:4] for m in find_times("for 2018,2019,2020", TODAY)]
    assert years == ["2018", "2019", "2020"]
    assert [days(m) for m in find_times("Q1 2023 vs Q2", TODAY)][1] == "2023-04-01 2023-06-30"
    assert [days(m) for m in find_times("which was better in 2022, May or June?", TODAY)][1:] == [
        "2022-05-01 2022-05-31",
        "2022-06-01 2022-06-30",
    ]


def test_fiscal_years_are_named_by_the_year_in_which_they_end() -> None:
    (year,) = find_times("FY2024 revenue", TODAY, fiscal_year_start=7)
    assert days(year) == "2023-07-01 2024-06-30"
    (quarter,) = find_times("Q1 FY24 revenue", TODAY, fiscal_year_start=7)
    assert days(quarter) == "2023-07-01 2023-09-30"
    (last,) = find_times("last fiscal year", TODAY, fiscal_year_start=4)
    assert days(last) == "2023-04-01 2024-03-31"
    (calendar,) = find_times("Q1 2024 revenue", TODAY, fiscal_year_start=7)
    assert days(calendar) == "2024-01-01 2024-03-31"


def test_a_fiscal_year_must_begin_in_a_month() -> None:
    with pytest.raises(InvalidInput, match="fiscal_year_start"):
        find_times("FY24", TODAY, fiscal_year_start=13)


@pytest.mark.parametrize(
    "words",
    [
        "the run-up to Christmas 2024",
        "around Christmas 2024",
        "leading up to Easter 2024",
        "shortly after May 2024",
    ],
)
def test_days_that_are_not_said_are_not_certain(words: str) -> None:
    assert only(f"revenue in {words}").confidence < 0.5


def test_a_month_with_two_years_of_late_is_no_day() -> None:
    assert [days(m) for m in find_times("sales: feb 25 vs feb 24", TODAY)] == [
        "2025-02-01 2025-02-28",
        "2024-02-01 2024-02-29",
    ]
    assert [days(m) for m in find_times("sales on Feb 25 and Feb 27", TODAY)] == [
        "2025-02-25 2025-02-25",
        "2025-02-27 2025-02-27",
    ]


def test_a_month_and_a_short_year_are_told_from_a_day_by_the_preposition() -> None:
    assert days(only("sales in feb 24")) == "2024-02-01 2024-02-29"
    assert days(only("sales on feb 24")) == "2025-02-24 2025-02-24"
    assert [days(m) for m in find_times("sales through May and June 2024", TODAY)][-2:] == [
        "2024-05-01 2024-05-31",
        "2024-06-01 2024-06-30",
    ]


def test_vague_numbers_are_not_certain() -> None:
    assert only("the last few weeks").confidence < 0.5
    assert only("the last couple of months").confidence < 0.9


def test_an_ambiguous_numeric_date_is_read_month_first() -> None:
    ambiguous, clear = only("on 3/4/2025"), only("on 25/12/2024")
    assert days(ambiguous) == "2025-03-04 2025-03-04"
    assert days(clear) == "2024-12-25 2024-12-25"
    assert ambiguous.confidence < clear.confidence


def test_a_range_keeps_its_two_ends() -> None:
    mention = only("growth from Q1 to Q2 2024")
    assert mention.ends is not None
    assert [e.start for e in mention.ends] == [date(2024, 1, 1), date(2024, 4, 1)]


def test_a_question_can_have_several_mentions() -> None:
    mentions = find_times("monthly revenue since January 2024 vs the same period last year", TODAY)
    assert [(m.kind, m.text) for m in mentions] == [
        ("grain", "monthly"),
        ("open", "since January 2024"),
        ("comparison", "vs the same period last year"),
    ]


def test_days_take_their_month_from_a_neighbour() -> None:
    listed = [days(m) for m in find_times("orders on 5, 7 and 9 May 2024", TODAY)]
    assert listed == ["2024-05-05 2024-05-05", "2024-05-07 2024-05-07", "2024-05-09 2024-05-09"]
    behind = [days(m) for m in find_times("orders on May 5 and 6, 2024", TODAY)]
    assert behind == ["2024-05-05 2024-05-05", "2024-05-06 2024-05-06"]
    ordinals = [days(m) for m in find_times("orders in October 2024, 25th to 31st", TODAY)]
    assert ordinals == ["2024-10-01 2024-10-31", "2024-10-25 2024-10-31"]
    assert [m.text for m in find_times("May 5, 6 orders each", TODAY)][:1] == ["May 5"]
    assert [m.text for m in find_times("the top q3 24 products", TODAY)] == ["q3"]
