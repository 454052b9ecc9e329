"""Values so many standard deviations from their mean: how many lie within, beyond, or on one side of it."""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern, regex
from gnomon.core.studies import Finding
from gnomon.planning.reader import shape_words as said

_SPAN = regex(
    rf"(?:\b(?:that|which|who|whose)\s+)?(?:\b(?:is|are|was|were|lie|lies|fall|falls|lying|falling)\s+)?"
    rf"\b(?P<how>within|more\s+than|greater\s+than|larger\s+than|over|at\s+least|beyond|outside(?:\s+of)?|less\s+than|further\s+than)?\s*(?P<n>{said.NUMBER})\s*{said.DEVIATIONS}\s*"
    r"(?P<side>above|below|over|under|from|of|away\s+from|either\s+side\s+of|around)\s+(?:(?:the|its|their)\s+)?(?:mean|average)\b",
    re.IGNORECASE,
)
_COUNT = r"(?:how\s+many|(?:(?:count|determine|find|calculate|report|give|what\s+is|what\s+are)\s+)*(?:the\s+)?(?:number|count|percentage|share|proportion|fraction|percent)\s+of|count(?:\s+the)?|what\s+(?:percentage|share|proportion|fraction|percent)\s+of)"
_VALUES = r"(?:the\s+|all\s+)?(?:values?|data\s+points?|observations?|rows|records|entries)"
_OF_VALUES = late_pattern(rf"\b{_COUNT}\s+{_VALUES}\s+(?:of|in|for|from)\s+", re.IGNORECASE)
_DONE = late_pattern(
    rf"\b{_COUNT}\s+(?P<s>[^.?!;,]+?)\s+(?:paid|pay|have|has|had|having|with|whose|earned|earn|spent|spend|got|get|did|made|make|\w+ed)\s+"
    r"(?:an?\s+|the\s+|their\s+)?(?P<o>[^.?!;,]{2,40}?)\s*$",
    re.IGNORECASE,
)
_BARE = late_pattern(rf"\b{_COUNT}\s+(?:the\s+)?", re.IGNORECASE)
AVERAGE = "what is the average of "


def deviations_said(question: str) -> re.Match[str] | None:
    """Where a question speaks of a distance from the mean in standard deviations."""
    return _SPAN.search(question)


def counted_by_deviations(question: str) -> tuple[str, Finding, float] | None:
    """The plain question about the column, where around the mean, and how far from it; None where none is counted."""
    match = _SPAN.search(question)
    if match is None or (far := said.number(match["n"])) is None:
        return None
    how, side = (match["how"] or "").lower(), match["side"].lower()
    if how.startswith(("within", "less")):
        asked = "within"
    elif how and side in ("above", "over", "below", "under"):
        asked = "above" if side in ("above", "over") else "below"
    elif how:
        asked = "beyond"
    else:
        return None
    before, after = question[: match.start()], question[match.end() :]
    if _OF_VALUES.search(before):
        plain = _OF_VALUES.sub(AVERAGE, before, count=1)
    elif _OF_VALUES.search(f"{before} {after}") or re.search(
        rf"\b{_COUNT}\s+{_VALUES}\s*$", before, re.IGNORECASE
    ):
        plain = re.sub(rf"\b{_COUNT}\s+{_VALUES}\s*", AVERAGE, before, count=1, flags=re.IGNORECASE)
        after = re.sub(r"^\s*,?\s*(?:of|in|for|from)\s+", "", after)
    elif done := _DONE.search(before):
        plain = f"{before[: done.start()]}what is the average {done['o']} of {done['s']} "
    elif _BARE.search(before):
        plain = _BARE.sub(AVERAGE, before, count=1)
    else:
        return None
    return f"{plain.rstrip()} {after.lstrip()}", asked, far
