"""Values that are compared, owned or counted are told by a measure; identifiers that are asked for are listed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_of

from gnomon.core.parts import Parts, QuestionKind
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2024, 12, 31)
GRADES = ("Sound", "Leaking", "Rotten")
SAILORS = ("Ava", "Bruno", "Chiara")
FEES = ("Mooring", "Power", "Crane")


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("harbour")
    boats = ["Boat No,Built,Hull State,Rank"]
    boats += [
        f"{1001 + i},{date(2000 + i % 20, 1 + i % 12, 3)},{GRADES[i // 7 % 3]},{('Warden', 'Plain', 'Guest')[i % 3]}"
        for i in range(240)
    ]
    fees = ["Slip,Boat No,Paid On,Paid For,Amount"]
    fees += [
        f"{70001 + i},{1001 + i * 7 % 240},{date.fromordinal(date(2023, 1, 1).toordinal() + i % 700)},{FEES[i % 3]},£{20 + i * 11 % 90}.50"
        for i in range(900)
    ]
    trips = ["trip_no,sailed_on,skipper,wind_kn,fun_score"]
    trips += [
        f"{i + 1},{date.fromordinal(date(2023, 1, 1).toordinal() + i)},{SAILORS[i % 3]},{5 + i % 17},{4 + i * 7 % 50 / 10}"
        for i in range(600)
    ]
    for name, rows in {"boats": boats, "fees": fees, "trips": trips}.items():
        (folder / f"{name}.csv").write_text("\n".join(rows))
    return reader_of(folder)


def requests(reader: GrammarReader, question: str) -> tuple[Parts, ...]:
    reading = reader.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    return reading.parts


def test_rows_of_one_value_are_counted_and_not_its_different_values(harbour: GrammarReader) -> None:
    first, second = requests(harbour, "How many boats are rotten, and how many are in sound hull state?")
    assert first.metrics == second.metrics == ("boats",)
    assert [f.values for f in second.filters] == [("Sound",)]
    assert requests(harbour, "How many are in sound hull state?")[0].metrics == ("boats",)


def test_what_somebody_has_is_measured_and_does_not_group(harbour: GrammarReader) -> None:
    compared = requests(harbour, "Whose trips have the better average fun score, Ava's or Bruno's?")[0]
    assert compared.kind is QuestionKind.COMPARISON
    assert compared.dimensions == ("skipper",)
    ranked = requests(harbour, "Whose trips have the highest average fun score?")[0]
    assert ranked.dimensions == ("skipper",)


def test_whose_it_is_may_not_be_left_out(harbour: GrammarReader) -> None:
    reading = harbour.read("Whose trips have a better fun score on average?", today=TODAY)
    assert reading.status is ReadingStatus.PARTIAL


@pytest.mark.parametrize("verb", ["Give me", "Show", "List"])
def test_identifiers_that_are_asked_for_are_listed(harbour: GrammarReader, verb: str) -> None:
    asked = requests(harbour, f"{verb} the boat numbers of the wardens.")[0]
    assert (asked.kind, asked.metrics, asked.dimensions) == (QuestionKind.LIST, (), ("Boat No",))
    assert requests(harbour, "What is the number of boats that are wardens?")[0].metrics == ("boats",)


def test_values_are_compared_by_the_money_that_was_taken(harbour: GrammarReader) -> None:
    asked = requests(harbour, "In 2023, what did we take in mooring compared with power?")[0]
    assert (asked.kind, asked.metrics) == (QuestionKind.COMPARISON, ("amount",))


def test_values_compared_by_nothing_are_asked_about(harbour: GrammarReader) -> None:
    reading = harbour.read("mooring versus power in 2023?", today=TODAY)
    assert reading.status is ReadingStatus.AMBIGUOUS
    assert requests(harbour, reading.options[0])[0].kind is QuestionKind.COMPARISON
