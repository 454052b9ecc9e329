"""Numbers, money and percents written as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from gnomon.core.patterns import regex
from gnomon.data.column_names import has, names_identifier, vocabulary
from gnomon.data.currencies import CODES, SYMBOLS
from gnomon.data.reading import Reading, share
from gnomon.data.table import ConversionKind, literal

_MARKED = regex(r"[^\d.,]*(\d[\d.,'’ \u00a0\u202f]*)([.,])(\d+)[^\d.,]*")
PLAIN = regex(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*")
# The same for all lines of a text, each of which can be read in one way only.
_PLAIN_LINES = regex(r"(?:[^\S\n]*+[-+]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?+\d++)?+[^\S\n]*+\n)++")
_BARE = frozenset("0123456789.+-\n")
_CURRENCY = "|".join(re.escape(s) for s in sorted([*SYMBOLS, *CODES], key=len, reverse=True))
_FIND = regex(rf"({_CURRENCY})")
_SPACE = "[ \u00a0\u202f]"
_SIGN = "[-+\u2212]"
_MINUS = "[-(\u2212]"
_KEEP_TEXT = regex(
    r"(?:^|[^a-z])(?:zip|zipcode|zip_code|postcode|postal_code|post_code|plz|phone|phone_?number|telephone|tel|mobile|fax"
    r"|ssn|iban|isbn|ean|upc|gtin|sku|version|ver|vin)$",
    re.IGNORECASE,
)
_SUFFIXES = {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9}

_POINTS = (".", ",", r"(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?|,\d+", "decimal comma")
# Marks of (thousands, decimals), how they look between digits, and their name; the first that fits best is taken.
_STYLES = (
    (",", ".", r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}|\d+)(?:\.\d+)?|\.\d+", "comma between thousands"),
    _POINTS,
    (
        "",
        ",",
        rf"(?:\d{{1,3}}(?:{_SPACE}\d{{3}})+|\d+),\d+|\d{{1,3}}(?:{_SPACE}\d{{3}})+|\d+",
        "decimal comma",
    ),
    ("", ".", rf"(?:\d{{1,3}}(?:{_SPACE}\d{{3}})+|\d+)(?:\.\d+)?", "space between thousands"),
    ("'", ".", r"(?:\d{1,3}(?:['’]\d{3})+|\d+)(?:\.\d+)?", "apostrophe between thousands"),
)


def read_number(name: str, values: Sequence[str], *, decimal_comma: bool) -> list[Reading]:
    """The ways in which ``values``, the distinct texts of a column, may be numbers, best first.

    Args:
        name: Name of the column: some names say that digits are not a quantity.
        values: Distinct texts of the column.
        decimal_comma: Whether the comma is the likelier decimal mark where both readings fit.
    """
    if identifies(name, values) or _are_codes(values) or _are_long_names(name, values):
        return []
    if _all_plain(values):
        return _plain_readings(values, decimal_comma)
    plain = share(sum(1 for v in values if PLAIN.fullmatch(v)), len(values))
    if plain == 1.0:
        return _plain_readings(values, decimal_comma)
    percent = share(sum(1 for v in values if v.rstrip().endswith("%")), len(values)) >= 0.9
    units = {SYMBOLS.get(m, m) for v in values for m in _FIND.findall(v)}
    bracketed = any(v.strip().startswith("(") and v.strip().endswith(")") for v in values)
    if len(units) > 1 and plain < 0.9:
        return []
    behind = [v for v in values if v.rstrip()[-1:] in ("-", "\u2212")]
    owed = bool(behind) and all(
        sum(c.isdigit() for c in v) > 2 for v in behind
    )  # 1,234.50-; a mark of 2- is none
    money = bool(units) or bracketed or owed
    suffixed = money and any(re.search(r"\d\s*(?:k|m|mn|b|bn)\W*$", v, re.IGNORECASE) for v in values)
    fitting = _fitting_styles(values, percent, money, suffixed) if len(units) < 2 else []
    best = max((score for _, score in fitting), default=0.0)
    if plain >= max(best, 0.9):
        return [_plain(_three_digits_doubted(values, ".") or _marks_doubted(values, "."))]
    tied = [style for style, score in fitting if score >= best - 1e-9]
    return _readings(tied, values, percent, money, suffixed, next(iter(units), None), decimal_comma)


def _all_plain(values: Sequence[str]) -> bool:
    """Whether all are plain numbers, told of all at once; not of values that have several lines."""
    text = "\n".join(values) + "\n"
    return text.count("\n") == len(values) and _PLAIN_LINES.fullmatch(text) is not None


def _plain_readings(values: Sequence[str], decimal_comma: bool) -> list[Reading]:
    """Plain numbers, or thousands with points between them where all of the numbers can be both."""
    doubt = _thousands_doubted(_decimals(values), ".") or _rounded(values)
    pattern = re.compile(_pattern(_POINTS[2], False, False, False))
    if doubt is None or not all(pattern.fullmatch(v) for v in values):
        return [_plain(doubt)]
    readings = [_plain(doubt), _formatted(_POINTS, False, False, False, None, _unclear(","))]
    return readings[::-1] if decimal_comma else readings


_SHORT = regex(r"\s*[-+]?\d(?:\.(\d{1,6}))?[eE]\+?(\d{2})\s*")


def _rounded(values: Sequence[str]) -> str | None:
    """What to tell of long whole numbers of which a spreadsheet kept the first digits alone: 4.00123E+11."""
    cut = [m for v in values if ("E" in v or "e" in v) and (m := _SHORT.fullmatch(v)) is not None]
    if 2 * len(cut) < len(values) or any(int(m[2]) < _CUT for m in cut):
        return None
    return "its numbers were written with their first digits alone (such as 4.00123E+11), so that different ones may read alike."


def _unclear(mark: str) -> str:
    named = "a decimal comma" if mark == "," else "a decimal point"
    return f"its marks can be read as thousands or as decimals; read with {named}"


def _decimals(values: Sequence[str]) -> list[tuple[str, str]]:
    """The digits before and behind the point of plain numbers that have both."""
    if _BARE.issuperset("\n".join(values)):
        bare = [v.lstrip("+-").partition(".") for v in values if "." in v]
        return [(before, behind) for before, _, behind in bare if before.isdecimal() and behind.isdecimal()]
    halves = [v.strip().lstrip("+-").partition(".") for v in values if "." in v]
    return [(before, behind) for before, _, behind in halves if before.isdecimal() and behind.isdecimal()]


def _three_digits_doubted(values: Sequence[str], mark: str) -> str | None:
    """What to tell of three digits behind ``mark`` in values that need not be plain numbers."""
    written = (_MARKED.fullmatch(v) for v in values if mark in v)
    parts = [(m[1], m[3]) for m in written if m is not None and m[2] == mark and mark not in m[1]]
    return _thousands_doubted(parts, mark)


def _thousands_doubted(parts: Sequence[tuple[str, str]], mark: str) -> str | None:
    """What to tell where three digits behind ``mark`` may be thousands: ``1.234`` of a column without ``0.234``.

    Decimals that are cut at their last digit end in no zero, and decimals that are filled up have one length. Where
    neither holds, the column was written in more than one way.
    """
    three = [before for before, behind in parts if len(behind) == 3]
    if not three or max(map(len, three)) > 3 or "0" in {before[:1] for before in three}:
        return None
    if len(three) < len(parts) and not any(behind.endswith("0") for _, behind in parts):
        return None
    return _doubt(mark)


def _doubt(mark: str) -> str:
    name = "comma" if mark == "," else "point"
    return f"three digits behind a {name} can be thousands or decimals; they are read as decimals."


def _marks_doubted(values: Sequence[str], mark: str) -> str | None:
    """What to tell where some numbers have the other decimal mark and others can be read with either."""
    other = "," if mark == "." else "."
    marked = [m for v in values if (m := _MARKED.fullmatch(v)) is not None]
    certain = any(m[2] == other and (len(m[3]) != 3 or len(m[1]) > 3 or m[1].startswith("0")) for m in marked)
    either = any(len(m[3]) == 3 and len(m[1]) <= 3 for m in marked)
    if not (certain and either):
        return None
    return "decimal points and decimal commas stand in one column; three digits behind a mark can be thousands or decimals."


_NAMES_SOMETHING = regex(r"\s*0\d+\s*|\s*\+\d[\d ]{7,}")


def identifies(name: str, values: Iterable[str]) -> bool:
    """Whether digits in this column name something: leading zeros, dialled numbers, or a telling column name."""
    spelled = re.sub(r"([a-z])([A-Z])", r"\1_\2", name.strip()).replace(" ", "_").replace("-", "_")
    return bool(_KEEP_TEXT.search(spelled)) or any(
        v.lstrip().startswith(("0", "+")) and _NAMES_SOMETHING.fullmatch(v) for v in values
    )


_UNIT = regex(
    r"\s*[-+~<>≤≥≈\u2212]?\s*\d[\d.,'’ \u00a0\u202f]*(?:k|m|bn|b|mio|mrd|tsd|kg|g|mg|µg|t|lbs?|oz|km|m|cm|mm|mi|ft|l|ml|cl|gal|k?wh|mwh"
    r"|kw|mw|w|[kmgt]i?b|bytes?|h|hrs?|hours?|mins?|minutes?|s|secs?|seconds?|ms|days?|weeks?|months?|years?|pp|‰|°\s?[cfk]|hz|[kmg]hz|bar|pa|km/h"
    r"|mph|pcs|st[kü]ck)\.?\s*",
    re.IGNORECASE,
)


_LENGTH = regex(
    r"\s*(?:(?:\d+ days?,? )?\d+:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?|P(?:\d+D)?T(?:\d+H)?(?:\d+M)?(?:[\d.]+S)?"
    r"|(?:\d+\s?(?:d|h|hrs?|m|min|s|sec)\.?\s?){2,4})\s*",
    re.IGNORECASE,
)
_LASTING = vocabulary(
    "duration durations elapsed took length runtime lap wait waiting delay lasted hours minutes seconds"
)


def are_lengths(name: str, values: Sequence[str]) -> bool:
    """Whether nearly all of the values are lengths of time: ``1:23:45`` of a column called so, or beyond a day; ``2h 5m``."""
    if not all(map(_LENGTH.fullmatch, values)):
        return False
    clocks = [v for v in values if ":" in v]
    return (
        not clocks
        or has(name, _LASTING)
        or any(int(v.strip().split(":")[0].split()[-1]) > 23 for v in clocks)
    )


def are_measured(values: Sequence[str]) -> bool:
    """Whether nearly all of the values are numbers with a unit or a word for thousands behind them."""
    written = sum(1 for v in values if _UNIT.fullmatch(v))
    return written > 2 and share(written, len(values)) >= 0.6


_CODE = regex(r"\d+[eE]\d+")


_MOMENT = vocabulary(
    "time date day ts timestamp at epoch on when created updated us ns micros nanos start end begin"
)
_SEVERAL = 20
_CUT = 11  # digits from which spreadsheets write numbers so
_EXACT = 15  # digits beyond which calculating with numbers changes them


def _are_long_names(name: str, values: Sequence[str]) -> bool:
    """Whether whole numbers have more digits than calculations keep, where two that differ at the end would be one thing.

    The name says that they name things, or they have one length; moments are counted in as many digits.
    """
    if max(map(len, values), default=0) <= _EXACT:
        return False
    whole = [v.strip() for v in values if v.strip().isdecimal()]
    if not any(len(v) > _EXACT for v in whole) or has(name, _MOMENT):
        return False
    alike = len(whole) == len(values) >= _SEVERAL and len({len(v) for v in whole}) == 1
    return alike or names_identifier(name)


def _are_codes(values: Sequence[str]) -> bool:
    """Whether digits, a letter E and digits are names of things (12E3, 40E1): numbers have one digit before an exponent."""
    with_letter = [v.strip() for v in values if "e" in v or "E" in v]
    if 2 * len(with_letter) < len(values) or not all(map(_CODE.fullmatch, with_letter)):
        return False
    return any(len(v.lower().partition("e")[0]) > 1 for v in with_letter)


def _plain(doubt: str | None = None) -> Reading:
    integer = Reading(ConversionKind.NUMBER, "BIGINT", "TRY_CAST({c} AS BIGINT)", "whole number", plain=True)
    real = Reading(
        ConversionKind.NUMBER,
        "DOUBLE",
        "CASE WHEN isfinite(TRY_CAST({c} AS DOUBLE)) THEN TRY_CAST({c} AS DOUBLE) END",
        "decimal number",
        plain=True,
        doubt=doubt,
    )
    return Reading(
        integer.kind, integer.type, integer.sql, integer.detail, plain=True, doubt=doubt, finer=real,
        finer_when="CASE WHEN contains({c}, '.') THEN true ELSE contains(lower({c}), 'e') END",
    )  # fmt: skip


def _pattern(digits: str, percent: bool, money: bool, suffixed: bool) -> str:
    currency = rf"(?:(?:{_CURRENCY})\s*)?" if money else ""
    scale = r"(?:\s*(?:[kK]|[mM][nN]?|[bB][nN]?))?" if suffixed else ""
    tail = r"\s*%" if percent else rf"{scale}\s*{currency}"
    core = rf"{_SIGN}?\s*{currency}{_SIGN}?\s*(?:{digits}){tail}"
    if not money:
        return rf"\s*(?:{core})\s*"
    return rf"\s*(?:{core}{_SIGN}?|{currency}\(\s*{core}\)\s*{currency})\s*"


def _fitting_styles(
    values: Sequence[str], percent: bool, money: bool, suffixed: bool
) -> list[tuple[tuple[str, str, str, str], float]]:
    found: list[tuple[tuple[str, str, str, str], float]] = []
    for style in _STYLES:
        pattern = re.compile(_pattern(style[2], percent, money, suffixed))
        fit = share(sum(1 for v in values if pattern.fullmatch(v)), len(values))
        if fit >= 0.9:
            found.append((style, fit))
    return found


def _readings(
    tied: list[tuple[str, str, str, str]],
    values: Sequence[str],
    percent: bool,
    money: bool,
    suffixed: bool,
    unit: str | None,
    decimal_comma: bool,
) -> list[Reading]:
    """One reading per decimal mark that fits, the likelier one first."""
    by_mark: dict[str, tuple[str, str, str, str]] = {}
    for style in tied:
        by_mark.setdefault(style[1], style)
    order = sorted(by_mark, key=lambda mark: (mark == ",") != decimal_comma)
    commas = any("," in v for v in values)
    dots = any("." in v for v in values)
    unclear = len(order) > 1 and (commas or dots)
    readings: list[Reading] = []
    for mark in order if unclear else order[:1]:
        style = by_mark[mark]
        doubt = None if unclear else _three_digits_doubted(values, mark) or _marks_doubted(values, mark)
        note = _unclear(mark) if unclear else None
        readings.append(replace(_formatted(style, percent, money, suffixed, unit, note), doubt=doubt))
    if not commas and dots and not decimal_comma:
        return [r for r in readings if "decimal comma" not in r.detail] or readings
    return readings


def _formatted(
    style: tuple[str, str, str, str],
    percent: bool,
    money: bool,
    suffixed: bool,
    unit: str | None,
    note: str | None,
) -> Reading:
    _, mark, digits, words = style
    pattern = literal(_pattern(digits, percent, money, suffixed))
    number = f"regexp_replace({{c}}, '[^0-9{mark}]', '', 'g')"
    if mark == ",":
        number = f"replace({number}, ',', '.')"
    sign = f"CASE WHEN regexp_matches({{c}}, '{_MINUS}') THEN -1 ELSE 1 END"
    factor = _factor() if suffixed else "1" if not percent else "0.01"
    value = f"{sign} * TRY_CAST({number} AS DOUBLE)" + (
        " / 100" if percent else f" * {factor}" if suffixed else ""
    )
    sql = f"CASE WHEN regexp_full_match({{c}}, {pattern}) THEN {value} END"
    whole = f"CASE WHEN regexp_full_match({{c}}, {pattern}) THEN {sign} * TRY_CAST({number} AS BIGINT) END"
    if percent:
        return Reading(
            ConversionKind.PERCENT,
            "DOUBLE",
            sql,
            f"fraction of one, {words}: 12% is 0.12",
            "%",
            ambiguous=note,
        )
    if money:
        return Reading(ConversionKind.MONEY, "DOUBLE", sql, words, unit, ambiguous=note)
    real = Reading(ConversionKind.NUMBER, "DOUBLE", sql, words, ambiguous=note)
    return Reading(
        ConversionKind.NUMBER,
        "BIGINT",
        whole,
        words,
        ambiguous=note,
        finer=real,
        finer_when=f"CASE WHEN contains({{c}}, '{mark}') THEN true ELSE TRY_CAST({number} AS BIGINT) IS NULL END",
    )


def _factor() -> str:
    found = "lower(regexp_extract({c}, '[0-9]\\s*([kKmMbB][nN]?)', 1))"
    whens = " ".join(f"WHEN '{s}' THEN {int(f)}" for s, f in _SUFFIXES.items())
    return f"CASE {found} {whens} ELSE 1 END"
