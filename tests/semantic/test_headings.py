"""Headings as people type them: units in brackets or at the end, scales, signs in capitals and small letters."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.core.figures import capital
from gnomon.semantic.labels import label_of
from gnomon.semantic.units import measured
from gnomon.tools.chart_frame import words


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


@pytest.mark.parametrize("sign", ["US$", "EUR", "€", "£", "CHF"])
@pytest.mark.parametrize("how", ["current", "constant 2015", "real", "in nominal"])
@pytest.mark.parametrize("what", ["GDP per capita", "Wage", "Export value"])
def test_money_in_brackets_is_a_unit_whatever_is_said_of_it(what: str, how: str, sign: str) -> None:
    code = {"US$": "USD", "€": "EUR", "£": "GBP"}.get(sign, sign)
    found = measured(f"{what} ({how} {sign})")
    assert (found.label.lower(), found.unit) == (what.lower(), code)


@pytest.mark.parametrize("heading", ["Kwh", "KWH", "kwh", "mwh"])
def test_a_heading_that_is_nothing_but_a_unit_is_written_as_the_unit_is(heading: str) -> None:
    assert measured(heading).label == {"m": "MWh"}.get(heading[0], "kWh")
    assert capital("kWh per site") == "kWh per site" and capital("energy") == "Energy"
    assert words("kWh") == "kWh" and words("unitPrice") == "unit price"


def test_two_columns_in_one_currency_keep_what_tells_them_apart(tmp_path: Path) -> None:
    rows = "\n".join(f"{n},{n * 3.5},{n * 4.5}" for n in range(1, 40))
    path = tmp_path / "prices.csv"
    path.write_text(f"shop,Price (constant 2015 US$),Price (current US$)\n{rows}\n")
    model = gnomon.open(path).model
    held = {d.label: d.unit for d in model.dimensions if d.unit}
    assert len(held) == 2 and set(held.values()) == {"USD"}


@pytest.mark.parametrize("seed", range(6))
def test_numbers_given_out_in_turn_are_no_amounts_whatever_they_are_called(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    name = "".join(chance.choice("bdfgklmnprst") + chance.choice("aeiou") for _ in range(3)).capitalize()
    start, rows = chance.randrange(3000, 900_000), chance.randrange(60, 300)
    given = sorted(chance.sample(range(start, start + int(1.2 * rows)), rows))
    amounts = [chance.randrange(1000, 90_000) for _ in range(rows)]
    frame = pd.DataFrame({name: given, "posten": amounts, "ort": [chance.choice("XYZ") for _ in range(rows)]})
    frame.to_csv(tmp_path / "liste.csv", index=False)
    model = gnomon.open(tmp_path / "liste.csv").model
    kinds = {d.name: str(d.type) for d in model.dimensions}
    assert kinds[name] == "id" and kinds["posten"] == "number"
    assert not any(name.lower() in m.label for m in model.metrics if "number of" not in m.label)
