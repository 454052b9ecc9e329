"""Columns and tables of any name can be asked about: signs alone, marks of other notations, names beyond measure."""

import csv
import sqlite3
import time
from pathlib import Path

import duckdb
import pandas as pd
import pytest

import gnomon
from gnomon.data import naming, open_sources
from gnomon.semantic.registry import api_names

_ROWS = pd.DataFrame(
    {"region": ["nsew"[i % 4] for i in range(60)], "x": [(i * 37 % 101) + 0.25 for i in range(60)]}
)
_COLUMNS = [
    "#",
    "🙂",
    "__",
    "@total",
    "-",
    "?",
    "№",
    "()",
    "½",
    "%",
    "amount)--",
    'a"b',
    "sum(x.y)",
    "a\nb",
    "n" * 300,
]
_TABLES = [
    "Order Details", "🙂", "a\nb", "x" * 300, "a'b", 'a"b', "a;b", "a/b", "a:b", "100%", "[x]", "²", "#", "  ",
    "बिक्री", "a b" * 90,
]  # fmt: skip


@pytest.mark.parametrize("name", _COLUMNS)
def test_a_column_of_any_name_can_be_asked_about(tmp_path: Path, name: str) -> None:
    path = tmp_path / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f)
        writer.writerow(["region", name])
        writer.writerows(_ROWS.itertuples(index=False))
    with gnomon.open(str(path)) as analyst:
        (table,) = analyst.dataset.tables.values()
        column = table.columns[1].name
        assert "There were 60 rows." in analyst.ask("how many rows").prose
        for question in ("{} by region", "median {}", "rows with {} > 50", "correlation of {} and region"):
            assert analyst.ask(question.format(column)).status != "error"
        told = analyst.dataset.connection.execute(
            f'SELECT sum("{column.replace(chr(34), chr(34) * 2)}") FROM rows'
        )
        assert told.fetchone() == (pytest.approx(_ROWS["x"].sum()),)


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
@pytest.mark.parametrize("name", _TABLES)
def test_a_table_of_any_name_can_be_asked_about(tmp_path: Path, kind: str, name: str) -> None:
    path, quoted = tmp_path / f"store.{kind}", '"' + name.replace('"', '""') + '"'
    file = sqlite3.connect(path) if kind == "sqlite" else duckdb.connect(str(path))
    file.execute(f"CREATE TABLE {quoted} (region TEXT, amount DOUBLE)")
    file.executemany(f"INSERT INTO {quoted} VALUES (?, ?)", _ROWS.to_numpy().tolist())
    file.commit()
    file.close()
    best = _ROWS.groupby("region")["x"].mean()
    with gnomon.open(str(path)) as analyst:
        assert "There were 60 " in analyst.ask("how many rows").prose
        assert f"{_ROWS['x'].sum():,.0f}" in analyst.ask("total amount").prose
        assert f"highest for {best.idxmax()}" in analyst.ask("average amount by region").prose
        assert analyst.ask("show 3 rows").status != "error"


def test_tools_have_names_of_their_own_however_tables_are_called() -> None:
    names = api_names(["a b", "a;b", "a_b", "A_B", "x" * 300, "x" * 299, "🙂", "orders"])
    assert names["a_b"] == "retrieve_a_b"
    assert names["orders"] == "retrieve_orders"
    assert len({n.casefold() for n in names.values()}) == len(names)
    assert max(map(len, names.values())) <= 128


def test_a_number_sign_over_running_numbers_numbers_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    _ROWS.rename_axis("#").to_csv(path)
    with gnomon.open(str(path)) as analyst:
        assert [d.label for d in analyst.model.dimensions][:1] == ["row number"]
        (table,) = analyst.dataset.tables.values()
        assert [c.name for c in table.columns] == ["column_1", "region", "x"]
        assert "got a name from the position" in table.warnings[0]


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_name_beyond_measure_is_cut_and_told_of(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"rows.{kind}"
    wide = _ROWS.head(3).rename(columns={"x": "long " * 400_000})
    if kind == "csv":
        wide.to_csv(path, index=False)
    elif kind == "json":
        wide.to_json(path, orient="records")
    else:
        wide.to_parquet(path)
    begun = time.process_time()
    with open_sources(path) as dataset:
        (table,) = dataset.tables.values()
        assert len(table.columns[1].name) <= naming.LONGEST_NAME
        assert any("longer than 200" in w for w in table.warnings)
    assert time.process_time() - begun < 20
