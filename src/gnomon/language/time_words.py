"""The words of the time grammar: names of months, weekdays and units, numbers, and near misses of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeVar

from gnomon.language import calendar as cal

T = TypeVar("T")


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


Phrases = dict[str, list[tuple[tuple[str, ...], T]]]


def phrases(meanings: Mapping[str, T]) -> Phrases[T]:
    """Phrases with their meanings, found by their first word."""
    table: Phrases[T] = {}
    for phrase, meaning in meanings.items():
        first, *rest = phrase.split()
        table.setdefault(first, []).append(((first, *rest), meaning))
    return table


MONTHS = {
    "january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4, "may": 5,
    "june": 6, "jun": 6, "july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9, "sep": 9, "sept": 9,
    "october": 10, "oct": 10, "november": 11, "nov": 11, "december": 12, "dec": 12,
}  # fmt: skip
WEEKDAYS = {
    "monday": 1, "mon": 1, "tuesday": 2, "tue": 2, "tues": 2, "wednesday": 3, "wed": 3, "thursday": 4,
    "thu": 4, "thur": 4, "thurs": 4, "friday": 5, "fri": 5, "saturday": 6, "sat": 6, "sunday": 7, "sun": 7,
}  # fmt: skip
UNITS = {
    name: unit
    for names, unit in (
        ("hour hours hr hrs", cal.HOUR),
        ("day days", cal.DAY),
        ("week weeks wk wks", cal.WEEK),
        ("fortnight fortnights", cal.FORTNIGHT),
        ("month months mth mths mo mos", cal.MONTH),
        ("quarter quarters qtr qtrs", cal.QUARTER),
        ("semester semesters", cal.HALF),
        ("year years yr yrs", cal.YEAR),
        ("decade decades", cal.DECADE),
        ("century centuries", cal.CENTURY),
    )
    for name in names.split()
}
PLURAL_UNITS = frozenset(name for name in UNITS if name.endswith("s"))
EVERY = {
    "hourly": cal.HOUR, "daily": cal.DAY, "weekly": cal.WEEK, "monthly": cal.MONTH, "quarterly": cal.QUARTER,
    "yearly": cal.YEAR, "annual": cal.YEAR, "annually": cal.YEAR,
}  # fmt: skip
NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
}  # fmt: skip
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "final": -1, "closing": -1, "opening": 1,
}  # fmt: skip
VAGUE = {"couple": 2, "few": 3, "several": 3}
DECADES = {
    "twenties": 2020, "thirties": 1930, "forties": 1940, "fifties": 1950, "sixties": 1960, "seventies": 1970,
    "eighties": 1980, "nineties": 1990, "noughties": 2000,
}  # fmt: skip
SEASONS = {"spring": 3, "springtime": 3, "summer": 6, "summertime": 6, "autumn": 9, "fall": 9, "winter": 12}

WEAK = word_set("may march mar apr jan sun sat mon wed fri fall spring dec")
"""Words that are often something else; the grammar wants a sign of time beside them."""

AFTER_TIME = word_set(
    "and or for in of from during since over with where at on to by this last please pls plz thanks then as is was were "
    "are had has have did does do between compared vs versus per when which who that the a an across within using until "
    "after before but not if so we i you it they show plot give me next past only excluding including than each every"
)
"""Words that may follow a time without being what a number in it counts."""

_SPELLED = word_set(
    "january february march april june july august september october november december "
    "monday tuesday wednesday thursday saturday "
    "yesterday tomorrow quarter quarters quarterly monthly months weekly yearly annual "
    "previous"
)
_REAL_WORDS = word_set(
    "match marsh marcy larch march marched marches may mouths mouth monthly weakly yearling yearly dearly "
    "previously quartet quartets quartered annul manual annals apron juno july jules junes weekday weekdays "
    "apply prevision quarterback quartz quart quarts monthlies augusta octobers months wheelie earthy"
)
_KNOWN = _REAL_WORDS.union(_SPELLED, (f"{word}s" for word in _SPELLED), MONTHS, WEEKDAYS, UNITS, EVERY)


@lru_cache(maxsize=4096)
def corrected(word: str) -> str | None:
    """The word of the calendar that ``word`` is a misspelling of, if there is exactly one near it."""
    if len(word) < 4 or word in _KNOWN or not word.isalpha():
        return None
    near: list[str] = []
    for target in sorted(_SPELLED):
        allowed = 2 if len(target) >= 8 else 1
        if (
            target[0] == word[0]
            and abs(len(target) - len(word)) <= allowed
            and _distance(word, target) <= allowed
        ):
            near.append(target)
    return near[0] if len(near) == 1 else None


def _distance(a: str, b: str) -> int:
    """Edits between two words, a swap of neighbours counting as one."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        now = [i]
        for j, y in enumerate(b, start=1):
            best = min(row[j] + 1, now[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, before[j - 2] + 1)
            now.append(best)
        before, row = row, now
    return row[-1]
