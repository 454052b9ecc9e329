"""What is told before a question and asks for nothing: “I'm putting together a slide on advertising. How much …”."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.core.patterns import regex
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.speech import Aside
from gnomon.planning.reader.words import Word

_END = regex(r"(?<=[a-z0-9)”\"'])[.!]\s+(?=[A-Z])")
_TELLERS = vocabulary(
    "i i'm i've i'd we we're we've they he she someone somebody everyone everybody people folks"
)
_ASKING = vocabulary(
    """what which how who whose when where why whether show list give tell count compute calculate find compare need want
    wants like know wonder wondering curious interested ask asking please only excluding except without ignore ignoring
    consider considering assume assuming suppose let take use using include including limit restrict focus"""
)


def told_sentences(question: str, words: Sequence[Word], cover: Sequence[Item]) -> list[Aside]:
    """The sentences before the question that only tell something.

    One is kept where it asks, names a value or a group, or tells a period that the question does not tell anew.
    """
    ends = [m.end() for m in _END.finditer(question)]
    stop = 0
    for start, end in zip([0, *ends], ends, strict=False):
        own = {w.lower for w in words if start <= w.start < end}
        if not _TELLERS & own or _ASKING & own or "?" in question[start:end]:
            break
        stop = end
    before = [item for item in cover if words[item.start].start < stop]
    behind = [item for item in cover if words[item.start].start >= stop]
    timed = any(item.time is not None for item in behind)
    if not stop or not any(map(_is_of_data, behind)) or any(_restricts(x, timed) for x in before):
        return []
    last = next((i for i, w in enumerate(words) if w.start >= stop), len(words))
    return [Aside(question[:stop].strip(), 0, last)]


def _is_of_data(item: Item) -> bool:
    return bool(item.links or item.values or item.association)


def _restricts(item: Item, timed: bool) -> bool:
    """Whether what is told could be a condition on what is asked."""
    if item.time is not None:
        return not timed
    named = bool(item.values) and not item.links
    return named or item.number is not None or item.op(Op.BY, Op.EACH, Op.PER, Op.EXCLUDE, Op.RANK)


def is_preamble(word: Word, words: Sequence[Word], cover: Sequence[Item]) -> bool:
    """Whether a word belongs to what the asker says about themselves before or after the question."""
    opening = {"what", "which", "how", "who", "show", "list", "give", "when"}
    asks = next((i for i, w in enumerate(words) if w.lower in opening), None)
    at = next(i for i, w in enumerate(words) if w is word)
    if asks is None or at > asks:
        return False
    before = words[:asks]
    bound = any(item.end <= asks and (item.links or item.values) for item in cover)
    return not bound and any(w.lower in {"i", "i'm", "my", "i'd", "me"} for w in before)
