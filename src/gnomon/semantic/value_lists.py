"""Cells that hold several values at once, “FL, GA”: the parts, and the cells in which each occurs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gnomon.core.patterns import regex

_SEPARATORS = (regex(r"\s*,\s*"), regex(r"\s*;\s*"), regex(r"\s*\|\s*"))
_THOUSANDS = regex(r"\d,\d")
_LONGEST = 30
_FEWEST_LISTS = 3
_OFTEN = 0.15
_RECURRING = 0.6
_MOVING = 0.25


def parts_of_lists(values: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    """Each part of the cells, in lower case, with the cells that have it; empty where cells are no lists.

    Most parts occur in several cells, and some of them now in the first place and now behind: a city and its state,
    or a name put last first, are no list.
    """
    texts = [v for v in values if isinstance(v, str)]
    for separator in _SEPARATORS:
        split = {t: [p for p in separator.split(t.strip()) if p] for t in texts}
        lists = [parts for parts in split.values() if len(parts) > 1]
        if len(lists) < max(_FEWEST_LISTS, _OFTEN * len(texts)):
            continue
        held: dict[str, list[str]] = {}
        for text, parts in split.items():
            for part in {p.lower() for p in parts}:
                held.setdefault(part, []).append(text)
        first = {parts[0].lower() for parts in split.values() if parts}
        behind = {p.lower() for parts in lists for p in parts[1:]}
        listed = {p.lower() for parts in lists for p in parts}
        recurring = [p for p in listed if len(held[p]) > 1]
        moving = first & behind
        plain = all(len(p) <= _LONGEST for p in listed)
        if any(p.isdigit() for p in listed) and any(_THOUSANDS.search(t) for t in texts):
            continue  # 1,204 is one number
        if plain and len(recurring) >= _RECURRING * len(listed) and len(moving) >= _MOVING * len(listed):
            return {part: tuple(texts) for part, texts in held.items()}
    return {}


def as_written(part: str, cells: Mapping[str, tuple[str, ...]]) -> str:
    """A part as the cells write it."""
    found = re.search(rf"(?<!\w){re.escape(part)}(?!\w)", cells[part][0], re.IGNORECASE)
    return found[0] if found else part
