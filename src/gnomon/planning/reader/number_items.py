"""Numbers in a question, alone and with the unit that follows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from gnomon.core.patterns import regex
from gnomon.language import find_quantities
from gnomon.language.quantities import Quantity, Unit
from gnomon.planning.reader.lattice import Item, Number
from gnomon.planning.reader.lengths import unit_of_time
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.percentiles import covering
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import Word
from gnomon.semantic.units import unit_behind

DEGREES = frozenset({"degree", "degrees", "celsius", "fahrenheit", "centigrade"})


def _single(words: Sequence[Word]) -> list[Item]:
    """“longer than an hour”, “over a week”: behind a comparing word, one of a unit; “half an hour” is half of one."""
    found: list[Item] = []
    for i, word in enumerate(words):
        if word.lower in ADVERBS and i and words[i - 1].lower in _COMPARING:
            found.append(Item(i, i + 1, number=Number(ADVERBS[word.lower])))
        if word.lower == "single" and i and words[i - 1].lower == "a":
            had = i > 1 and words[i - 2].lower in _HAVING and words[max(0, i - 3)].lower not in _DENYING
            found += [Item(i - 1, i + 1, number=Number(1.0))] if had else []
    for i in range(1, len(words) - 1):
        half = words[i - 1].lower == "half"
        before = words[i - 2 if half else i - 1].lower if i > int(half) else ""
        article = words[i].lower in {"a", "an"} and unit_of_time(words[i + 1].lower) is not None
        after = tuple(w.lower for w in words[i + 2 : i + 4])
        ended = (
            after[:1] == ("or",) and (known := operators().get(after)) is not None and known.op is Op.OR_MORE
        )
        if article and (before in _COMPARING or ended):
            one = Number(0.5 if half else 1.0, unit=unit_of_time(words[i + 1].lower))
            found.append(Item(i - int(half), i + 2, number=one))
    return found


_HAVING = frozenset({"have", "has", "had", "with", "having", "only"})
_DENYING = frozenset({"not", "never", "n't", "hardly", "without"})
ADVERBS = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_COMPARING = frozenset(
    {"than", "over", "under", "above", "below", "least", "most", "exceeding", "within", "to"}
)


def number_items(question: str, words: Sequence[Word], vocabulary: Vocabulary) -> list[Item]:
    """Numbers alone, and with the unit that follows, so that "30 minutes" leaves no word unexplained."""
    found: list[Item] = []
    for quantity in find_quantities(question):
        span = covering(words, quantity.start, quantity.end)
        if not span:
            continue
        start, end = span
        number = Number(
            quantity.value, quantity.unit is Unit.PERCENT, unit=_unit_within(quantity, words[end - 1])
        )
        found.append(Item(*span, number=number))
        following = words[end].lower if end < len(words) else ""
        if (
            quantity.unit is Unit.NONE
            and not vocabulary.named(following)
            and (unit := unit_behind(following))
        ):
            found.append(Item(start, end + 1, number=replace(number, unit=unit)))
        if quantity.unit not in (Unit.NONE, Unit.PERCENT) and end - start > 1:
            found.append(Item(start, end - 1, number=number))
        degrees = next(
            (k for k in range(end, len(words) + 1) if k == len(words) or words[k].lower not in DEGREES), end
        )
        if degrees > end:
            found.append(Item(start, degrees, number=number))
    found += _single(words)
    covered = {i for item in found for i in range(item.start, item.end)}
    for i, word in enumerate(words):
        if word.kind == "number" and i not in covered and word.lower.isdigit():
            value = float(word.lower)
            found += [Item(i, i + 1, number=Number(value))] if math.isfinite(value) else []
    return found


_GLUED = regex(r"[\d.,]+([a-z]+)")


def _unit_within(quantity: Quantity, word: Word) -> str | None:
    """The unit that is written into a number (2kg, 1.8m), or said with it (2 hours)."""
    if quantity.unit not in (Unit.NONE, Unit.PERCENT, Unit.SIGMA):
        return str(quantity.unit)
    glued = _GLUED.fullmatch(word.lower)
    return unit_behind(glued[1]) if glued else None
