"""Names that a question says apart: “the highest price a competitor charged”, of competitor prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.planning.reader.spelling import closest
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, is_known_word
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
