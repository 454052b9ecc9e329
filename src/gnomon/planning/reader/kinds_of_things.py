"""“Which kind of animal”, “what sort of vehicle”: the column that tells kinds of a thing, never what tells each one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic import Dimension, DimensionType, SemanticModel
from gnomon.semantic.model import singular
from gnomon.semantic.values import ValueIndex

_KINDS = frozenset({"kind", "kinds", "type", "types", "sort", "sorts"})
_CALLED = ("type", "kind", "species", "category", "class", "sort")
_ARTICLES = frozenset({"the", "our", "a", "an", "these", "those"})
_FEW = 60
_MOSTLY = 0.6


def as_kinds(
    words: Sequence[Word], model: SemanticModel, vocabulary: Vocabulary, index: ValueIndex
) -> list[Word]:
    """The words with “kind of animal” put as the column that holds the kinds, where exactly one does."""
    result = list(words)
    for i in reversed(range(len(words) - 2)):
        at = i + 2 + (words[i + 2].lower in _ARTICLES)
        if words[i].lower not in _KINDS or words[i + 1].lower != "of" or at >= len(words):
            continue
        said = singular(words[i].lower)
        turned, whole = f"{words[at].lower} {said}", f"{said} of {words[at].lower}"
        if any(x.quality > 0.85 for name in (turned, whole) for x in vocabulary.named(name)):
            continue  # a soil type is named by turning it around, a type of breach as it is
        if _tells_kinds(words[at].lower, model, vocabulary):
            del result[i:at]  # "type of violation" is the violation, which is a kind of one
            continue
        column = _kinds_of(words[at].lower, model, vocabulary, index)
        if column is not None:
            plural = words[i].lower.endswith("s")
            named = name_words(
                f"{column.label}s" if plural and not column.label.endswith("s") else column.label
            )
            result[i : at + 1] = [replace(words[at], lower=w, stem=stem(w)) for w in named]
    return result


def asks_kind(sentence: Sentence, at: int) -> bool:
    """Whether the item at ``at`` stands behind “kind of”."""
    start = sentence[at].start
    before = [w.lower for w in sentence.words[max(0, start - 3) : start] if w.lower not in _ARTICLES]
    return len(before) > 1 and before[-2] in _KINDS and before[-1] == "of"


def _tells_kinds(noun: str, model: SemanticModel, vocabulary: Vocabulary) -> bool:
    """Whether a column of its own holds what a noun names, as one of several kinds: kind of crop."""
    named = [x for x in vocabulary.named(noun) if x.quality > 0.85 and x.kind is LinkKind.DIMENSION]
    return any(model.dimension(x.name).type is DimensionType.CATEGORY for x in named)


def _kinds_of(noun: str, model: SemanticModel, vocabulary: Vocabulary, index: ValueIndex) -> Dimension | None:
    thing = singular(noun)
    links = [x for x in vocabulary.named(noun) if x.quality > 0.85]
    homes = {x.name for x in links if x.kind is LinkKind.TABLE}
    homes |= {model.dimension(x.name).home.table for x in links if x.kind is LinkKind.DIMENSION}
    held = [
        d for d in model.dimensions
        if d.type is DimensionType.CATEGORY and (d.distinct or _FEW + 1) <= _FEW and (not homes or d.home.table in homes)
    ]  # fmt: skip
    called = [
        d for d in held if name_words(d.label)[-1] in _CALLED and (homes or thing in name_words(d.label))
    ]
    if homes and len(called) == 1:
        return called[0]
    kinds = [d for d in held if _are_kinds(index.values(d.name), thing)]
    fewest = sorted(kinds, key=lambda d: (d not in called, d.distinct or 0))
    return fewest[0] if fewest else None


def _are_kinds(values: Sequence[object], thing: str) -> bool:
    """Whether most values are kinds of a thing: dog and parrot, of animals."""
    lexicon = get_lexicon()
    wanted = {s.synset for s in lexicon.entry(thing).senses if s.part == "n"}
    said = [str(v).lower().replace("-", " ") for v in values]
    told = [
        any(wanted & {*lexicon.ancestors(s.synset)} for s in lexicon.entry(v).senses if s.part == "n")
        for v in said
    ]
    return bool(told) and sum(told) / len(told) >= _MOSTLY
