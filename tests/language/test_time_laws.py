"""Laws of the time grammar, for any day and any text."""

from __future__ import annotations

import string
from datetime import date, timedelta

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.calendar import QueryContext, easter, iso_weeks, month_end
from gnomon.language.time_grammar import Shift, TimeMention, describe_period, find_times, previous_period

DAYS = st.dates(date(1950, 1, 1), date(2090, 12, 31))
TODAY = date(2025, 3, 19)
WORDS = st.sampled_from(
    [
        "last",
        "this",
        "next",
        "past",
        "previous",
        "first",
        "second",
        "3",
        "12",
        "31",
        "2024",
        "2019",
        "'24",
        "Q1",
        "H2",
        "FY24",
        "week",
        "weeks",
        "month",
        "months",
        "day",
        "days",
        "quarter",
        "year",
        "years",
        "half",
        "of",
        "in",
        "the",
        "to",
        "from",
        "between",
        "and",
        "since",
        "until",
        "before",
        "after",
        "-",
        "–",
        "/",
        ",",
        ".",
        "March",
        "May",
        "Feb",
        "Monday",
        "Mondays",
        "weekend",
        "Easter",
        "Christmas",
        "new",
        "year's",
        "eve",
        "ytd",
        "yoy",
        "same",
        "period",
        "vs",
        "compared",
        "ago",
        "a",
        "couple",
        "early",
        "mid",
        "late",
        "end",
        "start",
        "week",
        "by",
        "per",
        "each",
        "every",
        "monthly",
        "over",
        "time",
        "2024-02-30",
        "29",
        "February",
        "2023",
        "99/99/9999",
        "W53",
        "10000",
        "1990s",
        "hours",
        "at",
        "9am",
        "5",
        "pm",
        "fiscal",
        "date",
        "so",
        "far",
        "more",
        "than",
        "'",
        "(",
        ")",
        "summer",
        "fall",
        "today",
        "4th",
        "July",
    ]
)


def period(text: str, today: date) -> TimeRange:
    mentions = [m for m in find_times(text, today) if m.period]
    assert len(mentions) == 1, mentions
    found = mentions[0].period
    assert found is not None
    return found


def check_spans(text: str, mentions: list[TimeMention]) -> None:
    last = 0
    for m in mentions:
        assert last <= m.start < m.end <= len(text)
        assert m.text == text[m.start : m.end]
        assert m.text == m.text.strip()
        assert 0 < m.confidence <= 1
        assert (m.kind in {"period", "open"}) <= (m.period is not None)
        assert (m.kind == "recurring") <= (m.recurring is not None)
        last = m.end


@given(st.text(max_size=200), DAYS)
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_without_error(text: str, today: date) -> None:
    check_spans(text, find_times(text, today))


@pytest.mark.long
@given(st.lists(WORDS, max_size=14), DAYS, st.integers(1, 12), st.booleans())
@settings(max_examples=600, deadline=None)
def test_any_heap_of_time_words_is_read_without_error(
    words: list[str], today: date, first_month: int, glued: bool
) -> None:
    text = ("" if glued else " ").join(words)
    check_spans(text, find_times(text, today, fiscal_year_start=first_month))


@pytest.mark.parametrize("today", [date.min, date.max, date(1, 1, 2), date(9999, 12, 30)])
def test_the_ends_of_the_calendar_are_no_error(today: date) -> None:
    text = "last 3 months, next week, yesterday, tomorrow, 5 years ago, since March, YTD, Easter, next 99 years, on Monday"
    check_spans(text, find_times(text, today))


def test_many_nested_words_are_read_in_time() -> None:
    text = "first week of " * 300 + "the " * 300 + "end of " * 300
    check_spans(text, find_times(text, TODAY))


@given(DAYS, st.integers(1, 60))
@settings(max_examples=200, deadline=None)
def test_weeks_run_monday_to_sunday_and_end_before_the_current_one(today: date, count: int) -> None:
    this, last = period("this week", today), period(f"last {count} weeks", today)
    assert (this.start.weekday(), this.end.weekday()) == (0, 6)
    assert this.start <= today <= this.end
    assert last.end == this.start - timedelta(days=1)
    assert last.days == 7 * count
    context = QueryContext.of(today)
    assert (context.week_start, context.week_end) == (this.start, this.end)
    assert period("this month", today).start == context.month_start
    assert period("this month", today).end == context.month_end


@given(DAYS, st.integers(1, 400))
@settings(max_examples=200, deadline=None)
def test_last_days_end_today_and_next_days_begin_tomorrow(today: date, count: int) -> None:
    last, coming = period(f"last {count} days", today), period(f"next {count} days", today)
    assert (last.end, last.days) == (today, count)
    assert (coming.start, coming.days) == (today + timedelta(days=1), count)


@given(DAYS, st.integers(1, 40), st.sampled_from(["month", "quarter", "year"]))
@settings(max_examples=200, deadline=None)
def test_last_units_are_whole_and_touch_the_current_one(today: date, count: int, unit: str) -> None:
    months = {"month": 1, "quarter": 3, "year": 12}[unit] * count
    last, this = period(f"last {count} {unit}s", today), period(f"this {unit}", today)
    assert last.end + timedelta(days=1) == this.start
    assert (this.start.year - last.start.year) * 12 + this.start.month - last.start.month == months
    assert last.start.day == 1
    assert this.start <= today <= this.end


