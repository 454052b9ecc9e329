"""Units of the calendar, also at its ends."""

from datetime import date

import pytest

from gnomon.language.calendar import DAY, MONTH, QUARTER, WEEK, YEAR, CalendarUnit


@pytest.mark.parametrize("unit", [DAY, WEEK, MONTH, QUARTER, YEAR])
@pytest.mark.parametrize("day", [date.max, date(9999, 11, 30), date(9998, 12, 31), date.min, date(1, 2, 1)])
def test_the_calendar_ends_where_it_ends(unit: CalendarUnit, day: date) -> None:
    for count in (-2, -1, 1, 2, 12):
        assert date.min <= unit.step(day, count) <= date.max
    first = unit.floor(day)
    assert first <= day <= unit.last_day(first)
