"""Numbers that only name things, keys under other names and types, days that are described, parts of a whole."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeRange
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import DimensionType, RetrievalQuery, Retriever, SemanticModel, infer_model

N = 300


def opened(**frames: pd.DataFrame) -> Retriever:
    dataset = open_sources(frames)
    return Retriever.over(dataset, infer_model(profile_dataset(dataset), dataset))


def joins(model: SemanticModel) -> set[tuple[str, str, str, str]]:
    return {(j.table, j.column, j.to_table, j.to_column) for j in model.joins}


def grouped(retriever: Retriever, metric: str, dimension: str, **more: Any) -> dict[Any, Any]:
    rows = retriever.run(RetrievalQuery(metrics=(metric,), dimensions=(dimension,), **more)).rows
    return {r[0]: r[1] for r in rows}


@pytest.fixture(scope="module")
def workshop() -> Retriever:
    days = pd.date_range("2024-03-01", periods=N // 3).repeat(3)
    jobs = pd.DataFrame(
        {
            "job_no": range(5000, 5000 + N),
            "vehicle_no": [100 + i * 7 % 40 for i in range(N)],
            "booked_on": days,
            "bay": [1 + i % 4 for i in range(N)],
            "arrival_hour": [7 + i % 11 for i in range(N)],
            "labour_eur": [40.0 + i % 90 for i in range(N)],
        }
    )
    vehicles = pd.DataFrame(
        {
            "vehicle_no": range(100, 140),
            "fuel": [("petrol", "diesel", "electric")[i % 3] for i in range(40)],
            "doors": [2 + i % 4 for i in range(40)],
        }
    )
    job_lines = pd.DataFrame(
        {
            "job_no": [5000 + i // 2 for i in range(2 * N)],
            "part": [("tyre", "oil", "filter", "belt")[i % 4] for i in range(2 * N)],
            "pieces": [1 + i % 3 for i in range(2 * N)],
        }
    )
    return opened(jobs=jobs, vehicles=vehicles, job_lines=job_lines)


def test_a_running_number_that_repeats_names_things_and_leads_to_them(workshop: Retriever) -> None:
    model = workshop.model
    assert ("jobs", "vehicle_no", "vehicles", "vehicle_no") in joins(model)
    assert model.dimension("jobs.vehicle_no").type is DimensionType.ID
    assert not any("vehicle no" in m.label for m in model.metrics)
    expected = {
        f: sum(1 for i in range(N) if (i * 7 % 40) % 3 == k)
        for k, f in enumerate(("petrol", "diesel", "electric"))
    }
    assert grouped(workshop, "jobs", "fuel") == expected


def test_parts_of_a_clock_are_groups_and_not_averaged(workshop: Retriever) -> None:
    hour = workshop.model.dimension("arrival_hour")
    assert hour.type is DimensionType.CATEGORY
    assert not any(m.expression == "arrival_hour" for m in workshop.model.metrics)
    assert grouped(workshop, "jobs", "arrival_hour")[7] == len(range(0, N, 11))


def test_lines_are_dated_by_the_whole_that_they_belong_to(workshop: Retriever) -> None:
    assert workshop.model.table("job_lines").time_dimension == "booked_on"
    first = TimeRange(start=date(2024, 3, 1), end=date(2024, 3, 1))
    found = workshop.run(RetrievalQuery(metrics=("sum(pieces)",), time_range=first))
    assert found.rows == ((sum(1 + i % 3 for i in range(6)),),)  # three jobs a day, two lines each


def test_a_thing_without_such_words_in_its_name_has_no_date_of_another() -> None:
    licences = pd.DataFrame({"licence_no": range(40), "issued_on": pd.date_range("2020-01-01", periods=40)})
    complaints = pd.DataFrame(
        {"licence_no": [i % 40 for i in range(90)], "grade": ["low", "high", "mid"] * 30}
    )
    model = opened(licences=licences, complaints=complaints).model
    assert ("complaints", "licence_no", "licences", "licence_no") in joins(model)
    assert model.table("complaints").time_dimension is None


@pytest.mark.parametrize("name", ["rooms_no", "total_number", "no_of_calls", "number"])
def test_numbers_of_things_stay_quantities(name: str) -> None:
    frame = pd.DataFrame({"site": ["A", "B", "C", "D"] * 20, name: [i % 9 for i in range(80)]})
    model = opened(sites=frame).model
    assert model.dimension(name).type is DimensionType.NUMBER


def test_keys_cut_short_or_of_another_type_lead_to_their_table() -> None:
    customers = pd.DataFrame({"id": [str(i) for i in range(1, 31)], "tier": ["gold", "blue", "blue"] * 10})
    visits = pd.DataFrame(
        {"cust": [1 + i * 3 % 30 for i in range(200)], "minutes": [5 + i % 50 for i in range(200)]}
    )
    dataset = open_sources({"customers": customers.astype({"id": "string"}), "visits": visits})
    model = infer_model(profile_dataset(dataset), dataset)
    assert ("visits", "cust", "customers", "id") in joins(model)
    retriever = Retriever.over(dataset, model)
    gold = Filter(field="tier", operator=FilterOperator.EQUALS, values=("gold",))
    found = retriever.run(RetrievalQuery(metrics=("visits",), filters=(gold,)))
    assert found.rows == ((sum(1 for i in range(200) if (i * 3 % 30) % 3 == 0),),)


def test_what_kind_of_day_it_was_is_looked_up_and_figures_of_days_are_not() -> None:
    days = pd.date_range("2024-01-01", periods=60)
    weather = pd.DataFrame(
        {"date": days, "sky": ["sun", "rain", "cloud"] * 20, "rain_mm": [0.0, 4.5, 0.1] * 20}
    )
    rates = pd.DataFrame({"date": days, "interest_rate": [i / 7 for i in range(60)]})
    sold = pd.DataFrame(
        {"ticket_id": range(240), "date": days.repeat(4), "seats": [1 + i % 4 for i in range(240)]}
    )
    retriever = opened(weather=weather, rates=rates, tickets=sold)
    model = retriever.model
    assert grouped(retriever, "tickets", "sky") == {"sun": 80, "rain": 80, "cloud": 80}
    assert ("tickets", "date", "rates", "date") not in joins(model)


def test_a_number_that_comes_back_on_other_days_does_not_name_the_rows() -> None:
    days = pd.date_range("2024-01-01", periods=120)
    flights = pd.DataFrame(
        {"flight_no": [400 + i % 30 for i in range(N)], "day": [days[i * 2 // 5] for i in range(N)]}
    )
    assert opened(flights=flights).run(RetrievalQuery(metrics=("flights",))).rows == ((N,),)


def test_several_rows_with_one_number_and_one_date_are_lines_of_one_thing() -> None:
    days = pd.date_range("2024-01-01", periods=120)
    orders = pd.DataFrame(
        {"order_no": [7000 + i // 3 for i in range(N)], "day": [days[i // 3] for i in range(N)]}
    )
    retriever = opened(orders=orders)
    assert retriever.run(RetrievalQuery(metrics=("orders", "order_lines"))).rows == ((N // 3, N),)


def test_a_code_of_another_table_names_a_kind_and_not_the_rows() -> None:
    kinds = pd.DataFrame(
        {"FaultCode": ["F1", "F2", "F3", "F4"], "FaultName": ["leak", "noise", "heat", "jam"]}
    )
    faults = pd.DataFrame({"FaultNo": range(1, 81), "FaultCode": ["F1", "F2", "F3", "F4"] * 20})
    retriever = opened(fault_codes=kinds, faults=faults)
    assert grouped(retriever, "faults", "FaultName") == {"leak": 20, "noise": 20, "heat": 20, "jam": 20}
