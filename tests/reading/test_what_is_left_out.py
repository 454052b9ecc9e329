"""What an answer would leave out of a question is refused, or told by the other reader: never passed over."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus

TABLES = {
    "boats": ("hull_length", "engine_power", "harbour"),
    "parcels": ("net_weight", "transit_days", "depot"),
    "orchards": ("tree_count", "apple_yield", "valley"),
}


@pytest.fixture(scope="module", params=TABLES)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    name = request.param
    first, second, place = TABLES[name]
    draw = random.Random(name)
    frame = pd.DataFrame(
        {
            f"{name[:-1]}_id": range(1, 81),
            place: [draw.choice(["Norby", "Ellwick", "Tarn"]) for _ in range(80)],
            first: [draw.randint(10, 900) for _ in range(80)],
            second: [draw.randint(10, 900) for _ in range(80)],
        }
    )
    path: Path = tmp_path_factory.mktemp("left") / f"{name}.csv"
    frame.to_csv(path, index=False)
    return name, frame, gnomon.open(path)


def figures(answer: Any) -> set[float]:
    """All numbers that an answer tells."""
    cells = [c for t in answer.tables for r in t.rows for c in r]
    held = [*(f.value for f in answer.facts), *cells]
    return {round(float(v), 3) for v in held if isinstance(v, (int, float)) and not isinstance(v, bool)}


@pytest.mark.parametrize(
    ("words", "ways"),
    [
        ("average and total {a}", ("mean", "sum")),
        ("minimum, maximum and average {a}", ("min", "max", "mean")),
        ("total and maximum {a} of {rows} in Tarn", ("sum", "max")),
    ],
)
def test_each_of_several_figures_is_told(opened: Any, words: str, ways: tuple[str, ...]) -> None:
    name, frame, analyst = opened
    column = TABLES[name][0]
    answer = analyst.ask(f"What is the {words.format(a=column.replace('_', ' '), rows=name)}?")
    held = frame[frame[TABLES[name][2]] == "Tarn"] if "Tarn" in words else frame
    wanted = {round(float(getattr(held[column], way)()), 3) for way in ways}
    assert answer.status is not AnswerStatus.ANSWERED or wanted <= figures(answer), answer.prose


def test_either_of_two_columns_is_counted(opened: Any) -> None:
    name, frame, analyst = opened
    first, second, place = TABLES[name]
    for limit in (200, 640):
        answer = analyst.ask(
            f"How many {name} are from Norby or have a {first.replace('_', ' ')} over {limit}?"
        )
        true = int(((frame[place] == "Norby") | (frame[first] > limit)).sum())
        assert figures(answer) == {true}, answer.prose
        both = analyst.ask(
            f"How many {name} have {first.replace('_', ' ')} under {limit} or {second.replace('_', ' ')} under 50?"
        )
        assert figures(both) == {int(((frame[first] < limit) | (frame[second] < 50)).sum())}, both.prose


def test_a_column_that_is_named_is_told_or_missed(opened: Any) -> None:
    name, frame, analyst = opened
    first, second, place = TABLES[name]
    top = frame.loc[frame[first].idxmax()]
    if (frame[first] == top[first]).sum() > 1:
        pytest.skip("two rows at the end")
    answer = analyst.ask(
        f"What is the {place} and {second.replace('_', ' ')} of the one with the highest {first.replace('_', ' ')}?"
    )
    told = answer.status is not AnswerStatus.ANSWERED or (
        top[place] in answer.prose and {float(top[second]), float(top[first])} <= figures(answer)
    )
    assert told, answer.prose


def test_an_order_that_is_asked_for_is_kept(opened: Any) -> None:
    name, frame, analyst = opened
    first, second, place = TABLES[name]
    said = [c.replace("_", " ") for c in (first, second)]
    for way, falling in (("ascending", False), ("descending", True)):
        answer = analyst.ask(f"List the {place} and {said[1]} of {name} in {way} order of {said[0]}")
        ordered = frame.sort_values(first, ascending=not falling, kind="stable")
        if answer.status is not AnswerStatus.ANSWERED:
            continue
        shown = [float(r[1]) for r in answer.tables[0].rows]
        ties = frame[first].duplicated(keep=False)
        wanted = ordered[~ties.loc[ordered.index]][second].astype(float).tolist()
        kept = [v for v in shown if v in set(wanted)]
        assert kept[:5] == [v for v in wanted if v in set(kept)][:5] or len(set(wanted)) < len(wanted), (
            answer.prose
        )


def test_what_was_counted_before_is_not_told_in_place_of_rows(opened: Any) -> None:
    name, _, analyst = opened
    place = TABLES[name][2]
    answer = analyst.ask(f"Which {name} in {place} Norby are cursed?")
    assert answer.status is not AnswerStatus.ANSWERED, answer.prose


def test_a_day_of_all_years_is_not_told_of_one(tmp_path: Path) -> None:
    days = pd.date_range("2015-01-01", "2019-12-31", freq="9D")
    pd.DataFrame(
        {
            "sighted_on": days.strftime("%Y-%m-%d"),
            "bird": ["owl", "kite", "wren"] * (len(days) // 3) + ["owl"] * (len(days) % 3),
        }
    ).to_csv(path := tmp_path / "sightings.csv", index=False)
    analyst = gnomon.open(path)
    for question in (
        "How many sightings were there in March across all years?",
        "sightings in July in any of these years",
    ):
        answer = analyst.ask(question)
        month = 3 if "March" in question else 7
        true = float((days.month == month).sum())
        assert answer.status is not AnswerStatus.ANSWERED or true in figures(answer), answer.prose


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Jobs, two of which have no parts; and their parts, which cost something."""
    folder = tmp_path_factory.mktemp("jobs")
    draw = random.Random(11)
    job = pd.DataFrame(
        {
            "job_id": range(1, 91),
            "booked_on": [f"2024-{1 + n % 12:02d}-{1 + n % 27:02d}" for n in range(90)],
            "state": ["Paid" if n % 3 else "Open" if n % 2 else "Written off" for n in range(90)],
        }
    )
    part = pd.DataFrame(
        {
            "part_id": range(1, 301),
            "job_id": [draw.randint(1, 85) for _ in range(300)],
            "fee_eur": [draw.choice([20.0, 35.0, 80.0]) for _ in range(300)],
            "rebate_eur": [draw.choice([0.0, 25.0]) for _ in range(300)],
        }
    )
    job.to_csv(folder / "jobs.csv", index=False)
    part.to_csv(folder / "parts.csv", index=False)
    return job, part, gnomon.open(folder)


