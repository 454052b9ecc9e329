"""Every noun of a task is bound to what the data holds, asked about, or named as left aside; none is dropped."""

import random
from typing import Any

import pandas as pd
import pytest

from gnomon.core import Conflict, ConflictType, Plan, Severity
from gnomon.planning import ContextExtractor, MCPToolsChainingManager
from gnomon.tools.builtin import builtin_registry
from gnomon.workbench import Workbench

MEASURES: tuple[str, ...] = (
    "spend",
    "visits",
    "profit",
    "height",
    "weight",
    "rainfall",
    "salary",
    "voltage",
    "calories",
    "latency",
)
LABELS: tuple[str, ...] = (
    "store",
    "country",
    "channel",
    "species",
    "department",
    "supplier",
    "warehouse",
    "currency",
    "breed",
)
EXTRACTOR = ContextExtractor()
PLANNER = MCPToolsChainingManager(builtin_registry())


def table(rng: random.Random, measures: list[str], labels: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "seen": f"2025-{1 + i % 12:02d}-{1 + i % 27:02d}",
            **{m: round(rng.uniform(10, 90), 2) for m in measures},
            **{n: f"{n[:2].upper()}{rng.randrange(4)}x" for n in labels},
        }
        for i in range(60)
    ]


def drawn(seed: int) -> tuple[list[dict[str, Any]], list[str], list[str], list[str], list[str]]:
    """A table with two measures and two labels, and the names that it does not have."""
    rng = random.Random(seed)
    measures: list[str] = rng.sample(MEASURES, len(MEASURES))
    labels: list[str] = rng.sample(LABELS, len(LABELS))
    return table(rng, measures[:2], labels[:2]), measures[:2], labels[:2], measures[2:], labels[2:]


def planned(task: str, rows: list[dict[str, Any]]) -> Plan:
    return PLANNER.plan(EXTRACTOR.extract(task, rows))