FORMATS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "{d} %B %Y", "{d} %b %Y", "%B {d}, %Y", "%b {d} %Y", "%B {d}{th}, %Y",
    "the {d}{th} of %B %Y", "%A, {d} %B %Y", "{d}-%b-%Y", "%d%b%Y", "%Y-%m-%dT10:30:00",
)  # fmt: skip


def written(day: date, pattern: str) -> str:
    th = "th" if 10 <= day.day <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return day.strftime(pattern).replace("{d}", str(day.day)).replace("{th}", th)


@given(DAYS, st.sampled_from(FORMATS), DAYS)
@settings(max_examples=400, deadline=None)
def test_a_date_in_any_format_is_that_day(day: date, pattern: str, today: date) -> None:
    found = period(f"orders on {written(day, pattern)} please", today)
    assert (found.start, found.end) == (day, day)


@given(
    DAYS, DAYS, st.sampled_from(FORMATS), st.sampled_from(["from {} to {}", "between {} and {}", "{} - {}"])
)
@settings(max_examples=300, deadline=None)
def test_a_range_of_two_dates_has_both_ends(a: date, b: date, pattern: str, frame: str) -> None:
    start, end = sorted((a, b))
    found = period("orders " + frame.format(written(start, pattern), written(end, pattern)), TODAY)
    assert (found.start, found.end) == (start, end)


@given(DAYS)
@settings(max_examples=200, deadline=None)
def test_a_numeric_date_is_month_first_unless_that_is_impossible(day: date) -> None:
    month_first = period(f"on {day.month}/{day.day}/{day.year}", TODAY)
    assert month_first.start == day
    if day.day > 12:
        assert period(f"on {day.day}/{day.month}/{day.year}", TODAY).start == day


@given(st.integers(1950, 2090), st.integers(1, 53))
@settings(max_examples=200, deadline=None)
def test_iso_weeks_hold_at_the_ends_of_years(year: int, week: int) -> None:
    assume(week <= iso_weeks(year))
    for text in (f"{year}-W{week:02}", f"week {week} of {year}", f"week {week}, {year}"):
        found = period(text, TODAY)
        assert found.start.isocalendar()[:2] == found.end.isocalendar()[:2] == (year, week)
        assert (found.start.weekday(), found.days) == (0, 7)


@pytest.mark.parametrize("year", [2023, 2025])
def test_a_week_that_a_year_lacks_is_not_invented(year: int) -> None:
    assert all(m.grain != "week" for m in find_times(f"{year}-W53", TODAY))


@given(st.integers(1950, 2090))
@settings(max_examples=140, deadline=None)
def test_february_ends_on_its_last_day(year: int) -> None:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    assert period(f"February {year}", TODAY).days == (29 if leap else 28)
    assert (
        bool([m for m in find_times(f"29 February {year}", TODAY) if m.period and m.period.days == 1]) == leap
    )


@given(DAYS, st.integers(1, 12))
@settings(max_examples=200, deadline=None)
def test_a_month_without_a_year_is_the_most_recent(today: date, month: int) -> None:
    found = period(f"sales in {date(2024, month, 1):%B}", today)
    assert found.start <= today
    assert (found.start.month, found.end) == (month, month_end(found.start))
    assert (today - found.start).days < 366


@given(st.integers(1950, 2090))
@settings(max_examples=140, deadline=None)
def test_easter_is_a_sunday_after_the_spring_full_moon(year: int) -> None:
    sunday = easter(year)
    assert sunday.weekday() == 6
    assert date(year, 3, 22) <= sunday <= date(year, 4, 25)
    assert period(f"Easter {year}", TODAY).start == sunday


def test_easter_agrees_with_known_years() -> None:
    known = {
        1961: (4, 2),
        1999: (4, 4),
        2000: (4, 23),
        2008: (3, 23),
        2011: (4, 24),
        2024: (3, 31),
        2038: (4, 25),
    }
    assert {year: (easter(year).month, easter(year).day) for year in known} == known


UNITS = st.sampled_from(list(TimeGranularity)[1:])


@given(DAYS, st.integers(0, 800))
@settings(max_examples=300, deadline=None)
def test_the_period_before_touches_the_period(start: date, length: int) -> None:
    now = TimeRange(start=start, end=start + timedelta(days=length))
    before = previous_period(now)
    assert before.end + timedelta(days=1) == now.start
    whole_months = start.day == 1 and now.end == month_end(now.end)
    if whole_months:
        assert before.start.day == 1
        assert (before.end.year - before.start.year) * 12 + before.end.month - before.start.month == (
            (now.end.year - now.start.year) * 12 + now.end.month - now.start.month
        )
    else:
        assert before.days == now.days


