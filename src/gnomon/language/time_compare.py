"""Rules for comparisons with another time: "year over year", "same period last year", "vs the previous month"."""

from __future__ import annotations

from dataclasses import replace

from gnomon.language import calendar as cal
from gnomon.language.time_found import Found
from gnomon.language.time_mention import Shift
from gnomon.language.time_reader import Reader
from gnomon.language.time_relative import LAST
from gnomon.language.time_words import UNITS, phrases, word_set

_SHORT = {
    "yoy": cal.YEAR, "qoq": cal.QUARTER, "mom": cal.MONTH, "wow": cal.WEEK, "dod": cal.DAY,
}  # fmt: skip
_BEFORE_A_MOTHER = word_set("my your his her our their the a with for to and s call tell ask")
_LETTERS = {"y": cal.YEAR, "q": cal.QUARTER, "m": cal.MONTH, "w": cal.WEEK, "d": cal.DAY}
_LAST_YEAR = frozenset({"ly", "py"})
_MARKS = phrases(
    dict.fromkeys(
        (
            "in comparison to", "in comparison with", "as compared to", "as compared with", "compared to",
            "compared with", "compared against", "compare to", "compare with", "comparing to", "comparing with",
            "relative to", "as opposed to", "versus", "vs .", "vs", "against", "than", "v",
        ),
        True,
    )
)  # fmt: skip
_BEFORE_WORDS = frozenset({"last", "previous", "prior", "preceding", "earlier"})
_COMPARE = frozenset({"compare", "compared", "compares", "comparing", "comparison"})
_CHANGES = word_set(
    "growth grow grew grown growing increase increased increases change changed changes gain gains gained drop "
    "dropped drops decline declined rise rose risen fall fell fallen decrease decreased difference differ up down "
    "improve improved improvement jump jumped uplift higher lower better worse"
)

_JOINTS = frozenset({"over", "on", "vs", "versus", "to", "upon"})
_GRADES = word_set("more less fewer higher lower better worse bigger smaller greater larger stronger weaker")


def comparison(r: Reader, i: int) -> Found | None:
    """A comparison with the period before, or with the same period of another unit."""
    over = _over(r, i)
    if over is not None:
        return over
    at = _mark(r, i)
    start = i if at is None else r.skip(r.skip(at, {"in", "during", "for", "that", "those"}), {"the", "of"})
    start = r.skip(start, {"the"})
    found = _same(r, i, start) or _before(r, i, start)
    if found is None and at is not None:
        found = _previous(r, i, start)
    elif found is None:
        found = _previous_period(r, i, start)
    if found is None:
        return None
    return replace(found, confidence=0.95 if at is not None else found.confidence)


def _over(r: Reader, i: int) -> Found | None:
    """``YoY``, ``m/m``, ``year over year``, ``week-on-week``, ``period over period``."""
    word = r.low(i)
    if word in _SHORT:
        spoken = word in {"wow", "mom"} and (
            i == 0 or r.low(i + 1) in {"!", ","} or r.low(i - 1) in _BEFORE_A_MOTHER
        )
        sure = 0.4 if spoken and r.tokens[i].text in {"wow", "mom", "Wow", "Mom"} else 0.95
        return Found(i, i + 1, "comparison", shift=_shift(_SHORT[word], 1, same=True), confidence=sure)
    if word in _LETTERS:
        slash = r.low(i + 1) == "/" and r.glued(i + 1) and r.low(i + 2) == word and r.glued(i + 2)
        dashes = r.phrase(i, word, "o", word)
        if slash or dashes is not None:
            return Found(i, dashes or i + 3, "comparison", shift=_shift(_LETTERS[word], 1, same=True))
    if word == "period":
        ends = (r.phrase(i, word, joint, word) for joint in _JOINTS)
        return next((Found(i, end, "comparison") for end in ends if end is not None), None)
    begin = i + 1 if word == "from" else i
    unit = r.unit(begin)
    joint = r.skip(unit[1], {"-"}) if unit is not None else begin
    if unit is None or r.low(joint) not in _JOINTS or r.low(begin) == "-":
        return None
    again = r.unit(r.skip(joint + 1, {"-"}))
    if again is None or again[0] != unit[0] or r.low(again[1] - 1) != r.low(unit[1] - 1):
        return None
    # "month to month" is also how contracts run
    sure = 1.0 if r.low(joint) != "to" else 0.7
    return Found(i, again[1], "comparison", shift=_shift(unit[0], 1, same=True), confidence=sure)


def _mark(r: Reader, i: int) -> int | None:
    """The token after words that say that a comparison follows; “better” of “better than last year” is one of them."""
    if r.low(i) in _GRADES and r.low(i + 1) == "than" and r.number(i + 2) is None:
        return i + 2
    for end, _ in r.phrases(i, _MARKS):
        return end
    if r.low(i) in {"from", "over", "on"} and any(r.low(n) in _CHANGES for n in range(max(0, i - 2), i)):
        return i + 1
    if r.low(i) in {"to", "with"} and any(r.low(n) in _COMPARE for n in range(max(0, i - 15), i)):
        return i + 1
    return None


