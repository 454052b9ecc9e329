"""How the meanings of two English words are related: the same, one a kind of the other, derived, opposites, sisters."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from gnomon.embedding.lexicon import Lexicon, Sense, get_lexicon


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


@lru_cache(maxsize=4096)
def relate(said: str, meant: str) -> tuple[Related, ...]:
    """Every relation between two words, the strongest of each sort; inflected forms are looked up by their bases."""
    lexicon = get_lexicon()
    ours, theirs = _senses(lexicon, said), _senses(lexicon, meant)
    found: dict[Relation, Related] = {}

    def add(new: Related) -> None:
        old = found.get(new.relation)
        if old is None or (new.strength / (1 + new.steps), new.said) > (
            old.strength / (1 + old.steps),
            old.said,
        ):
            found[new.relation] = new

    for a in ours:
        above = lexicon.ancestors(a.synset, MAX_STEPS)
        for b in theirs:
            if a.synset == b.synset:
                add(Related(Relation.SAME, a.share, b.share, topic=lexicon.synset(a.synset).topic))
            elif b.synset in above:
                add(
                    Related(
                        Relation.KIND_OF, a.share, b.share, above[b.synset], lexicon.synset(a.synset).topic
                    )
                )
            else:
                below = lexicon.ancestors(b.synset, MAX_STEPS)
                if a.synset in below:
                    add(
                        Related(
                            Relation.BROADER,
                            a.share,
                            b.share,
                            below[a.synset],
                            lexicon.synset(b.synset).topic,
                        )
                    )
                elif set(lexicon.synset(a.synset).broader) & set(lexicon.synset(b.synset).broader):
                    add(Related(Relation.SISTER, a.share, b.share, 1, lexicon.synset(a.synset).topic))
    for relation, shares in _ties(lexicon, ours, theirs, said, meant):
        add(Related(relation, *shares))
    return tuple(sorted(found.values(), key=lambda r: -r.strength))


def _senses(lexicon: Lexicon, word: str) -> list[Sense]:
    """The senses of all words that ``word`` may be a form of, each with its share in that word's use."""
    best: dict[int, Sense] = {}
    for base, part in lexicon.bases(word):
        for sense in lexicon.entry(base).senses:
            if sense.part == part and (sense.synset not in best or best[sense.synset].share < sense.share):
                best[sense.synset] = sense
    return list(best.values())


def _ties(
    lexicon: Lexicon, ours: list[Sense], theirs: list[Sense], said: str, meant: str
) -> list[tuple[Relation, tuple[float, float]]]:
    """Derivations and opposites between the two words."""
    mine = {s.synset: s.share for s in ours}
    other = {s.synset: s.share for s in theirs}
    bases = {base for base, _ in lexicon.bases(meant)}
    found: list[tuple[Relation, tuple[float, float]]] = []
    for base, _ in lexicon.bases(said):
        entry = lexicon.entry(base)
        for relation, ties in ((Relation.DERIVED, entry.derived), (Relation.OPPOSITE, entry.opposites)):
            found += [
                (relation, (mine[tie.source], other[tie.target]))
                for tie in ties
                if tie.word in bases and tie.source in mine and tie.target in other
            ]
    return found
