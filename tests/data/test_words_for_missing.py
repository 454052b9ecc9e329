"""Words for no value are missing where they are written so, and names where all others are; notes count them."""

import random
from pathlib import Path

import pytest

from gnomon.data import open_sources
from gnomon.data.table import Table

NAMES = ["Smith", "O'Brien", "McDonald", "Müller", "de Boer", "Ng", "Van Dyke", "Jean-Luc", "Łukasz"]


def _counted(path: Path, values: list[str]) -> tuple[dict[str | None, int], Table]:
    path.write_text("last,sales\n" + "".join(f"{v},{i}\n" for i, v in enumerate(values)), encoding="utf-8")
    with open_sources(path) as dataset:
        (table,) = dataset
        found = dataset.connection.execute(
            f"SELECT last, count(*) FROM {table.relation} GROUP BY 1"
        ).fetchall()
        return {None if k is None else str(k): n for k, n in found}, table


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kept", ["Null", "Nan", "Nil", "Na"])
def test_a_word_for_missing_that_is_written_as_a_name_is_one(tmp_path: Path, seed: int, kept: str) -> None:
    rng = random.Random(seed)
    values = [*rng.choices(NAMES[:4], k=30), *[kept] * 7, "NULL", "n/a", "N/A"]
    rng.shuffle(values)
    found, table = _counted(tmp_path / "rows.csv", values)
    assert found == {**{v: values.count(v) for v in values if v not in ("NULL", "n/a", "N/A")}, None: 3}
    (note,) = [w for w in table.warnings if "no value" in w]
    assert note.startswith("last: 3 cells hold a sign for no value (N/A: 1, NULL: 1, n/a: 1)")


def test_two_such_names_beside_one_other_stay_three(tmp_path: Path) -> None:
    found, table = _counted(tmp_path / "rows.csv", ["Null", "Nan", "Smith"] * 10)
    assert found == {"Null": 10, "Nan": 10, "Smith": 10}
    assert table.warnings == ()


@pytest.mark.parametrize(
    ("others", "word"),
    [
        (["red", "green"], "null"),
        (["red", "green"], "Null"),
        (["RED", "GREEN"], "NULL"),
        (["Smith", "Jones"], "NULL"),
        (["Smith", "Jones"], "NaN"),
        (["Smith", "Jones"], "None"),
        (["12", "14"], "Nan"),
        (["2024-01-01", "2024-02-01"], "Null"),
    ],
)
def test_it_is_missing_everywhere_else(tmp_path: Path, others: list[str], word: str) -> None:
    found, table = _counted(tmp_path / "rows.csv", [*others * 10, *[word] * 4])
    assert found[None] == 4
    assert any(f"({word}: 4)" in w for w in table.warnings)


def test_dates_in_two_orders_are_told_in_one_sentence(tmp_path: Path) -> None:
    days = [f"{d:02d}/{m:02d}/2024" for m in range(1, 13) for d in (1, 5, 11)]
    (tmp_path / "rows.csv").write_text(
        "day,n\n" + "".join(f"{d},1\n" for d in [*days, "25/12/2024", "12/31/2024"])
    )
    with open_sources(tmp_path / "rows.csv") as dataset:
        (table,) = dataset
        (said,) = [s.said for s in table.set_aside]
        assert said.startswith("day: 1 date has the ")
        assert dataset.connection.execute("SELECT count(day) FROM rows").fetchone() == (38,)
