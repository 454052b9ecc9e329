"""Bad input gets a typed error or a warning that says what to do; nothing crashes and nothing is lost."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gnomon.core.errors import (
    AuthenticationFailed,
    DataUnavailable,
    GnomonError,
    InvalidInput,
    SourceUnreachable,
    UnreadableSource,
)
from gnomon.data import CsvFile, open_sources


def _junk(n: int) -> bytes:
    return bytes((i * 197 + i // 7) % 256 for i in range(n))


def _encrypted_workbook() -> bytes:
    """A compound file whose directory names the streams of an encrypted workbook."""
    header = bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 16 + bytes.fromhex("3e000300feff0900") + b"\0" * 480
    entries = b"".join(
        name.encode("utf-16-le").ljust(64, b"\0") + b"\0" * 64
        for name in ("Root Entry", "EncryptionInfo", "EncryptedPackage")
    )
    return header + entries + b"\0" * 4096


def test_a_missing_file_proposes_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("a\n1\n")
    with pytest.raises(DataUnavailable, match=r"Did you mean 'sales\.csv'"):
        open_sources(tmp_path / "slaes.csv")
    with pytest.raises(DataUnavailable, match="folder does not exist"):
        open_sources(tmp_path / "nowhere" / "sales.csv")
    with pytest.raises(DataUnavailable, match="No file matches"):
        open_sources(str(tmp_path / "*.parquet"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "is empty"),
        ("blank.csv", b"\n \n\n", "is empty"),
        ("empty.parquet", b"", "is empty"),
        ("junk.csv", _junk(5000), "binary data"),
        ("junk.parquet", _junk(5000), "cannot be read as Parquet"),
        ("short.parquet", b"PAR1", "cannot be read as Parquet"),
        ("junk.xlsx", _junk(5000), "cannot be read as a spreadsheet"),
        ("locked.xlsx", _encrypted_workbook(), "locked with a password"),
        ("junk.json", b'{"a": 1, "b": [1, 2', "cannot be read as JSON"),
        ("junk.sqlite", _junk(5000), "cannot be read as a SQLite file"),
        ("damaged.sqlite", b"SQLite format 3\0" + _junk(5000), "cannot be read as a SQLite file"),
        ("junk.duckdb", _junk(5000), "cannot be opened as a DuckDB file"),
        ("junk.arrow", b"ARROW1" + _junk(500), "cannot be read as an Arrow file"),
        ("paper.pdf", b"%PDF-1.4", "not a kind of data"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UnreadableSource, match=message) as caught:
        open_sources(path)
    assert caught.value.suggestions
    assert path.read_bytes() == content


def test_a_truncated_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.parquet"
    pq.write_table(pa.table({"a": list(range(1000))}), path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UnreadableSource, match="cannot be read as Parquet"):
        open_sources(path)


def test_databases_without_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    with pytest.raises(UnreadableSource, match="holds no tables"):
        open_sources(path)


@pytest.mark.parametrize("kind", ["fts5(body)", "fts4(body)", "rtree(id, low, high)"])
def test_what_an_index_keeps_for_itself_is_no_table(tmp_path: Path, kind: str) -> None:
    with sqlite3.connect(path := tmp_path / "shop.sqlite") as made:
        made.execute("CREATE TABLE sales (day TEXT, amount REAL)")
        made.executemany("INSERT INTO sales VALUES (?, ?)", [("2024-01-01", i) for i in range(5)])
        made.execute(f"CREATE VIRTUAL TABLE notes USING {kind}")
    made.close()
    with open_sources(path) as dataset:
        assert {*dataset.tables, *dataset.left_out} <= {"sales", "notes"}
        assert dataset.table("sales").rows == 5


def test_a_header_without_rows_is_a_table_of_zero_rows(tmp_path: Path) -> None:
    path = tmp_path / "zero.csv"
    path.write_text("id,name\n")
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "none.parquet")
    with open_sources(path, tmp_path / "none.parquet") as data:
        assert [c.name for c in data.table("zero").columns] == ["id", "name"]
        assert data.connection.execute("FROM zero").fetchall() == []
        assert data.connection.execute("FROM none").fetchall() == []


def test_names_used_twice_or_missing_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("a,A,,a,a_2\n1,2,3,4,5\n")
    with open_sources(path) as data:
        table = data.table("names")
        assert [c.name for c in table.columns] == ["a", "A_3", "column_3", "a_4", "a_2"]
        assert [c.original_name for c in table.columns] == ["a", "A", "", "a", "a_2"]
        assert data.connection.execute("FROM names").fetchall() == [(1, 2, 3, 4, 5)]
        assert any("more than once" in w for w in table.warnings)
        assert any("no name" in w for w in table.warnings)


@pytest.mark.long
def test_two_thousand_columns_open(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(
        "\n".join(",".join(f"{prefix}{i}" for i in range(2000)) for prefix in ("c", "", "", "")) + "\n"
    )
    with open_sources(path) as data:
        table = data.table("wide")
        assert len(table.columns) == 2000
        assert {c.type for c in table.columns} == {"BIGINT"}
        assert data.connection.execute("SELECT c0, c1999, count(*) FROM wide GROUP BY ALL").fetchall() == [
            (0, 1999, 3)
        ]


def test_bytes_that_are_not_utf8_are_kept_visible_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    good = "é,ü,ñ,ß,ø,å\n" * 20
    path.write_bytes(b"a,b,c,d,e,f\n" + good.encode() + b"x\xff,1,2,3,4,5\n")
    with open_sources(path) as data:
        table = data.table("mixed")
        assert table.rows == 21
        assert data.connection.execute("SELECT a FROM mixed OFFSET 20").fetchone() == ("x\ufffd",)
        assert any("1 byte(s) are not valid UTF-8" in w for w in table.warnings)


def test_an_older_encoding_is_recognised_and_said(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    path.write_bytes("name,city\nJosé,Málaga\nZoë,Köln – “Süd”\n".encode("cp1252"))
    with open_sources(path) as data:
        assert data.connection.execute("FROM old").fetchall() == [("José", "Málaga"), ("Zoë", "Köln – “Süd”")]
        assert any("cp1252" in w for w in data.table("old").warnings)


def test_a_named_encoding_is_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "polish.csv"
    path.write_bytes("name,city\nŁukasz,Łódź\n".encode("cp1250"))
    with open_sources(CsvFile(path, encoding="cp1250")) as data:
        assert data.connection.execute("FROM polish").fetchall() == [("Łukasz", "Łódź")]
    with pytest.raises(UnreadableSource, match="not an encoding"):
        open_sources(CsvFile(path, encoding="klingon"))


def test_ragged_rows_are_kept_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "ragged.csv"
    path.write_text("a,b,c\n1,2,3\n4,5\n6,7,8,9,ten\n10,11,12\n")
    with open_sources(path) as data:
        table = data.table("ragged")
        assert data.connection.execute("FROM ragged").fetchall() == [
            (1, 2, 3, None), (4, 5, None, None), (6, 7, 8, "9,ten"), (10, 11, 12, None),
        ]  # fmt: skip
        assert any(w.startswith("1 row(s) have fewer") for w in table.warnings)
        assert any(w.startswith("1 row(s) have more") for w in table.warnings)


def test_a_zero_byte_in_text_does_not_end_it(tmp_path: Path) -> None:
    path = tmp_path / "nul.csv"
    path.write_bytes(b"a,b\n" + b"plain text,1\n" * 200 + b"x\0y,2\n")
    with open_sources(path) as data:
        assert data.connection.execute("SELECT a FROM nul WHERE b = 2").fetchall() == [("x\0y",)]


def test_a_folder_opens_what_can_be_read_and_tells_the_rest(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("a\n1\n")
    (tmp_path / "bad.parquet").write_bytes(_junk(500))
    (tmp_path / "readme.md").write_text("hello")
    with open_sources(tmp_path) as data:
        assert list(data.tables) == ["good"]
        assert any("bad.parquet" in w for w in data.warnings)


def test_folders_without_data_are_refused(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("hello")
    with pytest.raises(DataUnavailable, match="holds no data"):
        open_sources(tmp_path)
    (tmp_path / "bad.parquet").write_bytes(_junk(500))
    with pytest.raises(UnreadableSource, match=r"bad\.parquet"):
        open_sources(tmp_path)


@pytest.mark.parametrize("deep", [False, True])
def test_a_folder_of_more_files_than_anybody_means_is_refused_before_they_are_read(
    tmp_path: Path, deep: bool
) -> None:
    for i in range(501):
        folder = tmp_path / f"f{i % 7}" if deep else tmp_path
        folder.mkdir(exist_ok=True)
        (folder / f"t{i}.parquet").write_bytes(b"not one of them can be read")
    with pytest.raises(InvalidInput, match="more than 500 files") as refused:
        open_sources(tmp_path)
    assert "Name the files" in refused.value.suggestions[0]


def test_a_tree_of_endless_folders_is_not_walked_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnomon.data.locate._MOST_FOLDERS", 20)
    for i in range(30):
        (tmp_path / f"f{i}").mkdir()
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInput, match="more than 20 folders"):
        open_sources(tmp_path)


def test_links_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    with pytest.raises(UnreadableSource, match=r"link|followed"):
        open_sources(tmp_path / "loop.csv")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "again").symlink_to(folder)
    (folder / "t.csv").write_text("a\n1\n")
    with open_sources(folder) as data:
        assert list(data.tables) == ["t"]


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(UnreadableSource, match="not a regular file"):
        open_sources(tmp_path / "pipe.csv")
    for bad in ("", "  ", "a\0b", "https://example.com/a.csv", "s3://bucket/a.parquet"):
        with pytest.raises(InvalidInput):
            open_sources(bad)
    with pytest.raises(InvalidInput, match="Nothing to open"):
        open_sources()


@pytest.mark.parametrize(
    "name",
    [
        "a[x]*.csv",
        "q'uo\"te.csv",
        "new\nline.csv",
        "日本語 データ.csv",
        "semi;colon--.csv",
        "sp ace.csv",
        "$HOME.csv",
        "back\\slash.csv",
    ],
)
def test_any_file_name_opens_that_file_only(tmp_path: Path, name: str) -> None:
    (tmp_path / "ax.csv").write_text("v\n666\n")
    (tmp_path / name).write_text("v\n1\n2\n")
    with open_sources(tmp_path / name) as data:
        (table,) = data
        assert data.connection.execute(f"SELECT sum(v) FROM {table.relation}").fetchone() == (3,)


@pytest.mark.parametrize(
    "name", ['x"; DROP TABLE t; --', "a'b", "{c}", "%s", "sel*ct", "new line", "日本", "select", "a.b"]
)
def test_any_column_name_is_only_a_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "t.json").write_text(json.dumps([{name: "$1,000.50", "k": "12%"}, {name: "$2", "k": "5%"}]))
    with open_sources(tmp_path / "t.json") as data:
        table = data.table("t")
        assert table.columns[0].name == name
        assert data.connection.execute("FROM t").fetchall() == [(1000.5, 0.12), (2.0, 0.05)]


def test_the_connection_reads_no_other_file(tmp_path: Path) -> None:
    import duckdb

    (tmp_path / "mine.csv").write_text("a\n1\n")
    (tmp_path / "secret.csv").write_text("a\n2\n")
    with open_sources(tmp_path / "mine.csv") as data:
        for statement in (
            f"FROM read_csv('{tmp_path / 'secret.csv'}')",
            f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
            f"ATTACH '{tmp_path / 'new.db'}'",
            "INSTALL httpfs",
            "SET enable_external_access = true",
        ):
            with pytest.raises(duckdb.Error):
                data.connection.execute(statement)
        assert data.connection.execute("FROM mine").fetchall() == [(1,)]


def test_temporary_files_go_with_the_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\n1,é\n".encode("utf-16"))
    data = open_sources(path)
    assert list(scratch.rglob("*.csv"))
    data.close()
    assert not list(scratch.iterdir())
    with pytest.raises(DataUnavailable):
        open_sources(path, tmp_path / "missing.csv")
    assert not list(scratch.iterdir())


def test_an_unreachable_database_says_so_without_its_password() -> None:
    for url in (
        "postgresql://user:hunter2@127.0.0.1:1/db",
        "postgresql://127.0.0.1:1/db?user=u&password=hunter2",
        "postgres://user:hunter2@no-such-host.invalid/db",
    ):
        with pytest.raises(SourceUnreachable) as caught:
            open_sources(url)
        assert caught.value.retryable
        chain: BaseException | None = caught.value
        while chain:
            assert "hunter2" not in str(chain) and "hunter2" not in repr(chain)
            chain = None if chain.__suppress_context__ else chain.__context__


@pytest.mark.needs("postgres")
def test_postgres_never_shows_the_password(postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute("DROP TABLE IF EXISTS shown; CREATE TABLE shown (a int); INSERT INTO shown VALUES (1)")
    separator = "&" if "?" in postgres_url else "?"
    with open_sources(f"{postgres_url}{separator}password=hunter2#shown") as data:
        table = data.table("shown")
        assert "hunter2" not in table.source and table.source.endswith("#public.shown")
    with pytest.raises(GnomonError, match="no table named 'shwon'"):
        open_sources(f"{postgres_url}#shwon")


@pytest.mark.needs("postgres")
def test_a_user_that_postgres_does_not_know_is_refused(postgres_url: str) -> None:
    separator = "&" if "?" in postgres_url else "?"
    with pytest.raises((AuthenticationFailed, SourceUnreachable)) as caught:
        open_sources(f"{postgres_url}{separator}user=nobody_here&password=hunter2")
    assert "hunter2" not in str(caught.value)
