"""Ranges whose ends are each said by a word of their own: from 500 up to and including 600."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.core.parts import FilterOperator
from gnomon.language import find_quantities
from gnomon.planning.reader.operators import LONGEST, operators
from gnomon.planning.reader.words import Word

SAID_BEHIND = frozenset({"inclusive", "inclusively", "exclusive", "exclusively"})


def begins_range(words: Sequence[Word], at: int) -> bool:
    """“from 500 mm up to and including 600 mm”: before a number, where the other end is said as one too."""
    if words[at].lower != "from" or at + 2 >= len(words) or not find_quantities(words[at + 1].text):
        return False
    known = operators()
    for start in range(at + 2, min(at + 5, len(words) - 2)):
        for end in range(start + 1, min(len(words), start + LONGEST)):
            said = known.get(tuple(w.lower for w in words[start:end]))
            upper = said is not None and said.payload in (FilterOperator.AT_MOST, FilterOperator.LESS)
            if upper and find_quantities(words[end].text):
                return True
    return False