def _same(r: Reader, begin: int, i: int) -> Found | None:
    """``same period last year``, ``same month a year ago``, ``this time last year``, ``same quarter of 2023``."""
    if r.low(i) not in {"same", "this", "corresponding", "equivalent"}:
        return None
    known = r.low(i) != "this"
    if r.low(i + 1) not in (
        {"time"}
        if not known
        else {
            "period",
            "time",
            "date",
            "dates",
            "point",
            "span",
            "stretch",
            "window",
            "timeframe",
            "interval",
            "days",
            *UNITS,
        }
    ):
        return None
    at = r.skip(r.skip(i + 2, {"in", "of", "from", "for", "during"}), {"the"})
    back = _back(r, at)
    if back is not None:
        named = UNITS.get(r.low(i + 1)) if r.low(i + 1) != "days" else None
        part = (named or back[0]).grain
        shift = replace(_shift(back[0], back[1], same=True), part=part)
        return Found(begin, back[2], "comparison", shift=shift)
    year = r.year(at)
    if year is not None and (known or year[0] < r.today.year):
        shift = replace(_shift(cal.YEAR, r.today.year - year[0], same=True), year=year[0])
        return Found(begin, year[1], "comparison", shift=shift, confidence=0.8)
    return None


def _back(r: Reader, i: int) -> tuple[cal.CalendarUnit, int, int] | None:
    """``last year``, ``a year ago``, ``two weeks earlier``, ``the year before``: unit, count, the token after."""
    if r.low(i) in _LAST_YEAR:
        return cal.YEAR, 1, i + 1
    if r.low(i) == "yesterday":
        return cal.DAY, 1, i + 1
    if r.low(i) in LAST:
        counted = r.number(i + 1)
        unit = r.unit(counted[1] if counted else i + 1)
        return (unit[0], counted[0] if counted else 1, unit[1]) if unit else None
    counted = r.number(i) or (1, r.skip(i, {"a", "an"}), 1.0)
    unit = r.unit(counted[1])
    if unit is None:
        return None
    at = r.skip(unit[1], {"-"})
    if r.low(at) not in {"ago", "earlier", "before", "prior", "previously", "back"}:
        return None
    return unit[0], counted[0], r.skip(at + 1, {"period"})


def _before(r: Reader, begin: int, i: int) -> Found | None:
    """``a year earlier``, ``the month before``, ``the year-ago period``."""
    found = _back(r, i)
    if found is None or r.low(i) in LAST or r.low(i) == "yesterday":
        return None
    unit, count, end = found
    ago = any(r.low(n) == "ago" for n in range(i, end))
    if begin == i and ((ago and r.low(end - 1) != "period") or r.point(end) is not None):
        return None
    if r.low(end - 1) in {"before", "prior"} and (r.point(r.skip(end, {"the"})) or r.low(end) == "to"):
        return None
    return Found(begin, end, "comparison", shift=_shift(unit, count, same=True), confidence=0.75)


def _previous(r: Reader, begin: int, i: int) -> Found | None:
    """``last month``, ``the previous 30 days``, ``LY`` after a word of comparison."""
    whole = _previous_period(r, begin, i)
    found = _back(r, i)
    if whole is not None or found is None:
        return whole
    unit, count, end = found
    point = r.point(i) if r.low(i) in {"last", "past", "yesterday"} else None
    if point is not None and point.end > end:
        return None
    return Found(
        begin,
        end,
        "comparison",
        shift=_shift(unit, count),
        period=point.range if point else None,
        grain=unit.grain,
    )


def _previous_period(r: Reader, begin: int, i: int) -> Found | None:
    if r.low(i) in _BEFORE_WORDS and r.low(i + 1) in {"period", "periods"}:
        return Found(begin, i + 2, "comparison", confidence=0.85)
    if begin < i and r.low(i) in _BEFORE_WORDS and (r.low(i + 1) == "one" or not r.low(i + 1).isalnum()):
        return Found(begin, i + 1 + (r.low(i + 1) == "one"), "comparison", confidence=0.8)
    if r.low(i) in {"prior", "previous"} and r.phrase(i + 1, "year", "period") is not None:
        end = r.phrase(i + 1, "year", "period") or i
        return Found(begin, end, "comparison", shift=_shift(cal.YEAR, 1, same=True), confidence=0.85)
    return None


def _shift(unit: cal.CalendarUnit, count: int, *, same: bool = False) -> Shift:
    base = cal.OF_GRAIN[unit.grain]
    return Shift(
        unit.grain, count * (unit.months // base.months if base.months else unit.days // base.days), same
    )
