"""Names whose letters stand for the words of a phrase: ``hhIncome`` for the household income, ``sys_bp``, ``rgdppc``, ``viewers_7day``.

A phrase is laid along the letters of a name. Each of its words is one piece of them: the whole word, its usual short form, its
beginning, its consonants or its first letter. All words and all letters must be borne; the fewer letters a word has, the more
the others must have. The name that fits best is meant; of several that fit alike each is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

from gnomon.core.patterns import regex
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.abbreviations import is_skeleton
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.relatedness import topic_of
from gnomon.planning.reader.words import ABBREVIATIONS, is_known_word, stem
from gnomon.semantic.model import singular
from gnomon.semantic.units import is_unit

T = TypeVar("T")
# How much a piece says of a word: all of it, a usual short form, a good part, three letters, a beginning that is another
# word, a few letters, the first one only.
WHOLE, USUAL, CUT, SHORT, OTHER, FEW, INITIAL = 1.0, 0.97, 0.9, 0.8, 0.7, 0.6, 0.5
_SURE, _ALIKE = 0.94, 0.02
_NAMED = 0.955  # by a name of its own, and no synonym
_LONGEST = 5
_SUMMED = frozenset({"avg", "average", "mean", "total", "tot", "number", "num", "n", "of"})
# Between the words of a phrase; some need not stand in a name.
_SMALL = frozenset({"of", "the", "a", "an", "on", "at", "as", "per", "for", "to", "in"})
_PASSED = frozenset({"of", "the", "a", "an", "on", "at", "as"})
_SETTING = frozenset({"at", "on", "in", "per", "for"})
# What a figure is called without saying more of it.
KINDS = frozenset({"rate", "level", "score", "value", "figure", "amount", "index"})
# What letters behind a number may be short for.
_UNITS = {"d": "day", "w": "week", "m": "month", "y": "year", "h": "hour", "k": "kilometer"}
_NUMERALS = dict(zip(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"],
                     ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "12"], strict=True))  # fmt: skip
_POSSESSION = 21  # nouns for money and what is owned
_TOKEN = regex(r"\d+|[^\W\d_]+")
_CODE = regex(r"[a-z]+\d+")  # co2


@dataclass(frozen=True)
class _Piece:
    """Letters of a name and the words that they stand for."""

    letters: str
    words: tuple[str, ...]
    grade: float


class CutNames(Generic[T]):
    """Finds what phrases stand for that a name only has some letters of.

    Args:
        whole: What names name, by their words, and how surely.
        rows: What rows are called, by the stems of the words.
        is_told: Whether a word says something in the data by itself.
        is_rows: Whether something stands for rows; a table called birthwt holds birth weights, and does not call its rows so.
    """

    def __init__(
        self,
        whole: Mapping[tuple[str, ...], Mapping[T, float]],
        rows: set[tuple[str, ...]],
        is_told: Callable[[str], bool],
        is_rows: Callable[[T], bool],
    ) -> None:
        self._whole = whole
        self._rows = rows
        self._is_told = is_told
        self._is_rows = is_rows
        self.capitals: set[str] = set()

    def find(self, spoken: tuple[str, ...]) -> dict[T, float]:
        """What the phrase stands for, by the names that fit it best."""
        spoken = tuple(
            t for w in spoken for t in (_TOKEN.findall(w) if _CODE.fullmatch(w) else (_NUMERALS.get(w, w),))
        )
        if spoken[0] in _SMALL or (spoken[-1] in _SMALL and not self.capitals) or not self._is_phrase(spoken):
            return {}
        said = [w for w in spoken if w not in _SMALL]
        if not 0 < len(said) <= _LONGEST:
            return {}
        initials = {w[0] for w in said}
        fits = {
            name: fit
            for name, head in self._names.items()
            if head in initials
            and (
                len(said) == 1 or "".join(name) not in said
            )  # said as it is: the other words are none of its letters
            and (spoken[-1] not in _SMALL or (name[0][-1] == spoken[-1][0] and name[0] in self.capitals))
            and (fit := self._fit(name, spoken, said)) > 0
        }
        best = max(fits.values(), default=0.0)
        found: dict[T, float] = {}
        for name, fit in fits.items():
            if fit > best - _ALIKE:
                for target in self._targets[name]:
                    found[target] = max(found.get(target, 0.0), round(fit, 3))
        return found

    @cached_property
    def _targets(self) -> dict[tuple[str, ...], tuple[T, ...]]:
        told: dict[tuple[str, ...], tuple[T, ...]] = {}
        glued = {"".join(words) for words in self._whole if len(words) > 1}
        for words, held in self._whole.items():
            if len(words) == 1 and words[0] in glued:
                continue  # its words are known apart
            tokens = tuple(t for w in words for part in _TOKEN.findall(w) for t in _counted(part))
            targets = tuple(
                t for t, q in held.items() if q > _NAMED and (len(words) > 1 or not self._is_rows(t))
            )
            if tokens and targets:
                told[tokens] = tuple(dict.fromkeys((*told.get(tokens, ()), *targets)))
        return told

    @cached_property
    def _names(self) -> dict[tuple[str, ...], str]:
        """The names and the letters that they may begin with."""
        return {name: next((w for w in name if w not in _SUMMED), name[0])[0] for name in self._targets}

    def _is_phrase(self, spoken: Sequence[str]) -> bool:
        """Whether the words may name something: words or parts of names, and no small talk."""
        return all(w in _SMALL or w.isdigit() or w in self._tokens or _is_content(w) for w in spoken)

    @cached_property
    def _tokens(self) -> frozenset[str]:
        return frozenset(w for name in self._targets for w in name if w not in FILLERS)

    def _fit(self, name: tuple[str, ...], spoken: tuple[str, ...], said: list[str]) -> float:
        best = 0.0
        turns = range(1 if "per" in spoken else len(said))
        for turn in turns:
            words = spoken if not turn else (*said[turn:], *said[:turn])
            if turn and self._are_names(said):
                continue
            for pieces, passed in self._laid(name, words):
                if self._is_enough(name, pieces) and self._may_pass(name, pieces, passed):
                    mean = sum(p.grade for p in pieces) / len(pieces)
                    best = max(best, _SURE - 0.1 * (1 - mean) - 0.03 * passed - 0.03 * bool(turn))
        return best

    def _may_pass(self, name: tuple[str, ...], pieces: Sequence[_Piece], passed: int) -> bool:
        """Whether words may be passed over: not beside a name of ordinary words, where they say something more."""
        if passed and not any(t.isdigit() for t in name) and all(p.grade >= USUAL for p in pieces):
            return False
        if passed and any(p.grade == INITIAL for p in pieces):
            return False
        return len(pieces) > 1 or not passed or len(name) == 1

    def _are_names(self, said: Sequence[str]) -> bool:
        """Whether each word is a name of its own, so that two of them are two things: region sales."""
        return all(any(q > _NAMED for q in self._whole.get((w,), {}).values()) for w in said)

    def _laid(self, name: tuple[str, ...], words: tuple[str, ...]) -> Iterator[tuple[list[_Piece], int]]:
        """Every way to lay words along a name, with how many words or parts of it were passed over."""
        if not name:
            if all(self._is_passed(words[i:]) for i in range(len(words))):
                yield [], sum(w not in _SMALL for w in words)
            return
        if (name[0] in _SUMMED and name[0] not in words) or (not words and _may_stay(name)):
            for pieces, passed in self._laid(name[1:] if name[0] in _SUMMED else (), words):
                yield pieces, passed + (name[0] not in _SUMMED)
        if not words:
            return
        if self._is_passed(words):
            for pieces, passed in self._laid(name, words[1:]):
                yield pieces, passed + (words[0] not in _SMALL)
        token = name[0]
        for size in range(len(token), 0, -1):
            rest = (token[size:],) if size < len(token) else ()
            if rest and (token.isdigit() or _is_plain(token)):
                continue  # a page is no patient's age
            for count, grade in _grades(token[:size], words, alone=not rest):
                piece = _Piece(token[:size], words[:count], grade)
                for pieces, passed in self._laid((*rest, *name[1:]), words[count:]):
                    yield [piece, *pieces], passed

    def _is_passed(self, words: tuple[str, ...]) -> bool:
        """Whether the first word need not stand in the name: small ones, the kind of a figure, and what the rows are."""
        word, dated = words[0], words[0] == "in" and words[1:2] and words[1].isdigit()
        return word in _PASSED or bool(dated) or word in KINDS or (stem(word),) in self._rows

    def _is_enough(self, name: tuple[str, ...], pieces: Sequence[_Piece]) -> bool:
        """Whether the letters tell enough of the words not to be there by chance."""
        if not pieces or all(p.grade == WHOLE for p in pieces):
            return len(pieces) > 1
        if len(pieces) == 1 and name == (pieces[0].letters,) and pieces[0].grade > FEW:
            return False  # single words are weighed elsewhere, where nothing else explains them
        cut = [w for p in pieces if p.grade < USUAL for w in p.words if w not in _SMALL]
        if any((w,) in operators() for w in cut) and not _is_beside_whole(pieces):
            return len(pieces) > 2 and self._are_initials("".join(name), pieces)
        if any(self._is_told(w) for w in cut if len(w) > 3):
            return False  # “refused applications” are those of a value, and no “Application Ref”
        weak = [p for p in pieces if p.grade < SHORT]
        longer = [
            p for p in pieces if p.letters not in _SUMMED and (len(p.letters) > 1 or p.letters.isdigit())
        ]
        strong = sum(p.grade >= CUT for p in longer)
        if not weak:
            return strong > 0 or len(pieces) > 1
        borne = strong or (len(longer) > len(weak) and all(p.grade > INITIAL for p in weak))
        if borne:
            told = any(self._is_told(w) for p in weak for w in p.words)
            return len(weak) <= borne and not told
        return self._are_initials("".join(name), pieces)

    def _are_initials(self, name: str, pieces: Sequence[_Piece]) -> bool:
        """“days on market” for DOM, “stolen bases” for SB: first letters that are no word, all of one name.

        Two of them need a name in capitals, and words that nothing else explains.
        """
        words = [w for p in pieces for w in p.words]
        if "".join(p.letters for p in pieces) != name:
            return False
        told = any(self._is_told(w) or topic_of(w) == _POSSESSION for w in words if w not in _SMALL)
        shouted = name in self.capitals and not told  # a salary bonus is money, of which letters say nothing
        plain = get_lexicon().met(name) > 0 and not (shouted and set(name).isdisjoint("aeiouy"))
        if len(pieces) == 1:
            begun = len(name) == 2 and words[0].startswith(name)  # PO is no Portugal: too many words begin so
            return len(name) > 1 and not begun and (shouted or not plain)
        if plain or any(p.grade != INITIAL for p in pieces):
            return False
        nouns = all(w in _SMALL or _is_noun(w) for w in words)
        return shouted or (len(pieces) > 2 and nouns)


def _counted(token: str) -> tuple[str, ...]:
    """The parts of a word of a name that begins with the n of a number: nbeds, nkill."""
    rest = token[1:]
    counted = token[0] == "n" and len(rest) > 2 and not _is_plain(token)
    return ("n", rest) if counted and (_is_plain(rest) or rest in ABBREVIATIONS) else (token,)


def in_full(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a name, those that are usually cut short written out."""
    return tuple(ABBREVIATIONS.get(w, w) for w in words)


