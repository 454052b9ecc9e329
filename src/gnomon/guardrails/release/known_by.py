"""Whether cells are what a person or a thing is known by, judged by how they are written: a header need not say so.

A number under which somebody has many rows (a card beside each payment) is no group of rows, however many share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gnomon.core.patterns import regex
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
    r"|@\w[\w.]*"
    r"|[-+]?\d{1,3}\.\d{3,}[,; ]\s*[-+]?\d{1,3}\.\d{3,}"  # of a place on the globe
)
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
    return width >= _LONG_NUMBER and all(len(d) == width for d in digits)


def are_cards(values: Sequence[float]) -> bool:
    """Whether whole numbers carry the check digit that those of cards do."""
    digits = [str(int(v)) for v in values if v == int(v) and v > 0]
    held = [d for d in digits if len(d) in _CARD_DIGITS and luhn(d)]
    return bool(values) and len(held) >= _MOST * len(values)


def _is_written(cell: str) -> bool:
    if _WRITTEN.fullmatch(cell):
        return True
    # Letters and digits by turns are drawn: words and counters come in runs ("Galaxy-S21", "batch0017").
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(cell) if a.isalnum() and b.isalnum())
    return len(cell) >= _TOKEN and changes >= _CHANGES and _UNBROKEN.fullmatch(cell) is not None
