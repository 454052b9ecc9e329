"""Questions that relate columns row by row: which columns, which rows, by which method."""

from __future__ import annotations

from datetime import date

import pytest
from tests.planning.readers import reader_over

from gnomon.core.parts import Parts, QuestionKind
from gnomon.core.studies import Regression, Relation
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus
from gnomon.planning.trees import request_of

TODAY = date(2025, 3, 1)
HEAD = "plot_id,sown_on,area_ha,rain_mm,harvest_kg,grade,irrigated,soil,crop"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    soils, crops = ("clay", "loam", "sand"), ("barley", "oats", "wheat", "rye")
    rows = [
        f"{i},2024-{1 + i % 12:02d}-{1 + i % 27:02d},{1 + (i * 7) % 13}.{i % 10},{200 + (i * 37) % 311},"
        f"{3 + (i * 11) % 17}.{i % 7},{1 + i % 3},{'yes' if i % 4 else 'no'},{soils[i % 3]},{crops[i % 4]}"
        for i in range(1, 121)
    ]
    return reader_over(tmp_path_factory.mktemp("farm"), {"plots": [HEAD, *rows]})


def read(reader: GrammarReader, question: str) -> Parts:
    found = reader.read(question, today=TODAY)
    assert found.status is ReadingStatus.CLEAR, (found.missing, found.message)
    assert len(found.parts) == 1
    return found.parts[0]


@pytest.mark.parametrize(
    "question",
    [
        "What is the correlation between area and harvest?",
        "Calculate the Pearson correlation coefficient (r) between the area and harvest variables.",
        "Is there a relationship between area and harvest?",
        "Are area and harvest correlated?",
        "How strongly is area related to harvest?",
        "Is there a statistically significant correlation between area and harvest (p < 0.05)?",
        "Does area go up with harvest?",
        "Is there a correlation between area and harvest? If so, what is its strength and direction?",
        "Determine whether there is a linear or nonlinear relationship between 'area_ha' and 'harvest_kg'.",
        "3. Find the correlation coefficient of area and harvest. Interpret the result.",
    ],
)
def test_two_columns_are_related_however_it_is_asked(reader: GrammarReader, question: str) -> None:
    request = read(reader, question)
    assert request.kind is QuestionKind.CORRELATION
    assert request.columns == ("area_ha", "harvest_kg")
    assert request.options(Relation).method == "pearson"
    assert not (request.filters or request.dimensions or request.metrics)


@pytest.mark.parametrize(
    ("said", "method"), [("Spearman", "spearman"), ("Kendall", "kendall"), ("rank", "spearman")]
)
def test_the_method_that_is_named_is_taken(reader: GrammarReader, said: str, method: str) -> None:
    request = read(reader, f"What is the {said} correlation of rain and harvest?")
    assert (request.columns, request.options(Relation).method) == (("rain_mm", "harvest_kg"), method)


def test_a_yes_or_no_is_asked_for_only_where_it_is(reader: GrammarReader) -> None:
    assert read(reader, "Is rain correlated with harvest?").claim.whether
    assert not read(reader, "What is the correlation of rain and harvest?").claim.whether


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("correlation between grade and harvest", ("grade", "harvest_kg")),
        ("Is there an association between soil and irrigated?", ("soil", "irrigated")),
        ("Is there a correlation between sown on and harvest?", ("sown_on", "harvest_kg")),
    ],
)
def test_grades_flags_categories_and_dates_are_columns_too(
    reader: GrammarReader, question: str, columns: tuple[str, ...]
) -> None:
    assert read(reader, question).columns == columns


@pytest.mark.parametrize(
    ("tail", "field", "values"),
    [
        ("for clay soil", "soil", ("clay",)),
        ("for plots with grade 2", "grade", (2,)),
        ("among irrigated plots", "irrigated", (True,)),
        ("for plots with rain above 300", "rain_mm", (300,)),
        ("where the soil is loam", "soil", ("loam",)),
    ],
)
def test_the_rest_of_the_sentence_narrows_the_rows(
    reader: GrammarReader, tail: str, field: str, values: tuple[object, ...]
) -> None:
    request = read(reader, f"What is the correlation between area and harvest {tail}?")
    assert request.columns == ("area_ha", "harvest_kg")
    assert [(f.field, f.values) for f in request.filters] == [(field, values)]


