"""Times that leave out what was said before: “in the first half of 2022, and in the second”."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from gnomon.core.patterns import late_pattern, regex
from gnomon.language.time_grammar import TimeMention, find_times

_ORDINAL = late_pattern(r"\b(first|second|third|fourth|last)\b", re.IGNORECASE)
_ELLIPSIS = regex(
    r"\b(?:in|for|during|than|with|to|versus|vs|and)\s+(?P<said>the\s+(?P<place>second|third|fourth|last|first)(?:\s+one)?)"
    r"(?=\s*(?:[?,;.!]|$|\b(?:and|or)\b))",
    re.IGNORECASE,
)


def with_left_out(question: str, mentions: list[TimeMention], today: date) -> list[TimeMention]:
    """The times of a question, with those that only name their place: the second, after the first half of a year."""
    found = list(mentions)
    for gap in _ELLIPSIS.finditer(question):
        start, end = gap.span("said")
        if any(m.start < end and start < m.end for m in found):
            continue
        before = [m for m in found if m.end <= gap.start() and m.kind == "period"]
        placed = next((m for m in reversed(before) if _ORDINAL.search(m.text)), None)
        if placed is None:
            continue
        meant = find_times(_ORDINAL.sub(gap["place"].lower(), placed.text, count=1), today)
        if len(meant) == 1 and meant[0].kind == "period" and meant[0].period != placed.period:
            found.append(replace(meant[0], start=start, end=end, text=gap["said"]))
    return sorted(found, key=lambda m: m.start)
