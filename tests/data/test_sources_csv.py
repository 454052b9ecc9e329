"""Text tables in every way they are written."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gnomon.data import CsvFile, Dataset, open_sources


def _open(folder: Path, text: str, name: str = "t.csv") -> Dataset:
    path = folder / name
    path.write_bytes(text.encode())
    return open_sources(path)


def _rows(data: Dataset) -> list[tuple[object, ...]]:
    return data.connection.execute("FROM t").fetchall()


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("a,b\n1,x\n2,y\n", ["a", "b"], [(1, "x"), (2, "y")]),
        ("a;b\n1,5;x\n2,25;y\n", ["a", "b"], [(1.5, "x"), (2.25, "y")]),
        ("a\tb\n1\tx, y\n2\tz\n", ["a", "b"], [(1, "x, y"), (2, "z")]),
        ("a|b\n1|x\n2|y\n", ["a", "b"], [(1, "x"), (2, "y")]),
        ("name\nAnn\nBob\n", ["name"], [("Ann",), ("Bob",)]),
        (
            "note\nhello, world\nbye\nso, it, goes\n",
            ["note"],
            [("hello, world",), ("bye",), ("so, it, goes",)],
        ),
        (
            "1,x,2.5\n2,y,3.5\n3,z,4.5\n",
            ["column_1", "column_2", "column_3"],
            [(1, "x", 2.5), (2, "y", 3.5), (3, "z", 4.5)],
        ),
        ("country,1990,1991\nDE,1,2\nFR,3,4\n", ["country", "1990", "1991"], [("DE", 1, 2), ("FR", 3, 4)]),
        ('a,b\n"1\n2",x\n"3",y\n', ["a", "b"], [("1\n2", "x"), ("3", "y")]),
        ('a, b\n1, "x, y"\n2, "z"\n', ["a", "b"], [(1, "x, y"), (2, "z")]),
        ('"first\nname",b\nx,1\ny,2\n', ["first name", "b"], [("x", 1), ("y", 2)]),
        ("a,b\r1,x\r2,y\r", ["a", "b"], [(1, "x"), (2, "y")]),
        ("a,b\r\n1,x\n2,y\r\n", ["a", "b"], [(1, "x"), (2, "y")]),
        ("a,b\n\n1,x\n\n2,y\n\n", ["a", "b"], [(1, "x"), (2, "y")]),
        ("a,b\n1,x\n2,y", ["a", "b"], [(1, "x"), (2, "y")]),
        ("a,b,\n1,x,\n2,y,\n", ["a", "b", "column_3"], [(1, "x", None), (2, "y", None)]),
        ('a,b\n1,"say \\"hi\\" now"\n2,"ok"\n', ["a", "b"], [(1, 'say "hi" now'), (2, "ok")]),
        (
            "x y,b\n1,'it''s, ok'\n2,'b'\n3,'c'\n4,'d'\n",
            ["x y", "b"],
            [(1, "it's, ok"), (2, "b"), (3, "c"), (4, "d")],
        ),
    ],
)
def test_a_way_of_writing_is_found_out(
    tmp_path: Path, text: str, names: list[str], rows: list[tuple[object, ...]]
) -> None:
    with _open(tmp_path, text) as data:
        assert [c.name for c in data.table("t").columns] == names
        assert _rows(data) == rows


def test_lines_before_the_table_are_left_out_and_counted(tmp_path: Path) -> None:
    with _open(
        tmp_path, "Sales report\nmade by: finance\n\nday,units,price\n2024-01-01,3,1.5\n2024-01-02,4,2.5\n"
    ) as data:
        assert [c.name for c in data.table("t").columns] == ["day", "units", "price"]
        assert len(_rows(data)) == 2
        assert any("2 line(s) before the table" in w for w in data.table("t").warnings)


def test_remarks_are_left_out_wherever_they_stand(tmp_path: Path) -> None:
    with _open(tmp_path, "# made by a machine\na,b,c\n1,2,3\n# half way\n4,5,6\n") as data:
        assert _rows(data) == [(1, 2, 3), (4, 5, 6)]
        assert any("start with #" in w for w in data.table("t").warnings)


def test_a_title_padded_with_delimiters_is_not_the_header(tmp_path: Path) -> None:
    with _open(tmp_path, "Report,,,\n,,,\nday,a,b,c\n2024-01-01,1,2,3\n2024-01-02,4,5,6\n") as data:
        assert [c.name for c in data.table("t").columns] == ["day", "a", "b", "c"]
        assert len(_rows(data)) == 2


def test_a_header_without_the_row_names_column_is_moved(tmp_path: Path) -> None:
    with _open(tmp_path, '"a","b"\n"r1",1,2\n"r2",3,4\n') as data:
        assert [c.name for c in data.table("t").columns] == ["column_1", "a", "b"]
        assert _rows(data) == [("r1", 1, 2), ("r2", 3, 4)]


def test_a_long_cell_is_kept_whole(tmp_path: Path) -> None:
    long = "x" * 3_000_000
    with _open(tmp_path, f"a,b\n1,{long}\n2,y\n") as data:
        assert data.connection.execute("SELECT length(b) FROM t ORDER BY a").fetchall() == [
            (3_000_000,),
            (1,),
        ]


def test_same_columns_under_a_glob_are_one_table_and_others_are_not(tmp_path: Path) -> None:
    (tmp_path / "sales_2023.csv").write_text("day,n\n2023-01-01,1\n")
    (tmp_path / "sales_2024.csv").write_text("day;n\n2024-01-01;2\n")
    with open_sources(str(tmp_path / "sales_*.csv")) as data:
        assert list(data.tables) == ["sales"]
        assert data.connection.execute("SELECT count(*), sum(n) FROM sales").fetchone() == (2, 3)
    (tmp_path / "sales_old.csv").write_text("other,columns\n1,2\n")
    with open_sources(str(tmp_path / "sales_*.csv")) as data:
        assert sorted(data.tables) == ["sales_2023", "sales_2024", "sales_old"]


def test_names_of_tables_are_readable_and_unique(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Sales Report (final).csv").write_text("v\n1\n")
    with open_sources(*[tmp_path / f / "Sales Report (final).csv" for f in ("a", "b")]) as data:
        assert list(data.tables) == ["sales_report_final", "sales_report_final_2"]


CELLS = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"),
        st.sampled_from("\t\r\n\"',;|"),
    ),
    max_size=12,
)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 5).flatmap(
        lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=8)
    ),
    delimiter=st.sampled_from([",", ";", "\t", "|", "~"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_pythons_csv_module_writes_comes_back(
    rows: list[list[str]], delimiter: str, quoting: int, newline: str, encoding: str
) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=newline)
    writer.writerow([f"h{i}" for i in range(len(rows[0]))])
    writer.writerows(rows)
    # Python's writer leaves a lone carriage return unquoted, which its own reader does not read back.
    assume(list(csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=delimiter))[1:] == rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(out.getvalue().encode(encoding))
        with open_sources(CsvFile(path, delimiter=delimiter, quote='"', header=True)) as data:
            table = data.table("t")
            found = data.connection.execute(f"FROM {table.raw_relation}").fetchall()
    told = [r for r in rows if len(r) == 1 or any(c.strip() for c in r)]  # a row without a cell is none
    assert [[c or "" for c in r] for r in found] == told


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(
        st.lists(
            st.text("abcdefgh XYZ0123456789.-é東\n\"'", max_size=10).map(str.strip), min_size=3, max_size=3
        ),
        min_size=3,
        max_size=12,
    ).filter(lambda rows: all(any(c for c in r) for r in rows)),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
)
def test_the_delimiter_is_found_out(rows: list[list[str]], delimiter: str) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL)
    writer.writerow(["first", "second", "third"])
    writer.writerows(rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(out.getvalue().encode())
        with open_sources(CsvFile(path, header=True)) as data:
            found = data.connection.execute(f"FROM {data.table('t').raw_relation}").fetchall()
    assert [[c or "" for c in r] for r in found] == rows


@pytest.mark.parametrize("every", [2, 3, 7])
@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_lines_in_two_encodings_are_one_text(tmp_path: Path, ending: str, every: int) -> None:
    towns = ["Zürich", "Málaga", "Besançon", "Łódź"]
    cells = [towns[i % 3 if i % every == 0 else i % 4] for i in range(200)]
    rows = [f"{town},{i}" if ending == ".csv" else f'{{"town": "{town}", "n": {i}}}' for i, town in enumerate(cells)]  # fmt: skip
    lines = [row.encode("cp1252" if i % every == 0 else "utf-8") for i, row in enumerate(rows)]
    path = tmp_path / f"rows{ending}"
    path.write_bytes(b"\n".join([*([b"town,n"] if ending == ".csv" else []), *lines]) + b"\n")
    with open_sources(path) as dataset:
        (table,) = dataset
        assert [t for (t,) in dataset.connection.execute("SELECT town FROM rows").fetchall()] == cells
        assert any("Some lines of the file are UTF-8 and some cp1252" in w for w in table.warnings)
