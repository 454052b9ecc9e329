"""Names for people: columns and tables as words, entities behind identifiers, and their other names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from gnomon.core.patterns import regex
from gnomon.data import column_names as names
from gnomon.embedding.lexicon import get_lexicon
from gnomon.semantic.model import plural, singular
from gnomon.semantic.vocabulary import vocabulary

_SPLIT = regex(
    r"[^\w%$€£]+|_+|(?<=[a-zà-ÿ0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])|(?<=[a-z][a-z][a-z])(?=\d\d)"
)
# Units and signs in capitals and small letters are one word: kWh, pH, mL.
_MIXED = regex(r"(?<![A-Z])[kKMG]Wh?(?![a-z])|(?<![A-Za-z0-9])[a-z][A-Z](?![A-Za-z])")
_ID_WORDS = frozenset(
    {"id", "ids", "uuid", "guid", "key", "pk", "fk", "sku", "code", "number", "no", "num", "nr", "ref", "identifier",
     "index", "serial", "tag", "plate", "badge", "cd"}
)  # fmt: skip
_AUTOMATIC = frozenset(
    [
        "unnamed",
        "column",
        "row",
        "sys",
        "system",
        "record",
        "unique",
        "global",
        "primary",
        "internal",
        "external",
    ]
)
_TAILS = ("date", "time", "name", "price", "count", "type", "status", "year", "month")
_RUN_TOGETHER = 7
_GLUED_ID = regex(r"^([a-z]{3,})(id|uuid|guid)$")


def words_of(name: str) -> list[str]:
    """The words of a name, acronyms as they are, everything else in lower case."""
    return list(_words(name))


@lru_cache(maxsize=20_000)  # the names of the open tables, which every rule asks for
def _words(name: str) -> tuple[str, ...]:
    found = [w for w in _SPLIT.split(_MIXED.sub(lambda m: f" {m[0].lower()} ", name)) if w]
    shouting = name.upper() == name and (len(found) > 1 or len(name) > 4)
    plain = [w if _is_acronym(w) and not shouting else w.lower() for w in found]
    return tuple(part for w in plain for part in _apart(w))


@lru_cache(maxsize=20_000)
def _apart(word: str) -> tuple[str, ...]:
    """Two words that a heading runs into one: startdate, lastname; a word of its own (update, lifetime) stays."""
    for tail in _TAILS if len(word) >= _RUN_TOGETHER and word.isalpha() and word.islower() else ():
        head = word.removesuffix(tail)
        if head != word and len(head) > 2 and head not in _TAILS:
            lexicon = get_lexicon()
            return (head, tail) if lexicon.bases(head) and not lexicon.bases(word) else (word,)
    return (word,)


def _is_acronym(word: str) -> bool:
    return word.isupper() and 1 < len(word) <= 4 and word.lower() not in _ordinary()


@cache
def _ordinary() -> frozenset[str]:
    """Short words that are no acronyms even where a whole table shouts."""
    known = vocabulary()
    words = (
        names.TIME,
        names.YEAR,
        names.QUANTITY,
        names.PLACE,
        names.PLACE_MAYBE,
        known.intensive,
        known.flows,
    )
    return frozenset().union(*words, known.generic_columns) - {
        "gdp",
        "nps",
        "gpa",
        "bmi",
        "mpg",
        "apr",
        "rpm",
    }


def lower_words(name: str) -> list[str]:
    """The words of a name in lower case."""
    return [w.lower() for w in words_of(name)]


def full_words(name: str) -> list[str]:
    """The words of a name in lower case, those that headings cut short in full: ``rev_usd`` is revenue, usd."""
    return [w.lower() for w in _spelt(tuple(lower_words(name)))]


@lru_cache(maxsize=20_000)
def _spelt(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words, those cut short in full: ``CUST_NM`` is a customer name, while a cat alone is no category."""
    known = vocabulary()
    cut = [w.lower() in known.short or w.lower() in known.short_beside for w in words]
    beside = len(words) > 1 and (all(cut) or any(w.lower() in known.short for w in words))
    meant = known.short | known.short_beside if beside else known.short
    return tuple(meant.get(w.lower(), w) for w in words)


def label_of(name: str) -> str:
    """A column's name as people say it."""
    return " ".join(_spelt(_words(name))) or name.strip() or "value"


