"""Numbers as people read them."""

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.answering.words import counted, ordinal
from gnomon.core.figures import currency, figure, group_name, listed, number, sentence


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (15420.5, "USD", "$15,420.50"),
        (45230, "USD", "$45,230"),
        (1_240_512.33, "USD", "$1.24 M"),
        (-1_240_512.33, "EUR", "-€1.24 M"),
        (2_500_000_000, "GBP", "£2.5 B"),
        (845_230.17, "USD", "$845,230"),
        (0.004, "USD", "$0.004"),
        (-3, "USD", "-$3"),
        (1234.5, "JPY", "¥1,234"),
        (99.9, "CHF", "99.90 CHF"),
        (12.5, "$", "$12.50"),
        (7.4321, "%", "7.4 %"),
        (100, "%", "100 %"),
        (0.0421, "%", "0.042 %"),
        (-12.04, "%", "-12 %"),
        (0.0342, "fraction", "3.4 %"),
        (1, "fraction", "100 %"),
        (1, "days", "1 day"),
        (2.5, "days", "2.5 days"),
        (1_234_567, None, "1,234,567"),
        (1_234_567.8, None, "1.23 M"),
        (1_000_000_000, None, "1 B"),
        (12345.678, None, "12,346"),
        (12.345, None, "12.35"),
        (0.123456, None, "0.123"),
        (0.0, None, "0"),
        (-0.0, "USD", "$0"),
        (3, "kg", "3 kg"),
        (None, "USD", "unknown"),
        (float("nan"), None, "unknown"),
        (True, None, "yes"),
        ("West", None, "West"),
        (date(2025, 3, 3), None, "3 March 2025"),
        (datetime(2025, 3, 3, 14, 5), None, "3 March 2025 14:05"),
    ],
)
def test_a_value_is_said_in_its_unit(value: object, unit: str | None, said: str) -> None:
    assert figure(value, unit) == said


def test_units_are_recognised_as_currencies_by_code_and_symbol() -> None:
    assert [currency(u) for u in ("USD", "usd", "€", "kg", None)] == ["USD", "USD", "EUR", None, None]


@given(st.floats(min_value=-1e14, max_value=1e14, allow_nan=False))
def test_a_number_that_is_said_is_the_number_rounded(value: float) -> None:
    said = number(value)
    scale = {"M": 1e6, "B": 1e9, "T": 1e12}
    digits, _, letter = said.partition(" ")
    read = float(digits.replace(",", "")) * scale.get(letter, 1)
    assert abs(read - value) <= max(0.006 * abs(value), 1e-9)


@given(st.floats(min_value=0.01, max_value=1e13), st.sampled_from(["USD", "%", "fraction", "days", None]))
def test_a_negative_is_its_positive_with_a_sign(value: float, unit: str | None) -> None:
    assert figure(-value, unit).replace("-", "", 1) == figure(value, unit)


def test_names_are_listed_as_in_a_sentence() -> None:
    assert [listed(["A", "B", "C"][:n]) for n in range(4)] == ["", "A", "A and B", "A, B and C"]
    assert listed(["A", "B"], "or") == "A or B"


def test_counts_agree_with_their_nouns() -> None:
    assert [counted(n, "category") for n in (0, 1, 2000)] == [
        "no categories",
        "1 category",
        "2,000 categories",
    ]


def test_groups_have_names_even_without_a_value() -> None:
    assert [group_name(v) for v in (None, "", True, 3.0, "x ")] == ["(no value)", "(empty)", "yes", "3", "x"]


def test_sentences_begin_and_end_as_sentences_do() -> None:
    assert [sentence(s) for s in ("a b", "A.", " ", "why?")] == ["A b.", "A.", "", "Why?"]


def test_places_in_an_order() -> None:
    assert [ordinal(n) for n in (1, 2, 10, 11, 12, 13, 21, 22, 23, 101, 111)] == [
        "first", "second", "tenth", "11th", "12th", "13th", "21st", "22nd", "23rd", "101st", "111th",
    ]  # fmt: skip
