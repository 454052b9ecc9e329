"""Names that only look like what was said: “no claims”, of a column of no-claims years, “deliveries on”, of a day."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word
from gnomon.semantic import DimensionType

_DENYING = frozenset({"no", "non"})
_PLACING = frozenset({"on", "at", "in"})
_THINGS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)


def without_lookalikes(
    question: str, items: Sequence[Item], words: Sequence[Word], vocabulary: Vocabulary
) -> list[Item]:
    """The items without names of columns that a denial or a preposition makes of what the rows are called."""
    for item in items:
        if _is_thing(item, items, vocabulary):
            item.operator = None
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


def _is_thing(item: Item, items: Sequence[Item], vocabulary: Vocabulary) -> bool:
    """“which peak is the highest”, of mountains: a column of things so called, unless it is the peak of a figure."""
    column = item.named(LinkKind.DIMENSION)
    if column is None or column.quality < 0.95 or not item.op(Op.AGGREGATE, Op.RANK):
        return False
    if vocabulary.model.dimension(column.name).type not in _THINGS:
        return False
    figures = (LinkKind.METRIC, LinkKind.TABLE)
    return not any(x.start == item.end and any(k.kind in figures for k in x.links) for x in items)
