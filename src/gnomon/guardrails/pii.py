"""Personal data inside running text: found by patterns whose check digits hold, and masked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from gnomon.core.patterns import late_pattern, regex
from gnomon.data.column_kinds import PersonalKind
from gnomon.data.personal import is_card, is_iban, is_ip, is_phone
from gnomon.guardrails.identifiers import RULES

NEAR = 40
_EMAIL = regex(r"[\w.%+'-]+(?:@|\s?\[at\]\s?|\s?\(at\)\s?)[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}", re.IGNORECASE)
_IBAN = regex(r"(?<!\w)[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]){11,30}(?![A-Z0-9])")
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20, "ES": 24,
    "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "TR": 26,
}  # fmt: skip
_CARD = regex(
    r"(?<![\w.,+/-])(?:\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5})(?![\w/]|[.,-]\d)"
)
_CARD_CUE = late_pattern(
    r"card|visa|master|amex|american express|credit|debit|\bcc\b|\bpan\b|payment", re.IGNORECASE
)
_CODE_CUE = late_pattern(r"\b(?:order|invoice|ticket|tracking|sku|product|item|id|ref|reference|serial|count|rows|isbn|ean|upc)\b\W*(?:\w+\W+){0,2}$", re.IGNORECASE)  # fmt: skip
_IPV4 = regex(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6 = regex(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])")
_VERSION_CUE = regex(r"\b(?:version|release|build|v)\.?\s*$", re.IGNORECASE)
_PHONE = regex(r"(?<![\w.,/:-])(?:\+|00)?\(?\d[\d ().\-/\u2011\u00a0]{5,20}\d(?:\s?(?:x|ext\.?)\s?\d{1,6})?(?![\w/]|[.,:-]\d|\s?%)", re.IGNORECASE)  # fmt: skip
_PHONE_CUE = late_pattern(r"phone|\btel\b|\bcall|mobile|\bcell\b|\bfax\b|whatsapp|\bring\b|\btext\b|sms|contact|dial|reach", re.IGNORECASE)  # fmt: skip
_PHONE_SHAPE = late_pattern(r"\+\d{1,3}[ (.\-\d]|00[1-9]\d?[ (\-/]\d|\(\d{2,5}\)[ \-]?\d{3}|(?:1[-. ])?[2-9]\d{2}([-.])[2-9]\d{2}\1\d{4}$|0\d{2,5}[ /\-]\d{3,}")  # fmt: skip
_STREET_AFTER = r"street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|square|sq|place|pl|terrace|way|crescent|close|parkway|pkwy|highway|hwy"  # fmt: skip
_ADDRESS = regex(
    rf"""(?<![\w.,$€£-])(?:
      \d{{1,5}}[A-Za-z]?,?\s(?:[NSEW]\.?\s)?(?:[A-Z][\w'’.-]*\s){{1,3}}(?i:{_STREET_AFTER})\b\.?
      |(?:[A-ZÄÖÜ][\wäöüß.-]*(?:straße|strasse|str\.|weg|gasse|allee|platz|damm|laan|straat)|(?:Rue|Avenue|Boulevard|Via|Calle|Plaza|Piazza|Rua|Avenida)\s(?:(?:de|del|della|du|des|la|le|da|do)\s|d['’])*[A-ZÀ-Ý][\w'’.-]*(?:\s[A-ZÀ-Ý][\w'’.-]*)?)\s?,?\s\d{{1,4}}[a-z]?\b(?![.,]\d)
      |\d{{1,4}}(?:\sbis)?,?\s(?:rue|avenue|boulevard|place|chemin|allée)\s(?:(?:de|du|des|la|le)\s|d['’]|l['’])*[A-ZÀ-Ý][\w'’-]*
      |(?i:p\.?\s?o\.?\sbox)\s\d{{1,6}}
    )""",
    re.VERBOSE,
)  # fmt: skip


@dataclass(frozen=True)
class PiiSpan:
    """One piece of personal data in a text.

    Args:
        kind: What it is.
        start: Where it begins.
        end: Where it ends.
        confidence: How sure the finding is, from 0 to 1.
    """

    kind: PersonalKind
    start: int
    end: int
    confidence: float


class PiiDetector:
    """Finds personal data in text and masks it.

    Names of people are not found in running text: nothing short of a language model tells "Paris" the person
    from the city. Columns that hold names are known from the profile and masked as columns.

    Args:
        threshold: Findings below this confidence are left out.
    """

    def __init__(self, threshold: float = 0.5) -> None:
        self._threshold = threshold

    def find(self, text: str) -> list[PiiSpan]:
        """Every finding, in order, without overlaps; where two overlap, the surer one stays."""
        if not re.search(r"\d|@|\[at\]|\(at\)", text):
            return []
        found: list[PiiSpan] = []
        for search in _SEARCHES:
            found.extend(s for s in search(text) if s.confidence >= self._threshold)
        found.sort(key=lambda s: (-s.confidence, -(s.end - s.start), s.start))
        kept: list[PiiSpan] = []
        for span in found:
            if all(span.end <= k.start or span.start >= k.end for k in kept):
                kept.append(span)
        return sorted(kept, key=lambda s: s.start)

    def mask(self, text: str, allowed: Collection[str] = ()) -> str:
        """The text with every finding replaced by its kind in brackets, but for the ``allowed`` kinds."""
        for span in reversed(self.find(text)):
            if span.kind not in allowed:
                text = f"{text[: span.start]}[{span.kind.replace('_', ' ')}]{text[span.end :]}"
        return text


def _near(text: str, start: int, cue: re.Pattern[str], end: int | None = None) -> bool:
    after = text[end : end + NEAR // 2] if end is not None else ""
    return cue.search(text[max(0, start - NEAR) : start] + " | " + after) is not None


def _emails(text: str) -> Iterator[PiiSpan]:
    for m in _EMAIL.finditer(text):
        yield PiiSpan(PersonalKind.EMAIL, m.start(), m.end(), 0.99)


def _ibans(text: str) -> Iterator[PiiSpan]:
    for m in _IBAN.finditer(text):
        # Words in capitals may follow the number: the longest beginning whose check holds is the number.
        for end in range(m.end(), m.start() + 14, -1):
            whole = text[end - 1] != " " and not re.match(r"[A-Z0-9]", text[end : end + 1])
            if whole and _right_length(text[m.start() : end]) and is_iban(text[m.start() : end]):
                yield PiiSpan(PersonalKind.IBAN, m.start(), end, 0.99)
                break


def _right_length(written: str) -> bool:
    compact = written.replace(" ", "")
    return _IBAN_LENGTHS.get(compact[:2], len(compact)) == len(compact)


def _cards(text: str) -> Iterator[PiiSpan]:
    for m in _CARD.finditer(text):
        if is_card(m.group()):
            # One run of digits in ten passes the check by chance: grouping or a word beside it is needed too.
            grouped = " " in m.group() or "-" in m.group()
            sure = grouped or _near(text, m.start(), _CARD_CUE, m.end())
            other = _near(text, m.start(), _CODE_CUE)
            yield PiiSpan(PersonalKind.CARD, m.start(), m.end(), 0.95 if sure else 0.4 if other else 0.6)


def _identifiers(text: str) -> Iterator[PiiSpan]:
    for rule in RULES:
        for m in rule.pattern.finditer(text):
            compact = re.sub(r"[ -]", "", m.group())
            if rule.test(compact) and (rule.cue is None or _near(text, m.start(), rule.cue, m.end())):
                yield PiiSpan(PersonalKind.NATIONAL_ID, m.start(), m.end(), 0.9)


def _addresses_of_machines(text: str) -> Iterator[PiiSpan]:
    for pattern in (_IPV4, _IPV6):
        for m in pattern.finditer(text):
            if is_ip(m.group()) and not _VERSION_CUE.search(text[: m.start()]) and m.group() != "::":
                yield PiiSpan(PersonalKind.IP_ADDRESS, m.start(), m.end(), 0.9)


def _phones(text: str) -> Iterator[PiiSpan]:
    for m in _PHONE.finditer(text):
        written = m.group().strip()
        shaped = _PHONE_SHAPE.match(written) is not None
        if not is_phone(written.replace("\u2011", "-").replace("\u00a0", " ")) or _counts(written):
            continue
        if shaped or _near(text, m.start(), _PHONE_CUE):
            yield PiiSpan(PersonalKind.PHONE, m.start(), m.end(), 0.85 if shaped else 0.6)


def _counts(written: str) -> bool:
    """Whether it reads as a grouped count (4 111 111), a range of years or days, or a date with a time."""
    return bool(
        re.fullmatch(r"\d{1,3}(?:[ \u00a0]\d{3})+", written)
        or re.fullmatch(r"\d{4} ?[-–/] ?\d{4}", written)
        or re.match(r"(?:19|20)\d{2}[-/. ](?:0?[1-9]|1[0-2])[-/. ](?:0?[1-9]|[12]\d|3[01])\b", written)
        or re.match(r"(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|1[0-2])[-/.](?:19|20)\d{2}\b", written)
        or re.match(r"(?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:19|20)\d{2}\b", written)
    )


def _addresses(text: str) -> Iterator[PiiSpan]:
    for m in _ADDRESS.finditer(text):
        yield PiiSpan(PersonalKind.ADDRESS, m.start(), m.end(), 0.75)


_SEARCHES: tuple[Callable[[str], Iterator[PiiSpan]], ...] = (
    _emails, _ibans, _cards, _identifiers, _addresses_of_machines, _phones, _addresses,
)  # fmt: skip
