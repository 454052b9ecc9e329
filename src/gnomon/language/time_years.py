"""Rules for years: bare four-digit years and what tells them from other numbers, fiscal years, decades."""

from __future__ import annotations

import re
from datetime import date

from gnomon.core.patterns import regex
from gnomon.language import calendar as cal
from gnomon.language.time_reader import Point, Reader, full_year
from gnomon.language.time_words import DECADES, word_set

_FISCAL = regex(
    r"(?:(cy)|fy|fiscal(?: year)?|financial year)[ -]?'?(\d{4}|\d{2})(?:[-/](\d{4}|\d{2}))?(?!\d)",
    re.IGNORECASE,
)
_DECADE = regex(r"'?(\d{3}0|\d0)'?s\b")
_CENTURY = regex(r"(\d{1,2})(?:st|nd|rd|th) century", re.IGNORECASE)

_IN = word_set(
    "in during since from until till for before after between through thru within throughout by year years yr "
    "calendar of early mid late"
)
_BESIDE = frozenset(
    {"to", "and", "or", "vs", "versus", ",", "-", "–", "—", "/", "&", "with", "against", "only"}
)
_AMOUNT_BEFORE = word_set(
    "than over above under below least most exceed exceeds exceeding exceeded exactly about approximately roughly "
    "almost nearly top bottom first last next past limit at equals equal reach reaches reached hit cost costs paid "
    "worth around another extra additional $ € £ ¥ # = < > ≥ ≤ + * × ~ usd eur gbp"
)
_NAMES_A_THING = word_set(
    "order invoice id ids number no nr customer product item sku ticket case account store code model room flight "
    "version po employee part batch lot row rows page record ref reference section zip postcode postal user "
    "transaction shipment article bus route channel building apartment line client member patient student sample "
    "loan policy claim contract project task station truck vehicle machine sensor device host port"
)
_MEASURES = word_set(
    "usd dollar dollars euro euros eur gbp pounds bucks units items pieces people persons km kg kilometers "
    "kilometres miles meters metres percent pct points times hours days minutes seconds weeks months years k m bn "
    "million thousand billion rows records lines % $ € £ square sq ft feet gb mb cc hp calories"
)


_COPULAS = frozenset({"is", "was", "are", "were"})


def year(r: Reader, i: int) -> Point | None:
    """A year standing alone, as surely as its neighbours allow."""
    found = r.year(i)
    if not found or not _stands_alone(r, i, found[1]):
        return None
    value, end = found
    sure = _confidence(r, i, end, value)
    if sure < 0.35:
        return None
    start = date(value, 1, 1)
    return Point(end, start, cal.YEAR.last_day(start), cal.YEAR, year=value, confidence=sure)


def _stands_alone(r: Reader, i: int, end: int) -> bool:
    """Whether the digits are not part of a longer number, name or code."""
    before, after = r.low(i - 1), r.low(end)
    if r.glued(i) and (before not in {"(", "'", '"', "-", "–", "—", "/", ",", "[", "=", "\u201c"}):
        return False
    if r.glued(i) and before in {"-", ",", "/"} and r.glued(i - 1) and not _may_join(r, i - 2):
        return False
    if r.glued(end) and (after in {"%", "_", "$", "€", "£"} or after.isalpha()):
        return False
    joined = r.glued(end) and r.glued(end + 1) and r.low(end + 1).isdecimal()
    return not (joined and (after in {".", ":"} or (after == "," and r.year(end + 1) is None)))


def _may_join(r: Reader, i: int) -> bool:
    """Whether the token before a sign can be the left side of a range or a date."""
    word = r.low(i)
    return r.is_month(i) or r.year(i) is not None or word in {"'", ")", "mid", "early", "late", "pre", "post"}


def _confidence(r: Reader, i: int, end: int, value: int) -> float:
    before, after = r.low(i - 1), r.low(end)
    if _says_year(r, i):
        return 1.0
    if after == "or" and r.low(end + 1) in {"more", "less", "fewer", "higher", "lower", "above", "below"}:
        return 0.0
    asked = before == "about" and r.low(i - 2) in {"what", "how"}
    if asked:
        return 0.9
    if before in _AMOUNT_BEFORE or before in _NAMES_A_THING or after in _MEASURES:
        return 0.0
    if _after_date(r, i):
        return 0.97
    if _in_number_range(r, i, end):
        return 0.0
    told = (
        after.isalpha()
        and after not in _IN
        and after not in _BESIDE
        and after not in {"than", "on", "at", "as"}
    )
    if before in _COPULAS and told:
        return 0.8  # "how is 2025 revenue split": the year says which revenue
    if before in _COPULAS or before in {"number", "value", "amount", "price"}:
        return 0.4
    far = value > r.today.year + 10 or value < 1950
    if before in _IN or before == "(":
        return 0.8 if far else 0.97
    sure = 0.85 if before in _BESIDE or not after or not after.isalnum() else 0.8
    if value % 100 == 0:
        sure -= 0.4
    return sure - (0.3 if far else 0.0)


