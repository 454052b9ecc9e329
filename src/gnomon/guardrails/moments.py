"""Dates and periods as prose writes them, and whether they are those that the facts speak of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from gnomon.core.patterns import late_pattern, regex

Period = tuple[date, date]

_NAMES = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
          "november", "december")  # fmt: skip
_MONTH = (
    r"(?:January|February|March|April|May(?!\s(?:I|we|you|be)\b)|June|July|August|September|October|November|"
    r"December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\b\.?(?!\w))"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d{2}"
_ORDINAL = r"first|second|third|fourth|1st|2nd|3rd|4th"
_ATOM = regex(
    rf"""(?<![\w.$€£/-])(?:
     (?P<iso>{_YEAR}-\d{{2}}-\d{{2}})(?:[T ](?P<clock>\d{{2}}:\d{{2}}(?::\d{{2}})?))?(?:\.\d+)?Z?
    |(?P<isoweek>{_YEAR}-W\d{{2}})|(?P<isomonth>{_YEAR}-(?:0[1-9]|1[0-2]))(?!-?\d)
    |(?P<slash>\d{{1,2}}[/.]\d{{1,2}}[/.]{_YEAR})
    |(?P<span1>{_DAY})\s?[–-]\s?(?P<span2>{_DAY})\s(?P<spanm>{_MONTH})(?:,?\s(?P<spany>{_YEAR}))?
    |(?P<mspanm>{_MONTH})\s(?P<mspan1>{_DAY})\s?[–-]\s?(?P<mspan2>{_DAY})(?!\d)(?:,?\s(?P<mspany>{_YEAR}))?
    |(?P<d1>{_DAY})(?:\sof)?\s(?P<m1>{_MONTH})(?:,?\s(?P<y1>{_YEAR}))?
    |(?P<m2>{_MONTH})\s(?P<d2>{_DAY})(?!\d|[,.]\d|\s?%)(?:,?\s(?P<y2>{_YEAR}))?
    |(?P<m3>{_MONTH})(?:,?\s(?P<y3>{_YEAR}))?
    |(?P<yq>{_YEAR})[\s-]?Q(?P<yqn>[1-4])|Q(?P<q>[1-4])(?:[\s/-]+(?:of\s)?(?P<qy>{_YEAR}))?
    |(?P<yh>{_YEAR})[\s-]?H(?P<yhn>[12])|H(?P<h>[12])(?:[\s/-]+(?:of\s)?(?P<hy>{_YEAR}))?
    |(?i:the\s)?(?P<oq>(?i:{_ORDINAL}))\s(?P<ow>(?i:quarter|half))(?!\s(?i:of\s(?:the\s)?[a-z]))(?:\s(?:of\s)?(?P<oy>{_YEAR}))?
    |(?:[Ww]eek|W)\s?(?P<w>\d{{1,2}})(?:,?\s(?:of\s)?(?P<wy>{_YEAR}))?
    |(?P<time>\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?[ap]\.?m\b)?|\d{{1,2}}\s?[ap]\.?m\b)
    |(?:(?:FY|[Mm]id-|[Ee]arly|[Ll]ate|[Pp]re-|[Pp]ost-)\s?)?(?P<y>{_YEAR})
    )(?![\w]|[.,/:]\d|\s?%)""",
    re.VERBOSE,
)
_EDGE = late_pattern(
    r"\b(?:since|from|starting|beginning|until|till|through|to|by|up\sto|as\sof|ending|ended|between|after|before|week\sof|on|and|at)\s(?:the\s)?$",
    re.IGNORECASE,
)
_JOIN = late_pattern(r"\s?(?:–|—|-|to|and|until|till|through|thru)\s?", re.IGNORECASE)


@dataclass(frozen=True)
class Moment:
    """A date or period as written; what is not written is None.

    Args:
        start: Where it begins in the text.
        end: Where it ends.
        until: The other end of a range.
        edge: Whether the words before it say that it bounds a period.
        time: A time of day, as written.
    """

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    half: int | None = None
    week: int | None = None
    until: Moment | None = None
    edge: bool = False
    time: str = ""

    @property
    def year_only(self) -> bool:
        """Whether it is a bare year, which could also be a count."""
        return (
            self.year is not None
            and (self.month, self.quarter, self.half, self.week, self.until) == (None,) * 5
        )

    def covers(self, day: date) -> bool:
        """Whether a day lies in it."""
        year, week, _ = day.isocalendar()
        return (
            (self.year is None or self.year == (year if self.week else day.year))
            and (self.month is None or self.month == day.month)
            and (self.day is None or self.day == day.day)
            and (self.quarter is None or self.quarter == (day.month + 2) // 3)
            and (self.half is None or self.half == (day.month + 5) // 6)
            and (self.week is None or self.week == week)
        )

    def names(self, period: Period) -> bool:
        """Whether it names this period: holds it, is its two ends, or bounds it where the words say so."""
        first, last = period
        if self.time:
            return False
        if self.until is not None:
            return self.covers(first) and self.until.covers(last)
        if self.covers(first) and self.covers(last):
            return first.year == last.year or self.year is not None or (last - first).days < 31
        return self.edge and (self.covers(first) or self.covers(last))


def find_moments(text: str) -> list[Moment]:
    """Every date and period of the text; ranges are joined."""
    atoms = [m for m in (_moment(found, text) for found in _ATOM.finditer(text)) if m is not None]
    joined: list[Moment] = []
    for atom in atoms:
        if joined and _JOIN.fullmatch(text[joined[-1].end : atom.start]) and _ranges(joined[-1], text, atom):
            joined[-1] = replace(joined[-1], end=atom.end, until=atom)
        else:
            joined.append(atom)
    return joined


def _ranges(left: Moment, text: str, right: Moment) -> bool:
    if left.until is not None or left.time or right.time or right.until is not None:
        return False
    joint = text[left.end : right.start].strip().lower()
    return (
        joint != "and" or re.search(r"\bbetween\s(?:the\s)?$", text[: left.start], re.IGNORECASE) is not None
    )


def _moment(m: re.Match[str], text: str) -> Moment | None:
    g = m.groupdict()
    base = Moment(m.start(), m.end(), edge=_EDGE.search(text[: m.start()]) is not None)
    try:
        if g["iso"]:
            d = date.fromisoformat(g["iso"])
            return replace(base, year=d.year, month=d.month, day=d.day, time=g["clock"] or "")
        if g["isoweek"]:
            return replace(base, year=int(g["isoweek"][:4]), week=int(g["isoweek"][-2:]))
        if g["isomonth"]:
            return replace(base, year=int(g["isomonth"][:4]), month=int(g["isomonth"][-2:]))
        if g["time"]:
            return replace(base, time=g["time"])
        if g["slash"]:
            a, b, y = (int(p) for p in re.split(r"[/.]", g["slash"]))
            return replace(
                base,
                year=y,
                month=b if a > 12 or "." in g["slash"] else a,
                day=a if a > 12 or "." in g["slash"] else b,
            )
    except ValueError:
        return base
    return _spelled(base, g)


def _spelled(base: Moment, g: dict[str, str | None]) -> Moment | None:
    for prefix in ("span", "mspan"):
        if g[f"{prefix}1"]:
            month, year = _month(g[f"{prefix}m"]), _int(g[f"{prefix}y"])
            right = Moment(base.start, base.end, year, month, _int(g[f"{prefix}2"]))
            return replace(base, year=year, month=month, day=_int(g[f"{prefix}1"]), until=right)
    for i in "12":
        if g[f"m{i}"]:
            return replace(base, year=_int(g[f"y{i}"]), month=_month(g[f"m{i}"]), day=_int(g[f"d{i}"]))
    if g["m3"]:
        return replace(base, year=_int(g["y3"]), month=_month(g["m3"]))
    if g["q"] or g["yqn"]:
        return replace(base, year=_int(g["qy"] or g["yq"]), quarter=_int(g["q"] or g["yqn"]))
    if g["h"] or g["yhn"]:
        return replace(base, year=_int(g["hy"] or g["yh"]), half=_int(g["h"] or g["yhn"]))
    if g["oq"]:
        place = (
            {"f": 1, "s": 2, "t": 3}.get(g["oq"][0].lower()) if not g["oq"][0].isdigit() else int(g["oq"][0])
        )
        place = 4 if g["oq"].lower() == "fourth" else place
        named = {"quarter": place} if (g["ow"] or "").lower() == "quarter" else {"half": place}
        return replace(base, year=_int(g["oy"]), **named)
    if g["w"]:
        return replace(base, year=_int(g["wy"]), week=_int(g["w"]))
    return replace(base, year=_int(g["y"])) if g["y"] else None


def _int(text: str | None) -> int | None:
    digits = re.sub(r"\D", "", text or "")
    return int(digits) if digits else None


def _month(text: str | None) -> int | None:
    start = (text or "").lower()[:3]
    return next((i for i, name in enumerate(_NAMES, 1) if name.startswith(start)), None) if start else None


def read_period(label: str) -> Period | None:
    """The days that a label such as ``2024-03``, ``2024-Q1``, ``2024-W12`` or ``2024-03-01`` stands for."""
    found = _ATOM.fullmatch(label.strip())
    moment = _moment(found, label) if found else None
    if moment is None or moment.year is None or moment.until is not None or label.strip().isdigit():
        return None
    try:
        if moment.week:
            first = date.fromisocalendar(moment.year, moment.week, 1)
            return first, first + timedelta(days=6)
        if moment.day and moment.month:
            day = date(moment.year, moment.month, moment.day)
            return day, day
    except ValueError:
        return None
    months = 1 if moment.month else 3 if moment.quarter else 6 if moment.half else 12
    start = moment.month or (moment.quarter or moment.half or 1) * months - months + 1
    first = date(moment.year, start, 1)
    after = date(moment.year + (start + months > 12), (start + months - 1) % 12 + 1, 1)
    return first, after - timedelta(days=1)


def lengths(periods: Sequence[Period]) -> dict[str, set[int]]:
    """How long the periods are, in each unit of time that they fill exactly."""
    found: dict[str, set[int]] = {
        "day": set(),
        "week": set(),
        "month": set(),
        "quarter": set(),
        "year": set(),
    }
    for first, last in periods:
        if first == date.min or last == date.max:
            continue  # open on one side
        days = (last - first).days + 1
        found["day"].add(days)
        if days % 7 == 0:
            found["week"].add(days // 7)
        after = last + timedelta(days=1)
        if first.day == after.day or (first.day == 1 and after.day == 1):
            months = (after.year - first.year) * 12 + after.month - first.month
            found["month"].add(months)
            if months % 3 == 0:
                found["quarter"].add(months // 3)
            if months % 12 == 0:
                found["year"].add(months // 12)
    return found


def same_time(written: str, moment: datetime) -> bool:
    """Whether a time of day as written is that of ``moment``."""
    m = re.fullmatch(r"(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s?([ap]\.?m)?", written.strip(), re.IGNORECASE)
    if not m:
        return False
    hour = int(m[1]) % 12 + (12 if m[4].lower().startswith("p") else 0) if m[4] else int(m[1])
    return (hour, int(m[2] or 0)) == (moment.hour, moment.minute) and (
        m[3] is None or int(m[3]) == moment.second
    )
