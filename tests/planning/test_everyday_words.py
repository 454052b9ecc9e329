"""Everyday words for what tables name otherwise are understood, and near misses are still refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.planning.reader import GrammarReader
from gnomon.planning.reader.abbreviations import expansion, shortens
from gnomon.planning.reading import Reading, ReadingStatus

TODAY = date(2024, 12, 31)


def _day(i: int) -> date:
    return date.fromordinal(date(2024, 1, 1).toordinal() + (i * 3) % 360)


@pytest.fixture(scope="module")
def college(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["student_id,enrolled_on,course,pos_in_class,avg_temp_c,tuition"]
    rows += [
        f"S{i:04d},{_day(i)},{('law', 'music', 'physics')[i % 3]},{1 + i % 20},{15 + i % 9}.5,{900 + i % 77}"
        for i in range(400)
    ]
    return reader_over(tmp_path_factory.mktemp("college"), {"students": rows})


@pytest.fixture(scope="module")
def shelter(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    gifts = ["gift_id,gift_date,donor_id,amount_eur"]
    gifts += [f"G{i:04d},{_day(i)},D{i % 40:03d},{10 + i % 90}.50" for i in range(500)]
    dogs = ["dog_id,arrived_on,breed,weight_kg"]
    dogs += [f"P{i:03d},{_day(i)},{('collie', 'boxer')[i % 2]},{5 + i % 30}.2" for i in range(120)]
    return reader_over(tmp_path_factory.mktemp("shelter"), {"gifts": gifts, "dogs": dogs})


@pytest.fixture(scope="module")
def scooters(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    trips = ["trip_id,started_on,rider_type,zone,distance_km,grp"]
    trips += [
        f"T{i:05d},{_day(i)},{('guest', 'member')[i % 2]},{('north', 'harbour', 'old town')[i % 3]},{1 + i % 9}.4,{'AB'[i % 2]}"
        for i in range(900)
    ]
    return reader_over(tmp_path_factory.mktemp("scooters"), {"trips": trips})


def read(reader: GrammarReader, question: str) -> Reading:
    return reader.read(question, today=TODAY)


def metrics(reader: GrammarReader, question: str) -> tuple[str, ...]:
    reading = read(reader, question)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    return reading.parts[0].metrics


@pytest.mark.parametrize("word", ["pupils", "people", "individuals"])
def test_synonyms_and_people_stand_for_what_the_rows_are(college: GrammarReader, word: str) -> None:
    assert metrics(college, f"How many {word} are there?") == metrics(college, "How many students are there?")


def test_what_a_word_was_read_as_is_told(college: GrammarReader) -> None:
    assert "“pupils” was read as student" in read(college, "How many pupils are there?").notes


def test_a_word_is_an_event_where_its_doer_is_named_beside_it(scooters: GrammarReader) -> None:
    assert metrics(scooters, "rides by rider type") == metrics(scooters, "trips by rider type")
    reading = read(scooters, "How many km were ridden in May 2024?")
    assert (
        reading.parts[0].metrics == metrics(scooters, "total distance")[:1]
        or "distance" in reading.parts[0].metrics[0]
    )


def test_journeys_are_trips_and_voyages_are_not_told_apart_by_guessing(scooters: GrammarReader) -> None:
    assert metrics(scooters, "How many journeys were there?") == ("trips",)
    for other in ("flights", "cruises", "walks", "tournaments", "accidents"):
        assert read(scooters, f"How many {other} were there?").status is not ReadingStatus.CLEAR, other


def test_what_was_given_is_money_unless_it_is_counted(shelter: GrammarReader) -> None:
    assert metrics(shelter, "How many donations were there in 2024?") == ("gifts",)
    assert "amount" in metrics(shelter, "donations per month")[0]


@pytest.mark.parametrize(
    "word",
    ["cats", "animals sold", "puppies", "sellers", "losses", "profits", "refunds", "managers", "volunteers"],
)
def test_sisters_kinds_and_opposites_are_still_refused(shelter: GrammarReader, word: str) -> None:
    assert read(shelter, f"How many {word} are there?").status is not ReadingStatus.CLEAR


@pytest.mark.parametrize("word", ["teachers", "musicians", "lawyers", "physicists", "graduates", "parents"])
def test_other_people_than_those_in_the_data_are_still_refused(college: GrammarReader, word: str) -> None:
    assert read(college, f"How many {word} are there?").status is not ReadingStatus.CLEAR


def test_names_cut_short_are_found_by_their_whole_word(scooters: GrammarReader) -> None:
    reading = read(scooters, "number of trips by group")
    assert reading.status is ReadingStatus.CLEAR and reading.parts[0].dimensions == ("grp",)
    assert (
        shortens("pos", "position") and not shortens("pos", "possession") and not shortens("qty", "quality")
    )
    assert (expansion("dur"), expansion("zzq")) == ("duration", None)


def test_averages_over_a_day_and_units_leave_the_quantity_named(college: GrammarReader) -> None:
    assert metrics(college, "What was the temperature?") == metrics(college, "What was the avg temp c?")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    cases = ["case_id,filed_on,hire_date,settled_at,chan,num_pages,winner,nts"]
    cases += [
        f"K{i:04d},{_day(i)},{_day(i + 40)},{_day(i + 7) if i % 3 else ''},{('phone', 'post')[i % 2]},{2 + i % 50},{('tenant', 'landlord')[i % 2]},{i % 6}"
        for i in range(600)
    ]
    return reader_over(tmp_path_factory.mktemp("desk"), {"cases": cases})


def test_events_are_counted_by_the_date_that_is_named_after_them(desk: GrammarReader) -> None:
    request = read(desk, "hires per month in 2024").parts[0]
    assert (request.metrics, request.time_dimension) == (("cases",), "hire_date")
    assert read(desk, "fires per month in 2024").status is not ReadingStatus.CLEAR


def test_un_says_no_to_what_is_there(desk: GrammarReader) -> None:
    (condition,) = read(desk, "How many cases are unsettled?").parts[0].filters
    assert (condition.field, condition.operator.value) == ("settled_at", "is null")
    assert read(desk, "How many cases are unpaid?").status is not ReadingStatus.CLEAR


def test_a_verb_that_repeats_a_name_in_use_adds_nothing_and_another_verb_does(desk: GrammarReader) -> None:
    (condition,) = read(desk, "How many cases were won by the landlord?").parts[0].filters
    assert (condition.field, condition.values) == ("winner", ("landlord",))
    for verb in ("lost", "appealed", "withdrawn"):
        assert read(desk, f"How many cases were {verb} by the landlord?").status is not ReadingStatus.CLEAR, (
            verb
        )


def test_numbers_of_something_and_its_short_names_are_that_thing(desk: GrammarReader) -> None:
    assert read(desk, "average number of pages by channel").parts[0].dimensions == ("chan",)
    assert "num_pages" in metrics(desk, "average pages")[0] or "pages" in metrics(desk, "average pages")[0]
    assert "nts" in metrics(desk, "average number of nights")[0]


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    calls = ["checkin_id,arrived_on,pier,wind_speed,market_value,noise_db"]
    calls += [
        f"H{i:05d},{_day(i)},{('east', 'west')[i % 2]},{3 + i % 20}.5,{1000 + (i * 37) % 900},{40 + i % 30}"
        for i in range(500)
    ]
    return reader_over(tmp_path_factory.mktemp("harbour"), {"checkins": calls})


def test_adjectives_rank_by_the_noun_they_derive_from(harbour: GrammarReader) -> None:
    request = read(harbour, "Which pier is the noisiest?").parts[0]
    assert "noise" in request.metrics[0] and request.descending and request.dimensions == ("pier",)
    request = read(harbour, "Which pier has the least valuable checkins?").parts[0]
    assert "market_value" in request.metrics[0] and not request.descending
    for word in ("saltiest", "friendliest", "most dangerous", "cheapest"):
        assert read(harbour, f"Which pier is the {word}?").status is not ReadingStatus.CLEAR, word


def test_the_busiest_has_most_of_what_happened(harbour: GrammarReader) -> None:
    assert read(harbour, "Which pier is the busiest?").parts[0].metrics == ("checkins",)
    assert metrics(harbour, "How many visits were there?") == ("checkins",)


def test_days_that_are_described_are_a_condition_and_not_a_series(scooters: GrammarReader) -> None:
    (request,) = read(scooters, "How many trips were there on days with zone harbour?").parts
    assert request.grain is None and [f.values for f in request.filters] == [("harbour",)]


def test_a_table_named_after_a_measurement_is_not_counted_as_such_things(tmp_path: Path) -> None:
    rows = ["station,year,jan,feb", *(f"{'abc'[i % 3]},{1990 + i},{i % 9}.5,{i % 7}.5" for i in range(30))]
    reader = reader_over(tmp_path, {"snow_cm": rows})
    assert read(reader, "Which station had the most snow in 2010?").status is not ReadingStatus.CLEAR
