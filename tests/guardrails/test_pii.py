"""Personal data in text: what is found, and what must not be."""

from __future__ import annotations

import random

import pytest

from gnomon.data.personal import luhn
from gnomon.guardrails import PiiDetector

DETECTOR = PiiDetector()


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Write to jane.doe+x@mail.example.co.uk today", "Write to [email] today"),
        ("jane [at] example.com", "[email]"),
        ("Call +44 20 7946 0958.", "Call [phone]."),
        ("Call (212) 555-0143 or 212-555-0143", "Call [phone] or [phone]"),
        ("mobile: 0151 23456789", "mobile: [phone]"),
        ("tel 0049 30 901820", "tel [phone]"),
        ("paid with 4111 1111 1111 1111", "paid with [card]"),
        ("visa 4111111111111111 expired", "visa [card] expired"),
        ("amex 3782 822463 10005", "amex [card]"),
        ("to DE89 3704 0044 0532 0130 00 TODAY", "to [iban] TODAY"),
        ("GB29NWBK60161331926819", "[iban]"),
        ("SSN 123-45-6789", "SSN [national id]"),
        ("his ssn is 123456789", "his ssn is [national id]"),
        ("NINO AB 12 34 56 C", "NINO [national id]"),
        ("Steuer-ID 86095742719", "Steuer-ID [national id]"),
        ("DNI 12345678Z", "DNI [national id]"),
        ("NIE X1234567L", "NIE [national id]"),
        ("NIR 2 55 08 14 168 025 38", "NIR [national id]"),
        ("cf RSSMRA85T10A562S", "cf [national id]"),
        ("BSN 111222333", "BSN [national id]"),
        ("Aadhaar 2341 2341 2346", "Aadhaar [national id]"),
        ("from 192.168.0.1", "from [ip address]"),
        ("from 2001:db8::8a2e:370:7334", "from [ip address]"),
        ("lives at 12 Baker Street, London", "lives at [address], London"),
        ("Hauptstraße 12, Berlin", "[address], Berlin"),
        ("12 rue de la Paix", "[address]"),
        ("P.O. Box 1234", "[address]"),
    ],
)
def test_personal_data_is_masked(text: str, masked: str) -> None:
    assert DETECTOR.mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Revenue was $4,111,111,111.00 in March",
        "4,111,111,111,111,111 page views",
        "4 111 111 111 rows",
        "Order 2024-000123 and order 100-2003-44",
        "2024-03-01T10:11:12Z, 2024-03-01 10:11:12, 01/03/2024, 1.3.2024",
        "SKU 4006381333931 and AB-12345-XYZ",
        "from 2019-2023 and 2019/2020",
        "version 10.2.3.4 of the app",
        "12 stores in the west, 14 places in the east",
        "at 10:11:12 there were 12 345 678 sessions",
        "123-45-678 parts",
        "666-12-3456 and 000-12-3456",
        "1234.5678 and -0.00012345678",
        "ratio 16:9, score 3:2:1",
        "p = 0.0001234567",
        "1,234.56 EUR, 1'234'567.89 CHF",
        "card 4111 1111 1111 1112",
        "DE89 3704 0044 0532 0130 01",
        "12345678A",
        "The 3rd avenue of growth is the web way",
        "5 % of 1,200 in place",
        "2,000 Best Products",
        "order number 123456789012",
        "invoice 987654321",
        "see example.com or @handle",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert DETECTOR.mask(text) == text


def test_formatted_numbers_are_never_masked() -> None:
    rng = random.Random(5)
    forms = (
        "{:,.2f}",
        "${:,.2f}",
        "{:,.0f}",
        "{:.1f} %",
        "{:.6f}",
        "{:.3e}",
        "€{:,.0f}",
        "{:,.1f} days",
        "-{:,.2f}",
        "+{:.2f} %",
    )
    texts = [f"The value was {rng.choice(forms).format(rng.random() * 10 ** rng.randint(0, 15))} last week." for _ in range(5000)]  # fmt: skip
    assert [t for t in texts if DETECTOR.find(t)] == []


def test_dates_times_and_codes_are_never_masked() -> None:
    rng = random.Random(6)
    texts: list[str] = []
    for _ in range(3000):
        y, m, d = rng.randint(1950, 2035), rng.randint(1, 12), rng.randint(1, 28)
        h, mi = rng.randint(0, 23), rng.randint(0, 59)
        texts.append(
            rng.choice(
                (
                    f"{y}-{m:02d}-{d:02d}", f"{y}-{m:02d}-{d:02d} {h:02d}:{mi:02d}", f"{y}{m:02d}{d:02d}", f"{d:02d}/{m:02d}/{y}", f"{d}.{m}.{y}",
                    f"{y}-{m:02d}-{d:02d}T{h:02d}:{mi:02d}:00+02:00", f"SKU-{rng.randint(10**4, 10**9)}", f"ORD{rng.randint(10**6, 10**9)}",
                    f"{y}-Q{(m + 2) // 3}", f"{y}-W{m:02d}", f"{h}:{mi:02d}", f"{y}-{y + 1}",
                )
            )
        )  # fmt: skip
    assert [t for t in texts if DETECTOR.find(f"On {t} sales rose.")] == []


def test_plain_counts_are_rarely_taken_for_cards() -> None:
    rng = random.Random(7)
    numbers = [str(rng.randint(10**15, 10**16 - 1)) for _ in range(2000)]
    found = [n for n in numbers if DETECTOR.find(f"order {n} was shipped")]
    assert found == []
    cards = [n for n in numbers if n[0] in "456" and luhn(n)]
    assert cards
    assert all(DETECTOR.find(f"card {n} was charged") for n in cards)


def test_every_card_number_with_a_word_beside_it_is_found() -> None:
    rng = random.Random(8)
    for _ in range(300):
        body = rng.choice("456") + "".join(rng.choice("0123456789") for _ in range(14))
        number = next(body + d for d in "0123456789" if luhn(body + d))
        grouped = " ".join(number[i : i + 4] for i in range(0, 16, 4))
        assert DETECTOR.mask(f"card {number}") == "card [card]"
        assert DETECTOR.mask(f"it was {grouped}.") == "it was [card]."


def test_findings_say_where_and_how_sure() -> None:
    (span,) = DETECTOR.find("mail ann@example.com")
    assert ("mail ann@example.com"[span.start : span.end], span.kind) == ("ann@example.com", "email")
    assert 0.9 < span.confidence <= 1
    assert PiiDetector(threshold=1.0).find("mail ann@example.com") == []


def test_allowed_kinds_are_shown() -> None:
    assert DETECTOR.mask("ann@example.com, +44 20 7946 0958", {"email"}) == "ann@example.com, [phone]"
