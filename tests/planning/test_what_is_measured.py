"""Which measure and which aggregation a question asks for: the worth of a thing, the bad end of a rate, each once."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import Reading, ReadingStatus

TODAY = date(2024, 12, 31)


def _day(i: int) -> date:
    return date.fromordinal(date(2024, 1, 1).toordinal() + (i * 3) % 360)


@pytest.fixture(scope="module")
def garage(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    jobs = ["job_id,done_on,bay,brand,parts,fee_eur,failure_rate,list_price"]
    jobs += [
        f"J{i:05d},{_day(i)},{('east', 'west', 'yard')[i % 3]},{('Arlo', 'Benz')[i % 2]},{1 + i * i % 4},"
        f"{40 + i * 7 % 300}.5,{i * 13 % 50 / 1000},{15 + i % 60}.9"
        for i in range(900)
    ]
    return reader_over(tmp_path_factory.mktemp("garage"), {"jobs": jobs})


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    lines = ["order_no,sold_on,pastry,qty,line_total"]
    lines += [
        f"{1000 + i // 3},{_day(i // 3)},{('eclair', 'strudel', 'brioche', 'scone')[i % 4]},{1 + i * i % 5},{3 + i * 5 % 37}.25"
        for i in range(1200)
    ]
    return reader_over(tmp_path_factory.mktemp("bakery"), {"order_lines": lines})


@pytest.fixture(scope="module")
def freight(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["shipment_id,shipped_on,depot,weight_kg,pallets,charge_eur"]
    rows += [
        f"S{i:05d},{_day(i)},{('Lyon', 'Graz')[i % 2]},{20 + i * 37 % 900}.4,{1 + i * i % 6},{50 + i * 11 % 400}.75"
        for i in range(700)
    ]
    milk = ["pickup_id,picked_up_on,farm,milk_litres,fish_weight_kg,price_per_kg"]
    milk += [
        f"P{i:04d},{_day(i)},{('Alm', 'Bach')[i % 2]},{100 + i * 31 % 700}.5,{3 + i * 7 % 80}.1,{4 + i % 5}.2"
        for i in range(500)
    ]
    return reader_over(tmp_path_factory.mktemp("freight"), {"shipments": rows, "pickups": milk})


def read(reader: GrammarReader, question: str) -> Reading:
    return reader.read(question, today=TODAY)


def metrics(reader: GrammarReader, question: str) -> tuple[str, ...]:
    reading = read(reader, question)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    return reading.parts[0].metrics


def test_the_worst_is_the_bad_end_of_a_measure(garage: GrammarReader) -> None:
    assert metrics(garage, "What is the worst failure rate on record?") == ("max(jobs.failure_rate)",)
    assert metrics(garage, "best failure rate in 2024") == ("min(jobs.failure_rate)",)
    assert metrics(garage, "lowest failure rate in 2024") == ("min(jobs.failure_rate)",)


def test_an_adjective_grades_the_measure_right_behind_it(garage: GrammarReader) -> None:
    assert metrics(garage, "cheapest list price") == ("min(jobs.list_price)",)
    assert metrics(garage, "What is the most expensive list price?") == ("max(jobs.list_price)",)


def test_what_a_thing_is_worth_is_its_amount_whatever_the_aggregation(
    garage: GrammarReader, bakery: GrammarReader
) -> None:
    assert metrics(garage, "What does an average job cost?") == ("mean(jobs.fee_eur)",)
    assert metrics(garage, "What does a job cost on average?") == ("mean(jobs.fee_eur)",)
    assert metrics(bakery, "What does an average order come to?") == ("line_total / orders",)
    assert metrics(bakery, "What is the average order worth?") == ("line_total / orders",)
    assert metrics(bakery, "median order value") == ("median(line_total per order_no)",)


def test_a_thing_that_nothing_tells_the_worth_of_is_refused(garage: GrammarReader) -> None:
    assert read(garage, "What does an average bay come to in litres?").status is not ReadingStatus.CLEAR
    assert read(garage, "average jobs in 2024").status is not ReadingStatus.CLEAR


def test_an_average_that_is_said_twice_is_one(garage: GrammarReader) -> None:
    assert metrics(garage, "How many parts per job do they use on average?") == ("sum(jobs.parts) / jobs",)
    assert metrics(garage, "typical (median) list price") == ("median(jobs.list_price)",)


def test_stuff_that_is_told_in_litres_adds_up_and_a_weight_describes_a_thing(freight: GrammarReader) -> None:
    assert metrics(freight, "milk in 2024") == ("milk_litres",)
    assert metrics(freight, "fish weight by farm") == ("fish_weight_kg",)  # sold by the kilo
    assert metrics(freight, "average milk by farm") == ("mean(pickups.milk_litres)",)
    assert metrics(freight, "weight by depot") == ("average_weight",)


@pytest.mark.parametrize(
    "question",
    [
        "How much weight did we ship in 2024?",
        "weight shipped by depot",
        "Which depot shipped the most weight?",
    ],
)
def test_how_much_was_moved_is_all_of_it(freight: GrammarReader, question: str) -> None:
    assert metrics(freight, question) == ("sum(shipments.weight_kg)",)


def test_all_of_it_per_day_is_averaged_over_days(freight: GrammarReader) -> None:
    asked = "weight shipped per day on average"
    assert metrics(freight, asked) == ("mean(sum(shipments.weight_kg) per day)",)
    assert metrics(freight, "shipments per week on average") == ("mean(shipments per week)",)


@pytest.mark.parametrize(
    "question",
    [
        "How many shipments are there for each number of pallets?",
        "shipments by how many pallets they have",
        "number of shipments by pallets per shipment",
    ],
)
def test_rows_are_counted_by_a_column_of_few_numbers(freight: GrammarReader, question: str) -> None:
    request = read(freight, question).parts[0]
    assert (request.metrics, request.dimensions) == (("shipments",), ("pallets",))


def test_an_amount_per_one_of_what_a_column_counts_is_divided(freight: GrammarReader) -> None:
    assert metrics(freight, "charge per pallet") == ("charge_eur / pallets",)
    assert read(freight, "average charge by number of pallets").parts[0].dimensions == ("pallets",)


def test_one_amount_less_another(bakery: GrammarReader, freight: GrammarReader, tmp_path: Path) -> None:
    rows = [
        "claim_id,filed_on,cause,claimed_eur,paid_eur",
        *(f"C{i},{_day(i)},{'ab'[i % 2]}x,{90 + i},{40 + i}" for i in range(200)),
    ]
    claims = reader_over(tmp_path, {"claims": rows})
    assert metrics(claims, "claimed minus paid by cause") == ("claimed_eur - paid_eur",)
    assert read(freight, "charge minus weight by depot").status is not ReadingStatus.CLEAR  # money less kilos
    assert read(bakery, "line total minus strudel").status is ReadingStatus.CLEAR  # leaves the strudels out


def test_what_stands_before_a_formula_is_what_the_asker_calls_it(freight: GrammarReader) -> None:
    asked = (
        "Yield: charge divided by weight, by depot",
        "What is the toll rate, i.e. charge divided by weight?",
    )
    for question in asked:
        assert metrics(freight, question) == ("charge_eur / sum(shipments.weight_kg)",)
    assert read(freight, "What is the toll rate?").status is not ReadingStatus.CLEAR
    for question in (
        "toll rate: charge per barrel",
        "Oslo: charge per shipment",
        "for Oslo: charge per shipment",
    ):
        assert read(freight, question).status is not ReadingStatus.CLEAR


def test_things_that_were_ordered_are_their_quantity(bakery: GrammarReader) -> None:
    assert metrics(bakery, "How many strudels were ordered in May?") == ("qty",)
    assert metrics(bakery, "How many orders were there in May?") == ("orders",)
    assert metrics(bakery, "How many orders had a strudel?") == ("orders",)


def test_figures_are_told_in_the_unit_that_is_asked_for(freight: GrammarReader) -> None:
    assert metrics(freight, "total weight in tonnes") == ("sum(shipments.weight_kg) in tonnes",)
    assert metrics(freight, "total weight in kilos") == ("sum(shipments.weight_kg)",)
    assert read(freight, "total charge in tonnes").status is not ReadingStatus.CLEAR


def test_pieces_of_what_is_measured_behind_are_no_measure(tmp_path: Path) -> None:
    sales = [
        "sale_id,sold_on,sku,units,revenue",
        *(f"A{i},{_day(i)},K{i % 9},{1 + i % 7},{5 + i}.5" for i in range(300)),
    ]
    stock = ["day,sku,on_hand"]
    stock += [f"{date.fromordinal(738900 + i)},K{k},{20 + (i * k) % 50}" for i in range(60) for k in range(9)]
    store = reader_over(tmp_path, {"sales": sales, "stock": stock})
    assert metrics(store, "How many units do we have on hand?") == ("on_hand",)
    assert metrics(store, "units and on hand by sku") == ("units", "on_hand")
    reading = read(store, "average units on hand at the moment").parts[0]
    assert (reading.metrics, reading.time_range is None) == (("mean(stock.on_hand)",), False)


def test_the_most_common_number_is_the_one_that_most_rows_have(freight: GrammarReader) -> None:
    request = read(freight, "What is the most common number of pallets?").parts[0]
    assert (request.metrics, request.dimensions, request.limit) == (("shipments",), ("pallets",), 1)
    assert metrics(freight, "What is the highest number of pallets?") == ("max(shipments.pallets)",)


def test_money_is_paid_and_what_is_counted_is_sold(freight: GrammarReader) -> None:
    assert metrics(freight, "How much charge did we pay in 2024?") == ("charge_eur",)
    assert metrics(freight, "How many pallets were sold?") == ("pallets",)
    assert read(freight, "How much rent did we pay in 2024?").status is not ReadingStatus.CLEAR


def test_a_name_of_the_formula_before_it_is_no_second_measure(freight: GrammarReader) -> None:
    asked = "charge rate: charge divided by weight, by depot"
    assert metrics(freight, asked) == ("charge_eur / sum(shipments.weight_kg)",)


def test_what_no_word_tells_the_good_end_of_is_asked_about(tmp_path: Path) -> None:
    rows = ["visit_id,day,ward,no_show,walk_in"]
    rows += [
        f"V{i},{_day(i)},{'ABC'[i % 3]},{str(i % 7 == 0).lower()},{str(i % 4 == 0).lower()}"
        for i in range(400)
    ]
    clinic = reader_over(tmp_path, {"visits": rows})
    request = read(clinic, "Which ward has the worst no show rate?").parts[0]
    assert (request.metrics, request.descending) == (("no_show_rate",), True)
    assert read(clinic, "Which ward has the worst walk in rate?").status is ReadingStatus.AMBIGUOUS
    shown = read(clinic, "no shows by ward").parts[0]
    assert (shown.metrics, shown.dimensions, [f.field for f in shown.filters]) == (
        ("visits",),
        ("ward",),
        ["no_show"],
    )
