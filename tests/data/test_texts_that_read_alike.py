"""Cells that nobody can tell apart are one value; those that differ by capitals are told of; so are columns of one name."""

import random
import sqlite3
import unicodedata
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gnomon
from gnomon.data import open_sources

TOWNS = ["Malmö", "Århus", "Šibenik", "New York"]
WAYS: dict[str, Callable[[str], str]] = {
    "accents": lambda t: unicodedata.normalize("NFD", t),
    "mark without width": lambda t: f"\u200b{t}",
    "mark inside": lambda t: f"{t[:2]}\u00ad{t[2:]}",
    "byte order mark": lambda t: f"{t}\ufeff",
    "space that does not break": lambda t: t.replace(" ", "\u00a0") + "\u00a0",
    "two spaces": lambda t: f" {t.replace(' ', '  ')} ",
    "direction": lambda t: f"\u2067{t}\u2069",
}


def _rows(way: Callable[[str], str], seed: int) -> list[tuple[str, int]]:
    rng = random.Random(seed)
    towns = [rng.choice(TOWNS) for _ in range(80)]
    return [(way(t) if rng.random() < 0.4 else t, rng.randint(1, 99)) for t in towns]


def _write(file: Path, rows: list[tuple[str, int]]) -> None:
    if file.suffix == ".csv":
        file.write_text("town,sales\n" + "".join(f'"{t}",{n}\n' for t, n in rows), encoding="utf-8")
    elif file.suffix == ".parquet":
        pq.write_table(pa.table({"town": [t for t, _ in rows], "sales": [n for _, n in rows]}), file)
    else:
        with sqlite3.connect(file) as made:
            made.execute("CREATE TABLE t (town TEXT, sales INTEGER)")
            made.executemany("INSERT INTO t VALUES (?, ?)", rows)
        made.close()


@pytest.mark.parametrize("kind", ["csv", "parquet", "sqlite"])
@pytest.mark.parametrize("way", WAYS)
def test_texts_that_look_alike_are_one_group(tmp_path: Path, way: str, kind: str) -> None:
    rows = _rows(WAYS[way], seed=len(way))
    _write(file := tmp_path / f"t.{kind}", rows)
    right: dict[str, int] = {}
    for town, sales in rows:
        plain = next(t for t in TOWNS if town in (t, WAYS[way](t)))
        right[plain] = right.get(plain, 0) + sales
    with open_sources(file) as dataset:
        (table,) = dataset
        found = dataset.connection.execute(
            f"SELECT town, sum(sales) FROM {table.relation} GROUP BY 1"
        ).fetchall()
    assert dict(found) == right


def test_marks_that_belong_to_letters_stay(tmp_path: Path) -> None:
    joined, apart = "نامه\u200cها", "نامهها"
    _write(file := tmp_path / "t.csv", [(joined, 1), (apart, 2)] * 20)
    with open_sources(file) as dataset:
        (table,) = dataset
        assert len(dataset.connection.execute(f"SELECT DISTINCT town FROM {table.relation}").fetchall()) == 2


def test_groups_that_differ_by_capitals_alone_are_told_of(tmp_path: Path) -> None:
    _write(file := tmp_path / "t.csv", _rows(str.upper, seed=3))
    with gnomon.open(file) as analyst:
        assert "differ by capitals alone" in analyst.ask("sales by town").prose
        assert "differ by capitals alone" not in analyst.ask("total sales").prose


def test_texts_of_one_writing_say_nothing(tmp_path: Path) -> None:
    _write(file := tmp_path / "t.csv", _rows(str, seed=4))
    with open_sources(file) as dataset:
        (table,) = dataset
        assert not table.set_aside and not any("differ" in w for w in table.warnings)


