"""National identification numbers that carry a check: each test takes the compact text without separators."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gnomon.core.patterns import late_pattern, regex

_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_CODICE_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16,
         10, 22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip
_VERHOEFF_D = [[(j + i) % 5 if j < 5 else (j + i) % 5 + 5 for j in range(10)] for i in range(5)] + [
    [(i - j) % 5 + 5 if j < 5 else (i - j) % 5 for j in range(10)] for i in range(5, 10)
]
_VERHOEFF_P = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]]
for _ in range(6):
    _VERHOEFF_P.append([_VERHOEFF_P[-1][_VERHOEFF_P[1][i]] for i in range(10)])


def is_us_ssn(text: str) -> bool:
    """A United States social security number that could have been issued."""
    return re.fullmatch(r"(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}", text) is not None


def is_uk_nino(text: str) -> bool:
    """A United Kingdom national insurance number: prefix letters that are in use, six digits, A to D."""
    return (
        re.fullmatch(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]", text)
        is not None
    )


def is_german_tax_id(text: str) -> bool:
    """A German Steuer-ID: one digit of the first ten repeats, and the check digit holds."""
    if not re.fullmatch(r"[1-9]\d{10}", text):
        return False
    counts = sorted(text[:10].count(d) for d in set(text[:10]))
    if counts[-1] not in (2, 3) or len(counts) not in (8, 9):
        return False
    product = 10
    for digit in text[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(text[10])


def is_spanish_dni(text: str) -> bool:
    """A Spanish DNI or NIE: the letter follows from the number."""
    match = re.fullmatch(r"([XYZ]?)(\d{7,8})([A-Z])", text)
    if not match or len(text) != 9:
        return False
    number = {"": "", "X": "0", "Y": "1", "Z": "2"}[match[1]] + match[2]
    return _DNI[int(number) % 23] == match[3]


def is_french_nir(text: str) -> bool:
    """A French NIR: sex, month and department in range, and the key holds."""
    match = re.fullmatch(r"([12])(\d{2})(0[1-9]|1[0-2]|[2-9]\d)(\d{2}|2[AB])(\d{6})(\d{2})", text)
    if not match:
        return False
    body = text[:13].replace("2A", "19", 1) if match[4] == "2A" else text[:13]
    body = body.replace("2B", "18", 1) if match[4] == "2B" else body
    return 97 - int(body) % 97 == int(match[6])


def is_codice_fiscale(text: str) -> bool:
    """An Italian codice fiscale: its shape, and the check letter holds."""
    if not re.fullmatch(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", text):
        return False
    even = {c: i for i, c in enumerate("0123456789")} | {
        c: i for i, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    }
    total = sum(_CODICE_ODD[c] if i % 2 == 0 else even[c] for i, c in enumerate(text[:15]))
    return chr(ord("A") + total % 26) == text[15]


def is_dutch_bsn(text: str) -> bool:
    """A Dutch BSN: nine digits that pass the test of eleven."""
    if not re.fullmatch(r"\d{9}", text) or text == "0" * 9:
        return False
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return sum(int(d) * w for d, w in zip(text, weights, strict=True)) % 11 == 0


def is_aadhaar(text: str) -> bool:
    """An Indian Aadhaar number: twelve digits whose Verhoeff check holds."""
    if not re.fullmatch(r"[2-9]\d{11}", text):
        return False
    check = 0
    for position, digit in enumerate(reversed(text)):
        check = _VERHOEFF_D[check][_VERHOEFF_P[position % 8][int(digit)]]
    return check == 0


@dataclass(frozen=True)
class IdentifierRule:
    """How one sort of number is found.

    Args:
        rule: What it is called.
        pattern: How it is written, separators included.
        test: Whether the compact form holds.
        cue: Words that must stand near it where its digits alone prove little; None where they prove enough.
    """

    rule: str
    pattern: re.Pattern[str]
    test: Callable[[str], bool]
    cue: re.Pattern[str] | None = None


def _rule(rule: str, pattern: str, test: Callable[[str], bool], cue: str | None = None) -> IdentifierRule:
    near = late_pattern(cue, re.IGNORECASE) if cue else None
    return IdentifierRule(rule, regex(rf"(?<![\w.,+/-]){pattern}(?![\w/]|[.,-]\d)"), test, near)


# A shape of its own proves enough; a plain run of digits needs a word beside it that says what it is.
RULES = (
    _rule("us_ssn", r"\d{3}([- ])\d{2}\1\d{4}", is_us_ssn),
    _rule("us_ssn", r"\d{9}", is_us_ssn, r"\bssn\b|social[ -]security"),
    _rule("uk_nino", r"[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]", is_uk_nino),
    _rule("german_tax_id", r"\d{2} ?\d{3} ?\d{3} ?\d{3}", is_german_tax_id, r"steuer|\btax|\btin\b|\bidnr"),
    _rule("spanish_dni", r"(?:\d{8}|[XYZ]\d{7})-?[A-Z]", is_spanish_dni),
    _rule("french_nir", r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", is_french_nir),
    _rule("codice_fiscale", r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]", is_codice_fiscale),
    _rule("dutch_bsn", r"\d{9}", is_dutch_bsn, r"\bbsn\b|burger ?service|sofi"),
    _rule("aadhaar", r"\d{4}([ -])\d{4}\1\d{4}", is_aadhaar),
    _rule("aadhaar", r"\d{12}", is_aadhaar, r"aadhaar|aadhar|uidai"),
)  # fmt: skip
