"""How often something rose or fell, where a column tells the change of each row: “how many days did the stock go down”."""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.before_and_after import DOWN, UP
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Dimension, DimensionType, SemanticModel

_CHANGES = frozenset({"change", "changes", "delta", "diff", "difference", "gain"})
_COUNTED = regex(
    r"^\s*(?:on |in )?(?:how many|the number of|number of) (?P<what>times|days|weeks|months|quarters|years|sessions|rows)\s+"
    r"(?:when |where |on which |in which )?(?:did |has |have |had |do |does )?(?P<subject>(?:[\w']+ ){0,4}?)"
    rf"(?:(?P<down>{DOWN}|lost|lose|gone down|close[ds]? (?:lower|down))|(?:{UP}|gone up|close[ds]? (?:higher|up)))\b(?P<tail>.*)$",
    re.IGNORECASE,
)
_SIGNED = regex(
    r"^\s*(?:how many times|how often) (?:was|were|is|are) (?:the |its )?(?P<what>[\w ]{2,40}?) (?P<sign>positive|negative)\b"
    r"(?P<tail>.*)$",
    re.IGNORECASE,
)
_BOUND = late_pattern(r"\b(?:by|to|below|above|more|less|than|most|least)\b|\d+(?:\.\d+)? ?%", re.IGNORECASE)


def counted_moves(question: str, model: SemanticModel) -> str | None:
    """The question with such a move put as a change above or below zero; None where no column tells it."""
    if (signed := _SIGNED.match(question)) is not None and len(model.tables) == 1:
        return f"how many rows with a {signed['sign']} {signed['what']}{signed['tail']}"
    found = _COUNTED.match(question)
    if found is None or _BOUND.search(found["tail"]):
        return None
    column = _change_of(found["subject"], model)
    if column is None:
        return None
    counted = "rows" if found["what"].lower() == "times" else found["what"]
    side = "below" if found["down"] else "above"
    return f"how many {counted} with {column.label} {side} 0{found['tail']}"


def _change_of(subject: str, model: SemanticModel) -> Dimension | None:
    """The one column of changes, or that of the subject: the house change, of the house."""
    numbers = [d for d in model.dimensions if d.type is DimensionType.NUMBER]
    told = [d for d in numbers if name_words(d.label)[-1:] and name_words(d.label)[-1] in _CHANGES]
    said = {*name_words(subject)}
    own = [d for d in told if said & {*name_words(d.label)[:-1]}]
    plain = [d for d in told if len(name_words(d.label)) == 1]
    chosen = own or plain
    return chosen[0] if len(chosen) == 1 else None
