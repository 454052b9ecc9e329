"""Headings as people type them: units in brackets or at the end, scales, signs in capitals and small letters."""

from __future__ import annotations

import pytest

from gnomon.semantic.labels import label_of
from gnomon.semantic.units import measured


@pytest.mark.parametrize(
    ("heading", "label", "unit"),
    [
        ("Nitrate (mg/L)", "nitrate", "mg/L"),
        ("Turbidity (NTU)", "turbidity", "NTU"),
        ("Load [kW]", "load", "kW"),
        ("Wind (m/s)", "wind", "m/s"),
        ("Duration (min)", "duration", "minutes"),
        ("chloride_mg_l", "chloride", "mg/l"),
        ("Growth (%)", "growth percentage", "%"),
        ("Est Damage ($)", "est damage", None),
        ("Rating (1-5)", "rating", None),
        ("E. coli (CFU/100 mL)", "e coli", None),
    ],
)
def test_what_brackets_hold_is_a_unit_and_no_part_of_the_name(
    heading: str, label: str, unit: str | None
) -> None:
    found = measured(heading)
    assert (found.label, found.unit) == (label, unit)


@pytest.mark.parametrize("heading", ["Sales (net)", "Score (home)", "Price (avg)", "Sales (2023)"])
def test_words_and_years_in_brackets_stay_part_of_the_name(heading: str) -> None:
    found = measured(heading)
    assert found.unit is None and len(found.label.split()) == 2


def test_signs_in_capitals_and_small_letters_are_one_word() -> None:
    assert [label_of(n) for n in ("pH", "pH value", "mL used", "customerId")] == [
        "ph",
        "ph value",
        "ml used",
        "customer id",
    ]