def test_a_period_narrows_the_rows(reader: GrammarReader) -> None:
    request = read(reader, "In June 2024, what is the correlation between area and harvest?")
    assert request.time_range is not None
    assert (request.time_range.start, request.time_range.end) == (date(2024, 6, 1), date(2024, 6, 30))


@pytest.mark.parametrize(
    "question", ["For each soil, are area and harvest related?", "correlation of area and harvest by soil"]
)
def test_each_group_is_related_by_itself(reader: GrammarReader, question: str) -> None:
    request = read(reader, question)
    assert (request.columns, request.dimensions) == (("area_ha", "harvest_kg"), ("soil",))


def test_all_pairs_of_what_is_listed(reader: GrammarReader) -> None:
    request = read(
        reader,
        "Calculate the correlations between all pairs of these variables (area, rain, harvest) and identify the pair with "
        "the strongest positive correlation.",
    )
    assert request.columns == ("area_ha", "rain_mm", "harvest_kg")
    assert request.options(Relation).sign == "positive"


@pytest.mark.parametrize(
    "question",
    ["Which column correlates most with harvest?", "What is harvest most strongly correlated with?"],
)
def test_one_column_is_set_against_all_that_hold_numbers(reader: GrammarReader, question: str) -> None:
    request = read(reader, question)
    assert request.options(Relation).target == "harvest_kg"
    assert set(request.columns) == {"harvest_kg", "area_ha", "rain_mm", "grade", "irrigated"}


def test_a_matrix_has_all_columns_of_numbers_and_no_identifier(reader: GrammarReader) -> None:
    request = read(reader, "Show the correlation matrix of the numeric columns")
    assert set(request.columns) == {"harvest_kg", "area_ha", "rain_mm", "grade", "irrigated"}


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Is there a correlation between area and happiness?", "happiness"),
        ("correlation between area and harvest for organic plots", "organic"),
        ("correlation between area and harvest of the plots that were sold", "sold"),
    ],
)
def test_what_the_data_does_not_have_is_named(reader: GrammarReader, question: str, missing: str) -> None:
    found = reader.read(question, today=TODAY)
    assert found.status is not ReadingStatus.CLEAR
    assert missing in found.missing


@pytest.mark.parametrize(
    "question",
    [
        "Predict harvest from area and rain",
        "Perform a linear regression to predict harvest based on area and rain.",
        "Run a regression of harvest on area and rain",
        "Can we predict the harvest using area and rain? How good is the model?",
        "Fit a linear regression with harvest as the dependent variable and area and rain as independent variables",
        "How well do area and rain predict harvest?",
    ],
)
def test_what_is_predicted_is_told_from_what_it_is_predicted_from(
    reader: GrammarReader, question: str
) -> None:
    request = read(reader, question)
    assert request.kind is QuestionKind.REGRESSION
    assert request.columns == ("harvest_kg", "area_ha", "rain_mm")
    assert request.options(Regression).test_share is None


def test_an_effect_with_another_column_held_constant_is_a_regression(reader: GrammarReader) -> None:
    request = read(reader, "What is the effect of rain on harvest controlling for area?")
    assert request.kind is QuestionKind.REGRESSION
    assert request.columns[0] == "harvest_kg"
    assert set(request.columns[1:]) == {"rain_mm", "area_ha"}


@pytest.mark.parametrize(
    ("said", "share", "seed"),
    [
        ("Split the data into a 70-30 training-testing split.", 0.3, None),
        ("Use 80% of the data for training and 20% for testing with a random state of 7.", 0.2, 7),
        ("Use a test size of 0.25 and random_state=1.", 0.25, 1),
        ("Split the dataset into a training set (75%) and a testing set (25%).", 0.25, None),
    ],
)
def test_rows_are_set_apart_as_said(reader: GrammarReader, said: str, share: float, seed: int | None) -> None:
    request = read(reader, f"Train a linear regression model to predict harvest from area and rain. {said}")
    assert request.options(Regression).test_share == pytest.approx(share)
    assert request.options(Regression).seed == seed


