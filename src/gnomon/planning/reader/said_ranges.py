"""Ranges that a question spells out, with labels or without: 'Child' (0-12), 'Teenager' (13-19), 60 and above."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gnomon.core.patterns import late_pattern, regex
from gnomon.data.column_names import vocabulary

_N = r"(-?\d+(?:,\d{3})*(?:\.\d+)?)"
_UNIT = r"(?:\s*(?:years?|yrs?)(?:\s*old|\s*of\s*age)?)?"
RANGE = regex(
    rf"""
    (?:between\s+|from\s+|ages?\s+|aged\s+)*{_N}{_UNIT}\s*(?:-|–|—|to|and|through|until)\s*{_N}(?!\s*(?:and\s+(?:above|over|older|up|more)|\+)){_UNIT}
    |(?P<open>{_N}\s*(?P<above><=?|≤)\s*[A-Za-z]\w*\s*(?P<below><=?|≤)\s*{_N})
    |(?P<from>{_N}{_UNIT}\s*(?:\+|(?:and|or)\s+(?:above|over|older|up|more|higher|greater)))
    |(?P<upto>{_N}{_UNIT}\s*(?:and|or)\s+(?:below|under|younger|less|lower|fewer)|(?:(?:up\s+to|at\s+most)|(?:[A-Za-z]\w*\s*)?(?:<=|≤))\s*{_N}{_UNIT})
    |(?P<least>(?:at\s+least|(?:[A-Za-z]\w*\s*)?(?:>=|≥))\s*{_N}{_UNIT})
    |(?P<over>(?:above|over|more\s+than|greater\s+than|older\s+than|higher\s+than|(?:[A-Za-z]\w*\s*)?>)\s*{_N}{_UNIT})
    |(?P<under>(?:below|under|less\s+than|lower\s+than|younger\s+than|(?:[A-Za-z]\w*\s*)?<)\s*{_N}{_UNIT})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LABEL_BEFORE = late_pattern(
    r"(?:[\"“'‘]([^\"”'’]{1,40})[\"”'’]|([A-Za-z][\w/&-]*(?: [A-Za-z][\w/&-]*){0,2}))\s*(?:\(|:|=|,|is|are|for|as)?\s*$"
)
_LABEL_BEHIND = late_pattern(r"\s*(?:\)|:|=|→|->|as|is|are|,)?\s*\(?\s*[\"“'‘]([^\"”'’]{1,40})[\"”'’]")
_IDLE = vocabulary("and or with into groups group bins ranges categories as follows namely being ages")
_LINKING = frozenset({"by", "for", "of", "per", "in", "into", "each", "the", "across"})
_BETWEEN = 40


@dataclass(frozen=True)
class Range:
    """A range of numbers.

    Args:
        label: What it is called.
        low: The least number; None where there is none.
        high: The greatest; None where there is none.
        above: Whether ``low`` itself lies outside.
        below: Whether ``high`` itself lies outside.
        start: Where it begins in the text, its label included.
        end: Where it ends.
    """

    label: str
    low: float | None
    high: float | None
    above: bool
    below: bool
    start: int
    end: int

    def written(self) -> str:
        """The range as arguments of the function that labels values."""
        low = f"'{'>' if self.above else '>='}', {_number(self.low)}" if self.low is not None else "'', 0"
        high = f"'{'<' if self.below else '<='}', {_number(self.high)}" if self.high is not None else "'', 0"
        return f"'{_plain(self.label)}', {low}, {high}"

    def told(self) -> str:
        """The range in words."""
        said: list[str] = []
        if self.low is not None:
            said.append(f"{'above' if self.above else 'from'} {_number(self.low)}")
        if self.high is not None:
            said.append(
                f"{'to below' if self.below and self.low is not None else 'below' if self.below else 'to'} {_number(self.high)}"
            )
        return f"“{_plain(self.label)}” {' '.join(said)}"


def ranges_in(text: str) -> list[Range]:
    """Two or more ranges that stand together, the numbers between whole ends given to the lower one."""
    found: list[Range] = []
    for match in RANGE.finditer(text):
        made = range_of(match)
        if found and match.start() - found[-1].end > _BETWEEN:
            if len(found) > 1:
                break
            found = []
        found.append(_labelled(made, text, found[-1].end if found else 0))
    return _closed(found) if len(found) > 1 and _is_in_order(found) else []


def range_of(match: re.Match[str]) -> Range:
    """The range that a match of ``RANGE`` spells out, called as it is said."""
    low, high, above, below = _ends(match)
    return Range(match.group().strip(), low, high, above, below, match.start(), match.end())


def _ends(match: re.Match[str]) -> tuple[float | None, float | None, bool, bool]:
    numbers = [float(g.replace(",", "")) for g in match.groups() if g and re.fullmatch(_N, g)]
    if match["open"]:
        return numbers[0], numbers[1], match["above"] == "<", match["below"] == "<"
    if match["from"] or match["least"]:
        return numbers[0], None, False, False
    if match["over"]:
        return numbers[0], None, True, False
    if match["upto"]:
        return None, numbers[0], False, False
    if match["under"]:
        return None, numbers[0], False, True
    return numbers[0], numbers[1], False, False


def _labelled(made: Range, text: str, since: int) -> Range:
    before = _LABEL_BEFORE.search(text[since : made.start])
    label = (before[1] or before[2] or "").strip() if before else ""
    words = label.split()
    leading = [i for i, w in enumerate(words) if w.lower() in _LINKING | _IDLE]
    words = words[leading[-1] + 1 :] if leading else words  # "humidity into low (…)" is called low
    bracket = text[made.end : made.end + 1]
    behind = _LABEL_BEHIND.match(text, made.end)
    if before is not None and before[1]:
        return replace(made, label=label, start=since + before.start(), end=made.end + (bracket == ")"))
    if behind is not None:
        return replace(
            made, label=behind[1], end=behind.end() + (text[behind.end() : behind.end() + 1] == ")")
        )
    if words and before is not None and (text[since : made.start].rstrip().endswith(("(", ":", "="))):
        label = " ".join(words)
        return replace(
            made, label=label, start=since + before.end(2) - len(label), end=made.end + (bracket == ")")
        )
    return made


def _is_in_order(found: Sequence[Range]) -> bool:
    """Whether the ranges follow one another, up or down, without overlap."""
    for a, b in pairwise(found):
        up = a.high is not None and b.low is not None and a.high <= b.low
        down = a.low is not None and b.high is not None and b.high <= a.low
        if not up and not down:
            return False
    return all(r.low is None or r.high is None or r.low <= r.high for r in found)


def _closed(found: Sequence[Range]) -> list[Range]:
    """0–12 and 13–19 leave nothing between them: what is 12 and a half is 12; a shared end is the next one's."""
    result: list[Range] = []
    for r in found:
        following = [
            o.low for o in found if o is not r and o.low is not None and r.high is not None and not o.above
        ]
        if r.high is not None and r.high.is_integer() and r.high + 1 in following and not r.below:
            r = replace(r, high=r.high + 1, below=True)
        elif r.high is not None and r.high in following:
            r = replace(r, below=True)
        result.append(r)
    return result


def _number(value: float | None) -> str:
    return f"{value:g}" if value is not None and abs(value) < 1e6 else repr(value)


def _plain(label: str) -> str:
    return re.sub(r"[%\[\]{}`':]", " ", label).strip()
