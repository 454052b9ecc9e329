"""Whether a word that is only a part of a value stands for it: Plaza, of Central Plaza; never book, of E-book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.people import may_be_person
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, name_words
from gnomon.semantic.model import singular
from gnomon.semantic.values import ValueIndex, ValueMatch

_KINDS = frozenset({"type", "kind", "class", "segment", "category", "group", "status"})
_MANY_NAMES = 200
_MORE_THAN_KINDS = 30


def is_head(words: Sequence[Word], match: ValueMatch, index: ValueIndex) -> bool:
    """“Plaza”, of Central Plaza: the name that a value ends in, said as a name, where no other value has it."""
    word, whole = words[match.start], str(match.value).lower().split()
    if match.end != match.start + 1 or not match.start or not word.text[:1].isupper() or len(word.lower) < 4:
        return False
    alike = {(m.dimension, m.value) for m in index.find([word.lower])}
    return len(whole) == 2 and whole[-1] == word.lower and len(alike) == 1


def is_prefixed(words: Sequence[Word], match: ValueMatch) -> bool:
    """“book”, where a value is E-book: a short prefix makes another word of it."""
    prefix, hyphen, rest = str(match.value).lower().partition("-")
    said = " ".join(w.lower for w in words[match.start : match.end])
    return (
        bool(hyphen)
        and len(prefix) < 4
        and not said.startswith(prefix)
        and rest.startswith(said.removesuffix("s"))
    )


def names_rows(span: Sequence[Word], vocabulary: Vocabulary) -> bool:
    """“parking”, of Double parking, where the rows are parking fines: the words are said of all of them."""
    called = {w for table in vocabulary.model.tables for w in name_words(table.label)}
    return all(w.lower in called or singular(w.lower) in called for w in span)


def without_rows(match: ValueMatch, words: Sequence[Word], vocabulary: Vocabulary) -> ValueMatch:
    """“small airports”, of airports of a type small_airport: the last word says what the rows are, and stays for itself."""
    last, value = words[match.end - 1], name_words(str(match.value))
    home = vocabulary.model.table(vocabulary.model.dimension(match.dimension).home.table)
    named = (
        match.kind in ("exact", "stem") and last.text.islower() and value[-1:] == name_words(home.label)[-1:]
    )
    several = match.end - match.start == len(value) > 1 and last.lower != value[-1]
    return replace(match, end=match.end - 1, kind="exact") if named and several else match


def is_counted(words: Sequence[Word], match: ValueMatch) -> bool:
    """“how many runners”: a plain plural that is counted is what the rows are, not one club of that name."""
    word, before = words[match.start], [w.lower for w in words[max(0, match.start - 2) : match.start]]
    plain = match.end == match.start + 1 and word.text.islower()
    following = words[match.end] if match.end < len(words) else None
    alone = following is None or following.kind == "symbol" or _holds_together(following.lower)
    plain &= word.lower.endswith("s") or (alone and get_lexicon().met(word.lower, "n") > 0)  # "aircraft"
    return plain and (before[-1:] == ["many"] or before == ["number", "of"])


def _holds_together(word: str) -> bool:
    return word in FILLERS or (word,) in operators() or word.endswith("n't")


def is_kind_in_names(words: Sequence[Word], match: ValueMatch, vocabulary: Vocabulary) -> bool:
    """“the oldest queen”, of contestants some of whom are called Queen: a plain noun is no part of somebody's name."""
    word = words[match.start]
    plain = match.end == match.start + 1 and word.text.islower() and get_lexicon().met(word.lower, "n") > 0
    return plain and may_be_person(vocabulary.model.dimension(match.dimension).label)


def is_title(words: Sequence[Word], match: ValueMatch, vocabulary: Vocabulary) -> bool:
    """“films in the collection”, of thousands of titles, one of them Collection: a plain noun names none of them.

    Nor does “name” a pet called Name, where it is a word of the column's own name.
    """
    word, column = words[match.start], vocabulary.model.dimension(match.dimension)
    noun = any(part == "n" for _, part in get_lexicon().bases(word.lower))
    plain = match.end == match.start + 1 and word.text.islower() and noun
    rows = vocabulary.model.table(column.home.table).rows or 0
    heading = word.lower in {w.lower() for w in name_words(column.label)}
    own = (column.distinct or 0) > (_MORE_THAN_KINDS if heading else max(_MANY_NAMES, 0.5 * rows))
    return plain and own and str(match.value)[:1].isupper()


def is_of_its_column(words: Sequence[Word], match: ValueMatch, vocabulary: Vocabulary) -> bool:
    """“business holders”, of a column called holder: one of its values, though the word is idle elsewhere."""
    behind = words[match.end].lower if match.end < len(words) else ""
    spoken = [behind]
    if match.end > match.start + 1:  # "say too much is done about poverty", of a column of that name
        said = [w.lower for w in words]
        spoken = [" ".join(said[i : i + n]) for n in (1, 2, 3) for i in range(len(said) - n + 1)]
    links = (x for w in spoken for x in vocabulary.named(w))
    named = any(x.kind is LinkKind.DIMENSION and x.name == match.dimension for x in links)
    *whose, kind = name_words(vocabulary.model.dimension(match.dimension).label)
    return named or (
        kind in _KINDS and whose[-1:] == [singular(behind)]
    )  # "business guests", of a guest type