def test_the_score_that_is_asked_for_is_kept(reader: GrammarReader) -> None:
    question = (
        "Build a logistic regression to predict irrigated from area and rain and evaluate it by accuracy."
    )
    request = read(reader, question)
    assert request.columns == ("irrigated", "area_ha", "rain_mm")
    assert request.study == Regression(model="logistic", score="accuracy")


@pytest.mark.parametrize("method", ["random forest", "neural network", "k-nearest neighbors"])
def test_other_methods_are_refused_by_name(reader: GrammarReader, method: str) -> None:
    found = reader.read(f"Train a {method} model to predict harvest from area and rain", today=TODAY)
    assert found.status is not ReadingStatus.CLEAR
    assert method in found.message


def test_the_rows_of_a_model_are_narrowed_too(reader: GrammarReader) -> None:
    request = read(reader, "Predict harvest from area and rain for clay soil")
    assert [(f.field, f.values) for f in request.filters] == [("soil", ("clay",))]


def test_a_forecast_is_no_regression(reader: GrammarReader) -> None:
    found = reader.read("Predict the total harvest for next month", today=TODAY)
    assert all(r.kind is not QuestionKind.REGRESSION for r in found.parts)


def test_one_of_several_values_is_refused_by_name(reader: GrammarReader) -> None:
    found = reader.read("Predict soil from area and rain", today=TODAY)
    assert found.status is ReadingStatus.PARTIAL
    assert "soil" in found.message


def test_a_regression_that_does_not_say_which_way_is_asked_back(reader: GrammarReader) -> None:
    found = reader.read("Run a linear regression between area and harvest", today=TODAY)
    assert found.status is ReadingStatus.AMBIGUOUS
    assert found.options == ("Predict area from harvest", "Predict harvest from area")


def test_the_group_with_the_strongest_relation_is_asked_for(reader: GrammarReader) -> None:
    request = read(reader, "Which soil has the strongest correlation between rain and harvest?")
    assert (request.columns, request.dimensions) == (("rain_mm", "harvest_kg"), ("soil",))
    assert request.options(Relation).ranked


def test_a_covariance_is_no_correlation(reader: GrammarReader) -> None:
    found = reader.read("What is the covariance of area and harvest?", today=TODAY)
    assert all(r.kind is not QuestionKind.CORRELATION for r in found.parts)


@pytest.mark.parametrize(
    "question",
    ["Does more rain go with a higher harvest?", "Do plots with more rain have a higher harvest?"],
)
def test_more_of_one_and_more_of_the_other_is_a_relation(reader: GrammarReader, question: str) -> None:
    request = read(reader, question)
    assert (request.kind, request.columns) == (QuestionKind.CORRELATION, ("rain_mm", "harvest_kg"))
    assert not request.filters


@pytest.mark.parametrize(
    ("said", "filters", "dimensions"),
    [
        ("And for clay?", [("soil", ("clay",))], ()),
        ("what about irrigated plots?", [("irrigated", (True,))], ()),
        ("and by crop?", [], ("crop",)),
    ],
)
def test_a_relation_is_asked_again_over_other_rows(
    reader: GrammarReader, said: str, filters: list[object], dimensions: tuple[str, ...]
) -> None:
    first = read(reader, "What is the correlation between area and harvest?")
    found = reader.read(said, today=TODAY, previous=request_of(first, reader.model))
    assert found.status is ReadingStatus.CLEAR, found.message
    request = found.parts[0]
    assert (request.kind, request.columns) == (QuestionKind.CORRELATION, ("area_ha", "harvest_kg"))
    assert ([(f.field, f.values) for f in request.filters], request.dimensions) == (filters, dimensions)


def test_another_column_is_not_the_same_relation_again(reader: GrammarReader) -> None:
    first = read(reader, "What is the correlation between area and harvest?")
    found = reader.read("what about rain?", today=TODAY, previous=request_of(first, reader.model))
    assert all(r.columns != first.columns for r in found.parts)


@pytest.mark.parametrize(
    "question",
    [
        "Show the area and harvest associated with each soil",
        "Which soils are associated with the highest harvest?",
        "Which crops are related to the most rain?",
    ],
)
def test_what_belongs_to_groups_is_no_relation_of_rows(reader: GrammarReader, question: str) -> None:
    found = reader.read(question, today=TODAY)
    assert all(not r.columns for r in found.parts)
