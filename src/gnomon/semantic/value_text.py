"""Values and questions in one spelling: case, accents, punctuation and plural aside; and how far two words are apart."""

from __future__ import annotations

import re
import unicodedata

from gnomon.semantic.model import singular

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
JOINING = frozenset({"and", "the", "of", "de", "la"})


def normalised(text: str) -> list[str]:
    """The words of a text in lower case, without accents and punctuation; ``don't`` is one word."""
    text = text.replace("'", "").replace("’", "")
    if not text.isascii():
        folded = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in folded if not unicodedata.combining(c))
    return _WORD.findall(text.casefold())


def stemmed(words: list[str]) -> list[str]:
    """The words in the singular."""
    return [singular(w) if len(w) > 3 else w for w in words]


def letters(text: str) -> int:
    """Which letters occur, as bits: texts a few edits apart differ in few bits."""
    mask = 0
    for c in text:
        mask |= 1 << (ord(c) & 63)
    return mask


def distance(a: str, b: str, most: int) -> int:
    """Edits (insert, delete, replace, swap neighbours) from ``a`` to ``b``; ``most + 1`` when it takes more."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        following = [i]
        for j, y in enumerate(b, start=1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        if min(following) > most:
            return most + 1
        before, row = row, following
    return row[-1]
