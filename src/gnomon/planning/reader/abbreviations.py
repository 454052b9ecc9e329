"""Names cut short: the beginning of a word (pos, for position) or its consonants (grp, for group)."""

from __future__ import annotations

from functools import lru_cache

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.words import ABBREVIATIONS

_VOWELS = frozenset("aeiou")


@lru_cache(maxsize=4096)
def shortens(name: str, word: str) -> bool:
    """Whether ``name`` is a way to cut ``word`` short: its consonants, or the letters that no more common word begins with."""
    lexicon = get_lexicon()
    bases = list(dict.fromkeys([word, *(base for base, _ in lexicon.bases(word))]))
    if name in ABBREVIATIONS and len(name) < 4 and any(b.startswith(name) and len(b) > 5 for b in bases):
        return True  # "inv" is short for more than one thing, and this is what was said
    if name in ABBREVIATIONS:
        return ABBREVIATIONS[name] in {word, *bases}
    if (
        len(name) > 3
        and not lexicon.met(name)
        and any(b.startswith(name) and len(b) > len(name) + 2 for b in bases)
    ):
        return True
    if any(_sounds_alike(name, w) for w in (word, *bases)):
        return True
    cuts = {name, name.removesuffix("s")} if word.endswith("s") else {name}
    return any(
        is_skeleton(cut, base) or (_cuts(cut, base) and expansion(cut) == base)
        for base in bases
        for cut in cuts
    )


def is_skeleton(name: str, word: str) -> bool:
    """Whether a name that is no word is a word without its vowels: all but one or two of its consonants, or some vowels too."""
    bare = len(name) > 2 and _cuts(name, word) and _is_bare(name, word)
    return bare or _sounds_alike(name, word)


def _sounds_alike(name: str, word: str) -> bool:
    """Whether a name that is no word is a word without some of its vowels, a last y kept: cty, city; bathrms, bathrooms."""
    if not 2 < len(name) < len(word) or name[0] != word[0] or get_lexicon().met(name):
        return False
    rest = iter(word)
    bare = [[c for c in w if c not in _VOWELS] for w in (name, word)]
    return len(bare[0]) > 2 and bare[0] == bare[1] and all(c in rest for c in name)


def _is_bare(name: str, word: str) -> bool:
    """Whether a name that is no word has only consonants, all but one or two of those of ``word``."""
    sounds = [c for c in word if c not in _VOWELS]
    return not set(name) & {*_VOWELS, "y"} and not get_lexicon().met(name) and len(sounds) <= len(name) + 2


@lru_cache(maxsize=1024)
def expansion(name: str) -> str | None:
    """The most common noun that ``name`` is cut from; None where it is a word itself, or cut from none."""
    lexicon = get_lexicon()
    if not 1 < len(name) < 6 or not name.isalpha() or lexicon.met(name) > 0:
        return None
    nouns = [w for w in lexicon.starting(name[:1]) if _cuts(name, w)]
    # A beginning is a surer sign than the consonants alone.
    whole = [w for w in nouns if w.startswith(name)] or nouns
    best = max(whole, key=lambda w: (lexicon.met(w, "n"), w), default=None)
    return best if best is not None and lexicon.met(best, "n") > 0 else None


def _cuts(name: str, word: str) -> bool:
    """Whether ``name`` is the beginning of ``word``, or its consonants, the first and the last of them kept."""
    if len(word) < len(name) + 2:
        return False
    if len(name) > 2 and word.startswith(name):
        return True
    sounds = [c for c in word if c not in _VOWELS]
    if set(name) & _VOWELS or not sounds or name[0] != word[0] or name[-1] != sounds[-1]:
        return False
    if len(name) == 2 and len(sounds) != 2 and not word.endswith(name[-1]):
        return False
    rest = iter(sounds)
    return all(c in rest for c in name)