@pytest.mark.parametrize("heads", [["sales", "sales"], ["sales", "Sales", "SALES "]])
def test_the_first_of_several_columns_of_one_name_says_so(tmp_path: Path, heads: list[str]) -> None:
    lines = [",".join(["town", *heads])] + [
        f"a{i % 3}," + ",".join(str(i * k) for k in range(1, len(heads) + 1)) for i in range(30)
    ]
    (file := tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    with gnomon.open(file) as analyst:
        answer = analyst.ask("total sales")
    assert sum(range(30)) in {f.value for f in answer.facts}
    assert f"{len(heads)} columns have this name" in answer.prose
    assert "sales_2" in answer.prose.lower()


@pytest.mark.parametrize("seed", range(4))
def test_a_header_over_rows_that_are_cut_short_is_no_row_and_loses_none(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    rows = [(f"t{i}", i, "x" if rng.random() < 0.2 else None) for i in range(100)]
    lines = [f"{t},{n}" + (f",{x}" if x else "") for t, n, x in rows]
    (file := tmp_path / "t.csv").write_text("town,sales,note\n" + "\n".join(lines) + "\n")
    with open_sources(file) as dataset:
        (table,) = dataset
        assert [c.name for c in table.columns] == ["town", "sales", "note"]
        counted = dataset.connection.execute(
            f"SELECT count(*), sum(sales), count(note) FROM {table.relation}"
        ).fetchone()
    assert counted == (100, 4950, sum(x is not None for _, _, x in rows))


def test_a_title_with_commas_is_no_header(tmp_path: Path) -> None:
    (file := tmp_path / "t.csv").write_text(
        "Sales, by town, of 2024, preliminary\ntown,sales\n" + "".join(f"t{i},{i}\n" for i in range(50))
    )
    with open_sources(file) as dataset:
        (table,) = dataset
        assert [c.name for c in table.columns] == ["town", "sales"]


@pytest.mark.parametrize("late", ["5 €", "1.234,5", "about 7", "12 kg"])
def test_cells_that_are_no_number_are_told_with_the_figure(tmp_path: Path, late: str) -> None:
    lines = [f"a{i % 3};{i}" for i in range(9000)] + [f"a1;{late}"] * 4
    (file := tmp_path / "t.csv").write_text("town;sales\n" + "\n".join(lines) + "\n", encoding="utf-8")
    with gnomon.open(file) as analyst:
        said = analyst.ask("total sales").prose
    assert "4 of 9,004 cells are not a number and are read as missing" in said


LIMITS = [
    -(2**31),
    2**31 - 1,
    -(2**15),
    2**32 - 1,
    -(2**63),
    1e20,
    9.969209968386869e36,
    -1.7976931348623157e308,
    3.4028234663852886e38,
]


@pytest.mark.parametrize("limit", LIMITS)
def test_the_last_number_of_a_type_stands_for_no_value(tmp_path: Path, limit: float) -> None:
    values: list[float] = [float(limit) if i % 15 == 2 else i % 60 + 0.5 for i in range(150)]
    _write(file := tmp_path / "t.parquet", [])
    pq.write_table(pa.table({"level": pa.array(values, pa.float64())}), file)
    with gnomon.open(file) as analyst:
        answer = analyst.ask("average level")
    real = [v for v in values if v != limit]
    assert any(
        isinstance(f.value, float) and f.value == pytest.approx(sum(real) / len(real)) for f in answer.facts
    )
    assert "stands for no value" in answer.prose


@pytest.mark.parametrize(
    ("rest", "missing"), [(range(18, 80), True), (range(10), False), (range(-3, 40), False)]
)
def test_minus_one_far_below_all_others_stands_for_no_value(
    tmp_path: Path, rest: range, missing: bool
) -> None:
    values = [v for v in rest if v != -1] * 3 + [-1] * 6
    (file := tmp_path / "t.csv").write_text("age\n" + "\n".join(map(str, values)) + "\n")
    with open_sources(file) as dataset:
        (table,) = dataset
        counted = dataset.connection.execute(f"SELECT count(age) FROM {table.relation}").fetchone()
    assert counted == (len(values) - (6 if missing else 0),)


def test_bytes_that_are_text_are_read_as_text(tmp_path: Path) -> None:
    towns = [TOWNS[i % 4].encode() for i in range(40)]
    odd = [b"\xff\xfe\x00" if i % 2 else b"\x00" for i in range(40)]
    pq.write_table(pa.table({"town": towns, "key": odd, "sales": range(40)}), file := tmp_path / "t.parquet")
    with gnomon.open(file) as analyst:
        assert sum(range(0, 40, 4)) in {f.value for f in analyst.ask("total sales for Malmö").facts}
        (table,) = analyst.dataset
        assert table.column("key").type == "BLOB"


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_a_figure_is_that_of_the_table_and_not_of_a_view_of_it(tmp_path: Path, kind: str) -> None:
    create = "CREATE TABLE parcels (town TEXT, amount INTEGER)"
    rows = [("north" if i % 4 else "south", i) for i in range(40)]
    made = (
        duckdb.connect(str(tmp_path / "t.duckdb"))
        if kind == "duckdb"
        else sqlite3.connect(tmp_path / "t.sqlite")
    )
    made.execute(create)
    made.executemany("INSERT INTO parcels VALUES (?, ?)", rows)
    made.execute("CREATE VIEW a_north AS SELECT * FROM parcels WHERE town = 'north'")
    made.commit()
    made.close()
    with gnomon.open(tmp_path / f"t.{kind}") as analyst:
        assert next(iter(analyst.dataset)).name == "parcels"
        assert sum(range(40)) in {f.value for f in analyst.ask("total amount").facts}