@given(DAYS, st.sampled_from(["week", "month", "quarter", "year"]))
@settings(max_examples=300, deadline=None)
def test_a_unit_to_date_is_compared_with_the_same_part_of_the_unit_before(today: date, unit: str) -> None:
    now, this = period(f"{unit} to date", today), period(f"this {unit}", today)
    before, last = previous_period(now), period(f"last {unit}", today)
    if now.end == this.end:
        assert (before.start, before.end) == (last.start, last.end)
        return
    assert before.start == last.start
    assert before.end <= last.end
    if unit == "week":
        assert before.days == now.days
    else:
        assert before.end.day == min(now.end.day, month_end(before.end).day)


@given(DAYS, st.integers(0, 400), st.integers(1, 5))
@settings(max_examples=300, deadline=None)
def test_a_shift_by_years_keeps_the_dates(start: date, length: int, years: int) -> None:
    now = TimeRange(start=start, end=start + timedelta(days=length))
    before = previous_period(now, Shift(TimeGranularity.YEAR, years, same_period=True))
    for there, here in ((before.start, now.start), (before.end, now.end)):
        assert there.year == here.year - years
        assert there.month == here.month
        assert there.day == here.day or (here.month == 2 and {here.day, there.day} <= {28, 29})


def test_leap_days_shift_to_days_that_exist() -> None:
    year = Shift(TimeGranularity.YEAR, 1, same_period=True)
    leap = TimeRange(start=date(2024, 2, 29), end=date(2024, 2, 29))
    assert previous_period(leap, year).start == date(2023, 2, 28)
    february = TimeRange(start=date(2025, 2, 1), end=date(2025, 2, 28))
    assert previous_period(february, year).end == date(2024, 2, 29)


@given(DAYS, st.integers(1, 12), UNITS)
@settings(max_examples=200, deadline=None)
def test_whole_units_shift_to_whole_units(today: date, count: int, unit: TimeGranularity) -> None:
    now = period(f"last {count} {unit.value}s", today)
    before = previous_period(now, Shift(unit, count), unit)
    assert before.end + timedelta(days=1) == now.start
    again = previous_period(now, None, unit)
    assert (again.start, again.end) == (before.start, before.end)


@given(DAYS, st.integers(1, 90))
@settings(max_examples=100, deadline=None)
def test_a_grain_of_days_takes_as_many_days_before(start: date, length: int) -> None:
    now = TimeRange(start=start, end=start + timedelta(days=length - 1))
    before = previous_period(now, grain=TimeGranularity.DAY)
    assert (before.days, before.end + timedelta(days=1)) == (length, start)


def test_weeks_go_back_a_year_by_fifty_two_weeks() -> None:
    week = period("the week of 3 March 2025", TODAY)
    before = previous_period(week, Shift(TimeGranularity.YEAR, 1, same_period=True))
    assert (before.start, before.end) == (date(2024, 3, 4), date(2024, 3, 10))


DESCRIPTIONS = {
    ("2025-03-01", "2025-03-31"): "March 2025",
    ("2025-03-03", "2025-03-30"): "3 – 30 March 2025",
    ("2024-04-01", "2024-06-30"): "Q2 2024",
    ("2024-01-01", "2024-12-31"): "2024",
    ("2019-01-01", "2021-12-31"): "2019 – 2021",
    ("2025-03-03", "2025-03-09"): "the week of 3 March 2025",
    ("2025-03-03", "2025-03-03"): "3 Mar 2025",
    ("2024-02-01", "2024-05-31"): "February – May 2024",
    ("2024-11-01", "2025-02-28"): "November 2024 – February 2025",
    ("2024-02-27", "2024-03-03"): "27 February – 3 March 2024",
    ("2024-12-27", "2025-01-03"): "27 December 2024 – 3 January 2025",
    ("2025-03-03", "9999-12-31"): "since 3 March 2025",
    ("0001-01-01", "2025-03-03"): "until 3 March 2025",
    ("0001-01-01", "9999-12-31"): "all time",
}


@pytest.mark.parametrize("ends", DESCRIPTIONS)
def test_a_period_is_called_what_people_call_it(ends: tuple[str, str]) -> None:
    start, end = map(date.fromisoformat, ends)
    assert describe_period(TimeRange(start=start, end=end)) == DESCRIPTIONS[ends]


@given(DAYS, st.integers(0, 900))
@settings(max_examples=300, deadline=None)
def test_a_description_is_read_back_as_the_same_period(start: date, length: int) -> None:
    original = TimeRange(start=start, end=start + timedelta(days=length))
    found = period(f"sales in {describe_period(original)}", TODAY)
    assert (found.start, found.end) == (original.start, original.end)


@given(st.text(alphabet=string.ascii_lowercase + " ", max_size=80))
@settings(max_examples=300, deadline=None)
def test_a_mention_does_not_depend_on_the_case_of_clear_words(text: str) -> None:
    clear = f"{text} | in march 2024 | by week"
    lower = [(m.start, m.kind, m.period) for m in find_times(clear, TODAY) if m.start > len(text)]
    upper = [(m.start, m.kind, m.period) for m in find_times(clear.upper(), TODAY) if m.start > len(text)]
    assert lower == upper
