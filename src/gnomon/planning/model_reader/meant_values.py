"""The one value of a column that a text means in other words: waiting on parts, of Awaiting Parts; Minnesota, of MN."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.embedding import get_encoder
from gnomon.embedding.relations import Relation, kindred, relate
from gnomon.language.demonyms import places_of
from gnomon.language.place_names import countries, states
from gnomon.planning.reader.words import stem
from gnomon.semantic.value_text import normalised

MOST = 400
"""Of a column with more values, a text means none that it does not say."""
LIKE, SHARED, APART, NEAR = 0.6, 0.4, 0.2, 0.6
_SAME, _OTHER_WORDS, _BEGINNING = 0.3, 0.85, 4
_LIGHT = frozenset(["the", "a", "an", "of", "on", "in", "at", "to", "for", "by", "from", "with", "is", "are", "was", "were", "be", "been",
                    "has", "have", "had", "or", "and", "their", "its"])  # fmt: skip
_DENIED = frozenset(["not", "no", "never", "none", "non", "without", "nobody", "nothing", "neither", "un"])


def meant_value(text: str, held: Sequence[str]) -> str | None:
    """The value that a text means, where it is like one of them and clearly less like every other."""
    if not 0 < len(held) <= MOST or not text.strip():
        return None
    if (place := _place(text, held)) is not None:
        return place
    denied = _denies(normalised(text))
    open_to = [v for v in held if _denies(normalised(v)) == denied and not _opposed(text, v)]
    likeness = sorted(((_likeness(text, v), v) for v in open_to), reverse=True)
    if not likeness or likeness[0][0] < SHARED or [n for n, _ in likeness[1:2] if likeness[0][0] - n < APART]:
        return None
    best = likeness[0][1]
    return best if likeness[0][0] >= LIKE or _near(text, best) else None


def _place(text: str, held: Sequence[str]) -> str | None:
    """A state or country by another of its names."""
    said = " ".join(normalised(text))
    names = {n for names in (*states(), *countries()) if said in names for n in names} | {*places_of(said)}
    found = [v for v in held if v.strip().casefold() in names]
    return found[0] if len(found) == 1 else None


def _denies(words: Sequence[str]) -> bool:
    return not _DENIED.isdisjoint(words)


def _opposed(text: str, value: str) -> bool:
    """Whether a word of one is the opposite of a word of the other: paid and unpaid, won and lost."""
    mine, theirs = _content(text), _content(value)
    return any(
        f"un{a}" == b or f"un{b}" == a or any(r.relation is Relation.OPPOSITE for r in relate(a, b))
        for a in mine
        for b in theirs
    )


def _content(text: str) -> list[str]:
    words = normalised(text)
    return [w for w in words if w not in _LIGHT] or words


def _likeness(text: str, value: str) -> float:
    """How far the words of both stand for each other, from none to all of them."""
    mine, theirs = _content(text), _content(value)
    if not mine or not theirs:
        return 0.0
    if len(mine) > 1 and "".join(w[0] for w in mine) == "".join(theirs):
        return 1.0
    there = sum(max(_alike(w, v) for v in theirs) for w in mine)
    back = sum(max(_alike(w, v) for w in mine) for v in theirs)
    return (there + back) / (len(mine) + len(theirs))


def _alike(one: str, other: str) -> float:
    if stem(one) == stem(other):
        return 1.0
    shorter, longer = sorted((one, other), key=len)
    if (len(shorter) >= _BEGINNING and longer.startswith(shorter)) or kindred(one, other):
        return _OTHER_WORDS
    ties = relate(one, other)
    same = max((r.strength for r in ties if r.relation is Relation.SAME), default=0.0)
    return _OTHER_WORDS if same >= _SAME else 0.0


def _near(text: str, value: str) -> bool:
    """Whether texts that share some of their words mean about the same as a whole."""
    said, held = get_encoder().encode([text, " ".join(normalised(value))])
    return float(said @ held) >= NEAR
