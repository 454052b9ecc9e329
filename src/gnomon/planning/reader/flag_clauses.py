"""What a flag tells, said as a deed: “did we see the queen”, where a column is called queen seen; “who paid the deposit”."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic import DimensionType, SemanticModel

_ARTICLES = frozenset({"the", "a", "an", "any", "our", "their", "its", "his", "her", "my"})


class FlagClauses:
    """Turns a verb and its object around to the name of the flag that tells whether it was done.

    Args:
        model: What the tables mean.
    """

    def __init__(self, model: SemanticModel) -> None:
        flags = (name_words(d.label) for d in model.dimensions if d.type is DimensionType.BOOLEAN)
        done = [f for f in flags if len(f) == 2 and get_lexicon().is_participle(f[1])]
        self._flags = [(_verbs(deed), stem(thing), (thing, deed)) for thing, deed in done]

    def turned(self, words: Sequence[Word]) -> list[Word]:
        """The words with such clauses put as the flag is called."""
        for i in range(len(words) - 1):
            at = i + 1 + (words[i + 1].lower in _ARTICLES)
            told = _verbs(words[i].lower) if at < len(words) and self._flags else set[str]()
            for verbs, thing, name in self._flags:
                if told & verbs and words[at].stem == thing:
                    first, last = words[i], words[at]
                    plain = [Word(w, w, stem(w), first.start, last.end, "word") for w in name]
                    return [*words[:i], *plain, *words[at + 1 :]]
        return list(words)


def _verbs(word: str) -> set[str]:
    return {base for base, part in get_lexicon().bases(word) if part == "v"}
