"""Quantities as prose writes them: digits with sign, currency, scale and unit; number words; fractions; ordinals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from gnomon.core.patterns import late_pattern, regex
from gnomon.data.currencies import CODES, SYMBOLS
from gnomon.guardrails.units import CURRENCY_WORDS, PERCENT, PLAIN, POINTS, TIMES


class NumeralKind(StrEnum):
    """How a number is meant."""

    QUANTITY = "quantity"
    FRACTION = "fraction"
    MULTIPLE = "multiple"
    ORDINAL = "ordinal"


@dataclass(frozen=True)
class Numeral:
    """One number as it is written.

    Args:
        kind: Quantity, fraction of a whole, multiple, or place in an order.
        start: Where it begins, sign and currency included.
        end: Where it ends, unit included.
        value: Its size, without sign and scaled.
        step: What its last written digit is worth; 0 for words, which are exact.
        sign: ``-``, ``+`` or nothing.
        unit: ``%``, ``pp``, ``x``, a currency code, or nothing.
        bare: Whether it is digits alone, such as a year could be.
    """

    kind: NumeralKind
    start: int
    end: int
    value: Decimal
    step: Decimal = Decimal(0)
    sign: str = ""
    unit: str = PLAIN
    bare: bool = False

    def rounds(self, exact: Decimal) -> bool:
        """Whether ``exact`` (without sign), rounded as this is written, is this."""
        # At an exact tie both neighbours are roundings: binary floats fall to either side.
        return abs(exact - self.value) <= self.step / 2


_SCALES = {
    "k": 3, "thousand": 3, "m": 6, "mn": 6, "mio": 6, "million": 6, "b": 9, "bn": 9, "billion": 9, "trillion": 12,
    "hundred": 2, "tn": 12, "crore": 7, "lakh": 5,
}  # fmt: skip
_CUR = "|".join(re.escape(s) for s in sorted([*SYMBOLS, *CODES], key=len, reverse=True))
_MONEY_WORDS = "|".join(sorted(CURRENCY_WORDS, key=len, reverse=True))
_DIGITS = regex(
    rf"""(?<![\w.,])(?P<sign>[-−–+])?(?P<cur>(?:{_CUR})[ \u00a0]?)?(?P<sign2>[-−–+])?
    (?P<num>\d{{1,3}}(?:[,'’\u00a0\u202f]\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE](?P<exp>[-+]?\d{{1,3}})(?!\w))?
    (?:(?P<ord>st|nd|rd|th)\b|
     (?:[ \u00a0-]?(?P<scale>(?:thousand|million|billion|trillion|hundred|crore|lakh|mio|mn|bn|tn)s?\b|[kKmMbB]\b(?![²³/])))?
     (?:[ \u00a0-]?(?P<unit>%\s?(?:points?|pts?)\b|%|percentage[ -]points?\b|per\s?cent\b|pct\b|pp\b|x\b|×|times\b|(?:US\s)?(?:{_MONEY_WORDS})\b|(?:{_CUR})(?!\w)))?)
    """,
    re.VERBOSE,
)  # fmt: skip
_ONES = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_POWERS = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_CARDINAL = "|".join([*sorted(_ONES, key=len, reverse=True), *_POWERS])
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "twentieth": 20,
}  # fmt: skip
_PARTS = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "twentieth": 20, "hundredth": 100}  # fmt: skip
_PART = "half|halves|third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twentieth|hundredth"
_FRACTION = regex(
    rf"\b(?:(?P<count>one|two|three|four|five|six|seven|eight|nine)[ -](?P<parts>(?:{_PART})s?)\b|an?\s(?P<a>{_PART})\s(?:of|as)\b|(?P<half>half)\b(?![ -]years?)|(?P<bare>third|quarter|fifth|tenth)\sof\s(?:the|all|its|their|total)\b)",
    re.IGNORECASE,
)
_MULTIPLE = {
    "doubled": 2, "doubling": 2, "doubles": 2, "double": 2, "twice": 2, "tripled": 3, "tripling": 3, "triple": 3,
    "triples": 3, "trebled": 3, "thrice": 3, "quadrupled": 4, "quadruple": 4, "quintupled": 5, "halved": 0.5,
    "halving": 0.5, "halves": 0.5, "twofold": 2, "threefold": 3, "fourfold": 4, "fivefold": 5, "tenfold": 10,
}  # fmt: skip
_MULTIPLES = regex(rf"\b({'|'.join(_MULTIPLE)})\b", re.IGNORECASE)
_WORDS = regex(
    rf"\b(?:{_CARDINAL})(?:(?:[ -]|\s+and\s+)(?:{_CARDINAL}))*s?\b(?:[ -](?P<unit>percent|per\s?cent|percentage[ -]points?|times|(?:US\s)?(?:{_MONEY_WORDS}))\b)?",
    re.IGNORECASE,
)
_ORDINAL = regex(rf"\b({'|'.join(ORDINALS)})\b", re.IGNORECASE)


def find_numerals(text: str) -> list[Numeral]:
    """Every number of the text, in order; where two overlap, the longer reading."""
    found = [*_digits(text), *_fractions(text), *_multiples(text), *_words(text), *_ordinals(text)]
    found.sort(key=lambda n: (n.start, -(n.end - n.start)))
    kept: list[Numeral] = []
    for numeral in found:
        if not kept or numeral.start >= kept[-1].end:
            kept.append(numeral)
    return kept


def _digits(text: str) -> Iterator[Numeral]:
    for m in _DIGITS.finditer(text):
        start = m.start()
        if re.search(r"[^\W\d_][-_/#]$", text[:start]) and not m["cur"]:
            continue  # COVID-19, SKU-204: part of a name
        glued = not m["unit"] and re.match(r"[^\W\d_]", text[m.end() : m.end() + 1])
        if glued and not _glued_unit(text, m.end()):
            continue  # 3D, 4K-ready: part of a name
        scale = _SCALES.get((m["scale"] or "").rstrip("s").lower(), 0)
        sign = _sign(text, m)
        digits = re.sub(r"[,'’\u00a0\u202f]", "", m["num"])
        exponent = int(m["exp"] or 0) + scale
        decimals = len(digits.partition(".")[2])
        kind = NumeralKind.ORDINAL if m["ord"] else NumeralKind.QUANTITY
        unit = _unit(m["cur"], m["unit"])
        bare = not (sign or unit or scale or m["exp"] or m["ord"]) and digits == m["num"]
        step = Decimal(1).scaleb(exponent - decimals)
        yield Numeral(kind, start, m.end(), Decimal(digits).scaleb(exponent), step, sign, unit, bare)


def _glued_unit(text: str, at: int) -> bool:
    return re.match(r"(?:kg|km|cm|mm|mg|ml|g|h|min|s|ms|d|w|GB|MB|KB|TB|kWh|hrs?)\b", text[at:]) is not None


def _sign(text: str, m: re.Match[str]) -> str:
    first, second = m["sign"] or "", m["sign2"] or ""
    if (
        first
        and first != "+"
        and re.search(r"[\w)%]\s?$", text[: m.start()])
        and not text[: m.start()].endswith(" ")
    ):
        first = ""
    written = first or second
    return "-" if written in {"-", "−", "–"} else written


def _unit(currency: str | None, unit: str | None) -> str:
    code = SYMBOLS.get((currency or "").strip(), (currency or "").strip())
    after = " ".join((unit or "").lower().split())
    if not after:
        return code
    if "point" in after or "pt" in after or after == "pp":
        return POINTS
    if after in {"%", "percent", "per cent", "pct"} or after == "percent":
        return PERCENT
    if after in {"x", "×", "times"}:
        return TIMES
    word = after.removeprefix("us ")
    found = CURRENCY_WORDS.get(word) or SYMBOLS.get((unit or "").strip(), (unit or "").strip())
    return found if not code or code == found else f"{code} {found}"


def _fractions(text: str) -> Iterator[Numeral]:
    for m in _FRACTION.finditer(text):
        if re.search(r"\b(?:first|second|latter|former|1st|2nd|other)\s$", text[: m.start()], re.IGNORECASE):
            continue
        part = (m["parts"] or m["a"] or m["half"] or m["bare"]).lower()
        share = Decimal(_ONES[m["count"].lower()] if m["count"] else 1) / _PARTS[part.rstrip("s")]
        end = m.end() - 3 if m["a"] else m.start() + len(m["bare"]) if m["bare"] else m.end()
        yield Numeral(NumeralKind.FRACTION, m.start(), end, share)


def _multiples(text: str) -> Iterator[Numeral]:
    for m in _MULTIPLES.finditer(text):
        yield Numeral(NumeralKind.MULTIPLE, m.start(), m.end(), Decimal(str(_MULTIPLE[m[1].lower()])))


def _words(text: str) -> Iterator[Numeral]:
    for m in _WORDS.finditer(text):
        spoken = re.findall(
            r"[a-z]+", m.group().lower()[: (m.start("unit") - m.start()) if m["unit"] else None]
        )
        value = _spoken(spoken)
        if _not_a_count(spoken, text[: m.start()], text[m.end() :]):
            continue
        # Two counts beside each other ("two and three") are no number: unreadable, and so never bound.
        yield Numeral(
            NumeralKind.QUANTITY, m.start(), m.end(), Decimal(-1 if value is None else value), Decimal(0), "",
            _unit(None, m["unit"]),
        )  # fmt: skip


_PRONOUN_BEFORE = late_pattern(
    r"\b(?:no|the|this|that|any|each|every|which|another|only|some)\s$", re.IGNORECASE
)
_PRONOUN_AFTER = late_pattern(
    r"\s(?:another|of\s(?:the|these|those|its|them|several|many))\b|[-’']|(?=[?.,;)]|$)", re.IGNORECASE
)
_COUNTS_BEFORE = late_pattern(
    r"(?:\b(?:is|was|were|are|exactly|just|than|by|to|from|of|and)|[:=(])\s?$", re.IGNORECASE
)
_THEM = late_pattern(
    r"\s(?:are|were|do|did|have|had|differ\w*|move\w*|together|go|went|agree|disagree)\b", re.IGNORECASE
)


def _not_a_count(spoken: list[str], before: str, after: str) -> bool:
    """Whether "one" or "the two" stands for things named before, not for how many there are."""
    if spoken == ["one"]:
        follows = _PRONOUN_AFTER.match(after) is not None and _COUNTS_BEFORE.search(before) is None
        return _PRONOUN_BEFORE.search(before) is not None or follows
    return (
        spoken == ["two"]
        and re.search(r"\bthe\s$", before, re.IGNORECASE) is not None
        and _THEM.match(after) is not None
    )


def _spoken(spoken: list[str]) -> int | None:
    total, current, last = 0, 0, 10**12
    for word in spoken:
        w = word if word in _ONES or word in _POWERS else word.rstrip("s")
        if w == "and":
            continue
        if w in _ONES:
            size = _ONES[w]
            if current % 100 and not (current % 100 >= 20 and current % 10 == 0 and size < 10):
                return None
            current += size
        elif w in {"hundred", "dozen"}:
            current = max(current, 1) * _POWERS[w]
        elif w in _POWERS:
            if _POWERS[w] >= last:
                return None
            last = _POWERS[w]
            total += max(current, 1) * last
            current = 0
    return total + current


def _ordinals(text: str) -> Iterator[Numeral]:
    for m in _ORDINAL.finditer(text):
        yield Numeral(NumeralKind.ORDINAL, m.start(), m.end(), Decimal(ORDINALS[m[1].lower()]))
