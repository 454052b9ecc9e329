"""Prose by a language model: written around the names of facts, filled in here, checked by the caller."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from gnomon.answering.words import fact_figure
from gnomon.core.answer import Fact
from gnomon.core.errors import NotFound
from gnomon.core.parts import Parts
from gnomon.core.patterns import late_pattern

_SLOT = late_pattern(r"\{\{\s*(?:fact\.)?([\w.]+)\s*\}\}")


class Slot(NamedTuple):
    """What a writer may know of a fact: its name and unit, never its value."""

    name: str
    unit: str | None


class Writer(Protocol):
    """Writes one or two sentences around slots; None leaves the template in place."""

    def write(self, request: Parts, slots: Sequence[Slot]) -> str | None:
        """Sentences in which each number is a slot such as ``{{fact.revenue.current}}``."""
        ...


def slots_of(facts: Sequence[Fact]) -> tuple[Slot, ...]:
    """The facts without their values."""
    return tuple(Slot(f.name, f.unit) for f in facts)


def fill_slots(text: str, facts: Sequence[Fact]) -> str:
    """The text with the value of each fact in place of its slot.

    Raises:
        NotFound: A slot names no fact.
    """
    by_name = {f.name: f for f in facts}

    def filled(match: re.Match[str]) -> str:
        fact = by_name.get(match[1])
        if fact is None:
            raise NotFound.among("fact", match[1], by_name)
        return fact_figure(fact)

    return _SLOT.sub(filled, text)


def written(writer: Writer, request: Parts, facts: Sequence[Fact]) -> str | None:
    """A writer's prose with its slots filled, or None where it cannot be trusted.

    A number outside of a slot is the writer's own invention, so such prose is dropped.
    """
    text = writer.write(request, slots_of(facts))
    if not text or not _SLOT.search(text) or re.search(r"\d", _SLOT.sub("", text)):
        return None
    try:
        return fill_slots(text, facts).strip()
    except NotFound:
        return None
