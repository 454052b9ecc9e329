"""Sums that a question tells to do before it asks: “multiply A by B, then break that down by C”, “divide A by B, which …”.

The step becomes what is asked for, said in one sentence; the question is read as that, or not at all.
"""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.before_and_after import before_and_after
from gnomon.planning.reader.counted_moves import counted_moves
from gnomon.planning.reader.periodic_columns import said_by_period
from gnomon.semantic import SemanticModel

_LEAD = r"^(?:please\s+|if\s+(?:you|we|i|one)\s+|when\s+(?:you|we)\s+|let's\s+|could\s+you\s+|can\s+you\s+|first,?\s+)?"
_CALLED = r"(?:\s+(?:to\s+(?:get|find|obtain|give)|giving|which\s+(?:gives|is))\s+(?P<name>[^,.;]+?))?"
_MULTIPLY = regex(
    rf"{_LEAD}multiply\s+(?P<a>[^,.;]+?)\s+(?:by|with|and)\s+(?P<b>[^,.;]+?){_CALLED}\s*(?:[,.;]|\band\b|\bthen\b)\s*(?P<rest>.+)$",
    re.IGNORECASE,
)
_DIVIDE = regex(
    rf"{_LEAD}divide\s+(?P<a>[^,.;]+?)\s+by\s+(?P<b>[^,.;?]+?)\s*(?:[,.;?]\s*(?P<rest>.*))?$", re.IGNORECASE
)
_DO = late_pattern(
    r"^(?:(?:and|then|,)\s+)*(?:break|split|show|give|sum|add|total|tell|list|report|group|state|find)\s+(?:me\s+)?"
    r"(?:(?:that|it|this|them|those|the\s+results?|the\s+products?)\s+)?(?:(?:down|up|out)\s+)?(?:(?:the\s+)?(?:total|sum|amount)\s+)?",
    re.IGNORECASE,
)
_GROUPED = regex(r"^(?:by|per|for|in|across|over)\b", re.IGNORECASE)
_OWNED = late_pattern(r"^(?:each|every)\s+(?P<group>[\w ]+?)['’]s\s+(?P<what>.+)$", re.IGNORECASE)
_THERE = late_pattern(r"\s+(?:\w+ed\s+)?(?:there|in\s+(?:it|each|that\s+\w+))$", re.IGNORECASE)
_WHICH = late_pattern(
    r"^(?:then\s+)?which\s+(?P<group>[\w ]+?)\s+(?:comes?\s+out|is|has|ends?\s+up|does|comes)\b[^,?]*?\b"
    r"(?P<end>highest|lowest|most|least|top|best|worst|largest|smallest|first|last|bottom)\b[^,?]*"
    r"(?:,?\s*and\s+(?:at|with|by|what|how)\b[^?]*)?\??\s*$",
    re.IGNORECASE,
)
_LOW = frozenset({"lowest", "least", "worst", "smallest", "last", "bottom"})


def told_to_compute(question: str, model: SemanticModel) -> str | None:
    """The question that such a step leads up to; None where it tells none, or what follows is something else."""
    text = " ".join(question.split())
    if (found := _MULTIPLY.match(text)) is not None:
        rest = _DO.sub("", found["rest"]).strip()
        return f"total {found['a']} times {found['b']} {rest}" if _GROUPED.match(rest) else None
    found = _DIVIDE.match(text)
    if found is not None:
        return _divided(found)
    return (
        before_and_after(question, model) or counted_moves(question, model) or said_by_period(question, model)
    )


def _divided(found: re.Match[str]) -> str | None:
    owned = _OWNED.match(found["a"])
    what = owned["what"] if owned is not None else found["a"]
    ratio = f"{what} divided by {_THERE.sub('', found['b'])}"
    rest = (found["rest"] or "").strip(" .?")
    if not rest:
        return f"{ratio} for each {owned['group']}" if owned is not None else ratio
    asked = _WHICH.match(found["rest"])
    if asked is not None:
        end = "lowest" if asked["end"].lower() in _LOW else "highest"
        return f"Which {asked['group']} has the {end} {ratio}?"
    done = _DO.sub("", rest)
    return f"{ratio} {done}" if owned is None and _GROUPED.match(done) else None