def asking(plan: Plan, noun: str) -> Conflict | None:
    return next(
        (
            c
            for c in plan.conflicts
            if c.type is ConflictType.MISSING_PARAMETER and f"'{noun}'" in c.description
        ),
        None,
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_noun_that_names_no_column_is_asked_about(seed: int) -> None:
    rows, has, labels, lacks, no_labels = drawn(seed)
    absent, other, group = lacks[0], lacks[1], no_labels[0]
    for task, nouns in (
        (f"correlate {absent} with {other}", (absent, other)),
        (f"total {has[0]} by {group}", (group,)),
        (f"average {absent} per {labels[0]}", (absent,)),
        (f"detect anomalies in {absent}", (absent,)),
        (f"total {absent} by {group}", (absent, group)),
        (f"what is the trend of {absent}", (absent,)),
        (f"forecast {absent} for the next 5 days", (absent,)),
        (f"distribution of {absent}", (absent,)),
    ):
        plan = planned(task, rows)
        for noun in nouns:
            found = asking(plan, noun)
            assert found is not None, (task, noun, plan)
            assert found.severity is Severity.HIGH
            known = {*has, *labels, "seen"}
            assert set(found.options) <= known
            assert len(nouns) > 1 or found.options


@pytest.mark.parametrize("seed", range(3))
def test_a_noun_that_names_a_column_is_bound_and_nothing_is_asked(seed: int) -> None:
    rows, has, labels, _, _ = drawn(seed)
    for task, params in (
        (f"total {has[0]} by {labels[0]}", {"value": has[0], "group_by": [labels[0]], "aggregate": "sum"}),
        (
            f"average {has[1]} per {labels[1]}",
            {"value": has[1], "group_by": [labels[1]], "aggregate": "mean"},
        ),
        (f"correlate {has[0]} with {has[1]}", {"columns": has}),
    ):
        plan = planned(task, rows)
        assert plan.conflicts == (), task
        assert params.items() <= plan.steps[-1].params.items(), task


@pytest.mark.parametrize("seed", range(3))
def test_a_further_noun_is_named_as_left_aside(seed: int) -> None:
    rows, has, labels, lacks, _ = drawn(seed)
    plan = planned(f"total {has[0]} and {lacks[0]} by {labels[0]}", rows)
    assert any(lacks[0] in c.description for c in plan.conflicts)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from gnomon.core import Settings

    with Workbench(Settings.load(home=tmp_path_factory.mktemp("home"))) as made:
        yield made


def result_rows(found: Any) -> dict[Any, float]:
    made = found.result.steps[-1].output["rows"].to_rows()
    *keys, value = made[0]
    return {tuple(r[k] for k in keys): r[value] for r in made}


@pytest.mark.parametrize("seed", range(3))
def test_what_is_computed_is_of_the_columns_and_values_that_are_named(seed: int, bench: Workbench) -> None:
    rows, has, labels, _, _ = drawn(seed)
    frame = pd.DataFrame(rows)
    one = str(frame[labels[1]].iloc[0])
    truth = frame[frame[labels[1]] == one].groupby(labels[0])[has[0]].sum()
    found = result_rows(bench.analyze(f"total {has[0]} by {labels[0]} for {one}", rows))
    assert {k: pytest.approx(v) for k, v in truth.items()} == {k[0]: v for k, v in found.items()}
    rest = frame[frame[labels[1]] != one].groupby(labels[0])[has[0]].sum()
    found = result_rows(bench.analyze(f"total {has[0]} by {labels[0]} without {one}", rows))
    assert {k: pytest.approx(v) for k, v in rest.items()} == {k[0]: v for k, v in found.items()}


@pytest.mark.parametrize("form", ["%Y-%m", "%b", "number", "%Y-%m-01"])
def test_months_make_groups_however_they_are_written(form: str, bench: Workbench) -> None:
    rng = random.Random(form)
    days = [pd.Timestamp(2025, 1 + i % 12, 1) for i in range(48)]
    rows = [
        {"month": d.month if form == "number" else d.strftime(form), "cost": rng.randrange(1, 99)}
        for d in days
    ]
    truth = (
        pd.DataFrame({"m": [d.month for d in days], "cost": [r["cost"] for r in rows]})
        .groupby("m")["cost"]
        .sum()
    )
    found = result_rows(bench.analyze("total cost by month", rows))
    assert sorted(found.values()) == sorted(truth)


@pytest.mark.parametrize("seed", range(2))
def test_the_answer_to_a_question_is_computed_and_not_asked_again(seed: int, bench: Workbench) -> None:
    rows, has, labels, _, no_labels = drawn(seed)
    asked = bench.analyze(f"total {has[0]} by {no_labels[0]}", rows)
    assert asked.result.feedback is not None
    done = bench.answer(asked.request_id, {"choice": labels[1]}, rows)
    truth = pd.DataFrame(rows).groupby(labels[1])[has[0]].sum()
    assert {k[0]: v for k, v in result_rows(done).items()} == {k: pytest.approx(v) for k, v in truth.items()}


@pytest.mark.parametrize("seed", range(3))
def test_what_things_are_ranked_by_is_asked_for_as_what_is_measured(seed: int) -> None:
    rows, has, labels, lacks, _ = drawn(seed)
    for task in (
        f"top 5 {labels[0]} by {lacks[0]}",
        f"bottom 3 {labels[0]} by total {lacks[0]}",
        f"which 4 {labels[1]} rank highest by the mean {lacks[1]}",
    ):
        noun = task.split()[-1]
        asked = asking(planned(task, rows), noun)
        assert asked is not None and asked.subject == "aggregate.value", task
        assert set(asked.options) == set(has)


@pytest.mark.parametrize("word", ["reading", "entry", "measurement"])
def test_a_word_for_rows_that_stands_in_a_list_of_columns_is_a_column_or_named(word: str) -> None:
    rows, has, _, _, _ = drawn(1)
    held = [{f"meter_{word}": float(i % 17), **row} for i, row in enumerate(rows)]
    for task in (f"cluster on {word} and {has[0]}", f"cluster on {has[0]}, {word}"):
        (step,) = planned(task, held).steps
        assert {*step.params["columns"]} == {f"meter_{word}", has[0]}
        told = [c.description for c in planned(task, rows).conflicts]
        assert any(f"'{word}'" in t for t in told), "without such a column it is said to be left aside"
    (step,) = planned(f"cluster the rows on {has[0]} and {has[1]}", held).steps
    assert {*step.params["columns"]} == {*has}
