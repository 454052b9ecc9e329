"""Verbs of two words lead to what the data calls by one, and to nothing where it does not."""

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_of

from gnomon.planning.reader import GrammarReader
from gnomon.planning.reader.phrasal import joined
from gnomon.planning.reader.words import split_words
from gnomon.planning.reading import ReadingStatus

TODAY = date(2024, 12, 31)


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("toys")
    rows = ["parcel_id,posted_on,depot,returned,revenue,star_rating"]
    for i in range(600):
        day = date.fromordinal(date(2023, 1, 1).toordinal() + (i * 11) % 730)
        rows.append(
            f"T{i:05d},{day},{('Hull', 'York')[i % 2]},{str(i % 7 == 0).lower()},{5 + i % 40}.25,{1 + i % 5}"
        )
    (folder / "parcels.csv").write_text("\n".join(rows))
    return reader_of(folder)


@pytest.mark.parametrize("verb", ["sent back", "given back"])
def test_what_is_sent_back_is_returned(toys: GrammarReader, verb: str) -> None:
    reading = toys.read(f"How many parcels were {verb} in 2024?", today=TODAY)
    plain = toys.read("How many parcels were returned in 2024?", today=TODAY)
    assert plain.status is ReadingStatus.CLEAR
    assert [(r.metrics, r.filters, r.time_range) for r in reading.parts] == [
        (r.metrics, r.filters, r.time_range) for r in plain.parts
    ]
    assert f"“{verb}” was read as “returned”" in reading.notes


def test_what_we_take_in_we_earn(toys: GrammarReader) -> None:
    plain = toys.read("total revenue from Hull in 2024", today=TODAY).parts[0]
    for question in ("what did we take in during 2024 from Hull", "How much did we take in 2024 from Hull?"):
        reading = toys.read(question, today=TODAY)
        assert reading.status is ReadingStatus.CLEAR, (question, reading.message)
        assert (reading.parts[0].metrics, reading.parts[0].filters) == (plain.metrics, plain.filters)


@pytest.mark.parametrize(
    "question", ["How many parcels were called off in 2024?", "How many parcels were handed in in 2024?"]
)
def test_a_verb_that_the_data_does_not_know_still_refuses(toys: GrammarReader, question: str) -> None:
    assert toys.read(question, today=TODAY).status is not ReadingStatus.CLEAR


def test_people_who_come_back_are_not_sent_back() -> None:
    words, said = joined(split_words("How many customers came back in 2024?"), {"returned"}, surely=True)
    assert said == {} and len(words) == 8
    _, said = joined(split_words("How many parcels came back in 2024?"), {"returned"}, surely=True)
    assert said == {"came back": "returned"}


def test_the_noun_of_a_verb_of_two_words() -> None:
    words, said = joined(split_words("members who signed up in May"), {"signup"}, surely=True)
    assert [w.lower for w in words] == ["members", "who", "signup", "in", "may"]
    assert joined(split_words("check-ins per week"), {"checkin"}, surely=True)[1] == {
        "check - ins": "checkins"
    }
    assert said == {"signed up": "signup"}


def test_somebody_who_does_what_is_asked_about_narrows_nothing(toys: GrammarReader) -> None:
    plain = toys.read("average star rating by depot", today=TODAY).parts[0]
    reading = toys.read("Which depot do customers rate best?", today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, reading.message
    assert (reading.parts[0].metrics, reading.parts[0].dimensions) == (plain.metrics, plain.dimensions)
    assert "people" in toys.read("How many people live in York?", today=TODAY).missing
