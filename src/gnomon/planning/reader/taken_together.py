"""Things that are taken together: “all turbines together”, “all time, all channels” ask for one figure of all of them."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.words import Word

_ALL = frozenset({"all", "both", "every"})
_TOGETHER = frozenset({"together", "combined", "altogether", "overall"})
_BETWEEN = frozenset({"the", "our", "of", "put", "taken", "added"})
_ENDS = frozenset({",", ";", ")", ".", "?", "!"})


def without_all_of(cover: Sequence[Item], words: Sequence[Word], names: Names) -> list[Item]:
    """The items without nouns for all of something, which neither narrow nor group."""
    said = [w.lower for w in words]
    dropped = [x for x in cover if _is_group(x, names) and _is_all(x, said)]
    over = {k for x in dropped for k in range(max(0, x.start - 3), x.start) if said[k] in {"over", "across"}}
    return [x for x in cover if x not in dropped and not (x.start in over and x.end == x.start + 1)]


def _is_group(item: Item, names: Names) -> bool:
    return bool(item.links) and not item.values and names.dimension(item) is not None


def _is_all(item: Item, said: Sequence[str]) -> bool:
    start = item.start
    while start > 0 and said[start - 1] in _BETWEEN:
        start -= 1
    if not start or said[start - 1] not in _ALL:
        return False
    behind = [w for w in said[item.end : item.end + 2] if w not in _BETWEEN]
    if behind[:1] and behind[0] in _TOGETHER:
        return True
    # An aside between commas: “ad spend, all time, all channels”.
    opened = start >= 2 and said[start - 2] in {",", "(", ";"}
    closed = item.end >= len(said) or said[item.end] in _ENDS
    return opened and closed and said[start - 1] == "all"
