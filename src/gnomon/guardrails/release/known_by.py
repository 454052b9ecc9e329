"""Whether cells are what a person or a thing is known by, judged by how they are written: a header need not say so.

A number under which somebody has many rows (a card beside each payment) is no group of rows, however many share it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise

from gnomon.core.patterns import regex
from gnomon.data.column_names import words
from gnomon.data.personal import luhn

_MOST = 0.8
_CARD_DIGITS = range(13, 20)
_LONG_NUMBER = 9
_TOKEN, _CHANGES = 8, 3
_WRITTEN = regex(
    r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}"  # of a device
    r"|[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?"  # of a bank account
    r"|[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]"  # of a national insurance
    r"|[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} \d{1,4}[EH]?"  # of a car
    r"|756\.\d{4}\.\d{4}\.\d{2}"  # of a social insurance
    r"|@\w[\w.]*"
    r"|[-+]?\d{1,3}\.\d{3,}[,; ]\s*[-+]?\d{1,3}\.\d{3,}"  # of a place on the globe
)
_DIALLED = regex(r"(?:\+|\(?0)[\d ()/-]*[ ()/-][\d ()/-]*\d|\d{2,4}(?:[ /-]\d{2,4}){2,4}")
_DIALLED_DIGITS = range(9, 16)
_DATED = regex(r"\d{4}-\d{1,2}(?!\d)|\d{1,2}/\d{1,2}/\d{2,4}")
_ROUND, _MOST_ROUND = 1000, 0.2
_BIRTH = regex(
    r"birth|geburt|geboor|geboren|naissance|nacimiento|nascita|nascimento|f[øöo]d(?:sel|else)|syntym|urodz|narozen|sz[uü]let|"
    r"do[gğ]um|рожд|народж|γέννη|生年|生日|出生|생년|생일|ميلاد|\b(?:born|dob|geb|nasc|b ?day|b ?date)\b",
    re.IGNORECASE,
)
_WRITTEN_DAY = regex(
    r"\d{1,4}[-./ ]\d{1,2}[-./ ]\d{1,4}\D?.*|\d{1,2}(?:\.|st|nd|rd|th)? \w+\.? \d{4}|\w+ \d{1,2},? \d{4}"
)
_DAY_NUMBERS = (1800_01_01, 2200_12_31)
_SHORT_NUMBER, _AGES = 6, 25
_FEWEST = (2, 3)  # letters and digits of a code
_PLACE = regex(
    r"(?:col|column|field|var|variable|feature|attribute|attr|unnamed|[a-z])[ _:.-]*\d*", re.IGNORECASE
)
_MONTH = regex(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?")
_LETTER, _DIGIT = regex(r"[A-Za-z]"), regex(r"\d")
_CODE = regex(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9]+(?:[-_./][A-Za-z0-9]+)*")
_UNBROKEN = regex(r"[A-Za-z0-9+/=_-]+")


def are_known_by(cells: Sequence[str]) -> bool:
    """Whether most texts are written like numbers of devices, accounts and cars, handles, places, or drawn at random."""
    return bool(cells) and sum(map(_is_written, cells)) >= _MOST * len(cells)


def are_long_numbers(values: Sequence[float]) -> bool:
    """Whether whole numbers are of one length that no count or amount has in every row."""
    if not values or any(v != int(v) or v < 0 for v in values):
        return False
    digits = [str(int(v)) for v in values]
    width = len(digits[0])
    rounded = sum(v % _ROUND == 0 for v in values)  # loans and budgets are
    return (
        width >= _LONG_NUMBER
        and all(len(d) == width for d in digits)
        and rounded <= _MOST_ROUND * len(values)
    )


def says_nothing(header: str) -> bool:
    """Whether a header is a place in the table and no name: ``col7``, ``column_3``, ``x``, ``Unnamed: 4``."""
    return _PLACE.fullmatch(header.strip()) is not None


def are_short_numbers(low: object, high: object) -> bool:
    """Whether whole numbers between these two are of one length, as those that are given out are, and no months or days."""
    if not isinstance(low, int) or not isinstance(high, int) or isinstance(low, bool) or low < 0:
        return False
    width = len(str(low))
    if width < _SHORT_NUMBER or width != len(str(high)):
        return False
    return not (width in (6, 8) and all(_MONTH.fullmatch(str(n)) for n in (low, high)))


def are_codes(cells: Sequence[str]) -> bool:
    """Whether texts are letters and digits in one pattern: ``MMJ5709``."""
    shapes = {_DIGIT.sub("0", _LETTER.sub("a", cell)) for cell in cells}
    held = all(_CODE.fullmatch(cell) for cell in cells) and len(shapes) == 1
    return held and all(s.count("a") >= _FEWEST[0] and s.count("0") >= _FEWEST[1] for s in shapes)


def are_days_of_birth(low: object, high: object) -> bool:
    """Whether days lie as far apart as those of persons of all ages do."""
    return isinstance(low, date) and isinstance(high, date) and high.year - low.year >= _AGES


def tells_birth(header: str, cells: Sequence[object], kind: str) -> bool:
    """Whether a header in one of many languages speaks of births and the cells are days, of whatever type."""
    spoken = " ".join((*words(header.replace(".", "")), header))
    if not cells or _BIRTH.search(spoken) is None:
        return False
    return kind.upper().startswith(("DATE", "TIMESTAMP")) or sum(map(_is_day, cells)) >= _MOST * len(cells)


def _is_day(cell: object) -> bool:
    if isinstance(cell, str):
        return _WRITTEN_DAY.fullmatch(cell.strip()) is not None
    low, high = _DAY_NUMBERS
    return (
        isinstance(cell, (int, float))
        and low <= cell <= high
        and 1 <= cell % 100 <= 31
        and 1 <= cell // 100 % 100 <= 12
    )


def are_cards(values: Sequence[float]) -> bool:
    """Whether whole numbers carry the check digit that those of cards do."""
    digits = [str(int(v)) for v in values if v == int(v) and v > 0]
    held = [d for d in digits if len(d) in _CARD_DIGITS and luhn(d)]
    return bool(values) and len(held) >= _MOST * len(values)


def _is_written(cell: str) -> bool:
    if _WRITTEN.fullmatch(cell) or _is_dialled(cell):
        return True
    # Letters and digits by turns are drawn: words and counters come in runs ("Galaxy-S21", "batch0017").
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(cell) if a.isalnum() and b.isalnum())
    return len(cell) >= _TOKEN and changes >= _CHANGES and _UNBROKEN.fullmatch(cell) is not None


def _is_dialled(cell: str) -> bool:
    """Whether digits are written in groups as telephone numbers and national ones are, and are no days or bounds."""
    if _DIALLED.fullmatch(cell) is None or _DATED.search(cell):
        return False
    return sum(c.isdigit() for c in cell) in _DIALLED_DIGITS
