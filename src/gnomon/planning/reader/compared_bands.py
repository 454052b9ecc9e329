"""Two ranges set against each other: “higher for those aged 65 and over than for younger people”."""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.ages import age_column
from gnomon.planning.reader.people import PEOPLE, is_person_noun
from gnomon.planning.reader.said_columns import SaidColumns
from gnomon.planning.reader.said_ranges import RANGE, Range, range_of
from gnomon.planning.reader.wider_model import Made
from gnomon.semantic import SemanticModel
from gnomon.semantic.derived import Derived, column_in

_DECADES = regex(r"\b(?:the\s+)?(over|under)[ -](\d{1,2})s\b", re.IGNORECASE)
_WHO = late_pattern(r"(?P<who>\b\w+\s+)?(?:who\s+(?:are|were)\s+)?(?P<aged>aged\s+)?$", re.IGNORECASE)
_AGAINST = late_pattern(
    r"[^\d?]{0,60}?\b(?:than|versus|vs\.?|compared\s+(?:to|with))\s+(?:(?:for|among|in|by|with|of|the|that\s+of|those\s+of)\s+)*",
    re.IGNORECASE,
)
_OTHERS = late_pattern(
    r"(?:younger|older|rest|others|everyone\s+else|everybody\s+else|other)\b(?:\s+(?:people|persons|ones|(?!than\b)\w+s)\b)?",
    re.IGNORECASE,
)
_OTHER = late_pattern(
    r"(?:(?:those|people|persons|\w+s)\s+)?(?:who\s+(?:are|were)\s+)?(?:aged\s+)?", re.IGNORECASE
)


def compared_bands(question: str, columns: SaidColumns, model: SemanticModel) -> tuple[str, Made] | None:
    """The question with two ranges of ages as two groups, and the column that tells them; None where there are none."""
    text = _DECADES.sub(r"those aged \1 \2", question)
    ranges = list(RANGE.finditer(text))
    age = age_column(model) if ranges else None
    for match in ranges if age is not None else ():
        start, aged = _before(text[: match.start()])
        against = _AGAINST.match(text, match.end())
        if not aged or against is None or age is None:
            continue
        one = range_of(match)
        found = _other(text, against.end(), one)
        if found is None:
            continue
        other, end = found
        label = f"{age.label} group"
        written = ", ".join(r.written() for r in (one, other))
        made = Derived(label, f"ranges({column_in(age.home.column)}, {written})")
        columns.define(made, age.home.table)
        told = f"“{label}” of {age.label}: {one.told()}, {other.told()}"
        said = f'{text[:start]}"{one.label}"{text[match.end() : against.end()]}"{other.label}"{text[end:]}'
        return said, Made(age.home.table, made, told)
    return None


def _before(text: str) -> tuple[int, bool]:
    """Where the words begin that only say that persons are meant, and whether there are such."""
    match = _WHO.search(text)
    assert match is not None
    who = (match["who"] or "").strip().lower()
    persons = who in PEOPLE | {"those", "anyone"} or (bool(who) and is_person_noun(who))
    start = match.start() if persons else match.start("aged") if match["aged"] else match.end()
    return start, persons or bool(match["aged"])


def _other(text: str, start: int, one: Range) -> tuple[Range, int] | None:
    """The range that the first is set against, and where it ends: a second one, or all that lies outside of the first."""
    opening = _OTHER.match(text, start)
    second = RANGE.match(text, opening.end()) if opening is not None else None
    if second is not None:
        return range_of(second), second.end()
    others = _OTHERS.match(text, start)
    if others is None or (one.low is None) == (one.high is None):
        return None
    younger = others.group().lower().startswith("younger")
    if others.group().lower().startswith(("younger", "older")) and younger != (one.high is None):
        return None
    if one.low is not None:
        label = f"{'up to' if one.above else 'under'} {one.low:g}"
        return Range(label, None, one.low, False, not one.above, start, others.end()), others.end()
    assert one.high is not None
    label = f"{one.high:g} and over" if one.below else f"over {one.high:g}"
    return Range(label, one.high, None, not one.below, False, start, others.end()), others.end()
