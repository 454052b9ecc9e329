"""Personal data at column level: what a column's values and its name say together."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence

from gnomon.core.patterns import late_pattern, regex
from gnomon.data.column_kinds import PersonalKind
from gnomon.data.column_names import PERSON, vocabulary, words

_EMAIL = regex(r"[^@\s]+@[^@\s]+\.[^@\s.]{2,}")
_PHONE = late_pattern(r"(\+|00)?\(?\d[\d\s().\-/]{5,18}\d(\s?(x|ext\.?)\s?\d{1,6})?", re.IGNORECASE)
_SSN = regex(r"(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}")
_IBAN = regex(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_CARD = regex(r"[2-6]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5}")
_WORD = r"[^\W\d_](?:[^\W\d_]|['’.\-])*"
_LETTERS = regex(rf"{_WORD}(?:[ ,]+(?:\([^)]*\)|[\"“][^\"”]*[\"”]|{_WORD}))*")
_NOT_A_PERSON = vocabulary(
    "product item file table column country city company brand region category campaign store shop event channel "
    "species team school host domain display sheet class group job dataset project plan service hospital "
    "department vendor page course state county street song album artist movie film game station model"
)
_TITLE = late_pattern(r"\b(mr|mrs|ms|miss|dr|prof|herr|frau|mme)\b", re.IGNORECASE)
_MOST = 0.8


def luhn(digits: str) -> bool:
    """Whether the check digit of a card number holds."""
    total = 0
    for i, d in enumerate(reversed(digits)):
        n = int(d) * (2 if i % 2 else 1)
        total += n - 9 if n > 9 else n
    return total % 10 == 0


def is_iban(text: str) -> bool:
    """Whether the text is an IBAN whose check digits hold."""
    compact = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(compact):
        return False
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """Whether the text is a card number: a known prefix, the usual grouping, a check digit that holds."""
    return _CARD.fullmatch(text) is not None and luhn(re.sub(r"\D", "", text))


def is_ip(text: str) -> bool:
    """Whether the text is an IPv4 or IPv6 address."""
    if "." not in text and ":" not in text:
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


# What the name of a column of numbers has to say for them to be of persons.
_IDENTITY = ("ssn",)
_CARDS = ("card", "cc", "pan")
_TELEPHONES = ("phone", "telephone", "tel", "mobile", "cell", "fax", "msisdn", "whatsapp")
_DIALLED = regex(r"\+\d|00[1-9]\d?[ \-/(]|\(\d{2,4}\) ?\d|\d{3}[-. ]\d{3}[-. ]\d{4}")


def is_phone(text: str) -> bool:
    """Whether the text is written as telephone numbers are: 7 to 15 digits with separators or a plus."""
    digits = re.sub(r"\D", "", re.split(r"\s?(?:x|ext)", text, flags=re.IGNORECASE)[0])
    if not 7 <= len(digits) <= 15 or not _PHONE.fullmatch(text):
        return False
    looks_like_date = re.fullmatch(r"\d{4}[-/. ]\d{1,2}[-/. ]\d{1,2}|\d{1,2}[-/. ]\d{1,2}[-/. ]\d{2,4}", text)
    return not looks_like_date and not re.fullmatch(r"\d+\.\d+", text)


def personal_kind(
    name: str, values: Sequence[object], *, text: bool, neighbours: Sequence[str] = ()
) -> PersonalKind | None:
    """The kind of personal data that a column holds, or ``None``.

    Args:
        name: Name of the column.
        values: Different values of the column.
        text: Whether the column is text; numbers need the name as evidence too.
        neighbours: Names of the other columns: "name" beside "age" and "email" is a person's, beside "price"
            it is not.
    """
    found = words(name)
    if not text and not _named(found, *_IDENTITY, *_CARDS, *_TELEPHONES):
        return None
    cells = [cell for v in values if (cell := str(v).strip())]
    if not cells:
        return None
    checks: list[tuple[PersonalKind, Callable[[str], bool], bool]] = [
        (PersonalKind.EMAIL, lambda v: _EMAIL.fullmatch(v) is not None, text),
        (PersonalKind.IBAN, is_iban, text),
        (PersonalKind.IP_ADDRESS, is_ip, text),
        (
            PersonalKind.NATIONAL_ID,
            lambda v: _SSN.fullmatch(v) is not None,
            text or _named(found, *_IDENTITY),
        ),
        (PersonalKind.CARD, is_card, text or _named(found, *_CARDS)),
        (PersonalKind.PHONE, is_phone, _telephone(found, cells, text)),
    ]
    for kind, test, allowed in checks:
        if allowed and _share(cells, test) >= _MOST:
            return kind
    return _by_name(found, cells, neighbours) if text else _number_by_name(found, cells)


def _telephone(found: Sequence[str], cells: Sequence[str], text: bool) -> bool:
    """Digits alone are no telephone number: the name or the usual separators have to say so."""
    if _named(found, *_TELEPHONES):
        return True
    return text and _share(cells, lambda v: _DIALLED.match(v) is not None) >= _MOST


def _by_name(found: Sequence[str], cells: Sequence[str], neighbours: Sequence[str]) -> PersonalKind | None:
    if _names_person(found, cells, neighbours) and _share(cells, _reads_as_name) >= 0.7:
        return PersonalKind.NAME
    if _named(found, "address", "street") and not _named(found, "ip", "mac", "email", "web"):
        return PersonalKind.ADDRESS if _share(cells, _reads_as_address) >= 0.5 else None
    if _named(found, "ssn", "passport", "nin", "nino") or {"national", "id"} <= set(found):
        return PersonalKind.NATIONAL_ID
    return None


def _reads_as_name(cell: str) -> bool:
    return len(cell) < 90 and _LETTERS.fullmatch(cell) is not None


def _reads_as_address(cell: str) -> bool:
    return re.search(r"\d", cell) is not None and " " in cell


def _number_by_name(found: Sequence[str], cells: Sequence[str]) -> PersonalKind | None:
    if (
        _named(found, *_IDENTITY)
        and _share(cells, lambda v: re.fullmatch(r"\d{8,9}", v) is not None) >= _MOST
    ):
        return PersonalKind.NATIONAL_ID
    return None


def birth_date(name: str) -> bool:
    """Whether the name of a date column says that it is somebody's birthday."""
    found = set(words(name))
    return bool(found & {"dob", "birthdate", "birthday", "birthdt"}) or (
        "birth" in found and bool(found & {"date", "day", "dt", "of"})
    )


