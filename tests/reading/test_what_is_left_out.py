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