def _after_date(r: Reader, i: int) -> bool:
    """Whether a month, or a day of one, stands just before."""
    at = i - 2 if r.low(i - 1) in {",", "."} else i - 1
    if r.is_month(at):
        return True
    at -= r.low(at) in {"st", "nd", "rd", "th"}
    return r.low(at).isdecimal() and len(r.low(at)) <= 2 and r.is_month(at - 1)


def _says_year(r: Reader, i: int) -> bool:
    at = i - 1
    while r.low(at) in {"=", "is", "was", ":", "equals", "(", "in"} and i - at < 3:
        at -= 1
    return r.low(at) in {"year", "years", "yr"}


def _in_number_range(r: Reader, i: int, end: int) -> bool:
    """Whether the number is one side of a range whose other side is no year ("between 500 and 2000")."""
    joins = {"and", "to", "-", "–", "—"}
    left, right = r.low(i - 2), r.low(end + 1)
    if r.low(i - 1) in joins and left.isdecimal() and r.year(i - 2) is None and not r.is_month(i - 3):
        return not (len(left) <= 2 and r.low(i - 3) in {"q", "h", "w", "fy", "week", "'", "/", "-"})
    if r.low(end) not in joins or not right.isdecimal():
        return False
    if r.year(end + 1) is not None:
        return r.low(end + 2) in _MEASURES
    return len(right) > 2 or (r.low(end) in {"and", "to"} and not any(r.is_month(end + n) for n in (2, 3, 4)))


def fiscal_year(r: Reader, i: int) -> Point | None:
    """``FY24``, ``fiscal year 2024``, ``FY 2023/24``: named, as is usual, by the year in which it ends."""
    found = r.match(_FISCAL, i)
    if not found:
        return None
    m, end = found
    value = full_year(m[3] or m[2], r.today)
    if not 1900 <= value <= 2100:
        return None
    if m[1]:
        start = date(value, 1, 1)
        return Point(end, start, cal.YEAR.last_day(start), cal.YEAR, year=value)
    start = fiscal_start(r, value)
    return Point(end, start, cal.YEAR.last_day(start), cal.YEAR, year=value, note=fiscal_note(r, value))


def fiscal_start(r: Reader, year: int) -> date:
    """The first day of the fiscal year that ends in ``year``."""
    return date(year if r.first_month == 1 else year - 1, r.first_month, 1)


def fiscal_note(r: Reader, year: int) -> str:
    """How the fiscal year was read, for people."""
    if r.first_month == 1:
        return "fiscal years are taken as calendar years"
    return f"the fiscal year {year} begins in month {r.first_month} of {year - 1}"


def decade(r: Reader, i: int) -> Point | None:
    """``the 1990s``, ``the '90s``, ``the nineties``, ``20th century``."""
    if found := r.match(_CENTURY, i):
        start = date((int(found[0][1]) - 1) * 100 + 1, 1, 1)
        return Point(found[1], start, cal.CENTURY.last_day(start), cal.YEAR)
    if r.low(i) in DECADES and r.low(i - 1) in {"the", "early", "mid", "late", "-"}:
        return _decade(i + 1, DECADES[r.low(i)], 0.6 if r.low(i) == "twenties" else 0.8)
    if (found := r.match(_DECADE, i)) and not (r.glued(i) and r.low(i - 1) not in {"-", "'"}):
        digits = found[0][1]
        if len(digits) == 4 and int(digits) % 100 == 0 and 1500 <= int(digits) <= 1900:
            start = date(int(digits), 1, 1)  # "the 1800s" are a century; "the 2000s" are more often ten years
            return Point(found[1], start, cal.CENTURY.last_day(start), cal.YEAR, confidence=0.8)
        if len(digits) == 4 and 1700 <= int(digits) <= 2100:
            return _decade(found[1], int(digits), 1.0)
        if len(digits) == 2 and (r.low(i - 1) in {"the", "early", "mid", "late", "-"} or r.low(i) == "'"):
            return _decade(found[1], full_year(digits, r.today), 0.8)
    return None


def _decade(end: int, year: int, confidence: float) -> Point:
    start = date(year, 1, 1)
    return Point(end, start, cal.DECADE.last_day(start), cal.YEAR, confidence=confidence)
