"""What a flag tells, said as a deed: “did we see the queen”, where a column is called queen seen; “turned down for the card”."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.sides import on_one_side
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic import DimensionType, SemanticModel

_ARTICLES = frozenset({"the", "a", "an", "any", "our", "their", "its", "his", "her", "my"})


_IN_FORCE = frozenset({"effect", "force", "place"})
_HOMES = frozenset({"home", "homes", "house", "houses", "property", "apartment", "place", "residence"})
_BEING = frozenset({"was", "were", "is", "are", "been", "be", "got", "get"})


class FlagClauses:
    """Turns a verb and its object around to the name of the flag that tells whether it was done.

    Args:
        model: What the tables mean.
    """

    def __init__(self, model: SemanticModel) -> None:
        flags = (name_words(d.label) for d in model.dimensions if d.type is DimensionType.BOOLEAN)
        done = [f for f in flags if len(f) == 2 and get_lexicon().is_participle(f[1])]
        self._flags = [(_verbs(deed), stem(thing), (thing, deed)) for thing, deed in done]
        self._nouns = {stem(d.label) for d in model.dimensions if d.type is DimensionType.BOOLEAN}
        self._owned = "owner" in self._nouns

    def turned(self, words: Sequence[Word]) -> list[Word]:
        """The words with such clauses put as the flag is called."""
        words = self._owning(self._in_force(self._granted(words)))
        for i in range(len(words) - 1):
            at = i + 1 + (words[i + 1].lower in _ARTICLES)
            told = _verbs(words[i].lower) if at < len(words) and self._flags else set[str]()
            for verbs, thing, name in self._flags:
                if told & verbs and words[at].stem == thing:
                    first, last = words[i], words[at]
                    plain = [Word(w, w, stem(w), first.start, last.end, "word") for w in name]
                    return [*words[:i], *plain, *words[at + 1 :]]
        return list(words)

    def _granted(self, words: Sequence[Word]) -> list[Word]:
        """“turned down for the card”, “approved for a card”: who has none, and who has one."""
        result = list(words)
        for i in reversed(range(len(words) - 1)):
            for size in (2, 1):
                said = " ".join(w.lower for w in words[i : i + size])
                granted, refused = on_one_side(said, "approved"), on_one_side(said, "rejected")
                at = i + size
                at += at < len(words) and words[at].lower == "for"
                at += at < len(words) and words[at].lower in _ARTICLES
                if not (granted or refused) or at >= len(words) or words[at].stem not in self._nouns:
                    continue
                held = ["with"] if granted else ["without"]
                result[i:at] = [replace(words[i], lower=w, stem=stem(w)) for w in held]
                if i and result[i - 1].lower in _BEING:
                    del result[i - 1]
                break
        return result

    def _in_force(self, words: Sequence[Word]) -> list[Word]:
        """“had the law in effect”: behind the name of a flag, that it holds."""
        found = [
            i for i in range(1, len(words) - 1)
            if words[i].lower == "in" and words[i + 1].lower in _IN_FORCE and words[i - 1].stem in self._nouns
        ]  # fmt: skip
        return [w for k, w in enumerate(words) if k not in found and k - 1 not in found]

    def _owning(self, words: Sequence[Word]) -> list[Word]:
        """“own their home”, of a flag called owner."""
        for i in range(len(words) - 2 if self._owned else 0):
            verb, whose, what = (w.lower for w in words[i : i + 3])
            if verb in {"own", "owns", "owned"} and whose in _ARTICLES and what in _HOMES:
                first, last = words[i], words[i + 2]
                plain = [Word(w, w, stem(w), first.start, last.end, "word") for w in ("are", "owner")]
                return [*words[:i], *plain, *words[i + 3 :]]
        return list(words)


def _verbs(word: str) -> set[str]:
    return {base for base, part in get_lexicon().bases(word) if part == "v"}
