"""Each group of a breakdown in a sentence, where a distribution was asked for and the groups are few."""

from __future__ import annotations

import re

from gnomon.agents.figures import listed, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.core.patterns import late_pattern

_FEW = 8
_LEADING = late_pattern(
    r"\b(?:high|low|up|down|top|bottom|most|least|best|worst|max|min|rising|falling|new|old)\w*",
    re.IGNORECASE,
)


def tell_each(t: Telling, groups: list[tuple[str, dict[str, str], float]]) -> None:
    """Say the figure of every group.

    Args:
        t: What is told.
        groups: Each group as prose names it, as facts keep it, and its value.
    """
    if not t.request.each or not 2 < len(groups) <= _FEW:
        return
    if any(_LEADING.search(name) for name, _, _ in groups):
        return  # "27.98 hours for High" reads as if something were high
    said = [
        f"{t.say(t.fact(f'{t.name()}.{slug(name)}', value, t.metric().unit, group=place))} for {name}"
        for name, place, value in groups
    ]
    t.told.more.insert(0, sentence(f"in full: {listed(said)}"))
