"""Days, weeks and months written as one number or with the number of a week or day: 2024-W05-3, 2024-035, 24.03, 45321.

What is unmistakable is read under any name. Bare numbers are read only where the column is named as a moment, and where all
of them fit; how they were read is told with every figure of the column where another system would count otherwise.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gnomon.core.patterns import regex
from gnomon.data.column_names import WEEK, has, words
from gnomon.data.reading import Reading
from gnomon.data.table import ConversionKind

_NAMED = frozenset(
    {"date", "dates", "day", "datum", "fecha", "datetime", "timestamp", "dt", "period", "month", "yearmonth"}
)
_DAYS = frozenset({"date", "dates", "datum", "fecha", "datetime", "timestamp", "dt"})
_FIRST, _LAST = dt.date(1950, 1, 1), dt.date(2100, 12, 31)
_ZERO = dt.date(1899, 12, 30)
_SERIAL = ((_FIRST - _ZERO).days, (_LAST - _ZERO).days)
_WEEK_SAID = "weeks are read as the Mondays that they begin on."
_SERIAL_SAID = "its numbers are read as days since 30 December 1899, as spreadsheets count them."


@dataclass(frozen=True)
class _Way:
    """A way to write moments.

    Args:
        pattern: How all of the texts look.
        sql: A text that ``formats`` read, with ``{c}`` for the cell.
        formats: How it is read; the first that fits all texts, or two where nothing tells which.
        detail: What it is, in words.
        names: Words of which one must end the name of the column; none where any name will do.
        doubt: What to tell with every figure.
    """

    pattern: re.Pattern[str]
    sql: str
    formats: tuple[str, ...]
    detail: str
    names: frozenset[str] = frozenset()
    doubt: str | None = None


_YEAR = r"(?:19|20)\d{2}"
_MONTH = r"(?:0[1-9]|1[0-2])"
_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_OF_YEAR = r"(?:00[1-9]|0[1-9]\d|[12]\d\d|3[0-5]\d|36[0-6])"
_WEEKS = r"(?:0[1-9]|[1-4]\d|5[0-3])"
_WAYS = (
    _Way(regex(rf"{_YEAR}-?[Ww]{_WEEKS}-?[1-7]"), r"regexp_replace(upper(trim({c})), '[-W]', '', 'g')", ("%G%V%u",), "day of a week"),
    _Way(regex(rf"{_YEAR}[Mm:](?:0?[1-9]|1[0-2])"), r"regexp_replace(trim({c}), '[Mm:]', '-')", ("%Y-%m",), "month and year, as the first of the month"),
    _Way(regex(rf"(?:0?[1-9]|1[0-2])-{_YEAR}"), "trim({c})", ("%m-%Y",), "month and year, as the first of the month"),
    _Way(regex(rf"{_YEAR}\.{_MONTH}"), "trim({c})", ("%Y.%m",), "month and year, as the first of the month", _NAMED),
    _Way(regex(rf"{_MONTH}\.{_YEAR}"), "trim({c})", ("%m.%Y",), "month and year, as the first of the month", _NAMED),
    _Way(regex(rf"{_YEAR}[-/.]?{_OF_YEAR}"), r"regexp_replace(trim({c}), '[-/.]', '')", ("%Y%j",), "day of a year", _NAMED),
    _Way(regex(rf"{_YEAR}{_WEEKS}"), "concat(trim({c}), '1')", ("%G%V%u",), "week of a year", WEEK, _WEEK_SAID),
    _Way(regex(rf"{_DAY}{_MONTH}{_YEAR}|{_MONTH}{_DAY}{_YEAR}"), "trim({c})", ("%d%m%Y", "%m%d%Y"), "", _NAMED),
    _Way(regex(rf"\d\d{_MONTH}{_DAY}|{_DAY}{_MONTH}\d\d|{_MONTH}{_DAY}\d\d"), "trim({c})", ("%y%m%d", "%d%m%y", "%m%d%y"), "", _NAMED),
)  # fmt: skip
_ORDERS = {"%d": "day first", "%m": "month first", "%y": "year first"}
_MONTHLY = regex(rf"{_YEAR}{_MONTH}")
_SEASON = regex(r"(\d{4})[-/](\d{2})")
_NUMBER = regex(r"(?:\d{5}|\d{7})(?:\.\d+)?")
_NOON = dt.datetime(2000, 1, 1, 12)
_JULIAN = 2_451_545  # that noon
_JULIANS = (_JULIAN - 0.5 + (_FIRST - _NOON.date()).days, _JULIAN - 0.5 + (_LAST - _NOON.date()).days)
_JULIAN_SAID = "its numbers are read as Julian days, as astronomers and SQLite count them."
_CLOCK = r"(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?"
_BASIC = regex(rf"{_YEAR}{_MONTH}{_DAY}(T)?{_CLOCK}(?:Z|[.,]\d{{1,6}}Z?)?", re.IGNORECASE)
_CLOCKS = frozenset({"time", "ts", "at", "on"})
_COUNTED = _DAYS | _CLOCKS | {"day", "jd", "julian", "julianday"}
_TICKS = regex(r"\d{9,10}\.\d+")
_NET = regex(r"/?\\?/?Date\(-?\d{9,14}\)\\?/?")


def are_seasons(texts: Sequence[str]) -> bool:
    """Whether all texts are a year and the two digits of the next one: 2009/10, 2010/11."""
    found = (_SEASON.fullmatch(t.strip()) for t in texts)
    return len(texts) > 1 and all(m and (int(m[1]) + 1) % 100 == int(m[2]) for m in found)


def read_period(name: str, values: Sequence[str]) -> list[Reading]:
    """The ways in which ``values``, the distinct texts of a column, may be moments that are written so, best first."""
    said = [v.strip() for v in values]
    last = (words(name)[-1:] or ("",))[0]
    for way in _WAYS:
        named = not way.names or last in way.names or (way.names is WEEK and has(name, WEEK))
        if named and said[0] and all(map(way.pattern.fullmatch, said)) and (found := _readings(way, said)):
            return found
    if last in _COUNTED and all(map(_NUMBER.fullmatch, said)):
        numbers = [float(s) for s in said]
        whole = all(n == int(n) for n in numbers)
        midnights = all((n + 0.5).is_integer() for n in numbers)
        counted = counted_days(name, "TRY_CAST({c} AS DOUBLE)", min(numbers), max(numbers), whole, midnights)
        if counted:
            return [counted]
    basic = [_BASIC.fullmatch(s) for s in said]
    if all(basic) and (last in _DAYS | _CLOCKS or all(m and m[1] for m in basic)):
        digits = r"regexp_replace(regexp_replace(trim({c}), '[.,]\d+', ''), '[TtZz]', '', 'g')"
        parsed = (
            f"CASE WHEN strlen({digits}) < 14 THEN concat({digits}, '00') ELSE {digits} END, '%Y%m%d%H%M%S'"
        )
        return [_moments(f"try_strptime({parsed})", "year to second without separators")]
    if all(map(_NET.fullmatch, said)):
        sql = r"make_timestamp(1000 * TRY_CAST(regexp_extract({c}, '-?\d+') AS BIGINT))"
        return [_moments(sql, "milliseconds since 1970")]
    if last in _DAYS | {"time", "ts", "epoch"} and all(map(_TICKS.fullmatch, said)):
        return [
            _moments("make_timestamp(CAST(1e6 * TRY_CAST({c} AS DOUBLE) AS BIGINT))", "seconds since 1970")
        ]
    return []


def _moments(sql: str, detail: str) -> Reading:
    return Reading(ConversionKind.TIMESTAMP, "TIMESTAMP", sql, detail)


def counted_days(
    name: str, number: str, low: float, high: float, whole: bool, midnights: bool
) -> Reading | None:
    """How numbers count days: from the one that spreadsheets begin with, or from that of astronomers; None where neither.

    Args:
        name: Name of the column, one of those that :func:`names_counted_days` knows.
        number: SQL for the number, with ``{c}`` for the cell.
        low: The least of them.
        high: The largest of them.
        whole: Whether all are whole numbers.
        midnights: Whether all end in a half, as Julian days do that begin where others do.
    """
    if words(name)[-1] in _DAYS and _SERIAL[0] <= low <= high <= _SERIAL[1]:
        if whole:
            sql = f"DATE '{_ZERO}' + CAST({number} AS INTEGER)"
            return Reading(ConversionKind.DATE, "DATE", sql, "days of a spreadsheet", doubt=_SERIAL_SAID)
        sql = f"TIMESTAMP '{_ZERO}' + to_seconds(CAST(round({number} * 86400) AS BIGINT))"
        return Reading(
            ConversionKind.TIMESTAMP, "TIMESTAMP", sql, "days of a spreadsheet", doubt=_SERIAL_SAID
        )
    if not _JULIANS[0] <= low <= high <= _JULIANS[1]:
        return None
    if whole or midnights:
        sql = f"DATE '{_NOON.date()}' + CAST(floor({number} - {_JULIAN - 0.5}) AS INTEGER)"
        return Reading(ConversionKind.DATE, "DATE", sql, "Julian days", doubt=_JULIAN_SAID)
    sql = f"TIMESTAMP '{_NOON}' + to_milliseconds(CAST(round(({number} - {_JULIAN}) * 86400000) AS BIGINT))"
    return Reading(ConversionKind.TIMESTAMP, "TIMESTAMP", sql, "Julian days", doubt=_JULIAN_SAID)


def names_counted_days(name: str) -> bool:
    """Whether numbers under a name may count days: ``order_date``, ``created_at``."""
    return (words(name)[-1:] or ("",))[0] in _COUNTED


def _readings(way: _Way, said: Sequence[str]) -> list[Reading]:
    """One reading for each order that the texts leave open; none where they are months of six digits."""
    if len(way.formats) == 1:
        return [_read(way, way.formats[0], way.detail)]
    if all(map(_MONTHLY.fullmatch, said)):
        return []
    fitting = [f for f in way.formats if all(map(_is_day(f), said))]
    if "%y%m%d" in fitting and len(fitting) > 1:
        fitting = _narrowed(fitting, said)
    open_ = len(fitting) > 1
    note = (
        f"no value tells how day, month and year follow each other; read with the {_ORDERS[fitting[0][:2]]}"
        if open_
        else None
    )
    return [_read(way, f, _ORDERS[f[:2]], note) for f in fitting]


def _narrowed(fitting: list[str], said: Sequence[str]) -> list[str]:
    """The orders in which years differ less than days do."""
    spread = {
        f: len({_part(t, f, "%y") for t in said}) - len({_part(t, f, "%d") for t in said}) for f in fitting
    }
    least = min(spread.values())
    return [f for f in fitting if spread[f] == least]


def _part(text: str, form: str, part: str) -> str:
    return text[form.index(part) : form.index(part) + 2]


def _is_day(form: str) -> Callable[[str], bool]:
    def fits(text: str) -> bool:
        try:
            return _FIRST <= dt.datetime.strptime(text, form).date() <= _LAST
        except ValueError:
            return False

    return fits


def _read(way: _Way, form: str, detail: str, note: str | None = None) -> Reading:
    sql = f"TRY_CAST(try_strptime({way.sql}, '{form}') AS DATE)"
    return Reading(ConversionKind.DATE, "DATE", sql, detail, ambiguous=note, doubt=way.doubt)
