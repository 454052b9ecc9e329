"""Dates called after what happened on them: the return date, the date of return, of a column called returned on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gnomon.embedding.relations import kindred
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.vocabulary import Link, LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, name_words
from gnomon.semantic import Dimension, DimensionType

_DAYS = frozenset({"date", "dates", "day"})
_STEPS = re.compile(
    r"\b(?P<by>by|per)\s+(?:the\s+)?(?P<noun>[a-z]+)\s+(?P<step>year|quarter|month|week)\b", re.IGNORECASE
)
_SURE = 0.95
_SHORTEST = 4


def date_names(words: Sequence[Word], vocabulary: Vocabulary) -> list[Item]:
    """Items over such names, where exactly one date is of that family of words and nothing else is called so."""
    said = [w.lower for w in words]
    found: list[Item] = []
    for i, word in enumerate(said):
        if word not in _DAYS:
            continue
        after = next(
            (k for k in range(i + 1, min(i + 4, len(said))) if said[k] not in {"of", "the", "a"}), None
        )
        of = after is not None and said[i + 1] == "of"
        spans = [(i, after + 1, said[after])] if after is not None and of else []
        spans += [(i - 1, i + 1, said[i - 1])] if i else []
        for start, end, noun in spans:
            named = vocabulary.named(" ".join(said[start:end]))
            dates = (
                [d for d in vocabulary.model.dimensions if _is_of(noun, d)] if len(noun) >= _SHORTEST else []
            )
            if len(dates) == 1 and all(x.name == dates[0].name for x in named):
                found.append(Item(start, end, links=(Link(LinkKind.DIMENSION, dates[0].name, _SURE),)))
    return found


def named_steps(question: str, vocabulary: Vocabulary) -> tuple[str, dict[str, str]]:
    """The question with “by launch year” put as by year of the launch date, and what was put so."""
    told: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        noun, step = match["noun"].lower(), match["step"].lower()
        dates = [d for d in vocabulary.model.dimensions if len(noun) >= _SHORTEST and _is_of(noun, d)]
        if len(dates) != 1 or any(x.quality > _SURE for x in vocabulary.named(f"{noun} {step}")):
            return match[0]
        told[f"{match['noun']} {match['step']}"] = f"{step} of {dates[0].label}"
        return f"{match['by']} {step} of {dates[0].label}"

    return _STEPS.sub(plain, question), told


def _is_of(noun: str, column: Dimension) -> bool:
    if column.type is not DimensionType.TIME:
        return False
    return any(len(w) >= _SHORTEST and kindred(noun, w) for w in name_words(column.label) if w not in _DAYS)
