"""How surely one word stands for another: the lexicon says how they are related, the sentence encoder must agree."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Related, Relation, kindred, relate
from gnomon.embedding.vocabulary import commonness
from gnomon.planning.reader.words import name_words

_PERSON = 18
# Animals, artefacts, groups of people and plants: what there are kinds of.
_THINGS = frozenset({5, 6, 14, 20})

_FULL_OF = 0.7


def likeness(said: str, meant: str) -> float:
    """How alike the encoder finds two words, alone and as something counted; the larger of both."""
    from gnomon.embedding import get_encoder

    encoder = get_encoder()
    pairs = ((said, meant), (f"number of {said}", f"number of {meant}"))
    return max(float(encoder.encode_one(a) @ encoder.encode_one(b)) for a, b in pairs)


def _of(said: str, meant: str, relation: Relation) -> Related | None:
    return next((r for r in relate(said, meant) if r.relation is relation), None)


def same(said: str, meant: str) -> float:
    """A synonym: the rarer the common meaning of either word, the surer the encoder must be."""
    related = _of(said, meant, Relation.SAME)
    if (
        related is None
        or related.strength < 0.002
        or is_person(said) != is_person(meant)
        or _inflects(said, meant)
    ):
        return 0.0
    needed = 0.5 if related.strength >= 0.3 else 0.68 if related.strength >= 0.06 else 0.8
    return 0.86 + 0.06 * related.strength if likeness(said, meant) >= needed else 0.0


def derived(said: str, meant: str) -> float:
    """Another form of the same word, but never who does it for what is done."""
    if _is_full_of(said, meant):
        return 0.86
    related = _of(said, meant, Relation.DERIVED)
    if meant.endswith(("er", "or")) and not said.endswith(("er", "or", "ers", "ors")):
        return 0.0  # who or what does it
    if (
        related is None
        or related.strength < 0.02
        or is_person(said) != is_person(meant)
        or _inflects(said, meant)
    ):
        return 0.0
    return 0.86 if likeness(said, meant) >= 0.72 else 0.0


def _is_full_of(said: str, meant: str) -> bool:
    """Sunny, of sun; icy, of ice; salty, of salt: the adjective of a noun, by its ending."""
    forms = (f"{meant}y", f"{meant}{meant[-1:]}y", f"{meant.removesuffix('e')}y")
    nouns, adjectives = get_lexicon().bases(meant), get_lexicon().bases(said)
    return (
        said in forms
        and any(part == "n" for _, part in nouns)
        and any(part == "a" for _, part in adjectives)
        and likeness(said, meant) >= _FULL_OF
    )


def broader(said: str, meant: str) -> float:
    """A wider word for the only such thing: workers, where the data has employees."""
    related = _of(said, meant, Relation.BROADER)
    if related is None or related.said < 0.15 or related.meant < 0.3 or related.steps > 2:
        return 0.0
    return 0.84 - 0.02 * related.steps if likeness(said, meant) >= 0.63 else 0.0


def plainer(said: str, meant: str) -> float:
    """A plain word for a rarer wide one: boats, where the data has vessels; never a rare kind of a common thing.

    Sedans are a kind of cars, and fewer than all of them; what is said more often than the wide word is its usual kind.
    """
    related = _of(said, meant, Relation.KIND_OF)
    if related is None or related.topic not in _THINGS or related.steps > 2:
        return 0.0
    if related.said < 0.3 or related.meant < 0.05:
        return 0.0
    usual = max((commonness(base) for base, _ in get_lexicon().bases(said)), default=0.0)
    wide = max((commonness(base) for base, _ in get_lexicon().bases(meant)), default=0.0)
    common = related.said * usual >= related.meant * wide
    return 0.8 if common and likeness(said, meant) >= 0.57 else 0.0


def repeats(said: str, labels: Iterable[str]) -> bool:
    """Whether a verb only says again what the names that are used say: games won by somebody, of their winner."""
    return is_verb(said) and any(
        kindred(said.lower(), w) for label in labels for w in name_words(label) if len(w) > 2
    )


@lru_cache(maxsize=4096)
def enacts(said: str, deed: str) -> bool:
    """Whether a verb does what rows of such a name are: what was flown, of flights; what was picked, of a harvest."""
    if not is_verb(said) or is_person(deed):
        return False
    if kindred(said, deed) or (alike := likeness(said, deed)) >= 0.82:
        return True
    one = _of(said, deed, Relation.SAME)
    if one is not None and one.strength >= 0.01 and alike >= 0.6:
        return True
    wide, beside = _of(said, deed, Relation.BROADER), _of(said, deed, Relation.SISTER)
    near = wide is not None and wide.said >= 0.2 and wide.meant >= 0.3
    near = near or (beside is not None and beside.said >= 0.12 and beside.meant >= 0.3)
    return near and alike >= 0.45


_YIELDS = ("harvest", "yield", "output", "haul", "production")
_KINDRED = (Relation.SAME, Relation.KIND_OF, Relation.BROADER, Relation.DERIVED)


@lru_cache(maxsize=4096)
def tells_yield(said: str) -> bool:
    """Whether a word says that something was brought in or made, or what comes of it: harvested, crop, output."""
    return any(r.relation in _KINDRED and r.said >= 0.12 for noun in _YIELDS for r in relate(said, noun))


_GENERIC = frozenset({"row", "log", "record", "entry", "line", "list", "history", "item", "event", "table"})


def deed_of(label: str) -> str:
    """The noun in what rows are called that may be a deed: the last one but for words that mean rows (a harvest log)."""
    words = name_words(label)
    return next((w for w in reversed(words) if w not in _GENERIC), words[-1] if words else "")


def is_plural(text: str) -> bool:
    """Whether the last word of a text is a noun in the plural: girls, women, families."""
    return any(
        base != last and part == "n"
        for last in text.lower().split()[-1:]
        for base, part in get_lexicon().bases(last)
    )


def is_verb(word: str) -> bool:
    """Whether a word may be a form of a verb."""
    return any(part == "v" for _, part in get_lexicon().bases(word.lower()))


def _inflects(said: str, meant: str) -> bool:
    """Whether one is the other with -ing: a rating is not a rate, marketing is not a market."""
    lexicon = get_lexicon()
    common = {base for base, _ in lexicon.bases(said)} & {base for base, _ in lexicon.bases(meant)}
    return bool(common) and said.endswith("ing") != meant.endswith("ing")


def compares(word: str) -> bool:
    """Whether a word is a comparative or superlative, which says more than its base."""
    bases = get_lexicon().bases(word)
    return any(part == "a" and base != word for base, part in bases) and not any(p == "n" for _, p in bases)


def topic_of(word: str) -> int:
    """What the most usual meaning of a noun is about."""
    lexicon = get_lexicon()
    senses = [
        s
        for base, part in lexicon.bases(word)
        if part == "n"
        for s in lexicon.entry(base).senses
        if s.part == "n"
    ]
    return lexicon.synset(max(senses, key=lambda s: s.share).synset).topic if senses else 0


def siblings(one: str, other: str) -> bool:
    """Whether two nouns, in their usual meanings, are near kinds of the same thing: cats and dogs, coffee and tea."""
    lexicon = get_lexicon()
    kinds: list[set[int]] = []
    for word in (one, other):
        senses = [s for s in lexicon.entry(word).senses if s.part == "n"]
        if not senses:
            return False
        usual = max(senses, key=lambda s: s.share).synset
        kinds.append({usual, *lexicon.ancestors(usual, 2)})
    return bool(kinds[0] & kinds[1])


def is_person(word: str) -> bool:
    """Whether a noun means a kind of person in one of its usual meanings."""
    lexicon = get_lexicon()
    return any(
        s.share >= 0.2 and lexicon.synset(s.synset).topic == _PERSON
        for base, part in lexicon.bases(word)
        if part == "n"
        for s in lexicon.entry(base).senses
        if s.part == "n"
    )
