"""Labels and conditions as people write them: plural, singular, quoted names, bounds in words."""

from __future__ import annotations

import re
from functools import lru_cache

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.patterns import regex

DAY_OF_MONTH = "day of the month"


def quoted(column: str) -> str:
    """A column's name as expressions write it: in backticks where it is not a plain word."""
    return column if re.fullmatch(r"[A-Za-z_]\w*", column) else f"`{column}`"


AGAINST = {"mean": "the average", "median": "the median", "min": "the lowest", "max": "the highest"}


_NUMBERS = {
    FilterOperator.GREATER: "more than",
    FilterOperator.LESS: "fewer than",
    FilterOperator.AT_LEAST: "at least",
    FilterOperator.AT_MOST: "at most",
    FilterOperator.EQUALS: "exactly",
}


def number_in_words(given: Filter, things: str) -> str | None:
    """A condition on how many things there are: no orders, more than 5 orders; None where it has to be said otherwise."""
    if given.relative is not None or given.operator not in _NUMBERS:
        return None
    if given.values == (0,) and given.operator in (FilterOperator.EQUALS, FilterOperator.GREATER):
        return f"{'no' if given.operator is FilterOperator.EQUALS else 'some'} {things}"
    head, behind, rest = things.partition(" with ")
    counted = f"{singular(head)}{behind}{rest}" if given.values == (1,) else things
    said = _in_unit(v, None) if isinstance(v := given.values[0], float | int) else str(v)
    return f"{_NUMBERS[given.operator]} {said} {counted}"


def bound_in_words(given: Filter, unit: str | None = None) -> str:
    """A condition on a number as people say it, in its unit; fractions are said in percent."""
    numbers = [_in_unit(v, unit) if isinstance(v, float | int) else str(v) for v in given.values]
    said = {
        FilterOperator.GREATER: "above",
        FilterOperator.LESS: "below",
        FilterOperator.AT_LEAST: "of at least",
        FilterOperator.AT_MOST: "of at most",
        FilterOperator.EQUALS: "of exactly",
        FilterOperator.NOT_EQUALS: "other than",
        FilterOperator.BETWEEN: "between",
        FilterOperator.OUTSIDE: "outside",
    }
    if given.relative is not None:  # in signs: words of direction are for findings
        times = f" multiplied by {given.values[0]:g}" if given.values else ""
        return f"{given.operator} {AGAINST[given.relative.how]}{times}"
    return f"{said.get(given.operator, given.operator.value)} {' and '.join(numbers)}"


def _in_unit(value: float, unit: str | None) -> str:
    if unit == "fraction":
        return f"{100 * value:,.10g} %"
    number = f"{value:,.15g}"
    return f"{number} {unit}" if unit else number


_LOOSE_ENDS = frozenset({"by", "to", "at", "on", "in", "for", "from", "of", "with"})


def plural(label: str) -> str:
    """The last word of ``label`` in the plural; “assigned to” has none, only values."""
    if label.rpartition(" ")[2].lower() in _LOOSE_ENDS:
        return f"values of {label}"
    if _SAME.search(label) or _ARE_OWN.search(label):
        return label
    if (own := _OF_OWN.search(label)) is not None:
        return f"{label[: own.start()]}{_OWN_PLURALS[own[0].lower()]}"
    if re.search(r"(s|x|z|ch|sh)$", label):
        return label if label.endswith("s") and not label.endswith("ss") else f"{label}es"
    if re.search(r"[^aeiou]y$", label):
        return f"{label[:-1]}ies"
    return f"{label}s"


# Words that are the same for one and for many.
_SAME = regex(
    r"\b(species|series|means|news|headquarters|crossroads|staff|personnel|aircraft|spacecraft|sheep|livestock|equipment|cattle)$",
    re.IGNORECASE,
)
# Words with plurals of their own.
_OWN_PLURALS = {
    "child": "children", "man": "men", "woman": "women", "foot": "feet", "tooth": "teeth", "mouse": "mice", "goose": "geese",
}  # fmt: skip
_OF_OWN = regex(rf"\b(?:{'|'.join(_OWN_PLURALS)})$", re.IGNORECASE)
_OWN_SINGULARS = {many: one for one, many in _OWN_PLURALS.items()}
_ARE_OWN = regex(rf"\b(?:{'|'.join(_OWN_SINGULARS)})$", re.IGNORECASE)
# Words whose singular ends in -ie.
_IN_IE = regex(
    r"\b(mov|cook|calor|t|p|l|self|zomb|rook|brown|smooth|hood|gen|prair|sort|aunt|goal|boog|cool|food|newb)ies$"
)


def has_own_plural(label: str) -> bool:
    """Whether the last word is the plural of one that has its own: children, women."""
    return _ARE_OWN.search(label) is not None


@lru_cache(maxsize=16_384)
def singular(label: str) -> str:
    """The last word of ``label`` in the singular, by the usual endings."""
    if _SAME.search(label):
        return label
    if (own := _ARE_OWN.search(label)) is not None:
        return f"{label[: own.start()]}{_OWN_SINGULARS[own[0].lower()]}"
    if _IN_IE.search(label):
        return label[:-1]
    if re.search(r"[^aeiou]ies$", label):
        return f"{label[:-3]}y"
    if re.search(r"(ches|shes|sses|xes|zes)$", label):
        return label[:-2]
    if label.endswith("s") and not re.search(r"(ss|us|is)$", label):
        return label[:-1]
    return label


def one_of(label: str, unit: str | None = None) -> str:
    """What one thing below the line of a ratio is called: a shop with sales, of the number of shops with sales.

    Args:
        label: Of the metric below the line.
        unit: The unit that it is told in, where that is another than it is held in.
    """
    for said in ("number of ", "different ", "total "):
        label = label.removeprefix(said)
    things, joined, rest = (unit or label).partition(" with ")
    return f"{singular(things)}{joined}{plural(rest) if rest else ''}"


def ordinal(number: float) -> str:
    """A number as a place: 1st, 2nd, 75th."""
    whole = int(number)
    ending = "th" if whole % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(whole % 10, "th")
    return f"{number:g}{ending}"


_VOWEL = regex(r"(?!(?:uni|use|usu|uti|eu|one\b|once\b)|u[bcdfghjklmnpqrstvwxyz](?:[aeiou]))[aeiou]|(?:hour|honest|honou?r|heir)", re.IGNORECASE)  # fmt: skip


def an(noun: str) -> str:
    """A noun with its article: an animal name, a user, an hour."""
    return f"an {noun}" if _VOWEL.match(noun) else f"a {noun}"
