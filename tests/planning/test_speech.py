"""How people talk: asides, slips put right, light verbs, scenes and short typos, beside what still narrows."""

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_of

from gnomon.core.errors import Cancelled
from gnomon.core.parts import FilterOperator, Parts
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.tools.contract import CancelToken

TODAY = date(2024, 12, 31)


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("bakery")
    rows = ["loaf_id,baked_on,flour,oven,loaves,price_eur,takings_eur"]
    for i in range(900):
        day = date.fromordinal(date(2023, 1, 1).toordinal() + (i * 7) % 730)
        flour, oven = ("rye", "spelt", "wheat")[i % 3], ("stone", "steam")[i % 2]
        rows.append(
            f"B{i:05d},{day},{flour},{oven},{1 + i % 30},{2 + i % 5}.5,{(1 + i % 30) * (2.5 + i % 5)}"
        )
    (folder / "bakes.csv").write_text("\n".join(rows))
    return reader_of(folder)


def read(reader: GrammarReader, question: str) -> Reading:
    return reader.read(question, today=TODAY)


def clear(reader: GrammarReader, question: str) -> Parts:
    reading = read(reader, question)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    return reading.parts[0]


@pytest.mark.parametrize(
    ("question", "aside"),
    [
        ("I am writing a grant application and need the total takings with rye in 2024", "writing a grant application"),
        ("We are meeting our landlord, so I want the total takings with rye in 2024", "meeting our landlord"),
        ("My grandmother wants to know the total takings with rye in 2024", "My grandmother wants"),
        ("Our auditor asked for the total takings with rye in 2024", "Our auditor asked"),
        ("total takings with rye in 2024 for the board meeting", "for the board meeting"),
        ("total takings with rye in 2024 across our portfolio", "across our portfolio"),
    ],
)  # fmt: skip
def test_what_somebody_says_of_themselves_is_set_aside_and_told(
    bakery: GrammarReader, question: str, aside: str
) -> None:
    reading = read(bakery, question)
    assert reading.status is ReadingStatus.CLEAR, (reading.missing, reading.message)
    assert [(f.field, f.values) for f in reading.parts[0].filters] == [("flour", ("rye",))]
    assert reading.parts[0].time_range is not None and reading.parts[0].time_range.start.year == 2024
    assert any(aside in note and note.endswith("was taken as an aside") for note in reading.notes)


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("How many loaves were burnt in 2024?", "burnt"),
        ("How many loaves did we bake, I mean the burnt ones?", "burnt"),
        ("How many loaves were there? They should be burnt.", "burnt"),
        ("total takings in the warehouse in Bremen", "Bremen"),
        ("total takings in our Bremen shop", "Bremen"),
        ("total takings, we only care about festivals", "festivals"),
        ("How many loaves did we cancel?", "cancel"),
        ("total takings for the board members", "members"),
        ("I need the spoiled loaves", "spoiled"),
    ],
)
def test_what_narrows_and_is_unknown_is_never_set_aside(
    bakery: GrammarReader, question: str, kept: str
) -> None:
    reading = read(bakery, question)
    assert reading.status is not ReadingStatus.CLEAR
    assert kept in reading.missing


def test_a_slip_that_was_put_right_counts_for_nothing(bakery: GrammarReader) -> None:
    reading = read(bakery, "total takings with spelt... sorry, with rye in 2024")
    assert [f.values for f in reading.parts[0].filters] == [("rye",)]
    assert reading.notes == ("“with spelt” was taken back",)
    request = clear(bakery, "total takings by flour... no, by oven")
    assert request.dimensions == ("oven",)


@pytest.mark.parametrize("verb", ["sees", "saw", "collects", "gets", "brings"])
def test_light_verbs_ask_nothing_more(bakery: GrammarReader, verb: str) -> None:
    request = clear(bakery, f"Which oven {verb} the highest takings?")
    assert (request.dimensions, request.limit, request.descending) == (("oven",), 1, True)


def test_leading_is_ranking_first(bakery: GrammarReader) -> None:
    request = clear(bakery, "Which flour leads in takings?")
    assert (request.dimensions, request.limit, request.descending) == (("flour",), 1, True)


def test_everywhere_but_leaves_one_out(bakery: GrammarReader) -> None:
    request = clear(bakery, "total takings everywhere but in the stone oven")
    assert [(f.field, f.values) for f in request.filters] == [("oven", ("stone",))]
    assert request.filters[0].operator in (FilterOperator.NOT_EQUALS, FilterOperator.NOT_IN)


def test_short_words_with_a_slip_of_the_finger(bakery: GrammarReader) -> None:
    assert (
        clear(bakery, "waht is teh totl takings with rye").metrics
        == clear(bakery, "total takings with rye").metrics
    )
    assert clear(bakery, "takings by mnth in 2024").grain == clear(bakery, "takings by month in 2024").grain


def test_a_short_word_that_is_no_slip_stays_unknown(bakery: GrammarReader) -> None:
    assert "roas" in read(bakery, "roas by oven").missing


def test_politeness_never_ranks(bakery: GrammarReader) -> None:
    request = clear(
        bakery, "If it isn't too much trouble, I would be most grateful to learn the total takings in 2024"
    )
    assert request.limit is None and request.metrics == clear(bakery, "total takings in 2024").metrics
    assert clear(bakery, "Would you be so kind as to list takings for each oven?").dimensions == ("oven",)


def test_nothing_is_read_for_somebody_who_no_longer_waits(bakery: GrammarReader) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        bakery.read("total takings", today=TODAY, cancel=token)
