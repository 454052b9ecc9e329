"""Clauses that take parts of dates: “extract the hour from the start time”, “derive month and weekday from the date”."""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.clauses import Clause
from gnomon.planning.reader.row_arithmetic import RowArithmetic
from gnomon.planning.reader.said_columns import Said, SaidColumns
from gnomon.planning.reader.wider_model import Made
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.derived import Derived

_EXTRACT = regex(
    r"\b(?:extract|deriv|obtain|pars|get|tak|isolat|split)(?:e|ing|es|s)?\b(?:\s+(?:out|the|only|just))*\s+"
    r"(?P<parts>(?:(?:the|and|,|hour|hours|day of the week|day of week|day of the month|weekday|month|year|quarter|day)\b[\s,]*)+)"
    r"(?:(?:information|info|components?|parts?|values?|columns?|features?|of the day)\s*)*",
    re.IGNORECASE,
)
_PARTS = {
    "hour": "hour", "hours": "hour", "day of the week": "weekday", "day of week": "weekday", "weekday": "weekday",
    "day of the month": "day", "month": "month", "quarter": "quarter", "year": "year", "day": "day",
}  # fmt: skip
_PART = late_pattern("|".join(sorted(_PARTS, key=len, reverse=True)), re.IGNORECASE)
_IDLE = frozenset(
    {"perform", "comprehensive", "data", "preprocessing", "pre", "processing", "on", "the", "to", "from", "of", "column", "in",
     "feature", "engineering", "by", "field", "a", "timestamp", "and", "new", "as", "columns", "features", "each", "row"}
)  # fmt: skip


def parts_of_time(clause: str, columns: SaidColumns, model: SemanticModel) -> Clause | None:
    """The columns that a clause takes from a column of dates; None where it takes none, or more is said."""
    match = _EXTRACT.search(clause)
    if match is None:
        return None
    dated, rest = _dated(clause[: match.start()] + " " + clause[match.end() :], columns, model)
    if dated is None or set(re.findall(r"[a-z]+", rest.lower())) - _IDLE:
        return None
    named = dict.fromkeys(_PART.findall(match["parts"].lower()))
    made: list[Made] = []
    for name in named:
        if _PARTS[name] == "year" or (_PARTS[name] == "month" and "year" in named):
            continue  # years, and months of a year, are what periods are
        derived = Derived(name, f"{_PARTS[name]}({dated.expression})")
        columns.define(derived, dated.table)
        made.append(Made(dated.table, derived, f"“{name}” was taken from {dated.dimension.label}"))
    return Clause(tuple(made), understood=True)


def _dated(text: str, columns: SaidColumns, model: SemanticModel) -> tuple[Said | None, str]:
    """The column of dates that a text names, and the text without it."""
    reads = RowArithmetic(text, columns, model)
    for at in range(len(reads.tokens)):
        found = reads.read(at, 9)
        if found is not None and len(found.columns) == 1 and not found.is_made:
            said = found.columns[0]
            if said.dimension.type is DimensionType.TIME and said.dimension.written is None:
                start, end = reads.tokens[at].start, reads.tokens[found.end - 1].end
                return said, text[:start] + " " + text[end:]
    return None, text
