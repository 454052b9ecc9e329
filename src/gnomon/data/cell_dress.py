"""What cells wear around what they say: unseen signs, marks around every cell, digits of another script, days in other words.

Each step is a pattern and what takes its place, applied alike to a sample of the cells here and to all of them in SQL, so
that a column is read by what its cells say. A text that is read as nothing else stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.core.patterns import regex
from gnomon.data.table import literal

_SIGNS = "".join(
    map(chr, (0xA0, 0x1680, *range(0x2000, 0x2010), 0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF))
)
_UNSEEN = rf"[\s{_SIGNS}]"
_EDGE = rf"^{_UNSEEN}+|{_UNSEEN}+$"
_EDGES = regex(_EDGE)
_ENDING = _SIGNS + "".join(filter(str.isspace, map(chr, range(0x3001))))
_AROUND = (
    ("“", "”"), ("„", "“"), ("”", "”"), ("«", "»"), ("»", "«"), ("‹", "›"), ("‘", "’"), ("`", "`"), ("´", "´"), ('="', '"'), ('"', '"'), ("'", "'"), ("'", ""),
)  # fmt: skip
"""Marks that stand around every cell of a column, as word processors, spreadsheets and databases write them."""

_ZEROS = "٠۰०০๐０"  # the first of ten digits each
_FROM = "".join(chr(ord(zero) + i) for zero in _ZEROS for i in range(10)) + "٫٬．，％－–"
_TO = "0123456789" * len(_ZEROS) + ".,.,%--"
_FOREIGN = regex(rf"[{re.escape(_FROM)}]")
_FOREIGN_DIGITS = str.maketrans(_FROM, _TO)

_MONTHS = {
    "Jan": "januar[iy]?|jänner|janvier|janv|enero|ene|gennaio|gen|janeiro|stycznia|января|янв",
    "Feb": "februar[iy]?|février|fevrier|févr|fév|febrero|febbraio|fevereiro|fev|lutego|февраля|фев",
    "Mar": "märz|mär|maart|mrt|mars|marzo|março|marca|марта|мар",
    "Apr": "april|avril|avr|abril|abr|aprile|kwietnia|апреля|апр",
    "May": "mai|mei|maj|mayo|maggio|mag|maio|maja|мая|май",
    "Jun": "juni|juin|junio|giugno|giu|junho|czerwca|июня|июн",
    "Jul": "juli|juillet|juil|julio|luglio|lug|julho|lipca|июля|июл",
    "Aug": "augusti|augustus|august|août|aout|agosto|ago|sierpnia|августа|авг",
    "Sep": "september|septembre|sept|septiembre|settembre|set|setembro|września|сентября|сен",
    "Oct": "oktober|okt|octobre|octubre|ottobre|ott|outubro|out|października|октября|окт",
    "Nov": "november|novembre|noviembre|novembro|listopada|ноября|ноя",
    "Dec": "dezember|dez|december|décembre|decembre|déc|diciembre|dic|dicembre|dezembro|grudnia|декабря|дек",
}
_DAYS: tuple[tuple[str, str], ...] = (
    (r"(?i)^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+", ""),
    (r"(\d+)\s*[年년]\s*(\d+)\s*[月월]\s*(\d+)\s*[日일]?", r"\1-\2-\3"),
    (r"^(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]$", r"\2/\1"),
    (r"\s*\((?:\pL|\s)+\)$", ""),
    (r"^(\pL+\.? \d{1,2}) (\d{1,2}:\d{2}:\d{2})(?: GMT| UTC)? (\d{4})$", r"\1 \3 \2"),
    (r"(?i)(\d)(?:st|nd|rd|th|º|\.º|er)([\s,.]|$)", r"\1\2"),
    (r"(?i)\s+(?:del|de|of)\s+", " "),
    *((rf"(?i)(^|[^\pL])(?:{words})\.?($|[^\pL])", rf"\1{month}\2") for month, words in _MONTHS.items()),
    (r"(\d)[.,]\s+", r"\1 "),
    (r"(\pL)[.,]\s*", r"\1 "),
    (r"^(\d{4})[ _.](\d{1,2})[ _.](\d{1,2})\.?($|[ T])", r"\1-\2-\3\4"),
    (r"^(\d{1,2})[ _|](\d{1,2})[ _|](\d{4})($|[ T])", r"\1/\2/\3\4"),
    (r"^(\d{1,2})[/ _|]?(\pL{3,9})[/ _|]?(\d{4})", r"\1 \2 \3"),
    (r"^(\d{1,2} \pL{3,9} \d{4}):", r"\1 "),
    (r"^(\d{4}-\d{2}-\d{2})T(\d{2})(\d{2})(\d{2})", r"\1 \2:\3:\4"),
    (r"\s*(?:(?:GMT|UTC)?[-+]00:?00|GMT|UTC|Z)$", ""),
)
"""Dates in other words, as the ways of writing them that are known."""

_COIN = regex(r"(?i)(?:rs|kr|fr)\.|[,.][-–—]")  # one of the next, or nearly
_COINS = ((r"(?i)(rs|kr|fr)\.", r"\1"), (r"[,.](?:-|–|—){1,2}$", ""))


@dataclass(frozen=True)
class Dress:
    """Steps that take off what cells wear.

    Args:
        steps: Patterns, and what takes their place.
        digits: Whether digits of other scripts are told in those of this one.
        around: Whether marks or unseen signs stand around every cell, so that a text is read without them as well.
    """

    steps: tuple[tuple[str, str], ...] = ()
    digits: bool = False
    around: bool = False

    def off(self, text: str) -> str:
        """What a cell says."""
        text = text.translate(_FOREIGN_DIGITS) if self.digits else text
        for pattern, into in self.steps:
            text = _compiled(pattern).sub(into, text)
        return text

    @property
    def sql(self) -> str:
        """The same in SQL, with ``{c}`` for the cell."""
        found = f"translate({{c}}, {literal(_FROM)}, {literal(_TO)})" if self.digits else "{c}"
        for pattern, into in self.steps:
            found = f"regexp_replace({found}, {literal(pattern)}, {literal(into)}, 'g')"
        return found


_KNOWN: dict[str, re.Pattern[str]] = {}


def _compiled(pattern: str) -> re.Pattern[str]:
    """``\\pL`` is how the database says what ``[^\\W\\d_]`` says here."""
    if pattern not in _KNOWN:
        spelled = pattern.replace(r"[^\pL]", r"[\W\d_]").replace(r"\pL", r"[^\W\d_]")
        _KNOWN[pattern] = re.compile(spelled, re.DOTALL)
    return _KNOWN[pattern]


def dress_of(values: Sequence[str]) -> Dress | None:
    """What ``values``, the distinct texts of a column, wear; None where they wear nothing, as nearly everywhere."""
    steps: list[tuple[str, str]] = []
    text = "\n".join(values)  # what no cell has is told of all at once
    edged = [v for v in values if v[:1].strip(_ENDING) != v[:1] or v[-1:].strip(_ENDING) != v[-1:]]
    every = 0 < len(edged) == len(values)
    if edged:
        steps = [(_EDGE, "")]
        values = [_EDGES.sub("", v) for v in values]
    around = around_all([v for v in values if v])
    if around:
        left, right = map(re.escape, around)
        steps += [(f"^{left}(.*){right}$", r"\1")]
        values = [unwrapped(v, around) for v in values]
    if _COIN.search(text) and any(
        v[-2:] in (",-", ".-", "--") or v[-1:] in "–—" or "." in v[:4] for v in values
    ):
        steps += (
            _COINS if any(p.search(v) for v in values for p in map(_compiled, (c for c, _ in _COINS))) else ()
        )
    digits = not text.isascii() and any(_FOREIGN.search(v) for v in values)
    return Dress(tuple(steps), digits, every or around is not None) if steps or digits else None


def day_dress(dress: Dress | None) -> Dress:
    """What dates wear that are written in other words."""
    worn = dress or Dress()
    return Dress((*worn.steps, *_DAYS), worn.digits, worn.around)


def around_all(values: Sequence[str]) -> tuple[str, str] | None:
    """The marks that stand around each of ``values``."""
    if not values:
        return None
    for left, right in _AROUND:
        if all(len(v) >= len(left) + len(right) and v.startswith(left) and v.endswith(right) for v in values):
            return left, right
    return None


def unwrapped(value: str, around: tuple[str, str]) -> str:
    """``value`` without the marks around it."""
    return value[len(around[0]) : len(value) - len(around[1])]
