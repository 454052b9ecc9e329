"""Things that are only said to be there: “people who entered one of our races”, “finished a race”."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import Word
from gnomon.semantic import DimensionType

_ANY = frozenset({"a", "an", "any"})
_OURS = frozenset({"our", "the", "these", "your", "my", "their", "those"})
_GROUPS = (DimensionType.CATEGORY, DimensionType.TEXT)


def without_any_thing(cover: Sequence[Item], words: Sequence[Word], names: Names) -> list[Item]:
    """The items with a category that every row has put as saying nothing, where any of its values will do.

    Only behind what is counted: “how many entered a race” asks neither for one race nor for each of them.
    """
    counts = [i for i, x in enumerate(cover) if x.op(Op.COUNT)]
    first = counts[0] if counts else len(cover)
    for item in cover[first + 2 :]:
        group = names.dimension(item, *_GROUPS) if item.links and not item.values else None
        if group is None or group.nullable or item.number is not None:
            continue
        rows = item.named(LinkKind.TABLE)
        done_by = item.start > 1 and words[item.start - 2].lower == "by"  # "scored by a team"
        if rows is not None and not done_by and any(j.to_table == rows.name for j in names.model.joins):
            continue  # "tickets that have an agent": rows may refer to none
        if _is_any(words, item) and not _is_told_of(words, item):
            item.links, item.operator, item.used = (), Operator(Op.FILLER), True
    return list(cover)


def _is_any(words: Sequence[Word], item: Item) -> bool:
    before = [w.lower for w in words[max(0, item.start - 3) : item.start]]
    one = len(before) == 3 and before[:2] == ["one", "of"] and before[2] in _OURS
    least = [w.lower for w in words[max(0, item.start - 5) : item.start - 3]] == ["at", "least"]
    return bool(_ANY & {*before[-1:]}) or (one and not least)


def _is_told_of(words: Sequence[Word], item: Item) -> bool:
    """“a race in Leeds”, “a club with …”, “a race day”: more is said of it than that it is there."""
    behind = words[item.end] if item.end < len(words) else None
    return (
        behind is not None
        and behind.kind != "symbol"
        and behind.lower not in {"in", "during", "since", "and", "or", "again"}
    )
