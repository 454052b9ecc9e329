"""Units in the names of columns, times between moments in the unit that suits them, and ratios of both."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import Aggregation, RetrievalQuery, Retriever, SemanticModel, infer_model
from gnomon.semantic.infer_metrics import direction_of
from gnomon.semantic.model import Direction
from gnomon.semantic.units import measured, names_unit

N = 120


def model_of(**frames: pd.DataFrame) -> SemanticModel:
    dataset = open_sources(frames)
    return infer_model(profile_dataset(dataset), dataset)


@pytest.mark.parametrize(
    ("name", "label", "unit"),
    [
        ("consumption_kwh", "consumption", "kWh"), ("EnergyKWh", "energy", "kWh"), ("Living Area (sq ft)", "living area", "sq ft"),
        ("RepairCostUSD", "repair cost", "USD"), ("wait_min", "wait", "minutes"), ("DowntimeMin", "downtime", "minutes"),
        ("temp_min", "temp min", None), ("min", "min", None), ("outdoor_temp_c", "outdoor temp", "°C"), ("grade_c", "grade c", None),
        ("PricePerSqft", "price per sqft", None),
        ("Height in cm", "height", "cm"),
        ("km", "km", None), ("stay_days", "stay", "days"), ("height_m", "height", "metres"), ("gender_m", "gender m", None),
        ("Yield (t)", "yield", "tonnes"),
        ("harvest_t", "harvest", "tonnes"),
        ("Pressure (kPa)", "pressure", "kPa"),
        ("Draught (kn)", "draught", "kn"),
        ("Name (short)", "name short", None),
        ("wind_speed_ms", "wind speed", "m/s"), ("latency_ms", "latency", "ms"),
    ],
)  # fmt: skip
def test_units_that_end_a_name(name: str, label: str, unit: str | None) -> None:
    assert (measured(name).label, measured(name).unit) == (label, unit)


def test_units_stay_in_the_name_where_they_tell_two_columns_apart() -> None:
    model = model_of(
        parcels=pd.DataFrame(
            {"parcel_id": range(N), "weight_kg": [1.5, 2.5] * 60, "weight_lb": [3.3, 5.5] * 60}
        )
    )
    assert {m.label for m in model.metrics if "weight" in m.label} == {
        "average weight kg",
        "average weight lb",
    }
    one = model_of(parcels=pd.DataFrame({"parcel_id": range(N), "weight_kg": [1.5, 2.5] * 60}))
    weight = one.metric("average_weight")
    assert (weight.label, weight.unit) == ("average weight", "kg")
    assert {"kg", "kilograms", "weight kg"} <= set(weight.synonyms)


def test_numbers_run_into_a_name_are_words_of_their_own() -> None:
    model = model_of(stays=pd.DataFrame({"StayID": range(N), "BackWithin30Days": [0, 1, 0] * 40}))
    assert model.dimension("BackWithin30Days").label == "back within 30 days"


def moments(minutes: int) -> pd.DataFrame:
    start = pd.date_range("2024-02-01 08:00", periods=N, freq="7h")
    return pd.DataFrame(
        {
            "visit_id": range(N),
            "arrived_at": start,
            "seen_at": start + pd.to_timedelta([minutes + i % 3 for i in range(N)], unit="min"),
        }
    )


@pytest.mark.parametrize(
    ("minutes", "unit", "size"), [(20, "minutes", 1), (400, "hours", 60), (9000, "days", 1440)]
)
def test_time_between_two_moments_has_the_unit_that_suits_it(minutes: int, unit: str, size: float) -> None:
    dataset = open_sources({"visits": moments(minutes)})
    model = infer_model(profile_dataset(dataset), dataset)
    metric = model.metric("average_time_from_arrived_to_seen")
    assert metric.unit == unit
    found = Retriever.over(dataset, model).run(RetrievalQuery(metrics=(metric.name,)))
    assert found.rows[0][0] == pytest.approx((minutes + 1) / size)


def test_moments_in_no_order_have_no_time_between() -> None:
    frame = moments(20)
    frame["weighed_at"] = frame.arrived_at.sample(frac=1, random_state=3).to_numpy()
    names = {m.name for m in model_of(visits=frame).metrics}
    assert not any("weighed" in n for n in names)


def test_a_column_that_holds_the_time_is_kept_and_not_derived_again() -> None:
    frame = moments(300).rename(columns={"arrived_at": "opened_at", "seen_at": "closed_at"})
    frame["resolution_time_minutes"] = [300 + i % 3 for i in range(N)]
    held = [m for m in model_of(visits=frame).metrics if m.label == "average resolution time"]
    assert [(m.expression, m.aggregation) for m in held] == [("resolution_time_minutes", Aggregation.MEAN)]


def test_what_is_measured_in_a_unit_can_be_divided_by_it() -> None:
    flats = pd.DataFrame(
        {
            "flat_id": range(N),
            "quarter_name": ["Dock", "Hill", "Park"] * 40,
            "rent_eur": [900.0 + i for i in range(N)],
            "size_sqm": [40 + i % 50 for i in range(N)],
        }
    )
    analyst = gnomon.open({"flats": flats})
    expected = flats.rent_eur.sum() / flats.size_sqm.sum()
    for question in ("rent per square metre", "What is the rent divided by the size?"):
        answer = analyst.ask(question, today=date(2024, 5, 1))
        assert [f.value for f in answer.facts][:1] == [pytest.approx(expected)], question


@pytest.mark.parametrize(
    "name",
    [
        "height_m",
        "floor_area_m2",
        "volume_m3",
        "size_mb",
        "wait_min",
        "temp_c",
        "load_kw",
        "speed_kmh",
        "noise_db",
        "field_ha",
        "weight_g",
    ],
)
def test_numbers_are_told_in_every_unit(name: str) -> None:
    things = pd.DataFrame({"thing_id": range(N), name: [3.25 + (i * 7 % 50) for i in range(N)]})
    answer = gnomon.open({"things": things}).ask(f"average {measured(name).label}", today=date(2024, 5, 1))
    assert [(f.value, f.unit) for f in answer.facts][:1] == [
        (pytest.approx(things[name].mean()), measured(name).unit)
    ], answer.prose


def test_names_of_units() -> None:
    assert names_unit("square feet") and names_unit("kWh") and not names_unit("branch")


def test_a_unit_behind_what_is_measured_in_it_says_nothing_more() -> None:
    crates = pd.DataFrame(
        {
            "crate_id": range(N),
            "weight_kg": [2.0 + i % 7 for i in range(N)],
            "spoilt_pct": [i % 9 for i in range(N)],
        }
    )
    analyst = gnomon.open({"crates": crates})
    total = analyst.ask("total weight in kg", today=date(2024, 5, 1))
    assert [f.value for f in total.facts][:1] == [pytest.approx(crates.weight_kg.sum())]
    spoilt = analyst.ask("average spoilt percentage", today=date(2024, 5, 1))
    assert [(f.value, f.unit) for f in spoilt.facts][:1] == [(pytest.approx(crates.spoilt_pct.mean()), "%")]


def test_an_hour_that_is_a_column_is_grouped_by() -> None:
    calls = pd.DataFrame(
        {
            "call_id": range(N),
            "day": pd.date_range("2024-01-01", periods=N),
            "hour": [8 + i % 5 for i in range(N)],
        }
    )
    answer = gnomon.open({"calls": calls}).ask("calls by hour", today=date(2024, 8, 1))
    assert {row[0]: row[1] for row in answer.tables[0].rows} == dict.fromkeys(range(8, 13), N // 5)


@pytest.mark.parametrize(
    ("name", "label", "unit"),
    [
        ("pressure_bar", "pressure", "bar"),
        ("vibration_mm_s", "vibration", "mm/s"),
        ("spindle_rpm", "spindle", "rpm"),
        ("voltage_v", "voltage", "V"),
        ("snack_bar", "snack bar", None),
        ("hepatitis_a", "hepatitis a", None),
    ],
)
def test_names_of_sensors_end_in_their_unit(name: str, label: str, unit: str | None) -> None:
    assert (measured(name).label, measured(name).unit) == (label, unit)


@pytest.mark.parametrize(
    ("words", "good"),
    [
        ("units scrapped", Direction.LOWER_IS_BETTER),
        ("items damaged", Direction.LOWER_IS_BETTER),
        ("units sold", Direction.HIGHER_IS_BETTER),
        ("units made", Direction.HIGHER_IS_BETTER),
        ("orders quarantined", Direction.NEUTRAL),
    ],
)
def test_what_is_done_with_good_things_says_which_way_is_good(words: str, good: Direction) -> None:
    assert direction_of(words.split()) is good


@pytest.mark.parametrize("over", ["g", "kg", "mg", "km", "kWh"])
@pytest.mark.parametrize("under", ["km", "h", "day", "ha"])
def test_one_unit_for_each_of_another_is_one_unit(over: str, under: str) -> None:
    found = measured(f"Spray {over}/{under}")
    assert (found.label, found.unit) == ("spray", f"{over}/{under}")
