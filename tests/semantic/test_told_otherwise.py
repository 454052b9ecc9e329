"""Metrics that references spell out: one amount less another, and a figure in another unit than its column's."""

from __future__ import annotations

import pandas as pd
import pytest

import gnomon
from gnomon.core.errors import InvalidInput
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import RetrievalQuery, Retriever, infer_model
from gnomon.semantic.units import times_as_many


@pytest.fixture(scope="module")
def claims() -> pd.DataFrame:
    days = pd.date_range("2024-01-01", periods=300, freq="D")
    cause = [("fire", "theft", "storm")[i % 3] for i in range(300)]
    frame = {"claim_id": range(300), "filed_on": days, "cause": cause, "claimed_eur": range(900, 1200)}
    return pd.DataFrame(
        {**frame, "paid_eur": range(300, 600), "handling_hours": [float(i % 48) for i in range(300)]}
    )


def test_one_amount_less_another_by_group(claims: pd.DataFrame) -> None:
    answer = gnomon.open({"claims": claims}).ask("claimed minus paid by cause")
    rows = {row[0]: row[1] for row in answer.tables[0].rows}
    assert rows == {"fire": 60_000, "theft": 60_000, "storm": 60_000}


def test_a_figure_in_another_unit(claims: pd.DataFrame) -> None:
    answer = gnomon.open({"claims": claims}).ask("average handling in days")
    expected = claims["handling_hours"].mean() / 24
    assert [f.value for f in answer.facts] == [pytest.approx(expected)]
    assert answer.facts[0].unit == "days"


def test_a_figure_is_not_told_in_a_unit_of_another_kind(claims: pd.DataFrame) -> None:
    dataset = open_sources({"claims": claims})
    model = infer_model(profile_dataset(dataset), dataset)
    with pytest.raises(InvalidInput, match="cannot be told in kg"):
        Retriever.over(dataset, model).run(RetrievalQuery(metrics=("claimed_eur in kg",)))


def test_units_of_one_kind_only() -> None:
    assert times_as_many("kg", "tonnes") == pytest.approx(0.001)
    assert times_as_many("hours", "minutes") == pytest.approx(60)
    assert times_as_many("hours", "km") is None
    assert times_as_many(None, "km") is None
