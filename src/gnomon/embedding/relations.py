"""How the meanings of two English words are related: the same, one a kind of the other, derived, opposites, sisters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from gnomon.embedding.lexicon import get_lexicon


class Relation(StrEnum):
    """What the first word is to the second."""

    SAME = "same"
    DERIVED = "derived"
    KIND_OF = "kind_of"
    BROADER = "broader"
    SISTER = "sister"
    OPPOSITE = "opposite"


@dataclass(frozen=True)
class Related:
    """A relation, and the shares of both words' use that stand in it; ``steps`` apart in kinds of kinds."""

    relation: Relation
    said: float
    meant: float
    steps: int = 0
    topic: int = 0

    @property
    def strength(self) -> float:
        """The smaller of the shares."""
        return min(self.said, self.meant)


MAX_STEPS = 3
_PARTS = frozenset("nva")


@dataclass(frozen=True)
class _Profile:
    """What a word may mean, with the share of each meaning: itself, what it is a kind of, and its next wider one."""

    own: Mapping[int, float]
    above: Mapping[int, tuple[float, int]]
    next: Mapping[int, tuple[float, int]]


@lru_cache(maxsize=8192)
def relate(said: str, meant: str) -> tuple[Related, ...]:
    """Every relation between two words, the strongest of each sort; inflected forms are looked up by their bases."""
    one, other = _profile(said), _profile(meant)
    found: dict[Relation, Related] = {}

    def add(new: Related) -> None:
        old = found.get(new.relation)
        if old is None or _worth(new) > _worth(old):
            found[new.relation] = new

    topic = get_lexicon().synset
    for s in one.own.keys() & other.own.keys():
        add(Related(Relation.SAME, one.own[s], other.own[s], topic=topic(s).topic))
    for s in one.above.keys() & other.own.keys():
        share, steps = one.above[s]
        add(Related(Relation.KIND_OF, share, other.own[s], steps, topic(s).topic))
    for s in one.own.keys() & other.above.keys():
        share, steps = other.above[s]
        add(Related(Relation.BROADER, one.own[s], share, steps, topic(s).topic))
    for s in one.next.keys() & other.next.keys():
        (mine, below), (theirs, beside) = one.next[s], other.next[s]
        if below != beside:
            add(Related(Relation.SISTER, mine, theirs, 1, topic(below).topic))
    for relation, shares in _ties(one, other, said, meant):
        add(Related(relation, *shares))
    return tuple(sorted(found.values(), key=lambda r: -r.strength))


def _worth(related: Related) -> tuple[float, float]:
    return related.strength / (1 + related.steps), related.said


@lru_cache(maxsize=8192)
def _profile(word: str) -> _Profile:
    lexicon = get_lexicon()
    own: dict[int, float] = {}
    for base, part in lexicon.bases(word):
        for sense in lexicon.entry(base).senses if part in _PARTS else ():
            if sense.part == part:
                own[sense.synset] = max(sense.share, own.get(sense.synset, 0))
    above: dict[int, tuple[float, int]] = {}
    next_: dict[int, tuple[float, int]] = {}
    for synset, share in own.items():
        for wider, steps in lexicon.ancestors(synset, MAX_STEPS).items():
            if wider not in above or share / (1 + steps) > above[wider][0] / (1 + above[wider][1]):
                above[wider] = (share, steps)
        for wider in lexicon.synset(synset).broader:
            if wider not in next_ or share > next_[wider][0]:
                next_[wider] = (share, synset)
    return _Profile(own, above, next_)


@lru_cache(maxsize=4096)
def kindred(one: str, other: str) -> bool:
    """Whether two words belong to one family of derivations: donors and donations, riders and rides."""
    mine, theirs = family(one), family(other)
    return bool(mine & theirs) or bool({_trunk(w) for w in mine} & {_trunk(w) for w in theirs} - {""})


_SUFFIXES = (
    "ation",
    "ition",
    "ment",
    "ness",
    "tion",
    "sion",
    "ate",
    "age",
    "ing",
    "er",
    "or",
    "ee",
    "al",
    "e",
)


def _trunk(word: str) -> str:
    """A word without the ending that makes it a doer or a deed: don-or, don-ation; empty where little is left."""
    ending = next((s for s in _SUFFIXES if word.endswith(s)), "")
    trunk = word.removesuffix(ending)
    return trunk if len(trunk) > 2 else ""


@lru_cache(maxsize=4096)
def family(word: str) -> frozenset[str]:
    """The bases of a word, and what is derived from them in one step."""
    lexicon = get_lexicon()
    bases = {base for base, _ in lexicon.bases(word)}
    return frozenset(bases | {tie.word for base in bases for tie in lexicon.entry(base).derived})


def _ties(
    one: _Profile, other: _Profile, said: str, meant: str
) -> list[tuple[Relation, tuple[float, float]]]:
    """Derivations and opposites between the two words."""
    lexicon = get_lexicon()
    bases = {base for base, _ in lexicon.bases(meant)}
    found: list[tuple[Relation, tuple[float, float]]] = []
    for base, _ in lexicon.bases(said):
        entry = lexicon.entry(base)
        for relation, ties in ((Relation.DERIVED, entry.derived), (Relation.OPPOSITE, entry.opposites)):
            found += [
                (relation, (one.own[tie.source], other.own[tie.target]))
                for tie in ties
                if tie.word in bases and tie.source in one.own and tie.target in other.own
            ]
    return found


_PERSONS = 18


@lru_cache(maxsize=4096)
def person_share(word: str) -> float:
    """How much of the use of a word as a noun means persons."""
    lexicon, found = get_lexicon(), 0.0
    for base, part in lexicon.bases(word):
        senses = [s for s in lexicon.entry(base).senses if s.part == "n"] if part == "n" else []
        persons = sum(s.share for s in senses if lexicon.synset(s.synset).topic == _PERSONS)
        found = max(found, persons / sum(s.share for s in senses)) if senses else found
    return found
