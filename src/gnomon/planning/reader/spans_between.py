"""“between booking and appointment”, “from order to delivery”: the time between two dates of a row, by what happened."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from gnomon.embedding.relations import kindred
from gnomon.planning.reader.abbreviations import shortens
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import FILLERS
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import ABBREVIATIONS, Word, name_words, segments, stem
from gnomon.semantic import SemanticModel
from gnomon.semantic.durations import ends_of, happening

_ENDS = {"between": frozenset({"and"}), "from": frozenset({"to", "until", "till"})}
_DATES = frozenset({"date", "dates", "day", "time", "being", "getting", "their", "its", "his", "her"})
_LONGEST = 4


def spans_between(words: Sequence[Word], model: SemanticModel) -> list[Item]:
    """The stretches of words that tell both ends of a time that the model measures."""
    spoken = [w.lower for w in words]
    found: list[Item] = []
    for i, word in enumerate(spoken):
        joints = [
            k for k in range(i + 2, min(i + 2 + _LONGEST, len(spoken))) if spoken[k] in _ENDS.get(word, ())
        ]
        for k in joints:
            for end in range(k + 2, min(k + 1 + _LONGEST, len(spoken)) + 1):
                links = _spanned(tuple(spoken[i + 1 : k]), tuple(spoken[k + 1 : end]), model)
                found += [Item(i, end, links=links)] if links else []
    return found


def _spanned(first: tuple[str, ...], last: tuple[str, ...], model: SemanticModel) -> tuple[Link, ...]:
    """The times whose ends are what the words say happened, in whichever order they are said."""
    found: list[str] = []
    for metric in model.metrics:
        span = ends_of(metric)
        if span is None:
            continue
        begins, ends = happening(span[2]), happening(span[1])
        if (tells(first, begins) and tells(last, ends)) or (tells(first, ends) and tells(last, begins)):
            found.append(metric.name)
    return (Link(LinkKind.METRIC, found[0], 0.95),) if len(found) == 1 else ()


def tells(said: tuple[str, ...], column: str) -> bool:
    """Whether words say what a column of dates is the date of, each of them."""
    content = [w for w in said if w not in FILLERS | _DATES or w in name_words(column)]
    parts = [part for w in name_words(column) for part in (segments(w) or (w,))]
    named = [w for w in parts if w not in _DATES] or [w for w in name_words(column) if w not in _DATES]
    return bool(content) and all(any(_is_form(w, n) for n in named) for w in content)


@lru_cache(maxsize=4096)
def _is_form(said: str, name: str) -> bool:
    whole = ABBREVIATIONS.get(name, name)
    cut = len(name) > 2 and len(said) > len(name) + 2 and said.startswith(name)
    return cut or stem(said) == stem(whole) or kindred(said, whole) or shortens(name, said)
