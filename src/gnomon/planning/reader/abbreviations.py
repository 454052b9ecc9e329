"""Names cut short: the beginning of a word (pos, for position) or its consonants (grp, for group)."""

from __future__ import annotations

from functools import lru_cache

from gnomon.embedding.lexicon import get_lexicon

_VOWELS = frozenset("aeiou")


@lru_cache(maxsize=4096)
def shortens(name: str, word: str) -> bool:
    """Whether ``name`` is the usual way to cut ``word`` short: no more common word is cut to the same letters."""
    bases = [base for base, part in get_lexicon().bases(word) if part == "n"]
    return any(_cuts(name, base) and expansion(name) == base for base in bases)


@lru_cache(maxsize=1024)
def expansion(name: str) -> str | None:
    """The most common noun that ``name`` is cut from; None where it is a word itself, or cut from none."""
    lexicon = get_lexicon()
    if not 2 < len(name) < 6 or not name.isalpha() or lexicon.met(name) > 0:
        return None
    nouns = [w for w in lexicon.starting(name[:1]) if len(w) > len(name) + 1 and _cuts(name, w)]
    # A beginning is a surer sign than the consonants alone.
    whole = [w for w in nouns if w.startswith(name)] or nouns
    best = max(whole, key=lambda w: (lexicon.met(w, "n"), w), default=None)
    return best if best is not None and lexicon.met(best, "n") > 0 else None


def _cuts(name: str, word: str) -> bool:
    if len(word) < len(name) + 2:
        return False
    if word.startswith(name):
        return True
    if set(name) & _VOWELS or name[0] != word[0] or name[-1] != word[-1]:
        return False
    rest = iter(c for c in word if c not in _VOWELS)
    return all(c in rest for c in name)
