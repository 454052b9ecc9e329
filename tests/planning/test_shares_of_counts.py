"""Tables whose rows are counts: a share of what values name is one of the numbers, not of the rows."""

import random
from pathlib import Path

import pandas as pd
import pytest

import gnomon

WORLDS = [
    ("staffing", "job", ("nurse", "porter", "midwife"), "sex", ("women", "men")),
    ("landings", "species", ("cod", "haddock", "plaice"), "coast", ("east", "west")),
    ("enrolments", "course", ("welder", "baker", "joiner"), "shift", ("morning", "evening")),
]


@pytest.mark.parametrize("world", WORLDS, ids=lambda w: w[0])
@pytest.mark.parametrize(
    "wording",
    [
        "share of {part} in 2010",
        "what share of {of}s were {part} in 2010?",
        "percentage of {part} among {of}s in 2000",
    ],
)
def test_a_share_of_values_adds_up_what_the_rows_count(
    world: tuple[str, str, tuple[str, ...], str, tuple[str, str]], wording: str, tmp_path: Path
) -> None:
    table, kind, kinds, side, sides = world
    rng = random.Random(f"{table}{wording}")
    rows = [(k, s, year, rng.randint(40, 9000)) for k in kinds for s in sides for year in (1990, 2000, 2010)]
    frame = pd.DataFrame(rows, columns=[kind, side, "year", "count"])
    file = tmp_path / f"{table}.csv"
    frame.to_csv(file, index=False)
    held = frame[frame.year == (2010 if "2010" in wording else 2000)]
    held = held[held[kind] == kinds[0]] if "{of}" in wording else held
    truth = held[held[side] == sides[0]]["count"].sum() / held["count"].sum()
    with gnomon.open(file) as analyst:
        answer = analyst.ask(wording.format(part=sides[0], of=kinds[0]))
    told = [f.value for f in answer.facts if isinstance(f.value, float)]
    if answer.facts:  # what is not understood is refused, and never told of rows
        assert any(abs(v - 100 * truth) < 1e-7 for v in told), answer.prose
    else:
        assert "{of}" in wording, answer.prose


def test_rows_are_counted_where_rows_are_asked_for(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        [(s, y, 100 * y + len(s)) for s in ("women", "men") for y in (1990, 2000, 2010)] + [("men", 2020, 7)],
        columns=["sex", "year", "count"],
    )
    frame.to_csv(tmp_path / "staffing.csv", index=False)
    with gnomon.open(tmp_path / "staffing.csv") as analyst:
        answer = analyst.ask("share of rows with men")
    assert any(isinstance(f.value, float) and abs(f.value - 400 / 7) < 1e-7 for f in answer.facts), (
        answer.prose
    )
