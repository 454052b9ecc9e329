"""Relations in everyday words: “do pupils who do well in maths also do well in science”, “do older bakers last longer”.

Whoever asks whether those with more of one thing have more of another asks how two columns hang together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gnomon.core.parts import QuestionKind
from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.associations import adjective, associations
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reading import Drafted
from gnomon.semantic.values import ValueIndex

_ASKS = r"^(?:do|does|did|are|is|were|was)\s+(?:the\s+)?"
_ROWS = r"(?P<rows>[a-z]+)\s+"
_MORE = r"(?:more|less|higher|lower|fewer|bigger|larger|greater|smaller|better|worse|longer|shorter)"
_HAVE = r"(?:(?:tend\s+to|also|usually|generally)\s+)*[a-z]+\s+"  # whatever they do more of
_WELL = r"(?:well|good|better|high|highly|strong|badly|poorly)"
_DO = r"(?:do|does|did|are|is|score|scores|scored|perform|performs)\s+"
_MOVE = r"(?:go|goes|rise|rises|fall|falls|drop|drops|increase|increases|decrease|decreases|decline|declines|grow|grows)"
_END = r"\s*[?.]*$"
_PAIRS = tuple(
    regex(p + _END, re.IGNORECASE)
    for p in (
        rf"{_ASKS}(?P<a>.+?)\s+{_MOVE}(?:\s+(?:up|down))?\s+(?:when|as|if|whenever|while)\s+(?:the\s+)?(?P<b>.+?)\s+(?:{_MOVE}|is|are)(?:\s+(?:up|down|{_MORE}))?",
        rf"{_ASKS}{_ROWS}(?:who|that|which)\s+{_DO}{_WELL}\s+(?:in|at|on)\s+(?P<a>.+?)\s+(?:also\s+)?(?:tend\s+to\s+)?{_DO}(?:also\s+)?{_WELL}\s+(?:in|at|on)\s+(?P<b>.+?)",
        rf"{_ASKS}{_ROWS}good\s+at\s+(?P<a>.+?)\s+also\s+good\s+at\s+(?P<b>.+?)",
        rf"{_ASKS}{_ROWS}(?:with|who\s+have|that\s+have)\s+(?:a\s+)?{_MORE}\s+(?P<a>.+?)\s+{_HAVE}(?:a\s+|an\s+)?{_MORE}\s+(?:(?:on|in|at)\s+)?(?P<b>.+?)",
        rf"{_ASKS}(?P<how>[a-z]+er)\s+{_ROWS}{_HAVE}(?:a\s+|an\s+)?{_MORE}\s+(?:(?:on|in|at)\s+)?(?P<b>.+?)",
        rf"{_ASKS}(?:more|higher|less|lower)\s+(?P<a>.+?)\s+(?:make\s+for|makes\s+for|mean|means|lead\s+to|leads\s+to|give|gives|go\s+with|goes\s+with)\s+(?:a\s+)?(?:{_MORE}\s+(?P<b>.+?)|(?P<that>[a-z]+er)\s+\w+)",
    )
)  # fmt: skip
_LOW = late_pattern(
    r"\b(?:down|falls?|drops?|decreases?|declines?|less|lower|fewer|smaller|worse|shorter|badly|poorly)\b",
    re.IGNORECASE,
)
_SECOND = regex(r"^(?P<first>[^?]+\?)\s*(?P<rest>[^?]*\bcorrelation\b[^?]*\??)\s*$", re.IGNORECASE)


def as_relation(question: str, names: Names, index: ValueIndex) -> list[str]:
    """The question as one for a correlation of two columns, the surest way to put it first."""
    text = question.strip()
    if re.search(r"\bthan\b", text, re.IGNORECASE):
        return []  # two groups are set against each other
    found: list[str] = []
    if (second := _SECOND.match(text)) is not None:
        found.append(second["rest"])
        text = second["first"].strip()
    for pattern in _PAIRS:
        if (said := pattern.match(text)) is None:
            continue
        told = said.groupdict()
        rows = (told.get("rows") or "").lower()
        of_them = f" among {rows}" if rows and index.find([rows]) else ""
        if rows and not of_them and not _may_be_rows(rows, names):
            continue
        one = told.get("a") or _graded(told.get("how"), names)
        other = told.get("b") or _graded(told.get("that"), names)
        if one and other:
            way = _way(text, (told.get("how"), told.get("that")))
            found.append(f"Is there a {way} correlation between {one} and {other}{of_them}?")
    return found


def _way(text: str, adjectives: Iterable[str | None]) -> str:
    """Whether both are said to move one way, or the one up and the other down."""
    said = [associations().get(a.lower()) or adjective(a.lower()) for a in adjectives if a]
    down = [a for a in said if a is not None and a.descending is False]
    turns = len(_LOW.findall(text)) + len(down)
    return "negative" if turns % 2 else "positive"


def relates(reading: Drafted) -> bool:
    """Whether a reading is nothing but a correlation of two columns."""
    kinds = [r.kind is QuestionKind.CORRELATION and len(r.columns) == 2 for r in reading.requests]
    return bool(kinds) and all(kinds)


def _may_be_rows(noun: str, names: Names) -> bool:
    """Whether a noun for several names no column, which would say which rows are meant."""
    links = [x for x in names.vocabulary.named(noun) if x.quality >= 0.85]
    rows = any(x.kind is LinkKind.TABLE for x in links)
    held = any(x.kind is LinkKind.DIMENSION for x in links) and not rows
    return not held and noun.endswith(("s", "people", "men", "women", "children"))


def _graded(word: str | None, names: Names) -> str | None:
    """The column that an adjective grades: age, of who is older."""
    said = (associations().get(word.lower()) or adjective(word.lower())) if word else None
    found = names.associated(said) if said is not None and said.comparative else []
    column = names.column_of(found[0]) if len(found) == 1 else None
    return column.label if column is not None else None
