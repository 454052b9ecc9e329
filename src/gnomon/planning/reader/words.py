"""A question as words: where each stands, its stem, and whether it carries content."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from gnomon.core.patterns import regex

_TOKEN = regex(
    r"""
    (?P<quoted>"[^"]{1,80}"|“[^”]{1,80}”|(?<!\w)'[^']{1,80}'(?!\w))
    |(?P<number>[$€£]?\d(?:[\d,]*\d)?(?:\.\d+)?(?:[kKmM]|bn)?(?![\w])%?)
    |(?P<word>\b(?:[A-Z]\.){2,}|[^\W_]+(?:['’](?!s\b)[^\W_]+)*)
    |(?P<symbol>>=|<=|!=|<>|[<>=%;,?:()&/+–-]|(?<=[^\W_])[#*](?!\w))
    """,
    re.VERBOSE,
)


# How many words and names are remembered, each once for all questions.
REMEMBERED = 32_768
_ONE_AT_A_TIME = threading.Lock()
_QUESTIONS = 256
_THAT_IS = regex(r"\b(?:i\.\s?e|e\.\s?g|a\.k\.a)\b\.?", re.IGNORECASE)
_HUMPS = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])")
_NAME_WORD = regex(r"[^\W_]+")
_GLUED = regex(r"(top|bottom|best|worst|first|last)(\d{1,3})", re.IGNORECASE)


@dataclass(frozen=True)
class Word:
    """One token: a word, a number, a quoted phrase or a symbol."""

    text: str
    lower: str
    stem: str
    start: int
    end: int
    kind: str


def split_words(question: str) -> list[Word]:
    """The tokens of ``question``; a possessive ``'s`` is left off."""
    return list(_tokens(question))


@lru_cache(maxsize=_QUESTIONS)
def _tokens(question: str) -> tuple[Word, ...]:
    words: list[Word] = []
    explaining = {at for found in _THAT_IS.finditer(question) for at in range(*found.span())}
    for match in _TOKEN.finditer(question):
        kind = match.lastgroup or "word"
        text = match.group()
        if match.start() in explaining:  # "i.e." holds the sentence together, and its letters are none
            words.append(Word(text, fold(text), fold(text), match.start(), match.end(), "symbol"))
            continue
        if (
            kind == "word"
            and text.lower() == "s"
            and question[match.start() - 1 : match.start()] in {"'", "’"}
        ):
            continue
        glued = _GLUED.fullmatch(text) if kind == "word" else None
        if glued:
            at = match.start() + len(glued[1])
            words.append(Word(glued[1], fold(glued[1]), stem(fold(glued[1])), match.start(), at, "word"))
            words.append(Word(glued[2], glued[2], glued[2], at, match.end(), "number"))
            continue
        plain = fold(text.strip("\"'“”") if kind == "quoted" else text)
        words.append(Word(text, plain, stem(plain), match.start(), match.end(), kind))
    return tuple(words)


def fold(text: str) -> str:
    """Lower case, without accents and curly quotes."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


@cache
def _stemmer() -> object:
    from Stemmer import Stemmer

    return Stemmer("english")


@lru_cache(maxsize=REMEMBERED)
def stem(word: str) -> str:
    """The stem of one folded word; numbers and short words stay as they are.

    Words in -ing keep it: a rating is not a rate, a building is not what was built.
    """
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith(("ing", "ings")):
        return word.removesuffix("s")
    return _stemmed(word)


@lru_cache(maxsize=REMEMBERED)
def root(word: str) -> str:
    """The stem of a word, forms in -ing included."""
    return _stemmed(word) if len(word) > 3 and word.isalpha() else word


def _stemmed(word: str) -> str:
    """The stemmer keeps the word that it works on, so that only one thread may ask it at a time."""
    with _ONE_AT_A_TIME:
        return _stemmer().stemWord(word)  # type: ignore[attr-defined, no-any-return]


class Beginnings:
    """How words and stems begin: a stem is its word up to somewhere, but for the last letter."""

    def __init__(self, words: Iterable[str]) -> None:
        self._known = frozenset(w[:-1] if len(w) > 2 else w for w in words)
        self._heads = frozenset(w[:3] for w in self._known)
        self._sizes = sorted({len(w) for w in self._known})

    def of(self, glued: str) -> bool:
        """Whether words glued together may be one of them, or have one of them as its stem."""
        if glued[:3] not in self._heads and glued[:2] not in self._heads:
            return False
        return any(glued[:size] in self._known for size in self._sizes)


@lru_cache(maxsize=REMEMBERED)
def segments(word: str) -> tuple[str, ...]:
    """Words that a name has glued together (``bigcity``, ``pclass``); nothing where it does not come apart."""
    known = _known_words()
    if len(word) < 6 or not word.isalpha() or word in known:
        return ()
    for cut in range(3, len(word) - 1):
        first, rest = word[:cut], word[cut:]
        if _is_part(first) and (_is_part(rest) if len(rest) > 2 else rest in _SHORT_ENDS):
            return first, rest
    for cut in range(len(word) - 3, 2, -1):  # percbelowpoverty: the longest first word
        if _is_part(word[:cut]) and len(rest := _apart(word[cut:])) > 1:
            return word[:cut], *rest
    if word.startswith("in") and len(word) >= 7 and word[2:] in known:
        return "in", word[2:]  # inmetro
    return (word[1:],) if len(word) >= 6 and word[1:] in known else ()


_SHORT_ENDS = frozenset({"wt", "ht", "yr", "no", "nr", "hr"})


def _is_part(text: str) -> bool:
    return text in _known_words() or text in ABBREVIATIONS


def _apart(text: str) -> tuple[str, ...]:
    """Two whole words that are glued together."""
    cuts = range(4, len(text) - 3)
    return next(((text[:c], text[c:]) for c in cuts if {text[:c], text[c:]} <= _known_words()), ())


@lru_cache(maxsize=REMEMBERED)
def name_words(name: str) -> tuple[str, ...]:
    """The folded words of a name of a column, table or metric: snake case and camel case are split."""
    return tuple(fold(w) for w in _NAME_WORD.findall(_HUMPS.sub(" ", name)))


def is_known_word(word: str) -> bool:
    """Whether ``word`` is a word of its own to the sentence encoder, and so hardly a misspelt one."""
    return fold(word) in _known_words()


@cache
def _known_words() -> frozenset[str]:
    from gnomon.embedding import known_words

    return known_words()


# Plain words for what data often codes; used where the data knows the other word.
ALIASES = {
    "women": "female", "woman": "female", "girls": "female", "ladies": "female", "men": "male", "man": "male", "boys": "male",
    "females": "female", "males": "male",
}  # fmt: skip

# What people write for short, and the word they mean; used where the data knows the word and not the short form.
ABBREVIATIONS = {
    "rev": "revenue", "revs": "revenue", "qty": "quantity", "amt": "amount", "avg": "average", "cust": "customer", "custs": "customers",
    "prod": "product", "prods": "products", "cat": "category", "cats": "categories", "dept": "department", "depts": "departments",
    "mgr": "manager", "emp": "employee", "emps": "employees", "temp": "temperature", "pop": "population", "perc": "percent",
    "num": "number", "nr": "number", "yr": "year", "mo": "month", "wk": "week", "conv": "conversion", "addr": "address",
    "disc": "discount", "inv": "inventory", "sess": "sessions", "desc": "description", "acct": "account", "trans": "transactions",
    "dt": "date", "cd": "code", "grp": "group", "nm": "name", "cnt": "count", "tot": "total", "pax": "passengers", "dest": "destination",
    "dep": "departure", "arr": "arrival", "orig": "origin", "acq": "acquisition", "repl": "replacement", "pub": "publication",
    "loc": "location", "bal": "balance", "est": "estimated", "freq": "frequency", "lang": "language", "mth": "month", "org": "organization",
    "pmt": "payment", "prev": "previous", "sched": "schedule", "seg": "segment", "svc": "service", "trx": "transaction", "usr": "user",
    "veh": "vehicle", "wt": "weight", "ht": "height", "perf": "performance", "hrs": "hours", "attn": "attendance", "fl": "flight",
    "spp": "species", "pct": "percent", "temps": "temperature", "dob": "date of birth", "percap": "per capita", "percapita": "per capita",
    "rm": "room", "chan": "channel", "bkg": "booking", "ctry": "country", "elev": "elevation", "lvl": "level",
    "rgn": "region", "mkt": "market", "sev": "severity", "prio": "priority", "nat": "nationality",
    "tmax": "maximum temperature", "tmin": "minimum temperature", "tavg": "average temperature", "prcp": "precipitation",
    "precip": "precipitation", "stn": "station", "appt": "appointment", "appts": "appointments", "dl": "downloads",
    "txn": "transaction", "txns": "transactions", "comp": "competitor", "pv": "page views", "vol": "volume", "dur": "duration",
    "intl": "international", "natl": "national", "ins": "insurance", "wh": "warehouse", "whse": "warehouse",
    "serv": "service", "nbhd": "neighborhood", "hood": "neighborhood", "sat": "satisfaction", "deliv": "delivery", "pkg": "package",
    "beds": "bedrooms", "baths": "bathrooms", "sqft": "square foot", "sqm": "square metre", "sz": "size",
    "bed": "bedrooms", "bath": "bathrooms", "pc": "per capita", "potus": "president", "vpotus": "vice president",
    "mds": "doctors", "rns": "nurses", "comb": "combined", "hwy": "highway", "cyl": "cylinders",
}  # fmt: skip
