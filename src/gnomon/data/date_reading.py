"""Dates and times written as text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gnomon.core.patterns import regex
from gnomon.data.period_reading import are_seasons
from gnomon.data.reading import Reading, share
from gnomon.data.table import ConversionKind, literal

_TIME = r"(?P<hour>\d{1,2}):\d{2}(?P<seconds>:\d{2}(?P<fraction>\.\d+)?)?(?P<gap>\s*)(?P<half>[AaPp][Mm])?"
_ISO = regex(
    r"\d{4}(?P<sep>[-/])\d{1,2}(?P=sep)\d{1,2}(?P<time>[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?P<zone>\s*(?:Z|UTC|[-+]\d{2}(?::?\d{2})?))?)?"
)
_DATES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (regex(rf"{date}(?:(?P<join>,?\s+|T){_TIME})?", re.IGNORECASE), template)
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
        (r"(?P<mon>[a-z]{3,9})\d{2}", "{mon}%y"),
        (r"\d{4}(?P<s>[ /-])(?P<mon>[a-z]{3,9})", "%Y{s}{mon}"),
        (r"\d{4}-(?:0[1-9]|1[0-2])", "%Y-%m"),
        (r"(?:19|20)\d{2}/(?:0[1-9]|1[0-2])", "%Y/%m"),
        (r"(?:0?[1-9]|1[0-2])/(?:19|20)\d{2}", "%m/%Y"),
        (r"\d{4}-\d{1,2}-\d{1,2}", "%Y-%m-%d"),
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
_COMPACT = regex(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_DATE_NAME = regex(r"date|day|datum|fecha|dt$|^dt|_on$|_at$", re.IGNORECASE)
_DIGITS = regex(r"\d+")
_MAX_FORMATS = 8
_ENOUGH = 8  # dates from which the spread of their parts tells years from days


def read_date(name: str, values: Sequence[str]) -> list[Reading]:
    """The ways in which ``values``, the distinct texts of a column, may be dates, best first."""
    if _DATE_NAME.search(name) and values and all(_COMPACT.fullmatch(v.strip()) for v in values):
        sql = "TRY_CAST(try_strptime(trim({c}), '%Y%m%d') AS DATE)"
        return [Reading(ConversionKind.DATE, "DATE", sql, "year, month and day without separators")]
    if are_seasons(values):
        return []
    iso, written = _written(values)
    zoned = any(m["zone"] for m in iso)
    if share(len(iso), len(values)) >= 0.9:
        return [_in_one_place(iso) or _iso(any(m["time"] for m in iso), zoned)]
    if share(sum(map(len, written.values())) + len(iso), len(values)) < 0.9:
        return []
    often = sorted(written.items(), key=lambda of: len(of[1]), reverse=True)
    return _from_templates(dict(often[:_MAX_FORMATS]), (_ZONED if zoned else _MOMENT) if iso else None)


def _dated(parsed: str, kind: str = "") -> str:
    """``parsed``, or nothing where the year has fewer than four digits: two are taken for the first century."""
    value = f"TRY_CAST({parsed} AS {kind})" if kind else parsed
    return f"CASE WHEN {value} >= DATE '1000-01-01' THEN {value} END"


_MOMENT = _dated("{c}", "TIMESTAMP")
_ZONED = _dated("TRY_CAST({c} AS TIMESTAMPTZ) AT TIME ZONE 'UTC'")


_LOCAL = _dated(r"TRY_CAST(regexp_replace({c}, '\s*(Z|UTC|[-+]\d\d:?(\d\d)?)\s*$', '') AS TIMESTAMP)")
_SUMMER = 120  # minutes by which clocks of one place differ over a year, at most


def _in_one_place(iso: Sequence[re.Match[str]]) -> Reading | None:
    """Times by the clock of one place, winter and summer, where none is in UTC: as they are written."""
    zones = {m["zone"].strip() for m in iso if m["zone"]}
    offsets = [_minutes(zone) for zone in zones]
    if not any(offsets) or max(offsets) - min(offsets) > _SUMMER or not all(m["zone"] for m in iso):
        return None
    said = f"times are told by the clock of their place ({', '.join(sorted(zones))}), as they are written"
    return Reading(
        ConversionKind.TIMESTAMP, "TIMESTAMP", _LOCAL, "ISO 8601 with an offset, as written", doubt=said
    )


def _minutes(zone: str) -> int:
    """The minutes by which a zone is ahead of UTC."""
    digits = "".join(ch for ch in zone if ch.isdigit())
    ahead = int(digits[:2] or 0) * 60 + int(digits[2:] or 0)
    return -ahead if zone.startswith("-") else ahead


def _iso(timed: bool, zoned: bool) -> Reading:
    if zoned:
        return Reading(ConversionKind.TIMESTAMP, "TIMESTAMP", _ZONED, "ISO 8601 with an offset, given in UTC")
    moment = Reading(ConversionKind.TIMESTAMP, "TIMESTAMP", _MOMENT, "ISO 8601")
    if timed:
        return moment
    return Reading(
        ConversionKind.DATE,
        "DATE",
        _dated("{c}", "DATE"),
        "ISO 8601",
        finer=moment,
        finer_when="contains({c}, ':')",
    )


_Parts = tuple[int, int, int]


def _written(values: Sequence[str]) -> tuple[list[re.Match[str]], dict[str, list[_Parts]]]:
    """The ISO dates, and the first numbers of each that is written otherwise, up to where too many texts are none."""
    iso, found, missed = list[re.Match[str]](), dict[str, list[_Parts]](), 0
    for value in map(str.strip, values):
        if (date := _ISO.fullmatch(value)) is not None:
            iso.append(date)
        elif (template := _template(value)) is not None:
            first, second, third, *_ = (*map(int, _DIGITS.findall(value)), 0, 0)
            found.setdefault(template, []).append((first, second, third))
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


def _from_templates(written: dict[str, list[_Parts]], iso: str | None) -> list[Reading]:
    """One reading for each order that the dates leave open; ``iso`` reads those that are written year first."""
    timed = any("%H" in t or "%I" in t for t in written) or iso is not None
    told = _orders({t: parts for t, parts in written.items() if "{a}" in t})
    open_ = [t for t, order in told.items() if order is None]
    if not open_:
        return [_ordered(list(written), told, timed, iso)]
    day_first_usual = any("{a}." in t for t in open_)
    known = [o for o in told.values() if o in (_DAY, _MONTH)]
    orders = [_DAY, _MONTH] if day_first_usual or _DAY in known else [_MONTH, _DAY]
    if all("%y" in t and _may_begin_with_years(written[t]) for t in open_):
        orders.append(_YEAR)
    return [
        _ordered(list(written), {t: o or order for t, o in told.items()}, timed, iso, order)
        for order in orders
    ]


def _ordered(
    templates: list[str], orders: dict[str, str | None], timed: bool, iso: str | None, guessed: str = ""
) -> Reading:
    """The dates that are written like ``templates``, each in its order; ``guessed`` is the one that nothing tells."""
    filled = [_filled(t, orders.get(t) or "") for t in templates]
    if not orders:
        return _formatted(filled, timed, iso, _words(templates), None)
    swapped = [_filled(t, _OTHER[orders.get(t) or _YEAR]) for t in templates]
    said = list(orders.values())
    detail = guessed or max(said, key=said.count) or ""
    what = "the day from the year" if guessed == _YEAR else "day from month"
    note = f"no value tells {what}; read with the {guessed.replace(' first', '')} first" if guessed else None
    return _formatted(filled, timed, iso, detail, note, swapped)


_DAY, _MONTH, _YEAR = "day first", "month first", "year first"
_OTHER = {_DAY: _MONTH, _MONTH: _DAY, _YEAR: _YEAR}


def _filled(template: str, order: str) -> str:
    if order == _YEAR:
        return template.replace("%y", "%d").replace("{a}", "%y").replace("{b}", "%m")
    a, b = ("%d", "%m") if order == _DAY else ("%m", "%d")
    return template.replace("{a}", a).replace("{b}", b)


def _orders(written: dict[str, list[_Parts]]) -> dict[str, str | None]:
    """The order of each way of writing: its own numbers tell, or those of the others, of the same separator first."""
    told = {t: _order(t, parts) for t, parts in written.items()}
    for template in [t for t, order in told.items() if order is None]:
        mark, may_follow = template[3], {_DAY, _MONTH, _YEAR} if "%y" in template else {_DAY, _MONTH}
        known = {t: o for t, o in told.items() if o in may_follow}
        alike = {o for t, o in known.items() if t[3] == mark}
        if not alike and not ("%y" in template and _may_begin_with_years(written[template])):
            alike = {*known.values()}
        if len(alike) == 1 and not (mark == "." and alike == {_MONTH}):
            told[template] = alike.pop()
    return told


def _order(template: str, parts: Sequence[_Parts]) -> str | None:
    """In which order dates are that are written alike, where the numbers in them tell."""
    if "%y" in template and _may_begin_with_years(parts):
        if any(a > 31 for a, _, _ in parts):
            return _YEAR
        first, last = ({p[i] for p in parts} for i in (0, 2))
        narrow, wide = (max(s) - min(s) for s in (first, last))
        if len(parts) >= _ENOUGH and 3 * narrow < wide:
            return _YEAR
        if len(parts) < _ENOUGH or 3 * wide >= narrow:
            return None
    days, months = any(a > 12 for a, _, _ in parts), any(b > 12 for _, b, _ in parts)
    return None if days == months else _DAY if days else _MONTH


def _may_begin_with_years(parts: Sequence[_Parts]) -> bool:
    return all(1 <= month <= 12 and 1 <= day <= 31 for _, month, day in parts)


def _words(templates: list[str]) -> str:
    if all("%d" not in t for t in templates):
        return "month and year, as the first of the month"
    return "month as a word" if any("%b" in t or "%B" in t for t in templates) else "year first"


def _formatted(
    formats: list[str],
    timed: bool,
    iso: str | None,
    detail: str,
    note: str | None,
    swapped: list[str] | None = None,
) -> Reading:
    kind, into = (ConversionKind.TIMESTAMP, "TIMESTAMP") if timed else (ConversionKind.DATE, "DATE")

    def read(by: list[str]) -> str:
        listed = ", ".join(literal(f) for f in sorted(by, key=lambda f: "%Y" in f))  # %Y takes two digits too
        parsed = _dated(f"try_strptime(trim({{c}}), [{listed}])", "" if timed else "DATE")
        return f"coalesce({parsed}, {iso})" if iso else parsed

    other = read(swapped) if swapped and sorted(swapped) != sorted(formats) else None
    return Reading(kind, into, read(formats), detail, ambiguous=note, swapped=other)
