"""Values said otherwise than the cells write them: girls, of a sex G; left handed, of a hand L; non-union, of Union and Not.

A closed column is coded by a scheme where every one of its values is the first letter, the beginning or a form of
another member of one closed set of words: D and R of the parties, L and R of the sides. A column of two values that
deny each other is a flag, and its name says the one that holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.embedding.relations import kindred
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.sides import PREFIXES, denies, says, side_words
from gnomon.planning.reader.stated_columns import flag_value
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic import Dimension, DimensionType, SemanticModel
from gnomon.semantic.value_text import ORDINALS
from gnomon.semantic.values import ValueIndex, ValueMatch

# Closed sets of words that exclude each other; those before a stroke also lend their first letter as a code. What
# means much else, with a star, says the value only beside the name of its column. Letters alone are a scheme where its
# first two members are among them.
_SCHEMES = (
    ("female woman girl / women lady gal", "male man boy / men guy gentleman gentlemen lad"),
    ("democrat / democratic dem", "republican / gop rep", "independent", "libertarian", "green"),
    ("left* / lefty", "right* / righty", "both* / ambidextrous", "switch*"),
    ("single / unmarried", "married", "divorced", "widowed / widow widower", "never_married"),
    ("win won / victory", "loss lost lose / defeat", "draw / drawn", "tie / tied"),
    ("home", "away / road", "neutral"),
    ("north", "south", "east", "west"),
    ("small", "large", "medium", "extra_large / xl"),
    ("low", "high", "medium moderate"),
    ("automatic", "manual"),
    ("alive", "dead / deceased died"),
    ("yes*", "no*", "abstain / abstained abstention", "undecided / undeclared"),
    ("pass / passed", "fail / failed"),
    ("control", "treatment / treated", "placebo", "intervention"),
    ("urban", "rural", "suburban"),
    ("public", "private"),
    ("employed", "unemployed", "retired", "student"),
    ("credit", "debit"),
    ("buy / bought purchase", "sell / sold sale"),
    ("spring", "summer", "autumn fall", "winter"),
    ("morning", "afternoon", "evening", "night"),
    ("petrol gasoline", "diesel", "electric", "hybrid"),
    ("black", "white", "hispanic", "asian", "other"),
)  # fmt: skip
_MUCH_ELSE = frozenset(w[:-1] for scheme in _SCHEMES for m in scheme for w in m.split() if w[-1] == "*") | {
    *ORDINALS
}
_EITHER = (_SCHEMES[0], ("automatic", "manual"))
_UNKNOWN = frozenset({"", "u", "x", "?", "-", "na", "n/a", "unknown", "other", "o", "none"})
_CODE = 2
_FEW, _PAIR = 8, 2
_LINKING = frozenset({"is", "are", "was", "were", "-", "the"})
_HELD = frozenset(
    {("present", "absent"), ("with", "without"), ("some", "none"), ("any", "none"), ("on", "off")}
)
_DENYING = frozenset({"not", "none", "no", "non", "never"})
_GROUPING = frozenset({"by", "per", "each", "every", "which", "what", "whether", "different"})
_DENIED = frozenset({"non", "no", "not", "without", "neither", "nor"})
_SURE = 0.9
_SCORE = 0.97
_SHORT = 3


@dataclass(frozen=True)
class _Flag:
    """A column of two texts of which one holds what the column is called, and the other denies it."""

    column: Dimension
    yes: str
    no: str


class SpokenValues:
    """Finds words that say values otherwise.

    Args:
        model: What the tables mean.
        index: The values of the data.
        vocabulary: How the things of the model are said.
    """

    def __init__(self, model: SemanticModel, index: ValueIndex, vocabulary: Vocabulary) -> None:
        self._index = index
        self._vocabulary = vocabulary
        self._said: dict[str, list[tuple[Dimension, Any]]] = {}
        self._flags: dict[str, _Flag] = {}
        self._pairs: list[tuple[Dimension, list[str]]] = []
        self._deeds: list[tuple[Dimension, str]] = []
        for column in model.dimensions:
            if column.type is DimensionType.BOOLEAN:
                self._take_flag(column)
            held = [v for v in index.values(column.name)[: _FEW + 1] if isinstance(v, str)]
            if column.type is not DimensionType.CATEGORY or column.personal or not 2 <= len(held) <= _FEW:
                continue
            for word, value in _coded(held):
                self._said.setdefault(word, []).append((column, value))
            if (flag := _flag(column, held)) is not None:
                self._flags[column.name] = flag
            if len(held) == _PAIR:
                self._pairs.append((column, held))
            self._deeds += [(column, v) for v in held if v.islower() and v.isalpha() and len(v) > _SHORT]

    def values_of(self, column: str) -> tuple[object, ...]:
        """The values of a column, as far as they are known."""
        return tuple(self._index.values(column))

    def _take_flag(self, column: Dimension) -> None:
        """“men”, where a flag says female: of two that exclude each other, it tells both."""
        for scheme in _EITHER:
            members = [[*first, *more] for first, more in map(_member, scheme)]
            side = next((k for k, m in enumerate(members) if column.label in m), None)
            for k, words in enumerate(members if side is not None else ()):
                for word in words:
                    told = (column, flag_value(self._index, column, k == side))
                    self._said.setdefault(stem(word), []).append(told)

    def tells(self, word: str) -> bool:
        """Whether a word is a value, as it is held or said otherwise."""
        return stem(word) in self._said or word in self._said or bool(self._index.find([word]))

    def items(self, words: Sequence[Word]) -> list[Item]:
        """The items of such values over the words."""
        return [*self._codes(words), *self._denials(words), *self._states(words)]

    def _codes(self, words: Sequence[Word]) -> Iterator[Item]:
        for i, word in enumerate(words):
            found = self._said.get(word.stem) or self._said.get(word.lower) or []
            if not found or self._vocabulary.named(word.lower) or self._is_held(word.lower):
                continue
            spans = {column.name: _with_name(words, i, column) for column, _ in found}
            widest = max(end - start for start, end in spans.values())
            if word.lower in _MUCH_ELSE and widest == 1:
                continue
            best = [(c, v) for c, v in found if spans[c.name][1] - spans[c.name][0] == widest]
            start, end = spans[best[0][0].name]
            matches = tuple(ValueMatch(start, end, c.name, v, _SCORE, "exact") for c, v in best)
            yield Item(start, end, values=matches)

    def _states(self, words: Sequence[Word]) -> Iterator[Item]:
        """“who died”, “deaths”, where a column of two values holds dead and alive; “renters”, who rent."""
        for i, word in enumerate(words):
            idle = word.kind != "word" or word.lower in FILLERS or (word.lower,) in operators()
            if (idle and side_words(word.lower) is None) or len(word.lower) < _SHORT:
                continue
            if self._vocabulary.named(word.lower) or self._is_held(word.lower):
                continue
            told = [(c, v) for c, held in self._pairs for v in _said_by(word.lower, held)]
            told = told or [(c, v) for c, v in self._deeds if stem(word.lower) in _doers(v)]
            if told:
                matches = tuple(ValueMatch(i, i + 1, c.name, v, _SCORE, "exact") for c, v in told)
                yield Item(i, i + 1, values=matches)

    def _is_held(self, word: str) -> bool:
        """Whether a value is written as it is said."""
        return any(m.kind == "exact" and m.score == 1 for m in self._index.find([word]))

    def _denials(self, words: Sequence[Word]) -> Iterator[Item]:
        """“non-union”, “no seatbelt”: the other value of a column that is called so."""
        for i, word in enumerate(words[:-1]):
            at = i + 1 + (words[i + 1].text == "-")
            if word.lower not in _DENIED or at >= len(words):
                continue
            flag = self._flag_named(words[at].lower)
            if flag is not None:
                yield Item(i, at + 1, values=(_match(flag, flag.no, i, at + 1),))

    def _flag_named(self, word: str) -> _Flag | None:
        links = self._vocabulary.named(word)
        named = [x.name for x in links if x.kind is LinkKind.DIMENSION and x.quality >= _SURE]
        return next((self._flags[n] for n in named if n in self._flags), None)

    def taken(self, items: Sequence[Item], words: Sequence[Word]) -> None:
        """Let the name of a flag that is written in two words stand for the one that holds, unless it groups."""
        for item in items:
            link = item.named(LinkKind.DIMENSION)
            flag = self._flags.get(link.name) if link is not None and link.quality >= _SURE else None
            if flag is None or item.links[0] != link or _groups(words, item):
                continue
            item.values, item.links = (_match(flag, flag.yes, item.start, item.end),), ()


def _said_by(word: str, held: Sequence[str]) -> list[str]:
    """Which of two values a word says: in another form, or as what the other one is not (unmarried)."""
    for value, other in (held, held[::-1]):
        rest = next((word[len(p) :] for p in PREFIXES if word.startswith(p)), "")
        if rest and stem(rest) == stem(value.lower()):
            return [other]
    return [v for v in held if says(word, v.lower())]


def _doers(verb: str) -> set[str]:
    """Who do what a verb says: renters, of rent."""
    return {stem(verb + ending) for ending in ("er", "r", "or")}


def _match(flag: _Flag, value: str, start: int, end: int) -> ValueMatch:
    return ValueMatch(start, end, flag.column.name, value, 0.98, "exact")


def _groups(words: Sequence[Word], item: Item) -> bool:
    """Whether a name is asked for by itself: by union, each union, union status, the number of different unions."""
    before = next((w.lower for w in reversed(words[: item.start]) if w.lower not in {"the", "a", "an"}), "")
    behind = words[item.end].lower if item.end < len(words) else ""
    return before in _GROUPING or behind in {"status", "membership", "=", "is", "value", "values", "column"}


def _coded(held: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The words that say the values, where one scheme explains all of them."""
    codes = {v.strip().lower(): v for v in held}
    known = {code: v for code, v in codes.items() if code not in _UNKNOWN}
    if len(known) > 1 and known.keys() <= {*ORDINALS.values()}:  # first class, of 1st
        yield from ((word, known[code]) for word, code in ORDINALS.items() if code in known)
    for scheme in _SCHEMES if len(known) > 1 else ():
        if len(known) > len(scheme):  # each code has a member of its own
            continue
        members = [_member(m) for m in scheme]
        told: dict[str, list[int]] = {}
        for code in known:
            told[code] = [k for k, m in enumerate(members) if _is_code(code, *m)]
            if len(told[code]) != 1:
                break
        if any(len(ks) != 1 for ks in told.values()):
            continue
        found = {ks[0] for ks in told.values()}
        letters = all(len(code) == 1 for code in known)
        if len(found) < len(known) or (letters and not {0, 1} <= found):
            continue
        for code, (k,) in told.items():
            for word in (*members[k][0], *members[k][1]):
                yield stem(word), known[code]


