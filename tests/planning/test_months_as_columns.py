"""Tables with one column for each month: a month names its column, a year the rows."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

TODAY = date(2025, 2, 1)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_RNG = np.random.default_rng(8)
SITES = ("Ebbing", "Marlow", "Tolland", "Wrack")
ROWS = [(s, y, *np.round(_RNG.gamma(3, 25, 12), 1)) for s in SITES for y in range(2005, 2025)]
SNOW = pd.DataFrame(ROWS, columns=["Site", "Year", *MONTHS])


def cell(site: str, year: int, month: str) -> float:
    return float(SNOW[(SNOW.Site == site) & (SNOW.Year == year)][month].iloc[0])


@pytest.fixture(scope="module")
def snow() -> Analyst:
    return gnomon.open({"snow_cm": SNOW})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much snow did Marlow get in March 2010?", cell("Marlow", 2010, "Mar")),
        ("What is the average snow in February?", float(SNOW.Feb.mean())),
        ("average January snow since 2015", float(SNOW[SNOW.Year >= 2015].Jan.mean())),
        ("total snow at Wrack in 2020", float(SNOW[(SNOW.Site == "Wrack") & (SNOW.Year == 2020)][list(MONTHS)].sum(axis=1).sum())),
        ("What were the June and July amounts at Tolland in 2018?", cell("Tolland", 2018, "Jun")),
        ("snow in November 2011 and November 2012 at Ebbing", cell("Ebbing", 2011, "Nov")),
    ],
)  # fmt: skip
def test_a_month_is_a_column_and_its_year_the_rows(snow: Analyst, question: str, expected: float) -> None:
    answer = snow.ask(question, today=TODAY)
    assert [f.value for f in answer.facts if isinstance(f.value, float)][:1] == [pytest.approx(expected)], (
        answer.prose
    )


def test_sites_are_ranked_by_one_month_of_one_year(snow: Analyst) -> None:
    answer = snow.ask("Which site recorded the most snow in December 2015?", today=TODAY)
    expected = max(SITES, key=lambda s: cell(s, 2015, "Dec"))
    assert answer.tables[0].rows[0] == (expected, cell(expected, 2015, "Dec")), answer.prose


def test_days_of_a_month_that_is_a_column_are_not_told(snow: Analyst) -> None:
    for question in ("total snow from June to August 2018", "snow on 5 March 2010"):
        answer = snow.ask(question, today=TODAY)
        assert not answer.facts, answer.prose
        assert "recorded by year" in answer.prose


def test_temperatures_of_months_do_not_add_up() -> None:
    heat = gnomon.open({"temperature": SNOW})
    answer = heat.ask("temperature in July at Marlow", today=TODAY)
    expected = float(SNOW[SNOW.Site == "Marlow"].Jul.mean())
    assert [f.value for f in answer.facts][:1] == [pytest.approx(expected)], answer.prose
