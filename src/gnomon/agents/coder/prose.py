"""The words around findings: a model's sentences filled in and checked, or plain lines where they do not hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from gnomon.answering.words import fact_figure
from gnomon.core.answer import Fact
from gnomon.core.patterns import regex
from gnomon.guardrails.directions import find_directions
from gnomon.guardrails.numbers import NumberBinding
from gnomon.guardrails.numerals import find_numerals
from gnomon.guardrails.pii import PiiDetector

MOST_CHARACTERS = 3000
_SLOT = regex(r"\{\{\s*([\w.]+)\s*\}\}")
_MARKUP = regex(r"<[^>]*>|https?:|```|!\[")


def why_not(
    text: str, slots: Collection[str], names: Collection[str], *, sees_values: bool = False
) -> str | None:
    """What is wrong with a model's conclusion, told to the model; None where nothing is.

    Args:
        text: The conclusion with slots in it.
        slots: The slots that there are.
        names: Names of tables and columns, whose digits claim nothing.
        sees_values: Whether the model knows the values, so that it can know directions.
    """
    if not text.strip():
        return "The conclusion is empty."
    used = _SLOT.findall(text)
    if unknown := [s for s in used if s not in slots]:
        return f"There is no finding {unknown[0]}; there are {', '.join(sorted(slots)) or 'none'}."
    if slots and not used:
        return "The conclusion uses no finding; write them as slots in double braces."
    words = _without(_SLOT.sub(" it ", text), names)
    if _MARKUP.search(words) or len(text) > MOST_CHARACTERS:
        return "Write a few plain sentences, without markup or links."
    if re.search(r"\d", words) or find_numerals(words):
        return "Write no numbers of your own, neither digits nor words; use the slots."
    if not sees_values and (claims := find_directions(words)):
        return f"“{words[claims[0].start : claims[0].end]}” claims what you cannot know: leave it out."
    return None


def filled(
    text: str, facts: Mapping[str, Fact], names: Collection[str], *, bound: bool = False
) -> str | None:
    """The conclusion with figures in place of slots; None where it says what no fact supports.

    Args:
        text: The conclusion.
        facts: What each slot stands for; tables are called by their names.
        names: Names whose digits claim nothing.
        bound: Whether directions have to be supported too, as a model that sees values may tell them.
    """
    told = _SLOT.sub(lambda m: fact_figure(facts[m[1]]) if m[1] in facts else f"the table {m[1]}", text)
    told = " ".join(told.split())
    if bound and any(not c.ok for c in NumberBinding().bind(told, list(facts.values()), names)):
        return None
    return PiiDetector().mask(told)


def listed(facts: Sequence[Fact]) -> str:
    """The findings one by one, as lines that need no writer."""
    detector = PiiDetector()
    return "\n".join(detector.mask(f"{_spoken(f.name)}: {fact_figure(f)}.") for f in facts)


def _spoken(name: str) -> str:
    words = name.replace("_", " ").replace(".", " ").strip()
    return words[:1].upper() + words[1:]


def _without(text: str, names: Collection[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        if re.search(r"\d", name):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "it", text)
    return text
