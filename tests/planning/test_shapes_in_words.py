"""Skewness, kurtosis, mode and their kin, asked for in words: each is the aggregation that was said, of what was said."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.core.parts import Parts
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("shapes")
    rows = [
        f"{i},{('Oban', 'Ullapool', 'Mallaig')[i % 3]},{1 + i % 4},{20 + (i * 37) % 91 + i / 7:.2f},{150 + (i * 13) % 60}"
        for i in range(1, 181)
    ]
    return reader_over(folder, {"trips": ["trip_id,harbour,boat_class,catch_kg,fuel_litres", *rows]})


def clear(reader: GrammarReader, question: str) -> Parts:
    reading = reader.read(question, today=date(2025, 3, 1))
    assert reading.status is ReadingStatus.CLEAR, reading.message
    assert len(reading.parts) == 1
    return reading.parts[0]


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ("skewness", "skewness"),
        ("kurtosis", "kurtosis"),
        ("variance", "variance"),
        ("interquartile range", "iqr"),
        ("coefficient of variation", "variation"),
        ("standard error of the mean", "standard_error"),
        ("geometric mean", "geometric_mean"),
        ("mode", "mode"),
    ],
)
def test_a_word_of_statistics_is_an_aggregation_of_the_column(
    reader: GrammarReader, said: str, how: str
) -> None:
    assert clear(reader, f"What is the {said} of the catch?").metrics == (f"{how}(trips.catch_kg)",)
    grouped = clear(reader, f"{said} of fuel litres by harbour")
    assert (grouped.metrics, grouped.dimensions) == ((f"{how}(trips.fuel_litres)",), ("harbour",))


def test_a_long_list_keeps_each_of_its_aggregations(reader: GrammarReader) -> None:
    request = clear(
        reader,
        "mean, median, standard deviation, variance, skewness and kurtosis of the catch for each harbour",
    )
    hows = ("median", "stddev", "variance", "skewness", "kurtosis")
    assert request.metrics == ("average_catch", *(f"{how}(trips.catch_kg)" for how in hows))
    assert request.dimensions == ("harbour",)


def test_two_aggregations_of_two_columns_are_four(reader: GrammarReader) -> None:
    request = clear(reader, "What are the skewness and kurtosis of catch and fuel?")
    assert set(request.metrics) == {
        f"{how}(trips.{column})" for how in ("skewness", "kurtosis") for column in ("catch_kg", "fuel_litres")
    }


def test_the_mode_of_a_category_is_one_of_its_values(reader: GrammarReader) -> None:
    assert clear(reader, "What is the mode of the harbour column?").metrics == ("mode(trips.harbour)",)


def test_a_ranking_by_a_shape(reader: GrammarReader) -> None:
    request = clear(reader, "Which harbour has the highest variance of catch?")
    assert (request.metrics, request.dimensions, request.limit) == (
        ("variance(trips.catch_kg)",),
        ("harbour",),
        1,
    )
