"""Words that name nothing in the data and only frame what is asked: who handled tickets, ticket volume, new tickets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from gnomon.embedding.lexicon import get_lexicon
from gnomon.language.time_grammar import find_times
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, name_words
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.vocabulary import vocabulary

# Verbs that say that somebody had to do with something, and nothing about how it went.
_DOING = frozenset({"handle", "operate", "conduct", "manage", "write", "perform", "oversee"})
NEWLY = "newly"
_AMOUNTS = frozenset({"volume", "volumes", "tally"})


class Frame:
    """Puts words of the frame of a question plainly.

    Args:
        model: What the tables mean.
        vocabulary: How the things of the model are said.
    """

    def __init__(self, model: SemanticModel, vocabulary: Vocabulary) -> None:
        self._model = model
        self._vocabulary = vocabulary

    def plain(self, i: int, words: Sequence[Word]) -> str | None:
        """Plainer words for the word at ``i``; None where it is no word of the frame."""
        word = words[i].lower
        before = words[i - 1].lower if i else ""
        following = words[i + 1].lower if i + 1 < len(words) else ""
        if word in _AMOUNTS and self._tables(before):
            return "count"
        if word == "new" and self._is_dated(following, words):
            return NEWLY
        if any(base in _DOING and part == "v" for base, part in get_lexicon().bases(word)):
            return "had" if any(self._tables(w.lower) for w in words) else None
        return self._moment(word)

    def _tables(self, word: str) -> list[str]:
        return [x.name for x in self._vocabulary.named(word) if x.kind is LinkKind.TABLE and x.quality > 0.9]

    def _is_dated(self, noun: str, words: Sequence[Word]) -> bool:
        """Whether a time says when things of a dated table began: new orders per month."""
        text = " ".join(w.text for w in words)
        dated = [t for t in self._tables(noun) if self._model.table(t).time_dimension is not None]
        return bool(dated) and bool(find_times(text, date(2000, 1, 1)))

    def _moment(self, word: str) -> str | None:
        """The word of a date column for the same moment: opened, where rows say when they were created."""
        if not get_lexicon().is_participle(word):
            return None
        alike = [g for d in vocabulary().durations for g in (d.first, d.last) if word in g]
        dates = [d for d in self._model.dimensions if d.type is DimensionType.TIME]
        told = {
            w
            for d in dates
            for w in name_words(d.label)
            if get_lexicon().is_participle(w) and any(w in g for g in alike)
        }
        return told.pop() if len(told) == 1 else None