@pytest.mark.parametrize(
    ("words", "states"), [("not paid", ["Paid"]), ("neither paid nor open", ["Paid", "Open"])]
)
def test_things_that_nothing_was_done_to_are_counted_as_well(
    jobs: Any, words: str, states: list[str]
) -> None:
    job, _, analyst = jobs
    assert figures(analyst.ask(f"How many jobs are {words}?")) == {int((~job["state"].isin(states)).sum())}


def test_the_time_before_is_not_passed_over(jobs: Any) -> None:
    job, _, analyst = jobs
    days = pd.to_datetime(job["booked_on"])
    counts = days.dt.to_period("M").value_counts().sort_index()
    for rest in ("and the month before it", "and how many were there in the month before"):
        answer = analyst.ask(f"Which month of 2024 had the most jobs, {rest}?")
        assert answer.status is not AnswerStatus.ANSWERED, answer.prose
        assert not any("the month before" in o.said and "leaving out" not in o.said for o in answer.options)
        found = analyst.ask(f"Which month had the most jobs, {rest}?")
        assert found.facts[0].value == counts.max() and found.facts[1].value in {*counts, None}, found.prose


def test_when_is_answered_with_a_time_or_not_at_all(jobs: Any) -> None:
    job, _, analyst = jobs
    first = analyst.ask("When was the first job?")
    assert str(first.facts[0].value)[:10] == job["booked_on"].min()
    largest = analyst.ask("When was the largest job?")
    assert largest.status is not AnswerStatus.ANSWERED, largest.prose


def test_one_column_against_another_is_said_once(jobs: Any) -> None:
    _, part, analyst = jobs
    more = analyst.ask("How many parts have a rebate greater than the fee?")
    count = int((part["rebate_eur"] > part["fee_eur"]).sum())
    assert figures(more) == {count}
    assert more.prose.startswith(f"There were {count} parts with rebate above fee.")


@pytest.mark.parametrize(
    "words",
    [
        "For a meeting tomorrow I need to know how many jobs are open.",
        "If it isn't too much trouble, how many jobs are open?",
        "1) how many jobs are open? 2) number of parts",
    ],
)
def test_courtesy_and_numbers_of_parts_are_no_part_of_what_is_asked(jobs: Any, words: str) -> None:
    job, _, analyst = jobs
    answer = analyst.ask(words)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert int((job["state"] == "Open").sum()) in figures(answer)


