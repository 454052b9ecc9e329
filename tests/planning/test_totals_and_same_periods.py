"""A year that is named for the same period, a division said in words, and how much “what volume” asks for."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_of

from gnomon.core.parts import Parts
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2025, 11, 3)


@pytest.fixture(scope="module")
def dairy(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("dairy")
    rows = ["churn_no,churned_on,maker,sort,vol_firkin,fat_pct,milk_cost_eur"]
    rows += [
        f"{4000 + i},{date.fromordinal(date(2022, 1, 3).toordinal() + i * 2)},{('Nils', 'Orla', 'Pia')[i % 3]},"
        f"{('butter', 'quark')[i % 2]},{12 + i * 37 % 90 / 10},{3 + i * 7 % 40 / 10},{300 + i * 53 % 400}.25"
        for i in range(520)
    ]
    (folder / "churns.csv").write_text("\n".join(rows))
    return reader_of(folder)


def requests(reader: GrammarReader, question: str) -> tuple[Parts, ...]:
    reading = reader.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    return tuple(reading.parts)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        (
            "How did milk cost in Q4 2024 do against the same quarter of 2023?",
            date(2023, 10, 1),
            date(2023, 12, 31),
        ),
        ("Milk cost in March 2024 versus the same month in 2022", date(2022, 3, 1), date(2022, 3, 31)),
        ("Milk cost in Q1 2023 compared to the same quarter of 2024", date(2024, 1, 1), date(2024, 3, 31)),
        (
            "Compare milk cost in May 2024 with the same period of the previous year",
            date(2023, 5, 1),
            date(2023, 5, 31),
        ),
        (
            "How did milk cost in Q1 2024 do against the same quarter last year?",
            date(2023, 1, 1),
            date(2023, 3, 31),
        ),
    ],
)
def test_a_year_that_is_named_is_the_year_compared_with(
    dairy: GrammarReader, question: str, start: date, end: date
) -> None:
    comparison = requests(dairy, question)[0].comparison
    assert comparison is not None and comparison.period is not None
    assert (comparison.period.start, comparison.period.end) == (start, end)


@pytest.mark.parametrize(
    ("question", "metric", "groups"),
    [
        (
            "Total milk cost divided by total volume, for each sort please",
            "milk_cost_eur / sum(churns.vol_firkin)",
            ("sort",),
        ),
        ("milk cost divided by volume by maker", "milk_cost_eur / sum(churns.vol_firkin)", ("maker",)),
        ("milk cost divided by the number of churns, per maker", "milk_cost_eur / churns", ("maker",)),
        (
            "average milk cost divided by average volume",
            "mean(churns.milk_cost_eur) / average_vol_firkin",
            (),
        ),
        ("churns divided by sort", "churns", ("sort",)),
    ],
)
def test_a_division_said_in_words_is_one_total_over_the_other(
    dairy: GrammarReader, question: str, metric: str, groups: tuple[str, ...]
) -> None:
    request = requests(dairy, question)[0]
    assert (request.metrics, request.dimensions) == ((metric,), groups)


@pytest.mark.parametrize(
    "question",
    [
        "Total milk cost divided by total salt, by sort",
        "total milk cost divided by 3",
        "milk cost per churn divided by total volume",
    ],
)
def test_a_division_that_cannot_be_formed_is_refused(dairy: GrammarReader, question: str) -> None:
    assert dairy.read(question, today=TODAY).status is not ReadingStatus.CLEAR


@pytest.mark.parametrize(
    "words", ["what volume did they add up to", "what volume did they have in total", "what total volume"]
)
def test_what_numbers_add_up_to_is_their_total(dairy: GrammarReader, words: str) -> None:
    counted, added = requests(dairy, f"How many churns did Pia make in 2024, and {words}?")
    assert (counted.metrics, added.metrics, added.dimensions) == (
        ("churns",),
        ("sum(churns.vol_firkin)",),
        (),
    )
    assert counted.filters == added.filters and counted.time_range == added.time_range


def test_what_volume_never_lists_each_of_many_numbers(dairy: GrammarReader) -> None:
    for question in ("What volume did Pia make in 2024?", "How many churns did Pia make, and what volume?"):
        reading = dairy.read(question, today=TODAY)
        assert reading.status is ReadingStatus.AMBIGUOUS, (question, reading.parts)
        assert all("vol_firkin" not in r.dimensions for r in reading.parts)
