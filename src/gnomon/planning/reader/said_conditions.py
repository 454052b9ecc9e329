"""Conditions that name their column outright: “where cut is not Ideal”, “with driveway no”, “when sex is F, what is …”."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.heading_names import HEADING
from gnomon.planning.reader.operators import FILLERS, operator_words
from gnomon.planning.reader.words import Word, fold, name_words, stem
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.values import ValueIndex

_LEADING = frozenset({"where", "when", "if"})
_INSIDE = _LEADING | {"other", "not"}
_ASKING = vocabulary(
    "what what's which who how show give list tell find count calculate compute please is are does do did i can could"
)
# Behind these “where” and “when” ask for a place or a time themselves.
_VERBS = vocabulary("is are was were do does did can could will would has have had should")
_EQUAL = frozenset({"is", "are", "was", "were", "=", "equals"})
_DENIED = frozenset({"isn't", "aren't", "wasn't", "weren't"})
_ANSWERS = {
    **dict.fromkeys(("yes", "true", "y"), "yes"),
    **dict.fromkeys(("no", "false", "n"), "no"),
}
_GOING_ON = vocabulary(
    "and or vs versus than where when with for by per in on at during since from to compared of is but whose that"
)
_JOINTS = frozenset({"and", "or", "vs", "versus", "to", "with"})
_LONGEST_CLAUSE = 24
_LONGEST_VALUE = 5
_TEXTS = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.ID)


@dataclass(frozen=True)
class _Column:
    """A column as it is spoken of, and the words of its values."""

    name: tuple[str, ...]
    kind: DimensionType
    values: dict[tuple[str, ...], str] = field(repr=False)


class SaidConditions:
    """Puts conditions that name a column in the form in which they are read.

    Args:
        model: What the tables mean.
        index: The values of the data.
    """

    def __init__(self, model: SemanticModel, index: ValueIndex) -> None:
        named = [
            _Column(tuple(map(stem, name_words(d.label))), d.type, _spoken(index.values(d.name)))
            for d in model.dimensions
        ]
        self._columns: dict[str, list[_Column]] = {}
        for column in sorted((c for c in named if c.name), key=lambda c: -len(c.name)):
            self._columns.setdefault(column.name[0], []).append(column)

    def put(self, words: Sequence[Word]) -> list[Word]:
        """The words with such conditions behind what is asked, and with plain signs for what they say."""
        put = self._values(self._whens(self._behind(words)))
        return [_as(w.text, w, w.kind) if w.kind == "quoted" and _is_hidden(w) else w for w in put]

    def _column(self, words: Sequence[Word], at: int) -> tuple[int, _Column] | None:
        """The column whose name begins there, and where the name ends; of namesakes one with a value behind it."""
        first: tuple[int, _Column] | None = None
        for column in self._columns.get(words[at].stem, ()) if at < len(words) else ():
            if tuple(w.stem for w in words[at : at + len(column.name)]) == column.name:
                end = at + len(column.name)
                first = first or (end, column)
                if column.kind in _TEXTS and _value(words, _behind_verb(words, end), column) is not None:
                    return end, column
        return first

    def _behind(self, words: Sequence[Word]) -> list[Word]:
        """“Where the site is Crookston, what is the total yield?”: the question first, and behind it its condition."""
        said = [w.lower for w in words]
        stop = said.index(",") if "," in said[:_LONGEST_CLAUSE] else 0
        leads = stop > 2 and said[0] in _LEADING and said[1] not in _VERBS
        inside = stop > 2 and said[0] in {"with", "for"} and bool(_INSIDE & {*said[1:stop]})
        if not (leads or inside) or len(words) < stop + 3 or said[stop + 1] not in _ASKING:
            return list(words)
        if self._column(words, 1 + (said[1] == "the")) is None:
            return list(words)  # "if it isn't too much trouble, …"
        end = len(words)
        while said[end - 1] in {"?", ".", "!"}:
            end -= 1
        first = _as("where", words[0]) if leads else words[0]
        return [*words[stop + 1 : end], first, *words[1:stop]]

    def _whens(self, words: Sequence[Word]) -> list[Word]:
        """“the largest price when premium is no”: where it is no; no time is meant."""
        found = list(words)
        for i in range(1, len(words)):
            first = i + 1 + (i + 1 < len(words) and words[i + 1].lower == "the")
            named = self._column(words, first) if words[i].lower == "when" else None
            if named is None or named[1].kind is DimensionType.TIME or named[0] >= len(words):
                continue
            if words[named[0]].lower in _EQUAL:
                found[i] = _as("where", words[i])
        return found

    def _values(self, words: Sequence[Word]) -> list[Word]:
        """“where cut is not Ideal”, “sex = M”, “with driveway no”: the value beside its column."""
        found: list[Word] = []
        i = 0
        while i < len(words):
            named = self._column(words, i)
            if named is None:
                found.append(words[i])
                if (quoted := self._headed(words, i)) is not None:  # "race = other"
                    found += [*words[i + 1 : quoted[0]], quoted[1]]
                    i = quoted[0]
                i += 1
                continue
            end, column = named
            told = self._told(words, end, column)
            if told is not None:
                _lead(found)
            found += words[i:end]
            i = end
            if told is not None:
                found += told[1]
                i = told[0]
        return found

    def _headed(self, words: Sequence[Word], i: int) -> tuple[int, Word] | None:
        """Behind a heading and its sign, a value that would pass for a word of the question: where, and in quotes."""
        at = _behind_verb(words, i + 1)
        if words[i].kind != HEADING or at == i + 1 or at >= len(words):
            return None
        key = tuple(map(stem, name_words(words[i].text)))
        named = self._columns.get(key[0], ()) if key else ()
        held = any(c.name == key and c.kind in _TEXTS and (words[at].lower,) in c.values for c in named)
        hidden = held and _is_hidden(words[at]) and words[at].kind == "word" and not _is_signed(words, at + 1)
        return (at, _as(f'"{words[at].text}"', words[at], "quoted")) if hidden else None

    def _told(self, words: Sequence[Word], end: int, column: _Column) -> tuple[int, list[Word]] | None:
        """What is said of a column right behind its name: where that ends, and how it is put."""
        at = _behind_verb(words, end)
        if column.kind is DimensionType.BOOLEAN:
            plain = _ANSWERS.get(words[at].lower) if at < len(words) else None
            if plain is None or (at + 1 < len(words) and not _ends(words[at + 1])):
                return None
            put = [_as("=", words[at], "symbol"), _as(plain, words[at])]
            other = _ANSWERS.get(words[at + 2].lower) if at + 2 < len(words) else None
            if words[at + 1 : at + 2] and words[at + 1].lower in _JOINTS and other not in (None, plain):
                name = [_as(w, words[at + 2]) for w in column.name]  # "between airco yes and no"
                return at + 3, [*put, words[at + 1], *name, put[0], _as(other or "", words[at + 2])]
            return at + 1, put
        if column.kind in _TEXTS and _says_none(words, at) and (words[at].lower,) not in column.values:
            return at + 1, [_as("missing", words[at])]
        denied = (at > end and words[end].lower in _DENIED) or (at < len(words) and words[at].lower == "not")
        said = at > end or denied
        at += denied and at < len(words) and words[at].lower == "not"
        if [w.lower for w in words[end : end + 2]] == ["other", "than"]:
            denied, said, at = True, True, end + 2
        stop = _value(words, at, column) if column.kind in _TEXTS else None
        if stop is None or words[end].kind == "quoted" or _is_signed(words, stop):
            return None
        value = list(words[at:stop])
        hidden = len(value) == 1 and _is_hidden(value[0])
        alone = stop == len(words) or _ends(words[stop]) or words[stop].lower in _VERBS
        if hidden and value[0].kind == "word" and (said or alone or value[0].text[:1].isupper()):
            value = [_as(f'"{value[0].text}"', value[0], "quoted")]
        elif not said:
            return None
        return stop, [*([_as("not", words[at - 1])] if denied else []), *value]


def _says_none(words: Sequence[Word], at: int) -> bool:
    """“diagnosis none”, of cells that hold the word: it is read as no value, and asked for so."""
    said = at < len(words) and words[at].lower in {"none", "nil", "null", "nan"}
    return said and (at + 1 == len(words) or _ends(words[at + 1]))


def _is_signed(words: Sequence[Word], end: int) -> bool:
    """Whether a sign is written to the last word, which makes another value of it: A+."""
    behind = words[end] if 0 < end < len(words) else None
    return behind is not None and behind.text in {"+", "-", "#", "*"} and behind.start == words[end - 1].end


def _spoken(values: Sequence[object]) -> dict[tuple[str, ...], str]:
    """Values by their words."""
    texts = [v for v in values if isinstance(v, str)]
    return {tuple(fold(v).split()): v for v in texts if len(v.split()) <= _LONGEST_VALUE}


def _behind_verb(words: Sequence[Word], end: int) -> int:
    if end + 1 < len(words) and words[end].lower == "of" and _is_hidden(words[end + 1]):
        return end + 1  # "a rating of Top"
    return end + (end < len(words) and words[end].lower in _EQUAL | _DENIED)


def _value(words: Sequence[Word], at: int, column: _Column) -> int | None:
    """Where a value of the column ends that begins there."""
    at += at < len(words) and words[at].lower == "not"
    for size in range(min(_LONGEST_VALUE, len(words) - at), 0, -1):
        if tuple(w.lower for w in words[at : at + size]) in column.values:
            return at + size
    return None


def _lead(found: list[Word]) -> None:
    """“where the cut is …” as “with cut …”: nothing is asked by it."""
    at = len(found) - 1
    at -= at > 0 and found[at].lower == "the"
    if at > 0 and found[at].lower == "where":
        found[at:] = [_as("with", found[at])]


def _as(text: str, at: Word, kind: str = "word") -> Word:
    """A word put as another; one in quotes is what it says, and no word of the question."""
    plain = fold(text)
    return Word(text, plain, stem(plain), at.start, at.end, kind)


def _is_hidden(word: Word) -> bool:
    """Whether a value reads like a word of the question: other, alpha, I, yes."""
    return (
        word.lower in FILLERS
        or word.lower in operator_words()
        or word.lower in _ANSWERS
        or len(word.text) == 1
    )


def _ends(word: Word) -> bool:
    return word.kind == "symbol" or word.lower in _GOING_ON