def test_a_question_that_is_asked_besides_is_not_passed_over(jobs: Any) -> None:
    _, _, analyst = jobs
    answer = analyst.ask("How many jobs are open, and who booked them?")
    assert answer.status is not AnswerStatus.ANSWERED, answer.prose
    assert [o.said for o in answer.options[:1]] in ([], ["leaving out “and who booked them”"])


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Pets, some of which have one name, and their visits."""
    folder, draw = tmp_path_factory.mktemp("pets"), random.Random(4)
    pet = pd.DataFrame(
        {
            "pet_id": range(1, 41),
            "pet_name": [draw.choice(["Rex", "Luna", "Milo"]) for _ in range(40)],
            "species": [draw.choice(["cat", "dog"]) for _ in range(40)],
        }
    )
    visit = pd.DataFrame(
        {
            "visit_id": range(1, 301),
            "pet_id": [draw.randint(1, 40) for _ in range(300)],
            "visit_date": [f"202{3 + n % 2}-{1 + n % 12:02d}-{1 + n % 27:02d}" for n in range(300)],
            "reason": [draw.choice(["dental", "booster", "wound"]) for _ in range(300)],
            "weight_kg": [draw.randint(2, 40) for _ in range(300)],
        }
    )
    pet.to_csv(folder / "pets.csv", index=False)
    visit.to_csv(folder / "visits.csv", index=False)
    return pet, visit, gnomon.open(folder)


def test_different_ones_are_not_their_rows(visits: Any) -> None:
    pet, visit, analyst = visits
    both = visit.merge(pet, on="pet_id")
    held = both[(both.species == "cat") & (both.reason == "dental")]
    answer = analyst.ask("How many different cats had a dental visit?")
    assert answer.status is not AnswerStatus.ANSWERED or figures(answer) == {held.pet_id.nunique()}, (
        answer.prose
    )


def test_months_of_all_years_together_are_no_month_of_one(visits: Any) -> None:
    _, visit, analyst = visits
    answer = analyst.ask("Taking all the years together, in which calendar month are there most visits?")
    months = pd.to_datetime(visit["visit_date"]).dt.month.value_counts()
    assert answer.status is not AnswerStatus.ANSWERED or figures(answer) == {months.max()}, answer.prose


def test_what_most_things_are_called_is_a_kind(visits: Any) -> None:
    pet, visit, analyst = visits
    means = visit.merge(pet, on="pet_id").groupby("pet_name")["weight_kg"].mean()
    answer = analyst.ask("Which pet name has the highest average weight?")
    assert answer.facts[0].value == pytest.approx(means.max()) and means.idxmax() in answer.prose, (
        answer.prose
    )


@pytest.mark.parametrize(
    ("months", "then"),
    [({1: 3, 2: 4, 5: 9, 6: 2}, 0), ({1: 3, 4: 4, 5: 9, 6: 2}, 4), ({5: 9, 6: 4}, None)],
)
def test_the_month_before_the_one_that_is_found(
    tmp_path: Path, months: dict[int, int], then: int | None
) -> None:
    days = [f"2024-{month:02d}-11" for month, many in months.items() for _ in range(many)]
    path = tmp_path / "repairs.csv"
    pd.DataFrame({"repair_id": range(1, len(days) + 1), "day": days}).to_csv(path, index=False)
    with gnomon.open(path) as analyst:
        answer = analyst.ask("Which month had the most repairs, and how many were there in the month before?")
        assert [f.value for f in answer.facts] == [9, then] and "May 2024" in answer.prose, answer.prose
        bounded = analyst.ask("Which month of 2024 had the most repairs, and how many in the month before?")
        assert bounded.status is not AnswerStatus.ANSWERED, bounded.prose


def test_how_things_are_is_not_told_by_their_names(opened: Any) -> None:
    name, frame, analyst = opened
    for word in ("full", "good", "busy"):
        answer = analyst.ask(f"how {word} was each {name[:-1]}")
        told = {str(v) for t in answer.tables for row in t.rows for v in row}
        assert not set(map(str, frame[f"{name[:-1]}_id"])) <= told or len(answer.tables[0].columns) > 1
