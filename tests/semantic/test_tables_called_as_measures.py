"""A table that is called as what it measures keeps the measure; one that is called as its things keeps their numbers."""

from pathlib import Path

import pytest

from gnomon.data import load_and_profile_data
from gnomon.data.column_kinds import Role
from gnomon.semantic.coded_things import is_quantity
from gnomon.semantic.measures import is_measure
from gnomon.semantic.reread import reread


def _role(tmp_path: Path, name: str, numbers: list[int], more: str = "") -> tuple[Role, bool]:
    path = tmp_path / f"{name}s.csv"
    rows = "".join(f"{'nsew'[i % 4]},2024-{i % 12 + 1:02d},{v}\n" for i, v in enumerate(numbers))
    path.write_text(f"region,month,{name}\n{rows}")
    table = reread(load_and_profile_data([path]).profile).tables[0]
    return table.column(name).role, is_measure(table.column(name))


@pytest.mark.parametrize("name", ["temperature", "rainfall", "score", "donation", "stock", "kwh"])
@pytest.mark.parametrize("numbers", [list(range(100)), [(i * 37) % 151 for i in range(300)]], ids=["turn", "any"])  # fmt: skip
def test_measures_stay_measures(tmp_path: Path, name: str, numbers: list[int]) -> None:
    assert _role(tmp_path, name, numbers)[1]


@pytest.mark.parametrize("name", ["flight", "invoice", "ticket"])
def test_numbers_of_things_are_none(tmp_path: Path, name: str) -> None:
    assert _role(tmp_path, name, [1_000 + (i * 37) % 151 for i in range(300)])[0] in (Role.CATEGORY, Role.ID)


@pytest.mark.parametrize(("name", "role"), [("payment_type", Role.CATEGORY), ("income_group", Role.CATEGORY)])
def test_kinds_of_money_are_no_money(tmp_path: Path, name: str, role: Role) -> None:
    assert _role(tmp_path, name, [1 + i % 4 for i in range(100)])[0] is role


@pytest.mark.parametrize(("word", "measured"), [("mileage", True), ("pressure", True), ("loss", True), ("flight", False), ("employee", False), ("invoice", False)])  # fmt: skip
def test_words_are_of_measures_or_of_things(word: str, measured: bool) -> None:
    assert is_quantity(word) is measured
