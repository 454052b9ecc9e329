"""Questions about outliers, normality and skew: what is asked, by which rule or test, of which column and rows."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.planning.readers import reader_over

from gnomon.core.parts import FilterOperator, Parts, QuestionKind
from gnomon.core.studies import Outliers, Shape
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2025, 3, 1)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("blooms")
    rows = [
        f"{i},{('Kew', 'Logan', 'Wisley')[i % 3]},{12 + (i * 37) % 41 + i / 9:.2f},{3 + (i * 13) % 17}"
        for i in range(1, 151)
    ]
    return reader_over(folder, {"blooms": ["bloom_id,garden,stem_cm,petals", *rows]})


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("sales")
    rows = [
        f"S{i:04d},{date(2024, 1, 1) + timedelta(days=i % 200)},{('east', 'west')[i % 2]},{5 + (i * 7) % 60}.5"
        for i in range(600)
    ]
    return reader_over(folder, {"sales": ["sale_id,sold_on,region,revenue_eur", *rows]})


def clear(reader: GrammarReader, question: str) -> Parts:
    reading = reader.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (reading.missing, reading.message)
    assert len(reading.parts) == 1
    return reading.parts[0]


@pytest.mark.parametrize(
    ("question", "method", "threshold"),
    [
        ("Are there any outliers in the stem column? If so, how many?", "iqr", None),
        ("How many outliers are there in stem?", "iqr", None),
        ("Does the stem column contain outliers?", "iqr", None),
        ("Which values of stem are outliers?", "iqr", None),
        ("Identify the outliers in stem using the Z-score method.", "zscore", None),
        ("Find outliers in stem by the z-score method with a threshold of 2.5", "zscore", 2.5),
        ("Detect outliers in stem that are more than 2 standard deviations from the mean", "zscore", 2.0),
        ("Use the IQR method to detect outliers in stem.", "iqr", None),
        (
            "How many outliers are there in stem? An outlier is a value that lies 3 IQR below the first quartile or 3 IQR above the third.",
            "iqr",
            3.0,
        ),
        (
            "Identify and remove any outliers in stem using the Z-score method, where Z is (value - mean) / standard deviation. "
            "Consider a value an outlier if its Z-score is greater than 3 or less than -3. Report the number of removed outliers.",
            "zscore",
            3.0,
        ),
    ],
)
def test_outliers_by_the_rule_that_is_named_or_the_quartiles(
    reader: GrammarReader, question: str, method: str, threshold: float | None
) -> None:
    request = clear(reader, question)
    assert (request.kind, request.metrics) == (QuestionKind.ANOMALY, ("average_stem",))
    study = request.study
    assert isinstance(study, Outliers) and (study.rule, study.threshold, study.told) == (
        method,
        threshold,
        None,
    )


def test_outliers_within_groups_and_under_conditions(reader: GrammarReader) -> None:
    request = clear(
        reader,
        "Perform outlier detection on the stem variable for each garden separately. Use the Z-score method and determine "
        "the number of outliers in each garden.",
    )
    assert (request.dimensions, request.options(Outliers).rule) == (("garden",), "zscore")
    assert clear(reader, "Are there outliers in petals at Kew?").filters[0].values == ("Kew",)


@pytest.mark.parametrize(
    ("question", "metrics"),
    [
        ("What is the mean of stem after removing outliers?", ("average_stem",)),
        ("mean and standard deviation of stem without outliers", ("average_stem", "stddev(blooms.stem_cm)")),
        (
            "Remove the outliers in stem by the z-score method. After removing them, calculate the new mean and standard deviation.",
            ("average_stem", "stddev(blooms.stem_cm)"),
        ),
        ("After removing outliers from stem, what is the median stem?", ("median(blooms.stem_cm)",)),
    ],
)
def test_figures_without_outliers(reader: GrammarReader, question: str, metrics: tuple[str, ...]) -> None:
    request = clear(reader, question)
    assert (request.kind, request.metrics) == (QuestionKind.ANOMALY, metrics)
    assert request.options(Outliers).told == "without"


def test_how_many_are_left_without_outliers(reader: GrammarReader) -> None:
    for question in (
        "How many rows of petals are left after removing outliers?",
        "Remove outliers from petals using the IQR rule; how many values remain?",
    ):
        request = clear(reader, question)
        assert (request.metrics, request.options(Outliers).told) == (("mean(blooms.petals)",), "left")


def test_rows_with_outliers_in_one_column_are_left_out_of_figures_of_another(reader: GrammarReader) -> None:
    request = clear(reader, "After removing outliers from petals, what is the average stem?")
    assert request.metrics == ("average_stem",)
    (left_out,) = request.filters
    assert left_out.operator is FilterOperator.IS_NULL
    assert "beyond([petals], quantile_of([petals], 0.25)" in left_out.field


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Is stem normally distributed?", {}),
        ("Check if the stem column adheres to a normal distribution.", {}),
        ("Does stem follow a Gaussian distribution?", {}),
        ("Is the distribution of stem normal?", {}),
        (
            "Test the normality of stem with the Kolmogorov-Smirnov test, alpha = 0.01",
            {"test": "ks", "alpha": 0.01},
        ),
        ("Use the Shapiro–Wilk test to check whether stem is normally distributed.", {"test": "shapiro"}),
        (
            "Conduct an Anderson-Darling test on stem at the 10% significance level",
            {"test": "anderson", "alpha": 0.1},
        ),
        ("What is the distribution of stem? Is it normally distributed?", {}),
        ("Explore the distribution of stem and determine whether it follows a normal distribution.", {}),
    ],
)
def test_normality_is_asked_in_many_ways(
    reader: GrammarReader, question: str, options: dict[str, Any]
) -> None:
    request = clear(reader, question)
    assert (request.kind, request.metrics) == (QuestionKind.DISTRIBUTION, ("average_stem",))
    assert request.study == Shape(of="normality", **options)


def test_normality_of_each_group(reader: GrammarReader) -> None:
    request = clear(
        reader,
        "Perform distribution analysis on stem for each garden separately. Use the Shapiro-Wilk test for normality. "
        "The null hypothesis is that stem follows a normal distribution.",
    )
    assert (request.dimensions, request.study) == (("garden",), Shape(of="normality", test="shapiro"))


@pytest.mark.parametrize(
    "question",
    [
        "Is the distribution of stem skewed? If yes, is it positively or negatively skewed?",
        "How skewed is stem?",
        "Is stem symmetric?",
        "Check if the distribution of stem is skewed.",
    ],
)
def test_skew_is_asked_as_a_verdict(reader: GrammarReader, question: str) -> None:
    request = clear(reader, question)
    assert (request.kind, request.study) == (QuestionKind.DISTRIBUTION, Shape(of="skewness"))


def test_what_adds_up_over_dates_is_watched_along_time(shop: GrammarReader) -> None:
    for question in (
        "Are there outliers in revenue?",
        "Any outliers in daily revenue?",
        "Are there anomalies in revenue?",
    ):
        request = clear(shop, question)
        assert request.kind is QuestionKind.ANOMALY
        assert request.study is None
    by_rows = clear(shop, "Are there outliers in the revenue column?")
    assert isinstance(by_rows.study, Outliers)


@pytest.mark.parametrize(
    "question",
    [
        "Are there outliers in the height column?",
        "Is the blossom colour normally distributed?",
        "How many outliers are there in stem for each continent?",
    ],
)
def test_what_the_data_does_not_have_is_refused(reader: GrammarReader, question: str) -> None:
    assert reader.read(question, today=TODAY).status is not ReadingStatus.CLEAR


@pytest.mark.parametrize(
    ("question", "asks", "threshold"),
    [
        ("Count the number of values of stem within one standard deviation of the mean", "within", 1.0),
        ("How many blooms have a stem more than 2 standard deviations above the mean?", "above", 2.0),
        (
            "What percentage of values in stem lie beyond 1.5 standard deviations from the mean?",
            "beyond",
            1.5,
        ),
    ],
)
def test_distances_from_the_mean_are_counted(
    reader: GrammarReader, question: str, asks: str, threshold: float
) -> None:
    request = clear(reader, question)
    assert (request.kind, request.metrics) == (QuestionKind.ANOMALY, ("average_stem",))
    assert request.study == Outliers(rule="zscore", threshold=threshold, told=asks)


def test_a_distance_from_the_mean_is_never_left_out(reader: GrammarReader) -> None:
    question = "average petals of blooms whose stem is more than 2 standard deviations above the mean"
    reading = reader.read(question, today=TODAY)
    assert reading.status is ReadingStatus.PARTIAL
    assert "standard deviations above the mean" in reading.missing[0]


def test_a_refusal_names_what_the_data_lacks_and_not_the_words_of_statistics(reader: GrammarReader) -> None:
    reading = reader.read("Are there outliers in the stem of tulips, by the z-score method?", today=TODAY)
    assert reading.status is ReadingStatus.PARTIAL
    assert reading.missing == ("tulips",)


def test_a_column_is_described_by_its_middle_its_spread_and_its_ends(
    reader: GrammarReader, shop: GrammarReader
) -> None:
    hows = ("mean", "stddev", "min", "p25", "median", "p75", "max", "skewness")
    wanted = tuple(f"{how}(blooms.stem_cm)" for how in hows)
    for question in (
        "Describe stem",
        "Give me summary statistics of stem",
        "five-number summary of the stem column",
    ):
        assert clear(reader, question).metrics == wanted
    grouped = clear(reader, "descriptive statistics for stem by garden")
    assert (grouped.kind, grouped.metrics, grouped.dimensions) == (
        QuestionKind.BREAKDOWN,
        wanted,
        ("garden",),
    )
    assert clear(reader, "Describe the data").kind is QuestionKind.PROFILE
    assert clear(shop, "Summarize revenue by region").metrics == ("revenue_eur",)


def test_an_analysis_that_is_announced_is_what_is_then_asked_for(reader: GrammarReader) -> None:
    request = clear(
        reader,
        "Perform a distribution analysis on stem for each garden. Calculate the mean and median of stem for each garden.",
    )
    assert request.metrics == ("average_stem", "median(blooms.stem_cm)")
    assert (request.kind, request.dimensions) == (QuestionKind.BREAKDOWN, ("garden",))
