"""What changes between two columns of a row: “by how many points does pain drop”, of pain before and pain after."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Dimension, DimensionType, SemanticModel

_PAIRS = (("before", "after"), ("start", "end"), ("initial", "final"), ("pre", "post"), ("first", "last"), ("opening", "closing"))  # fmt: skip
DOWN = r"drop|drops|dropped|fall|falls|fell|decrease|decreases|decreased|decline|declines|declined|go down|goes down|went down|sink|sinks|sank|shrink|shrinks|shrank"
UP = r"rise|rises|rose|increase|increases|increased|grow|grows|grew|go up|goes up|went up|climb|climbs|climbed|gain|gains|gained"
_KNOWN = late_pattern(
    r"^\s*(?:where|when|if|for (?:rows|those|visits|cases) where)\s+(?:both|the two)\b[^,]*,\s*",
    re.IGNORECASE,
)
_AVERAGE = regex(r"\b(?:on average|typically|in the mean|usually)\b", re.IGNORECASE)
_OVER = late_pattern(
    r"\b(?:over|during|across|through)\s+(?:a|an|the|one|each)\s+\w+(?=\s*(?:$|[,?.]))", re.IGNORECASE
)
_TAIL = late_pattern(r"^(?:by|per|for|in|at|among|across|with|since|between|from|during)\b", re.IGNORECASE)


def before_and_after(question: str, model: SemanticModel) -> str | None:
    """The question with such a change put as one column minus the other; None where it speaks of none.

    What is not said to be in total is the mean over the rows that have both values.
    """
    text = " ".join(question.split()).rstrip(" ?.")
    for what, earlier, later in _pairs(model):
        asked = re.compile(
            rf"\b(?:by )?how (?:much|many)(?: [\w%°]+){{0,2}}? (?P<does>does|do|did|has|have) (?:the |our |their )?{re.escape(what)}"
            rf"(?: \w+)? (?P<verb>(?P<down>{DOWN})|(?:{UP}))\b(?P<tail>.*)$",
            re.IGNORECASE,
        )
        found = asked.search(_KNOWN.sub("", text))
        if found is None or found.start() > 0:
            continue
        generally = found["does"].lower() in {"does", "do"} or _AVERAGE.search(found["tail"]) is not None
        if not generally:
            return None  # "how much did noise rise in 2023" may as well be against the year before
        tail = _OVER.sub("", _AVERAGE.sub("", found["tail"])).strip(" ,")
        if tail and not _TAIL.match(tail):
            return None
        one, other = (earlier, later) if found["down"] else (later, earlier)
        return f"average {one.label} minus {other.label} {tail}".strip()
    return None


def _pairs(model: SemanticModel) -> Iterator[tuple[str, Dimension, Dimension]]:
    """Columns of numbers whose names differ by nothing but before and after, and what they share."""
    numbers = [d for d in model.dimensions if d.type is DimensionType.NUMBER]
    for one in numbers:
        words = name_words(one.label)
        for early, late in _PAIRS:
            if early not in words or len(words) < 2:
                continue
            shared = [w for w in words if w != early]
            for other in numbers:
                same = [w for w in name_words(other.label) if w != late] == shared and late in name_words(
                    other.label
                )
                if same and other.home.table == one.home.table:
                    yield " ".join(shared), one, other
