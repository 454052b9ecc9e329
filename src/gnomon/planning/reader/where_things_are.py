"""Nouns for places, so that “where” can be answered: a lake, a station, a room; not a department or a team."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from gnomon.data.column_names import PLACE
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.draft import Doubt, Draft, PickSort, picks
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.words import name_words
from gnomon.semantic import DimensionType
from gnomon.semantic.model import singular

_MADE, _LOCATION, _NATURAL = 6, 15, 17
_BUILT = ("structure", "facility", "building", "way", "area")
_LIKELY = 0.25


def is_place_noun(label: str) -> bool:
    """Whether what a label is about is somewhere things can be or happen."""
    return place_share(label) >= _LIKELY


def add_place(draft: Draft, measures: Sequence[str], names: Names) -> None:
    """“where do we lose most”: the column of places that the measures can be told by, where there is one alone."""
    model = names.model
    places = [
        d for d in model.dimensions
        if d.type is DimensionType.CATEGORY and is_place_noun(d.label) and (d.distinct or 0) > 1
        and all(model.reaches(model.metric(m), d) for m in measures)
    ]  # fmt: skip
    if len(places) == 1:
        draft.add_dimension(places[0].name)
    elif places:
        meant = picks(PickSort.DIMENSION, "", (d.name for d in places[:4]))
        draft.doubts.append(Doubt("where", tuple(d.label for d in places[:4]), picks=meant))
    else:
        draft.unexplained.append("where")


def place_share(label: str) -> float:
    """How much of the use of a label's noun means places."""
    words = [w for w in name_words(label) if w not in {"name", "id", "code"}]
    noun = singular(words[-1]) if words else ""
    return 1.0 if noun in PLACE else _share(noun)


@lru_cache(maxsize=1024)
def _share(noun: str) -> float:
    lexicon = get_lexicon()
    found = 0.0
    for base, part in lexicon.bases(noun):
        senses = [s for s in lexicon.entry(base).senses if s.part == "n"] if part == "n" else []
        places = sum(s.share for s in senses if _is_place(s.synset))
        found = max(found, places / sum(s.share for s in senses)) if senses else found
    return found


def _is_place(synset: int) -> bool:
    lexicon = get_lexicon()
    topic = lexicon.synset(synset).topic
    built = topic == _MADE and bool(_built() & {synset, *lexicon.ancestors(synset)})
    return topic in (_LOCATION, _NATURAL) or built


@cache
def _built() -> frozenset[int]:
    """What is built to be in, in the senses of things that are made."""
    lexicon = get_lexicon()
    senses = (s for word in _BUILT for s in lexicon.entry(word).senses if s.part == "n")
    return frozenset(s.synset for s in senses if lexicon.synset(s.synset).topic in (_MADE, _LOCATION))
