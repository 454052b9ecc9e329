"""Money told in thousands or millions: ``gross_musd`` is the gross in MUSD, ``Price ($k)`` the price in kUSD."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gnomon.core.patterns import late_pattern, regex
from gnomon.data.currencies import CODES, SYMBOLS

_SIZES = {
    "k": "k", "t": "k", "thousand": "k", "thousands": "k", "000": "k", "000s": "k", "m": "M", "mn": "M", "mm": "M", "mio": "M",
    "mil": "M", "million": "M", "millions": "M", "b": "bn", "bn": "bn", "billion": "bn", "billions": "bn",
}  # fmt: skip
_FACTORS = {"k": 1e3, "M": 1e6, "bn": 1e9}
_KNOWN = {"usd": "USD", "eur": "EUR", "gbp": "GBP", "jpy": "JPY", "chf": "CHF", "inr": "INR", "cad": "CAD", "aud": "AUD",
          "sek": "SEK", "cny": "CNY", "$": "USD", "us$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}  # fmt: skip
_CURRENCY = "|".join(re.escape(c) for c in sorted(_KNOWN, key=len, reverse=True))
_SIZE = "|".join(sorted(_SIZES, key=len, reverse=True))
_BEFORE = regex(rf"(?P<size>{_SIZE})[ _]?(?:of )?(?P<currency>{_CURRENCY})")
_BEHIND = regex(rf"(?P<currency>{_CURRENCY})[ _,']?(?P<size>{_SIZE})")
_UNIT = regex(r"(k|M|bn)([A-Z]{3})")
_SAID = late_pattern(rf"\d\s?(?:{_SIZE})\b|million|thousand|billion", re.IGNORECASE)


def scaled_money(text: str) -> str | None:
    """The unit that ``text`` writes as so many of a currency: kusd, USD m, $000; None where it is something else."""
    low = text.strip().lower().removeprefix("in ")
    found = _BEFORE.fullmatch(low) or _BEHIND.fullmatch(low)
    return f"{_SIZES[found['size']]}{_KNOWN[found['currency']]}" if found else None


def is_money(unit: str | None) -> bool:
    """Whether a unit is a currency, or thousands or millions of one."""
    return unit in CODES or unit in SYMBOLS.values() or factor_of(unit) is not None


def factor_of(unit: str | None) -> float | None:
    """How much of its currency one of a unit is, where it is more than one."""
    found = _UNIT.fullmatch(unit or "")
    return _FACTORS[found[1]] if found and found[2] in CODES else None


def as_held(values: Sequence[float], unit: str | None, said: str, *, money: bool) -> tuple[float, ...]:
    """Amounts as they were said in the thousands or millions that a column holds.

    Args:
        values: The numbers, with “k” and “million” worked out.
        unit: That of the column.
        said: The words that hold the numbers.
        money: Whether a currency was said with them.
    """
    factor = factor_of(unit)
    plainly = money or _SAID.search(said) is not None
    if factor is None or not plainly:
        return tuple(values)
    return tuple(round(v / factor, 9) for v in values)
