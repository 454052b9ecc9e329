"""Limits on the rows that a prompt states, as conditions that the filter tool understands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Any

from gnomon.core.errors import InvalidInput
from gnomon.core.patterns import regex
from gnomon.language import find_quantities
from gnomon.planning.characteristics import ColumnKinds
from gnomon.planning.columns import find_columns, words_of
from gnomon.planning.parameters import SIGN, SIGNS

_WEEKDAYS = regex(r"\b(?:only|just)\s+(?:the\s+)?(?:week|business|working)\s?days\b|\b(?:week|business|working)\s?days\s+only\b|\b(?:exclud\w+|except(?: for)?|ignor\w+|without|omit\w*|leav\w+ out)\s+(?:the\s+)?weekends\b", re.I)  # fmt: skip
_WEEKENDS = regex(r"\b(?:only|just)\s+(?:the\s+)?weekends\b|\bweekends\s+only\b", re.I)
_DATE = r"(\d{4}(?:-\d{1,2}(?:-\d{1,2})?)?)"
_ONE_DATE = regex(_DATE)
_SINCE = regex(rf"^(?:since|from)\s+{_DATE}$", re.I)
_AFTER = regex(rf"^after\s+{_DATE}$", re.I)
_BEFORE = regex(rf"^before\s+{_DATE}$", re.I)
_UNTIL = regex(rf"^until\s+{_DATE}$", re.I)
_BETWEEN = regex(rf"^(?:between|from)\s+{_DATE}\s+(?:and|to|until)\s+{_DATE}$", re.I)
_BUDGET = regex(
    r"\b(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|fast|quickly|as fast as possible)\b", re.I
)
_OUTLIERS = regex(r"\b(?:outliers?|anomal(?:y|ies)|extremes?|spikes?)\b", re.I)
_LAST = regex(r"\b(?:last|past|previous)\s+(\S+\s+)?(hour|day|week|month|quarter|year)s?\b", re.I)
_LEAD = regex(r"\b(?:where|whose)\s+", re.I)
_JOINED = regex(r"\b(and|or)\s+(.+?)(?=\s+(?:and|or)\s|$)", re.I)
_TEST = regex(rf"([a-z_ ]+?)\s*({SIGN})\s+(.+)", re.I)
_KEEP = regex(
    r"^(only|just|exclud\w+|except(?: for)?|ignor\w+|without|omit\w*|leav\w+ out)\s+(?:the\s+)?(.+)$", re.I
)


def filter_condition(constraint: str, kinds: ColumnKinds) -> str | None:
    """The condition that ``constraint`` means on these columns, or None where it means none."""
    if kinds.time:
        time = _name(kinds.time[0])
        if _WEEKDAYS.search(constraint):
            return f"weekday({time}) <= 5"
        if _WEEKENDS.search(constraint):
            return f"weekday({time}) >= 6"
        if condition := _dates(constraint, time):
            return condition
    if condition := _where(constraint, kinds):
        return condition
    match = _KEEP.match(constraint)
    return (
        _value_condition(match.group(2), keep=match.group(1).lower() in {"only", "just"}, kinds=kinds)
        if match
        else None
    )


def last_periods(constraint: str, kinds: ColumnKinds) -> dict[str, Any] | None:
    """ "In the last 30 days" as what the filter tool keeps, counted back from the latest row."""
    match = _LAST.search(constraint)
    if not match or not kinds.time:
        return None
    counted = find_quantities(match.group(1) or "1")
    return {
        "latest": int(counted[0].value) if counted else 1,
        "latest_unit": match.group(2).lower(),
        "time": kinds.time[0],
    }


def _where(text: str, kinds: ColumnKinds) -> str | None:
    """ "Rows where region is north and sales > 5" on columns that are there; None where one part is not understood."""
    whole, column, sign = "", "", ""
    for joint, part in _joined(text):
        test = _TEST.fullmatch(part)
        if test and (named := find_columns(test.group(1), kinds.columns)):
            column, sign, value = named[0], SIGNS[re.sub(r"\s+", " ", test.group(2).lower())], test.group(3)
        elif test is None and joint.lower() == "or" and sign == "=":
            value = part  # "region is north or south"
        else:
            return None
        condition = _condition(column, sign, value.strip(" '\""), kinds)
        if condition is None:
            return None
        whole = f"{whole} {joint.lower()} {condition}" if whole else condition
    return whole or None


def tests_in(text: str) -> int:
    """How many conditions a limit joins."""
    return sum(_TEST.fullmatch(part) is not None for _, part in _joined(text))


def _joined(text: str) -> list[tuple[str, str]]:
    """What a limit joins, each with the word that joins it."""
    lead = _LEAD.search(text)
    return _JOINED.findall(f"and {text[lead.end() :]}") if lead else []


def _condition(column: str, sign: str, value: str, kinds: ColumnKinds) -> str | None:
    if column in kinds.numeric:
        numbers = find_quantities(value)
        return f"{_name(column)} {sign} {numbers[0].value:g}" if numbers else None
    if column in kinds.time:
        return _of_days(_name(column), sign, value)
    escaped = value.lower().replace("'", "''")
    return f"lower({_name(column)}) {sign} '{escaped}'" if sign in {"=", "!="} else None


def _of_days(column: str, sign: str, value: str) -> str | None:
    """A condition on a column of days; a month or a year is all of its days."""
    if not _ONE_DATE.fullmatch(value):
        return None
    first, after = f"date('{_first(value)}')", f"date('{_next(value)}')"
    return {
        ">=": f"{column} >= {first}",
        ">": f"{column} >= {after}",
        "<": f"{column} < {first}",
        "<=": f"{column} < {after}",
        "=": f"({column} >= {first} and {column} < {after})",
        "!=": f"({column} < {first} or {column} >= {after})",
    }[sign]


def applied_elsewhere(constraint: str, values: Iterable[object]) -> bool:
    """Whether something else keeps the limit.

    Limits on time are kept by the invocation layer, outliers are removed by cleaning, and a number that
    became a parameter is kept by the tool that takes it.
    """
    if _BUDGET.search(constraint) or _OUTLIERS.search(constraint):
        return True
    set_to = {float(v) for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)}
    numbers = find_quantities(constraint)
    return bool(numbers) and all(q.value in set_to or q.value / 100 in set_to for q in numbers)


def _dates(text: str, time: str) -> str | None:
    if match := _BETWEEN.match(text):
        return f"{time} >= date('{_first(match.group(1))}') and {time} < date('{_next(match.group(2))}')"
    for pattern, form in (
        (_SINCE, "{0} >= date('{1}')"),
        (_AFTER, "{0} >= date('{2}')"),
        (_BEFORE, "{0} < date('{1}')"),
        (_UNTIL, "{0} < date('{2}')"),
    ):
        if match := pattern.match(text):
            return form.format(time, _first(match.group(1)), _next(match.group(1)))
    return None


def _parts(text: str) -> list[int]:
    return [int(p) for p in text.split("-")]


def _first(text: str) -> str:
    """The first day of a year, month or day."""
    year, month, day = (_parts(text) + [1, 1])[:3]
    return _day(text, year, month, day).isoformat()


def _next(text: str) -> str:
    """The day after a year, month or day."""
    from datetime import timedelta

    parts = _parts(text)
    if len(parts) == 1:
        return _day(text, parts[0] + 1, 1, 1).isoformat()
    if len(parts) == 2:
        _day(text, parts[0], parts[1], 1)
        year, month = (parts[0] + 1, 1) if parts[1] == 12 else (parts[0], parts[1] + 1)
        return _day(text, year, month, 1).isoformat()
    try:
        return (_day(text, parts[0], parts[1], parts[2]) + timedelta(days=1)).isoformat()
    except OverflowError:
        raise _no_day(text) from None


def _day(text: str, year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise _no_day(text) from None


def _no_day(text: str) -> InvalidInput:
    return InvalidInput(
        f"There is no {text[:20]} in the calendar.",
        suggestions=["Write days as 2024-02-29, months as 2024-02."],
    )


def _value_condition(text: str, *, keep: bool, kinds: ColumnKinds) -> str | None:
    """ "region west": a column that is named, and the value after (or before) its name."""
    for column in find_columns(text, kinds.categorical):
        own = set(words_of(column))
        value = " ".join(w for w in text.split() if w.lower() not in own).strip(" '\"")
        if value:
            escaped = value.lower().replace("'", "''")
            return f"lower({_name(column)}) {'=' if keep else '!='} '{escaped}'"
    return None


def _name(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"