def _member(written: str) -> tuple[list[str], list[str]]:
    first, _, more = written.replace("*", "").partition("/")
    return first.split(), more.split()


def _is_code(code: str, lending: Sequence[str], others: Sequence[str]) -> bool:
    """Whether a code stands for a member: its first letter, one of its words, or the beginning of one."""
    if len(code) == 1:
        return any(w[0] == code for w in lending)
    words = (*lending, *others)
    return any(stem(code) == stem(w) or (len(code) > _CODE and w.startswith(code)) for w in words)


def _with_name(words: Sequence[Word], at: int, column: Dimension) -> tuple[int, int]:
    """The span of a word and of those beside it that only name its column: left handed, left foot is bigger, voted yes."""
    begin, end = at, at + 1
    if at and words[at].lower in _MUCH_ELSE and _is_of_name(words[at - 1].lower, column.label):
        begin = at - 1
    for k in range(at + 1, len(words)):
        if _is_of_name(words[k].lower, column.label):
            end = k + 1
        elif words[k].lower not in _LINKING:
            break
    return begin, end


def _is_of_name(word: str, label: str) -> bool:
    """Whether a word is a part of a name, also of one whose words are written together: handed, of domhand."""
    named = name_words(label)
    if word in named or any(kindred(word, n) for n in named):
        return True
    root = stem(word).removesuffix("ed").removesuffix("er")
    return len(root) > 3 and any(n.endswith(root) or n.startswith(root) for n in named)


def _flag(column: Dimension, held: Sequence[str]) -> _Flag | None:
    """The column as a flag, where one of its two values denies the other and its name says the one that holds."""
    if len(held) != _PAIR:
        return None
    for yes, no in (held, held[::-1]):
        if _are_sides(column.label, yes.strip().lower(), no.strip().lower()):
            return _Flag(column, yes, no)
    return None


def _are_sides(label: str, yes: str, no: str) -> bool:
    told, denied = name_words(yes), name_words(no)
    if not told or not denied:
        return False
    if len(yes) <= _CODE and len(no) <= _CODE + 1 and no == f"n{yes[0]}":
        return label.startswith(yes[0])  # S and NS, of south
    if (yes, no) in _HELD:
        return True
    plain = no in _DENYING or no.removeprefix("non").lstrip("- ") == yes
    plain |= denied[0] in _DENYING and denied[1:] == told
    named = bool({*map(stem, told)} & {*map(stem, name_words(label))}) or _is_of_name(told[0], label)
    if plain:
        return named or no in _DENYING
    return (says(label, yes) or stem(label) == stem(yes)) and denies(label, no)