def as_written(name: str) -> str:
    """The words of a column's name as they are written."""
    return " ".join(words_of(name)) or name.strip()


def slug(text: str) -> str:
    """A label as one word, for names."""
    return re.sub(r"\W+", "_", text.lower(), flags=re.UNICODE).strip("_") or "value"


@lru_cache(maxsize=20_000)
def entity_of(column: str) -> str | None:
    """What an identifier identifies: ``order_id`` an order, ``PassengerId`` a passenger; None for plain ``id``."""
    words = full_words(column)
    kept = [w for w in words if w not in _ID_WORDS]
    if len(kept) == len(words) and words and (glued := _GLUED_ID.match(words[-1])):
        kept = [*words[:-1], glued[1]]
    kept = [w for w in kept if not w.isdigit() and w not in _AUTOMATIC]
    if len(kept) == 1 and kept[0].upper() in words_of(column) and column.rstrip().endswith("#"):
        return kept[0]  # MLS# numbers what an MLS lists, which is no plural
    return singular(" ".join(kept)) if kept else None


def full_entity(entity: str | None, known: Iterable[str]) -> str | None:
    """The one known thing that an identifier's name is cut short from (``cust``: customer), else the name itself."""
    if entity is None or " " in entity:
        return entity
    whole = [k for k in dict.fromkeys(known) if is_cut_from(entity, k)]
    return whole[0] if len(whole) == 1 and entity not in whole else entity


def spelt_out(label: str, thing: str) -> str:
    """A label whose first word is cut from what the table is about, with the whole word: dept name, department name."""
    first, blank, rest = label.partition(" ")
    low = first.lower()
    if not blank or first == thing or not (is_cut_from(low, thing) or is_beginning(low, thing)):
        return label
    from gnomon.embedding.lexicon import get_lexicon

    return label if get_lexicon().met(low) else f"{thing} {rest}"  # a list price is no listing's


def is_beginning(short: str, word: str) -> bool:
    """Whether a name is the first letters of a word, down to two: fl, flight."""
    return 2 <= len(short) < len(word) - 1 and word.startswith(short)


def is_cut_from(short: str, word: str) -> bool:
    """Whether a name is a word or its usual shortening: customer, cust; department, dept."""
    if short == word:
        return True
    if len(short) < 3 or len(short) >= len(word) or " " in word or short[0] != word[0]:
        return False
    rest = iter(word)
    return word.startswith(short) or (len(short) < 5 and all(c in rest for c in short))


def entity_of_values(first: object, last: object) -> str | None:
    """What running numbers stand for by the letters before them: ``INC0001`` … ``INC0499`` are incidents."""
    found = {m[1].lower() for v in (first, last) if (m := re.match(r"([A-Za-z]{2,12})[-_ #]?\d", str(v)))}
    return vocabulary().id_prefixes.get(found.pop()) if len(found) == 1 else None


def table_entity(name: str) -> str | None:
    """What one row of a table is, by the table's name; None where the name says nothing."""
    words = lower_words(name)
    opaque = vocabulary().opaque_tables
    kept = [w for w in words if w not in opaque and len(w) > 1 and not re.search(r"\d", w)]
    if not kept or any(w in ("train", "test") for w in words) or is_numbered(name):
        return None
    return singular(" ".join(kept))


def is_numbered(name: str) -> bool:
    """Whether a table's name is one word and a running number (``part-12``), which names no thing."""
    match = re.fullmatch(r"\D*?([^\W\d_]+)\W*_?(\d{1,3})", name)
    return match is not None and len(lower_words(name)) <= 2


def others(label: str) -> tuple[str, ...]:
    """Other names for a thing: general synonyms of the whole, or of its last or first word."""
    known = vocabulary()
    found = list(known.others(label))
    words = label.split(" ")
    if not found:
        found += [" ".join([*words[:-1], o]) for o in known.others(words[-1])] if len(words) > 1 else []
    if len(words) > 1:
        found += [" ".join([o, *words[1:]]) for o in known.others(words[0])]
    return tuple(dict.fromkeys(o for o in found if o != label))


def both_numbers(label: str) -> tuple[str, ...]:
    """The label in the singular and in the plural, whichever it is not."""
    return tuple(x for x in dict.fromkeys((singular(label), plural(label))) if x != label)
