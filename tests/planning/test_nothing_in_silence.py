"""Whatever a task names is worked on, asked about, or named as left aside: columns, values, forms, formulas."""

import random
from itertools import product
from typing import Any

import pandas as pd
import pytest

from gnomon.core import ConflictType, Plan, Severity
from gnomon.planning import ContextExtractor, MCPToolsChainingManager
from gnomon.tools.builtin import builtin_registry
from gnomon.workbench import Workbench

EXTRACTOR = ContextExtractor()
PLANNER = MCPToolsChainingManager(builtin_registry())
MEASURES: tuple[str, ...] = (
    "profit",
    "rainfall",
    "voltage",
    "calories",
    "latency",
    "mileage",
    "turnout",
    "salary",
)
LABELS: dict[str, tuple[str, ...]] = {
    "vessel": ("Aurora", "Petrel", "Skua"),
    "genre": ("poetry", "travel", "crime"),
    "breed": ("poodle", "beagle", "husky"),
    "harbour": ("Lisbon", "Bergen", "Genoa"),
}


def rows_of(seed: int) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Two measures and two labels of plain words, by day."""
    rng = random.Random(seed)
    measures, labels = rng.sample(MEASURES, 2), rng.sample(sorted(LABELS), 2)
    made = [
        {
            "seen": f"2025-{1 + i % 12:02d}-{1 + i % 27:02d}",
            **{m: round(rng.uniform(10, 90), 2) for m in measures},
            **{n: rng.choice(LABELS[n]) for n in labels},
        }
        for i in range(80)
    ]
    return pd.DataFrame(made), measures, labels


def planned(task: str, frame: pd.DataFrame) -> Plan:
    return PLANNER.plan(EXTRACTOR.extract(task, frame.to_dict("records")))


def used(plan: Plan) -> str:
    return " ".join(str(v) for s in plan.steps for v in s.params.values())


def told(plan: Plan) -> str:
    return " ".join(c.description for c in plan.conflicts)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from gnomon.core import Settings

    with Workbench(Settings.load(home=tmp_path_factory.mktemp("home"))) as made:
        yield made


def groups_of(found: Any) -> dict[Any, float]:
    made = found.result.steps[-1].output["rows"].to_rows()
    *keys, value = made[0]
    return {r[keys[0]]: r[value] for r in made}


@pytest.mark.parametrize("seed", range(3))
def test_every_column_that_is_named_is_used_or_named_as_left_aside(seed: int) -> None:
    frame, (a, b), (label, _) = rows_of(seed)
    for task in (
        f"forecast {a} and {b} for the next 5 days",
        f"detect anomalies in {b} and {a}",
        f"distribution of {b} and {a}",
        f"average {a} and {b} by {label}",
        f"trend of {b} and {a}",
        f"cluster on {b}",
        f"investigate anomalies in {b} with several detectors",
        f"chart {b}",
        f"scatter plot of {b} against {a}",
        f"profile {b}",
        f"box plot of {b} by {label}",
    ):
        plan = planned(task, frame)
        for column in (c for c in (a, b, label) if c in task):
            assert column in used(plan) or f"'{column}'" in told(plan), (task, column, plan)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_drawn_or_grouped_is_what_is_named(seed: int) -> None:
    frame, measures, (label, _) = rows_of(seed)
    for measure in measures:
        assert planned(f"chart {measure}", frame).steps[-1].params["y"] == measure
        assert planned(f"cluster on {measure}", frame).steps[-1].params["columns"] == [measure]
        assert planned(f"histogram chart of {measure}", frame).steps[0].params["value"] == measure
        drawn = planned(f"box plot of {measure} by {label}", frame)
        assert {"x": label, "y": measure}.items() <= drawn.steps[-1].params.items()
        assert drawn.conflicts == ()


@pytest.mark.parametrize("seed", range(3))
def test_measures_side_by_side_are_figures_by_groups(seed: int, bench: Workbench) -> None:
    frame, (measure, _), (label, other) = rows_of(seed)
    truth = frame.groupby(label)[measure].sum()
    plural = f"{label}s"
    for task in (
        f"compare {measure} between {plural}",
        f"compare {measure} across {plural}",
        f"{measure} by {label}",
    ):
        found = groups_of(bench.analyze(task, frame.to_dict("records")))
        assert found == {k: pytest.approx(v) for k, v in truth.items()}, task
    for task in (
        f"share of {measure} by {label}",
        f"change in {measure} by {label}",
        f"sing {measure} by {label}",
    ):
        assert planned(task, frame).steps == (), task  # more is meant than the figures
    absent = next(n for n in LABELS if n not in (label, other))
    assert f"'{absent}s'" in told(planned(f"compare {measure} between {absent}s", frame))


@pytest.mark.parametrize(
    "words",
    [
        ("without {}", False),
        ("excluding {}", False),
        ("except {}", False),
        ("only {}", True),
        ("just for {}", True),
        ("for {} only", True),
    ],
)
def test_values_that_limits_name_are_conditions(words: tuple[str, bool], bench: Workbench) -> None:
    said, kept = words
    frame, (measure, _), (label, _) = rows_of(7)
    value = LABELS[label][0]
    rows = frame[(frame[label] == value) == kept]
    found = bench.analyze(f"average {measure} {said.format(value)}", frame.to_dict("records"))
    assert found.result.steps[-1].output["rows"].to_rows()[0].popitem()[1] == pytest.approx(
        rows[measure].mean()
    )
    assert found.plan is not None and not any("limit" in c.description for c in found.plan.conflicts)


@pytest.mark.parametrize("noun", ["rating", "reading", "lending", "heating", "housing", "funding"])
def test_nouns_in_ing_are_nouns_where_something_is_said_of_them(noun: str) -> None:
    frame, (measure, _), (label, _) = rows_of(1)
    for task in (
        f"average {noun} by {label}",
        f"forecast {noun} for the next 5 days",
        f"correlate {noun} with {measure}",
    ):
        plan = planned(task, frame)
        assert any(c.severity is Severity.HIGH for c in plan.conflicts), task
    assert f"'{noun}'" in told(planned(f"average {noun} by {label}", frame)) or noun == "reading"
    assert told(planned(f"find outliers in {measure} by {noun} odd values", frame)) == ""


@pytest.mark.parametrize(
    ("column", "absent"),
    [
        ("temperature_c", "concentration"),
        ("height_m", "mass"),
        ("weight_g", "gravel"),
        ("depth_m", "moisture"),
    ],
)
def test_two_things_set_against_each_other_are_not_one_column(column: str, absent: str) -> None:
    rng = random.Random(2)
    frame = pd.DataFrame(
        {column: [rng.gauss(9, 2) for _ in range(40)], "yield_kg": [rng.gauss(3, 1) for _ in range(40)]}
    )
    spoken = column.split("_")[0]
    for task in (
        f"regress {absent} on {spoken}",
        f"correlate {absent} with {spoken}",
        f"scatter {absent} against {spoken}",
    ):
        plan = planned(task, frame)
        assert f"'{absent}'" in told(plan), (task, plan)


def test_a_part_of_a_name_is_asked_about() -> None:
    rng = random.Random(3)
    frame = pd.DataFrame(
        {
            "member_type": [rng.choice(["adult", "child"]) for _ in range(60)],
            "queen_breed": [rng.choice(["Buckfast", "Italian"]) for _ in range(60)],
            "spend": [rng.random() for _ in range(60)],
        }
    )
    for part, whole in (("member", "member_type"), ("queen", "queen_breed")):
        plan = planned(f"median spend by {part}", frame)
        assert whole in used(plan) or any(whole in c.options for c in plan.conflicts), plan


def test_a_value_of_two_columns_is_told() -> None:
    frame = pd.DataFrame(
        {
            "from": ["Lisbon", "Bergen"] * 20,
            "to": ["Bergen", "Lisbon"] * 20,
            "fare": [float(i) for i in range(40)],
        }
    )
    said = told(planned("average fare for Bergen", frame))
    assert "'Bergen'" in said and "'from'" in said and "'to'" in said


@pytest.mark.parametrize("form", ["yaml", "pptx", "toml", "latex", "a powerpoint", "xml", "a word document"])
def test_a_form_that_there_is_not_is_named_with_those_that_there_are(form: str) -> None:
    frame, (measure, _), (label, _) = rows_of(4)
    for task in (
        f"total {measure} by {label} as {form}",
        f"detect anomalies in {measure} as {form}",
        f"trend of {measure} as {form}",
    ):
        plan = planned(task, frame)
        (found,) = [c for c in plan.conflicts if c.subject == "output_format"]
        assert form.removeprefix("a ") in found.description and "csv" in found.description
        assert plan.steps and all(c.severity is not Severity.HIGH for c in plan.conflicts)


@pytest.mark.parametrize("seed", range(2))
def test_formulas_and_conditions_over_absent_columns_are_asked_about_not_run(seed: int) -> None:
    frame, (a, b), (label, _) = rows_of(seed)
    absent = next(m for m in MEASURES if m not in (a, b))
    for task in (f"new column made = {a} / {absent}", f"filter rows where {absent} > 3 then total {a}"):
        plan = planned(task, frame)
        assert any(
            c.type is ConflictType.MISSING_PARAMETER and c.severity is Severity.HIGH for c in plan.conflicts
        )
        assert absent in told(plan)
    made = planned(f"new column made = {a} / {b} then average made by {label}", frame)
    assert made.steps[-1].params["value"] == "made" and made.conflicts == ()


def test_a_plan_says_the_same_whatever_the_order_of_the_columns() -> None:
    frame, (a, b), (label, _) = rows_of(5)
    for task, order in product((f"chart {b}", f"average {a} by {label}"), ([a, b, label], [label, b, a])):
        assert (b if "chart" in task else a) in used(planned(task, frame[["seen", *order]]))
