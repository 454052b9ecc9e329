"""Rows of a kind against all others by an adjective: “are emergency visits dearer than the rest”."""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.associations import Association, associations
from gnomon.planning.reader.naming import Names, upward
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import split_words
from gnomon.semantic import Dimension, DimensionType
from gnomon.semantic.money_units import is_money

_ASKED = regex(
    r"^(?:are|is|do|does|did|were|was)\s+(?:the\s+|our\s+)?(?P<rows>.+?)\s+(?:really\s+|usually\s+|generally\s+)?(?:(?P<verb>cost|costs|take|takes|last|lasts|weigh|weighs)\s+)?"
    r"(?P<how>(?:more|less)(?:\s+[a-z]+)?|[a-z]+er)\s+(?:on\s+average\s+)?than\s+"
    r"(?P<rest>(?:all\s+)?(?:the\s+)?(?:rest|others|other\s+(?P<other>\w+)|remaining\s+\w+))(?P<behind>.*)$",
    re.IGNORECASE,
)
_HOW_MUCH = regex(
    r"^how\s+much\s+(?P<how>(?:more|less)\s+[a-z]+|[a-z]+er)\s+(?:are|is|were|was)\s+(?:the\s+|our\s+)?(?P<rows>.+?)\s+(?:on\s+average\s+)?"
    r"(?:than|compared\s+(?:to|with))\s+(?P<rest>(?:all\s+)?(?:the\s+)?(?:rest|others|other\s+(?P<other>\w+)|remaining\s+\w+))(?P<behind>.*)$",
    re.IGNORECASE,
)
_EACH = late_pattern(
    r"^,?(?:\s+on\s+average)?\s*(?:[,;.?]\s*(?:and\s+)?(?:what|how\s+much|how\s+long)\s+(?:does|do|did|is)\s+(?:each|both|either)(?:\s+(?:kind|type|sort|group|of\s+them))?"
    r"(?:\s+(?:cost|costs|take|takes|last|weigh))?(?:\s+on\s+average)?)?\s*[?.]*$",
    re.IGNORECASE,
)
_VERBS = {"cost": "expensive", "take": "longest", "last": "longest", "weigh": "heaviest"}
_MONEY = frozenset({"price", "cost"})


def against_rest(question: str, names: Names) -> str | None:
    """The question as one about the average of the column that the adjective speaks of, in the table of those rows."""
    much = _HOW_MUCH.match(question.strip())
    asked = much or _ASKED.match(question.strip())
    if asked is None or _EACH.match(asked["behind"]) is None:
        return None
    table = _table(asked["rows"], names)
    verb = "" if much is not None else (asked["verb"] or "").lower().rstrip("s")
    said = _adjective(verb, asked["how"].lower())
    if table is None or said is None:
        return None
    adjective, turned = said
    column = names.own(adjective, table) or _money(adjective, table, names)
    if column is None:
        return None
    up = upward(adjective, names.metric_of(column)) != turned
    way, rows = "higher" if up else "lower", asked["rows"]
    if much is not None:
        return f"How much {way} is the average {column.label} for {rows} than for the rest?"
    return f"Is the average {column.label} {way} for {rows} than for the rest?"


def _adjective(verb: str, how: str) -> tuple[Association, bool] | None:
    """What an adjective or a verb with “more” speaks of, and whether “less” turns it around."""
    words = how.split()
    if words[0] in {"more", "less"}:
        word = words[1] if len(words) > 1 else _VERBS.get(verb, "")
        found = associations().get(word)
    else:
        found = associations().get(how)
    graded = found is not None and found.descending is not None
    return (found, words[0] == "less") if found is not None and graded else None


def _table(rows: str, names: Names) -> str | None:
    """The table whose rows the last noun names."""
    last = split_words(rows)[-1:]
    links = names.vocabulary.named(last[0].lower) if last else ()
    tables = [x.name for x in links if x.kind is LinkKind.TABLE and x.quality >= 0.9]
    return tables[0] if len(tables) == 1 and len(split_words(rows)) > 1 else None


def _money(adjective: Association, table: str, names: Names) -> Dimension | None:
    """What rows of a table cost is the one amount of money that they have."""
    if not _MONEY & set(adjective.nouns):
        return None
    numbers = [d for d in names.model.dimensions if d.type is DimensionType.NUMBER and d.home.table == table]
    amounts = [d for d in numbers if is_money(d.unit)]
    return amounts[0] if len(amounts) == 1 else None