def _names_person(found: Sequence[str], cells: Sequence[str], neighbours: Sequence[str]) -> bool:
    seen = set(found)
    if seen & _NOT_A_PERSON:
        return False
    if seen & {
        "firstname",
        "lastname",
        "fullname",
        "surname",
        "forename",
        "username",
        "familyname",
        "givenname",
    }:
        return True
    doers = {"opened", "closed", "resolved", "created", "updated", "approved", "assigned", "reported"}
    if seen & {"by", "to"} and seen & doers:
        return _share(cells, lambda v: 1 <= v.count(" ") <= 4) >= 0.7
    if "name" in seen and len(found) > 1:
        return bool(seen & PERSON)
    if found and found[0] in PERSON and seen <= {found[0], "id"}:
        return _share(cells, _two_or_three_capitals) >= _MOST
    if "name" in seen:
        return _about_people(neighbours) or _share(cells, lambda v: _TITLE.search(v) is not None) >= 0.3
    return False


def _two_or_three_capitals(cell: str) -> bool:
    parts = cell.split()
    return 2 <= len(parts) <= 3 and all(p[0].isupper() and not p.isupper() for p in parts)


def _about_people(neighbours: Sequence[str]) -> bool:
    around = {w for n in neighbours for w in words(n)}
    return bool(
        around
        & {"email", "phone", "sex", "gender", "age", "birth", "dob", "salary", "surname", "ssn", "married"}
    )


def _named(found: Sequence[str], *known: str) -> bool:
    return any(w in known for w in found)


def _share(cells: Sequence[str], test: Callable[[str], bool]) -> float:
    return sum(1 for c in cells if test(c)) / len(cells)
