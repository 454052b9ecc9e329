"""Percentiles and quartiles of a question, alone or several of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gnomon.core.patterns import regex
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.words import Word

_PERCENTILE = regex(r"\b(\d{1,2})(?:st|nd|rd|th)?[\s-]+percentiles?(?:\s+of)?\b", re.IGNORECASE)
_BEFORE_PERCENTILE = regex(
    r"\b(\d{1,2})(?:st|nd|rd|th)(?=(?:\s*,?\s*(?:and|&)?\s*\d{1,2}(?:st|nd|rd|th))+[\s-]+percentiles?\b)",
    re.IGNORECASE,
)
_QUARTILE = regex(r"\b(?:(lower|first|1st)|upper|third|3rd)\s+quartile(?:\s+of)?\b", re.IGNORECASE)


_STAYING = regex(
    r"\b(?:that|which|where)\s+(?P<share>\d{1,2})\s?(?:%|percent|per\s?cent)\s+of\s+(?:(?:all|the|our|their|its)\s+)*[\w-]+\s+"
    r"(?:are|is|were|was|stay|stays|stayed|fall|falls|fell|lie|lies|lay|remain|remained|come|comes|came|sit|sits)?\s*(?:at\s+or\s+)?"
    r"(?P<side>below|under|above|over|beneath)\b(?=\s*(?:[?.!,;]|$|in\b|for\b))",
    re.IGNORECASE,
)


def percentiles(question: str, words: Sequence[Word]) -> list[Item]:
    """“90th percentile of …”, “10th and 90th percentiles”, “upper quartile”: aggregations named by their share."""
    said = [(m, int(m[1])) for p in (_PERCENTILE, _BEFORE_PERCENTILE) for m in p.finditer(question)]
    said += [(m, 25 if m[1] else 75) for m in _QUARTILE.finditer(question)]
    for match in _STAYING.finditer(question):  # "the fare that 90 % of trips stay below"
        share = int(match["share"])
        said.append((match, share if match["side"].lower() in {"below", "under", "beneath"} else 100 - share))
    found: list[Item] = []
    for match, percent in said:
        span = covering(words, match.start(), match.end())
        if span and percent > 0:
            found.append(Item(*span, operator=Operator(Op.AGGREGATE, f"p{percent}")))
    return found


def covering(words: Sequence[Word], start: int, end: int) -> tuple[int, int] | None:
    """The words that the characters [start, end) fall on."""
    inside = [i for i, w in enumerate(words) if w.start < end and w.end > start]
    return (inside[0], inside[-1] + 1) if inside else None
