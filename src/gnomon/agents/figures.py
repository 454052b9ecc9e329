"""Values and names as sentences write them, over the plain figures of :mod:`gnomon.core.figures`."""

from __future__ import annotations

from typing import Any

from gnomon.core.answer import Fact
from gnomon.core.figures import (
    FRACTION,
    PERCENT,
    POINTS,
    POINTS_IN,
    UNKNOWN,
    currency,
    figure,
    group_name,
    listed,
    moment,
    number,
    sentence,
    told_apart,
)
from gnomon.core.patterns import regex
from gnomon.planning.reader.people import is_person_noun
from gnomon.semantic.model import plural

__all__ = [
    "FRACTION",
    "PERCENT",
    "POINTS",
    "POINTS_IN",
    "UNKNOWN",
    "counted",
    "currency",
    "fact_figure",
    "figure",
    "group_name",
    "labelled",
    "listed",
    "moment",
    "number",
    "ordinal",
    "sentence",
    "side_of",
    "told_apart",
]

_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def fact_figure(fact: Fact) -> str:
    """The value of a fact in its unit."""
    return figure(fact.value, fact.unit)


_NUMERIC = regex(r"[-+]?\d[\d.,]*")


def labelled(value: Any, label: str) -> str:
    """The value of a dimension as a sentence names it; one that is only digits stands behind what it is: zone 4."""
    if str(value) in _SIDES:
        return side_of(label, _SIDES[str(value)])
    name = group_name(value)
    return f"{label} {name}" if _NUMERIC.fullmatch(name) else name


_SIDES = {"True": True, "False": False}


def side_of(label: str, holds: bool) -> str:
    """One side of a flag as a sentence names it: members and non-members, premium yes and premium no."""
    if is_person_noun(label) and not label.endswith("ed"):  # the insured are no insureds
        return plural(label) if holds else f"non-{plural(label)}"
    return f"{label} {group_name(holds)}"


def counted(count: int, noun: str) -> str:
    """A count with its noun: no rows, 1 row, 2 rows."""
    return f"no {plural(noun)}" if count == 0 else f"{count:,} {noun if count == 1 else plural(noun)}"


def ordinal(place: int) -> str:
    """A place in an order: second, third, 11th, 22nd."""
    if place <= len(_PLACES):
        return _PLACES[place - 1]
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"
