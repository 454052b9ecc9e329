"""Values that differ only in how large they are written, or in blanks around them, are one when they are said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

NAMES = ["Luna", "Max", "Old Mill", "Bella", "Rio"]


def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    held = [*NAMES, "LUNA", "luna", "MAX", "old mill", " Bella", "Kira"]
    return pd.DataFrame(
        {
            "pet_id": np.arange(700),
            "pet_name": rng.choice(held, 700),
            "species": rng.choice(["Dog", "Cat"], 700),
            "weight": rng.gamma(3, 4, 700).round(1),
        }
    )


FRAME = _frame()


@pytest.fixture(scope="module")
def pets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    file = tmp_path_factory.mktemp("case") / "pets.csv"
    FRAME.to_csv(file, index=False)
    with gnomon.open(file) as opened:
        yield opened


def _is(name: str) -> pd.Series:
    return FRAME["pet_name"].str.strip().str.lower() == name.lower()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spell", [str, str.lower, str.upper])
def test_all_spellings_are_counted_and_told(pets: Analyst, name: str, spell: type[str]) -> None:
    told = pets.ask(f"How many pets are there with pet name {spell(name)}?")
    assert told.status is AnswerStatus.ANSWERED, told.prose
    assert told.facts[0].value == _is(name).sum(), told.prose
    spelt = {n.strip() for n in FRAME["pet_name"][_is(name)]}
    assert all(s in told.prose for s in spelt), told.prose


@pytest.mark.parametrize("name", NAMES)
def test_so_they_are_as_parts_and_where_they_are_left_out(pets: Analyst, name: str) -> None:
    share = pets.ask(f"what share of pets has pet name {name}?")
    assert f"{_is(name).sum()} of {len(FRAME)}" in share.prose, share.prose
    rest = pets.ask(f"How many pets are there with a pet name other than {name}?")
    assert rest.facts[0].value == (~_is(name)).sum(), rest.prose


def test_compared_they_are_told_one_by_one_each_with_its_own_figure(pets: Analyst) -> None:
    told = pets.ask("number of pets named Luna compared with Max")
    true = FRAME["pet_name"].value_counts()
    for spelt in ("Luna", "LUNA", "luna", "Max", "MAX"):
        assert f"{true[spelt]} for {spelt}" in told.prose
