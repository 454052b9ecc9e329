"""Names that a question says apart: “the highest price a competitor charged”, of competitor prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.planning.reader.spelling import closest
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, is_known_word, split_words
from gnomon.semantic import DimensionType
from gnomon.semantic.model import singular
from gnomon.semantic.values import ValueIndex

_SURE = 0.93
_SHORTEST = 5


def brought_together(
    words: Sequence[Word], missing: Sequence[str], vocabulary: Vocabulary
) -> list[Word] | None:
    """The words with one that nothing explained set before the noun whose longer name it completes.

    Only where both together are a whole name, which the noun alone is not.
    """
    left = {m.lower() for m in missing}
    for i, word in enumerate(words):
        if word.lower not in left:
            continue
        for j, noun in enumerate(words):
            if j == i or noun.kind != "word" or (abs(i - j) == 1 and j > i):
                continue
            whole = f"{singular(word.lower)} {noun.lower}"
            kinds = {LinkKind.DIMENSION, LinkKind.METRIC}
            named = [x for x in vocabulary.named(whole) if x.kind in kinds and x.quality >= _SURE]
            alone = [x for x in vocabulary.named(noun.lower) if x.kind in kinds]
            if not named or not alone:
                continue
            kept = [w for k, w in enumerate(words) if k != i]
            said = replace(word, lower=singular(word.lower), text=singular(word.text))
            at = kept.index(noun)
            return [*kept[:at], said, *kept[at:]]
    return None


def respelt_beside(
    words: Sequence[Word], vocabulary: Vocabulary, index: ValueIndex
) -> tuple[list[Word], dict[str, str]]:
    """The words with those put right that nearly are a value of the column that is named right beside them."""
    words = _said_once(_more_than(words, vocabulary), vocabulary)
    better, told = list(words), dict[str, str]()
    for i, word in enumerate(words):
        if (
            word.kind != "word"
            or len(word.lower) < _SHORTEST
            or is_known_word(word.lower)
            or index.find([word.lower])
        ):
            continue
        beside = [words[j].lower for j in (i + 1, i - 1) if 0 <= j < len(words)]
        columns = [
            x.name for b in beside for x in vocabulary.named(b)
            if x.kind is LinkKind.DIMENSION and x.quality >= _SURE
        ]  # fmt: skip
        values = {str(v).lower(): str(v) for c in columns for v in index.values(c) if isinstance(v, str)}
        near = closest(word.lower, values)
        if near is not None and " " not in near:
            better[i] = replace(word, lower=near, text=values[near], stem=near)
            told[word.text] = values[near]
    return better, told


def _said_once(words: Sequence[Word], vocabulary: Vocabulary) -> list[Word]:
    """“amount claimed and paid”, where both amounts are columns: the word that two names share, said once."""
    for i in range(2, len(words) - 1):
        shared, first, second = words[i - 2], words[i - 1], words[i + 1]
        if words[i].lower not in {"and", "or", "vs", "versus", "minus"}:
            continue
        both = all(_is_column(f"{shared.lower} {w.lower}", vocabulary) for w in (first, second))
        if both and not _is_column(second.lower, vocabulary):
            return [*words[: i + 1], shared, *words[i + 1 :]]
    return list(words)


def _more_than(words: Sequence[Word], vocabulary: Vocabulary) -> list[Word]:
    """“how much more was claimed than paid”: the difference between the two amounts that are called so."""
    said = [w.lower for w in words]
    if said[:3] != ["how", "much", "more"] or "than" not in said:
        return list(words)
    than = said.index("than")
    first = words[3 + (said[3:4] in (["was"], ["were"], ["is"], ["has"])) : than]
    second = words[than + 1 + (said[than + 1 : than + 2] in (["was"], ["were"], ["is"])) :][:1]
    labels = [d.label.lower() for d in vocabulary.model.dimensions if d.type is DimensionType.NUMBER]
    heads = {
        label.rpartition(" ")[0]
        for label in labels
        if len(first) == 1 and second and label.endswith(f" {first[0].lower}")
    }
    shared = [h for h in heads if f"{h} {second[0].lower}" in labels]
    if len(shared) != 1:
        return list(words)
    plain = split_words(
        f"difference between total {shared[0]} {first[0].lower} and total {shared[0]} {second[0].lower}"
    )
    at = words.index(second[0])
    spoken = [replace(w, start=words[0].start, end=words[at].end) for w in plain]
    return [*spoken, *words[at + 1 :]]


def _is_column(name: str, vocabulary: Vocabulary) -> bool:
    kinds = {LinkKind.DIMENSION, LinkKind.METRIC}
    return any(x.kind in kinds and x.quality >= _SURE for x in vocabulary.named(name))
