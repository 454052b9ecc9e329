"""Names that only look like what was said: “no claims”, of a column of no-claims years, “deliveries on”, of a day."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word

_DENYING = frozenset({"no", "non"})
_PLACING = frozenset({"on", "at", "in"})


def without_lookalikes(
    question: str, items: Sequence[Item], words: Sequence[Word], vocabulary: Vocabulary
) -> list[Item]:
    """The items without names of columns that a denial or a preposition makes of what the rows are called."""
    return [
        x
        for x in items
        if not (_is_denied(question, x, words, vocabulary) or _is_placed(x, items, words, vocabulary))
    ]


def _is_denied(question: str, item: Item, words: Sequence[Word], vocabulary: Vocabulary) -> bool:
    """“policies with no claims”: none of the claims, unless the name goes on as it does in the data (no-claims years)."""
    if item.end - item.start < 2 or words[item.start].lower not in _DENYING or not item.links or item.values:
        return False
    rest = " ".join(w.lower for w in words[item.start + 1 : item.end])
    if not any(x.kind is LinkKind.TABLE and x.quality > 0.9 for x in vocabulary.named(rest)):
        return False
    first, second = words[item.start], words[item.start + 1]
    hyphen = question[first.end : second.start] == "-"
    behind = words[item.end].lower if item.end < len(words) else ""
    column = next((x.name for x in item.links if x.kind is LinkKind.DIMENSION), "")
    return not hyphen and (not behind or behind not in column.lower())


def _is_placed(item: Item, items: Sequence[Item], words: Sequence[Word], vocabulary: Vocabulary) -> bool:
    """“deliveries on 15 August”: the deliveries, and when; not a day called “delivered on”."""
    timed = any(x.time is not None and x.start == item.end for x in items)
    if item.end - item.start != 2 or words[item.end - 1].lower not in _PLACING or not item.links or not timed:
        return False
    return any(
        x.kind is LinkKind.TABLE and x.quality > 0.9 for x in vocabulary.named(words[item.start].lower)
    )
