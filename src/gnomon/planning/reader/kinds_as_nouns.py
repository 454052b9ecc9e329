"""“the lowest rated thriller”: a value that stands for the things of its kind, where a noun for them is left out."""

from __future__ import annotations

from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind

_NAMED = 0.8


def name_kinds(sentence: Sentence, names: Names) -> None:
    """Put the rows' own name behind a value that is ranked or asked for: one of them is meant, not a figure."""
    for i in range(len(sentence) - 1, -1, -1):
        item = sentence[i]
        if not item.values or item.links or item.operator is not None or item.values[0].kind not in _WHOLE:
            continue
        if not (_is_graded(sentence, i) or _is_chosen(sentence, i)) or _has_noun(sentence, i):
            continue
        if any(x.op(Op.WHICH, Op.WHEN) for x in sentence.items[i + 1 :]):
            continue  # "the heaviest pike, and who caught it": the one row is told with what is asked of it
        table = names.model.table(names.model.dimension(item.values[0].dimension).home.table)
        noun = Item(item.end, item.end, links=(Link(LinkKind.TABLE, table.name, 1.0),), text=table.label)
        called = names.dimension(noun)
        if called is not None and (called.distinct or 0) >= _NAMED * (table.rows or 1):
            sentence.items.insert(i + 1, noun)


_WHOLE = ("exact", "stem")


def _is_graded(sentence: Sentence, i: int) -> bool:
    """“the longest comedy”, “the lowest rated thriller”: right behind an adjective at its end."""
    before = sentence[i - 1] if i else None
    if before is None or before.association is None or before.links or before.end != sentence[i].start:
        return False
    rank = sentence[i - 2] if i > 1 else None
    ranked = rank is not None and rank.op(Op.RANK) and not rank.links and rank.end == before.start
    return before.association.superlative or ranked


def _is_chosen(sentence: Sentence, i: int) -> bool:
    """“which comedy is the longest”: right behind “which”, where something ranks."""
    before = sentence[i - 1] if i else None
    asked = before is not None and before.text.lower() == "which" and before.end == sentence[i].start
    graded = (x.association for x in sentence.items[i + 1 :] if x.association is not None and not x.links)
    ranks = any(x.op(Op.RANK) and not x.links for x in sentence.items[i + 1 :])
    return asked and (ranks or any(a.superlative for a in graded))


def _has_noun(sentence: Sentence, i: int) -> bool:
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    return (
        following is not None
        and following.start == sentence[i].end
        and bool(following.links or following.values)
    )
