"""Named days whose date the calendar settles, as rules from a year to a day or a range of days."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from gnomon.language.calendar import easter, nth_weekday

Days = tuple[date, date]
Rule = Callable[[int], Days]


def _fixed(month: int, day: int, days: int = 1) -> Rule:
    def rule(year: int) -> Days:
        start = date(year, month, day)
        return start, start + timedelta(days=days - 1)

    return rule


def _nth(month: int, weekday: int, nth: int, offset: int = 0) -> Rule:
    def rule(year: int) -> Days:
        day = nth_weekday(year, month, weekday, nth) + timedelta(days=offset)
        return day, day

    return rule


def _from_easter(first: int, last: int | None = None) -> Rule:
    def rule(year: int) -> Days:
        sunday = easter(year)
        return sunday + timedelta(days=first), sunday + timedelta(days=first if last is None else last)

    return rule


HOLIDAYS: dict[tuple[str, ...], Rule] = {
    tuple(name.split()): rule
    for names, rule in (
        ("new year|new years|new year day|new years day", _fixed(1, 1)),
        ("new year eve|new years eve", _fixed(12, 31)),
        ("epiphany", _fixed(1, 6)),
        ("martin luther king day|mlk day", _nth(1, 1, 3)),
        ("groundhog day", _fixed(2, 2)),
        ("valentine day|valentines day|valentines|valentine|saint valentine day", _fixed(2, 14)),
        ("presidents day|president day|washington birthday", _nth(2, 1, 3)),
        ("international women day|international womens day|women day|womens day", _fixed(3, 8)),
        ("st patrick day|st patricks day|saint patrick day|saint patricks day", _fixed(3, 17)),
        ("april fools|april fools day|april fool day", _fixed(4, 1)),
        ("earth day", _fixed(4, 22)),
        ("shrove tuesday|mardi gras", _from_easter(-47)),
        ("ash wednesday", _from_easter(-46)),
        ("palm sunday", _from_easter(-7)),
        ("maundy thursday", _from_easter(-3)),
        ("good friday", _from_easter(-2)),
        ("easter|easter sunday|easter day", _from_easter(0)),
        ("easter monday", _from_easter(1)),
        ("easter weekend|easter week end", _from_easter(-2, 1)),
        ("ascension day|ascension", _from_easter(39)),
        ("pentecost|whit sunday|whitsun", _from_easter(49)),
        ("whit monday|pentecost monday", _from_easter(50)),
        ("star wars day", _fixed(5, 4)),
        ("cinco de mayo", _fixed(5, 5)),
        ("mother day|mothers day", _nth(5, 7, 2)),
        ("memorial day", _nth(5, 1, -1)),
        ("memorial day weekend", lambda y: _weekend_to(nth_weekday(y, 5, 1, -1))),
        ("juneteenth", _fixed(6, 19)),
        ("father day|fathers day", _nth(6, 7, 3)),
        ("independence day|fourth of july|4 th of july|july fourth", _fixed(7, 4)),
        ("bastille day", _fixed(7, 14)),
        ("labor day|labour day", _nth(9, 1, 1)),
        ("labor day weekend|labour day weekend", lambda y: _weekend_to(nth_weekday(y, 9, 1, 1))),
        ("columbus day|indigenous peoples day", _nth(10, 1, 2)),
        ("halloween", _fixed(10, 31)),
        ("all saints day", _fixed(11, 1)),
        ("guy fawkes night|bonfire night", _fixed(11, 5)),
        ("singles day", _fixed(11, 11)),
        ("veterans day|veteran day|armistice day|remembrance day", _fixed(11, 11)),
        ("thanksgiving|thanksgiving day", _nth(11, 4, 4)),
        ("black friday", _nth(11, 4, 4, 1)),
        ("small business saturday", _nth(11, 4, 4, 2)),
        ("cyber monday", _nth(11, 4, 4, 4)),
        ("cyber week", lambda y: _span(nth_weekday(y, 11, 4, 4) + timedelta(days=4), 7)),
        ("black friday weekend|thanksgiving weekend", lambda y: _span(nth_weekday(y, 11, 4, 4), 4)),
        ("christmas eve|xmas eve", _fixed(12, 24)),
        ("christmas|christmas day|xmas|xmas day", _fixed(12, 25)),
        ("boxing day", _fixed(12, 26)),
    )
    for name in names.split("|")
}
LONGEST_NAME = max(len(name) for name in HOLIDAYS)
FIRST_WORDS = frozenset(name[0] for name in HOLIDAYS)

OBSERVED_DIFFERENTLY = {
    "mother": "the US date, the second Sunday of May",
    "mothers": "the US date, the second Sunday of May",
    "father": "the US date, the third Sunday of June",
    "fathers": "the US date, the third Sunday of June",
    "thanksgiving": "the US date, the fourth Thursday of November",
    "labor": "the US date, the first Monday of September",
    "labour": "the US date, the first Monday of September",
    "independence": "the US date, 4 July",
    "easter": "Easter of the Gregorian calendar",
}


def _weekend_to(monday: date) -> Days:
    return monday - timedelta(days=2), monday


def _span(start: date, days: int) -> Days:
    return start, start + timedelta(days=days - 1)