def _may_stay(name: Sequence[str]) -> bool:
    """Whether the rest of a name need not be said: at birth, of a life expectancy; the rate of something, its unit."""
    if len(name) > 1:
        return name[0] in _SETTING
    return is_unit(name[0]) or any(len(name[0]) > 1 and _grade(name[0], kind) >= FEW for kind in KINDS)


def _is_beside_whole(pieces: Sequence[_Piece]) -> bool:
    """“percent increase” for percent_incr: what may be asked for is a name beside a whole word of it."""
    good = all(p.grade >= CUT for p in pieces)
    return good and any(p.grade == WHOLE for p in pieces)


@lru_cache(maxsize=8192)
def _is_content(word: str) -> bool:
    return word not in FILLERS and (is_known_word(word) or get_lexicon().knows(word))


@lru_cache(maxsize=8192)
def _is_noun(word: str) -> bool:
    lexicon = get_lexicon()
    return any(
        lexicon.met(base, "n") for base in (word, *(b for b, part in lexicon.bases(word) if part == "n"))
    )


@lru_cache(maxsize=8192)
def _is_plain(token: str) -> bool:
    """Whether a part of a name is an ordinary word, which is not made of pieces of others."""
    bases = {token, *(base for base, _ in get_lexicon().bases(token))}
    return bool(set(token) & set("aeiouy")) and any(get_lexicon().met(b) for b in bases)


