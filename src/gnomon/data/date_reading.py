"""Dates and times written as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from gnomon.data.reading import Reading, share
from gnomon.data.table import ConversionKind, literal

_TIME = r"(?P<hour>\d{1,2}):\d{2}(?P<seconds>:\d{2}(?P<fraction>\.\d+)?)?(?P<gap>\s*)(?P<half>[AaPp][Mm])?"
_ISO = re.compile(
    r"\d{4}(?P<sep>[-/])\d{1,2}(?P=sep)\d{1,2}(?P<time>[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?P<zone>\s*(?:Z|UTC|[-+]\d{2}(?::?\d{2})?))?)?"
)
_DATES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"{date}(?:(?P<join>,?\s+|T){_TIME})?", re.IGNORECASE), template)
    for date, template in (
        (r"\d{1,2}/\d{1,2}/\d{4}", "{a}/{b}/%Y"),
        (r"\d{1,2}/\d{1,2}/\d{2}", "{a}/{b}/%y"),
        (r"\d{1,2}-\d{1,2}-\d{4}", "{a}-{b}-%Y"),
        (r"\d{1,2}-\d{1,2}-\d{2}", "{a}-{b}-%y"),
        (r"\d{1,2}\.\d{1,2}\.\d{4}", "{a}.{b}.%Y"),
        (r"\d{1,2}\.\d{1,2}\.\d{2}", "{a}.{b}.%y"),
        (r"\d{4}\.\d{1,2}\.\d{1,2}", "%Y.%m.%d"),
        (r"\d{1,2}(?P<s>[ -])(?P<mon>[a-z]{3,9})\.?(?P=s)\d{4}", "%d{s}{mon}{s}%Y"),
        (r"\d{1,2}(?P<s>[ -])(?P<mon>[a-z]{3,9})(?P=s)\d{2}", "%d{s}{mon}{s}%y"),
        (r"(?P<mon>[a-z]{3,9}) \d{1,2}, \d{4}", "{mon} %d, %Y"),
        (r"(?P<mon>[a-z]{3,9}) \d{1,2} \d{4}", "{mon} %d %Y"),
        (r"(?P<day>[a-z]{3,9}),? \d{1,2} (?P<mon>[a-z]{3,9}) \d{4}", "{day} %d {mon} %Y"),
        (r"(?P<day>[a-z]{3,9}),? (?P<mon>[a-z]{3,9}) \d{1,2},? \d{4}", "{day} {mon} %d %Y"),
        (r"(?P<mon>[a-z]{3,9})(?P<s>[ -])\d{4}", "{mon}{s}%Y"),
        (r"(?P<mon>[a-z]{3,9})-\d{2}", "{mon}-%y"),
        (r"\d{4}-(?:0[1-9]|1[0-2])", "%Y-%m"),
    )
)
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_SHORT = {m[:3] for m in _MONTHS}
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_COMPACT = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_DATE_NAME = re.compile(r"date|day|datum|fecha|dt$|^dt|_on$|_at$", re.IGNORECASE)
_MAX_FORMATS = 8


def read_date(name: str, values: Sequence[str]) -> list[Reading]:
    """The ways in which ``values``, the distinct texts of a column, may be dates, best first."""
    if _DATE_NAME.search(name) and values and all(_COMPACT.fullmatch(v.strip()) for v in values):
        sql = "TRY_CAST(try_strptime(trim({c}), '%Y%m%d') AS DATE)"
        return [Reading(ConversionKind.DATE, "DATE", sql, "year, month and day without separators")]
    iso, formats = _written(values)
    if share(len(iso), len(values)) >= 0.9:
        return [_iso(any(m["time"] for m in iso), any(m["zone"] for m in iso))]
    if share(formats.total() + len(iso), len(values)) < 0.9:
        return []
    templates = [f for f, _ in formats.most_common(_MAX_FORMATS)]
    return _from_templates(templates, mixed_with_iso=bool(iso))


def _iso(timed: bool, zoned: bool) -> Reading:
    if zoned:
        return Reading(
            ConversionKind.TIMESTAMP,
            "TIMESTAMP",
            "TRY_CAST({c} AS TIMESTAMPTZ) AT TIME ZONE 'UTC'",
            "ISO 8601 with an offset, given in UTC",
        )
    moment = Reading(ConversionKind.TIMESTAMP, "TIMESTAMP", "TRY_CAST({c} AS TIMESTAMP)", "ISO 8601")
    if timed:
        return moment
    return Reading(
        ConversionKind.DATE,
        "DATE",
        "TRY_CAST({c} AS DATE)",
        "ISO 8601",
        finer=moment,
        finer_when="contains({c}, ':')",
    )


def _written(values: Sequence[str]) -> tuple[list[re.Match[str]], Counter[str]]:
    """The ISO dates, and how often each other way of writing a date occurs, up to where too many texts are none."""
    iso, found, missed = list[re.Match[str]](), Counter[str](), 0
    for value in map(str.strip, values):
        if (date := _ISO.fullmatch(value)) is not None:
            iso.append(date)
        elif (template := _template(value)) is not None:
            found[template] += 1
        else:
            missed += 1
            if 10 * missed > len(values):
                break
    return iso, found


def _template(value: str) -> str | None:
    if value.replace(".", "", 1).isdigit():
        return None  # a number: every date has letters, or two marks between its parts
    for pattern, template in _DATES:
        if m := pattern.fullmatch(value):
            groups = m.groupdict()
            month, day = groups.get("mon"), groups.get("day")
            if (month and not _month(month)) or (
                day and day.lower() not in _DAYS and day.lower()[:3] not in {d[:3] for d in _DAYS}
            ):
                continue
            date = template.replace("{mon}", _month(month or "") or "").replace("{s}", groups.get("s") or "")
            if day:
                date = _weekday(date, day, value)
            return date + _time(m)
    return None


def _month(word: str) -> str | None:
    low = word.lower()
    if low in _SHORT:
        return "%b"
    return "%B" if low in _MONTHS else None


def _weekday(date: str, day: str, value: str) -> str:
    name = "%A" if day.lower() in _DAYS else "%a"
    comma = "," if value[len(day) : len(day) + 1] == "," else ""
    date = date.replace("{day}", name + comma)
    return date.replace("%d %Y", "%d, %Y") if re.search(r"\d, \d{4}", value) else date


def _time(m: re.Match[str]) -> str:
    if not m["hour"]:
        return ""
    join = re.sub(r"\s+", " ", m["join"])
    clock = (
        ("%I" if m["half"] else "%H")
        + ":%M"
        + (":%S" if m["seconds"] else "")
        + (".%f" if m["fraction"] else "")
    )
    return join + clock + ((" " if m["gap"] else "") + "%p" if m["half"] else "")


def _from_templates(templates: list[str], *, mixed_with_iso: bool) -> list[Reading]:
    timed = any("%H" in t or "%I" in t for t in templates) or mixed_with_iso
    if not any("{a}" in t for t in templates):
        return [_formatted(templates, timed, mixed_with_iso, _words(templates), None)]
    day_first_usual = any("{a}." in t for t in templates)
    orders = ("day first", "month first") if day_first_usual else ("month first", "day first")
    readings: list[Reading] = []
    for order in orders:
        a, b = ("%d", "%m") if order == "day first" else ("%m", "%d")
        filled = [t.replace("{a}", a).replace("{b}", b) for t in templates]
        note = f"no value tells day from month; read with the {order.replace(' first', '')} first"
        readings.append(_formatted(filled, timed, mixed_with_iso, order, note))
    return readings


def _words(templates: list[str]) -> str:
    if all("%d" not in t for t in templates):
        return "month and year, as the first of the month"
    return "month as a word" if any("%b" in t or "%B" in t for t in templates) else "year first"


def _formatted(formats: list[str], timed: bool, iso: bool, detail: str, note: str | None) -> Reading:
    listed = ", ".join(literal(f) for f in formats)
    parsed = f"try_strptime(trim({{c}}), [{listed}])"
    if iso:
        parsed = f"coalesce(TRY_CAST({{c}} AS TIMESTAMP), {parsed})"
    if timed:
        return Reading(ConversionKind.TIMESTAMP, "TIMESTAMP", parsed, detail, ambiguous=note)
    return Reading(ConversionKind.DATE, "DATE", f"TRY_CAST({parsed} AS DATE)", detail, ambiguous=note)