def _grades(piece: str, words: tuple[str, ...], *, alone: bool) -> Iterator[tuple[int, float]]:
    """How many words a piece may stand for, and how well."""
    long = ABBREVIATIONS.get(piece, "").split()
    if len(long) > 1 and tuple(long) == words[: len(long)]:
        yield len(long), USUAL
    if _are_usual_initials(piece, words[: len(piece)]):
        yield len(piece), USUAL
    if alone and _UNITS.get(piece, "?") == singular(words[0]):
        yield 1, USUAL
    elif (grade := _grade(piece, words[0])) > 0:
        yield 1, grade


@lru_cache(maxsize=8192)
def _are_usual_initials(letters: str, words: tuple[str, ...]) -> bool:
    """Whether letters are the first ones of words that are said together as one: heart rate is, a hit ratio is not."""
    if not 1 < len(letters) == len(words) < _LONGEST or "".join(w[0] for w in words) != letters:
        return False
    lexicon = get_lexicon()
    if is_unit(letters) or (lexicon.met(letters) and set(letters) & set("aeiouy")):
        return False
    last = {words[-1], *(base for base, _ in lexicon.bases(words[-1]))}
    return any(lexicon.knows("_".join([*words[:-1], base])) for base in last)


@lru_cache(maxsize=65_536)
def _grade(piece: str, word: str) -> float:
    """How much of a word a piece of a name says; 0 where it is no piece of it."""
    if piece[0] != word[0] or (piece in _SMALL and len(piece) > 1 and piece != word):
        return 0.0
    if piece == word or (len(piece) > 2 and stem(piece) == stem(word)):
        return WHOLE
    if piece.isdigit() or word.isdigit() or (len(piece) > 1 and word in FILLERS):
        return 0.0
    if len(piece) > 1 and piece in FILLERS and (word,) in operators():
        return 0.0  # "without" is no longer "with"
    bases = {word, *(base for base, _ in get_lexicon().bases(word))}
    if piece in bases:
        return WHOLE
    long = ABBREVIATIONS.get(piece) or ABBREVIATIONS.get(piece.removesuffix("s"))
    if long in bases or (long is not None and word in (f"{long}ly", f"{long}age")):
        return USUAL
    if len(piece) == 1:
        return INITIAL
    best = 0.0
    for base in bases:
        if base.startswith(piece):
            size = CUT if len(piece) > 3 else SHORT if len(piece) == 3 else FEW
            best = max(best, min(size, OTHER) if _is_plain(piece) else size)
        if is_skeleton(piece, base):
            best = max(best, CUT)
        if (
            len(piece) > 3
            and not _is_plain(piece)
            and _consonants(base[1:]).startswith(_consonants(piece[1:]))
            and _is_left_of(piece, base)
        ):
            best = max(best, SHORT if len(_consonants(piece[1:])) > 1 else 0)
        if piece == _consonants(base) or piece in _compound_initials(base):
            best = max(best, FEW)
    return best


def _is_left_of(piece: str, word: str) -> bool:
    """Whether a word has every letter of a piece, in their order: letters are left out, none is put in."""
    letters = iter(word)
    return all(c in letters for c in piece)


def _consonants(word: str) -> str:
    return "".join(c for c in word if c not in "aeiou")


@lru_cache(maxsize=4096)
def _compound_initials(word: str) -> frozenset[str]:
    """The first letters of the two words that one is made of: hh, of household; hp, of horsepower."""
    met = get_lexicon().met
    cuts = (c for c in range(3, len(word) - 2) if met(word[:c]) and met(word[c:]))
    return frozenset(word[0] + word[c] for c in cuts)
